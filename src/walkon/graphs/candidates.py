"""Candidates: the local minima that may become transitions, found once and kept while thresholds and clips change.

What two clips give does not depend on others (`minima`), so adding clips means comparing the new ones with each other
and with the old ones, and nothing else. Minima are kept somewhat beyond the threshold, because it moves a little when
clips are added; only when it moves beyond what is known are old clips compared again.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from walkon._base.arrays import IntArray
from walkon.graphs.minima import Minima, find_minima, sort_minima
from walkon.graphs.point_clouds import FrameSet

__all__ = ["HEADROOM", "Candidates", "Progress"]

HEADROOM = 1.5
"""Minima are looked for up to this multiple of the threshold that is needed."""
BATCHES = 24
"""Into how many pieces comparing is cut, to tell how far it is."""

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
        limit, known = HEADROOM * threshold, Minima()
        if self.clips and self.limit >= threshold:
            pairs, limit, known = pairs[pairs[:, 1] >= self.clips], self.limit, self.minima
        found = _compare(frames, pairs, limit, progress) if len(pairs) else []
        return Candidates(clips=N, limit=limit, minima=sort_minima(Minima.joined([known, *found])))


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
