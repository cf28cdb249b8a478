"""The randomized search, compiled: pairs of motions are perturbed until they can be joined within the tolerance.

See `search` for the method and the names; forward motions run from the start, backward ones from the goal back.
"""

# mypy: ignore-errors

import math
from typing import NamedTuple

import numpy as np

from walkon._base.jit import group, kernel, reads, writes
from walkon.synthesis.goal_directed._collision_kernels import STEPS, WORLD, edge_depth
from walkon.synthesis.goal_directed._seed_kernels import _after, _before, _random, _wrap

POSITION, FACING, TIME, MOST_POSITION, MOST_FACING, ALPHA_FACING, ALPHA_TIME = 0, 1, 2, 3, 4, 5, 6
"""Entries of `limits`: ε for each, ε′ for the totals, and the paper's α₁ (m/rad) and α₂ (m/s)."""


class Job(NamedTuple):
    """What is asked of one character."""

    start: np.ndarray
    """[3] planar pose."""
    goal: np.ndarray
    """[3] planar pose."""
    times: np.ndarray
    """[3] s: when it starts, earliest and latest arrival."""
    limits: np.ndarray
    """[7]."""
    hold: np.ndarray
    """[1] s for which it stays at the goal afterwards, while others must not be there."""


JOB = group(Job, reads(1), reads(1), reads(1), reads(1), reads(1))


class Pool(NamedTuple):
    """P pairs of motions of up to L edges."""

    edges: np.ndarray
    """[P, 2, L] forward and backward edges."""
    counts: np.ndarray
    """[P, 2]."""
    costs: np.ndarray
    """[P]."""
    joins: np.ndarray
    """[P, 2] how many edges of each are used."""


POOL = group(Pool, writes(3, "int32"), writes(2, "int32"), writes(1), writes(2, "int32"))


class Trace(NamedTuple):
    """Poses, hubs, seconds and moving seconds along a forward and a backward motion."""

    poses: np.ndarray
    """[2, L + 1, 3]."""
    hubs: np.ndarray
    """[2, L + 1]."""
    seconds: np.ndarray
    """[2, L + 1]."""
    moving: np.ndarray
    """[2, L + 1]."""


TRACE = group(Trace, writes(3), writes(2, "int32"), writes(2), writes(2))


@kernel()
def _trace(steps, job, hub_start, hub_goal, pool, row, side, trace):
    """Lay out one motion of a pair."""
    pose = job.goal if side == 1 else job.start
    for a in range(3):
        trace.poses[side, 0, a] = pose[a]
    trace.hubs[side, 0] = hub_goal if side == 1 else hub_start
    trace.seconds[side, 0] = 0.0
    trace.moving[side, 0] = 0.0
    for k in range(pool.counts[row, side]):
        edge = pool.edges[row, side, k]
        if side == 1:
            _before(trace.poses[side, k], steps.move[edge], trace.poses[side, k + 1])
            trace.hubs[side, k + 1] = steps.start[edge]
        else:
            _after(trace.poses[side, k], steps.move[edge], trace.poses[side, k + 1])
            trace.hubs[side, k + 1] = steps.stop[edge]
        trace.seconds[side, k + 1] = trace.seconds[side, k] + steps.seconds[edge]
        trace.moving[side, k + 1] = trace.moving[side, k] + steps.seconds[edge] * steps.moving[edge]


@kernel()
def _late(job, seconds):
    """Return by how many seconds a motion of this length must grow (or shrink, negative) to arrive in its window."""
    arrival = job.times[0] + seconds
    if arrival < job.times[1]:
        return job.times[1] - arrival
    if arrival > job.times[2]:
        return job.times[2] - arrival
    return 0.0


@kernel()
def _join(job, pool, row, trace):
    """Find the best place to join a pair; return its cost in units of the tolerance: 1 or less of each part is fine."""
    limits = job.limits
    best = 1e30
    pool.joins[row, 0], pool.joins[row, 1] = -1, -1
    for i in range(pool.counts[row, 0] + 1):
        hub = trace.hubs[0, i]
        for j in range(pool.counts[row, 1] + 1):
            if trace.hubs[1, j] != hub:
                continue
            dx = trace.poses[1, j, 0] - trace.poses[0, i, 0]
            dy = trace.poses[1, j, 1] - trace.poses[0, i, 1]
            away = math.sqrt(dx * dx + dy * dy)
            moving = trace.moving[0, i] + trace.moving[1, j] + 1e-3
            off = away / (limits[POSITION] * moving)
            if off > best:
                continue
            turned = abs(_wrap(trace.poses[1, j, 2] - trace.poses[0, i, 2]))
            seconds = trace.seconds[0, i] + trace.seconds[1, j]
            late = abs(_late(job, seconds))
            cost = off + turned / (limits[FACING] * moving) + late / (limits[TIME] * (seconds + 1e-3))
            if away > limits[MOST_POSITION] or turned > limits[MOST_FACING]:
                cost += 2.0 + away / limits[MOST_POSITION]
            if cost < best:
                best = cost
                pool.joins[row, 0], pool.joins[row, 1] = i, j
    return best


@kernel()
def _fits(job, pool, row, trace):
    """Say whether the join of a pair is within every tolerance, each on its own."""
    i, j = pool.joins[row, 0], pool.joins[row, 1]
    if i < 0:
        return False
    limits = job.limits
    dx = trace.poses[1, j, 0] - trace.poses[0, i, 0]
    dy = trace.poses[1, j, 1] - trace.poses[0, i, 1]
    away = math.sqrt(dx * dx + dy * dy)
    turned = abs(_wrap(trace.poses[1, j, 2] - trace.poses[0, i, 2]))
    moving = trace.moving[0, i] + trace.moving[1, j]
    seconds = trace.seconds[0, i] + trace.seconds[1, j]
    return (
        away <= limits[POSITION] * moving + 1e-6
        and turned <= limits[FACING] * moving + 1e-6
        and abs(_late(job, seconds)) <= limits[TIME] * seconds + 1e-9
        and away <= limits[MOST_POSITION]
        and turned <= limits[MOST_FACING]
    )


@kernel()
def _depth(steps, world, job, pool, row, trace, me, enough, offset, slope):
    """Return how deep (m, summed over bins) the joined, adjusted motion runs into things."""
    i, j = pool.joins[row, 0], pool.joins[row, 1]
    moving = trace.moving[0, i] + trace.moving[1, j]
    seconds = trace.seconds[0, i] + trace.seconds[1, j]
    stretch = (seconds + _late(job, seconds)) / seconds if seconds > 0 else 1.0
    gap_x = trace.poses[1, j, 0] - trace.poses[0, i, 0]
    gap_y = trace.poses[1, j, 1] - trace.poses[0, i, 1]
    gap_h = _wrap(trace.poses[1, j, 2] - trace.poses[0, i, 2])
    total = 0.0
    time = job.times[0]
    for k in range(i + j):
        if k < i:
            edge, pose = pool.edges[row, 0, k], trace.poses[0, k]
            done = trace.moving[0, k]
            share = done / moving if moving > 0 else 0.0
        else:
            b = i + j - 1 - k  # backward edges count from the goal
            edge, pose = pool.edges[row, 1, b], trace.poses[1, b + 1]
            done = trace.moving[0, i] + trace.moving[1, j] - trace.moving[1, b + 1]
            share = done / moving - 1.0 if moving > 0 else 0.0
        rate = steps.moving[edge] / (moving * stretch) if moving > 0 else 0.0
        offset[0], offset[1], offset[2] = share * gap_x, share * gap_y, share * gap_h
        slope[0], slope[1], slope[2] = rate * gap_x, rate * gap_y, rate * gap_h
        total += edge_depth(steps, world, edge, pose, time, 1.0 / stretch, offset, slope, me, enough - total)
        if total > enough:
            return total
        time += steps.seconds[edge] * stretch
    return total


@kernel()
def _copy(pool, source, target):
    for side in range(2):
        pool.counts[target, side] = pool.counts[source, side]
        pool.joins[target, side] = pool.joins[source, side]
        for k in range(pool.counts[source, side]):
            pool.edges[target, side, k] = pool.edges[source, side, k]
    pool.costs[target] = pool.costs[source]


@kernel()
def _swap(pool, a, b):
    most = max(pool.counts[a, 0], pool.counts[a, 1], pool.counts[b, 0], pool.counts[b, 1])
    for side in range(2):
        for k in range(most):
            pool.edges[a, side, k], pool.edges[b, side, k] = pool.edges[b, side, k], pool.edges[a, side, k]
        pool.counts[a, side], pool.counts[b, side] = pool.counts[b, side], pool.counts[a, side]
        pool.joins[a, side], pool.joins[b, side] = pool.joins[b, side], pool.joins[a, side]
    pool.costs[a], pool.costs[b] = pool.costs[b], pool.costs[a]


@kernel()
def _replace(steps, job, pool, row, side, at, state):
    """Replace an edge by another one with the same ends, more likely one that is like it."""
    old = pool.edges[row, side, at]
    hubs = len(steps.out_first) - 1
    pair = steps.start[old] * hubs + steps.stop[old]
    first, last = steps.pair_first[pair], steps.pair_first[pair + 1]
    total = 0.0
    for edge in range(first, last):
        total += _likeness(steps, job, old, edge)
    left = total * _random(state)
    for edge in range(first, last):
        left -= _likeness(steps, job, old, edge)
        if left <= 0.0:
            pool.edges[row, side, at] = edge
            return
    pool.edges[row, side, at] = last - 1


@kernel()
def _likeness(steps, job, a, b):
    if a == b:
        return 0.0
    dx, dy = steps.move[a, 0] - steps.move[b, 0], steps.move[a, 1] - steps.move[b, 1]
    far = math.sqrt(dx * dx + dy * dy)
    far += job.limits[ALPHA_FACING] * abs(_wrap(steps.move[a, 2] - steps.move[b, 2]))
    far += job.limits[ALPHA_TIME] * abs(steps.seconds[a] - steps.seconds[b])
    return 1.0 / (far + 0.005)  # equal clips would have no distance at all


@kernel()
def _insert(steps, pool, row, side, at, state):
    """Put a way out of a hub and back into it before an edge; nothing where there is no room or no such way."""
    count, most = pool.counts[row, side], pool.edges.shape[2]
    if count + 2 > most:
        return
    edge = pool.edges[row, side, at]
    hub = steps.stop[edge] if side == 1 else steps.start[edge]
    first, last = steps.out_first[hub], steps.out_first[hub + 1]
    out = first + int(_random(state) * (last - first))
    middle, hubs = steps.stop[out], len(steps.out_first) - 1
    first, last = steps.pair_first[middle * hubs + hub], steps.pair_first[middle * hubs + hub + 1]
    if first == last:
        return
    back = first + int(_random(state) * (last - first))
    for k in range(count - 1, at - 1, -1):
        pool.edges[row, side, k + 2] = pool.edges[row, side, k]
    pool.edges[row, side, at] = back if side == 1 else out
    pool.edges[row, side, at + 1] = out if side == 1 else back
    pool.counts[row, side] = count + 2


@kernel()
def _remove(steps, pool, row, side, at):
    """Take out two edges that lead from a hub back to it, or one that leads to itself; nothing where there are none."""
    count = pool.counts[row, side]
    edge = pool.edges[row, side, at]
    size = 0
    if steps.start[edge] == steps.stop[edge]:
        size = 1
    elif at + 1 < count:
        other = pool.edges[row, side, at + 1]
        ends = steps.start[other] == steps.stop[edge] if side == 1 else steps.stop[other] == steps.start[edge]
        size = 2 if ends else 0
    if size == 0 or count - size < 1:
        return
    for k in range(at, count - size):
        pool.edges[row, side, k] = pool.edges[row, side, k + size]
    pool.counts[row, side] = count - size


@kernel(
    STEPS,
    WORLD,
    JOB,
    "int64",
    "int64",
    POOL,
    TRACE,
    "int64",
    "int64",
    "int64",
    "float64",
    "int64",
    writes(1, "int64"),
    writes(2),
    writes(1, "int64"),
)
def search(steps, world, job, hub_start, hub_goal, pool, trace, kept, made, rounds, editing, me, state, spare, counted):
    """Search from the pair in row 0; return the row of a pair that fits and runs into nothing, or −1 − the best one.

    Rows 0 … kept − 1 hold the best pairs, rows kept … kept + made − 1 the ones made of them. `editing` is the share of
    perturbations that insert or take out edges instead of replacing one. `counted` [2] gets pairs tried and collisions.
    """
    offset, slope = spare[0], spare[1]
    _trace(steps, job, hub_start, hub_goal, pool, 0, 0, trace)
    _trace(steps, job, hub_start, hub_goal, pool, 0, 1, trace)
    pool.costs[0] = _join(job, pool, 0, trace)
    counted[0] += 1
    if _fits(job, pool, 0, trace):
        depth = _depth(steps, world, job, pool, 0, trace, me, 5.0, offset, slope)
        if depth == 0.0:
            return 0
        counted[1] += 1
        pool.costs[0] = 1.0 + depth
    have = 1
    for _ in range(rounds):
        for child in range(made):
            row = kept + child
            _copy(pool, int(_random(state) * have), row)
            side = 0 if pool.counts[row, 1] == 0 or (pool.counts[row, 0] > 0 and _random(state) < 0.5) else 1
            if pool.counts[row, side] == 0:
                pool.costs[row] = 1e30
                continue
            at = int(_random(state) * pool.counts[row, side])
            kind = _random(state)
            if kind < 0.5 * editing:
                _insert(steps, pool, row, side, at, state)
            elif kind < editing:
                _remove(steps, pool, row, side, at)
            else:
                _replace(steps, job, pool, row, side, at, state)
            _trace(steps, job, hub_start, hub_goal, pool, row, 0, trace)
            _trace(steps, job, hub_start, hub_goal, pool, row, 1, trace)
            pool.costs[row] = _join(job, pool, row, trace)
            counted[0] += 1
            if _fits(job, pool, row, trace):
                depth = _depth(steps, world, job, pool, row, trace, me, 5.0, offset, slope)
                if depth == 0.0:
                    return row
                counted[1] += 1
                pool.costs[row] = 1.0 + depth
        # The best of old and new; a plain selection, for there are few.
        total = kept + made
        for place in range(min(kept, have + made)):
            best = place
            for row in range(place, total):
                if (row < have or row >= kept) and pool.costs[row] < pool.costs[best]:
                    best = row
            if best != place:
                _swap(pool, place, best)
        have = min(kept, have + made)
    return -1
