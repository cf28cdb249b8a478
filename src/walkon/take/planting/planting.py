"""Planting (foot-skate clean-up): one place in the world for every foot contact, and what it takes to keep it.

Clips come with feet that stand still; warps, blends and other bodies make them slide. For each stance of a foot
(contacts of its heel and its ball that overlap) the ball keeps the place it has in the middle of its contact, and the
heel lies at the foot's own length from it, as the clip has it while both are down. From these plants follow the turn
and the shift that the clip's foot needs when it lands and when it leaves; between stances posing eases from one to
the next (`walkon.take.posing.posing`). Where a leg would then be too long, the root comes down, smoothly.
"""

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.take.planting.contact_spans import MAX_SEAM_JUMP_M, contact_spans
from walkon.take.planting.releasing import release
from walkon.take.planting.stance_rows import StanceRows, stance_rows
from walkon.take.posing.posing import Poses, pose_pairs
from walkon.take.posing.posing_rule import DROP_STEP_S
from walkon.take.posing.toes import Feet, own_feet, toe_bend, toe_turn
from walkon.take.tables import Drops, Stances, flat_ranges
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["plant_feet"]

MAX_DROP_M = 0.06
"""m by which a root comes down at most; what a leg still lacks then is in `Poses.missed` and in the audit."""
MIN_DROP_M = 5e-5
"""m; smaller needs are left to the knee."""
MIN_KNEE_BEND_RAD = 0.2
"""rad of knee bend below which legs are not stretched further than their clip has them: near a straight knee the
millimetres of a plant are degrees, and the knee would snap."""
LEG_CHECK_STEP_S = DROP_STEP_S / 3
"""s between the times at which legs are looked at: needs peak at heel strikes and are over in a tenth of a second."""
BEFORE_END_S = 1e-7
"""s before a stance's end at which the foot is looked at there: at the end itself the next segment may be posed."""
RATE_STEP_S = 0.03
"""s over which the rate of a shift is read: over less it would be the noise of quantized clips."""
STANDING_NOISE_M_S = 0.008
"""m/s by which quantized clips let a standing foot seem to move."""
MAX_SHIFT_RATE_M_S = 0.4
"""m/s at which a shift changes at most where a swing begins or ends: faster ones would carry the foot too far out."""
BATCH_POSE_COUNT = 20000
"""Poses that are looked at together."""


def plant_feet(take: Take, *, held: Stances | None = None) -> Take:
    """Return the take with its feet planted: `stances` and `drops` made anew from segments and clips.

    `held` are stances that ended where this take begins (the last of an earlier part): a stance that goes on from one
    of them keeps its places.
    """
    bare = take.with_feet(Stances(), Drops())
    rows = stance_rows(contact_spans(bare))
    if not len(rows):
        return bare
    stances = _make_stances(bare, release(bare, _place_stances(bare, rows, held)))
    planted = bare.with_feet(stances, Drops())
    return bare.with_feet(stances, _find_drops(bare, planted))


def _place_stances(take: Take, rows: StanceRows, held: Stances | None) -> StanceRows:
    """Give every stance its plants.

    Rows of one chain share plants: rows are worked off in rounds, the anchor of each chain first, each later row from
    its neighbour in the chain that has been placed.
    """
    places = np.zeros((len(rows), 2, 3))
    heel_place, ball_place = places[:, 0], places[:, 1]
    has_heel, has_ball = rows.planted.T
    both = has_heel & has_ball
    overlap = 0.5 * (rows.spans[:, :, 0].max(axis=1) + rows.spans[:, :, 1].min(axis=1))
    heel_middle, ball_middle = 0.5 * rows.whole.sum(axis=2).T
    middle = np.where(has_ball, ball_middle, 0.5 * (rows.start + rows.stop))
    at_middle = own_feet(take, rows.character, rows.foot, np.where(has_ball, middle, heel_middle))
    at_both = own_feet(take, rows.character, rows.foot, np.where(both, overlap, middle))
    across = at_both.heels - at_both.balls

    before = np.arange(len(rows)) + rows.towards
    for distance in range(int(rows.order.max()) + 1):
        now = rows.order == distance
        keeps_ball = now & has_ball & rows.same[:, 1]
        keeps_heel = now & has_heel & rows.same[:, 0] & ~keeps_ball
        ball_place[keeps_ball] = ball_place[before[keeps_ball]]
        heel_place[keeps_heel] = heel_place[before[keeps_heel]]
        if held is not None and len(held) and distance == 0:
            keeps_heel, keeps_ball = _take_over(take, rows, held, now, places).T
        new = now & ~keeps_ball & ~keeps_heel
        ball_place[new & has_ball] = at_middle.balls[new & has_ball]
        ball_place[new & has_ball, 2] = rows.heights[new & has_ball, 1]
        only_heel = new & ~has_ball
        heel_place[only_heel] = at_middle.heels[only_heel]
        heel_place[only_heel, 2] = rows.heights[only_heel, 0]
        lay = now & both & ~keeps_heel
        heel_place[lay] = _at_length(ball_place[lay], across[lay], rows.heights[lay, 0])
        lay = now & both & keeps_heel & ~keeps_ball
        ball_place[lay] = _at_length(heel_place[lay], -across[lay], rows.heights[lay, 1])
    return rows.with_columns(places=places)


def _take_over(take: Take, rows: StanceRows, held: Stances, now: BoolArray, places: Array) -> BoolArray:
    """Let stances that go on from earlier ones keep their plants; returns [R, 2] which kept their heel, their ball."""
    order = np.lexsort((held.stop, held.whose))
    key = held.whose[order]
    mine = rows.character.astype(np.int64) * 2 + rows.foot
    last = np.searchsorted(key, mine, side="right") - 1
    row = order[np.maximum(last, 0)]
    goes_on = now & (last >= 0) & (key[np.maximum(last, 0)] == mine) & (np.abs(held.stop[row] - rows.start) < 2e-3)
    spans = np.stack([held.heel, held.ball], axis=1)
    to_end = (spans[:, :, 1] >= (held.stop - held.start)[:, None] - 1e-4) & (spans[:, :, 1] > spans[:, :, 0])
    from_start = (rows.spans[:, :, 0] <= rows.start[:, None] + 1e-4) & rows.planted
    # Where the clip had the point at the end of the held stance follows from its plant and its shift.
    own = own_feet(take, rows.character, rows.foot, rows.start)
    plants = np.stack([held.heel_place, held.ball_place], axis=1)
    away = np.stack([own.heels, own.balls], axis=1) - (plants - held.shift_out[:, None])[row]
    kept = goes_on[:, None] & to_end[row] & from_start & (np.linalg.norm(away, axis=2) <= MAX_SEAM_JUMP_M)
    places[kept] = plants[row][kept]
    return np.asarray(kept)


def _at_length(anchor: Array, across: Array, height: Array) -> Array:
    """Return the places at the length of `across` from the anchors, in its ground direction, at the given heights."""
    length2 = np.sum(across**2, axis=1)
    rise = height - anchor[:, 2]
    flat = np.maximum(np.linalg.norm(across[:, :2], axis=1), 1e-9)
    far = np.sqrt(np.maximum(length2 - rise**2, 0.0)) / flat
    return np.column_stack([anchor[:, :2] + across[:, :2] * far[:, None], height])


def _make_stances(take: Take, rows: StanceRows) -> Stances:
    """Work out how the clip's foot is turned and shifted where each stance begins and ends."""
    both = rows.planted.all(axis=1)
    flat_start = np.where(both, rows.spans[:, :, 0].max(axis=1), rows.start)
    flat_stop = np.where(both, rows.spans[:, :, 1].min(axis=1), rows.start)
    heel_place, ball_place = rows.places[:, 0], rows.places[:, 1]
    lies = ball_place - heel_place
    length = np.linalg.norm(lies, axis=1)
    # How fast the shift changes is read just inside the stance.
    step = np.minimum(RATE_STEP_S, 0.25 * (rows.stop - rows.start))
    columns: dict[str, Array] = {}
    last = np.maximum(rows.stop - BEFORE_END_S, rows.start)
    for end, flat, edge, inside in (
        ("in", flat_start, rows.start, step),
        ("out", np.minimum(flat_stop, last), last, -step),
    ):
        feet = own_feet(take, rows.character, rows.foot, flat)
        toe = np.where(both, toe_bend(feet, lengths=length), 0.0)
        turn = np.zeros((len(rows), 3))
        turn[both] = quat.log(quat.between((_bend_toes(feet, toe).balls - feet.heels)[both], lies[both]))
        on_ball = rows.planted[:, 1] & (rows.spans[:, 1, 0] <= edge + 1e-9) & (edge <= rows.spans[:, 1, 1] + 1e-9)
        place = np.where(on_ball[:, None], ball_place, heel_place)
        ends = []
        for when in (edge, edge + inside):
            feet = _bend_toes(own_feet(take, rows.character, rows.foot, when), toe)
            point = np.where(on_ball[:, None], feet.balls, feet.heels)
            ends.append(place - quat.rotate(quat.exp(turn), point - feet.ankles) - feet.ankles)
        rate = _limit_rates((ends[1] - ends[0]) / inside[:, None])
        columns |= {f"turn_{end}": turn, f"toe_{end}": toe, f"shift_{end}": ends[0], f"rate_{end}": rate}
    since_start = np.maximum(rows.spans, rows.spans[:, :, :1]) - rows.start[:, None, None]
    return Stances(
        character=rows.character,
        foot=rows.foot,
        start=rows.start,
        stop=rows.stop,
        heel=since_start[:, 0],
        ball=since_start[:, 1],
        heel_place=heel_place,
        ball_place=ball_place,
        **columns,
    )


def _limit_rates(rates: Array) -> Array:
    """Return rates [R, 3] less `STANDING_NOISE_M_S`, and no longer than `MAX_SHIFT_RATE_M_S`."""
    size = np.maximum(np.linalg.norm(rates, axis=1, keepdims=True), 1e-9)
    return rates * (np.clip(size - STANDING_NOISE_M_S, 0.0, MAX_SHIFT_RATE_M_S) / size)


def _bend_toes(feet: Feet, toe: Array) -> Feet:
    """Return the feet with their toes bent by [K] rad."""
    return feet.turn_toes(toe_turn(feet, bends=toe))


def _find_drops(bare: Take, planted: Take) -> Drops:
    """Find where legs are too long for their plants, and let the root come down there.

    A control point is the largest need within two steps of it, so the spline, which stays within its control points,
    covers every need.
    """
    who, when = _times_to_look(bare)
    need = np.zeros(len(who))
    for first in range(0, len(who), BATCH_POSE_COUNT):
        part = slice(first, first + BATCH_POSE_COUNT)
        need[part] = _need(bare, planted, who[part], when[part])
    late = need > MIN_DROP_M
    if not late.any():
        return Drops()
    step = np.rint((when - bare.characters.drop_start[who])[late] / DROP_STEP_S).astype(np.int64)
    around = step[:, None] + np.arange(-2, 3)
    key = (who[late].astype(np.int64)[:, None] << 32) + around + (1 << 31)
    keys, where = np.unique(key, return_inverse=True)
    most = np.zeros(len(keys))
    np.maximum.at(most, where.reshape(key.shape), need[late][:, None])
    return Drops(character=keys >> 32, step=(keys & 0xFFFFFFFF) - (1 << 31), drop=np.minimum(most, MAX_DROP_M))


def _times_to_look(take: Take) -> tuple[IntArray, Array]:
    """Return (character, time) pairs at which a leg may be too long.

    These are all times of characters on legs whose root is somewhere moved against its clip: a plant may hold over
    from such a segment into one that is played as it is.
    """
    s = take.segments
    rigs, body = take.score.rigs, take.characters.body[s.character]
    plays = (s.clip >= 0) & (rigs.legs[body, 0, 0] >= 0)
    ratio = np.where(plays, rigs.heights[body, take.clips.rows.skeleton[np.maximum(s.clip, 0)]], 1.0)
    scale, stride = take.characters.scale[s.character], take.characters.stride[s.character]
    changed = plays & ((s.warp >= 0) | (s.blend >= 0) | (np.abs(scale * ratio - stride) > 1e-6))
    wanted = s.rows(plays & np.isin(s.character, s.character[changed]))
    first = np.ceil(wanted.start / LEG_CHECK_STEP_S).astype(np.int64)
    counts = np.maximum(np.floor(wanted.stop / LEG_CHECK_STEP_S).astype(np.int64) - first + 1, 0)
    return np.repeat(wanted.character, counts), np.asarray(LEG_CHECK_STEP_S * flat_ranges(first, counts), np.float64)


def _need(bare: Take, planted: Take, who: IntArray, when: Array) -> Array:
    """Return [K] m by which the root must come down so that no leg is straighter than its clip has it, or nearly so."""
    poses = pose_pairs(planted, who, when, hands=0)
    body, rigs = planted.characters.body[who], planted.score.rigs
    need = np.zeros(len(who))
    for foot in range(2):
        hip, knee, ankle = (rigs.legs[body, foot, i] for i in range(3))
        k = np.arange(len(who))
        leg, missed = poses.positions[k, ankle] - poses.positions[k, hip], poses.missed[:, foot]
        size = np.linalg.norm(leg, axis=1)
        # What a leg that falls short reaches is its true length, since its knee is no perfect hinge; such a leg is
        # straight and points at its target, which is that much farther on.
        longest = _lengths(poses, k, hip, knee) + _lengths(poses, k, knee, ankle)
        limit = np.cos(0.5 * MIN_KNEE_BEND_RAD) * np.where(missed > 0, size, longest)
        k = np.flatnonzero(size + missed > limit)
        own = pose_pairs(bare, who[k], when[k], legs=False, hands=0)
        limit = np.maximum(limit[k], _lengths(own, np.arange(len(k)), hip[k], ankle[k]))
        wanted = leg[k] * ((size + missed) / size)[k, None]
        flat2 = wanted[:, 0] ** 2 + wanted[:, 1] ** 2
        need[k] = np.maximum(need[k], -wanted[:, 2] - np.sqrt(np.maximum(limit**2 - flat2, 0.0)))
    return need


def _lengths(poses: Poses, k: IntArray, above: IntArray, below: IntArray) -> Array:
    return np.linalg.norm(poses.positions[k, below] - poses.positions[k, above], axis=1)
