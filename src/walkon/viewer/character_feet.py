"""The soles of a rig beside those of a take's body: where heel and ball are, seen from the ankle.

A flat foot of the rig stands with its ankle over the take's ankle. Its heel and ball are then beside the take's by
constant shifts, as its feet are longer, shorter or turned otherwise; the page keeps them there while the foot rolls.

The rig's heel is the hindmost of the low vertices that its foot holds; its ball is on the sole, under the joint of the
ball or, where there is none, BALL_SHARE of the way from the heel to the tip. Everything at rest; z up, facing +x.
"""

from dataclasses import dataclass

import numpy as np

from walkon._base.arrays import Array
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.transforms import quaternions as quat
from walkon.viewer.glb_rig import Rig

__all__ = ["FootFit", "fit_foot", "floor_of", "sole_of"]

BALL_SHARE = 0.85
"""Where a foot without toes bends over, seen from the heel: near the tip, or it would dip into the floor."""
SOLE_SHARE = 0.02
"""Share of the body's height within which a vertex of the foot is on the sole."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FootFit:
    """One foot of a rig, in metres in the frame of the take's ankle (a character's scale multiplies all lengths)."""

    turn: Array
    """[4] A of the foot: turns the rig's sole at rest to the take's."""
    flat: Array
    """[4] turns the take's foot at rest so that its sole is level."""
    heel: Array
    """[3] ankle → heel of the rig."""
    toes: Array
    """[3] ankle → joint of the ball of the rig, or its ball where it has no such joint."""
    ball: Array
    """[3] from there to the ball on the sole; turns with the toes."""
    heel_shift: Array
    """[2] (forward, left) of the flat rig's heel beside the take's."""
    ball_shift: Array
    """[2] likewise of its ball."""


def floor_of(skeleton: Skeleton) -> float:
    """Return the height of a skeleton's lowest contact point, or joint, at rest."""
    if len(skeleton.contact_names):
        return float((skeleton.rest_positions[skeleton.contact_joints] + skeleton.contact_offsets)[:, 2].min())
    return float(skeleton.rest_positions[:, 2].min())


def sole_of(rig: Rig) -> float:
    """Return the height of a rig's soles at rest in its own units: the lowest point of its feet."""
    ankles = [rig.skeleton.role(f"{side}_ankle") for side in SIDES]
    return min(float(_foot_points(rig, ankle)[:, 2].min()) for ankle in ankles)


def fit_foot(rig: Rig, skeleton: Skeleton, *, side: str, scale: float) -> FootFit:
    """Compare one foot of a rig, multiplied by `scale`, with a skeleton's."""
    ankle = skeleton.rest_positions[skeleton.role(f"{side}_ankle")]
    contacts = skeleton.rest_positions[skeleton.contact_joints] + skeleton.contact_offsets - ankle
    heel, ball = contacts[skeleton.contact(f"{side}_heel")], contacts[skeleton.contact(f"{side}_ball")]
    own_heel, own_toes, own_ball = (scale * part for part in _own_foot(rig, side))
    sole, level = ball - heel, np.array([*(ball - heel)[:2], 0.0])
    flat = quat.between(sole, level) if np.linalg.norm(level) > 1e-6 else np.array(quat.IDENTITY)
    own_sole = own_toes + own_ball - own_heel
    turn = quat.between(own_sole, sole) if np.linalg.norm(own_sole) > 1e-6 else np.array(quat.IDENTITY)
    own_heel, own_toes, own_ball = (quat.rotate(turn, part) for part in (own_heel, own_toes, own_ball))
    return FootFit(
        turn=turn,
        flat=flat,
        heel=own_heel,
        toes=own_toes,
        ball=own_ball,
        heel_shift=quat.rotate(flat, own_heel - heel)[:2],
        ball_shift=quat.rotate(flat, own_toes + own_ball - ball)[:2],
    )


def _own_foot(rig: Rig, side: str) -> tuple[Array, Array, Array]:
    """Return ankle → heel, ankle → joint of the ball, and from there to the ball on the sole, in the rig's units."""
    skeleton = rig.skeleton
    places = skeleton.rest_positions
    ankle = skeleton.role(f"{side}_ankle")
    points = _foot_points(rig, ankle) - places[ankle]
    sole = float(points[:, 2].min())
    low = points[points[:, 2] < sole + SOLE_SHARE * skeleton.reach]
    heel = np.array([low[:, 0].min(), 0.0, sole])
    tip = float(low[:, 0].max())
    joint = skeleton.roles.get(f"{side}_ball")
    if joint is None:
        at = heel[0] + BALL_SHARE * (tip - heel[0])
        middle = float(low[:, 1].mean())
        return np.array([heel[0], middle, sole]), np.array([at, middle, sole]), np.zeros(3)
    toes: Array = places[joint] - places[ankle]
    # The heel on the line of the foot, behind the ankle.
    heel[1] = toes[1] * heel[0] / toes[0] if abs(toes[0]) > 1e-6 else 0.0
    return heel, toes, np.array([0.0, 0.0, sole - toes[2]])


def _foot_points(rig: Rig, ankle: int) -> Array:
    """Return the vertices that a foot holds; where none tell, its joints, and the floor a little below them."""
    foot = _descendants(rig.skeleton, ankle)
    points = rig.points[np.isin(rig.holders, foot)]
    if len(points) >= 3:
        return points
    places = rig.skeleton.rest_positions[foot]
    return places - np.array([0.0, 0.0, SOLE_SHARE * rig.skeleton.reach])


def _descendants(skeleton: Skeleton, joint: int) -> list[int]:
    found = {joint}
    for other, parent in enumerate(skeleton.parents.tolist()):
        if parent in found:
            found.add(other)
    return sorted(found)
