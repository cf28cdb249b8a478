"""Where in a scene file a character or a mark is written: the line to look at when it cannot be performed."""

import re
from typing import Any

from walkon.io.scenes.problems import Problems
from walkon.io.scenes.yaml_nodes import YamlNode, parse_yaml

__all__ = ["line_of"]


def line_of(text: str, character: str = "", mark: str = "") -> int | None:
    """Return the line (from 1) of a character or of one of its marks in a scene's text; None where it is not found.

    People of a group are found at the group. Without a mark it is the line at which the character begins.
    """
    root = parse_yaml(text, path="scene", problems=Problems())
    for one in _list(root, "characters"):
        group = _text(one, "group")
        if _text(one, "name") == character or (group and re.fullmatch(rf"{re.escape(group)}_\d+", character)):
            line = one.line
            for number, asked in enumerate(_list(one, "marks"), start=1):
                if mark and (_text(asked, "name") or f"mark_{number}") == mark:
                    line = asked.line
            return line
    return None


def _value(node: YamlNode | None, key: str) -> Any:
    entries = node.value if node is not None and isinstance(node.value, dict) else {}
    return entries[key][1].value if key in entries else None


def _text(node: YamlNode, key: str) -> str:
    value = _value(node, key)
    return value if isinstance(value, str) else ""


def _list(node: YamlNode | None, key: str) -> tuple[YamlNode, ...]:
    value = _value(node, key)
    return value if isinstance(value, tuple) else ()
