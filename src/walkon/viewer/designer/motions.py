"""Motion for the page: a stretch of a clip, an edge, or two edges joined, as a take with one character; and all edges.

What the page previews is a packed take like any other, posed there by the viewer's own rule. What it drives a character
with is plain arrays (`edge_arrays`): concatenation needs no more.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
from walkon.viewer.packing import pack_take

__all__ = ["Motion", "clip_motion", "edge_arrays", "edge_motion"]

SHORTEST = 0.1
"""s that a stretch must last."""


class Motion(NamedTuple):
    """Something to look at."""

    packed: bytes
    """A packed take."""
    seconds: float
    seam: float | None
    """When the second of two edges begins."""
    exact: bool
    """Whether it is the graph's own motion, or only the source's."""


class _Part(NamedTuple):
    clip: Clip
    begin: float
    """s in the clip."""
    seconds: float
    place: ArrayLike
    """Where the clip's own world lies."""


def clip_motion(material: Material, clip: int, *, begin: float = 0.0, end: float | None = None) -> Motion:
    """Return a stretch of a clip; it begins at the origin, facing +x."""
    if not 0 <= clip < len(material.library):
        raise InvalidValue(f"clips are numbered 0 to {len(material.library) - 1}, got {clip}")
    whole = material.library[clip]
    end = whole.duration if end is None else min(end, whole.duration)
    if not 0 <= begin <= end - SHORTEST:
        raise InvalidValue(
            f"a stretch of {whole.name!r} lasts {SHORTEST:g} s or more within 0 to {whole.duration:.2f} s, got "
            f"{begin:g} to {end:g} s"
        )
    part = _Part(whole, begin, end - begin, planar.inverse(whole.planar_poses[whole.frame_at(begin)]))
    return Motion(pack_take(_take([part])), end - begin, None, exact=True)


def edge_motion(material: Material, look: QuickLook, edges: list[int], *, graph: SnapGraph | None) -> Motion:
    """Return an edge, or two that follow each other; without a graph, the source's motion as it is."""
    E = len(look.first)
    for edge in edges:
        if not 0 <= edge < E:
            raise InvalidValue(f"edges are numbered 0 to {E - 1}, got {edge}" if E else "there are no edges yet")
    for one, other in pairwise(edges):
        if look.hub[look.last[one]] != look.hub[look.first[other]]:
            raise InvalidValue(f"edge {other} does not begin in the hub where edge {one} ends; choose one that does")
    parts, pose = [], np.zeros(3)
    for edge in edges:
        seconds = float(look.duration[edge])
        if graph is not None:
            parts.append(_Part(graph.clip(edge), 0.0, seconds, pose))
            pose = planar.compose(pose, graph.edges.displacement[edge])
        else:
            row = int(look.first[edge])
            library, number, frame = material.library, int(look.clip[row]), int(look.frame[row])
            start = material.planar[int(library.starts[number]) + frame]
            place = planar.compose(pose, planar.inverse(start))
            parts.append(_Part(library[number], frame / library.fps, seconds, place))
            pose = planar.compose(pose, look.displacement[edge])
    total = sum(part.seconds for part in parts)
    seam = parts[0].seconds if len(parts) > 1 else None
    return Motion(pack_take(_take(parts)), total, seam, exact=graph is not None)


def _take(parts: list[_Part]) -> Take:
    clip, time = parts[0].clip, 0.0
    writer = TakeWriter(fps=clip.fps)
    who = writer.add_character("performer", body=writer.add_body(Body.of(clip.skeleton)))
    for part in parts:
        stop = time + part.seconds
        writer.perform(who, part.clip, start=time, stop=stop, clip_start=part.begin, place=part.place)
        time = stop
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
