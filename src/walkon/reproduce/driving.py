"""A character driven by hand, as with a gamepad: the player wishes a curvature, and each next clip is the nearest to
it.

The wish κ(t) is in 1/m, positive to the left. At a hub, the heading owed is what was wished along the way so far minus
what was turned; of the edges that leave for a hub of the main part, that one is played which would leave the least:

    owed' = owed + κ · path(e) − turn(e) ,        e = argmin |owed'|

There is no looking ahead: the wish of the moment is all that is known. How well it is met is measured three ways: over
all of a wish (its mean curvature), edge by edge, and as the distance from the path that was wished, an arc that begins
where the wish is first heard. Metres, seconds, radians.

Reference: Gleicher, Shin, Kovar, Jepsen 2003, section 5 ("guide a character by specifying the curvature of its path").
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon.graphs.snap_together.playing.random_policy import endless_edges
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.transforms import planar

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
    errors: Array
    """[n] 1/m by which the curvature of each edge misses the wish: turned over gone, minus wished."""
    away: Array
    """[n] m from the wished path at the end of each edge, at as many metres along it."""


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
    turns, paths = edges.turn.astype(np.float64), edges.path.astype(np.float64)
    ends = np.cumsum([seconds for seconds, _ in wishes])
    asked = np.array([curvature for _, curvature in wishes])
    node, time, owed = graph.hub(hub), 0.0, 0.0
    played = []
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
        played.append((edge, time, owed, part))
        time += float(edges.duration[edge])
        node = int(edges.stop[edge])
    chosen, starts, lags, part_of = (np.array(column) for column in zip(*played, strict=True))
    # A wish that is shorter than the edge under way is never heard.
    heard = np.unique(part_of)
    turned, gone = (np.bincount(part_of, values[chosen], len(asked))[heard] for values in (turns, paths))
    return Driven(
        walk=chosen,
        starts=starts,
        wished=asked[part_of],
        owed=lags,
        curvatures=turned / np.maximum(gone, 1e-9),
        asked=asked[heard],
        errors=turns[chosen] / np.maximum(paths[chosen], 1e-9) - asked[part_of],
        away=_distances_to_arc(graph, chosen, part_of, asked),
    )


def _distances_to_arc(graph: SnapGraph, walk: IntArray, parts: IntArray, asked: Array) -> Array:
    """Return [n] metres between the end of each edge and the arc of its wish, which begins with its first edge."""
    distances = np.zeros(len(walk))
    here, gone = np.zeros(3), 0.0
    for k, (edge, part) in enumerate(zip(walk.tolist(), parts.tolist(), strict=True)):
        if k and part != parts[k - 1]:
            here, gone = np.zeros(3), 0.0
        here = planar.compose(here, graph.edges.displacement[edge])
        gone += float(graph.edges.path[edge])
        distances[k] = np.linalg.norm(here[:2] - _arc(asked[part], gone))
    return distances


def _arc(curvature: float, length: float) -> Array:
    """Return where an arc ends that begins at the origin along +x."""
    turn = curvature * length
    # sinc(x) is sin(πx) / (πx): chord and angle of the arc, for straight ones too.
    chord = length * np.sinc(0.5 * turn / np.pi)
    return chord * np.array([np.cos(0.5 * turn), np.sin(0.5 * turn)])
