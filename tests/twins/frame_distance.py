"""Distances between frames, pair by pair in float64: what `graphs._distance_kernels` is held equal to. Metres."""

import numpy as np

from walkon._base.arrays import Array
from walkon.graphs.frame_distance import _check_pair, _put_at_frames, align
from walkon.graphs.point_clouds import FrameSet

__all__ = ["distance_matrix_numpy"]


def distance_matrix_numpy(frames: FrameSet, clips: tuple[int, int]) -> Array:
    """Do what `distance_matrix` does, pair by pair in float64: the twin that proves the kernel right."""
    first, second = _check_pair(frames, clips)
    rows = np.arange(frames.starts[first], frames.window_stops[first])
    columns = np.arange(frames.starts[second], frames.window_stops[second])
    pairs = np.stack(np.meshgrid(rows, columns, indexing="ij"), axis=-1).reshape(-1, 2) + np.array(frames.leads)
    return _put_at_frames(frames, clips, align(frames, pairs).distances.reshape(len(rows), len(columns)))
