"""Which guide an attempt follows: first the path itself, as fast as the window asks for, then ways around others.

Each attempt has a pace, waits, margins and chances of its own, so that one of them may do where others do not; all are
drawn from the generator handed in. Metres, seconds, radians.
"""

import numpy as np

from walkon._base.arrays import Array
from walkon.geometry.path import arc_lengths
from walkon.navigation.guide import find_guide
from walkon.planning.occupancy import BIN_S, Occupants
from walkon.stage.free_space import FreeSpace
from walkon.synthesis.goal_directed.guides import direct_guide, idle_seconds, timed_guide
from walkon.synthesis.goal_directed.leg_request import Failure, LegRequest
from walkon.synthesis.goal_directed.plan_graph import PlanGraph

__all__ = ["attempt_guide"]

ON_THE_SPOT_M = 0.2
"""m: a way that is shorter has no direction to turn to; one turns to where one must face, and that moves as much."""
BRISK_SPEED_RATIO = 1.2
"""Share of the usual speed that somebody who must get around others walks at least."""
CLEAR_OF_GUIDE_M = 0.2
"""m: what must be clear around a direct guide to be worth following; seeds go around people at its edge."""
GUIDE_STATE_COUNT = 2000
"""States that the search for a guide looks at, and many more after some attempts."""
LATER_PER_ATTEMPT_S = 4.0
"""s by which every attempt after the third may arrive later, where the window is open: waiting lets others pass, and
whoever waits long comes late to its next mark."""
IN_THE_WAY = Failure("", np.zeros(0, np.int64))
"""Somebody is in the way of a direct guide; nothing is known against others."""


def attempt_guide(
    ask: LegRequest,
    attempt: int,
    *,
    occupancy: Occupants,
    space: FreeSpace,
    graph: PlanGraph,
    me: int,
    rng: np.random.Generator,
) -> Array | Failure:
    """Return the guide [K, 4] of an attempt, or why there is none, for somebody who walks on a graph."""
    can_idle, (slowest, _, quickest, _) = graph.can_idle, graph.speeds
    path = np.asarray(ask.path, dtype=np.float64)
    length = float(arc_lengths(path)[-1])
    first, last = path[min(1, len(path) - 1)] - path[0], path[-1] - path[max(len(path) - 2, 0)]
    facing = float(ask.goal[2])
    lead = tail = 0.0
    if length > ON_THE_SPOT_M:
        lead = idle_seconds(float(ask.pose[2]), float(np.arctan2(first[1], first[0])), can_idle=bool(can_idle[ask.hub]))
        tail = idle_seconds(facing, float(np.arctan2(last[1], last[0])), can_idle=bool(can_idle[ask.goal_hub]))
    else:
        lead = idle_seconds(float(ask.pose[2]), facing, can_idle=True)
    if attempt > 1:
        lead, tail = lead * rng.uniform(0.5, 1.15), tail * rng.uniform(0.5, 1.15)
    lead, tail = lead + ask.lead, tail + ask.tail
    like = float(np.clip(ask.speed * (1.0 if not attempt else rng.uniform(0.85, 1.15)), slowest, quickest))
    earliest, latest = ask.window
    natural = ask.time + lead + tail + length / like
    if attempt:
        natural = max(natural, earliest)
        later = min(0.5 * max(latest - natural, 0.0), LATER_PER_ATTEMPT_S * max(attempt - 2, 0))
        natural += rng.uniform(0.0, 1.0) * later
    arrives = float(np.clip(natural, earliest, latest))
    left = arrives - ask.time - lead - tail
    slow = max(slowest, 0.8 * like)
    wait = max(left - length / slow, 0.0) if length > ON_THE_SPOT_M else left
    share = 1.0 if attempt in (0, 1) else float(rng.choice([1.0, 0.0, 0.5]))
    if attempt == 0 or length < 0.3:
        guide = direct_guide(
            path,
            departs=ask.time,
            arrives=arrives,
            lead=lead,
            tail=tail + (1 - share) * wait,
            wait_first=share * wait,
            facing=facing,
        )
        # Where somebody is in the way of it, walking along it would only be tried in vain.
        return guide if length < 0.3 or not _blocked(guide, occupancy, me) else IN_THE_WAY
    return _around(ask, attempt, occupancy, space, graph, me, rng, (lead, tail, arrives, like))


def _blocked(guide: Array, occupancy: Occupants, me: int) -> bool:
    """Say whether others are in the way of a guide [K, 4]."""
    bins = np.arange(int(np.ceil(guide[0, 2] / BIN_S)), int(guide[-1, 2] / BIN_S) + 1)
    times = BIN_S * bins.astype(np.float64)
    x, y = (np.interp(times, guide[:, 2], guide[:, k]) for k in (0, 1))
    return occupancy.depth(me, bins, np.column_stack([x, y, np.full(len(bins), CLEAR_OF_GUIDE_M)])) > 0.0


def _around(
    ask: LegRequest,
    attempt: int,
    occupancy: Occupants,
    space: FreeSpace,
    graph: PlanGraph,
    me: int,
    rng: np.random.Generator,
    timing: tuple[float, float, float, float],
) -> Array | Failure:
    """Return a guide around others [K, 4]; `timing` is lead, tail, arrival (s) and the speed liked (m/s)."""
    lead, tail, arrives, like = timing
    found = find_guide(
        occupancy,
        space,
        start=ask.path[0],
        goal=ask.path[-1],
        departs=ask.time + 0.7 * lead,
        earliest=arrives - tail,
        latest=max(ask.window[1] - tail, ask.time + lead + 0.1),
        speed=max(like, BRISK_SPEED_RATIO * graph.speeds[1]),
        radius=float(graph.steps.trunk[0]),
        margin=(0.12, 0.20, 0.14, 0.08)[attempt % 4],
        aside=(0.05, 0.10)[attempt % 2],
        hold=ask.hold,
        me=me,
        way=ask.path,
        spread=0.0 if attempt == 1 else 0.3,
        seed=int(rng.integers(1 << 30)),
        most=GUIDE_STATE_COUNT if attempt < 2 else 3 * GUIDE_STATE_COUNT if attempt < 6 else 12 * GUIDE_STATE_COUNT,
    )
    if not found.found:
        return Failure(found.reason, found.blockers)
    knots = np.concatenate(
        [[[*ask.path[0], ask.time]], found.knots, [[*ask.path[-1], found.knots[-1, 2] + tail + 1e-3]]]
    )
    return timed_guide(knots, facing=float(ask.goal[2]))
