"""Plain words: names that were given up stay away, and one name is one class."""

import ast
import tokenize
from collections import Counter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "walkon"
WORDS = dict(
    line.split(maxsplit=1)
    for line in (Path(__file__).parent / "words.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
)
FILES = sorted(path for path in SOURCE.rglob("*.py") if "node_modules" not in path.parts)


def test_words_that_were_given_up_stay_away():
    found = []
    for path in FILES:
        with tokenize.open(path) as file:
            for token in tokenize.generate_tokens(file.readline):
                if token.type == tokenize.NAME and token.string in WORDS:
                    where = f"{path.relative_to(SOURCE)}:{token.start[0]}"
                    found.append(f"{where}: {token.string}, say {WORDS[token.string]}")
    assert not found, "\n".join(found)


def test_a_class_name_is_used_once():
    names = Counter(
        node.name
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("word", ["Troupe", "Plays"])
def test_the_list_is_read(word):
    assert word in WORDS
