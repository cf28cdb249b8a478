"""Arms of a skeleton and of a clip: their joints, the palms of their hands, and the hinges of their elbows.

*The palm's frame* is fixed to the wrist: x points to the fingers, z out of the palm, y = z × x. At rest thumbs point
forward (palms look down in a T pose, inwards where arms hang), so y is the thumb's side of a left hand and the other
side of a right one: the two frames are mirror images. Its origin, the contact point of a hand, lies on the skin in the
middle of the palm; a skeleton may have it as a contact point of its own ("left_palm", "right_palm"), otherwise it
follows from the length of the arm. Metres, in the wrist's frame.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidSkeleton
from walkon.motion.anatomy.anthropometry import ARM_SHARE
from walkon.motion.clip import Clip
from walkon.motion.limbs.limb import Limb, read_limb
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.transforms import quaternions as quat

__all__ = ["ARM_PARTS", "Arm", "Palm", "elbow_hinges", "has_arm", "palm_frame"]

ARM_PARTS = ("shoulder", "elbow", "wrist")
PALM_ALONG_SHARE, PALM_OUT_SHARE = 0.050, 0.0125
"""Of the stature: from the wrist to the middle of the palm, along the hand and out of it to the skin."""
FORWARD = np.array([1.0, 0.0, 0.0])
"""Where a skeleton at rest faces."""
MAX_COSINE_ACROSS = 0.9
"""Of the angle between a hand and its thumb's side, over which the side says nothing."""


class Arm(NamedTuple):
    """The joints of one arm."""

    shoulder: int
    elbow: int
    wrist: int

    @classmethod
    def of(cls, skeleton: Skeleton, side: str) -> "Arm":
        """Return the arm of a side, "left" or "right"; `MissingRole` where the skeleton has none."""
        arm = cls(*(skeleton.role(f"{side}_{part}") for part in ARM_PARTS))
        if arm.shoulder not in skeleton.line_up(arm.elbow) or arm.elbow not in skeleton.line_up(arm.wrist):
            raise InvalidSkeleton(
                f"the {side} wrist must hang on the elbow and the elbow on the shoulder; give other roles with "
                "skeleton.with_roles(...)"
            )
        return arm


class Palm(NamedTuple):
    """The frame of a palm, fixed to the wrist."""

    place: Array
    """[3] metres."""
    rotation: Array
    """[4] palm → wrist."""


def has_arm(skeleton: Skeleton, side: str) -> bool:
    """Say whether the skeleton has a whole arm on a side."""
    return skeleton.has_roles(f"{side}_{part}" for part in ARM_PARTS)


def palm_frame(skeleton: Skeleton, side: str) -> Palm:
    """Return the palm of a side, "left" or "right"."""
    arm = Arm.of(skeleton, side)
    rest = skeleton.rest_positions
    upper, lower = rest[arm.elbow] - rest[arm.shoulder], rest[arm.wrist] - rest[arm.elbow]
    stature = float(np.linalg.norm(upper) + np.linalg.norm(lower)) / ARM_SHARE
    fingers = _unit(lower)
    hand = max((skeleton.offsets[child] for child in skeleton.children[arm.wrist]), key=fingers.dot, default=lower)
    if hand @ fingers > 0.02 * stature:
        fingers = _unit(hand)
    inward = np.array([0.0, -1.0 if side == "left" else 1.0, 0.0])
    thumb = FORWARD if abs(fingers @ FORWARD) < MAX_COSINE_ACROSS else inward
    out = _unit(np.cross(fingers, thumb) if side == "left" else np.cross(thumb, fingers))
    axes = np.column_stack([fingers, np.cross(out, fingers), out])
    place = stature * (PALM_ALONG_SHARE * fingers + PALM_OUT_SHARE * out)
    if (name := f"{side}_palm") in skeleton.contact_names:
        place = np.array(skeleton.contact_offsets[skeleton.contact(name)])
    return Palm(place, quat.from_matrix(axes))


def _read_arm(clip: Clip, side: str) -> Limb:
    """Read one arm of a clip; an elbow that never bends would bring the hand forward."""
    arm = Arm.of(clip.skeleton, side)
    positions, rotations = clip.world
    upper = positions[0, arm.elbow] - positions[0, arm.shoulder]
    ahead = quat.rotate(rotations[0, 0], FORWARD)
    across = np.cross(upper, ahead)
    if np.linalg.norm(across) < 1e-3:  # it points ahead: the forearm comes up
        across = np.cross(upper, np.array([0.0, 0.0, 1.0]))
    return read_limb(positions, rotations, (arm.shoulder, arm.elbow, arm.wrist), unbent=across)


def elbow_hinges(clip: Clip) -> Array:
    """Return [2, 3] the axes about which the elbows bend, in the frames of the shoulders; zero without an arm."""
    axes = np.zeros((2, 3))
    for k, side in enumerate(SIDES):
        if has_arm(clip.skeleton, side):
            shoulder = clip.world.rotations[0, Arm.of(clip.skeleton, side).shoulder]
            axes[k] = quat.rotate(quat.conjugate(shoulder), _read_arm(clip, side).hinges[0])
    return axes


def _unit(vector: Array) -> Array:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12))
