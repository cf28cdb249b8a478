"""A character driven by hand, as with a gamepad: somebody wishes a curvature, and each next clip is the nearest to it.

The wish κ(t) is in 1/m, positive to the left. At a hub, the heading owed is what was wished along the way so far minus
what was turned; of the edges that leave for a hub of the main part, that one is played which would leave the least:

    owed' = owed + κ · path(e) − turn(e) ,        e = argmin |owed'|

There is no looking ahead: the wish of the moment is all that is known. Metres, seconds, radians.

Reference: Gleicher, Shin, Kovar, Jepsen 2003, section 5 ("guide a character by specifying the curvature of its path").
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon.graphs.snap_together.random_policy import endless_edges
from walkon.graphs.snap_together.snap_graph import SnapGraph

__all__ = ["Driven", "drive"]


class Driven(NamedTuple):
    """n edges played one after another."""

    walk: IntArray
    """[n] rows of `SnapGraph.edges`."""
    starts: Array
    """[n] seconds at which each begins."""
    wished: Array
    """[n] 1/m wished when it was chosen."""
    owed: Array
    """[n] rad by which the heading lags behind the wish when it ends."""
    curvatures: Array
    """[p] 1/m turned over metres gone while each wish lasted."""
    asked: Array
    """[p] 1/m the wishes, in order."""


def drive(
    graph: SnapGraph, wishes: Sequence[tuple[float, float]], *, hub: str | int = 0, longest: float = 3.0
) -> Driven:
    """Follow wishes, each so many seconds of a curvature (1/m), from a hub on.

    A wish is heard at the next hub, and an edge that was begun is played to its end; none over `longest` seconds is.
    """
    if not wishes or any(not (np.isfinite(seconds) and seconds > 0) for seconds, _ in wishes):
        raise InvalidValue(f"every wish must last some seconds, got {list(wishes)}")
    edges = graph.edges
    usable = endless_edges(graph) & (edges.duration <= longest)
    turns, paths = edges.displacement[:, 2], edges.path.astype(np.float64)
    ends = np.cumsum([seconds for seconds, _ in wishes])
    asked = np.array([curvature for _, curvature in wishes])
    node, time, owed = graph.hub(hub), 0.0, 0.0
    walk, starts, lags, parts = [], [], [], []
    while time < ends[-1]:
        out = graph.out_edges(node)
        out = out[usable[out]]
        if not len(out):
            raise InvalidValue(f"no edge of at most {longest:g} s leaves the hub {graph.hub_names[node]}; allow longer")
        part = int(np.searchsorted(ends, time, side="right"))
        left = owed + asked[part] * paths[out] - turns[out]
        best = int(np.argmin(np.abs(left)))
        edge = int(out[best])
        owed = float(left[best])
        walk.append(edge)
        starts.append(time)
        lags.append(owed)
        parts.append(part)
        time += float(edges.duration[edge])
        node = int(edges.stop[edge])
    chosen, part_of = np.array(walk), np.array(parts)
    # A wish that is shorter than the edge under way is never heard.
    heard = np.unique(part_of)
    turned, gone = (np.bincount(part_of, values[chosen], len(asked))[heard] for values in (turns, paths))
    return Driven(
        walk=chosen,
        starts=np.array(starts),
        wished=asked[part_of],
        owed=np.array(lags),
        curvatures=turned / np.maximum(gone, 1e-9),
        asked=asked[heard],
    )
