"""What the comment lines of a text file of trajectories say: `# framerate: 25`, `# id frame x/m y/m z/m`, `in cm`.

PedPy, the Pedestrian Dynamics Data Archive and jpscore write such lines. Of a geometry only well-known text is of use;
the name of another file, as jpscore has it, is passed over.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from walkon.io.trajectories.assembling import check_area
from walkon.io.trajectories.column_names import Column, columns_of

__all__ = ["Comments", "read_comments"]

_NUMBER = r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)"
_RATE = re.compile(rf"frame\s*rate\W*{_NUMBER}", re.IGNORECASE)
_START = re.compile(rf"^\W*start\s*:\s*{_NUMBER}\s*s\b", re.IGNORECASE)
_GEOMETRY = re.compile(r"^\W*geometry\s*:\s*((?:MULTI)?POLYGON\b.*|GEOMETRYCOLLECTION\b.*)", re.IGNORECASE)
_CENTIMETRES = re.compile(r"\bin\s+(?:cm|centimet(?:re|er)s?)\b|\bx/cm\b", re.IGNORECASE)
_METRES = re.compile(r"\bin\s+(?:m|met(?:re|er)s?)\b|\bx/m\b", re.IGNORECASE)


@dataclass(frozen=True)
class Comments:
    """What was found; None for what was not."""

    rate: float | None = None
    start: float | None = None
    geometry: str | None = None
    unit: float | None = None
    """Metres per unit of length."""
    columns: dict[str, Column] | None = None


def read_comments(lines: Sequence[str], path: Path) -> Comments:
    """Read the lines at the head of a file that begin with `#`."""
    rate = start = geometry = unit = columns = None
    for line in lines:
        if rate is None and (found := _RATE.search(line)):
            rate = float(found[1])
        if start is None and (found := _START.search(line)):
            start = float(found[1])
        if geometry is None and (found := _GEOMETRY.search(line)):
            geometry = check_area(found[1].strip(), path)
        if _CENTIMETRES.search(line):
            unit = 0.01
        elif _METRES.search(line):
            unit = 1.0
        named = columns_of(line.lstrip("# \t").split())
        if {"id", "frame", "x", "y"} <= named.keys():
            columns = named
            if named["x"].said:
                unit = named["x"].factor
    return Comments(rate, start, geometry, unit, columns)
