"""Kinds of values in a scene file: each reads a node, says in words what it wants, and describes itself as JSON schema.

One description of keys (`keys.py`) is made of these; the reader and the schema for editors both follow from it. Reading
never stops at a problem: it is noted with its line, None is returned, and the rest is read.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from walkon._base.errors import InvalidValue
from walkon.io.scenes.problems import Problems
from walkon.io.scenes.quantities import NUMBER, UNITS, parse_quantity
from walkon.io.scenes.yaml_nodes import YamlNode

__all__ = ["Either", "Flag", "Kind", "Listed", "Number", "Schema", "Text", "Tupled", "Whole", "form_error"]

Schema = dict[str, Any]


def form_error(node: YamlNode, wants: str) -> InvalidValue:
    """Return the error that a value is of another form than wanted."""
    if isinstance(node.value, str):
        got = "nothing" if node.empty else repr(node.value[:60])
    else:
        got = "keys and values" if isinstance(node.value, dict) else f"a list of {len(node.value)}"
    return InvalidValue(f"must be {wants}, got {got}")


class Kind(ABC):
    """A kind of value. Reading notes what is wrong, and goes on."""

    form: ClassVar[type] = str
    """What the value of a node must be: a str, a tuple of nodes, a dict of keys."""
    wants: Any
    """What is wanted, in words."""

    def read(self, node: YamlNode, problems: Problems, whose: str) -> Any:
        """Return the value, or None after noting what is wrong with it."""
        try:
            if node.empty or not isinstance(node.value, self.form):
                raise form_error(node, self.wants)
            return self._value(node, problems, whose)
        except InvalidValue as error:
            problems.add(node.line, f"{whose} {error}")
            return None

    def takes(self, node: YamlNode) -> bool:
        """Say whether a node has the right form, whatever its content."""
        return isinstance(node.value, self.form) and not node.empty

    @abstractmethod
    def schema(self, shared: dict[str, Schema]) -> Schema:
        """Return the JSON schema; records put themselves into `shared` and return a reference."""

    @abstractmethod
    def _value(self, node: YamlNode, problems: Problems, whose: str) -> Any:
        """Return the value; raises `InvalidValue` with the rule. What is inside of it is noted by its own kinds."""


@dataclass(frozen=True)
class Number(Kind):
    """A number, perhaps with a unit; in SI units when read."""

    of: str = "number"
    low: float = -1e5
    high: float = 1e5
    above: bool = False
    """The lower limit itself is not allowed."""

    @property
    def wants(self) -> str:
        """What is wanted, in words."""
        return f"{'an' if self.of == 'angle' else 'a'} {self.of}"

    def takes(self, node: YamlNode) -> bool:
        """Say whether it begins as a number does."""
        return isinstance(node.value, str) and re.match(NUMBER, node.value.strip()) is not None

    def _value(self, node: YamlNode, problems: Problems, whose: str) -> float:
        """Return the value in SI units."""
        value = parse_quantity(node.value, of=self.of)
        if not self.low <= value <= self.high or (self.above and value == self.low):
            unit = next(iter(UNITS[self.of]), "")
            words = f"{'over' if self.above else 'at least'} {self.low:g} and at most {self.high:g} {unit}".rstrip()
            raise InvalidValue(f"must be {words}, got {node.value}")
        return value

    def schema(self, shared: dict[str, Schema]) -> Schema:
        """Return a number, or text with a unit."""
        bound = "exclusiveMinimum" if self.above else "minimum"
        number: Schema = {"type": "number", bound: self.low, "maximum": self.high}
        if not UNITS[self.of]:
            return number
        units = "|".join(re.escape(unit) for unit in UNITS[self.of])
        name = f"{self.of}_{'over' if self.above else 'from'}_{self.low:g}_to_{self.high:g}"
        shared[name] = {"anyOf": [number, {"type": "string", "pattern": rf"^\s*{NUMBER}\s*({units})?\s*$"}]}
        return {"$ref": f"#/$defs/{name}"}


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number."""

    low: int = 0
    high: int = 2**53

    wants = "a whole number"

    def takes(self, node: YamlNode) -> bool:
        """Say whether it begins as a number does."""
        return isinstance(node.value, str) and re.match(r"[+-]?\d", node.value.strip()) is not None

    def _value(self, node: YamlNode, problems: Problems, whose: str) -> int:
        """Return the number."""
        if not re.fullmatch(r"[+-]?\d{1,18}", node.value.strip(), re.ASCII):
            raise form_error(node, self.wants)
        value = int(node.value)
        if not self.low <= value <= self.high:
            raise InvalidValue(f"must be a whole number from {self.low} to {self.high}, got {value}")
        return value

    def schema(self, shared: dict[str, Schema]) -> Schema:
        """Return an integer."""
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class Flag(Kind):
    """Yes or no."""

    wants = "true or false"

    def _value(self, node: YamlNode, problems: Problems, whose: str) -> bool:
        """Return which."""
        if node.value not in ("true", "false"):
            raise form_error(node, self.wants)
        return bool(node.value == "true")

    def schema(self, shared: dict[str, Schema]) -> Schema:
        """Return a boolean."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class Text(Kind):
    """Words: any, one of some choices, or what a pattern matches; `parse` makes a value of them or raises."""

    wants: str = "text"
    choices: tuple[str, ...] = ()
    pattern: str = ""
    parse: Callable[[str], Any] | None = None

    def _value(self, node: YamlNode, problems: Problems, whose: str) -> Any:
        """Return the text, or what becomes of it."""
        text = node.value.strip()
        if self.choices and text not in self.choices:
            raise form_error(node, f"one of {', '.join(self.choices)}")
        if self.pattern and not re.fullmatch(self.pattern, text):
            raise form_error(node, self.wants)
        return self.parse(text) if self.parse else text

    def schema(self, shared: dict[str, Schema]) -> Schema:
        """Return a string."""
        if self.choices:
            return {"enum": list(self.choices)}
        made: Schema = {"type": "string", "description": self.wants}
        # A number is no string in JSON, but `name: 7` should not be red in an editor.
        return made | {"pattern": f"^(?:{self.pattern})$"} if self.pattern else made | {"type": ["string", "number"]}


@dataclass(frozen=True)
class Listed(Kind):
    """A list of any length within limits."""

    form = tuple
    of: Kind
    shortest: int = 0
    longest: int = 1_000_000
    what: str = "things"
    keeps: bool = False
    """Items that can be read are kept where others cannot: each stands for itself."""

    @property
    def wants(self) -> str:
        """What is wanted, in words."""
        return f"a list of {self.what}" + (f", {self.shortest} or more" if self.shortest > 1 else "")

    def takes(self, node: YamlNode) -> bool:
        """Take a list; one of numbers only if its items are."""
        return isinstance(node.value, tuple) and all(self.of.takes(item) for item in node.value[:1])

    def read(self, node: YamlNode, problems: Problems, whose: str) -> Any:
        """Return the items that can be read; nothing is a list of nothing."""
        return [] if node.empty and not self.shortest else super().read(node, problems, whose)

    def _value(self, node: YamlNode, problems: Problems, whose: str) -> list[Any] | None:
        """Return the items that can be read."""
        if not self.shortest <= len(node.value) <= self.longest:
            raise form_error(node, self.wants)
        before = len(problems)
        values = [self.of.read(item, problems, whose) for item in node.value]
        broken = len(problems) > before and not self.keeps
        return None if broken else [value for value in values if value is not None]

    def schema(self, shared: dict[str, Schema]) -> Schema:
        """Return an array."""
        made: Schema = {"type": "array", "items": self.of.schema(shared)}
        return made | {"minItems": self.shortest} if self.shortest else made


@dataclass(frozen=True)
class Tupled(Kind):
    """A list of fixed length, such as a point; the last `optional` items may be left out."""

    form = tuple
    wants: str
    kinds: tuple[Kind, ...]
    optional: int = 0

    def takes(self, node: YamlNode) -> bool:
        """Take a list that does not hold lists."""
        return isinstance(node.value, tuple) and all(self.kinds[0].takes(item) for item in node.value[:1])

    def _value(self, node: YamlNode, problems: Problems, whose: str) -> tuple[Any, ...] | None:
        """Return the items."""
        lengths = range(len(self.kinds) - self.optional, len(self.kinds) + 1)
        if len(node.value) not in lengths:
            raise form_error(node, self.wants)
        values = tuple(k.read(item, problems, whose) for k, item in zip(self.kinds, node.value, strict=False))
        return None if any(value is None for value in values) else values

    def schema(self, shared: dict[str, Schema]) -> Schema:
        """Return an array of fixed length."""
        return {
            "type": "array",
            "prefixItems": [kind.schema(shared) for kind in self.kinds],
            "minItems": len(self.kinds) - self.optional,
            "maxItems": len(self.kinds),
            "description": self.wants,
        }


@dataclass(frozen=True)
class Either(Kind):
    """One of several kinds, chosen by the form of the node: the first that takes it reads it."""

    form = object
    kinds: tuple[Kind, ...]

    @property
    def wants(self) -> str:
        """What is wanted, in words."""
        return " or ".join(kind.wants for kind in self.kinds)

    def takes(self, node: YamlNode) -> bool:
        """Take what one of them takes."""
        return any(kind.takes(node) for kind in self.kinds)

    def _value(self, node: YamlNode, problems: Problems, whose: str) -> Any:
        """Return what the first kind that takes it reads."""
        for kind in self.kinds:
            if kind.takes(node):
                return kind.read(node, problems, whose)
        raise form_error(node, self.wants)

    def schema(self, shared: dict[str, Schema]) -> Schema:
        """Return any of the schemas."""
        return {"anyOf": [kind.schema(shared) for kind in self.kinds]}
