"""Inspecting a graph: its numbers as plain names, for a table, for JSON, and for tests; and what can be done with it.

Counts, connectivity, coverage of speeds and turns, the longest wait for a choice, the worst seams, what each label
keeps, components before pruning, and the trade-off between good seams and many ways to go.

*Speeds and turns*: the root's speed along the floor and the turn rate of its path or, where the body goes slower than
0.3 m/s, of its hips; both over a second, about a stride, so that swaying is no turn. Seconds of motion in bands.

*Waiting for a choice*: from every edge that was chosen, the time until the next node that has two or more ways on.

*Reach*: where the body can be after 1, 2, 3 s, by many random walks from one node.

Metres, seconds, radians.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon.graphs.build import frames_of
from walkon.graphs.components import components_of
from walkon.graphs.frame_distance import align
from walkon.graphs.motion_graph import DEAD_END, PIECE, SINK, TRANSITION, UNLIKE, UNREACHED, MotionGraph
from walkon.graphs.notes import frames_inside, has_nodes, seconds_with
from walkon.graphs.point_clouds import FrameSet, frames_around
from walkon.graphs.random_walks import random_walks
from walkon.graphs.thresholds import TRADE_OFF_RATIOS, Recipe, special_limits, trade_off
from walkon.graphs.transitions import ComparedMotion, measure_seams
from walkon.graphs.walk import walk_along
from walkon.transforms import angles, planar

__all__ = [
    "SPEED_BANDS_M_S",
    "TURN_BANDS_RAD_S",
    "coverage",
    "graph_trade_off",
    "inspect_graph",
    "longest_wait",
    "reach",
    "worst_seams",
]

CUTS = {DEAD_END: "dead_end", SINK: "sink", UNREACHED: "unreached", UNLIKE: "unlike"}
MAX_MEASURED_SEAMS = 400
"""Transitions with the largest distances whose seams are measured for each row of a trade-off."""
SPEED_BANDS_M_S = (0.0, 0.1, 0.5, 0.9, 1.3, 1.7, 2.1, np.inf)
"""m/s, edges of the speed bands."""
TURN_BANDS_RAD_S = tuple(np.radians([-np.inf, -90.0, -45.0, -15.0, 15.0, 45.0, 90.0, np.inf]).tolist())
"""rad/s, edges of the turn bands; positive is to the left."""
COVERAGE_SPAN_S = 1.0
"""s over which speeds and turns are measured."""
HIPS_TURN_BELOW_M_S = 0.3
"""m/s under which turns are those of the hips."""


def inspect_graph(graph: MotionGraph, *, seams: int = 8) -> dict[str, Any]:
    """Return what there is to know about a graph, as names and numbers."""
    nodes, edges = graph.nodes, graph.edges
    across = edges.kind == TRANSITION
    seconds = np.where(edges.kind == PIECE, edges.duration, 0.0)
    parts = components_of(len(nodes), edges.start, edges.stop, seconds)
    degree = graph.out_degree
    wait, into = longest_wait(graph)
    cuts, of_labels = graph.cuts, seconds_with(graph, [(label,) for label in graph.library.label_names])
    return {
        "kind": "motion",
        "clips": len(graph.library),
        "clips_in_graph": int(np.count_nonzero(has_nodes(graph))),
        "library_s": graph.library.duration,
        "motion_s": graph.seconds,
        "share": graph.seconds / max(graph.library.duration, 1e-9),
        "nodes": len(nodes),
        "pieces": int(np.count_nonzero(~across)),
        "transitions": int(np.count_nonzero(across)),
        "transitions_before_pruning": graph.settings["transitions_before_pruning"],
        "too_rough": graph.settings["too_rough"],
        "components": [float(size) for size in sorted(parts.seconds[parts.cyclic], reverse=True)],
        "choices": int(np.count_nonzero(degree > 1)),
        "ways_on_mean": float(degree.mean()) if len(nodes) else 0.0,
        "threshold_m": graph.settings["threshold"],
        "typical_distance_m": graph.settings["typical"],
        "rule": graph.settings["rule"],
        "window_s": graph.settings["window"],
        "blend_s": graph.settings["blend"],
        "rate": graph.settings["rate"],
        "longest_wait_s": _finite(wait),
        "longest_wait": _moment(graph, int(edges.stop[into])) if into >= 0 else None,
        "worst_distance_m": float(edges.distance.max(initial=0.0)),
        "worst_seam_m_s": float(edges.seam.max(initial=0.0)),
        "worst_seams": worst_seams(graph, count=seams),
        "coverage": {
            "speed_m_s": [_finite(value) for value in SPEED_BANDS_M_S],
            "turn_deg_s": [_finite(value) for value in np.degrees(TURN_BANDS_RAD_S)],
            "seconds": coverage(graph).tolist(),
        },
        "labels": {label: {"kept_s": kept, "of_s": total} for label, (kept, total) in of_labels.items()},
        "cut_s": {name: float((cuts.stop - cuts.start)[cuts.reason == why].sum()) for why, name in CUTS.items()},
        "cuts": [
            {
                "clip": graph.library.names[clip],
                "start_s": float(start),
                "stop_s": float(stop),
                "reason": CUTS[int(why)],
            }
            for clip, start, stop, why in zip(cuts.clip, cuts.start, cuts.stop, cuts.reason, strict=True)
        ],
        "notes": list(graph.notes),
    }


def worst_seams(graph: MotionGraph, *, count: int) -> list[dict[str, Any]]:
    """Return the roughest transitions: from where to where, how far apart, and by how much."""
    rows = np.flatnonzero(graph.edges.kind == TRANSITION)
    worst = rows[np.argsort(-graph.edges.seam[rows], kind="stable")[:count]]
    return [
        {
            "edge": int(row),
            "from": _moment(graph, int(graph.edges.start[row])),
            "to": _moment(graph, int(graph.edges.stop[row])),
            "distance_m": float(graph.edges.distance[row]),
            "seam_m_s": float(graph.edges.seam[row]),
        }
        for row in worst
    ]


def graph_trade_off(graph: MotionGraph, *, frames: FrameSet | None = None) -> Iterator[dict[str, Any]]:
    """Return what other thresholds would give, as far as the graph's candidates go: multiples of its typical distance.

    "worst_seam" (m/s) of a row of `trade_off` is that of the transitions with the largest distances under it.
    """
    recipe = Recipe.from_settings(graph.settings)
    frames = frames_of(graph.library, recipe) if frames is None else frames
    chosen = graph.settings["threshold"]
    thresholds = [m * graph.settings["typical"] for m in TRADE_OFF_RATIOS]
    thresholds = sorted({*(t for t in thresholds if t <= graph.known and abs(t - chosen) > 1e-9), chosen})
    minima = graph.candidates
    special = special_limits(graph.library, frames, minima=minima, limits=recipe.label_thresholds or {})
    motion = ComparedMotion.of(graph.library, frames)
    order = np.argsort(minima.distance, kind="stable")
    for row in trade_off(frames, minima, thresholds=thresholds, special=special):
        upto = int(np.searchsorted(minima.distance[order], row["threshold"]))
        some = minima.rows(order[max(upto - MAX_MEASURED_SEAMS, 0) : upto])
        seam = measure_seams(motion, some.pairs, poses=align(frames, some.pairs).poses)
        yield row | {"worst_seam": float(seam.max(initial=0.0))}


def _moment(graph: MotionGraph, node: int) -> dict[str, Any]:
    clip = int(graph.nodes.clip[node])
    return {"clip": graph.library.names[clip], "time_s": float(graph.nodes.time[node]), "node": node}


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def coverage(graph: MotionGraph) -> Array:
    """Return seconds of the graph's pieces by band of speed (rows) and of turn rate (columns).

    Bands lie between the values of `SPEED_BANDS_M_S` and of `TURN_BANDS_RAD_S`.
    """
    library, poses = graph.library, graph.planar_poses
    before, after = frames_around(library.starts, library.stops, max(round(0.5 * COVERAGE_SPAN_S * library.fps), 1))
    span = np.maximum(after - before, 1) / library.fps
    way = poses[after, :2] - poses[before, :2]
    speed = np.linalg.norm(way, axis=1) / span
    facing = angles.difference(poses[after, 2], poses[before, 2]) / span
    course = np.arctan2(way[:, 1], way[:, 0])
    heading = angles.difference(course[after], course[before]) / span
    moving = np.minimum(speed, np.minimum(speed[before], speed[after])) > HIPS_TURN_BELOW_M_S
    turn = np.where(moving, heading, facing)
    inside = frames_inside(graph)
    row = np.searchsorted(SPEED_BANDS_M_S, speed[inside], side="right") - 1
    column = np.searchsorted(TURN_BANDS_RAD_S, turn[inside], side="right") - 1
    seconds = np.zeros((len(SPEED_BANDS_M_S) - 1, len(TURN_BANDS_RAD_S) - 1))
    np.add.at(seconds, (row, column), 1 / library.fps)
    return seconds


def longest_wait(graph: MotionGraph) -> tuple[float, int]:
    """Return the longest time from one choice to the next, and the edge that leads there.

    Infinite where motion can come into a loop without a choice; −1 where there is no choice at all.
    """
    edges, choice = graph.edges, graph.out_degree > 1
    if not choice.any():
        return np.inf, -1
    # Nodes with one way on point to where it leads; jumping twice as far each time finds the next choice for all.
    only = np.minimum(graph.out_first[:-1], max(len(edges) - 1, 0))
    ahead = np.where(choice, np.arange(len(choice)), edges.stop[only])
    wait = np.where(choice, 0.0, edges.duration[only])
    for _ in range(int(np.ceil(np.log2(max(len(choice), 2)))) + 1):
        wait, ahead = wait + wait[ahead], ahead[ahead]
    wait = np.where(choice[ahead], wait, np.inf)  # a loop without a choice cannot be left
    chosen = np.flatnonzero(choice[edges.start])
    total = edges.duration[chosen] + wait[edges.stop[chosen]]
    worst = int(np.argmax(total))
    return float(total[worst]), int(chosen[worst])


def reach(
    graph: MotionGraph,
    rng: np.random.Generator,
    *,
    node: int,
    times: ArrayLike = (1.0, 2.0, 3.0),
    walks: int = 2000,
    every: float = 0.5,
    labels: str | tuple[str, ...] = (),
) -> Array:
    """Follow W random walks from a node and return where they are at T times (s), [W, T, 3], seen from their start.

    In the frame of the body at the node: ahead is +x.
    """
    when = np.atleast_1d(np.asarray(times, dtype=np.float64))
    found = random_walks(
        graph, rng, starts=np.full(walks, node), duration=float(when.max()) + 1e-6, every=every, labels=labels
    )
    walk = walk_along(graph, found)
    # The edge that is under way: the last of its walk that starts no later. Walks are told apart by a long time.
    long = float(walk.start.max()) + 1.0
    key = walk.character * long + walk.start
    at = np.searchsorted(key, np.arange(walks)[:, None] * long + when, side="right") - 1
    edges, nodes, edge = graph.edges, graph.nodes, walk.edge[at]
    left = (1 - (when - walk.start[at]) / edges.duration[edge]) * edges.duration[edge]
    # By the clip that is entered, placed where its stop will be.
    stop, end = edges.stop[edge], planar.compose(walk.place[at], edges.displacement[edge])
    here = graph.poses_at(nodes.clip[stop], nodes.time[stop] - left)
    return planar.compose(planar.compose(end, planar.inverse(nodes.pose[stop])), here)
