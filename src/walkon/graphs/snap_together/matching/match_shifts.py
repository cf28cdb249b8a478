"""How far hubs move the source's roots: what the angles of `SnapGraph.displacements` do not show.

A match frame's root is moved to where the common pose has it. An edge whose feet stay planted all along ends where
these feet want its stop hub (`linked`), which may lie elsewhere than its match frame asks for, by a link's shift.

Metres, radians.
"""

import numpy as np

from walkon._base.arrays import Array
from walkon.graphs.snap_together.cutting.common_pose import moved
from walkon.graphs.snap_together.cutting.displacement import Frames
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.transforms import planar

__all__ = ["link_shifts", "root_shifts"]


def root_shifts(graph: SnapGraph) -> Array:
    """Return [M] metres from each match frame's root to that of the common pose in its place."""
    hub = graph.matches.hub
    target = moved(graph.matches.pose, Frames(graph.roots[hub], graph.rotations[hub]))
    source = graph.source.root_positions[graph.source.starts[graph.matches.clip] + graph.matches.frame]
    return np.asarray(np.linalg.norm(target.roots - source, axis=1))


def link_shifts(graph: SnapGraph) -> Array:
    """Return [E, 2] metres and radians from where each edge's last match frame has the stop hub to where it lies."""
    places = graph.matches.pose
    stops = planar.compose(places[graph.edges.first_match], graph.edges.displacement)
    apart = planar.relative(places[graph.edges.last_match], stops)
    return np.column_stack([np.linalg.norm(apart[:, :2], axis=1), np.abs(apart[:, 2])])
