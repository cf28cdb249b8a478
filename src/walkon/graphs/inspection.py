"""Inspecting a graph: its numbers as plain names, for a table, for JSON, and for tests.

Counts, connectivity, coverage of speeds and turns, the longest wait for a choice, the worst seams, what each label
keeps, components before pruning, and the trade-off between good seams and many ways to go.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from walkon.graphs.build import frames_of
from walkon.graphs.components import components_of
from walkon.graphs.coverage import coverage, longest_wait
from walkon.graphs.frame_distance import align
from walkon.graphs.motion_graph import DEAD_END, PIECE, SINK, TRANSITION, UNLIKE, UNREACHED, MotionGraph
from walkon.graphs.notes import has_nodes, kept_by_label
from walkon.graphs.point_clouds import FrameSet
from walkon.graphs.thresholds import MULTIPLES, Recipe, TradeOff, special_limits, trade_off
from walkon.graphs.transitions import ComparedMotion, measure_seams

__all__ = ["graph_trade_off", "inspect_graph", "worst_seams"]

CUTS = {DEAD_END: "dead_end", SINK: "sink", UNREACHED: "unreached", UNLIKE: "unlike"}
LOOKED_AT = 400
"""Transitions with the largest distances whose seams are measured for each row of a trade-off."""


def inspect_graph(graph: MotionGraph, *, seams: int = 8) -> dict[str, Any]:
    """Return what there is to know about a graph, as names and numbers."""
    nodes, edges = graph.nodes, graph.edges
    across = edges.kind == TRANSITION
    seconds = np.where(edges.kind == PIECE, edges.duration, 0.0)
    parts = components_of(len(nodes), edges.start, edges.stop, seconds)
    degree = graph.out_degree
    wait = longest_wait(graph)
    covered = coverage(graph)
    cuts = graph.cuts
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
        "longest_wait_s": wait.seconds if np.isfinite(wait.seconds) else None,
        "longest_wait": _moment(graph, int(edges.stop[wait.edge])) if wait.edge >= 0 else None,
        "worst_distance_m": float(edges.distance.max(initial=0.0)),
        "worst_seam_m_s": float(edges.seam.max(initial=0.0)),
        "worst_seams": worst_seams(graph, count=seams),
        "coverage": {
            "speed_m_s": [_finite(value) for value in covered.speeds],
            "turn_deg_s": [_finite(value) for value in np.degrees(covered.turns)],
            "seconds": covered.seconds.tolist(),
        },
        "labels": {label: {"kept_s": kept, "of_s": total} for label, (kept, total) in kept_by_label(graph).items()},
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


def graph_trade_off(graph: MotionGraph, *, frames: FrameSet | None = None) -> list[TradeOff]:
    """Return what other thresholds would give, as far as the graph's candidates go: multiples of its typical distance.

    The worst seam of a row is that of the transitions with the largest distances under it.
    """
    recipe = Recipe.from_settings(graph.settings)
    frames = frames_of(graph.library, recipe) if frames is None else frames
    chosen = graph.settings["threshold"]
    thresholds = [m * graph.settings["typical"] for m in MULTIPLES]
    thresholds = sorted({*(t for t in thresholds if t <= graph.known and abs(t - chosen) > 1e-9), chosen})
    minima = graph.candidates
    special = special_limits(graph.library, frames, minima=minima, limits=recipe.label_thresholds or {})
    rows = trade_off(frames, minima, thresholds=thresholds, special=special)
    motion = ComparedMotion.of(graph.library, frames)
    order = np.argsort(minima.distance, kind="stable")
    told = []
    for row in rows:
        upto = int(np.searchsorted(minima.distance[order], row.threshold))
        some = minima.rows(order[max(upto - LOOKED_AT, 0) : upto])
        seam = measure_seams(motion, some.pairs, poses=align(frames, some.pairs).poses).excess
        told.append(replace(row, worst_seam=float(seam.max(initial=0.0))))
    return told


def _moment(graph: MotionGraph, node: int) -> dict[str, Any]:
    clip = int(graph.nodes.clip[node])
    return {"clip": graph.library.names[clip], "time_s": float(graph.nodes.time[node]), "node": node}


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
