"""What is being played: which clip, at which of its times, how fast, and what it fades in from.

The law of a segment's time is told in `walkon.take.tables.Segments`; here it is read for many (segment, time) at once.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.take.take import Take
from walkon.transforms.easing import smoothstep

__all__ = ["Playing", "clip_frames", "playing"]


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


def playing(take: Take, segment: IntArray, times: Array) -> Playing:
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


def clip_frames(take: Take, clip: IntArray, u: Array) -> IntArray:
    """Return the frames, of all clips' frames end to end, that are nearest to these times of these clips."""
    rows = take.clips.rows
    frame = np.clip(np.floor(u * rows.fps[clip] + 0.5), 0, rows.frames[clip] - 1).astype(np.int64)
    nearest: IntArray = rows.first_frame[clip] + frame
    return nearest
