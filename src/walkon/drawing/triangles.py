"""Triangles to draw: meshes of any shape, with a normal at every corner, so that what is round looks round.

Metres, world frame; colours are red, green, blue from 0 to 1 as on the screen.
"""

from dataclasses import dataclass

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.table import Table, column
from walkon.drawing.camera import Camera
from walkon.drawing.solids import bounds_of_points, check_colours

__all__ = ["Triangles"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Triangles(Table):
    """F triangles; closed surfaces, counter-clockwise seen from outside."""

    corners: Array = column("float64", 3, 3)
    """[F, 3, 3] metres."""
    normals: Array = column("float64", 3, 3)
    """[F, 3, 3] unit, outwards, at the corners."""
    colours: Array = column("float64", 3)
    """[F, 3]."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_colours(self.colours)

    def table(self) -> Array:
        """Return [F, 19]: a corner, the two sides from it, the three corners' normals, and 1, which no box has."""
        a, b, c = np.moveaxis(self.corners, 1, 0)
        flat = self.normals.reshape(len(self), 9)
        return np.concatenate([a, b - a, c - a, flat, np.ones((len(self), 1))], axis=1)

    def bounds(self, camera: Camera, size: tuple[int, int]) -> IntArray:
        """Return the pixels [F, 4] = (x0, x1, y0, y1) that can show each triangle, stops excluded."""
        return bounds_of_points(self.corners, camera, size=size)
