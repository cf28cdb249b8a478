"""Drops: by how much a root comes down where a leg would be too long for its plant.

Legs are looked at every `LEG_CHECK_STEP_S`. First a kernel that
poses legs alone says where one may fall short (a few times in a hundred); only there whole bodies are posed. What the
root must come down by (`leg_needs`) is covered by a smooth curve, a cubic B-spline (`Drops`). Metres, seconds.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.table import Column
from walkon._base.threads import in_chunks
from walkon.take.posing.posing import Poses, pose_pairs
from walkon.take.posing.posing_rule import DROP_STEP_S, MIN_KNEE_BEND_RAD, SEAM_TOLERANCE_S
from walkon.take.posing.toes import leg_joints
from walkon.take.tables import Drops, flat_ranges
from walkon.take.take import Take

__all__ = ["TimeSpan", "characters_of_new", "find_drops", "first_steps", "leg_needs"]

MAX_DROP_M, MAX_UNEVEN_DROP_M = 0.06, 0.12
"""m by which a root comes down at most, on level floors and on others; what a leg still lacks then is in
`Poses.missed` and in the audit."""
MIN_DROP_M = 5e-5
"""m; smaller needs are left to the knee."""
LEG_CHECK_STEP_S = DROP_STEP_S / 3
"""s between the times at which legs are looked at: needs peak at heel strikes and are over in a tenth of a second."""
COVER_ROUNDS = 6
"""Rounds in which the spline of drops is raised until it covers all needs."""
SURE_WITHIN_M = 1e-6
"""m by which an estimated need is off at most: rounding, a thousand times over."""
CHUNK_LEG_COUNT = 2048
"""Pairs of legs per task of the thread pool."""
BATCH_POSE_COUNT = 20000
"""Poses that are looked at together."""
BEFORE_EDGE_S = 1e-6
"""s before a contact ends at which its leg is looked at."""
BEFORE_SPAN_S, AFTER_SPAN_S = 2 * DROP_STEP_S, 6 * DROP_STEP_S
"""s before and after a span in which legs are looked at as well: control points have a say that far."""
MAX_STEP = 1 << 31
"""Control points before and after a character's zero."""


class TimeSpan(NamedTuple):
    """From when to when each of N characters is looked at; nobody is where it starts at infinity. Seconds."""

    start: Array
    stop: Array


def find_drops(bare: Take, planted: Take, span: TimeSpan) -> Drops:
    """Find where legs are too long for their plants, and let the root come down there, in this span of time.

    Drops of `planted` before it are final: they are taken as they are, and none is returned.
    """
    who, when = _times_to_look(planted, span)
    need = np.zeros(len(who))
    some = np.flatnonzero(_estimate_needs(planted, who, when) > MIN_DROP_M - SURE_WITHIN_M)
    undropped = planted.with_feet(planted.stances, Drops())
    for first in range(0, len(some), BATCH_POSE_COUNT):
        part = some[first : first + BATCH_POSE_COUNT]
        need[part] = _need(bare, undropped, who[part], when[part])
    late = need > MIN_DROP_M
    if not late.any():
        return Drops()
    highest = MAX_UNEVEN_DROP_M if bare.stage.floor.level is None else MAX_DROP_M
    steps = (when - bare.characters.drop_start[who])[late] / DROP_STEP_S
    final = first_steps(bare, span.start)
    return _cover(who[late].astype(np.int64), steps, need[late], planted.drops, final, highest=highest)


def characters_of_new(drops: Drops, before: Drops) -> IntArray:
    """Return the characters of control points that are not the same in `before`, each once."""
    there, row = _matches(_key(drops.character, drops.step), _key(before.character, before.step))
    same = np.zeros(len(drops), bool)
    same[there] = drops.drop[there] == before.drop[row]
    return np.unique(drops.character[~same])


def first_steps(take: Take, times: Array) -> IntArray:
    """Return [N] the first control points of characters that are not before times [N] s."""
    steps = np.ceil((times - take.characters.drop_start) / DROP_STEP_S - 1e-9)
    return np.asarray(np.clip(steps, -MAX_STEP, MAX_STEP).astype(np.int64))


def _cover(who: IntArray, x: Array, need: Array, known: Drops, final: IntArray, *, highest: float) -> Drops:
    """Return control points of cubic B-splines, one for each character, that are nowhere below the needs [K] m.

    Needs are at x [K] steps; nothing comes down by more than `highest` m. A control point begins as the largest need
    within one step of it; where the spline of those is too low, the four that have a say there are raised by their
    weights w, by w / Σ w² of what is lacking, a few times, and in the end all four by the rest. Control points before
    `final` [N] stay as they are known.
    """
    around = np.floor(x).astype(np.int64)[:, None] + np.arange(-1, 3)
    key = _key(who[:, None], around)
    keys, where = np.unique(key, return_inverse=True)
    where = where.reshape(key.shape)
    whose, step = keys >> 32, (keys & 0xFFFFFFFF) - MAX_STEP
    fixed = step < final[whose]
    away = np.abs(x[:, None] - around)
    weight = np.where(
        away < 1.0, ((3.0 * away - 6.0) * away * away + 4.0) / 6.0, np.maximum(2.0 - away, 0.0) ** 3 / 6.0
    )
    share = weight / np.sum(weight**2, axis=1, keepdims=True)
    most = np.zeros(len(keys))
    np.maximum.at(most, where, np.where(away <= 1.0, need[:, None], 0.0))
    most[fixed] = 0.0
    there, row = _matches(keys[fixed], _key(known.character, known.step))
    most[np.flatnonzero(fixed)[there]] = known.drop[row]
    stays = most[fixed]
    for round_ in range(COVER_ROUNDS):
        lacks = np.maximum(need - np.sum(weight * most[where], axis=1), 0.0)[:, None]
        raised = most[where] + (share if round_ < COVER_ROUNDS - 1 else 1.0) * lacks
        np.maximum.at(most, where, raised)
        most[fixed] = stays
    made = Drops(character=whose, step=step, drop=np.minimum(most, highest))
    return made.rows(~fixed)


def _key(character: Column, step: Column) -> IntArray:
    """Return one number for each control point of each character."""
    return np.asarray((character.astype(np.int64) << 32) + step + MAX_STEP)


def _matches(wanted: IntArray, known: IntArray) -> tuple[IntArray, IntArray]:
    """Return which of the wanted keys are known, and where."""
    order = np.argsort(known, kind="stable")
    at = np.minimum(np.searchsorted(known[order], wanted), max(len(known) - 1, 0))
    there = np.flatnonzero(known[order[at]] == wanted) if len(known) else np.zeros(0, np.int64)
    return there, order[at[there]]


def _times_to_look(take: Take, span: TimeSpan) -> tuple[IntArray, Array]:
    """Return (character, time) pairs at which a leg may be too long: all times at which a body on legs plays a clip."""
    s, (low, high) = take.segments, (span.start - BEFORE_SPAN_S, span.stop + AFTER_SPAN_S)
    body = take.characters.body[s.character]
    plays = (s.clip >= 0) & (s.track < 0) & (take.score.rigs.legs[body, 0, 0] >= 0)
    plays &= (s.stop >= low[s.character]) & (s.start <= high[s.character])
    goes_on = np.append((np.diff(s.character) == 0) & (s.start[1:] - s.stop[:-1] < SEAM_TOLERANCE_S), False)[plays]
    wanted = s.rows(plays)
    begin, end = np.maximum(wanted.start, low[wanted.character]), np.minimum(wanted.stop, high[wanted.character])
    first = np.ceil(begin / LEG_CHECK_STEP_S).astype(np.int64)
    # Where another segment goes on, the end is looked at as its beginning.
    last = np.where(goes_on, np.ceil(end / LEG_CHECK_STEP_S) - 1, np.floor(end / LEG_CHECK_STEP_S)).astype(np.int64)
    counts = np.maximum(last - first + 1, 0)
    who, when = np.repeat(wanted.character, counts), LEG_CHECK_STEP_S * flat_ranges(first, counts)
    if take.stage.floor.level is None:
        # Heels and balls leave a slope between two looks, and legs are longest just then.
        t = take.stances
        edges = np.stack([t.start, t.start + t.heel[:, 1], t.start + t.ball[:, 1], t.stop], axis=1)
        edges = np.clip(edges - BEFORE_EDGE_S, t.start[:, None], t.stop[:, None])
        whose = np.repeat(t.character, 4)
        inside = (edges.ravel() >= low[whose]) & (edges.ravel() <= high[whose])
        who, when = np.append(who, whose[inside]), np.append(when, edges.ravel()[inside])
    return np.asarray(who, np.int64), np.asarray(when, np.float64)


def _estimate_needs(planted: Take, who: IntArray, when: Array) -> Array:
    """Return [K] m by which roots must come down, to within `SURE_WITHIN_M`; legs alone are posed.

    Heels do not rise in this: where they would, it is more than is needed.
    """
    from walkon.take.posing import _own_feet_kernels as kernels

    score, joints = planted.score, leg_joints(planted.score.rigs)
    channels, wanted = joints.channels.max(axis=1), joints.wanted.max(axis=1)
    who, needs = np.ascontiguousarray(who, np.int32), np.empty(len(who))
    straight = float(np.cos(0.5 * MIN_KNEE_BEND_RAD))

    def work(a: int, b: int) -> None:
        kernels.estimate_needs(score, channels, wanted, straight, who[a:b], when[a:b], needs[a:b])

    in_chunks(work, len(who), chunk=CHUNK_LEG_COUNT)
    return needs


def _need(bare: Take, planted: Take, who: IntArray, when: Array) -> Array:
    """Return [K] m by which the root must come down so that no leg is straighter than its clip has it, or nearly so."""
    poses = pose_pairs(planted, who, when, hands=0, legs_alone=True)
    return np.maximum(*(_need_of(bare, poses, who, when, np.full(len(who), foot)) for foot in range(2)))


def leg_needs(bare: Take, planted: Take, who: IntArray, when: Array, foot: IntArray) -> Array:
    """Return [K] m by which the root must come down for the legs of feet [K] (0 left, 1 right) alone."""
    return _need_of(bare, pose_pairs(planted, who, when, hands=0, legs_alone=True), who, when, foot)


def _need_of(bare: Take, poses: Poses, who: IntArray, when: Array, foot: IntArray) -> Array:
    body, rigs = bare.characters.body[who], bare.score.rigs
    hip, knee, ankle = (rigs.legs[body, foot, i] for i in range(3))
    k = np.arange(len(who))
    leg, missed = poses.positions[k, ankle] - poses.positions[k, hip], poses.missed[k, foot]
    size = np.linalg.norm(leg, axis=1)
    # What a leg that falls short reaches is its true length, since its knee is no perfect hinge; such a leg is straight
    # and points at its target, which is that much farther on.
    longest = _lengths(poses, k, hip, knee) + _lengths(poses, k, knee, ankle)
    limit = np.cos(0.5 * MIN_KNEE_BEND_RAD) * np.where(missed > 0, size, longest)
    need = np.zeros(len(who))
    k = np.flatnonzero(size + missed > limit)
    own = pose_pairs(bare, who[k], when[k], legs=False, hands=0, legs_alone=True)
    limit = np.maximum(limit[k], _lengths(own, np.arange(len(k)), hip[k], ankle[k]))
    wanted = leg[k] * ((size + missed) / size)[k, None]
    flat2 = wanted[:, 0] ** 2 + wanted[:, 1] ** 2
    need[k] = np.maximum(-wanted[:, 2] - np.sqrt(np.maximum(limit**2 - flat2, 0.0)), 0.0)
    return need


def _lengths(poses: Poses, k: IntArray, above: IntArray, below: IntArray) -> Array:
    return np.linalg.norm(poses.positions[k, below] - poses.positions[k, above], axis=1)
