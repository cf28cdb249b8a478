"""Tracks: places over time, without joints. Discs, birds, props, moving obstacles, guides, reference trajectories.

A `Track` is K knots (time, place, and which way it faces: a heading or a quaternion). Between two knots, with u from
0 to 1 and h seconds between them, places go

    straight                     (1 − u) p₀ + u p₁
    or by the cubic Hermite      (1 + 2u)(1 − u)² p₀ + u²(3 − 2u) p₁ + h u (1 − u)² v₀ − h u² (1 − u) v₁

where velocities are given; headings and quaternions turn evenly, the shorter way. Before its first and after its last
knot it stays where it is. `Trajectories` are the tracks of many people with numbers and one rate, as rows.

World frame, metres, seconds, radians, quaternions w first.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray, lock, lock_array, lock_fields
from walkon._base.errors import InvalidShape, InvalidValue, UnknownName
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

__all__ = ["Track", "Trajectories", "headings_along"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Track:
    """Knots of one thing that moves."""

    times: Array
    """[K] s, increasing."""
    places: Array
    """[K, D] m, D = 2 on the floor or 3 in space."""
    headings: Array | None = None
    """[K] rad; neighbours are taken to be less than half a turn apart, and stored so."""
    rotations: Array | None = None
    """[K, 4] unit quaternions, to the world; only in space, and only where there are no headings."""
    velocities: Array | None = None
    """[K, D] m/s at the knots; without them places go straight from knot to knot."""

    def __post_init__(self) -> None:
        lock(self, "times", (None,))
        lock(self, "places", (len(self.times), None))
        K, D = self.places.shape
        if D not in (2, 3):
            raise InvalidShape(f"places of a track are [K, 2] on the floor or [K, 3] in space, got {self.places.shape}")
        if not K or (np.diff(self.times) <= 0).any():
            raise InvalidValue(f"a track needs knots at increasing times, got {self.times.tolist()[:9]}")
        if self.rotations is not None and (D == 2 or self.headings is not None):
            raise InvalidValue("a track has headings or, in space, quaternions; give one of the two")
        for name, shape in (("headings", (K,)), ("rotations", (K, 4)), ("velocities", (K, D))):
            if getattr(self, name) is not None:
                lock(self, name, shape)
        if self.headings is not None:
            object.__setattr__(self, "headings", lock_array(np.unwrap(self.headings), (K,), name="headings"))

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        return f"Track({len(self)} knots, {self.times[0]:g} to {self.times[-1]:g} s)"

    def at(self, times: ArrayLike) -> Array:
        """Return where it is at times [...]: places [..., D], or poses where it knows which way it faces.

        With headings they are planar [..., 3] = (x, y, heading) or, in space, placed [..., 4] = (x, y, heading, z);
        with quaternions rigid [..., 7].
        """
        t = np.clip(np.asarray(times, dtype=np.float64), self.times[0], self.times[-1])
        i = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, max(len(self) - 2, 0))
        j = np.minimum(i + 1, len(self) - 1)
        h = np.where(j > i, self.times[j] - self.times[i], 1.0)
        u = ((t - self.times[i]) / h)[..., None]
        # The first knot and what is added to it: where two knots are the same, it stays to the last bit.
        step = self.places[j] - self.places[i]
        if self.velocities is None:
            place = self.places[i] + u * step
        else:
            swept = u * (1 - u) ** 2 * self.velocities[i] - u**2 * (1 - u) * self.velocities[j]
            place = self.places[i] + u**2 * (3 - 2 * u) * step + h[..., None] * swept
        if self.headings is not None:
            heading = self.headings[i][..., None] + u * (self.headings[j] - self.headings[i])[..., None]
            return np.concatenate([place[..., :2], heading, place[..., 2:]], axis=-1)
        if self.rotations is not None:
            return np.concatenate([place, quat.slerp(self.rotations[i], self.rotations[j], u[..., 0])], axis=-1)
        return np.asarray(place)

    def with_headings(self) -> "Track":
        """Return the track with the headings of its way (`headings_along`), unless it says which way it faces."""
        if self.headings is not None or self.rotations is not None:
            return self
        return replace(self, headings=headings_along(self.places[:, None])[:, 0])

    def shifted(self, seconds: float) -> "Track":
        """Return the track later by some seconds."""
        return replace(self, times=self.times + seconds)

    def placed(self, pose: ArrayLike) -> "Track":
        """Return the track turned about the vertical and moved by a pose (x, y, heading) or (x, y, heading, z)."""
        pose = np.asarray(pose, dtype=np.float64)
        move = planar.apply if self.places.shape[1] == 2 else planar.apply_3d
        turn = np.array([0.0, 0.0, pose[2]])
        places = move(pose[:3], self.places)
        places[:, 2:] += pose[3:].sum()
        return replace(
            self,
            places=places,
            headings=None if self.headings is None else self.headings + pose[2],
            rotations=None if self.rotations is None else quat.multiply(quat.turn(pose[2]), self.rotations),
            velocities=None if self.velocities is None else move(turn, self.velocities),
        )


def headings_along(places: Array) -> Array:
    """Return headings [T, N] of ways [T, N, ≥ 2]: of the step ahead; where there is none, of the last or first one."""
    step = np.diff(places[..., :2], axis=0, append=places[-1:, :, :2])
    moves = np.hypot(step[..., 0], step[..., 1]) > 1e-6
    first = moves.argmax(axis=0)
    ahead: IntArray = np.maximum.accumulate(np.where(moves, np.arange(len(step))[:, None], first), axis=0)
    return np.take_along_axis(np.arctan2(step[..., 1], step[..., 0]), ahead, axis=0)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Trajectories:
    """People over time, one row per person and frame; rows may come in any order, and are sorted."""

    ids: IntArray
    """[n] numbers of the people, as the file has them."""
    frames: IntArray
    """[n]."""
    times: Array
    """[n] seconds."""
    positions: Array
    """[n, 2] metres."""
    heights: Array | None = None
    """[n] metres: z as the file has it, NaN where it does not say; None where it never does. In files of Walkon it is
    that of the floor under people."""
    headings: Array | None = None
    """[n] radians from +x, NaN where the file does not say; None where it never does."""
    rate: float
    """Frames per second."""
    geometry: str | None = None
    """The walkable area as WKT (metres), where the file has it."""
    names: Mapping[int, str] = field(default_factory=dict)
    """Of people, by number, where the file has them."""

    def __post_init__(self) -> None:
        lock(self, "ids", (None,), np.int64)
        n = len(self.ids)
        for name, shape, dtype in (("frames", (n,), np.int64), ("times", (n,), float), ("positions", (n, 2), float)):
            lock(self, name, shape, dtype)
        for name in ("heights", "headings"):
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, np.array(given, dtype=np.float64))
                if np.shape(given) != (n,):
                    raise InvalidShape(f"Trajectories.{name} must have shape ({n},), got {np.shape(given)}")
        order = np.lexsort((self.frames, self.ids))
        for name in ("ids", "frames", "times", "positions", "heights", "headings"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, lock_fields((getattr(self, name)[order],))[0])
        object.__setattr__(self, "rate", float(self.rate))
        object.__setattr__(self, "names", MappingProxyType(dict(self.names)))
        if not (np.isfinite(self.rate) and self.rate > 0):
            raise InvalidValue(f"the rate must be over 0 frames per second, got {self.rate:g}")
        twice = np.flatnonzero((np.diff(self.ids) == 0) & (np.diff(self.frames) == 0))
        if len(twice):
            raise InvalidValue(
                f"person {self.ids[twice[0]]} is twice in frame {self.frames[twice[0]]}; remove one of the two rows"
            )

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        if not len(self):
            return "Trajectories(nobody)"
        return (
            f"Trajectories({len(self.people)} people, {len(self)} rows, {self.times.min():.2f} to "
            f"{self.times.max():.2f} s, {self.rate:g} frames/s{'' if self.headings is None else ', with headings'})"
        )

    @property
    def people(self) -> IntArray:
        """The numbers of all people, ascending."""
        return np.unique(self.ids)

    def of(self, person: int | str) -> "Trajectories":
        """Return one person's rows, by number or name."""
        if isinstance(person, str):
            UnknownName.check("person", person, self.names.values())
            person = next(number for number, name in self.names.items() if name == person)
        a, b = np.searchsorted(self.ids, [person, person + 1])
        if a == b:
            raise InvalidValue(f"there is no person {person}; `people` lists the {len(self.people)} that there are")
        return replace(
            self,
            ids=self.ids[a:b],
            frames=self.frames[a:b],
            times=self.times[a:b],
            positions=self.positions[a:b],
            headings=None if self.headings is None else self.headings[a:b],
            names={k: v for k, v in self.names.items() if k == person},
        )

    def track(self, person: int | str) -> Track:
        """Return one person's track, straight from row to row; with headings where the file says all of them."""
        mine = self.of(person)
        known = mine.headings is not None and np.isfinite(mine.headings).all()
        return Track(times=mine.times, places=mine.positions, headings=mine.headings if known else None)
