"""Compiled playing: bodies of many characters at many times, straight from the edges' clips.

The plain twin is in tests/twins/snap_play.py.
"""

# mypy: ignore-errors

import math

from walkon._base.jit import group, kernel, reads, writes
from walkon.graphs.snap_together.playing.play_rule import EdgeMotion
from walkon.take.posing import _row_kernels as rows
from walkon.transforms import _kernels as vec

MOTION = group(EdgeMotion, reads(1, "int64"), reads(1, "int64"), reads(2), reads(3), "float64")


@kernel(reads(1, "int64"), reads(1), reads(1, "int32"), reads(2), MOTION, reads(1), "int64", writes(2), writes(3))
def play(first, starts, edges, places, motion, times, begin, roots, rotations):
    """Fill roots [K, 3] and local rotations [K, J, 4] of pairs begin … begin + K − 1 of (time, character).

    Pairs are counted with characters running fastest. Rows first[n] to first[n + 1] − 1 of a walk (starts [R] s, edges
    [R], places [R, 4]) are those of character n. Who has not begun yet is NaN.
    """
    N, J = len(first) - 1, rotations.shape[1]
    for k in range(len(roots)):
        t, n = times[(begin + k) // N], (begin + k) % N
        out = rotations[k]
        row = rows.last_not_after(starts, first[n], first[n + 1], t)
        if row < first[n]:
            roots[k, 0], roots[k, 1], roots[k, 2] = math.nan, math.nan, math.nan
            for j in range(J):
                vec.put(out, j, (math.nan, math.nan, math.nan, math.nan))
            continue
        edge = edges[row]
        last = motion.stops[edge] - 1
        u = max((t - starts[row]) * motion.fps, 0.0)
        whole = int(u)
        before = min(motion.starts[edge] + whole, last)
        after = min(before + 1, last)
        w = u - whole
        x, y, heading = places[row, 0], places[row, 1], places[row, 2]
        c, s = math.cos(heading), math.sin(heading)
        p = vec.mix(vec.vector(motion.roots, before), vec.vector(motion.roots, after), w)
        roots[k, 0], roots[k, 1], roots[k, 2] = c * p[0] - s * p[1] + x, s * p[0] + c * p[1] + y, p[2]
        a, b = motion.rotations[before], motion.rotations[after]
        for j in range(J):
            vec.put(out, j, vec.nlerp(vec.rotation(a, j), vec.rotation(b, j), w))
        vec.put(out, 0, vec.multiply(vec.about((0.0, 0.0, 1.0), heading), vec.rotation(out, 0)))
