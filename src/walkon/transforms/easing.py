"""Easing: curves from 0 to 1 that begin and end without a jerk."""

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array

__all__ = ["smoothstep"]


def smoothstep(u: ArrayLike) -> Array:
    """Return 3u² − 2u³ for u clipped to [0, 1]: no speed at either end."""
    u = np.clip(np.asarray(u, dtype=np.float64), 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))
