"""Distances between lines and walls, all with all: what `stage._wall_kernels.fill_clear` is held equal to. Metres."""

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array

__all__ = ["segment_distances"]


def segment_distances(starts: ArrayLike, ends: ArrayLike, *, edges: Array) -> Array:
    """Return [N, E] m between lines and edges [E, 4]: the slow twin of what the kernel compares with a radius."""
    a, b = np.asarray(starts, np.float64)[:, None], np.asarray(ends, np.float64)[:, None]
    c, d = edges[None, :, :2], edges[None, :, 2:]
    nearest = np.min([_to_line(a, c, d), _to_line(b, c, d), _to_line(c, a, b), _to_line(d, a, b)], axis=0)
    crossing = (_side(a, b, c) * _side(a, b, d) < 0) & (_side(c, d, a) * _side(c, d, b) < 0)
    return np.where(crossing, 0.0, nearest)


def _to_line(p: Array, a: Array, b: Array) -> Array:
    along = b - a
    squared = (along**2).sum(-1)
    share = np.clip(((p - a) * along).sum(-1) / np.where(squared > 0, squared, 1.0), 0.0, 1.0)
    return np.asarray(np.linalg.norm(a + share[..., None] * along - p, axis=-1))


def _side(a: Array, b: Array, p: Array) -> Array:
    return np.asarray(
        (b[..., 0] - a[..., 0]) * (p[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (p[..., 0] - a[..., 0])
    )
