"""Floors (ground surfaces): height and normal of what one stands on, flat, a ramp, or a terrain of triangles.

`floor(points, near=z)` gives, for ground points [..., 2], the height and the unit normal of the surface under or over
each that is nearest to the height z; without z, of the highest. NaN where there is no floor. There are no numbers of
levels: a ramp has none.

A *ramp* is level before its start and after its stop, and endless to both sides,

    z = z₀ + (z₁ − z₀) clip(s, 0, 1),     s = (p − p₀)·(p₁ − p₀) / |p₁ − p₀|²                                (1)

A *terrain* is what of a mesh faces up: heights are the triangles' own, exactly (`geometry.triangle_grid`). World frame,
metres, z up.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, IntArray, lock
from walkon._base.errors import InvalidValue
from walkon.geometry.triangle_grid import TriangleGrid
from walkon.stage.terrain_checks import area_vectors, check_terrain, lies_on_its_side
from walkon.transforms import planar

__all__ = ["FlatFloor", "Floor", "FloorInFrame", "FloorPoints", "RampFloor", "TerrainFloor"]

MAX_HEIGHT_M = 1e4
"""m from z = 0 at which a floor is at most."""
ABOVE_ALL_M = 2 * MAX_HEIGHT_M
"""m: above all floors; what is nearest to it is the highest."""
MIN_STOREY_M = 0.5
"""m by which floors above each other differ at least: less is a step, a kerb or a doubled triangle."""


class FloorPoints(NamedTuple):
    """The floor at some places."""

    heights: Array
    """[...] metres; NaN where there is no floor."""
    normals: Array
    """[..., 3] unit, pointing up; NaN where there is no floor."""


class Floor(ABC):
    """What one stands on."""

    @abstractmethod
    def __call__(self, points: ArrayLike, *, near: ArrayLike | None = None) -> FloorPoints:
        """Return height and normal at ground points [..., 2] of the surface nearest to the heights `near` [...] m."""

    def follow(self, points: Array, begins: IntArray, near: Array) -> Array:
        """Return the heights [P] m along ways over the floor, each place's nearest to the height before it.

        Ways are runs of ground points [P, 2] that begin at rows `begins` [W], where the floor is the nearest to `near`
        [W] m (NaN: the highest). A place without floor has the height before it.
        """
        return self(points).heights

    def lowest(self, points: ArrayLike) -> Array:
        """Return the heights [...] m of the lowest floor at ground points [..., 2]; NaN where there is none."""
        return self(points, near=-ABOVE_ALL_M).heights

    def overlaps(self, points: ArrayLike) -> BoolArray:
        """Say whether several floors lie above each other at ground points [..., 2]: then one has to say which."""
        return np.asarray(self(points).heights - self.lowest(points) > MIN_STOREY_M)

    def hint_where_none(self) -> str:
        """Return what may be wrong where there is no floor, to be put behind a sentence; empty: nothing is known."""
        return ""

    @abstractmethod
    def placed(self, pose: ArrayLike) -> "Floor":
        """Return the floor moved by a placed pose (x, y, heading, z)."""

    @property
    def level(self) -> float | None:
        """Its height where it is the same everywhere, m; None where it is not flat."""
        return None

    @property
    def is_layered(self) -> bool:
        """Whether floors may lie above each other somewhere; where not, a place on the ground plane has one height."""
        return False


@dataclass(frozen=True, eq=False)
class FlatFloor(Floor):
    """An endless level floor."""

    height: float = 0.0
    """Metres above z = 0."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "height", _height(self.height, "the floor"))

    @property
    def level(self) -> float | None:
        """Its height, m."""
        return self.height

    def __call__(self, points: ArrayLike, *, near: ArrayLike | None = None) -> FloorPoints:
        """Return the same height everywhere."""
        shape = _ground(points).shape[:-1]
        normals = np.zeros((*shape, 3))
        normals[..., 2] = 1.0
        return FloorPoints(np.full(shape, self.height), normals)

    def placed(self, pose: ArrayLike) -> "FlatFloor":
        """Return the floor lifted by the z of a placed pose."""
        return FlatFloor(self.height + float(np.asarray(pose, np.float64)[3]))


@dataclass(frozen=True, eq=False)
class RampFloor(Floor):
    """A ramp between two level halves."""

    start: Array
    """[3] metres: a place at its foot or its top, with its height."""
    stop: Array
    """[3] metres: the place where it ends, straight on."""

    def __post_init__(self) -> None:
        lock(self, "start", (3,))
        lock(self, "stop", (3,))
        _height(self.start[2], "the ramp")
        _height(self.stop[2], "the ramp")
        if np.linalg.norm(self.stop[:2] - self.start[:2]) < 1e-3:
            raise InvalidValue(
                f"a ramp leads from one place to another, but {self.start.tolist()} and {self.stop.tolist()} are one "
                "seen from above"
            )

    def __call__(self, points: ArrayLike, *, near: ArrayLike | None = None) -> FloorPoints:
        """Return height and normal, eq. (1); at the two edges the normal is the ramp's."""
        along = self.stop[:2] - self.start[:2]
        # Written out: a matrix product rounds a place differently in another company.
        away = _ground(points) - self.start[:2]
        s = (away[..., 0] * along[0] + away[..., 1] * along[1]) / (along @ along)
        rise = self.stop[2] - self.start[2]
        sloping = (s >= 0) & (s <= 1)
        slope = rise / (along @ along) * along
        normal = np.array([-slope[0], -slope[1], 1.0])
        normals = np.where(sloping[..., None], normal / np.linalg.norm(normal), [0.0, 0.0, 1.0])
        return FloorPoints(self.start[2] + rise * np.clip(s, 0.0, 1.0), normals)

    def placed(self, pose: ArrayLike) -> "RampFloor":
        """Return the ramp moved by a placed pose (x, y, heading, z)."""
        return RampFloor(*_place(np.stack([self.start, self.stop]), pose))


@dataclass(frozen=True, eq=False)
class TerrainFloor(Floor):
    """A terrain of F triangles, in one layer or several."""

    corners: Array
    """[F, 3, 3] metres, counter-clockwise seen from above where one may stand; upright ones only shape it."""

    def __post_init__(self) -> None:
        lock(self, "corners", (None, 3, 3))
        check_terrain(self.corners)

    @cached_property
    def grid(self) -> TriangleGrid:
        """The triangles by cells of the ground plane."""
        return TriangleGrid.of(self.corners)

    @cached_property
    def is_layered(self) -> bool:
        """Whether floors may lie above each other somewhere."""
        return self.grid.has_layers(rise=MIN_STOREY_M)

    @cached_property
    def face_normals(self) -> Array:
        """[F, 3] unit normals of the triangles; 0 of those without an area."""
        areas = area_vectors(self.corners)
        return np.asarray(areas / np.maximum(np.linalg.norm(areas, axis=1, keepdims=True), 1e-300))

    def __call__(self, points: ArrayLike, *, near: ArrayLike | None = None) -> FloorPoints:
        """Return height and normal of the triangle under or over each point that is nearest to `near`."""
        places = _ground(points)
        shape = places.shape[:-1]
        z = np.broadcast_to(np.nan if near is None else np.asarray(near, np.float64), shape)
        found = self.grid.nearest(places.reshape(-1, 2), z.ravel())
        normals = np.where((found.triangles >= 0)[:, None], self.face_normals[found.triangles], np.nan)
        return FloorPoints(found.heights.reshape(shape), normals.reshape(*shape, 3))

    def hint_where_none(self) -> str:
        """Return that the mesh may lie on its side, where more of it could be stood on if another axis were up."""
        if not lies_on_its_side(self.corners):
            return ""
        return ", or, as more of its mesh would be level with the other axis up, set up to the axis that is (y or z)"

    def follow(self, points: Array, begins: IntArray, near: Array) -> Array:
        """Return the heights [P] m along ways over the terrain."""
        return self.grid.follow(points, begins, near)

    def placed(self, pose: ArrayLike) -> "TerrainFloor":
        """Return the terrain moved by a placed pose (x, y, heading, z)."""
        return TerrainFloor(_place(self.corners, pose))


@dataclass(frozen=True, eq=False)
class FloorInFrame(Floor):
    """A floor as it is seen from a planar frame; nothing of it is copied."""

    floor: Floor
    """In the world."""
    pose: Array
    """[3] (x, y, heading) of the frame in the world."""

    def __post_init__(self) -> None:
        lock(self, "pose", (3,))

    @property
    def level(self) -> float | None:
        """Its height where it is the same everywhere, m."""
        return self.floor.level

    @property
    def is_layered(self) -> bool:
        """Whether floors may lie above each other somewhere."""
        return self.floor.is_layered

    def __call__(self, points: ArrayLike, *, near: ArrayLike | None = None) -> FloorPoints:
        """Return height and normal at ground points of the frame, the latter in the frame."""
        found = self.floor(planar.apply(self.pose, _ground(points)), near=near)
        return FloorPoints(found.heights, planar.apply_3d([0.0, 0.0, -self.pose[2]], found.normals))

    def follow(self, points: Array, begins: IntArray, near: Array) -> Array:
        """Return the heights [P] m along ways in the frame."""
        return self.floor.follow(planar.apply(self.pose, points), begins, near)

    def placed(self, pose: ArrayLike) -> Floor:
        """Return the floor moved by a placed pose (x, y, heading, z) of the frame."""
        moved = planar.compose(np.asarray(pose, np.float64)[:3], planar.inverse(self.pose))
        return self.floor.placed([*moved, float(np.asarray(pose, np.float64)[3])])


def _ground(points: ArrayLike) -> Array:
    places = np.asarray(points, np.float64)
    if places.ndim < 1 or places.shape[-1] != 2:
        raise InvalidValue(f"the floor is asked at ground points [..., 2], got an array of shape {places.shape}")
    return places


def _place(points: Array, pose: ArrayLike) -> Array:
    """Return points [..., 3] moved by a placed pose (x, y, heading, z)."""
    x, y, heading, z = np.asarray(pose, np.float64)
    return np.concatenate([planar.apply(np.array([x, y, heading]), points[..., :2]), points[..., 2:] + z], axis=-1)


def _height(value: float, whose: str) -> float:
    try:
        height = float(value)
    except (TypeError, ValueError):
        height = np.nan
    if not abs(height) <= MAX_HEIGHT_M:
        raise InvalidValue(f"the height of {whose} is metres from -{MAX_HEIGHT_M:g} to {MAX_HEIGHT_M:g}, got {value!r}")
    return height
