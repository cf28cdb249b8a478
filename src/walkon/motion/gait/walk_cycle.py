"""A procedural walk cycle: the pose of somebody of whom only a way over the floor is known, from the phase of a stride.

The body moves in the plane of its forward and up axes, so every part (trunk, thighs, shanks, feet, toes, upper arms,
forearms) is placed by a point (x, z) and a pitch about its left axis. With phase φ in strides, counted from a landing
of the left foot (the right one is half a stride later), stride S metres and stance share σ, the flat foot is at

    stance, φ < σ      x = S (λ − φ)                                  still on the floor, which the body passes over
    swing              the cubic Hermite from S (λ − σ) to S λ        leaving at the speed of the floor

plus a lift in the swing; on it the foot rolls over its heel (pitch up) and the joint of its ball (pitch down, the toes
lying flat), which stay where the flat foot has them. Hips come down by what the landing leg needs to reach (inverted
pendulum), and thigh and shank are solved by the law of cosines (`motion.limbs.limb`). At S = 0 the body stands. So feet
slide by nothing but the change of S, whatever the speed. The page draws the same figure (`walk_cycle.ts`). Shares of
stance and angles are those of normal gait (Perry, "Gait Analysis", 1992), made plain.

Metres in the frame of the root: x forward, y left, z up, the origin where the root is at rest. Radians, pitch about +y:
positive leans a trunk forward and takes a leg back.
"""

from dataclasses import dataclass

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.motion.body import Body
from walkon.motion.limbs.limb import solve_triangle
from walkon.motion.skeleton import FOOT_CONTACTS, SIDES, Skeleton
from walkon.transforms import quaternions as quat
from walkon.transforms.easing import smoothstep

__all__ = ["PARTS", "WalkCycle", "make_walk_cycle", "walk_joints", "walk_parts"]

LIMBS = ("hip", "knee", "ankle", "ball", "shoulder", "elbow")
PARTS = ("trunk", *(f"{side}_{part}" for side in SIDES for part in LIMBS))
"""Parts that move as one, by the joint that each hangs on: thigh, shank, foot, toes, upper arm, forearm with hand."""
STANCE_SHARE, LANDING_SHARE = 0.60, 0.24
"""σ: of a stride, how long a foot is down; and how far ahead of where it stands it lands."""
FULL_STRIDE_SHARE = 0.75
"""Stride over height from which on feet roll and arms swing as far as they go."""
LANDING_SPEED_SHARE = 0.3
"""Of the floor's speed: how fast a foot comes back as it lands."""
MAX_STRETCH_SHARE = 0.993
"""Of the leg's length: the landing leg is not quite straight."""
SOFT_STRETCH_SHARE = 0.996
"""Of the leg's length, beyond which it no longer follows its foot in full."""
MID_STANCE_DROP_SHARE = 0.010
"""Of the leg's length: how much the hips come down in the middle of a stance."""
LIFT_SHARE = 0.024
"""Of the height: clearance of the foot in the middle of its swing."""
LANDING_PITCH_RAD, LEAVING_PITCH_RAD = -0.38, 1.10
"""Of the foot: toes up at the landing, heel up just after it leaves."""
FLAT_FROM, FLAT_UNTIL, STEEPEST_AT, LEVEL_TOES_FOR = 0.12, 0.33, 0.64, 0.25
"""Phases: the foot is flat, pitches most, and how long after leaving its toes come into line with it."""
LOWEST_AT = 0.02
"""Phase after a landing at which the hips are lowest."""
LEAN_RAD, ARM_SWING_RAD, ARM_BACK_RAD = 0.03, 0.34, 0.05
ELBOW_BEND_RAD, ELBOW_SWING_RAD = 0.16, 0.24
"""How far elbows are bent while standing, and by how much more where the hand is in front."""
ASIDE = {"hip": -0.045, "knee": -0.045, "shoulder": 0.13, "elbow": 0.04}
"""Out over down: hanging arms point out a little, standing legs in."""
BELOW = {"hip": "knee", "knee": "ankle", "shoulder": "elbow", "elbow": "wrist"}
"""Where the bones end that hang."""
MIN_UPRIGHT = 0.7
"""Cosine of the tilt up to which a trunk stands at rest."""


@dataclass(frozen=True, eq=False, kw_only=True)
class WalkCycle:
    """A body that stands upright with hanging arms, J joints in the `PARTS`, ready to walk."""

    rotations: Array
    """[J, 4] joint → root's frame, standing."""
    places: Array
    """[J, 3] m from the root, standing."""
    parts: IntArray
    """[J] number of each joint's part."""
    pivots: Array
    """[13, 2] m, (x, z) of the joint that each part turns about, standing."""
    bones: Array
    """[2, 2] m, thigh and shank of the left and the right leg, seen from the side."""
    heels: Array
    balls: Array
    """[2, 2] m, (x, z) of what a flat foot rolls over from its ankle: the heel's contact point and the ball's joint."""
    rise: float
    """m by which the root is higher standing than at rest."""
    height: float
    """m, of the body."""


def make_walk_cycle(body: Body) -> WalkCycle:
    """Stand a body up to walk: it needs legs with feet, arms if it has any hang down."""
    skeleton = body.skeleton
    rotations, parts = _stand(skeleton)
    places = np.zeros((len(skeleton), 3))
    for joint in range(1, len(skeleton)):
        above = skeleton.parents[joint]
        places[joint] = places[above] + quat.rotate(rotations[above], skeleton.offsets[joint])
    side_on = places[:, [0, 2]]
    roles = [skeleton.roles.get(part, 0) for part in PARTS]
    legs = np.array([[skeleton.role(f"{side}_{part}") for part in ("hip", "knee", "ankle")] for side in SIDES])
    columns = [skeleton.contact(name) for name in FOOT_CONTACTS]
    held = skeleton.contact_joints[columns]
    points = (places[held] + quat.rotate(rotations[held], skeleton.contact_offsets[columns])).reshape(2, 2, 3)
    soles = points[..., [0, 2]] - side_on[legs[:, 2], None]
    rest = (skeleton.rest_positions[held] + skeleton.contact_offsets[columns])[:, 2].min() - skeleton.rest_positions[
        0, 2
    ]
    return WalkCycle(
        rotations=rotations,
        places=places,
        parts=parts,
        pivots=side_on[roles],
        bones=np.linalg.norm(np.diff(side_on[legs], axis=1), axis=2),
        heels=soles[:, 0],
        balls=side_on[[skeleton.role(f"{side}_ball") for side in SIDES]] - side_on[legs[:, 2]],
        rise=float(rest - points[..., 2].min()),
        height=body.height,
    )


def _stand(skeleton: Skeleton) -> tuple[Array, IntArray]:
    """Return rotations [J, 4], joint → root's frame, of an upright body with hanging arms, and the parts [J]."""
    up = _upright(skeleton)
    number = {skeleton.roles[part]: k for k, part in enumerate(PARTS) if part in skeleton.roles}
    rotations, parts = np.empty((len(skeleton), 4)), np.zeros(len(skeleton), np.int64)
    for joint, above in enumerate(skeleton.parents.tolist()):
        rotations[joint], parts[joint] = (up, 0) if above < 0 else (rotations[above], parts[above])
        if joint in number:
            parts[joint], (side, role) = number[joint], PARTS[number[joint]].split("_")
            if role == "ankle":
                rotations[joint] = quat.multiply(_level(quat.rotate(up, _sole(skeleton, side))), up)
            elif role != "ball":
                rotations[joint] = _hang(skeleton, joint, side, role, rotations[joint])
    return rotations, parts


def _upright(skeleton: Skeleton) -> Array:
    """Return the rotation that stands the trunk up; none where it stands at rest."""
    rest = skeleton.rest_positions
    left = rest[skeleton.role("left_hip")] - rest[skeleton.role("right_hip")]
    up = rest[skeleton.roles.get("head", skeleton.roles.get("chest", 0))] - rest[0]
    left = left / max(float(np.linalg.norm(left)), 1e-9)
    up = up - (up @ left) * left
    size = float(np.linalg.norm(up))
    if size < 1e-6 or up[2] > MIN_UPRIGHT * size:
        return np.array(quat.IDENTITY)
    return quat.from_matrix(np.stack([np.cross(left, up / size), left, up / size]))


def _sole(skeleton: Skeleton, side: str) -> Array:
    """Return the way [3] from heel to ball at rest."""
    columns = [skeleton.contact(f"{side}_{point}") for point in ("heel", "ball")]
    heel, ball = skeleton.rest_positions[skeleton.contact_joints[columns]] + skeleton.contact_offsets[columns]
    return np.asarray(ball - heel)


def _level(sole: Array) -> Array:
    """Return the rotation that lays a sole on the floor, its toes ahead."""
    ahead = sole[0] > 0.5 * np.linalg.norm(sole)
    return quat.between(sole, np.array([sole[0], sole[1], 0.0]) if ahead else np.array([1.0, 0.0, 0.0]))


def _hang(skeleton: Skeleton, joint: int, side: str, role: str, turn: Array) -> Array:
    """Return how a limb's joint is turned so that its bone hangs; `turn` is what it has from its parent."""
    below = skeleton.roles.get(f"{side}_{BELOW[role]}")
    if below is None:
        return turn
    bone = skeleton.rest_positions[below] - skeleton.rest_positions[joint]
    aside = ASIDE[role] if side == "left" else -ASIDE[role]
    return quat.multiply(quat.between(quat.rotate(turn, bone), np.array([0.0, aside, -1.0])), turn)


def walk_parts(cycle: WalkCycle, phase: Array, stride: Array) -> tuple[Array, Array]:
    """Return where the parts turn [n, 13, 2], m (x, z), and their pitch [n, 13] at phases [n] (strides).

    `stride` [n] is how long strides are, over the body's height; 0 stands.
    """
    n = len(phase)
    places, pitch = np.empty((n, len(PARTS), 2)), np.zeros((n, len(PARTS)))
    metres, full = cycle.height * stride, np.minimum(stride / FULL_STRIDE_SHARE, 1.0)
    standing = cycle.pivots
    reach = cycle.bones.sum(axis=1)
    drop = _drop(cycle, phase, metres, full)
    pitch[:, 0] = LEAN_RAD * full
    places[:, 0] = np.stack([np.zeros(n), cycle.rise - drop], axis=1)
    for side in range(2):
        hip, knee, ankle, ball, shoulder, elbow = range(1 + 6 * side, 7 + 6 * side)
        own = np.mod(phase + 0.5 * side, 1.0)
        swing = -np.cos(2.0 * np.pi * own)
        for root in (hip, shoulder):
            places[:, root] = places[:, 0] + _turned(standing[root], pitch[:, 0])
        pitch[:, shoulder] = ARM_BACK_RAD - ARM_SWING_RAD * full * swing
        bend = ELBOW_BEND_RAD + ELBOW_SWING_RAD * full * (0.5 + 0.5 * swing)
        pitch[:, elbow] = pitch[:, shoulder] - bend
        places[:, elbow] = places[:, shoulder] + _turned(standing[elbow] - standing[shoulder], pitch[:, shoulder])
        foot, toes = _foot_pitch(own, full)
        goal = standing[ankle] + np.array([0.0, cycle.rise]) + _foot_place(cycle, side, own, metres, full, foot)
        line = goal - places[:, hip]
        far = reach[side] * _soften(np.linalg.norm(line, axis=1) / reach[side])
        ahead = np.arctan2(line[:, 0], -line[:, 1])
        thigh, shank = cycle.bones[side]
        pitch[:, hip] = -(ahead + np.arccos(solve_triangle(thigh, shank, far)[0]))
        pitch[:, knee] = -(ahead - np.arccos(solve_triangle(shank, thigh, far)[0]))
        pitch[:, ankle], pitch[:, ball] = foot, toes
        for lower, upper in ((knee, hip), (ankle, knee), (ball, ankle)):
            places[:, lower] = places[:, upper] + _turned(standing[lower] - standing[upper], pitch[:, upper])
    return places, pitch


def walk_joints(cycle: WalkCycle, phase: Array, stride: Array) -> tuple[Array, Array]:
    """Return all joints at phases [n] with strides [n] (see `walk_parts`): places [n, J, 3] m and rotations [n, J, 4]
    in the root's frame.
    """
    places, pitch = walk_parts(cycle, phase, stride)
    part = cycle.parts
    away = cycle.places[:, [0, 2]] - cycle.pivots[part]
    moved = places[:, part] + _turned(away, pitch[:, part])
    aside = np.broadcast_to(cycle.places[:, 1], moved.shape[:2])
    turns = quat.about(np.array([0.0, 1.0, 0.0]), pitch[:, part])
    return np.stack([moved[..., 0], aside, moved[..., 1]], axis=-1), quat.multiply(turns, cycle.rotations)


def _turned(vectors: Array, pitch: Array) -> Array:
    """Return vectors (x, z) turned by a pitch."""
    c, s = np.cos(pitch), np.sin(pitch)
    x, z = vectors[..., 0], vectors[..., 1]
    return np.stack([c * x + s * z, c * z - s * x], axis=-1)


def _soften(stretch: Array) -> Array:
    """Return how far a leg is stretched that should be so far: it comes to straight gently, and never beyond."""
    slow, room = SOFT_STRETCH_SHARE, 0.9999 - SOFT_STRETCH_SHARE
    return np.where(stretch < slow, stretch, slow + room * (1.0 - np.exp(-np.maximum(stretch - slow, 0.0) / room)))


def _foot_pitch(phase: Array, full: Array) -> tuple[Array, Array]:
    """Return the pitch [n] of a foot and of its toes."""
    landing, leaving = LANDING_PITCH_RAD * full, LEAVING_PITCH_RAD * full
    pitch = landing * (1.0 - smoothstep(phase / FLAT_FROM))
    pitch = pitch + leaving * smoothstep((phase - FLAT_UNTIL) / (STEEPEST_AT - FLAT_UNTIL))
    pitch = pitch + (landing - leaving) * smoothstep((phase - STEEPEST_AT) / (1.0 - STEEPEST_AT))
    return pitch, np.minimum(pitch, 0.0) + np.maximum(pitch, 0.0) * smoothstep((phase - STANCE_SHARE) / LEVEL_TOES_FOR)


def _foot_place(cycle: WalkCycle, side: int, phase: Array, metres: Array, full: Array, pitch: Array) -> Array:
    """Return where the ankle is [n, 2] over where it stands."""
    u = np.clip((phase - STANCE_SHARE) / (1.0 - STANCE_SHARE), 0.0, 1.0)
    forth = STANCE_SHARE * (smoothstep(u) - 1.0)
    forth = forth - (1.0 - STANCE_SHARE) * u * (1.0 - u) * (1.0 - u - LANDING_SPEED_SHARE * u)
    x = metres * (LANDING_SHARE + np.where(phase < STANCE_SHARE, -phase, forth))
    z = LIFT_SHARE * cycle.height * full * 16.0 * u**2 * (1.0 - u) ** 2
    under = np.where(pitch[:, None] < 0.0, cycle.heels[side], cycle.balls[side])
    return np.stack([x, z], axis=1) + under - _turned(under, pitch)


def _drop(cycle: WalkCycle, phase: Array, metres: Array, full: Array) -> Array:
    """Return by how much the hips come down [n]: most at landings, by what the landing leg needs."""
    need = np.zeros(len(phase))
    for side, length in enumerate(cycle.bones.sum(axis=1)):
        start = np.zeros(len(phase))
        ankle = _foot_place(cycle, side, start, metres, full, _foot_pitch(start, full)[0])
        hip, below = cycle.pivots[1 + 6 * side], cycle.pivots[3 + 6 * side]
        x, z = (ankle + below - hip).T
        stretch = (1.0 - full) + full * MAX_STRETCH_SHARE
        need = np.maximum(need, -z - np.sqrt(np.maximum((stretch * length) ** 2 - x * x, 0.0)))
    least = MID_STANCE_DROP_SHARE * cycle.bones.sum(axis=1).mean() * full
    share = 0.5 + 0.5 * np.cos(4.0 * np.pi * (phase - LOWEST_AT))
    return least + np.maximum(need - least, 0.0) * share
