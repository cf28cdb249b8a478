"""Progress along a path, point by point: what `geometry._path_kernels.follow` is held equal to. Metres."""

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon.geometry.path import LOOK_AHEAD_M, Path

__all__ = ["progress_numpy"]


def progress_numpy(path: Path, track: ArrayLike, *, reach: float = LOOK_AHEAD_M) -> tuple[Array, Array]:
    """Do what `Path.progress` does, point by point in NumPy: the twin that proves the kernel right."""
    points = np.asarray(track, dtype=np.float64)
    starts, sides = path.points[:-1], np.diff(path.points, axis=0)
    lengths = np.diff(path.arcs)
    s, off, here = np.empty(len(points)), np.empty(len(points)), 0.0
    for i, point in enumerate(points):
        near = (path.arcs[1:] >= here) & (path.arcs[:-1] <= here + reach)
        share = np.clip(np.sum((point - starts[near]) * sides[near], axis=1) / lengths[near] ** 2, 0.0, 1.0)
        arcs = np.clip(path.arcs[:-1][near] + share * lengths[near], here, here + reach)
        share = (arcs - path.arcs[:-1][near]) / lengths[near]
        gaps = np.linalg.norm(starts[near] + share[:, None] * sides[near] - point, axis=1)
        best = int(np.argmin(gaps))
        here, off[i] = arcs[best], gaps[best]
        s[i] = here
    return s, off
