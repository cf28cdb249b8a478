"""Pruned successors: choices of a dense graph, thinned and spread to the few steps that a search looks at.

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

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon.graphs.components import components_of
from walkon.graphs.motion_graph import PIECE, TRANSITION, MotionGraph
from walkon.synthesis.shortest_walks import least_times
from walkon.transforms import planar

__all__ = ["Choices", "make_choices", "strong_part"]

SLOT_S = 1 / 3
"""s between choices."""
MAX_SLOT_TRANSITIONS = 16
"""Transitions kept per slot."""
LOOK_AHEAD_S = 1.2
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

    def __len__(self) -> int:
        return len(self.nodes)

    def edges_of(self, graph: MotionGraph, steps: IntArray) -> IntArray:
        """Return the edges of the graph along these steps, one after the other."""
        pieces = graph.out_first  # a node's piece is its first edge, and nodes of a clip follow each other
        parts = [np.zeros(0, np.int64)]
        for step in np.asarray(steps).tolist():
            parts.append(pieces[self.nodes[self.starts[step]] : self.leave[step]])
            parts.append(self.transitions[[step]][self.transitions[[step]] >= 0])
            parts.append(pieces[self.enter[step] : self.nodes[self.stops[step]]])
        return np.concatenate(parts)

    def waits(self, graph: MotionGraph) -> Array:
        """Return [C] s: the least time to the next part, to the end of a step that goes over; 0 in the last part."""
        time, C = graph.nodes.time, len(self)
        if not self.switches.any():
            return np.zeros(C)
        lasts = time[self.leave] - time[self.nodes[self.starts]] + self.blends
        lasts = lasts + time[self.nodes[self.stops]] - time[self.enter]
        # Backwards from one more node, which stands for "gone over".
        gone = np.where(self.switches, C, self.stops)
        return np.nan_to_num(least_times(C + 1, self.starts, gone, lasts, target=C)[:C], posinf=0.0)


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
    slot: float = SLOT_S,
    targets: int = MAX_SLOT_TRANSITIONS,
    look: float = LOOK_AHEAD_S,
    always: BoolArray | None = None,
) -> Choices:
    """Thin the choices of a graph. `parts` has, per part of the path, the edges [E] to walk on (see `strong_part`).

    Transitions in `always` [E] are kept in any case.
    """
    if not (np.isfinite(slot) and slot > 0 and targets >= 1):
        raise InvalidValue(f"slot must be positive seconds and targets at least 1, got {slot} and {targets}")
    e = graph.edges
    must = np.zeros(len(e), bool) if always is None else always
    turns, transitions = _directions_after(graph, look), e.kind == TRANSITION
    grids: list[_Grid] = []
    for inside in parts:
        grids.append(_Grid.of(graph, inside, slot, first=sum(len(grid.nodes) for grid in grids)))
    nodes = np.concatenate([grid.nodes for grid in grids])
    tables = []
    for part, (grid, inside) in enumerate(zip(grids, parts, strict=True)):
        on = grid.following
        tables.append((on, on + 1, nodes[on + 1], np.full(len(on), -1), np.zeros(len(on), bool)))
        for there in grids[part : part + 2]:
            moves = inside if there is grid else (grid.slot_of[e.start] >= 0) & (there.next_of[e.stop] >= 0)
            kept = _pick_spread(grid.slot_of, np.flatnonzero(transitions & moves), graph, turns, targets, must)
            stop = there.next_of[e.stop[kept]]
            tables.append((grid.slot_of[e.start[kept]], stop, nodes[stop], kept, np.full(len(kept), there is not grid)))
    columns = [np.concatenate(column) for column in zip(*tables, strict=True)]
    order = np.lexsort((columns[3], columns[1], columns[0]))
    start, stop, node, edge, switch = (column[order] for column in columns)
    blends, row = edge >= 0, np.maximum(edge, 0)
    return Choices(
        nodes=nodes,
        parts=np.repeat(np.arange(len(grids)), [len(grid.nodes) for grid in grids]),
        first=np.searchsorted(start, np.arange(len(nodes) + 1)),
        starts=start,
        stops=stop,
        leave=np.where(blends, e.start[row], node).astype(np.int64),
        enter=np.where(blends, e.stop[row], node).astype(np.int64),
        transitions=edge,
        blends=np.where(blends, e.duration[row], 0.0),
        displacements=np.where(blends[:, None], e.displacement[row, :3], 0.0),
        switches=switch,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Grid:
    """The slots of one part: which node chooses for which."""

    nodes: IntArray
    """[c] nodes at which one chooses, in the order of the graph; rows count on from part to part."""
    slot_of: IntArray
    """[N] the last row of `nodes` at or before each node, −1 where it is not in the part."""
    next_of: IntArray
    """[N] the first row at or after each node."""
    following: IntArray
    """[·] rows from which one can play on to the next row."""

    @classmethod
    def of(cls, graph: MotionGraph, inside: BoolArray, slot: float, *, first: int) -> "_Grid":
        """Cut the edges [E] of a part into slots; `first` is the row of its first choice."""
        N, e = len(graph.nodes), graph.edges
        member = np.zeros(N, bool)
        member[e.start[inside]] = True
        goes_on = np.zeros(N, bool)
        goes_on[e.start[inside & (e.kind == PIECE)]] = True
        # A run is nodes that pieces join one to the next; nodes of a clip follow each other.
        begins = member & ~np.concatenate([[False], goes_on[:-1]])
        run = np.cumsum(begins) - 1
        heads = np.flatnonzero(begins)
        since = graph.nodes.time - graph.nodes.time[heads[np.maximum(run, 0)]] if len(heads) else np.zeros(N)
        place = np.floor(since / slot + 1e-9).astype(np.int64)
        chooses = member & (begins | (np.diff(place, prepend=-1) != 0) | ~goes_on)
        nodes, count = np.flatnonzero(chooses), first + np.cumsum(chooses)
        return cls(
            nodes=nodes,
            slot_of=np.where(member, count - 1, -1),
            next_of=np.where(member, count - chooses, -1),
            following=first + np.flatnonzero(run[nodes[:-1]] == run[nodes[1:]]),
        )


def _directions_after(graph: MotionGraph, look: float) -> Array:
    """Return [E] rad: the direction in which the body is, `look` seconds after a transition, as seen where it left."""
    e, n = graph.edges, graph.nodes
    later = planar.relative(n.pose[e.stop], graph.poses_at(n.clip[e.stop], n.time[e.stop] + look))
    there = planar.compose(e.displacement, later)
    moved = np.hypot(there[:, 0], there[:, 1]) > 0.15
    return np.where(moved, np.arctan2(there[:, 1], there[:, 0]), there[:, 2])


def _pick_spread(
    slot_of: IntArray, moves: IntArray, graph: MotionGraph, turns: Array, targets: int, must: BoolArray
) -> IntArray:
    """Choose among transitions: of those that leave within one slot, at most `targets`, and those in `must`."""
    e = graph.edges
    slot = slot_of[e.start[moves]]
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
    return np.asarray(moves[best | must[moves]])
