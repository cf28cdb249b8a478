"""A snap-together graph as planning reads it: displacements, durations, and discs on the floor. No body is posed.

An edge is (Δx, Δy, Δheading, seconds) and samples of its planar path every `BIN` seconds, with the discs that the body
needs there. Edges lie sorted by start and stop, so those that can replace each other (same ends) are consecutive.
A body of another size s walks the same graph with lengths × s and durations × √s.

Metres, seconds, radians; poses are those of hubs. Reference: Sung, Kovar, Gleicher 2005, section 3.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.planning.occupancy import BIN

__all__ = ["RESTING", "PlanGraph", "Steps", "plan_graph"]

RESTING = 0.12
"""m/s: an edge whose root travels slower on the mean is rest; nobody is displaced while resting."""
LEADS = 12
"""Edges of a pair of hubs among which seeds choose; the search takes any."""


class Steps(NamedTuple):
    """E edges between H hubs as kernels read them; S samples in all."""

    start: NDArray[np.int32]
    stop: NDArray[np.int32]
    move: NDArray[np.float64]
    """[E, 3] displacement."""
    seconds: NDArray[np.float64]
    path: NDArray[np.float64]
    """[E] m travelled."""
    moving: NDArray[np.uint8]
    """[E] 1 where it may be displaced."""
    out_first: NDArray[np.int32]
    """[H + 1]."""
    lead_first: NDArray[np.int32]
    """[2, H + 1] rows of `leads` of each hub: edges that leave it, and edges that enter it."""
    leads: NDArray[np.int32]
    """[2, L] edges that seeds choose from: a few of each pair of hubs that are unlike each other."""
    pair_first: NDArray[np.int32]
    """[H² + 1] edges from hub a to hub b are pair_first[a H + b] to pair_first[a H + b + 1] − 1."""
    sample_first: NDArray[np.int32]
    """[E + 1]."""
    places: NDArray[np.float32]
    """[S, 3] planar pose every BIN seconds of the edge, in its start hub's frame; the last one is its end."""
    discs: NDArray[np.float32]
    """[S, 3, 3] (x, y, r) in the body's frame; radius below 0 for none."""
    seated: NDArray[np.uint8]
    """[E] 1 where somebody sits down, sits or rises: its seat's furniture is not in the way then."""
    tick: NDArray[np.float64]
    """[1] s between two samples: BIN, × √s for a body of size s."""


class PlanGraph(NamedTuple):
    """Steps, and which edges of the snap-together graph they are."""

    graph: SnapGraph
    edges: IntArray
    """[E] rows of `graph.edges`."""
    steps: Steps
    scale: float


def plan_graph(
    graph: SnapGraph, *, edges: BoolArray | None = None, scale: float = 1.0, leads: int = LEADS
) -> PlanGraph:
    """Return the steps of a graph, or of some of its edges [E], for a body of this scale.

    Seeds choose from at most `leads` edges between two hubs.
    """
    core = graph.core
    usable = core[graph.edges.start] & core[graph.edges.stop]
    rows = np.flatnonzero(usable if edges is None else usable & edges)
    table = graph.edges.rows(rows)
    H, E, fps = len(graph.hubs), len(rows), graph.clips.fps
    sits = np.array([name.startswith("sit") for name in graph.hub_names])
    order = np.lexsort((np.arange(E), table.stop, table.start))
    rows, table = rows[order], table.rows(order)
    pairs = table.start.astype(np.int64) * H + table.stop
    speed = table.path / table.duration
    at, first = [], [0]
    for row, seconds in zip(rows.tolist(), table.duration.tolist(), strict=True):
        begin, end = int(graph.clips.starts[row]), int(graph.clips.stops[row]) - 1
        count = int(np.floor(seconds / BIN + 1e-9)) + 1
        at.append(np.append(begin + np.arange(count) * BIN * fps, end))
        first.append(first[-1] + count + 1)
    frames = np.concatenate(at) if at else np.zeros(0)
    low = np.floor(frames + 1e-9).astype(np.int64)
    last = np.repeat(graph.clips.stops[rows] - 1, np.diff(first))
    high, part = np.minimum(low + 1, last), (frames - low)[:, None]
    change = graph.planar[high] - graph.planar[low]
    change[:, 2] = np.mod(change[:, 2] + np.pi, 2 * np.pi) - np.pi
    places = graph.planar[low] + part * change
    # Headings are continuous along an edge, so that they can be mixed.
    for a, b in pairwise(first):
        places[a:b, 2] = np.unwrap(places[a:b, 2])
    places[:, :2] *= scale
    move = np.array(table.displacement)
    move[:, :2] *= scale
    leading = _unlike(move, table.duration, pairs, most=leads)
    leaving, entering = leading, leading[np.argsort(table.stop[leading], kind="stable")]
    steps = Steps(
        start=table.start.astype(np.int32),
        stop=table.stop.astype(np.int32),
        move=move,
        seconds=table.duration * np.sqrt(scale),
        path=table.path.astype(np.float64) * scale,
        moving=(speed > RESTING).astype(np.uint8),
        out_first=np.searchsorted(table.start, np.arange(H + 1)).astype(np.int32),
        lead_first=np.stack(
            [np.searchsorted(ends, np.arange(H + 1)) for ends in (table.start[leaving], table.stop[entering])]
        ).astype(np.int32),
        leads=np.stack([leaving, entering]).astype(np.int32),
        pair_first=np.searchsorted(pairs, np.arange(H * H + 1)).astype(np.int32),
        sample_first=np.array(first, np.int32),
        places=places.astype(np.float32),
        discs=(graph.footprints[low] * scale).astype(np.float32),
        seated=(sits[table.start] | sits[table.stop]).astype(np.uint8),
        tick=np.array([BIN * np.sqrt(scale)]),
    )
    for array in steps:
        array.flags.writeable = False
    return PlanGraph(graph, rows, steps, float(scale))


def _unlike(move: Array, seconds: Array, pairs: IntArray, *, most: int) -> IntArray:
    """Return rows of edges, at most so many of each pair of hubs: each is as unlike those before it as can be."""
    features = np.column_stack([move[:, :2], 0.57 * move[:, 2], 0.4 * seconds])
    chosen = []
    for pair in np.unique(pairs):
        rows = np.flatnonzero(pairs == pair)
        if len(rows) > most:
            mine = features[rows]
            picked = [int(np.argmin(np.linalg.norm(mine - mine.mean(axis=0), axis=1)))]
            far = np.linalg.norm(mine - mine[picked[0]], axis=1)
            while len(picked) < most:
                picked.append(int(np.argmax(far)))
                far = np.minimum(far, np.linalg.norm(mine - mine[picked[-1]], axis=1))
            rows = np.sort(rows[picked])
        chosen.append(rows)
    return np.concatenate(chosen) if chosen else np.zeros(0, np.int64)
