"""What a BVH file does not say: which axis is up, how long a unit is, which way the body faces.

These are found from the body itself, in the file's own axes and units, and each answer comes with its reason.

* Up: the axis along which the head is above the feet at rest; where the rest pose is no standing pose (all bones along
  one axis, as in LAFAN1), the axis along which the head is above the feet in the motion.
* Scale: the unit in which the body is as tall as a person, from the lowest point of the feet to the end of the head.
* Facing: the hip line turned a quarter, and the way from ankle to ball of the foot; both must agree.

It does not say either whether its first frame is a T-pose that was put in front of the motion. Many converters (the BVH
files of the CMU database among them) add one frame that shows the skeleton and not the performer. It is known by two
signs together: the pose is all zeros, or symmetric with straight legs and straight arms held out (a T or an A); and the
body jumps from it to the next frame as it never does later. A performer who really stands in a T does not jump out of
it.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import ScaleError
from walkon.io.bvh_document import Up, axis_map
from walkon.motion.kinematics import forward
from walkon.motion.roles import RoleReport, find_roles
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.transforms import quaternions as quat

__all__ = [
    "CMU_UNIT_M",
    "find_facing",
    "find_scale",
    "find_up",
    "report_roles",
    "starts_with_tpose",
    "with_person_roles",
    "with_roles",
]

CMU_UNIT_M = 0.0254 / 0.45
"""Metres per unit of the CMU database: inches times 0.45."""
CMU_JOINTS = frozenset(("LHipJoint", "RHipJoint", "LowerBack", "LThumb", "RThumb"))
UNITS_M = (
    ("metres", 1.0),
    ("centimetres", 0.01),
    ("millimetres", 0.001),
    ("inches", 0.0254),
    ("CMU's inches", CMU_UNIT_M),
)
MIN_PERSON_HEIGHT_M, MAX_PERSON_HEIGHT_M = 1.2, 2.3
"""Metres from the feet to the end of the head; in these units no number of units fits two of them."""
MIN_PERSON_JOINTS = 10
"""A skeleton with fewer joints (end sites aside) is not taken for a person."""
MAX_PERSON_ENDS = 200
"""A person with all fingers and a face has under a hundred ends of chains, and roles are found by comparing pairs."""
MIN_UPRIGHT_SHARE = 0.8
"""The part of the way from feet to head that lies along one axis, for that axis to be up."""
AXES = "xyz"


def report_roles(skeleton: Skeleton, given: Mapping[str, str] | None = None) -> RoleReport | None:
    """Find the roles of a skeleton, those `given` by joint name first; with too many ends it is no person: None."""
    ends = sum(not children for children in skeleton.children)
    here = {role: name for role, name in (given or {}).items() if name in skeleton.names}
    return None if ends > MAX_PERSON_ENDS else find_roles(skeleton, given=here)


def with_roles(skeleton: Skeleton, given: Mapping[str, str] | None = None) -> Skeleton:
    """Return the skeleton with the roles that were found or given."""
    report = report_roles(skeleton, given)
    return skeleton if report is None else report.skeleton


def with_person_roles(skeleton: Skeleton, given: Mapping[str, str] | None = None) -> Skeleton | None:
    """Return the skeleton (any axes and units) with roles, or None if it is no person with head and feet."""
    if np.count_nonzero(~skeleton.end_sites) < MIN_PERSON_JOINTS:
        return None
    for up in ("y", "z"):
        # Names give the roles in any axes; where they do not, the shape does, and only with the right axis up.
        trial = with_roles(replace(skeleton, offsets=axis_map(up).vectors(skeleton.offsets)), given)
        if trial.has_roles(("head", "left_ankle", "right_ankle")):
            return replace(skeleton, roles=trial.roles)
    return None


def find_up(skeleton: Skeleton, person: Skeleton | None, *, sample: Array) -> tuple[Up, str, tuple[str, ...]]:
    """Return the axis that is up, the reason, and warnings; `sample` [S, J, 3] are world places in some frames."""
    if person is None:
        extent = np.ptp(skeleton.rest_positions, axis=0)
        if extent[2] > 2.0 * extent[1]:
            return "z", f"no head and feet; the rest pose is longest along z ({extent[2]:.4g} units)", ()
        return "y", "no head and feet to tell by; y is the custom in BVH files", ()
    at_rest = _up_vectors(person, person.rest_positions[None])[0]
    upright = _up_vectors(person, sample).mean(axis=0) if len(sample) else np.zeros(3)
    longest = int(np.argmax(at_rest))
    if at_rest[longest] >= MIN_UPRIGHT_SHARE and longest > 0:
        up: Up = "y" if longest == 1 else "z"
        warnings: tuple[str, ...] = ()
        if len(sample) and upright[longest] < 0.5:
            warnings = (
                f"the rest pose stands along {up}, but the head is seldom above the feet along {up} in the motion; "
                f"if the body is not lying down, pass up={'z' if up == 'y' else 'y'!r}",
            )
        return up, f"the head is above the feet along {up} in the rest pose", warnings
    if max(upright[1], upright[2]) >= 0.5:
        up = "y" if upright[1] >= upright[2] else "z"
        return up, f"the rest pose does not stand; in the motion the head is above the feet along {up}", ()
    warning = "neither the rest pose nor the motion shows which axis is up; took y, pass up= if that is wrong"
    return "y", "y is the custom in BVH files", (warning,)


def _up_vectors(person: Skeleton, places: Array) -> Array:
    """Return unit vectors [S, 3] from the middle of the feet to the head."""
    way = places[:, person.role("head")] - sum(places[:, person.role(f"{side}_ankle")] for side in SIDES) / 2
    length = np.linalg.norm(way, axis=1, keepdims=True)
    return np.asarray(way / np.where(length > 0, length, 1.0))


def find_scale(skeleton: Skeleton, person: Skeleton | None, *, up: Up) -> tuple[float, str]:
    """Return metres per unit, and why; raises `ScaleError` where a person fits no unit."""
    if person is None:
        return 1.0, "not a person with head and feet; took metres"
    height = _height(person, up)
    if set(skeleton.names) >= CMU_JOINTS and 1.0 < height * CMU_UNIT_M < 2.5:
        return CMU_UNIT_M, f"the joints are CMU's, whose unit is 0.0254 / 0.45 m ({height * CMU_UNIT_M:.2f} m tall)"
    for unit, scale in UNITS_M:
        if MIN_PERSON_HEIGHT_M <= height * scale <= MAX_PERSON_HEIGHT_M:
            return scale, f"{height:.4g} units tall, a person in {unit} ({height * scale:.2f} m)"
    if height <= 0:
        raise ScaleError("skeleton has no height: its feet are not below its head; pass scale= in metres per unit")
    raise ScaleError(
        f"skeleton is {height:.4g} units tall from feet to head, which is no person "
        f"({MIN_PERSON_HEIGHT_M} to {MAX_PERSON_HEIGHT_M} m) in "
        f"metres, centimetres, millimetres or inches; pass scale= in metres per unit (for 1.7 m {1.7 / height:.4g})"
    )


def _height(person: Skeleton, up: Up) -> float:
    """Return the units from the feet to the end of the head: at rest, or along the bones if it does not stand."""
    axis = AXES.index(up)
    if _up_vectors(person, person.rest_positions[None])[0, axis] >= MIN_UPRIGHT_SHARE:
        heights = person.rest_positions[:, axis]
        feet = [j for side in SIDES for j in _descendants(person, person.role(f"{side}_ankle"))]
        return float(heights[_descendants(person, person.role("head"))].max() - heights[feet].min())
    bones = np.linalg.norm(person.offsets, axis=1)
    ends = (max(_descendants(person, person.role("head"))), person.role("left_ankle"))
    return float(sum(bones[list(person.chain(0, end)[1:])].sum() for end in ends))


def _descendants(skeleton: Skeleton, joint: int) -> list[int]:
    """Return the joint and all that hang on it."""
    return [other for other in range(joint, len(skeleton)) if joint in skeleton.chain(0, other)]


def find_facing(skeleton: Skeleton) -> tuple[int | None, str]:
    """Return the quarter turns (0 to 3, counter-clockwise) from +x to where a z-up body faces at rest, and the reason.

    None where neither hips nor feet show it, or where they contradict each other.
    """
    places, ways = skeleton.rest_positions, {}
    if skeleton.has_roles(("left_hip", "right_hip")):
        left = places[skeleton.role("left_hip")] - places[skeleton.role("right_hip")]
        ways["the hip line"] = np.array([left[1], -left[0]])
    if skeleton.has_roles(f"{side}_{part}" for side in SIDES for part in ("ankle", "ball")):
        feet = sum(places[skeleton.role(f"{side}_ball")] - places[skeleton.role(f"{side}_ankle")] for side in SIDES)
        ways["the feet"] = np.asarray(feet)[:2]
    quarters = {}
    for what, way in ways.items():
        angle = np.arctan2(way[1], way[0]) / (np.pi / 2)
        # A foot that points down, or a hip line that goes up, has no direction on the floor.
        if np.linalg.norm(way) > 0.02 * skeleton.reach and abs(angle - round(angle)) < 1 / 3:
            quarters[what] = round(angle) % 4
    if not quarters:
        return None, "neither hips nor feet show which way the body faces at rest; kept as it is"
    if len(set(quarters.values())) > 1:
        return None, "hips and feet show different ways in the rest pose; kept as it is"
    return next(iter(quarters.values())), f"{' and '.join(quarters)} show it"


MIN_TPOSE_JUMP_RAD = np.radians(3.0)
"""Root mean square over the joints of the turn to the next frame; people reach about 1.2 degrees at 120 Hz."""
MIN_TPOSE_JUMP_RATIO = 4.0
"""The jump must be this many times the usual turn from frame to frame."""
USUAL_TURN_FRAMES = 240
"""Frames that show what is usual."""
MAX_ZERO_POSE_RAD = np.radians(1.0)
MIN_LIMB_STRAIGHT_RATIO = 0.99
"""Distance between the ends of a limb over the length of its bones."""
MIN_ARM_SIDEWAYS_SHARE = 0.6
"""Sideways part of the way from shoulder to wrist; 0.7 is an A-pose with arms at 45 degrees."""
MAX_ASYMMETRY_SHARE = 0.06
"""Largest distance of a joint from its mirrored partner, as a share of the body's reach."""
ARM, LEG = ("shoulder", "elbow", "wrist"), ("hip", "knee", "ankle")


def starts_with_tpose(skeleton: Skeleton, local_rotations: Array) -> bool:
    """Say whether frame 0 of rotations [T, J, 4] is an added T-pose; False with under three frames."""
    if len(local_rotations) < 3:
        return False
    window = local_rotations[: USUAL_TURN_FRAMES + 1]
    turns = np.sqrt(np.mean(quat.angle_between(window[1:], window[:-1]) ** 2, axis=1))
    if turns[0] < max(MIN_TPOSE_JUMP_RAD, MIN_TPOSE_JUMP_RATIO * float(np.median(turns[1:]))):
        return False
    return bool(np.all(quat.angle(window[0, 1:]) < MAX_ZERO_POSE_RAD)) or _is_tpose(skeleton, window[:1])


def _is_tpose(skeleton: Skeleton, rotations: Array) -> bool:
    if not skeleton.has_roles(f"{side}_{part}" for side in SIDES for part in ARM + LEG):
        return False
    places = forward(skeleton, np.zeros((1, 3)), rotations).positions[0]
    limbs = places[[[[skeleton.role(f"{side}_{part}") for part in limb] for limb in (ARM, LEG)] for side in SIDES]]
    ways = limbs[:, :, 2] - limbs[:, :, 0]  # [side, limb, 3] from end to end
    bones = np.linalg.norm(np.diff(limbs, axis=2), axis=-1).sum(axis=-1)
    lengths = np.linalg.norm(ways, axis=-1)
    hips = limbs[:, 1, 0]
    across = (hips[0] - hips[1]) / max(float(np.linalg.norm(hips[0] - hips[1])), 1e-9)
    sideways = ways[:, 0] @ across * (1, -1)
    left, right = limbs - (hips[0] + hips[1]) / 2
    mirrored = left - 2.0 * (left @ across)[..., None] * across
    return bool(
        np.all(lengths >= MIN_LIMB_STRAIGHT_RATIO * bones)
        and np.all(sideways >= MIN_ARM_SIDEWAYS_SHARE * lengths[:, 0])
        and np.all(np.linalg.norm(mirrored - right, axis=-1) <= MAX_ASYMMETRY_SHARE * skeleton.reach)
    )
