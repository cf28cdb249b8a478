"""How lively a walk is: joint jerk, and how fast pose and feet change, to hold beside the same figures of capture.

Motion made by formulas is too smooth where people waver and too sharp where formulas meet. Both show in

    jerk          |d³p/dt³| of a joint in the world, m/s³, after a 12 Hz low-pass filter, at 60 frames per second
    pose change   root mean square over the joints of their speed relative to the hips, m/s
    foot speed    speed of ankles and balls in the world, m/s

of the frames of steady strides (`walkon.motion.gait.report.sort_strides`). Two walks are compared by the overlap of
their histograms, Σ min(a, b), which is 1 for equal ones and 0 for ones that share no bin.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.signal import butter, sosfiltfilt

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.motion.clip import Clip
from walkon.motion.gait.report import sort_strides
from walkon.motion.skeleton import SIDES

__all__ = [
    "FOOT_BINS",
    "JERK_JOINTS",
    "POSE_BINS",
    "Jerk",
    "foot_speeds",
    "histogram",
    "jerk",
    "overlap",
    "pose_changes",
]

RATE = 60.0
"""Frames per second at which everything here is measured, whatever the clip's rate."""
CUT_OFF = 12.0
"""Hz of the low-pass filter, fourth order, forwards and backwards: above it capture is mostly noise."""
JERK_JOINTS = ("hips", "chest", "head", "shoulder", "elbow", "wrist", "knee", "ankle", "ball")
"""Parts of which jerk is told; those with two sides are taken together."""
POSE_BINS = np.arange(0.0, 2.01, 0.1)
"""m/s, edges of the bins of pose change."""
FOOT_BINS = np.arange(0.0, 6.01, 0.25)
"""m/s, edges of the bins of foot speed: the first holds planted feet, which slide a little in capture."""


class Jerk(NamedTuple):
    """Jerk of one part of the body over a walk, m/s³."""

    median: float
    high: float
    """95th percentile."""


def jerk(clip: Clip) -> dict[str, Jerk]:
    """Return the jerk of each of `JERK_JOINTS` that the skeleton has, over the frames of steady strides."""
    parts = {part: _joints(clip, part) for part in JERK_JOINTS}
    joints = sorted({joint for found in parts.values() for joint in found})
    places, steady = _filtered(clip, joints)
    # Central third difference: (p₊₂ − 2 p₊₁ + 2 p₋₁ − p₋₂) / 2 h³.
    third = (places[4:] - 2 * places[3:-1] + 2 * places[1:-3] - places[:-4]) * (0.5 * RATE**3)
    size = np.linalg.norm(third, axis=-1)[steady[2:-2]]
    told = {}
    for part, found in parts.items():
        if found:
            values = size[:, [joints.index(joint) for joint in found]]
            told[part] = Jerk(float(np.median(values)), float(np.percentile(values, 95)))
    return told


def pose_changes(clip: Clip) -> Array:
    """Return [N] m/s, the pose change of every frame of steady strides."""
    parts = ("head", "shoulder", "elbow", "wrist", "knee", "ankle", "ball")
    joints = [joint for part in parts for joint in _joints(clip, part)]
    sockets = [clip.skeleton.role(f"{side}_hip") for side in SIDES]
    places, steady = _filtered(clip, [*joints, *sockets])
    relative = places[:, :-2] - places[:, -2:].mean(axis=1, keepdims=True)
    speed = np.linalg.norm(np.gradient(relative, axis=0), axis=-1) * RATE
    return np.asarray(np.sqrt((speed**2).mean(axis=1))[steady])


def foot_speeds(clip: Clip) -> Array:
    """Return [N] m/s, the speeds of both ankles and balls in every frame of steady strides."""
    joints = [joint for part in ("ankle", "ball") for joint in _joints(clip, part)]
    places, steady = _filtered(clip, joints)
    return np.asarray((np.linalg.norm(np.gradient(places, axis=0), axis=-1) * RATE)[steady].ravel())


def histogram(values: Array, bins: Array) -> Array:
    """Return the share of values in each bin; what lies beyond the last edge counts in the last bin."""
    counts, _ = np.histogram(np.clip(values, bins[0], np.nextafter(bins[-1], bins[0])), bins)
    return np.asarray(counts / max(1, counts.sum()))


def overlap(a: Array, b: Array) -> float:
    """Return Σ min(a, b) of two histograms over the same bins, 0 to 1."""
    if a.shape != b.shape:
        raise InvalidValue(f"histograms must have the same bins, got {a.shape} and {b.shape}")
    return float(np.minimum(a, b).sum())


def _joints(clip: Clip, part: str) -> list[int]:
    roles = clip.skeleton.roles
    return [roles[name] for name in (part, *(f"{side}_{part}" for side in SIDES)) if name in roles]


def _filtered(clip: Clip, joints: Sequence[int]) -> tuple[Array, Array]:
    """Return places [N, J, 3] m of joints under the low-pass filter at `RATE`, and which frames [N] are steady."""
    strides, _, _ = sort_strides(clip)
    if not strides:
        raise InvalidValue(f"clip {clip.name!r} has no whole, straight, steady stride to measure")
    if clip.fps <= 2.0 * CUT_OFF:
        raise InvalidValue(f"a {CUT_OFF:g} Hz filter needs more than {2 * CUT_OFF:g} frames/s, got {clip.fps:g}")
    sections = butter(4, CUT_OFF, fs=clip.fps, output="sos")
    smooth = sosfiltfilt(sections, clip.world.positions[:, list(joints)], axis=0)
    times = np.arange(int(clip.duration * RATE + 1e-9) + 1) / RATE
    places = CubicSpline(clip.times, smooth, axis=0)(times)
    steady = np.zeros(len(times), bool)
    for stride in strides:
        steady |= (times >= stride.start / clip.fps) & (times < stride.stop / clip.fps)
    return np.asarray(places), steady
