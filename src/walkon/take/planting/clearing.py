"""Clearing the floor: swings are lifted where heel or ball would pass through it.

A swing of share p follows its clip, shifted from one plant to the next; over a floor that is not level that may lead
through it. The swing is lifted by

    z(p) = lift · 16 p² (1 − p)²                                                                             (1)

with the least lift that keeps every point at `MARGIN_M` above the floor, or as near to it as the clip has it. Early in
a swing (1) is nearly nothing, so what lacks there is made up by leaving the plant faster: the ankle's shift is a cubic
to which `rate_out` adds T p (1 − p)² in a swing of T seconds. Metres.

A swing that is cut off, before the first stance of a stay or after its last, has no second plant. It gets an open end
there, a stance in which nothing is planted and that lasts no time: the foot is as high above the floor as in its clip.
"""

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.take.planting.drops import TimeSpan
from walkon.take.posing.height_curve import heights_at
from walkon.take.posing.posing import Poses, pose_pairs
from walkon.take.posing.posing_rule import SEAM_TOLERANCE_S
from walkon.take.posing.toes import own_feet
from walkon.take.tables import Stances, in_order, last_rows
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["clear_floor", "open_ends"]

MARGIN_M = 0.004
"""m by which a swinging point clears the floor at least, where its clip does."""
MAX_LIFT_M = 0.3
"""m by which a swing is lifted at most."""
BEFORE_END_S = 1e-6
"""s before the end of a stay at which its last pose is looked at."""
EARLY_SHARE = 0.25
"""Share of a swing in which it clears the floor by leaving its plant faster."""
MAX_FASTER_M_S = 0.4
"""m/s by which it does so at most."""
SAMPLE_SHARES = np.linspace(0.0, 1.0, 19)[1:-1]
"""Shares of a swing at which it is looked at."""


def clear_floor(s: Stances, bare: Take, planted: Take) -> Stances:
    """Return stances of a planted take, sorted by foot and start, with swings that clear the floor."""
    swing = np.append((np.diff(s.whose) == 0) & (s.start[1:] > s.stop[:-1]), False)
    some = np.flatnonzero(swing)
    if not len(some):
        return s
    count = len(SAMPLE_SHARES)
    who, foot = (np.repeat(column[some].astype(np.int64), count) for column in (s.character, s.foot))
    when = (s.stop[some, None] + SAMPLE_SHARES * (s.start[some + 1] - s.stop[some])[:, None]).ravel()
    own = pose_pairs(bare, who, when, legs=False, hands=0, legs_alone=True)
    held = pose_pairs(planted, who, when, hands=0, legs_alone=True)
    high = _foot_points(planted, who, foot, held)
    curve = heights_at(planted.heights, who, when)[:, None]
    floor = planted.stage.floor(high[..., :2], near=np.repeat(curve, 2, axis=1)).heights
    clip_above = _foot_points(bare, who, foot, own)[..., 2] - curve
    lacks = np.minimum(np.maximum(clip_above, 0.0), MARGIN_M) - (high[..., 2] - floor)
    lacks = np.where(np.isfinite(lacks), lacks, -np.inf).max(axis=1).reshape(-1, count)
    faster = (s.start[some + 1] - s.stop[some])[:, None] * SAMPLE_SHARES * (1.0 - SAMPLE_SHARES) ** 2
    early = (lacks / faster)[:, SAMPLE_SHARES < EARLY_SHARE].max(axis=1)
    lifts, rates = np.array(s.lift, np.float64), np.array(s.rate_out, np.float64)
    early = np.clip(early, 0.0, MAX_FASTER_M_S)
    rates[some, 2] += early
    lift = ((lacks - early[:, None] * faster) / (4.0 * SAMPLE_SHARES * (1.0 - SAMPLE_SHARES)) ** 2).max(axis=1)
    lifts[some] = np.clip(lift, 0.0, MAX_LIFT_M)
    return s.with_columns(lift=lifts, rate_out=rates)


def open_ends(bare: Take, stances: Stances, span: TimeSpan) -> Stances:
    """Return open ends where, within a span of time, a stay begins or ends in a swing between these stances."""
    s = bare.segments
    s = s.rows((s.clip >= 0) & (s.track < 0) & np.isin(s.character, stances.character))
    fresh = np.ones(len(s), bool)
    fresh[1:] = (s.character[1:] != s.character[:-1]) | (s.start[1:] > s.stop[:-1] + SEAM_TOLERANCE_S)
    heads = np.flatnonzero(fresh)
    who = np.repeat(s.character[heads].astype(np.int64), 4)
    foot = np.tile([0, 0, 1, 1], len(heads))
    stops = s.stop[np.append(heads[1:], len(s)) - 1] if len(heads) else np.zeros(0)
    when = np.stack([s.start[heads], stops - BEFORE_END_S] * 2, axis=1).ravel()
    # Only where the foot is in no stance then.
    t = in_order(stances, stances.whose, stances.start)
    first = np.searchsorted(t.whose, np.arange(2 * len(bare) + 1))
    row = last_rows(first, t.start, 2 * who + foot, when + 2 * SEAM_TOLERANCE_S)
    held = (row >= first[2 * who + foot]) & (when <= t.stop[np.maximum(row, 0)] + 2 * SEAM_TOLERANCE_S)
    free = ~held & (when >= span.start[who]) & (when < span.stop[who])
    who, foot, when = who[free], foot[free], when[free]
    own = own_feet(bare, who, foot, when)
    curve = heights_at(bare.heights, who, when)
    floor = np.fmax(*(bare.stage.floor(points[:, :2], near=curve).heights for points in (own.heels, own.balls)))
    shift = np.zeros((len(who), 3))
    shift[:, 2] = np.where(np.isfinite(floor), floor - curve, 0.0)
    return Stances.filled(
        len(who),
        character=who,
        foot=foot,
        start=when,
        stop=when,
        heel_place=own.heels + shift,
        ball_place=own.balls + shift,
        shift_in=shift,
        shift_out=shift,
    )


def _foot_points(take: Take, who: IntArray, foot: IntArray, poses: Poses) -> Array:
    """Return heel and ball [K, 2, 3] of these feet."""
    rigs, k = take.score.rigs, np.arange(len(who))
    body, scale = take.characters.body[who], take.characters.scale[who].astype(np.float64)[:, None]
    found = []
    for joint, offsets in ((2, rigs.heels), (3, rigs.balls)):
        j = rigs.legs[body, foot, joint]
        found.append(poses.positions[k, j] + quat.rotate(poses.rotations[k, j], scale * offsets[body, foot]))
    return np.stack(found, axis=1)
