"""Playing edges: where every joint of every character is, read from the edges' clips without a take.

By its walk, a character is on edge e from `start` on, whose start hub is at the planar pose q. At time t the clip is
read at t − start, between frames linearly (roots) and by normalised mixing (rotations), and placed by q.
That is the posing rule of a take, but for the planting of feet; at a cut both edges give the hub's common pose.

Metres, seconds; rotations w first.
"""

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidShape
from walkon._base.threads import in_chunks
from walkon.graphs.snap_together.playing.play_rule import EdgeMotion
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.graphs.walk import Walk

__all__ = ["EdgeMotion", "edge_motion", "play"]

CHUNK = 2048
"""Bodies per task of the thread pool: a millisecond or less."""


def edge_motion(graph: SnapGraph) -> EdgeMotion:
    """Return the clips of a graph's edges."""
    clips = graph.clips
    return EdgeMotion(clips.starts, clips.stops, clips.root_positions, clips.local_rotations, float(clips.fps))


def play(
    motion: EdgeMotion, walk: Walk, *, count: int, times: Array, out: tuple[Array, Array] | None = None
) -> tuple[Array, Array]:
    """Return roots [T, N, 3] and local rotations [T, N, J, 4]; NaN where a character has not begun.

    The walk of characters 0 to N − 1 is of whole edges at their own rate; `count` is N.
    Arrays that may be written over can be given as `out`: fresh memory costs about as much as filling it.
    """
    from walkon.graphs.snap_together.playing import _play_kernels

    T, N, J = len(times), count, motion.rotations.shape[1]
    roots, rotations = (np.empty((T, N, 3)), np.empty((T, N, J, 4))) if out is None else out
    for array, shape in ((roots, (T, N, 3)), (rotations, (T, N, J, 4))):
        if array.shape != shape or array.dtype != np.float64 or not array.flags.carray:
            raise InvalidShape(f"out must be whole, writeable arrays, float64 {shape}, got {array.dtype} {array.shape}")
    flat_roots, flat_rotations = roots.reshape(-1, 3), rotations.reshape(-1, J, 4)
    times = np.ascontiguousarray(times, np.float64)
    first, played = np.searchsorted(walk.character, np.arange(N + 1)), (walk.start, walk.edge, walk.place)

    def work(a: int, b: int) -> None:
        _play_kernels.play(first, *played, motion, times, a, flat_roots[a:b], flat_rotations[a:b])

    in_chunks(work, T * N, chunk=CHUNK)
    return roots, rotations
