"""Pairs of points by comparing everyone with everyone: what `NeighbourGrid` is held equal to. Metres."""

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import IntArray

__all__ = ["pairs_within_numpy"]


def pairs_within_numpy(points: ArrayLike, radius: float) -> IntArray:
    """Do what `pairs_within` does by comparing everyone with everyone: the twin that proves the kernel right."""
    points = np.asarray(points, dtype=np.float64)
    i, j = np.triu_indices(len(points), k=1)
    apart = points[i] - points[j]
    near = apart[:, 0] ** 2 + apart[:, 1] ** 2 <= radius * radius
    return np.stack([i[near], j[near]], axis=1).astype(np.int64)
