"""Planting (foot-skate clean-up): one place in the world for every foot contact, and what it takes to keep it.

Clips come with feet that stand still; warps, blends and other bodies make them slide. For each stance of a foot
(contacts of its heel and its ball that overlap) the ball keeps the place it has in the middle of its contact, and the
heel lies at the foot's own length from it, as the clip has it while both are down. From these plants follow the turn
and the shift that the clip's foot needs when it lands and when it leaves; between stances posing eases from one to
the next (`walkon.take.posing.posing`). Where a leg would then be too long, the root comes down, smoothly.
"""

from functools import partial

import numpy as np

from walkon._base.arrays import Array, BoolArray
from walkon.take.planting.clearing import add_open_ends, clear_floor
from walkon.take.planting.contact_spans import contact_spans
from walkon.take.planting.drops import find_drops, leg_needs
from walkon.take.planting.floor_heights import curve_before_plants, curve_over_floor
from walkon.take.planting.heels import allowed_rise, free_balls, free_heels, start_swings
from walkon.take.planting.placing import place_stances
from walkon.take.planting.releasing import release
from walkon.take.planting.stance_rows import StanceRows, stance_rows
from walkon.take.posing.score import keep_largest
from walkon.take.posing.toes import Feet, own_feet, toe_bend, toe_turn
from walkon.take.tables import Drops, Heights, Stances
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["plant_feet"]

BEFORE_END_S = 1e-7
"""s before a stance's end at which the foot is looked at there: at the end itself the next segment may be posed."""
MIN_FOOT_M = 1e-3
"""m from heel to ball on the floor below which a foot has no direction there."""
RATE_STEP_S = 0.03
"""s over which the rate of a shift is read: over less it would be the noise of quantized clips."""
STANDING_NOISE_M_S = 0.008
"""m/s by which quantized clips let a standing foot seem to move."""
MAX_SHIFT_RATE_M_S = 0.4
"""m/s at which a shift changes at most where a swing begins or ends: faster ones would carry the foot too far out."""
SETTLE_ROUNDS = 4
"""Rounds in which risen heels and drops are fitted to each other on floors that are not level."""


def plant_feet(take: Take, *, held: Stances | None = None) -> Take:
    """Return the take with its feet planted: `stances` and `drops` made anew from segments and clips.

    `held` are stances that ended where this take begins (the last of an earlier part): a stance that goes on from one
    of them keeps its places.
    """
    bare = take.with_feet(Stances(), Drops())
    floor = take.stage.floor
    lifted = np.isin(np.arange(len(take)), take.heights.character)
    if floor.level != 0.0:
        bare = bare.with_feet(Stances(), Drops(), Heights.joined([take.heights, curve_before_plants(bare, lifted)]))
    rows = stance_rows(contact_spans(bare))
    if not len(rows):
        return bare
    rows = place_stances(bare, rows, held)
    if floor.level is None:
        bare = bare.with_feet(
            Stances(), Drops(), Heights.joined([take.heights, curve_over_floor(bare, rows, lifted=lifted)])
        )
    rows = release(bare, rows)
    stances = _make_stances(bare, rows)
    planted = bare.with_feet(stances, Drops())
    if floor.level is None:
        return _plant_uneven(bare, rows, planted)
    return bare.with_feet(stances, find_drops(bare, planted))


def _plant_uneven(bare: Take, rows: StanceRows, planted: Take) -> Take:
    """Return the take with feet on a floor that is not level: heels rise before roots come down, swings clear it."""
    rows = free_heels(rows, planted, partial(leg_needs, bare, planted))
    rows = free_balls(rows, bare, _raise_heels(bare, _make_stances(bare, rows)))
    planted = _raise_heels(bare, add_open_ends(bare, _make_stances(bare, rows)))
    stances = start_swings(bare, planted)
    stances = clear_floor(bare, bare.with_feet(stances, planted.drops))
    return bare.with_feet(stances, planted.drops)


def _raise_heels(bare: Take, stances: Stances) -> Take:
    """Return the take with stances whose heels may rise, swings that begin with them risen, and drops for what is left.

    How far a heel has risen at its lift-off depends on how far the root is down then, and that on the swing that begins
    there. Drops only grow from round to round, so that it comes to rest.
    """
    stances, drops = stances.with_columns(rise=allowed_rise(stances)), Drops()
    for _ in range(SETTLE_ROUNDS):
        stances = start_swings(bare, bare.with_feet(stances, drops))
        drops = keep_largest(Drops.joined([drops, find_drops(bare, bare.with_feet(stances, Drops()))]))
    return bare.with_feet(stances, drops)


def _make_stances(take: Take, rows: StanceRows) -> Stances:
    """Work out how the clip's foot is turned and shifted where each stance begins and ends."""
    both: BoolArray = np.asarray(rows.planted.all(axis=1))
    flat_start = np.where(both, rows.spans[:, :, 0].max(axis=1), rows.start)
    flat_stop = np.where(both, rows.spans[:, :, 1].min(axis=1), rows.start)
    heel_place, ball_place = rows.places[:, 0], rows.places[:, 1]
    lies = ball_place - heel_place
    length = np.linalg.norm(lies, axis=1)
    level, roll, tilt = take.stage.floor.level is not None, np.zeros(len(rows)), np.zeros((len(rows), 3))
    if not level:
        normals = _normals(take, rows)
        tilt = quat.log(quat.between(np.array([0.0, 0.0, 1.0]), normals))
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
        own = _bend_toes(feet, toe).balls - feet.heels
        # On an edge that is higher than a foot is long, heel and ball come to one place; then the foot is not turned.
        aims = np.where(length[:, None] > MIN_FOOT_M, lies, own)
        flat_turn = quat.between(own, aims)
        if end == "in" and not level:
            roll = np.where(both, _roll(flat_turn, aims, normals), 0.0)
        along = lies / np.maximum(length, 1e-9)[:, None]
        turn = np.where(both[:, None], quat.log(quat.multiply(quat.about(along, roll), flat_turn)), tilt)
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
        roll=roll,
        rise=np.zeros(len(rows)),
        turn_off=columns["turn_out"],
        toe_off=columns["toe_out"],
        lift=np.zeros(len(rows)),
        **columns,
    )


def _normals(take: Take, rows: StanceRows) -> Array:
    """Return the unit normals [R, 3] of the floor under stances: between heel and ball, up where there is no floor."""
    found = np.zeros((len(rows), 3))
    for point in range(2):
        on = rows.planted[:, point]
        place = rows.places[on, point]
        floor = take.stage.floor(place[:, :2], near=place[:, 2])
        there = np.abs(floor.heights - place[:, 2]) < 1e-3
        found[on] += np.where(there[:, None], floor.normals, [0.0, 0.0, 1.0])
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))


def _roll(turn: Array, lies: Array, normals: Array) -> Array:
    """Return [R] rad about `lies` [R, 3] that bring a sole which was level, turned by `turn`, onto the floor."""
    along = lies / np.maximum(np.linalg.norm(lies, axis=1, keepdims=True), 1e-9)
    up = quat.rotate(turn, np.array([0.0, 0.0, 1.0]))
    return np.asarray(
        np.arctan2(
            np.sum(along * np.cross(up, normals), axis=1),
            np.sum(up * normals, axis=1) - np.sum(up * along, axis=1) * np.sum(normals * along, axis=1),
        )
    )


def _limit_rates(rates: Array) -> Array:
    """Return rates [R, 3] less `STANDING_NOISE_M_S`, and no longer than `MAX_SHIFT_RATE_M_S`."""
    size = np.maximum(np.linalg.norm(rates, axis=1, keepdims=True), 1e-9)
    return rates * (np.clip(size - STANDING_NOISE_M_S, 0.0, MAX_SHIFT_RATE_M_S) / size)


def _bend_toes(feet: Feet, toe: Array) -> Feet:
    """Return the feet with their toes bent by [K] rad."""
    return feet.turn_toes(toe_turn(feet, bends=toe))
