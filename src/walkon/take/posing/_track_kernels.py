"""Compiled reading of tracks: quantized knots, between them a cubic Hermite or a straight line. The rule: `Tracks`."""

# mypy: ignore-errors

import math

from walkon._base.jit import group_of, kernel, reads, writes
from walkon.take.posing import _row_kernels as rows
from walkon.take.posing.score_rule import Score
from walkon.take.tables import TrackKnots, Tracks, TrackTurns
from walkon.transforms import _kernels as vec

HEADING_GRAIN_RAD = math.pi / 32768.0


@kernel(borrowed=True, inline=True)
def find_knot(tracks, knots, row, u):
    """Return the knots before and after u seconds of a track, the share of the way between them, and s between."""
    first, stop = tracks.knots[row, 0], tracks.knots[row, 1]
    x = u / tracks.tick[row]
    # Knots lie about evenly: where it would be then is near, in memory too.
    last = 1.0 * knots.step[stop - 1]
    low = first + int((stop - 1 - first) * min(max(x / last, 0.0), 1.0)) if last > 0.0 else first
    while low > first and knots.step[low] > x:
        low -= 1
    while low < stop - 1 and knots.step[low + 1] <= x:
        low += 1
    high = min(low + 1, stop - 1)
    span = 1.0 * knots.step[high] - knots.step[low]
    share = min(max((x - knots.step[low]) / span, 0.0), 1.0) if span > 0.0 else 0.0
    return low, high, share, span * tracks.tick[row]


@kernel(borrowed=True, inline=True)
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


@kernel(borrowed=True)
def track_heading(knots, low, high, share):
    """Return the heading between two knots, radians: evenly, the shorter way."""
    a, b = int(knots.heading[low]), int(knots.heading[high])
    turn = (b - a + 32768) % 65536 - 32768
    return HEADING_GRAIN_RAD * (a + share * turn)


@kernel(borrowed=True, inline=True)
def track_rotation(tracks, knots, turns, row, low, high, share):
    """Return the rotation between two knots."""
    if tracks.turns[row, 1] > tracks.turns[row, 0]:
        shift = tracks.turns[row, 0] - tracks.knots[row, 0]
        return vec.nlerp(rows.unpack(turns.rotation, low + shift), rows.unpack(turns.rotation, high + shift), share)
    return vec.about((0.0, 0.0, 1.0), track_heading(knots, low, high, share))


@kernel(borrowed=True, inline=True)
def segment_at(people, parts, first, n, t):
    """Return the segment in which character n is at time t, −1 where it is absent."""
    s = rows.last_not_after(parts.start, first.segments[n], first.segments[n + 1], t)
    hidden = people.leave[n] > people.enter[n] and not people.enter[n] <= t <= people.leave[n]
    return -1 if hidden or s < first.segments[n] or t > parts.stop[s] else s


@kernel(borrowed=True, inline=True)
def on_track(tracks, knots, turns, parts, s, t):
    """Return place and rotation of the track of segment s at time t, placed on the stage."""
    row = parts.track[s]
    low, high, share, seconds = find_knot(tracks, knots, row, parts.track_start[s] + t - parts.start[s])
    at = track_place(tracks, knots, row, low, high, share, seconds)
    turn = track_rotation(tracks, knots, turns, row, low, high, share)
    if parts.place[s, 0] == 0.0 and parts.place[s, 1] == 0.0 and parts.place[s, 2] == 0.0:
        return at, turn
    yaw = vec.about((0.0, 0.0, 1.0), parts.place[s, 2])
    return vec.plus(vec.rotate(yaw, at), (parts.place[s, 0], parts.place[s, 1], 0.0)), vec.multiply(yaw, turn)


@kernel(
    group_of(Tracks),
    group_of(TrackKnots),
    group_of(TrackTurns),
    reads(1, "int64"),
    reads(1),
    writes(2),
    borrowed=True,
)
def read_tracks(tracks, knots, turns, which, clock, poses):
    """Fill the poses [K, 7] of tracks which[k] at clock[k] seconds, in their own worlds."""
    for k in range(len(which)):
        low, high, share, seconds = find_knot(tracks, knots, which[k], clock[k])
        poses[k, 0], poses[k, 1], poses[k, 2] = track_place(tracks, knots, which[k], low, high, share, seconds)
        turn = track_rotation(tracks, knots, turns, which[k], low, high, share)
        poses[k, 3], poses[k, 4], poses[k, 5], poses[k, 6] = turn


@kernel(
    group_of(Score),
    reads(1, "int32"),
    reads(1),
    writes(3),
    writes(3),
    writes(1, "uint8"),
    writes(1, "int64"),
    borrowed=True,
)
def pose_tracks(score, who, when, positions, rotations, presence, segments):
    """Place characters who[k] at when[k] seconds who are on tracks only: `pose` for takes in which nobody has joints.

    Fills positions [K, 1, 3], rotations [K, 1, 4], presence (0 absent, 2 a track only) and segments (−1 absent).
    """
    people, parts, rigs = score.characters, score.segments, score.rigs
    for k in range(len(who)):
        n, t = who[k], when[k]
        s = segment_at(people, parts, score.first, n, t)
        segments[k], presence[k] = s, 0 if s < 0 else 2
        place, turn = (math.nan, math.nan, math.nan), (math.nan, math.nan, math.nan, math.nan)
        if s >= 0:
            place, turn = on_track(score.tracks, score.track_knots, score.track_turns, parts, s, t)
        up = people.scale[n] * rigs.rest_height[people.body[n]]
        positions[k, 0, 0], positions[k, 0, 1], positions[k, 0, 2] = place[0], place[1], place[2] + up
        rotations[k, 0, 0], rotations[k, 0, 1], rotations[k, 0, 2], rotations[k, 0, 3] = turn
