"""Candidates: the local minima that may become transitions, found once and kept while thresholds and clips change.

What two clips give does not depend on others (`minima`), so adding clips means comparing the new ones with each other
and with the old ones, and nothing else. Minima are kept somewhat beyond the threshold, because it moves a little when
clips are added; only when it moves beyond what is known are old clips compared again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray
from walkon.graphs.minima import Minima, find_minima
from walkon.graphs.point_clouds import FrameSet

__all__ = ["HEADROOM", "Candidates", "Progress", "joined_minima", "minima_rows"]

HEADROOM = 1.5
"""Minima are looked for up to this multiple of the threshold that is needed."""
BATCHES = 24
"""Into how many pieces comparing is cut, to tell how far it is."""

Progress = Callable[[int, int, str], None]


def _none() -> Minima:
    return Minima(frame_a=np.zeros(0, np.int64), frame_b=np.zeros(0, np.int64), distance=np.zeros(0))


@dataclass(frozen=True, eq=False, kw_only=True)
class Candidates:
    """All minima with a distance under `limit` metres between the first `clips` clips of a library."""

    clips: int = 0
    limit: float = 0.0
    minima: Minima = field(default_factory=_none)

    def under(self, threshold: float, *, frames: FrameSet, progress: Progress | None = None) -> "Candidates":
        """Return the candidates of all clips of `frames` under (at least) this threshold, finding what is missing."""
        N = len(frames.names)
        first, second = np.triu_indices(N)
        pairs = np.stack([first, second], axis=1)
        if self.clips and self.limit >= threshold:
            pairs = pairs[second >= self.clips]
            found = _compare(frames, pairs, self.limit, progress) if len(pairs) else []
            return Candidates(clips=N, limit=self.limit, minima=joined_minima([self.minima, *found]))
        limit = HEADROOM * threshold
        return Candidates(clips=N, limit=limit, minima=joined_minima(_compare(frames, pairs, limit, progress)))


def _compare(frames: FrameSet, pairs: IntArray, limit: float, progress: Progress | None) -> list[Minima]:
    """Return the minima under `limit` between pairs of clips [M, 2], both ways, telling how far it is."""
    counts = np.maximum(frames.window_stops - frames.starts, 1).astype(np.float64)
    work = np.cumsum(counts[pairs[:, 0]] * counts[pairs[:, 1]])
    cuts = np.searchsorted(work, np.linspace(0.0, work[-1], BATCHES + 1)[1:-1])
    found = []
    for done, some in enumerate(np.split(pairs, cuts)):
        if progress:
            progress(done, BATCHES, "comparing clips")
        if len(some):
            found.append(find_minima(frames, threshold=limit, pairs=np.concatenate([some, some[:, ::-1]])))
    if progress:
        progress(BATCHES, BATCHES, "comparing clips")
    return found


def minima_rows(minima: Minima, rows: ArrayLike) -> Minima:
    """Return these minima, in this order: indices or flags."""
    chosen = np.asarray(rows)
    return Minima(frame_a=minima.frame_a[chosen], frame_b=minima.frame_b[chosen], distance=minima.distance[chosen])


def joined_minima(parts: Sequence[Minima]) -> Minima:
    """Put minima of different pairs of clips together, in the order in which they are found all at once."""
    every = [_none(), *parts]
    a: IntArray = np.concatenate([part.frame_a for part in every])
    b: IntArray = np.concatenate([part.frame_b for part in every])
    distance: Array = np.concatenate([part.distance for part in every])
    order = np.lexsort((b, a))
    return Minima(frame_a=a[order], frame_b=b[order], distance=distance[order])
