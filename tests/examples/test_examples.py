"""Every example runs as it is, and says at its top what to look at."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs(example, tmp_path):
    subprocess.run([sys.executable, "-W", "error", str(example)], cwd=tmp_path, check=True, capture_output=True)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_is_numbered_and_explained(example):
    assert example.stem[:2].isdigit()
    title, _, rest = (ast.get_docstring(ast.parse(example.read_text())) or "").partition("\n\n")
    assert title
    assert rest
