"""The time law of segments: which clip plays when, at which of its times and how fast, and which contacts hold.

The law is given in `walkon.take.tables.Segments`; here it is read for many (segment, time) at once.
Contacts that follow each other within `MAX_BRIDGED_GAP_S` while the point rises no more than `MIN_STEP_RISE_M` are one:
nobody steps that fast, so labels in pieces hide nothing.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.motion.contacts.runs import find_runs
from walkon.take.auditing.reposing import PosedRows
from walkon.take.take import Take
from walkon.transforms.easing import smoothstep

__all__ = [
    "MAX_BRIDGED_GAP_S",
    "MIN_STEP_RISE_M",
    "Playing",
    "clip_frames",
    "held_points",
    "leading_clips",
    "read_segments",
    "stances_of",
]

MAX_BRIDGED_GAP_S = 0.05
"""s between two contacts that are one if the point does not rise."""
MIN_STEP_RISE_M = 0.005
"""m that a point rises at least when it steps."""
ROUNDING_S = 1e-6
"""s; ends of contacts are float32 seconds after a float64 start."""


class Playing(NamedTuple):
    """R moments of segments. Where a segment is planar only the clip is −1 and the rest means nothing."""

    clip: IntArray
    """[R] row of `Take.clips`."""
    u: Array
    """[R] seconds of the clip."""
    rate: Array
    """[R] clip seconds per second."""
    old_clip: IntArray
    """[R] clip that is faded from, −1 where there is none (any more)."""
    old_u: Array
    weight: Array
    """[R] share of the segment's own clip, 1 where nothing fades."""


def read_segments(take: Take, segment: IntArray, times: Array) -> Playing:
    """Read segments [R] at times [R] s."""
    s, b = take.segments, take.blends
    tau = times - s.start[segment]
    pace = (s.rate_stop - s.rate_start).astype(np.float64) / np.maximum(s.stop - s.start, 1e-9)
    rate_start = s.rate_start[segment].astype(np.float64)
    u = s.clip_start[segment] + (rate_start + 0.5 * pace[segment] * tau) * tau
    rate = rate_start + pace[segment] * tau
    old_clip, old_u, weight = np.full(len(tau), -1), np.zeros(len(tau)), np.ones(len(tau))
    fading = s.blend[segment] >= 0
    if fading.any():
        row = s.blend[segment][fading]
        span, since = b.duration[row].astype(np.float64), tau[fading]
        pace = 0.5 * (b.rate_stop - b.rate_start)[row] / span
        still = since < span
        old_clip[fading] = np.where(still, b.clip[row], -1)
        old_u[fading] = b.clip_start[row] + (b.rate_start[row] + pace * since) * since
        weight[fading] = np.where(still, smoothstep(since / span), 1.0)
    return Playing(s.clip[segment], u, rate, old_clip, old_u, weight)


def leading_clips(now: Playing) -> tuple[IntArray, Array]:
    """Return the clips [R] whose contacts and labels count, and their times [R] s: the old one in half of a fade."""
    old = (now.weight < 0.5) & (now.old_clip >= 0)
    return np.where(old, now.old_clip, now.clip), np.where(old, now.old_u, now.u)


def clip_frames(take: Take, clip: IntArray, u: Array) -> IntArray:
    """Return the frames, of all clips' frames end to end, that are nearest to these times of these clips."""
    rows = take.clips.rows
    frame = np.clip(np.floor(u * rows.fps[clip] + 0.5), 0, rows.frames[clip] - 1).astype(np.int64)
    nearest: IntArray = rows.first_frame[clip] + frame
    return nearest


def stances_of(take: Take, track: PosedRows) -> IntArray:
    """Return [R, 2] the stance of each foot (row of the score's stances), −1 where it has none."""
    steps, first = take.score.stances, take.score.first.stances
    found = np.full((len(track.who), 2), -1)
    if not len(steps.start):
        return found
    span = float(steps.stop.max() - steps.start.min()) + 2.0
    owner = np.repeat(np.arange(len(first) - 1), np.diff(first))
    keys = owner * span + (steps.start - steps.start.min())
    since = np.clip(track.times - steps.start.min() + ROUNDING_S, 0.0, span - 1.0)
    for foot in range(2):
        group = 2 * track.who + foot
        k = np.searchsorted(keys, group * span + since, side="right") - 1
        there = (k >= first[group]) & (track.times <= steps.stop[np.maximum(k, 0)] + ROUNDING_S)
        found[:, foot] = np.where(there, k, -1)
    return found


def held_points(
    take: Take, track: PosedRows, down: BoolArray, *, next_to: BoolArray, stance: IntArray, fps: float
) -> BoolArray:
    """Return [R, 4] which points are planted in this row and the next, without a lift between them."""
    on = _bridge_gaps(track, down, next_to, fps)
    held = np.zeros(down.shape, bool)
    held[:-1] = on[:-1] & on[1:] & next_to[:-1, None]
    steps, first = take.score.stances, take.score.first.stances
    if not len(steps.start):
        return held
    has = np.diff(first)
    for point in range(4):
        foot, ends = point // 2, steps.ball if point % 2 else steps.heel
        a, b = stance[:-1, foot], stance[1:, foot]
        lifted = steps.start[b] + ends[b, 0] - (steps.start[a] + ends[a, 1])
        whole = (a == b) | ((b == a + 1) & (lifted < MAX_BRIDGED_GAP_S))
        # No stances: the labels are the clip's own. No label: between two contacts that are one.
        free = (has[2 * track.who[:-1] + foot] == 0) | ~down[:-1, point] | ~down[1:, point]
        held[:-1, point] &= free | (whole & (a >= 0))
    return held


def _bridge_gaps(track: PosedRows, down: BoolArray, next_to: BoolArray, fps: float) -> BoolArray:
    """Return [R, 4] where points are planted, short gaps included in which they do not rise."""
    on = np.array(down)
    most = int(np.ceil(MAX_BRIDGED_GAP_S * fps - 1e-6)) - 1
    broken = np.concatenate([[0], np.cumsum(~next_to)])
    for p in range(4):
        starts, stops = find_runs(down[:, p])
        # The last row of a contact and the first one of the next.
        low, high = stops[:-1] - 1, starts[1:]
        short = (high - low - 1 <= most) & (broken[high] == broken[low])
        for a, b in zip(low[short], high[short], strict=True):
            height = track.points[a : b + 1, p, 2]
            on[a:b, p] |= height.max() <= max(height[0], height[-1]) + MIN_STEP_RISE_M
    return on
