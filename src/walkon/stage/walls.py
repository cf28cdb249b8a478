"""Walls: the oriented edges of everything that one cannot walk through, and lines of sight among them.

Edges have the free side on their left. At the start of an edge the wall turns by `turn`: to the left in a corner of a
room, to the right around the corner of an obstacle (reflex), which is where shortest paths bend.

A line is *clear* by r when every point of it is at least r metres from every edge. That is exact (distances between
line segments), not sampled: two segments that do not cross are nearest at one of their four ends, so

    d(AB, CD) = min(d(A, CD), d(B, CD), d(C, AB), d(D, AB)),   0 where they cross.

Against a grid of distances a line would have to be sampled, and be wrong by the grid's error at every corner; Shapely
gives the same answer twenty times more slowly. Every edge is listed in each cell that comes within `reach` of it; a
line asks only the cells that it runs through. A line that begins in the open and is clear stays there. Ground plane,
metres.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely  # type: ignore[import-untyped]
from numpy.typing import ArrayLike

from walkon._base.arrays import BoolArray, lock_fields
from walkon._base.errors import InvalidValue
from walkon._base.table import Column, Table, column
from walkon.stage.wall_rule import Walls

__all__ = ["ENDLESS_M", "WallEdges", "Walls", "are_clear", "edges_of", "index_walls"]

CELL_M = 0.75
"""m, the side of a cell; larger where the grid would have over `MAX_CELLS` cells."""
MAX_CELLS = 1_000_000
ENDLESS_M = 1e6
"""m from the origin up to which an endless floor is drawn; what is there is no wall."""


@dataclass(frozen=True, eq=False, kw_only=True)
class WallEdges(Table):
    """Edges of walls, ring after ring."""

    start: Column = column("float64", 2)
    stop: Column = column("float64", 2)
    """m."""
    previous: Column = column("int64")
    next: Column = column("int64")
    """Rows: the edges before and after it on its ring."""
    turn: Column = column("float64")
    """rad by which the ring turns left at its start; below 0 at reflex corners."""

    @property
    def reflex(self) -> BoolArray:
        """[E] whether the wall turns away from the free side at the start of an edge: a corner that one sees around."""
        return np.asarray(self.turn < -1e-9)


def edges_of(area: Any) -> WallEdges:
    """Return the edges of the rings of a Shapely area (or several), in their order; None: no edges.

    The free side is on the left if rings are oriented (shells counter-clockwise, holes clockwise).
    """
    rings = shapely.get_rings(shapely.get_parts(area)) if area is not None else []
    places, ring = shapely.get_coordinates(rings, return_index=True)
    if not len(places):
        return WallEdges()
    # The last place of a ring repeats its first.
    kept = np.append(ring[1:] == ring[:-1], False)
    start, stop, ring = places[kept], places[1:][kept[:-1]], ring[kept]
    first = np.flatnonzero(np.diff(ring, prepend=-1))
    last = np.append(first[1:], len(ring)) - 1
    before, after = np.arange(len(ring)) - 1, np.arange(len(ring)) + 1
    before[first], after[last] = last, first
    u, v = start - start[before], stop - start
    turn = np.arctan2(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0], (u * v).sum(axis=1))
    return WallEdges(start=start, stop=stop, previous=before, next=after, turn=turn)


def index_walls(edges: WallEdges, *, reach: float) -> Walls:
    """List edges in cells, for questions of clearance up to `reach` m; those at the end of the world are left out."""
    from walkon.stage import _wall_kernels as kernels

    segments = np.hstack([edges.start, edges.stop])
    segments = np.ascontiguousarray(segments[(np.abs(segments) < ENDLESS_M).all(axis=1)])
    nowhere, nothing = np.zeros(1, np.int64), np.zeros(0, np.int32)
    if not len(segments):
        return lock_fields(Walls(segments, np.zeros(2), CELL_M, 0, 0, nowhere, nothing, reach))
    ends = segments.reshape(-1, 2)
    low, high = ends.min(axis=0) - reach, ends.max(axis=0) + reach
    cell = max(CELL_M, float(np.sqrt(np.prod(high - low) / MAX_CELLS)))
    columns, rows = (int(n) for n in np.floor((high - low) / cell).astype(int) + 1)
    counts = np.zeros(columns * rows, np.int64)
    blank = lock_fields(Walls(segments, low, cell, columns, rows, nowhere, nothing, reach))
    kernels.register(blank, counts, np.zeros(0, np.int32))
    starts = np.concatenate([[0], np.cumsum(counts)])
    items = np.zeros(int(starts[-1]), np.int32)
    kernels.register(blank, starts[:-1].copy(), items)
    return lock_fields(blank._replace(starts=starts, items=items))


def are_clear(walls: Walls, starts: ArrayLike, *, ends: ArrayLike, radius: ArrayLike) -> BoolArray:
    """Return [N] whether lines from starts to ends [N, 2] keep `radius` (one, or [N]) metres from all walls."""
    from walkon.stage import _wall_kernels as kernels

    a, b = np.ascontiguousarray(starts, np.float64), np.ascontiguousarray(ends, np.float64)
    radii = np.ascontiguousarray(np.broadcast_to(np.asarray(radius, np.float64), len(a)))
    if len(radii) and radii.max() > walls.reach:
        raise InvalidValue(f"these walls tell clearances up to {walls.reach:g} m, asked for {radii.max():g} m")
    clear = np.zeros(len(a), np.bool_)
    kernels.fill_clear(walls, a, b, radii, clear)
    return clear
