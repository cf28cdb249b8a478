"""A stage: where one can walk, what stands in the way and how high, where one sits, where one comes in.

Ground plane (x, y), metres; polygons are [K, 2], counter-clockwise, without the first point repeated at the end.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, lock, lock_array
from walkon._base.errors import InvalidValue
from walkon.geometry.polygons import signed_area

__all__ = ["HEADROOM_M", "STEP_OVER_M", "Door", "Obstacle", "Seat", "Stage", "require_different"]

HEADROOM_M, STEP_OVER_M = 2.1, 0.05
"""m: obstacles whose underside is at least so high are walked under; ones that are no higher are walked over."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Obstacle:
    """Something solid to walk around: a polygon from `base` up to `height`."""

    polygon: Array
    """[K, 2] metres."""
    height: float = 1.0
    """Metres, of its top above z = 0."""
    base: float = 0.0
    """Metres, of its underside above z = 0."""
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "polygon", _polygon(self.polygon, f"obstacle {self.name!r}"))
        if not (np.isfinite(self.height) and np.isfinite(self.base) and self.height > self.base):
            raise InvalidValue(
                f"obstacle {self.name!r} must be higher than its base, got {self.base:g} to {self.height:g} m"
            )

    @property
    def is_solid(self) -> bool:
        """Whether one has to walk around it: neither under nor over."""
        return bool(self.base < HEADROOM_M and self.height > STEP_OVER_M)


@dataclass(frozen=True, eq=False, kw_only=True)
class Seat:
    """A place to sit: where the hips come to rest and which way one faces then."""

    place: Array
    """[3] = (x, y, heading), metres and radians."""
    height: float = 0.45
    """Metres of the seat's top above z = 0."""
    name: str = ""

    def __post_init__(self) -> None:
        lock(self, "place", (3,))
        if not (np.isfinite(self.height) and self.height > 0):
            raise InvalidValue(f"seat {self.name!r} must have a positive height, got {self.height} m")


@dataclass(frozen=True, eq=False, kw_only=True)
class Door:
    """A line on the floor through which people come and go."""

    ends: Array
    """[2, 2] metres."""
    name: str = ""

    def __post_init__(self) -> None:
        lock(self, "ends", (2, 2))


@dataclass(frozen=True, eq=False, kw_only=True)
class Stage:
    """The place of a scene; empty by default: an endless flat floor."""

    bounds: Array | None = None
    """[K, 2] metres, polygon in which people may walk, or None for everywhere."""
    obstacles: tuple[Obstacle, ...] = ()
    seats: tuple[Seat, ...] = ()
    doors: tuple[Door, ...] = ()

    def __post_init__(self) -> None:
        if self.bounds is not None:
            object.__setattr__(self, "bounds", _polygon(self.bounds, "the stage's bounds"))
        for field in ("obstacles", "seats", "doors"):
            things: Sequence[Obstacle | Seat | Door] = tuple(getattr(self, field))
            object.__setattr__(self, field, things)
            require_different([thing.name for thing in things if thing.name], field)

    def __repr__(self) -> str:
        where = "endless" if self.bounds is None else f"{len(self.bounds)}-sided"
        return (
            f"Stage({where} floor, {len(self.obstacles)} obstacles, {len(self.seats)} seats, {len(self.doors)} doors)"
        )

    def floor(self, points: ArrayLike) -> tuple[Array, Array]:
        """Return heights [...] m and unit normals [..., 3] of the floor under ground points [..., 2]; flat for now."""
        places = np.asarray(points, dtype=np.float64)
        normals = np.zeros((*places.shape[:-1], 3))
        normals[..., 2] = 1.0
        return np.zeros(places.shape[:-1]), normals


def require_different(names: Sequence[str], what: str) -> None:
    """Raise `InvalidValue` where a name of several things of a kind, `what`, occurs more than once."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InvalidValue(f"names of {what} must differ, but {twice[0]!r} occurs more than once; rename one")


def _polygon(points: ArrayLike, whose: str) -> Array:
    """Check a polygon and make it counter-clockwise."""
    corners: Array = lock_array(points, (None, 2), name=f"the polygon of {whose}")
    if len(corners) < 3:
        raise InvalidValue(f"the polygon of {whose} needs at least three corners, got {len(corners)}")
    area = signed_area(corners)
    if abs(area) < 1e-9:
        raise InvalidValue(f"the polygon of {whose} has no area; its corners lie on a line")
    return corners if area > 0 else lock_array(corners[::-1], (None, 2), name=whose)
