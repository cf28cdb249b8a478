"""The room that a carried prop needs on the floor: one disc before the body, in the body's planar frame.

A footprint covers the trunk (some 0.25 m about the root); a box before the belly reaches further. Over all frames in
which hands hold something, the prop's middle stays within centimetres of one place c of the body's planar frame, so

    centre = middle of the box around all c,        radius = largest |c − centre| + half the prop's diagonal

covers it whichever way it is turned about the vertical. The disc is for keeping off other people. Against tables it
must not be used: what is carried is above them, and has to be, to be put down. Metres, for a body of size `scale`.
"""

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.motion.kinematics import forward
from walkon.stage import Prop
from walkon.synthesis.goal_directed.lift_tables import Lifts
from walkon.transforms import planar, rigid

__all__ = ["carried_disc"]


def carried_disc(graph: SnapGraph, lifts: Lifts, *, prop: Prop, label: str = "carry", scale: float = 1.0) -> Array:
    """Return (x, y, radius) of the disc that a prop needs before somebody who walks with it.

    Measured over all frames of edges that have `label` throughout, the prop held as the first lift has it.
    """
    rows = lifts.of_kind("pick_up")
    edges = np.flatnonzero(graph.edges_with(label))
    if not len(rows) or not len(edges):
        raise InvalidValue(
            f"nobody can carry {prop.name!r}: the graph has {len(rows)} edges that pick up and {len(edges)} that are "
            f"{label!r} throughout; build it with such clips"
        )
    frames = np.concatenate([np.arange(graph.clips.starts[e], graph.clips.stops[e]) for e in edges])
    world = forward(graph.source.skeleton, graph.clips.root_positions[frames], graph.clips.local_rotations[frames])
    joints = list(lifts.holders(int(rows[0])))
    poses = np.concatenate([world.positions[:, joints], world.rotations[:, joints]], axis=2)
    middles = rigid.compose(poses, lifts.hold[rows[0], : len(joints)])[..., :2].mean(axis=1)
    seen = scale * planar.apply(planar.inverse(graph.planar[frames]), middles)
    centre = 0.5 * (seen.min(axis=0) + seen.max(axis=0))
    diagonal = np.hypot(prop.size[0], prop.size[1]) if prop.shape == "box" else prop.size[0]
    return np.append(centre, np.linalg.norm(seen - centre, axis=1).max() + 0.5 * diagonal)
