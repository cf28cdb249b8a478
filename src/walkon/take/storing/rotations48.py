"""Quantized rotations, 48 bits: the "smallest three" parts of a unit quaternion, and which one is missing.

The largest part is at least 1/2 and follows from the others; its sign is made positive, since q and −q are one
rotation. The others lie within ±1/√2 and are rounded to steps of √2/32767. At worst all four parts are 1/2: three are
off by half a step and the fourth by three halves, so the rotation is off by at most √12 steps = 1.5e-4 rad, 0.0086
degrees.

Packed as uint16 [..., 3]: 15 bits of a part each; the top bits of the first two words are the number (0 to 3) of the
part that is left out, its low bit first. Packing of game networks since the 2000s.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from walkon._base.arrays import Array

__all__ = ["pack", "unpack"]

PART_STEP_COUNT = 32767
MAX_PART = float(np.sqrt(0.5))
KEPT_PARTS = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])
"""Parts that are kept when part 0, 1, 2 or 3 is left out."""


def pack(rotations: ArrayLike) -> NDArray[np.uint16]:
    """Return unit quaternions [..., 4] as [..., 3] of 16 bits."""
    q = np.asarray(rotations, dtype=np.float64)
    largest = np.abs(q).argmax(axis=-1)
    sign = np.where(np.take_along_axis(q, largest[..., None], axis=-1) < 0, -1.0, 1.0)
    kept = np.take_along_axis(q, KEPT_PARTS[largest], axis=-1) * sign
    steps = np.rint((kept + MAX_PART) * (PART_STEP_COUNT / (2 * MAX_PART)))
    words = np.clip(steps, 0, PART_STEP_COUNT).astype(np.uint16)
    words[..., 0] |= (largest & 1).astype(np.uint16) << 15
    words[..., 1] |= (largest >> 1).astype(np.uint16) << 15
    return words


def unpack(words: ArrayLike) -> Array:
    """Return quaternions [..., 4] of packed rotations [..., 3]; the twin of the kernel's reading."""
    packed = np.asarray(words, dtype=np.int64)
    largest = (packed[..., 0] >> 15) | ((packed[..., 1] >> 15) << 1)
    kept = (packed & PART_STEP_COUNT) * (2 * MAX_PART / PART_STEP_COUNT) - MAX_PART
    q = np.empty((*packed.shape[:-1], 4))
    np.put_along_axis(q, KEPT_PARTS[largest], kept, axis=-1)
    rest = np.sqrt(np.maximum(1.0 - np.sum(kept**2, axis=-1), 0.0))
    np.put_along_axis(q, largest[..., None], rest[..., None], axis=-1)
    return q
