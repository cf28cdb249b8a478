"""Walks on a graph: edges one after another, each starting where the one before stops, and what they look like.

A walk becomes segments of a take (Kovar 2002, section 4.1). With the body's pose q in the world at an edge's start,

    a piece       plays its clip, placed by q ∘ pose(start)⁻¹
    a transition  plays the clip B it goes to, from w before its stop, placed by (q ∘ displacement) ∘ pose_B(stop)⁻¹,
                  and fades in from the clip A it leaves, placed by q ∘ pose_A(start)⁻¹

so the alignment is accumulated in q alone. What follows a transition up to the next one is the same clip in the same
place: all of it is one segment. The take plants and locks the feet; contacts are A's in the first half of a blend and
B's in the second, labels are those of both.

Walks are whole numbers, rows of `graph.edges`. Metres, seconds, radians.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon._base.table import Column
from walkon.graphs.motion_graph import TRANSITION, MotionGraph
from walkon.motion.body import Body
from walkon.take.storing.writer import TakeWriter
from walkon.take.tables import NONE, Blends, Segments
from walkon.take.take import Take
from walkon.transforms import angles, planar

__all__ = [
    "Flat",
    "Walkable",
    "add_walks",
    "check_walks",
    "flat_poses",
    "poses_along",
    "sums_before",
    "walk_take",
    "walks_as_segments",
    "with_height",
]


class EdgeRows(Protocol):
    """Edges as far as walks on them go."""

    @property
    def start(self) -> Column:
        """[E] node."""

    @property
    def stop(self) -> Column:
        """[E] node."""

    @property
    def displacement(self) -> Column:
        """[E, 3] the pose at the stop as seen from the pose at the start."""

    def __len__(self) -> int: ...


class Walkable(Protocol):
    """A graph of any kind that can be walked on."""

    @property
    def edges(self) -> EdgeRows:
        """Its edges."""


class Flat(NamedTuple):
    """W walks of E edges in all, one after another."""

    edges: IntArray
    """[E]."""
    walk: IntArray
    """[E] which walk each edge belongs to."""
    first: IntArray
    """[W] where each walk begins."""


def check_walks(graph: Walkable, walks: Sequence[ArrayLike], *, nodes: Sequence[str] | None = None) -> Flat:
    """Return walks as one array; refuse what is no walk on this graph. `nodes` are names to speak of."""
    arrays = [np.atleast_1d(np.asarray(walk)) for walk in walks]
    counts = np.array([len(array) for array in arrays], np.int64)
    if not arrays or not counts.all():
        raise InvalidValue("a walk needs at least one edge, got none")
    flat = np.concatenate(arrays)
    if flat.dtype.kind not in "iu" or flat.ndim != 1:
        raise InvalidValue(f"a walk is a list of whole numbers, the edges, got {flat.dtype} {flat.shape}")
    if flat.min() < 0 or flat.max() >= len(graph.edges):
        wrong = flat[(flat < 0) | (flat >= len(graph.edges))][0]
        raise InvalidValue(f"edges are numbered 0 to {len(graph.edges) - 1}, but a walk has {wrong}")
    walk = np.repeat(np.arange(len(counts)), counts)
    apart = (graph.edges.start[flat[1:]] != graph.edges.stop[flat[:-1]]) & (walk[1:] == walk[:-1])
    if apart.any():
        at = int(np.flatnonzero(apart)[0])
        stop = int(graph.edges.stop[flat[at]])
        raise InvalidValue(
            f"edge {flat[at + 1]} does not start where edge {flat[at]} stops "
            f"({f'node {stop}' if nodes is None else nodes[stop]}), so they are no walk"
        )
    return Flat(flat.astype(np.int64), walk, np.cumsum(counts) - counts)


def poses_along(graph: Walkable, walks: Sequence[ArrayLike], *, poses: ArrayLike = planar.IDENTITY) -> Array:
    """Return [E, 3] the body's pose in the world at the start of every edge; `poses` [W, 3] or one are the first."""
    return flat_poses(graph, check_walks(graph, walks), poses)


def flat_poses(graph: Walkable, flat: Flat, poses: ArrayLike) -> Array:
    """Return what `poses_along` does, of walks that were checked."""
    begin = np.broadcast_to(np.asarray(poses, dtype=np.float64), (len(flat.first), 3))
    steps = graph.edges.displacement[flat.edges]
    heading = begin[flat.walk, 2] + sums_before(steps[:, 2:], flat)[:, 0]
    turns = np.stack([np.zeros(len(heading)), np.zeros(len(heading)), heading], axis=1)
    places = begin[flat.walk, :2] + sums_before(planar.apply(turns, steps[:, :2]), flat)
    return np.column_stack([places, angles.wrap(heading)])


def sums_before(values: Array, flat: Flat) -> Array:
    """Return [E, n] the sum of the values of all edges before each one in its own walk."""
    upto = np.cumsum(values, axis=0) - values
    return upto - upto[flat.first][flat.walk]


def walks_as_segments(
    graph: MotionGraph,
    walks: Sequence[ArrayLike],
    *,
    characters: ArrayLike = 0,
    starts: ArrayLike = 0.0,
    poses: ArrayLike = planar.IDENTITY,
    clip_rows: ArrayLike | None = None,
) -> tuple[Segments, Blends]:
    """Return the segments of W walks, and the blends that they refer to.

    Each walk is played by one of the `characters` from one of the `starts` (s) and `poses` (x, y, heading) on: [W], or
    one for all. `clip_rows` [clips] are the rows of the library's clips in the take; None where they are the same.
    """
    flat = check_walks(graph, walks)
    nodes, edges = graph.nodes, graph.edges.rows(flat.edges)
    rows = np.arange(len(graph.library)) if clip_rows is None else np.asarray(clip_rows)
    who = np.broadcast_to(np.asarray(characters), (len(flat.first),))
    begin = np.broadcast_to(np.asarray(starts, dtype=np.float64), (len(flat.first),))
    q = flat_poses(graph, flat, poses)
    time = begin[flat.walk] + sums_before(edges.duration[:, None], flat)[:, 0]

    across = edges.kind == TRANSITION
    heads = across.copy()
    heads[flat.first] = True
    head = np.flatnonzero(heads)
    # A segment stops where the next one of its walk starts; the last where its walk ends.
    last = np.append(head[1:], len(flat.edges)) - 1
    ends = np.append(flat.walk[1:] != flat.walk[:-1], True)
    stop = np.where(ends[last], time[last] + edges.duration[last], time[np.minimum(last + 1, len(time) - 1)])

    a, b = edges.start[head], edges.stop[head]
    left = planar.compose(q[head], planar.inverse(nodes.pose[a]))
    entered = planar.compose(planar.compose(q[head], edges.displacement[head]), planar.inverse(nodes.pose[b]))
    fades = across[head]
    segments = Segments.filled(
        len(head),
        character=who[flat.walk[head]],
        start=time[head],
        stop=stop,
        clip=rows[nodes.clip[np.where(fades, b, a)]],
        clip_start=np.where(fades, nodes.time[b] - edges.duration[head], nodes.time[a]),
        rate_start=1.0,
        rate_stop=1.0,
        place=with_height(np.where(fades[:, None], entered, left)),
        warp=NONE,
        blend=np.where(fades, np.cumsum(fades) - 1, NONE),
        track=NONE,
        edge=flat.edges[head],
        mark=NONE,
        reason=NONE,
    )
    faded = head[fades]
    blends = Blends.filled(
        len(faded),
        clip=rows[nodes.clip[edges.start[faded]]],
        clip_start=nodes.time[edges.start[faded]],
        rate_start=1.0,
        rate_stop=1.0,
        place=with_height(left[fades]),
        duration=edges.duration[faded],
    )
    return segments, blends


def with_height(poses: Array) -> Array:
    """Return planar poses [M, 3] as places of a take [M, 4], on the floor."""
    return np.column_stack([poses, np.zeros(len(poses))])


def add_walks(
    writer: TakeWriter,
    walks: Sequence[ArrayLike],
    *,
    graph: MotionGraph,
    characters: ArrayLike,
    starts: ArrayLike = 0.0,
    poses: ArrayLike = planar.IDENTITY,
) -> None:
    """Let characters of a take that is being written play W walks; clips that are not in it yet are added."""
    flat = check_walks(graph, walks)
    ends = np.concatenate([graph.edges.start[flat.edges], graph.edges.stop[flat.edges]])
    rows = np.full(len(graph.library), NONE)
    for clip in np.unique(graph.nodes.clip[ends]).tolist():
        rows[clip] = writer.add_clip(graph.clip(clip))
    segments, blends = walks_as_segments(
        graph, walks, characters=characters, starts=starts, poses=poses, clip_rows=rows
    )
    writer.add_segments(segments, blends=blends)


def walk_take(
    graph: MotionGraph,
    walks: Sequence[ArrayLike],
    *,
    starts: ArrayLike = 0.0,
    poses: ArrayLike = planar.IDENTITY,
    body: Body | None = None,
) -> Take:
    """Return a take of W characters, named by number, that play one walk each, feet planted."""
    writer = TakeWriter(fps=graph.library.fps, provenance={"graph": dict(graph.settings)})
    row = writer.add_body(body or Body.of(graph.library.skeleton))
    who = writer.add_characters([str(number) for number in range(len(walks))], body=row)
    add_walks(writer, walks, graph=graph, characters=who, starts=starts, poses=poses)
    return writer.close()
