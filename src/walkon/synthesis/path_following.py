"""Motion along a path: the walk on a motion graph that stays on it (Kovar 2002, section 5).

    follow_path(graph, path)                                          anywhere in the graph
    follow_path(graph, path, labels="walk")                           with one kind of motion only
    follow_path(graph, path, labels=[("walk", 20.0), ("sneak", None)])   walk for 20 m, then sneak to the end

A walk costs ∫ |P'(t) − P(s(t))|² dt + c per transition (equation 9 as an integral; see `path_beam`), where s are the
metres walked, at least γ per second, so that standing still is no way to stay on the path. It is complete when it has
walked the path's length. On a path of several parts the motion changes over once per border, within a stated distance.

| name | default | what moving it does |
|---|---|---|
| `transition_cost` | 0.002 m² s | higher: fewer transitions per second, farther off (as dear as 4.5 cm for 1 s) |
| `width` | 100 | walks kept per layer; higher: nearer to the path, slower in proportion |
| `good_enough` | 0.25 m | ε: a walk that is farther off, or behind, is searched again 4 and 16 times as wide |
| `progress` | 0.15 m/s | γ; higher: no dawdling, but slow motion (an old man's) is pushed off the path |
| `horizon`, `keep` | none | the paper's incremental search: plan so many seconds, keep the first so many, go on |
| `best`, `tolerance` | 1, 0.2 | for crowds: one at random of the r best within this share of the best one's error |

Differences from the paper: choices are thinned (`choices`), the search is a beam over the whole path instead of depth
first with branch and bound (kept in `best_walks`), which on graphs as dense as real data gives does not get off
its first second; the path is not cut into smaller ones at borders: metres go on.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.chance import Purpose, stream
from walkon._base.errors import InvalidValue
from walkon.geometry.path import Path
from walkon.graphs.motion_graph import MotionGraph
from walkon.graphs.walk import walk_along
from walkon.synthesis.choices import MAX_SLOT_TRANSITIONS, SLOT_S, Choices, make_choices
from walkon.synthesis.path_beam import path_table, plan_steps
from walkon.synthesis.path_parts import Labels, borders_of, check_joined, parts_of, usable_edges
from walkon.synthesis.path_result import PathResult
from walkon.synthesis.planar_steps import Limits, PlanarSteps, planar_steps, roots_at, smooth_roots
from walkon.transforms import angles, planar

__all__ = ["PathFollower", "follow_path"]

TRANSITION_COST_M2_S = 0.002
"""m² s."""
MIN_PROGRESS_M_S = 0.15
"""m/s, γ."""
LAYER_M = 1 / 6
"""m of a layer of the beam."""
WIDTH_FACTORS = (1, 4, 16)
"""Times the width that are tried one after the other until the walk is good enough."""
MAX_WALKS_PER_NODE = 5
"""Walks at one node in one layer: more would crowd out others that are about to be better."""
FORESIGHT_WEIGHT_S = 0.3
"""s: how much it counts where a walk is about to be."""
LATENESS_WEIGHT_S = 10.0
"""s: how dear a late change of motion is."""
START_AHEAD_S, START_AHEAD_M = 0.4, 0.4
"""By how far ahead the first direction is judged: of a clip, and of the path."""


def follow_path(
    graph: MotionGraph,
    path: Path | ArrayLike,
    *,
    labels: Labels = None,
    start: int | None = None,
    pose: ArrayLike | None = None,
    seed: int | np.random.Generator | None = None,
    best: int = 1,
    tolerance: float = 0.2,
    horizon: float | None = None,
    keep: float | None = None,
    width: int = 100,
    good_enough: float = 0.25,
    transition_cost: float = TRANSITION_COST_M2_S,
    progress: float = MIN_PROGRESS_M_S,
    switch_within: float = 1.0,
) -> PathResult:
    """Return the walk on a graph that follows a path (or points [K, 2] on the floor, metres).

    `labels` is one label for all of the path, or its parts as (label or labels, metres along the path where it ends).
    `start` is a node to begin at (None: the best one), `pose` where the body then stands (None: on the path, walking
    along it). See the top of this page for the other arguments; `seed` has a say only with `best` above 1.
    """
    return PathFollower.of(graph, labels=labels, transition_cost=transition_cost).follow(
        path,
        start=start,
        pose=pose,
        seed=seed,
        best=best,
        tolerance=tolerance,
        horizon=horizon,
        keep=keep,
        width=width,
        good_enough=good_enough,
        progress=progress,
        switch_within=switch_within,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class PathFollower:
    """A graph made ready for paths: thinned and laid out once, used for as many paths as one likes."""

    graph: MotionGraph
    choices: Choices
    steps: PlanarSteps
    roots: Array
    """[F, 2] smoothed paths of the library's roots."""
    used: BoolArray
    """[E] edges that walks may use."""
    ends: tuple[float | None, ...]
    """Per part, where it ends (m along the path; None: at the path's end)."""

    @classmethod
    def of(
        cls,
        graph: MotionGraph,
        *,
        labels: Labels = None,
        transition_cost: float = TRANSITION_COST_M2_S,
        slot: float = SLOT_S,
        targets: int = MAX_SLOT_TRANSITIONS,
    ) -> "PathFollower":
        """Thin a graph's choices for paths with these labels; at most `targets` transitions per `slot` seconds."""
        if not (np.isfinite(transition_cost) and transition_cost >= 0):
            raise InvalidValue(f"transition_cost must be 0 or more m² s, got {transition_cost}")
        parts = parts_of(labels)
        edges = [usable_edges(graph, wanted) for wanted, _ in parts]
        choices = make_choices(graph, edges, slot=slot, targets=targets)
        check_joined(choices, parts)
        return cls(
            graph=graph,
            choices=choices,
            steps=planar_steps(graph, choices, transition_cost=transition_cost),
            roots=smooth_roots(graph.library),
            used=np.logical_or.reduce(edges),
            ends=tuple(end for _, end in parts),
        )

    def follow(
        self,
        path: Path | ArrayLike,
        *,
        start: int | None = None,
        pose: ArrayLike | None = None,
        seed: int | np.random.Generator | None = None,
        best: int = 1,
        tolerance: float = 0.2,
        horizon: float | None = None,
        keep: float | None = None,
        width: int = 100,
        good_enough: float = 0.25,
        progress: float = MIN_PROGRESS_M_S,
        switch_within: float = 1.0,
    ) -> PathResult:
        """Return the walk that follows a path; see `follow_path`."""
        way = path if isinstance(path, Path) else Path(points=np.asarray(path, dtype=np.float64))
        if best < 1 or width < 1 or not progress > 0:
            raise InvalidValue(f"best, width and progress must be positive, got {best}, {width} and {progress}")
        if (horizon is None) != (keep is None):
            raise InvalidValue("horizon and keep go together: give both, in seconds, or neither")
        if horizon is None or keep is None:
            horizon, keep = (6.0, 2.0) if best > 1 else (np.inf, np.inf)
        if not 0 < keep <= horizon:
            raise InvalidValue(f"keep must be above 0 and at most the horizon, got {keep:g} s of {horizon:g} s")
        borders = borders_of(self.ends, way.length)
        table, spacing = path_table(way)
        limits = Limits(
            length=way.length,
            spacing=spacing,
            progress=float(progress),
            slack=float(switch_within),
            lateness=LATENESS_WEIGHT_S,
            pace=1.0,
            foresight=FORESIGHT_WEIGHT_S,
            layer=LAYER_M,
            horizon=np.inf,
            width=int(width),
            per_node=MAX_WALKS_PER_NODE,
            leaves=1 if best == 1 else 16 * best,
        )
        rng = seed if isinstance(seed, np.random.Generator) else stream(seed or 0, Purpose.PATH_CHOICE)
        starts = self._starts(way, start, pose)
        results: list[PathResult] = []
        for wider in WIDTH_FACTORS:
            steps, begin, end, weighed = plan_steps(
                self.steps,
                limits._replace(width=wider * limits.width),
                table=table,
                borders=borders,
                nodes=starts[0],
                states=starts[1],
                horizon=horizon,
                keep=keep,
                best=best,
                tolerance=tolerance,
                rng=rng,
            )
            results.append(
                self._result(
                    way,
                    steps,
                    begin,
                    end,
                    weighed=weighed + sum(result.weighed for result in results),
                    borders=borders,
                    switch_within=switch_within,
                )
            )
            # Both how far it is beside the path, and how far behind the place where it should be.
            behind = float(np.sqrt(results[-1].error / results[-1].duration))
            if max(results[-1].worst, behind) <= good_enough:
                break
        return replace(min(results, key=lambda result: result.error), weighed=results[-1].weighed)

    def _starts(self, path: Path, start: int | None, pose: ArrayLike | None) -> tuple[IntArray, Array]:
        """Return the rows of choices to begin at and their states: on the path's first point, going along it."""
        c, n = self.choices, self.graph.nodes
        rows = np.flatnonzero(c.parts == 0)
        if start is not None:
            rows = rows[c.nodes[rows] == start]
            if not len(rows):
                near = c.nodes[c.parts == 0]
                other = int(near[np.argmin(np.abs(near - start))])
                raise InvalidValue(
                    f"node {start} is none at which a search for this path chooses; the nearest one is {other}"
                )
        elif pose is not None:
            raise InvalidValue("pose says where the body stands at a node; give that node as start")
        nodes = c.nodes[rows]
        if pose is not None:
            poses = np.broadcast_to(np.asarray(pose, dtype=np.float64), (len(rows), 3))
        else:
            clip, time = n.clip[nodes], n.time[nodes]
            here = roots_at(self.graph.library, self.roots, clip, time)
            way = roots_at(self.graph.library, self.roots, clip, time + START_AHEAD_S) - here
            goes = np.where(np.hypot(*way.T) > 0.25 * START_AHEAD_S, np.arctan2(way[:, 1], way[:, 0]), n.pose[nodes, 2])
            chord = path.at(min(START_AHEAD_M, path.length)) - path.at(0.0)
            turn = angles.wrap(np.arctan2(chord[1], chord[0]) - goes)
            zero = np.zeros(len(rows))
            place = planar.compose(
                np.column_stack([np.broadcast_to(path.at(0.0), (len(rows), 2)), turn]), np.column_stack([-here, zero])
            )
            poses = planar.compose(place, n.pose[nodes])
        return rows, np.concatenate([poses, np.zeros((len(rows), 3))], axis=1)

    def _result(
        self,
        path: Path,
        steps: IntArray,
        begin: Array,
        end: Array,
        *,
        weighed: int,
        borders: Array,
        switch_within: float,
    ) -> PathResult:
        c, e = self.choices, self.graph.edges
        edges = c.edges_of(self.graph, steps)
        stops = np.cumsum(e.duration[edges])
        # The path may end in the middle of the last step; the rest of it is not walked.
        walk = edges[: int(np.searchsorted(stops, end[5] - begin[5] - 1e-6)) + 1]
        times: list[float] = []
        for k in np.flatnonzero(c.switches[steps]).tolist():
            # The same transition may have been taken before, within a part: look from this step on.
            first = len(c.edges_of(self.graph, steps[:k])) if k else 0
            edge = int(c.transitions[steps[k]])
            at = first + int(np.argmax(edges[first:] == edge))
            times.append(float(stops[at] - 0.5 * e.duration[edge]) if at < len(walk) else float("nan"))
        times += [float("nan")] * (len(borders) - len(times))
        return PathResult(
            graph=self.graph,
            path=path,
            walk=walk_along(self.graph, [walk], poses=begin[:3]),
            error=float(end[4]),
            weighed=weighed,
            used=self.used,
            borders=tuple(borders.tolist()),
            switch_times=tuple(times),
            switch_within=float(switch_within),
        )
