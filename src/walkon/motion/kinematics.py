"""Forward kinematics: from local rotations to places in the world, points fixed to joints, and the planar pose.

    R_j = R_parent(j) r_j          p_j = p_parent(j) + R_parent(j) o_j

with r_j the local rotation and o_j the rest offset (or the local translation, where a clip has them). The root's
rotation is joint → world and its place is the root position.

The planar pose of a frame is where the body is on the floor and which way its hips face:

    (x, y) = the root joint's ground position
    heading = direction of  (p_left_hip − p_right_hip)_xy  turned a quarter clockwise

Raw, not smoothed: in mid-stride the hips differ from the direction of travel by some 7 degrees. A skeleton without
hips (a robot arm, a bird) has the heading of its root's local +x axis.

Metres; quaternions w first.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.threads import in_chunks
from walkon.motion.skeleton import Skeleton
from walkon.transforms import angles
from walkon.transforms import quaternions as quat

__all__ = ["WorldPose", "forward", "forward_numpy", "planar_poses", "points_on_joints"]

CHUNK_FRAMES = 4096
"""Frames per task of the thread pool: long enough to hide its cost, short enough to share a minute of capture."""


class WorldPose(NamedTuple):
    """Places and orientations of all joints in the world."""

    positions: Array
    """[T, J, 3] metres."""
    rotations: Array
    """[T, J, 4] joint → world."""


def forward(
    skeleton: Skeleton, root_positions: Array, local_rotations: Array, local_translations: Array | None = None
) -> WorldPose:
    """Pose T frames: root positions [T, 3], local rotations [T, J, 4], local translations [T, J, 3] or None."""
    from walkon.motion import _kernels

    root_positions = np.ascontiguousarray(root_positions, dtype=np.float64)
    local_rotations = np.ascontiguousarray(local_rotations, dtype=np.float64)
    T, J = local_rotations.shape[:2]
    moving = np.zeros((0, J, 3)) if local_translations is None else np.ascontiguousarray(local_translations, np.float64)
    positions, rotations = np.empty((T, J, 3)), np.empty((T, J, 4))

    frames = (root_positions, local_rotations, moving, positions, rotations)
    in_chunks(
        lambda start, stop: _kernels.forward(
            skeleton.parents, skeleton.offsets, *(rows[start:stop] for rows in frames)
        ),
        T,
        chunk=CHUNK_FRAMES,
    )
    return WorldPose(positions, rotations)


def forward_numpy(
    skeleton: Skeleton, root_positions: Array, local_rotations: Array, local_translations: Array | None = None
) -> WorldPose:
    """Do what `forward` does, joint by joint in NumPy: the readable rule, which the kernel is held equal to."""
    positions = np.empty((*local_rotations.shape[:2], 3))
    rotations = np.empty(local_rotations.shape)
    positions[:, 0], rotations[:, 0] = root_positions, local_rotations[:, 0]
    for j in range(1, len(skeleton)):
        p = skeleton.parents[j]
        offset = skeleton.offsets[j] if local_translations is None else local_translations[:, j]
        rotations[:, j] = quat.multiply(rotations[:, p], local_rotations[:, j])
        positions[:, j] = positions[:, p] + quat.rotate(rotations[:, p], offset)
    return WorldPose(positions, rotations)


def points_on_joints(pose: WorldPose, joints: IntArray, offsets: Array) -> Array:
    """Return the world places [T, C, 3] of points fixed to joints [C] at offsets [C, 3] in the joints' frames."""
    return pose.positions[:, joints] + quat.rotate(pose.rotations[:, joints], offsets)


def planar_poses(skeleton: Skeleton, pose: WorldPose) -> Array:
    """Return [T, 3] = (x, y, heading), metres and radians in (−π, π]."""
    if skeleton.has_roles(("left_hip", "right_hip")):
        across = pose.positions[:, skeleton.role("left_hip"), :2] - pose.positions[:, skeleton.role("right_hip"), :2]
        forward = np.stack([across[:, 1], -across[:, 0]], axis=1)
    else:
        forward = quat.rotate(pose.rotations[:, 0], np.array([1.0, 0.0, 0.0]))[:, :2]
    headings = angles.wrap(np.arctan2(forward[:, 1], forward[:, 0]))
    return np.column_stack([pose.positions[:, 0, :2], headings])
