"""Playing edges as kernels read it: who plays what from when on, and the clips of all edges. Metres, seconds."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from walkon._base.arrays import Array, IntArray

__all__ = ["EdgeMotion", "Plays"]


def _locked(array: NDArray[Any], dtype: DTypeLike = np.float64) -> NDArray[Any]:
    seen = np.ascontiguousarray(array, dtype).view()
    seen.flags.writeable = False
    return seen


class Plays(NamedTuple):
    """What N characters play: R rows, sorted by character and start."""

    first: IntArray
    """[N + 1] the rows of character n are first[n] to first[n + 1] − 1."""
    start: Array
    """[R] s."""
    edge: IntArray
    """[R]."""
    pose: Array
    """[R, 3] the start hub in the world."""

    def locked(self) -> "Plays":
        """Return it as compiled code takes it: read-only arrays of known types."""
        return Plays(
            _locked(self.first, np.int64), _locked(self.start), _locked(self.edge, np.int64), _locked(self.pose)
        )


class EdgeMotion(NamedTuple):
    """The clips of E edges, end to end."""

    starts: IntArray
    stops: IntArray
    roots: Array
    rotations: Array
    fps: float
