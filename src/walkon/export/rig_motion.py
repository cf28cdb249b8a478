"""A user's own rig, posed as the people of a take: rotations follow the take's joints, hips are carried at the height
of the rig's own legs, and the legs are solved again for its own feet. The twin of page/src/rig_poser.ts and of
page/src/rig_legs.ts, over many frames and characters at once; which joint follows which is found by
`walkon.viewer.character`.

    hips:  over the take's, at the height  m + (z − m) q      m the floor under the feet, q the ratio of the legs'
           lengths; and no higher than either leg reaches

Ankles go where the rig's own soles stand as the take's do. With ankle a, rotation R of the take's foot, its heel H and
ball B, and the rig's heel h and ball b seen from its ankle:

    heel of the rig at H + Y δh,   ball at B + Y δb      Y the foot's heading, δ constant (see viewer/character_feet.py)
    a' = H + Y δh − R h   where the toes are up,   a' = B + Y δb − R b   where the heel is,   mixed in between

Flat both say the same: the rig's ankle is over the take's. As H and B stand still while they are planted, so do the
rig's.

World, metres, z up, rotations w first; [...] are any frames and characters. Joints of the rig that follow nothing keep
their rest pose on their parents.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.export.excerpt import fill_frames
from walkon.motion.kinematics import WorldPose
from walkon.motion.limbs.limb import solve_triangle
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.take.posing.posing import Poses
from walkon.take.take import Take
from walkon.transforms import quaternions as quat
from walkon.transforms.easing import smoothstep
from walkon.viewer.character import CharacterFit, RiggedCharacter
from walkon.viewer.character_feet import FootFit
from walkon.viewer.glb_rig import Rig

__all__ = ["local_turns", "pose_characters", "pose_rig"]

FLOOR_BLEND_M = 0.03
"""Metres over which feet share the floor's height."""
HOLD_M = 0.008
"""Metres over which a leg that becomes straight holds the hips."""
MAX_LOWERING_M = 0.3
"""Metres by which hips are lowered at most."""
ROLL_M = 0.03
"""Metres of height between heel and ball over which the anchor goes from one to the other."""
POLE_SHARE = 0.08
"""How far the knee is held in front of a straight leg, as a share of the thigh."""
MAX_STRETCH_SHARE = 0.9995
"""Share of the whole length to which a leg is stretched."""
MIN_LEVEL_SHARE = 0.1
"""Level part of the line across a foot below which the foot lies on its side, and its own line tells its heading."""


def pose_rig(
    rig: Rig, fit: CharacterFit, *, skeleton: Skeleton, positions: Array, rotations: Array, scale: Array
) -> WorldPose:
    """Pose a rig as characters of one skeleton, whose joints are [..., K, 3] and [..., K, 4], at sizes [...].

    Returns where the rig's joints are [..., J, 3] and how they are turned [..., J, 4].
    """
    own = rig.skeleton
    scale = np.broadcast_to(np.asarray(scale, np.float64), positions.shape[:-2])
    rests = local_turns(rig, rig.turns)
    # Where joints are in the frames of their parents, metres at size 1.
    offsets = fit.scale * quat.rotate(quat.conjugate(rig.turns[own.parents]), own.offsets)
    turns = np.empty((*positions.shape[:-2], len(own), 4))
    for joint, drive in enumerate(fit.drives.tolist()):
        if drive >= 0:
            turns[..., joint, :] = quat.multiply(rotations[..., drive, :], fit.turns[joint])
    _ride(rig, fit, turns, rests)
    places = _places(rig, turns, offsets, scale)
    legs = [take_leg(skeleton, side, positions, rotations, scale) for side in SIDES]
    goals = [ankle_goal(foot, leg, scale) for foot, leg in zip(fit.feet, legs, strict=True)]
    joints = [tuple(own.role(f"{side}_{part}") for part in ("hip", "knee", "ankle")) for side in SIDES]

    apart = np.stack([leg.hip - places[..., hip, :] for leg, (hip, _, _) in zip(legs, joints, strict=True)])
    middle: Array = apart.mean(axis=0)
    soles = np.stack([point[..., 2] for leg in legs for point in (leg.heel, leg.ball)])
    ground = -FLOOR_BLEND_M * (np.logaddexp.reduce(-soles / FLOOR_BLEND_M, axis=0) - np.log(len(soles)))
    high = 0.5 * (legs[0].hip[..., 2] + legs[1].hip[..., 2])
    wanted = middle[..., 2] + (fit.leg_ratio - 1.0) * (high - ground)
    # No higher than the legs reach: a soft least of the three heights.
    over = [np.zeros_like(wanted)]
    for goal, (hip, knee, ankle) in zip(goals, joints, strict=True):
        bones = (places[..., knee, :] - places[..., hip, :], places[..., ankle, :] - places[..., knee, :])
        reach = MAX_STRETCH_SHARE * sum(np.linalg.norm(bone, axis=-1) for bone in bones)
        away = goal - places[..., hip, :] - middle
        rise = np.sqrt(np.maximum(reach * reach - (away[..., :2] ** 2).sum(axis=-1), 0.0))
        over.append((wanted - (goal[..., 2] - places[..., hip, 2] + rise)) / (HOLD_M * scale))
    lowered = np.minimum(HOLD_M * scale * np.logaddexp.reduce(np.stack(over), axis=0), MAX_LOWERING_M * scale)
    places = places + np.concatenate([middle[..., :2], (wanted - lowered)[..., None]], axis=-1)[..., None, :]

    for leg, goal, (hip, knee, ankle) in zip(legs, goals, joints, strict=True):
        thigh, shin = solve_leg(leg, goal, *(places[..., joint, :] for joint in (hip, knee, ankle)))
        turns[..., hip, :] = quat.multiply(thigh, turns[..., hip, :])
        turns[..., knee, :] = quat.multiply(shin, turns[..., knee, :])
    _ride(rig, fit, turns, rests)
    return WorldPose(places[..., :1, :] + _places(rig, turns, offsets, scale), turns)


def pose_characters(
    character: RiggedCharacter, take: Take, rows: IntArray, *, poses: Poses, columns: IntArray
) -> WorldPose:
    """Pose a rig as the characters in these rows [n] of a take, which have one body; who is absent holds a pose.

    They are the `columns` [n] of `poses`.
    """
    body, source = int(take.characters.body[rows[0]]), fill_frames(poses.present[:, columns])
    fit = character.fits[body]
    assert fit is not None
    return pose_rig(
        character.rig,
        fit,
        skeleton=take.bodies[body].skeleton,
        positions=poses.positions[source, columns],
        rotations=poses.rotations[source, columns],
        scale=take.characters.scale[rows].astype(np.float64),
    )


def local_turns(rig: Rig, rotations: Array) -> Array:
    """Return rotations [..., J, 4] in the frames of the parents, the root's in that of the node that it hangs on."""
    above = rotations[..., rig.skeleton.parents, :]
    above[..., 0, :] = rig.outer
    return quat.multiply(quat.conjugate(above), rotations)


def _ride(rig: Rig, fit: CharacterFit, turns: Array, rests: Array) -> None:
    """Turn the joints that follow nothing with their parents."""
    for joint in np.flatnonzero(fit.drives < 0).tolist():
        parent = int(rig.skeleton.parents[joint])
        turns[..., joint, :] = rig.turns[0] if parent < 0 else quat.multiply(turns[..., parent, :], rests[joint])


def _places(rig: Rig, turns: Array, offsets: Array, scale: Array) -> Array:
    """Return where joints are [..., J, 3], the root at the origin."""
    places = np.zeros((*turns.shape[:-1], 3))
    for joint, above in enumerate(rig.skeleton.parents[1:].tolist(), start=1):
        moved = quat.rotate(turns[..., above, :], offsets[joint])
        places[..., joint, :] = places[..., above, :] + scale[..., None] * moved
    return places


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
    left = np.where(np.linalg.norm(left, axis=-1, keepdims=True) < MIN_LEVEL_SHARE, across, left)
    left = left / np.maximum(np.linalg.norm(left, axis=-1, keepdims=True), 1e-9)
    ahead = np.stack([left[..., 1], -left[..., 0]], axis=-1)
    from_heel = leg.heel - size * quat.rotate(leg.foot_turn, foot.heel)
    from_heel[..., :2] += size * (foot.heel_shift[0] * ahead + foot.heel_shift[1] * left)
    from_ball = leg.ball - size * (quat.rotate(leg.foot_turn, foot.toes) + quat.rotate(leg.toe_turn, foot.ball))
    from_ball[..., :2] += size * (foot.ball_shift[0] * ahead + foot.ball_shift[1] * left)
    share = smoothstep(0.5 + (leg.heel[..., 2:] - leg.ball[..., 2:]) / (ROLL_M * size))
    return (1.0 - share) * from_heel + share * from_ball


def solve_leg(leg: TakeLeg, goal: Array, hip: Array, knee: Array, ankle: Array) -> tuple[Array, Array]:
    """Return the turns [..., 4] of thigh and shin, in the world, that bring the rig's ankle to its goal.

    `hip`, `knee` and `ankle` are the rig's before; the knee goes where the take's knee does.
    """
    upper, lower, aim = knee - hip, ankle - knee, goal - hip
    l1, l2 = _length(upper), _length(lower)
    far = np.maximum(_length(aim), 1e-9)
    size = np.minimum(np.maximum(far, np.abs(l1 - l2) + 1e-4), MAX_STRETCH_SHARE * (l1 + l2))
    # The take's knee off its own line from hip to ankle; a little of the thigh's front decides when that is straight.
    line, pole = leg.ankle - leg.hip, leg.knee - leg.hip
    front = POLE_SHARE * l1 * quat.rotate(leg.hip_turn, np.array([1.0, 0.0, 0.0]))
    pole = pole + front - _dot(pole, line) / np.maximum(_dot(line, line), 1e-9) * line
    pole = pole - _dot(pole, aim) / (far * far) * aim
    out = np.maximum(_length(pole), 1e-9)
    cosine, sine = solve_triangle(l1, l2, size)
    thigh = l1 * (cosine * aim / far + sine * pole / out)
    return quat.between(upper, thigh), quat.between(lower, size * aim / far - thigh)


def _dot(a: Array, b: Array) -> Array:
    return (a * b).sum(axis=-1, keepdims=True)


def _length(a: Array) -> Array:
    return np.sqrt(_dot(a, a))
