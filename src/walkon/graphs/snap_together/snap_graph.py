"""A snap-together graph: a few poses, the hubs, and clips that begin and end in them, ready to be played one by one.

Every edge is a clip of its own whose first frame is exactly its start hub's common pose and whose last frame is its
stop hub's, with one velocity per hub. So any edge that comes in can be followed by any edge that goes out, by a cut:

    pose q of the hub in the world at the start of an edge  →  q ∘ displacement at its stop

An edge's own world is its start hub's frame (the planar pose of the common pose is the origin), so it is placed by q
itself. That, durations and the planar path with its footprints are all that planning needs.

Metres, seconds, radians. A graph is made by `build_snap_graph` and holds the library it was cut from, so that it can
be used, looked into and designed anew alone.

Reference: Gleicher, Shin, Kovar, Jepsen 2003, "Snap-Together Motion: Assembling Run-Time Animations", section 4.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray, lock
from walkon._base.errors import InvalidValue, UnknownName
from walkon._base.table import Column, Table, column
from walkon.graphs.components import components_of
from walkon.graphs.edges import Edges
from walkon.graphs.motion_graph import check_ranges, label_bits
from walkon.graphs.snap_together.hub_states import HubState, HubStates, hub_states
from walkon.motion.body import Body
from walkon.motion.clip import Clip
from walkon.motion.footprint import footprint_radius
from walkon.motion.library import Library

if TYPE_CHECKING:
    from walkon.graphs.snap_together.edge_tracks import EdgeTracks
    from walkon.graphs.snap_together.lifts import Lifts

__all__ = ["BOTH", "LEFT", "NEITHER", "RIGHT", "Hubs", "Matches", "SnapEdges", "SnapGraph"]

LEFT, RIGHT, BOTH, NEITHER = 0, 1, 2, 3
"""Which foot a hub's pose stands on."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Hubs(Table):
    """The nodes."""

    stance: Column = column("int8")
    """LEFT, RIGHT, BOTH or NEITHER: the feet that most match frames have on the ground."""
    speed: Column = column("float32")
    """m/s along the floor with which motion passes through."""
    labels: Column = column("int64")
    """Labels that most of its match frames have: bit b is `source.label_names[b]`."""
    base: Column = column("int32")
    """Row of `Matches`: the most central match frame, which fixes the frame of reference (equation 5)."""
    threshold: Column = column("float32")
    """Metres under which its match frames lie from the frame that they were grown from."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Matches(Table):
    """Match frames: moments of the source that are like a hub. Sorted by hub, then clip, then frame."""

    hub: Column = column("int32")
    clip: Column = column("int32")
    """Number of the clip in the source library."""
    frame: Column = column("int32")
    """Frame of that clip, at the library's rate."""
    distance: Column = column("float32")
    """Metres from the frame that the set was grown from, or from the most central one where it was picked by hand."""
    pose: Column = column("float64", 3)
    """Where the hub's frame lies in the clip's own world: T_k⁻¹ of section 4.2.1."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SnapEdges(Edges):
    """Clips from hub to hub, sorted by start, then stop. Edge e is clip e of `SnapGraph.clips`.

    An edge with "carry" in common can be used with a box in hand.
    """

    first_match: Column = column("int32")
    last_match: Column = column("int32")
    """Rows of `Matches`: the two ends in the source."""
    turn: Column = column("float32")
    """rad by which the body turns along the way, to the left: not wrapped, so that 183 degrees to the right are."""
    path: Column = column("float32")
    """Metres that the root travels along the floor."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SnapGraph:
    """H hubs, E edges with K frames in all, M match frames; J joints, C contact points."""

    source: Library
    """What it was cut from."""
    hub_names: tuple[str, ...]
    """[H] such as "walk_left_1.2"."""
    hubs: Hubs
    matches: Matches
    edges: SnapEdges
    clips: Library
    """[E] the edges' motion, each in its start hub's frame."""
    roots: Array
    """[H, 3] root of each common pose in its hub's frame: (0, 0, height)."""
    rotations: Array
    """[H, J, 4] local rotations of the common poses; the hips face +x."""
    root_velocities: Array
    """[H, 3] m/s."""
    angular_velocities: Array
    """[H, J, 3] rad/s of each joint, in its own frame."""
    contacts: BoolArray
    """[H, C] which contact points bear: those of most match frames."""
    displacements: Array
    """[M, J] radians by which each joint of a match frame turns into the common pose (the root: after alignment)."""
    planar: Array
    """[K, 3] planar pose of every frame of every edge, in its start hub's frame."""
    footprints: Array
    """[K, 3, 3] up to three discs a frame: (x, y) in the body's planar frame, radius; −1000 where there is none."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    """What a user should know: dead ends, hubs that hold little, and what to do about it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))
        object.__setattr__(self, "notes", tuple(self.notes))
        object.__setattr__(self, "hub_names", tuple(self.hub_names))
        H, E, M, K = len(self.hubs), len(self.edges), len(self.matches), len(self.clips.root_positions)
        J, C = len(self.source.skeleton), len(self.source.skeleton.contact_names)
        if len(self.hub_names) != H or len(set(self.hub_names)) != H:
            raise InvalidValue(f"a graph of {H} hubs needs as many different names, got {list(self.hub_names)}")
        if len(self.clips) != E:
            raise InvalidValue(f"a graph of {E} edges needs as many clips, got {len(self.clips)}")
        shapes = {
            "roots": (H, 3),
            "rotations": (H, J, 4),
            "root_velocities": (H, 3),
            "angular_velocities": (H, J, 3),
            "displacements": (M, J),
            "planar": (K, 3),
            "footprints": (K, 3, 3),
        }
        for name, shape in shapes.items():
            lock(self, name, shape)
        lock(self, "contacts", (H, C), np.bool_)
        check_ranges(self.hubs, base=M)
        check_ranges(self.matches, hub=H, clip=len(self.source))
        check_ranges(self.edges, start=H, stop=H, first_match=M, last_match=M)
        if (np.diff(self.edges.start) < 0).any():
            raise InvalidValue("edges must be sorted by their start")

    def __repr__(self) -> str:
        return (
            f"SnapGraph({len(self.hubs)} hubs, {len(self.edges)} edges, {self.clips.duration:.1f} s, "
            f"from {len(self.source)} clips: {', '.join(self.hub_names)})"
        )

    def hub(self, name: str | int) -> int:
        """Return the number of a hub given by name or number."""
        if isinstance(name, str):
            UnknownName.check("hub", name, self.hub_names)
            return self.hub_names.index(name)
        return range(len(self.hub_names))[name]

    @cached_property
    def out_first(self) -> IntArray:
        """[H + 1] the edges that leave hub h are rows out_first[h] to out_first[h + 1] − 1."""
        first = np.searchsorted(self.edges.start, np.arange(len(self.hubs) + 1))
        first.flags.writeable = False
        return first

    def out_edges(self, hub: str | int) -> IntArray:
        """Return the edges that leave a hub."""
        number = self.hub(hub)
        return np.arange(self.out_first[number], self.out_first[number + 1])

    def between(self, start: str | int, stop: str | int) -> IntArray:
        """Return the edges from one hub to another: what can replace each other in a plan."""
        out = self.out_edges(start)
        return out[self.edges.stop[out] == self.hub(stop)]

    @cached_property
    def counts(self) -> IntArray:
        """[H, H] how many edges lead from each hub to each."""
        counts = np.zeros((len(self.hubs), len(self.hubs)), np.int64)
        np.add.at(counts, (self.edges.start, self.edges.stop), 1)
        counts.flags.writeable = False
        return counts

    @cached_property
    def core(self) -> BoolArray:
        """[H] which hubs are in the largest strongly connected part; the others are dead ends, or never reached."""
        found = components_of(len(self.hubs), self.edges.start, self.edges.stop, self.edges.duration)
        return np.asarray(found.of_node == found.largest)

    @cached_property
    def states(self) -> HubStates:
        """The states of all hubs."""
        return hub_states(self.hubs.labels, self.hubs.speed, self.source.label_names)

    def state_of(self, hub: str | int) -> HubState:
        """Return the behaviour state of a body at a hub: seated, carrying, walking, resting."""
        row = self.hub(hub)
        return HubState(**{name: bool(values[row]) for name, values in self.states.columns.items()})

    @cached_property
    def lifts(self) -> "Lifts":
        """Edges that pick up and put down; read from the graph's file where it has one."""
        from walkon.graphs.snap_together.lifts import lifts_of

        return lifts_of(self)

    @cached_property
    def tracks(self) -> "EdgeTracks":
        """What planning reads of the edges; read from the graph's file where it has one."""
        from walkon.graphs.snap_together.edge_tracks import tracks_of

        return tracks_of(self, self.lifts)

    @cached_property
    def radius(self) -> float:
        """m: the radius of the disc around a standing body of the library's own size (`motion.footprint`)."""
        return footprint_radius(Body.of(self.source.skeleton))

    @cached_property
    def speed_range(self) -> tuple[float, float]:
        """m/s of the slowest and the fastest edge that walks from hub to hub; (0, ∞) where none does."""
        walks = self.states.walking[self.edges.start] & self.states.walking[self.edges.stop]
        speeds = self.edges.path[walks] / self.edges.duration[walks]
        return (float(speeds.min()), float(speeds.max())) if len(speeds) else (0.0, np.inf)

    def edges_with(self, labels: str | Iterable[str]) -> BoolArray:
        """Say which edges [E] have all of these labels in every frame; `UnknownName` where a label exists nowhere."""
        bits = label_bits(self.source, labels)
        return np.asarray((self.edges.common & bits) == bits)

    def clip(self, edge: int) -> Clip:
        """Return an edge's clip; the same object every time, so that a take holds it once."""
        return self._clips(edge)

    @cached_property
    def _clips(self) -> Callable[[int], Clip]:
        return cache(self.clips.__getitem__)

    @property
    def match_times(self) -> Array:
        """[M] seconds of the match frames in their clips."""
        return np.asarray(self.matches.frame / self.source.fps)
