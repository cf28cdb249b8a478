"""The border to glTF: y up, quaternions x, y, z, w, single precision.

(x, y, z) of a stage is (x, z, −y) in the file, a quarter turn about x, for world and joint frames alike: nothing is
rounded, and Blender, which turns glTF back to z up, shows everything at the very coordinates of the take.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Floats", "extents", "plain", "quaternions", "vectors"]

Floats = NDArray[np.float32]


def vectors(values: ArrayLike) -> Floats:
    """Turn vectors [..., 3] from z up to y up."""
    turned = np.asarray(values)[..., [0, 2, 1]].astype(np.float32)
    turned[..., 2] = 0.0 - turned[..., 2]  # no −0
    return turned


def quaternions(values: ArrayLike) -> Floats:
    """Turn w-first quaternions [..., 4] from z up to y up, w last."""
    turned = np.asarray(values)[..., [1, 3, 2, 0]].astype(np.float32)
    turned[..., 2] = 0.0 - turned[..., 2]
    return turned


def extents(values: ArrayLike) -> Floats:
    """Turn sizes [..., 3] along the axes from z up to y up."""
    return np.asarray(values)[..., [0, 2, 1]].astype(np.float32)


def plain(values: NDArray[Any], digits: int = 7) -> list[float]:
    """Return numbers for the JSON part, without the noise of their last digits."""
    return [float(f"{value:.{digits}g}") + 0.0 for value in values.tolist()]
