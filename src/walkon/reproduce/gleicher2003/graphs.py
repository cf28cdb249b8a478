"""The clips of Gleicher 2003's experiments, graphs of them with the seconds that these take, and rows about them.

Hubs are the largest match set, at a passing pose where that is nearly as large (one hub), or the suggested ones. A row
tells what every experiment does of a graph and of a walk on it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse.csgraph import shortest_path

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.chance import Purpose, stream
from walkon._base.errors import InvalidValue
from walkon.graphs.frame_distance import typical_distance
from walkon.graphs.point_clouds import library_frames
from walkon.graphs.snap_together.build import SNAP_THRESHOLD_RATIO, build_snap_graph, compared
from walkon.graphs.snap_together.judging.joins import measure_feet
from walkon.graphs.snap_together.judging.quality import displacement
from walkon.graphs.snap_together.matching.match_sets import largest
from walkon.graphs.snap_together.matching.passing import postures
from walkon.graphs.snap_together.playing.player import SnapPlayer
from walkon.graphs.snap_together.playing.random_policy import RandomPolicy
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.graphs.walk_segments import walk_take
from walkon.motion.editing import cut
from walkon.motion.library import Library
from walkon.reproduce.experiment import time_call
from walkon.reproduce.gleicher2003.columns import COLUMNS
from walkon.reproduce.recordings import FORWARD, MotionSource
from walkon.reproduce.results import ResultRow
from walkon.take.take import Take

__all__ = [
    "build_one_hub",
    "everyday_and_threshold",
    "least_seconds",
    "row_of",
    "styled_clips",
    "switch_seconds",
    "take_of",
    "walks",
    "walks_and_everyday",
    "wander",
]

EVERYDAY = ("143_11", "143_13", "143_18", "143_19", "143_25", "143_29")
"""Subject 143 fetches a box and a basket, sits down and rises, waves, paces: 76 s."""
JOINED_M = 0.05
"""The threshold for two performers; that for one person's walks would leave standing and sitting apart."""
STYLE_S = 13.0
"""Length of a clip in some style."""
WALKED = (
    "wander_slow",
    *(f"arc_{side}_{kind}" for kind in ("0.80_25", "0.80_50", "0.80_80", "1.20_80") for side in ("left", "right")),
    *(f"sharp_{side}_{kind}" for kind in ("90_0.90", "180_0.90") for side in ("left", "right")),
)
SAT = ("idle_neutral", "walk_0.90", "sit_front", "sit_idle", "rise_and_leave_left", "rise_and_leave_right")
"""Of the built-in library: 100 s of walking, and what is done with a chair."""


def styled_clips(motion: MotionSource) -> list[tuple[Library, float | None, str]]:
    """Return clips of 13 s in some style, each with the threshold for it (m; None: the usual one) and with words."""
    if motion.folder is None:
        return [(_cut(motion.styles(), "tired", 4.0), None, "13 s of the built-in performer's tired walk, one hub")]
    sad, old = motion.clips(("142_15",)), motion.clips(("137_33",))
    return [
        (_cut(sad, "142_15", 4.0), None, "13 s of a sad walk (142_15), one hub"),
        (_cut(old, "137_33", 2.0), None, "13 s of an old man's walk (137_33), one hub"),
        (_cut(old, "137_33", 2.0), 0.04, "the same, match frames within 4 cm"),
    ]


def _cut(library: Library, name: str, start: float) -> Library:
    return Library.of([cut(library[name], start, start + STYLE_S)])


def walks(motion: MotionSource) -> Library:
    """Return 100 s of walking, without mirror images."""
    if motion.folder is not None:
        return Library.of([motion.clips(FORWARD)[name] for name in FORWARD])
    return Library.of([motion.builtin()[name] for name in WALKED])


def everyday_and_threshold(motion: MotionSource) -> tuple[Library, float | None]:
    """Return the second set, and the threshold (m) for it and for what it is joined with."""
    if motion.folder is not None:
        return motion.clips(EVERYDAY), JOINED_M
    return Library.of([motion.builtin()[name] for name in SAT]), None


def walks_and_everyday(motion: MotionSource) -> Library:
    """Return both sets in one library, with mirror images where they are captured."""
    if motion.folder is not None:
        return motion.clips(FORWARD + EVERYDAY)
    return Library.of([*walks(motion), *everyday_and_threshold(motion)[0]])


def build_one_hub(library: Library, threshold: float | None = None) -> SnapGraph:
    """Return the graph of the largest match set within a threshold (m)."""
    frames = compared(library)
    limit = SNAP_THRESHOLD_RATIO * typical_distance(frames) if threshold is None else threshold
    found = largest(frames, threshold=limit, preferred=postures(library).passing[library_frames(library, frames)])
    if found is None:
        raise InvalidValue(f"no two moments of {', '.join(library.names)} are within {100 * limit:.3g} cm")
    return build_snap_graph(library, {"hub": found}, frames=frames)


SLIDING_M = 0.003
"""From which a planted foot that does not stay is reported."""


def row_of(
    graph: SnapGraph,
    walk: IntArray,
    planned: float,
    built: float,
    *,
    values: Mapping[str, float | None] | None = None,
    notes: tuple[str, ...] = (),
    **fields: Any,
) -> ResultRow:
    """Return a row of a graph that was built in some seconds, and of a walk that was planned in some.

    `values` are what only some experiments measure, `fields` are those of the row beside its numbers.
    """
    (take, duration), placed = time_call(take_of, graph, walk)
    _, posed = time_call(take.sample, np.arange(0.0, duration, 1 / graph.source.fps))
    bent, feet = displacement(graph), measure_feet(graph)
    if feet["within_m"] > SLIDING_M:
        notes += (f"a planted foot slides by {1e3 * feet['within_m']:.0f} mm in {feet['within']['edge']}",)
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
            "foot_drift_m": max(feet["within_m"], feet["across_m"]),
            **(values or {}),
        },
        notes=notes,
        **fields,
    )


def wander(graph: SnapGraph, *, seconds: float = 60.0) -> IntArray:
    """Return a random walk that begins in the main part."""
    policy = RandomPolicy(graph, stream(1, Purpose.RANDOM_WALK))
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
