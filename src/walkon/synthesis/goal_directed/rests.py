"""Waiting: rests of a hub one after another, each as recorded, all told in the same place.

A rest ends a few millimetres from where it began; it is displaced by as much, evenly, so that nobody drifts who holds a
mark. Metres, seconds, radians.
"""

import numpy as np

from walkon._base.arrays import Array
from walkon.synthesis.goal_directed.plan_graph import PlanGraph
from walkon.synthesis.goal_directed.planner import Plan

__all__ = ["rest_plan"]


def rest_plan(
    graph: PlanGraph, hub: int, *, pose: Array, start: float, seconds: float, rng: np.random.Generator
) -> Plan | None:
    """Return rests at a hub for at least so many seconds, and as few more as can be; None if the hub has none."""
    rests = graph.rests[hub]
    if not len(rests):
        return None
    lengths = graph.steps.seconds[rests]
    chosen: list[int] = []
    left = seconds
    while left > 1e-9:
        k = int(rng.integers(len(rests)))
        if left < 2 * lengths.max():
            over = np.where(lengths >= left - 1e-9, lengths - left, 10.0 + left - lengths)
            k = int(np.argmin(over + (0.0 if left < lengths.max() else rng.uniform(0, 1, len(rests)))))
        chosen.append(int(rests[k]))
        left -= float(lengths[k])
    edges = np.array(chosen, dtype=np.int64)
    times = start + np.concatenate([[0.0], np.cumsum(graph.steps.seconds[edges])])
    c, s = np.cos(pose[2]), np.sin(pose[2])
    move = graph.steps.move[edges]
    back = -np.column_stack([c * move[:, 0] - s * move[:, 1], s * move[:, 0] + c * move[:, 1], move[:, 2]])
    return Plan(
        edges=edges,
        poses=np.tile(pose, (len(edges), 1)),
        offsets=np.zeros((len(edges), 3)),
        slopes=back / graph.steps.seconds[edges][:, None],
        starts=times,
        rate=1.0,
    )
