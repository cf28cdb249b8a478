"""Storeys: what of a stage is on the floor that somebody walks on, where floors lie above each other.

A storey has no number. Somebody who goes straight from where it stands to a place is there at the height that
`Floor.follow` gives: each step's floor is the nearest to the one before. An obstacle is in its way if at that height it
is neither walked under nor over (`HEADROOM_M`, `STEP_OVER_M` of `stage`): what stands on the road under a bridge blocks
nobody on its deck, and the deck's railing nobody on the road. World frame, metres.
"""

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from walkon._base.arrays import Array, BoolArray
from walkon.stage.floor import Floor
from walkon.stage.footing import MAX_CLIMB_M, points_along
from walkon.stage.stage import Obstacle, Stage

__all__ = ["follow_path", "stage_of"]

LOOK_STEP_M = 0.25
"""m between two looks at the floor along a way."""

_KEPT: WeakKeyDictionary[Stage, dict[bytes, Stage]] = WeakKeyDictionary()


def follow_path(floor: Floor, path: Array, near: float) -> Array:
    """Return places [K, 3] along a path [P, 2] that begins on the floor nearest to a height (m; NaN: the highest)."""
    points, _ = points_along(path[:-1], path[1:], apart=LOOK_STEP_M)
    points = np.concatenate([points, path[-1:]])
    return np.column_stack([points, floor.follow(points, np.zeros(1, np.int64), np.array([near]))])


def stage_of(stage: Stage, stands: Array) -> Stage:
    """Return the stage with those obstacles only that are in the way of somebody who stands at places [K, 3] m.

    A z of NaN is the highest floor. The same obstacles are the same stage; where no floors lie above each other, it is
    the stage itself. What moves stays.
    """
    if not (stage.floor.is_layered and stage.still):
        return stage
    solid = _are_in_the_way(stage, stands)
    kept = _KEPT.setdefault(stage, {})
    key = solid.tobytes()
    if key not in kept:
        away = {id(one) for one, stays in zip(stage.still, solid, strict=True) if not stays}
        kept[key] = replace(stage, obstacles=tuple(one for one in stage.obstacles if id(one) not in away))
    return kept[key]


def _are_in_the_way(stage: Stage, stands: Array) -> BoolArray:
    """Say which of the obstacles that stand still [S] are in the way of who stands at places [K, 3].

    Each is followed from there to its middle and along its outline: it may be in the way at one end only.
    """
    found = [_is_in_the_way(stage, one, stands) for one in stage.still]
    return np.array(found)


def _is_in_the_way(stage: Stage, one: Obstacle, stands: Array) -> bool:
    middle = one.polygon.mean(axis=0)
    ring = np.concatenate([middle[None], one.polygon, one.polygon[:1]])
    around, _ = points_along(ring[:-1], ring[1:], apart=LOOK_STEP_M)
    lines = [points_along(stand[None, :2], middle[None], apart=LOOK_STEP_M)[0] for stand in stands]
    runs = [np.concatenate([line, around]) for line in lines]
    counts = np.array([len(run) for run in runs])
    heights = stage.floor.follow(np.concatenate(runs), np.cumsum(counts) - counts, stands[:, 2])
    at = (np.cumsum(counts) - len(around))[:, None] + np.arange(len(around))
    lows = heights[at]
    # Past the edge of a deck its outline is over another floor.
    leaps = np.diff(lows, axis=1, prepend=lows[:, :1])
    beside = np.abs(np.cumsum(np.where(np.abs(leaps) > MAX_CLIMB_M, leaps, 0.0), axis=1)) < MAX_CLIMB_M
    return bool((stage.blocks_at(lows, one.base, one.height) & beside).any())
