"""How far the performer's joints turn, from tables of normal anatomy.

Ranges of motion in degrees are those of the American Academy of Orthopaedic Surgeons, "Joint Motion: Method of
Measuring and Recording" (1965): hip flexion 120, extension 30, abduction 45, adduction 30, rotation 45; knee 135 (150
passive); ankle 20 up and 50 down, inversion 35, eversion 15; shoulder flexion and abduction 180, extension 60; elbow
150; forearm 80; wrist 80 and 70, deviation 20 and 30; neck 45 each way and 60 of rotation; trunk 80 forward, 25 back,
35 sideways, 45 of rotation. Trunk and neck are shared among their joints. Where weight bears, ankle and toes go further
than the examiner's hand takes them (30 and 75 degrees up).

An arm at rest is held out sideways; its range is counted from where it points forward, out and down.
"""

import numpy as np

from walkon.motion.limits import BallLimit, HingeLimit, JointLimit
from walkon.motion.skeleton import SIDES
from walkon.transforms import quaternions as quat

__all__ = ["performer_limits"]

Range = tuple[float, float]
Axis = tuple[float, float, float]

UP, DOWN, LEFT = (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)


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
    a, b, t = (tuple(float(x) for x in np.radians(pair)) for pair in (first, second, twist))
    return BallLimit(axis=axis, first=first_axis, first_range=_pair(a), second_range=_pair(b), twist=_pair(t))


def _pair(values: tuple[float, ...]) -> Range:
    return values[0], values[1]


def _leg(side: str) -> dict[str, JointLimit]:
    name = side.capitalize()
    # A positive turn about down × left = +x takes the leg to the left: out for the left one, in for the right.
    out = (30, 45) if side == "left" else (45, 30)
    roll = (35, 35)
    return {
        f"{name}UpLeg": _ball(DOWN, LEFT, first=(120, 30), second=out, twist=(-45, 45)),
        f"{name}Leg": HingeLimit(axis=LEFT, low=float(np.radians(-5)), high=float(np.radians(150))),
        f"{name}Foot": _ball(DOWN, LEFT, first=(32, 58), second=roll, twist=(-30, 30)),
        f"{name}ToeBase": HingeLimit(axis=LEFT, low=float(np.radians(-75)), high=float(np.radians(45))),
    }


def _arm(side: str) -> dict[str, JointLimit]:
    name, sign = side.capitalize(), 1.0 if side == "left" else -1.0
    bone: Axis = (0.0, sign, 0.0)
    ahead: Axis = (1.0, 0.0, 0.0)
    flexing: Axis = (0.0, 0.0, -sign)
    middle = np.array([0.5, 0.45 * sign, -0.74])
    centre = quat.between(np.array(bone), middle)
    reach = float(np.radians(145))
    shoulder = BallLimit(
        axis=bone,
        first=ahead,
        first_range=(reach, reach),
        second_range=(reach, reach),
        twist=(-float(np.radians(110)), float(np.radians(110))),
        centre=(float(centre[0]), float(centre[1]), float(centre[2]), float(centre[3])),
    )
    return {
        f"{name}Shoulder": _ball(bone, ahead, first=(35, 35), second=(25, 25), twist=(-30, 30)),
        f"{name}Arm": shoulder,
        f"{name}ForeArm": _ball(bone, flexing, first=(5, 150), second=(12, 12), twist=(-85, 85)),
        f"{name}Hand": _ball(bone, ahead, first=(80, 80), second=(45, 45), twist=(-60, 60)),
    }
