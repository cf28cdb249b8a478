"""What joining two motions costs: helpers that are compiled into the kernels of seeds and search."""

# mypy: ignore-errors

import math
from typing import NamedTuple

import numpy as np

from walkon._base.jit import group, kernel, reads, writes
from walkon.transforms._kernels import wrap

POSITION, FACING, TIME, MOST_POSITION, MOST_FACING, ALPHA_FACING, ALPHA_TIME, SUMMED = 0, 1, 2, 3, 4, 5, 6, 7
"""Entries of `limits`: ε for each, ε′ for totals, the paper's α₁ (m/rad) and α₂ (m/s), and 1 for the paper's rule."""


class Job(NamedTuple):
    """What is asked of one character."""

    start: np.ndarray
    """[3] planar pose."""
    goal: np.ndarray
    """[3] planar pose."""
    times: np.ndarray
    """[3] s: when it starts, earliest and latest arrival."""
    limits: np.ndarray
    """[8]."""
    stay: np.ndarray
    """[B + 1] m, summed from the first of B bins on: how deep others would run into it if it were at the goal."""
    stay_at: np.ndarray
    """[2] the first of these bins, and for how many bins it stays."""
    hubs: np.ndarray
    """[2] hubs at the start and at the goal."""


JOB = group(Job, reads(1), reads(1), reads(1), reads(1), reads(1), reads(1, "int64"), reads(1, "int64"))


class Pool(NamedTuple):
    """P pairs of motions of up to L edges."""

    edges: np.ndarray
    """[P, 2, L] forward and backward edges, the latter counted from the goal."""
    counts: np.ndarray
    """[P, 2]."""
    costs: np.ndarray
    """[P]."""
    joins: np.ndarray
    """[P, 2] how many edges of each are used."""


POOL = group(Pool, writes(3, "int32"), writes(2, "int32"), writes(1), writes(2, "int32"))


@kernel(borrowed=True)
def late_by(job, seconds):
    """Return by how many seconds a motion of this length must grow (or shrink, negative) to arrive in its window."""
    arrival = job.times[0] + seconds
    if arrival < job.times[1]:
        return job.times[1] - arrival
    if arrival > job.times[2]:
        return job.times[2] - arrival
    return 0.0


@kernel(borrowed=True)
def join_cost(job, ends, begins, seconds, moving):
    """Return the cost of joining a motion that ends at a pose [3] to one that begins at a pose [3].

    In units of the tolerance: each of position, facing and time within ε and ε′ costs at most 1. By the paper's rule it
    is equation (1) over ε for positions.
    """
    limits = job.limits
    dx, dy = begins[0] - ends[0], begins[1] - ends[1]
    away = math.sqrt(dx * dx + dy * dy)
    turned = abs(wrap(begins[2] - ends[2]))
    late = late_by(job, seconds)
    lasts = seconds + late
    if seconds <= 0.0 or lasts <= 0.0:
        return np.inf
    if limits[SUMMED] > 0.0:
        total = away + limits[ALPHA_FACING] * turned + limits[ALPHA_TIME] * abs(late)
        return total / (seconds * limits[POSITION])
    free = moving * lasts / seconds + 1e-3
    return (
        away / min(limits[POSITION] * free, limits[MOST_POSITION])
        + turned / min(limits[FACING] * free, limits[MOST_FACING])
        + abs(seconds / lasts - 1.0) / limits[TIME]
    )


@kernel(borrowed=True)
def join_fits(job, ends, begins, seconds, moving):
    """Say whether joining is within every tolerance, each on its own, as it is played: stretched to arrive in time."""
    limits = job.limits
    dx, dy = begins[0] - ends[0], begins[1] - ends[1]
    away = math.sqrt(dx * dx + dy * dy)
    turned = abs(wrap(begins[2] - ends[2]))
    lasts = seconds + late_by(job, seconds)
    if seconds <= 0.0 or lasts <= 0.0:
        return False
    free = (seconds if limits[SUMMED] > 0.0 else moving) * lasts / seconds
    return (
        away <= limits[POSITION] * free + 1e-9
        and turned <= limits[FACING] * free + 1e-9
        and abs(seconds / lasts - 1.0) <= limits[TIME] + 1e-12
        and abs(lasts / seconds - 1.0) <= limits[TIME] + 1e-12
        and away <= limits[MOST_POSITION]
        and turned <= limits[MOST_FACING]
    )
