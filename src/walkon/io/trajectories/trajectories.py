"""Trajectories: who is where in which frame. Discs, not bodies: what pedestrian tools write and measure.

Metres on the ground plane (x, y), radians, seconds; n rows, sorted by person and then by frame.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from walkon._base.arrays import Array, IntArray, lock
from walkon._base.errors import InvalidShape, InvalidValue, UnknownName

__all__ = ["Trajectories"]


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
    headings: Array | None = None
    """[n] radians from +x, NaN where the file does not say; None where it never does."""
    rate: float
    """Frames per second."""
    geometry: str | None = None
    """The walkable area as WKT (metres), where the file has it."""
    names: Mapping[int, str] = field(default_factory=dict)
    """Of people, by number, where the file has them."""

    def __post_init__(self) -> None:
        for name in ("ids", "frames"):
            lock(self, name, (None,), np.int64)
        n = len(self.ids)
        order = np.lexsort((self.frames, self.ids)) if len(self.frames) == n else np.arange(n)
        if np.any(order != np.arange(n)):
            for name in ("ids", "frames", "times", "positions", "headings"):
                rows = getattr(self, name)
                if rows is not None and len(rows) == n:
                    object.__setattr__(self, name, np.asarray(rows)[order])
        for name, shape in (("ids", (n,)), ("frames", (n,))):
            lock(self, name, shape, np.int64)
        lock(self, "times", (n,))
        lock(self, "positions", (n, 2))
        if self.headings is not None:
            headings = np.array(self.headings, dtype=np.float64)
            if headings.shape != (n,):
                raise InvalidShape(f"Trajectories.headings must have shape ({n},), got {headings.shape}")
            headings.flags.writeable = False
            object.__setattr__(self, "headings", headings)
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
            numbers = [number for number, name in self.names.items() if name == person]
            if not numbers:
                raise UnknownName.among("person", person, self.names.values())
            person = numbers[0]
        a, b = np.searchsorted(self.ids, [person, person + 1])
        if a == b:
            raise InvalidValue(f"there is no person {person}; `people` lists the {len(self.people)} that there are")
        return Trajectories(
            ids=self.ids[a:b],
            frames=self.frames[a:b],
            times=self.times[a:b],
            positions=self.positions[a:b],
            headings=None if self.headings is None else self.headings[a:b],
            rate=self.rate,
            geometry=self.geometry,
            names={k: v for k, v in self.names.items() if k == person},
        )
