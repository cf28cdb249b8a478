"""Adjustment: how far the posed root's path departs from that of the clips as they were captured.

Between two frames of one segment the posed planar pose moves by Δ; the clip, placed but not warped, moves by Δ₁, and a
clip that is still fading out by Δ₀. With w the weight of the fade in the middle of the two frames,

    adjustment = |Δ − (w Δ₁ + (1 − w) Δ₀)| fps           m/s on the floor, degrees/s of heading.

A warp shows with its own speed, a fade between two clips that do not lie on each other with the speed at which it
drags the body across; a fade between clips that do shows next to nothing. The time ratio is max(r, 1/r) for clip
seconds per second r, over the 1/√size that a body of that size moves with of itself; held poses (r under `HELD`) have
none. A clip that is read beyond its ends shows its first or last frame; for how long at a time is a figure as well.
"""

from typing import Any

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.playing import playing
from walkon.take.auditing.reposing import PosedRows, joined
from walkon.take.take import Take
from walkon.transforms import angles, planar

__all__ = ["HELD", "Adjustment"]

HELD = 0.05
"""Clip seconds per second below which a pose counts as held."""


BEYOND = 1e-3
"""s of a clip's time by which it may be read beyond its ends."""


class Adjustment:
    """Measures adjustment, batch after batch of whole characters."""

    def __init__(self, take: Take, fps: float, findings: Findings) -> None:
        self.take, self.fps, self.findings = take, fps, findings
        self.metres, self.ratio = 0.0, 1.0
        self._headings = np.full(len(take.clips.roots), np.nan)
        self._known = np.zeros(len(take.clips), bool)

    def add(self, track: PosedRows) -> None:
        """Measure these rows."""
        now = playing(self.take, track.segment, track.times)
        self._time(track, now.clip, now.rate)
        self._beyond(track, now.clip, now.u)
        k = np.flatnonzero(joined(track))
        k = k[(track.segment[k] == track.segment[k + 1]) & (now.clip[k] >= 0)]
        if not len(k):
            return
        place = self.take.segments.place[track.segment[k]][:, :3]
        step = self._step(track, k, now.clip, now.u, place)
        fading = np.flatnonzero(now.old_clip[k] >= 0)
        if len(fading):
            f = k[fading]
            blends = self.take.segments.blend[track.segment[f]]
            # At the end of the fade the old clip goes on under a weight of nothing.
            old_clip = np.array(now.old_clip)
            old_clip[f + 1] = now.old_clip[f]
            old = self._step(track, f, old_clip, now.old_u, self.take.blends.place[blends][:, :3])
            w = 0.5 * (now.weight[f] + now.weight[f + 1])[:, None]
            step[fading] = w * step[fading] + (1 - w) * old
        posed = np.column_stack(
            [track.root[k + 1, :2] - track.root[k, :2], angles.difference(track.heading[k + 1], track.heading[k])]
        )
        off = posed - step
        metres = np.hypot(off[:, 0], off[:, 1]) * self.fps
        degrees = np.degrees(np.abs(off[:, 2])) * self.fps
        self.metres = max(self.metres, float(metres.max()))
        self.findings.over_time("adjustment_m_s", track.frame[k], metres, np.maximum)
        for figure, values, unit, what, least in (
            ("max_m_s", metres * 100, "cm/s", "moves the root", 1e-2),
            ("max_deg_s", degrees, "degrees/s", "turns", 1e-2),
        ):
            scale = 0.01 if figure == "max_m_s" else 1.0
            self.findings.offer(
                f"adjustment.{figure}",
                values * scale,
                who=track.who[k],
                times=track.times[k],
                places=track.root[k],
                least=least * scale,
                words=lambda i, v=values, unit=unit, what=what: (  # type: ignore[misc]
                    self.take.clips.names[now.clip[k[i]]],
                    f"{what} by {v[i]:.2f} {unit} other than the clip {self.take.clips.names[now.clip[k[i]]]!r} does",
                ),
            )

    def _step(self, track: PosedRows, k: IntArray, clip: IntArray, u: Array, place: Array) -> Array:
        """Return [K, 3] how the placed clip's planar pose moves from rows k to rows k + 1."""
        stride = self.take.characters.stride[track.who[k]].astype(np.float64)
        a, b = self._read(clip[k], u[k], stride), self._read(clip[k], u[k + 1], stride)
        moved = b[:, :2] - a[:, :2]
        turned = planar.apply(np.column_stack([np.zeros((len(k), 2)), place[:, 2]]), moved)
        return np.column_stack([turned, angles.difference(b[:, 2], a[:, 2])])

    def _read(self, clip: IntArray, u: Array, stride: Array) -> Array:
        """Return [K, 3] planar poses of clips in their own world, at times between frames."""
        for c in np.unique(clip[~self._known[clip]]):
            first = int(self.take.clips.rows.first_frame[c])
            poses = self.take.clip(int(c)).planar_poses
            self._headings[first : first + len(poses)] = np.unwrap(poses[:, 2])
            self._known[c] = True
        rows = self.take.clips.rows
        x = np.clip(u * rows.fps[clip], 0.0, rows.frames[clip] - 1.0)
        before = x.astype(np.int64)
        part = (x - before)[:, None]
        low = rows.first_frame[clip] + before
        high = rows.first_frame[clip] + np.minimum(before + 1, rows.frames[clip] - 1)
        roots = self.take.clips.roots
        ground = stride[:, None] * ((1 - part) * roots[low, :2] + part * roots[high, :2])
        heading = (1 - part[:, 0]) * self._headings[low] + part[:, 0] * self._headings[high]
        return np.column_stack([ground, heading])

    def _time(self, track: PosedRows, clip: IntArray, rate: Array) -> None:
        plays = np.flatnonzero((clip >= 0) & (rate > HELD))
        natural = 1.0 / np.sqrt(self.take.characters.scale[track.who[plays]].astype(np.float64))
        pace = rate[plays] / natural
        ratio = np.maximum(pace, 1.0 / pace)
        self.ratio = max(self.ratio, float(ratio.max(initial=1.0)))
        self.findings.offer(
            "adjustment.max_time_ratio",
            ratio,
            who=track.who[plays],
            times=track.times[plays],
            places=track.root[plays],
            least=1.001,
            words=lambda i: (
                self.take.clips.names[clip[plays[i]]],
                f"plays {self.take.clips.names[clip[plays[i]]]!r} at {pace[i]:.2f} times the speed of its size",
            ),
        )

    def _beyond(self, track: PosedRows, clip: IntArray, u: Array) -> None:
        lasts = self.take.clips.durations[clip] if len(self.take.clips) else np.zeros(len(clip))
        beyond = np.flatnonzero((clip >= 0) & track.whole & ((u > lasts + BEYOND) | (u < -BEYOND)))
        if not len(beyond):
            return
        who, frame = track.who[beyond], track.frame[beyond]
        starts = np.flatnonzero(np.append(True, (np.diff(who) != 0) | (np.diff(frame) != 1)))
        seconds = np.diff(np.append(starts, len(beyond))) / self.fps
        first = beyond[starts]
        self.findings.offer(
            "adjustment.held_past_end_s",
            seconds,
            who=track.who[first],
            times=track.times[first],
            places=track.root[first],
            least=0.0,
            words=lambda i: (
                self.take.clips.names[clip[first[i]]],
                f"stands frozen for {seconds[i]:.2f} s: {self.take.clips.names[clip[first[i]]]!r} is over",
            ),
        )

    def figures(self) -> dict[str, dict[str, Any]]:
        """Return what was measured: adjustment."""
        return {
            "adjustment": {
                "max_m_s": self.metres,
                "max_deg_s": self.findings.largest("adjustment.max_deg_s"),
                "max_time_ratio": self.ratio,
                "held_past_end_s": self.findings.largest("adjustment.held_past_end_s"),
            }
        }
