"""Inspecting a snap-together graph: its numbers as plain names, for tables, for JSON, and for tests.

Hubs with their speeds, match frames and displacements; edges per ordered pair; joins at every hub; feet; what can be
reached in one edge and two; and how counts compare with what planning asks for. Lengths are metres, angles degrees
where the name ends in `_deg`.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from walkon.graphs.snap_together.judging.joins import measure_feet, measure_joins
from walkon.graphs.snap_together.judging.quality import (
    AngleSpread,
    Displacement,
    displacement,
    main_pairs,
    pair_figures,
    reach,
    targets,
)
from walkon.graphs.snap_together.snap_graph import BOTH, LEFT, NEITHER, RIGHT, SnapGraph

__all__ = ["inspect_snap_graph"]

STANCES = {LEFT: "left", RIGHT: "right", BOTH: "both", NEITHER: "neither"}


def inspect_snap_graph(graph: SnapGraph, *, joins: bool = True) -> dict[str, Any]:
    """Return what there is to know about a graph, as names and numbers; comparing all `joins` takes most of the time.

    Joins are every edge into a hub against every edge out of it.
    """
    bent = displacement(graph)
    figures: dict[str, Any] = {
        "kind": "snap",
        "clips": len(graph.source),
        "library_s": graph.source.duration,
        "fps": graph.source.fps,
        "hubs": len(graph.hubs),
        "edges": len(graph.edges),
        "edges_s": graph.clips.duration,
        "matches": len(graph.matches),
        "clips_in_graph": len(np.unique(graph.matches.clip[graph.edges.first_match])),
        "settings": dict(graph.settings),
        "displacement_deg": _degrees(bent.overall),
        "displacement_by_joint_deg": {
            name: _degrees(spread)
            for name, spread in zip(graph.source.skeleton.names, bent.joints, strict=True)
            if spread is not None
        },
        "hub_list": list(_hubs(graph, bent)),
        "pairs": list(pair_figures(graph)),
        "main_pairs": [[graph.hub_names[a], graph.hub_names[b]] for a, b in main_pairs(graph)],
        "targets": list(targets(graph)),
        "dead_ends": [name for name, inside in zip(graph.hub_names, graph.core, strict=True) if not inside],
        "notes": list(graph.notes),
    }
    if joins:
        figures |= {"joins": measure_joins(graph), "feet": measure_feet(graph)}
    return figures


def _hubs(graph: SnapGraph, bent: Displacement) -> Iterator[dict[str, Any]]:
    one, two = reach(graph)
    labels, source = graph.source.label_names, graph.source
    for h, name in enumerate(graph.hub_names):
        match = int(bent.worst_match[h])
        worst = {
            "clip": source.names[graph.matches.clip[match]],
            "time_s": float(graph.match_times[match]),
            "joint": source.skeleton.names[bent.worst_joint[h]],
        }
        yield {
            "name": name,
            "stance": STANCES[int(graph.hubs.stance[h])],
            "speed_m_s": float(graph.hubs.speed[h]),
            "labels": [label for b, label in enumerate(labels) if int(graph.hubs.labels[h]) >> b & 1],
            "threshold_m": float(graph.hubs.threshold[h]),
            "matches": int(np.count_nonzero(graph.matches.hub == h)),
            "edges_in": int(graph.counts[:, h].sum()),
            "edges_out": int(graph.counts[h].sum()),
            "loops": int(graph.counts[h, h]),
            "reaches_in_one": int(one[h].sum()),
            "reaches_in_two": int(two[h].sum()),
            "in_core": bool(graph.core[h]),
            "displacement_deg": _degrees(bent.hubs[h]),
            "worst_match": worst if match >= 0 else None,
        }


def _degrees(spread: AngleSpread) -> dict[str, float]:
    return {name: float(np.degrees(value)) for name, value in spread._asdict().items()}
