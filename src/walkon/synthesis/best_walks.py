"""Beam search, and branch and bound, for the best walks of some seconds: what they cost and how they are expanded.

* `beam_walks` goes through layers of time: of all walks that end within the same fraction of a second, the best few go
  on. Depth-first search spends itself on the tail of its first walk where choices are dense; a beam moves through time
  once. Walks are compared only with walks of about the same length, since longer ones have had more time to gather
  error. With a beam as wide as there are walks it is exhaustive, and gives what `exact_walks` gives.
* `exact_walks` is branch and bound, depth first, the best child first: Kovar 2002, section 4.2, as it is written there.
  g is never negative, so the error of a walk bounds that of everything that begins with it: a branch ends where it is
  no better than the best complete walk so far. Exact, and exponential: it is kept as the twin of the beam on small
  graphs, and bounded by the number of edges it may look at.
"""

from bisect import insort
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import cos, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import IntArray
from walkon._base.errors import InvalidValue
from walkon.graphs.motion_graph import TRANSITION, MotionGraph
from walkon.synthesis.choices import Choices

__all__ = ["Goal", "Leaf", "PartialWalk", "WalkExpander", "beam_walks", "exact_walks"]

LAYER_S = 1 / 6
"""s of a layer."""


class PartialWalk(NamedTuple):
    """A walk in the making: the edges so far, and where they lead. Longer walks share what they have in common."""

    node: int
    """Node of the graph at its end."""
    pose: tuple[float, float, float]
    """Planar pose in the world at its end; the heading is not wrapped."""
    time: float = 0.0
    """s."""
    error: float = 0.0
    """f, transition costs included."""
    edge: int = -1
    """The last edge, −1 in an empty walk."""
    before: "PartialWalk | None" = None
    row: int = -1
    """Row of the choices at its end; −1 where all edges are looked at."""

    @property
    def edges(self) -> IntArray:
        """[·] all edges of the graph along it."""
        return np.array([walk.edge for walk in self.history()][::-1][1:], dtype=np.int64)

    def history(self) -> Iterator["PartialWalk"]:
        """Go back from this walk to the empty one, an edge at a time."""
        walk: PartialWalk | None = self
        while walk is not None:
            yield walk
            walk = walk.before


def _allow_all(_walk: PartialWalk, _edge: int) -> bool:
    return True


@dataclass(frozen=True, eq=False, kw_only=True)
class Goal:
    """What to ask for."""

    error: Callable[[PartialWalk, int], float]
    """g(w, e): what appending edge e to walk w costs; never negative."""
    halts: Callable[[PartialWalk], bool]
    """Whether a walk is complete."""
    allows: Callable[[PartialWalk, int], bool] = _allow_all
    """Whether an edge may be appended."""
    transition_cost: float = 0.0
    """Added to g for every transition."""
    good_enough: float = 0.0
    """ε: an increment of a walk with less error than this ends its search at once."""


Leaf = tuple[PartialWalk, bool]
"""A walk at its end, and whether it is complete."""


class WalkExpander:
    """How walks go on: over single edges, or over thinned steps. Counts how often g is asked."""

    def __init__(self, graph: MotionGraph, goal: Goal, choices: Choices | None = None) -> None:
        self.graph, self.goal, self.choices = graph, goal, choices
        self.looked = 0
        self._steps: dict[int, list[int]] = {}
        e = graph.edges
        self._kinds: list[int] = e.kind.tolist()
        self._stops: list[int] = e.stop.tolist()
        self._durations: list[float] = e.duration.tolist()
        self._moves: list[tuple[float, float, float]] = e.planar_displacement.tolist()

    def empty(self, node: int, pose: ArrayLike) -> PartialWalk:
        """Return the walk with no edges that stands at a node."""
        row = -1
        if self.choices is not None:
            rows = np.flatnonzero(self.choices.nodes == node)
            if not len(rows):
                near = int(self.choices.nodes[np.argmin(np.abs(self.choices.nodes - node))])
                raise InvalidValue(
                    f"node {node} is none at which a thinned search chooses; start at {near}, or use choices='all'"
                )
            row = int(rows[0])
        x, y, heading = (float(part) for part in np.asarray(pose, dtype=np.float64))
        return PartialWalk(node=int(node), pose=(x, y, heading), row=row)

    def expand(self, walk: PartialWalk) -> Iterator[tuple[PartialWalk, bool]]:
        """Yield each walk that is one way longer, and whether it is complete."""
        if self.choices is None:
            for edge in self.graph.out_edges(walk.node).tolist():
                yield from self._append_all(walk, [edge], -1)
            return
        c = self.choices
        for step in range(int(c.first[walk.row]), int(c.first[walk.row + 1])):
            if step not in self._steps:
                self._steps[step] = c.edges_of(self.graph, np.array([step])).tolist()
            yield from self._append_all(walk, self._steps[step], int(c.stops[step]))

    def _append_all(self, walk: PartialWalk, edges: Iterable[int], row: int) -> Iterator[tuple[PartialWalk, bool]]:
        longer: PartialWalk | None = walk
        for edge in edges:
            longer = self._append(longer, edge)
            if longer is None:
                return
            if self.goal.halts(longer):
                yield longer, True
                return
        if longer is not None:
            yield longer._replace(row=row), False

    def _append(self, walk: PartialWalk | None, edge: int) -> PartialWalk | None:
        if walk is None or not self.goal.allows(walk, edge):
            return None
        self.looked += 1
        cost = float(self.goal.error(walk, edge))
        if not cost >= 0:
            raise InvalidValue(f"g(w, e) must be 0 or more for the search to be right, got {cost} for edge {edge}")
        if self._kinds[edge] == TRANSITION:
            cost += self.goal.transition_cost
        # Composed by hand: this is the inner loop, and arrays of three would take most of its time.
        (x, y, heading), (dx, dy, turn) = walk.pose, self._moves[edge]
        c, s = cos(heading), sin(heading)
        return PartialWalk(
            node=self._stops[edge],
            pose=(x + c * dx - s * dy, y + s * dx + c * dy, heading + turn),
            time=walk.time + self._durations[edge],
            error=walk.error + cost,
            edge=edge,
            before=walk,
        )


def beam_walks(ways: WalkExpander, start: PartialWalk, *, until: float, width: int, count: int = 1) -> list[Leaf]:
    """Return the `count` best walks that are complete or last until `until` seconds, best first; of equals the first.

    `width` walks go on from each layer.
    """
    leaves: list[Leaf] = []
    layers = {0: [start]}
    while layers:
        now = min(layers)
        for walk in sorted(layers.pop(now), key=lambda walk: walk.error)[:width]:
            for longer in _expand(ways, walk, leaves, since=start.error, until=until, count=count):
                layers.setdefault(max(int((longer.time - start.time) / LAYER_S), now + 1), []).append(longer)
    return leaves


def exact_walks(
    ways: WalkExpander, start: PartialWalk, *, until: float, count: int = 1, most: int = 200_000
) -> list[Leaf]:
    """Return the `count` best walks that are complete or last until `until` seconds, best first.

    After looking at `most` edges without an end it says so: a result that is not the best must not look like it.
    """
    leaves: list[Leaf] = []
    first, stack = ways.looked, [start]
    while stack:
        longer = _expand(ways, stack.pop(), leaves, since=start.error, until=until, count=count)
        if ways.looked - first > most and not _is_good(ways, leaves, start.error):
            raise InvalidValue(
                f"exact search looked at {most} edges and is not done: the graph has too many choices within "
                f"{until - start.time:.1f} s; use method='beam', or a shorter horizon"
            )
        # The stack gives back the last one first: the cheapest goes on top.
        stack += sorted(longer, key=lambda walk: -walk.error)
    return leaves


def _expand(
    ways: WalkExpander, walk: PartialWalk, leaves: list[Leaf], *, since: float, until: float, count: int
) -> list[PartialWalk]:
    """Return the walks one way longer that can go on; those at their end go among the `count` best `leaves`.

    Nothing goes on once the best leaf is good enough, nor from a walk that is no better than the worst of all leaves.
    """
    unfinished: list[PartialWalk] = []
    if len(leaves) >= count and walk.error >= leaves[count - 1][0].error:
        return unfinished
    for longer, complete in () if _is_good(ways, leaves, since) else ways.expand(walk):
        if complete or longer.time >= until - 1e-9:
            insort(leaves, (longer, complete), key=lambda leaf: leaf[0].error)
            del leaves[count:]
            if _is_good(ways, leaves, since):
                return []
        else:
            unfinished.append(longer)
    return unfinished


def _is_good(ways: WalkExpander, leaves: list[Leaf], since: float) -> bool:
    return bool(leaves) and leaves[0][0].error - since < ways.goal.good_enough
