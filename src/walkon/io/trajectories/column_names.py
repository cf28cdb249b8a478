"""What the columns of a table of trajectories mean, told by their names: `ped_id`, `x/cm`, `Time [s]`, `heading_deg`.

Upper and lower case, spaces, underscores and hyphens make no difference. A unit may stand at the end, after a slash, an
underscore, a space or in brackets; without one, lengths are metres, times seconds and angles radians.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

__all__ = ["Column", "column_of", "columns_of"]

ROLES = {
    "id": "id ped pedid pedestrian pedestrianid agent agentid person personid persid pid track trackid trajectoryid",
    "name": "name label",
    "frame": "frame fr frameid frameno frameindex framenumber",
    "time": "time t seconds simtime simulationtime timestamp",
    "x": "x posx xpos positionx centerx",
    "y": "y posy ypos positiony centery",
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
UNITS["y"] = UNITS["x"]

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


def column_of(header: str, number: int) -> Column | None:
    """Return what a column means by its name, or None for one that is of no use here."""
    text = header.strip().strip("\"'").lower()
    if role := _ROLE_OF.get(_plain(text)):
        return Column(role, number, 1.0, said=False)
    # jpscore's ANGLE is the way its ellipse faces, in degrees; elsewhere an angle could be anything.
    if _plain(text) == "angle":
        return Column("heading", number, np.pi / 180, said=True)
    if (found := _WITH_UNIT.fullmatch(text)) and (role := _ROLE_OF.get(_plain(found["stem"]))):
        factor = UNITS.get(role, {}).get(found["unit"])
        return None if factor is None else Column(role, number, factor, said=True)
    return None


def columns_of(headers: Sequence[str]) -> dict[str, Column]:
    """Return the columns that are understood by role; the first of several that mean the same."""
    found: dict[str, Column] = {}
    for number, header in enumerate(headers):
        if column := column_of(header, number):
            found.setdefault(column.role, column)
    return found


def _plain(text: str) -> str:
    return re.sub(r"[\s_\-.]", "", text)
