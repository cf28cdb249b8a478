"""Reference trajectories, read: where characters were asked to be at any time. World frame, metres, rigid poses [7]."""

from typing import TYPE_CHECKING

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.take.posing.track_poses import read_tracks
from walkon.transforms import rigid

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = ["reference_poses"]


def reference_poses(take: "Take", who: IntArray, when: Array) -> Array:
    """Return the poses [K, 7] at which characters [K] were asked to be at times [K] s; NaN where they were not."""
    from walkon.take.posing import _arm_kernels

    r = take.references
    found, row = np.full((len(who), 7), np.nan), np.empty(len(who), np.int64)
    first = np.searchsorted(r.character, np.arange(len(take) + 1)).astype(np.int64)
    _arm_kernels.find_sources(first, r.start, np.ascontiguousarray(who, np.int64), when, row)
    asked = np.flatnonzero((row >= 0) & (r.start[row] <= when) & (when <= r.stop[row])) if len(r) else row[:0]
    rows = r.rows(row[asked])
    there = read_tracks(take, rows.track, rows.track_start + when[asked] - rows.start)
    found[asked] = rigid.compose(rigid.from_planar(rows.place), there)
    return found
