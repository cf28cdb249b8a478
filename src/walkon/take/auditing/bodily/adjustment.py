"""Adjustment: how far the root's posed trajectory departs from that of the clips as they were captured.

Between two frames of one segment the posed planar pose moves by Δ; the clip, placed but not warped, moves by Δ₁, and a
clip that is still fading out by Δ₀. With w the weight of the fade in the middle of the two frames,

    adjustment = |Δ − (w Δ₁ + (1 − w) Δ₀)| fps           m/s on the floor, degrees/s of heading.

A warp shows with its own speed, a fade between two clips that do not lie on each other with the speed at which it drags
the body across; a fade between clips that do shows next to nothing. The time ratio is max(r, 1/r) for clip seconds per
second r, over the 1/√size that a body of that size moves with of itself; held poses (r under `HELD_UNDER_SPEED_RATIO`)
have none. A clip that is read beyond its ends shows its first or last frame; for how long at a time is a figure as
well.
"""

from typing import Any

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.playing import read_segments
from walkon.take.auditing.reposing import AuditClock, PosedRows, link_rows
from walkon.take.take import Take
from walkon.transforms import angles, planar

__all__ = ["HELD_UNDER_SPEED_RATIO", "adjustment_figures", "clip_headings", "measure_adjustment"]

HELD_UNDER_SPEED_RATIO = 0.05
"""Clip seconds per second below which a pose counts as held."""
PAST_END_TOLERANCE_S = 1e-3
"""s of a clip's time by which it may be read beyond its ends."""


def clip_headings(take: Take, clips: IntArray) -> Array:
    """Return [F] rad, unwrapped headings of the frames of these clips; NaN elsewhere."""
    headings = np.full(len(take.clips.roots), np.nan)
    for clip in clips:
        first = int(take.clips.rows.first_frame[clip])
        poses = take.clip(int(clip)).planar_poses
        headings[first : first + len(poses)] = np.unwrap(poses[:, 2])
    return headings


def measure_adjustment(take: Take, clock: AuditClock, track: PosedRows, findings: Findings, *, headings: Array) -> None:
    """Measure these rows of whole characters; `headings` are the `clip_headings` of what they play and fade from."""
    now = read_segments(take, track.segment, track.times)
    _measure_time_ratio(take, track, findings, now.clip, now.rate)
    _measure_past_end(take, clock, track, findings, now.clip, now.u)
    k = np.flatnonzero(link_rows(track.who, track.frame, track.whole))
    k = k[(track.segment[k] == track.segment[k + 1]) & (now.clip[k] >= 0)]
    if not len(k):
        return

    def moves(rows: IntArray, clip: IntArray, u: Array, place: Array) -> Array:
        """Return [K, 3] how the placed clip's planar pose moves from these rows to the next."""
        stride = take.characters.stride[track.who[rows]].astype(np.float64)
        a, b = (_read(take, headings, clip[rows], u[at], stride) for at in (rows, rows + 1))
        turned = planar.apply(place * [0.0, 0.0, 1.0], b[:, :2] - a[:, :2])
        return np.column_stack([turned, angles.difference(b[:, 2], a[:, 2])])

    step = moves(k, now.clip, now.u, take.segments.place[track.segment[k], :3])
    fading = np.flatnonzero(now.old_clip[k] >= 0)
    if len(fading):
        f = k[fading]
        blends = take.segments.blend[track.segment[f]]
        old = moves(f, now.old_clip, now.old_u, take.blends.place[blends, :3])
        w = 0.5 * (now.weight[f] + now.weight[f + 1])[:, None]
        step[fading] = w * step[fading] + (1 - w) * old
    turned = angles.difference(track.heading[k + 1], track.heading[k])
    off = np.column_stack([track.root[k + 1, :2] - track.root[k, :2], turned]) - step
    metres = np.hypot(off[:, 0], off[:, 1]) * clock.fps
    degrees = np.degrees(np.abs(off[:, 2])) * clock.fps
    findings.raise_largest("adjustment.speed_m_s", metres)
    findings.add_over_time("adjustment_m_s", track.frame[k], metres, np.maximum)
    for figure, values, scale, unit, what in (
        ("max_m_s", metres * 100, 0.01, "cm/s", "moves the root"),
        ("max_deg_s", degrees, 1.0, "degrees/s", "turns"),
    ):
        findings.offer(
            f"adjustment.{figure}",
            values * scale,
            who=track.who[k],
            times=track.times[k],
            places=track.root[k],
            least=1e-2 * scale,
            words=lambda i, v=values, unit=unit, what=what: (  # type: ignore[misc]
                take.clips.names[now.clip[k[i]]],
                f"{what} by {v[i]:.2f} {unit} other than the clip {take.clips.names[now.clip[k[i]]]!r} does",
            ),
        )


def _read(take: Take, headings: Array, clip: IntArray, u: Array, stride: Array) -> Array:
    """Return [K, 3] planar poses of clips in their own world, at times between frames."""
    rows, roots = take.clips.rows, take.clips.roots
    x = np.clip(u * rows.fps[clip], 0.0, rows.frames[clip] - 1.0)
    before = x.astype(np.int64)
    part = (x - before)[:, None]
    low = rows.first_frame[clip] + before
    high = rows.first_frame[clip] + np.minimum(before + 1, rows.frames[clip] - 1)
    ground = stride[:, None] * ((1 - part) * roots[low, :2] + part * roots[high, :2])
    heading = (1 - part[:, 0]) * headings[low] + part[:, 0] * headings[high]
    return np.column_stack([ground, heading])


def _measure_time_ratio(take: Take, track: PosedRows, findings: Findings, clip: IntArray, rate: Array) -> None:
    plays = np.flatnonzero((clip >= 0) & (rate > HELD_UNDER_SPEED_RATIO))
    natural = 1.0 / np.sqrt(take.characters.scale[track.who[plays]].astype(np.float64))
    pace = rate[plays] / natural
    findings.offer(
        "adjustment.max_time_ratio",
        np.maximum(pace, 1.0 / pace),
        who=track.who[plays],
        times=track.times[plays],
        places=track.root[plays],
        least=1.001,
        words=lambda i: (
            take.clips.names[clip[plays[i]]],
            f"plays {take.clips.names[clip[plays[i]]]!r} at {pace[i]:.2f} times the speed of its size",
        ),
    )


def _measure_past_end(
    take: Take, clock: AuditClock, track: PosedRows, findings: Findings, clip: IntArray, u: Array
) -> None:
    lasts = np.append(take.clips.durations, 0.0)[clip]
    beyond = np.flatnonzero(
        (clip >= 0) & track.whole & ((u > lasts + PAST_END_TOLERANCE_S) | (u < -PAST_END_TOLERANCE_S))
    )
    if not len(beyond):
        return
    starts = np.flatnonzero(np.append(True, (np.diff(track.who[beyond]) != 0) | (np.diff(track.frame[beyond]) != 1)))
    seconds = np.diff(np.append(starts, len(beyond))) / clock.fps
    first = beyond[starts]
    findings.offer(
        "adjustment.held_past_end_s",
        seconds,
        who=track.who[first],
        times=track.times[first],
        places=track.root[first],
        least=0.0,
        words=lambda i: (
            take.clips.names[clip[first[i]]],
            f"stands frozen for {seconds[i]:.2f} s: {take.clips.names[clip[first[i]]]!r} is over",
        ),
    )


def adjustment_figures(findings: Findings) -> dict[str, dict[str, Any]]:
    """Return what was measured: adjustment."""
    return {
        "adjustment": {
            "max_m_s": findings.largest["adjustment.speed_m_s"],
            "max_deg_s": findings.largest["adjustment.max_deg_s"],
            "max_time_ratio": max(findings.largest["adjustment.max_time_ratio"], 1.0),
            "held_past_end_s": findings.largest["adjustment.held_past_end_s"],
        }
    }
