"""A trip of the coarse plan: where somebody is expected when, and what is kept free for it. Metres, seconds."""

from dataclasses import dataclass

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.planning.occupancy import BIN_S

__all__ = ["CoarseTrip"]

SETS_OUT_M = 0.3
"""m from the start that tell which way somebody sets out."""


@dataclass(frozen=True, eq=False)
class CoarseTrip:
    """One person's trip: straight, even pieces between knots, and rests."""

    knots: Array
    """[K, 4] = (x, y, s, stops met before)."""
    arrivals: tuple[float, ...]
    """s at which each stop is met; fewer than stops where the rest cannot be."""
    rests: tuple[tuple[float, float, Array], ...] = ()
    """(s, s, discs [n, 3]) from when to when it takes up what while it rests."""
    radius: float = 0.0
    """m that is kept for it on its way."""

    @property
    def heading(self) -> float:
        """Rad: which way it sets out."""
        away = self.knots[:, :2] - self.knots[0, :2]
        far = np.flatnonzero(np.hypot(*away.T) > SETS_OUT_M)
        return float(np.arctan2(*away[far[0], ::-1])) if len(far) else 0.0

    def leg(self, number: int) -> Array | None:
        """Return knots [n, 3] = (x, y, s) of the way to a stop; None where there is none."""
        rows = self.knots[self.knots[:, 3] == number, :3]
        return rows if len(rows) > 1 and number < len(self.arrivals) else None

    def discs(self, *, until: float) -> tuple[IntArray, Array]:
        """Return bins [n] and discs [n, 3] that are kept for it, until some second."""
        bins, discs = [np.zeros(0, np.int64)], [np.zeros((0, 3))]
        for number in range(len(self.arrivals)):
            way = self.leg(number)
            if way is not None:
                mine = np.arange(int(np.ceil(way[0, 2] / BIN_S)), int(np.floor(way[-1, 2] / BIN_S)) + 1)
                x, y = (np.interp(mine * BIN_S, way[:, 2], way[:, k]) for k in (0, 1))
                bins.append(mine)
                discs.append(np.column_stack([x, y, np.full(len(mine), self.radius)]))
        for first, stop, there in self.rests:
            mine = np.arange(int(np.ceil(first / BIN_S)), int(np.floor(min(stop, until) / BIN_S)) + 1)
            bins.append(np.repeat(mine, len(there)))
            discs.append(np.tile(there, (len(mine), 1)))
        return np.concatenate(bins), np.concatenate(discs)
