"""Inverse kinematics of the legs: feet, pelvis and upper body of a performance become one clip, its last step.

Each leg is solved analytically (`walkon.motion.limbs.limb`), with the knee in the plane midway between pelvis and foot:
in turns neither shin nor hip is twisted by the whole difference.

Near a straight leg a millimetre of its length is several degrees of the knee (3 at 5 degrees), so a foot that reaches
far ahead makes the knee snap straight and back around landing. Before it lands the knee is therefore eased: its angle
is smoothed over a twelfth of a second, and the ankle drawn towards the hip by the few millimetres that this takes.
Feet in stance are never moved: the heel comes down those millimetres as it lands.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.ndimage import gaussian_filter1d

from walkon._base.arrays import Array, BoolArray
from walkon.motion.clip import Clip, Event
from walkon.motion.limbs.limb import Limb, solve_limb
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.studio.feet import FeetMotion
from walkon.studio.pelvis import PelvisMotion
from walkon.transforms import angles
from walkon.transforms import quaternions as quat

__all__ = ["assemble", "ease_knee", "set_leg"]

MIN_PIVOT_RATE_RAD_S = 0.1
"""rad/s of a planted foot from which on it pivots."""
KNEE_SMOOTHING_S = 0.033
"""s, standard deviation of the bell that eases the knee."""
MIN_SWING_KNEE_RAD = np.deg2rad(3.0)
"""rad, the straightest knee of a swinging leg."""
MAX_ANKLE_PULL_M = 0.012
"""m by which an ankle is drawn up at most."""


def assemble(
    skeleton: Skeleton,
    *,
    fps: float,
    feet: FeetMotion,
    pelvis: PelvisMotion,
    upper: Mapping[str, Array],
    labels: Mapping[str, BoolArray] | Sequence[str],
    name: str,
    events: Sequence[Event] = (),
) -> Clip:
    """Return the clip of a performance: `upper` has local rotations [T, 4] by joint name for all above the pelvis.

    Planted feet are met exactly: legs are solved from the hips that the pelvis carries to the ankles of `feet`. Labels
    are of all frames, or of those given; contacts are those of `feet`, on the floor. Frames in
    which a planted ball turns on its place are labelled "pivot".
    """
    T = len(pelvis.positions)
    rotations = np.tile(quat.IDENTITY, (T, len(skeleton), 1))
    rotations[:, 0] = pelvis.rotations
    for joint, local in upper.items():
        rotations[:, skeleton.index(joint)] = local
    for side in range(len(SIDES)):
        set_leg(rotations, skeleton, side, feet=feet, pelvis=pelvis, fps=fps)
    frame_labels = dict(labels) if isinstance(labels, Mapping) else {label: np.ones(T, bool) for label in labels}
    pivoting = _find_pivoting(feet, fps)
    if pivoting.any():
        frame_labels["pivot"] = pivoting
    return Clip(
        skeleton=skeleton,
        fps=fps,
        root_positions=pelvis.positions,
        local_rotations=quat.continuous(quat.normalize(rotations)),
        contacts=feet.contacts,
        contact_heights=np.zeros(feet.contacts.shape),
        labels=frame_labels,
        events=tuple(events),
        name=name,
    )


def _find_pivoting(feet: FeetMotion, fps: float) -> BoolArray:
    """Return [T] where a planted ball turns on its place: it does not drift, but the foot above it is not still."""
    if len(feet.yaws) < 2:
        return np.zeros(len(feet.yaws), bool)
    turning = np.abs(np.gradient(feet.yaws, axis=0)) * fps > MIN_PIVOT_RATE_RAD_S
    return np.asarray((turning & feet.contacts[:, [1, 3]]).any(axis=1))


def set_leg(
    rotations: Array, skeleton: Skeleton, side: int, *, feet: FeetMotion, pelvis: PelvisMotion, fps: float
) -> None:
    """Write the local rotations of one leg into `rotations` [T, J, 4]: its foot where and as it is, the knee eased."""
    hip, knee, ankle, ball = (skeleton.role(f"{SIDES[side]}_{part}") for part in ("hip", "knee", "ankle", "ball"))
    hips = pelvis.positions + quat.rotate(pelvis.rotations, skeleton.offsets[hip])
    ahead = quat.rotate(pelvis.rotations, np.array([1.0, 0.0, 0.0]))
    facing = np.arctan2(ahead[:, 1], ahead[:, 0])
    plane = quat.turn(facing + 0.5 * angles.difference(feet.yaws[:, side], facing))
    thigh, shank = (float(np.linalg.norm(skeleton.offsets[joint])) for joint in (knee, ankle))
    ankles = ease_knee(hips, feet.ankles[:, side], swing=feet.swing[:, side], bones=(thigh, shank), fps=fps)
    pose = Limb(
        hips,
        quat.rotate(plane, skeleton.offsets[knee]),
        quat.rotate(plane, skeleton.offsets[ankle]),
        quat.rotate(plane, np.array([0.0, 1.0, 0.0])),
    )
    hip_turn, knee_turn = solve_limb(pose, hips, ankles)
    thighs = quat.multiply(hip_turn, plane)
    shanks = quat.multiply(quat.multiply(hip_turn, knee_turn), plane)
    rotations[:, hip] = quat.multiply(quat.conjugate(pelvis.rotations), thighs)
    rotations[:, knee] = quat.multiply(quat.conjugate(thighs), shanks)
    rotations[:, ankle] = quat.multiply(quat.conjugate(shanks), feet.rotations[:, side])
    rotations[:, ball] = quat.about(np.array([0.0, 1.0, 0.0]), -feet.toes[:, side])


def ease_knee(hips: Array, ankles: Array, *, swing: Array, bones: tuple[float, float], fps: float) -> Array:
    """Return ankles [T, 3] drawn towards the hips [T, 3] late in the swing; `swing` [T] is its share, −1 in stance."""
    thigh, shank = bones
    legs = hips - ankles
    lengths = np.linalg.norm(legs, axis=1)
    knees = np.arccos(np.clip((lengths**2 - thigh**2 - shank**2) / (2 * thigh * shank), -1.0, 1.0))
    eased = gaussian_filter1d(knees, KNEE_SMOOTHING_S * fps, mode="nearest")
    wanted = np.sqrt(thigh**2 + shank**2 + 2 * thigh * shank * np.cos(eased))
    # Only ever shorter: a longer leg would push the foot into the floor.
    shorter = np.clip(lengths - wanted, 0.0, MAX_ANKLE_PULL_M)
    late = np.clip((swing - 0.6) / 0.2, 0.0, 1.0)
    longest = np.sqrt(thigh**2 + shank**2 + 2 * thigh * shank * np.cos(MIN_SWING_KNEE_RAD))
    drawn = np.maximum(late * shorter, np.where(swing >= 0.0, lengths - longest, 0.0))
    return np.asarray(ankles + (drawn / lengths)[:, None] * legs)
