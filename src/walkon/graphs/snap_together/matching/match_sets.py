"""Match sets: groups of frames that are alike, each of which becomes one hub of a snap-together graph.

There are three ways to one (section 4.1): frames picked by hand; grown from one frame; or the largest there is. For a
frame F and a threshold,

1. in each clip, the distance D(F, ·) along time has local minima: these are the best places to cross over;
2. those under the threshold are taken in order of their distance, nearest first, unless one that was taken already lies
   less than w_min seconds away in the same clip: the displacement maps at match frames need that much room.

The largest set is that of the frame for which most remain; of equal ones, the one with the lowest mean distance, then
the first. Frames that are *preferred* as a start (passing poses: one foot down, the other swinging past it) win when
their set has at least `PREFERRED_SIZE_SHARE` as many: largest sets by themselves often sit at double support, where the
legs' speeds differ most between steps.

Frames are compared frames of a `FrameSet` with the "centred" layout, distances metres, times seconds.

Reference: Gleicher, Shin, Kovar, Jepsen 2003, "Snap-Together Motion", section 4.1.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon.graphs.frame_distance import align
from walkon.graphs.point_clouds import FrameSet

__all__ = [
    "PREFERRED_SIZE_SHARE",
    "MatchSet",
    "check_limits",
    "distance_rows",
    "distances_from",
    "grow",
    "has_window",
    "largest",
    "local_minima",
    "picked",
    "stack_sets",
]

PREFERRED_SIZE_SHARE = 0.9
"""A preferred frame's set is taken where it has this share of the largest's size."""
BLOCK_ROWS, BLOCK_COLUMNS = 512, 2048
"""Frames that are compared at once: some tens of megabytes."""


class MatchSet(NamedTuple):
    """n frames that are alike."""

    frames: IntArray
    """[n] compared frames, in order."""
    distances: Array
    """[n] metres from the frame that the set was grown from."""
    seed: int
    """The frame that it was grown from."""
    threshold: float
    """Metres."""

    @property
    def mean_distance(self) -> float:
        """Metres."""
        return float(self.distances.mean()) if len(self.distances) else 0.0


def distances_from(frames: FrameSet, frame: int, *, among: BoolArray | None = None) -> Array:
    """Return [F] metres from one frame to every frame (`among` some); infinite for those without a window."""
    _, rows = next(distance_rows(frames, np.array([frame]), among=among))
    return rows[0].astype(np.float64)


def has_window(frames: FrameSet) -> BoolArray:
    """Say which frames [F] have a whole window around them."""
    here = np.arange(len(frames))
    clip, begin = frames.clips_of(here), here - frames.leads[0]
    return np.asarray((begin >= frames.starts[clip]) & (begin < frames.window_stops[clip]))


def local_minima(frames: FrameSet, rows: NDArray[np.float32] | Array) -> BoolArray:
    """Say where distances [..., F] along time have a local minimum within their clip; ends of clips can be one.

    Where they stay the same for a while (a body that stands still, a steady glide) all of it is one.
    """
    before, after = np.full_like(rows, np.inf), np.full_like(rows, np.inf)
    before[..., 1:], after[..., :-1] = rows[..., :-1], rows[..., 1:]
    before[..., frames.starts], after[..., frames.stops - 1] = np.inf, np.inf
    return np.asarray((rows <= before) & (rows <= after))


def _find_alike(
    frames: FrameSet, rows: NDArray[np.float32] | Array, threshold: float, among: BoolArray | None
) -> BoolArray:
    """Say where distances [..., F] have a minimum under the threshold, of the frames `among` [F]."""
    return local_minima(frames, rows) & (rows <= threshold) & (True if among is None else among)


def stack_sets(sets: Sequence[MatchSet]) -> tuple[IntArray, IntArray, Array]:
    """Return sets one after the other: the number of its set, the frame and the distance of each match frame [M]."""
    number = np.repeat(np.arange(len(sets)), [len(found.frames) for found in sets])
    frames = np.concatenate([np.zeros(0, np.int64), *(found.frames for found in sets)])
    return number, frames, np.concatenate([np.zeros(0), *(found.distances for found in sets)])


def grow(
    frames: FrameSet,
    seed: int,
    *,
    threshold: float,
    spacing: float = 1 / 3,
    among: BoolArray | None = None,
    distances: Array | None = None,
) -> MatchSet:
    """Return the match set of one frame; only frames `among` [F] may be in it.

    `spacing` is w_min in seconds; `distances` [F] spares computing them again.
    """
    check_limits(threshold, spacing)
    if not (0 <= seed < len(frames)):
        raise InvalidValue(f"frames are numbered 0 to {len(frames) - 1}, got {seed}")
    if not has_window(frames)[seed]:
        raise _too_near_an_end(frames, seed)
    distances = distances_from(frames, seed, among=among) if distances is None else distances
    chosen = np.flatnonzero(_find_alike(frames, distances, threshold, among))
    chosen = chosen[np.argsort(distances[chosen], kind="stable")]
    kept = np.sort(_keep_spaced(frames, chosen, spacing))
    return MatchSet(kept, distances[kept], int(seed), float(threshold))


def _keep_spaced(frames: FrameSet, ordered: IntArray, spacing: float) -> IntArray:
    """Keep those frames that are not within `spacing` seconds of an earlier one in the list, in the same clip."""
    least = int(np.ceil(spacing * frames.rate - 1e-9))
    clips = frames.clips_of(ordered)
    free = np.ones(len(frames), bool)
    kept = []
    for frame, clip in zip(ordered.tolist(), clips.tolist(), strict=True):
        if free[frame]:
            kept.append(frame)
            low, high = max(frame - least + 1, frames.starts[clip]), min(frame + least, frames.stops[clip])
            free[low:high] = False
    return np.array(kept, dtype=np.int64)


def picked(frames: FrameSet, chosen: ArrayLike, *, spacing: float = 1 / 3) -> MatchSet:
    """Return the match set of frames picked by hand; they must have windows and be `spacing` seconds apart."""
    numbers = np.asarray(chosen)
    if numbers.size and numbers.dtype.kind not in "iu":
        raise InvalidValue(f"frames are whole numbers, got {numbers.dtype}")
    given = np.unique(numbers.astype(np.int64))
    if not len(given):
        raise InvalidValue("a match set needs at least one frame, got none")
    if given[0] < 0 or given[-1] >= len(frames):
        raise InvalidValue(f"frames are numbered 0 to {len(frames) - 1}, got {given[0]} to {given[-1]}")
    missing = given[~has_window(frames)[given]]
    if len(missing):
        raise _too_near_an_end(frames, int(missing[0]))
    same = frames.clips_of(given)[1:] == frames.clips_of(given)[:-1]
    close = np.flatnonzero(same & (np.diff(given) < np.ceil(spacing * frames.rate - 1e-9)))
    if len(close):
        first, second = given[close[0]], given[close[0] + 1]
        raise InvalidValue(
            f"{frames.times[first]:.2f} s and {frames.words(second)} are less than {spacing:.2f} s apart; "
            "leave one of them out"
        )
    sums = np.array([align(frames, np.column_stack([np.full(len(given), f), given])).distances for f in given])
    seed = int(np.argmin(sums.sum(axis=1)))
    return MatchSet(given, sums[seed], int(given[seed]), float(sums[seed].max()))


def largest(
    frames: FrameSet,
    *,
    threshold: float,
    spacing: float = 1 / 3,
    seeds: BoolArray | None = None,
    preferred: BoolArray | None = None,
    among: BoolArray | None = None,
) -> MatchSet | None:
    """Return the largest match set that any of the `seeds` [F] has, or a preferred one that is nearly as large.

    None where no frame has another one like it.
    """
    check_limits(threshold, spacing)
    usable = has_window(frames) & (True if seeds is None else seeds) & (True if among is None else among)
    if not usable.any():
        return None
    best: dict[bool, MatchSet] = {}
    for rows, block in distance_rows(frames, np.flatnonzero(usable), among=among):
        # Counts before spacing: no set is larger than its bound.
        bounds = _find_alike(frames, block, threshold, among).sum(axis=1)
        for row in np.argsort(-bounds, kind="stable").tolist():
            kind = preferred is not None and bool(preferred[rows[row]])
            if kind in best and bounds[row] < len(best[kind].frames):
                continue
            mine = grow(
                frames,
                int(rows[row]),
                threshold=threshold,
                spacing=spacing,
                among=among,
                distances=block[row].astype(np.float64),
            )
            if kind not in best or _rank(mine) > _rank(best[kind]):
                best[kind] = mine
    chosen = max(best.values(), key=_rank)
    if True in best and len(best[True].frames) >= PREFERRED_SIZE_SHARE * len(chosen.frames):
        chosen = best[True]
    return chosen if len(chosen.frames) > 1 else None


def _rank(found: MatchSet) -> tuple[int, float, int]:
    return len(found.frames), -found.mean_distance, -found.seed


def distance_rows(
    frames: FrameSet, seeds: IntArray, *, among: BoolArray | None = None
) -> Iterator[tuple[IntArray, NDArray[np.float32]]]:
    """Yield some seeds [R] at a time and their metres [R, F] to all frames; infinite where one has no window.

    With `among` [F] only these frames and their neighbours in time are measured, and the others are infinite as well.
    A few rows of the distance matrix are cheapest as products of whole windows, D² = n + n' − 2 (Σ w z z' + |Z|) with
    Z = Σ w u conj(u') (see `frame_distance`); in float64, because between frames of a body that stands still the
    difference is so small that in float32 its rounding decided which frames are most alike.
    """
    wanted = has_window(frames)
    if among is not None:
        wanted &= np.convolve(among, np.ones(3), mode="same") > 0
    usable = np.flatnonzero(wanted)
    for first in range(0, len(seeds), BLOCK_ROWS):
        rows = seeds[first : first + BLOCK_ROWS]
        x, y, z, energy = _windows(frames, rows)
        block = np.full((len(rows), len(frames)), np.inf, np.float32)
        for low in range(0, len(usable), BLOCK_COLUMNS):
            part = usable[low : low + BLOCK_COLUMNS]
            x1, y1, z1, energy1 = _windows(frames, part)
            real = x @ x1.T + y @ y1.T
            imaginary = y @ x1.T - x @ y1.T
            alike = z @ z1.T + np.sqrt(real * real + imaginary * imaginary)
            squares = energy[:, None] + energy1 - 2.0 * alike
            block[:, part] = np.sqrt(np.maximum(squares, 0.0))
        yield rows, block


def _windows(frames: FrameSet, which: IntArray) -> tuple[Array, Array, Array, Array]:
    """Return x, y and z of windows about their own centroids, times √w, [n, k P] each, and [n] Σ w |p|²."""
    every = which[:, None] - frames.leads[0] + np.arange(frames.length)
    paths = frames.centroids[every]
    paths = paths - np.einsum("t,nti->ni", frames.taper, paths)[:, None]
    root = np.sqrt(frames.taper[:, None] * frames.weights)
    points = frames.points[every].astype(np.float64)
    x, y = (points[..., axis] + paths[..., None, axis] for axis in (0, 1))
    z = points[..., 2] - frames.rest_heights
    x, y, z = ((values * root).reshape(len(which), -1) for values in (x, y, z))
    return x, y, z, (x * x + y * y + z * z).sum(axis=1)


def _too_near_an_end(frames: FrameSet, frame: int) -> InvalidValue:
    return InvalidValue(
        f"{frames.words(frame)} is too near an end of its clip: "
        f"a match frame needs {frames.leads[0] / frames.rate:.2f} s on either side"
    )


def check_limits(threshold: float | None, spacing: float) -> None:
    """Refuse a threshold (m, or None for a default) or a spacing (s) that cannot be."""
    if threshold is not None and not (np.isfinite(threshold) and threshold > 0):
        raise InvalidValue(f"the threshold must be positive, got {threshold} m")
    if not (np.isfinite(spacing) and spacing >= 0):
        raise InvalidValue(f"the spacing must be 0 or more seconds, got {spacing}")
