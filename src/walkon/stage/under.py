"""The floor under a polygon: heights along its outline and inside it, on the floor on which it stands.

The outline is followed from the corner nearest to a height: each look's floor is the nearest to the one before. Where
floors lie above each other, what is past the edge of a deck is on another floor and is left out; where they do not, a
cliff is part of the one floor that there is. World frame, metres.
"""

import numpy as np
import shapely  # type: ignore[import-untyped]
from scipy.spatial import cKDTree

from walkon._base.arrays import Array
from walkon.geometry.polygons import polygon as shape_of
from walkon.stage.floor import Floor
from walkon.stage.footing import MAX_CLIMB_M, points_along

__all__ = ["heights_under"]

LOOK_STEP_M = 0.25
"""m between two looks along an outline."""
INNER_STEP_M = 0.5
"""m between two looks inside, at least; at most `MAX_INNER_COUNT` looks."""
MAX_INNER_COUNT = 2500


def heights_under(floor: Floor, polygon: Array, *, near: float = np.nan) -> Array:
    """Return heights [n] m of the floor under a polygon [K, 2], of several the nearest to `near` (NaN: the highest).

    Empty where there is no floor under it.
    """
    if floor.level is not None:
        return np.array([floor.level])
    corners = floor(polygon, near=near).heights
    if np.isfinite(corners).any():
        away = np.abs(corners - near) if np.isfinite(near) else -corners
        polygon = np.roll(polygon, -int(np.nanargmin(away)), axis=0)
    outline, _ = points_along(polygon, np.roll(polygon, -1, axis=0), apart=LOOK_STEP_M)
    followed = floor.follow(outline, np.zeros(1, np.int64), np.array([near]))
    there = np.isfinite(floor(outline, near=followed).heights)
    if floor.is_layered:
        leaps = np.diff(followed, prepend=followed[:1])
        there &= np.abs(np.cumsum(np.where(np.abs(leaps) > MAX_CLIMB_M, leaps, 0.0))) < MAX_CLIMB_M
    inner = _inside(polygon)
    if not there.any():
        found = floor(inner, near=near).heights
        return np.asarray(found[np.isfinite(found)])
    if not len(inner):
        return np.asarray(followed[there])
    _, nearest = cKDTree(outline[there]).query(inner)
    beside = followed[there][nearest]
    found = floor(inner, near=beside).heights
    kept = np.isfinite(found)
    if floor.is_layered:
        # A hill rises by no more than people can climb, from the outline on.
        kept &= np.abs(found - beside) < np.maximum(
            MAX_CLIMB_M, np.linalg.norm(inner - outline[there][nearest], axis=1)
        )
    return np.concatenate([followed[there], found[kept]])


def _inside(polygon: Array) -> Array:
    """Return places [n, 2] inside a polygon on a grid."""
    low, size = polygon.min(axis=0), np.ptp(polygon, axis=0)
    step = max(INNER_STEP_M, float(np.sqrt(np.prod(size) / MAX_INNER_COUNT)))
    x, y = (a + step * (np.arange(int(b // step)) + 0.5) for a, b in zip(low, size, strict=True))
    points = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    within = shapely.contains_xy(shape_of(polygon), points[:, 0], points[:, 1])
    return np.asarray(points[within])
