"""Growing a graph: clips are added later, and only what is new is compared.

The result is the graph that building from scratch gives, to the last bit: distances of two clips do not depend on
others, the old clips keep their numbers, and threshold, pruning and notes are made anew by the graph's own recipe.

Reference: Kovar, Gleicher, Pighin 2002, section 6: "distances between old frames needn't be recomputed".
"""

from collections.abc import Sequence

from walkon._base.errors import InvalidClip
from walkon.graphs.build import as_stored, graph_by
from walkon.graphs.candidates import Candidates, Progress
from walkon.graphs.motion_graph import MotionGraph
from walkon.graphs.recipe import Recipe
from walkon.motion.clip import Clip
from walkon.motion.library import Library

__all__ = ["add_clips"]


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
