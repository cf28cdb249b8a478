"""Motion for the page: a stretch of a clip, an edge, or two edges joined, as a take with one character; and all edges.

What the page previews is a take like any other, posed there by the viewer's own rule. What it drives a character with
is plain arrays (`edge_arrays`): concatenation needs no more.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.motion.body import Body
from walkon.motion.clip import Clip
from walkon.take.storing.rotations48 import pack
from walkon.take.storing.writer import TakeWriter
from walkon.take.take import Take
from walkon.transforms import planar
from walkon.viewer.designer.material import Material
from walkon.viewer.designer.quick_look import QuickLook

__all__ = ["clip_take", "edge_arrays", "edge_take"]

SHORTEST = 0.1
"""s that a stretch must last."""


def clip_take(material: Material, clip: int, *, begin: float = 0.0, end: float | None = None) -> Take:
    """Return a stretch of a clip; it begins at the origin, facing +x."""
    material.check_clip(clip)
    whole = material.library[clip]
    end = whole.duration if end is None else min(end, whole.duration)
    if not 0 <= begin <= end - SHORTEST:
        raise InvalidValue(
            f"a stretch of {whole.name!r} lasts {SHORTEST:g} s or more within 0 to {whole.duration:.2f} s, got "
            f"{begin:g} to {end:g} s"
        )
    return _take([(whole, begin, end - begin, planar.inverse(whole.planar_poses[whole.frame_at(begin)]))])


def edge_take(material: Material, look: QuickLook, edges: list[int], *, graph: SnapGraph | None) -> Take:
    """Return an edge, or two that follow each other; without a graph, the source's motion as it is."""
    E = len(look.first)
    for edge in edges:
        if not 0 <= edge < E:
            raise InvalidValue(f"edges are numbered 0 to {E - 1}, got {edge}" if E else "there are no edges yet")
    for one, other in pairwise(edges):
        if look.hub[look.last[one]] != look.hub[look.first[other]]:
            raise InvalidValue(f"edge {other} does not begin in the hub where edge {one} ends; choose one that does")
    parts: list[tuple[Clip, float, float, Array]] = []
    pose = np.zeros(3)
    for edge in edges:
        seconds = float(look.duration[edge])
        if graph is not None:
            parts.append((graph.clip(edge), 0.0, seconds, pose))
        else:
            row, library = int(look.first[edge]), material.library
            number, frame = int(look.clip[row]), int(look.frame[row])
            place = planar.compose(pose, planar.inverse(material.planar[int(library.starts[number]) + frame]))
            parts.append((library[number], frame / library.fps, seconds, place))
        pose = planar.compose(pose, look.displacement[edge])
    return _take(parts)


def _take(parts: Sequence[tuple[Clip, float, float, Array]]) -> Take:
    """Return what one character does who plays clips, from a time on, for some seconds, each in its place."""
    first, time = parts[0][0], 0.0
    writer = TakeWriter(fps=first.fps)
    who = writer.add_character("performer", body=writer.add_body(Body.of(first.skeleton)))
    for clip, begin, seconds, place in parts:
        writer.perform(who, clip, start=time, stop=time + seconds, clip_start=begin, place=place)
        time += seconds
    return writer.take


def edge_arrays(graph: SnapGraph) -> dict[str, NDArray[Any]]:
    """Return everything that driving a character needs, by name (see docs/designer.md)."""
    clips, edges = graph.clips, graph.edges
    return {
        "start": edges.start.astype("<i4"),
        "stop": edges.stop.astype("<i4"),
        "first": np.append(clips.starts, clips.stops[-1:]).astype("<i4"),
        "duration": edges.duration.astype("<f4"),
        "displacement": edges.planar_displacement.astype("<f4"),
        "core": graph.core.astype(np.uint8),
        "roots": clips.root_positions.astype("<f4"),
        "planar": graph.planar.astype("<f4"),
        "rotations": pack(clips.local_rotations).astype("<u2"),
    }
