"""Walks played character by character: what `snap_together._play_kernels` is held equal to. World frame, m, s."""

import numpy as np

from walkon._base.arrays import Array
from walkon.graphs.snap_together.playing.play_rule import EdgeMotion
from walkon.graphs.walk import Walk
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

__all__ = ["play_numpy"]


def play_numpy(motion: EdgeMotion, walk: Walk, *, count: int, times: Array) -> tuple[Array, Array]:
    """Do what `play` does, in NumPy: the twin that proves the kernel right."""
    T, N, J = len(times), count, motion.rotations.shape[1]
    roots, rotations = np.full((T, N, 3), np.nan), np.full((T, N, J, 4), np.nan)
    for n in range(N):
        mine = np.flatnonzero(walk.character == n)
        row = np.searchsorted(walk.start[mine], times, side="right") - 1
        begun = np.flatnonzero(row >= 0)
        row = mine[row[begun]]
        edge, q = walk.edge[row], walk.place[row]
        u = np.maximum((times[begun] - walk.start[row]) * motion.fps, 0.0)
        w = u - np.floor(u)
        before = np.minimum(motion.starts[edge] + np.floor(u).astype(np.int64), motion.stops[edge] - 1)
        after = np.minimum(before + 1, motion.stops[edge] - 1)
        mixed = (1 - w)[:, None] * motion.roots[before] + w[:, None] * motion.roots[after]
        roots[begun, n] = planar.apply_3d(q, mixed)
        a, b = motion.rotations[before], motion.rotations[after]
        sign = np.where((a * b).sum(axis=-1, keepdims=True) < 0, -1.0, 1.0)
        local = quat.normalize((1 - w)[:, None, None] * a + sign * w[:, None, None] * b)
        local[:, 0] = quat.multiply(quat.turn(q[:, 2]), local[:, 0])
        rotations[begun, n] = local
    return roots, rotations
