"""Legs solved analytically: the knee bends until the ankle is at the right distance, then the hip swings it into place.

For T frames and one leg, with thigh vector t and shin vector s (world, at the given pose) and hinge axis a, the knee
turns the shin about a by the angle that gives the wanted hip–ankle distance d:

    d² = |t|² + |s|² + 2 t∥ s∥ + 2 |t⊥| |s⊥| cos φ

where ∥ and ⊥ are the parts along and across a, and φ is the angle from t⊥ to s⊥ about a (law of cosines; exact even
where the hinge is not quite at right angles to the bones). The hip then makes the smallest rotation that points the
leg at the target, which keeps the knee's plane where it was. Nothing flips near a straight leg, because the hinge is
fixed to the thigh and found once per clip from frames in which the knee is well bent.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidSkeleton
from walkon.motion.clip import Clip
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.transforms import quaternions as quat

__all__ = ["Leg", "LegPose", "leg_length", "leg_reach", "read_leg", "solve_leg"]


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


class LegPose(NamedTuple):
    """One leg over T frames in the world, and the knee's hinge."""

    hips: Array
    """[T, 3] m, hip joint."""
    thighs: Array
    """[T, 3] m, hip → knee."""
    shins: Array
    """[T, 3] m, knee → ankle."""
    hinges: Array
    """[T, 3] unit, axis about which a positive angle bends the knee."""


def read_leg(clip: Clip, leg: Leg) -> LegPose:
    """Read one leg of a clip; the hinge is fixed to the thigh, averaged over the clip by how much the knee is bent."""
    positions, rotations = clip.world
    thighs = positions[:, leg.knee] - positions[:, leg.hip]
    shins = positions[:, leg.ankle] - positions[:, leg.knee]
    # The length of the cross product is the sine of the bend: straight frames, where the axis is noise, hardly count.
    in_thigh = quat.rotate(quat.conjugate(rotations[:, leg.hip]), np.cross(thighs, shins))
    axis = in_thigh.mean(axis=0)
    if np.linalg.norm(axis) < 1e-6:
        # A leg that never bends: take the body's left, so that the knee will bend forward.
        axis = quat.rotate(quat.conjugate(rotations[0, leg.hip]), np.array([0.0, 1.0, 0.0]))
    hinges = quat.rotate(rotations[:, leg.hip], axis / np.linalg.norm(axis))
    return LegPose(positions[:, leg.hip], thighs, shins, hinges)


def leg_length(skeleton: Skeleton) -> float:
    """Return thigh plus shin in metres, the mean of both legs."""
    total = 0.0
    for side in SIDES:
        for above, below in (("hip", "knee"), ("knee", "ankle")):
            chain = skeleton.chain(skeleton.role(f"{side}_{above}"), skeleton.role(f"{side}_{below}"))
            total += float(np.linalg.norm(skeleton.offsets[list(chain[1:])].sum(axis=0)))
    return total / 2


def leg_reach(pose: LegPose) -> Array:
    """Return [T] m, the longest hip–ankle distance: the leg straight in the plane of its hinge."""
    thigh_along, shin_along, thigh_across, shin_across = _split(pose)
    return np.sqrt(
        (thigh_along + shin_along) ** 2
        + (np.linalg.norm(thigh_across, axis=1) + np.linalg.norm(shin_across, axis=1)) ** 2
    )


def solve_leg(pose: LegPose, hips: Array, ankles: Array) -> tuple[Array, Array]:
    """Return world rotations (hip turn, knee turn) [T, 4] that bring the ankle to `ankles` [T, 3] from hips at `hips`.

    New thigh = hip turn · old thigh; new shin = hip turn · knee turn · old shin. A target out of reach is met as
    nearly as the straight leg can.
    """
    thigh_along, shin_along, thigh_across, shin_across = _split(pose)
    thigh_size, shin_size = np.linalg.norm(thigh_across, axis=1), np.linalg.norm(shin_across, axis=1)
    targets = ankles - hips
    distance2 = np.sum(targets**2, axis=1)
    lengths2 = np.sum(pose.thighs**2, axis=1) + np.sum(pose.shins**2, axis=1)
    cosine = (distance2 - lengths2 - 2 * thigh_along * shin_along) / (2 * thigh_size * shin_size)
    wanted = np.arccos(np.clip(cosine, -1.0, 1.0))
    now = np.arctan2(
        np.sum(pose.hinges * np.cross(thigh_across, shin_across), axis=1), np.sum(thigh_across * shin_across, axis=1)
    )
    knee = quat.about(pose.hinges, wanted - now)
    hip = quat.between(pose.thighs + quat.rotate(knee, pose.shins), targets)
    return hip, knee


def _split(pose: LegPose) -> tuple[Array, Array, Array, Array]:
    """Split thigh and shin into parts along [T] and across [T, 3] the hinge."""
    thigh_along = np.sum(pose.thighs * pose.hinges, axis=1)
    shin_along = np.sum(pose.shins * pose.hinges, axis=1)
    thigh_across = pose.thighs - thigh_along[:, None] * pose.hinges
    shin_across = pose.shins - shin_along[:, None] * pose.hinges
    return thigh_along, shin_along, thigh_across, shin_across
