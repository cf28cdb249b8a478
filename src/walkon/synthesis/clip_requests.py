"""Asking for a clip at a place: walk from here so that a certain moment of a clip comes to lie where it is wanted.

Kovar 2002 shows with this request (figure 5) how a search goes wrong. If only the end counts,

    g = |place error at the end|² ,  0 before,

the character may do anything in between, and it fidgets for seconds to gain the last centimetre. So by default g guides
all along the walk: each second costs what is still missing, as metres to go and radians to turn. `guided=False` is the
paper's version, kept for the lesson.
"""

from collections.abc import Callable
from math import cos, hypot, pi, remainder, sin

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import BoolArray
from walkon.graphs.motion_graph import TRANSITION, MotionGraph
from walkon.synthesis.choices import make_choices, strong_part
from walkon.synthesis.graph_search import Goal, PartialWalk, SearchResult, search
from walkon.synthesis.shortest_walks import clip_node, least_times
from walkon.transforms import planar

__all__ = ["play_clip_at"]

TURN = 0.5
"""m that a radian of misplaced heading counts for."""
GUIDANCE = 0.05
"""m² per m and s: what a metre still to go costs each second."""
LEAD = 2.0
"""s before the wanted moment in which the clip may be entered at any node."""
HURRY = 0.2
"""m that are always still to go: arriving sooner is better."""


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
        error=_guided(graph, target, wanted) if guided else _unguided(graph, target, wanted),
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
    """Return the transitions [E] that lead into the target's clip less than LEAD seconds before it."""
    e, n = graph.edges, graph.nodes
    lead = n.time[target] - n.time[e.stop]
    return np.asarray((e.kind == TRANSITION) & (n.clip[e.stop] == n.clip[target]) & (lead >= 0) & (lead < LEAD))


def _missing(pose: tuple[float, float, float], wanted: list[float]) -> float:
    """Return the metres from a pose to the wanted one, a radian as half a metre."""
    turn = remainder(pose[2] - wanted[2], 2 * pi)
    return hypot(pose[0] - wanted[0], pose[1] - wanted[1], TURN * turn)


def _unguided(graph: MotionGraph, target: int, wanted: list[float]) -> Callable[[PartialWalk, int], float]:
    moves, stops = graph.edges.planar_displacement.tolist(), graph.edges.stop.tolist()

    def error(walk: PartialWalk, edge: int) -> float:
        if stops[edge] != target:
            return 0.0
        (x, y, heading), (dx, dy, turn) = walk.pose, moves[edge]
        c, s = cos(heading), sin(heading)
        return _missing((x + c * dx - s * dy, y + s * dx + c * dy, heading + turn), wanted) ** 2

    return error


def _guided(graph: MotionGraph, target: int, wanted: list[float]) -> Callable[[PartialWalk, int], float]:
    durations, at_end = graph.edges.duration.tolist(), _unguided(graph, target, wanted)

    def error(walk: PartialWalk, edge: int) -> float:
        to_go = hypot(walk.pose[0] - wanted[0], walk.pose[1] - wanted[1])
        return GUIDANCE * durations[edge] * (to_go + HURRY) + at_end(walk, edge)

    return error
