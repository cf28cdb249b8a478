"""Idling: idle edges of a hub one after another fill a span of time, each corrected for its drift.

An idle edge ends a few millimetres from where it began; it is displaced by as much, evenly, so that nobody drifts who
holds a mark. Which ones, chance decides, but for those that somebody beside begins at about the same time: two who
shift their weight together look like copies. Metres, seconds, radians.
"""

from math import inf

import numpy as np

from walkon._base.arrays import Array
from walkon.graphs.walk import Walk
from walkon.synthesis.goal_directed.plan_graph import PlanGraph

__all__ = ["idle_walk"]

APART_S = 0.22
"""s between the beginnings of one rest by two people beside each other."""
SPARE_S = 0.4
"""s by which waiting may be longer than the shortest that would do, for the sake of variety."""


def idle_walk(
    graph: PlanGraph,
    hub: int,
    *,
    pose: Array,
    start: float,
    seconds: float,
    rng: np.random.Generator,
    nearby: Walk | None = None,
    room: float = inf,
) -> Walk | None:
    """Return idle edges at a hub for at least so many seconds, hardly any more than needed; None if the hub has none.

    `nearby` is what people beside play at that time. Rests whose arms reach further than `room` m are left out, or all
    but those that reach least.
    """
    idle = graph.idle_edges[hub]
    if not len(idle):
        return None
    reach = graph.arm_reach[idle]
    idle = idle[reach <= max(room, float(reach.min()))]
    lengths = graph.steps.seconds[idle]
    chosen: list[int] = []
    left = seconds
    while left > 1e-9:
        suits = np.ones(len(idle), bool)
        if nearby is not None:
            now = nearby.edge[np.abs(nearby.start - (start + seconds - left)) < APART_S]
            copies = (graph.edges[idle][:, None] == now).sum(axis=1)
            suits = copies == copies.min()
        if left < 2 * lengths.max():
            # What is too long or leaves a remainder that no rest fits is worse.
            after = left - lengths
            over = np.where(after <= 1e-9, -after, np.where(after < lengths.min(), lengths.min() - after, 0.0))
            suits &= over <= over[suits].min() + SPARE_S
        k = int(rng.choice(np.flatnonzero(suits)))
        chosen.append(int(idle[k]))
        left -= float(lengths[k])
    edges = np.array(chosen, dtype=np.int64)
    times = start + np.concatenate([[0.0], np.cumsum(graph.steps.seconds[edges])])
    c, s = np.cos(pose[2]), np.sin(pose[2])
    move = graph.steps.move[edges]
    back = -np.column_stack([c * move[:, 0] - s * move[:, 1], s * move[:, 0] + c * move[:, 1], move[:, 2]])
    return graph.walk(
        edges,
        starts=times,
        poses=np.tile(pose, (len(edges), 1)),
        offsets=np.zeros((len(edges), 3)),
        slopes=back / graph.steps.seconds[edges][:, None],
    )
