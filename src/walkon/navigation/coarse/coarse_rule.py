"""The coarse plan as kernels read it: the lattice of places, who is where at which step, and what a trip asks.

Time is cut into steps of `STEP_S`; in each, everybody goes straight and evenly from one place to another, or rests.
Metres, seconds, steps.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array, IntArray

__all__ = [
    "EFFORT_S_PER_M",
    "MOVES",
    "MOVE_COUNT",
    "NO_STEP",
    "PASSING_RADIUS_M",
    "PITCH_M",
    "REACH_M",
    "STEP_S",
    "Costs",
    "Lattice",
    "Traffic",
    "Trip",
]

PASSING_RADIUS_M = 0.26
"""m that who walks needs at most towards who rests: those who walk need more of each other."""
STEP_S = 0.5
"""s of a step."""
PITCH_M = 0.3
"""m between nodes, before they are moved into the free part of their cells."""
REACH_M = 0.68
"""m of one step at most: 1.36 m/s."""
MOVES = np.array(
    [
        *((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)),
        *((2, 0), (-2, 0), (0, 2), (0, -2)),
        *((2, 1), (2, -1), (-2, 1), (-2, -1), (1, 2), (1, -2), (-1, 2), (-1, -2)),
    ]
)
"""[20, 2] cells of a step. Of equal ones the last is tried first."""
MOVE_COUNT = len(MOVES)
EFFORT_S_PER_M = 0.15
"""s that a metre costs beside the time that it takes: who has time waits rather than going to and fro."""
NO_STEP = 1 << 30
"""A step that never comes."""


class Lattice(NamedTuple):
    """Places where a body can be, one for each cell of a grid, and which steps between them are free."""

    places: Array
    """[nx, ny, 2] m; NaN where none of a cell is free."""
    moves: NDArray[np.uint32]
    """[nx, ny] one bit for each of `MOVES`."""
    prices: NDArray[np.float32]
    """[nx, ny] s that a step to each place costs because walls are near."""
    frame: Array
    """[5] x and y of the first cell's middle, cosine and sine of the first axis, pitch."""


class Traffic(NamedTuple):
    """Who is where: pieces of ways, by step and cell, and rests, by cell."""

    keys: IntArray
    """[2^k] packed (step, cell) in use, EMPTY elsewhere."""
    heads: NDArray[np.int32]
    following: NDArray[np.int32]
    """[E] next piece of the same cell and step, −1 at the end."""
    who: NDArray[np.int32]
    """[E] character, NOBODY where taken out."""
    pieces: NDArray[np.float32]
    """[E, 5] m: x, y at the beginning of the step and at its end, radius."""
    rest_keys: IntArray
    rest_heads: NDArray[np.int32]
    rest_following: NDArray[np.int32]
    rest_who: NDArray[np.int32]
    rests: NDArray[np.float32]
    """[R, 3] m: x, y, radius."""
    spans: NDArray[np.int32]
    """[R, 2] steps from the beginning of which to the beginning of which it is there."""
    widest: Array
    """[1] m: the largest radius that was ever added."""


class Trip(NamedTuple):
    """What one person does: from one of some spots by marks, each at one of some spots, in this order."""

    me: int
    radius: float
    """m of who walks."""
    begin: int
    """Step at whose beginning it sets out at the earliest."""
    start_by: int
    """Step at whose beginning it must be there at the latest: later than `begin` only for who waits outside a door."""
    spots: Array
    """[K, 2] m: first those of the start, then those of the marks."""
    near: Array
    """[K] m of who takes the first step from a spot, or the last one to it."""
    first_spot: NDArray[np.int32]
    """[M + 2] rows of `spots`: of the start, of each mark, and their number."""
    clearance: Array
    """[K] m of free floor that a spot has, up to what one needs on the way."""
    need: float
    """m that one needs on the way."""
    reach: Array
    """[M + 1] m from a spot of the start or of a mark to the nodes that it is joined to."""
    windows: NDArray[np.int32]
    """[M, 2] steps of the earliest and the latest arrival."""
    dwell: NDArray[np.int32]
    """[M] steps from arrival until one can go on."""
    until: NDArray[np.int32]
    """[M] steps before whose beginning nobody goes on."""
    blocked: NDArray[np.int32]
    """[K, T + 1] the first step from each on at which somebody is in the way of who rests at a spot; NO_STEP: none."""
    ahead: Array
    """[M + 1, 3] s: what all marks after this one cost at least, when the last is over at the earliest, by its windows,
    and how long it takes at least from the arrival at this one."""
    onward: Array
    """[K] s that the way from a spot to the next mark costs at least; inf for those of the last mark."""
    vanishes: int
    """1 for who leaves through the last spots."""


class Costs(NamedTuple):
    """What is left to go from every node to the spots of each mark."""

    values: NDArray[np.float32]
    """[M, nx, ny] s, inf: cannot be reached; [M, 0, 0]: nothing is in the way, and it is measured straight."""
