"""What is drawn: round cones (capsules with two radii), boxes, paint on the floor; and where a picture can show them.

A round cone is the convex hull of two spheres. With L the distance of their centres, s = (rₐ − r_b) / L is the sine of
the half angle of the cone that touches both; where s ≥ 1, one sphere holds the other and is all there is to see.
Paint is drawn under the figures and in their shadow: paths, outlines, footprints and spots, all made of strokes, which
are stretches from (xa, ya) to (xb, yb) with round ends; a spot is a stroke of no length.

Metres, world frame; colours are red, green, blue from 0 to 1 as on the screen; opacity from 0 to 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray, lock_array
from walkon._base.errors import InvalidValue
from walkon._base.table import Table, column
from walkon.drawing.camera import Camera, box_corners
from walkon.transforms import quaternions as quat

__all__ = ["Boxes", "FloorPaint", "RoundCones", "bounds_of_points", "check_colours"]


@dataclass(frozen=True, eq=False, kw_only=True)
class RoundCones(Table):
    """N round cones."""

    starts: Array = column("float64", 3)
    """[N, 3] metres, centres of the first spheres."""
    ends: Array = column("float64", 3)
    """[N, 3] metres, centres of the second spheres."""
    radii: Array = column("float64", 2)
    """[N, 2] metres, radii at the start and at the end."""
    colours: Array = column("float64", 3)
    """[N, 3]."""
    kin: IntArray = field(
        default_factory=lambda: np.zeros((0, 0), np.int64), metadata={"dtype": np.dtype(np.int64), "shape": (None,)}
    )
    """[N, S] others of the same flesh, to which the shading passes over without a seam; −1 after the last."""

    def __post_init__(self) -> None:
        N = len(self.starts)
        if len(self.kin) == 0:
            object.__setattr__(self, "kin", np.full((N, 1), -1))
        super().__post_init__()
        if N and not (self.kin.min() >= -1 and self.kin.max() < N):
            raise InvalidValue(f"kin must be -1 to {N - 1}, got {self.kin.min()} to {self.kin.max()}")
        if N and self.radii.min() <= 0.0:
            raise InvalidValue(f"radii must be positive, got {self.radii.min():g}; leave out what has no size")
        check_colours(self.colours)

    @classmethod
    def joined(cls, parts: Sequence["RoundCones"]) -> "RoundCones":
        """Return all cones of the parts, each still kin of its own."""
        if not parts:
            return cls()
        names = ("starts", "ends", "radii", "colours")
        columns = {name: np.concatenate([part.columns[name] for part in parts]) for name in names}
        kin, first = np.full((sum(map(len, parts)), max(part.kin.shape[1] for part in parts)), -1), 0
        for part in parts:
            kin[first : first + len(part), : part.kin.shape[1]] = np.where(part.kin < 0, -1, part.kin + first)
            first += len(part)
        return cls(**columns, kin=kin)

    def points(self) -> Array:
        """Return [4 N, 3] points that frame the capsules: top and bottom of both spheres of each."""
        points = np.concatenate([self.starts, self.ends, self.starts, self.ends])
        points[: 2 * len(self), 2] += self.radii.T.ravel()
        points[2 * len(self) :, 2] -= self.radii.T.ravel()
        return points

    def table(self) -> Array:
        """Return [N, 13]: start, unit axis, length, two radii, s, 1 − s², s / √(1 − s²), and the nearest depth, −∞
        until a camera is known.

        Axis, length and s are 0 for a lone sphere.
        """
        axis = self.ends - self.starts
        length = np.linalg.norm(axis, axis=1)
        ra, rb = self.radii.T
        nested = length <= np.abs(ra - rb) + 1e-9
        safe = np.where(nested, 1.0, length)
        s = np.where(nested, 0.0, (ra - rb) / safe)
        columns = [
            np.where((nested & (rb > ra))[:, None], self.ends, self.starts),
            np.where(nested[:, None], 0.0, axis / safe[:, None]),
            np.where(nested, 0.0, length),
            np.where(nested, np.maximum(ra, rb), ra),
            np.where(nested, np.maximum(ra, rb), rb),
            s,
            1.0 - s * s,
            s / np.sqrt(1.0 - s * s),
            np.full(len(self), -np.inf),
        ]
        return np.column_stack(columns)

    def bounds(self, camera: Camera, size: tuple[int, int]) -> tuple[IntArray, Array]:
        """Return the pixels [N, 4] = (x0, x1, y0, y1) that can show each, stops excluded, and its nearest depth [N]."""
        low = _bounds_of_spheres(camera, size, self.starts, self.radii[:, 0])
        high = _bounds_of_spheres(camera, size, self.ends, self.radii[:, 1])
        # The picture of a hull is the hull of the pictures.
        box = np.stack([np.minimum(low, high), np.maximum(low, high)])[[0, 1, 0, 1], :, [0, 1, 2, 3]].T
        ahead = camera.axes[0]
        nearest = np.minimum(
            (self.starts - camera.eye) @ ahead - self.radii[:, 0], (self.ends - camera.eye) @ ahead - self.radii[:, 1]
        )
        farthest = np.maximum(
            (self.starts - camera.eye) @ ahead + self.radii[:, 0], (self.ends - camera.eye) @ ahead + self.radii[:, 1]
        )
        box[farthest <= 0.0] = 0.0
        return _pixels(box, size), nearest


@dataclass(frozen=True, eq=False, kw_only=True)
class Boxes(Table):
    """M boxes, turned any way: walls, steps, seats, furniture."""

    centres: Array = column("float64", 3)
    """[M, 3] metres."""
    sizes: Array = column("float64", 3)
    """[M, 3] metres, from side to side along the box's own x, y and z."""
    rotations: Array = column("float64", 4)
    """[M, 4] box → world, unit quaternions w first; left out = upright, along the axes."""
    colours: Array = column("float64", 3)
    """[M, 3]; left out = a light grey."""

    def __post_init__(self) -> None:
        for name, usual in (("rotations", quat.IDENTITY), ("colours", np.full(3, 0.80))):
            if len(getattr(self, name)) == 0:
                object.__setattr__(self, name, np.tile(usual, (len(self.centres), 1)))
        super().__post_init__()
        if len(self) and self.sizes.min() <= 0.0:
            raise InvalidValue(f"sizes of boxes must be positive, got {self.sizes.min():g}")
        check_colours(self.colours)

    def table(self) -> Array:
        """Return [M, 19]: centre, the three axes, half sizes, and zeros where triangles have more."""
        axes = np.swapaxes(quat.to_matrix(self.rotations), 1, 2).reshape(len(self), 9)
        return np.concatenate([self.centres, axes, 0.5 * self.sizes, np.zeros((len(self), 4))], axis=1)

    def corners(self) -> Array:
        """Return [M, 8, 3] metres, world."""
        unit = box_corners([-0.5] * 3, [0.5] * 3)
        return self.centres[:, None] + quat.rotate(self.rotations[:, None], unit * self.sizes[:, None])

    def bounds(self, camera: Camera, size: tuple[int, int]) -> IntArray:
        """Return the pixels [M, 4] = (x0, x1, y0, y1) that can show each box, stops excluded."""
        return bounds_of_points(self.corners(), camera, size=size)


@dataclass(frozen=True, eq=False, kw_only=True)
class FloorPaint(Table):
    """S strokes; later ones cover earlier ones, and those of one group count once where they overlap."""

    strokes: Array = column("float64", 10)
    """[S, 10] = (xa, ya, xb, yb, radius, red, green, blue, opacity, group)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_colours(self.strokes[:, 5:9], "colours and opacity")

    def __add__(self, other: "FloorPaint") -> "FloorPaint":
        later = np.array(other.strokes)
        if len(self) and len(other):
            later[:, 9] += self.strokes[:, 9].max() + 1.0
        return FloorPaint(strokes=np.concatenate([self.strokes, later]))

    @classmethod
    def path(
        cls, points: ArrayLike, *, colour: ArrayLike = (0.25, 0.45, 0.75), width: float = 0.04, opacity: float = 0.8
    ) -> "FloorPaint":
        """Draw a line of this width (metres) through points [K, 2]."""
        places: Array = lock_array(points, (None, 2), name="points")
        if len(places) == 1:
            places = np.repeat(places, 2, axis=0)
        return cls._of(places[:-1], places[1:], 0.5 * width, colour, opacity, groups=0)

    @classmethod
    def spots(
        cls, points: ArrayLike, *, colour: ArrayLike = (0.85, 0.35, 0.20), radius: float = 0.04, opacity: float = 0.9
    ) -> "FloorPaint":
        """Draw discs of this radius (metres) at points [K, 2]; one colour, or [K, 3]."""
        places: Array = lock_array(points, (None, 2), name="points")
        return cls._of(places, places, radius, colour, opacity, groups=np.arange(len(places)))

    @classmethod
    def _of(
        cls, starts: Array, ends: Array, radius: float, colour: ArrayLike, opacity: float, *, groups: ArrayLike
    ) -> "FloorPaint":
        if not radius > 0.0:
            raise InvalidValue(f"paint needs a positive width or radius, got {radius}")
        strokes = np.empty((len(starts), 10))
        strokes[:, :2], strokes[:, 2:4], strokes[:, 4] = starts, ends, radius
        strokes[:, 5:8], strokes[:, 8], strokes[:, 9] = colour, opacity, groups
        return cls(strokes=strokes)

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
        return np.clip(box + np.array([-1, 1, -1, 1]), 0, [W, W, H, H])


def _bounds_of_spheres(camera: Camera, size: tuple[int, int], centres: Array, radii: Array) -> Array:
    """Return [N, 4] = (x0, x1, y0, y1) in pixels, exact, of spheres [N, 3], [N].

    A sphere at or behind a perspective eye gets the whole picture: a hull with it may reach anywhere.

    In the plane of x and depth z, the lines from the eye that touch a circle of radius r have the slopes
    (x z ± r √(x² + z² − r²)) / (z² − r²).
    """
    (W, H), (ahead, right, up) = size, camera.axes
    q = centres - camera.eye
    x, y, z = q @ right, q @ up, q @ ahead
    if camera.height is not None:
        k = H / camera.height
        return np.stack(
            [W / 2 + k * (x - radii), W / 2 + k * (x + radii), H / 2 - k * (y + radii), H / 2 - k * (y - radii)], 1
        )
    k = H / (2.0 * np.tan(0.5 * camera.field_of_view))
    beyond = z > radii + 1e-3
    across = np.where(beyond, z * z - radii * radii, 1.0)
    slopes = []
    for w in (x, -y):
        root = radii * np.sqrt(np.where(beyond, w * w + across, 0.0))
        slopes += [(w * z - root) / across, (w * z + root) / across]
    box = np.stack(slopes, axis=1) * k + np.array([W / 2, W / 2, H / 2, H / 2])
    box[~beyond] = (0.0, W, 0.0, H)
    return box


def bounds_of_points(points: Array, camera: Camera, *, size: tuple[int, int]) -> IntArray:
    """Return the pixels [N, 4] around the convex hulls of points [N, P, 3]; the whole picture where some are behind."""
    W, H = size
    p = camera.project(points, size)
    box = np.stack([p[..., 0].min(1), p[..., 0].max(1), p[..., 1].min(1), p[..., 1].max(1)], axis=1)
    if camera.height is None:
        box[(p[..., 2] <= 1e-3).any(axis=1)] = (0.0, W, 0.0, H)
        box[(p[..., 2] <= 1e-3).all(axis=1)] = (0.0, 0.0, 0.0, 0.0)
    return _pixels(box, size)


def _pixels(box: Array, size: tuple[int, int]) -> IntArray:
    W, H = size
    whole = np.stack([np.floor(box[:, 0]), np.ceil(box[:, 1]), np.floor(box[:, 2]), np.ceil(box[:, 3])], axis=1)
    return np.clip(whole, 0, [W, W, H, H]).astype(np.int64)


def check_colours(colours: Array, words: str = "colours") -> None:
    """Raise `InvalidValue` unless all colours [N, …] are from 0 to 1."""
    if len(colours) and not (colours.min() >= 0.0 and colours.max() <= 1.0):
        worst = colours.min() if colours.min() < 0.0 else colours.max()
        raise InvalidValue(f"{words} must be from 0 to 1, got {worst:g}; divide values of 0 to 255 by 255")
