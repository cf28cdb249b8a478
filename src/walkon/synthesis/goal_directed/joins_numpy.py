"""What joining two motions costs, in plain Python: what `_join_kernels` is held equal to. Metres, seconds, radians."""

import math
from typing import Any

import numpy as np

from walkon._base.arrays import Array

__all__ = ["fits", "join_cost", "late_by", "wrapped"]


def wrapped(angle: float) -> float:
    """Return an angle in [−π, π)."""
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


def late_by(job: Any, seconds: float) -> float:
    """Return by how many seconds a motion of this length must grow to arrive in its window, negative to shrink."""
    arrival = float(job.times[0]) + seconds
    return float(np.clip(arrival, job.times[1], job.times[2])) - arrival


def _gap(ends: Array, begins: Array) -> tuple[float, float]:
    away = math.hypot(float(begins[0] - ends[0]), float(begins[1] - ends[1]))
    return away, abs(wrapped(float(begins[2] - ends[2])))


def join_cost(job: Any, ends: Array, begins: Array, *, seconds: float, moving: float) -> float:
    """Return the cost of joining a motion that ends at a pose [3] to one that begins at another: see the kernel.

    `moving` is how many of the seconds may be displaced.
    """
    position, facing, time, most_position, most_facing, alpha_facing, alpha_time, summed = job.limits.tolist()
    away, turned = _gap(ends, begins)
    late = abs(late_by(job, seconds))
    if summed:
        # Equation (1), over ε for positions.
        return float((away + alpha_facing * turned + alpha_time * late) / ((seconds + 1e-3) * position))
    free = moving + 1e-3
    cost = away / (position * free) + turned / (facing * free) + late / (time * (seconds + 1e-3))
    if away > most_position or turned > most_facing:
        cost += 2.0 + away / most_position
    return float(cost)


def fits(job: Any, ends: Array, begins: Array, *, seconds: float, moving: float) -> bool:
    """Say whether joining is within every tolerance, each on its own."""
    position, facing, time, most_position, most_facing, _, _, summed = job.limits.tolist()
    away, turned = _gap(ends, begins)
    free = seconds if summed else moving
    per_second = (away, position * free), (turned, facing * free), (abs(late_by(job, seconds)), time * seconds)
    return (
        all(needed <= given + 1e-9 for needed, given in per_second) and away <= most_position and turned <= most_facing
    )
