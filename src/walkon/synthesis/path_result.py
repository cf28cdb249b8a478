"""What following a path gives: the walk, its cross-track error and where, and what to know about it.

What curves the clips can walk is counted in metres of motion by curvature. A path of curvature κ is sustained where the
clips hold at least 3 m of motion whose own path is curved within 30 % of κ, to the same side; nearly straight stretches
(|κ| under 0.67 /m, radius over 1.5 m) ask for 0.2 /m around κ. Both are measured over half a metre on either side,
about a stride: over less, the sway of the hips looks like bends. A small radius alone says nothing: turning on the spot
has the smallest of all, and no path can be walked with it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, lock
from walkon.geometry.path import Path, arc_lengths
from walkon.graphs.motion_graph import PIECE, TRANSITION, MotionGraph
from walkon.graphs.walk import Walk
from walkon.graphs.walk_segments import walk_clip, walk_take
from walkon.motion.body import Body
from walkon.motion.clip import Clip
from walkon.motion.contacts.runs import find_runs
from walkon.synthesis.planar_steps import smooth_roots, walk_track
from walkon.take.take import Take

__all__ = ["PathResult", "Switch", "clip_curvatures", "sustained"]

WARN_OFF_PATH_M = 0.25
"""m off the path from which on a stretch is worth a warning."""
CURVATURE_STEP_M = 0.05
"""m between the samples of clips and paths."""
CURVATURE_SPAN_M = 0.5
"""m on either side over which curvature is measured."""
MIN_SUSTAINING_M = 3.0
"""m of motion at a curvature that sustain a path of it."""
CURVATURE_TOLERANCE_SHARE = 0.3
MIN_CURVATURE_TOLERANCE_PER_M = 0.2
"""1/m."""


@dataclass(frozen=True, kw_only=True)
class Switch:
    """Where the motion changed from one part's labels to the next one's."""

    border: float
    """m along the path where it should."""
    along: float
    """m along the path where the transition was half over; infinite where it never came."""
    time: float
    """s from the walk's start."""

    @property
    def distance(self) -> float:
        """Metres between the two."""
        return abs(self.along - self.border)


@dataclass(frozen=True, eq=False, kw_only=True)
class PathResult:
    """A walk along a path."""

    graph: MotionGraph
    path: Path
    walk: Walk
    error: float
    """m² s: what the search minimised, transitions included."""
    weighed: int
    """Steps that the search looked at."""
    used: BoolArray
    """[edges of the graph] those that it was allowed to walk on."""
    borders: tuple[float, ...] = ()
    """m along the path where one part ends and the next begins."""
    switch_times: tuple[float, ...] = ()
    """s at which the motion changed over; NaN where it did not."""
    switch_within: float = 1.0
    """m of a border within which it should."""

    def __post_init__(self) -> None:
        lock(self, "used", (len(self.graph.edges),), np.bool_)

    def __repr__(self) -> str:
        return (
            f"PathResult({self.path.length:.1f} m in {self.duration:.1f} s, off by {self.mean:.3f} m on the mean and "
            f"{self.worst:.3f} at worst, {self.transitions_per_second:.2f} transitions/s, "
            f"{len(self.warnings)} warnings)"
        )

    @property
    def duration(self) -> float:
        """Seconds of motion."""
        return float(self.graph.edges.duration[self.walk.edge].sum())

    @property
    def transitions_per_second(self) -> float:
        """How often the walk goes over from one moment of the clips to another."""
        return int(np.count_nonzero(self.graph.edges.kind[self.walk.edge] == TRANSITION)) / self.duration

    @cached_property
    def times(self) -> Array:
        """[T] s: the frames of the walk at the library's rate."""
        return np.arange(int(self.duration * self.graph.library.fps + 1e-6) + 1) / self.graph.library.fps

    @cached_property
    def track(self) -> Array:
        """[T, 2] m: the root's own place over the floor, sway of the hips and all, frame by frame."""
        return walk_track(self.graph, self.walk, times=self.times)

    @cached_property
    def _progress(self) -> tuple[Array, Array]:
        return self.path.progress(self.track)

    @property
    def along(self) -> Array:
        """[T] m along the path of the nearest point, never going back."""
        return self._progress[0]

    @property
    def off(self) -> Array:
        """[T] m to that point."""
        return self._progress[1]

    @property
    def mean(self) -> float:
        """Metres off the path, mean over all frames."""
        return float(self.off.mean())

    @property
    def worst(self) -> float:
        """Metres off the path in the worst frame."""
        return float(self.off.max())

    @cached_property
    def switches(self) -> tuple[Switch, ...]:
        """Where the motion changed from part to part."""
        found = []
        for border, time in zip(self.borders, self.switch_times, strict=True):
            along = float(np.interp(time, self.times, self.along)) if np.isfinite(time) else float("inf")
            found.append(Switch(border=border, along=along, time=time))
        return tuple(found)

    @cached_property
    def _bends(self) -> tuple[Array, BoolArray]:
        s = np.arange(0.0, self.path.length, 0.05)
        return s, sustained(clip_curvatures(self.graph, self.used), self.path, at=s)

    @property
    def sustained(self) -> float:
        """The share of the path whose curvature the clips sustain (see the top of this page)."""
        return float(self._bends[1].mean())

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What a user should know, a sentence each: where the walk is far off and why, and late changes of motion."""
        return (*self._end_warnings(), *self._bend_warnings(), *self._switch_warnings())

    @property
    def missing(self) -> float:
        """Metres of the path that are left where the walk ends: being near the path is not getting along it."""
        return max(self.path.length - float(self.along[-1]), 0.0)

    def _end_warnings(self) -> Iterator[str]:
        if self.missing > WARN_OFF_PATH_M:
            pace = float(self.along[-1]) / max(self.duration, 1e-9)
            yield (
                f"the walk ends {self.missing:.1f} m before the path does: this motion gets along it at {pace:.2f} m/s"
                "; ask for labels of motion that travels"
            )

    def _bend_warnings(self) -> Iterator[str]:
        s, good = self._bends
        for a, b in zip(*find_runs(self.off > WARN_OFF_PATH_M), strict=True):
            low, high = float(self.along[a]), float(self.along[b - 1])
            tight = (s >= low - 1.0) & (s <= high + 0.5) & ~good
            text = f"between {low:.1f} and {high:.1f} m the walk is up to {self.off[a:b].max():.2f} m off the path"
            if tight.any():
                k = self.path.curvature(s[tight])
                most = float(k[np.argmax(np.abs(k))])
                side = "left" if most > 0 else "right"
                text += (
                    f": it turns {side} with a radius of {1 / max(abs(most), 1e-6):.2f} m there, which the clips do not"
                    " sustain; widen the turn or add clips that walk it"
                )
            yield text

    def _switch_warnings(self) -> Iterator[str]:
        for number, switch in enumerate(self.switches):
            if not np.isfinite(switch.along):
                yield (
                    f"the walk never changes to part {number + 2}, which begins at {switch.border:.1f} m; "
                    "give that part more room or a graph with more transitions to its motion"
                )
            elif switch.distance > self.switch_within + 1e-9:
                yield (
                    f"the change to part {number + 2} is at {switch.along:.1f} m, {switch.distance:.1f} m from where "
                    f"it should be ({switch.border:.1f} m): the graph has no transition nearer by"
                )

    def take(self, *, body: Body | None = None) -> Take:
        """Return a take of one character that walks this way, feet planted."""
        return walk_take(self.graph, self.walk, body=body)

    def clip(self, *, name: str = "path") -> Clip:
        """Return the motion as one clip at the library's rate, feet locked."""
        return walk_clip(self.graph, self.walk, name=name)


def clip_curvatures(graph: MotionGraph, edges: BoolArray) -> Array:
    """Return [M] 1/m, sorted: the curvature of roots' smoothed paths every 5 cm, in the pieces among `edges` [E]."""
    e, n, library = graph.edges, graph.nodes, graph.library
    roots = smooth_roots(library)
    rows = np.flatnonzero(edges & (e.kind == PIECE))
    first = library.starts[n.clip[e.start[rows]]]
    frame = np.rint(np.stack([n.time[e.start[rows]], n.time[e.stop[rows]]]) * library.fps).astype(np.int64) + first
    marks = np.zeros(len(roots) + 1, np.int64)
    np.add.at(marks, frame[0], 1)
    np.add.at(marks, frame[1], -1)
    used = np.cumsum(marks)[:-1] > 0
    found = []
    for start, stop in zip(library.starts, library.stops, strict=True):
        if not used[start:stop].any() or np.ptp(roots[start:stop], axis=0).max() < 4 * CURVATURE_STEP_M:
            continue
        along = Path(points=roots[start:stop])
        moved = arc_lengths(roots[start:stop])
        s = np.arange(0.0, along.length, CURVATURE_STEP_M)
        frames = start + np.minimum(np.searchsorted(moved, s), stop - start - 1)
        found.append(along.curvature(s, span=CURVATURE_SPAN_M)[used[frames]])
    return np.sort(np.concatenate([np.zeros(0), *found]))


def sustained(curvatures: Array, path: Path, *, at: ArrayLike) -> BoolArray:
    """Say at which places [...] (m along a path) sorted `curvatures` [M] (one per 5 cm) sustain it."""
    k = path.curvature(at, span=CURVATURE_SPAN_M)
    around = np.maximum(CURVATURE_TOLERANCE_SHARE * np.abs(k), MIN_CURVATURE_TOLERANCE_PER_M)
    low, high = np.searchsorted(curvatures, k - around), np.searchsorted(curvatures, k + around, side="right")
    return np.asarray((high - low) * CURVATURE_STEP_M >= MIN_SUSTAINING_M)
