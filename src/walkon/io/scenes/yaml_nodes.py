"""YAML text as a tree of nodes, each with its line: text, lists, mappings.

Values stay text: what is a number, and in which unit, is for the key to say that it stands at. So `no`, `1e3` or
`12:30` mean nothing by themselves. Keys that occur twice, tags, and keys that are not text are problems. Files that are
no YAML, nest deeper than `MAX_NESTING_DEPTH` or unfold to far more values than they have letters (aliases of aliases)
are refused.
"""

import warnings
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from walkon._base.errors import UnreadableFile
from walkon.io.scenes.problems import Problems

__all__ = ["YamlNode", "parse_yaml"]

MAX_NESTING_DEPTH = 40
UNFOLDED_VALUES_COUNT = 100_000
"""Values that any file may unfold to; a long one may to four for each of its letters."""
NULL_WORDS = ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True, slots=True)
class YamlNode:
    """What stands at a place of the file."""

    value: Any
    """A str; a tuple of nodes; or a dict of key → its line and its node, in the order of the file."""
    line: int
    empty: bool = False
    """Nothing was written, or null."""


def parse_yaml(text: str, *, path: str | Path, problems: Problems) -> YamlNode | None:
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
        raise UnreadableFile(f"lists and keys nest deeper than {MAX_NESTING_DEPTH} levels", path=path) from None
    except (ValueError, AttributeError, TypeError, IndexError, KeyError, AssertionError, NotImplementedError) as error:
        # Damaged directives and escapes make the parser itself stumble.
        raise UnreadableFile(f"this is not YAML ({type(error).__name__}: {error})", path=path) from None
    return None if root is None else _unfold(root, path, problems, max(UNFOLDED_VALUES_COUNT, 4 * len(text)))


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


def _unfold(root: Any, path: str | Path, problems: Problems, most: int) -> YamlNode:
    """Turn the parser's nodes into ours, aliases written out."""
    counting = count(1)

    def unfold(node: Any, depth: int) -> YamlNode:
        line = node.start_mark.line + 1
        many = next(counting) > most
        if depth > MAX_NESTING_DEPTH or many:
            what = (
                f"lists and keys nest deeper than {MAX_NESTING_DEPTH} levels"
                if depth > MAX_NESTING_DEPTH
                else f"over {most} values"
            )
            raise UnreadableFile(f"{what}; does an alias contain itself?", path=path, line=line)
        if not str(node.tag or "tag:yaml.org").startswith("tag:yaml.org"):
            problems.add(line, f"tags such as {node.tag} mean nothing here; remove it")
        if isinstance(node.value, str):
            plain = not getattr(node, "style", None)
            return YamlNode(node.value, line, empty=plain and node.value in NULL_WORDS)
        if (node.value and isinstance(node.value[0], tuple)) or (not node.value and "map" in str(node.tag)):
            return YamlNode(unfold_keys(node, depth), line)
        return YamlNode(tuple(unfold(item, depth + 1) for item in node.value), line)

    def unfold_keys(node: Any, depth: int) -> dict[str, tuple[int, YamlNode]]:
        entries: dict[str, tuple[int, YamlNode]] = {}
        for key, value in node.value:
            line, name = key.start_mark.line + 1, key.value
            if not isinstance(name, str):
                problems.add(line, "a key must be a word, not a list or keys of its own")
            elif name in entries:
                problems.add(line, f"the key {name!r} is there twice, first in line {entries[name][0]}; keep one")
            else:
                entries[name] = (line, unfold(value, depth + 1))
        return entries

    return unfold(root, 0)
