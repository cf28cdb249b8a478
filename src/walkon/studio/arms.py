"""Inverse kinematics of the arms: solved analytically from shoulder to wrist, with collar bone and forearm helping.

The elbow is where `motion.limbs.limb.solve_triangle` has it, with n the direction from shoulder to wrist.

*The collar bone* brings the shoulder towards a wrist that is far away, and up when the hand is raised.
*The elbow* points down, out and back unless told otherwise; p is the part of that across n.
*The hand* may be given a rotation; what of it is a turn about the forearm is shared by forearm and wrist, as pronation
is. Metres and quaternions in the world; the elbow's direction is given in the chest's frame (x ahead, y left, z up).
"""

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon.motion.clip import Clip
from walkon.motion.limbs.limb import solve_triangle
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.studio.skeleton import OUTWARD, bone_length
from walkon.transforms import quaternions as quat
from walkon.transforms.easing import smoothstep

__all__ = [
    "ELBOW_DIRECTION",
    "EXACT_REACH_SHARE",
    "FULL_REACH_SHARE",
    "arm_length",
    "hand_rotation",
    "reach",
    "reach_in_frame",
    "shoulders_towards",
]

ELBOW_DIRECTION = (-0.55, 0.55, -0.65)
"""Where the left elbow points: back, out and down, in the chest's frame. Mirrored for the right."""
EXACT_REACH_SHARE, FULL_REACH_SHARE = 0.95, 0.985
"""Shares of the arm's length: up to the first the wrist is met exactly; beyond, the arm stretches no further than the
second, ever more slowly, because a straight elbow would snap."""
MAX_COLLAR_TURN_RAD = np.deg2rad(22.0)
"""rad by which the collar bone turns towards a wrist at full reach."""
REST_BONE_AXIS = np.array([0.0, 1.0, 0.0])
"""The line of the arm's bones at rest."""
FOREARM_PRONATION_SHARE = 0.6
"""Share of the hand's turn about the forearm that the forearm makes."""


def hand_rotation(fingers: ArrayLike, palm: ArrayLike, *, side: int) -> Array:
    """Return the world rotation [..., 4] of a hand whose fingers and palm point along directions [..., 3].

    The palm's direction is made square to the fingers'.
    """
    along, facing = np.broadcast_arrays(np.asarray(fingers, dtype=np.float64), np.asarray(palm, dtype=np.float64))
    along = along / np.linalg.norm(along, axis=-1, keepdims=True)
    facing = facing - np.sum(facing * along, axis=-1, keepdims=True) * along
    facing = facing / np.linalg.norm(facing, axis=-1, keepdims=True)
    # At rest the fingers point sideways and the palms down.
    y, z = OUTWARD[side] * along, -facing
    return quat.from_matrix(np.stack([np.cross(y, z), y, z], axis=-1))


def reach(
    clip: Clip,
    *,
    side: int,
    wrists: ArrayLike,
    hands: ArrayLike | None = None,
    elbows: ArrayLike = ELBOW_DIRECTION,
    weight: ArrayLike = 1.0,
) -> Clip:
    """Return the clip with one arm (0 = left, 1 = right) solved so that its wrist is at `wrists` [T, 3] m, world.

    `hands` [T, 4] are the hand's rotations in the world (None: as the arm carries it), `elbows` [3] or [T, 3] where the
    left elbow points (mirrored for the right), `weight` [T] how much of this is done: 0 leaves the arm as it was, 1
    meets the wrist exactly where the arm is long enough, and in between all joints are on the way.
    """
    skeleton, sign = clip.skeleton, OUTWARD[side]
    collar, shoulder, elbow, wrist = (
        skeleton.role(f"{SIDES[side]}_{part}") for part in ("clavicle", "shoulder", "elbow", "wrist")
    )
    chests, collars, shoulders, targets = _help(clip, side, np.asarray(wrists, dtype=np.float64))
    upper, fore = (bone_length(skeleton, f"left_{part}") for part in ("elbow", "wrist"))
    away = targets - shoulders
    distance = np.linalg.norm(away, axis=1)
    n = away / np.maximum(distance, 1e-9)[:, None]
    exact, soft = EXACT_REACH_SHARE * (upper + fore), (FULL_REACH_SHARE - EXACT_REACH_SHARE) * (upper + fore)
    stretched = exact + soft * -np.expm1(-np.maximum(distance - exact, 0.0) / soft)
    distance = np.maximum(np.minimum(distance, stretched), 1.05 * abs(upper - fore) + 1e-3)
    pole = np.asarray(elbows, dtype=np.float64) * np.array([1.0, sign, 1.0])
    p = pole - np.sum(pole * n, axis=1)[:, None] * n
    p = p / np.linalg.norm(p, axis=1, keepdims=True)
    cosine, sine = solve_triangle(upper, fore, distance)
    u = n * cosine[:, None] + p * sine[:, None]
    hinge = np.cross(n, p)
    bent = np.pi - np.arccos(np.clip((upper**2 + fore**2 - distance**2) / (2 * upper * fore), -1.0, 1.0))

    # At rest the arm points along ± y and the elbow's hinge is ± z.
    y, z = sign * u, sign * hinge
    uppers = quat.from_matrix(np.stack([np.cross(y, z), y, z], axis=-1))
    solved = {
        collar: collars,
        shoulder: quat.multiply(quat.conjugate(collars), uppers),
        elbow: quat.about(np.array([0.0, 0.0, sign]), -bent),
    }
    if hands is not None:
        forearms = quat.multiply(uppers, solved[elbow])
        held = quat.multiply(quat.conjugate(chests), np.asarray(hands, dtype=np.float64))
        local = quat.multiply(quat.conjugate(forearms), held)
        _, twist = quat.swing_twist(local, REST_BONE_AXIS)
        turned = quat.exp(FOREARM_PRONATION_SHARE * quat.log(twist))
        solved[elbow] = quat.multiply(solved[elbow], turned)
        solved[wrist] = quat.multiply(quat.conjugate(turned), local)
    rotations = np.array(clip.local_rotations)
    share = np.broadcast_to(np.asarray(weight, dtype=np.float64), (len(clip),))
    for joint, local in solved.items():
        if joint == elbow:
            # Hinge and pronation each go their own way: in between, too, the elbow bends about its hinge only.
            parts = zip(
                quat.swing_twist(rotations[:, joint], REST_BONE_AXIS),
                quat.swing_twist(local, REST_BONE_AXIS),
                strict=True,
            )
            bends, turns = (quat.slerp(before, after, share) for before, after in parts)
            rotations[:, joint] = quat.multiply(bends, turns)
        else:
            rotations[:, joint] = quat.slerp(rotations[:, joint], local, share)
    return clip.with_motion(clip.root_positions, rotations)


def reach_in_frame(
    clip: Clip,
    joint: int,
    *,
    side: int,
    place: ArrayLike,
    fingers: ArrayLike,
    palm: ArrayLike,
    elbows: ArrayLike,
    weight: ArrayLike,
) -> Clip:
    """Return the clip with a wrist at `place` [3] or [T, 3] m, fingers and palm as directed, in the frame of a joint.

    All are those of a left hand, mirrored for the right; the rest is as in `reach`.
    """
    at, turned = clip.world.positions[:, joint], clip.world.rotations[:, joint]
    mirror = np.array([1.0, OUTWARD[side], 1.0])
    wrists, along, facing = (quat.rotate(turned, mirror * np.asarray(given)) for given in (place, fingers, palm))
    hands = hand_rotation(along, facing, side=side)
    return reach(clip, side=side, wrists=at + wrists, hands=hands, elbows=elbows, weight=weight)


def shoulders_towards(clip: Clip, *, side: int, wrists: Array) -> Array:
    """Return where the shoulder joint is [T, 3] when the collar bone helps the wrist to `wrists` [T, 3]; m, world."""
    chests, _, shoulders, _ = _help(clip, side, wrists)
    return clip.world.positions[:, clip.skeleton.role(f"{SIDES[side]}_clavicle")] + quat.rotate(chests, shoulders)


def arm_length(skeleton: Skeleton) -> float:
    """Return upper arm plus forearm, m."""
    return sum(bone_length(skeleton, f"left_{part}") for part in ("elbow", "wrist"))


def _help(clip: Clip, side: int, wrists: Array) -> tuple[Array, Array, Array, Array]:
    """Return rotations [T, 4] of the chest and of the collar bone that helps the wrist to `wrists` [T, 3] m, world.

    And shoulder joints and wrists [T, 3] in the chest's frame, from the joint of the collar bone.
    """
    skeleton = clip.skeleton
    collar, shoulder = (skeleton.role(f"{SIDES[side]}_{part}") for part in ("clavicle", "shoulder"))
    chests, bone = clip.world.rotations[:, skeleton.parents[collar]], skeleton.offsets[shoulder]
    targets = quat.rotate(quat.conjugate(chests), wrists - clip.world.positions[:, collar])
    away = targets - bone
    distance = np.linalg.norm(away, axis=1)
    n = away / np.maximum(distance, 1e-9)[:, None]
    far = np.clip((distance / arm_length(skeleton) - 0.7) / 0.35, 0.0, 1.0)
    raised = np.clip(0.5 + n[:, 2], 0.0, 1.0)
    amount = MAX_COLLAR_TURN_RAD * np.maximum(
        smoothstep(far) * (1.0 - 0.7 * np.clip(-n[:, 2], 0.0, 1.0)), 0.7 * raised**2
    )
    collars = quat.exp(amount[:, None] * np.cross(bone / np.linalg.norm(bone), n))
    return chests, collars, quat.rotate(collars, bone), targets
