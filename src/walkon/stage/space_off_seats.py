"""The free space of somebody who sits down or rises: what one sits on is nearer than anybody else may come.

A standing place is a hand's breadth before the front of one's own chair, nearer than a body's radius; so for a leg that
begins or ends on a seat the chair under the hips is drawn in by `OWN_NARROWER_M` in the grid of distances, in a window
around the seat. Walls, lines of sight and parts stay those of everybody: ways lead to and from the standing place
around the chair, as to any place that is not in free space (see `navigation.roadmap_ends`). The chair's back, its arms
and a table stay.

Metres.
"""

from dataclasses import dataclass

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, lock_fields
from walkon.stage.distance_grid import measure_grid
from walkon.stage.distance_rule import DistanceGrid
from walkon.stage.free_space import FreeSpace
from walkon.stage.low_solids import sat_on
from walkon.stage.walls import edges_of

__all__ = ["SpaceOffSeats", "off_seats"]

WINDOW_M = 1.0
"""m around a seat in which distances are measured anew, and are told up to that much."""
OWN_NARROWER_M = 0.13
"""m by which one comes nearer to what one sits on than to other furniture: calves touch it before one sits down."""


@dataclass(frozen=True, eq=False)
class SpaceOffSeats(FreeSpace):
    """Where the middle of a disc may be that belongs to somebody who sits on some of the solids; see `off_seats`."""

    own_grid: DistanceGrid

    @property
    def grid(self) -> DistanceGrid:
        """Signed distances to walls, what is sat on drawn in."""
        return self.own_grid

    @property
    def walking_grid(self) -> DistanceGrid:
        """As `grid`, but that what arms can hit is nearer."""
        whole = FreeSpace(self.stage, self.radius, self._kept)
        seen = whole.walking_grid
        if seen is whole.grid:
            return self.own_grid
        # Where only the own solids were in the way, arms are not.
        nearer = np.where(seen.nodes < whole.grid.nodes, seen.nodes, np.inf)
        return lock_fields(DistanceGrid(np.minimum(self.own_grid.nodes, nearer), self.own_grid.frame))


def off_seats(space: FreeSpace, places: Array) -> FreeSpace:
    """Return a space in which solids that who sits at places [K, 2] sits on are drawn in; itself where none are."""
    under = space.covering(places) if len(places) else []
    every = sorted({row for rows in under for row in rows})
    sat = sat_on(space.stage, [space.solids[k] for k in every])
    own = {row for row, is_sat_on in zip(every, sat, strict=True) if is_sat_on}
    under = [[row for row in rows if row in own] for rows in under]
    if not own:
        return space
    grid = space.grid
    nodes = np.array(grid.nodes)
    for place, rows in zip(places, under, strict=True):
        if rows:
            _measure_window(space, nodes, grid.frame, place, own)
    return SpaceOffSeats(space.stage, space.radius, space._kept, lock_fields(DistanceGrid(nodes, grid.frame)))


def _measure_window(space: FreeSpace, nodes: Array, frame: Array, place: Array, own: set[int]) -> None:
    """Measure the nodes around a place again, with its own solids drawn in; they only become freer."""
    low, step = frame[:2], float(frame[2])
    first = np.clip(np.ceil((place - WINDOW_M - low) / step).astype(int), 0, np.array(nodes.shape))
    last = np.clip(np.floor((place + WINDOW_M - low) / step).astype(int) + 1, first, np.array(nodes.shape))
    if (last <= first).any():
        return
    near = space.solids_near(place[None], within=WINDOW_M * (1 + np.sqrt(2)))[1]
    others = sorted(set(near.tolist()) - own)
    mine = shapely.buffer(space.covered_by(sorted(set(near.tolist()) & own)), -OWN_NARROWER_M, join_style="mitre")
    part = nodes[first[0] : last[0], first[1] : last[1]]
    corner = low + first * step
    fresh = np.full(part.shape, WINDOW_M)
    covered = shapely.union(space.covered_by(others), mine)
    if not shapely.is_empty(covered):
        edges = edges_of(shapely.orient_polygons(covered))
        fresh = np.minimum(fresh, measure_grid(edges, corner, step=step, shape=part.shape, bounded=False))
    if space.stage.bounds is not None:
        fresh = np.minimum(fresh, measure_grid(space.rim, corner, step=step, shape=part.shape, bounded=True))
    np.maximum(part, fresh, out=part)
