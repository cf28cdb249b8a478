"""Gait: bodies that face against their travel, walk backwards for long, in slow motion, or like a film run backwards.

Nothing here asks for a label. Velocities are those of the root along the floor, in the frame of the hips' heading, and
means over `TRAVEL_OVER_S`, about a stride, so that sway is gone.

*Facing.* With v the velocity of the posed body and v_clip that of the clips it plays (rates and fades included), both
seen from the body that moves,

    facing off = angle(v, v_clip)         degrees, the least over `FACING_FOR_S`                                (1)

where both are faster than `TRAVELLING_OVER_M_S`. Side steps and steps backwards go where their clips go, and have none.

*Backwards.* The longest time for which a body goes faster than `BACKWARD_OVER_M_S` within `BACKWARD_WITHIN_DEG` of its
back. People step back; they do not travel so. A walk whose recording runs backwards does.

*Slow motion.* A step is what lies between the landings of one foot and the other; L is its length, T its time. Over all
speeds of walking L over cadence, the walk ratio, is the same, so that L T ≈ 60 w (Sekiya and Nagasaki 1998; w is
`WALK_RATIO` of `walkon.motion.gait_norms`). Motion that is slowed by a factor has the same L and so many times the T:

    slow ratio = L T / (60 w) / (l / `USUAL_LEG_M`)^1.5         the least of `STEP_COUNT` steps one after another   (2)

with l the length of the legs, as times of bodies go with the root of their lengths. Slow walkers take short steps, and
have about 1. Only steps count in which the root never falls below `STEADY_RATIO` of its mean speed: who steps, waits
and steps again is not slow.

*Reversed.* Who walks forwards lands on the heel and leaves the ground with the ball last. A stance in which the ball
comes down `ORDER_S` or more before the heel, and does not stay as much longer than it, is one of a film run backwards;
the figure is the share of those, of whoever has most, among `MIN_STANCE_COUNT` stances at least. Toes first alone is no
fault (runners, tiptoes, stairs).

World frame, metres, seconds.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.motion.gait_norms import WALK_RATIO
from walkon.motion.legs import leg_length
from walkon.take.auditing.feet import GRIP_SPEED_RATIO, ON_SUPPORT_WITHIN_M
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.flesh import rolling_least, split_runs
from walkon.take.auditing.playing import read_segments
from walkon.take.auditing.reposing import AuditClock, PosedRows, link_rows
from walkon.take.clips import stands
from walkon.take.take import Take
from walkon.transforms import planar

__all__ = [
    "BACKWARD_OVER_M_S",
    "BACKWARD_WITHIN_DEG",
    "FACING_FOR_S",
    "MIN_STANCE_COUNT",
    "ORDER_S",
    "STEADY_RATIO",
    "STEP_COUNT",
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
BACKWARD_OVER_M_S = 0.7
"""m/s over which one who goes backwards travels: stepping back is slower."""
BACKWARD_WITHIN_DEG = 60.0
"""degrees from straight back."""
USUAL_LEG_M = 0.80
"""m from the hip to the ankle of the people of whom the walk ratio is known."""
STEP_COUNT = 3
"""Steps one after another that must be slow."""
STEADY_RATIO = 0.5
"""Least speed of the root in a step over its mean in it."""
SPEED_OVER_S = 0.1
"""s over which that speed is a mean."""
RESTING_UNDER_M_S = 0.1
"""m/s under which a foot bears, and a root goes nowhere."""
MAX_BRIDGED_S = 0.1
"""s for which a foot may seem to be up between two parts of one stance, and least of a stance."""
ORDER_S = 0.04
"""s between heel and ball from which on their order is certain."""
MIN_STANCE_COUNT = 4
"""Stances of a walk forwards that say something of it."""
WALKING_UNDER_M_S = 2.2
"""m/s over which people run."""
ON_FLOOR_WITHIN_M = 0.02
"""m from its support within which a heel or ball is down, where their order is asked."""


class _Stances(NamedTuple):
    """S stances of feet, sorted by character and landing."""

    foot: IntArray
    start: IntArray
    """[S] row at which it lands."""
    stop: IntArray
    """[S] row at which it has left."""
    lands: BoolArray
    """[S] it is seen to land: the row before is the same body."""
    leaves: BoolArray
    place: Array
    """[S, 2] metres, in its middle."""


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
    local, whole = _rolling_mean(_turned(step, -track.heading), linked, n)
    _measure_facing(take, clock, track, findings, linked, local, whole, velocities, n)
    _measure_backward(clock, track, findings, linked, local, n)
    speed = np.linalg.norm(step, axis=1)
    stances = _find_stances(clock, track, support, linked, speed)
    _measure_slow(take, clock, track, findings, stances, linked, speed)
    _measure_order(take, clock, track, findings, stances, support, local)


def _rolling_mean(values: Array, linked: BoolArray, n: int) -> tuple[Array, BoolArray]:
    """Return [R, D] means over a row and the n − 1 after it, 0 where not all are linked, and where they are."""
    so_far = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)])
    links = np.concatenate([[0], np.cumsum(linked)])
    mean, whole = np.zeros(values.shape), np.zeros(len(values), bool)
    last = len(values) - n
    if last >= 0:
        whole[: last + 1] = links[n:] - links[: last + 1] == n
        mean[: last + 1] = (so_far[n:] - so_far[: last + 1]) / n
    mean[~whole] = 0.0
    return mean, whole


def _measure_facing(
    take: Take,
    clock: AuditClock,
    track: PosedRows,
    findings: Findings,
    linked: BoolArray,
    local: Array,
    whole: BoolArray,
    velocities: Array,
    n: int,
) -> None:
    own = _own_velocities(take, track, velocities)
    known = np.isfinite(own[:, 0])
    own, both = _rolling_mean(np.where(known[:, None], own, 0.0), linked & known, n)
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


def _own_velocities(take: Take, track: PosedRows, velocities: Array) -> Array:
    """Return [R, 2] m/s of the clips that play in these rows, in the frame of their headings."""
    now, clips = read_segments(take, track.segment, track.times), take.clips.rows

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


def _measure_backward(
    clock: AuditClock, track: PosedRows, findings: Findings, linked: BoolArray, local: Array, n: int
) -> None:
    speed = np.linalg.norm(local, axis=1)
    back = (speed > BACKWARD_OVER_M_S) & (local[:, 0] < -np.cos(np.radians(BACKWARD_WITHIN_DEG)) * speed)
    starts, stops = split_runs(back, linked)
    seconds = (stops - starts - 1 + n) / clock.fps
    findings.offer(
        "gait.max_backward_s",
        seconds,
        who=track.who[starts],
        times=track.times[starts],
        places=track.root[starts],
        least=TRAVEL_OVER_S,
        words=lambda i: ("", f"walks backwards for {seconds[i]:.1f} s, at {speed[starts[i]]:.2f} m/s"),
    )


def _find_stances(clock: AuditClock, track: PosedRows, support: Array, linked: BoolArray, speed: Array) -> _Stances:
    """Return when feet bear: a heel or ball is near what it rests on, and slower than the root by far."""
    pace = np.full(support.shape, np.inf)
    pace[:-1] = np.linalg.norm(np.diff(track.points, axis=0), axis=-1) * clock.fps
    pace[~linked] = np.inf
    grips = np.abs(track.points[..., 2] - support) <= ON_SUPPORT_WITHIN_M
    grips &= pace < np.maximum(GRIP_SPEED_RATIO * speed, RESTING_UNDER_M_S)[:, None]
    few = round(MAX_BRIDGED_S * clock.fps)
    parts = []
    for foot in range(2):
        on = grips[:, 2 * foot : 2 * foot + 2].any(axis=1)
        gaps = split_runs(~on & linked, linked)
        for low, high in zip(*(ends[gaps[1] - gaps[0] < few] for ends in gaps), strict=True):
            on[low:high] = on[max(low - 1, 0)]
        starts, stops = split_runs(on, linked)
        long = stops - starts >= few
        starts, stops = starts[long], stops[long]
        place = track.points[(starts + stops) // 2, 2 * foot : 2 * foot + 2, :2].mean(axis=1)
        lands = (starts > 0) & linked[np.maximum(starts - 1, 0)]
        leaves = linked[np.minimum(stops, len(linked) - 1)]
        parts.append(_Stances(np.full(len(starts), foot), starts, stops, lands, leaves, place))
    both = _Stances(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    return _Stances(*(column[np.argsort(both.start, kind="stable")] for column in both))


def _measure_slow(
    take: Take,
    clock: AuditClock,
    track: PosedRows,
    findings: Findings,
    stances: _Stances,
    linked: BoolArray,
    speed: Array,
) -> None:
    a, b = stances.start[:-1], stances.start[1:]
    cuts = np.concatenate([[0], np.cumsum(~linked)])
    step = stances.lands[:-1] & stances.lands[1:] & (stances.foot[1:] != stances.foot[:-1]) & (cuts[a] == cuts[b])
    few = max(round(SPEED_OVER_S * clock.fps), 1)
    pace = _rolling_mean(speed[:, None], linked, few)[0][:, 0]
    slowest = np.minimum.reduceat(np.append(pace, 0.0), np.column_stack([a, np.maximum(b, a + 1)]).ravel())[::2]
    so_far = np.concatenate([[0.0], np.cumsum(speed)])
    mean = (so_far[b] - so_far[a]) / np.maximum(b - a, 1)
    step &= (slowest > STEADY_RATIO * mean) & (mean > RESTING_UNDER_M_S)
    length = np.linalg.norm(stances.place[1:] - stances.place[:-1], axis=1)
    ratio = length * (b - a) / clock.fps / (60.0 * WALK_RATIO) / _leg_scale(take)[track.who[a]] ** 1.5
    ratio = np.where(step, ratio, 0.0)
    least = rolling_least(ratio, np.append(step[:-1] & step[1:], False)[: len(step)], STEP_COUNT - 1)
    findings.offer(
        "gait.max_slow_ratio",
        least,
        who=track.who[a],
        times=track.times[a],
        places=track.root[a],
        least=1.0,
        words=lambda i: ("", f"walks in slow motion, with steps {least[i]:.1f} times as slow as they are long"),
    )


def _leg_scale(take: Take) -> Array:
    """Return [N] the length of each character's legs over the usual one."""
    legs = np.array([leg_length(body.skeleton) if stands(body.skeleton) else USUAL_LEG_M for body in take.bodies])
    return np.asarray(legs[take.characters.body] * take.characters.scale.astype(np.float64) / USUAL_LEG_M)


def _measure_order(
    take: Take,
    clock: AuditClock,
    track: PosedRows,
    findings: Findings,
    stances: _Stances,
    support: Array,
    local: Array,
) -> None:
    pace = np.linalg.norm(local, axis=1)[stances.start]
    ahead = local[stances.start, 0] > np.cos(np.radians(45.0)) * pace
    counts = stances.lands & stances.leaves & ahead & (pace > TRAVELLING_OVER_M_S) & (pace < WALKING_UNDER_M_S)
    on = np.abs(track.points[..., 2] - support) <= ON_FLOOR_WITHIN_M
    edge = round(MAX_BRIDGED_S * clock.fps)
    low, high = np.maximum(stances.start - edge, 0), np.minimum(stances.stop + edge, len(on))
    first, last = np.zeros((len(low), 2)), np.zeros((len(low), 2))
    rows = np.arange(len(on))
    for side in range(2):
        column = 2 * stances.foot + side
        for which in np.unique(column):
            mine = np.flatnonzero(column == which)
            down = on[:, which]
            after = np.minimum.accumulate(np.where(down, rows, len(on))[::-1])[::-1]
            before = np.maximum.accumulate(np.where(down, rows, -1))
            first[mine, side], last[mine, side] = after[low[mine]], before[high[mine] - 1]
    enough = ORDER_S * clock.fps
    # Where both are down already before it, a stance is only the end of another one: a foot in the air, hardly moving.
    inside = (
        (first < high[:, None]).all(axis=1) & (last >= low[:, None]).all(axis=1) & (first > low[:, None]).any(axis=1)
    )
    wrong = counts & inside & (first[:, 1] <= first[:, 0] - enough) & (last[:, 1] < last[:, 0] + enough)
    who = track.who[stances.start]
    total = np.bincount(who[counts & inside], minlength=len(take))
    share = np.bincount(who[wrong], minlength=len(take)) / np.maximum(total, 1)
    mine = np.flatnonzero(total >= MIN_STANCE_COUNT)
    at = stances.start[np.searchsorted(who, mine)]
    findings.offer(
        "gait.reversed_share",
        share[mine],
        who=mine,
        times=track.times[at],
        places=track.root[at],
        least=0.05,
        words=lambda i: (
            "",
            f"walks like a film run backwards, toes first in {100 * share[mine[i]]:.0f} % of its steps",
        ),
    )


def gait_figures(findings: Findings) -> dict[str, dict[str, float]]:
    """Return what was measured: gait."""
    names = ("max_facing_off_deg", "max_backward_s", "max_slow_ratio", "reversed_share")
    return {"gait": findings.largest_of("gait", *names)}
