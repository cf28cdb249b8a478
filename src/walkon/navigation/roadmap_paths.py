"""Many paths in one array: all points end to end, where each path begins, and why some pairs have none. Metres."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray, lock
from walkon._base.errors import InvalidValue

__all__ = ["RoadmapPaths"]


@dataclass(frozen=True, eq=False, kw_only=True)
class RoadmapPaths:
    """The ways of N pairs of places; `paths[i]` is one of them, or None."""

    points: Array
    """[sum of lengths, 2] m, path after path."""
    offsets: IntArray
    """[N + 1] where each path begins in `points`; a pair without a way has no points."""
    reasons: tuple[str, ...]
    """[N] why there is no way; empty where there is one."""

    def __post_init__(self) -> None:
        lock(self, "points", (None, 2))
        lock(self, "offsets", (None,), np.int64)
        if len(self.offsets) != len(self.reasons) + 1:
            raise InvalidValue(f"{len(self.reasons)} paths need one offset more, got {len(self.offsets)}")

    def __len__(self) -> int:
        return len(self.reasons)

    def __getitem__(self, pair: int) -> Array | None:
        if not -len(self) <= pair < len(self):
            raise IndexError(f"there are {len(self)} paths, number {pair} is none of them")
        pair %= len(self)
        path = self.points[self.offsets[pair] : self.offsets[pair + 1]]
        return path if len(path) else None

    def __iter__(self) -> Iterator[Array | None]:
        return (self[pair] for pair in range(len(self)))

    def __repr__(self) -> str:
        return f"RoadmapPaths({int(self.found.sum())} of {len(self)} pairs, {len(self.points)} way points)"

    @cached_property
    def found(self) -> BoolArray:
        """[N] whether there is a way."""
        return np.diff(self.offsets) > 0

    @cached_property
    def lengths(self) -> Array:
        """[N] m along each path; infinite where there is none."""
        steps = np.zeros(max(len(self.points), 1))
        steps[1:] = np.linalg.norm(np.diff(self.points, axis=0), axis=1)
        run = np.cumsum(steps)
        first, last = np.minimum(self.offsets[:-1], len(run) - 1), np.maximum(self.offsets[1:] - 1, 0)
        return np.where(self.found, run[last] - run[first], np.inf)
