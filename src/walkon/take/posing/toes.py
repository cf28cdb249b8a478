"""Toe bend: how far toes turn about the ball joint so that heel and ball are as far apart as their plants.

A foot from heel h to ball joint j is one rigid piece; the ball's contact point b is fixed to the toes. While both bear,
their plants are a length L apart, but a blend of two clips (or a captured foot that was not quite still) has its toes
bent a little more or less, and then only one of the two points could stand still. So the toes turn about the axis
across the foot, n ~ (j − h) × (b − j), until the distance is right (law of cosines):

    L² = |j − h|² + |b − j|² + 2 |j − h| |b − j| cos φ,     bend = φ − φ₀

where φ is the angle from j − h on to b − j and φ₀ what the clip has: about 2 degrees per millimetre. Positive bends
bring the ball back towards the heel. All in the world, metres and radians; compiled in `_foot_kernels`. `own_feet` are
those that a take's characters have by their clips, without plants.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray, locked
from walkon._base.table import Column
from walkon._base.threads import in_chunks
from walkon.take.posing.posing_rule import MAX_TOE_BEND_RAD
from walkon.transforms import quaternions as quat

if TYPE_CHECKING:
    from walkon.take.posing.score_rule import Rigs
    from walkon.take.take import Take

__all__ = ["Feet", "LegJoints", "leg_joints", "own_feet", "rigs_of_legs", "toe_bend", "toe_turn"]

CHUNK_FOOT_COUNT = 2048
"""Feet per task of the thread pool."""


class Feet(NamedTuple):
    """Feet as their clips have them: one, or one of each of K (character, time); [3] or [K, 3] m in the world."""

    ankles: Array
    heels: Array
    joints: Array
    """Ball joints, about which toes turn."""
    balls: Array

    def turn_toes(self, toes: Array) -> "Feet":
        """Return the feet with their toes turned by these rotations in the world."""
        return self._replace(balls=self.joints + quat.rotate(toes, self.balls - self.joints))


class LegJoints(NamedTuple):
    """The joints of B bodies that lead from the root to each foot."""

    channels: IntArray
    """[B, 2, J] places of these joints in a stored frame, −1 for all others."""
    wanted: Column
    """[B, 2, J] 0 for these joints, −1 for all others."""


def leg_joints(rigs: "Rigs") -> LegJoints:
    """Return which joints lead to the left and the right foot; those of a body without legs are the root alone."""
    B, J = rigs.parents.shape
    below = np.where(rigs.legs[:, :, 3] >= 0, rigs.legs[:, :, 3], 0)
    wanted = np.full((B, 2, J), -1, np.int8)
    body, foot = np.indices((B, 2))
    for _ in range(J):  # up, joint by joint
        wanted[body, foot, below] = 0
        below = np.maximum(rigs.parents[body, below], 0)
        if not below.any():
            break
    wanted[:, :, 0] = 0
    return LegJoints(np.where(wanted == 0, rigs.channels[:, None], np.int32(-1)), wanted)


def rigs_of_legs(rigs: Any) -> Any:
    """Return a score's rigs that read no joint from a clip but those that lead to a foot; others are as at rest."""
    return rigs._replace(channels=locked(leg_joints(rigs).channels.max(axis=1)))


def own_feet(take: "Take", who: IntArray, foot: IntArray, when: Array) -> Feet:
    """Return the clip's own feet (0 left, 1 right) [K] of characters [K] at times [K] s."""
    from walkon.take.posing import _own_feet_kernels as kernels

    score, joints = take.score, leg_joints(take.score.rigs)
    K = len(who)
    people, which = np.ascontiguousarray(who, np.int32), np.ascontiguousarray(foot, np.int8)
    times = np.ascontiguousarray(when, np.float64)
    positions, rotations = np.empty((K, 2, 3)), np.empty((K, 2, 4))

    def work(a: int, b: int) -> None:
        kernels.own_feet(score, *joints, people[a:b], which[a:b], times[a:b], positions[a:b], rotations[a:b])

    in_chunks(work, K, chunk=CHUNK_FOOT_COUNT)
    rigs, body, scale = score.rigs, take.characters.body[who], take.characters.scale[who].astype(np.float64)
    ankles, places = np.ascontiguousarray(positions[:, 0]), np.ascontiguousarray(positions[:, 1])
    heels = ankles + quat.rotate(rotations[:, 0], scale[:, None] * rigs.heels[body, foot])
    balls = places + quat.rotate(rotations[:, 1], scale[:, None] * rigs.balls[body, foot])
    return Feet(ankles, heels, places, balls)


def toe_bend(feet: Feet, *, lengths: ArrayLike) -> Array:
    """Return [K] rad by which toes must turn so that heels and balls are `lengths` [K] apart."""
    sole, toe = feet.joints - feet.heels, feet.balls - feet.joints
    a, b = np.linalg.norm(sole, axis=-1), np.linalg.norm(toe, axis=-1)
    cosine = (np.square(lengths) - a**2 - b**2) / np.maximum(2.0 * a * b, 2e-9)
    now = np.arctan2(np.linalg.norm(quat.cross(sole, toe), axis=-1), np.sum(sole * toe, axis=-1))
    bend: Array = np.clip(np.arccos(np.clip(cosine, -1.0, 1.0)) - now, -MAX_TOE_BEND_RAD, MAX_TOE_BEND_RAD)
    return bend


def toe_turn(feet: Feet, *, bends: ArrayLike) -> Array:
    """Return [K, 4] the rotations in the world that bend toes by `bends` [K] rad; none where they have no axis."""
    across = quat.cross(feet.joints - feet.heels, feet.balls - feet.joints)
    size = np.linalg.norm(across, axis=-1)
    axis = across / np.maximum(size, 1e-9)[..., None]
    return quat.about(axis, np.where(size > 1e-9, bends, 0.0))
