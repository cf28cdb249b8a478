"""Where people stand who come in through a door: in its line, or just inside where walls are near; facing in."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue, UnknownName
from walkon.stage.free_space import FreeSpace
from walkon.stage.stage import Door, Seat, Stage

__all__ = ["door_places", "find_named"]

Named = TypeVar("Named", Door, Seat)

WALL_GAP_M = 0.3
"""m from walls at which people come in."""
SIDE_BY_SIDE_M = 0.6
"""m between people who come in side by side."""
TRIED_INSIDE_M = np.arange(0.0, 1.01, 0.05)
"""m from the door's line that are tried."""


def find_named(kind: str, things: Sequence[Named], name: str) -> Named:
    """Return a door or a seat by name."""
    UnknownName.check(kind, name, [thing.name for thing in things])
    return next(thing for thing in things if thing.name == name)


def door_places(stage: Stage, door: Door, *, count: int = 1, goal: ArrayLike | None = None) -> Array:
    """Return (x, y, heading) [count, 3] of people side by side in a door.

    The bounds say which side of it is inside, or `goal` [2] where these do not.
    """
    along = door.ends[1] - door.ends[0]
    width = float(np.linalg.norm(along))
    most = max(1, int((width - 2 * WALL_GAP_M) / SIDE_BY_SIDE_M + 1 + 1e-9))
    if count > most:
        raise InvalidValue(
            f"door {door.name!r} is {width:.3g} m wide, too narrow for {count} people at once; let them enter one "
            "after another with 'every: 1s'"
        )
    along = along / width
    offsets = SIDE_BY_SIDE_M * (np.arange(count) - (count - 1) / 2)
    line = door.ends.mean(axis=0) + offsets[:, None] * along
    inward = _inward(stage, door, np.array([-along[1], along[0]]), goal)
    rows = line[None] + TRIED_INSIDE_M[:, None, None] * inward
    free = FreeSpace.of(stage).nearest(rows)[0].reshape(len(TRIED_INSIDE_M), count) >= WALL_GAP_M
    step = np.where(free.any(axis=0), free.argmax(axis=0), 0)
    places = rows[step, np.arange(count)]
    return np.column_stack([places, np.full(count, np.arctan2(inward[1], inward[0]) + 0.0)])


def _inward(stage: Stage, door: Door, normal: Array, goal: ArrayLike | None) -> Array:
    middle = door.ends.mean(axis=0)
    room = FreeSpace.of(stage).nearest(middle + 0.6 * np.array([normal, -normal]))[0]
    if stage.bounds is not None and (room[0] > 0) != (room[1] > 0):
        return normal if room[0] > 0 else -normal
    centre = goal if goal is not None or stage.bounds is None else stage.bounds.mean(axis=0)
    return normal if centre is None or normal @ (np.asarray(centre, float) - middle) >= 0 else -normal
