"""Quantizing tracks: places over time as rows of `Tracks` and `TrackKnots`, 13 bytes a knot.

A track that is written as it is keeps its knots; each place is off by at most half a grain, which is the track's reach
over 65534, each velocity by half a `speed_grain`, each heading by π / 65536 rad, and times by half a tick where knots
are not at multiples of one step. Trajectories of simulations are fitted instead: of many samples only those knots are
kept between which a cubic Hermite stays within a tolerance of every sample in place, height, heading and velocity,
quantized values included. From each knot the farthest such next one is searched by doubling and halving.
World frame, metres, seconds, radians.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon._base.threads import in_chunks
from walkon.geometry.tracks import Track
from walkon.take.storing.rotations48 import pack
from walkon.take.tables import TrackKnots, Tracks, TrackTurns

__all__ = ["TrackTolerance", "fit_tracks", "quantize_track", "split_track"]

MAX_STEP, MAX_PLACE, MAX_VELOCITY = 65535, 32767, 127
"""The largest numbers of `TrackKnots`."""
MIN_GRAIN_M = 1e-6
FITTED_AT_ONCE_COUNT = 512
"""Tracks that are fitted by one task: some ten megabytes."""


class TrackTolerance(NamedTuple):
    """By how much a fitted track may be off at any sample."""

    place_m: float = 0.018
    height_m: float = 0.018
    heading_rad: float = float(np.deg2rad(4.5))
    speed_m_s: float = 0.09


class QuantizedTracks(NamedTuple):
    """Rows to be written; spans count from the first of the rows given here."""

    tracks: Tracks
    knots: TrackKnots
    turns: TrackTurns


def split_track(track: Track, *, error_m: float) -> list[Track]:
    """Return the track in as few stretches, one after another, as let places be quantized to this error."""
    reach = 0.5 * np.ptp(track.places, axis=0).max()
    if len(track) <= 2 or reach <= 2 * MAX_PLACE * error_m:
        return [track]
    middle = len(track) // 2
    parts = slice(None, middle + 1), slice(middle, None)
    return [part for which in parts for part in split_track(_knots_of(track, which), error_m=error_m)]


def _knots_of(track: Track, which: slice) -> Track:
    values = (track.headings, track.rotations, track.velocities)
    headings, rotations, velocities = (None if v is None else v[which] for v in values)
    return Track(
        times=track.times[which],
        places=track.places[which],
        headings=headings,
        rotations=rotations,
        velocities=velocities,
    )


def quantize_track(track: Track) -> QuantizedTracks:
    """Return the rows of one track, knot by knot; its clock begins at its first knot."""
    places = track.places if track.places.shape[1] == 3 else np.column_stack([track.places, np.zeros(len(track))])
    since = track.times - track.times[0]
    origin, grain = _grain(places)
    velocities = np.zeros_like(places)
    if track.velocities is not None:
        velocities[:, : track.velocities.shape[1]] = track.velocities
    speed_grain = max(float(np.abs(velocities).max()) / MAX_VELOCITY, 1e-6) if track.velocities is not None else 0.0
    tick = _tick(since)
    K, turned = len(track), track.rotations is not None
    headings = np.zeros(K) if track.headings is None else track.headings
    knots = TrackKnots(
        step=np.rint(since / tick).astype(np.uint16),
        place=np.rint((places - origin) / grain).astype(np.int16),
        heading=_heading_steps(headings),
        velocity=np.rint(velocities / (speed_grain or 1.0)).astype(np.int8),
    )
    tracks = Tracks.filled(
        1, knots=[0, K], turns=[0, K if turned else 0], tick=tick, origin=origin, grain=grain, speed_grain=speed_grain
    )
    return QuantizedTracks(
        tracks, knots, TrackTurns() if track.rotations is None else TrackTurns(rotation=pack(track.rotations))
    )


def _grain(places: Array) -> tuple[Array, float]:
    low, high = places.min(axis=0), places.max(axis=0)
    # As it is stored: in float32, and never too small for the farthest place.
    grain = np.nextafter(np.float32(max(0.5 * (high - low).max() / MAX_PLACE, MIN_GRAIN_M)), np.float32(np.inf))
    return 0.5 * (low + high), float(grain)


def _tick(since: Array) -> float:
    """Return the step of time: that of all knots where they are evenly spread, else the finest that reaches."""
    if len(since) == 1:
        return 1.0
    least = float(np.diff(since).min())
    steps = since / least
    even = steps[-1] <= MAX_STEP and np.abs(steps - np.rint(steps)).max() < 1e-6
    if not even and least < since[-1] / MAX_STEP:
        raise InvalidValue(
            f"knots of a track {least:g} s apart are too close for one that lasts {since[-1]:g} s: at most {MAX_STEP} "
            "steps; give it in parts"
        )
    return float(since[-1] / round(steps[-1])) if even else float(since[-1]) / MAX_STEP


def _heading_steps(headings: Array) -> NDArray[np.int16]:
    steps = np.rint(headings * (32768.0 / np.pi)).astype(np.int64)
    return ((steps + 32768) % 65536 - 32768).astype(np.int16)


def fit_tracks(
    places: Array,
    headings: Array,
    velocities: Array | None = None,
    *,
    rate: float,
    tolerance: TrackTolerance | None = None,
) -> QuantizedTracks:
    """Return tracks fitted to T samples of N things, time first, as simulations have them.

    places [T, N, 2 or 3] m, headings [T, N] rad, `rate` samples a second. Velocities [T, N, 2 or 3] m/s are those of
    the differences of places where they are not given.
    """
    T, N = headings.shape
    if T < 2 or T > MAX_STEP or places.shape[:2] != (T, N):
        raise InvalidValue(f"a track is fitted to 2 to {MAX_STEP} samples of each, got places {places.shape}")
    limits = np.array(tolerance or TrackTolerance())
    chunks = -(-N // FITTED_AT_ONCE_COUNT)
    made: list[tuple[IntArray, Tracks, TrackKnots]] = [(np.zeros(0, np.int64), Tracks(), TrackKnots())] * chunks

    def work(start: int, stop: int) -> None:
        for chunk in range(start, stop):
            some = slice(chunk * FITTED_AT_ONCE_COUNT, min((chunk + 1) * FITTED_AT_ONCE_COUNT, N))
            speeds = None if velocities is None else velocities[:, some]
            made[chunk] = _fit(places[:, some], headings[:, some], speeds, rate, limits)

    in_chunks(work, chunks, chunk=1)
    counts = np.concatenate([count for count, _, _ in made])
    stop = np.cumsum(counts)
    tracks = Tracks.joined([tracks for _, tracks, _ in made])
    tracks = tracks.with_columns(knots=np.column_stack([stop - counts, stop]))
    return QuantizedTracks(tracks, TrackKnots.joined([knots for _, _, knots in made]), TrackTurns())


def _fit(
    places: Array, headings: Array, velocities: Array | None, rate: float, limits: Array
) -> tuple[IntArray, Tracks, TrackKnots]:
    """Fit one chunk; returns how many knots each track has, and the rows."""
    from walkon.take.storing import _track_fit_kernels as kernels

    T, n = headings.shape
    place, speed = np.zeros((n, T, 3)), np.zeros((n, T, 3))
    place[..., : places.shape[2]] = places.transpose(1, 0, 2)
    if velocities is None:
        speed[:, 1:-1] = 0.5 * rate * (place[:, 2:] - place[:, :-2])
        speed[:, [0, -1]] = rate * (place[:, [1, -1]] - place[:, [0, -2]])
    else:
        speed[..., : velocities.shape[2]] = velocities.transpose(1, 0, 2)
    heading = np.ascontiguousarray(headings.T, np.float64)
    low, high = place.min(axis=1), place.max(axis=1)
    grain = np.maximum(0.5 * (high - low).max(axis=1) / MAX_PLACE, MIN_GRAIN_M).astype(np.float32)
    grain = np.nextafter(grain, np.float32(np.inf))
    speed_grain = np.maximum(np.abs(speed).max(axis=(1, 2)) / MAX_VELOCITY, 1e-6).astype(np.float32)
    speed_grain = np.nextafter(speed_grain, np.float32(np.inf))
    origin = 0.5 * (low + high)
    steps, quick = np.empty((n, T, 4), np.int16), np.empty((n, T, 3), np.int8)
    kept, counts = np.empty((n, T), np.uint16), np.zeros(n, np.int64)
    kernels.fit(place, heading, speed, 1.0 / rate, origin, grain, speed_grain, limits, steps, quick, kept, counts)
    there = np.arange(T) < counts[:, None]
    track, knot = np.nonzero(there)[0], kept[there]
    tracks = Tracks.filled(
        n, tick=1.0 / rate, origin=origin, grain=grain, speed_grain=speed_grain, knots=[[0, 0]], turns=[[0, 0]]
    )
    chosen = steps[track, knot]
    return counts, tracks, TrackKnots(step=knot, place=chosen[:, :3], heading=chosen[:, 3], velocity=quick[track, knot])
