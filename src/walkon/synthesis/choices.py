"""Choices, thinned and spread: the few steps of a dense graph that a search looks at.

Real data gives a choice at every frame, and dozens of nearly equal ones within a step's time. Searching them all stirs
the same walk around (depth-first search never gets past its first second). So time in a clip is cut into slots, and

* the first node of a slot (and the last node of the clip) is where a search chooses;
* of all transitions that leave within the slot, at most `targets` are kept: they are ordered by where they have led
  after `look` seconds, from far right to far left, cut into as many equal groups, and the one with the least frame
  distance is taken from each group;
* a step plays on to where its transition leaves, goes over, and plays on to the next node at which one chooses; one
  more step plays on without a transition.

Where a path asks for different labels on its parts, each part is a copy of its own: the largest strongly connected
component of the edges that have its labels in every frame, with steps from one part's copy over to the next one's.
From every node there is a step, because the last node of a clip in a component has a transition that stays in it.

Kovar 2002 has no such step: its graphs had a choice every half second or so by themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon.graphs.components import components_of
from walkon.graphs.motion_graph import PIECE, TRANSITION, MotionGraph
from walkon.synthesis.least_times import least_times
from walkon.transforms import planar

__all__ = ["Choices", "make_choices", "strong_part"]

SLOT = 1 / 3
"""s between choices."""
TARGETS = 16
"""Transitions kept per slot."""
LOOK = 1.2
"""s after which it is seen where a transition leads."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Choices:
    """C nodes at which a search chooses, and S steps between them, by start, with at most one transition each."""

    nodes: IntArray
    """[C] node of the graph."""
    parts: IntArray
    """[C] part of the path."""
    first: IntArray
    """[C + 1] first step of each."""
    starts: IntArray
    """[S] row of the choice at which it starts."""
    stops: IntArray
    """[S] row of the choice at which it stops."""
    leave: IntArray
    """[S] node of the graph at which the transition begins; where there is none, both are the last node."""
    enter: IntArray
    """[S] node of the graph at which it ends."""
    transitions: IntArray
    """[S] edge of the graph, −1 for none."""
    blends: Array
    """[S] s that the transition lasts."""
    displacements: Array
    """[S, 3] of the transition."""
    switches: BoolArray
    """[S] whether it goes over to the next part."""
    waits: Array
    """[C] s: the least time to the next part; 0 in the last."""

    def __len__(self) -> int:
        return len(self.nodes)

    def edges_of(self, graph: MotionGraph, steps: IntArray) -> IntArray:
        """Return the edges of the graph along these steps, one after the other."""
        parts = []
        for step in np.asarray(steps).tolist():
            a, b = int(self.nodes[self.starts[step]]), int(self.nodes[self.stops[step]])
            leave, enter = int(self.leave[step]), int(self.enter[step])
            if self.transitions[step] < 0:
                parts.append(_pieces(graph, a, b))
            else:
                parts += [_pieces(graph, a, leave), self.transitions[[step]], _pieces(graph, enter, b)]
        return np.concatenate([np.zeros(0, np.int64), *parts])


def _pieces(graph: MotionGraph, a: int, b: int) -> IntArray:
    """Return the pieces from one node to another of the same clip: a node's piece is its first edge."""
    return graph.out_first[a:b]


def strong_part(graph: MotionGraph, edges: BoolArray) -> BoolArray:
    """Return which of these edges [E] are in their largest strongly connected component (by seconds of pieces)."""
    if not edges.any():
        return edges
    e = graph.edges
    own = np.where(e.kind == PIECE, e.duration, 0.0)
    found = components_of(len(graph.nodes), e.start[edges], e.stop[edges], own[edges])
    here = found.of_node == found.largest
    return np.asarray(edges & here[e.start] & here[e.stop])


def make_choices(
    graph: MotionGraph,
    parts: Sequence[BoolArray],
    *,
    slot: float = SLOT,
    targets: int = TARGETS,
    look: float = LOOK,
    always: BoolArray | None = None,
) -> Choices:
    """Thin the choices of a graph. `parts` has, per part of the path, the edges [E] to walk on (see `strong_part`).

    Transitions in `always` [E] are kept in any case.
    """
    must = np.zeros(len(graph.edges), bool) if always is None else always
    if not (np.isfinite(slot) and slot > 0 and targets >= 1):
        raise InvalidValue(f"slot must be positive seconds and targets at least 1, got {slot} and {targets}")
    grids = [_Grid.of(graph, inside, slot) for inside in parts]
    offsets = np.concatenate([[0], np.cumsum([len(grid.nodes) for grid in grids])])
    e = graph.edges
    turns = _leads_to(graph, look)
    tables = []
    for part, (grid, inside) in enumerate(zip(grids, parts, strict=True)):
        on = grid.following
        tables.append(_Table(on, on + 1, grid.nodes[on + 1], np.full(len(on), -1), False, part, part))
        moves = np.flatnonzero(inside & (e.kind == TRANSITION))
        tables.append(_Table(*_spread(grid, grid, moves, graph, turns, targets, must), False, part, part))
        if part + 1 < len(grids):
            over = _over(graph, grid, grids[part + 1])
            tables.append(
                _Table(*_spread(grid, grids[part + 1], over, graph, turns, targets, must), True, part, part + 1)
            )
    return _assemble(graph, grids, offsets, tables)


def _over(graph: MotionGraph, here: "_Grid", there: "_Grid") -> IntArray:
    """Return the transitions from one part's nodes to the next part's."""
    e = graph.edges
    return np.flatnonzero((e.kind == TRANSITION) & (here.slot_of[e.start] >= 0) & (there.next_of[e.stop] >= 0))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Grid:
    """The slots of one part: which node chooses for which."""

    nodes: IntArray
    """[c] nodes at which one chooses, in the order of the graph."""
    slot_of: IntArray
    """[N] the last row of `nodes` at or before each node, −1 where it is not in the part."""
    next_of: IntArray
    """[N] the first row at or after each node."""
    following: IntArray
    """[·] rows from which one can play on to the next row."""

    @classmethod
    def of(cls, graph: MotionGraph, inside: BoolArray, slot: float) -> "_Grid":
        N, e = len(graph.nodes), graph.edges
        member = np.zeros(N, bool)
        member[e.start[inside]] = True
        goes_on = np.zeros(N, bool)
        goes_on[e.start[inside & (e.kind == PIECE)]] = True
        # A run is nodes that pieces join one to the next; nodes of a clip follow each other.
        begins = member & ~np.concatenate([[False], goes_on[:-1]])
        run = np.cumsum(begins) - 1
        first = np.flatnonzero(begins)
        since = graph.nodes.time - graph.nodes.time[first[np.maximum(run, 0)]] if len(first) else np.zeros(N)
        place = np.floor(since / slot + 1e-9).astype(np.int64)
        before = np.concatenate([[-1], place[:-1]])
        chooses = member & (begins | (place != before) | ~goes_on)
        nodes = np.flatnonzero(chooses)
        count = np.cumsum(chooses)
        slot_of = np.where(member, count - 1, -1)
        next_of = np.where(member, count - chooses, -1)
        rows = slot_of[nodes[:-1]]
        joined = run[nodes[:-1]] == run[nodes[1:]]
        return cls(nodes=nodes, slot_of=slot_of, next_of=next_of, following=rows[joined])


def _leads_to(graph: MotionGraph, look: float) -> Array:
    """Return [E] rad: the direction in which the body is, `look` seconds after a transition, as seen where it left."""
    e, n = graph.edges, graph.nodes
    later = planar.relative(n.pose[e.stop], graph.poses_at(n.clip[e.stop], n.time[e.stop] + look))
    there = planar.compose(e.displacement, later)
    moved = np.hypot(there[:, 0], there[:, 1]) > 0.15
    return np.where(moved, np.arctan2(there[:, 1], there[:, 0]), there[:, 2])


def _spread(
    here: _Grid, there: _Grid, moves: IntArray, graph: MotionGraph, turns: Array, targets: int, must: BoolArray
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Choose among transitions; return (row they start at, row they stop at, node after the step, edge)."""
    e = graph.edges
    slot = here.slot_of[e.start[moves]]
    order = np.lexsort((turns[moves], slot))
    slot, moves = slot[order], moves[order]
    first = np.searchsorted(slot, slot)
    count = np.searchsorted(slot, slot, side="right") - first
    rank = np.arange(len(slot)) - first
    group = np.where(count > targets, rank * targets // np.maximum(count, 1), rank)
    order = np.lexsort((moves, e.distance[moves], group, slot))
    slot, group, moves = slot[order], group[order], moves[order]
    best = np.ones(len(slot), bool)
    best[1:] = (slot[1:] != slot[:-1]) | (group[1:] != group[:-1])
    best |= must[moves]
    slot, moves = slot[best], moves[best]
    stop = there.next_of[e.stop[moves]]
    return slot, stop, there.nodes[stop], moves


class _Table(NamedTuple):
    """Steps of one kind from the choices of one part to those of another."""

    start: IntArray
    """[·] row of the part's choices."""
    stop: IntArray
    node: IntArray
    """[·] node of the graph at the end."""
    edge: IntArray
    """[·] transition, −1 for none."""
    switch: bool
    part: int
    to: int


def _assemble(graph: MotionGraph, grids: list[_Grid], offsets: IntArray, tables: list[_Table]) -> Choices:
    start = np.concatenate([table.start + offsets[table.part] for table in tables])
    stop = np.concatenate([table.stop + offsets[table.to] for table in tables])
    node = np.concatenate([table.node for table in tables])
    edge = np.concatenate([table.edge for table in tables])
    switch = np.concatenate([np.full(len(table.edge), table.switch) for table in tables])
    order = np.lexsort((edge, stop, start))
    start, stop, node, edge, switch = start[order], stop[order], node[order], edge[order], switch[order]
    blends = edge >= 0
    row = np.maximum(edge, 0)
    nodes = np.concatenate([grid.nodes for grid in grids])
    first = np.searchsorted(start, np.arange(len(nodes) + 1))
    e = graph.edges
    made = {
        "nodes": nodes,
        "parts": np.repeat(np.arange(len(grids)), np.diff(offsets)),
        "first": first,
        "starts": start,
        "stops": stop,
        "leave": np.where(blends, e.start[row], node).astype(np.int64),
        "enter": np.where(blends, e.stop[row], node).astype(np.int64),
        "transitions": edge,
        "blends": np.where(blends, e.duration[row], 0.0),
        "displacements": np.where(blends[:, None], e.displacement[row, :3], 0.0),
        "switches": switch,
    }
    return Choices(**made, waits=_waits(graph, made))


def _waits(graph: MotionGraph, c: dict[str, IntArray]) -> Array:
    """Return [C] the least seconds from each choice to the next part: to the end of a step that goes over."""
    time, C = graph.nodes.time, len(c["nodes"])
    lasts = time[c["leave"]] - time[c["nodes"][c["starts"]]] + c["blends"]
    lasts = lasts + time[c["nodes"][c["stops"]]] - time[c["enter"]]
    waits = np.zeros(C)
    if not c["switches"].any():
        return waits
    # Backwards from one more node, which stands for "gone over".
    gone = np.where(c["switches"], C, c["stops"])
    return np.nan_to_num(least_times(C + 1, c["starts"], gone, lasts, target=C)[:C], posinf=0.0)
