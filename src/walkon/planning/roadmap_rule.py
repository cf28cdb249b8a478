"""Roadmaps as kernels read them: walls in cells, nodes and edges, and what a line costs. Metres."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array, BoolArray, IntArray

__all__ = ["ENDS", "SCRAPE", "RoadGraph", "Walls"]

SCRAPE = 1.03
"""How much more a metre costs within `comfort` of a wall."""
ENDS = 0.3
"""m at either end of a line where it may come within `comfort` of walls at no cost."""


class RoadGraph(NamedTuple):
    """The locked arrays that kernels read: nodes, and edges in both directions by the node they leave."""

    nodes: Array
    """[n, 2] m."""
    starts: IntArray
    """[n + 1] where the edges of each node begin."""
    ends: NDArray[np.int32]
    """[edges] node at the other end."""
    costs: Array
    """[edges] m."""
    corners: BoolArray
    """[n] whether a node is a corner; others are samples."""


class Walls(NamedTuple):
    """The arrays that kernels read."""

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
