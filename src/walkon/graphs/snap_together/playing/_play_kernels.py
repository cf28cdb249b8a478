"""Compiled playing: bodies of many characters at many times, straight from the edges' clips.

The plain twin is in tests/twins/snap_play.py.
"""

# mypy: ignore-errors

import math

from walkon._base.jit import group, kernel, reads, writes
from walkon.graphs.snap_together.playing.play_rule import EdgeMotion, Plays
from walkon.take.posing import _vector_kernels as vec

PLAYS = group(Plays, reads(1, "int64"), reads(1), reads(1, "int64"), reads(2))
MOTION = group(EdgeMotion, reads(1, "int64"), reads(1, "int64"), reads(2), reads(3), "float64")


@kernel(PLAYS, MOTION, reads(1), "int64", writes(2), writes(3))
def play(plays, motion, times, begin, roots, rotations):
    """Fill roots [K, 3] and local rotations [K, J, 4] of pairs begin … begin + K − 1 of (time, character).

    Pairs are counted with characters running fastest. Who has not begun yet is NaN.
    """
    N, J = len(plays.first) - 1, rotations.shape[1]
    for k in range(len(roots)):
        t, n = times[(begin + k) // N], (begin + k) % N
        out = rotations[k]
        row = vec.last_not_after(plays.start, plays.first[n], plays.first[n + 1], t)
        if row < plays.first[n]:
            roots[k, 0], roots[k, 1], roots[k, 2] = math.nan, math.nan, math.nan
            for j in range(J):
                vec.put(out, j, (math.nan, math.nan, math.nan, math.nan))
            continue
        edge = plays.edge[row]
        last = motion.stops[edge] - 1
        u = max((t - plays.start[row]) * motion.fps, 0.0)
        whole = int(u)
        before = min(motion.starts[edge] + whole, last)
        after = min(before + 1, last)
        w = u - whole
        x, y, heading = plays.pose[row, 0], plays.pose[row, 1], plays.pose[row, 2]
        c, s = math.cos(heading), math.sin(heading)
        p = vec.mixed(vec.vector(motion.roots, before), vec.vector(motion.roots, after), w)
        roots[k, 0], roots[k, 1], roots[k, 2] = c * p[0] - s * p[1] + x, s * p[0] + c * p[1] + y, p[2]
        a, b = motion.rotations[before], motion.rotations[after]
        for j in range(J):
            vec.put(out, j, vec.nlerp(vec.rotation(a, j), vec.rotation(b, j), w))
        vec.put(out, 0, vec.times(vec.about((0.0, 0.0, 1.0), heading), vec.rotation(out, 0)))
