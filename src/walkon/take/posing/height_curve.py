"""Height curves: how high the floor is that a character's clips are played on, cubic Hermite. Metres, seconds."""

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.take.tables import Heights, in_order

__all__ = ["heights_at"]


def heights_at(heights: Heights, characters: IntArray, times: Array) -> Array:
    """Return [n] heights under characters [n] at times [n]; 0 for those that have no curve. The kernel's rule.

    With u from 0 to 1 between two knots that are h seconds apart

        z = (1 + 2u)(1 − u)² z₀ + u²(3 − 2u) z₁ + h u (1 − u)((1 − u) s₀ − u s₁)

    and before the first and after the last knot it stays. Of knots at one time the later row counts from then on.
    """
    found = np.zeros(len(times))
    if not len(heights):
        return found
    curve = in_order(heights, heights.character, heights.time)
    first = np.searchsorted(curve.character, characters)
    stop = np.searchsorted(curve.character, characters, side="right")
    has = np.flatnonzero(stop > first)
    # One sorted key for all curves: knots of a character lie between whole multiples of the longest span.
    low, span = float(curve.time.min()), float(np.ptp(curve.time)) + 2.0
    key = curve.character * span + (curve.time - low)
    since = np.clip(times[has] - low, 0.0, span - 1.0)
    before = np.searchsorted(key, characters[has] * span + since, side="right") - 1
    before = np.clip(before, first[has], stop[has] - 1)
    after = np.minimum(before + 1, stop[has] - 1)
    h = curve.time[after] - curve.time[before]
    u = np.clip((times[has] - curve.time[before]) / np.where(h > 0, h, 1.0), 0.0, 1.0) * (h > 0)
    v = 1.0 - u
    ends = (1 + 2 * u) * v * v * curve.height[before] + u * u * (3 - 2 * u) * curve.height[after]
    found[has] = ends + h * u * v * (v * curve.slope[before] - u * curve.slope[after])
    return found
