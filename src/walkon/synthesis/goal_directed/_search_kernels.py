"""The randomized search, compiled: pairs of motions are perturbed until they can be joined within the tolerance.

See `search` for the method and the names; forward motions run from the start, backward ones from the goal back.
"""

# mypy: ignore-errors

import math
from typing import NamedTuple

import numpy as np

from walkon._base._chance_kernels import draw
from walkon._base.jit import group, kernel, writes
from walkon.planning.occupancy_rule import BIN_S
from walkon.synthesis.goal_directed._collision_kernels import STEPS, SURROUNDINGS, Placed, Shift, edge_depth
from walkon.synthesis.goal_directed._join_kernels import (
    ALPHA_FACING,
    ALPHA_TIME,
    JOB,
    POOL,
    join_cost,
    join_fits,
    late_by,
)
from walkon.transforms._kernels import compose_planar, undo_planar, wrap

MAX_DEPTH_M = 2.0
"""m of depth, summed over bins, from which on nobody cares how much deeper it is."""


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


class Effort(NamedTuple):
    """How long a search goes on (the paper's k_m, n_m and N_max), and how it perturbs."""

    kept: int
    """Pairs that go on from one round to the next."""
    made: int
    """Pairs made in a round."""
    rounds: int
    yielding: int
    """Rounds at most where something fits but runs into others."""
    editing: float
    """Share of perturbations that insert or take out edges instead of replacing one."""


EFFORT = group(Effort, "int64", "int64", "int64", "int64", "float64")


@kernel(borrowed=True)
def _trace(steps, job, pool, row, side, trace):
    """Lay out one motion of a pair."""
    pose = job.goal if side == 1 else job.start
    for a in range(3):
        trace.poses[side, 0, a] = pose[a]
    trace.hubs[side, 0] = job.hubs[side]
    trace.seconds[side, 0] = 0.0
    trace.moving[side, 0] = 0.0
    for k in range(pool.counts[row, side]):
        edge = pool.edges[row, side, k]
        if side == 1:
            undo_planar(trace.poses[side, k], steps.move[edge], trace.poses[side, k + 1])
            trace.hubs[side, k + 1] = steps.start[edge]
        else:
            compose_planar(trace.poses[side, k], steps.move[edge], trace.poses[side, k + 1])
            trace.hubs[side, k + 1] = steps.stop[edge]
        trace.seconds[side, k + 1] = trace.seconds[side, k] + steps.seconds[edge]
        trace.moving[side, k + 1] = trace.moving[side, k] + steps.seconds[edge] * steps.moving[edge]


@kernel(borrowed=True)
def _join(job, pool, row, trace):
    """Find the best place to join a pair (equation 2), note it, and return its cost; infinite without a common hub."""
    best = np.inf
    pool.joins[row, 0], pool.joins[row, 1] = -1, -1
    for i in range(pool.counts[row, 0], -1, -1):
        hub = trace.hubs[0, i]
        for j in range(pool.counts[row, 1], -1, -1):
            if trace.hubs[1, j] != hub or i + j == 0:
                continue
            cost = join_cost(
                job,
                trace.poses[0, i],
                trace.poses[1, j],
                trace.seconds[0, i] + trace.seconds[1, j],
                trace.moving[0, i] + trace.moving[1, j],
            )
            if cost < best:
                best = cost
                pool.joins[row, 0], pool.joins[row, 1] = i, j
    return best


@kernel(borrowed=True)
def _fits(job, pool, row, trace):
    """Say whether the join of a pair is within every tolerance, each on its own."""
    i, j = pool.joins[row, 0], pool.joins[row, 1]
    return i >= 0 and join_fits(
        job,
        trace.poses[0, i],
        trace.poses[1, j],
        trace.seconds[0, i] + trace.seconds[1, j],
        trace.moving[0, i] + trace.moving[1, j],
    )


@kernel(borrowed=True)
def _depth(steps, world, job, pool, row, trace, me, enough):
    """Return how deep (m, summed over bins) the joined, adjusted motion runs into things."""
    i, j = pool.joins[row, 0], pool.joins[row, 1]
    moving = trace.moving[0, i] + trace.moving[1, j]
    seconds = trace.seconds[0, i] + trace.seconds[1, j]
    stretch = (seconds + late_by(job, seconds)) / seconds if seconds > 0 else 1.0
    gap_x = trace.poses[1, j, 0] - trace.poses[0, i, 0]
    gap_y = trace.poses[1, j, 1] - trace.poses[0, i, 1]
    gap_h = wrap(trace.poses[1, j, 2] - trace.poses[0, i, 2])
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
        placed = Placed(pose[0], pose[1], pose[2], time, 1.0 / stretch)
        shift = Shift(share * gap_x, share * gap_y, share * gap_h, rate * gap_x, rate * gap_y, rate * gap_h)
        total += edge_depth(steps, world, edge, placed, shift, me, enough - total)
        if total > enough:
            return total
        time += steps.seconds[edge] * stretch
    bins = len(job.stay) - 1
    if bins > 0:
        first = int(math.ceil(time / BIN_S - 1e-9)) - job.stay_at[0]
        last = min(max(first + job.stay_at[1], 0), bins)
        total += job.stay[last] - job.stay[min(max(first, 0), bins)]
    return total


@kernel(borrowed=True)
def _copy(pool, source, target):
    for side in range(2):
        pool.counts[target, side] = pool.counts[source, side]
        pool.joins[target, side] = pool.joins[source, side]
        for k in range(pool.counts[source, side]):
            pool.edges[target, side, k] = pool.edges[source, side, k]
    pool.costs[target] = pool.costs[source]


@kernel(borrowed=True)
def _swap(pool, a, b):
    most = max(pool.counts[a, 0], pool.counts[a, 1], pool.counts[b, 0], pool.counts[b, 1])
    for side in range(2):
        for k in range(most):
            pool.edges[a, side, k], pool.edges[b, side, k] = pool.edges[b, side, k], pool.edges[a, side, k]
        pool.counts[a, side], pool.counts[b, side] = pool.counts[b, side], pool.counts[a, side]
        pool.joins[a, side], pool.joins[b, side] = pool.joins[b, side], pool.joins[a, side]
    pool.costs[a], pool.costs[b] = pool.costs[b], pool.costs[a]


@kernel(borrowed=True)
def _replace(steps, job, pool, row, side, at, state):
    """Replace an edge by another one with the same ends, more likely one that is like it."""
    old = pool.edges[row, side, at]
    hubs = steps.branch_first.shape[1] - 1
    pair = steps.start[old] * hubs + steps.stop[old]
    first, last = steps.pair_first[pair], steps.pair_first[pair + 1]
    total = 0.0
    for edge in range(first, last):
        total += _likeness(steps, job, old, edge)
    left = total * draw(state)
    for edge in range(first, last):
        left -= _likeness(steps, job, old, edge)
        if left <= 0.0:
            pool.edges[row, side, at] = edge
            return
    pool.edges[row, side, at] = last - 1


@kernel(borrowed=True)
def _likeness(steps, job, a, b):
    if a == b:
        return 0.0
    dx, dy = steps.move[a, 0] - steps.move[b, 0], steps.move[a, 1] - steps.move[b, 1]
    far = math.sqrt(dx * dx + dy * dy)
    far += job.limits[ALPHA_FACING] * abs(wrap(steps.move[a, 2] - steps.move[b, 2]))
    far += job.limits[ALPHA_TIME] * abs(steps.seconds[a] - steps.seconds[b])
    return 1.0 / (far + 0.005)  # equal clips would have no distance at all


@kernel(borrowed=True)
def _leads_to(steps, start, stop):
    """Say whether motions choose edges from one hub to another on their way."""
    for k in range(steps.branch_first[0, start], steps.branch_first[0, start + 1]):
        if steps.stop[steps.branch_edges[0, k]] == stop:
            return True
    return False


@kernel(borrowed=True)
def _insert(steps, pool, row, side, at, state):
    """Put a way out of a hub and back into it before an edge; nothing where there is no room or no such way.

    There is none back to a seat: nobody sits down on the way.
    """
    count, most = pool.counts[row, side], pool.edges.shape[2]
    if count + 2 > most:
        return
    edge = pool.edges[row, side, at]
    hub = steps.stop[edge] if side == 1 else steps.start[edge]
    first, last = steps.branch_first[0, hub], steps.branch_first[0, hub + 1]
    if first == last:
        return
    out = steps.branch_edges[0, first + int(draw(state) * (last - first))]
    middle, hubs = steps.stop[out], steps.branch_first.shape[1] - 1
    first, last = steps.pair_first[middle * hubs + hub], steps.pair_first[middle * hubs + hub + 1]
    if first == last or not _leads_to(steps, middle, hub):
        return
    back = first + int(draw(state) * (last - first))
    for k in range(count - 1, at - 1, -1):
        pool.edges[row, side, k + 2] = pool.edges[row, side, k]
    pool.edges[row, side, at] = back if side == 1 else out
    pool.edges[row, side, at + 1] = out if side == 1 else back
    pool.counts[row, side] = count + 2


@kernel(borrowed=True)
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


@kernel(borrowed=True)
def _judged(steps, world, job, pool, row, trace, me, counted):
    """Lay a pair out, join it, and note its cost: under 1 of what fits, more with depth; say whether it is done."""
    _trace(steps, job, pool, row, 0, trace)
    _trace(steps, job, pool, row, 1, trace)
    pool.costs[row] = _join(job, pool, row, trace)
    counted[0] += 1
    if not _fits(job, pool, row, trace):
        pool.costs[row] += 3.0
        return False
    depth = _depth(steps, world, job, pool, row, trace, me, MAX_DEPTH_M)
    if depth == 0.0:
        return True
    counted[1] += 1
    # What fits but runs into others is one of the best starting points: it only has to give way.
    pool.costs[row] = 0.3 * pool.costs[row] + depth
    return False


@kernel(
    STEPS,
    SURROUNDINGS,
    JOB,
    POOL,
    TRACE,
    "int64",
    EFFORT,
    "int64",
    writes(1, "int64"),
    writes(1, "int64"),
    borrowed=True,
)
def search(steps, world, job, pool, trace, have, effort, me, state, counted):
    """Search from the pairs in rows 0 … have − 1; return the row of a pair that fits and runs into nothing, or −1.

    Rows 0 … kept − 1 hold the best pairs, rows kept … kept + made − 1 the ones made of them. Where a pair fits but runs
    into others, a better guide helps more than chance: there are at most `yielding` rounds then. `counted` [2] gets
    pairs tried and collisions. Without success the cheapest pair is left in row 0.
    """
    kept, made, rounds, editing = effort.kept, effort.made, effort.rounds, effort.editing
    collided = counted[1]
    for row in range(have):
        if _judged(steps, world, job, pool, row, trace, me, counted):
            return row
    if counted[1] > collided:
        rounds = min(rounds, effort.yielding)
    for _ in range(rounds):
        if have == 0:
            break
        for child in range(made):
            row = kept + child
            _copy(pool, int(draw(state) * have), row)
            side = 0 if pool.counts[row, 1] == 0 or (pool.counts[row, 0] > 0 and draw(state) < 0.5) else 1
            if pool.counts[row, side] == 0:
                pool.costs[row] = np.inf
                continue
            at = int(draw(state) * pool.counts[row, side])
            kind = draw(state)
            if kind < 0.5 * editing:
                _insert(steps, pool, row, side, at, state)
            elif kind < editing:
                _remove(steps, pool, row, side, at)
            else:
                _replace(steps, job, pool, row, side, at, state)
            parent = pool.costs[row]
            if _judged(steps, world, job, pool, row, trace, me, counted):
                return row
            if pool.costs[row] == parent:
                pool.costs[row] = np.inf  # nothing has changed; the pool keeps one of a kind
        # The best of old and new; a plain selection, for there are few.
        for row in range(have, kept):
            pool.costs[row] = np.inf
            pool.counts[row, 0], pool.counts[row, 1] = 0, 0
        for place in range(kept):
            best = place
            for row in range(place + 1, kept + made):
                if pool.costs[row] < pool.costs[best]:
                    best = row
            if pool.costs[best] == np.inf:
                break
            if best != place:
                _swap(pool, place, best)
            have = max(have, place + 1)
    return -1
