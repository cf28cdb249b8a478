"""Where a walk goes over the floor, without posing a body: the root's place at any time along its edges.

    a piece        place ∘ r(t)
    a transition   α(p) place_A ∘ r_A + (1 − α(p)) place_B ∘ r_B,   α(p) = 2p³ − 3p² + 1          Kovar 2002, eq. (5)

with r the root's path over the floor in the clip's own world. Foot lock lowers roots but never shifts them along the
floor, so this is where the posed body is, too. Metres, seconds.
"""

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.graphs.motion_graph import TRANSITION, MotionGraph
from walkon.graphs.walk import Walk
from walkon.motion.library import Library
from walkon.transforms import planar
from walkon.transforms.easing import smoothstep

__all__ = ["roots_at", "walk_track"]


def roots_at(library: Library, roots: Array, clip: IntArray, time: Array) -> Array:
    """Return [M, 2] places at times (s) of clips (numbers), linear between frames; `roots` [F, 2] has all frames."""
    last = (library.stops - library.starts - 1)[clip]
    u = np.clip(time * library.fps, 0.0, last)
    low = np.minimum(u.astype(np.int64), np.maximum(last - 1, 0))
    share, row = (u - low)[:, None], library.starts[clip] + low
    return (1.0 - share) * roots[row] + share * roots[np.minimum(row + 1, library.stops[clip] - 1)]


def walk_track(graph: MotionGraph, walk: Walk, *, times: Array, roots: Array | None = None) -> Array:
    """Return [T, 2] the root's place at times (s from the walk's start) of one character's walk.

    `roots` [F, 2] may be given to follow another path than the roots' own, such as a smoothed one.
    """
    edges, q = walk.edge, walk.place[:, :3]
    e, n, library = graph.edges, graph.nodes, graph.library
    roots = library.root_positions[:, :2] if roots is None else roots
    ends = np.cumsum(e.duration[edges])
    at = np.minimum(np.searchsorted(ends, times, side="right"), len(edges) - 1)
    tau = np.clip(times - (ends - e.duration[edges])[at], 0.0, e.duration[edges][at])
    a, b, lasts = e.start[edges], e.stop[edges], e.duration[edges]
    left = planar.compose(q, planar.inverse(n.pose[a]))
    entered = planar.compose(planar.compose(q, e.displacement[edges]), planar.inverse(n.pose[b]))
    on_a = planar.apply(left[at], roots_at(library, roots, n.clip[a[at]], n.time[a[at]] + tau))
    on_b = planar.apply(entered[at], roots_at(library, roots, n.clip[b[at]], n.time[b[at]] - lasts[at] + tau))
    faded = np.where((e.kind[edges] == TRANSITION)[at], smoothstep(tau / lasts[at]), 0.0)
    return np.asarray(on_a + faded[:, None] * (on_b - on_a))
