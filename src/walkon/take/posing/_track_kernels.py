"""Compiled reading of tracks: quantized knots, between them a cubic Hermite or a straight line. The rule: `Tracks`."""

# mypy: ignore-errors

import math

from walkon._base.jit import kernel
from walkon.take.posing import _row_kernels as rows
from walkon.transforms import _kernels as vec

HEADING_GRAIN_RAD = math.pi / 32768.0


@kernel()
def find_knot(tracks, knots, row, u):
    """Return the knots before and after u seconds of a track, the share of the way between them, and s between."""
    first, stop = tracks.knots[row, 0], tracks.knots[row, 1]
    x = u / tracks.tick[row]
    low = max(rows.last_not_after(knots.step, first, stop, x), first)
    high = min(low + 1, stop - 1)
    span = 1.0 * knots.step[high] - knots.step[low]
    share = min(max((x - knots.step[low]) / span, 0.0), 1.0) if span > 0.0 else 0.0
    return low, high, share, span * tracks.tick[row]


@kernel()
def track_place(tracks, knots, row, low, high, share, seconds):
    """Return (x, y, z) in metres between two knots."""
    grain = 1.0 * tracks.grain[row]
    a, b = vec.scale(grain, vec.vector(knots.place, low)), vec.scale(grain, vec.vector(knots.place, high))
    if tracks.speed_grain[row] > 0.0:
        at = vec.mix(a, b, share * share * (3.0 - 2.0 * share))
        rest, pace = 1.0 - share, seconds * tracks.speed_grain[row]
        at = vec.plus(at, vec.scale(pace * share * rest * rest, vec.vector(knots.velocity, low)))
        at = vec.plus(at, vec.scale(-pace * share * share * rest, vec.vector(knots.velocity, high)))
    else:
        at = vec.mix(a, b, share)
    return vec.plus(vec.vector(tracks.origin, row), at)


@kernel()
def track_heading(knots, low, high, share):
    """Return the heading between two knots, radians: evenly, the shorter way."""
    a, b = int(knots.heading[low]), int(knots.heading[high])
    turn = (b - a + 32768) % 65536 - 32768
    return HEADING_GRAIN_RAD * (a + share * turn)


@kernel()
def track_rotation(tracks, knots, turns, row, low, high, share):
    """Return the rotation between two knots."""
    if tracks.turns[row, 1] > tracks.turns[row, 0]:
        shift = tracks.turns[row, 0] - tracks.knots[row, 0]
        return vec.nlerp(rows.unpack(turns.rotation, low + shift), rows.unpack(turns.rotation, high + shift), share)
    return vec.about((0.0, 0.0, 1.0), track_heading(knots, low, high, share))
