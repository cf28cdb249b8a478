"""Roadmaps as kernels read them: nodes and edges, and what a line costs. Metres."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array, BoolArray, IntArray

__all__ = ["FREE_END_M", "NEAR_WALL_COST_RATIO", "RoadGraph"]

NEAR_WALL_COST_RATIO = 1.03
"""How much more a metre costs within `comfort` of a wall."""
FREE_END_M = 0.3
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
