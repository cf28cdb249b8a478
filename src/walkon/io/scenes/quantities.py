"""Numbers with units and times, as they stand in scene files.

Numbers: `3s`, `90deg`, `1.2 m`, `5km/h`, `2kg`, and plain numbers in SI units. Times: `12s`, or after a mark:
`bob.seat + 1s`, `bob.seat`, `seat` (one's own).
"""

import math
import re
from dataclasses import dataclass
from math import inf

from walkon._base.errors import InvalidValue

__all__ = [
    "NAME",
    "NUMBER",
    "UNITS",
    "Entrance",
    "Instant",
    "parse_entrance",
    "parse_hold",
    "parse_instant",
    "parse_quantity",
    "parse_until",
]

UNITS: dict[str, dict[str, float]] = {
    "length": {"m": 1.0, "cm": 0.01, "mm": 0.001, "km": 1000.0},
    "time": {"s": 1.0, "ms": 0.001, "min": 60.0},
    "angle": {"rad": 1.0, "deg": math.pi / 180, "°": math.pi / 180},
    "speed": {"m/s": 1.0, "km/h": 1 / 3.6},
    "mass": {"kg": 1.0, "g": 0.001},
    "number": {},
}
"""What is measured → its units and their size in SI units; the first is the one of plain numbers."""

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_WRITTEN = re.compile(rf"({NUMBER})\s*([^\W\d_/]+(?:/[^\W\d_]+)?|°)?", re.ASCII)


def parse_quantity(text: str, *, of: str) -> float:
    """Return a number in SI units; raises `InvalidValue` with the rule where the text is none, or of another unit."""
    units = UNITS[of]
    examples = {
        "length": "1.2m",
        "time": "3s",
        "angle": "90deg",
        "speed": "1.3m/s",
        "mass": "2kg",
        "number": "0.5",
    }
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        raise InvalidValue(f"must be a {of} such as {examples[of]}, got {text!r}")
    value, unit = float(found[1]), found[2]
    if unit is not None and unit not in units:
        known = f"use {', '.join(units)}" if units else "it has none"
        raise InvalidValue(f"must be a {of} such as {examples[of]}, and {unit!r} is no unit of it ({known})")
    if of == "angle" and unit is None and abs(value) > 2 * math.pi + 1e-6:
        raise InvalidValue(f"must be an angle: {text} without a unit is in radians; write {text}deg for degrees")
    value *= units.get(unit, 1.0) if unit is not None else 1.0
    if not math.isfinite(value):
        raise InvalidValue(f"must be a finite {of}, got {text!r}")
    return value


NAME = r"[^\W\d](?:\w|\{n\})*|\{n\}\w+"
"""Names of people, marks, seats, doors and props: letters, digits and _; {n} stands for a number in a group."""
_RELATIVE = re.compile(rf"(?:(?P<who>{NAME})\.)?(?P<mark>{NAME})\s*(?:(?P<sign>[+-])\s*(?P<offset>.+))?")
_ENTRANCE = re.compile(rf"(?P<time>.+?)??(?:\s*\bat\s+(?P<door>{NAME}))?")


@dataclass(frozen=True)
class Instant:
    """Seconds on the scene's clock, or after a mark."""

    seconds: float
    mark: str = ""
    who: str = ""
    """Whose mark; one's own if empty."""


@dataclass(frozen=True)
class Entrance:
    """When and through which door a character enters."""

    seconds: float
    door: str = ""


def parse_instant(text: str) -> Instant:
    """Read a time, absolute or relative."""
    if re.match(NUMBER, text):
        return Instant(_seconds(text))
    found = _RELATIVE.fullmatch(text)
    if found is None:
        raise InvalidValue(f"must be a time such as 12s, or one after a mark such as 'bob.seat + 1s', got {text!r}")
    offset = _seconds(found["offset"]) if found["offset"] else 0.0
    return Instant(-offset if found["sign"] == "-" else offset, found["mark"], found["who"] or "")


def parse_entrance(text: str) -> Entrance:
    """Read `3s`, `3s at door_2` or `at door_2`."""
    found = _ENTRANCE.fullmatch(text)
    if found is None or (not found["time"] and not found["door"]):
        raise InvalidValue(f"must be a time, a door, or both: 3s at door_2, got {text!r}")
    return Entrance(_seconds(found["time"]) if found["time"] else 0.0, found["door"] or "")


def parse_hold(text: str) -> float:
    """Read for how long a mark is held: a duration, or `end`, which is infinite."""
    if text == "end":
        return inf
    seconds = _seconds(text)
    if seconds < 0:
        raise InvalidValue(f"must be 0 s or more, got {text}")
    return seconds


def parse_until(text: str) -> float:
    """Read until when a mark is held: a time of the scene, or `end`, which is infinite."""
    return inf if text == "end" else _seconds(text)


def _seconds(text: str) -> float:
    seconds = parse_quantity(text, of="time")
    if abs(seconds) > 1e5:
        raise InvalidValue(f"must be at most {1e5:g} s, got {text!r}")
    return seconds
