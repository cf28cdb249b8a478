"""Playing edges: where every joint of every character is, read from the edges' clips without a take.

A character's time is cut into plays: from `start` on it is on edge e, whose start hub is at the planar pose q. At time
t the clip is read at t − start, between frames linearly (roots) and by normalised mixing (rotations), and placed by q.
That is the posing rule of a take, but for the planting of feet; at a cut both edges give the hub's common pose.

Metres, seconds; rotations w first.
"""

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidShape
from walkon._base.threads import in_chunks
from walkon.graphs.snap_together.play_rule import EdgeMotion, Plays
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

__all__ = ["EdgeMotion", "Plays", "edge_motion", "play", "play_numpy"]

CHUNK = 2048
"""Bodies per task of the thread pool: a millisecond or less."""


def edge_motion(graph: SnapGraph) -> EdgeMotion:
    """Return the clips of a graph's edges."""
    clips = graph.clips
    return EdgeMotion(clips.starts, clips.stops, clips.root_positions, clips.local_rotations, float(clips.fps))


def play(
    motion: EdgeMotion, plays: Plays, *, times: Array, out: tuple[Array, Array] | None = None
) -> tuple[Array, Array]:
    """Return roots [T, N, 3] and local rotations [T, N, J, 4]; NaN where a character has not begun.

    Arrays that may be written over can be given as `out`: fresh memory costs about as much as filling it.
    """
    from walkon.graphs.snap_together import _play_kernels

    T, N, J = len(times), len(plays.first) - 1, motion.rotations.shape[1]
    roots, rotations = (np.empty((T, N, 3)), np.empty((T, N, J, 4))) if out is None else out
    for array, shape in ((roots, (T, N, 3)), (rotations, (T, N, J, 4))):
        if array.shape != shape or array.dtype != np.float64 or not array.flags.carray:
            raise InvalidShape(f"out must be whole, writeable arrays, float64 {shape}, got {array.dtype} {array.shape}")
    flat_roots, flat_rotations = roots.reshape(-1, 3), rotations.reshape(-1, J, 4)
    times = np.ascontiguousarray(times, np.float64)
    plays = plays.locked()

    def work(a: int, b: int) -> None:
        _play_kernels.play(plays, motion, times, a, flat_roots[a:b], flat_rotations[a:b])

    in_chunks(work, T * N, chunk=CHUNK)
    return roots, rotations


def play_numpy(motion: EdgeMotion, plays: Plays, *, times: Array) -> tuple[Array, Array]:
    """Do what `play` does, in NumPy: the twin that proves the kernel right."""
    T, N, J = len(times), len(plays.first) - 1, motion.rotations.shape[1]
    roots, rotations = np.full((T, N, 3), np.nan), np.full((T, N, J, 4), np.nan)
    for n in range(N):
        mine = slice(plays.first[n], plays.first[n + 1])
        row = np.searchsorted(plays.start[mine], times, side="right") - 1
        begun = np.flatnonzero(row >= 0)
        row = plays.first[n] + row[begun]
        edge, q = plays.edge[row], plays.pose[row]
        u = np.maximum((times[begun] - plays.start[row]) * motion.fps, 0.0)
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
