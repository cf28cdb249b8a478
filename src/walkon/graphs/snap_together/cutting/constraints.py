"""Common poses that respect the feet: planted points on the ground, and as little as possible for locking to change.

A contact exists at a hub where most of its match frames have it. The common pose is found in rounds (section 4.2.2).
Each begins with the source as it is: the working set is averaged, every clip is bent through the averages by
displacement maps, planted feet are held, and the match frames that come out are the next working set (`rounds`). So a
pose is found which locking would leave alone, instead of one from which a foot must rush to its next plant. At last the
common pose itself is put on its feet by inverse kinematics.

Metres, seconds. Reference: Gleicher, Shin, Kovar, Jepsen 2003, section 4.2.2.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.snap_together.cutting import common_pose
from walkon.graphs.snap_together.cutting.displacement import Frames, accelerations, velocities
from walkon.graphs.snap_together.cutting.rounds import WholeClips
from walkon.motion.clip import Clip
from walkon.motion.foot_lock import lock_feet
from walkon.motion.library import Library
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

__all__ = ["CommonPoses", "majority", "put_on_feet", "solve_common_poses"]

SETTLED = 1e-5
"""rad: where no joint turns farther from one round to the next, further rounds would change nothing."""


class CommonPoses(NamedTuple):
    """The common poses of H hubs, each in its hub's frame, and where those frames lie."""

    poses: Frames
    """[H]."""
    speeds: Frames
    """[H]."""
    changes: Frames
    """[H] m/s² and rad/s²: how fast the speeds change."""
    contacts: BoolArray
    """[H, C]."""
    heights: Array
    """[H, C] metres of the supports."""
    places: Array
    """[M, 3] the hub's frame in the world of each match frame's clip."""


def majority(flags: BoolArray, hubs: IntArray, count: int) -> BoolArray:
    """Return [count, …] what more than half of each hub's match frames have, of flags [M, …]."""
    sums = np.zeros((count, *flags.shape[1:]))
    np.add.at(sums, hubs, flags)
    size = np.bincount(hubs, minlength=count).reshape((count,) + (1,) * (flags.ndim - 1))
    return np.asarray(sums > 0.5 * size)


def solve_common_poses(
    library: Library, hub: IntArray, frame: IntArray, laid: Array, *, primary: BoolArray, rounds: int = 3
) -> CommonPoses:
    """Find the common poses of match frames [M]: their hubs, library frames, and alignments T_kb [M, 3].

    Only `primary` ones [M] shape the poses: a frame that is in two sets belongs to the nearer one.
    """
    H = int(hub.max()) + 1
    clip = np.searchsorted(library.stops, frame, side="right")
    source = Frames(library.root_positions, library.local_rotations)
    speed = velocities(source, frame, library.starts[clip], library.stops[clip] - 1, fps=library.fps)
    contacts = majority(library.contacts[frame[primary]], hub[primary], H)
    heights = np.zeros(contacts.shape)
    np.add.at(heights, hub[primary], library.contact_heights[frame[primary]])
    has = np.zeros(contacts.shape)
    np.add.at(has, hub[primary], library.contacts[frame[primary]])
    heights = np.where(contacts, heights / np.maximum(has, 1), 0.0)

    rows = [np.flatnonzero(primary & (hub == h)) for h in range(H)]
    means = [common_pose.mean_velocity(laid[r], Frames(speed.roots[r], speed.rotations[r])) for r in rows]
    change = accelerations(source, frame, library.starts[clip], library.stops[clip] - 1, fps=library.fps)
    bends = [common_pose.mean_velocity(laid[r], Frames(change.roots[r], change.rotations[r])) for r in rows]
    found = [_mean(laid[r], library.root_positions[frame[r]], library.local_rotations[frame[r]]) for r in rows]
    if rounds and library.skeleton.has_feet and library.contacts.any():
        whole = WholeClips.of(library, hub, frame, primary=primary, contacts=contacts, heights=heights)
        of_hub = [np.flatnonzero(whole.hub == h) for h in range(H)]
        for done in range(rounds):
            held = whole.held
            if done:
                poses, speeds, origins = _framed(library, found, means)
                places = planar.compose(planar.inverse(laid), origins[hub])
                held = whole.held_through(poses, speeds, places[whole.rows])
            before, found = found, [_mean(laid[whole.rows[k]], held.roots[k], held.rotations[k]) for k in of_hub]
            if (
                done
                and max(quat.angle_between(a.rotations, b.rotations).max() for a, b in zip(before, found, strict=True))
                < SETTLED
            ):
                break
    found = [put_on_feet(library, pose, contacts[h], heights[h]) for h, pose in enumerate(found)]
    poses, speeds, origins = _framed(library, found, means)
    changes = Frames(
        quat.rotate(quat.turn(-origins[:, 2]), np.array([bend.roots for bend in bends])),
        np.array([bend.rotations for bend in bends]),
    )
    return CommonPoses(poses, speeds, changes, contacts, heights, planar.compose(planar.inverse(laid), origins[hub]))


def _mean(laid: Array, roots: Array, rotations: Array) -> Frames:
    return common_pose.mean_pose(common_pose.moved(laid, Frames(roots, rotations)))


def _framed(library: Library, found: Sequence[Frames], means: Sequence[Frames]) -> tuple[Frames, Frames, Array]:
    """Return common poses and their velocities [H] in the hubs' own frames, and those frames [H, 3]."""
    own = [common_pose.in_frame(library, pose, mean) for pose, mean in zip(found, means, strict=True)]
    poses = Frames(np.array([f.pose.roots for f in own]), np.array([f.pose.rotations for f in own]))
    speeds = Frames(np.array([f.speed.roots for f in own]), np.array([f.speed.rotations for f in own]))
    return poses, speeds, np.array([f.origin for f in own])


def put_on_feet(library: Library, pose: Frames, contacts: BoolArray, heights: Array) -> Frames:
    """Return a pose whose planted heels and balls [C] are on their supports, with the body changed as little."""
    if not contacts.any():
        return pose
    clip = Clip(
        skeleton=library.skeleton,
        fps=library.fps,
        root_positions=pose.roots[None],
        local_rotations=pose.rotations[None],
        contacts=contacts[None],
        contact_heights=heights[None],
    )
    held = lock_feet(clip).clip
    return Frames(held.root_positions[0], held.local_rotations[0])
