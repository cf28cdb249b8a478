"""Walls: the edges of everything one cannot walk through, in a grid, so that lines of sight cost a few comparisons.

A line is *clear* by r when every point of it is at least r metres from every edge. That is exact (distances between
line segments), not sampled: two segments that do not cross are nearest at one of their four ends, so

    d(AB, CD) = min(d(A, CD), d(B, CD), d(C, AB), d(D, AB)),   0 where they cross.

Against a grid of distances (`Clearance`) a line would have to be sampled, and be wrong by the grid's error at every
corner; Shapely gives the same answer twenty times more slowly. Every edge is listed in each cell that comes within
`reach` of it; a line asks only the cells that it runs through. A line that begins in the open and is clear stays
there. Ground plane, metres.
"""

from typing import Any

import numpy as np
import shapely  # type: ignore[import-untyped]
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray
from walkon._base.errors import InvalidValue
from walkon.planning.roadmap_rule import Walls

__all__ = ["ENDLESS", "Walls", "are_clear", "walls_of"]

CELL = 0.75
"""m, the side of a cell; larger where the grid would have over `MOST` cells."""
MOST = 1_000_000
ENDLESS = 1e6
"""m from the origin up to which an endless floor is drawn; what is there is no wall."""


def walls_of(area: Any, *, reach: float) -> Walls:
    """List the edges of a Shapely area (None: nothing anywhere) for questions of clearance up to `reach` m."""
    from walkon.planning import _roadmap_kernels as kernels

    edges = _edges(area)
    if not len(edges):
        return _locked(Walls(edges, np.zeros(2), CELL, 0, 0, np.zeros(1, np.int64), np.zeros(0, np.int32), reach))
    ends = edges.reshape(-1, 2)
    low, high = ends.min(axis=0) - reach, ends.max(axis=0) + reach
    cell = max(CELL, float(np.sqrt(np.prod(high - low) / MOST)))
    columns, rows = (int(n) for n in np.floor((high - low) / cell).astype(int) + 1)
    counts = np.zeros(columns * rows, np.int64)
    blank = _locked(Walls(edges, low, cell, columns, rows, np.zeros(1, np.int64), np.zeros(0, np.int32), reach))
    kernels.register(blank, counts, np.zeros(0, np.int32))
    starts = np.concatenate([[0], np.cumsum(counts)])
    items = np.zeros(int(starts[-1]), np.int32)
    kernels.register(blank, starts[:-1].copy(), items)
    return _locked(blank._replace(starts=starts, items=items))


def _locked(walls: Walls) -> Walls:
    for array in (walls.edges, walls.origin, walls.starts, walls.items):
        array.flags.writeable = False
    return walls


def are_clear(walls: Walls, starts: ArrayLike, *, ends: ArrayLike, radius: ArrayLike) -> BoolArray:
    """Return [N] whether lines from starts to ends [N, 2] keep `radius` (one, or [N]) metres from all walls."""
    from walkon.planning import _roadmap_kernels as kernels

    a = np.ascontiguousarray(starts, np.float64)
    b = np.ascontiguousarray(ends, np.float64)
    radii = np.ascontiguousarray(np.broadcast_to(np.asarray(radius, np.float64), len(a)))
    if len(radii) and radii.max() > walls.reach:
        raise InvalidValue(f"these walls tell clearances up to {walls.reach:g} m, asked for {radii.max():g} m")
    clear = np.zeros(len(a), np.bool_)
    kernels.clear(walls, a, b, radii, clear)
    return clear


def _edges(area: Any) -> Array:
    """Return [E, 4] all edges of the rings of an area, without the end of the world."""
    if area is None or shapely.is_empty(area):
        return np.zeros((0, 4))
    rings = shapely.get_rings(shapely.get_parts(area))
    places, ring = shapely.get_coordinates(rings, return_index=True)
    same = ring[1:] == ring[:-1]
    edges = np.hstack([places[:-1][same], places[1:][same]])
    return np.ascontiguousarray(edges[(np.abs(edges) < ENDLESS).all(axis=1)])
