"""Local minima from whole matrices: what the tiles and kernels of `graphs.minima` are held equal to. Metres."""

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray
from walkon.graphs.frame_distance import distance_matrix
from walkon.graphs.minima import Minima, _both_ways, _limits
from walkon.graphs.point_clouds import FrameSet

__all__ = ["find_minima_numpy", "minima_numpy"]


def minima_numpy(values: Array) -> BoolArray:
    """Say which entries of an image [A, B] are local minima: the twin of the kernel's rule, by comparing shifts."""
    A, B = values.shape
    padded = np.pad(values, 1, constant_values=np.inf)
    kept = np.isfinite(values)
    for row, column in np.ndindex(3, 3):
        other = padded[row : row + A, column : column + B]
        if (row, column) < (1, 1):
            kept &= values < other
        elif (row, column) > (1, 1):
            kept &= values <= other
    return kept


def find_minima_numpy(frames: FrameSet, *, threshold: ArrayLike) -> Minima:
    """Do what `find_minima` does for all clips, from whole matrices: the twin that proves tiles and kernel right."""
    windows, distances = [np.empty((0, 2), np.int64)], [np.empty(0)]
    for low, high in zip(*np.triu_indices(len(frames.names)), strict=True):
        matrix = distance_matrix(frames, (int(low), int(high)))
        found = np.argwhere(minima_numpy(matrix))
        begins = found + frames.starts[np.array([low, high])] - np.array(frames.leads)
        kept = (low != high) | (begins[:, 1] - begins[:, 0] >= frames.length)
        windows.append(begins[kept])
        distances.append(matrix[tuple(found[kept].T)])
    limits = _limits(frames, threshold, None)
    return _both_ways(frames, np.concatenate(windows), np.concatenate(distances), limits)
