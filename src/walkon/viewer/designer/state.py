"""A session as the page sees it: plain values, as docs/designer.md lists them."""

from typing import Any

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.graphs.snap_together.snap_graph import BOTH, LEFT, RIGHT
from walkon.viewer.designer.design import DesignedHub
from walkon.viewer.designer.material import Material
from walkon.viewer.designer.quick_look import QuickLook, quick_look
from walkon.viewer.designer.session import DesignSession

__all__ = ["describe_library", "describe_matches", "describe_preview", "describe_state"]

STANCES = {LEFT: "left", RIGHT: "right", BOTH: "both"}


def describe_library(material: Material) -> dict[str, Any]:
    """Return what never changes: clips and skeleton."""
    library, frames = material.library, material.frames
    skeleton = library.skeleton
    named = np.array(library.label_names)
    return {
        "clips": [
            {
                "name": name,
                "seconds": round((int(stop) - int(start) - 1) / library.fps, 4),
                "labels": named[library.labels[start:stop].any(axis=0)].tolist() if len(named) else [],
            }
            for name, start, stop in zip(library.names, library.starts, library.stops, strict=True)
        ],
        "fps": library.fps,
        "rate": frames.rate,
        "starts": [*frames.starts.tolist(), len(frames)],
        "skeleton": {
            "names": list(skeleton.names),
            "parents": skeleton.parents.tolist(),
            "offsets": skeleton.offsets.tolist(),
            "end_sites": skeleton.end_sites.tolist(),
        },
        "joints": list(frames.joints),
        "threshold_cm": round(material.threshold * 100, 3),
        "lead_s": frames.leads[0] / frames.rate,
    }


def describe_state(session: DesignSession) -> dict[str, Any]:
    """Return the design as it is now, with exact figures where it is built."""
    with session.lock:
        material, design, look, graph = session.material, session.design, session.look(), session.graph
        angles = np.rad2deg(look.angles)
        stances = _stances(material, look, len(design.hubs)) if graph is None else graph.hubs.stance
        uses = np.bincount(np.concatenate([look.first, look.last]), minlength=len(look.hub))
        fps = material.library.fps
        cut_off = [
            f"{design.names[number]} is cut off from the rest; raise its threshold, or leave this hub out"
            for number in np.flatnonzero(~look.core).tolist()
        ]
        return {
            "version": session.version,
            "hubs": [
                _hub(material, hub, look, np.flatnonzero(look.hub == number), angles, uses)
                | {"stance": STANCES.get(int(stances[number]), "neither")}
                for number, hub in enumerate(design.hubs)
            ],
            "edges": [
                {
                    "start": start,
                    "stop": stop,
                    "clip": clip,
                    "from": round(begin, 4),
                    "to": round(end, 4),
                    "displacement": [round(value, 4) for value in moved],
                    "duration": round(duration, 4),
                }
                for start, stop, clip, begin, end, moved, duration in zip(
                    look.hub[look.first].tolist(),
                    look.hub[look.last].tolist(),
                    look.clip[look.first].tolist(),
                    (look.frame[look.first] / fps).tolist(),
                    (look.frame[look.last] / fps).tolist(),
                    look.displacement.tolist(),
                    look.duration.tolist(),
                    strict=True,
                )
            ],
            "counts": look.counts.tolist(),
            "dead_ends": np.flatnonzero(~look.core).tolist(),
            "notes": list(graph.notes) if graph is not None else cut_off,
            "quality": {"edges": len(look.first)} | _spread(angles),
            "built": graph is not None,
            "building": session.building,
            "undo": len(session.before),
            "redo": len(session.after),
            "saved": session.saved,
            "file": session.file.name,
        }


def describe_matches(material: Material, frames: IntArray, distances: Array) -> list[dict[str, Any]]:
    """Return compared frames as clip, time and distance."""
    return [
        {"clip": clip, "time": round(time, 4), "distance_cm": round(distance * 100, 3)}
        for clip, time, distance in zip(
            material.frames.clips_of(frames).tolist(),
            material.frames.times[frames].tolist(),
            distances.tolist(),
            strict=True,
        )
    ]


def describe_preview(session: DesignSession, number: int | None, hub: DesignedHub) -> dict[str, Any]:
    """Return what a hub would give in the place of hub `number`, or as one more."""
    material = session.material
    number = len(session.design.hubs) if number is None else number
    design = session.design.with_hubs(number, hub)
    sets = [material.match_set(one) for one in design.hubs]
    look = quick_look(material, sets, design.copies, spacing=session.spacing)
    mine = (look.hub[look.first] == number) | (look.hub[look.last] == number)
    return {
        "matches": describe_matches(material, sets[number].frames, sets[number].distances),
        "edges": len(look.first),
        "hub_edges": int(np.count_nonzero(mine)),
        "counts": look.counts.tolist(),
        "dead_ends": np.flatnonzero(~look.core).tolist(),
        "refused": material.refusal(hub),
    } | _spread(np.rad2deg(look.angles[look.hub == number]))


def _hub(
    material: Material, hub: DesignedHub, look: QuickLook, rows: IntArray, angles: Array, uses: IntArray
) -> dict[str, Any]:
    seed = None if hub.seed is None else material.place(hub.seed)
    matches = describe_matches(material, look.compared[rows], look.distance[rows])
    bent = np.median(angles[rows], axis=1).tolist() if len(rows) else []
    by_hand = np.isin(look.compared[rows], hub.added).tolist()
    for match, degrees, count, hand in zip(matches, bent, uses[rows].tolist(), by_hand, strict=True):
        match |= {"displacement_deg": round(degrees, 3), "edges": count, "hand": hand}
    library = material.library
    common = library.labels[material.at[look.compared[rows]]].mean(axis=0) > 0.5 if len(rows) else []
    return {
        "name": hub.name,
        "colour": hub.colour,
        "threshold_cm": round(hub.threshold * 100, 4),
        "spacing_s": round(hub.spacing, 4),
        "seed": None if seed is None else {"clip": seed[0], "time": round(seed[1], 4)},
        "picked": bool(hub.seed is None or hub.added or hub.removed),
        "family": hub.family,
        "matches": matches,
        "labels": [name for name, has in zip(library.label_names, common, strict=False) if has],
    } | _spread(angles[rows])


def _spread(degrees: Array) -> dict[str, float]:
    median, high = np.percentile(degrees, [50, 95]).tolist() if degrees.size else (0.0, 0.0)
    return {"median_deg": round(median, 3), "p95_deg": round(high, 3)}


def _stances(material: Material, look: QuickLook, count: int) -> IntArray:
    """Return [count] the stance that most match frames of each hub have."""
    found = np.zeros((count, 4), np.int64)
    np.add.at(found, (look.hub, material.posture.stance[material.at[look.compared]]), 1)
    return found.argmax(axis=1)
