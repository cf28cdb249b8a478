"""Pruning to strongly connected components, so that no motion has a dead end (Kovar 2002, section 3.4).

For each set of labels that is asked for, take the edges whose every frame has exactly these, and find the strongly
connected components of that subgraph. The largest one is the *core* of this kind of motion: there it has no dead end,
and need not become another kind. Of the other edges of the kind, those stay that lead to the core or from it, without
leaving the kind: a chair is entered by sitting down and left by rising, both of which are "sit". The rest is cut. Only
labels that are asked for count: with "walk" alone, carrying walks are walks; with "walk" and "walk" + "carry", they are
a kind of their own. With none asked for there is one empty set, which every edge has.

All edges, of a kind or between kinds, must then lie in a component of the whole that holds a core, or lead from one
such to another, so that nothing that is left comes to an end. Cutting by one rule may break the other, so both are
applied until nothing changes.

What is cut is named by stretch of clip: a *dead end* (on no cycle, and no way back), a *sink* (a cycle with no way back
to what is kept), *unreached* (nothing leads there, as to the first moments of most clips), or *unlike* (there are ways
there and back, but not to the core of its own kind).

Differences from the paper: it cuts for every set of labels that occurs. Libraries label much that is not a kind of
motion of its own (a start, a turn, a rise), and every such set would have to loop in itself; so the sets are asked for.
It cuts the ways into a kind and out of it: there labels change only in blends, here they may change within a clip.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from walkon._base.arrays import BoolArray, IntArray
from walkon._base.table import Column
from walkon.graphs.components import components_of, reachable
from walkon.graphs.motion_graph import (
    DEAD_END,
    PIECE,
    SINK,
    TRANSITION,
    UNLIKE,
    UNREACHED,
    Cuts,
    MotionEdges,
    MotionGraph,
    Nodes,
    label_bits,
)
from walkon.graphs.transitions import sort_edges
from walkon.transforms import planar

__all__ = ["cut_stretches", "kept_edges", "prune", "without_idle_nodes"]


def prune(raw: MotionGraph, *, labels: Sequence[Sequence[str]] = ()) -> MotionGraph:
    """Keep what has no dead end within each of these sets of labels; with none, what has no dead end at all.

    What was cut is in the `cuts` of the graph that is returned.
    """
    keep = kept_edges(raw, labels)
    edges = raw.edges.rows(keep)
    nodes, edges = without_idle_nodes(*_with_nodes(raw.nodes, edges, _ends_of(edges, len(raw.nodes))))
    return replace(raw, nodes=nodes, edges=edges, cuts=cut_stretches(raw, keep))


def kept_edges(graph: MotionGraph, labels: Sequence[Sequence[str]] = ()) -> BoolArray:
    """Say which edges [E] of a graph stay."""
    edges, N = graph.edges, len(graph.nodes)
    seconds = np.where(edges.kind == PIECE, edges.duration, 0.0)
    sets = [label_bits(graph.library, labels_of_set) for labels_of_set in labels] or [0]
    asked = int(np.bitwise_or.reduce(sets))
    exact = (edges.common & asked) == (edges.labels & asked)
    keep = np.ones(len(edges), bool)
    while True:
        before = np.count_nonzero(keep)
        cores = np.zeros(N, bool)
        for bits in sets:
            mine = np.flatnonzero(keep & exact & ((edges.common & asked) == bits))
            if not len(mine):
                continue
            start, stop = edges.start[mine], edges.stop[mine]
            found = components_of(N, start, stop, seconds[mine])
            core = found.of_node == found.largest
            if not found.seconds[found.largest] > 0:
                core[:] = False  # a cycle of transitions alone would show no captured motion at all
            leads_in = reachable(N, stop, start, sources=core)[stop]
            leads_out = reachable(N, start, stop, sources=core)[start]
            keep[mine] = leads_in | leads_out
            cores |= core
        rows = np.flatnonzero(keep)
        whole = components_of(N, edges.start[rows], edges.stop[rows], seconds[rows])
        good = np.isin(whole.of_node, whole.of_node[cores])
        keep[rows] = good[edges.start[rows]] & good[edges.stop[rows]]
        if np.count_nonzero(keep) == before:
            return keep


def cut_stretches(graph: MotionGraph, keep: BoolArray) -> Cuts:
    """Return the stretches of clips whose pieces are not kept, and why."""
    edges, nodes, N = graph.edges, graph.nodes, len(graph.nodes)
    core = _ends_of(edges.rows(keep), N)
    seconds = np.where(edges.kind == PIECE, edges.duration, 0.0)
    found = components_of(N, edges.start, edges.stop, seconds)
    returns = reachable(N, edges.stop, edges.start, sources=core)
    reached = reachable(N, edges.start, edges.stop, sources=core)
    rows = np.flatnonzero((edges.kind == PIECE) & ~keep)
    start, stop = edges.start[rows], edges.stop[rows]
    loops = found.cyclic[found.of_node[stop]]
    reason = np.where(returns[stop], np.where(reached[start], UNLIKE, UNREACHED), np.where(loops, SINK, DEAD_END))
    # Pieces are sorted by clip and time: runs with one reason, each beginning where the one before stops, are one cut.
    heads, tails = _run_ends(_like_before(start, shifted=stop) & _like_before(reason))
    return Cuts(
        clip=nodes.clip[start[heads]],
        start=nodes.time[start[heads]],
        stop=nodes.time[stop[tails]],
        reason=reason[heads],
    )


def without_idle_nodes(nodes: Nodes, edges: MotionEdges) -> tuple[Nodes, MotionEdges]:
    """Take out nodes at which one piece ends, the next of the same labels begins, and nothing else happens."""
    N = len(nodes)
    piece = np.flatnonzero(edges.kind == PIECE)
    piece = piece[np.argsort(edges.start[piece], kind="stable")]
    start, stop = edges.start[piece], edges.stop[piece]
    across = edges.rows(edges.kind == TRANSITION)
    crossed = _ends_of(across, N)
    # A piece goes on from the one before it unless something happens where they meet.
    goes_on = _like_before(start, shifted=stop) & ~crossed[start]
    goes_on &= _like_before(edges.labels[piece]) & _like_before(edges.common[piece])
    if not goes_on.any():
        return nodes, edges
    heads, tails = _run_ends(goes_on)
    first, last = start[heads], stop[tails]
    merged = edges.rows(piece[heads]).with_columns(
        stop=last,
        duration=nodes.time[last] - nodes.time[first],
        displacement=planar.with_height(planar.relative(nodes.pose[first], nodes.pose[last])),
    )
    stay = np.ones(N, bool)
    stay[start[goes_on]] = False
    return _with_nodes(nodes, sort_edges(MotionEdges.joined([merged, across])), stay)


def _ends_of(edges: MotionEdges, count: int) -> BoolArray:
    """Say at which of so many nodes one of these edges starts or stops."""
    return np.isin(np.arange(count), np.concatenate([edges.start, edges.stop]))


def _with_nodes(nodes: Nodes, edges: MotionEdges, stay: BoolArray) -> tuple[Nodes, MotionEdges]:
    """Leave nodes out that no edge has, and number the others anew."""
    number = np.cumsum(stay) - 1
    return nodes.rows(stay), edges.with_columns(start=number[edges.start], stop=number[edges.stop])


def _like_before(values: Column, *, shifted: Column | None = None) -> BoolArray:
    """Say of which values the one before (of `shifted`, if that is given) is the same; never of the first."""
    before = values if shifted is None else shifted
    return np.append(False, values[1:] == before[:-1])[: len(values)]


def _run_ends(goes_on: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the first and the last of every run, each a row that does not go on and those after it that do."""
    heads = np.flatnonzero(~goes_on)
    return heads, np.flatnonzero(~np.append(goes_on[1:], False)[: len(goes_on)])
