"""Trajectories on their way to a file: a stream of blocks sorted by frame, so that memory does not grow with the crowd.

Metres on the ground plane (x, y), radians, seconds.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray

__all__ = ["TrajectoryRows", "TrajectoryStream"]


class TrajectoryRows(NamedTuple):
    """n rows of a stream, sorted by frame and then by person."""

    ids: IntArray
    """[n] numbers of the people."""
    columns: IntArray
    """[n] where in the stream's people these are."""
    frames: IntArray
    """[n] from 0."""
    times: Array
    """[n] seconds."""
    planar: Array
    """[n, 3] = (x, y, heading), metres and radians."""
    floor: Array
    """[n] metres: z of the floor that they are on; of what cannot stand, of its root."""
    velocities: Array
    """[n, 2] m/s; NaN for a person who is there for a single frame."""

    @property
    def speeds(self) -> Array:
        """[n] m/s."""
        return np.asarray(np.hypot(self.velocities[:, 0], self.velocities[:, 1]))


@dataclass(frozen=True, eq=False, kw_only=True)
class TrajectoryStream:
    """N people over `count` frames, on their way to a file."""

    blocks: Iterator[TrajectoryRows]
    """Every frame comes once, a frame without anybody in no row."""
    ids: IntArray
    """[N]."""
    names: Sequence[str]
    """[N]."""
    rate: float
    """Frames per second."""
    start: float
    """Seconds at frame 0."""
    count: int
    geometry: str | None
    """The walkable area as WKT; None where the floor is endless."""
    area_around: Callable[[Array, Array], str]
    """The walkable area on an endless floor, from one corner [2] to another, for files that must have one."""
