"""The planar pose of a frame: where the body is on the floor and which way its hips face.

    (x, y) = the root joint's ground position
    heading = direction of  (p_left_hip − p_right_hip)_xy  turned a quarter clockwise

Raw, not smoothed: in mid-stride the hips differ from the direction of travel by some 7 degrees. A skeleton without
hips (a robot arm, a bird) has the heading of its root's local +x axis.
"""

import numpy as np

from walkon._base.arrays import Array
from walkon.motion.kinematics import WorldPose
from walkon.motion.skeleton import Skeleton
from walkon.transforms import angles
from walkon.transforms import quaternions as quat

__all__ = ["planar_poses"]


def planar_poses(skeleton: Skeleton, pose: WorldPose) -> Array:
    """Return [T, 3] = (x, y, heading), metres and radians in (−π, π]."""
    if skeleton.has_roles(("left_hip", "right_hip")):
        across = pose.positions[:, skeleton.role("left_hip"), :2] - pose.positions[:, skeleton.role("right_hip"), :2]
        forward = np.stack([across[:, 1], -across[:, 0]], axis=1)
    else:
        forward = quat.rotate(pose.rotations[:, 0], np.array([1.0, 0.0, 0.0]))[:, :2]
    headings = angles.wrap(np.arctan2(forward[:, 1], forward[:, 0]))
    return np.column_stack([pose.positions[:, 0, :2], headings])
