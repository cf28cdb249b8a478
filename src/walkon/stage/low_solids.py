"""Furniture, solids that end below the elbows: only hips and legs have to pass them, which are narrower than shoulders.

Where the middle of a body may be is bounded by a disc as wide as its shoulders and arms. What is lower than
`LOW_SOLID_M` meets its hips and legs only, so for planning its footprint is drawn in by `LEGS_NARROWER_M`: one radius
then serves walls and furniture, and between rows of chairs 0.95 m apart there is a way. What vanishes when it is drawn
in (a rope, a railing) stays as it is. Low solids under the hips of who sits are what it sits on (`sat_on`).

World frame, metres.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, BoolArray
from walkon.stage.stage import Obstacle, Stage

__all__ = ["LEGS_NARROWER_M", "LOW_SOLID_M", "are_beside_arms", "are_low", "draw_in", "sat_on"]

HANDS_M = 0.55
"""m above the floor below which the arms of who walks do not reach: 0.68 m, and less where it slopes."""

LOW_SOLID_M = 0.95
"""m above what it stands on up to which a solid is furniture: below the elbows of whoever goes past."""
LEGS_NARROWER_M = 0.045
"""m by which the hips and legs of who walks reach less far aside than its shoulders and arms: 0.20 m of 0.245 m in the
walks of the built-in performer."""
HIGHEST_SEAT_M = 0.62
"""m above its floor up to which one sits on a solid: a bar stool is climbed, not sat down on."""


def are_low(stage: Stage, obstacles: Sequence[Obstacle]) -> BoolArray:
    """Say which obstacles [K] of a stage end below the elbows of who walks past."""
    return _tops(stage, obstacles) <= LOW_SOLID_M


def are_beside_arms(stage: Stage, obstacles: Sequence[Obstacle]) -> BoolArray:
    """Say which obstacles [K] of a stage are as high as hands that hang, and no part of a seat."""
    return (_tops(stage, obstacles) > HANDS_M) & np.array([not one.seat for one in obstacles], bool)


def draw_in(low: Any) -> Any:
    """Return low footprints (Shapely polygons [K]) as one geometry, each connected part drawn in by what legs spare."""
    parts = shapely.get_parts(shapely.union_all(low))
    small = shapely.buffer(parts, -LEGS_NARROWER_M, join_style="mitre")
    return shapely.union_all(np.where(shapely.is_empty(small), parts, small))


def sat_on(stage: Stage, obstacles: Sequence[Obstacle]) -> BoolArray:
    """Say [K] whether somebody whose hips are above an obstacle of a stage sits on it."""
    return _tops(stage, obstacles) <= HIGHEST_SEAT_M


def _tops(stage: Stage, obstacles: Sequence[Obstacle]) -> Array:
    """Return how high obstacles [K] reach above the floor under them, m."""
    if not obstacles:
        return np.zeros(0)
    middles = np.array([0.5 * (one.polygon.min(axis=0) + one.polygon.max(axis=0)) for one in obstacles])
    bases, tops = (np.array([getattr(one, name) for one in obstacles]) for name in ("base", "height"))
    return tops - stage.floor_under(middles, near=bases)
