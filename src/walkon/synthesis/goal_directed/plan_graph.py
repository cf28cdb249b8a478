"""A snap-together graph as planning reads it: displacements, durations, and discs on the floor. No body is posed.

An edge is (Δx, Δy, Δheading, seconds) and samples of its planar path every `BIN_S` seconds, with the discs that the
body needs there. Edges lie sorted by start and stop, so those that can replace each other (same ends) are consecutive.
A body of another size s walks the same graph with lengths × s and durations × √s.

What somebody may do depends on its state (on foot, carrying): `PlanGraph.restricted_to` gives the same edges with only
those as branches of the search whose hubs are allowed.

Metres, seconds, radians; poses are those of hubs. Reference: Sung, Kovar, Gleicher 2005, section 3.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray, lock_fields
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.graphs.walk import NO_ROW, Walk
from walkon.planning.occupancy import BIN_S
from walkon.synthesis.goal_directed.step_rule import Steps
from walkon.transforms import planar

__all__ = ["PlanGraph", "Steps", "placed_discs", "plan_graph"]

IDLE_DRIFT_TOLERANCE = 0.02
"""m and rad that a rest may end away from where it began."""
BRANCH_COUNT, MORE_BRANCH_COUNT = 9, 40
"""Edges of a pair of hubs among which seeds choose, at first and at last; the search takes any."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PlanGraph:
    """Steps, and which edges of the snap-together graph they are."""

    graph: SnapGraph
    edges: IntArray
    """[E] rows of `graph.edges`."""
    steps: Steps
    scale: float
    hubs: BoolArray | None = None
    """[H] hubs among which seeds choose; None before any were."""

    @cached_property
    def rows(self) -> IntArray:
        """[edges of the graph] the row of each edge here, −1 for those that cannot be used."""
        found = np.full(len(self.graph.edges), -1)
        found[self.edges] = np.arange(len(self.edges))
        return found

    @cached_property
    def idle_edges(self) -> tuple[IntArray, ...]:
        """Per hub the edges that lead back to it without going anywhere: what one waits with."""
        s = self.steps
        still = (np.abs(s.move) < IDLE_DRIFT_TOLERANCE).all(axis=1) & (s.moving == 0) & (s.start == s.stop)
        return tuple(np.flatnonzero(still & (s.start == hub)) for hub in range(len(self.graph.hubs)))

    @cached_property
    def arm_reach(self) -> Array:
        """[E] m from the root within which everything above the knees is throughout an edge, or more."""
        discs = self.steps.discs[:, 0].astype(np.float64)
        reach = np.where(discs[:, 2] > 0, np.hypot(discs[:, 0], discs[:, 1]) + discs[:, 2], 0.0)
        found: Array = np.maximum.reduceat(reach, self.steps.sample_first[:-1])
        return found

    @cached_property
    def can_idle(self) -> BoolArray:
        """[H] hubs in which one can stay."""
        return np.array([len(edges) > 0 for edges in self.idle_edges])

    @cached_property
    def speeds(self) -> tuple[float, float, float, float]:
        """m/s of edges from walk to walk among these hubs: lower quartile, median, 99th of a hundred, the fastest.

        (0, ∞, ∞, ∞) where nobody walks: such a graph sets no limits.
        """
        s = self.steps
        walking = self.graph.states.walking if self.hubs is None else self.graph.states.walking & self.hubs
        among = walking[s.start] & walking[s.stop]
        if not among.any():
            return 0.0, np.inf, np.inf, np.inf
        slow, median, quick, fastest = np.percentile(s.path[among] / s.seconds[among], [25, 50, 99, 100])
        return float(slow), float(median), float(quick), float(fastest)

    @cached_property
    def hub_discs(self) -> Array:
        """[H, 3, 3] discs of somebody who is in a hub."""
        s = self.steps
        found = np.full((len(self.graph.hubs), 3, 3), -1000.0)
        found[s.stop] = s.discs[s.sample_first[1:] - 1]
        return found

    def walk(
        self, edges: IntArray, *, starts: Array, poses: Array, offsets: Array, slopes: Array, rate: float = 1.0
    ) -> Walk:
        """Return edges [n], rows here, from seconds [n + 1] on as a walk.

        At their starts they are at planar poses [n, 3], displaced by offsets [n, 3] that grow by slopes [n, 3] per
        second; all play at `rate` times the speed of a body of this size.
        """
        length = np.diff(starts)[:, None]
        return Walk.filled(
            len(edges),
            edge=self.edges[edges],
            start=starts[:-1],
            stop=starts[1:],
            rate=rate / np.sqrt(self.scale),
            place=planar.with_height(poses),
            offset=np.stack([offsets, offsets + slopes * length], axis=1),
            slope=np.stack([slopes, slopes], axis=1),
            mark=NO_ROW,
            reason=NO_ROW,
        )

    def between(self, a: int, b: int) -> IntArray:
        """Return the edges from one hub to another."""
        pair = a * len(self.graph.hubs) + b
        return np.arange(self.steps.pair_first[pair], self.steps.pair_first[pair + 1])

    def restricted_to(self, hubs: BoolArray, *, branches: int = BRANCH_COUNT) -> "PlanGraph":
        """Return the graph with choices among these hubs [H] only, at most `branches` edges between two of them.

        Forward nobody chooses to sit down, and backward nobody to rise: motions begin and end on seats, and in between
        there are none.
        """
        steps = self.steps
        H = len(self.graph.hubs)
        allowed = np.flatnonzero(hubs[steps.start] & hubs[steps.stop])
        pairs = steps.start[allowed].astype(np.int64) * H + steps.stop[allowed]
        chosen = allowed[sample_unlike(steps.move[allowed], steps.seconds[allowed], pairs, most=branches)]
        from_seat, to_seat = (self.graph.states.seated[hub[chosen]] for hub in (steps.start, steps.stop))
        leaving, entering = chosen[from_seat | ~to_seat], chosen[to_seat | ~from_seat]
        entering = entering[np.argsort(steps.stop[entering], kind="stable")]
        first = [np.searchsorted(e, np.arange(H + 1)) for e in (steps.start[leaving], steps.stop[entering])]
        edges = np.full((2, max(len(leaving), len(entering))), NO_ROW, np.int32)
        edges[0, : len(leaving)], edges[1, : len(entering)] = leaving, entering
        changed = steps._replace(branch_first=np.stack(first).astype(np.int32), branch_edges=edges)
        return replace(self, steps=lock_fields(changed), hubs=hubs)

    @cached_property
    def with_more_branches(self) -> "PlanGraph":
        """The same with many more choices, for where few lead nowhere."""
        return self if self.hubs is None else self.restricted_to(self.hubs, branches=MORE_BRANCH_COUNT)

    def scaled(self, scale: float) -> "PlanGraph":
        """Return the graph for a body of another size."""
        s, by = self.steps, scale / self.scale
        along = np.array([by, by, 1.0])
        steps = s._replace(
            move=s.move * along,
            seconds=s.seconds * np.sqrt(by),
            path=s.path * by,
            places=(s.places * along).astype(np.float32),
            discs=(s.discs * by).astype(np.float32),
            trunk=s.trunk * by,
            tick=s.tick * np.sqrt(by),
        )
        return replace(self, steps=lock_fields(steps), scale=scale)


def plan_graph(graph: SnapGraph) -> PlanGraph:
    """Return a graph as planning reads it, of the library's own size: those of its edges that have tracks."""
    tracks, H = graph.tracks, len(graph.hubs)
    table = graph.edges.rows(tracks.edges)
    pairs = table.start.astype(np.int64) * H + table.stop
    steps = Steps(
        start=table.start.astype(np.int32),
        stop=table.stop.astype(np.int32),
        move=np.array(table.planar_displacement),
        seconds=np.array(table.duration),
        path=table.path.astype(np.float64),
        moving=tracks.moving,
        branch_first=np.zeros((2, H + 1), np.int32),
        branch_edges=np.zeros((2, 0), np.int32),
        pair_first=np.searchsorted(pairs, np.arange(H * H + 1)).astype(np.int32),
        sample_first=tracks.sample_first,
        places=tracks.places,
        discs=tracks.discs,
        excused=tracks.excused,
        # As audits have it: that of the body at rest. Somebody who bends over or sits down is excused anyway.
        trunk=np.array([graph.radius]),
        tick=np.array([BIN_S]),
    )
    return PlanGraph(graph=graph, edges=tracks.edges, steps=lock_fields(steps), scale=1.0)


def sample_unlike(move: Array, seconds: Array, pairs: IntArray, *, most: int) -> IntArray:
    """Return rows of edges, at most so many of each pair of hubs, that are as unlike each other as can be."""
    features = np.column_stack([move[:, :2], 0.57 * move[:, 2], 0.4 * seconds])
    chosen = []
    for pair in np.unique(pairs):
        rows = np.flatnonzero(pairs == pair)
        if len(rows) > most:
            mine = features[rows]
            # Some go straight on, as most steps do; the others differ from them and each other.
            picked = np.argsort(np.abs(mine[:, 1:3]).sum(axis=1), kind="stable")[: most // 3].tolist()
            far = np.linalg.norm(mine[:, None] - mine[picked], axis=2).min(axis=1)
            while len(picked) < most:
                picked.append(int(np.argmax(far)))
                far = np.minimum(far, np.linalg.norm(mine - mine[picked[-1]], axis=1))
            rows = np.sort(rows[picked])
        chosen.append(rows)
    return np.concatenate(chosen) if chosen else np.zeros(0, np.int64)


def placed_discs(discs: Array, pose: Array) -> Array:
    """Return the discs [k, 3] of a body's frame that are there, as (x, y, r) on the floor, for a planar pose [3]."""
    there = discs[discs[:, 2] > 0].astype(np.float64)
    c, s = np.cos(pose[2]), np.sin(pose[2])
    x, y = there[:, 0], there[:, 1]
    return np.column_stack([pose[0] + c * x - s * y, pose[1] + s * x + c * y, there[:, 2]])
