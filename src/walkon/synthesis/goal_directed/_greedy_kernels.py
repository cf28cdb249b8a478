"""The greedy planner of section 3.2, compiled: one motion, edge after edge, through way points. See `greedy_seeds`."""

# mypy: ignore-errors

import math
from typing import NamedTuple

import numpy as np

from walkon._base.jit import group, kernel, reads, writes
from walkon.synthesis.goal_directed._collision_kernels import STEPS, SURROUNDINGS, edge_depth
from walkon.transforms._kernels import wrap

NEAR = 2.0
"""m from the last way point within which facing counts; from further away it would stall the planner."""
AS_GOOD = 0.6
"""m by which the last motion that ended in the required hub may be worse than the one that went on from it."""
AHEAD = 0.3
"""m before the body (backward: behind it) of the point that shall come closer: so turning towards it counts."""
PASSING, LAST, FEWEST, THERE = 0, 1, 2, 3
"""Towards a way point; towards the last one; by the fewest edges to the required hub; round in it."""


class SeedGoal(NamedTuple):
    """Where one motion shall lead, seen from where it begins: a backward one leads from the goal to the start."""

    way: np.ndarray
    """[P, 2] way points."""
    target: np.ndarray
    """[3] planar pose at the end; a heading that is NaN is free."""
    hops: np.ndarray
    """[H] edges that it takes at least from each hub to the required one; all −1 when no pose is required."""
    open: np.ndarray
    """[H] 2 for hubs of the character's state, 1 for those only left, or entered last (seats), 0 for others."""


ERRAND = group(SeedGoal, reads(2), reads(1), reads(1, "int32"), reads(1, "uint8"))


@kernel(borrowed=True)
def _played(steps, edge, x, y, h, backward):
    """Return the planar pose after an edge, or before it."""
    mx, my, mh = steps.move[edge, 0], steps.move[edge, 1], steps.move[edge, 2]
    if backward:
        h -= mh
        c, s = math.cos(h), math.sin(h)
        return x - c * mx + s * my, y - s * mx - c * my, h
    c, s = math.cos(h), math.sin(h)
    return x + c * mx - s * my, y + s * mx + c * my, h + mh


@kernel(borrowed=True)
def _error(x, y, h, tx, ty, th, alpha, ahead):
    """Return metres from a point `ahead` of the body to a target, and `alpha` metres per radian of facing."""
    dx, dy = x + ahead * math.cos(h) - tx, y + ahead * math.sin(h) - ty
    far = math.sqrt(dx * dx + dy * dy)
    return far + alpha * abs(wrap(h - th)) if alpha > 0.0 else far


@kernel(borrowed=True)
def _choose(steps, world, errand, stage, hub, x, y, h, when, tx, ty, th, alpha, ahead, now, me, blind, backward):
    """Return the edge after which the error is the smallest, without collision and below what it is `now`; −1 for none.

    On the way (`ahead` is not 0) it is the one that makes it fall the fastest, for edges last from half a second to
    four. By the fewest edges it may rise.
    """
    hubs = len(errand.open)
    best, chosen = now, -1
    if ahead != 0.0:
        best = 0.0
    elif stage == FEWEST:
        best = np.inf
    for there in range(hubs):
        if errand.open[there] == 0 or (stage == FEWEST and errand.hops[there] != errand.hops[hub] - 1):
            continue
        if stage < FEWEST and errand.open[there] == 1:
            continue
        if stage == THERE and there != hub:
            continue
        pair = there * hubs + hub if backward else hub * hubs + there
        for edge in range(steps.pair_first[pair], steps.pair_first[pair + 1]):
            px, py, ph = _played(steps, edge, x, y, h, backward)
            error = _error(px, py, ph, tx, ty, th, alpha, ahead)
            if ahead != 0.0:
                error = (error - now) / steps.seconds[edge]
            if error >= best:
                continue
            if blind == 0:
                bx, by, bh, begin = x, y, h, when
                if backward:
                    bx, by, bh, begin = px, py, ph, when - steps.seconds[edge]
                depth = edge_depth(steps, world, edge, bx, by, bh, begin, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, me, 0.0)
                if depth > 0.0:
                    continue
            best, chosen = error, edge
    return chosen


@kernel(
    STEPS,
    SURROUNDINGS,
    ERRAND,
    "int64",
    reads(1),
    "float64",
    "boolean",
    "float64",
    "int64",
    writes(1, "int32"),
    borrowed=True,
)
def grow(steps, world, errand, hub, pose, time, backward, weight, me, edges):
    """Fill edges [L] with a motion from a hub at a planar pose [3] at `time` s on; return how many there are.

    Backward it runs into the past and edges count from where it ends. `weight` is metres per radian of facing.
    """
    points, most = len(errand.way), len(edges)
    free = math.isnan(errand.target[2])
    x, y, h, when = pose[0], pose[1], pose[2], time
    at, stage, alpha = 0, PASSING, 0.0
    ahead = 0.0  # the first way point is where it begins
    count, best_count, best_error = 0, -1, np.inf
    tx, ty, th = errand.way[0, 0], errand.way[0, 1], errand.target[2]
    while count < most:
        if stage == PASSING and at == points - 1:
            stage = LAST
        if stage < FEWEST:
            tx, ty = errand.way[at, 0], errand.way[at, 1]
            if stage == LAST and _error(x, y, h, tx, ty, th, 0.0, 0.0) < NEAR:
                alpha, ahead = 0.0 if free else weight, 0.0
        now = _error(x, y, h, tx, ty, th, alpha, ahead)
        if stage == LAST and errand.hops[hub] == 0:
            best_count, best_error = count, now
        if stage == FEWEST and errand.hops[hub] <= 0:
            if errand.hops[hub] < 0:
                break
            stage = THERE
        edge = -1
        for blind in range(2 if stage == FEWEST else 1):
            if edge < 0:
                edge = _choose(
                    steps,
                    world,
                    errand,
                    stage,
                    hub,
                    x,
                    y,
                    h,
                    when,
                    tx,
                    ty,
                    th,
                    alpha,
                    ahead,
                    now,
                    me,
                    blind,
                    backward,
                )
        if edge < 0:
            if stage == PASSING:
                at += 1
                ahead = -AHEAD if backward else AHEAD
                continue
            if stage >= FEWEST:
                break
            if best_count >= 0 and best_error <= now + AS_GOOD:
                return best_count
            tx, ty = errand.target[0], errand.target[1]
            alpha, ahead = 0.0 if free else weight, 0.0
            stage = FEWEST
            continue
        edges[count] = edge
        count += 1
        x, y, h = _played(steps, edge, x, y, h, backward)
        when += -steps.seconds[edge] if backward else steps.seconds[edge]
        hub = steps.start[edge] if backward else steps.stop[edge]
    return count
