"""The greedy planner in plain Python: what `_greedy_kernels.grow` is held equal to. Slow."""

import math
from typing import Any

import numpy as np

from twins.collisions import edge_depth
from walkon._base.arrays import Array
from walkon.synthesis.goal_directed.plan_graph import Steps

__all__ = ["errors", "grow", "played"]


def played(move: Array, pose: Array, *, backward: bool) -> Array:
    """Return the planar poses [n, 3] after displacements [n, 3] from a pose [3], or before them."""
    heading = pose[2] - move[:, 2] if backward else np.full(len(move), pose[2])
    c, s = np.cos(heading), np.sin(heading)
    step = np.column_stack([c * move[:, 0] - s * move[:, 1], s * move[:, 0] + c * move[:, 1]])
    if backward:
        return np.column_stack([pose[:2] - step, heading])
    return np.column_stack([pose[:2] + step, heading + move[:, 2]])


def errors(poses: Array, target: Array, alpha: float, ahead: float) -> Array:
    """Return metres [n] from points `ahead` of poses [n, 3] to a target [3], and alpha metres per radian of facing."""
    points = poses[:, :2] + ahead * np.column_stack([np.cos(poses[:, 2]), np.sin(poses[:, 2])])
    far = np.hypot(points[:, 0] - target[0], points[:, 1] - target[1])
    if alpha <= 0.0:
        return far
    return far + alpha * np.abs(np.mod(poses[:, 2] - target[2] + np.pi, 2 * np.pi) - np.pi)


def grow(
    steps: Steps,
    world: Any,
    seed_goal: Any,
    hub: int,
    pose: Array,
    time: float,
    backward: bool,
    weight: float,
    me: int,
    most: int,
) -> list[int]:
    """Return the edges of a motion of at most so many, as the kernel makes it."""
    from walkon.synthesis.goal_directed._greedy_kernels import AS_GOOD_M, FACING_COUNTS_WITHIN_M, LOOK_AHEAD_M

    here, there = (steps.stop, steps.start) if backward else (steps.start, steps.stop)
    free = math.isnan(seed_goal.target[2])
    at, stage, alpha, ahead, when = 0, "passing", 0.0, 0.0, time
    pose = np.array(pose, dtype=np.float64)
    made: list[int] = []
    stored: tuple[int, float] | None = None
    while len(made) < most:
        if stage == "passing" and at == len(seed_goal.way) - 1:
            stage = "last"
        gone = stage in ("fewest", "there")
        target = seed_goal.target if gone else np.append(seed_goal.way[at], seed_goal.target[2])
        if stage == "last" and errors(pose[None], target, 0.0, 0.0)[0] < FACING_COUNTS_WITHIN_M:
            alpha, ahead = (0.0 if free else weight), 0.0
        now = float(errors(pose[None], target, alpha, ahead)[0])
        if stage == "last" and seed_goal.hops[hub] == 0:
            stored = (len(made), now)
        if stage == "fewest" and seed_goal.hops[hub] < 0:
            break
        if stage == "fewest" and seed_goal.hops[hub] == 0:
            stage = "there"
        choices = np.flatnonzero(here == hub)
        ends = there[choices]
        if stage == "fewest":
            choices = choices[(seed_goal.open[ends] > 0) & (seed_goal.hops[ends] == seed_goal.hops[hub] - 1)]
        elif stage == "there":
            choices = choices[(seed_goal.open[ends] > 0) & (ends == hub)]
        else:
            choices = choices[seed_goal.open[ends] == 2]
        # Hub by hub and edge by edge, so that ties fall alike.
        choices = choices[np.lexsort((choices, there[choices]))]
        poses = played(steps.move[choices], pose, backward=backward)
        error = errors(poses, target, alpha, ahead)
        if ahead:
            # On the way: what makes it fall the fastest.
            error, now = (error - now) / steps.seconds[choices], 0.0
        chosen = -1
        for k in np.argsort(error, kind="stable").tolist():
            if stage != "fewest" and error[k] >= now:
                break
            edge = int(choices[k])
            begin = when - steps.seconds[edge] if backward else when
            if edge_depth(steps, world, edge, poses[k] if backward else pose, begin=begin, me=me) == 0.0:
                chosen = k
                break
        if chosen < 0 and stage == "fewest" and len(choices):
            chosen = int(np.argmin(error))
        if chosen < 0:
            if stage == "passing":
                at += 1
                ahead = -LOOK_AHEAD_M if backward else LOOK_AHEAD_M
                continue
            if gone:
                break
            if stored is not None and stored[1] <= now + AS_GOOD_M:
                return made[: stored[0]]
            alpha, ahead, stage = (0.0 if free else weight), 0.0, "fewest"
            continue
        edge = int(choices[chosen])
        made.append(edge)
        pose = poses[chosen]
        when += -steps.seconds[edge] if backward else steps.seconds[edge]
        hub = int(there[edge])
    return made
