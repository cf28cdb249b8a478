"""Planning one character: seeds along a path, the search, restarts, and the plan that comes of it.

The arrays that kernels work in are kept by a `Planner`, one per thread. Metres, seconds, radians.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.planning.clearance import Clearance
from walkon.planning.occupancy import MARGIN, Occupancy
from walkon.synthesis.goal_directed.plan_graph import PlanGraph

__all__ = ["Ask", "Plan", "Planner", "SearchRule"]

LONGEST = 96
"""Edges of one motion."""


@dataclass(frozen=True, kw_only=True)
class SearchRule:
    """How the search is run; `SearchRule.paper()` has the paper's values."""

    kept: int = 10
    """k_m: pairs that go on from one round to the next."""
    made: int = 50
    """n_m: pairs made in a round."""
    rounds: int = 20
    """Rounds before a restart."""
    restarts: int = 40
    editing: float = 0.24
    """Share of perturbations that insert or take out edges."""
    position: float = 0.02
    """ε: m/s of displacement."""
    facing: float = float(np.deg2rad(2.0))
    """ε: rad/s of turn."""
    time: float = 1 / 15
    """ε: s/s by which a motion is stretched."""
    most_position: float = 0.5
    """ε′: m in all."""
    most_facing: float = float(np.deg2rad(40.0))
    """ε′: rad in all."""

    @classmethod
    def paper(cls) -> "SearchRule":
        """Return the paper's values: n_m 200, k_m 30, N_max 1000, no restarts, no second limit."""
        return cls(
            kept=30, made=200, rounds=1000, restarts=0, editing=0.0, most_position=1e6, most_facing=float(np.pi)
        )


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
    restarts: int = 0
    adjustment: tuple[float, float, float] = field(default=(0.0, 0.0, 0.0))
    """m/s, rad/s and s/s by which it is adjusted."""


class Planner:
    """Plans on one graph among one set of obstacles and people."""

    def __init__(
        self,
        graph: PlanGraph,
        occupancy: Occupancy,
        clearance: Clearance,
        *,
        rule: SearchRule | None = None,
    ) -> None:
        from walkon.synthesis.goal_directed._search_kernels import Pool, Trace

        self.graph, self.occupancy, self.clearance = graph, occupancy, clearance
        self.rule = rule or SearchRule()
        grid, margin = np.array([*clearance.origin, clearance.spacing, clearance.outside]), np.array([MARGIN, 0.01])
        for array in (grid, margin):
            array.flags.writeable = False
        self._still = (clearance.nodes, grid, margin)
        rows = self.rule.kept + self.rule.made
        self._pool = Pool(
            np.zeros((rows, 2, LONGEST), np.int32),
            np.zeros((rows, 2), np.int32),
            np.full(rows, 1e30),
            np.zeros((rows, 2), np.int32),
        )
        self._trace = Trace(
            np.zeros((2, LONGEST + 1, 3)),
            np.zeros((2, LONGEST + 1), np.int32),
            np.zeros((2, LONGEST + 1)),
            np.zeros((2, LONGEST + 1)),
        )
        self._edges = np.zeros(LONGEST, np.int32)
        self._poses = np.zeros((LONGEST + 3, 3))
        degree = int(max(np.diff(graph.steps.out_first).max(), np.diff(graph.steps.in_first).max()))
        self._costs, self._order = np.zeros(degree), np.zeros(degree, np.int32)
        self._spare = np.zeros((2, 3))

    def plan(self, ask: Ask, *, me: int, seed: int) -> Plan | None:
        """Return a plan that meets what is asked and runs into nothing; None where none was found."""
        from walkon.synthesis.goal_directed import _search_kernels as kernels
        from walkon.synthesis.goal_directed._collision_kernels import World

        rule, world = self.rule, World(self.occupancy.entries, *self._still)
        state = np.array([_mixed(seed, me)], np.int64)
        rng = np.random.default_rng([seed, me])
        limits = np.array(
            [
                rule.position,
                rule.facing,
                rule.time,
                rule.most_position,
                rule.most_facing,
                0.01 / np.deg2rad(1.0),
                0.4,
            ]
        )
        job = kernels.Job(
            np.ascontiguousarray(ask.pose, np.float64),
            np.ascontiguousarray(ask.goal, np.float64),
            np.array([ask.time, *ask.window]),
            limits,
            np.zeros(1),
        )
        for array in job:
            array.flags.writeable = False
        counted = np.zeros(2, np.int64)
        for restart in range(rule.restarts + 1):
            self._seed(ask, world, rng, state, me, restart)
            row = kernels.search(
                self.graph.steps,
                world,
                job,
                ask.hub,
                ask.goal_hub,
                self._pool,
                self._trace,
                rule.kept,
                rule.made,
                rule.rounds,
                rule.editing,
                me,
                state,
                self._spare,
                counted,
            )
            if row >= 0:
                return self._result(ask, int(row), tried=int(counted[0]), restarts=restart)
        return None

    def _seed(self, ask: Ask, world: object, rng: np.random.Generator, state: IntArray, me: int, restart: int) -> None:
        """Fill row 0 of the pool with greedy motions; restarts vary way, speed and where time is spent."""
        from walkon.synthesis.goal_directed._seed_kernels import follow

        path = np.asarray(ask.path, dtype=np.float64)
        if restart:
            path = _detour(path, rng, 0.25 + 0.05 * restart)
        arcs = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
        length = float(arcs[-1])
        aim = ask.window[0] + (0.5 if not restart else rng.uniform()) * (ask.window[1] - ask.window[0])
        left = max(aim - ask.time, 0.1)
        starting = 2.2  # s that getting going and coming to rest cost over walking on
        speed = length / max(left - starting, 0.5)
        speed = float(np.clip(speed * (1 if not restart else rng.uniform(0.9, 1.25)), 0.75, 1.6))
        rest = max(left - starting - length / speed, 0.0)
        share = 1.0 if restart % 2 == 0 else rng.uniform()
        noise = 0.0 if not restart else 0.02
        pool = self._pool
        for array in (path, arcs):
            array.flags.writeable = False
        for side, backward in ((0, False), (1, True)):
            n = follow(
                self.graph.steps,
                world,
                path,
                arcs,
                ask.goal_hub if backward else ask.hub,
                np.ascontiguousarray(ask.goal if backward else ask.pose, np.float64),
                aim if backward else ask.time,
                speed,
                rest * (1 - share if backward else share),
                backward,
                np.nan,
                noise,
                me,
                state,
                self._edges,
                self._poses,
                self._costs,
                self._order,
            )
            pool.edges[0, side, :n] = self._edges[:n]
            pool.counts[0, side] = n

    def _result(self, ask: Ask, row: int, *, tried: int, restarts: int) -> Plan:
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
            restarts=restarts,
            adjustment=(
                float(np.hypot(gap[0], gap[1]) / max(motion, 1e-9)),
                float(abs(gap[2]) / max(motion, 1e-9)),
                abs(stretch - 1.0),
            ),
        )


def _mixed(seed: int, me: int) -> int:
    """Return a number other than 0 for the kernels' generator, from a seed and a character."""
    value = (seed * 0x9E3779B97F4A7C15 + (me + 1) * 0xD1B54A32D192ED03) & 0x7FFFFFFFFFFFFFFF
    return value or 1


def _detour(path: Array, rng: np.random.Generator, size: float) -> Array:
    """Return a path [P', 2] bent aside at some place, by about `size` metres."""
    arcs = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    at = rng.uniform(0.25, 0.75) * arcs[-1]
    k = int(np.clip(np.searchsorted(arcs, at, side="right") - 1, 0, len(path) - 2))
    line = path[k + 1] - path[k]
    line = line / max(float(np.linalg.norm(line)), 1e-9)
    middle = path[k] + line * (at - arcs[k]) + np.array([-line[1], line[0]]) * rng.normal(0.0, size)
    return np.concatenate([path[: k + 1], middle[None], path[k + 1 :]])
