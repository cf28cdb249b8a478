"""Local minima of the frame distance: the pairs of frames at which a transition is better than at any next to it.

For two clips the distances form an image (Kovar 2002 figure 3); a pair of frames is a minimum where its distance is not
above that of its 8 neighbours. Details that decide:

* Of equal neighbours the first is taken, by frame of the clip with the lower number, then by frame of the other.
* Clips never mix: there are no neighbours beyond a clip's first and last window, and a pair at the border is judged by
  the neighbours it has. The last moment at which a clip can be left is kept in this way, which spares dead ends.
* In one clip, two windows that overlap are the same motion, not a transition: a pair whose windows begin less than a
  window apart is no minimum, though it is a neighbour, so that the slopes of the diagonal valley give none either.
* The distance is symmetric, so minima come in twos: from A to B and back, each under its own threshold.

Only one tile of distances per thread, and the minima, are ever held. Which other clips are compared, the number of
threads and the sizes of tiles change nothing, to the last bit. So `Candidates`, the minima that may become transitions,
are found once and kept while thresholds and clips change: adding clips means comparing the new ones with each other and
with the old ones, and nothing else. They are kept somewhat beyond the threshold, because it moves a little when clips
are added; only when it moves beyond what is known are old clips compared again.

Reference: Kovar, Gleicher, Pighin 2002, "Motion Graphs", sections 3.1 and 3.2.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidShape, InvalidValue
from walkon._base.table import Column, Table, column
from walkon._base.threads import in_chunks
from walkon.graphs.frame_distance import most_minima, tiles_of
from walkon.graphs.point_clouds import FrameSet

__all__ = ["SEARCH_HEADROOM_RATIO", "Candidates", "Minima", "Progress", "find_minima", "sort_minima"]

BATCH_PAIRS = 2**18
"""Pairs of frames per task of the thread pool."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Minima(Table):
    """M candidate transitions, sorted by frame_a, then frame_b."""

    frame_a: Column = column("int64")
    """[M] compared frame at which the first clip is left (see `FrameSet.times` and `FrameSet.clips_of`)."""
    frame_b: Column = column("int64")
    """[M] compared frame at which the second clip is entered."""
    distance: Column = column("float64")
    """[M] metres."""

    @property
    def pairs(self) -> IntArray:
        """[M, 2] (frame_a, frame_b), as `align` takes them."""
        return np.stack([self.frame_a, self.frame_b], axis=1)


def find_minima(frames: FrameSet, *, threshold: ArrayLike, pairs: ArrayLike | None = None) -> Minima:
    """Return the minima with a distance under `threshold` metres: one number, or [N, N] from each clip to each.

    `pairs` [M, 2] limits the work to transitions from clip to clip (numbers); what it gives for them is what the whole
    gives.
    """
    from walkon.graphs import _distance_kernels as kernels

    limits = _limits(frames, threshold, pairs)
    tiles = tiles_of(frames, limits > 0)
    first, second = frames.clips_of(tiles[:, 0]), frames.clips_of(tiles[:, 2])
    # A little higher than asked, so that rounding to float32 loses none; what is too high goes out below.
    squares = (np.maximum(limits[first, second], limits[second, first]) ** 2 * (1 + 1e-6)).astype(np.float32)
    sizes = (tiles[:, 1] - tiles[:, 0]) * (tiles[:, 3] - tiles[:, 2])
    batches = np.flatnonzero(np.diff(np.cumsum(sizes) // BATCH_PAIRS, prepend=-1, append=-1))
    room = max(most_minima(tiles), 4096)
    operands, no_matrix = frames.operands, np.empty((0, 0), np.float32)
    results: list[list[tuple[IntArray, Array]]] = [[] for _ in batches[1:]]

    def scan(batch: int, _: int) -> None:
        here, stop = int(batches[batch]), int(batches[batch + 1])
        found, kept = np.empty((room, 2), np.int64), np.empty(room, np.float32)
        while here < stop:
            done, count = kernels.scan_tiles(
                operands, *frames.boxes, tiles[here:stop], squares[here:stop], found, kept, no_matrix
            )
            here += done
            results[batch].append((found[:count].copy(), np.sqrt(kept[:count].astype(np.float64))))

    in_chunks(scan, len(results), chunk=1)
    every = [part for result in results for part in result]
    windows = np.concatenate([np.empty((0, 2), np.int64), *(part for part, _ in every)])
    distances = np.concatenate([np.empty(0), *(part for _, part in every)])
    return _both_ways(frames, windows, distances, limits)


def _both_ways(frames: FrameSet, windows: IntArray, distances: Array, limits: Array) -> Minima:
    """Turn minima of pairs of windows, lower first, into transitions there and back."""
    clips = frames.clips_of(windows)
    parts = []
    for a, b in ((0, 1), (1, 0)):
        kept = distances < limits[clips[:, a], clips[:, b]]
        parts.append((windows[kept][:, [a, b]] + np.array(frames.leads), distances[kept]))
    ends, lengths = (np.concatenate(both) for both in zip(*parts, strict=True))
    return sort_minima(Minima(frame_a=ends[:, 0], frame_b=ends[:, 1], distance=lengths))


def sort_minima(minima: Minima) -> Minima:
    """Return minima in the order in which they are found all at once."""
    return minima.rows(np.lexsort((minima.frame_b, minima.frame_a)))


def _limits(frames: FrameSet, threshold: ArrayLike, pairs: ArrayLike | None) -> Array:
    """Return [N, N] metres under which there are transitions from each clip to each; 0 where none are wanted."""
    N = len(frames.names)
    limits = np.asarray(threshold, dtype=np.float64)
    if limits.shape not in ((), (N, N)):
        raise InvalidShape(f"threshold must be one number or have shape ({N}, {N}), got {limits.shape}")
    if not (limits >= 0).all():
        raise InvalidValue(f"thresholds must be 0 m or more, got {limits[~(limits >= 0)].flat[0]:g}")
    wanted, numbers = np.full((N, N), pairs is None), np.asarray(() if pairs is None else pairs)
    if numbers.size:
        if numbers.ndim != 2 or numbers.shape[1] != 2 or numbers.dtype.kind not in "iu":
            raise InvalidShape(f"pairs must be whole numbers of shape (any, 2), got {numbers.dtype} {numbers.shape}")
        if numbers.min() < 0 or numbers.max() >= N:
            raise InvalidValue(f"pairs must be clip numbers from 0 to {N - 1}, got {numbers.min()} to {numbers.max()}")
        wanted[numbers[:, 0], numbers[:, 1]] = True
    return np.where(wanted, limits, 0.0)


SEARCH_HEADROOM_RATIO = 1.5
"""Minima are looked for up to this multiple of the threshold that is needed."""
PROGRESS_STEPS_COUNT = 24
"""Into how many pieces comparing is cut, to report progress."""

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, eq=False, kw_only=True)
class Candidates:
    """All minima with a distance under `limit` metres between the first `clips` clips of a library."""

    clips: int = 0
    limit: float = 0.0
    minima: Minima = field(default_factory=Minima)

    def under(self, threshold: float, *, frames: FrameSet, progress: Progress | None = None) -> "Candidates":
        """Return the candidates of all clips of `frames` under (at least) this threshold, finding what is missing."""
        N = len(frames.names)
        pairs = np.stack(np.triu_indices(N), axis=1)
        limit, known = SEARCH_HEADROOM_RATIO * threshold, Minima()
        if self.clips and self.limit >= threshold:
            pairs, limit, known = pairs[pairs[:, 1] >= self.clips], self.limit, self.minima
        found = _compare(frames, pairs, limit, progress) if len(pairs) else []
        return Candidates(clips=N, limit=limit, minima=sort_minima(Minima.joined([known, *found])))


def _compare(frames: FrameSet, pairs: IntArray, limit: float, progress: Progress | None) -> Iterator[Minima]:
    """Return the minima under `limit` between pairs of clips [M, 2], both ways, telling how far it is."""
    counts = np.maximum(frames.window_stops - frames.starts, 1).astype(np.float64)
    work = np.cumsum(counts[pairs[:, 0]] * counts[pairs[:, 1]])
    cuts = np.searchsorted(work, np.linspace(0.0, work[-1], PROGRESS_STEPS_COUNT + 1)[1:-1])
    show = progress or (lambda done, total, what: None)
    for done, some in enumerate(np.split(pairs, cuts)):
        show(done, PROGRESS_STEPS_COUNT, "comparing clips")
        if len(some):
            yield find_minima(frames, threshold=limit, pairs=np.concatenate([some, some[:, ::-1]]))
    show(PROGRESS_STEPS_COUNT, PROGRESS_STEPS_COUNT, "comparing clips")
