"""Edges of obstacles and bounds as kernels read them: segments in a uniform grid. Metres."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array, IntArray

__all__ = ["Walls"]


class Walls(NamedTuple):
    """Wall segments, listed in every cell that comes within `reach` of them."""

    edges: Array
    """[E, 4] m: x, y of one end, x, y of the other."""
    origin: Array
    """[2] m, the lower corner of cell (0, 0)."""
    cell: float
    columns: int
    rows: int
    starts: IntArray
    """[columns · rows + 1] where the edges near each cell begin in `items`; cell (i, j) is number i · rows + j."""
    items: NDArray[np.int32]
    reach: float
    """m: lines can be asked for clearances up to this."""
