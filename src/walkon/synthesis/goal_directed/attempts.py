"""Which guide an attempt follows: first the path itself, as fast as the window asks for, then ways around others.

Each attempt has a pace, waits, margins and chances of its own, so that one of them may do where others do not; all are
drawn from the generator handed in. Metres, seconds, radians.
"""

from typing import Any

import numpy as np

from walkon._base.arrays import Array
from walkon.geometry.path import arc_lengths
from walkon.navigation.guide import find_guide
from walkon.planning.occupancy import BIN_S, Occupants
from walkon.stage.free_space import FreeSpace
from walkon.synthesis.goal_directed.guides import direct_guide, idle_seconds, timed_guide
from walkon.synthesis.goal_directed.leg_request import Failure, LegRequest
from walkon.synthesis.goal_directed.plan_graph import PlanGraph

__all__ = ["attempt_guide", "attempt_window", "departure"]

EARLY_OR_LATE_S = (0.4, 0.8)
"""s by which the first attempts arrive earlier or later than expected: they go where one is expected."""
SHORT_WAY_M, SHORT_WAY_LATE_S = 3.0, 1.0
"""s more on ways shorter than so many m: few motions end exactly there."""
EXPECTED_ATTEMPTS = len(EARLY_OR_LATE_S)
MOVES_FROM_M = 0.02
"""m from which on somebody is said to move."""
QUICKEST_RATIO = 1.1
"""Times the speed of the quickest steps at which somebody who is late follows where it is expected."""

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
LATER_THAN_EXPECTED_S = 2.0
"""s after its window at which somebody may be expected: steps of expectation are coarse."""
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
    if attempt < EXPECTED_ATTEMPTS and ask.guide is not None:
        return expected_guide(ask, ask.guide, quickest=QUICKEST_RATIO * quickest)
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


def attempt_window(ask: LegRequest, attempt: int, *, graph: PlanGraph) -> tuple[float, float]:
    """Return the seconds within which an attempt arrives: about when one is expected, while it goes there."""
    low, high = ask.window
    if ask.guide is None or attempt >= EXPECTED_ATTEMPTS:
        return low, high
    way = _expected_knots(ask, ask.guide, quickest=QUICKEST_RATIO * graph.speeds[2])
    meant = min(max(float(way[-1, 2]) + ask.tail, low), high)
    short = float(arc_lengths(np.asarray(ask.path))[-1]) < SHORT_WAY_M
    by = EARLY_OR_LATE_S[attempt] + (SHORT_WAY_LATE_S if short else 0.0)
    return max(low, meant - by), min(high, meant + by)


def _expected_knots(ask: LegRequest, knots: Array, *, quickest: float) -> Array:
    """Return the knots [K, 3] from setting out on; who is late hurries, at `quickest` m/s at most."""
    departs, ends = departure(knots), float(knots[-1, 2])
    way = knots[knots[:, 2] >= departs]
    begins, latest = max(departs, ask.time + ask.lead), ask.window[1] - ask.tail
    if (begins > departs or ends > latest) and ends > departs:
        way = way.copy()
        ends = max(min(ends, latest), begins + float(arc_lengths(way[:, :2])[-1]) / quickest)
        way[:, 2] = begins + (way[:, 2] - departs) * ((ends - begins) / (knots[-1, 2] - departs))
    return way


def departure(knots: Array) -> float:
    """Return the second at which somebody sets out who is expected along knots [K, 3] = (x, y, s)."""
    moves = np.flatnonzero(np.abs(np.diff(knots[:, :2], axis=0)).max(axis=1, initial=0.0) > MOVES_FROM_M)
    return float(knots[moves[0] if len(moves) else -1, 2])


def expected_guide(ask: LegRequest, knots: Array, *, quickest: float) -> Array | Failure:
    """Return the guide [K, 4] along where one is expected when."""
    way = _expected_knots(ask, knots, quickest=quickest)
    arrives = max(float(way[-1, 2]) + ask.tail, ask.window[0])
    if arrives > ask.window[1] + LATER_THAN_EXPECTED_S:
        return Failure("too far", np.zeros(0, np.int64))
    way = np.concatenate([[[*ask.path[0], ask.time]], way, [[*ask.path[-1], max(arrives, way[-1, 2] + 1e-3)]]])
    return timed_guide(way, facing=float(ask.goal[2]))


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
    asked: dict[str, Any] = {
        "start": ask.path[0],
        "goal": ask.path[-1],
        "departs": ask.time + 0.7 * lead,
        "earliest": arrives - tail,
        "latest": max(ask.window[1] - tail, ask.time + lead + 0.1),
        "speed": max(like, BRISK_SPEED_RATIO * graph.speeds[1]),
        "radius": float(graph.steps.trunk[0]),
        "margin": (0.12, 0.20, 0.14, 0.08)[attempt % 4],
        "aside": (0.03, 0.06)[attempt % 2],
        "hold": ask.hold,
        "me": me,
        "way": ask.path,
        "spread": 0.0 if attempt == 1 else 0.3,
        "seed": int(rng.integers(1 << 30)),
        "most": GUIDE_STATE_COUNT if attempt < 2 else 3 * GUIDE_STATE_COUNT if attempt < 6 else 12 * GUIDE_STATE_COUNT,
    }
    found = find_guide(occupancy, space, **asked)
    if found.reason == "walled off":
        found = find_guide(occupancy, space, **asked, arms=False)
    if not found.found:
        return Failure(found.reason, found.blockers)
    knots = np.concatenate(
        [[[*ask.path[0], ask.time]], found.knots, [[*ask.path[-1], found.knots[-1, 2] + tail + 1e-3]]]
    )
    return timed_guide(knots, facing=float(ask.goal[2]))
