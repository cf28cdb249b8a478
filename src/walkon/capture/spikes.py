"""Spikes: one or two frames in which a joint jumps away and comes back, repaired from their neighbours.

A frame is a spike where the joint is far from the middle of its neighbours, both in degrees and compared with how far
that usually is around it:

    e_t = angle(q_t, slerp(q_{t−k}, q_{t+k}, ½)) > max(LEAST, RATIO × local median of e)

for k = 1 (one frame) and k = 2 (two frames). Fast but honest motion has a large median and is left alone. A sudden
step (a captured knee that snaps out of its stop) is far from the middle on both sides and becomes a ramp of three
frames. A first or last frame that jumps has no two neighbours: it is compared with where the frames beside it lead.
"""

from typing import NamedTuple

import numpy as np
from scipy.ndimage import median_filter

from walkon._base.arrays import Array, BoolArray
from walkon.motion.clip import Clip
from walkon.transforms import quaternions as quat

__all__ = ["SpikeRepair", "repair_spikes"]

LEAST = np.radians(1.5)
"""rad at 120 frames/s and k = 1: an acceleration of 750 rad/s², more than honest joints reach."""
LEAST_SHIFT = 0.008
"""m, the same for the root's place."""
RATIO = 6.0
WINDOW = 0.25
"""s over which "usual" is measured."""


class SpikeRepair(NamedTuple):
    """The repaired clip, and which joints were repaired in which frames."""

    clip: Clip
    repaired: BoolArray
    """[T, J]; the root's column also stands for its place."""


def repair_spikes(clip: Clip) -> SpikeRepair:
    """Replace spikes of one or two frames by interpolation between the frames beside them."""
    rotations, roots = np.array(clip.local_rotations), np.array(clip.root_positions)
    repaired = np.zeros(rotations.shape[:2], bool)
    if len(clip) < 7:
        return SpikeRepair(clip, repaired)
    window = max(5, int(WINDOW * clip.fps) | 1)
    # Between frames that are farther apart in time, honest motion bends more: in proportion to the interval squared.
    least = LEAST * max(1.0, (120.0 / clip.fps) ** 2)
    shift = LEAST_SHIFT * max(1.0, (120.0 / clip.fps) ** 2)
    for k in (1, 2):
        away = np.zeros(repaired.shape)
        middle = quat.slerp(rotations[: -2 * k], rotations[2 * k :], np.array(0.5))
        away[k:-k] = quat.angle_between(rotations[k:-k], middle)
        found = _peaks(away, np.maximum(least * k, RATIO * median_filter(away, (window, 1), mode="nearest")), k)
        away_root = np.zeros((len(clip), 1))
        halfway = 0.5 * (roots[: -2 * k] + roots[2 * k :])
        away_root[k:-k, 0] = np.linalg.norm(roots[k:-k] - halfway, axis=1)
        usual = median_filter(away_root, (window, 1), mode="nearest")
        found_root = _peaks(away_root, np.maximum(shift * k, RATIO * usual), k)[:, 0]
        for joint in np.flatnonzero(found.any(axis=0)):
            rotations[:, joint] = _bridge_rotations(rotations[:, joint], found[:, joint])
        roots = _bridge_positions(roots, found_root)
        repaired |= found
        repaired[:, 0] |= found_root
    rotations, ends = _straighten_ends(rotations, 3 * least)
    repaired |= ends
    if not repaired.any():
        return SpikeRepair(clip, repaired)
    return SpikeRepair(clip.with_motion(roots, rotations), repaired)


def _straighten_ends(rotations: Array, limit: float) -> tuple[Array, BoolArray]:
    """Replace first and last frames that jump by going on as the frames beside them do: q₁ (q₂⁻¹ q₁)."""
    rotations = np.array(rotations)
    jumped = np.zeros(rotations.shape[:2], bool)
    for first, second, third in ((0, 1, 2), (-1, -2, -3)):
        step = quat.multiply(quat.conjugate(rotations[third]), rotations[second])
        expected = quat.multiply(rotations[second], step)
        wrong = (quat.angle_between(rotations[first], expected) > limit) & (quat.angle(step) < limit)
        rotations[first, wrong] = expected[wrong]
        jumped[first] = wrong
    return rotations, jumped


def _peaks(away: Array, limit: Array, k: int) -> BoolArray:
    """Return the frames beyond the limit that are the worst around: a spike also lifts its neighbours."""
    over = away > limit
    worst = np.ones_like(over)
    for step in range(1, k + 1):
        worst[step:] &= away[step:] >= 0.8 * away[:-step]
        worst[:-step] &= away[:-step] >= 0.8 * away[step:]
    return over & worst


def _bridge_rotations(rotations: Array, bad: BoolArray) -> Array:
    good = np.flatnonzero(~bad)
    frames = np.flatnonzero(bad)
    after = np.searchsorted(good, frames)
    left, right = good[np.clip(after - 1, 0, None)], good[np.clip(after, None, len(good) - 1)]
    weight = (frames - left) / np.maximum(right - left, 1)
    rotations = np.array(rotations)
    rotations[frames] = quat.slerp(rotations[left], rotations[right], weight)
    return rotations


def _bridge_positions(positions: Array, bad: BoolArray) -> Array:
    good = np.flatnonzero(~bad)
    columns = [np.interp(np.arange(len(positions)), good, positions[good, i]) for i in range(positions.shape[1])]
    return np.column_stack(columns)
