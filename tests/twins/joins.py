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
    late = late_by(job, seconds)
    lasts = seconds + late
    if seconds <= 0.0 or lasts <= 0.0:
        return math.inf
    if summed:
        # Equation (1), over ε for positions.
        return float((away + alpha_facing * turned + alpha_time * abs(late)) / (seconds * position))
    free = moving * lasts / seconds + 1e-3
    cost = away / min(position * free, most_position) + turned / min(facing * free, most_facing)
    return float(cost + abs(seconds / lasts - 1.0) / time)


def fits(job: Any, ends: Array, begins: Array, *, seconds: float, moving: float) -> bool:
    """Say whether joining is within every tolerance, each on its own, as it is played."""
    position, facing, time, most_position, most_facing, _, _, summed = job.limits.tolist()
    away, turned = _gap(ends, begins)
    lasts = seconds + late_by(job, seconds)
    if seconds <= 0.0 or lasts <= 0.0:
        return False
    free = (seconds if summed else moving) * lasts / seconds
    return (
        away <= min(position * free + 1e-9, most_position)
        and turned <= min(facing * free + 1e-9, most_facing)
        and max(seconds / lasts, lasts / seconds) - 1.0 <= time + 1e-12
    )
