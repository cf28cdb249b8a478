"""Angles in radians, counter-clockwise, wrapped to (−π, π]."""

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array

__all__ = ["difference", "wrap"]


def wrap(angle: ArrayLike) -> Array:
    """Wrap angles to (−π, π]."""
    angle = np.asarray(angle, dtype=np.float64)
    wrapped = angle - 2 * np.pi * np.ceil((angle - np.pi) / (2 * np.pi))
    # Rounding may leave a result just outside, on either side of the seam: both are half a turn.
    return np.asarray(np.where(np.abs(wrapped) >= np.pi, np.pi, wrapped))


def difference(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the signed turn from `b` to `a`, in (−π, π]."""
    return wrap(np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64))
