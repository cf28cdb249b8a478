"""Seconds by folder: added up where tests are, told the dearest first, with those over their budget."""

from types import SimpleNamespace

import pytest

from folder_seconds import folder_of, folder_table, pytest_terminal_summary

COSTS = {
    "tests/laws": (90.0, 91.0, 5),
    "tests/unit/cli": (50.0, 51.0, 7),
    "tests/papers/sung2005": (45.5, 46.0, 3),
    "tests": (0.25, 1.0, 1),
}
BUSY = """
    def test_busy():
        assert sum(k * k for k in range({rounds})) > 0

    def test_idle():
        import time

        time.sleep(0.3)
"""


def test_a_test_belongs_to_the_folder_of_its_file():
    assert folder_of("tests/unit/cli/test_cli.py::test_help[a::b/c]") == "tests/unit/cli"


def test_the_dearest_folder_comes_first_and_the_sum_last():
    lines = folder_table(COSTS)
    assert [line.split()[0] for line in lines[:-1]] == list(COSTS)
    assert lines[1].split()[1:] == ["50.0", "s", "51.0", "s", "passed", "7", "tests"]
    assert lines[-1].split() == ["in", "all", "185.8", "s", "189.0", "s", "passed", "16", "tests"]


@pytest.mark.parametrize(("budget", "over"), [(45.0, ["tests/unit/cli", "tests/papers/sung2005"]), (60.0, [])])
def test_systems_over_the_budget_are_named_and_other_folders_have_none(budget, over):
    lines = folder_table(COSTS, budget=budget)
    assert [line.split()[0] for line in lines if "over its budget" in line] == over


@pytest.mark.parametrize("workers", [[], ["-n", "1"]], ids=["one process", "xdist"])
def test_processor_seconds_are_added_up_by_folder_whoever_ran_the_tests(pytester, workers):
    for folder, rounds in (("dear", 3_000_000), ("cheap", 10)):
        code = BUSY.replace("\n    ", "\n").format(rounds=rounds)
        pytester.mkdir(folder).joinpath(f"test_{folder}.py").write_text(code)
    done = pytester.runpytest_inprocess("-p", "folder_seconds", "--seconds-by-folder", *workers)
    assert done.ret == 0
    (dear,) = (line.split() for line in done.outlines if line.startswith("dear "))
    (cheap,) = (line.split() for line in done.outlines if line.startswith("cheap "))
    assert dear[6:] == cheap[6:] == ["2", "tests"]
    assert float(dear[1]) > float(cheap[1])
    assert float(cheap[1]) < 0.3 <= float(cheap[3]), "sleeping costs no processor"


def test_nothing_is_told_unless_asked_for():
    asked = {"folder_budget": None, "seconds_by_folder": False}
    pytest_terminal_summary(None, SimpleNamespace(getoption=asked.get))


def test_long_files_are_begun_first_and_the_others_keep_their_order():
    from folder_seconds import long_files_first

    nodes = ["tests/unit/io/b.py::t", "tests/unit/io/a.py::t", "tests/browser/x.py::t", "tests/readme/y.py::t"]
    assert [nodes[k] for k in long_files_first(nodes)] == [nodes[3], nodes[2], nodes[0], nodes[1]]
