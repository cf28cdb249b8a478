"""Commands in this process: what a user would be told comes back, what a user would see as a traceback is raised."""

import os
import sys
from pathlib import Path

import pytest

from command_line import run, run_code
from walkon.cli import main


def test_arguments_folder_and_environment_are_the_commands_own(tmp_path, monkeypatch):
    def app():
        print(sys.argv, Path.cwd(), os.environ["COLUMNS"], os.environ["WALKON_CACHE"])
        print("told", file=sys.stderr)
        sys.exit(3)

    monkeypatch.setattr(main, "app", app)
    before = list(sys.argv), Path.cwd(), dict(os.environ)
    done = run("check", Path("x.take"), cwd=tmp_path, WALKON_CACHE="/here")
    assert done == (3, f"['walkon', 'check', 'x.take'] {tmp_path} 200 /here\n", "told\n")
    assert (list(sys.argv), Path.cwd(), dict(os.environ)) == before


@pytest.mark.parametrize(("given", "code"), [((), 0), ((0,), 0), ((2,), 2), (("a sentence",), 1)])
def test_exit_codes_are_those_of_a_process(given, code, monkeypatch):
    monkeypatch.setattr(main, "app", lambda: sys.exit(*given))
    assert run().returncode == code


def test_a_fault_of_ours_is_raised(monkeypatch):
    monkeypatch.setattr(main, "app", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run("check")


def test_a_program_says_what_it_prints(tmp_path):
    code = "from pathlib import Path\nif __name__ == '__main__':\n    print(Path.cwd())"
    assert run_code(code, cwd=tmp_path) == f"{tmp_path}\n"
