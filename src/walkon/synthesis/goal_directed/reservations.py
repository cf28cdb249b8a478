"""What a walk takes up: its discs on the floor at every bin of time, for others to stay away from.

The same rule as in the collision kernel: planar samples of an edge are mixed evenly, discs are those of the sample
before. Metres, seconds.
"""

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.graphs.walk import Walk
from walkon.planning.occupancy import BIN_S
from walkon.synthesis.goal_directed.plan_graph import PlanGraph

__all__ = ["places_at", "reservations"]


def places_at(graph: PlanGraph, walk: Walk, times: Array) -> tuple[Array, IntArray]:
    """Return planar poses [n, 3] of a walk at times [n], and the samples [n] of the graph that they lie in.

    Before its start and after its end it stays where it begins and ends.
    """
    steps = graph.steps
    times = np.clip(times, walk.start[0], walk.stop[-1])
    at = np.maximum(np.searchsorted(walk.start, times, side="right") - 1, 0)
    since = times - walk.start[at]
    edge = graph.rows[walk.edge[at]]
    first, last = steps.sample_first[edge], steps.sample_first[edge + 1] - 1
    u = since * walk.rate[at, 0] / BIN_S
    row = np.minimum(first + u.astype(np.int64), last)
    after = np.minimum(row + 1, last)
    part = u - (row - first)
    # The last sample of an edge is its end, less than a whole tick after the one before.
    rest = steps.seconds[edge] / steps.tick[0] - (last - 1 - first)
    part = np.clip(np.where(after == last, part / np.maximum(rest, 1e-9), part), 0.0, 1.0)[:, None]
    local = steps.places[row] + part * (steps.places[after].astype(np.float64) - steps.places[row])
    pose = walk.place[at]
    c, s = np.cos(pose[:, 2]), np.sin(pose[:, 2])
    offset = walk.offset[at, 0] + walk.slope[at, 0] * since[:, None]
    x = pose[:, 0] + c * local[:, 0] - s * local[:, 1] + offset[:, 0]
    y = pose[:, 1] + s * local[:, 0] + c * local[:, 1] + offset[:, 1]
    return np.column_stack([x, y, pose[:, 2] + local[:, 2] + offset[:, 2]]), row


def reservations(graph: PlanGraph, walk: Walk, *, until: float) -> tuple[IntArray, Array]:
    """Return bins [n] and discs [n, 3] = (x, y, r) of a walk, which stays at its end `until` some second."""
    bins = np.arange(int(np.ceil(walk.start[0] / BIN_S - 1e-9)), int(np.floor(until / BIN_S + 1e-9)) + 1)
    places, row = places_at(graph, walk, BIN_S * bins.astype(np.float64))
    discs = graph.steps.discs[row].astype(np.float64)
    c, s = np.cos(places[:, 2])[:, None], np.sin(places[:, 2])[:, None]
    x = places[:, :1] + c * discs[..., 0] - s * discs[..., 1]
    y = places[:, 1:2] + s * discs[..., 0] + c * discs[..., 1]
    found = np.stack([x, y, discs[..., 2]], axis=-1).reshape(-1, 3)
    there = found[:, 2] > 0
    return np.repeat(bins, 3)[there], found[there]
