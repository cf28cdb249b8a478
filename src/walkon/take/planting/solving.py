"""Solving stances: how the clip's foot is turned and shifted where it lands on its plants and where it leaves them.

While heel and ball are both down, the foot turns by the smallest rotation that lays it along its plants, its toes bent
to its length (`walkon.take.posing.toes`), and then rolls about that line onto the floor's normal; while only one is
down, the turn is that of the nearest moment at which both are. Shifts are those of the ankle, and their rates are read
just inside the stance, so that swings begin and end as stances end and begin. World frame, metres, seconds, radians.
"""

import numpy as np

from walkon._base.arrays import Array, BoolArray
from walkon.take.planting.stance_rows import StanceRows
from walkon.take.posing.toes import Feet, own_feet, toe_bend, toe_turn
from walkon.take.tables import Stances
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["make_stances"]

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


def make_stances(take: Take, rows: StanceRows) -> Stances:
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
            np.sum(along * quat.cross(up, normals), axis=1),
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
