"""How far it is to a goal from everywhere, around obstacles: it steers guides where no straight line leads.

Over cells of about `FIELD_PITCH_M`, ways lead from cell to cell in sixteen directions (Dijkstra, outward from the
goal); a cell is open where its clearance is enough for the body. Lengths are up to 3 % too long. Near the goal, which
may be in a tighter place than the way, the goal's own clearance is enough. Metres.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, lock_array
from walkon.navigation.distance_rule import Field
from walkon.stage.distance_rule import DistanceGrid
from walkon.stage.free_space import FreeSpace

__all__ = ["NOWHERE", "Field", "distance_field", "grain_axis"]

FIELD_PITCH_M = 0.2
"""m between cells, a whole number of the clearance's own, at least one."""


NOWHERE = Field(np.zeros((0, 0), np.float32), lock_array([0.0, 0.0, 1.0], (3,), name="grid"))
"""The field where nothing is in the way."""


def distance_field(grid: DistanceGrid, goal: ArrayLike, *, radius: float) -> Field:
    """Return how far it is to a goal [2] for the centre of a disc that keeps `radius` m away from obstacles.

    Guides that lead to one goal may share it. A goal off the grid of an endless stage is reached from what it sees
    of the grid's rim.
    """
    from walkon.navigation import _distance_kernels as kernels

    there = lock_array(goal, (2,), name="goal")
    if not grid.nodes.size:
        return NOWHERE
    every = max(1, round(FIELD_PITCH_M / float(grid.frame[2])))
    values = np.full([(n - 1) // every + 1 for n in grid.nodes.shape], np.inf, np.float32)
    x, y, spacing, _ = grid.frame
    field = Field(values, lock_array([x, y, every * spacing], (3,), name="grid"))
    kernels.flood(grid, field, every, float(there[0]), float(there[1]), radius)
    return field


@lru_cache(maxsize=16)
def grain_axis(space: FreeSpace) -> Array:
    """Return the direction [2], within 45 degrees of +x, along or across which most walls run.

    Distance grows away from walls, so its slopes tell: the mean of the fourfold angle, over at most some 10⁵ nodes.
    """
    every = max(1, int(np.sqrt(space.grid.nodes.size / 100_000)))
    nodes = space.grid.nodes[::every, ::every]
    if min(nodes.shape) < 2:
        return np.array([1.0, 0.0])
    dx, dy = np.gradient(nodes)
    slopes = np.where(nodes > 0, dx + 1j * dy, 0.0)
    angle = np.angle(np.sum(slopes**4 / np.maximum(np.abs(slopes), 1e-9) ** 3)) / 4
    return np.array([np.cos(angle), np.sin(angle)])
