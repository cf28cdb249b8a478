"""The space-time A* of guides as kernels read it: prices, moves, and what is asked (see `guide`). Metres, seconds."""

from typing import NamedTuple

import numpy as np

__all__ = [
    "ASIDE", "BUCKET", "BUCKETS", "DRIVES", "EFFORT", "GREED", "IDLE", "MOVES", "PATIENCE", "REST", "SLOWEST", "STEP",
    "STOP", "THROUGH", "TURN", "Task",
]  # fmt: skip

EFFORT, IDLE, STOP, TURN = 0.5, 0.35, 0.7, 0.3
"""Prices, see above: seconds per second of walking, per second lost, per halt, per half turn's half."""
GREED = 1.2
"""How much dearer what is left to go is held to be: ways may cost that much more than the best, but are found soon."""
DRIVES = ((0.0, 1500), (1.5, 3000), (6.0, 1 << 30))
"""By how many seconds per second of way left the search is driven on, and how many states it may look at before it is
driven more. Little leaves people at their start as long as may be; much makes them queue at doors, and is fast."""
THROUGH = 2.0
"""s: the price of a step through somebody, when it is asked who is in the way."""
STEP = 0.5
"""m: the length of a full step, made smaller so that a whole number of steps leads to the goal."""
BUCKET, BUCKETS = 0.02, 4096
"""s of cost in a bucket; how many there are, the last one for all beyond."""
SLOWEST = 0.5
"""Share of the speed below which a pulled piece is not walked any more."""
REST = 1.0
"""s: a wait at the start that is worth keeping."""
ASIDE = 6.0
"""m around start, goal and way that are searched."""
PATIENCE = 120.0
"""s after the direct arrival, or after all others have left, until which arrivals are looked for at most."""
MOVES = np.array(
    [
        *(
            (0, 0),
            (1, 0),
            (-1, 0),
            (0, 1),
            (0, -1),
            (1, 1),
            (1, -1),
            (-1, 1),
            (-1, -1),
            (2, 0),
            (-2, 0),
            (0, 2),
            (0, -2),
        ),
        *((2, -1), (-2, 1), (-2, -1), (1, -2), (-1, 2), (-1, -2), (1, 2), (2, 1)),
    ]
)
"""[21, 2] cells: the wait, then slow steps, then fast ones. Of equal ones the last is tried first."""


class Task(NamedTuple):
    """What is asked, as kernels read it."""

    start_x: float
    start_y: float
    goal_x: float
    goal_y: float
    ux: float
    uy: float
    """m: one cell of the lattice along its first axis; the second one is a quarter turn to the left."""
    begin: float
    """s: when the first step starts."""
    dt: float
    speed: float
    radius: float
    margin: float
    near: float
    """m: the margin to people near start and goal."""
    need: float
    need_start: float
    need_goal: float
    """m of clearance on the way, near the start, near the goal."""
    low_x: float
    low_y: float
    high_x: float
    high_y: float
    spread: float
    greed: float
    drive: float
    seed: int
    me: int
