"""Films run backwards: people who travel backwards with the feet of somebody who walks forwards.

Nothing here asks for a label. A walk backwards is a walk forwards reversed in time but for the length of its steps
(Thorstensson 1986), and what is left to tell a film from one are the feet. Who walks forwards pushes off far over the
toes, lands on a heel with the toes up, and stops that foot within a moment. A film has this the wrong way round: it
sets down a foot steep on its toes, softly, and takes it off the heel with a jerk. With θ the pitch of a foot (heel over
ball) where it lands and where it leaves the ground before that, a_land and a_leave the largest accelerations along the
floor of its ball and its heel there, and v the speed of the body,

    film = (max θ_land − min θ_leave) / 35° + ln((1 + a_leave) / (1 + a_land)) − 0.75 v / √s                     (1)

with a in m/s², v in m/s, and s the length of the legs over the usual one: faster walkers step farther over their toes.
Medians of people who walk backwards are 0.6 to 0.9 (recordings CMU 69_41, 69_53, 69_69, 143_39 and the studio's steps
back) and 1.2 (69_52, who turns on the way); those of walks run backwards 1.4 to 2.0 (the studio's from 0.5 to 1.9 m/s,
and 30 of CMU). A step is a film's from `FILM_STEP_OVER` on.

The figure is the longest time for which a body goes faster than `BACKWARD_OVER_M_S` within `BACKWARD_WITHIN_DEG` of its
back, of those in which more than half of the steps, and `MIN_FILM_STEP_COUNT` at least, are a film's.

World frame, metres, seconds.
"""

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.take.auditing.bodily.flesh import split_runs
from walkon.take.auditing.bodily.steps import FootStances, leg_scales
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.reposing import AuditClock, PosedRows, stride
from walkon.take.take import Take

__all__ = [
    "BACKWARD_OVER_M_S",
    "BACKWARD_WITHIN_DEG",
    "FILM_STEP_OVER",
    "MIN_FILM_STEP_COUNT",
    "measure_backward",
]

BACKWARD_OVER_M_S = 0.1
"""m/s over which one goes backwards."""
BACKWARD_WITHIN_DEG = 60.0
"""degrees from straight back."""
STEPPING_OVER_M_S = 0.3
"""m/s over which a step backwards says something of how one walks."""
FILM_STEP_OVER = 1.3
"""Eq. (1) from which on a step is that of a film run backwards."""
MIN_FILM_STEP_COUNT = 3
"""Steps of a film that make one."""
PITCH_SCALE_DEG = 35.0
SPEED_WEIGHT_S_M = 0.75
BEFORE_S, AFTER_S = 0.1, 0.07
"""s before a foot lands (or after it has left) and s on the other side in which its pitch is looked at."""
MIN_SWING_S = 0.1
"""s of a swing, at least."""


def measure_backward(
    take: Take,
    clock: AuditClock,
    track: PosedRows,
    stances: FootStances,
    findings: Findings,
    *,
    linked: BoolArray,
    local: Array,
    n: int,
) -> None:
    """Measure these rows of whole characters.

    `local` [R, 2] m/s is the velocity of their roots over the next `n` rows, in the frame of the hips' heading.
    """
    starts, stops = split_runs(_goes_back(local, BACKWARD_OVER_M_S), linked)
    if not len(starts):
        return
    row, film = _steps_back(take, clock, track, stances, linked, local, n)
    which = np.searchsorted(starts, row, side="right") - 1
    inside = (which >= 0) & (row < stops[which] + n)
    steps, films = (np.bincount(which[flags], minlength=len(starts)) for flags in (inside, inside & film))
    seconds = np.where((films >= MIN_FILM_STEP_COUNT) & (2 * films > steps), (stops - starts - 1 + n) / clock.fps, 0.0)
    findings.offer(
        "gait.max_backward_s",
        seconds,
        who=track.who[starts],
        times=track.times[starts],
        places=track.root[starts],
        least=0.0,
        words=lambda i: (
            "",
            f"walks like a film run backwards for {seconds[i]:.1f} s, in {films[i]} of {steps[i]} steps",
        ),
    )


def _goes_back(local: Array, over: float) -> BoolArray:
    speed = np.linalg.norm(local, axis=1)
    return np.asarray((speed > over) & (local[:, 0] < -np.cos(np.radians(BACKWARD_WITHIN_DEG)) * speed))


def _steps_back(
    take: Take, clock: AuditClock, track: PosedRows, stances: FootStances, linked: BoolArray, local: Array, n: int
) -> tuple[IntArray, BoolArray]:
    """Return the rows [S] at which feet land after a step backwards, and which steps are those of a film, eq. (1)."""
    order = np.lexsort((stances.start, stances.foot))
    i, j = order[:-1], order[1:]
    left, landed = stances.stop[i], stances.start[j]
    few, cuts = stride(clock.fps), np.concatenate([[0], np.cumsum(~linked)])
    reach = round(BEFORE_S * clock.fps) + few
    first, last = left - reach, landed + reach
    inside = (first >= 0) & (last < len(linked)) & (landed - left >= MIN_SWING_S * clock.fps)
    same = (stances.foot[i] == stances.foot[j]) & (
        cuts[np.maximum(first, 0)] == cuts[np.minimum(last, len(linked) - 1)]
    )
    middle = np.maximum((left + landed - n) // 2, 0)
    keep = np.flatnonzero(inside & same & stances.lands[j] & _goes_back(local[middle], STEPPING_OVER_M_S))
    left, landed, middle, foot = left[keep], landed[keep], middle[keep], stances.foot[i[keep]]
    before, after = round(BEFORE_S * clock.fps), round(AFTER_S * clock.fps)
    landing = _pitches(track, landed[:, None] + np.arange(-before, after), foot).max(axis=1, initial=-90.0)
    leaving = _pitches(track, left[:, None] + np.arange(-after, before), foot).min(axis=1, initial=90.0)
    around = np.arange(-before, before)
    soft = _accelerations(track, landed[:, None] + around, 2 * foot + 1, few, clock.fps)
    jerk = _accelerations(track, left[:, None] + around, 2 * foot, few, clock.fps)
    speed = np.linalg.norm(local[middle], axis=1) / np.sqrt(leg_scales(take)[track.who[landed]])
    film = (landing - leaving) / PITCH_SCALE_DEG + np.log((1.0 + jerk) / (1.0 + soft)) - SPEED_WEIGHT_S_M * speed
    back = np.argsort(landed, kind="stable")
    return landed[back], np.asarray(film > FILM_STEP_OVER)[back]


def _pitches(track: PosedRows, rows: IntArray, foot: IntArray) -> Array:
    """Return [S, W] degrees by which the heels of feet [S] are above their balls at rows [S, W]."""
    heel, ball = (track.points[rows, 2 * foot[:, None] + end] for end in (0, 1))
    long = np.maximum(np.linalg.norm(heel - ball, axis=-1), 1e-9)
    return np.degrees(np.arcsin(np.clip((heel[..., 2] - ball[..., 2]) / long, -1.0, 1.0)))


def _accelerations(track: PosedRows, rows: IntArray, point: IntArray, few: int, fps: float) -> Array:
    """Return [S] m/s², the largest acceleration along the floor of points [S] of the feet at rows [S, W]."""
    before, at, after = (track.points[rows + shift, point[:, None], :2] for shift in (-few, 0, few))
    return np.asarray(np.linalg.norm(before - 2 * at + after, axis=-1).max(axis=1, initial=0.0) * (fps / few) ** 2)
