"""Whether the first frame of a motion is a T-pose that was put in front of it.

Many converters (the BVH files of the CMU database among them) add one frame that shows the skeleton and not the
performer. It is told by two signs together: the pose is all zeros, or symmetric with straight legs and straight arms
held out (a T or an A); and the body jumps from it to the next frame as it never does later. A performer who really
stands in a T does not jump out of it.
"""

import numpy as np

from walkon._base.arrays import Array
from walkon.motion.kinematics import forward
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.transforms import quaternions as quat

__all__ = ["starts_with_tpose"]

LEAST_JUMP = np.radians(3.0)
"""Root mean square over the joints of the turn to the next frame; people reach about 1.2 degrees at 120 Hz."""
JUMP_RATIO = 4.0
"""The jump must be this many times the usual turn from frame to frame."""
WINDOW = 240
"""Frames that show what is usual."""
ZERO = np.radians(1.0)
STRAIGHT = 0.99
"""Distance between the ends of a limb over the length of its bones."""
HELD_OUT = 0.6
"""Sideways part of the way from shoulder to wrist; 0.7 is an A-pose with arms at 45 degrees."""
SYMMETRIC = 0.06
"""Largest distance of a joint from its mirrored partner, as a share of the body's reach."""
ARM, LEG = ("shoulder", "elbow", "wrist"), ("hip", "knee", "ankle")


def starts_with_tpose(skeleton: Skeleton, local_rotations: Array) -> bool:
    """Say whether frame 0 of rotations [T, J, 4] is an added T-pose; with under three frames nothing can be told."""
    if len(local_rotations) < 3:
        return False
    window = local_rotations[: WINDOW + 1]
    turns = np.sqrt(np.mean(quat.angle_between(window[1:], window[:-1]) ** 2, axis=1))
    if turns[0] < max(LEAST_JUMP, JUMP_RATIO * float(np.median(turns[1:]))):
        return False
    return bool(np.all(quat.angle(window[0, 1:]) < ZERO)) or _is_tpose(skeleton, window[:1])


def _is_tpose(skeleton: Skeleton, rotations: Array) -> bool:
    if not skeleton.has_roles(f"{side}_{part}" for side in SIDES for part in ARM + LEG):
        return False
    places = forward(skeleton, np.zeros((1, 3)), rotations).positions[0]
    across = places[skeleton.role("left_hip")] - places[skeleton.role("right_hip")]
    across = across / max(float(np.linalg.norm(across)), 1e-9)
    middle = (places[skeleton.role("left_hip")] + places[skeleton.role("right_hip")]) / 2
    for side in SIDES:
        for limb in (ARM, LEG):
            a, b, c = (places[skeleton.role(f"{side}_{part}")] for part in limb)
            if np.linalg.norm(c - a) < STRAIGHT * (np.linalg.norm(b - a) + np.linalg.norm(c - b)):
                return False
        arm = places[skeleton.role(f"{side}_wrist")] - places[skeleton.role(f"{side}_shoulder")]
        if (arm @ across) * (1 if side == "left" else -1) < HELD_OUT * np.linalg.norm(arm):
            return False
    for part in ARM + LEG:
        left, right = (places[skeleton.role(f"{side}_{part}")] - middle for side in SIDES)
        mirrored = left - 2.0 * (left @ across) * across
        if np.linalg.norm(mirrored - right) > SYMMETRIC * skeleton.reach:
            return False
    return True
