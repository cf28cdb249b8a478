"""What the columns of a table of trajectories mean, found by their names: `ped_id`, `x/cm`, `Time [s]`, `heading_deg`.

Upper and lower case, spaces, underscores and hyphens make no difference. A unit may stand at the end, after a slash, an
underscore, a space or in brackets; without one, lengths are metres, times seconds and angles radians.

Comment lines of text files say more: `# framerate: 25`, `# id frame x/m y/m z/m`, `in cm`. PedPy, the Pedestrian
Dynamics Data Archive and jpscore write such lines. Of a geometry only well-known text is of use; the name of another
file, as jpscore has it, is passed over.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from walkon.io.trajectories.assembling import check_area

__all__ = ["Column", "Comments", "columns_of", "missing_columns", "read_comments"]

ROLES = {
    "id": "id ped pedid pedestrian pedestrianid agent agentid person personid persid pid track trackid trajectoryid",
    "name": "name label",
    "frame": "frame fr frameid frameno frameindex framenumber",
    "time": "time t seconds simtime simulationtime timestamp",
    "x": "x posx xpos positionx centerx",
    "y": "y posy ypos positiony centery",
    "z": "z posz zpos positionz centerz",
    "heading": "heading yaw theta orientation",
    "ori_x": "orix orientationx dirx directionx",
    "ori_y": "oriy orientationy diry directiony",
}
_ROLE_OF = {name: role for role, names in ROLES.items() for name in names.split()}

UNITS = {
    "x": {"m": 1.0, "metre": 1.0, "meter": 1.0, "metres": 1.0, "meters": 1.0, "cm": 0.01, "mm": 0.001},
    "time": {"s": 1.0, "sec": 1.0, "seconds": 1.0, "ms": 0.001},
    "heading": {"rad": 1.0, "radians": 1.0, "deg": np.pi / 180, "degree": np.pi / 180, "degrees": np.pi / 180},
}
"""Per role what one unit is in metres, seconds or radians."""
UNITS["y"] = UNITS["z"] = UNITS["x"]

_NUMBER = r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)"
_SAID = {
    "rate": re.compile(rf"frame\s*rate\W*{_NUMBER}", re.IGNORECASE),
    "start": re.compile(rf"^\W*start\s*:\s*{_NUMBER}\s*s\b", re.IGNORECASE),
    "geometry": re.compile(r"^\W*geometry\s*:\s*((?:MULTI)?POLYGON\b.*|GEOMETRYCOLLECTION\b.*)", re.IGNORECASE),
}
_CENTIMETRES = re.compile(r"\bin\s+(?:cm|centimet(?:re|er)s?)\b|\bx/cm\b", re.IGNORECASE)
_METRES = re.compile(r"\bin\s+(?:m|met(?:re|er)s?)\b|\bx/m\b", re.IGNORECASE)
_WITH_UNIT = re.compile(r"(?P<stem>.+?)[\s_/]*[\[(/_\s](?P<unit>[a-z]+)[\])]?")


class Column(NamedTuple):
    """One column that is understood."""

    role: str
    number: int
    """Which column it is, from 0."""
    factor: float
    """Metres, seconds or radians per unit of the file; 1 for counts and names."""
    said: bool
    """Whether the unit was said, not assumed."""


def columns_of(headers: Sequence[str]) -> dict[str, Column]:
    """Return the columns that are understood by role; the first of several that mean the same."""
    found: dict[str, Column] = {}
    for number, header in enumerate(headers):
        if column := _column_of(header, number):
            found.setdefault(column.role, column)
    return found


def missing_columns(roles: Collection[str]) -> list[str]:
    """Return which roles are needed and not among these."""
    timed = [] if "frame" in roles or "time" in roles else ["frame or time"]
    return [role for role in ("id", "x", "y") if role not in roles] + timed


def _column_of(header: str, number: int) -> Column | None:
    """Return what a column means by its name, or None for one that is of no use here."""
    text = header.strip().strip("\"'").lower()
    if role := _ROLE_OF.get(_normalize(text)):
        return Column(role, number, 1.0, said=False)
    # jpscore's ANGLE is the way its ellipse faces, in degrees; elsewhere an angle could be anything.
    if _normalize(text) == "angle":
        return Column("heading", number, np.pi / 180, said=True)
    if (found := _WITH_UNIT.fullmatch(text)) and (role := _ROLE_OF.get(_normalize(found["stem"]))):
        factor = UNITS.get(role, {}).get(found["unit"])
        return None if factor is None else Column(role, number, factor, said=True)
    return None


def _normalize(text: str) -> str:
    return re.sub(r"[\s_\-.]", "", text)


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
    said: dict[str, str] = {}
    unit = columns = None
    for line in lines:
        for what, pattern in _SAID.items():
            if found := pattern.search(line):
                said.setdefault(what, found[1])
        if _CENTIMETRES.search(line):
            unit = 0.01
        elif _METRES.search(line):
            unit = 1.0
        named = columns_of(line.lstrip("# \t").split())
        if {"id", "frame", "x", "y"} <= named.keys():
            columns = named
            if named["x"].said:
                unit = named["x"].factor
    return Comments(
        rate=float(said["rate"]) if "rate" in said else None,
        start=float(said["start"]) if "start" in said else None,
        geometry=check_area(said["geometry"].strip(), path) if "geometry" in said else None,
        unit=unit,
        columns=columns,
    )
