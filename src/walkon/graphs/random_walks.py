"""Random walks: motion that goes on as long as one likes, and what a graph can do from one of its nodes.

At a node that has a piece and transitions, the piece is taken with probability exp(−d / every), d its duration: so
transitions come about once in `every` seconds, however dense the graph is. Among transitions all are equally likely.
All walks take a step at once. Seconds.
"""

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import IntArray
from walkon._base.errors import InvalidValue
from walkon.graphs.motion_graph import PIECE, MotionGraph

__all__ = ["random_walk", "random_walks"]


def random_walk(
    graph: MotionGraph,
    rng: np.random.Generator,
    *,
    duration: float,
    start: int | None = None,
    every: float = 1.0,
    labels: str | tuple[str, ...] = (),
) -> IntArray:
    """Return one walk of at least `duration` seconds from a node (None: any), with only edges that have the labels."""
    if start is None:
        usable = np.unique(graph.edges.start[graph.lasting_edges(labels)])
        if not len(usable):
            raise InvalidValue(f"motion with the labels {labels!r} cannot go on for ever in this graph")
        start = int(rng.choice(usable))
    return random_walks(graph, rng, starts=[start], duration=duration, every=every, labels=labels)[0]


def random_walks(
    graph: MotionGraph,
    rng: np.random.Generator,
    *,
    starts: ArrayLike,
    duration: float,
    every: float = 1.0,
    labels: str | tuple[str, ...] = (),
) -> list[IntArray]:
    """Return W walks of at least `duration` seconds, from nodes `starts` [W]; `every` is the mean time between jumps.

    With labels, walks keep to edges all of whose frames have them, and after which there is no dead end; a node from
    which no such edge starts is an error.
    """
    node = np.array(starts, dtype=np.int64)
    if node.ndim != 1 or (len(node) and not (node.min() >= 0 and node.max() < len(graph.nodes))):
        raise InvalidValue(f"starts must be nodes 0 to {len(graph.nodes) - 1}, got {starts!r}")
    if not (np.isfinite(duration) and duration > 0 and every > 0):
        raise InvalidValue(f"duration and every must be positive seconds, got {duration:g} and {every:g}")
    edges, usable = graph.edges, graph.lasting_edges(labels)
    # The piece that leaves each node, or −1, and its transitions: first and number, in a list of edges.
    piece, pieces = np.full(len(graph.nodes), -1), np.flatnonzero(usable & (edges.kind == PIECE))
    piece[edges.start[pieces]] = pieces
    allowed = np.flatnonzero(usable & (edges.kind != PIECE))
    first = np.searchsorted(edges.start[allowed], np.arange(len(graph.nodes) + 1))
    ways = np.diff(first)
    stays = np.where(piece >= 0, np.exp(-edges.duration[np.maximum(piece, 0)] / every), 0.0)
    stays[(piece >= 0) & (ways == 0)] = 1.0
    left = np.full(len(node), float(duration))
    active, steps = np.arange(len(node)), []
    while len(active):
        here = node[active]
        stuck = (piece[here] < 0) & (ways[here] == 0)
        if stuck.any():
            at = int(here[np.argmax(stuck)])
            name, time = graph.library.names[graph.nodes.clip[at]], graph.nodes.time[at]
            raise InvalidValue(f"no edge with the labels {labels!r} goes on from node {at} ({name} at {time:.2f} s)")
        along = rng.random(len(active)) < stays[here]
        # The last of a draw just under 1 would be one too many by rounding.
        which = np.minimum((rng.random(len(active)) * ways[here]).astype(np.int64), np.maximum(ways[here] - 1, 0))
        edge = piece[here]
        jumping = np.flatnonzero(~along)
        edge[jumping] = allowed[first[here[jumping]] + which[jumping]]
        steps.append((active, edge))
        node[active] = edges.stop[edge]
        left[active] -= edges.duration[edge]
        active = active[left[active] > 1e-9]
    walk, taken = np.concatenate(steps, axis=1) if steps else np.zeros((2, 0), np.int64)
    order = np.argsort(walk, kind="stable")
    return np.split(taken[order], np.searchsorted(walk[order], np.arange(1, len(node))))
