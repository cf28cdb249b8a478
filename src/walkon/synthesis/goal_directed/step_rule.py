"""Edges of a plan graph as kernels read them (see `plan_graph`). Metres, seconds, radians."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Steps"]


class Steps(NamedTuple):
    """E edges between H hubs as kernels read them; S samples in all."""

    start: NDArray[np.int32]
    stop: NDArray[np.int32]
    move: NDArray[np.float64]
    """[E, 3] displacement."""
    seconds: NDArray[np.float64]
    path: NDArray[np.float64]
    """[E] m travelled."""
    moving: NDArray[np.uint8]
    """[E] 1 where it may be displaced."""
    branch_first: NDArray[np.int32]
    """[2, H + 1] rows of `branch_edges` of each hub: edges that leave it, and edges that enter it."""
    branch_edges: NDArray[np.int32]
    """[2, L] edges that seeds choose from, forward and backward: a few of each pair of hubs that are unlike each other.
    −1 fills the shorter row."""
    pair_first: NDArray[np.int32]
    """[H² + 1] edges from hub a to hub b are pair_first[a H + b] to pair_first[a H + b + 1] − 1."""
    sample_first: NDArray[np.int32]
    """[E + 1]."""
    places: NDArray[np.float32]
    """[S, 3] planar pose every BIN seconds of the edge, in its start hub's frame; the last one is its end."""
    discs: NDArray[np.float32]
    """[S, 3, 3] (x, y, r) in the body's frame; radius below 0 for none (`motion.footprint.limb_discs`)."""
    excused: NDArray[np.uint8]
    """[E] 1 where somebody sits down, sits, rises, or lifts: seat and table are not in the way then."""
    trunk: NDArray[np.float64]
    """[1] m: the radius about the root that is kept from obstacles."""
    tick: NDArray[np.float64]
    """[1] s between two samples: BIN, × √s for a body of size s."""
