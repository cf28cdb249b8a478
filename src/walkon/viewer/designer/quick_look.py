"""Preview of a design without building it: its edges, and roughly how far match frames would have to be bent.

Edges follow from match frames alone (`pairing`), so they are those of the built graph, row by row; which
ones further copies of the clips add depends on how far they turn, and is off by the few that turn by just that much.
What bending costs is taken from the mean pose of each match set, without alignment beyond the heading and without
planting feet:

    angle of joint j in match frame k  =  angle(q_kj, mean over the set of q_j)

Metres, seconds, radians.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.components import components_of
from walkon.graphs.snap_together.matching.match_sets import MatchSet, stack_sets
from walkon.graphs.snap_together.matching.pairing import RESTING_BELOW_M_S, pairs_with_copies, primary_matches
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.transforms import planar
from walkon.viewer.designer.material import Material

__all__ = ["QuickLook", "quick_look"]


class QuickLook(NamedTuple):
    """M match frames, sorted by hub, then clip, then time; E edges, sorted by start, then stop."""

    hub: IntArray
    """[M]."""
    compared: IntArray
    """[M] compared frames."""
    clip: IntArray
    """[M]."""
    frame: IntArray
    """[M] library frames, counted from the first of the clip."""
    distance: Array
    """[M] metres."""
    angles: Array
    """[M, J] radians."""
    first: IntArray
    last: IntArray
    """[E] rows of the match frames in which edges begin and end."""
    displacement: Array
    """[E, 3] the last frame's planar pose as seen from the first's."""
    duration: Array
    """[E]."""
    counts: IntArray
    """[H, H] edges from each hub to each."""
    core: BoolArray
    """[H] which hubs are in the largest part in which motion never ends."""

    def exactly(self, graph: SnapGraph) -> "QuickLook":
        """Return the same with what a graph built of these match frames knows better."""
        return self._replace(
            angles=graph.displacements,
            first=graph.edges.first_match.astype(np.int64),
            last=graph.edges.last_match.astype(np.int64),
            displacement=graph.edges.planar_displacement,
            duration=graph.edges.duration,
            counts=graph.counts,
            core=graph.core,
        )


def quick_look(
    material: Material, sets: list[MatchSet], copies: Sequence[Collection[int]] = (), *, spacing: float
) -> QuickLook:
    """Say what these match sets, one per hub, give; further `copies` of the clips are cut at these hubs only.

    `spacing` is w_min, the shortest edge, in seconds.
    """
    library = material.library
    hub, compared, distance = stack_sets(sets)
    clip = material.frames.clips_of(compared)
    at = material.at[compared]
    frame = at - library.starts[clip]
    speed = material.posture.speed[material.at]
    least = int(spacing * library.fps + 1e-6)
    first, last = pairs_with_copies(
        clip,
        frame,
        hub,
        primary=primary_matches(clip, frame, distance, spacing=least),
        spacing=least,
        copies=copies,
        places=material.planar[at],
        resting=np.array([len(s.frames) > 0 and speed[s.frames].mean() < RESTING_BELOW_M_S for s in sets], bool),
        fps=library.fps,
    )
    counts = np.zeros((len(sets), len(sets)), np.int64)
    np.add.at(counts, (hub[first], hub[last]), 1)
    duration = (frame[last] - frame[first]) / library.fps
    core = np.zeros(len(sets), bool)
    if len(sets):
        found = components_of(len(sets), hub[first], hub[last], duration)
        core = found.of_node == found.largest
    return QuickLook(
        hub=hub,
        compared=compared,
        clip=clip,
        frame=frame,
        distance=distance,
        angles=np.concatenate([material.angles(found) for found in sets] or [np.zeros((0, len(library.skeleton)))]),
        first=first,
        last=last,
        displacement=planar.relative(material.planar[at[first]], material.planar[at[last]]),
        duration=duration,
        counts=counts,
        core=np.asarray(core),
    )
