"""Height curves: how high the floor is that a character's clips are played on, cubic Hermite. Metres, seconds."""

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.take.tables import Heights, in_order, last_rows

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
    count = int(max(characters.max(initial=0), curve.character[-1])) + 1
    bounds = np.searchsorted(curve.character, np.arange(count + 1))
    first, stop = bounds[characters], bounds[np.asarray(characters) + 1]
    has = np.flatnonzero(stop > first)
    before = np.maximum(last_rows(bounds, curve.time, characters[has], times[has]), first[has])
    after = np.minimum(before + 1, stop[has] - 1)
    h = curve.time[after] - curve.time[before]
    u = np.clip((times[has] - curve.time[before]) / np.where(h > 0, h, 1.0), 0.0, 1.0) * (h > 0)
    v = 1.0 - u
    ends = (1 + 2 * u) * v * v * curve.height[before] + u * u * (3 - 2 * u) * curve.height[after]
    found[has] = ends + h * u * v * (v * curve.slope[before] - u * curve.slope[after])
    return found
