"""Tracks of a scene file: knots of what moves, and of doors that open. Metres, seconds, radians."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon.geometry.tracks import Track
from walkon.io.scenes.floor_reading import height_at
from walkon.io.scenes.records import Fields
from walkon.stage import Floor

__all__ = ["read_opening", "read_track"]

LOOK_STEP_M = 0.1
"""m between two looks at the floor along a track."""
MAX_LOOK_COUNT = 20_000
"""Looks between two knots."""
MAX_SAG_M = 0.02
"""m by which what moves may be off its floor between knots."""
MOMENT_S = 1e-4
"""s over which the speed of a smooth way is taken."""


def read_track(knots: Sequence[Fields], *, floor: Floor, z: float | None = None, above: float = 0.0) -> Track:
    """Return the track of knots {at, place, facing, velocity}; without z it is `above` m over the floor all the way.

    Of several floors it is the one nearest to `z` at the first knot, and then the one nearest to that before. Where the
    floor bends between knots, knots are put in.

    Facings, velocities and z are given at all knots or at none.
    """
    places = _all_or_none(knots, "place")
    assert places is not None  # the key is needed
    velocities = _all_or_none(knots, "velocity")
    lifted = places.shape[1] == 2 and (above != 0.0 or floor.level != 0.0)
    if velocities is not None and places.shape[1] == 3 and velocities.shape[1] == 2:
        velocities = np.column_stack([velocities, np.zeros(len(velocities))])
    if velocities is not None and velocities.shape[1] > places.shape[1]:
        raise InvalidValue("velocities of a track have z where its places have none; give places as [x, y, z]")
    facings = _all_or_none(knots, "facing")
    times = np.array([knot["at"] for knot in knots])
    track = Track(times=times, places=places, headings=facings, velocities=velocities)
    return _over_floor(track, floor, z, above) if lifted else track


def _over_floor(track: Track, floor: Floor, z: float | None, above: float) -> Track:
    """Return a track in the plane `above` m over the floor, with knots put in where the floor bends between two."""
    for place in track.places:
        height_at(floor, tuple(place), z, "a knot of the track", within=np.inf)
    if floor.level is not None:
        return _lifted(track, np.full(len(track), floor.level + above))
    times = _dense_times(track)
    points = track.at(times)[:, :2]
    near = np.nan if z is None else z
    heights = floor.follow(points, np.zeros(1, np.int64), np.array([near])) + above
    kept = _bends(times, heights, at=np.searchsorted(times, track.times))
    if len(kept) > len(track):
        # Of a smooth way the speed at a new knot is that of the way there.
        smooth = track.velocities is not None
        moved = (track.at(times[kept] + MOMENT_S) - track.at(times[kept] - MOMENT_S))[:, :2] / (2.0 * MOMENT_S)
        poses = track.at(times[kept])
        speeds = moved
        if track.velocities is not None:
            given = np.searchsorted(times[kept], track.times)
            speeds[given] = track.velocities
        track = Track(
            times=times[kept],
            places=poses[:, :2],
            headings=None if track.headings is None else poses[:, 2],
            velocities=speeds if smooth else None,
        )
    return _lifted(track, heights[kept], slopes=np.gradient(heights, times)[kept])


def _lifted(track: Track, heights: Array, *, slopes: Array | None = None) -> Track:
    """Return a track in the plane at heights [K] m, which change by `slopes` [K] m/s."""
    speeds = track.velocities
    if speeds is not None:
        speeds = np.column_stack([speeds, np.zeros(len(track)) if slopes is None else slopes])
    return replace(track, places=np.column_stack([track.places, heights]), velocities=speeds)


def _dense_times(track: Track) -> Array:
    """Return the times of the knots and those between them, at most `LOOK_STEP_M` m (straight on) apart."""
    away = np.linalg.norm(np.diff(track.places, axis=0), axis=1)
    counts = np.clip(np.ceil(away / LOOK_STEP_M), 1, MAX_LOOK_COUNT).astype(np.int64)
    knot = np.repeat(np.arange(len(counts)), counts)
    share = (np.arange(len(knot)) - np.repeat(np.cumsum(counts) - counts, counts)) / counts[knot]
    return np.append(track.times[knot] + share * np.diff(track.times)[knot], track.times[-1])


def _bends(times: Array, heights: Array, *, at: IntArray) -> IntArray:
    """Return the rows at which knots are needed, those `at` which there are some included: straight from one to the
    next heights are right within `MAX_SAG_M` (Douglas and Peucker 1973, in all stretches at once).
    """
    kept = at
    while True:
        off = np.abs(heights - np.interp(times, times[kept], heights[kept]))
        stretch = np.searchsorted(kept, np.arange(len(times)), side="right") - 1
        worst = np.lexsort((-off, stretch))
        worst = worst[np.diff(stretch[worst], prepend=-1) > 0]
        worst = worst[off[worst] > MAX_SAG_M]
        if not len(worst):
            return np.asarray(kept)
        kept = np.union1d(kept, worst)


def read_opening(knots: Sequence[Fields]) -> Track:
    """Return the track of a door from knots {at, open}: angles about its hinge."""
    angles, times = np.array([knot["open"] for knot in knots]), np.array([knot["at"] for knot in knots])
    for turn, since, until in zip(np.diff(angles), times, times[1:], strict=False):
        if abs(turn) >= np.pi:
            raise InvalidValue(
                f"a door turns by less than half a turn from knot to knot, got {np.rad2deg(turn):g} degrees from "
                f"{since:g} to {until:g} s; add a knot between them"
            )
    return Track(times=times, places=np.zeros((len(knots), 2)), headings=angles)


def _all_or_none(knots: Sequence[Fields], key: str) -> Array | None:
    given = [knot[key] for knot in knots if key in knot]
    if not given:
        return None
    if len(given) < len(knots):
        raise InvalidValue(
            f"{len(given)} of {len(knots)} knots of a track have the key {key!r}; give it at all or none"
        )
    if len({np.size(value) for value in given}) > 1:
        raise InvalidValue(f"some knots of a track have a {key} with z and some without; give it at all or none")
    return np.array(given, dtype=np.float64)
