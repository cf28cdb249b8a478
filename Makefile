# Two commands are enough: `make demo` shows what Walkon does, `make test` checks everything.
# Both make the environment in .venv first if it is missing or older than pyproject.toml.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
TESTED := .venv/.tested

# Compiled bytecode is kept even where the surroundings say not to: without it every start takes twice as long.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo page test test-slow scenes coverage golden check bench figures clients clean help

help:
	@echo "make demo       make an environment, install, compile once, and fill a theatre"
	@echo "make page       build the page of walkon view again after a change (needs Node)"
	@echo "make test       lint, types, import contracts and tests"
	@echo "make test-slow  the long tests"
	@echo "make scenes     perform every example scene; fails where a mark is not met"
	@echo "make coverage   which lines of crowds and of the planner unit tests reach"
	@echo "make golden     after a change that is meant to change results: REASON=\"why\""
	@echo "make bench      figures of speed, beside those of peers"
	@echo "make figures    remake the pictures and figures of the docs (needs the CMU clips)"
	@echo "make clients    ask Blender what it makes of our files (an environment of 1 GB)"
	@echo "make clean      remove the environment and everything made"

$(READY): pyproject.toml
	@echo "==> making an environment in .venv (once; well under a minute on a fast line)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv 2>/dev/null \
	  && $(BIN)/uv pip install --quiet --python $(BIN)/python --editable ".[video,serve]" \
	  || $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[video,serve]"
	@touch $(READY)

# What only tests need (other people's programs, browsers' drivers) is large; the demo does not wait for it.
$(TESTED): $(READY)
	@echo "==> adding what tests need (once)"
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --editable ".[dev]" 2>/dev/null \
	  || $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@$(BIN)/python tests/browser/get_chromium.py
	@touch $(TESTED)

demo: $(READY)
	@echo "==> compiling for this machine, once"
	@$(BIN)/walkon warm-up
	@echo "==> the demo"
	@$(BIN)/walkon demo

page: $(READY)
	@echo "==> the page"
	@$(BIN)/python hatch_build.py

check: $(TESTED)
	@echo "==> lint"
	@$(BIN)/ruff check src tests benchmarks examples
	@$(BIN)/ruff format --check --quiet src tests benchmarks examples
	@echo "==> types"
	@$(BIN)/mypy
	@echo "==> import contracts"
	@$(BIN)/lint-imports --no-cache

test: check
	@echo "==> compiling for this machine, once"
	@$(BIN)/walkon warm-up
	@echo "==> tests"
	@$(BIN)/pytest -m "not slow" -n 2 --dist loadfile --no-loadscope-reorder --seconds-by-folder --folder-budget 45

test-slow: $(TESTED)
	@echo "==> long tests"
	@$(BIN)/pytest -m slow -n 2 --dist loadfile --no-loadscope-reorder --seconds-by-folder

scenes: $(READY)
	@echo "==> every example scene"
	@mkdir -p out
	@for scene in examples/scenes/*.yaml; do $(BIN)/walkon run $$scene -o out/$$(basename $$scene .yaml).take || exit 1; done

coverage: $(TESTED)
	@echo "==> what the unit tests of crowds reach; compiled kernels cannot be followed and are left out"
	@$(BIN)/pytest tests/unit/crowd tests/unit/synthesis -q --cov=src/walkon/crowd --cov=src/walkon/synthesis/goal_directed --cov-report=term

golden: $(TESTED)
	@cd tests && ../$(BIN)/python -m golden.renew "$(REASON)"

bench: $(TESTED)
	@$(BIN)/python -m benchmarks

figures: $(TESTED)
	@$(BIN)/python -m benchmarks.figures

# Blender as a Python module, other people's program: it needs Python 3.11 and an older NumPy, so it lives by itself.
CLIENTS := .venv-clients
$(CLIENTS)/.ready: | $(READY)
	@echo "==> making an environment for Blender in $(CLIENTS) (once; it downloads 370 MB)"
	@$(BIN)/uv venv --quiet --clear --python 3.11 $(CLIENTS) 2>/dev/null || python3.11 -m venv --clear $(CLIENTS)
	@$(BIN)/uv pip install --quiet --python $(CLIENTS)/bin/python bpy==5.0.1 2>/dev/null \
	  || $(CLIENTS)/bin/python -m pip install --quiet --disable-pip-version-check bpy==5.0.1
	@touch $@

clients: $(TESTED) $(CLIENTS)/.ready
	@WALKON_CLIENTS=$(CLIENTS)/bin/python $(BIN)/python tests/clients/blender_client.py
	@WALKON_CLIENTS=$(CLIENTS)/bin/python $(BIN)/pytest tests/clients

clean:
	rm -rf .venv .venv-clients .mypy_cache .ruff_cache .pytest_cache .hypothesis out src/walkon/viewer/static src/walkon/viewer/page/node_modules
