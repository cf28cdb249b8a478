"""Gait event detection: heel strikes, toe-offs and footprints by named detectors, and the strides between them.

A foot's stance depends on who looks: at 1.7 m/s two usual detectors differ by 12 points of the cycle. These are

    Zeni        heel strike where the ankle is farthest ahead of the hips, toe-off where the ball of the foot is
                farthest behind them, both along the direction of travel (Zeni, Richards and Higginson 2008)
    contact     heel strike where, from Zeni's on, the heel no longer sinks faster than
                `LANDED_SINK_SPEED_M_S`: it meets the floor

and the one in use is "contact heel strike + Zeni toe-off". (The ankle instead of the heel would read up to 4 % of the
stride late, because it goes on sinking while the foot rocks down over its heel.) Direction of travel is that of the
hips under a filter of `TRAVEL_SIGMA_S` seconds. A footprint is the mean place of the ankle while the foot is flat
(`FLAT_FOOT_SHARE` of the stride): ankles at the moment of a heel strike give steps that are 10 cm short, because the
rear heel is up by then.

Metres, seconds, z up; frames are whole numbers, events of one foot alternate.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from walkon._base.arrays import Array, IntArray
from walkon.motion.clip import Clip
from walkon.motion.contacts.ground_plane import SMOOTHING_SIGMA_S
from walkon.motion.skeleton import SIDES
from walkon.transforms.angles import difference

__all__ = ["DETECTOR", "Stride", "find_strides", "travel"]

DETECTOR = "contact heel strike + Zeni toe-off"
"""The name of the detector of `find_strides`."""
LANDED_SINK_SPEED_M_S = 0.12
"""m/s, at which a landing heel has met the floor."""
TRAVEL_SIGMA_S = 0.35
"""s, standard deviation of the filter under which the direction of travel is measured: a stride's sway is gone."""
FLAT_FOOT_SHARE = (0.15, 0.30)
"""Shares of the stride between which the foot is flat at every walking speed: heels come up at 0.35 at the earliest."""
MIN_ANKLE_REACH_M = 0.08
"""m by which an ankle must at least be ahead of (behind) the hips where it strikes (leaves)."""
MAX_CONTACT_DELAY_SHARE = 0.12
"""Share of the stride by which contact may come after Zeni's heel strike."""


@dataclass(frozen=True, kw_only=True)
class Stride:
    """One stride of one foot, from its heel strike to its next, and what the other foot does meanwhile."""

    side: int
    """0 for the left foot, 1 for the right."""
    start: int
    """Frame of the heel strike."""
    stop: int
    """Frame of the next heel strike of the same foot."""
    toe_off: int
    other_toe_off: int
    """Frame at which the other foot leaves: the first double support ends."""
    other_strike: int
    """Frame at which the other foot lands: the second double support begins."""
    early: int
    """Frames by which Zeni's heel strike comes before contact."""
    turn: float
    """rad by which the direction of travel changes over the stride, anticlockwise positive."""
    prints: tuple[tuple[float, float], tuple[float, float], tuple[float, float]]
    """(x, y) m of the ankle over its own print, over the other foot's, and over its own next one."""


def travel(clip: Clip) -> tuple[Array, Array]:
    """Return the direction of travel [T, 2] (unit vectors) and the speed [T] m/s of the hips along the floor."""
    hips = clip.world.positions[:, clip.skeleton.role("hips"), :2]
    if len(clip) < 2:
        return np.tile([1.0, 0.0], (len(clip), 1)), np.zeros(len(clip))
    # Filtered velocities, not filtered places: at the ends of a clip places would come to rest.
    velocity = gaussian_filter1d(
        np.gradient(hips, axis=0) * clip.fps, TRAVEL_SIGMA_S * clip.fps, axis=0, mode="nearest"
    )
    speed = np.linalg.norm(velocity, axis=1)
    return velocity / np.maximum(speed, 1e-9)[:, None], speed


def find_strides(clip: Clip) -> list[Stride]:
    """Return the whole strides of both feet of a grounded clip, ordered by their start.

    Strides without an alternating step are left out, and the last footprint of a stride must lie in the clip too.
    """
    if not (clip.skeleton.has_feet and clip.skeleton.contact_names) or len(clip) < 0.5 * clip.fps:
        return []
    direction, _ = travel(clip)
    events = [_find_events(clip, side, direction) for side in SIDES]
    heading = np.unwrap(np.arctan2(direction[:, 1], direction[:, 0]))
    ankles = [clip.world.positions[:, clip.skeleton.role(f"{side}_ankle"), :2] for side in SIDES]
    found = []
    for foot, (strikes, early, offs) in enumerate(events):
        other_strikes, _, other_offs = events[1 - foot]
        for k, (start, stop) in enumerate(pairwise(strikes)):
            events_of_both = (offs, other_strikes, other_offs)
            toe_off, other_strike, other_off = (_only_between(frames, start, stop) for frames in events_of_both)
            last_print = stop + round(FLAT_FOOT_SHARE[1] * (stop - start))
            # Not a walk: both feet in the air, or a shuffle; or the last footprint is not in the clip.
            if not start < other_off < other_strike < toe_off or last_print > len(clip):
                continue
            places = [
                _mean_footprint(ankles[side], at, stop - start)
                for side, at in ((foot, start), (1 - foot, other_strike), (foot, stop))
            ]
            found.append(
                Stride(
                    side=foot,
                    start=int(start),
                    stop=int(stop),
                    toe_off=toe_off,
                    other_toe_off=other_off,
                    other_strike=other_strike,
                    early=int(early[k]),
                    turn=float(difference(heading[stop], heading[start])),
                    prints=(places[0], places[1], places[2]),
                )
            )
    return sorted(found, key=lambda stride: (stride.start, stride.side))


def _find_events(clip: Clip, side: str, direction: Array) -> tuple[IntArray, IntArray, IntArray]:
    """Return frames of contact heel strikes, by how many frames Zeni's come before them, and Zeni's toe-offs."""
    positions, skeleton, fps = clip.world.positions, clip.skeleton, clip.fps
    hips = positions[:, [skeleton.role("left_hip"), skeleton.role("right_hip")], :2].mean(axis=1)
    away = (positions[:, skeleton.role(f"{side}_{part}"), :2] - hips for part in ("ankle", "ball"))
    ankle, ball = (
        gaussian_filter1d((w * direction).sum(axis=1), SMOOTHING_SIGMA_S * fps, mode="nearest") for w in away
    )
    zeni = _find_peaks(ankle, fps)
    heel = clip.contact_positions[:, skeleton.contact(f"{side}_heel"), 2]
    height = gaussian_filter1d(heel, SMOOTHING_SIGMA_S * fps, mode="nearest")
    sinking = -np.gradient(height) * fps > LANDED_SINK_SPEED_M_S
    period = float(np.median(np.diff(zeni))) if len(zeni) > 1 else fps
    # The first frame that does not sink any more; Zeni's own where all do.
    most = max(1, round(MAX_CONTACT_DELAY_SHARE * period))
    late = np.array([np.argmin(sinking[k : k + most]) for k in zeni], dtype=np.int64)
    return zeni + late, late, _find_peaks(-ball, fps)


def _find_peaks(curve: Array, fps: float) -> IntArray:
    """Return the frames at which a curve is highest within 0.25 s either way and over `MIN_ANKLE_REACH_M`; no ends."""
    highest = maximum_filter1d(curve, 2 * round(0.25 * fps) + 1, mode="nearest")
    frames = np.flatnonzero((curve >= highest) & (curve > MIN_ANKLE_REACH_M))
    frames = frames[(frames > 0) & (frames < len(curve) - 1)]
    return frames[np.concatenate([[True], np.diff(frames) > 1])] if len(frames) else frames


def _only_between(frames: IntArray, start: int, stop: int) -> int:
    """Return the only event strictly between two frames; the first frame where there is none, or more than one."""
    inside = frames[(frames > start) & (frames < stop)]
    return int(inside[0]) if len(inside) == 1 else int(start)


def _mean_footprint(ankle: Array, strike: int, length: int) -> tuple[float, float]:
    low, high = (strike + round(share * length) for share in FLAT_FOOT_SHARE)
    flat = slice(low, max(high, strike + 1))
    x, y = ankle[flat].mean(axis=0)
    return float(x), float(y)
