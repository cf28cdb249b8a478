"""Gait: bodies that face against their travel; steps and films run backwards stand in `steps` and `backward`.

Nothing here asks for a label. Velocities are those of the root along the floor, in the frame of the hips' heading, and
means over `TRAVEL_OVER_S`, about a stride, so that sway is gone.

*Facing.* With v the velocity of the posed body and v_clip that of the clips it plays (rates and fades included), both
seen from the body that moves,

    facing off = angle(v, v_clip)         degrees, the least over `FACING_FOR_S`                                (1)

where both are faster than `TRAVELLING_OVER_M_S`. Side steps and steps backwards go where their clips go, and have none.

World frame, metres, seconds.
"""

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.take.auditing.bodily.backward import measure_backward
from walkon.take.auditing.bodily.flesh import rolling_least
from walkon.take.auditing.bodily.steps import measure_steps, rolling_mean
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.playing import Playing, read_segments
from walkon.take.auditing.reposing import AuditClock, PosedRows, link_rows
from walkon.take.take import Take
from walkon.transforms import planar

__all__ = [
    "FACING_FOR_S",
    "TRAVELLING_OVER_M_S",
    "TRAVEL_OVER_S",
    "clip_velocities",
    "gait_figures",
    "measure_gait",
]

TRAVEL_OVER_S = 1.0
"""s over which velocities are means."""
TRAVELLING_OVER_M_S = 0.3
"""m/s over which a body goes somewhere."""
FACING_FOR_S = 1.0
"""s for which a body must face elsewhere."""


def clip_velocities(take: Take, clips: IntArray) -> Array:
    """Return [F, 2] m/s along the floor of the frames of these clips, seen from the hips' heading; NaN elsewhere."""
    found = np.full((len(take.clips.roots), 2), np.nan)
    for clip in clips:
        one = take.clip(int(clip))
        first = int(take.clips.rows.first_frame[clip])
        step = np.gradient(one.planar_poses[:, :2], axis=0) * one.fps if len(one) > 1 else np.zeros((1, 2))
        found[first : first + len(one)] = _turned(step, -one.planar_poses[:, 2])
    return found


def _turned(vectors: Array, by: Array) -> Array:
    return planar.apply(np.column_stack([np.zeros((len(by), 2)), by]), vectors)


def measure_gait(
    take: Take, clock: AuditClock, track: PosedRows, support: Array, findings: Findings, *, velocities: Array
) -> None:
    """Measure these rows of whole characters.

    `support` [R, 4] m is what each point of their feet rests on, `velocities` are the `clip_velocities` of their clips.
    """
    if not track.footed.any():
        return
    linked = link_rows(track.who, track.frame, track.footed)
    step = np.zeros((len(linked), 2))
    step[:-1] = np.diff(track.root[:, :2], axis=0) * clock.fps
    step[~linked] = 0.0
    n = max(round(TRAVEL_OVER_S * clock.fps), 1)
    local, whole = rolling_mean(_turned(step, -track.heading), linked, n)
    now = read_segments(take, track.segment, track.times)
    _measure_facing(
        take, clock, track, findings, linked, local, whole, _own_velocities(take, track, now, velocities), n
    )
    speed = np.linalg.norm(step, axis=1)
    rate = np.maximum(now.rate, 0.0)
    stances = measure_steps(take, clock, track, support, findings, linked=linked, speed=speed, local=local, rate=rate)
    measure_backward(take, clock, track, stances, findings, linked=linked, local=local, n=n)


def _measure_facing(
    take: Take,
    clock: AuditClock,
    track: PosedRows,
    findings: Findings,
    linked: BoolArray,
    local: Array,
    whole: BoolArray,
    own: Array,
    n: int,
) -> None:
    known = np.isfinite(own[:, 0])
    own, both = rolling_mean(np.where(known[:, None], own, 0.0), linked & known, n)
    off = np.degrees(np.abs(_angle(local, own)))
    travels = (np.linalg.norm(local, axis=1) > TRAVELLING_OVER_M_S) & (
        np.linalg.norm(own, axis=1) > TRAVELLING_OVER_M_S
    )
    off = np.where(whole & both & travels, off, 0.0)
    off = rolling_least(off, linked, round(FACING_FOR_S * clock.fps))
    findings.offer(
        "gait.max_facing_off_deg",
        off,
        who=track.who,
        times=track.times,
        places=track.root,
        least=1.0,
        words=lambda i: ("", f"faces {off[i]:.0f} degrees other than its clip does on its way"),
    )


def _angle(a: Array, b: Array) -> Array:
    """Return [R] rad from vectors a [R, 2] to b [R, 2]."""
    return np.asarray(np.arctan2(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], (a * b).sum(axis=1)))


def _own_velocities(take: Take, track: PosedRows, now: Playing, velocities: Array) -> Array:
    """Return [R, 2] m/s of the clips that play in these rows, in the frame of their headings."""
    clips = take.clips.rows

    def read(rows: IntArray, clip: IntArray, u: Array) -> Array:
        x = np.clip(np.rint(u * clips.fps[clip]), 0, clips.frames[clip] - 1).astype(np.int64)
        return np.asarray(velocities[clips.first_frame[clip] + x] * np.maximum(now.rate[rows], 0.0)[:, None])

    own = np.full((len(track.who), 2), np.nan)
    plays = np.flatnonzero(now.clip >= 0)
    own[plays] = read(plays, now.clip[plays], now.u[plays])
    fades = np.flatnonzero((now.old_clip >= 0) & (now.clip >= 0))
    w = now.weight[fades, None]
    own[fades] = w * own[fades] + (1 - w) * read(fades, now.old_clip[fades], now.old_u[fades])
    return own


def gait_figures(findings: Findings) -> dict[str, dict[str, float]]:
    """Return what was measured: gait."""
    names = ("max_facing_off_deg", "max_backward_s", "max_slow_ratio", "max_slowed_ratio", "reversed_share")
    return {"gait": findings.largest_of("gait", *names)}
