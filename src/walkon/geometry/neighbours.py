"""Fixed-radius neighbour search by a uniform grid (cell list) over points on the floor.

Points are sorted by counting into square cells at least as wide as the search radius, so that all neighbours of a point
lie in the three by three cells around it, and the cells of one row follow each other in memory. Building the grid is
linear in the number of points, searching in the number of points in those cells.

Two points are neighbours where their distance is at most the radius. Results are sorted by index: they depend on the
points alone, never on the layout of the cells. Metres; points are [N, 2].
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray, lock_array, lock_fields
from walkon._base.errors import InvalidValue

__all__ = ["NeighbourGrid", "pairs_within"]

MAX_CELLS_PER_POINT = 2.0
"""A grid has at most this many cells per point: a few far strays must not cost memory."""


@dataclass(frozen=True, eq=False, kw_only=True)
class NeighbourGrid:
    """N points sorted into cells for searches up to one radius. Make it with `NeighbourGrid.of(points, radius)`."""

    measures: Array
    """[4] metres: x and y of the lower left corner of cell (0, 0), the side of a cell, and the search radius."""
    columns: int
    rows: int
    starts: IntArray
    """[columns · rows + 1] where each cell begins in `order`, row by row."""
    order: IntArray
    """[N] point indices, cell by cell, rising within a cell."""
    sorted_points: Array
    """[N, 2] the points in that order."""

    @classmethod
    def of(cls, points: ArrayLike, radius: float) -> "NeighbourGrid":
        """Sort points [N, 2] into cells for searches within `radius` metres."""
        from walkon.geometry import _kernels

        locked: Array = lock_array(points, (None, 2), name="points")
        if not (np.isfinite(radius) and radius > 0):
            raise InvalidValue(f"the search radius must be positive and finite, got {radius} m")
        N = len(locked)
        low, high = (locked.min(axis=0), locked.max(axis=0)) if N else (np.zeros(2), np.zeros(2))
        width, depth = (float(extent) for extent in high - low)
        room = max(MAX_CELLS_PER_POINT * N, 64.0)
        # A little wider than the radius, so that rounding cannot put two neighbours two cells apart; wider still where
        # that would need more cells than there is room for.
        cell = max(radius * (1 + 1e-6), (width * depth / room) ** 0.5, max(width, depth) / room)
        columns, rows = int(width / cell) + 1, int(depth / cell) + 1
        starts, order = np.zeros(columns * rows + 1, np.int64), np.empty(N, np.int64)
        sorted_points = np.empty((N, 2))
        _kernels.fill_cells(locked, float(low[0]), float(low[1]), cell, columns, rows, starts, order, sorted_points)
        measures = np.array([*low, cell, radius])
        lock_fields((starts, order, sorted_points, measures))
        return cls(
            measures=measures, columns=columns, rows=rows, starts=starts, order=order, sorted_points=sorted_points
        )

    def __repr__(self) -> str:
        *_, cell, radius = self.measures
        return (
            f"NeighbourGrid({len(self.order)} points, radius {radius:g} m, "
            f"{self.columns} x {self.rows} cells of {cell:.3g} m)"
        )

    def pairs(self) -> IntArray:
        """Return all pairs [P, 2] of neighbours, i < j, sorted by i, then j."""
        from walkon.geometry import _kernels

        return _kernels.grid_pairs(
            self.sorted_points, self.starts, self.order, self.columns, self.rows, float(self.measures[3])
        )

    def near(self, places: ArrayLike) -> tuple[IntArray, IntArray]:
        """Return (starts [Q + 1], indices) of the points within the radius of each of Q places [Q, 2], indices rising.

        The points near place q, which need not be one of the grid, are `indices[starts[q] : starts[q + 1]]`.
        """
        from walkon.geometry import _kernels

        queries = lock_array(places, (None, 2), name="places")
        return _kernels.grid_near(
            self.sorted_points, self.starts, self.order, self.columns, self.rows, self.measures, queries
        )


def pairs_within(points: ArrayLike, radius: float) -> IntArray:
    """Return all pairs [P, 2] of points [N, 2] within `radius` metres of each other, i < j, sorted by i, then j."""
    return NeighbourGrid.of(points, radius).pairs()
