"""Standing room: where on a stage somebody of some radius can be, as a Shapely area.

Obstacles that one walks under or over (`Obstacle.is_solid`) do not count. The
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

__all__ = ["blocked", "clearances", "covering", "furniture", "in_the_way", "standing_room"]

UNDER = 0.02
"""m by which a solid may be higher than the seat that stands on it."""


def in_the_way(stage: Stage) -> tuple[Obstacle, ...]:
    """Return the obstacles that one walks around."""
    return tuple(o for o in stage.obstacles if o.is_solid)


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
    solid = in_the_way(stage)
    under = set(covering(stage, seat.place[None, :2])[0])
    return frozenset(i for i, obstacle in enumerate(solid) if _belongs(obstacle, seat, under=i in under))


def blocked(stage: Stage, seat: Seat, *, under: Collection[int]) -> str:
    """Return the name of what one would sit inside of on a seat, if anything; `under` it are these of `in_the_way`."""
    solid = in_the_way(stage)
    others = [i for i in under if not _belongs(solid[i], seat, under=True)]
    return _name(solid[others[0]], others[0]) if others else ""


def covering(stage: Stage, points: ArrayLike) -> list[list[int]]:
    """Return for each of the points [N, 2] which of `in_the_way` it lies in."""
    places = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    tree = shapely.STRtree([polygons.polygon(o.polygon) for o in in_the_way(stage)])
    found: list[list[int]] = [[] for _ in places]
    for point, obstacle in sorted(tree.query(shapely.points(places), predicate="within").T.tolist()):
        found[point].append(obstacle)
    return found


def _belongs(obstacle: Obstacle, seat: Seat, *, under: bool) -> bool:
    named = bool(seat.name) and obstacle.name.startswith(f"{seat.name}.")
    return named or (under and obstacle.height <= seat.height + UNDER)


def _name(obstacle: Obstacle, index: int) -> str:
    return f"obstacle {obstacle.name!r}" if obstacle.name else f"obstacle {index + 1}"


def clearances(stage: Stage, points: ArrayLike) -> tuple[Array, list[str]]:
    """Return [N] metres from points [N, 2] to what is nearest in the way (negative inside), and the names of that."""
    places = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    nearest = np.full(len(places), np.inf)
    names = np.full(len(places), "", dtype=object)

    def note(away: Array, name: str) -> None:
        closer = away < nearest
        nearest[closer] = away[closer]
        names[closer] = name

    if stage.bounds is not None:
        note(-polygons.distances(polygons.polygon(stage.bounds), places), "the edge")
    for i, obstacle in enumerate(in_the_way(stage)):
        low, high = obstacle.polygon.min(axis=0), obstacle.polygon.max(axis=0)
        apart = np.linalg.norm(np.maximum(np.maximum(low - places, places - high), 0.0), axis=1)
        near = np.flatnonzero(apart < nearest)  # the box around it is farther than what is known: so is the obstacle
        away = np.full(len(places), np.inf)
        if len(near):
            away[near] = polygons.distances(polygons.polygon(obstacle.polygon), places[near])
        note(away, _name(obstacle, i))
    return nearest, [str(name) for name in names]
