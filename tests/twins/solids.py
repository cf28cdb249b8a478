"""Gaps of convex solids by golden section: what `geometry._solid_kernels.convex_gap` is held equal to. Metres."""

import numpy as np

from walkon._base.arrays import Array
from walkon.geometry.capsules import Capsules
from walkon.geometry.solid_gaps import Distances

__all__ = ["convex_gaps"]

SECTION_COUNT = 40
"""Steps of the golden section search: 0.618⁴⁰ of a capsule's length is nanometres."""
GOLDEN_SECTION_RATIO = 0.5 * (5**0.5 - 1)


def convex_gaps(distances: Distances, capsules: Capsules) -> Array:
    """Return the gaps [...] m, eq. (1), of a convex solid from capsules [..., 3], in the solid's frame."""
    starts, ends, radii = capsules

    def at(s: Array) -> Array:
        reach: Array = (1 - s) * radii[..., 0] + s * radii[..., 1]
        return distances(starts + s[..., None] * (ends - starts)) - reach

    low, high = np.zeros(starts.shape[:-1]), np.ones(starts.shape[:-1])
    best = np.minimum(at(low), at(high))
    for _ in range(SECTION_COUNT):
        left, right = high - GOLDEN_SECTION_RATIO * (high - low), low + GOLDEN_SECTION_RATIO * (high - low)
        nearer = at(left) < at(right)
        low, high = np.where(nearer, low, left), np.where(nearer, right, high)
    return np.minimum(best, at(0.5 * (low + high)))
