"""Phases of walkers: where in its stride somebody is of whom there is only a track, and how long the stride is.

The phase is the way gone, F, over the length of a stride, so that feet stand still on the floor. F is measured along
the way the track faces, so that whoever goes backwards walks backwards: between two knots, with p(x) the place and
d(x) the direction, mixed linearly, at x of the way in time from one to the other,

    F(u) = ∫₀ᵘ p′(x) · d(x) dx        (a cubic: two points of Gauss are exact)

and what lies before the knot is added up once for every knot. A track's stride follows from the mean speed v at which
it moves at all and from the height h of the body: speed raised, strides grow with its root (a constant walk ratio,
Sekiya & Nagasaki 1998), in units of √(g h). The phase goes on from one segment of a character to the next, and begins
somewhere else for everybody. The stride shortens to nothing, which is standing, where the speed over a moment around t
is small. Nothing depends on what was asked before. The page has the same rule (`walk_phases.ts`).

Strides, metres, seconds.
"""

import zlib
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.take.storing.rotations48 import unpack
from walkon.take.tables import flat_spans
from walkon.transforms import quaternions as quat
from walkon.transforms.easing import smoothstep

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = ["walk_phases"]

STRIDE_PER_ROOT_SPEED = 1.40
"""Stride over height, over the root of v / √(g h): 0.80 at 1.35 m/s for 1.75 m."""
MIN_STRIDE_SHARE, MAX_STRIDE_SHARE = 0.40, 0.82
"""Of the height."""
GRAVITY_M_S2 = 9.81
WALKING_OVER_M_S = 0.3
"""Speed under which strides shorten."""
WINDOW_S = 0.3
"""Seconds before and after over which speed is measured: where knots are joined straight it jumps."""
GAUSS = 0.5 * (1.0 - 3.0**-0.5), 0.5 * (1.0 + 3.0**-0.5)
HEADING_GRAIN_RAD = np.pi / 32768.0


class _Ways(NamedTuple):
    """What is known of a take's tracks."""

    gone: Array
    """[knots] m gone from the first knot of the track to each."""
    speed: Array
    """[tracks] m/s, mean where it moves."""
    stride: Array
    """[segments] m; infinite where the segment is no track alone."""
    phase: Array
    """[segments] strides at its start."""


_known_ways: "WeakKeyDictionary[Take, _Ways]" = WeakKeyDictionary()


def walk_phases(take: "Take", segments: IntArray, times: Array) -> tuple[Array, Array]:
    """Return phases [n] (strides, from 0 to 1) and strides [n] over the body's height at times [n] s of the take.

    `segments` [n] are rows of `take.segments` that have a track and no clip.
    """
    ways, parts = _ways(take), take.segments
    rows, start = parts.track[segments], parts.track_start[segments]
    clock = start + times - parts.start[segments]
    stop = take.track_knots.step[take.tracks.knots[rows, 1] - 1] * take.tracks.tick[rows]
    before, after = np.clip(clock - WINDOW_S, 0.0, stop), np.clip(clock + WINDOW_S, 0.0, stop)
    gone, first, low, high = (_gone(take, ways.gone, rows, when) for when in (clock, start, before, after))
    speed = np.abs(high - low) / np.maximum(after - before, 1e-6)
    phase = ways.phase[segments] + (gone - first) / ways.stride[segments]
    heights = _heights(take)[parts.character[segments]]
    return phase - np.floor(phase), ways.stride[segments] / heights * smoothstep(speed / WALKING_OVER_M_S)


def _ways(take: "Take") -> _Ways:
    if take not in _known_ways:
        gone, speed = _measure(take)
        parts = take.segments
        tracked = (parts.track >= 0) & (parts.clip < 0)
        height = _heights(take)[parts.character]
        share = STRIDE_PER_ROOT_SPEED * np.sqrt(speed[parts.track] / np.sqrt(GRAVITY_M_S2 * height))
        stride = np.where(tracked, height * np.clip(share, MIN_STRIDE_SHARE, MAX_STRIDE_SHARE), np.inf)
        ends = [parts.track_start + seconds for seconds in (np.zeros(len(parts)), parts.stop - parts.start)]
        a, b = (_gone(take, gone, np.maximum(parts.track, 0), clock) for clock in ends)
        # Strides of all segments before that are the character's own, from where it begins.
        turns = np.cumsum((b - a) / stride) - (b - a) / stride
        first = np.searchsorted(parts.character, parts.character)
        own = np.array([zlib.crc32(name.encode()) / 2**32 for name in take.names])
        _known_ways[take] = _Ways(gone, speed, stride, own[parts.character] + turns - turns[first])
    return _known_ways[take]


def _heights(take: "Take") -> Array:
    """Return how tall the characters are [N], metres; what is flat has no strides, but must not have infinite ones."""
    tall = np.array([body.height for body in take.bodies])
    return np.maximum(tall[take.characters.body] * take.characters.scale, 1e-3)


def _measure(take: "Take") -> tuple[Array, Array]:
    """Return metres gone at each knot [knots], and the mean speed [tracks] of stretches that move."""
    tracks, gone = take.tracks, np.zeros(len(take.track_knots))
    count = tracks.knots[:, 1] - tracks.knots[:, 0] - 1
    row = np.repeat(np.arange(len(tracks)), count)
    low = flat_spans(tracks.knots - np.array([0, 1]))
    step = _gone_since(take, row, low, low + 1, np.ones(len(low)))
    seconds = (take.track_knots.step[low + 1].astype(np.float64) - take.track_knots.step[low]) * tracks.tick[row]
    first = np.cumsum(count) - count
    total = np.cumsum(step)
    gone[low + 1] = total - np.append(0.0, total)[first][row]
    moves = np.abs(step) >= WALKING_OVER_M_S * seconds
    far = np.bincount(row[moves], np.abs(step[moves]), len(tracks))
    return gone, far / np.maximum(np.bincount(row[moves], seconds[moves], len(tracks)), 1e-9)


def _gone(take: "Take", gone: Array, rows: IntArray, clock: Array) -> Array:
    """Return metres gone on tracks [n] at seconds [n] of their clocks."""
    tracks, step = take.tracks, take.track_knots.step
    x = clock / tracks.tick[rows]
    low, stop = tracks.knots[rows, 0].astype(np.int64), tracks.knots[rows, 1].astype(np.int64)
    first = low.copy()
    last = stop - 1
    while (low < stop).any():  # all at once, halving: the first knot after x
        middle = np.minimum((low + stop) // 2, last)
        after = (low < stop) & (step[middle] > x)
        low, stop = np.where(after | (low >= stop), low, middle + 1), np.where(after, middle, stop)
    low = np.maximum(low - 1, first)
    high = np.minimum(low + 1, last)
    span = step[high].astype(np.float64) - step[low]
    share = np.clip((x - step[low]) / np.where(span > 0, span, 1.0), 0.0, 1.0) * (span > 0)
    return np.asarray(gone[low] + _gone_since(take, rows, low, high, share))


def _gone_since(take: "Take", rows: IntArray, low: IntArray, high: IntArray, share: Array) -> Array:
    """Return metres gone [n] since the knots `low` [n] at a share [n] of the time to the knots `high` [n]."""
    tracks, knots = take.tracks, take.track_knots
    span = knots.step[high].astype(np.float64) - knots.step[low]
    chord = tracks.grain[rows, None] * (knots.place[high, :2].astype(np.float64) - knots.place[low, :2])
    pace = (span * tracks.tick[rows] * tracks.speed_grain[rows])[:, None]
    straight = tracks.speed_grain[rows, None] == 0.0
    a, b = (_directions(take, rows, knot) for knot in (low, high))
    total = np.zeros(len(rows))
    for point in GAUSS:
        x = (point * share)[:, None]
        curved = 6.0 * x * (1.0 - x) * chord
        curved = curved + pace * (1.0 - x) * (1.0 - 3.0 * x) * knots.velocity[low, :2]
        curved = curved + pace * x * (3.0 * x - 2.0) * knots.velocity[high, :2]
        total += np.sum(np.where(straight, chord, curved) * ((1.0 - x) * a + x * b), axis=1)
    return np.asarray(0.5 * share * total)


def _directions(take: "Take", rows: IntArray, knots: IntArray) -> Array:
    """Return which way [n, 2] tracks face at knots, over the floor."""
    heading = HEADING_GRAIN_RAD * take.track_knots.heading[knots]
    ahead = np.stack([np.cos(heading), np.sin(heading)], axis=1)
    turned = np.flatnonzero(take.tracks.turns[rows, 1] > take.tracks.turns[rows, 0])
    shift = take.tracks.turns[rows[turned], 0] - take.tracks.knots[rows[turned], 0]
    turns = unpack(take.track_turns.rotation[knots[turned] + shift])
    ahead[turned] = quat.rotate(turns, np.array([1.0, 0.0, 0.0]))[:, :2]
    return ahead
