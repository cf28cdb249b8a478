"""Space-time occupancy as kernels read it: the grid's measures, and the arrays of its entries. Metres, seconds."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["BIN_S", "BODY_MARGIN_M", "CELL_M", "EMPTY", "NOBODY", "Entries"]

BIN_S = 0.1
"""s: every disc of everyone is known at whole multiples of this."""
CELL_M = 1.2
"""m: about the reach of two discs, so that a question meets four cells. Wider reaches meet more of them."""
BODY_MARGIN_M = 0.03
"""m between two discs at the same bin, at least."""
EMPTY, NOBODY = -1, -1
"""A cell without a key; an entry that was taken out."""


class Entries(NamedTuple):
    """The arrays that kernels read."""

    keys: NDArray[np.int64]
    """[2^k] packed (bin, cell x, cell y) of each cell in use, EMPTY elsewhere."""
    heads: NDArray[np.int32]
    """[2^k] first entry of the cell."""
    following: NDArray[np.int32]
    """[entries] next entry in the same cell, −1 at the end."""
    who: NDArray[np.int32]
    """[entries] character, NOBODY where voided."""
    bins: NDArray[np.int32]
    x: NDArray[np.float32]
    y: NDArray[np.float32]
    r: NDArray[np.float32]
    widest: NDArray[np.float32]
    """[1] m: the largest radius of all that were ever added, which is how far around a disc others are looked for."""
    last: NDArray[np.int32]
    """[1] the last bin with an entry: later, nobody is anywhere. −1 where there was none."""
