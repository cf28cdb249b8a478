"""Signed gaps between capsules and any solid that is known by its signed distance f; convex ones are in `solid_pairs`.

For a capsule with axis c(s) and radius r(s), s in [0, 1],

    gap = min over s of  g(s) = f(c(s)) − r(s)                                                     (1)

f changes by no more than the way, so |g(s) − g(t)| ≤ L |s − t| with L = |c(1) − c(0)| + |r₁ − r₀|, and between two
samples a and b the minimum is at least ½ (g(a) + g(b)) − ½ L |b − a|. Intervals that might hold less than the least
sample are halved until that is within a tolerance (Piyavskii 1972, Shubert 1972): the gap found is never less than the
true one, and by no more than the tolerance larger.
"""

from collections.abc import Callable

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.geometry.capsules import Capsules

__all__ = ["GAP_TOLERANCE_M", "lipschitz_gaps"]

GAP_TOLERANCE_M = 5e-4
"""m by which the gap from a solid that is not convex may be found too large."""
FIRST_INTERVAL_COUNT = 4
"""Intervals into which a capsule's axis is cut at first."""

Distances = Callable[[Array], Array]
"""Signed distances [...] m of points [..., 3]."""


def lipschitz_gaps(distances: Distances, capsules: Capsules, *, tolerance: float = GAP_TOLERANCE_M) -> Array:
    """Return the gaps [...] m, eq. (1), of any solid from capsules [..., 3], at most `tolerance` m too large."""
    shape = capsules.starts.shape[:-1]
    starts, ends, radii = (part.reshape(-1, part.shape[-1]) for part in capsules)
    steepest = np.linalg.norm(ends - starts, axis=1) + np.abs(radii[:, 1] - radii[:, 0])

    def at(row: IntArray, s: Array) -> Array:
        reach = (1 - s) * radii[row, 0] + s * radii[row, 1]
        return np.asarray(distances(starts[row] + s[:, None] * (ends[row] - starts[row])) - reach)

    knots = np.linspace(0.0, 1.0, FIRST_INTERVAL_COUNT + 1)
    every = np.arange(len(starts))
    first = at(np.repeat(every, len(knots)), np.tile(knots, len(starts))).reshape(len(starts), len(knots))
    best = first.min(axis=1)
    row, low = np.repeat(every, FIRST_INTERVAL_COUNT), np.tile(knots[:-1], len(starts))
    left, right, width = first[:, :-1].ravel(), first[:, 1:].ravel(), 1.0 / FIRST_INTERVAL_COUNT
    while True:
        open_ = np.flatnonzero(0.5 * (left + right - steepest[row] * width) < best[row] - tolerance)
        if not len(open_):
            return best.reshape(shape)
        row, low, left, right, width = row[open_], low[open_], left[open_], right[open_], 0.5 * width
        middle = at(row, low + width)
        np.minimum.at(best, row, middle)
        row, low = np.concatenate([row, row]), np.concatenate([low, low + width])
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
