"""Building a motion graph: from a library to a graph without dead ends, with no hand-set numbers.

    frames → distances and their minima → threshold → transitions → pruning → notes

Each step is a module of its own; this one is their order. The library is first rounded to the precision of files
(float32), so that a graph that is saved and loaded, and one that is grown later, is the same to the last bit.

`add_clips` grows a graph: clips are added later, and only what is new is compared. The result is the graph that
building from scratch gives, to the last bit: distances of two clips do not depend on others, the old clips keep their
numbers, and threshold, pruning and notes are made anew by the graph's own recipe.

Reference: Kovar, Gleicher, Pighin 2002, "Motion Graphs", section 3; section 6: "distances between old frames needn't be
recomputed".
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from walkon._base.errors import InvalidClip, InvalidValue
from walkon.graphs.file import as_stored
from walkon.graphs.frame_distance import DEFAULT_THRESHOLD_RATIO, typical_distance
from walkon.graphs.minima import Candidates, Progress
from walkon.graphs.motion_graph import TRANSITION, MotionGraph, label_bits
from walkon.graphs.notes import notes_on
from walkon.graphs.point_clouds import FrameSet, Taper
from walkon.graphs.pruning import prune
from walkon.graphs.thresholds import (
    ROUGHEST_SEAM_M_S,
    LabelThresholds,
    Recipe,
    connecting_threshold,
    label_sets,
    percentile_threshold,
    special_limits,
)
from walkon.graphs.transitions import blend_duration, raw_graph
from walkon.motion.clip import Clip
from walkon.motion.library import Library

__all__ = ["add_clips", "build_graph", "frames_of", "graph_by"]

MAX_STEPWISE_RATIO = 4.0
"""Times the typical distance: a threshold beyond it is not looked for in steps, all minima are."""


def build_graph(
    library: Library | Sequence[Clip],
    *,
    rate: float = 30.0,
    window: float = 1 / 3,
    taper: Taper = "triangular",
    joint_weights: Mapping[str, float] | None = None,
    threshold: float | None = None,
    percentile: float | None = None,
    connect: float | None = None,
    label_thresholds: LabelThresholds | None = None,
    roughest: float = ROUGHEST_SEAM_M_S,
    labels: Sequence[str | Sequence[str]] = (),
    progress: Progress | None = None,
) -> MotionGraph:
    """Build the motion graph of a library, or of clips of one skeleton and rate.

    Clips are compared at `rate` frames/s over windows of `window` seconds. The threshold is chosen by itself, or
    given in metres, by `percentile` of the minima, or as the smallest that lets the largest component `connect` a
    share of the motion; `label_thresholds` sets it for pairs of labels. Transitions that are rougher than
    `roughest` (m/s, see `transitions`) are left out. `labels` are kinds of motion, a label or several each, that
    must each have no dead end in the graph. `progress(done, total, what)` says how far it is.
    """
    recipe = Recipe(
        rate=float(rate),
        window=float(window),
        taper=taper,
        joint_weights=joint_weights,
        threshold=threshold,
        percentile=percentile,
        connect=connect,
        label_thresholds=label_thresholds,
        roughest=float(roughest),
        labels=label_sets(labels),
    )
    stored = as_stored(library if isinstance(library, Library) else Library.of(library))
    return graph_by(recipe, stored, known=Candidates(), progress=progress)


def add_clips(graph: MotionGraph, clips: Library | Sequence[Clip], *, progress: Progress | None = None) -> MotionGraph:
    """Return the graph with more clips, of the same skeleton and rate: what `build_graph` gives for all of them.

    Where the new clips move the threshold beyond what was kept of the old comparison, everything is compared again.
    """
    new = list(clips)
    taken = [clip.name for clip in new if clip.name in graph.library.names]
    if taken:
        raise InvalidClip(f"the graph has a clip {taken[0]!r} already; rename the new one")
    old = graph.library
    library = Library.of(
        [*old, *new],
        ensembles={**old.ensembles, **(clips.ensembles if isinstance(clips, Library) else {})},
        notes=(*old.notes, *(clips.notes if isinstance(clips, Library) else ())),
    )
    known = Candidates(clips=len(old), limit=graph.known, minima=graph.candidates)
    return graph_by(Recipe.from_settings(graph.settings), as_stored(library), known=known, progress=progress)


def frames_of(library: Library, recipe: Recipe) -> FrameSet:
    """Return the compared frames of a library; refuse one in which no clip has a window."""
    frames = FrameSet.of(
        library, rate=recipe.rate, window=recipe.window, taper=recipe.taper, joint_weights=recipe.joint_weights
    )
    blend_duration(frames)
    if not (frames.window_stops > frames.starts).any():
        longest = float((frames.stops - frames.starts - 1).max()) / frames.rate
        raise InvalidValue(
            f"no clip is as long as the window of {recipe.window:.3g} s (the longest has {longest:.2f} s); "
            "give longer clips or a shorter window"
        )
    return frames


def graph_by(recipe: Recipe, library: Library, *, known: Candidates, progress: Progress | None = None) -> MotionGraph:
    """Build the graph of a stored library by a recipe, given what is known about the minima among its first clips."""
    for labels in recipe.labels:
        label_bits(library, labels)  # a label that exists nowhere is said before a minute of work
    limits = recipe.label_thresholds or {}
    frames = frames_of(library, recipe)
    special_limits(library, frames, minima=Candidates().minima, limits=limits)
    typical = typical_distance(frames)
    farthest = max(limits.values(), default=0.0)

    def candidates(threshold: float) -> Candidates:
        return known.under(max(threshold, farthest), frames=frames, progress=progress)

    share = None
    if recipe.percentile is not None:
        known = candidates(np.inf)
        threshold = percentile_threshold(known.minima, recipe.percentile)
    elif recipe.connect is not None:
        reach = DEFAULT_THRESHOLD_RATIO * typical
        while True:
            known = candidates(reach)
            special = special_limits(library, frames, minima=known.minima, limits=limits)
            threshold, share = connecting_threshold(frames, known.minima, share=recipe.connect, special=special)
            if share >= recipe.connect or not np.isfinite(known.limit):
                break
            reach = 2 * known.limit if known.limit < MAX_STEPWISE_RATIO * typical else np.inf
    else:
        threshold = DEFAULT_THRESHOLD_RATIO * typical if recipe.threshold is None else recipe.threshold
        known = candidates(threshold)

    show = progress or (lambda done, total, what: None)
    show(0, 1, "joining clips")
    special = special_limits(library, frames, minima=known.minima, limits=limits)
    chosen = np.flatnonzero(known.minima.distance < np.where(np.isnan(special), threshold, special))
    raw = raw_graph(library, frames, minima=known.minima.rows(chosen), roughest=recipe.roughest)
    joined = int(np.count_nonzero(raw.edges.kind == TRANSITION))
    pruned = prune(raw, labels=recipe.labels)
    if not len(pruned.edges):
        kinds = " or ".join(repr("+".join(labels)) for labels in recipe.labels)
        raise InvalidValue(
            f"nothing {f'of {kinds} ' if kinds else ''}can go on for ever: under {100 * threshold:.1f} cm there are "
            f"{joined} transitions and no way round; raise the threshold, or add clips that repeat or resemble "
            "each other"
        )
    graph = replace(
        pruned,
        settings=recipe.to_settings()
        | {
            "kind": "motion",
            "threshold": float(threshold),
            "typical": typical,
            "blend": blend_duration(frames),
            "transitions_before_pruning": joined,
            "too_rough": len(chosen) - joined,
        },
        candidates=known.minima,
        known=known.limit,
    )
    show(1, 1, "joining clips")
    return replace(graph, notes=notes_on(graph, frames=frames, share=share))
