"""A path on the floor by arc length: what a character is asked to walk along.

    P(s)         the point s metres along the path                 at(s)
    T(s)         the unit vector along it                          direction(s)
    κ(s)         1/m, positive to the left                         curvature(s)
    progress     of a track of points: the nearest point of the path to each, never going back

The path is the polyline through its points; `Path.through` rounds the corners of one first. Ground plane, metres.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, lock, lock_array
from walkon._base.errors import InvalidValue
from walkon.transforms import planar

__all__ = ["Path"]

STEP = 0.02
"""m between the points of a path that is made here."""
SPAN = 0.25
"""m on either side over which curvature is measured: bends shorter than a foot are no turns."""
REACH = 1.0
"""m of path ahead in which the nearest point is looked for."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Path:
    """A polyline on the floor."""

    points: Array
    """[K, 2] metres, K at least 2, no two neighbours alike."""

    def __post_init__(self) -> None:
        points = lock_array(self.points, (None, 2), name="the points of a path")
        if len(points) < 2:
            raise InvalidValue(f"a path needs at least two points, got {len(points)}; add where it goes")
        apart = np.linalg.norm(np.diff(points, axis=0), axis=1) > 1e-9
        if not apart.any():
            raise InvalidValue(
                f"a path must have a length, but its {len(points)} points are all at "
                f"({points[0, 0]:g}, {points[0, 1]:g}); give two that differ"
            )
        object.__setattr__(self, "points", points[np.concatenate([[True], apart])])
        lock(self, "points", (None, 2))

    def __repr__(self) -> str:
        (x0, y0), (x1, y1) = self.points.min(axis=0), self.points.max(axis=0)
        return f"Path({self.length:.1f} m in {x1 - x0:.1f} x {y1 - y0:.1f} m, tightest radius {self.tightest:.2f} m)"

    @classmethod
    def through(cls, points: ArrayLike, *, rounding: float = 0.25) -> "Path":
        """Return the path along points [K, 2] with rounded corners; `rounding` (m) is the spread of the bell.

        The polyline is sampled evenly and smoothed by a bell along its length; both ends stay where they are.
        """
        from scipy.ndimage import gaussian_filter1d

        rough = cls(points=np.asarray(points, dtype=np.float64))
        if not (np.isfinite(rounding) and rounding >= 0):
            raise InvalidValue(f"rounding must be 0 or more metres, got {rounding}")
        if rounding == 0:
            return rough
        count = max(int(np.ceil(rough.length / STEP)), 2)
        even = rough.at(np.linspace(0.0, rough.length, count + 1))
        # Beyond each end the path goes on point-symmetrically, which keeps the end points in place.
        spread = rounding / (rough.length / count)
        pad = min(int(4 * spread) + 1, count)
        before, after = 2 * even[0] - even[pad:0:-1], 2 * even[-1] - even[-2 : -pad - 2 : -1]
        smooth = gaussian_filter1d(np.concatenate([before, even, after]), spread, axis=0, mode="nearest")
        return cls(points=smooth[pad:-pad])

    @classmethod
    def circle(cls, radius: float, *, turns: float = 1.0) -> "Path":
        """Return a circle from the origin, at first along +x, to the left (`turns` < 0: to the right)."""
        if not (np.isfinite(radius) and radius > 0 and np.isfinite(turns) and turns != 0):
            raise InvalidValue(
                f"a circle needs a positive radius and some turns, got {radius} m and {turns}; one turn is 1"
            )
        count = max(int(np.ceil(2 * np.pi * radius * abs(turns) / STEP)), 8)
        angle = np.linspace(0.0, 2 * np.pi * abs(turns), count + 1)
        return cls(points=radius * np.column_stack([np.sin(angle), np.sign(turns) * (1 - np.cos(angle))]))

    def scaled_to(self, length: float) -> "Path":
        """Return the same shape, this many metres long."""
        if not (np.isfinite(length) and length > 0):
            raise InvalidValue(f"a path must have a positive length, got {length} m")
        return Path(points=self.points * (length / self.length))

    def moved(self, pose: ArrayLike) -> "Path":
        """Return the path turned and slid by a planar pose (x, y, heading)."""
        return Path(points=planar.apply(pose, self.points))

    @cached_property
    def arcs(self) -> Array:
        """[K] metres along the path at its points."""
        return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(self.points, axis=0), axis=1))])

    @property
    def length(self) -> float:
        """Metres from start to end."""
        return float(self.arcs[-1])

    @property
    def tightest(self) -> float:
        """Metres: the smallest radius of the path, measured over half a metre."""
        most = float(np.abs(self.curvature(np.arange(0.0, self.length, 0.05))).max())
        return 1.0 / most if most > 1e-9 else float("inf")

    def at(self, distance: ArrayLike) -> Array:
        """Return P(s) [..., 2]; before the start it is the first point, beyond the end the last."""
        s = np.asarray(distance, dtype=np.float64)
        return np.stack([np.interp(s, self.arcs, self.points[:, k]) for k in range(2)], axis=-1)

    def direction(self, distance: ArrayLike) -> Array:
        """Return [...] rad: the way the path goes, as the chord of the 0.2 m around s."""
        s = np.clip(np.asarray(distance, dtype=np.float64), 0.0, self.length)
        reach = min(0.1, 0.5 * self.length)
        middle = np.clip(s, reach, self.length - reach)
        chord = self.at(middle + reach) - self.at(middle - reach)
        return np.arctan2(chord[..., 1], chord[..., 0])

    def curvature(self, distance: ArrayLike, *, span: float = SPAN) -> Array:
        """Return κ [...], 1/m: the change of direction over `span` metres on either side (less on a short path)."""
        s = np.asarray(distance, dtype=np.float64)
        span = min(span, 0.25 * self.length)
        middle = np.clip(s, span, self.length - span)
        before = self.at(middle) - self.at(middle - span)
        after = self.at(middle + span) - self.at(middle)
        cross = before[..., 0] * after[..., 1] - before[..., 1] * after[..., 0]
        return np.arctan2(cross, np.sum(before * after, axis=-1)) / span

    def progress(self, track: ArrayLike, *, reach: float = REACH) -> tuple[Array, Array]:
        """Follow a track [T, 2] along the path: (metres along it [T], metres off it [T]).

        Each point's partner is the nearest one of the path from its predecessor's partner on,
        up to `reach` metres ahead, so that a path that crosses itself is not left at the crossing. Partners never go
        back.
        """
        from walkon.synthesis import _path_kernels

        points = lock_array(track, (None, 2), name="the track")
        s, off = np.empty(len(points)), np.empty(len(points))
        _path_kernels.follow(points, self.points, self.arcs, float(reach), s, off)
        return s, off
