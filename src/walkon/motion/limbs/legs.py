"""Legs of a skeleton and of a clip: their joints, their length, and their pose as limbs (`motion.limbs.limb`).

The hinge of a knee is fixed to the thigh and found once per clip, from frames in which the knee is well bent: nothing
flips near a straight leg.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.errors import InvalidSkeleton
from walkon.motion.clip import Clip
from walkon.motion.limbs.limb import Limb, read_limb
from walkon.motion.skeleton import SIDES, Skeleton

__all__ = ["Leg", "leg_length", "read_leg"]


class Leg(NamedTuple):
    """The joints of one leg."""

    hip: int
    knee: int
    ankle: int
    ball: int

    @classmethod
    def of(cls, skeleton: Skeleton, side: str) -> "Leg":
        """Return the leg of a side, "left" or "right"; `MissingRole` where the skeleton has none."""
        leg = cls(*(skeleton.role(f"{side}_{part}") for part in ("hip", "knee", "ankle", "ball")))
        if skeleton.parents[leg.ball] != leg.ankle:
            raise InvalidSkeleton(
                f"the {side} ball ({skeleton.names[leg.ball]!r}) must hang on the ankle "
                "itself: from heel to ball a foot is one rigid piece; give other roles with skeleton.with_roles(...)"
            )
        return leg


def read_leg(clip: Clip, leg: Leg) -> Limb:
    """Read one leg of a clip; a knee that never bends would bend forward, about the body's left."""
    joints = (leg.hip, leg.knee, leg.ankle)
    return read_limb(clip.world.positions, clip.world.rotations, joints, unbent=np.array([0.0, 1.0, 0.0]))


def leg_length(skeleton: Skeleton) -> float:
    """Return thigh plus shin in metres, the mean of both legs."""
    bones = [(f"{side}_{a}", f"{side}_{b}") for side in SIDES for a, b in (("hip", "knee"), ("knee", "ankle"))]
    chains = [skeleton.chain(skeleton.role(above), skeleton.role(below))[1:] for above, below in bones]
    return sum(float(np.linalg.norm(skeleton.offsets[list(chain)].sum(axis=0))) for chain in chains) / 2
