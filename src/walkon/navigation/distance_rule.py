"""Distances around obstacles as kernels read them: the grids, and how closely they are asked. Metres."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array

__all__ = ["CLEARANCE_SLACK_M", "HOPS", "NEAR_ENDS_M", "SIGHT_SAMPLE_M", "Field"]

NEAR_ENDS_M = 0.6
"""m around start and goal in which their own clearance is enough."""
CLEARANCE_SLACK_M = 0.01
"""m by which a place may be nearer to obstacles than the start or goal beside it."""
SIGHT_SAMPLE_M = 0.08
"""m between places at which the clearance of a line is asked."""
HOPS = np.array(
    [
        *((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)),
        *((2, 1), (2, -1), (-2, 1), (-2, -1), (1, 2), (1, -2), (-1, 2), (-1, -2)),
    ]
)
"""[16, 2] cells."""


class Field(NamedTuple):
    """Distances to one goal."""

    values: NDArray[np.float32]
    """[nx, ny] m, inf where there is no way; [0, 0] where straight lines will do."""
    grid: Array
    """[3] x and y of cell (0, 0), pitch."""
