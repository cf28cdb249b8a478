"""The last step of every performance: feet, pelvis and upper body become one clip, legs solved between them."""

from collections.abc import Mapping, Sequence

import numpy as np

from walkon._base.arrays import Array, BoolArray
from walkon.motion.clip import Clip, Event
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.studio.feet import FeetMotion
from walkon.studio.legs import set_leg
from walkon.studio.pelvis import PelvisMotion
from walkon.transforms import quaternions as quat

__all__ = ["assemble"]

PIVOT = 0.1
"""rad/s of a planted foot from which on it pivots."""


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
    told = dict(labels) if isinstance(labels, Mapping) else {label: np.ones(T, bool) for label in labels}
    pivoting = _pivoting(feet, fps)
    if pivoting.any():
        told["pivot"] = pivoting
    return Clip(
        skeleton=skeleton,
        fps=fps,
        root_positions=pelvis.positions,
        local_rotations=quat.continuous(quat.normalize(rotations)),
        contacts=feet.contacts,
        contact_heights=np.zeros(feet.contacts.shape),
        labels=told,
        events=tuple(events),
        name=name,
    )


def _pivoting(feet: FeetMotion, fps: float) -> BoolArray:
    """Return [T] where a planted ball turns on its place: it does not drift, but the foot above it is not still."""
    if len(feet.yaws) < 2:
        return np.zeros(len(feet.yaws), bool)
    turning = np.abs(np.gradient(feet.yaws, axis=0)) * fps > PIVOT
    return np.asarray((turning & feet.contacts[:, [1, 3]]).any(axis=1))
