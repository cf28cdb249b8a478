"""Point clouds as the kernels of frame distances read them (Kovar 2002, section 3.1)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Operands"]


class Operands(NamedTuple):
    """Clouds in the form that products are made of: weights folded in, float32, zeros up to full groups of four."""

    planar: NDArray[np.float32]
    """[F, 2 P'] x and y by turns, relative to the frame's centroid, times √(μ / (m n))."""
    heights: NDArray[np.float32]
    """[F, P'] height over the rest pose, times √(μ / (m n))."""
    paths: NDArray[np.float32]
    """[F, 2 k'] for the window that begins at each frame: its frames' centroids relative to their mean, times √v."""
    energies: NDArray[np.float32]
    """[F] for the window that begins at each frame: Σ w |p|², x and y relative to the window's mean."""
