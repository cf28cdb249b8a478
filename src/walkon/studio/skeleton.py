"""The performer's skeleton: a person of average build, in shares of the stature H, with limits of normal anatomy.

Lengths are the segment shares of Drillis and Contini (1966), as drawn in Winter, "Biomechanics and Motor Control of
Human Movement", fig. 4.1: hip 0.530 H, knee 0.285 H and ankle 0.039 H above the floor, shoulders 0.818 H, chin 0.870 H,
upper arm 0.186 H, forearm 0.146 H, hand 0.108 H, shoulder breadth 0.259 H, foot 0.152 H. Not on that figure, and taken
from common anatomy: hip joints 0.10 H apart (the figure has the breadth of the pelvis), the ball of the foot at 0.72 of
its length, three spine joints at about the heights of L5, L1 and T7.

At rest it stands straight, faces +x and holds its arms out sideways (a T): every bone has a direction of its own, so
that other programs, which take this pose as their reference, and the search for roles by shape both understand it.

The joint of the ball lies above the sole, and the contact "ball" below it is fixed to the toes: while the heel rises
the toes stay flat, so the contact stays where it is to the last digit. The heel's contact is fixed to the foot.

Ranges of motion in degrees are those of the American Academy of Orthopaedic Surgeons, "Joint Motion: Method of
Measuring and Recording" (1965): hip flexion 120, extension 30, abduction 45, adduction 30, rotation 45; knee 135 (150
passive); ankle 20 up and 50 down, inversion 35, eversion 15; shoulder flexion and abduction 180, extension 60; elbow
150; forearm 80; wrist 80 and 70, deviation 20 and 30; neck 45 each way and 60 of rotation; trunk 80 forward, 25 back,
35 sideways, 45 of rotation. Trunk and neck are shared among their joints. Where weight bears, ankle and toes go further
than the examiner's hand takes them (30 and 75 degrees up). An arm at rest is held out sideways; its range is counted
from where it points forward, out and down.
"""

from dataclasses import replace

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.motion.anatomy.limits import BallLimit, HingeLimit, JointLimit
from walkon.motion.skeleton import FOOT_CONTACTS, SIDES, Skeleton
from walkon.transforms import quaternions as quat

__all__ = ["LEG_SHARE", "OUTWARD", "STATURE_M", "bone_length", "check_range", "performer_limits", "performer_skeleton"]

OUTWARD = (1.0, -1.0)
"""The sign of y on the left and on the right side, in the order of `walkon.motion.skeleton.SIDES`."""
STATURE_M = 1.75
"""m, the performer's height unless told otherwise; the walking norms are scaled from it."""
LEG_SHARE = 0.491
"""Thigh plus shank over H."""
ANKLE_HEIGHT_SHARE, BALL_HEIGHT_SHARE, HEEL_BEHIND_ANKLE_SHARE = 0.039, 0.014, 0.020
"""Over H: height of the ankle and of the ball's joint above the sole, and how far the heel bears behind the ankle."""
HIP_JOINTS_BELOW_ROOT_SHARE = 0.030
"""Over H: the hip joints below the root, which is in the middle of the pelvis."""
BALL_AHEAD_SHARE, TOE_LENGTH_SHARE = 0.068, 0.043
"""Over H: ankle to ball along the floor, and the length of the toes."""

TRUNK = (
    ("Spine", "Hips", -0.004, 0.022, "spine"),
    ("Spine1", "Spine", 0.000, 0.067, None),
    ("Spine2", "Spine1", -0.008, 0.076, "chest"),
    ("Neck", "Spine2", 0.014, 0.116, "neck"),
    ("Head", "Neck", 0.010, 0.054, "head"),
)
"""Joint, parent, ahead of and above the parent over H, role. The spine curves a little, and the neck slopes forward;
hips to the joint of the head: 0.335 H."""
Range = tuple[float, float]
Axis = tuple[float, float, float]

UP, DOWN, LEFT = (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)


def check_range(name: str, value: float, low: float, high: float, unit: str = "") -> None:
    """Refuse a value outside its range, naming both."""
    if not (np.isfinite(value) and low <= value <= high):
        raise InvalidValue(f"{name} must be {low:g} to {high:g}{unit and ' ' + unit}, got {value}")


def performer_skeleton(*, height: float = STATURE_M, leg_ratio: float = LEG_SHARE, breadth: float = 1.0) -> Skeleton:
    """Return the performer's skeleton: 0.8 to 2.3 m tall, with thigh + shank = `leg_ratio` × height (0.44 to 0.54).

    A longer leg takes its length from the trunk; `breadth` (0.8 to 1.25) widens hips and shoulders.
    """
    check_range("height", height, 0.8, 2.3, "m")
    check_range("leg_ratio", leg_ratio, 0.44, 0.54, "of the height")
    check_range("breadth", breadth, 0.8, 1.25, "times the average")
    H = height
    # What the legs gain the trunk loses, so that the stature is what was asked for.
    trunk = (0.335 - (leg_ratio - LEG_SHARE)) / 0.335
    joints: list[tuple[str, str | None, tuple[float, float, float], str | None]] = [
        ("Hips", None, (0.0, 0.0, ANKLE_HEIGHT_SHARE + leg_ratio + HIP_JOINTS_BELOW_ROOT_SHARE), "hips")
    ]
    joints += [(name, parent, (ahead, 0.0, rise * trunk), role) for name, parent, ahead, rise, role in TRUNK]
    joints.append(("HeadEnd", "Head", (0.0, 0.0, 0.105), None))
    for side, sign in zip(SIDES, OUTWARD, strict=True):
        name = side.capitalize()
        collar, half = 0.016 * breadth, 0.1295 * breadth
        joints += [
            (f"{name}Shoulder", "Spine2", (0.010, sign * collar, 0.108 * trunk), f"{side}_clavicle"),
            (f"{name}Arm", f"{name}Shoulder", (-0.005, sign * (half - collar - 0.0235), -0.018), f"{side}_shoulder"),
            (f"{name}ForeArm", f"{name}Arm", (0.0, sign * 0.186 * 0.95, 0.0), f"{side}_elbow"),
            (f"{name}Hand", f"{name}ForeArm", (0.0, sign * 0.146, 0.0), f"{side}_wrist"),
            (f"{name}HandEnd", f"{name}Hand", (0.0, sign * 0.108, 0.0), None),
        ]
    for side, sign in zip(SIDES, OUTWARD, strict=True):
        name = side.capitalize()
        joints += [
            (f"{name}UpLeg", "Hips", (0.0, sign * 0.050 * breadth, -HIP_JOINTS_BELOW_ROOT_SHARE), f"{side}_hip"),
            (f"{name}Leg", f"{name}UpLeg", (0.0, 0.0, -0.499 * leg_ratio), f"{side}_knee"),
            (f"{name}Foot", f"{name}Leg", (0.0, 0.0, -0.501 * leg_ratio), f"{side}_ankle"),
            (
                f"{name}ToeBase",
                f"{name}Foot",
                (BALL_AHEAD_SHARE, 0.0, BALL_HEIGHT_SHARE - ANKLE_HEIGHT_SHARE),
                f"{side}_ball",
            ),
            (f"{name}ToeEnd", f"{name}ToeBase", (TOE_LENGTH_SHARE, 0.0, -BALL_HEIGHT_SHARE), None),
        ]
    names = [joint[0] for joint in joints]
    roles = {role: names.index(name) for name, _, _, role in joints if role}
    soles: Array = H * np.array(
        [[-HEEL_BEHIND_ANKLE_SHARE, 0.0, -ANKLE_HEIGHT_SHARE], [0.0, 0.0, -BALL_HEIGHT_SHARE]] * 2
    )
    return Skeleton(
        names=tuple(names),
        parents=np.array([-1 if parent is None else names.index(parent) for _, parent, _, _ in joints]),
        offsets=H * np.array([offset for _, _, offset, _ in joints]),
        end_sites=np.array([name.endswith("End") for name in names]),
        roles=roles,
        limits={names.index(name): limit for name, limit in performer_limits().items()},
        contact_names=FOOT_CONTACTS,
        contact_joints=np.array([roles[f"{side}_{part}"] for side in SIDES for part in ("ankle", "ball")]),
        contact_offsets=soles,
    )


def bone_length(skeleton: Skeleton, role: str) -> float:
    """Return the length in metres of the bone that ends in the joint of a role."""
    return float(np.linalg.norm(skeleton.offsets[skeleton.role(role)]))


def performer_limits() -> dict[str, JointLimit]:
    """Return joint name → limit for the joints of `performer_skeleton`."""
    limits: dict[str, JointLimit] = {
        name: _ball(UP, LEFT, first=(12, 35), second=(15, 15), twist=(-20, 20))
        for name in ("Spine", "Spine1", "Spine2")
    }
    limits |= {name: _ball(UP, LEFT, first=(28, 30), second=(25, 25), twist=(-38, 38)) for name in ("Neck", "Head")}
    for side in SIDES:
        limits |= _leg(side) | _arm(side)
    return limits


def _ball(axis: Axis, first_axis: Axis, *, first: Range, second: Range, twist: Range) -> BallLimit:
    a, b, c = _radians(first), _radians(second), _radians(twist)
    return BallLimit(axis=axis, first=first_axis, first_range=a, second_range=b, twist=c)


def _radians(degrees: Range) -> Range:
    low, high = np.radians(degrees).tolist()
    return low, high


def _leg(side: str) -> dict[str, JointLimit]:
    name = side.capitalize()
    # A positive turn about down × left = +x takes the leg to the left: out for the left one, in for the right.
    out = (30, 45) if side == "left" else (45, 30)
    return {
        f"{name}UpLeg": _ball(DOWN, LEFT, first=(120, 30), second=out, twist=(-45, 45)),
        f"{name}Leg": HingeLimit(axis=LEFT, low=float(np.radians(-5)), high=float(np.radians(150))),
        f"{name}Foot": _ball(DOWN, LEFT, first=(32, 58), second=(35, 35), twist=(-30, 30)),
        f"{name}ToeBase": HingeLimit(axis=LEFT, low=float(np.radians(-75)), high=float(np.radians(45))),
    }


def _arm(side: str) -> dict[str, JointLimit]:
    name, sign = side.capitalize(), OUTWARD[SIDES.index(side)]
    bone: Axis = (0.0, sign, 0.0)
    ahead: Axis = (1.0, 0.0, 0.0)
    flexing: Axis = (0.0, 0.0, -sign)
    shoulder = _ball(bone, ahead, first=(145, 145), second=(145, 145), twist=(-110, 110))
    w, x, y, z = quat.between(np.array(bone), np.array([0.5, 0.45 * sign, -0.74])).tolist()
    return {
        f"{name}Shoulder": _ball(bone, ahead, first=(35, 35), second=(25, 25), twist=(-30, 30)),
        f"{name}Arm": replace(shoulder, centre=(w, x, y, z)),
        f"{name}ForeArm": _ball(bone, flexing, first=(5, 150), second=(12, 12), twist=(-85, 85)),
        f"{name}Hand": _ball(bone, ahead, first=(80, 80), second=(45, 45), twist=(-60, 60)),
    }
