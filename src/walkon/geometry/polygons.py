"""Polygons on the floor, over Shapely: which points are inside, how far away the edge is.

A ring listed counter-clockwise is solid, a clockwise one encloses (a wall around the stage): `signed_area` tells them
apart, `polygon` accepts either and returns a valid Shapely polygon with its shell counter-clockwise. Points are [N, 2]
metres; every function takes all its points at once.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from threading import RLock
from typing import Any, ParamSpec, TypeVar

import numpy as np
import shapely  # type: ignore[import-untyped]
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, lock_array
from walkon._base.errors import InvalidValue

__all__ = ["contains", "distances", "grow", "one_thread_at_a_time", "polygon", "polygons", "signed_area"]

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

QUARTER_CHORD_COUNT = 16
"""Chords per quarter turn of a rounded corner: a corner grown by 0.3 m is off by at most 0.4 mm."""


_geos_lock = RLock()


def one_thread_at_a_time(ask: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Let one thread at a time ask prepared geometries and trees: GEOS builds them at their first use, unguarded."""

    @wraps(ask)
    def ask_alone(*given: Given.args, **options: Given.kwargs) -> Answer:
        with _geos_lock:
            return ask(*given, **options)

    return ask_alone


def polygon(ring: ArrayLike) -> shapely.Polygon:
    """Return a valid polygon, counter-clockwise, from a ring [K, 2] (closed or not)."""
    shell = lock_array(ring, (None, 2), name="ring")
    if len(np.unique(shell, axis=0)) < 3:
        raise InvalidValue(f"a polygon needs three different corners, got {len(np.unique(shell, axis=0))}")
    made = shapely.Polygon(shell)
    if not made.is_valid or made.area == 0:
        reason = shapely.is_valid_reason(made) if not made.is_valid else "its area is zero"
        raise InvalidValue(f"a polygon must not cross itself ({reason}); list its corners once around")
    return shapely.orient_polygons(made)


def polygons(rings: Sequence[Array]) -> Any:
    """Return `polygon` of many rings [K, 2] at once, an object array."""
    if not len(rings):
        return np.zeros(0, dtype=object)
    rows = np.repeat(np.arange(len(rings)), [len(ring) for ring in rings])
    made = shapely.polygons(shapely.linearrings(np.concatenate(rings), indices=rows))
    for wrong in np.flatnonzero(~shapely.is_valid(made) | (shapely.area(made) == 0)).tolist():
        polygon(rings[wrong])  # which says what is wrong with it
    return shapely.orient_polygons(made)


def signed_area(ring: ArrayLike) -> float:
    """Return the area of a ring [K, 2] in m²: positive where counter-clockwise (solid), negative where clockwise."""
    points = lock_array(ring, (None, 2), name="ring")
    x, y = (points - points[:1]).T  # near the origin, so that far-away rings lose no digits
    return float(0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


@one_thread_at_a_time
def contains(area: shapely.Geometry, points: ArrayLike) -> BoolArray:
    """Return [N] which points lie inside the area or on its edge."""
    places = lock_array(points, (None, 2), name="points")
    shapely.prepare(area)
    return np.asarray(shapely.intersects_xy(area, places[:, 0], places[:, 1]), dtype=bool)


@one_thread_at_a_time
def distances(area: shapely.Geometry, points: ArrayLike) -> Array:
    """Return [N] metres from the points to the edge of the area, negative inside."""
    places = lock_array(points, (None, 2), name="points")
    edge = shapely.boundary(area)
    shapely.prepare(edge)
    away = shapely.distance(shapely.points(places), edge)
    return np.asarray(np.where(contains(area, places), -away, away), dtype=np.float64)


def grow(area: shapely.Geometry, distance: float) -> Any:
    """Return the area grown by `distance` metres with rounded corners, or shrunk where negative (it may become empty).

    The walkable area shrunk by a radius is where the centre of a disc of that radius may be. Arcs are drawn by chords
    inside the true arc.
    """
    if not np.isfinite(distance):
        raise InvalidValue(f"an area grows by a finite distance, got {distance} m")
    return shapely.buffer(area, distance, quad_segs=QUARTER_CHORD_COUNT)
