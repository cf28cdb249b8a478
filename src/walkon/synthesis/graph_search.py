"""Incremental search of a motion graph for the walk of least cost: the framework of Kovar 2002, section 4.2.

The user says what a walk costs and when it is complete,

    f(w) = Σ g([e₁ … eᵢ₋₁], eᵢ),   g ≥ 0                                                            equation (8)

and the search returns a complete walk w with f(w) as small as it finds. Since g is never negative, f of a walk bounds f
of everything that begins with it. It is grown in increments: the best walks of `horizon` seconds are searched, the
first `keep` seconds of one of them are kept, and the search goes on from there. With `best` above 1 one of the best is
picked at random, as crowds want it.

    goal = Goal(error=lambda walk, edge: ..., halts=lambda walk: walk.time > 10)
    found = search(graph, goal, start=0)

An increment is searched by a "beam" (the default) or "exact", which is the paper's own and fit for small graphs only
(see `best_walks`). Both look at thinned choices (see `choices`) unless asked otherwise.

Advice of section 4.3: let g guide all along the walk, and ask for no more than is needed. Kovar 2002 shows with a clip
that is wanted at a place (figure 5, `play_clip_at`) how a search goes wrong. If only the end counts,

    g = |place error at the end|² ,  0 before,

the character may do anything in between, and it fidgets for seconds to gain the last centimetre. So by default g guides
all along the walk: each second costs what is still missing, as metres to go and radians to turn. `guided=False` is the
paper's version, kept for the lesson.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, hypot, pi, remainder, sin
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import BoolArray
from walkon._base.errors import InvalidValue
from walkon.graphs.motion_graph import TRANSITION, MotionGraph
from walkon.graphs.walk import Walk, walk_along
from walkon.synthesis.best_walks import Goal, Leaf, PartialWalk, WalkExpander, beam_walks, exact_walks
from walkon.synthesis.choices import Choices, make_choices, strong_part
from walkon.synthesis.shortest_walks import clip_node, least_times
from walkon.transforms import planar

__all__ = ["Goal", "PartialWalk", "SearchResult", "play_clip_at", "search"]

HEADING_ERROR_M_PER_RAD = 0.5
"""m that a radian of misplaced heading counts for."""
GUIDANCE_WEIGHT = 0.05
"""m² per m and s: what a metre still to go costs each second."""
CLIP_ENTRY_LEAD_S = 2.0
"""s before the wanted moment in which the clip may be entered at any node."""
EXTRA_TO_GO_M = 0.2
"""m that are always still to go: arriving sooner is better."""


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
    nodes = len(graph.nodes)
    for wrong, rule in (
        (method not in ("beam", "exact"), f"method must be 'beam' or 'exact', got {method!r}"),
        (not 0 < keep <= horizon, f"keep must be above 0 and at most the horizon, got {keep:g} s of {horizon:g} s"),
        (not longest > 0, f"longest must be above 0 s, got {longest:g}"),
        (best > 1 and rng is None, "picking among the best needs a generator: give rng=numpy.random.default_rng(seed)"),
        (not 0 <= start < nodes, f"start must be a node from 0 to {nodes - 1}, got {start}"),
    ):
        if wrong:
            raise InvalidValue(rule)
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
        walk, complete = _pick(leaves, here.error, best, tolerance, rng) if leaves else (here, False)
        if not leaves or complete or walk.time >= longest:
            edges = walk.edges
            return SearchResult(
                walk=walk_along(graph, [edges], poses=begin.pose) if len(edges) else Walk(),
                error=walk.error,
                complete=complete,
                looked=ways.looked,
            )
        here = _keep_until(walk, here, here.time + keep)


def _pick(leaves: list[Leaf], begun: float, best: int, tolerance: float, rng: np.random.Generator | None) -> Leaf:
    if best == 1 or rng is None:
        return leaves[0]
    limit = (leaves[0][0].error - begun) * (1.0 + tolerance) + 1e-12
    near = [leaf for leaf in leaves[:best] if leaf[0].error - begun <= limit]
    return near[int(rng.integers(len(near)))]


def _keep_until(walk: PartialWalk, here: PartialWalk, until: float) -> PartialWalk:
    """Return the beginning of a walk up to the first choice at or after a time, and beyond `here` in any case."""
    parts = [part for part in walk.history() if part.time > here.time]
    for part in reversed(parts):
        if part.time >= until - 1e-9 and (part.row >= 0 or here.row < 0):
            return part
    return parts[0]


def play_clip_at(
    graph: MotionGraph,
    clip: str | int,
    *,
    at: ArrayLike,
    start: int,
    time: float = 0.0,
    pose: ArrayLike = planar.IDENTITY,
    guided: bool = True,
    within: float = 20.0,
    width: int = 200,
    transition_cost: float = 0.0,
) -> SearchResult:
    """Walk from node `start`, standing at `pose`, so that a clip's moment at `time` (s) happens at planar pose `at`.

    The search gives up after `within` seconds. Not guided, walks are compared at the very end only.
    """
    target = clip_node(graph, clip, time=time)
    wanted = np.asarray(at, dtype=np.float64).tolist()
    e = graph.edges
    # A walk that cannot make it in time is not tried.
    quickest = least_times(len(graph.nodes), e.start, e.stop, e.duration, target=target).tolist()
    choices = make_choices(
        graph, [strong_part(graph, np.ones(len(graph.edges), bool))], always=_leads_into(graph, target)
    )
    stops = e.stop.tolist()
    goal = Goal(
        error=_guided_error(graph, target, wanted) if guided else _end_error(graph, target, wanted),
        halts=lambda walk: walk.node == target and walk.edge >= 0,
        allows=lambda walk, edge: walk.time + quickest[stops[edge]] <= within,
        transition_cost=transition_cost,
    )
    return search(
        graph,
        goal,
        start=start,
        pose=pose,
        horizon=np.inf,
        keep=np.inf,
        longest=np.inf,
        width=width,
        choices=choices,
    )


def _leads_into(graph: MotionGraph, target: int) -> BoolArray:
    """Return the transitions [E] that lead into the target's clip less than `CLIP_ENTRY_LEAD_S` before it."""
    e, n = graph.edges, graph.nodes
    lead = n.time[target] - n.time[e.stop]
    return np.asarray(
        (e.kind == TRANSITION) & (n.clip[e.stop] == n.clip[target]) & (lead >= 0) & (lead < CLIP_ENTRY_LEAD_S)
    )


def _pose_error(pose: tuple[float, float, float], wanted: list[float]) -> float:
    """Return the metres from a pose to the wanted one, a radian as half a metre."""
    return hypot(
        pose[0] - wanted[0], pose[1] - wanted[1], HEADING_ERROR_M_PER_RAD * remainder(pose[2] - wanted[2], 2 * pi)
    )


def _end_error(graph: MotionGraph, target: int, wanted: list[float]) -> Callable[[PartialWalk, int], float]:
    moves, stops = graph.edges.planar_displacement.tolist(), graph.edges.stop.tolist()

    def error(walk: PartialWalk, edge: int) -> float:
        if stops[edge] != target:
            return 0.0
        (x, y, heading), (dx, dy, turn) = walk.pose, moves[edge]
        c, s = cos(heading), sin(heading)
        return _pose_error((x + c * dx - s * dy, y + s * dx + c * dy, heading + turn), wanted) ** 2

    return error


def _guided_error(graph: MotionGraph, target: int, wanted: list[float]) -> Callable[[PartialWalk, int], float]:
    durations, at_end = graph.edges.duration.tolist(), _end_error(graph, target, wanted)

    def error(walk: PartialWalk, edge: int) -> float:
        to_go = hypot(walk.pose[0] - wanted[0], walk.pose[1] - wanted[1])
        return GUIDANCE_WEIGHT * durations[edge] * (to_go + EXTRA_TO_GO_M) + at_end(walk, edge)

    return error
