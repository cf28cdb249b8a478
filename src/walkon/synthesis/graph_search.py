"""Searching a motion graph for the walk that suits a purpose: the framework of Kovar 2002, section 4.2.

The user says what a walk costs and when it is complete,

    f(w) = Σ g([e₁ … eᵢ₋₁], eᵢ),   g ≥ 0                                                            equation (8)

and the search returns a complete walk w with f(w) as small as it finds. Since g is never negative, f of a walk bounds f
of everything that begins with it. It is grown in increments: the best walks of `horizon` seconds are searched, the
first `keep` seconds of one of them are kept, and the search goes on from there. With `best` above 1 one of the best is
picked at random, as crowds want it.

    goal = Goal(error=lambda walk, edge: ..., halts=lambda walk: walk.time > 10)
    found = search(graph, goal, start=0)

An increment is searched by a "beam" (the default, see `beam`) or "exact" (`branch_and_bound`), which is the paper's own
and fit for small graphs only. Both look at thinned choices (see `choices`) unless told otherwise.

Advice of section 4.3: let g guide all along the walk, and ask for no more than is needed (see `clip_requests`).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import cos, sin
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import IntArray
from walkon._base.errors import InvalidValue
from walkon.graphs.motion_graph import TRANSITION, MotionGraph
from walkon.graphs.walk import Walk, walk_along
from walkon.synthesis.choices import Choices, make_choices, strong_part
from walkon.transforms import planar

__all__ = ["Goal", "PartialWalk", "SearchResult", "WalkExpander", "search"]


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


def _anything(_walk: PartialWalk, _edge: int) -> bool:
    return True


@dataclass(frozen=True, eq=False, kw_only=True)
class Goal:
    """What to ask for."""

    error: Callable[[PartialWalk, int], float]
    """g(w, e): what appending edge e to walk w costs; never negative."""
    halts: Callable[[PartialWalk], bool]
    """Whether a walk is complete."""
    allows: Callable[[PartialWalk, int], bool] = _anything
    """Whether an edge may be appended."""
    transition_cost: float = 0.0
    """Added to g for every transition."""
    good_enough: float = 0.0
    """ε: an increment of a walk with less error than this ends its search at once."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SearchResult:
    """What a search found."""

    walk: Walk
    error: float
    """f."""
    complete: bool
    """Whether it meets the halting condition; False where it ran out of time or ways."""
    looked: int
    """Edges for which g was asked."""

    def __bool__(self) -> bool:
        return self.complete

    def __repr__(self) -> str:
        state = "complete" if self.complete else "incomplete"
        return f"SearchResult({state}, {len(self.walk)} edges, {self.walk.duration:.2f} s, error {self.error:.4g})"


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

    def onward(self, walk: PartialWalk) -> Iterator[tuple[PartialWalk, bool]]:
        """Yield each walk that is one way longer, and whether it is complete."""
        if self.choices is None:
            for edge in self.graph.out_edges(walk.node).tolist():
                longer = self._appended(walk, edge)
                if longer is not None:
                    yield longer, self.goal.halts(longer)
            return
        c = self.choices
        for step in range(int(c.first[walk.row]), int(c.first[walk.row + 1])):
            if step not in self._steps:
                self._steps[step] = c.edges_of(self.graph, np.array([step])).tolist()
            yield from self._along(walk, self._steps[step], int(c.stops[step]))

    def _along(self, walk: PartialWalk, edges: Iterable[int], row: int) -> Iterator[tuple[PartialWalk, bool]]:
        longer: PartialWalk | None = walk
        for edge in edges:
            longer = self._appended(longer, edge)
            if longer is None:
                return
            if self.goal.halts(longer):
                yield longer, True
                return
        if longer is not None:
            yield longer._replace(row=row), False

    def _appended(self, walk: PartialWalk | None, edge: int) -> PartialWalk | None:
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


def search(
    graph: MotionGraph,
    goal: Goal,
    *,
    start: int,
    pose: ArrayLike = planar.IDENTITY,
    method: Literal["beam", "exact"] = "beam",
    horizon: float = 3.0,
    keep: float = 1.0,
    longest: float = 120.0,
    width: int = 100,
    choices: Choices | Literal["thinned", "all"] = "thinned",
    best: int = 1,
    tolerance: float = 0.2,
    rng: np.random.Generator | None = None,
    most: int = 200_000,
) -> SearchResult:
    """Search for the walk from node `start`, standing at `pose`, that meets a goal with the least error.

    Seconds: `horizon` are planned (infinite: all at once), `keep` kept of them, and after `longest` the search gives
    up with what it has. `width` is that of the beam; `choices` are thinned, "all" edges, or your own; with `best` = r
    above 1 one of the r best walks is picked by `rng`, among those within `tolerance` (a share) of the best; `most`
    bounds how many edges one exact increment may look at.
    """
    from walkon.synthesis.beam import beam_walks
    from walkon.synthesis.branch_and_bound import exact_walks

    if method not in ("beam", "exact"):
        raise InvalidValue(f"method must be 'beam' or 'exact', got {method!r}")
    if not 0 < keep <= horizon:
        raise InvalidValue(f"keep must be above 0 and at most the horizon, got {keep:g} s of {horizon:g} s")
    if not longest > 0:
        raise InvalidValue(f"longest must be above 0 s, got {longest:g}")
    if best > 1 and rng is None:
        raise InvalidValue("picking among the best needs a generator: give rng=numpy.random.default_rng(seed)")
    if not 0 <= start < len(graph.nodes):
        raise InvalidValue(f"start must be a node from 0 to {len(graph.nodes) - 1}, got {start}")
    if choices == "thinned":
        choices = make_choices(graph, [strong_part(graph, np.ones(len(graph.edges), bool))])
    ways = WalkExpander(graph, goal, None if isinstance(choices, str) else choices)
    here = begin = ways.empty(start, pose)
    while True:
        until = min(here.time + horizon, longest)
        if method == "beam":
            leaves = beam_walks(ways, here, until=until, width=width, count=best)
        else:
            leaves = exact_walks(ways, here, until=until, count=best, most=most)
        if not leaves:
            return _result(graph, begin, here, False, ways.looked)
        walk, complete = _pick(leaves, here.error, best, tolerance, rng)
        if complete or walk.time >= longest:
            return _result(graph, begin, walk, complete, ways.looked)
        here = _kept(walk, here, here.time + keep)


def _pick(
    leaves: list[tuple[PartialWalk, bool]], begun: float, best: int, tolerance: float, rng: np.random.Generator | None
) -> tuple[PartialWalk, bool]:
    if best == 1 or rng is None:
        return leaves[0]
    limit = (leaves[0][0].error - begun) * (1.0 + tolerance) + 1e-12
    near = [leaf for leaf in leaves[:best] if leaf[0].error - begun <= limit]
    return near[int(rng.integers(len(near)))]


def _kept(walk: PartialWalk, here: PartialWalk, until: float) -> PartialWalk:
    """Return the beginning of a walk up to the first choice at or after a time, and beyond `here` in any case."""
    parts = [part for part in walk.history() if part.time > here.time]
    for part in reversed(parts):
        if part.time >= until - 1e-9 and (part.row >= 0 or here.row < 0):
            return part
    return parts[0]


def _result(graph: MotionGraph, begin: PartialWalk, walk: PartialWalk, complete: bool, looked: int) -> SearchResult:
    edges = walk.edges
    return SearchResult(
        walk=walk_along(graph, [edges], poses=begin.pose) if len(edges) else Walk(),
        error=walk.error,
        complete=complete,
        looked=looked,
    )
