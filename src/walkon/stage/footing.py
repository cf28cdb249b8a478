"""Footing: whether a way over a floor can be walked at all, looked at every few centimetres.

Planning is in the ground plane; whether there is something to stand on comes from the floor. A way is followed from
where it begins: each look's floor is the nearest to the one before. It breaks off where there is no floor for longer
than a foot bridges, and where the floor drops or rises between two looks by more than people step down or climb. Stairs
(17 to 25 cm), kerbs and slopes that can be stood on pass. Level floors have footing everywhere. World, metres.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.stage.floor import Floor

__all__ = ["MAX_CLIMB_M", "MissingFooting", "missing_footing", "points_along"]

FOOTING_STEP_M = 0.05
"""m between two looks at the floor."""
MAX_CLIMB_M = 0.5
"""m by which the floor may rise or drop between two looks: twice the steepest stair, and the least between storeys."""
MAX_GAP_M = 0.15
"""m without floor that a foot bridges: seams of meshes and gratings; half the length of a foot."""


class MissingFooting(NamedTuple):
    """The first place on a way at which it cannot be walked on."""

    point: Array
    """[2] m."""
    rise: float
    """m by which the floor rises there, below 0 where it drops; NaN: there is no floor."""

    def sentence(self, x: float, y: float) -> str:
        """Return what is wrong, with the place as it is to be called."""
        at = f"at ({round(x, 2) + 0.0:.2f}, {round(y, 2) + 0.0:.2f}) on the way"
        if np.isnan(self.rise):
            return f"there is no floor {at}"
        return f"the floor {'rises' if self.rise > 0 else 'drops'} by {abs(self.rise):.2g} m {at}"


def missing_footing(floor: Floor, path: Array, *, near: float = np.nan) -> MissingFooting | None:
    """Return where a way [P, 2] over a floor breaks off first, None where it does not.

    It begins on the floor nearest to a height (m; NaN: the highest).
    """
    if floor.level is not None or not len(path):
        return None
    points, _ = points_along(path[:-1], path[1:], apart=FOOTING_STEP_M)
    points = np.concatenate([points, path[-1:]])
    heights = floor.follow(points, np.zeros(1, np.int64), np.array([near]))
    rises = np.diff(heights, prepend=heights[:1])
    bare = np.isnan(floor(points, near=heights).heights)
    # How many looks in a row, up to each, found no floor.
    row = np.arange(len(points))
    since = row - np.maximum.accumulate(np.where(bare, -1, row))
    bottomless = since * FOOTING_STEP_M > MAX_GAP_M
    broken = bottomless | (np.abs(rises) > MAX_CLIMB_M) | (bare & (row == 0))
    if not broken.any():
        return None
    first = int(broken.argmax())
    if bottomless[first] or bare[first]:
        return MissingFooting(points[first - max(int(since[first]) - 1, 0)], np.nan)
    return MissingFooting(points[first], float(rises[first]))


def points_along(starts: Array, stops: Array, *, apart: float, ends: bool = False) -> tuple[Array, IntArray]:
    """Return points [n, 2] along lines from starts to stops [L, 2], at most `apart` m apart, and where each line
    begins [L]; without their `ends` unless told.
    """
    counts = np.ceil(np.linalg.norm(stops - starts, axis=1) / apart).astype(np.int64)
    counts = np.maximum(counts, 1)
    taken = counts + int(ends)
    begins = np.concatenate([[0], np.cumsum(taken)])[:-1]
    line = np.repeat(np.arange(len(starts)), taken)
    share = ((np.arange(len(line)) - begins[line]) / counts[line])[:, None]
    return (1.0 - share) * starts[line] + share * stops[line], begins
