"""Poses by words: which hub a mark's pose means, and which frames of edges have it.

The one rule by which the pose of a mark is planned and judged: *a moment of motion has a pose where the clip that plays
has the label of that name, within a frame*. A planner does not look at frames but at hubs. A word means

    the hub of that name; else the first hub in the state that is meant (`hub_states`); else the hub at which one can
    idle with that label

and every edge begins and ends in exactly the pose of its hubs. So an edge is given the word as a label where it is in
that pose: at its first frame where it leaves the hub, at its last where it comes to it, and all along where it leads
back to a hub of rest. Then whatever is planned to be at the hub has the label at that moment (the audit's rule,
`walkon.take.auditing.marks`), whoever passes the hub between two walks, and whatever planting does to the legs.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from walkon._base.errors import UnknownName
from walkon.graphs.snap_together.hub_states import STATE_WORDS
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.motion.clip import Clip

__all__ = ["hub_for", "label_poses"]


def hub_for(graph: SnapGraph, pose: str) -> int:
    """Return the hub that a pose means; `UnknownName` where there is none."""
    if pose in graph.hub_names:
        return graph.hub_names.index(pose)
    if pose in STATE_WORDS and (hubs := np.flatnonzero(graph.states.which(pose))).size:
        return int(hubs[0])
    loops = graph.edges_with(pose) & (graph.edges.start == graph.edges.stop)
    if loops.any():
        return int(graph.edges.start[np.flatnonzero(loops)[0]])
    raise UnknownName.among("pose", pose, graph.hub_names)


def label_poses(graph: SnapGraph, edge: int, poses: Iterable[str]) -> Clip:
    """Return an edge's clip with the words of these poses as labels wherever it is in them."""
    clip = graph.clip(edge)
    start, stop = int(graph.edges.start[edge]), int(graph.edges.stop[edge])
    more = {}
    for pose in sorted(poses):
        hub = hub_for(graph, pose)
        if hub not in (start, stop):
            continue
        own = clip.labels.get(pose, np.zeros(len(clip), bool))
        has = np.array(own)
        has[0] |= start == hub
        has[-1] |= stop == hub
        if start == stop and graph.states.resting[hub]:
            has[:] = True
        if not np.array_equal(has, own):
            more[pose] = has
    return replace(clip, labels={**clip.labels, **more}) if more else clip
