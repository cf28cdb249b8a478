"""Configuration space of a disc: its connected components on the floor, and how to get there from outside of them.

The walkable area shrunk by a distance is where a disc of that radius fits (Minkowski difference). Shapely draws the
arcs around corners by chords inside the arc, which come nearer to the corner by d (1 − cos(π / 4q)) with q chords per
quarter turn; the area is shrunk by that much more, so that *every line within free space keeps `need`*, its rims too,
and passages up to 7 mm (for q = 4) wider than needed count as closed. Two places are connected exactly where they lie
in one part: no search is needed to say that there is no way.

A place may be outside: a seat is nearer to its back than a body's radius, a chair is an obstacle. `leave` gives the
shortest way into free space, through no wall, or straight ahead where a heading is given and there is room. Metres.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.geometry.polygons import one_thread_at_a_time
from walkon.stage.walls import Walls, are_clear

__all__ = ["MAX_EXIT_M", "FreeParts", "shrink"]

QUARTER_CHORD_COUNT = 4
"""Chords per quarter turn around corners of free space."""
ROUNDING_SPARE_M = 0.001
"""m between what free space keeps and what is needed, so that rounding errors block nothing."""
MIN_PART_M2 = 0.05
"""m²: smaller parts are gaps between furniture, not places to go."""
MAX_EXIT_M = 1.25
"""m up to which another way out than the shortest is looked for."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FreeParts:
    """Connected parts of the floor in which a body may be anywhere."""

    need: float
    """m between its middle and every wall, at least."""
    area: Any
    """The walkable area itself, a Shapely geometry."""
    parts: Any
    """[P] Shapely polygons with holes, object array."""
    tree: Any
    """Their `shapely.STRtree`."""

    @classmethod
    def of(cls, area: Any, *, need: float) -> "FreeParts":
        """Shrink a walkable area."""
        kept = need / np.cos(np.pi / (4 * QUARTER_CHORD_COUNT)) + ROUNDING_SPARE_M
        parts = shapely.get_parts(shrink(area, kept, rounding=QUARTER_CHORD_COUNT))
        parts = parts[shapely.area(parts) > MIN_PART_M2]
        shapely.prepare(parts)
        shapely.prepare(area)
        return cls(need=need, area=area, parts=parts, tree=shapely.STRtree(parts))

    @one_thread_at_a_time
    def part_of(self, points: Array) -> IntArray:
        """Return [N] the part each point [N, 2] is in, or that is nearest; −1 where there is no free space at all."""
        if not len(self.parts):
            return np.full(len(points), -1)
        return np.asarray(self.tree.nearest(shapely.points(points)), np.int64)

    @one_thread_at_a_time
    def holds(self, points: Array, part: IntArray) -> BoolArray:
        """Return [N] whether points are inside the parts of these numbers; −1: none."""
        if not len(self.parts):
            return np.zeros(len(points), np.bool_)
        return np.asarray((part >= 0) & shapely.intersects_xy(self.parts[part], points[:, 0], points[:, 1]))

    @one_thread_at_a_time
    def away(self, points: Array, part: IntArray) -> Array:
        """Return [N] m from points to the parts of these numbers."""
        return np.asarray(shapely.distance(shapely.points(points), self.parts[part]), np.float64)

    @one_thread_at_a_time
    def leave(self, points: Array, part: IntArray, *, walls: Walls, facing: Array | None = None) -> Array:
        """Return [N, 2] where points outside enter their parts: ahead, else nearest, else the nearest seen one.

        NaN where no way leads there without going through a wall.
        """
        exits = shapely.get_coordinates(shapely.shortest_line(shapely.points(points), self.parts[part]))[1::2].copy()
        ahead = np.zeros(len(points), np.bool_)
        if facing is not None:
            exits, ahead = self._exits_ahead(points, part, facing, exits)
        # From the middle of a chair every way out crosses its edge; from the open, none may cross any.
        outside = shapely.intersects_xy(self.area, points[:, 0], points[:, 1])
        through = outside & ~ahead & ~are_clear(walls, points, ends=exits, radius=0.0)
        for i in np.flatnonzero(through):
            exits[i] = self._nearest_seen(points[i], int(part[i]), walls)
        return np.asarray(exits)

    def _exits_ahead(self, points: Array, part: IntArray, facing: Array, exits: Array) -> tuple[Array, BoolArray]:
        """Replace exits by the first free place straight ahead, where there is one."""
        steps = np.arange(0.025, MAX_EXIT_M, 0.025)
        heading = np.nan_to_num(facing)
        ways = np.stack([np.cos(heading), np.sin(heading)], axis=-1)
        rays = points[:, None] + steps[:, None] * ways[:, None]
        free = shapely.intersects_xy(self.parts[part][:, None], rays[..., 0], rays[..., 1])
        found = free.any(axis=1) & np.isfinite(facing)
        first = rays[np.arange(len(points)), free.argmax(axis=1)]
        return np.where(found[:, None], first, exits), found

    def _nearest_seen(self, point: Array, part: int, walls: Walls) -> Array:
        """Return the nearest of a fan of free places that can be reached without crossing a wall, or NaN."""
        angles, steps = 2 * np.pi * np.arange(64) / 64, np.arange(0.025, MAX_EXIT_M, 0.025)
        ways = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        fan = (point + steps[:, None, None] * ways).reshape(-1, 2)
        fan = fan[shapely.intersects_xy(self.parts[part], fan[:, 0], fan[:, 1])]
        fan = fan[are_clear(walls, np.broadcast_to(point, fan.shape), ends=fan, radius=0.0)]
        return np.asarray(fan[0]) if len(fan) else np.full(2, np.nan)


def shrink(area: Any, distance: float, *, rounding: int) -> Any:
    """Return an area shrunk by a distance, rims oriented so that the free side is on their left."""
    small = shapely.buffer(area, -distance, quad_segs=rounding)
    return shapely.orient_polygons(small)
