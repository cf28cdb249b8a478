"""Compiled progress along a path. Plain twin: tests/twins/path_progress.py."""

# mypy: ignore-errors

import numpy as np

from walkon._base.jit import kernel, reads, writes


@kernel(reads(2), reads(2), reads(1), "float64", writes(1), writes(1))
def follow(track, points, arcs, reach, along, off):
    """Fill metres along the path [T] and off it [T] of a track [T, 2]; partners never go back."""
    here, side = 0.0, 0
    last = len(points) - 2
    for t in range(track.shape[0]):
        x, y = track[t, 0], track[t, 1]
        best, best_s, best_side = np.inf, here, side
        k = side
        while k <= last and arcs[k] <= here + reach:
            ux, uy = points[k + 1, 0] - points[k, 0], points[k + 1, 1] - points[k, 1]
            size = arcs[k + 1] - arcs[k]
            share = ((x - points[k, 0]) * ux + (y - points[k, 1]) * uy) / (size * size)
            s = arcs[k] + min(max(share, 0.0), 1.0) * size
            s = min(max(s, here), here + reach)
            share = (s - arcs[k]) / size
            gap = np.hypot(points[k, 0] + share * ux - x, points[k, 1] + share * uy - y)
            if gap < best:
                best, best_s, best_side = gap, s, k
            k += 1
        here, side = best_s, best_side
        along[t], off[t] = here, best
