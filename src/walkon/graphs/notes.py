"""Notes on a graph: what a user should know about it, in sentences that say what to do.

* clips that are too short to take part, and clips of which nothing is left;
* labels and sets of labels of which the graph keeps too little, with how much;
* sets that cannot reach each other;
* the largest dead ends and sinks, by clip and time;
* a share of motion that was asked for and cannot be had.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from walkon._base.arrays import BoolArray
from walkon.graphs.components import components_of, reachable
from walkon.graphs.motion_graph import DEAD_END, PIECE, SINK, UNLIKE, Cuts, MotionGraph
from walkon.graphs.point_clouds import FrameSet

__all__ = ["frames_inside", "has_nodes", "notes_on", "seconds_with"]

MIN_LABEL_SHARE = 0.5
"""Less than this share of a label's motion in the graph is worth a note."""
MIN_NOTED_S = 1.0
"""s; less motion than this is not worth a note of its own."""
MAX_NAMED_CUTS = 3
"""Dead ends and sinks that are named one by one; all are in `MotionGraph.cuts`."""
WORDS = {
    DEAD_END: "comes to an end",
    SINK: "is a loop with no way back to the rest",
    UNLIKE: "joins the rest only through other kinds of motion (ask for its labels as a kind of its own to keep it)",
}


def notes_on(graph: MotionGraph, *, frames: FrameSet, share: float | None = None) -> tuple[str, ...]:
    """Return the notes on a pruned graph; `share` of the motion could be connected, where that was asked."""
    cm = 100 * graph.settings["threshold"]
    way_out = f"raise the threshold ({cm:.1f} cm), or add clips that lead from one to the other"
    notes = []
    asked = graph.settings["asked"]
    if share is not None and share < asked:
        notes.append(
            f"no threshold connects {asked:.0%} of the motion: {share:.1%} is the most, from {cm:.1f} cm on; "
            "ask for less, or add clips"
        )
    short = np.flatnonzero(frames.window_stops <= frames.starts)
    if len(short):
        names = _join_names([graph.library.names[clip] for clip in short])
        notes.append(f"shorter than the window of {graph.settings['window']:.2f} s and left out: {names}")
    kept = has_nodes(graph)
    lost = [name for clip, name in enumerate(graph.library.names) if not kept[clip] and clip not in set(short)]
    if lost:
        notes.append(f"nothing is left of {_join_names(lost)}: no way to the rest and back; {way_out}")
    notes += _about_labels(graph, way_out)
    notes += _about_ways(graph, way_out)
    notes += _about_cuts(graph.cuts, graph.library.names)
    return tuple(notes)


def has_nodes(graph: MotionGraph) -> BoolArray:
    """Say which clips have nodes in the graph."""
    return np.bincount(graph.nodes.clip, minlength=len(graph.library)) > 0


def seconds_with(graph: MotionGraph, sets: Sequence[Sequence[str]]) -> dict[str, tuple[float, float]]:
    """Return for sets of labels, by name, the seconds of frames that have them: in the graph, and in the library."""
    inside, fps = frames_inside(graph), graph.library.fps
    found = {}
    for labels in sets:
        column = [graph.library.label_names.index(label) for label in labels]
        flags = graph.library.labels[:, column].all(axis=1)
        found["+".join(labels)] = (float((flags & inside).sum()) / fps, float(flags.sum()) / fps)
    return found


def frames_inside(graph: MotionGraph) -> BoolArray:
    """Return [F] which frames of the library are in pieces of the graph."""
    library, edges, nodes = graph.library, graph.edges, graph.nodes
    pieces = edges.kind == PIECE
    change = np.zeros(len(library.labels) + 1, np.int64)
    for ends, by in ((edges.start[pieces], 1), (edges.stop[pieces], -1)):
        at = np.rint(nodes.time[ends] * library.fps).astype(np.int64)
        np.add.at(change, library.starts[nodes.clip[ends]] + at, by)
    return np.asarray(np.cumsum(change[:-1]) > 0)


def _about_labels(graph: MotionGraph, way_out: str) -> Iterator[str]:
    asked = [tuple(labels) for labels in graph.settings["labels"]]
    lost = np.repeat(~has_nodes(graph), graph.library.stops - graph.library.starts)
    columns = zip(graph.library.label_names, graph.library.labels.T, strict=True)
    # A label that only lost clips have was noted with them.
    single = [(label,) for label, flags in columns if (label,) not in asked and not lost[flags].all()]
    for name, (kept, seconds) in seconds_with(graph, [*asked, *single]).items():
        if seconds >= MIN_NOTED_S and kept < MIN_LABEL_SHARE * seconds:
            yield f"the graph keeps {kept:.1f} of {seconds:.1f} s ({kept / seconds:.0%}) of {name!r}; {way_out}"


def _about_ways(graph: MotionGraph, way_out: str) -> Iterator[str]:
    """Return a note for every ordered pair of asked sets that has no way from the first to the second."""
    edges, N = graph.edges, len(graph.nodes)
    cores = {}
    for labels in graph.settings["labels"]:
        mine = np.flatnonzero(graph.edges_with(labels))
        if not len(mine):
            continue
        seconds = np.where(edges.kind[mine] == PIECE, edges.duration[mine], 0.0)
        found = components_of(N, edges.start[mine], edges.stop[mine], seconds)
        cores["+".join(labels)] = found.of_node == found.largest
    for one, core in cores.items():
        found_from = reachable(N, edges.start, edges.stop, sources=core)
        for other, there in cores.items():
            if one != other and not (found_from & there).any():
                yield f"no way leads from {one!r} to {other!r}; {way_out}"


def _about_cuts(cuts: Cuts, names: Sequence[str]) -> Iterator[str]:
    for reason, words in WORDS.items():
        mine = np.flatnonzero(cuts.reason == reason)
        length = cuts.stop[mine] - cuts.start[mine]
        worst = mine[np.argsort(-length, kind="stable")[:MAX_NAMED_CUTS]]
        named = [
            f"{names[cuts.clip[row]]} {cuts.start[row]:.2f} to {cuts.stop[row]:.2f} s"
            for row in worst
            if cuts.stop[row] - cuts.start[row] >= MIN_NOTED_S
        ]
        if named:
            more = f" (and {len(mine) - len(named)} shorter)" if len(mine) > len(named) else ""
            yield f"cut, {length.sum():.1f} s in all, because it {words}: {', '.join(named)}{more}"


def _join_names(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
