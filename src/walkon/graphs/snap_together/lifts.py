"""Lifts: the edges of a hub graph in which hands close on a prop or let go of it, and where the prop is then.

A recording says when hands grasp or release, with which joints, and where the object is relative to the body's planar
pose at that moment; edges keep that. Here it is seen from where planning needs it, the start hub's pose q of the edge:

    prop in the start hub's frame      X = q(event) ∘ object pose
    prop in the frame of joint j       A_j = J_j⁻¹ ∘ X          with J_j the joint's pose in the same frame

so that an edge started at q brings hands to a prop at q ∘ X, and afterwards the prop is at the mean of J_j(t) ∘ A_j.
Poses are [7] = (x, y, z, qw, qx, qy, qz); metres, seconds, for a body of the library's own size.
"""

from dataclasses import dataclass

import numpy as np

from walkon._base.arrays import Array
from walkon._base.table import Column, Table, column
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.motion.body import Body
from walkon.motion.clip import Clip, Event
from walkon.take.tables import NONE
from walkon.transforms import planar, rigid
from walkon.transforms import quaternions as quat

__all__ = ["KINDS", "Lifts", "lifts_of"]

KINDS = ("pick_up", "put_down")
"""What the numbers in `Lifts.kind` mean."""
EVENTS = ("grasp", "release")


@dataclass(frozen=True, eq=False, kw_only=True)
class Lifts(Table):
    """Edges that grasp or release a prop, a row each, in the order of the edges."""

    edge: Column = column("int64")
    kind: Column = column("int8")
    """Row of `KINDS`."""
    start: Column = column("int64")
    stop: Column = column("int64")
    """Hubs of the edge: where one must stand for it, and in what one is afterwards."""
    time: Column = column("float64")
    """s from the edge's start to the event."""
    pose: Column = column("float64", 7)
    """The prop at the event, as seen from the start hub's pose; its height is that of the prop's middle."""
    across: Column = column("float64")
    """m between the flesh of the two hands: the width of a prop that fits in between; 0 where one joint does it."""
    aside: Column = column("float64")
    """rad from the start hub's heading to the line through both hands, to the left: about a quarter turn."""
    joints: Column = column("int64", 2)
    """The joints that hold; −1 where there is but one."""
    joint_pose: Column = column("float64", 2, 7)
    """Their poses at the event, as seen from the start hub's pose."""
    hold: Column = column("float64", 2, 7)
    """The prop in the frames of these joints."""

    def of_kind(self, kind: str) -> Column:
        """Return the rows of a kind."""
        return np.flatnonzero(self.kind == KINDS.index(kind))

    def holders(self, row: int) -> tuple[int, ...]:
        """Return the joints of a row, one or two."""
        return tuple(int(joint) for joint in self.joints[row] if joint >= 0)


def lifts_of(graph: SnapGraph) -> Lifts:
    """Find the lifts of a graph: edges with one grasp or one release that says where the object is.

    An edge that both grasps and releases leaves things as they were and is none. Of more than two joints the first
    two count; without any it is the chest that holds.
    """
    rows = []
    body = Body.of(graph.source.skeleton)
    for edge, events in enumerate(graph.clips.events):
        found = [event for event in events if event.kind in EVENTS]
        if len(found) == 1 and found[0].object_pose is not None:
            rows.append(_lift(graph, edge, found[0], body))
    return Lifts.joined(rows)


def _lift(graph: SnapGraph, edge: int, event: Event, body: Body) -> Lifts:
    clip = graph.clip(edge)
    frame = clip.frame_at(event.time)
    here = clip.planar_poses[frame]
    given = np.array(event.object_pose)
    pose = np.concatenate([planar.apply_3d(here, given[:3]), quat.multiply(quat.turn(here[2]), given[3:])])
    joints = [clip.skeleton.index(name) for name in event.joints[:2]] or [clip.skeleton.role("chest")]
    turns = quat.normalize(clip.world.rotations[frame, joints])  # stored ones are unit to eight digits only
    poses = np.concatenate([clip.world.positions[frame, joints], turns], axis=1)
    across, aside = _between(clip, frame, body, joints, pose)
    both = [0, -1]  # a single joint fills both places; its number says that it is one
    return Lifts.filled(
        1,
        edge=edge,
        kind=EVENTS.index(event.kind),
        start=graph.edges.start[edge],
        stop=graph.edges.stop[edge],
        time=event.time,
        pose=pose,
        across=across,
        aside=aside,
        joints=[joints[0], joints[1] if len(joints) > 1 else NONE],
        joint_pose=poses[both],
        hold=rigid.relative(poses, pose)[both],
    )


def _between(clip: Clip, frame: int, body: Body, joints: list[int], pose: Array) -> tuple[float, float]:
    """Return m between the flesh of two joints, and the direction from the second to the first along the floor, rad.

    A clip's palms lie flat on the object, so the capsules' nearest points to its middle, along that line, touch it.
    """
    if len(joints) < 2:
        return 0.0, 0.5 * np.pi
    world = clip.world
    line = (world.positions[frame, joints[0]] - world.positions[frame, joints[1]])[:2]
    line = line / max(float(np.linalg.norm(line)), 1e-9)
    nearest = []
    for joint, sign in zip(joints, (1.0, -1.0), strict=True):
        mine = np.flatnonzero(body.capsule_joints == joint)
        at, turned = world.positions[frame, joint], world.rotations[frame, joint]
        ends = np.concatenate([body.capsule_starts[mine], body.capsule_ends[mine], np.zeros((1, 3))])
        radii = np.concatenate([body.capsule_radii[mine, 0], body.capsule_radii[mine, 1], np.zeros(1)])
        places = at + quat.rotate(turned, ends) - pose[:3]
        nearest.append(float((sign * (places[:, :2] @ line) - radii).min()))
    return max(sum(nearest), 0.0), float(np.arctan2(line[1], line[0]))
