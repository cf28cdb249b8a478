"""Triangle grids: the triangles of a mesh in square cells of the ground plane, for vertical look-ups.

A place (x, y) asks for the triangle above or below it. Triangles that face up, counter-clockwise seen from above, are
what one stands on; upright ones and those that face down are passed over. The height on a triangle (a, b, c) is exact,

    z = a_z + s (b_z − a_z) + t (c_z − a_z),     (x, y) = a + s (b − a) + t (c − a)                          (1)

Several triangles may lie above each other: the one nearest to a given height is taken. Metres.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray, lock_array
from walkon._base.threads import in_chunks

__all__ = ["Surfaces", "TriangleGrid"]

POINTS_PER_TASK = 8192
"""Points per task of the thread pool."""
MEMBERS_PER_TRIANGLE = 12
"""Cells that a triangle may be in on average: larger ones are chosen where there would be more."""
MIN_CELLS, MAX_CELLS = 1 << 6, 1 << 24


class Surfaces(NamedTuple):
    """What is under or over P places."""

    heights: Array
    """[P] metres; NaN where there is nothing."""
    triangles: IntArray
    """[P] the triangle, −1 where there is none."""


@dataclass(frozen=True, eq=False)
class TriangleGrid:
    """F triangles by cells."""

    corners: Array
    """[F, 3, 3] metres, counter-clockwise seen from the side they face."""
    low: tuple[float, float]
    """Metres, least x and y."""
    cell: float
    """Metres."""
    columns: int
    rows: int
    firsts: IntArray
    """[columns · rows + 1] where each cell's members begin."""
    members: Any
    """[M] triangles, cell after cell."""

    @classmethod
    def of(cls, corners: Array) -> "TriangleGrid":
        """Arrange triangles [F, 3, 3], at least one."""
        from walkon.geometry import _triangle_grid_kernels as kernels

        corners = np.asarray(lock_array(corners, (None, 3, 3), name="triangles"), np.float64)
        plan = corners.reshape(-1, 3)[:, :2]
        low, size = plan.min(axis=0), np.maximum(np.ptp(plan, axis=0), 1e-3)
        cell = float(np.sqrt(size[0] * size[1] / np.clip(len(corners), MIN_CELLS, MAX_CELLS)))
        sides = np.ptp(corners[..., :2], axis=1)
        while (np.ceil(sides / cell + 1.0).prod(axis=1)).sum() > MEMBERS_PER_TRIANGLE * (len(corners) + MIN_CELLS):
            cell *= 1.5
        columns, rows = (int(np.floor(length / cell)) + 1 for length in size)
        grid = float(low[0]), float(low[1]), cell, columns, rows
        counts = np.zeros(columns * rows, np.int64)
        kernels.count_cells(corners, *grid, counts)
        firsts = np.concatenate([[0], np.cumsum(counts)])
        members = np.empty(int(firsts[-1]), np.int32)
        kernels.fill_cells(corners, *grid, firsts[:-1].copy(), members)
        return cls(corners, (grid[0], grid[1]), cell, columns, rows, firsts, members)

    def nearest(self, points: Array, near: Array) -> Surfaces:
        """Return what faces up under or over points [P, 2] and is nearest to the heights `near` [P]; NaN: the highest.

        Of several at one height the first triangle counts.
        """
        from walkon.geometry import _triangle_grid_kernels as kernels

        points, near = np.ascontiguousarray(points, np.float64), np.ascontiguousarray(near, np.float64)
        heights, found = np.empty(len(points)), np.empty(len(points), np.int32)
        grid = *self.low, self.cell, self.columns, self.rows

        def work(a: int, b: int) -> None:
            kernels.surfaces_nearest(
                self.corners, *grid, self.firsts, self.members, points[a:b], near[a:b], heights[a:b], found[a:b]
            )

        in_chunks(work, len(points), chunk=POINTS_PER_TASK)
        return Surfaces(heights, found.astype(np.int64))

    def has_layers(self, *, rise: float) -> bool:
        """Say whether some of what faces up may lie over others by more than `rise` m; if not, it certainly does not.

        Boxes of triangles are compared, so that the edge of a cliff may count.
        """
        from walkon.geometry import _triangle_grid_kernels as kernels

        return bool(kernels.has_stacked(self.corners, self.firsts, self.members, rise))

    def follow(self, points: Array, begins: IntArray, near: Array) -> Array:
        """Return the heights [P] m along runs of points [P, 2], each nearest to the one before it.

        Runs begin at rows `begins` [W] with what is nearest to `near` [W] m. Where nothing is, the height stays.
        """
        from walkon.geometry import _triangle_grid_kernels as kernels

        heights = np.empty(len(points))
        grid = *self.low, self.cell, self.columns, self.rows
        kernels.follow_surfaces(
            self.corners,
            *grid,
            self.firsts,
            self.members,
            np.ascontiguousarray(points, np.float64),
            np.ascontiguousarray(begins, np.int64),
            np.ascontiguousarray(near, np.float64),
            heights,
        )
        return heights
