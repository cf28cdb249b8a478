"""Rows of trajectories: the planar pose and the velocity of everyone who is there, frame by frame, in blocks of time.

The place is the planar pose of a frame: the root joint over the floor and where the hips face, as everywhere in Walkon.
The velocity is the central difference over the frames before and after, one-sided where somebody has just come or is
about to leave, and NaN for somebody who is there for a single frame:

    v(k) = (p(k + 1) − p(k − 1)) fps / 2

Who is absent has no row.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.export.excerpt import Excerpt

__all__ = ["Rows", "trajectory_rows"]


class Rows(NamedTuple):
    """n rows, sorted by frame and then by character."""

    ids: IntArray
    """[n] rows of the take's characters."""
    columns: IntArray
    """[n] where in the excerpt these characters are."""
    frames: IntArray
    """[n] from 0, the excerpt's first moment."""
    times: Array
    """[n] seconds on the take's clock."""
    planar: Array
    """[n, 3] = (x, y, heading), metres and radians."""
    velocities: Array
    """[n, 2] m/s."""

    @property
    def speeds(self) -> Array:
        """[n] m/s."""
        return np.asarray(np.hypot(self.velocities[:, 0], self.velocities[:, 1]))


def trajectory_rows(excerpt: Excerpt, progress: Callable[[float], None]) -> Iterator[Rows]:
    """Yield the rows of an excerpt, block by block; every frame comes once, a frame without anybody in no row."""
    nobody = np.full((1, len(excerpt.characters), 3), np.nan)
    window, first = nobody, 0
    for block in excerpt.by_time():
        window = np.concatenate([window, block.poses.planar])
        yield _rows(excerpt, window, first)
        first += len(window) - 2
        # The last frame waits for the one after it, and needs the one before it.
        window = window[-2:]
        progress((first + 1) / excerpt.count)
    yield _rows(excerpt, np.concatenate([window, nobody]), first)


def _rows(excerpt: Excerpt, window: Array, first: int) -> Rows:
    """Rows of all frames of a window [m, N, 3] but the first and the last; the second is number `first`."""
    here = window[1:-1]
    behind, ahead = here[..., :2] - window[:-2, :, :2], window[2:, :, :2] - here[..., :2]
    step = np.where(np.isnan(ahead), behind, np.where(np.isnan(behind), ahead, 0.5 * (ahead + behind)))
    frame, column = np.nonzero(~np.isnan(here[..., 0]))
    return Rows(
        ids=excerpt.characters[column],
        columns=column,
        frames=first + frame,
        times=excerpt.times[first + frame],
        planar=here[frame, column],
        velocities=step[frame, column] * excerpt.fps,
    )
