"""Heels that leave the floor early where their leg would have to stretch, and swings that begin with them risen.

Uphill the leg behind is too short for its plant before the clip lifts its heel. So the heel's contact ends where the
leg would first stretch, in the second half of the time that the foot lies flat (`free_heels`), and from there on posing
lets it rise (`walkon.take.posing.heel_rise`). Where leg and foot together come to their end, the heel would whip up:
the rise goes with the square root of what is left. So the ball leaves the floor where the heel would rise faster than
`MAX_RISE_RATE_RAD_S` (`free_balls`). The swing begins with what the stance ends with (`start_swings`). Metres, seconds,
radians.
"""

from collections.abc import Callable

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.take.planting.stance_rows import StanceRows
from walkon.take.posing.posing import pose_pairs
from walkon.take.posing.posing_rule import ABUTTING_WITHIN_S
from walkon.take.tables import Stances
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["allowed_rise", "free_balls", "free_heels", "start_swings"]

MAX_HEEL_RISE_RAD = 0.6
"""rad by which a heel rises at most to spare its leg, beyond what the clip has."""
FLAT_SAMPLE_COUNT = 8
"""Places in the second half of the time that a foot lies flat at which its leg is looked at."""
MIN_NEED_M = 5e-4
"""m that a leg lacks from which on its heel is freed."""
MAX_RISE_RATE_RAD_S = 5.0
"""rad/s at which a heel rises to spare its leg at most, beyond what the clip has."""
LATE_S, LATE_SAMPLE_COUNT = 0.2, 25
"""s at the end of a stance in which the rise of its heel is looked at, and at how many places."""
MIN_BALL_ALONE_S = 0.05
"""s for which the ball bears alone after a heel that may rise."""
BEFORE_END_S = 1e-7
"""s before a stance's end at which the foot is looked at there."""
RATE_STEP_S = 0.03
"""s over which the rate of a shift is read."""
MAX_SHIFT_RATE_M_S = 0.4
"""m/s at which a shift changes at most where a swing begins."""


def free_heels(rows: StanceRows, planted: Take, need: Callable[[IntArray, Array, IntArray], Array]) -> StanceRows:
    """Return placed stances whose heels are up as soon as their leg would stretch.

    `need` gives [K] m that the leg of (character, time, foot) lacks on its plant.
    """
    begin, end = rows.spans[:, :, 0].max(axis=1), rows.spans[:, :, 1].min(axis=1)
    some = np.flatnonzero(rows.planted.all(axis=1) & (end > begin) & (rows.spans[:, 1, 1] >= rows.spans[:, 0, 1]))
    share = np.linspace(0.5, 1.0, FLAT_SAMPLE_COUNT)
    times = begin[some, None] + share * (end - begin)[some, None]
    who, foot = (np.repeat(column[some], FLAT_SAMPLE_COUNT) for column in (rows.character, rows.foot))
    short = need(who.astype(np.int64), times.ravel(), foot.astype(np.int64)).reshape(times.shape) > MIN_NEED_M
    first = np.where(short.any(axis=1), np.maximum(short.argmax(axis=1) - 1, 0), FLAT_SAMPLE_COUNT - 1)
    spans = np.array(rows.spans)
    freed = short.any(axis=1)
    spans[some[freed], 0, 1] = times[np.flatnonzero(freed), first[freed]]
    return rows.with_columns(spans=spans)


def free_balls(rows: StanceRows, s: Stances, bare: Take, planted: Take) -> StanceRows:
    """Return stances, of a planted take in which they are `s` in the same order, with balls up before heels whip."""
    some = np.flatnonzero(s.rise > 0)
    begin = np.maximum((s.start + s.heel[:, 1])[some], s.stop[some] - LATE_S)
    times = begin[:, None] + np.linspace(0.0, 1.0, LATE_SAMPLE_COUNT) * (s.stop[some] - BEFORE_END_S - begin)[:, None]
    who, foot = (np.repeat(column[some].astype(np.int64), LATE_SAMPLE_COUNT) for column in (s.character, s.foot))
    turn, _ = _change(bare, planted, who, foot, times.ravel())
    usual = quat.exp(np.repeat(s.turn_out[some].astype(np.float64), LATE_SAMPLE_COUNT, axis=0))
    rise = quat.angle_between(usual, turn).reshape(times.shape)
    fast = np.diff(rise, axis=1) > MAX_RISE_RATE_RAD_S * np.diff(times, axis=1)
    freed = np.flatnonzero(fast.any(axis=1))
    stop = np.maximum(times[freed, fast[freed].argmax(axis=1)], begin[freed] + 0.5 * MIN_BALL_ALONE_S)
    spans, stops = np.array(rows.spans), np.array(rows.stop)
    spans[some[freed], 1, 1] = stops[some[freed]] = np.minimum(stop, stops[some[freed]])
    return rows.with_columns(spans=spans, stop=stops)


def allowed_rise(stances: Stances) -> Array:
    """Return [R] rad by which heels may rise: none where the ball does not bear alone, or another stance follows."""
    s = stances.rows(np.lexsort((stances.start, stances.whose)))
    abuts = np.append((np.diff(s.whose) == 0) & (s.start[1:] - s.stop[:-1] < ABUTTING_WITHIN_S), False)
    alone = (s.heel[:, 1] > s.heel[:, 0]) & (s.ball[:, 1] - s.heel[:, 1] > MIN_BALL_ALONE_S)
    found = np.zeros(len(s))
    found[np.lexsort((stances.start, stances.whose))] = np.where(alone & ~abuts, MAX_HEEL_RISE_RAD, 0.0)
    return found


def start_swings(s: Stances, bare: Take, planted: Take, moves: BoolArray | None = None) -> Stances:
    """Return stances of a planted take whose swings begin with foot and ankle where the risen heel has them.

    Of all whose heels may rise, or of those among them that `moves` [R] says.
    """
    some = np.flatnonzero(s.rise > 0 if moves is None else (s.rise > 0) & moves)
    who, foot = s.character[some].astype(np.int64), s.foot[some].astype(np.int64)
    last = np.maximum(s.stop[some] - BEFORE_END_S, s.start[some])
    step = np.minimum(RATE_STEP_S, 0.25 * (s.stop - s.start)[some])
    turn, shift = _change(bare, planted, who, foot, last)
    _, earlier = _change(bare, planted, who, foot, last - step)
    rate = (shift - earlier) / step[:, None]
    size = np.linalg.norm(rate, axis=1, keepdims=True)
    rise = quat.angle_between(quat.exp(s.turn_out[some].astype(np.float64)), turn)
    turn_off, toe_off, shift_out, rate_out = (
        np.array(column, np.float64) for column in (s.turn_off, s.toe_off, s.shift_out, s.rate_out)
    )
    turn_off[some], toe_off[some], shift_out[some] = quat.log(turn), s.toe_out[some] - rise, shift
    rate_out[some] = rate * np.minimum(1.0, MAX_SHIFT_RATE_M_S / np.maximum(size, 1e-9))
    return s.with_columns(turn_off=turn_off, toe_off=toe_off, shift_out=shift_out, rate_out=rate_out)


def _change(bare: Take, planted: Take, who: IntArray, foot: IntArray, when: Array) -> tuple[Array, Array]:
    """Return how planting turns feet [K, 4] and moves their ankles [K, 3] m against their clips."""
    rigs, k = bare.score.rigs, np.arange(len(who))
    ankle = rigs.legs[bare.characters.body[who], foot, 2]
    own = pose_pairs(bare, who, when, legs=False, hands=0, legs_alone=True)
    held = pose_pairs(planted, who, when, hands=0, legs_alone=True)
    turn = quat.multiply(held.rotations[k, ankle], quat.conjugate(own.rotations[k, ankle]))
    return turn, held.positions[k, ankle] - own.positions[k, ankle]
