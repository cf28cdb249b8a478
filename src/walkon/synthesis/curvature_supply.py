"""What curves the clips can walk: metres of motion by curvature, and how much of a path they sustain.

A path of curvature κ is sustained where the clips hold at least 3 m of motion whose own path is curved within 30 % of
κ, to the same side; nearly straight stretches (|κ| under 0.67 /m, radius over 1.5 m) ask for 0.2 /m around κ. Both are
measured over half a metre on either side, about a stride: over less, the sway of the hips looks like bends. A small
radius alone says nothing: turning on the spot has the smallest of all, and no path can be walked with it.
"""

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray
from walkon.geometry.path import Path, arc_lengths
from walkon.graphs.motion_graph import PIECE, MotionGraph
from walkon.synthesis.planar_steps import smooth_roots

__all__ = ["clip_curvatures", "sustained"]

STEP = 0.05
"""m between the samples of clips and paths."""
SPAN = 0.5
"""m on either side over which curvature is measured."""
ENOUGH = 3.0
"""m of motion at a curvature that sustain a path of it."""
SHARE = 0.3
LEAST = 0.2
"""1/m."""


def clip_curvatures(graph: MotionGraph, edges: BoolArray) -> Array:
    """Return [M] 1/m, sorted: the curvature of roots' smoothed paths every 5 cm, in the pieces among `edges` [E]."""
    e, n, library = graph.edges, graph.nodes, graph.library
    roots = smooth_roots(library)
    rows = np.flatnonzero(edges & (e.kind == PIECE))
    first = library.starts[n.clip[e.start[rows]]]
    frame = np.rint(np.stack([n.time[e.start[rows]], n.time[e.stop[rows]]]) * library.fps).astype(np.int64) + first
    marks = np.zeros(len(roots) + 1, np.int64)
    np.add.at(marks, frame[0], 1)
    np.add.at(marks, frame[1], -1)
    used = np.cumsum(marks)[:-1] > 0
    found = []
    for start, stop in zip(library.starts, library.stops, strict=True):
        if not used[start:stop].any() or np.ptp(roots[start:stop], axis=0).max() < 4 * STEP:
            continue
        along = Path(points=roots[start:stop])
        moved = arc_lengths(roots[start:stop])
        s = np.arange(0.0, along.length, STEP)
        frames = start + np.minimum(np.searchsorted(moved, s), stop - start - 1)
        found.append(along.curvature(s, span=SPAN)[used[frames]])
    return np.sort(np.concatenate([np.zeros(0), *found]))


def sustained(curvatures: Array, path: Path, *, at: ArrayLike) -> BoolArray:
    """Say at which places [...] (m along a path) sorted `curvatures` [M] (one per 5 cm) sustain it."""
    k = path.curvature(at, span=SPAN)
    around = np.maximum(SHARE * np.abs(k), LEAST)
    low, high = np.searchsorted(curvatures, k - around), np.searchsorted(curvatures, k + around, side="right")
    return np.asarray((high - low) * STEP >= ENOUGH)
