"""Planning one leg of one character: a guide, seeds that keep to it, the search, and the leg that comes of it.

The first attempt follows the path at the speed that the window asks for. When that runs into others, later attempts
follow ways through place and time around them (`walkon.navigation.guide`), each with other speeds, waits and chances.

A `Planner` keeps the arrays that kernels work in, one per thread. Metres, seconds, radians.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from walkon._base.arrays import Array, IntArray, locked
from walkon._base.profiling import stage
from walkon.geometry.path import arc_lengths
from walkon.planning.occupancy import BIN_S, BODY_MARGIN_M, Occupancy, Occupants
from walkon.stage.free_space import FreeSpace
from walkon.synthesis.goal_directed.attempts import attempt_guide, attempt_window
from walkon.synthesis.goal_directed.greedy_seeds import GreedySeeds, displaced_throughout, needs
from walkon.synthesis.goal_directed.leg_request import Failure, LegRequest, PlannedLeg
from walkon.synthesis.goal_directed.plan_graph import PlanGraph, placed_discs
from walkon.synthesis.goal_directed.search_rule import SearchRule
from walkon.synthesis.goal_directed.storeys import others_on_the_way

__all__ = ["Failure", "LegRequest", "PlannedLeg", "Planner"]

MAX_EDGE_COUNT = 400
"""Edges of one motion."""
BEAM_WIDTHS = ((3, 5), (3, 5), (5, 5), (8, 8), (12, 12))
"""Motions that go on of those that have lasted about as long, by attempt: in the open, among obstacles. The last row is
for all later attempts."""
MAX_HELD_COUNT = 24
"""Motions that are held of those that have lasted about as long."""
SHORT_LEG_M, SHORT_LEG_BEAM_WIDTH = 3.0, 64
"""m: on shorter legs few edges fit, and which of them end exactly there is a matter of trying many: after
`SHORT_LEG_ATTEMPTS` attempts so many motions of one length go on, up to `SHORT_LEG_BUCKET_COUNT` buckets of time."""
SHORT_LEG_ATTEMPTS, SHORT_LEG_BUCKET_COUNT = 3, 40
FEW_BRANCH_ATTEMPTS = 4
"""Attempts before seeds choose among many more edges."""
FIRST_BACKWARD_BEAM_S = 5.0
"""s that the first two attempts' backward beams last: they need only meet the forward ones."""
BUCKET_S = 0.4
BUCKET_COUNT = 400
OBSTACLE_MARGIN_M = 0.01
ARMS_MARGINS_M = (0.0, -0.01, -0.02, -0.02, -0.03, -0.03, -0.05)
"""m that arms keep from what they can hit, by attempt: a hand that grazes a wall is better than a mark that is missed.
The last one is for all later attempts."""
ARMS_OVER_TABLE_M = 0.15
"""m by which arms reach over a table in front of a seat, on the way to it and from it."""
DISPLACEMENT_COST_PER_M = 8.0
"""What a metre of displacement costs among obstacles, in units of the tolerance."""
ATTEMPTS_WITH_BLAME = 3
"""Last attempts after which it is looked at who was in the way."""
FIRST_PAIR_COUNT = 20
"""Pairs that the first two attempts' searches make in a round: another guide is better than much chance."""
IN_STEP_COST_M2 = 0.25
"""m² that an edge costs which neighbours begin at about the same time."""


class Planner:
    """Plans on one graph among one set of obstacles and people."""

    def __init__(
        self, graph: PlanGraph, occupancy: Occupancy, space: FreeSpace, *, rule: SearchRule | None = None
    ) -> None:
        from walkon.synthesis.goal_directed._beam_kernels import Beam
        from walkon.synthesis.goal_directed._join_kernels import Pool
        from walkon.synthesis.goal_directed._search_kernels import Trace

        self.graph, self.occupancy, self.space = graph, occupancy, space
        self.rule = rule or SearchRule()
        self._greedy = GreedySeeds(graph) if self.rule.greedy else None
        if self._greedy is not None:
            self.graph = displaced_throughout(graph)
        self._others: Occupants = occupancy
        self._leg_space = space
        rows = self.rule.kept + self.rule.made
        self._pool = Pool(
            np.zeros((rows, 2, MAX_EDGE_COUNT), np.int32),
            np.zeros((rows, 2), np.int32),
            np.full(rows, np.inf),
            np.zeros((rows, 2), np.int32),
        )
        self._trace = Trace(
            np.zeros((2, MAX_EDGE_COUNT + 1, 3)),
            np.zeros((2, MAX_EDGE_COUNT + 1), np.int32),
            np.zeros((2, MAX_EDGE_COUNT + 1)),
            np.zeros((2, MAX_EDGE_COUNT + 1)),
        )
        size = BUCKET_COUNT * MAX_HELD_COUNT
        self._beams = [
            Beam(
                np.zeros(BUCKET_COUNT, np.int32),
                np.zeros(size, np.int32),
                np.zeros(size, np.int32),
                np.zeros(size, np.int32),
                np.zeros((size, 3)),
                np.zeros(size),
                np.zeros(size),
                np.zeros(size),
                np.zeros(size),
                np.zeros(BUCKET_COUNT),
            )
            for _ in range(2)
        ]
        self._costs, self._pairs = np.zeros(self.rule.kept), np.zeros((self.rule.kept, 2), np.int32)
        self._dislike = np.zeros(len(graph.steps.start))
        self._disliked = locked(self._dislike.view())

    def plan(
        self,
        ask: LegRequest,
        *,
        me: int,
        rng: np.random.Generator,
        avoid: Sequence[int] = (),
        space: FreeSpace | None = None,
        most: int | None = None,
    ) -> PlannedLeg | Failure:
        """Return a leg that meets what is asked and runs into nothing, or why none was found.

        Edges of the graph to `avoid` are what neighbours do just then; they are taken only where little else will do.
        `space` is that of this leg, where it differs from that of the planner. There are `most` attempts.
        """
        from walkon.synthesis.goal_directed import _search_kernels as kernels
        from walkon.synthesis.goal_directed._collision_kernels import Surroundings
        from walkon.synthesis.goal_directed._join_kernels import Job

        self._others = others_on_the_way(self.occupancy, self.space.stage.floor, ask.way, since=ask.time)
        self._leg_space = space or self.space
        rule = self.rule
        state = rng.integers(np.iinfo(np.int64).max, size=1)
        job = Job(
            locked(np.array(ask.pose, np.float64)),
            locked(np.array(ask.goal, np.float64)),
            locked([ask.time, *ask.window], np.float64),
            rule.limits(),
            *self._stay(ask, me),
            locked([ask.hub, ask.goal_hub], np.int64),
        )
        self._why = Failure("no motion", np.zeros(0, np.int64))
        counted = np.zeros(2, np.int64)
        self._dislike[:] = 0.0
        self._dislike[self.graph.rows[list(avoid)]] = IN_STEP_COST_M2
        whole = job
        states = self.graph.graph.states
        carries, sits = bool(states.carrying[ask.hub]), bool(states.seated[[ask.hub, ask.goal_hub]].any())
        rounds_of = rule.rounds[:most]
        for attempt, rounds in enumerate(rounds_of):
            window = attempt_window(ask, attempt, graph=self.graph)
            job = whole._replace(times=locked([ask.time, *window], np.float64))
            # Arms that carry reach over what things are put down on, and those of who sits down over a table.
            beside = -np.inf if carries else ARMS_MARGINS_M[min(attempt, len(ARMS_MARGINS_M) - 1)]
            beside = min(beside, -ARMS_OVER_TABLE_M) if sits else beside
            world = Surroundings(
                self._others.entries,
                self._leg_space.grid,
                self._leg_space.arms_grid,
                locked([BODY_MARGIN_M, OBSTACLE_MARGIN_M, beside]),
            )
            have = self._seeded(ask, job, world, rng, state, me, attempt)
            with stage("randomized search"):
                made = rule.made if attempt > 1 or rule.greedy else min(rule.made, FIRST_PAIR_COUNT)
                effort = kernels.Effort(rule.kept, made, rounds, rule.yielding, rule.editing)
                row = self._search(job, world, have, effort, me, state, counted)
            if row >= 0:
                return self._result(ask, row, window=window, tried=int(counted[0]), attempts=attempt)
            if have and attempt >= len(rounds_of) - ATTEMPTS_WITH_BLAME:
                with stage("who is in the way"):
                    hit = self._hit(ask, job, world, me, state, counted)
                self._why = Failure("crowded", hit) if len(hit) else self._why
        return self._why if self._greedy is None else self._best_pair(job)

    def _search(self, job: Any, world: Any, have: int, effort: Any, me: int, state: IntArray, counted: IntArray) -> int:
        """Search from the first `have` pairs of the pool; returns the row of one that does, or −1."""
        from walkon.synthesis.goal_directed._search_kernels import search

        return int(search(self.graph.steps, world, job, self._pool, self._trace, have, effort, me, state, counted))

    def _hit(self, ask: LegRequest, job: Any, world: Any, me: int, state: IntArray, counted: IntArray) -> IntArray:
        """Return whom the best pair that was found runs into, if anybody."""
        from walkon.synthesis.goal_directed._search_kernels import Effort
        from walkon.synthesis.goal_directed.reservations import reservations

        self._search(job, world, 1, Effort(kept=1, made=0, rounds=0, yielding=0, editing=0.0), me, state, counted)
        if self._pool.joins[0, 0] < 0:
            return np.zeros(0, np.int64)
        best = self._result(ask, 0, window=ask.window, tried=0, attempts=0).walk
        until = float(best.stop[-1]) + min(ask.hold, 60.0)
        return self._others.meets(me, *reservations(self.graph, best, until=until))

    def _stay(self, ask: LegRequest, me: int) -> tuple[Array, IntArray]:
        """Return how deep others would be in somebody at the goal, summed over bins, and which bins (see `Job`)."""
        from walkon.planning._occupancy_kernels import overlaps

        first = int(np.floor(ask.window[0] / BIN_S)) - 10
        count = int(np.ceil(ask.hold / BIN_S))
        last = int(np.ceil(ask.window[1] / BIN_S)) + 10 + count
        bins = np.arange(first, last if ask.hold > 0 else first)
        discs = placed_discs(self.graph.hub_discs[ask.goal_hub], np.asarray(ask.goal))
        depths = np.zeros(len(bins) * len(discs))
        if len(bins):
            overlaps(
                self._others.entries,
                np.repeat(bins, len(discs)),
                np.tile(discs, (len(bins), 1)),
                BODY_MARGIN_M,
                me,
                depths,
            )
        summed = np.append(0.0, np.cumsum(depths.reshape(len(bins), -1).sum(axis=1))) if len(bins) else np.zeros(1)
        return locked(summed), locked([first, count])

    def _seeded(
        self, ask: LegRequest, job: Any, world: Any, rng: np.random.Generator, state: IntArray, me: int, attempt: int
    ) -> int:
        """Fill the pool with pairs of seeds; returns how many."""
        if self._greedy is not None:
            return self._greedy.fill(self._pool, ask=ask, world=world, rng=rng, me=me, give=self.rule.time)
        from walkon.synthesis.goal_directed._beam_kernels import BeamRule, follow, gather

        with stage("guides"):
            guide = attempt_guide(
                ask,
                attempt,
                occupancy=self._others,
                space=self._leg_space,
                graph=self.graph,
                me=me,
                rng=rng,
            )
        if isinstance(guide, Failure):
            self._why = guide if guide.reason else self._why
            return 0
        arrives = float(guide[-1, 2])
        width = BEAM_WIDTHS[min(attempt, len(BEAM_WIDTHS) - 1)][int(not self.space.is_open)]
        hold = min(3 * width, MAX_HELD_COUNT)
        whole = min(int((arrives - ask.time + 1.6) / BUCKET_S) + 1, BUCKET_COUNT)
        if (
            attempt >= SHORT_LEG_ATTEMPTS
            and whole <= SHORT_LEG_BUCKET_COUNT
            and float(arc_lengths(np.asarray(ask.path))[-1]) < SHORT_LEG_M
        ):
            width = SHORT_LEG_BEAM_WIDTH
            hold = min(3 * width, BUCKET_COUNT * MAX_HELD_COUNT // SHORT_LEG_BUCKET_COUNT)
        steps = self.graph.steps if attempt < FEW_BRANCH_ATTEMPTS else self.graph.with_more_branches.steps
        price = 3.0 if attempt % 3 == 2 and attempt > 2 else -1.0
        buckets = np.array([whole, whole if attempt > 2 else min(whole, int(FIRST_BACKWARD_BEAM_S / BUCKET_S))])
        noise = 0.01 if attempt == 0 else 0.02
        ends = (ask.hub, job.start, ask.time), (ask.goal_hub, job.goal, arrives)
        with stage("beams"):
            for side, beam in enumerate(self._beams):
                beam_rule = BeamRule(hold, width, int(buckets[side]), price, noise)
                follow(steps, world, guide, *ends[side], bool(side), beam_rule, self._disliked, me, state, beam)
        with stage("joining beams"):
            return int(
                gather(
                    job,
                    *self._beams,
                    arrives - ask.time,
                    DISPLACEMENT_COST_PER_M if not self.space.is_open else 0.0,
                    hold,
                    buckets,
                    self._pool,
                    self.rule.kept,
                    self._costs,
                    self._pairs,
                )
            )

    def _best_pair(self, job: Any) -> Failure:
        """Say what the best pair lacks when the paper's search has ended."""
        times = needs(self.graph, self._pool, job)
        words = "runs into others" if times <= 1.0 else f"needs {times:.1f} times the tolerance"
        if not np.isfinite(times):
            words = "has no pose in common"
        reason = f"the search ended after {self.rule.rounds[-1]} rounds; the best pair {words}"
        return Failure(reason, np.zeros(0, np.int64))

    def _result(
        self, ask: LegRequest, row: int, *, window: tuple[float, float], tried: int, attempts: int
    ) -> PlannedLeg:
        pool, trace, steps = self._pool, self._trace, self.graph.steps
        i, j = pool.joins[row]
        forward, backward = pool.edges[row, 0, :i], pool.edges[row, 1, :j][::-1]
        edges = np.concatenate([forward, backward]).astype(np.int64)
        poses = np.concatenate([trace.poses[0, :i], trace.poses[1, 1 : j + 1][::-1]])
        seconds = steps.seconds[edges]
        moving = seconds * steps.moving[edges]
        total, motion = float(seconds.sum()), float(moving.sum())
        arrival = np.clip(ask.time + total, *window)
        stretch = (arrival - ask.time) / total if total > 0 else 1.0
        gap = trace.poses[1, j] - trace.poses[0, i]
        gap[2] = np.mod(gap[2] + np.pi, 2 * np.pi) - np.pi
        done = np.concatenate([[0.0], np.cumsum(moving)])[:-1] / motion if motion > 0 else np.zeros(len(edges))
        share = done - (np.arange(len(edges)) >= i)
        walk = self.graph.walk(
            edges,
            starts=ask.time + np.concatenate([[0.0], np.cumsum(seconds)]) * stretch,
            poses=poses,
            offsets=share[:, None] * gap,
            slopes=(steps.moving[edges] / (motion * stretch) if motion > 0 else np.zeros(len(edges)))[:, None] * gap,
            rate=1.0 / stretch,
        )
        return PlannedLeg(
            walk=walk,
            tried=tried,
            attempts=attempts,
            adjustment=(
                float(np.hypot(gap[0], gap[1]) / max(motion * stretch, 1e-9)),
                float(abs(gap[2]) / max(motion * stretch, 1e-9)),
                max(stretch, 1.0 / stretch) - 1.0,
            ),
        )
