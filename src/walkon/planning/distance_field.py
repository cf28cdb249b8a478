"""How far it is to a goal from everywhere, around obstacles: it steers guides where no straight line leads.

Over cells of about `PITCH` m, ways lead from cell to cell in sixteen directions (Dijkstra, outward from the goal); a
cell is open where its clearance is enough for the body. Lengths are up to 3 % too long. Near the goal, which may be in
a tighter place than the way, the goal's own clearance is enough. Metres.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, lock_array
from walkon.planning.clearance import Clearance
from walkon.planning.distance_rule import Field, Ground

__all__ = ["Field", "Ground", "distance_field", "grain_axis", "ground_of"]

PITCH = 0.2
"""m between cells, a whole number of the clearance's own, at least one."""


def _locked(numbers: ArrayLike) -> Array:
    array = np.array(numbers, dtype=np.float64)
    array.flags.writeable = False
    return array


def ground_of(clearance: Clearance) -> Ground:
    """Return a clearance as kernels read it."""
    return Ground(clearance.nodes, _locked([*clearance.origin, clearance.spacing, clearance.outside]))


NOWHERE = Field(np.zeros((0, 0), np.float32), _locked([0.0, 0.0, 1.0]))
"""The field where nothing is in the way."""


def distance_field(clearance: Clearance, goal: ArrayLike, *, radius: float) -> Field:
    """Return how far it is to a goal [2] for the centre of a disc that keeps `radius` m away from obstacles.

    Guides that lead to one goal may share it. A goal off the grid of an endless stage is reached from what it sees
    of the grid's rim.
    """
    from walkon.planning import _distance_kernels as kernels

    there = lock_array(goal, (2,), name="goal")
    if not clearance.nodes.size:
        return NOWHERE
    every = max(1, round(PITCH / clearance.spacing))
    values = np.full([(n - 1) // every + 1 for n in clearance.nodes.shape], np.inf, np.float32)
    field = Field(values, _locked([*clearance.origin, every * clearance.spacing]))
    kernels.flood(ground_of(clearance), field, every, float(there[0]), float(there[1]), radius)
    return field


@lru_cache(maxsize=16)
def grain_axis(clearance: Clearance) -> Array:
    """Return the direction [2], within 45 degrees of +x, along or across which most walls run.

    Clearance grows away from walls, so its slopes tell: the mean of the fourfold angle, over at most some 10⁵ nodes.
    """
    every = max(1, int(np.sqrt(clearance.nodes.size / 100_000)))
    nodes = clearance.nodes[::every, ::every]
    if min(nodes.shape) < 2:
        return _locked([1.0, 0.0])
    dx, dy = np.gradient(nodes)
    slopes = np.where(nodes > 0, dx + 1j * dy, 0.0)
    angle = np.angle(np.sum(slopes**4 / np.maximum(np.abs(slopes), 1e-9) ** 3)) / 4
    return _locked([np.cos(angle), np.sin(angle)])
