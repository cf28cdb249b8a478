"""The quickest walks between nodes of a graph, by Dijkstra's algorithm: times in seconds, and the walks behind them.

"Given a suitable metric we can find for each pair of nodes the connecting graph walk that minimizes it" (Kovar 2002,
section 4.2). The metric here is time; Dijkstra's algorithm from every node, which on sparse graphs is cheaper than the
paper's Floyd-Warshall. As the paper says, such walks are less useful than they look: the mean is about two seconds in
graphs of thousands of nodes, and nothing says where the character ends up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon._base.table import Column
from walkon.graphs.motion_graph import MotionGraph

__all__ = ["ShortestWalks", "clip_node", "least_times", "shortest_walks", "time_matrix"]

MAX_TABLE_NODES = 12_000
"""Nodes in a full table: 1.2 GB."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ShortestWalks:
    """The quickest walks from R sources to all N nodes."""

    graph: MotionGraph
    sources: IntArray
    """[R] nodes, sorted."""
    times: NDArray[np.float32]
    """[R, N] s; infinite where no walk leads there."""
    before: NDArray[np.int32]
    """[R, N] the node before the last on the quickest walk; −1 for none."""

    @property
    def mean(self) -> float:
        """Seconds of a quickest walk, mean over all pairs of different nodes that one joins."""
        joined = np.isfinite(self.times) & (self.times > 0)
        return float(self.times[joined].mean(dtype=np.float64)) if joined.any() else float("nan")

    def _row(self, node: int) -> int:
        row = int(np.searchsorted(self.sources, node))
        if row >= len(self.sources) or self.sources[row] != node:
            raise InvalidValue(f"node {node} is no source of this table; make one with it among `sources`")
        return row

    def time(self, start: int, stop: int) -> float:
        """Return the seconds of the quickest walk between two nodes; infinite where there is none."""
        return float(self.times[self._row(start), stop])

    def walk(self, start: int, stop: int) -> IntArray:
        """Return the quickest walk [E] between two nodes; none has edges from a node to itself."""
        row = self._row(start)
        if not np.isfinite(self.times[row, stop]):
            raise InvalidValue(f"no walk leads from node {start} to node {stop}; they are in different components")
        nodes = [stop]
        while nodes[-1] != start:
            nodes.append(int(self.before[row, nodes[-1]]))
        return np.array([self._edges[a, b] for a, b in pairwise(reversed(nodes))], dtype=np.int64)

    @cached_property
    def _edges(self) -> dict[tuple[int, int], int]:
        """The quickest edge between two nodes."""
        e = self.graph.edges
        order = np.lexsort((np.arange(len(e)), e.duration))[::-1]  # the quickest is written last
        return dict(zip(zip(e.start[order].tolist(), e.stop[order].tolist(), strict=True), order.tolist(), strict=True))


def clip_node(graph: MotionGraph, clip: str | int, *, time: float = 0.0) -> int:
    """Return the first node of a clip at or after a time (s); an error where the graph does not hold that moment."""
    nodes = graph.nodes_of_clip(clip)
    later = nodes[graph.nodes.time[nodes] >= time - 1e-9]
    if not len(later):
        raise InvalidValue(
            f"the graph holds nothing of clip {clip!r} from {time:g} s on"
            + (f"; its last node is at {graph.nodes.time[nodes[-1]]:.2f} s" if len(nodes) else "; it was cut away")
        )
    return int(later[0])


def shortest_walks(graph: MotionGraph, *, sources: Sequence[int] | None = None) -> ShortestWalks:
    """Return the quickest walks from `sources` (None: all nodes) to all nodes of a graph."""
    N, e = len(graph.nodes), graph.edges
    chosen = np.arange(N) if sources is None else np.unique(np.asarray(sources, dtype=np.int64))
    if sources is None and N > MAX_TABLE_NODES:
        raise InvalidValue(
            f"a table of all {N} nodes would take {8e-9 * N * N:.1f} GB; give `sources`, the nodes to start from"
        )
    if len(chosen) and not (chosen[0] >= 0 and chosen[-1] < N):
        raise InvalidValue(f"sources must be nodes 0 to {N - 1}, got {chosen[0]} to {chosen[-1]}")
    matrix = time_matrix(N, e.start, e.stop, e.duration)
    times, before = np.empty((len(chosen), N), np.float32), np.empty((len(chosen), N), np.int32)
    for first in range(0, len(chosen), 256):  # in blocks: the search itself works in float64
        part = slice(first, first + 256)
        lasts, came_from = dijkstra(matrix, indices=chosen[part], return_predecessors=True)
        times[part], before[part] = lasts, np.maximum(came_from, -1)
    return ShortestWalks(graph=graph, sources=chosen, times=times, before=before)


def time_matrix(count: int, start: Column, stop: Column, lasts: Column) -> "csr_array[np.float64, tuple[int, int]]":
    """Return the times of edges [E] between `count` nodes as a matrix; of several edges the quickest counts.

    Edges of no duration last a nanosecond: a zero would be no edge.
    """
    order = np.lexsort((lasts, stop, start))
    start, stop = start[order], stop[order]
    once = np.ones(len(order), bool)
    once[1:] = (start[1:] != start[:-1]) | (stop[1:] != stop[:-1])
    return csr_array((np.maximum(lasts[order][once], 1e-9), (start[once], stop[once])), shape=(count, count))


def least_times(count: int, start: Column, stop: Column, lasts: Column, *, target: int) -> Array:
    """Return [count] the least time from each node to the target; infinite where no way leads there."""
    return np.asarray(dijkstra(time_matrix(count, stop, start, lasts), indices=np.array([target]))[0])
