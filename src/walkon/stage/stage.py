"""A stage: where one can walk, what stands or moves in the way and how high, where one sits, where one comes in.

Ground plane (x, y), metres; polygons are [K, 2], counter-clockwise, without the first point repeated at the end.
Heights are z of the world, and everything stands on the floor under it, whose height `Stage.floor_under` says.
What moves has a track: obstacles, and leaves of doors about their hinges (`Stage.moving`); `Stage.at` freezes it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, lock, lock_array
from walkon._base.errors import InvalidValue
from walkon.geometry.polygons import signed_area
from walkon.geometry.tracks import Track
from walkon.stage.floor import FlatFloor, Floor
from walkon.stage.moving import PlacedPrism, frames_at, place_prism, require_track, seen_from
from walkon.stage.under import heights_under

__all__ = [
    "HEADROOM_M",
    "LEAF_THICKNESS_M",
    "STEP_OVER_M",
    "Door",
    "Obstacle",
    "Seat",
    "Stage",
    "require_different",
]

HEADROOM_M, STEP_OVER_M = 2.1, 0.05
"""m above the floor: obstacles whose underside is at least so high are walked under; ones that are no higher are
walked over."""
HEIGHT_TOLERANCE_M = 1e-6
"""m by which heights above a floor may be off: they are differences."""

LEAF_THICKNESS_M = 0.04
"""m across the leaf of a door."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Obstacle:
    """Something solid to walk around: a polygon from `base` up to `height`, in the world or in the frame of a track."""

    polygon: Array
    """[K, 2] metres."""
    height: float = 1.0
    """Metres: z of its top."""
    base: float = 0.0
    """Metres: z of its underside."""
    name: str = ""
    seat: str = ""
    """Name of the seat that it is part of, if any."""
    track: Track | None = None
    """Of at least two knots, with headings; without them it faces the way it goes. None: it stands still."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "polygon", _polygon(self.polygon, f"obstacle {self.name!r}"))
        if self.track is not None:
            object.__setattr__(self, "track", require_track(self.track, f"obstacle {self.name!r}"))
        if not (np.isfinite(self.height) and np.isfinite(self.base) and self.height > self.base):
            raise InvalidValue(
                f"obstacle {self.name!r} must be higher than its base, got {self.base:g} to {self.height:g} m"
            )

    def placed(self, times: ArrayLike) -> PlacedPrism:
        """Return where it is in the world at times [T]."""
        frames = frames_at(self.track, times)
        return place_prism(self.polygon, base=self.base, height=self.height, frames=frames)

    def at(self, time: float) -> "Obstacle":
        """Return it as it stands at a time, without a track."""
        if self.track is None:
            return self
        polygons, bases, heights = self.placed([time])
        return replace(self, polygon=polygons[0], base=float(bases[0]), height=float(heights[0]), track=None)

    def seen(self, points: ArrayLike, times: ArrayLike) -> tuple[Array, Array, Array]:
        """Return ground points [N, 2] at times [N] in the frame of its polygon, and its underside and top [N] then."""
        if self.track is None:
            count = np.shape(times)
            places = np.broadcast_to(np.asarray(points, np.float64), (*count, 2))
            return places, np.broadcast_to(self.base, count), np.broadcast_to(self.height, count)
        frames = frames_at(self.track, times)
        return seen_from(frames, points), self.base + frames[:, 3], self.height + frames[:, 3]


@dataclass(frozen=True, eq=False, kw_only=True)
class Seat:
    """A place to sit: where the hips come to rest and which way one faces then."""

    place: Array
    """[3] = (x, y, heading), metres and radians."""
    height: float = 0.45
    """Metres: z of the seat's top."""
    name: str = ""

    def __post_init__(self) -> None:
        lock(self, "place", (3,))
        if not np.isfinite(self.height):
            raise InvalidValue(f"seat {self.name!r} must have a height in metres, got {self.height}")


@dataclass(frozen=True, eq=False, kw_only=True)
class Door:
    """A line on the floor through which people come and go; with a track, it has a leaf that turns about a hinge.

    The leaf is as long as the line and `LEAF_THICKNESS_M` thick, and hangs at one of the two ends. Its track is in the
    frame of the hinge, x along the closed leaf: headings are the angles by which it is open, counter-clockwise, and
    places are (0, 0), or by how much it has slid.
    """

    ends: Array
    """[2, 2] metres."""
    name: str = ""
    hinge: int = 0
    """Row of `ends` at which the leaf hangs, 0 or 1."""
    leaf_height: float = 2.0
    """Metres from its lower to its upper edge."""
    z: float = 0.0
    """Metres: the height of its sill, that of the floor it is on."""
    track: Track | None = None
    """None: an opening without a leaf."""

    def __post_init__(self) -> None:
        lock(self, "ends", (2, 2))
        if self.hinge not in (0, 1):
            raise InvalidValue(f"the hinge of door {self.name!r} is one of its two ends, 0 or 1, got {self.hinge!r}")
        object.__setattr__(self, "hinge", int(self.hinge))
        if not (np.isfinite(self.leaf_height) and self.leaf_height > 0):
            raise InvalidValue(f"the leaf of door {self.name!r} must have a positive height, got {self.leaf_height} m")
        if not np.isfinite(self.z):
            raise InvalidValue(f"the sill of door {self.name!r} must have a height in metres, got {self.z}")
        if self.track is None:
            return
        if self.track.headings is None:
            raise InvalidValue(
                f"the track of door {self.name!r} has no headings; they are the angles by which its leaf is open"
            )
        if np.linalg.norm(self.ends[1] - self.ends[0]) < LEAF_THICKNESS_M:
            raise InvalidValue(
                f"the ends of door {self.name!r} are less than {LEAF_THICKNESS_M:g} m apart, too near for a leaf"
            )
        object.__setattr__(self, "track", require_track(self.track, f"door {self.name!r}"))

    @property
    def leaf(self) -> Obstacle | None:
        """Its leaf as an obstacle that moves; None where it has none."""
        if self.track is None:
            return None
        hung, free = self.ends[self.hinge], self.ends[1 - self.hinge]
        along, half = free - hung, 0.5 * LEAF_THICKNESS_M
        width = float(np.linalg.norm(along))
        return Obstacle(
            polygon=np.array([[0.0, -half], [width, -half], [width, half], [0.0, half]]),
            height=self.z + self.leaf_height,
            base=self.z,
            name=f"{self.name}.leaf" if self.name else "",
            track=self.track.placed([*hung, np.arctan2(along[1], along[0])]),
        )


Mover = TypeVar("Mover", Obstacle, Door)


@dataclass(frozen=True, eq=False, kw_only=True)
class Stage:
    """The place of a scene; empty by default: an endless flat floor."""

    floor: Floor = field(default_factory=FlatFloor)
    """What one stands on: `stage.floor(points, near=z)` gives height and normal."""
    bounds: Array | None = None
    """[K, 2] metres, polygon in which people may walk, or None for everywhere."""
    obstacles: tuple[Obstacle, ...] = ()
    seats: tuple[Seat, ...] = ()
    doors: tuple[Door, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.floor, Floor):
            raise InvalidValue(f"the floor of a stage is a FlatFloor, RampFloor or TerrainFloor, got {self.floor!r}")
        if self.bounds is not None:
            object.__setattr__(self, "bounds", _polygon(self.bounds, "the stage's bounds"))
        for kind in ("obstacles", "seats", "doors"):
            things: Sequence[Obstacle | Seat | Door] = tuple(getattr(self, kind))
            object.__setattr__(self, kind, things)
            require_different([thing.name for thing in things if thing.name], kind)
        require_different([one.name for one in (*self.still, *self.moving) if one.name], "obstacles and leaves")
        for seat in self.seats:
            low = float(self.floor_under(seat.place[None, :2], near=seat.height)[0])
            if not seat.height > low:
                raise InvalidValue(
                    f"seat {seat.name!r} must be higher than the floor under it, got {seat.height:g} and {low:g} m"
                )

    def __repr__(self) -> str:
        where = "endless" if self.bounds is None else f"{len(self.bounds)}-sided"
        moving = f", {len(self.moving)} moving" if self.moving else ""
        return (
            f"Stage({where} floor, {len(self.obstacles)} obstacles, {len(self.seats)} seats, {len(self.doors)} "
            f"doors{moving})"
        )

    @cached_property
    def still(self) -> tuple[Obstacle, ...]:
        """The obstacles that never move."""
        return tuple(one for one in self.obstacles if one.track is None)

    @cached_property
    def moving(self) -> tuple[Obstacle, ...]:
        """The obstacles that have a track, and after them the `leaves`."""
        return (*(one for one in self.obstacles if one.track is not None), *self.leaves)

    @cached_property
    def leaves(self) -> tuple[Obstacle, ...]:
        """The leaves of doors that have one, as obstacles that move."""
        return tuple(leaf for door in self.doors if (leaf := door.leaf) is not None)

    def floor_under(self, points: ArrayLike, *, near: ArrayLike) -> Array:
        """Return z [K] of the floor at points [K, 2], of several the nearest to `near` [K]; `near` where is none."""
        heights = self.floor(points, near=near).heights
        return np.where(np.isfinite(heights), heights, near)

    def is_in_the_way(self, points: ArrayLike, bases: ArrayLike, tops: ArrayLike) -> BoolArray:
        """Say [K] whether one walks neither under nor over what is at points [K, 2] from z `bases` to `tops` [K] m.

        Of several floors the one nearest to the underside counts.
        """
        return self.blocks_at(self.floor_under(points, near=bases), bases, tops)

    @staticmethod
    def blocks_at(low: ArrayLike, bases: ArrayLike, tops: ArrayLike) -> BoolArray:
        """Say whether one who stands at heights `low` walks neither under nor over what is from `bases` to `tops`."""
        under = np.asarray(bases) - low < HEADROOM_M - HEIGHT_TOLERANCE_M
        return np.asarray(under & (np.asarray(tops) - low > STEP_OVER_M + HEIGHT_TOLERANCE_M))

    def are_solid(self, obstacles: Sequence[Obstacle]) -> BoolArray:
        """Say which obstacles [K] one has to walk around: whose prism is in the way anywhere on the floor under it.

        Of several floors the one nearest to the underside counts; of what moves ask `at`.
        """
        if not obstacles:
            return np.zeros(0, bool)
        bases, tops = (np.array([getattr(one, name) for one in obstacles]) for name in ("base", "height"))
        if self.floor.level is not None:
            return self.blocks_at(np.full(len(bases), self.floor.level), bases, tops)
        under = [heights_under(self.floor, one.polygon, near=one.base) for one in obstacles]
        # Beside a terrain an obstacle stands on its own underside.
        under = [low if len(low) else np.array([one.base]) for low, one in zip(under, obstacles, strict=True)]
        counts = np.array([len(low) for low in under])
        blocks = self.blocks_at(np.concatenate(under), np.repeat(bases, counts), np.repeat(tops, counts))
        return np.asarray(np.logical_or.reduceat(blocks, np.cumsum(counts) - counts))

    def at(self, time: float) -> "Stage":
        """Return the stage as it is at a time (s), everything standing still; leaves are obstacles then."""
        if not self.moving:
            return self
        return replace(
            self,
            obstacles=tuple(one.at(time) for one in (*self.obstacles, *self.leaves)),
            doors=tuple(replace(door, track=None) for door in self.doors),
        )

    def shifted(self, seconds: float) -> "Stage":
        """Return the stage on which everything that moves does so some seconds later."""
        if not self.moving:
            return self

        def later(thing: Mover) -> Mover:
            return thing if thing.track is None else replace(thing, track=thing.track.shifted(seconds))

        return replace(
            self, obstacles=tuple(later(one) for one in self.obstacles), doors=tuple(later(door) for door in self.doors)
        )


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
