"""Height curves from plants: how high the floor is that clips are played on, where nobody said it.

On a level floor the curve is one knot. On any other it follows what carries the body: at the middle of a stance, where
the root passes over its foot, the floor under the root by the plane of the plant,

    h = z − (n_x (x_r − x) + n_y (y_r − y)) / n_z                                                         (1)

with the plant (x, y, z), the floor's normal n there and the root (x_r, y_r): on a slope the floor under the root, on
steps the step. Long stances have several such knots; knots near each other in time become one. Between knots the curve
is a cubic with the slopes of Fritsch and Butland 1984, which never rises above its knots nor falls below them.
Metres, seconds.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.stage.floor import MAX_HEIGHT_M
from walkon.take.planting.drops import TimeSpan
from walkon.take.planting.stance_rows import StanceRows
from walkon.take.posing.posing import pose_pairs
from walkon.take.tables import Heights, flat_ranges
from walkon.take.take import Take

__all__ = ["FloorKnots", "curve_over_plants", "curve_through", "look_under_roots"]

KNOT_STEP_S = 0.5
"""s between two knots of one stance at most."""
MIN_KNOT_GAP_S = 0.15
"""s within which knots of the two feet are one."""
LOOK_STEP_S = 0.2
"""s between two looks at the floor under a root that walks over it: less than half a metre on."""


class FloorKnots(NamedTuple):
    """Places at which the height of the floor is known, sorted by character and time; K of them."""

    who: IntArray
    when: Array
    height: Array

    def rows(self, index: BoolArray) -> "FloorKnots":
        """Return these of them."""
        return FloorKnots(self.who[index], self.when[index], self.height[index])


def look_under_roots(take: Take, lifted: BoolArray, near: Array) -> FloorKnots:
    """Return the floor under the roots of all who are not `lifted` [N] by somebody else, along their ways.

    On a level floor one knot is all there is to know; on any other they say which of several floors a foot is to be put
    on. Ways begin on the floors nearest to the heights `near` [N] m.
    """
    s, level = take.segments, take.stage.floor.level
    mine = s.rows(~lifted[s.character] & (s.clip >= 0) & (s.track < 0))
    if level is not None:
        mine = mine.rows(np.diff(mine.character, prepend=-1) != 0)
        return FloorKnots(mine.character.astype(np.int64), np.asarray(mine.start), np.full(len(mine), level))
    counts = np.floor((mine.stop - mine.start) / LOOK_STEP_S).astype(np.int64) + 1
    who = np.repeat(mine.character, counts).astype(np.int64)
    when = np.repeat(mine.start, counts) + LOOK_STEP_S * flat_ranges(np.zeros(len(mine), np.int64), counts)
    roots = pose_pairs(take, who, when, legs=False, hands=0, legs_alone=True).positions[:, 0, :2]
    begins = np.flatnonzero(np.diff(who, prepend=-1))
    height = take.stage.floor.follow(roots, begins, near[who[begins]])
    # A segment may begin where the one before it was looked at last; before there is any floor there is no height.
    there = (height <= MAX_HEIGHT_M) & ((np.diff(who, prepend=-1) != 0) | (np.diff(when, prepend=-np.inf) > 1e-9))
    return FloorKnots(who[there], when[there], height[there])


def curve_through(knots: FloorKnots) -> Heights:
    """Return a curve through knots with the slopes of Fritsch and Butland, and the chord's at its ends.

    With a and b the chords before and after a knot and the times h and k that they last: 0 where they have not the same
    sign, else 3 (h + k) / ((h + 2k) / a + (2h + k) / b).
    """
    who, when, height = knots
    if not len(who):
        return Heights()
    same = np.diff(who) == 0
    lasts = np.where(same, np.diff(when), 1.0)
    chord = np.where(same, np.diff(height) / lasts, 0.0)
    a, b = np.append(0.0, chord), np.append(chord, 0.0)
    h, k = np.append(1.0, lasts), np.append(lasts, 1.0)
    first, last = np.append(True, ~same), np.append(~same, True)
    agree = a * b > 0
    a_, b_ = np.where(agree, a, 1.0), np.where(agree, b, 1.0)
    slope = np.where(agree, 3.0 * (h + k) / ((h + 2.0 * k) / a_ + (2.0 * h + k) / b_), 0.0)
    slope = np.where(first, b, np.where(last, a, slope))
    return Heights(character=who, time=when, height=height, slope=slope)


def curve_over_plants(
    take: Take, rows: StanceRows, ends: FloorKnots, known: Heights, span: TimeSpan
) -> tuple[Heights, BoolArray]:
    """Return height curves from placed stances, and [K] which of their knots are new within a span of time.

    The curves go on from `known`, which has the knots before the span. `ends` are knots where ways begin and end.
    """
    heads, knots = _thin_out(*(np.concatenate(pair) for pair in zip(ends, _stance_knots(take, rows), strict=True)))
    fresh = heads >= span.start[knots.who]
    inside = np.append(np.zeros(len(known), bool), (heads < span.stop[knots.who])[fresh])
    who, when = np.append(known.character, knots.who[fresh]), np.append(known.time, knots.when[fresh])
    height = np.append(known.height, knots.height[fresh])
    order = np.lexsort((when, who))
    curve = curve_through(FloorKnots(who[order].astype(np.int64), when[order], height[order]))
    slope, old = np.array(curve.slope), order < len(known)
    slope[old] = known.slope[order[old]]
    return (curve.with_columns(slope=slope) if len(curve) else curve), inside[order]


def _stance_knots(take: Take, rows: StanceRows) -> FloorKnots:
    """Return who, when and how high: eq. (1) at the middle of each stance, and along long ones."""
    count = np.maximum(np.ceil((rows.stop - rows.start) / KNOT_STEP_S - 1e-9).astype(np.int64), 1)
    row = np.repeat(np.arange(len(rows)), count)
    step = flat_ranges(np.zeros(len(rows), np.int64), count)
    share = (step + 0.5) / count[row]
    when = (1.0 - share) * rows.start[row] + share * rows.stop[row]
    who = rows.character[row].astype(np.int64)
    roots = pose_pairs(take, who, when, legs=False, hands=0, legs_alone=True).positions[:, 0, :2]
    # The ball carries where it is down; else the heel.
    on_ball = rows.planted[row, 1]
    plants = np.where(on_ball[:, None], rows.places[row, 1], rows.places[row, 0])
    normals = take.stage.floor(plants[:, :2], near=plants[:, 2]).normals
    tilt = np.where(np.isfinite(normals[:, 2:]), -normals[:, :2] / normals[:, 2:], 0.0)
    raised = np.where(on_ball, rows.raised[row, 1], rows.raised[row, 0])
    return FloorKnots(who, when, plants[:, 2] - raised + np.sum(tilt * (roots - plants[:, :2]), axis=1))


def _thin_out(who: IntArray, when: Array, height: Array) -> tuple[Array, FloorKnots]:
    """Return knots, sorted, of those less than `MIN_KNOT_GAP_S` apart the mean, and when the first of those is."""
    order = np.lexsort((height, when, who))
    who, when, height = who[order], when[order], height[order]
    heads = np.flatnonzero((np.diff(who, prepend=-1) != 0) | (np.diff(when, prepend=-np.inf) > MIN_KNOT_GAP_S))
    if not len(heads):
        return when, FloorKnots(who, when, height)
    counts = np.diff(np.append(heads, len(who)))
    mean_when, mean_height = (np.add.reduceat(values, heads) / counts for values in (when, height))
    return when[heads], FloorKnots(who[heads], mean_when, mean_height)
