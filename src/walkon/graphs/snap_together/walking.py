"""Walks on a snap-together graph: edges one after another, as segments of a take. Playing is concatenation.

With the pose q of the hub in the world at an edge's start, the edge's clip is placed by q itself, and the next one by
q ∘ displacement. Nothing is blended and nothing fades: every edge is a segment of its own, from the clip's first frame
to its last, and its number is in `Segments.edge`.

Walks are whole numbers, rows of `graph.edges`. Metres, seconds, radians.

Reference: Gleicher, Shin, Kovar, Jepsen 2003, section 4.3: place, play, update the transform.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.graphs.walks import Flat, check_walks, flat_poses, poses_along, sums_before, with_height
from walkon.motion.body import Body
from walkon.take.storing.writer import TakeWriter
from walkon.take.tables import NONE, Segments
from walkon.take.take import Take
from walkon.transforms import planar

__all__ = [
    "add_snap_segments",
    "add_snap_walks",
    "check_snap_walks",
    "edge_segments",
    "poses_along",
    "snap_walk_take",
    "snap_walks_as_segments",
]


def check_snap_walks(graph: SnapGraph, walks: Sequence[ArrayLike]) -> Flat:
    """Return walks as one array; refuse what is no walk on this graph, in the names of its hubs."""
    return check_walks(graph, walks, nodes=graph.hub_names)


def edge_segments(graph: SnapGraph, edges: IntArray, *, characters: ArrayLike, starts: Array, poses: Array) -> Segments:
    """Return segments [n] of edges [n] from seconds [n] on, at hub poses [n, 3]; their clips are the edges' numbers."""
    return Segments.filled(
        len(edges),
        character=characters,
        start=starts,
        stop=starts + graph.edges.duration[edges],
        clip=edges,
        rate_start=1.0,
        rate_stop=1.0,
        place=with_height(poses),
        warp=NONE,
        blend=NONE,
        track=NONE,
        edge=edges,
        mark=NONE,
        reason=NONE,
    )


def snap_walks_as_segments(
    graph: SnapGraph,
    walks: Sequence[ArrayLike],
    *,
    characters: ArrayLike = 0,
    starts: ArrayLike = 0.0,
    poses: ArrayLike = planar.IDENTITY,
) -> Segments:
    """Return the segments of W walks, whose clips are rows of `graph.clips` (see `add_snap_segments`).

    Each walk is played by one of the `characters` from one of the `starts` (s) and hub `poses` (x, y, heading) on: [W],
    or one for all.
    """
    flat = check_snap_walks(graph, walks)
    who = np.broadcast_to(np.asarray(characters), (len(flat.first),))[flat.walk]
    begin = np.broadcast_to(np.asarray(starts, dtype=np.float64), (len(flat.first),))[flat.walk]
    time = begin + sums_before(graph.edges.duration[flat.edges][:, None], flat)[:, 0]
    return edge_segments(graph, flat.edges, characters=who, starts=time, poses=flat_poses(graph, flat, poses))


def add_snap_segments(writer: TakeWriter, segments: Segments, *, graph: SnapGraph) -> None:
    """Add segments whose clips are edges of a graph to a take that is being written; clips it lacks are added."""
    rows = np.full(len(graph.clips), NONE)
    for edge in np.unique(segments.clip).tolist():
        rows[edge] = writer.add_clip(graph.clip(edge))
    writer.add_segments(segments.with_columns(clip=rows[segments.clip]))


def add_snap_walks(
    writer: TakeWriter,
    walks: Sequence[ArrayLike],
    *,
    graph: SnapGraph,
    characters: ArrayLike,
    starts: ArrayLike = 0.0,
    poses: ArrayLike = planar.IDENTITY,
) -> None:
    """Let characters of a take that is being written play W walks; clips that are not in it yet are added."""
    segments = snap_walks_as_segments(graph, walks, characters=characters, starts=starts, poses=poses)
    add_snap_segments(writer, segments, graph=graph)


def snap_walk_take(
    graph: SnapGraph,
    walks: Sequence[ArrayLike],
    *,
    starts: ArrayLike = 0.0,
    poses: ArrayLike = planar.IDENTITY,
    body: Body | None = None,
) -> Take:
    """Return a take of W characters, named by number, that play one walk each, feet planted."""
    writer = TakeWriter(fps=graph.clips.fps, provenance={"graph": dict(graph.settings)})
    row = writer.add_body(body or Body.of(graph.source.skeleton))
    who = writer.add_characters([str(number) for number in range(len(walks))], body=row)
    add_snap_walks(writer, walks, graph=graph, characters=who, starts=starts, poses=poses)
    return writer.close()
