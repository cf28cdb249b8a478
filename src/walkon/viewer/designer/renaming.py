"""Other names for the hubs of a graph that is built: in its edges and notes as well, without building it again."""

import re
from dataclasses import replace

from walkon.graphs.snap_together.snap_graph import SnapGraph

__all__ = ["renamed"]


def renamed(graph: SnapGraph, names: tuple[str, ...]) -> SnapGraph:
    """Return a graph whose hubs have these names."""
    old = graph.hub_names
    clips = []
    for edge, (name, start, stop) in enumerate(
        zip(graph.clips.names, graph.edges.start, graph.edges.stop, strict=True)
    ):
        before, after = f"{edge}:{old[start]}>{old[stop]}:", f"{edge}:{names[start]}>{names[stop]}:"
        clips.append(after + name[len(before) :] if name.startswith(before) else name)
    by_old = dict(zip(old, names, strict=True))
    longest_first = sorted(map(re.escape, old), key=len, reverse=True)
    words = re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)")
    notes = tuple(words.sub(lambda found: by_old[found[0]], note) for note in graph.notes)
    return replace(graph, hub_names=names, clips=replace(graph.clips, names=tuple(clips)), notes=notes)
