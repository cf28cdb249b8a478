"""Numbers with units, as they stand in scene files: `3s`, `90deg`, `1.2 m`, `5km/h`, and plain numbers in SI units."""

import math
import re

from walkon._base.errors import InvalidValue

__all__ = ["NUMBER", "UNITS", "quantity"]

UNITS: dict[str, dict[str, float]] = {
    "length": {"m": 1.0, "cm": 0.01, "mm": 0.001, "km": 1000.0},
    "time": {"s": 1.0, "ms": 0.001, "min": 60.0},
    "angle": {"rad": 1.0, "deg": math.pi / 180, "°": math.pi / 180},
    "speed": {"m/s": 1.0, "km/h": 1 / 3.6},
    "number": {},
}
"""What is measured → its units and their size in SI units; the first is the one of plain numbers."""

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_WRITTEN = re.compile(rf"({NUMBER})\s*([^\W\d_/]+(?:/[^\W\d_]+)?|°)?", re.ASCII)


def quantity(text: str, *, of: str) -> float:
    """Return a number in SI units; raises `InvalidValue` with the rule where the text is none, or of another unit."""
    units = UNITS[of]
    examples = {"length": "1.2m", "time": "3s", "angle": "90deg", "speed": "1.3m/s", "number": "0.5"}
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
