"""A snap-together graph of suggested hubs that hang together: what can be built from a library without a designer.

    suggested hubs → graph → those outside its main part are left out, and told → graph

Recordings that show one thing each (somebody walks; somebody steps sideways, and that is all) have hubs that no clip
joins. Nobody asked for those, so they are left out: the graph is built anew from the others, whose edges no longer end
at them, until all hubs reach each other. Hubs that somebody asked for, by giving them a threshold, stay: whether a
graph with such a hub outside its main part is any good is for them to say. The main part is the strongly connected one
with the most seconds of edges.

Metres, seconds. Reference: Gleicher, Shin, Kovar, Jepsen 2003, section 4.1 and 4.3.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from walkon._base.errors import InvalidValue, UnknownName
from walkon.graphs.file import as_stored
from walkon.graphs.frame_distance import typical_distance
from walkon.graphs.point_clouds import FrameSet
from walkon.graphs.snap_together.build import SHARE, Progress, build_snap_graph, compared
from walkon.graphs.snap_together.judging.notes import cut_off
from walkon.graphs.snap_together.matching import match_sets
from walkon.graphs.snap_together.matching.match_sets import MatchSet
from walkon.graphs.snap_together.matching.suggestions import FAMILY_SPACING_S, families, suggest_hubs
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.motion.library import Library

__all__ = ["build_connected_graph"]


def build_connected_graph(
    library: Library,
    *,
    frames: FrameSet | None = None,
    threshold: float | None = None,
    spacing: float = 1 / 3,
    bands: int = 3,
    without: Collection[str] = (),
    thresholds: Mapping[str, float] | None = None,
    keep_all: bool = False,
    progress: Progress | None = None,
) -> SnapGraph:
    """Build a graph of the hubs suggested for a library, less those that are not joined to the rest.

    Hubs `without` which it is wanted are left out; `thresholds` (m, by hub) grow hubs anew, and these stay even where
    they are cut off, as all hubs do with `keep_all`. Notes name the hubs that were left out for that. `frames`,
    `threshold`, `spacing` and `bands` are those of `build_snap_graph`.
    """
    show = progress or (lambda done, total, what: None)
    show(0, 5, "comparing frames")
    library = as_stored(library)
    frames = compared(library) if frames is None else frames
    limit = SHARE * typical_distance(frames) if threshold is None else threshold
    show(1, 5, "looking for hubs")
    hubs, copies = suggest_hubs(library, frames, threshold=limit, spacing=spacing, bands=bands)
    asked = dict(thresholds or {})
    for name in (*without, *asked):
        UnknownName.check("hub", name, hubs)
    for name, mine in asked.items():
        hubs[name] = _grown(library, frames, name, hubs[name], threshold=mine, spacing=spacing)
    hubs = {name: found for name, found in hubs.items() if name not in without}
    if without and not hubs:
        raise InvalidValue("no hub is left; leave fewer of them out")
    notes: list[str] = []
    while True:
        graph = build_snap_graph(
            library,
            hubs,
            copies=_among(copies, hubs),
            frames=frames,
            threshold=limit,
            spacing=spacing,
            progress=progress,
        )
        outside = {graph.hub_names[h] for h in np.flatnonzero(~graph.core)} - asked.keys()
        loops = graph.counts[np.ix_(graph.core, graph.core)].any()
        if keep_all or not outside or not loops:
            return replace(graph, notes=(*notes, *graph.notes))
        told = cut_off(graph, among=outside)
        notes.append(
            f"left out: {told}; a higher threshold, or clips that lead there and back, would bring such a hub in"
        )
        hubs = {name: found for name, found in hubs.items() if name not in outside}


def _grown(
    library: Library, frames: FrameSet, name: str, found: MatchSet, *, threshold: float, spacing: float
) -> MatchSet:
    """Grow a suggested hub from the same frame with another threshold, in its own family."""
    kind = families(library, frames)
    family = "walk" if name.startswith("walk_") else name
    among = getattr(kind, family) if family in kind._fields else None
    room = max(spacing, FAMILY_SPACING_S.get(family, 0.0))
    return match_sets.grow(frames, found.seed, threshold=threshold, spacing=room, among=among)


def _among(copies: Sequence[Collection[str]], hubs: Collection[str]) -> list[list[str]]:
    """Return copies with only these hubs; one that is cut at all of them would be the library once more."""
    kept = [[name for name in copy if name in hubs] for copy in copies]
    return [copy for copy in kept if copy and len(copy) < len(hubs)]
