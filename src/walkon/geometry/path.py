"""Arc-length parametrisation of a path on the floor that a character is asked to walk along.

    P(s)         the point s metres along the path                 at(s)
    θ(s)         the way it goes there, unwrapped                  pose(s) = (x, y, θ), beyond the ends straight on
    κ(s)         1/m, positive to the left                         curvature(s)
    progress     of a track of points: the nearest point of the path to each, never going back

The path is the polyline through its points. Of one with corners, `Path.through` makes a smooth one by a Gaussian filter
along its length, `Path.rounded` by arcs of a given radius. Ground plane, metres, radians.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.ndimage import gaussian_filter1d

from walkon._base.arrays import Array, lock_array
from walkon._base.errors import InvalidValue
from walkon.transforms import angles, planar

__all__ = ["LOOK_AHEAD_M", "Path", "arc_lengths"]

SAMPLE_STEP_M = 0.02
"""m between the points of a path that is made here."""
CURVATURE_SPAN_M = 0.25
"""m on either side over which curvature is measured: bends shorter than a foot are no turns."""
LOOK_AHEAD_M = 1.0
"""m of path ahead in which the nearest point is looked for."""
SMOOTHING_SIGMA_M = 0.12
"""m, standard deviation of the smoothing along a rounded path."""
RUN_OUT_M = 6.0
"""m by which a rounded path is carried on straight at either end: footprints come before the first and after the last
frame."""
MIN_CORNER_TANGENT_M = 0.4
"""m of either side that a corner may always use up: dense points on a curve then give that curve back."""


def arc_lengths(points: Array) -> Array:
    """Return metres [K] along points [K, 2] from the first one."""
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])


@dataclass(frozen=True, eq=False, kw_only=True)
class Path:
    """A polyline on the floor."""

    points: Array
    """[K, 2] metres, K at least 2, no two neighbours alike."""
    start: float = 0.0
    """m along the points at which the path starts; what is before is a run-up with negative arc lengths."""
    stop: float | None = None
    """m from the start to the end, where the points go on beyond it; without it the path ends with its last point."""

    def __post_init__(self) -> None:
        points = lock_array(self.points, (None, 2), name="the points of a path")
        if len(points) < 2:
            raise InvalidValue(f"a path needs at least two points, got {len(points)}; add where it goes")
        different = _drop_repeated(points, apart=1e-9)
        if len(different) < 2:
            raise InvalidValue(
                f"a path must have a length, but its {len(points)} points are all at "
                f"({points[0, 0]:g}, {points[0, 1]:g}); give two that differ"
            )
        object.__setattr__(self, "points", lock_array(different, (None, 2), name="the points of a path"))

    def __repr__(self) -> str:
        (x0, y0), (x1, y1) = self.points.min(axis=0), self.points.max(axis=0)
        return f"Path({self.length:.1f} m in {x1 - x0:.1f} x {y1 - y0:.1f} m, tightest radius {self.tightest:.2f} m)"

    @classmethod
    def through(cls, points: ArrayLike, *, rounding: float = 0.25) -> "Path":
        """Return the path along points [K, 2] with rounded corners; `rounding` (m) is the spread of the bell.

        The polyline is sampled evenly and smoothed by a bell along its length; both ends stay where they are.
        """
        rough = cls(points=np.asarray(points, dtype=np.float64))
        if not (np.isfinite(rounding) and rounding >= 0):
            raise InvalidValue(f"rounding must be 0 or more metres, got {rounding}")
        if rounding == 0:
            return rough
        count = max(int(np.ceil(rough.length / SAMPLE_STEP_M)), 2)
        even = rough.at(np.linspace(0.0, rough.length, count + 1))
        # Beyond each end the path goes on point-symmetrically, which keeps the end points in place.
        spread = rounding / (rough.length / count)
        pad = min(int(4 * spread) + 1, count)
        before, after = 2 * even[0] - even[pad:0:-1], 2 * even[-1] - even[-2 : -pad - 2 : -1]
        smooth = gaussian_filter1d(np.concatenate([before, even, after]), spread, axis=0, mode="nearest")
        return cls(points=smooth[pad:-pad])

    @classmethod
    def straight(cls, length: float, *, heading: float = 0.0) -> "Path":
        """Return the straight way from the origin, with a run-up before it and beyond it."""
        if not (np.isfinite(length) and length > 0):
            raise InvalidValue(f"a path must have a positive length, got {length} m")
        return cls.rounded([[0.0, 0.0], [length * np.cos(heading), length * np.sin(heading)]])

    @classmethod
    def rounded(cls, points: ArrayLike, *, radius: float = 0.8) -> "Path":
        """Return the way along a polyline [K, 2] with corners rounded by `radius` m, or less where it must.

        Each corner becomes an arc, tangent to both sides; then the whole is smoothed by a bell, so that the curvature
        (and with it the sideways acceleration) has no steps. At either end it is carried on straight.
        """
        corners = _drop_repeated(lock_array(points, (None, 2), name="path"), apart=1e-6)
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
        tangents = np.minimum(fits, np.maximum(radius * half, MIN_CORNER_TANGENT_M))
        # The pieces of the way as (length, turn): straight, arc, straight …; its heading is their running sum.
        straight = lengths - np.concatenate([[0.0], tangents]) - np.concatenate([tangents, [0.0]])
        arcs = tangents * np.abs(bends) / np.maximum(half, 1e-12)
        pieces = np.zeros(2 * len(lengths) - 1)
        pieces[0::2], pieces[1::2] = straight, arcs
        knots = np.concatenate([[-RUN_OUT_M, 0.0], np.cumsum(pieces), [pieces.sum() + RUN_OUT_M]])
        turns = np.zeros(len(pieces))
        turns[1::2] = bends
        headings = directions[0] + np.concatenate([[0.0, 0.0], np.cumsum(turns), [bends.sum()]])
        keep = np.concatenate([[True], np.diff(knots) > 1e-12])
        # Integrate the headings to points, with the first corner at s = 0.
        s = np.arange(-RUN_OUT_M, knots[-1] + SAMPLE_STEP_M, SAMPLE_STEP_M)
        way = np.interp(s, knots[keep], headings[keep])
        raw = _integrate(way, SAMPLE_STEP_M)
        raw += corners[0] - _interpolate(0.0, s, raw)
        bell = SMOOTHING_SIGMA_M / SAMPLE_STEP_M
        smooth = gaussian_filter1d(raw, bell, axis=0, mode="nearest", truncate=4.0)
        rim = int(4 * bell) + 1
        smooth[:rim], smooth[-rim:] = raw[:rim], raw[-rim:]
        arcs = arc_lengths(smooth)
        start = float(np.interp(0.0, s, arcs))
        return cls(points=smooth, start=start, stop=float(np.interp(pieces.sum(), s, arcs - start)))

    @classmethod
    def along(cls, arcs: Array, headings: Array, *, stop: float) -> "Path":
        """Return the path through the origin that has headings [K] at increasing arc lengths [K]; it ends at `stop`.

        Between two arc lengths it goes straight.
        """
        points = _integrate(headings, np.diff(arcs)[:, None])
        points -= _interpolate(0.0, arcs, points)
        path = cls(points=points, start=-float(arcs[0]), stop=stop)
        # They are known, and not to be found from the points.
        vars(path).update(arcs=arcs, headings=headings)
        return path

    @classmethod
    def circle(cls, radius: float, *, turns: float = 1.0) -> "Path":
        """Return a circle from the origin, at first along +x, to the left (`turns` < 0: to the right)."""
        if not (np.isfinite(radius) and radius > 0 and np.isfinite(turns) and turns != 0):
            raise InvalidValue(
                f"a circle needs a positive radius and some turns, got {radius} m and {turns}; one turn is 1"
            )
        count = max(int(np.ceil(2 * np.pi * radius * abs(turns) / SAMPLE_STEP_M)), 8)
        angle = np.linspace(0.0, 2 * np.pi * abs(turns), count + 1)
        return cls(points=radius * np.column_stack([np.sin(angle), np.sign(turns) * (1 - np.cos(angle))]))

    def scaled_to(self, length: float) -> "Path":
        """Return the same shape, this many metres long."""
        if not (np.isfinite(length) and length > 0):
            raise InvalidValue(f"a path must have a positive length, got {length} m")
        size = length / self.length
        stop = None if self.stop is None else size * self.stop
        return Path(points=self.points * size, start=size * self.start, stop=stop)

    def moved(self, pose: ArrayLike) -> "Path":
        """Return the path turned and slid by a planar pose (x, y, heading)."""
        return replace(self, points=planar.apply(pose, self.points))

    @cached_property
    def arcs(self) -> Array:
        """[K] metres along the path at its points."""
        return arc_lengths(self.points) - self.start

    @cached_property
    def headings(self) -> Array:
        """[K] rad, unwrapped: the way the path goes at its points."""
        along = np.diff(self.points, axis=0)
        way = np.unwrap(np.arctan2(along[:, 1], along[:, 0]))
        return np.interp(self.arcs, 0.5 * (self.arcs[1:] + self.arcs[:-1]), way)

    @cached_property
    def curvatures(self) -> Array:
        """[K] 1/m, positive to the left: the change of heading at its points."""
        return np.gradient(self.headings, self.arcs)

    @property
    def length(self) -> float:
        """Metres from start to end."""
        return float(self.arcs[-1]) if self.stop is None else self.stop

    @property
    def tightest(self) -> float:
        """Metres: the smallest radius of the path, measured over half a metre."""
        most = float(np.abs(self.curvature(np.arange(0.0, self.length, 0.05))).max())
        return 1.0 / most if most > 1e-9 else float("inf")

    def at(self, distance: ArrayLike) -> Array:
        """Return P(s) [..., 2]; before the first point it is that, beyond the last that."""
        return _interpolate(distance, self.arcs, self.points)

    def pose(self, s: ArrayLike) -> Array:
        """Return [..., 3] = (x, y, heading) at arc lengths [...] in metres; beyond the points it goes straight on."""
        s = np.asarray(s, dtype=np.float64)
        inside = np.clip(s, self.arcs[0], self.arcs[-1])
        heading = np.interp(inside, self.arcs, self.headings)
        beyond, x, y = s - inside, *np.moveaxis(self.at(inside), -1, 0)
        return np.stack([x + beyond * np.cos(heading), y + beyond * np.sin(heading), heading], axis=-1)

    def beside(self, s: ArrayLike, left: ArrayLike) -> Array:
        """Return points [..., 2] at arc length `s`, `left` metres to the left of the way."""
        place = self.pose(s)
        left = np.asarray(left, dtype=np.float64)
        across = np.stack([-np.sin(place[..., 2]), np.cos(place[..., 2])], axis=-1)
        return np.asarray(place[..., :2] + left[..., None] * across)

    def curvature(self, distance: ArrayLike, *, span: float = CURVATURE_SPAN_M) -> Array:
        """Return κ [...], 1/m: the change of direction over `span` metres on either side (less on a short path).

        With a `span` of 0 it is the change of heading between neighbouring points.
        """
        s = np.asarray(distance, dtype=np.float64)
        if span == 0:
            return np.asarray(np.interp(s, self.arcs, self.curvatures))
        span = min(span, 0.25 * self.length)
        middle = np.clip(s, span, self.length - span)
        before = self.at(middle) - self.at(middle - span)
        after = self.at(middle + span) - self.at(middle)
        cross = before[..., 0] * after[..., 1] - before[..., 1] * after[..., 0]
        return np.arctan2(cross, np.sum(before * after, axis=-1)) / span

    def progress(self, track: ArrayLike, *, reach: float = LOOK_AHEAD_M) -> tuple[Array, Array]:
        """Follow a track [T, 2] along the path: (metres along it [T], metres off it [T]).

        Each point's partner is the nearest one of the path from its predecessor's partner on,
        up to `reach` metres ahead, so that a path that crosses itself is not left at the crossing. Partners never go
        back.
        """
        from walkon.geometry import _path_kernels

        points = lock_array(track, (None, 2), name="the track")
        s, off = np.empty(len(points)), np.empty(len(points))
        _path_kernels.follow(points, self.points, self.arcs, float(reach), s, off)
        return s, off


def _drop_repeated(points: Array, *, apart: float) -> Array:
    """Return the points that are more than this many metres from the one before them; the first one always is."""
    return points[np.linalg.norm(np.diff(points, axis=0, prepend=np.inf), axis=1) > apart]


def _interpolate(s: ArrayLike, arcs: Array, points: Array) -> Array:
    """Return places [..., 2] at arc lengths [...], straight between points [K, 2] at increasing arc lengths [K]."""
    return np.stack([np.interp(np.asarray(s, np.float64), arcs, points[:, k]) for k in range(2)], axis=-1)


def _integrate(headings: Array, steps: float | Array) -> Array:
    """Return points [K, 2] from (0, 0), with `steps` (m) in the direction midway between neighbouring headings [K]."""
    middle = 0.5 * (headings[1:] + headings[:-1])
    moved = steps * np.stack([np.cos(middle), np.sin(middle)], axis=1)
    return np.concatenate([np.zeros((1, 2)), np.cumsum(moved, axis=0)])
