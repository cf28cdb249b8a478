"""The border between the y-up world of motion files and Walkon's z-up world: a cyclic permutation, exact both ways.

A y-up file whose body faces +Z has its left side at +X. (X, Y, Z) → (Z, X, Y) makes that forward +x, left +y, up +z.
Applied to offsets, positions and the vector part of quaternions alike it changes no number and needs no rounding.
"""

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array

__all__ = ["y_up_to_z_up", "z_up_to_y_up"]


def y_up_to_z_up(values: ArrayLike) -> Array:
    """Permute vectors [..., 3] or w-first quaternions [..., 4] from y-up (facing +Z) to z-up (facing +x)."""
    return _permute(values, (2, 0, 1))


def z_up_to_y_up(values: ArrayLike) -> Array:
    """Undo `y_up_to_z_up`."""
    return _permute(values, (1, 2, 0))


def _permute(values: ArrayLike, order: tuple[int, int, int]) -> Array:
    values = np.asarray(values, dtype=np.float64)
    if values.shape[-1] == 4:
        return values[..., [0, 1 + order[0], 1 + order[1], 1 + order[2]]]
    return values[..., list(order)]
