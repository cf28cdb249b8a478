"""A motion graph: nodes are moments of clips, edges are motion between them, and any walk along edges is a motion.

There are two kinds of edges. A *piece* is a clip's own motion from one node to the next one in the same clip. A
*transition* from node (A, t) to node (B, u) lasts w seconds, in which A's motion from t to t + w fades into B's motion
from u − w to u, laid onto A's by the turn and slide that fit best. At a node one clip alone is played, whichever way it
was reached, so edges join without a seam:

    pose q of the body at the start of an edge  →  q ∘ displacement at its stop

with planar poses q (x, y, heading) in the world. That is all that planning needs; bodies come in with `walks`.

Metres, seconds, radians. A graph is made by `build_graph` and holds its library, so that it can be used alone.

Reference: Kovar, Gleicher, Pighin 2002, "Motion Graphs", sections 3 and 4.1.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue, UnknownName
from walkon._base.table import Column, Table, column
from walkon.graphs.components import lasting
from walkon.graphs.edges import Edges
from walkon.graphs.minima import Minima
from walkon.motion.clip import Clip
from walkon.motion.library import Library
from walkon.transforms import angles

__all__ = [
    "DEAD_END",
    "PIECE",
    "SINK",
    "TRANSITION",
    "UNLIKE",
    "UNREACHED",
    "Cuts",
    "MotionEdges",
    "MotionGraph",
    "Nodes",
    "check_ranges",
    "label_bits",
]

PIECE, TRANSITION = 0, 1
"""Kinds of edges."""
DEAD_END, SINK, UNREACHED, UNLIKE = 0, 1, 2, 3
"""Why motion was cut: it comes to an end; it is a loop with no way back to the rest; nothing leads there; or it could
only go on as another kind of motion than was asked for."""
MAX_LABELS = 63
"""Labels are bits of one number."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Nodes(Table):
    """Moments of clips, sorted by clip and time."""

    clip: Column = column("int32")
    """Number of the clip in the library."""
    time: Column = column("float64")
    """Seconds in the clip."""
    pose: Column = column("float64", 3)
    """Planar pose of the body at that moment, in the clip's own world."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MotionEdges(Edges):
    """Motion from node to node, sorted by start, then kind (the piece first), then stop.

    A transition has the labels of either clip, and in common those of both.
    """

    kind: Column = column("int8")
    """PIECE or TRANSITION."""
    distance: Column = column("float32")
    """Metres between the windows that a transition blends; 0 for pieces."""
    seam: Column = column("float32")
    """m/s by which a blend changes its worst joint's velocity more than both clips do (see `seams`); 0 for pieces."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Cuts(Table):
    """Stretches of clips that are not in the graph, with the reason."""

    clip: Column = column("int32")
    start: Column = column("float64")
    """Seconds in the clip."""
    stop: Column = column("float64")
    reason: Column = column("int8")
    """DEAD_END, SINK, UNREACHED or UNLIKE."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MotionGraph:
    """N nodes and E edges over a library. Every node has an edge that goes on: motion never comes to an end."""

    library: Library
    nodes: Nodes
    edges: MotionEdges
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What it was built with: rate (frames/s compared), window (s), threshold (m) and how it was chosen, labels …"""
    notes: tuple[str, ...] = ()
    """What a user should know: what was left out, what is cut off from what, and what to do about it."""
    cuts: Cuts = field(default_factory=Cuts)
    candidates: Minima = field(default_factory=Minima)
    """All minima of the frame distance under `known` metres, in compared frames: growing the graph needs them."""
    known: float = 0.0
    """Metres; infinite where all minima are among the candidates."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))
        object.__setattr__(self, "notes", tuple(self.notes))
        nodes, edges = self.nodes, self.edges
        if len(self.library.label_names) > MAX_LABELS:
            raise InvalidValue(
                f"a graph holds up to {MAX_LABELS} labels, the library has {len(self.library.label_names)}; drop some"
            )
        check_ranges(nodes, clip=len(self.library))
        check_ranges(edges, start=len(nodes), stop=len(nodes), kind=2)
        last = (self.library.stops - self.library.starts - 1)[nodes.clip] / self.library.fps
        outside = (nodes.time < 0) | (nodes.time > last + 1e-6)
        if outside.any():
            row = int(outside.argmax())
            raise InvalidValue(f"node {row} is at {nodes.time[row]:g} s of a clip that runs from 0 to {last[row]:g} s")
        if (np.diff(edges.start) < 0).any():
            raise InvalidValue("edges must be sorted by their start")
        if len(edges) and not edges.duration.min() > 0:
            raise InvalidValue(f"edges must last some time, got {edges.duration.min():g} s")

    def __repr__(self) -> str:
        transitions = int(np.count_nonzero(self.edges.kind == TRANSITION))
        return (
            f"MotionGraph({len(self.nodes)} nodes, {len(self.edges)} edges of which {transitions} transitions, "
            f"{self.seconds:.1f} of {self.library.duration:.1f} s of {len(self.library)} clips)"
        )

    @property
    def seconds(self) -> float:
        """Seconds of captured motion in the graph: its pieces."""
        return float(self.edges.duration[self.edges.kind == PIECE].sum())

    @cached_property
    def out_first(self) -> IntArray:
        """[N + 1] the edges that start at node n are rows out_first[n] to out_first[n + 1] − 1."""
        first = np.searchsorted(self.edges.start, np.arange(len(self.nodes) + 1))
        first.flags.writeable = False
        return first

    @property
    def out_degree(self) -> IntArray:
        """[N] how many edges start at each node; two or more are a choice."""
        return np.diff(self.out_first)

    @cached_property
    def clip_first(self) -> IntArray:
        """[clips + 1] the nodes of clip c are rows clip_first[c] to clip_first[c + 1] − 1."""
        first = np.searchsorted(self.nodes.clip, np.arange(len(self.library) + 1))
        first.flags.writeable = False
        return first

    def nodes_of_clip(self, clip: str | int) -> IntArray:
        """Return the nodes of one clip (name or number), in time."""
        if isinstance(clip, str):
            UnknownName.check("clip", clip, self.library.names)
            clip = self.library.names.index(clip)
        return np.arange(self.clip_first[clip], self.clip_first[clip + 1])

    def clip(self, number: int) -> Clip:
        """Return a clip of the library by number; the same object every time, so that a take holds it once."""
        return self._clips(number)

    @cached_property
    def _clips(self) -> Callable[[int], Clip]:
        return cache(self.library.__getitem__)

    def out_edges(self, node: int) -> IntArray:
        """Return the edges that start at a node."""
        return np.arange(self.out_first[node], self.out_first[node + 1])

    def edges_with(self, labels: str | Iterable[str]) -> BoolArray:
        """Say which edges [E] have all of these labels in every frame; `UnknownName` where a label exists nowhere."""
        bits = label_bits(self.library, labels)
        return np.asarray((self.edges.common & bits) == bits)

    def lasting_edges(self, labels: str | Iterable[str] = ()) -> BoolArray:
        """Say which edges [E] with the labels lead to a cycle of such edges: motion that keeps them has no dead end."""
        return self._lasting((labels,) if isinstance(labels, str) else tuple(labels))

    @cached_property
    def _lasting(self) -> Callable[[tuple[str, ...]], BoolArray]:
        return cache(self._find_lasting)

    def _find_lasting(self, labels: tuple[str, ...]) -> BoolArray:
        found = self.edges_with(labels)
        found[found] = lasting(len(self.nodes), self.edges.start[found], self.edges.stop[found])
        found.flags.writeable = False
        return found

    @cached_property
    def planar_poses(self) -> Array:
        """[F, 3] planar poses of all frames of the library, each in its clip's own world."""
        from walkon.motion.kinematics import forward, planar_poses

        library = self.library
        poses = planar_poses(
            library.skeleton, forward(library.skeleton, library.root_positions, library.local_rotations)
        )
        poses.flags.writeable = False
        return poses

    def poses_at(self, clip: ArrayLike, time: ArrayLike) -> Array:
        """Return planar poses [..., 3] of clips (numbers) at times in seconds, between frames evenly.

        Times outside a clip give its first or last pose.
        """
        clip, time = np.broadcast_arrays(np.asarray(clip), np.asarray(time, dtype=np.float64))
        count = (self.library.stops - self.library.starts)[clip]
        at = np.clip(time * self.library.fps, 0.0, count - 1.0)
        before = np.minimum(np.floor(at + 1e-9).astype(np.int64), count - 1)
        part = np.clip(at - before, 0.0, 1.0)[..., None]
        first = self.library.starts[clip] + before
        a = self.planar_poses[first]
        b = self.planar_poses[np.minimum(first + 1, self.library.stops[clip] - 1)]
        change = b - a
        change[..., 2] = angles.wrap(change[..., 2])
        mixed = a + part * change
        mixed[..., 2] = angles.wrap(mixed[..., 2])
        return mixed


def label_bits(library: Library, labels: str | Iterable[str]) -> int:
    """Return the bits of one label or several; `UnknownName` where a label exists nowhere."""
    bits = 0
    for label in (labels,) if isinstance(labels, str) else labels:
        UnknownName.check("label", label, library.label_names)
        bits |= 1 << library.label_names.index(label)
    return bits


def check_ranges(table: object, **counts: int) -> None:
    """Refuse a table in which one of these columns has something else than numbers from 0 up to its count."""
    for name, count in counts.items():
        values = getattr(table, name)
        if len(values) and not (values.min() >= 0 and values.max() < count):
            column = f"{type(table).__name__}.{name}"
            raise InvalidValue(f"{column} must be from 0 to {count - 1}, got {values.min()} to {values.max()}")
