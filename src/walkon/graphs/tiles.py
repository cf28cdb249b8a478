"""Tiles: how the comparison of many clips is cut into pieces of work.

Every pair of clips is a rectangle of its own, cut from its own corner into tiles of at most HEIGHT by WIDTH windows.
What a tile gives does not depend on how it was cut (see `_distance_kernels`), so this is about speed and memory only.
The distance is symmetric: a pair of clips is compared one way round, the lower number first, and a clip with itself
only above the diagonal.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import BoolArray, IntArray
from walkon.graphs.point_clouds import FrameSet

__all__ = ["Tiles", "tiles_of"]

HEIGHT, WIDTH = 512, 512
"""The largest tile: windows along the first clip, and along the second."""
ANY = -(2**40)
"""Less than any difference of two frames: all pairs of two different clips are candidates."""


class Tiles(NamedTuple):
    """N pieces of work."""

    ranges: IntArray
    """[N, 9] what `_distance_kernels.scan_tiles` reads."""
    first: IntArray
    """[N] the lower clip of each tile's pair."""
    second: IntArray
    """[N] the other clip."""

    @property
    def largest(self) -> int:
        """The most minima that one tile can have: of four pairs in a square, only one can be."""
        rows, columns = (self.ranges[:, k + 1] - self.ranges[:, k] for k in (0, 2))
        return int((((rows + 1) // 2) * ((columns + 1) // 2)).max(initial=0))


def tiles_of(frames: FrameSet, wanted: BoolArray, *, whole: bool = False) -> Tiles:
    """Return the tiles of the wanted pairs of clips [N, N] (either way round), sorted by columns, then rows.

    Of a clip with itself only pairs whose windows do not overlap are candidates, and only tiles that have some are
    made; `whole` makes all of them.
    """
    from walkon.graphs._distance_kernels import PITCH

    k = frames.length
    # A working row holds the windows of the tile, one more on each side, and the k − 1 frames after.
    height, width = HEIGHT, min(WIDTH, PITCH - k - 1)
    first, second = np.nonzero(np.triu(wanted | wanted.T))
    counts = frames.window_stops - frames.starts
    down, across = -(-counts[first] // height), -(-counts[second] // width)
    pair = np.repeat(np.arange(len(first)), down * across)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(down * across) - down * across, down * across)
    first, second, across = first[pair], second[pair], across[pair]
    row, column = frames.starts[first] + within // across * height, frames.starts[second] + within % across * width
    row_stop = np.minimum(row + height, frames.window_stops[first])
    column_stop = np.minimum(column + width, frames.window_stops[second])
    same = first == second
    if not whole:
        row_stop = np.where(same, np.minimum(row_stop, column_stop - k), row_stop)
    ranges = np.stack(
        [
            *(row, row_stop, column, column_stop),
            *(frames.starts[first], frames.window_stops[first], frames.starts[second], frames.window_stops[second]),
            np.where(same, k, ANY),
        ],
        axis=1,
    )
    kept = np.flatnonzero(row_stop > row)
    # Columns are prepared once for all tiles that share them.
    kept = kept[np.lexsort((row[kept], column[kept]))]
    return Tiles(ranges[kept], first[kept], second[kept])
