"""The randomized search in plain Python: what `_search_kernels.search` is held equal to, edge for edge. Slow.

It draws the same numbers in the same order. A pair is two lists of edges instead of a row of a pool.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from twins.collisions import edge_depth
from twins.joins import fits, join_cost, late_by, wrapped
from walkon._base.arrays import Array
from walkon.planning.occupancy import BIN_S
from walkon.synthesis.goal_directed.plan_graph import Steps

__all__ = ["Chance", "Pair", "Search"]

BITS = (1 << 64) - 1


class Chance:
    """The kernels' generator, SplitMix64."""

    def __init__(self, state: int) -> None:
        self.state = state & BITS

    def __call__(self) -> float:
        """Return a number in [0, 1)."""
        self.state = x = (self.state + 0x9E3779B97F4A7C15) & BITS
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & BITS
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & BITS
        return float((x ^ (x >> 31)) >> 11) / float(1 << 53)


@dataclass
class Pair:
    """A forward motion, a backward one counted from the goal, and where they join."""

    edges: tuple[list[int], list[int]]
    cost: float = math.inf
    join: tuple[int, int] = (-1, -1)
    traces: list[list[tuple[Array, int, float, float]]] = field(default_factory=list)
    """Per side (pose, hub, seconds, moving seconds) after each edge."""

    def copy(self) -> "Pair":
        """Return a pair that can be changed on its own."""
        return Pair((list(self.edges[0]), list(self.edges[1])), self.cost, self.join)


@dataclass(kw_only=True)
class Search:
    """One search."""

    steps: Steps
    world: Any
    job: Any
    hubs: tuple[int, int]
    """Start and goal."""
    me: int
    chance: Chance
    longest: int
    """Edges of one motion."""
    tried: int = 0
    collided: int = 0

    def run(
        self, pairs: list[Pair], *, kept: int, made: int, rounds: int, yielding: int, editing: float
    ) -> tuple[Pair | None, Pair]:
        """Return a pair that fits and runs into nothing, or None; and the best one at the end."""
        have = len(pairs)
        rows = [*pairs, *(Pair(([], [])) for _ in range(kept + made - have))]
        for pair in rows[:have]:
            if self.judged(pair):
                return pair, pair
        for _ in range(min(rounds, yielding) if self.collided else rounds):
            if have == 0:
                break
            for child in range(made):
                pair = rows[kept + child] = rows[int(self.chance() * have)].copy()
                found = self._perturbed(pair, editing)
                if found:
                    return pair, pair
            for row in range(have, kept):
                rows[row] = Pair(([], []))
            for place in range(kept):
                best = min(range(place, kept + made), key=lambda row: rows[row].cost)
                if rows[best].cost == math.inf:
                    break
                rows[place], rows[best] = rows[best], rows[place]
                have = max(have, place + 1)
        return None, rows[0]

    def _perturbed(self, pair: Pair, editing: float) -> bool:
        """Perturb a pair and say whether it is done."""
        forward, backward = pair.edges
        side = 0 if not backward or (forward and self.chance() < 0.5) else 1
        edges = pair.edges[side]
        if not edges:
            pair.cost = math.inf
            return False
        at = int(self.chance() * len(edges))
        kind = self.chance()
        if kind < 0.5 * editing:
            self.insert(edges, side, at)
        elif kind < editing:
            self.remove(edges, side, at)
        else:
            edges[at] = self.replacement(edges[at])
        parent = pair.cost
        if self.judged(pair):
            return True
        if pair.cost == parent:
            pair.cost = math.inf
        return False

    def between(self, a: int, b: int) -> range:
        """Return the edges from a hub to another."""
        pair = a * (self.steps.branch_first.shape[1] - 1) + b
        return range(int(self.steps.pair_first[pair]), int(self.steps.pair_first[pair + 1]))

    def likeness(self, a: int, b: int) -> float:
        """Return 1 over the distance of two edges, with 5 mm added; 0 for an edge and itself."""
        if a == b:
            return 0.0
        move, limits = self.steps.move, self.job.limits
        dx, dy = float(move[a, 0] - move[b, 0]), float(move[a, 1] - move[b, 1])
        far = math.sqrt(dx * dx + dy * dy)
        far += float(limits[5]) * abs(wrapped(float(move[a, 2] - move[b, 2])))
        far += float(limits[6]) * abs(float(self.steps.seconds[a] - self.steps.seconds[b]))
        return 1.0 / (far + 0.005)

    def replacement(self, old: int) -> int:
        """Return another edge with the same ends, more likely one that is like it."""
        others = self.between(int(self.steps.start[old]), int(self.steps.stop[old]))
        left = sum(self.likeness(old, edge) for edge in others) * self.chance()
        for edge in others:
            left -= self.likeness(old, edge)
            if left <= 0.0:
                return edge
        return others[-1]

    def insert(self, edges: list[int], side: int, at: int) -> None:
        """Put a way out of a hub and back into it before an edge."""
        steps = self.steps
        if len(edges) + 2 > self.longest:
            return
        hub = int(steps.stop[edges[at]] if side else steps.start[edges[at]])
        first, last = int(steps.branch_first[0, hub]), int(steps.branch_first[0, hub + 1])
        if first == last:
            return
        out = int(steps.branch_edges[0, first + int(self.chance() * (last - first))])
        ways = self.between(int(steps.stop[out]), hub)
        first, last = steps.branch_first[0, steps.stop[out]], steps.branch_first[0, steps.stop[out] + 1]
        if hub not in steps.stop[steps.branch_edges[0, first:last]]:
            return
        back = ways[int(self.chance() * len(ways))]
        edges[at:at] = [back, out] if side else [out, back]

    def remove(self, edges: list[int], side: int, at: int) -> None:
        """Take out two edges that lead from a hub back to it, or one that leads to itself."""
        steps, edge, size = self.steps, edges[at], 0
        if steps.start[edge] == steps.stop[edge]:
            size = 1
        elif at + 1 < len(edges):
            other = edges[at + 1]
            ends = steps.start[other] == steps.stop[edge] if side else steps.stop[other] == steps.start[edge]
            size = 2 if ends else 0
        if size and len(edges) > size:
            del edges[at : at + size]

    def judged(self, pair: Pair) -> bool:
        """Lay a pair out, join it and note its cost; say whether it is done."""
        pair.traces = [self._trace(pair.edges[side], side) for side in (0, 1)]
        pair.cost, pair.join = math.inf, (-1, -1)
        for i in range(len(pair.edges[0]), -1, -1):
            for j in range(len(pair.edges[1]), -1, -1):
                if pair.traces[0][i][1] == pair.traces[1][j][1] and i + j:
                    ends, begins, lengths = self._gap(pair, i, j)
                    cost = join_cost(self.job, ends, begins, **lengths)
                    if cost < pair.cost:
                        pair.cost, pair.join = cost, (i, j)
        self.tried += 1
        ends, begins, lengths = self._gap(pair, *pair.join)
        if pair.join[0] < 0 or not fits(self.job, ends, begins, **lengths):
            pair.cost += 3.0
            return False
        depth = self.depth(pair)
        if depth == 0.0:
            return True
        self.collided += 1
        pair.cost = 0.3 * pair.cost + depth
        return False

    def _gap(self, pair: Pair, i: int, j: int) -> tuple[Array, Array, dict[str, float]]:
        a, b = pair.traces[0][i], pair.traces[1][j]
        return a[0], b[0], {"seconds": a[2] + b[2], "moving": a[3] + b[3]}

    def _trace(self, edges: list[int], side: int) -> list[tuple[Array, int, float, float]]:
        steps = self.steps
        pose, hub, seconds, moving = np.array(self.job.goal if side else self.job.start), self.hubs[side], 0.0, 0.0
        rows = [(pose, hub, seconds, moving)]
        for edge in edges:
            x, y, h = (float(v) for v in pose)
            mx, my, mh = (float(v) for v in steps.move[edge])
            if side:
                h = h - mh
                c, s = math.cos(h), math.sin(h)
                pose = np.array([x - c * mx + s * my, y - s * mx - c * my, h])
            else:
                c, s = math.cos(h), math.sin(h)
                pose = np.array([x + c * mx - s * my, y + s * mx + c * my, h + mh])
            hub = int(steps.start[edge] if side else steps.stop[edge])
            seconds += float(steps.seconds[edge])
            moving += float(steps.seconds[edge]) * int(steps.moving[edge])
            rows.append((pose, hub, seconds, moving))
        return rows

    def depth(self, pair: Pair) -> float:
        """Return how deep (m, summed over bins) the joined, adjusted motion runs into things."""
        from walkon.synthesis.goal_directed._search_kernels import MAX_DEPTH_M

        i, j = pair.join
        forward, backward = pair.traces
        seconds, moving = forward[i][2] + backward[j][2], forward[i][3] + backward[j][3]
        stretch = (seconds + late_by(self.job, seconds)) / seconds if seconds > 0 else 1.0
        gap = backward[j][0] - forward[i][0]
        gap[2] = wrapped(float(gap[2]))
        order = [(edge, *forward[k][::3]) for k, edge in enumerate(pair.edges[0][:i])]
        order += [(pair.edges[1][b], backward[b + 1][0], moving - backward[b + 1][3]) for b in range(j - 1, -1, -1)]
        total, time = 0.0, float(self.job.times[0])
        for k, (edge, pose, done) in enumerate(order):
            share = done / moving - (k >= i) if moving > 0 else 0.0
            rate = float(self.steps.moving[edge]) / (moving * stretch) if moving > 0 else 0.0
            total += edge_depth(
                self.steps,
                self.world,
                edge,
                pose,
                begin=time,
                rate=1.0 / stretch,
                offset=share * gap,
                slope=rate * gap,
                me=self.me,
                enough=MAX_DEPTH_M - total,
            )
            if total > MAX_DEPTH_M:
                return total
            time += float(self.steps.seconds[edge]) * stretch
        stay, bins = self.job.stay, len(self.job.stay) - 1
        if bins > 0:
            first = math.ceil(time / BIN_S - 1e-9) - int(self.job.stay_at[0])
            last = min(max(first + int(self.job.stay_at[1]), 0), bins)
            total += float(stay[last] - stay[min(max(first, 0), bins)])
        return total
