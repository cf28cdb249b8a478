"""The legs of a user's own rig: where its ankles go so that its own soles stand where the take's do, and the two bones
from the hips to there. The twin, over many frames at once, of page/src/rig_legs.ts.

With ankle a, rotation R of the take's foot, its heel H and ball B, and the rig's heel h and ball b seen from its ankle:

    heel of the rig at H + Y δh,   ball at B + Y δb      Y the foot's heading, δ constant (see viewer/character_feet.py)
    a' = H + Y δh − R h   where the toes are up,   a' = B + Y δb − R b   where the heel is,   mixed in between

Flat both say the same: the rig's ankle is over the take's. As H and B stand still while they are planted, so do the
rig's. World, metres, z up, rotations w first; [...] are any frames and characters.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array
from walkon.motion.limb import solve_triangle
from walkon.motion.skeleton import Skeleton
from walkon.transforms import quaternions as quat
from walkon.viewer.character_feet import FootFit

__all__ = ["TakeLeg", "ankle_goal", "solve_leg", "take_leg"]

ROLL = 0.03
"""Metres of height between heel and ball over which the anchor goes from one to the other."""
POLE = 0.08
"""How far the knee is held in front of a straight leg, as a share of the thigh."""
STRAIGHT = 0.9995
"""Share of the whole length to which a leg is stretched."""
STEEP = 0.1
"""Level part of the line across a foot below which the foot lies on its side, and its own line tells its heading."""


class TakeLeg(NamedTuple):
    """What a leg of the take does."""

    hip: Array
    """[..., 3], as are knee, ankle, and the points of the sole."""
    knee: Array
    ankle: Array
    heel: Array
    ball: Array
    hip_turn: Array
    """[..., 4] joint → world, as are those of ankle and toes."""
    foot_turn: Array
    toe_turn: Array


def take_leg(skeleton: Skeleton, side: str, positions: Array, rotations: Array, scale: Array) -> TakeLeg:
    """Read a leg from joints that are posed: [..., J, 3] and [..., J, 4], sizes [...] times the skeleton's."""
    hip, knee, ankle, ball = (skeleton.role(f"{side}_{part}") for part in ("hip", "knee", "ankle", "ball"))
    heel_point = skeleton.contact_offsets[skeleton.contact(f"{side}_heel")]
    ball_point = skeleton.contact_offsets[skeleton.contact(f"{side}_ball")]
    foot, toe, size = rotations[..., ankle, :], rotations[..., ball, :], scale[..., None]
    return TakeLeg(
        hip=positions[..., hip, :],
        knee=positions[..., knee, :],
        ankle=positions[..., ankle, :],
        heel=positions[..., ankle, :] + size * quat.rotate(foot, heel_point),
        ball=positions[..., ball, :] + size * quat.rotate(toe, ball_point),
        hip_turn=rotations[..., hip, :],
        foot_turn=foot,
        toe_turn=toe,
    )


def ankle_goal(foot: FootFit, leg: TakeLeg, scale: Array) -> Array:
    """Return where the rig's ankle goes [..., 3]."""
    size = scale[..., None]
    level = quat.multiply(leg.foot_turn, quat.conjugate(foot.flat))
    # The heading by the line across the foot, which stays level while it rolls.
    left = quat.rotate(level, np.array([0.0, 1.0, 0.0]))[..., :2]
    along = quat.rotate(level, np.array([1.0, 0.0, 0.0]))[..., :2]
    across = np.stack([-along[..., 1], along[..., 0]], axis=-1)
    left = np.where(np.linalg.norm(left, axis=-1, keepdims=True) < STEEP, across, left)
    left = left / np.maximum(np.linalg.norm(left, axis=-1, keepdims=True), 1e-9)
    ahead = np.stack([left[..., 1], -left[..., 0]], axis=-1)
    from_heel = leg.heel - size * quat.rotate(leg.foot_turn, foot.heel)
    from_heel[..., :2] += size * (foot.heel_shift[0] * ahead + foot.heel_shift[1] * left)
    from_ball = leg.ball - size * (quat.rotate(leg.foot_turn, foot.toes) + quat.rotate(leg.toe_turn, foot.ball))
    from_ball[..., :2] += size * (foot.ball_shift[0] * ahead + foot.ball_shift[1] * left)
    share = np.clip(0.5 + (leg.heel[..., 2:] - leg.ball[..., 2:]) / (ROLL * size), 0.0, 1.0)
    share = share * share * (3.0 - 2.0 * share)
    goal: Array = (1.0 - share) * from_heel + share * from_ball
    return goal


def solve_leg(leg: TakeLeg, goal: Array, hip: Array, knee: Array, ankle: Array) -> tuple[Array, Array]:
    """Return the turns [..., 4] of thigh and shin, in the world, that bring the rig's ankle to its goal.

    `hip`, `knee` and `ankle` are the rig's before; the knee goes where the take's knee does.
    """
    upper, lower, aim = knee - hip, ankle - knee, goal - hip
    l1, l2 = _length(upper), _length(lower)
    far = np.maximum(_length(aim), 1e-9)
    size = np.minimum(np.maximum(far, np.abs(l1 - l2) + 1e-4), STRAIGHT * (l1 + l2))
    # The take's knee off its own line from hip to ankle; a little of the thigh's front decides when that is straight.
    line, pole = leg.ankle - leg.hip, leg.knee - leg.hip
    front = POLE * l1 * quat.rotate(leg.hip_turn, np.array([1.0, 0.0, 0.0]))
    pole = pole + front - _dot(pole, line) / np.maximum(_dot(line, line), 1e-9) * line
    pole = pole - _dot(pole, aim) / (far * far) * aim
    out = np.maximum(_length(pole), 1e-9)
    cosine, sine = solve_triangle(l1, l2, size)
    thigh = l1 * (cosine * aim / far + sine * pole / out)
    return quat.between(upper, thigh), quat.between(lower, size * aim / far - thigh)


def _dot(a: Array, b: Array) -> Array:
    product: Array = (a * b).sum(axis=-1, keepdims=True)
    return product


def _length(a: Array) -> Array:
    return np.sqrt(_dot(a, a))
