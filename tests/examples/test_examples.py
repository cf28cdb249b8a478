"""Every example runs as it is, and says at its top what to look at."""

import ast
from pathlib import Path

import pytest

from command_line import run_code

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs(example, tmp_path):
    run_code(example.read_text("utf-8"), cwd=tmp_path)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_is_numbered_and_explained(example):
    assert example.stem[:2].isdigit()
    title, _, rest = (ast.get_docstring(ast.parse(example.read_text())) or "").partition("\n\n")
    assert title
    assert rest
