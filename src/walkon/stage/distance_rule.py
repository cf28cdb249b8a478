"""A signed distance field on a grid, as kernels read it. Metres."""

from typing import NamedTuple

from walkon._base.arrays import Array

__all__ = ["DistanceGrid"]


class DistanceGrid(NamedTuple):
    """Signed distances to the nearest wall at the nodes of a grid; positive is free."""

    nodes: Array
    """[nx, ny] m; [0, 0] where nothing is in the way."""
    frame: Array
    """[4] x and y of node (0, 0), spacing, distance off the grid."""
