"""Placing stances: one place in the world for heel and ball of every stance of a foot.

The ball keeps the place it has in the middle of its contact, and the heel lies at the foot's own length L from it, as
the clip has it while both are down. Heights are the floor's where they are: with the ball at (b, z) and the way d from
it to the heel,

    heel = b + √(L² − (z_h − z)²) d,     z_h the floor's height there                                        (1)

which a few rounds solve. A support that the clip itself has above its floor (a step, a box) is on the floor if that is
so high there, and else where the clip has it. Metres.
"""

import numpy as np

from walkon._base.arrays import Array
from walkon.take.planting.stance_rows import StanceRows
from walkon.take.posing.toes import own_feet
from walkon.take.take import Take

__all__ = ["place_stances"]

ON_FLOOR_WITHIN_M = 0.4
"""m between the floor under a root and that under its foot, up to which the foot is put on it."""
RAISED_WITHIN_M = 0.1
"""m from the height that a clip gives a raised support, within which the floor is that support."""
HEEL_ROUNDS = 4
"""Rounds in which the heel's height is found: on slopes up to 20 degrees each leaves less than a tenth of the error."""


def place_stances(take: Take, rows: StanceRows) -> StanceRows:
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
    for distance in range(int(rows.order.max(initial=-1)) + 1):
        now = rows.order == distance
        keeps_ball = now & has_ball & rows.same[:, 1]
        keeps_heel = now & has_heel & rows.same[:, 0] & ~keeps_ball
        ball_place[keeps_ball] = ball_place[before[keeps_ball]]
        heel_place[keeps_heel] = heel_place[before[keeps_heel]]
        new = now & ~keeps_ball & ~keeps_heel
        for on, point, at in ((new & has_ball, 1, at_middle.balls), (new & ~has_ball, 0, at_middle.heels)):
            places[on, point, :2] = at[on, :2]
            places[on, point, 2] = _supports(take, rows.rows(on), point, at[on, :2])
        lay = now & both & ~keeps_heel
        heel_place[lay] = _lay_flat(take, rows.rows(lay), 0, ball_place[lay], across[lay])
        lay = now & both & keeps_heel & ~keeps_ball
        ball_place[lay] = _lay_flat(take, rows.rows(lay), 1, heel_place[lay], -across[lay])
    return rows.with_columns(places=places)


def _supports(take: Take, rows: StanceRows, point: int, places: Array) -> Array:
    """Return z [R] of what a point (0 heel, 1 ball) stands on at ground places [R, 2]."""
    wanted = np.asarray(rows.heights[:, point])
    if take.stage.floor.level is not None:
        return wanted
    floor = take.stage.floor(places, near=wanted).heights
    within = np.where(np.abs(rows.raised[:, point]) > 1e-6, RAISED_WITHIN_M, ON_FLOOR_WITHIN_M)
    return np.where(np.abs(floor - wanted) <= within, floor, wanted)


def _lay_flat(take: Take, rows: StanceRows, point: int, anchor: Array, across: Array) -> Array:
    """Return where a point lies that is `across` from the other one at `anchor` [R, 3], eq. (1)."""
    place = _at_length(anchor, across, np.asarray(rows.heights[:, point]))
    if take.stage.floor.level is None:
        for _ in range(HEEL_ROUNDS):
            place = _at_length(anchor, across, _supports(take, rows, point, place[:, :2]))
        # The last round may still be off by what the floor rises over the last small step.
        place[:, 2] = _supports(take, rows, point, place[:, :2])
    return place


def _at_length(anchor: Array, across: Array, height: Array) -> Array:
    """Return the places at the length of `across` from the anchors, in its ground direction, at the given heights."""
    length2 = np.sum(across**2, axis=1)
    rise = height - anchor[:, 2]
    flat = np.maximum(np.linalg.norm(across[:, :2], axis=1), 1e-9)
    far = np.sqrt(np.maximum(length2 - rise**2, 0.0)) / flat
    return np.column_stack([anchor[:, :2] + across[:, :2] * far[:, None], height])
