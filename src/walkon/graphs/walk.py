"""Walks: motion on a graph, the one form in which it is planned and kept.

A walk is a table of edges, one after another per character. A row plays one edge from `start` to `stop`, where the
edge's start node lies at `place` in the world. With τ = t − start and D = stop − start, the edge is at

    u(t) = edge_start + rate₀ τ + (rate₁ − rate₀) τ² / 2 D   seconds of its own time,

and the body is displaced by the cubic (d, φ)(t) that has the values `offset` and the slopes `slope` at start and stop.
A row may play part of an edge: `cut` splits rows at any moments, and changes no pose. Idling is rows as well.

Metres, seconds, radians.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon._base.table import Column, Table, column
from walkon.graphs.edges import Edges
from walkon.transforms import angles, planar

__all__ = ["NO_ROW", "GraphOfEdges", "Walk", "walk_along"]

NO_ROW = -1
"""In a column that refers to another table: nothing."""


class GraphOfEdges(Protocol):
    """A graph of any kind that can be walked on."""

    @property
    def edges(self) -> Edges:
        """Its edges."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Walk(Table):
    """R rows, sorted by character and start."""

    character: Column = column("int32")
    edge: Column = column("int32")
    """Row of the graph's edges."""
    start: Column = column("float64")
    stop: Column = column("float64")
    """s of the take."""
    edge_start: Column = column("float64")
    """s into the edge at `start`."""
    rate: Column = column("float64", 2)
    """Seconds of the edge per second of the take at `start` and at `stop`."""
    place: Column = column("float64", 4)
    """(x, y, heading, z) of the edge's start node in the world, not displaced."""
    offset: Column = column("float64", 2, 3)
    """(x, y, heading) by which the body is displaced at `start` and at `stop`, in the world's axes."""
    slope: Column = column("float64", 2, 3)
    """The same per second."""
    mark: Column = column("int32")
    """Number of the mark that a row leads to or holds; −1 for none."""
    reason: Column = column("int32")
    """Row of the list of reasons that goes with the walk (`Route.reasons`, `take.tables.Reasons`), or −1."""

    @property
    def duration(self) -> float:
        """Seconds that all rows last together."""
        return float((self.stop - self.start).sum())

    @property
    def displaced(self) -> BoolArray:
        """[R] which rows move the body off the edge's own path."""
        offset = (np.abs(self.offset) > 1e-12).any(axis=(1, 2))
        return np.asarray(offset | (np.abs(self.slope) > 1e-12).any(axis=(1, 2)))

    def before(self, time: float) -> "Walk":
        """Return what is played before a time; rows that last longer are cut there."""
        parts = self.cut([time])
        return parts.rows(parts.start < time - 1e-6)

    def cut(self, times: ArrayLike) -> "Walk":
        """Return the same motion with rows split where one of these times (s) lies within them."""
        moments = np.unique(np.asarray(times, dtype=np.float64))
        first, last = np.searchsorted(moments, self.start, side="right"), np.searchsorted(moments, self.stop)
        pieces = np.maximum(last - first, 0) + 1
        row = np.repeat(np.arange(len(self)), pieces)
        number = np.arange(len(row)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        inner = np.append(moments, np.inf)
        begin = np.where(number == 0, self.start[row], inner[np.minimum(first[row] + number - 1, len(moments))])
        end = np.where(number == pieces[row] - 1, self.stop[row], inner[np.minimum(first[row] + number, len(moments))])
        split = pieces[row] > 1
        made = self.rows(row)
        if not split.any():
            return made
        whole, since = self.stop[row] - self.start[row], np.stack([begin, end], axis=1) - self.start[row][:, None]
        rate = made.rate[:, :1] + (made.rate[:, 1:] - made.rate[:, :1]) * since / whole[:, None]
        into = made.edge_start + 0.5 * (made.rate[:, 0] + rate[:, 0]) * since[:, 0]
        offset, slope = _cubic(made.offset, made.slope, whole, since)
        one, two = split[:, None], split[:, None, None]
        return made.with_columns(
            start=begin,
            stop=end,
            edge_start=np.where(split, into, made.edge_start),
            rate=np.where(one, rate, made.rate),
            offset=np.where(two, offset, made.offset),
            slope=np.where(two, slope, made.slope),
        )


def _cubic(offset: Array, slope: Array, duration: Array, since: Array) -> tuple[Array, Array]:
    """Return values and slopes [R, n, 3] of cubics that last `duration` [R] at seconds [R, n] since their starts."""
    d = duration[:, None, None]
    p = since[:, :, None] / d
    a, b = offset[:, None, 0], offset[:, None, 1]
    u, v = slope[:, None, 0] * d, slope[:, None, 1] * d
    value = a + p * (u + p * (3 * (b - a) - 2 * u - v + p * (2 * (a - b) + u + v)))
    rise = u + p * (2 * (3 * (b - a) - 2 * u - v) + p * 3 * (2 * (a - b) + u + v))
    return value, rise / d


def walk_along(
    graph: GraphOfEdges,
    walks: Sequence[ArrayLike],
    *,
    characters: ArrayLike | None = None,
    starts: ArrayLike = 0.0,
    poses: ArrayLike = planar.IDENTITY,
) -> Walk:
    """Return W walks of whole edges as one; refuse what is no walk on this graph.

    Each is walked by one of the `characters` (0 to W − 1 unless given) from one of the `starts` (s) and `poses`
    (x, y, heading) on: [W], or one for all.
    """
    edges, first, walk = _check_walks(graph, walks)
    W, table = len(first), graph.edges
    who = np.broadcast_to(np.arange(W) if characters is None else np.asarray(characters), (W,))
    begin = np.broadcast_to(np.asarray(starts, dtype=np.float64), (W,))
    seconds = table.duration[edges]
    time = begin[walk] + _sums_before(seconds[:, None], first, walk)[:, 0]
    # What follows starts exactly where this one stops.
    stop = np.where(np.append(walk[1:] != walk[:-1], True), time + seconds, np.append(time[1:], 0.0))
    return Walk.filled(
        len(edges),
        character=who[walk],
        edge=edges,
        start=time,
        stop=stop,
        rate=1.0,
        place=_places(table.displacement[edges], np.asarray(poses, dtype=np.float64), first, walk),
        mark=NO_ROW,
        reason=NO_ROW,
    )


def _places(moves: Array, poses: Array, first: IntArray, walk: IntArray) -> Array:
    """Return [E, 4] the world pose at the start of every edge; `poses` [W, 3 or 4] or one are those of the walks."""
    begin = np.zeros((len(first), 4))
    begin[:, : poses.shape[-1]] = poses
    heading = begin[walk, 2] + _sums_before(moves[:, 2:3], first, walk)[:, 0]
    turns = np.stack([np.zeros(len(heading)), np.zeros(len(heading)), heading], axis=1)
    places = begin[walk, :2] + _sums_before(planar.apply(turns, moves[:, :2]), first, walk)
    height = begin[walk, 3] + _sums_before(moves[:, 3:], first, walk)[:, 0]
    return np.column_stack([places, angles.wrap(heading), height])


def _sums_before(values: Array, first: IntArray, walk: IntArray) -> Array:
    """Return [E, n] the sum of the values of all edges before each one in its own walk."""
    upto = np.cumsum(values, axis=0) - values
    return upto - upto[first][walk]


def _check_walks(graph: GraphOfEdges, walks: Sequence[ArrayLike]) -> tuple[IntArray, IntArray, IntArray]:
    """Return all edges [E], where each walk begins [W], and which walk each edge belongs to [E]."""
    arrays = [np.atleast_1d(np.asarray(walk)) for walk in walks]
    counts = np.array([len(array) for array in arrays], np.int64)
    if not arrays or not counts.all():
        raise InvalidValue("a walk needs at least one edge, got none")
    edges = np.concatenate(arrays)
    if edges.dtype.kind not in "iu" or edges.ndim != 1:
        raise InvalidValue(f"a walk is a list of whole numbers, the edges, got {edges.dtype} {edges.shape}")
    if edges.min() < 0 or edges.max() >= len(graph.edges):
        wrong = edges[(edges < 0) | (edges >= len(graph.edges))][0]
        raise InvalidValue(f"edges are numbered 0 to {len(graph.edges) - 1}, but a walk has {wrong}")
    walk = np.repeat(np.arange(len(counts)), counts)
    apart = (graph.edges.start[edges[1:]] != graph.edges.stop[edges[:-1]]) & (walk[1:] == walk[:-1])
    if apart.any():
        at = int(np.flatnonzero(apart)[0])
        stop = int(graph.edges.stop[edges[at]])
        names = getattr(graph, "hub_names", None)
        raise InvalidValue(
            f"edge {edges[at + 1]} does not start where edge {edges[at]} stops "
            f"({f'node {stop}' if names is None else names[stop]}), so they are no walk"
        )
    return edges.astype(np.int64), np.cumsum(counts) - counts, walk
