"""Records of a scene file: keys and values, of which some are needed and some exclude each other.

Unknown keys are problems with a suggestion. See `kinds.py`; records are kinds themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from walkon._base.errors import InvalidValue
from walkon.io.scenes.kinds import Kind, Schema
from walkon.io.scenes.problems import Problems, closest_name, suggest
from walkon.io.scenes.yaml_nodes import YamlNode

__all__ = ["Fields", "Key", "Record", "Variants"]


class Fields(dict[str, Any]):
    """The values of a record that were given and right, and on which lines all that were given are."""

    def __init__(self, line: int, lines: Mapping[str, int], values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.line, self._lines = line, dict(lines)

    def given(self, key: str) -> bool:
        """Say whether the key is in the file, right or wrong."""
        return key in self._lines

    def line_of(self, key: str) -> int:
        """Return the line of a key, or of the record where it was not given."""
        return self._lines.get(key, self.line)


@dataclass(frozen=True)
class Key:
    """A key of a record."""

    name: str
    kind: Kind
    help: str
    required: bool = False
    also: str = ""
    """Another word for the same key."""


@dataclass(frozen=True)
class Record(Kind):
    """Keys and values. Of each group of keys in `one_of` exactly one must be given, in `not_both` at most one."""

    form = dict
    name: str
    """What it is: a noun with its article, for messages; the noun is the name in the schema."""
    keys: tuple[Key, ...]
    one_of: tuple[tuple[str, ...], ...] = ()
    not_both: tuple[tuple[str, ...], ...] = ()
    _by_name: dict[str, Key] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._by_name.update({word: key for key in self.keys for word in (key.name, key.also) if word})

    @property
    def wants(self) -> str:
        """What is wanted, in words."""
        return f"{self.name} (keys and values)"

    def _value(self, node: YamlNode, problems: Problems, whose: str) -> Fields | None:
        """Return the values that could be read; unknown, missing and contradicting keys are problems."""
        lines: dict[str, int] = {}
        values: dict[str, Any] = {}
        misspelled: set[str] = set()
        for written, (line, value) in node.value.items():
            key = self._by_name.get(written)
            if key is None:
                known = list(self._by_name)
                problems.add(line, f"there is no key {written!r} in {self.name}; {suggest(written, known)}")
                misspelled.add(closest_name(written, known) or "")
            elif key.name in lines:
                problems.add(line, f"{key.name!r} and {key.also!r} are two words for one thing; keep one of them")
            else:
                lines[key.name] = line
                got = key.kind.read(value, problems, f"{written!r}")
                if got is not None:
                    values[key.name] = got
        found = Fields(node.line, lines, values)
        self._rules(found, misspelled, problems)
        return found

    def _rules(self, found: Fields, misspelled: set[str], problems: Problems) -> None:
        for key in self.keys:
            if key.required and not found.given(key.name) and key.name not in misspelled:
                problems.add(found.line, f"{self.name} needs the key {key.name!r}: {key.help}")
        for group in self.one_of:
            if not any(found.given(name) or name in misspelled for name in group):
                problems.add(found.line, f"{self.name} needs one of the keys {', '.join(map(repr, group))}")
        for group in (*self.one_of, *self.not_both):
            given = [name for name in group if found.given(name)]
            if len(given) > 1:
                problems.add(found.line_of(given[1]), f"give only one of {', '.join(map(repr, given))} in {self.name}")

    def schema(self, shared: dict[str, Schema]) -> Schema:
        """Return a reference to the record's object schema."""
        title = self.name.split(" ", 1)[1].replace(" ", "_")
        if title not in shared:
            shared[title] = {}
            properties = {}
            for key in self.keys:
                made = key.kind.schema(shared)
                properties[key.name] = made | {"description": key.help}
                if key.also:
                    properties[key.also] = made | {"description": f"The same as {key.name}: {key.help}"}
            shared[title] = {"type": "object", "additionalProperties": False, "properties": properties}
            rules = [self._some([key.name]) for key in self.keys if key.required]
            rules += [self._some(group) for group in self.one_of]
            for group in (*self.one_of, *self.not_both):
                pairs = [(a, b) for i, a in enumerate(group) for b in group[i + 1 :]]
                rules += [{"not": {"required": [a, b]}} for a, b in pairs]
            if rules:
                shared[title]["allOf"] = rules
        return {"$ref": f"#/$defs/{title}"}

    def _some(self, names: Sequence[str]) -> Schema:
        words = [word for name in names for word in (name, self._by_name[name].also) if word]
        return {"required": words} if len(words) == 1 else {"anyOf": [{"required": [word]} for word in words]}


@dataclass(frozen=True)
class Variants(Kind):
    """Records told apart by a key that only one of them has; the last is taken where none of these keys is given."""

    form = dict
    records: tuple[tuple[str, Record], ...]

    @property
    def wants(self) -> str:
        """What is wanted, in words."""
        return f"keys and values with one of {', '.join(repr(key) for key, _ in self.records)}"

    def _value(self, node: YamlNode, problems: Problems, whose: str) -> Fields | None:
        """Return what the record of the telling key reads."""
        for key, record in self.records:
            if key in node.value:
                return record.read(node, problems, whose)
        # Perhaps the telling key itself is misspelled: then say so rather than that every other key is unknown.
        keys = [key for key, _ in self.records]
        everything = {key.name for _, record in self.records for key in record.keys}
        for written, (line, _) in node.value.items():
            if written not in everything and closest_name(written, keys) is not None:
                problems.add(line, f"there is no key {written!r} here; {suggest(written, keys)}")
                return None
        if len(self.records) > 2:
            raise InvalidValue(f"needs one of the keys {', '.join(map(repr, keys))}")
        return self.records[-1][1].read(node, problems, whose)

    def schema(self, shared: dict[str, Schema]) -> Schema:
        """Return a chain of if and else, so that an editor complains about the record that is meant."""
        made: Schema = {"type": "object", "anyOf": [{"required": [key]} for key, _ in self.records]}
        if len(self.records) == 2:
            made = self.records[-1][1].schema(shared)
        for key, record in reversed(self.records[:-1] if len(self.records) == 2 else self.records):
            made = {"if": {"required": [key]}, "then": record.schema(shared), "else": made}
        return made
