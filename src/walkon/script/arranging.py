"""Arrangements: where a number of people stand, as a grid, on a circle, anywhere in a region, or as letters.

Every function returns ground points [N, 2] in metres, in a fixed order. `assigned` says who goes to which of them.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue, UnknownName
from walkon.geometry import polygons

__all__ = ["ASSIGNMENTS", "assigned", "in_circle", "in_grid", "in_region", "in_row"]

ASSIGNMENTS = ("order", "nearest", "shuffled")
"""Who goes where: first to first; so that all ways together are shortest; by lot."""
MOST_NEAREST = 2000
"""People beyond whom the shortest ways of all together take too long to find."""
ROUNDS = 400
"""Draws of candidates before a region counts as full."""


def in_grid(columns: int, rows: int, *, spacing: float | tuple[float, float], centre: ArrayLike = (0.0, 0.0)) -> Array:
    """Return places row by row from the corner with the smallest x and y; `spacing` m along x and y, or both."""
    if columns < 1 or rows < 1:
        raise InvalidValue(f"a grid has one or more columns and rows, got {columns} and {rows}")
    dx, dy = spacing if isinstance(spacing, tuple) else (spacing, spacing)
    _over_zero(min(dx, dy), "the spacing of a grid")
    x = (np.arange(columns) - (columns - 1) / 2) * dx
    y = (np.arange(rows) - (rows - 1) / 2) * dy
    return np.stack([np.tile(x, rows), np.repeat(y, columns)], axis=-1) + np.asarray(centre, dtype=np.float64)


def in_circle(count: int, *, radius: float, centre: ArrayLike = (0.0, 0.0), first: float = 0.0) -> Array:
    """Return `count` even places on a circle, counter-clockwise from the angle `first`."""
    _over_zero(radius, "the radius of a circle")
    turns = first + 2 * np.pi * np.arange(count) / max(count, 1)
    return np.asarray(centre, dtype=np.float64) + radius * np.stack([np.cos(turns), np.sin(turns)], axis=-1)


def in_row(count: int, *, start: ArrayLike, spacing: float, along: float) -> Array:
    """Return `count` places from `start` on, `spacing` m apart in the direction `along`."""
    _over_zero(spacing, "the spacing of a row")
    steps = spacing * np.arange(count)[:, None]
    return np.asarray(start, dtype=np.float64) + steps * np.array([np.cos(along), np.sin(along)])


def in_region(area: Any, *, count: int, apart: float, generator: np.random.Generator, taken: ArrayLike = ()) -> Array:
    """Return `count` places drawn evenly from a Shapely area, no two nearer than `apart` m, nor to places `taken`.

    Candidates are drawn by rounds; one stays unless an earlier one, of this or another round, is too near.
    """
    from scipy.spatial import KDTree

    _over_zero(apart, "the distance of people in a region")
    if area.is_empty or area.area <= 0:
        raise InvalidValue("the region has no free floor; make it larger or move it out of the obstacles")
    low, high = np.array(area.bounds[:2]), np.array(area.bounds[2:])
    share = max(area.area / max(float(np.prod(high - low)), 1e-12), 1e-3)
    before = np.asarray(taken, dtype=np.float64).reshape(-1, 2)
    kept = before
    for _ in range(ROUNDS):
        wanted = count + len(before) - len(kept)
        if wanted <= 0:
            break
        drawn = generator.uniform(low, high, size=(min(int(2 * wanted / share) + 64, 200_000), 2))
        drawn = drawn[polygons.contains(area, drawn)]
        if len(kept):
            drawn = drawn[KDTree(kept).query(drawn, distance_upper_bound=apart)[0] > apart]
        pairs = KDTree(drawn).query_pairs(apart, output_type="ndarray") if len(drawn) else np.zeros((0, 2), int)
        alone = np.ones(len(drawn), dtype=bool)
        alone[pairs.max(axis=1)] = False
        kept = np.concatenate([kept, drawn[alone][:wanted]])
    if len(kept) < count + len(before):
        raise InvalidValue(
            f"only {len(kept) - len(before)} of {count} people find a place {apart:g} m apart in {area.area:.3g} m² of "
            "free floor; make the region larger or the distance smaller"
        )
    return kept[len(before) :]


def assigned(places: ArrayLike, *, to: ArrayLike, how: str = "order", generator: np.random.Generator) -> IntArray:
    """Return [N] the index of the goal for each of N people: one of `ASSIGNMENTS`; there may be more goals than people.

    `nearest` makes the sum of squared distances smallest (ways then seldom cross).
    """
    starts, goals = np.atleast_2d(np.asarray(places, float)), np.atleast_2d(np.asarray(to, float))
    if how not in ASSIGNMENTS:
        raise UnknownName.among("assignment", how, ASSIGNMENTS)
    if len(goals) < len(starts):
        raise InvalidValue(f"{len(starts)} people cannot have {len(goals)} places; give more places or fewer people")
    if how == "shuffled":
        return generator.permutation(len(goals))[: len(starts)]
    if how == "order":
        return np.arange(len(starts))
    if len(goals) > MOST_NEAREST:
        raise InvalidValue(
            f"assign: nearest is for up to {MOST_NEAREST} places, got {len(goals)}; assign by order, or in more groups"
        )
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    return np.asarray(linear_sum_assignment(cdist(starts, goals, "sqeuclidean"))[1])


def _over_zero(value: float, what: str) -> None:
    if not (np.isfinite(value) and value > 0):
        raise InvalidValue(f"{what} must be over 0 m, got {value:g} m")
