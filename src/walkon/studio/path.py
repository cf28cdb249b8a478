"""The way over the floor: a smooth curve by arc length, from the corners of a polyline.

    through(points):  each corner becomes an arc of radius R, tangent to both sides; then the whole is smoothed by a
                      bell of 0.12 m, so that the curvature (and with it the sideways acceleration) has no steps
    at(s)           → x, y, heading          s in metres from the start; beyond either end it goes straight on
    curvature(s)    → 1/m, positive to the left

World frame, metres, radians; headings are unwrapped (a full circle ends 2π further).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.ndimage import gaussian_filter1d

from walkon._base.arrays import Array, lock, lock_array
from walkon._base.errors import InvalidValue
from walkon.transforms import angles

__all__ = ["Path"]

STEP = 0.02
"""m between the samples of a path."""
BELL = 0.12
"""m, standard deviation of the smoothing along the path."""
RUN_OUT = 6.0
"""m by which a path is carried on straight at either end, for footprints before the first and after the last frame."""
EASY = 0.4
"""m of either side that a corner may always use up: dense points on a curve then give that curve back."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Path:
    """A curve on the floor, sampled by arc length. It goes on straight beyond its ends."""

    arcs: Array
    """[K] m, arc length of each sample: 0 at the start, negative in the run-up before it."""
    points: Array
    """[K, 2] m."""
    headings: Array
    """[K] rad, unwrapped."""
    curvatures: Array
    """[K] 1/m, positive to the left."""
    length: float
    """m from start to end."""

    def __post_init__(self) -> None:
        K = len(self.arcs)
        lock(self, "arcs", (K,))
        lock(self, "points", (K, 2))
        lock(self, "headings", (K,))
        lock(self, "curvatures", (K,))

    def __repr__(self) -> str:
        turn = np.rad2deg(self.headings[-1] - self.headings[0])
        return f"Path({self.length:.2f} m, turns {turn:+.0f} deg in all, tightest radius {self.tightest:.2f} m)"

    @classmethod
    def straight(cls, length: float, *, heading: float = 0.0) -> "Path":
        """Return the straight way from the origin."""
        if not (np.isfinite(length) and length > 0):
            raise InvalidValue(f"a path must have a positive length, got {length} m")
        return cls.through([[0.0, 0.0], [length * np.cos(heading), length * np.sin(heading)]])

    @classmethod
    def through(cls, points: ArrayLike, *, radius: float = 0.8) -> "Path":
        """Return the way along a polyline [K, 2] with corners rounded by `radius` m, or less where it must."""
        corners = lock_array(points, (None, 2), name="path")
        if len(corners) > 1:
            corners = corners[np.concatenate([[True], np.linalg.norm(np.diff(corners, axis=0), axis=1) > 1e-6])]
        if len(corners) < 2:
            raise InvalidValue(f"a path needs two different points or more, got {len(corners)}")
        sides = np.diff(corners, axis=0)
        lengths = np.linalg.norm(sides, axis=1)
        directions = np.unwrap(np.arctan2(sides[:, 1], sides[:, 0]))
        bends = angles.wrap(np.diff(directions))
        if (np.abs(bends) > np.deg2rad(170)).any():
            corner = int(np.argmax(np.abs(bends))) + 1
            raise InvalidValue(
                f"the path turns back by {np.rad2deg(abs(bends[corner - 1])):.0f} deg at point {corner} "
                f"({corners[corner, 0]:g}, {corners[corner, 1]:g}); a corner may turn by up to 170: add points"
            )
        half = np.tan(0.5 * np.abs(bends))
        fits = 0.5 * np.minimum(lengths[:-1], lengths[1:])
        tangents = np.minimum(fits, np.maximum(radius * half, EASY))
        # The pieces of the way as (length, turn): straight, arc, straight …; its heading is their running sum.
        straight = lengths - np.concatenate([[0.0], tangents]) - np.concatenate([tangents, [0.0]])
        arcs = tangents * np.abs(bends) / np.maximum(half, 1e-12)
        pieces = np.zeros(2 * len(lengths) - 1)
        pieces[0::2], pieces[1::2] = straight, arcs
        knots = np.concatenate([[-RUN_OUT, 0.0], np.cumsum(pieces), [pieces.sum() + RUN_OUT]])
        turns = np.zeros(len(pieces))
        turns[1::2] = bends
        headings = directions[0] + np.concatenate([[0.0, 0.0], np.cumsum(turns), [bends.sum()]])
        keep = np.concatenate([[True], np.diff(knots) > 1e-12])
        s = np.arange(-RUN_OUT, knots[-1] + STEP, STEP)
        raw = np.interp(s, knots[keep], headings[keep])
        return cls._integrated(s, raw, corners[0], float(pieces.sum()))

    @classmethod
    def _integrated(cls, s: Array, headings: Array, start: Array, length: float) -> "Path":
        middle = 0.5 * (headings[1:] + headings[:-1])
        steps = STEP * np.stack([np.cos(middle), np.sin(middle)], axis=1)
        points = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
        first = np.array([np.interp(0.0, s, points[:, k]) for k in range(2)])
        points += start - first
        bell = BELL / STEP
        smooth = gaussian_filter1d(points, bell, axis=0, mode="nearest", truncate=4.0)
        rim = int(4 * bell) + 1
        smooth[:rim], smooth[-rim:] = points[:rim], points[-rim:]
        along = np.diff(smooth, axis=0)
        arcs = np.concatenate([[0.0], np.cumsum(np.linalg.norm(along, axis=1))])
        arcs -= np.interp(0.0, s, arcs)
        way = np.unwrap(np.arctan2(along[:, 1], along[:, 0]))
        way = np.interp(arcs, 0.5 * (arcs[1:] + arcs[:-1]), way)
        bends = np.gradient(way, arcs)
        end = float(np.interp(length, s, arcs))
        return cls(arcs=arcs, points=smooth, headings=way, curvatures=bends, length=end)

    @property
    def tightest(self) -> float:
        """Metres, the smallest radius of the way."""
        most = float(np.abs(self.curvatures).max())
        return 1.0 / most if most > 1e-9 else float("inf")

    def curvature(self, s: ArrayLike) -> Array:
        """Return 1/m at arc lengths [...]."""
        return np.asarray(np.interp(np.asarray(s, dtype=np.float64), self.arcs, self.curvatures))

    def at(self, s: ArrayLike) -> Array:
        """Return [..., 3] = (x, y, heading) at arc lengths [...] in metres."""
        s = np.asarray(s, dtype=np.float64)
        inside = np.clip(s, self.arcs[0], self.arcs[-1])
        heading = np.interp(inside, self.arcs, self.headings)
        x, y = (np.interp(inside, self.arcs, self.points[:, k]) for k in range(2))
        beyond = s - inside
        return np.stack([x + beyond * np.cos(heading), y + beyond * np.sin(heading), heading], axis=-1)

    def beside(self, s: ArrayLike, left: ArrayLike) -> Array:
        """Return points [..., 2] at arc length `s`, `left` metres to the left of the way."""
        place = self.at(s)
        left = np.asarray(left, dtype=np.float64)
        across = np.stack([-np.sin(place[..., 2]), np.cos(place[..., 2])], axis=-1)
        return np.asarray(place[..., :2] + left[..., None] * across)
