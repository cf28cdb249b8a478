"""Paint on the floor: paths, outlines, footprints and spots, drawn under the figures and in their shadow.

Everything is made of strokes: stretches from (xa, ya) to (xb, yb) with round ends; a spot is a stroke of no length.
Metres in the ground plane; colours are red, green, blue from 0 to 1; opacity from 0 to 1.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray, lock, lock_array
from walkon._base.errors import InvalidValue
from walkon.drawing.camera import Camera
from walkon.drawing.solids import bounds_of_points

__all__ = ["FloorPaint"]


@dataclass(frozen=True, eq=False, kw_only=True)
class FloorPaint:
    """S strokes; later ones cover earlier ones, and those of one group count once where they overlap."""

    strokes: Array
    """[S, 10] = (xa, ya, xb, yb, radius, red, green, blue, opacity, group)."""

    def __post_init__(self) -> None:
        lock(self, "strokes", (None, 10))
        looks = self.strokes[:, 5:9]
        if len(looks) and not (looks.min() >= 0.0 and looks.max() <= 1.0):
            raise InvalidValue(f"colours and opacity must be from 0 to 1, got {looks.min():g} to {looks.max():g}")

    def __len__(self) -> int:
        return len(self.strokes)

    def __add__(self, other: "FloorPaint") -> "FloorPaint":
        later = np.array(other.strokes)
        if len(self) and len(other):
            later[:, 9] += self.strokes[:, 9].max() + 1.0
        return FloorPaint(strokes=np.concatenate([self.strokes, later]))

    @classmethod
    def none(cls) -> "FloorPaint":
        """Return a clean floor."""
        return cls(strokes=np.zeros((0, 10)))

    @classmethod
    def path(
        cls, points: ArrayLike, *, colour: ArrayLike = (0.25, 0.45, 0.75), width: float = 0.04, opacity: float = 0.8
    ) -> "FloorPaint":
        """Draw a line of this width (metres) through points [K, 2]."""
        places: Array = lock_array(points, (None, 2), name="points")
        if len(places) == 1:
            places = np.repeat(places, 2, axis=0)
        return cls._of(places[:-1], places[1:], 0.5 * width, colour, opacity, np.zeros(max(len(places) - 1, 0)))

    @classmethod
    def spots(
        cls, points: ArrayLike, *, colour: ArrayLike = (0.85, 0.35, 0.20), radius: float = 0.04, opacity: float = 0.9
    ) -> "FloorPaint":
        """Draw discs of this radius (metres) at points [K, 2]; one colour, or [K, 3]."""
        places: Array = lock_array(points, (None, 2), name="points")
        return cls._of(places, places, radius, colour, opacity, np.arange(len(places)))

    @classmethod
    def _of(
        cls, starts: Array, ends: Array, radius: float, colour: ArrayLike, opacity: float, groups: ArrayLike
    ) -> "FloorPaint":
        if not radius > 0.0:
            raise InvalidValue(f"paint needs a positive width or radius, got {radius}")
        S = len(starts)
        columns = [starts, ends, np.full((S, 1), radius), np.broadcast_to(np.asarray(colour, dtype=np.float64), (S, 3))]
        columns += [np.full((S, 1), opacity), np.asarray(groups, dtype=np.float64)[:, None]]
        return cls(strokes=np.concatenate(columns, axis=1))

    def bounds(self, camera: Camera, size: tuple[int, int]) -> IntArray:
        """Return the pixels [S, 4] = (x0, x1, y0, y1) that can show each stroke."""
        s = self.strokes
        low, high = np.minimum(s[:, 0:2], s[:, 2:4]) - s[:, 4:5], np.maximum(s[:, 0:2], s[:, 2:4]) + s[:, 4:5]
        corners = np.zeros((len(s), 4, 3))
        for i, (x, y) in enumerate(((low, low), (low, high), (high, low), (high, high))):
            corners[:, i, 0], corners[:, i, 1] = x[:, 0], y[:, 1]
        box = bounds_of_points(corners, camera, size=size)
        # A pixel more on each side for the soft edge.
        W, H = size
        return np.clip(box + np.array([-1, 1, -1, 1]), 0, np.array([W, W, H, H]))
