"""The greedy planner of section 3.2, compiled: one motion, edge after edge, through way points. See `greedy_seeds`."""

# mypy: ignore-errors

import math
from typing import NamedTuple

import numpy as np

from walkon._base.jit import group, kernel, reads, writes
from walkon.synthesis.goal_directed._collision_kernels import NO_SHIFT, STEPS, SURROUNDINGS, Placed, edge_depth
from walkon.transforms._kernels import wrap

FACING_COUNTS_WITHIN_M = 2.0
"""m from the last way point within which facing counts; from further away it would stall the planner."""
AS_GOOD_M = 0.6
"""m by which the last motion that ended in the required hub may be worse than the one that went on from it."""
LOOK_AHEAD_M = 0.3
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


SEED_GOAL = group(SeedGoal, reads(2), reads(1), reads(1, "int32"), reads(1, "uint8"))


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


class Target(NamedTuple):
    """What shall come closer: a place, and a facing."""

    x: float
    y: float
    heading: float
    alpha: float
    """m that a radian of facing counts as; 0 where facing does not count yet."""
    ahead: float
    """m before the body of the point that is measured from."""


@kernel(borrowed=True)
def _error(x, y, h, target):
    """Return metres from a point ahead of the body to a target, and what is missing of its facing."""
    dx = x + target.ahead * math.cos(h) - target.x
    dy = y + target.ahead * math.sin(h) - target.y
    far = math.sqrt(dx * dx + dy * dy)
    return far + target.alpha * abs(wrap(h - target.heading)) if target.alpha > 0.0 else far


@kernel(borrowed=True)
def _choose(steps, world, wanted, stage, hub, here, target, now, me, blind, backward):
    """Return the edge after which the error is the smallest, without collision and below what it is `now`; −1 for none.

    `here` is where and when it begins. On the way (the target's `ahead` is not 0) it is the one that makes the error
    fall the fastest, for edges last from half a second to four. By the fewest edges it may rise.
    """
    hubs = len(wanted.open)
    best, chosen = now, -1
    if target.ahead != 0.0:
        best = 0.0
    elif stage == FEWEST:
        best = np.inf
    for there in range(hubs):
        if wanted.open[there] == 0 or (stage == FEWEST and wanted.hops[there] != wanted.hops[hub] - 1):
            continue
        if stage < FEWEST and wanted.open[there] == 1:
            continue
        if stage == THERE and there != hub:
            continue
        pair = there * hubs + hub if backward else hub * hubs + there
        for edge in range(steps.pair_first[pair], steps.pair_first[pair + 1]):
            px, py, ph = _played(steps, edge, here.x, here.y, here.heading, backward)
            error = _error(px, py, ph, target)
            if target.ahead != 0.0:
                error = (error - now) / steps.seconds[edge]
            if error >= best:
                continue
            if blind == 0:
                placed = Placed(px, py, ph, here.begin - steps.seconds[edge], 1.0) if backward else here
                if edge_depth(steps, world, edge, placed, NO_SHIFT, me, 0.0) > 0.0:
                    continue
            best, chosen = error, edge
    return chosen


@kernel(
    STEPS,
    SURROUNDINGS,
    SEED_GOAL,
    "int64",
    reads(1),
    "float64",
    "boolean",
    "float64",
    "int64",
    writes(1, "int32"),
    borrowed=True,
)
def grow(steps, world, wanted, hub, pose, time, backward, weight, me, edges):
    """Fill edges [L] with a motion from a hub at a planar pose [3] at `time` s on; return how many there are.

    Backward it runs into the past and edges count from where it ends. `weight` is metres per radian of facing.
    """
    points, most = len(wanted.way), len(edges)
    free = math.isnan(wanted.target[2])
    x, y, h, when = pose[0], pose[1], pose[2], time
    at, stage, alpha = 0, PASSING, 0.0
    ahead = 0.0  # the first way point is where it begins
    count, best_count, best_error = 0, -1, np.inf
    tx, ty, th = wanted.way[0, 0], wanted.way[0, 1], wanted.target[2]
    while count < most:
        if stage == PASSING and at == points - 1:
            stage = LAST
        if stage < FEWEST:
            tx, ty = wanted.way[at, 0], wanted.way[at, 1]
            if stage == LAST and _error(x, y, h, Target(tx, ty, th, 0.0, 0.0)) < FACING_COUNTS_WITHIN_M:
                alpha, ahead = 0.0 if free else weight, 0.0
        here, target = Placed(x, y, h, when, 1.0), Target(tx, ty, th, alpha, ahead)
        now = _error(x, y, h, target)
        if stage == LAST and wanted.hops[hub] == 0:
            best_count, best_error = count, now
        if stage == FEWEST and wanted.hops[hub] <= 0:
            if wanted.hops[hub] < 0:
                break
            stage = THERE
        edge = -1
        for blind in range(2 if stage == FEWEST else 1):
            if edge < 0:
                edge = _choose(steps, world, wanted, stage, hub, here, target, now, me, blind, backward)
        if edge < 0:
            if stage == PASSING:
                at += 1
                ahead = -LOOK_AHEAD_M if backward else LOOK_AHEAD_M
                continue
            if stage >= FEWEST:
                break
            if best_count >= 0 and best_error <= now + AS_GOOD_M:
                return best_count
            tx, ty = wanted.target[0], wanted.target[1]
            alpha, ahead = 0.0 if free else weight, 0.0
            stage = FEWEST
            continue
        edges[count] = edge
        count += 1
        x, y, h = _played(steps, edge, x, y, h, backward)
        when += -steps.seconds[edge] if backward else steps.seconds[edge]
        hub = steps.start[edge] if backward else steps.stop[edge]
    return count
