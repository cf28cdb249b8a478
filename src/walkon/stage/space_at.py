"""The free space of one moment: what stands still, shared by all moments, and what moves, where it is then.

Distances, names, lines of sight and who covers whom are asked of both parts, and the nearer or stricter answer counts:
nothing is made anew for the part that stands still, however large its grid. The signed distance to a union is exactly
the smaller one outside of both; inside of two that overlap it is the deeper one, which is no deeper than the union's.

Areas (`area`, `edges`, `walls`, `parts`, `room`) are cut out of the still ones by the few polygons that move, when they
are asked for; only `grid`, which kernels of planners read, is measured all over. Metres.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely  # type: ignore[import-untyped]
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.stage.free_space import FreeSpace
from walkon.stage.stage import Obstacle, Stage

__all__ = ["SpaceAt"]


@dataclass(frozen=True, eq=False)
class SpaceAt(FreeSpace):
    """Where the middle of a disc of some radius may be at one moment; `stage` is frozen then. Made by `FreeSpace.at`.

    Rows of `solids` are those that stand still, then those that move.
    """

    standing: FreeSpace
    """What stands still."""
    movers: FreeSpace
    """What moves, alone on an endless floor, where it is at that moment."""

    @classmethod
    def of_moment(cls, standing: FreeSpace, time: float) -> "SpaceAt":
        """Return the space at a time (s) of which this one is the part that stands still."""
        then = Stage(floor=standing.stage.floor, obstacles=tuple(one.at(time) for one in standing.stage.moving))
        return cls(standing.stage.at(time), standing.radius, {}, standing, FreeSpace.of(then, radius=standing.radius))

    @property
    def solids(self) -> tuple[Obstacle, ...]:
        """The obstacles that one walks around, neither under nor over them."""
        return (*self.standing.solids, *self.movers.solids)

    @property
    def solid_polygons(self) -> Any:
        """[S] Shapely polygons of `solids`, object array."""
        return np.concatenate([self.standing.solid_polygons, self.movers.solid_polygons])

    def _walkable(self) -> Any:
        before = self._floor if self.standing.is_open else self.standing.area
        return self._require_some(self.movers.less_covered(before))

    @property
    def room(self) -> Any:
        """Where the middle of the disc fits, corners rounded, a Shapely geometry; None: everywhere."""
        before, moving = self.standing.room, self.movers.room
        if before is None or moving is None:
            return before if moving is None else moving
        return shapely.intersection(before, moving)

    def distance(self, points: ArrayLike) -> Array:
        """Return [...] m from points to the nearest wall, negative inside it: off the grid; to what moves, exactly."""
        still = self.standing.distance(points)
        return np.minimum(still, self.movers.nearest(points)[0].reshape(still.shape))

    def sees(self, starts: ArrayLike, ends: ArrayLike, *, radius: float = 0.0) -> BoolArray:
        """Return [K] whether a disc can go straight from starts to ends without touching a wall."""
        clear = self.standing.sees(starts, ends, radius=radius)
        return clear & self.movers.sees(starts, ends, radius=radius)

    def covering(self, points: ArrayLike) -> list[list[int]]:
        """Return for each of the points which of the `solids` it lies in."""
        first = len(self.standing.solids)
        both = zip(self.standing.covering(points), self.movers.covering(points), strict=True)
        return [[*still, *(first + row for row in moving)] for still, moving in both]

    def solids_near(self, points: ArrayLike, *, within: float) -> tuple[IntArray, IntArray]:
        """Return pairs (rows of points, rows of `solids`) that are within a distance (m) of each other."""
        still, moving = (part.solids_near(points, within=within) for part in (self.standing, self.movers))
        return np.concatenate([still[0], moving[0]]), np.concatenate([still[1], moving[1] + len(self.standing.solids)])

    def _nearest_rows(self, points: ArrayLike) -> tuple[Array, IntArray]:
        """Return [K] m from points to what is nearest, and which of the `solids` it is, or EDGE, or NOTHING."""
        (still, rows), (moving, others) = self.standing._nearest_rows(points), self.movers._nearest_rows(points)
        closer = moving < still
        return np.where(closer, moving, still), np.where(closer, others + len(self.standing.solids), rows)
