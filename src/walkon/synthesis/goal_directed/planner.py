"""Planning one leg of one character: a guide, seeds that keep to it, the search, and the plan that comes of it.

The first attempt follows the path at the speed that the window asks for. When that runs into others, later attempts
follow ways through place and time around them (`walkon.planning.guide`), each with other speeds, waits and chances.

A `Planner` keeps the arrays that kernels work in, one per thread. Metres, seconds, radians.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.planning.clearance import Clearance
from walkon.planning.occupancy import BIN, MARGIN, Occupancy
from walkon.synthesis.goal_directed.greedy_seeds import GreedySeeds, displaced_throughout, needs
from walkon.synthesis.goal_directed.guides import arc_lengths, direct_guide, idle_seconds, timed_guide
from walkon.synthesis.goal_directed.plan_graph import PlanGraph, placed_discs
from walkon.synthesis.goal_directed.search_rule import SearchRule

__all__ = ["Ask", "Failure", "Plan", "Planner"]

LONGEST = 400
"""Edges of one motion."""
NARROW, CAREFUL, WIDTH, WIDEST, HOLD = 3, 5, 8, 12, 24
"""Motions that go on of those of one length: in the first two attempts, in the open or among obstacles, later, at last;
how many are held at most."""
RICH = 4
"""Attempts before seeds choose among many more edges."""
SHORT = 5.0
"""s that the first two attempts' backward beams last: they need only meet the forward ones."""
SPAN = 0.4
BUCKETS = 400
FASTEST, SLOWEST = 1.7, 0.95
"""m/s that people walk at."""
ON_THE_SPOT = 0.2
"""m: a way that is shorter has no direction to turn to; one turns to where one must face, and that moves as much."""
OBSTACLE_MARGIN = 0.01
BODY = 0.2
"""m: what must be clear around a direct guide to be worth following; seeds go around people at its edge."""
TIGHT = 8.0
"""What a metre of displacement costs among obstacles, in units of the tolerance."""
BLAMING = 3
"""Last attempts after which it is looked at who was in the way."""
PATIENCE = 2000
"""States that the search for a guide looks at, and many more after some attempts."""
FEW = 20
"""Pairs that the first two attempts' searches make in a round: another guide is better than much chance."""
IN_STEP = 0.25
"""m² that an edge costs which neighbours begin at about the same time."""


class Ask(NamedTuple):
    """What one character shall do next."""

    hub: int
    pose: Array
    """[3] where it is."""
    time: float
    """Seconds: since when it is there."""
    goal_hub: int
    goal: Array
    """[3] where it shall be."""
    window: tuple[float, float]
    """Seconds: earliest and latest arrival."""
    path: Array
    """[P, 2] the way to follow."""
    speed: float = 1.3
    """m/s it likes to walk at."""
    hold: float = 0.0
    """Seconds for which it stays."""
    lead: float = 0.0
    tail: float = 0.0
    """Seconds that it takes to get onto the path (rising from a seat) and off it (sitting down)."""


class Failure(NamedTuple):
    """Why there is no plan."""

    reason: str
    blockers: IntArray
    """Characters in the way, of the last attempt that met any."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan:
    """n edges one after another, from when on and where; the body is displaced by offsets that grow evenly."""

    edges: IntArray
    """[n] rows of the plan graph."""
    poses: Array
    """[n, 3] planar pose at the start of each edge, not displaced."""
    offsets: Array
    """[n, 3] displacement at the start of each edge: x, y, heading."""
    slopes: Array
    """[n, 3] per second."""
    starts: Array
    """[n + 1] seconds; the last one is the arrival."""
    rate: float
    """Speed at which all edges play."""
    tried: int = 0
    """Pairs that the search looked at."""
    attempts: int = 0
    adjustment: tuple[float, float, float] = field(default=(0.0, 0.0, 0.0))
    """m/s, rad/s and s/s by which it is adjusted."""


class Planner:
    """Plans on one graph among one set of obstacles and people."""

    def __init__(
        self, graph: PlanGraph, occupancy: Occupancy, clearance: Clearance, *, rule: SearchRule | None = None
    ) -> None:
        from walkon.synthesis.goal_directed._beam_kernels import Beam
        from walkon.synthesis.goal_directed._join_kernels import Pool
        from walkon.synthesis.goal_directed._search_kernels import Trace

        self.graph, self.occupancy, self.clearance = graph, occupancy, clearance
        self.rule = rule or SearchRule()
        self._greedy = GreedySeeds(graph) if self.rule.greedy else None
        if self._greedy is not None:
            self.graph = displaced_throughout(graph)
        grid, margin = (
            np.array([*clearance.origin, clearance.spacing, clearance.outside]),
            np.array([MARGIN, OBSTACLE_MARGIN]),
        )
        for array in (grid, margin):
            array.flags.writeable = False
        self._still = (clearance.nodes, grid, margin)
        rows = self.rule.kept + self.rule.made
        self._pool = Pool(
            np.zeros((rows, 2, LONGEST), np.int32),
            np.zeros((rows, 2), np.int32),
            np.full(rows, np.inf),
            np.zeros((rows, 2), np.int32),
        )
        self._trace = Trace(
            np.zeros((2, LONGEST + 1, 3)),
            np.zeros((2, LONGEST + 1), np.int32),
            np.zeros((2, LONGEST + 1)),
            np.zeros((2, LONGEST + 1)),
        )
        size = BUCKETS * HOLD
        self._beams = [
            Beam(
                np.zeros(BUCKETS, np.int32),
                np.zeros(size, np.int32),
                np.zeros(size, np.int32),
                np.zeros(size, np.int32),
                np.zeros((size, 3)),
                np.zeros(size),
                np.zeros(size),
                np.zeros(size),
                np.zeros(size),
                np.zeros(BUCKETS),
            )
            for _ in range(2)
        ]
        self._costs, self._pairs = np.zeros(self.rule.kept), np.zeros((self.rule.kept, 2), np.int32)
        self._dislike = np.zeros(len(graph.steps.start))
        self._disliked = self._dislike.view()
        self._disliked.flags.writeable = False
        self._rests = np.array([len(rests) > 0 for rests in graph.rests])

    def plan(self, ask: Ask, *, me: int, seed: int, avoid: Sequence[int] = ()) -> Plan | Failure:
        """Return a plan that meets what is asked and runs into nothing, or why none was found.

        Edges to `avoid` are what neighbours do just then; they are taken only where little else will do.
        """
        from walkon.synthesis.goal_directed import _search_kernels as kernels
        from walkon.synthesis.goal_directed._collision_kernels import World
        from walkon.synthesis.goal_directed._join_kernels import Job

        rule, world = self.rule, World(self.occupancy.entries, *self._still)
        state = np.array([_mixed(seed, me)], np.int64)
        rng = np.random.default_rng([seed, me])
        job = Job(
            _locked(ask.pose),
            _locked(ask.goal),
            _locked([ask.time, *ask.window]),
            rule.limits(),
            *self._stay(ask, me),
        )
        self._why = Failure("crowded", np.zeros(0, np.int64))
        counted = np.zeros(2, np.int64)
        self._dislike[:] = 0.0
        self._dislike[list(avoid)] = IN_STEP
        for attempt, rounds in enumerate(rule.rounds):
            have = self._seeded(ask, job, world, rng, state, me, attempt)
            row = kernels.search(
                self.graph.steps,
                world,
                job,
                ask.hub,
                ask.goal_hub,
                self._pool,
                self._trace,
                have,
                rule.kept,
                rule.made if attempt > 1 or rule.greedy else min(rule.made, FEW),
                rounds,
                rule.yielding,
                rule.editing,
                me,
                state,
                counted,
            )
            if row >= 0:
                return self._result(ask, int(row), tried=int(counted[0]), attempts=attempt)
            if have and attempt >= len(rule.rounds) - BLAMING:
                hit = self._hit(ask, job, world, me, state, counted)
                self._why = Failure("crowded", hit) if len(hit) else self._why
        return self._why if self._greedy is None else self._best_pair(job)

    def _hit(self, ask: Ask, job: Any, world: Any, me: int, state: IntArray, counted: IntArray) -> IntArray:
        """Return whom the best pair that was found runs into, if anybody."""
        from walkon.synthesis.goal_directed import _search_kernels as kernels
        from walkon.synthesis.goal_directed.reservations import reservations

        hubs = ask.hub, ask.goal_hub
        kernels.search(
            self.graph.steps, world, job, *hubs, self._pool, self._trace, 1, 1, 0, 0, 0, 0.0, me, state, counted
        )
        if self._pool.joins[0, 0] < 0:
            return np.zeros(0, np.int64)
        best = self._result(ask, 0, tried=0, attempts=0)
        until = float(best.starts[-1]) + min(ask.hold, 60.0)
        return self.occupancy.meets(me, *reservations(self.graph, best, until=until))

    def _stay(self, ask: Ask, me: int) -> tuple[Array, IntArray]:
        """Return how deep others would be in somebody at the goal, summed over bins, and which bins (see `Job`)."""
        from walkon.planning._occupancy_kernels import overlaps

        first = int(np.floor(ask.window[0] / BIN)) - 10
        count = int(np.ceil(ask.hold / BIN))
        bins = (
            np.arange(first, int(np.ceil(ask.window[1] / BIN)) + 10 + count) if ask.hold > 0 else np.zeros(0, np.int64)
        )
        discs = placed_discs(self.graph.hub_discs[ask.goal_hub], np.asarray(ask.goal))
        depths = np.zeros(len(bins) * len(discs))
        if len(bins):
            overlaps(
                self.occupancy.entries,
                np.repeat(bins, len(discs)),
                np.tile(discs, (len(bins), 1)),
                MARGIN,
                me,
                depths,
            )
        summed = np.append(0.0, np.cumsum(depths.reshape(len(bins), -1).sum(axis=1))) if len(bins) else np.zeros(1)
        where = np.array([first, count])
        where.flags.writeable = False
        return _locked(summed), where

    def _seeded(
        self, ask: Ask, job: Any, world: Any, rng: np.random.Generator, state: IntArray, me: int, attempt: int
    ) -> int:
        """Fill the pool with pairs of seeds; returns how many."""
        if self._greedy is not None:
            return self._greedy.fill(self._pool, ask=ask, world=world, rng=rng, me=me, give=self.rule.time)
        from walkon.synthesis.goal_directed._beam_kernels import follow, gather

        guide = self._guide(ask, rng, me, attempt)
        if guide is None:
            return 0
        arrives = float(guide[-1, 2])
        narrow = NARROW if not self.clearance.nodes.size else CAREFUL
        width = narrow if attempt < 2 else CAREFUL if attempt < 3 else WIDTH if attempt < RICH else WIDEST
        hold = min(3 * width, HOLD)
        steps = self.graph.steps if attempt < RICH else self.graph.richer.steps
        price = 3.0 if attempt % 3 == 2 and attempt > 2 else -1.0
        whole = min(int((arrives - ask.time + 1.6) / SPAN) + 1, BUCKETS)
        buckets = np.array([whole, whole if attempt > 2 else min(whole, int(SHORT / SPAN))])
        noise = 0.01 if attempt == 0 else 0.02
        for backward, beam in zip((False, True), self._beams, strict=True):
            follow(
                steps,
                world,
                guide,
                ask.goal_hub if backward else ask.hub,
                job.goal if backward else job.start,
                arrives if backward else ask.time,
                backward,
                hold,
                width,
                buckets[int(backward)],
                price,
                noise,
                self._disliked,
                me,
                state,
                beam,
            )
        return int(
            gather(
                job,
                *self._beams,
                arrives - ask.time,
                TIGHT if self.clearance.nodes.size else 0.0,
                hold,
                buckets,
                self._pool,
                self.rule.kept,
                self._costs,
                self._pairs,
            )
        )

    def _guide(self, ask: Ask, rng: np.random.Generator, me: int, attempt: int) -> Array | None:
        """Return the guide of an attempt [K, 4]; None where there is none."""
        path = np.asarray(ask.path, dtype=np.float64)
        length = float(arc_lengths(path)[-1])
        first, last = path[min(1, len(path) - 1)] - path[0], path[-1] - path[max(len(path) - 2, 0)]
        facing = float(ask.goal[2])
        lead = tail = 0.0
        if length > ON_THE_SPOT:
            lead = idle_seconds(
                float(ask.pose[2]), float(np.arctan2(first[1], first[0])), rests=bool(self._rests[ask.hub])
            )
            tail = idle_seconds(facing, float(np.arctan2(last[1], last[0])), rests=bool(self._rests[ask.goal_hub]))
        else:
            lead = idle_seconds(float(ask.pose[2]), facing, rests=True)
        if attempt > 1:
            lead, tail = lead * rng.uniform(0.5, 1.15), tail * rng.uniform(0.5, 1.15)
        lead, tail = lead + ask.lead, tail + ask.tail
        like = float(np.clip(ask.speed * (1.0 if not attempt else rng.uniform(0.85, 1.15)), SLOWEST, FASTEST))
        earliest, latest = ask.window
        natural = ask.time + lead + tail + length / like
        if attempt:
            natural = max(natural, earliest) + rng.uniform(0.0, 0.5) * max(latest - max(natural, earliest), 0.0) * (
                attempt > 2
            )
        arrives = float(np.clip(natural, earliest, latest))
        left = arrives - ask.time - lead - tail
        slow = max(SLOWEST, 0.8 * like)
        wait = max(left - length / slow, 0.0) if length > ON_THE_SPOT else left
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
            return guide if length < 0.3 or not self._blocked(guide, me) else None
        return self._around(ask, rng, me, attempt, lead, tail, arrives, like)

    def _blocked(self, guide: Array, me: int) -> bool:
        """Say whether others are in the way of a guide [K, 4]."""
        bins = np.arange(int(np.ceil(guide[0, 2] / BIN)), int(guide[-1, 2] / BIN) + 1)
        times = BIN * bins.astype(np.float64)
        x, y = (np.interp(times, guide[:, 2], guide[:, k]) for k in (0, 1))
        return self.occupancy.depth(me, bins, np.column_stack([x, y, np.full(len(bins), BODY)])) > 0.0

    def _around(
        self,
        ask: Ask,
        rng: np.random.Generator,
        me: int,
        attempt: int,
        lead: float,
        tail: float,
        arrives: float,
        like: float,
    ) -> Array | None:
        """Return a guide around others [K, 4], or None where there is none."""
        from walkon.planning.guide import find_guide

        found = find_guide(
            self.occupancy,
            self.clearance,
            start=ask.path[0],
            goal=ask.path[-1],
            departs=ask.time + 0.7 * lead,
            earliest=arrives - tail,
            latest=max(ask.window[1] - tail, ask.time + lead + 0.1),
            speed=max(like, 1.35),
            margin=(0.12, 0.20, 0.14, 0.08)[attempt % 4],
            aside=(0.05, 0.10)[attempt % 2],
            hold=ask.hold,
            me=me,
            way=ask.path,
            spread=0.0 if attempt == 1 else 0.3,
            seed=int(rng.integers(1 << 30)),
            most=PATIENCE if attempt < 2 else 3 * PATIENCE if attempt < 6 else 12 * PATIENCE,
        )
        if not found.found:
            self._why = Failure(found.reason, found.blockers)
            return None
        knots = np.concatenate(
            [[[*ask.path[0], ask.time]], found.knots, [[*ask.path[-1], found.knots[-1, 2] + tail + 1e-3]]]
        )
        return timed_guide(knots, facing=float(ask.goal[2]))

    def _best_pair(self, job: Any) -> Failure:
        """Say what the best pair lacks when the paper's search has ended."""
        times = needs(self.graph, self._pool, job)
        words = "runs into others" if times <= 1.0 else f"needs {times:.1f} times the tolerance"
        if not np.isfinite(times):
            words = "has no pose in common"
        reason = f"the search ended after {self.rule.rounds[-1]} rounds; the best pair {words}"
        return Failure(reason, np.zeros(0, np.int64))

    def _result(self, ask: Ask, row: int, *, tried: int, attempts: int) -> Plan:
        pool, trace, steps = self._pool, self._trace, self.graph.steps
        i, j = pool.joins[row]
        forward, backward = pool.edges[row, 0, :i], pool.edges[row, 1, :j][::-1]
        edges = np.concatenate([forward, backward]).astype(np.int64)
        poses = np.concatenate([trace.poses[0, :i], trace.poses[1, 1 : j + 1][::-1]])
        seconds = steps.seconds[edges]
        moving = seconds * steps.moving[edges]
        total, motion = float(seconds.sum()), float(moving.sum())
        arrival = np.clip(ask.time + total, *ask.window)
        stretch = (arrival - ask.time) / total if total > 0 else 1.0
        gap = trace.poses[1, j] - trace.poses[0, i]
        gap[2] = np.mod(gap[2] + np.pi, 2 * np.pi) - np.pi
        done = np.concatenate([[0.0], np.cumsum(moving)])[:-1] / motion if motion > 0 else np.zeros(len(edges))
        share = done - (np.arange(len(edges)) >= i)
        return Plan(
            edges=edges,
            poses=poses,
            offsets=share[:, None] * gap,
            slopes=(steps.moving[edges] / (motion * stretch) if motion > 0 else np.zeros(len(edges)))[:, None] * gap,
            starts=ask.time + np.concatenate([[0.0], np.cumsum(seconds)]) * stretch,
            rate=1.0 / stretch,
            tried=tried,
            attempts=attempts,
            adjustment=(
                float(np.hypot(gap[0], gap[1]) / max(motion * stretch, 1e-9)),
                float(abs(gap[2]) / max(motion * stretch, 1e-9)),
                max(stretch, 1.0 / stretch) - 1.0,
            ),
        )


def _locked(values: Any) -> Array:
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


def _mixed(seed: int, me: int) -> int:
    """Return a number other than 0 for the kernels' generator, from a seed and a character."""
    value = (seed * 0x9E3779B97F4A7C15 + (me + 1) * 0xD1B54A32D192ED03) & 0x7FFFFFFFFFFFFFFF
    return value or 1
