"""From the axes of a BVH file to Walkon's: z up, the body facing +x. An exact signed permutation of three numbers.

A rotation M of the whole world that takes axes to axes changes vectors to M v and rotations to M R M⁻¹, whose
quaternion has the same w and the vector part M u. Both only move and negate numbers, so nothing is rounded. The base
case, a y-up body facing +Z, is `walkon.transforms.axes.y_up_to_z_up`.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from walkon._base.arrays import Array, IntArray, lock
from walkon.transforms import axes

__all__ = ["FILE_AXES", "AxisMap", "Up", "axis_map"]

Up = Literal["y", "z"]


@dataclass(frozen=True, eq=False, kw_only=True)
class AxisMap:
    """Part i of the new axes is part source[i] of the old ones times signs[i]."""

    source: IntArray
    """[3] a permutation of 0, 1, 2."""
    signs: Array
    """[3] +1 or −1, so that left-handed never becomes right-handed."""

    def __post_init__(self) -> None:
        lock(self, "source", (3,), np.int64)
        lock(self, "signs", (3,))

    def vectors(self, values: Array) -> Array:
        """Map vectors [..., 3]."""
        return values[..., self.source] * self.signs

    def quaternions(self, values: Array) -> Array:
        """Map w-first quaternions [..., 4]."""
        return np.concatenate([values[..., :1], self.vectors(values[..., 1:])], axis=-1)

    def turned(self, quarters: int) -> "AxisMap":
        """Return this map followed by `quarters` quarter turns about +z, counter-clockwise."""
        source, signs = self.source.copy(), self.signs.copy()
        for _ in range(quarters % 4):  # (x, y) → (−y, x)
            source[:2], signs[:2] = source[1::-1].copy(), signs[1::-1] * np.array([-1.0, 1.0])
        return AxisMap(source=source, signs=signs)


FILE_AXES = AxisMap(source=np.arange(3), signs=np.ones(3))
"""Change nothing: z is up already, or the file's own axes are wanted."""


def axis_map(up: Up) -> AxisMap:
    """Return the map for a file in which `up` is up: y-up bodies face +Z as a rule, z-up bodies +x."""
    if up == "z":
        return FILE_AXES
    return AxisMap(source=axes.y_up_to_z_up(np.arange(3.0)).astype(np.int64), signs=np.ones(3))
