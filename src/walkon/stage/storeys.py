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
from walkon.stage.footing import points_along
from walkon.stage.stage import Stage

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
    """Say which of the obstacles that stand still [S] are in the way of who stands at places [K, 3]."""
    middles = np.array([one.polygon.mean(axis=0) for one in stage.still])
    bases, tops = (np.array([getattr(one, name) for one in stage.still]) for name in ("base", "height"))
    starts = np.repeat(stands, len(middles), axis=0)
    points, begins = points_along(starts[:, :2], np.tile(middles, (len(stands), 1)), apart=LOOK_STEP_M, ends=True)
    heights = stage.floor.follow(points, begins, starts[:, 2])
    lows = heights[np.append(begins[1:], len(points)) - 1].reshape(len(stands), -1)
    return np.asarray(stage.blocks_at(lows, bases, tops).any(axis=0))
