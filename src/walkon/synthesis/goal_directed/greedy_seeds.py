"""The paper's seeds: a forward and a backward motion by the greedy planner of section 3.2.

Way points w₁ … w_n lead from start to goal. Towards w_i, i < n, the planner adds the edge that ends closest to it
without collision, among hubs of the character's state (on foot, carrying); when every edge ends further away, it goes
on to w_{i+1}. Towards w_n it minimises distance + α₁ · facing error. A motion that ends in the required hub is
remembered as M_best; when the error stops falling M_best is the seed, and where there is none, the fewest edges lead to
the required hub, the best ones among as few. A required facing or pose may be missing: then distance alone counts, or
edges are added until the error stops falling. The backward motion is made likewise, from the goal into the past.

Where it differs from the paper, because read literally it fails:

* M_best counts only if its error is within 60 cm of where the planner got to; otherwise somebody who starts in the
  required pose never sets out.
* Facing counts only within 2 m of the goal; from far away it stalls the planner.
* On the way the edge is taken that comes closer the fastest, in metres per second: edges last from half a second to
  four, and the one that ends closest is simply the longest, whatever else it does.
* What comes closer to the next way point is a point 30 cm before the body: who stands facing away turns on the spot
  instead of never setting out (distance alone does not see a turn).
* When the fewest edges have led to the required hub, edges from it to itself (turns) go on while they lower the error.
* Seats are entered last: nobody sits down on the way.
* The planner does not know about time, and the search that replaces clip by clip keeps their number. So slack that ε
  cannot absorb is filled with rests before the search: at the first hub of the forward motion where one can rest.

Metres, seconds, radians. Reference: Sung, Kovar, Gleicher 2005, section 3.2.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray, locked
from walkon.synthesis.goal_directed.leg_request import LegRequest
from walkon.synthesis.goal_directed.plan_graph import PlanGraph

__all__ = ["GreedySeeds", "displaced_throughout", "needs"]

FACING_M_PER_RAD = 0.01 / float(np.deg2rad(1.0))
"""α₁, m/rad: 1 cm for a degree."""


def displaced_throughout(graph: PlanGraph) -> PlanGraph:
    """Return a graph whose every edge may be displaced, resting or not, as the paper has it."""
    return replace(graph, steps=graph.steps._replace(moving=locked(np.ones_like(graph.steps.moving))))


class GreedySeeds:
    """Makes seeds on one graph."""

    def __init__(self, graph: PlanGraph) -> None:
        self.graph = graph
        steps = graph.steps
        H = steps.branch_first.shape[1] - 1
        used: BoolArray = np.diff(steps.branch_first, axis=1) > 0
        allowed = used[0] | used[1]
        touched = np.zeros((2, H), np.int64)
        for row, chosen in enumerate((np.ones(len(steps.start), bool), steps.excused > 0)):
            np.add.at(touched[row], steps.start[chosen], 1)
            np.add.at(touched[row], steps.stop[chosen], 1)
        # At a seat every edge is one of sitting down, sitting or rising.
        seats = (touched[0] > 0) & (touched[0] == touched[1])
        self._open = locked(np.where(allowed, np.where(seats, 1, 2), 0).astype(np.uint8))
        self._linked: BoolArray = np.zeros((H, H), dtype=bool)
        self._linked[steps.start, steps.stop] = True
        self._linked[~allowed] = False
        self._linked[:, ~allowed] = False
        self._hops: dict[tuple[int, bool], IntArray] = {}

    def hops(self, hub: int, *, backward: bool) -> IntArray:
        """Return how many edges [H] lead from each hub to one, or, backward, from that one to each; −1 for no way."""
        key = (hub, backward)
        if key not in self._hops:
            linked = self._linked.T if backward else self._linked
            found = np.full(len(linked), -1, np.int32)
            if hub >= 0:
                found[hub] = 0
                for far in range(len(linked)):
                    found[linked[:, found == far].any(axis=1) & (found < 0)] = far + 1
            self._hops[key] = locked(found)
        return self._hops[key]

    def fill(self, pool: Any, *, ask: LegRequest, world: Any, rng: np.random.Generator, me: int, give: float) -> int:
        """Put the two seeds into row 0 of a pool; returns 1. `give` is the ε of time, s/s."""
        seconds = self.graph.steps.seconds
        path = np.ascontiguousarray(ask.path, np.float64)
        forward, backward = pool.edges[0]
        start, goal = np.asarray(ask.pose, np.float64), np.asarray(ask.goal, np.float64)
        most = len(forward)

        def lead(begin: float) -> IntArray:
            count = self._grow(forward, world, path, ask.hub, start, begin, ask.goal_hub, goal, me, backward=False)
            return forward[:count].copy()

        made = lead(ask.time)
        waits = self._waits(made, ask, rng, give)
        if len(waits) and self.graph.steps.start[waits[0]] == ask.hub:
            # Whoever sets out later meets others elsewhere.
            made = np.concatenate([waits, lead(ask.time + float(seconds[waits].sum()))])
        elif len(waits):
            at = int(np.flatnonzero(self.graph.steps.stop[made] == self.graph.steps.start[waits[0]])[0]) + 1
            made = np.concatenate([made[:at], waits, made[at:]])
        made = made[:most]
        forward[: len(made)] = made
        arrives = float(np.clip(ask.time + seconds[made].sum(), *ask.window))
        count = self._grow(backward, world, path[::-1], ask.goal_hub, goal, arrives, ask.hub, start, me, backward=True)
        pool.counts[0] = len(made), count
        return 1

    def _grow(
        self,
        edges: IntArray,
        world: Any,
        path: Array,
        hub: int,
        pose: Array,
        time: float,
        wanted: int,
        target: Array,
        me: int,
        *,
        backward: bool,
    ) -> int:
        from walkon.synthesis.goal_directed._greedy_kernels import SeedGoal, grow

        seed_goal = SeedGoal(
            locked(np.array(path)), locked(np.array(target)), self.hops(wanted, backward=backward), self._open
        )
        return int(grow(self.graph.steps, world, seed_goal, hub, pose, time, backward, FACING_M_PER_RAD, me, edges))

    def _waits(self, made: IntArray, ask: LegRequest, rng: np.random.Generator, give: float) -> IntArray:
        """Return idle edges [n] that make a motion long enough for its window; none where it is, or nobody can idle."""
        graph = self.graph
        took = float(graph.steps.seconds[made].sum())
        left = ask.window[0] - ask.time - took
        hubs = [ask.hub, *graph.steps.stop[made].tolist()]
        idle = next((graph.idle_edges[hub] for hub in hubs if len(graph.idle_edges[hub])), np.zeros(0, np.int64))
        if left <= give * took or not len(idle):
            return np.zeros(0, np.int64)
        lengths = graph.steps.seconds[idle]
        chosen: list[int] = []
        while left > 0.5 * lengths.min():
            fits = np.flatnonzero(lengths <= left)
            k = int(rng.choice(fits)) if left > 2 * lengths.min() and len(fits) else int(np.argmin(abs(lengths - left)))
            chosen.append(int(idle[k]))
            left -= float(lengths[k])
        return np.array(chosen, dtype=np.int64)


def needs(graph: PlanGraph, pool: Any, job: Any, *, row: int = 0) -> float:
    """Return what joining a pair of the pool takes, as a multiple of the tolerance that it exceeds most.

    Infinite for motions without a common hub; at most 1 for what fits.
    """
    steps = graph.steps
    ends = []
    for side, pose in enumerate((job.start, job.goal)):
        edges = pool.edges[row, side, : pool.joins[row, side]] if pool.joins[row, side] > 0 else np.zeros(0, np.int64)
        x, y, h = pose
        for mx, my, mh in steps.move[edges]:
            h = h - mh if side else h
            c, s, sign = np.cos(h), np.sin(h), -1.0 if side else 1.0
            x, y = x + sign * (c * mx - s * my), y + sign * (s * mx + c * my)
            h = h if side else h + mh
        seconds = steps.seconds[edges]
        ends.append((x, y, h, seconds.sum(), (seconds * steps.moving[edges]).sum()))
    if pool.joins[row].min() < 0:
        return float("inf")
    (x, y, h, taken, moving), (gx, gy, gh, rest, also) = ends
    seconds = max(taken + rest, 1e-9)
    lasts = max(float(np.clip(job.times[0] + seconds, job.times[1], job.times[2]) - job.times[0]), 1e-9)
    free = (moving + also) * lasts / seconds
    turned = abs((gh - h + np.pi) % (2 * np.pi) - np.pi)
    needed = np.array([np.hypot(gx - x, gy - y), turned, max(lasts / seconds, seconds / lasts) - 1.0])
    return float(np.max(needed / np.maximum(job.limits[:3] * np.array([free, free, 1.0]), 1e-9)))
