"""YAML text as a tree of three kinds of nodes, each with its line: text, list, mapping.

Values stay text: what is a number, and in which unit, is for the key to say that it stands at. So `no`, `1e3` or
`12:30` mean nothing by themselves. Keys that occur twice, tags, and keys that are not text are problems. Files that
are no YAML, nest deeper than `DEEPEST` or unfold to far more values than they have letters (aliases of aliases) are
refused.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from walkon._base.errors import UnreadableFile
from walkon.io.scenes.problems import Problems

__all__ = ["ListNode", "MapNode", "Node", "TextNode", "parse_yaml"]

DEEPEST = 40
UNFOLDED = 100_000
"""Values that any file may unfold to; a long one may to four for each of its letters."""
EMPTY = ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True, slots=True)
class TextNode:
    """A word, number or text."""

    text: str
    line: int
    empty: bool = False
    """Nothing was written, or null."""


@dataclass(frozen=True, slots=True)
class ListNode:
    """Nodes one after another."""

    items: tuple["Node", ...]
    line: int


@dataclass(frozen=True, slots=True)
class MapNode:
    """Keys with their nodes, in the order of the file."""

    entries: tuple[tuple[str, int, "Node"], ...]
    """(key, line of the key, value)"""
    line: int


Node = TextNode | ListNode | MapNode


def parse_yaml(text: str, *, path: str | Path, problems: Problems) -> Node | None:
    """Return the tree of one YAML 1.2 document, None if it is empty; raises `UnreadableFile` where it is no YAML."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about directives that mean nothing here
            root = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        raise UnreadableFile(_sentence(error, text, line), path=path, line=line) from None
    except YAMLError as error:
        position = getattr(error, "position", None)
        line = text.count("\n", 0, position) + 1 if isinstance(position, int) else None
        raise UnreadableFile("a character that YAML does not allow; remove it", path=path, line=line) from None
    except RecursionError:
        raise UnreadableFile(f"lists and keys nest deeper than {DEEPEST} levels", path=path) from None
    except (ValueError, AttributeError, TypeError, IndexError, KeyError, AssertionError, NotImplementedError) as error:
        # Damaged directives and escapes make the parser itself stumble.
        raise UnreadableFile(f"this is not YAML ({type(error).__name__}: {error})", path=path) from None
    if root is None:
        return None
    return _Unfolding(path, problems, max(UNFOLDED, 4 * len(text))).node(root, 0)


def _sentence(error: Any, text: str, line: int | None) -> str:
    said = str(error.problem or error.context or "this is not YAML").replace("\n", " ")
    hint = "; see docs/scenes.md for what a scene looks like"
    written = text.splitlines()[line - 1] if line is not None and line <= len(text.splitlines()) else ""
    if "{n}" in written and '"' not in written and "'" not in written:
        hint = '; quote names with {n} between braces: {row: "seat_{n}"}'
    elif "\t" in written:
        hint = "; indent with blanks, not tabs"
    elif "mapping values are not allowed" in said:
        hint = "; is there a ':' too many, or is the line indented too far?"
    return f"this is not YAML: {said}{hint}"


class _Unfolding:
    """Turns the parser's nodes into ours, aliases written out."""

    def __init__(self, path: str | Path, problems: Problems, most: int) -> None:
        self.path, self.problems, self.most, self.count = path, problems, most, 0

    def node(self, node: Any, depth: int) -> Node:
        line = node.start_mark.line + 1
        self.count += 1
        if depth > DEEPEST or self.count > self.most:
            what = (
                f"lists and keys nest deeper than {DEEPEST} levels" if depth > DEEPEST else f"over {self.most} values"
            )
            raise UnreadableFile(f"{what}; does an alias contain itself?", path=self.path, line=line)
        if not str(node.tag or "tag:yaml.org").startswith("tag:yaml.org"):
            self.problems.add(line, f"tags such as {node.tag} mean nothing here; remove it")
        if isinstance(node.value, str):
            plain = not getattr(node, "style", None)
            return TextNode(node.value, line, empty=plain and node.value in EMPTY)
        if node.value and isinstance(node.value[0], tuple):
            return MapNode(tuple(self._entries(node, depth)), line)
        if not node.value and "map" in str(node.tag):
            return MapNode((), line)
        return ListNode(tuple(self.node(item, depth + 1) for item in node.value), line)

    def _entries(self, node: Any, depth: int) -> Iterator[tuple[str, int, Node]]:
        first: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key.value, str):
                self.problems.add(line, "a key must be a word, not a list or keys of its own")
            elif key.value in first:
                self.problems.add(
                    line, f"the key {key.value!r} is there twice, first in line {first[key.value]}; keep one"
                )
            else:
                first[key.value] = line
                yield (key.value, line, self.node(value, depth + 1))
