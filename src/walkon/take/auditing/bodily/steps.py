"""Steps: people who walk in slow motion, or like a film run backwards.

Nothing here asks for a label. A foot bears where its heel or ball is near what it rests on, and far slower than the
root.

*Slow motion.* A step is what lies between the landings of one foot and the other; L is its length, T its time. Over all
speeds of walking L over cadence, the walk ratio, is the same, so that L T ≈ 60 w (Sekiya and Nagasaki 1998; w is
`WALK_RATIO` of `walkon.motion.gait.norms`). Motion that is slowed by a factor has the same L and so many times the T:

    slow ratio = L T / (60 w) / (l / `USUAL_LEG_M`)^1.5         the least of `STEP_COUNT` steps one after another   (2)

with l the length of the legs, as times of bodies go with the root of their lengths. Walkers have 0.4 to 1.1; a few
styles more (strong and slow 1.2 to 1.4, sneaking 2.0), so by itself this tells no more than motion at less than half
its speed: a stroll recorded at 76 steps a minute has the steps of a brisk walk at a rate of 0.7.

What a take plays is known, however, and its clips walked at their own pace. With u the time of the clips, as they are
played, and s the size of the character,

    slowed ratio = T / Δu / √s                                          the least of `STEP_COUNT` steps        (3)

between the landings that are seen. Clips as they are have 1; bodies of another size are as fast as they are large, and
have 1; warps of time by 7 % have 1.07. A recording that is itself slow has 1, and is left to (2).

Only steps count in which the root never falls below `STEADY_RATIO` of its mean speed: who steps, waits and steps again
is not slow.

*Reversed.* Who walks forwards lands on the heel and leaves the ground with the ball last. A stance in which the ball
comes down `ORDER_S` or more before the heel, and does not stay as much longer than it, is one of a film run backwards;
the figure is the share of those, of whoever has most, among `MIN_STANCE_COUNT` stances at least. Toes first alone is no
fault (runners, tiptoes, stairs).

World frame, metres, seconds.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.motion.gait.norms import WALK_RATIO
from walkon.motion.limbs.legs import leg_length
from walkon.take.auditing.bodily.feet import GRIP_SPEED_RATIO, ON_SUPPORT_WITHIN_M
from walkon.take.auditing.bodily.flesh import rolling_least, split_runs
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.reposing import AuditClock, PosedRows, join, select
from walkon.take.clips import stands
from walkon.take.tables import flat_ranges
from walkon.take.take import Take

__all__ = [
    "MIN_STANCE_COUNT",
    "ORDER_S",
    "STEADY_RATIO",
    "STEP_COUNT",
    "FootStances",
    "leg_scales",
    "measure_steps",
    "rolling_mean",
]

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
"""FootStances of a walk forwards that say something of it."""
WALKING_UNDER_M_S = 2.2
"""m/s over which people run."""
ON_FLOOR_WITHIN_M = 0.02
"""m from its support within which a heel or ball is down, where their order is asked."""
FORWARD_OVER_M_S = 0.3
"""m/s over which one walks forwards."""


class FootStances(NamedTuple):
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


def measure_steps(
    take: Take,
    clock: AuditClock,
    track: PosedRows,
    support: Array,
    findings: Findings,
    *,
    linked: BoolArray,
    speed: Array,
    local: Array,
    rate: Array,
) -> FootStances:
    """Measure the steps of these rows of whole characters, and return when their feet bear.

    `support` [R, 4] m is what each point of their feet rests on, `speed` [R] m/s that of the root along the floor, and
    `local` [R, 2] m/s its velocity over the next second or so, in the frame of the hips' heading. `rate` [R] is how
    fast clips are played.
    """
    stances = _find_stances(clock, track, support, linked, speed)
    _measure_slow(take, clock, track, findings, stances, linked, speed, rate)
    _measure_order(take, clock, track, findings, stances, support, local)
    return stances


def rolling_mean(values: Array, linked: BoolArray, n: int) -> tuple[Array, BoolArray]:
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


def _find_stances(clock: AuditClock, track: PosedRows, support: Array, linked: BoolArray, speed: Array) -> FootStances:
    """Return when feet bear: a heel or ball is near what it rests on, and slower than the root by far."""
    pace = np.full(support.shape, np.inf)
    pace[:-1] = np.linalg.norm(np.diff(track.points, axis=0), axis=-1) * clock.fps
    pace[~linked] = np.inf
    near = np.abs(track.points[..., 2] - support) <= ON_SUPPORT_WITHIN_M
    grips = np.asarray(near & (pace < np.maximum(GRIP_SPEED_RATIO * speed, RESTING_UNDER_M_S)[:, None]))
    few = round(MAX_BRIDGED_S * clock.fps)
    parts = []
    for foot in range(2):
        on: BoolArray = np.asarray(grips[:, 2 * foot : 2 * foot + 2].any(axis=1))
        low, high = split_runs(~on & linked, linked)
        short = (high - low < few) & (low > 0) & on[np.maximum(low - 1, 0)] & linked[np.maximum(low - 1, 0)]
        on[flat_ranges(low, np.where(short, high - low, 0))] = True
        starts, stops = split_runs(on, linked)
        long = stops - starts >= few
        starts, stops = starts[long], stops[long]
        place = track.points[(starts + stops) // 2, 2 * foot : 2 * foot + 2, :2].mean(axis=1)
        lands = (starts > 0) & linked[np.maximum(starts - 1, 0)]
        leaves = linked[np.minimum(stops, len(linked) - 1)]
        parts.append(FootStances(np.full(len(starts), foot), starts, stops, lands, leaves, place))
    both = join(parts)
    return select(both, np.argsort(both.start, kind="stable"))


def _measure_slow(
    take: Take,
    clock: AuditClock,
    track: PosedRows,
    findings: Findings,
    stances: FootStances,
    linked: BoolArray,
    speed: Array,
    rate: Array,
) -> None:
    a, b = stances.start[:-1], stances.start[1:]
    cuts = np.concatenate([[0], np.cumsum(~linked)])
    step = stances.lands[:-1] & stances.lands[1:] & (stances.foot[1:] != stances.foot[:-1]) & (cuts[a] == cuts[b])
    few = max(round(SPEED_OVER_S * clock.fps), 1)
    pace = rolling_mean(speed[:, None], linked, few)[0][:, 0]
    slowest = np.minimum.reduceat(np.append(pace, 0.0), np.column_stack([a, np.maximum(b, a + 1)]).ravel())[::2]
    so_far = np.concatenate([[0.0], np.cumsum(speed)])
    mean = (so_far[b] - so_far[a]) / np.maximum(b - a, 1)
    step &= (slowest > STEADY_RATIO * mean) & (mean > RESTING_UNDER_M_S)
    length = np.linalg.norm(stances.place[1:] - stances.place[:-1], axis=1)
    linear = leg_scales(take)[track.who[a]]
    for_length = length * (b - a) / clock.fps / (60.0 * WALK_RATIO) / linear**1.5
    played = np.concatenate([[0.0], np.cumsum(rate)])
    scale = take.characters.scale[track.who[a]].astype(np.float64)
    for_clip = (b - a) / np.maximum(played[b] - played[a], 1.0) / np.sqrt(scale)
    for figure, ratio, text in (
        ("max_slow_ratio", for_length, "walks in slow motion, with steps {:.1f} times as slow as they are long"),
        ("max_slowed_ratio", for_clip, "walks in slow motion, with steps {:.2f} times as slow as those of its clips"),
    ):
        least = rolling_least(
            np.where(step, ratio, 0.0), np.append(step[:-1] & step[1:], False)[: len(step)], STEP_COUNT - 1
        )
        findings.offer(
            f"gait.{figure}",
            least,
            who=track.who[a],
            times=track.times[a],
            places=track.root[a],
            least=1.0,
            words=lambda i, least=least, text=text: ("", text.format(least[i])),  # type: ignore[misc]
        )


def leg_scales(take: Take) -> Array:
    """Return [N] the length of each character's legs over the usual one."""
    legs = np.array([leg_length(body.skeleton) if stands(body.skeleton) else USUAL_LEG_M for body in take.bodies])
    return np.asarray(legs[take.characters.body] * take.characters.scale.astype(np.float64) / USUAL_LEG_M)


def _measure_order(
    take: Take,
    clock: AuditClock,
    track: PosedRows,
    findings: Findings,
    stances: FootStances,
    support: Array,
    local: Array,
) -> None:
    pace = np.linalg.norm(local, axis=1)[stances.start]
    ahead = local[stances.start, 0] > np.cos(np.radians(45.0)) * pace
    counts = stances.lands & stances.leaves & ahead & (pace > FORWARD_OVER_M_S) & (pace < WALKING_UNDER_M_S)
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
