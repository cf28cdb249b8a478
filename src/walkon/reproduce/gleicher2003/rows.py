"""A snap-together graph and a walk on it as a row: what every experiment of Gleicher 2003 tells."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse.csgraph import shortest_path

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.snap_together.judging.joins import measure_feet
from walkon.graphs.snap_together.judging.quality import displacement
from walkon.graphs.snap_together.playing.player import SnapPlayer
from walkon.graphs.snap_together.playing.random_policy import RandomPolicy
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.graphs.walk_segments import walk_take
from walkon.reproduce.gleicher2003.columns import COLUMNS
from walkon.reproduce.results import ResultRow
from walkon.reproduce.timing import timed
from walkon.take.take import Take

__all__ = ["least_seconds", "row_of", "switch_seconds", "take_of", "wander"]

SLIDING_M = 0.003
"""From which a planted foot that does not stay is told."""


def row_of(
    graph: SnapGraph,
    walk: IntArray,
    planned: float,
    built: float,
    *,
    values: Mapping[str, float | None] | None = None,
    notes: tuple[str, ...] = (),
    **told: Any,
) -> ResultRow:
    """Return a row of a graph that was built in some seconds, and of a walk that was planned in some.

    `values` are what only some experiments measure, `told` is what else the row tells.
    """
    (take, duration), placed = timed(take_of, graph, walk)
    _, posed = timed(take.sample, np.arange(0.0, duration, 1 / graph.source.fps))
    bent, feet = displacement(graph), measure_feet(graph)
    if feet.within > SLIDING_M:
        notes += (f"a planted foot slides by {1e3 * feet.within:.0f} mm in {graph.clips.names[feet.within_edge]}",)
    return ResultRow(
        columns=COLUMNS,
        values={
            "mean_duration_s": duration,
            "mean_synthesis_s": planned,
            "total_s": planned + placed + posed,
            "graph_frames": round(30.0 * graph.source.duration),
            "graph_s": built,
            "hubs": len(graph.hubs),
            "match_frames": len(graph.matches),
            "edges": len(graph.edges),
            "bend_median_deg": float(np.degrees(bent.overall.median)),
            "bend_p95_deg": float(np.degrees(bent.overall.p95)),
            "foot_drift_m": max(feet.within, feet.across.value),
            **(values or {}),
        },
        notes=notes,
        **told,
    )


def wander(graph: SnapGraph, *, seconds: float = 60.0) -> tuple[IntArray, float]:
    """Return a random walk that begins in the main part, and the seconds that it took to choose."""
    return timed(_wandered, graph, seconds)


def _wandered(graph: SnapGraph, seconds: float) -> IntArray:
    policy = RandomPolicy(graph, np.random.default_rng(1))
    player = SnapPlayer(graph, policy, poses=np.zeros((1, 3)), hubs=[int(np.argmax(graph.core))])
    return np.array(player.advance(seconds).edge)


def take_of(graph: SnapGraph, walk: IntArray) -> tuple[Take, float]:
    """Return the take of a walk, and its length in seconds."""
    return walk_take(graph, [walk]), float(graph.edges.duration[walk].sum())


def least_seconds(graph: SnapGraph) -> Array:
    """Return [H, H] the least seconds from hub to hub; infinite where there is no way."""
    least = np.full((len(graph.hubs), len(graph.hubs)), np.inf)
    np.minimum.at(least, (graph.edges.start, graph.edges.stop), graph.edges.duration)
    return np.asarray(shortest_path(np.where(np.isfinite(least), least, 0.0), method="D"))


def switch_seconds(seconds: Array, sources: BoolArray, targets: BoolArray) -> float | None:
    """Return the least of [H, H] seconds from one kind of hub to another, None where there is no way."""
    least = min(seconds[sources][:, targets].ravel(), default=np.inf)
    return float(least) if np.isfinite(least) else None
