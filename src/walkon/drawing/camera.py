"""A camera: where it stands, where it looks, and which ray each pixel of a picture follows.

The picture's x runs to the right and y down, in pixels, with (0, 0) the upper left corner and pixel (c, r) centred at
(c + 0.5, r + 0.5). With f, s, u the unit vectors ahead, to the right and up, and k = 2 tan(field_of_view / 2) / H for a
perspective camera of H rows, the ray of (x, y) is

    eye + t (f + k (x − W/2) s − k (y − H/2) u)          perspective
    eye + h (x − W/2) s − h (y − H/2) u + t f            orthographic, h = height / H

so t is the depth in metres along the line of sight in both. Directions to stand in are given as azimuth (0 = the camera
stands on the +x side of what it sees, counter-clockwise) and elevation above the floor, in radians.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, lock, lock_array
from walkon._base.errors import InvalidValue, UnknownName

__all__ = ["VIEWS", "Camera", "box_corners", "direction", "heading_of_way"]

VIEWS = {
    "side": (-0.5 * np.pi, 0.07),
    "front": (0.0, 0.07),
    "three_quarter": (-0.27 * np.pi, 0.24),
    "top": (-0.5 * np.pi, 0.5 * np.pi - 1e-7),  # a hair off the vertical, so that the azimuth still says what is right
}
"""View → (azimuth relative to the way the character faces, elevation), radians. From the side it walks to the right."""

LENS_RAD = np.deg2rad(24.0)
"""The default vertical field of view: a long lens, which shows bodies without distortion."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Camera:
    """Where a picture is taken from. World frame, metres, z up."""

    eye: Array
    """[3] metres, the place of the camera."""
    target: Array
    """[3] metres, the place that is shown in the middle of the picture."""
    field_of_view: float = LENS_RAD
    """Radians from the lower to the upper edge; without meaning for an orthographic camera."""
    height: float | None = None
    """Metres shown from the lower to the upper edge of an orthographic picture; None = perspective."""

    def __post_init__(self) -> None:
        lock(self, "eye", (3,))
        lock(self, "target", (3,))
        if not np.linalg.norm(self.target - self.eye) > 1e-9:
            raise InvalidValue(f"a camera must look somewhere, but eye and target are both {self.eye.tolist()}")
        if not 0.0 < self.field_of_view < np.pi:
            raise InvalidValue(f"field_of_view must be between 0 and pi radians, got {self.field_of_view}")
        if self.height is not None and not (np.isfinite(self.height) and self.height > 0.0):
            raise InvalidValue(f"height must be positive metres (or None for perspective), got {self.height}")

    def __repr__(self) -> str:
        lens = f"{np.rad2deg(self.field_of_view):.0f} deg" if self.height is None else f"{self.height:g} m high"
        eye, target = (" ".join(f"{c:.2f}" for c in place) for place in (self.eye, self.target))
        return f"Camera(at {eye}, looking at {target}, {lens})"

    @classmethod
    def framing(
        cls,
        points: ArrayLike,
        *,
        azimuth: float,
        elevation: float,
        aspect: float = 16 / 9,
        margin: float = 0.08,
        field_of_view: float = LENS_RAD,
        orthographic: bool = False,
    ) -> "Camera":
        """Stand in a direction as near as all points [N, 3] fit into a picture of width / height = `aspect`.

        `margin` is the share of the picture left free on each side. The four sides of the view are planes; each bounds
        the eye linearly, so the nearest eye is found exactly.
        """
        places: Array = lock_array(points, (None, 3), name="points")
        if len(places) == 0:
            raise InvalidValue("framing needs at least one point, got none")
        if not (0.0 <= margin < 0.5 and aspect > 0.0):
            raise InvalidValue(f"margin must be in [0, 0.5) and aspect positive, got {margin} and {aspect}")
        ahead, right, up = _axes(-direction(azimuth, elevation))
        x, y, z = places @ right, places @ up, places @ ahead
        room = 1.0 - 2.0 * margin
        if orthographic:
            height = max(float(np.ptp(y)), float(np.ptp(x)) / aspect, 1e-3) / room
            target = sum(0.5 * (p.min() + p.max()) * axis for p, axis in ((x, right), (y, up), (z, ahead)))
            # Far enough that nothing is behind it, and the floor in the picture is in front of it.
            distance = 0.5 * float(np.ptp(z)) + 2.0 * height * max(aspect, 1.0) + 1.0
            return cls(eye=target - distance * ahead, target=target, field_of_view=field_of_view, height=height)
        tan_y = room * np.tan(0.5 * field_of_view)
        tan_x = aspect * tan_y
        x_high, x_low = np.max(x - z * tan_x), np.max(-x - z * tan_x)
        y_high, y_low = np.max(y - z * tan_y), np.max(-y - z * tan_y)
        nearest = min(-(x_high + x_low) / (2.0 * tan_x), -(y_high + y_low) / (2.0 * tan_y), z.min() - 0.1)
        eye = 0.5 * (x_high - x_low) * right + 0.5 * (y_high - y_low) * up + nearest * ahead
        target = eye + max(float(np.median(z)) - nearest, 0.1) * ahead
        return cls(eye=eye, target=target, field_of_view=field_of_view)

    @classmethod
    def view(
        cls,
        points: ArrayLike,
        name: str,
        *,
        heading: float = 0.0,
        aspect: float = 16 / 9,
        margin: float = 0.08,
        elevation: float | None = None,
    ) -> "Camera":
        """Frame points [N, 3] in one of the `VIEWS` of a character that faces `heading`; from the top, orthographic.

        `elevation` is that of the view unless given.
        """
        if name not in VIEWS:
            raise UnknownName.among("view", name, VIEWS)
        azimuth, usual = VIEWS[name]
        return cls.framing(
            points,
            azimuth=heading + azimuth,
            elevation=usual if elevation is None else elevation,
            aspect=aspect,
            margin=margin,
            orthographic=name == "top",
        )

    @property
    def axes(self) -> tuple[Array, Array, Array]:
        """Unit vectors ahead, to the right and up, each [3]."""
        ahead = self.target - self.eye
        return _axes(ahead / np.linalg.norm(ahead))

    @property
    def span(self) -> float:
        """Metres from the lower to the upper edge of the picture, at the target."""
        if self.height is not None:
            return self.height
        return float(np.linalg.norm(self.target - self.eye)) * 2.0 * float(np.tan(0.5 * self.field_of_view))

    def moved(self, shift: Array) -> "Camera":
        """Return the same camera carried along by a shift [3], metres."""
        return replace(self, eye=self.eye + shift, target=self.target + shift)

    def rays(self, size: tuple[int, int]) -> Array:
        """Return [6, 3]: origin at (0, 0), its change along x and along y, and the same three of the direction."""
        (W, H), (ahead, right, up) = size, self.axes
        zero = np.zeros(3)
        if self.height is None:
            k = 2.0 * np.tan(0.5 * self.field_of_view) / H
            corner = ahead - 0.5 * W * k * right + 0.5 * H * k * up
            return np.stack([self.eye, zero, zero, corner, k * right, -k * up])
        k = self.height / H
        corner = self.eye - 0.5 * W * k * right + 0.5 * H * k * up
        return np.stack([corner, k * right, -k * up, ahead, zero, zero])

    def project(self, points: ArrayLike, size: tuple[int, int]) -> Array:
        """Return [..., 3] = (x, y, depth): pixels and metres; x and y of points behind a perspective eye are NaN."""
        (W, H), (ahead, right, up) = size, self.axes
        q = np.asarray(points, dtype=np.float64) - self.eye
        x, y, depth = q @ right, q @ up, q @ ahead
        if self.height is None:
            scale = np.where(depth > 0.0, H / (2.0 * np.tan(0.5 * self.field_of_view)), np.nan)
            scale = scale / np.where(depth > 0.0, depth, 1.0)
        else:
            scale = np.full_like(depth, H / self.height)
        return np.stack([0.5 * W + scale * x, 0.5 * H - scale * y, depth], axis=-1)


def heading_of_way(planar: Array) -> float:
    """Return where a character goes on the whole, by planar poses [T, 3]; where it faces if it stays in place."""
    way = planar[-1, :2] - planar[0, :2]
    if np.hypot(*way) > 0.5:
        return float(np.arctan2(way[1], way[0]))
    return float(np.arctan2(np.sin(planar[:, 2]).mean(), np.cos(planar[:, 2]).mean()))


def box_corners(low: ArrayLike, high: ArrayLike) -> Array:
    """Return the corners [8, 3] of the box along the axes between two of them, [3] each."""
    x, y, z = np.stack([low, high], axis=1)
    return np.array([[a, b, c] for a in x for b in y for c in z])


def direction(azimuth: float, elevation: float) -> Array:
    """Return the unit vector [3] of an azimuth and an elevation."""
    c = np.cos(elevation)
    return np.array([c * np.cos(azimuth), c * np.sin(azimuth), np.sin(elevation)])


def _axes(ahead: Array) -> tuple[Array, Array, Array]:
    right = np.array([ahead[1], -ahead[0], 0.0])
    size = np.hypot(right[0], right[1])
    # Looking straight down there is no horizon to go by: +x is to the right.
    right = right / size if size > 1e-15 else np.array([1.0, 0.0, 0.0])
    return ahead, right, np.cross(right, ahead)
