"""The space-time A* of guides as kernels read it: prices, moves, and what is asked (see `guide`). Metres, seconds."""

from typing import NamedTuple

import numpy as np

__all__ = [
    "BUCKET_COST_S",
    "BUCKET_COUNT",
    "HALT_COST_S",
    "IDLE_COST_RATIO",
    "MIN_REST_S",
    "MIN_SPEED_RATIO",
    "MOVES",
    "TURN_COST_S",
    "WALKING_COST_RATIO",
    "WALK_THROUGH_COST_S",
    "Task",
]

WALKING_COST_RATIO, IDLE_COST_RATIO, HALT_COST_S, TURN_COST_S = 0.5, 0.35, 0.7, 0.3
"""Prices, see `guide`: seconds per second of walking, per second lost, per halt, per half turn's half."""
WALK_THROUGH_COST_S = 2.0
"""s: the price of a step through somebody, when it is asked who is in the way."""
BUCKET_COST_S, BUCKET_COUNT = 0.02, 4096
"""s of cost in a bucket; how many there are, the last one for all beyond."""
MIN_SPEED_RATIO = 0.5
"""Share of the speed below which a pulled piece is not walked any more."""
MIN_REST_S = 1.0
"""s: a wait at the start that is worth keeping."""
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
    heuristic_weight: float
    drive: float
    seed: int
    me: int
