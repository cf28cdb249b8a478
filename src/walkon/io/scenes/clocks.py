"""Times as they stand in scene files: `12s`, or after a mark: `bob.seat + 1s`, `bob.seat`, `seat` (one's own)."""

import re
from dataclasses import dataclass
from math import inf

from walkon._base.errors import InvalidValue
from walkon.io.scenes.quantities import NUMBER, quantity

__all__ = ["NAME", "Entrance", "Instant", "ending", "entrance", "holding", "instant"]

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
    """When and through which door somebody enters."""

    seconds: float
    door: str = ""


def instant(text: str) -> Instant:
    """Read a time, absolute or relative."""
    if re.match(NUMBER, text):
        return Instant(_seconds(text))
    found = _RELATIVE.fullmatch(text)
    if found is None:
        raise InvalidValue(f"must be a time such as 12s, or one after a mark such as 'bob.seat + 1s', got {text!r}")
    offset = _seconds(found["offset"]) if found["offset"] else 0.0
    return Instant(-offset if found["sign"] == "-" else offset, found["mark"], found["who"] or "")


def entrance(text: str) -> Entrance:
    """Read `3s`, `3s at door_2` or `at door_2`."""
    found = _ENTRANCE.fullmatch(text)
    if found is None or (not found["time"] and not found["door"]):
        raise InvalidValue(f"must be a time, a door, or both: 3s at door_2, got {text!r}")
    return Entrance(_seconds(found["time"]) if found["time"] else 0.0, found["door"] or "")


def holding(text: str) -> float:
    """Read for how long a mark is held: a duration, or `end`, which is for ever."""
    if text == "end":
        return inf
    seconds = _seconds(text)
    if seconds < 0:
        raise InvalidValue(f"must be 0 s or more, got {text}")
    return seconds


def ending(text: str) -> float:
    """Read until when a mark is held: a time of the scene, or `end`, which is for ever."""
    return inf if text == "end" else _seconds(text)


def _seconds(text: str) -> float:
    seconds = quantity(text, of="time")
    if abs(seconds) > 1e5:
        raise InvalidValue(f"must be at most {1e5:g} s, got {text!r}")
    return seconds
