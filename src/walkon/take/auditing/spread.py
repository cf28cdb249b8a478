"""The spread of many numbers in little memory: mean, percentiles and largest of values that are 0 or more.

Values are counted in bins whose edges grow by a thousandth, so a percentile is known to 0.05 % whatever the number of
values, and the counts do not depend on the order or the batches in which values come.
"""

import numpy as np

from walkon._base.arrays import Array, BoolArray

__all__ = ["Spread"]

SMALLEST, LARGEST = 1e-9, 1e12
"""Values below count as 0, values above as this."""
GROWTH = 1.001


class Spread:
    """Counts of values; `add` more, then ask."""

    def __init__(self) -> None:
        bins = int(np.ceil(np.log(LARGEST / SMALLEST) / np.log(GROWTH)))
        self._counts = np.zeros(bins + 2, np.int64)
        self._sum = 0.0
        self._largest = 0.0

    def add(self, values: Array, where: BoolArray | None = None) -> None:
        """Count these values, or those of them that are flagged."""
        chosen = np.asarray(values, np.float64) if where is None else values[where]
        if chosen.size == 0:
            return
        flat = chosen.ravel()
        small = flat < SMALLEST
        place = np.log(np.where(small, SMALLEST, flat) / SMALLEST) / np.log(GROWTH)
        place = np.where(small, 0, np.minimum(place, len(self._counts) - 2).astype(np.int64) + 1)
        self._counts += np.bincount(place, minlength=len(self._counts))
        self._sum += float(flat.sum())
        self._largest = max(self._largest, float(flat.max()))

    @property
    def count(self) -> int:
        """How many values there are."""
        return int(self._counts.sum())

    @property
    def mean(self) -> float:
        """Their mean; 0 of none."""
        return self._sum / max(self.count, 1)

    @property
    def largest(self) -> float:
        """The largest; 0 of none."""
        return self._largest

    def percentile(self, share: float) -> float:
        """Return the value below which `share` percent of the values are."""
        if not self.count:
            return 0.0
        below = np.cumsum(self._counts)
        place = int(np.searchsorted(below, share / 100 * self.count))
        if place == 0:
            return 0.0
        return float(min(SMALLEST * GROWTH ** (place - 0.5), self._largest))
