"""Standing room: where on a stage somebody of some radius can be, as a Shapely area.

Obstacles that one walks under (their underside above `HEADROOM`) or over (no higher than `STEP_OVER`) do not count. The
furniture of a seat is in nobody's way who sits on it: obstacles named after the seat (`a_1.chair`), and solids no
higher than its top that reach under it.
"""

from collections.abc import Collection
from typing import Any

import numpy as np
import shapely  # type: ignore[import-untyped]
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon.geometry import polygons
from walkon.stage import Obstacle, Seat, Stage

__all__ = ["clearances", "furniture", "in_the_way", "standing_room"]

HEADROOM, STEP_OVER = 2.1, 0.05
"""m: obstacles whose underside is higher are walked under; ones that are no higher are walked over."""
UNDER = 0.02
"""m by which a solid may be higher than the seat that stands on it."""


def in_the_way(stage: Stage) -> tuple[Obstacle, ...]:
    """Return the obstacles that one walks around."""
    return tuple(o for o in stage.obstacles if o.base < HEADROOM and o.height > STEP_OVER)


def standing_room(stage: Stage, *, radius: float) -> Any:
    """Return where the centre of a disc of this radius can be; None on an endless stage without obstacles."""
    solid = [polygons.grown(polygons.polygon(o.polygon), radius) for o in in_the_way(stage)]
    if stage.bounds is None:
        if not solid:
            return None
        everywhere = shapely.box(-1e6, -1e6, 1e6, 1e6)
        return shapely.difference(everywhere, shapely.union_all(solid))
    room = polygons.grown(polygons.polygon(stage.bounds), -radius)
    return shapely.difference(room, shapely.union_all(solid)) if solid else room


def furniture(stage: Stage, seat: Seat) -> frozenset[int]:
    """Return which of `in_the_way` are this seat's own furniture."""
    place = shapely.Point(seat.place[:2])
    own = set()
    for i, obstacle in enumerate(in_the_way(stage)):
        named = bool(seat.name) and obstacle.name.startswith(f"{seat.name}.")
        if named or (obstacle.height <= seat.height + UNDER and polygons.polygon(obstacle.polygon).covers(place)):
            own.add(i)
    return frozenset(own)


def clearances(stage: Stage, points: ArrayLike, *, without: Collection[int] = ()) -> tuple[Array, list[str]]:
    """Return [N] metres from points [N, 2] to what is nearest in the way (negative inside), and the names of that.

    `without` are obstacles, counted as in `in_the_way`, that are left out.
    """
    places = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    nearest = np.full(len(places), np.inf)
    names = np.full(len(places), "", dtype=object)
    things = [] if stage.bounds is None else [(-polygons.distances(polygons.polygon(stage.bounds), places), "the edge")]
    for i, obstacle in enumerate(in_the_way(stage)):
        if i in without:
            continue
        low, high = obstacle.polygon.min(axis=0), obstacle.polygon.max(axis=0)
        apart = np.linalg.norm(np.maximum(np.maximum(low - places, places - high), 0.0), axis=1)
        near = np.flatnonzero(apart < nearest)  # the box around it is farther than what is known: so is the obstacle
        away = np.full(len(places), np.inf)
        if len(near):
            away[near] = polygons.distances(polygons.polygon(obstacle.polygon), places[near])
        things.append((away, f"obstacle {obstacle.name!r}" if obstacle.name else f"obstacle {i + 1}"))
    for away, name in things:
        closer = away < nearest
        nearest = np.where(closer, away, nearest)
        names[closer] = name
    return nearest, [str(name) for name in names]
