"""What the joins of a snap-together graph are worth: every incoming edge of a hub against every outgoing one.

Playing is concatenation, so a join is right when the last frame of one edge is the first frame of the next, and when
nothing jumps around it. With x(k) a joint's place k frames after the cut, in the hub's frame,

    gap       = |x(0) of the outgoing edge − x(0) of the incoming one|, and the angle between their local rotations
    jump      = fps · |(x(1) − x(0)) of the outgoing edge − (x(0) − x(−1)) of the incoming one|          (m/s)

The jump is the velocity change from frame to frame that any motion has; the source clips say how large it may be: the
limit is the 99th percentile over all their frames and joints. Feet are measured as played: how far a planted point is
after the cut from where it was before it, how far it strays from its place within one stretch of contact, and how far
it is under its support.

Hubs have hundreds of edges and hubs × hundreds² joins, so pairs are compared in blocks and counted on a fine scale.
Metres, seconds, radians. Reference: Gleicher, Shin, Kovar, Jepsen 2003, sections 4.2 and 5.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.motion.kinematics import forward, points_on_joints
from walkon.motion.library import Library
from walkon.motion.runs import find_runs
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

__all__ = ["Joins", "PlantedFeet", "WorstJoin", "changes", "measure_feet", "measure_joins"]

PERCENTILE = 99.0
"""Of the velocity changes inside the source: what a join may have."""
STEP, SCALE = 0.0005, 40_000
"""m/s: jumps are counted in steps so small, up to 20 m/s."""
BLOCK = 2_000_000
"""Numbers that are compared at once."""


class WorstJoin(NamedTuple):
    """Where the largest value is: after edge `before`, edge `after` begins. −1 where there is no join."""

    value: float
    before: int
    after: int
    joint: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Joins:
    """All P joins of a graph of H hubs and J joints."""

    pairs: Array
    """[H] joins at each hub: edges in times edges out."""
    position: float
    """m: the largest gap of a joint's place."""
    rotation: float
    """rad: the largest gap of a joint's local rotation."""
    jumps: Array
    """[H, J] m/s: the largest velocity jump of each joint at each hub."""
    limit: float
    """m/s: the 99th percentile of velocity changes inside the source clips, over all joints."""
    limits: Array
    """[J] m/s: the same of each joint alone."""
    median: float
    p99: float
    """m/s: of all jumps, P × J."""
    over: float
    """Share of all jumps that are over the limit."""
    over_joints: Array
    """[J] share of each joint's jumps that are over its own limit: 0.01 in the source itself."""
    worst: WorstJoin
    """m/s."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PlantedFeet:
    """What planted points do, C contact points."""

    across: WorstJoin
    """m: the farthest that a planted point is after a cut from where it was before, over all joins; a contact point."""
    within: float
    """m: the farthest that a planted point strays from its place, within one stretch of contact of one edge."""
    within_peak: float
    """m: the largest distance between two places of one planted point, along an axis, within one stretch."""
    within_edge: int
    within_point: int
    within_p99: float
    """m: of the farthest of each stretch."""
    stretches: int
    share: float
    """Share of the edges' frames with at least one planted point."""
    source_share: float
    """The same of the source."""
    sunk: float
    """m: how far the lowest planted point is under its support; 0 where none is."""
    lifted: float
    """m: how far the highest planted point is over its support."""


class _Ends(NamedTuple):
    """Both ends of E edges in the frames of their hubs: places [E, J, 3] at and next to the ends, local rotations."""

    first: Array
    second: Array
    last: Array
    next_to_last: Array
    first_rotations: Array
    last_rotations: Array


def changes(library: Library) -> Array:
    """Return [F, J] m/s by which joints' velocities change at each frame of a library; NaN at the ends of clips."""
    places = forward(library.skeleton, library.root_positions, library.local_rotations).positions
    change = np.full(places.shape[:2], np.nan)
    if len(places) > 2:
        change[1:-1] = np.linalg.norm(places[2:] - 2 * places[1:-1] + places[:-2], axis=-1) * library.fps
    change[library.starts] = change[library.stops - 1] = np.nan
    return change


def measure_joins(graph: SnapGraph) -> Joins:
    """Compare every edge that comes into a hub with every edge that leaves it."""
    H, J, fps = len(graph.hubs), len(graph.source.skeleton), graph.clips.fps
    own = changes(graph.source)
    own = own[np.isfinite(own[:, 0])]
    limit = float(np.percentile(own, PERCENTILE)) if own.size else 0.0
    limits = np.percentile(own, PERCENTILE, axis=0) if own.size else np.zeros(J)
    ends = _ends(graph)
    arriving, leaving = (ends.last - ends.next_to_last) * fps, (ends.second - ends.first) * fps

    pairs, jumps = np.zeros(H), np.zeros((H, J))
    counted, over_joints = np.zeros(SCALE + 1, np.int64), np.zeros(J)
    position, rotation, over, worst = 0.0, 0.0, 0, WorstJoin(0.0, -1, -1, -1)
    for h, before, after in _blocks(graph, J):
        position = max(position, float(_apart(ends.last[before], ends.first[after]).max()))
        rotation = max(rotation, _turned(ends.last_rotations[before], ends.first_rotations[after], graph.rotations[h]))
        jump = _apart(arriving[before], leaving[after])
        pairs[h] += jump.shape[0] * jump.shape[1]
        jumps[h] = np.maximum(jumps[h], jump.max(axis=(0, 1)))
        counted += np.bincount(np.minimum(jump / STEP, SCALE).astype(np.int64).ravel(), minlength=SCALE + 1)
        over += int(np.count_nonzero(jump > limit))
        over_joints += np.count_nonzero(jump > limits, axis=(0, 1))
        if jump.max() > worst.value:
            a, b, j = (int(i) for i in np.unravel_index(jump.argmax(), jump.shape))
            worst = WorstJoin(float(jump[a, b, j]), int(before[a]), int(after[b]), j)
    total = max(float(pairs.sum()), 1.0)
    return Joins(
        pairs=pairs,
        position=position,
        rotation=rotation,
        jumps=jumps,
        limit=limit,
        limits=limits,
        median=_counted_percentile(counted, 50.0),
        p99=_counted_percentile(counted, 99.0),
        over=over / (total * J),
        over_joints=over_joints / total,
        worst=worst,
    )


def measure_feet(graph: SnapGraph) -> PlantedFeet:
    """Say what planted points do within edges and over all joins."""
    clips, skeleton = graph.clips, graph.source.skeleton
    C = len(skeleton.contact_names)
    world = forward(skeleton, clips.root_positions, clips.local_rotations)
    points = points_on_joints(world, skeleton.contact_joints, skeleton.contact_offsets)
    edge = np.repeat(np.arange(len(clips)), clips.stops - clips.starts)
    # Stretches of contact of one edge and one point: a blank between edges keeps them apart.
    spread = np.arange(len(points)) + edge
    within, peak, within_edge, within_point, far = 0.0, 0.0, -1, -1, []
    middles = np.full((len(clips), 2, C, 3), np.nan)
    for c in range(C):
        flags = np.zeros(len(points) + len(clips), bool)
        flags[spread] = clips.contacts[:, c]
        starts, stops = find_runs(flags)
        if not len(starts):
            continue
        start, stop = np.searchsorted(spread, starts), np.searchsorted(spread, stops - 1) + 1
        length = stop - start
        begin = np.cumsum(length) - length
        run = np.repeat(np.arange(len(start)), length)
        places = points[np.arange(len(run)) + np.repeat(start - begin, length), c]
        # The median, axis by axis.
        middle = np.column_stack([x[np.lexsort((x, run))][begin + length // 2] for x in places.T])
        most = np.maximum.reduceat(np.linalg.norm(places - middle[run], axis=1), begin)
        spans = np.maximum.reduceat(places, begin, axis=0) - np.minimum.reduceat(places, begin, axis=0)
        peak = max(peak, float(spans.max()))
        far.append(most)
        if most.max() > within:
            within, within_edge, within_point = float(most.max()), int(edge[start[most.argmax()]]), c
        begins, ends = start == clips.starts[edge[start]], stop == clips.stops[edge[start]]
        middles[edge[start[begins]], 0, c] = middle[begins]
        middles[edge[start[ends]], 1, c] = middle[ends]
    planted = (points[..., 2] - clips.contact_heights)[clips.contacts]
    return PlantedFeet(
        across=_across(graph, middles),
        within=within,
        within_peak=peak,
        within_edge=within_edge,
        within_point=within_point,
        within_p99=float(np.percentile(np.concatenate(far), 99.0)) if far else 0.0,
        stretches=sum(map(len, far)),
        share=float(clips.contacts.any(axis=1).mean()),
        source_share=float(graph.source.contacts.any(axis=1).mean()),
        sunk=max(-float(planted.min(initial=0.0)), 0.0),
        lifted=max(float(planted.max(initial=0.0)), 0.0),
    )


def _across(graph: SnapGraph, middles: Array) -> WorstJoin:
    """Compare the places [E, 2, C, 3] of the stretches with which edges begin and end, NaN for none, at every join."""
    last = planar.apply_3d(planar.inverse(graph.edges.displacement)[:, None], middles[:, 1])
    worst = WorstJoin(0.0, -1, -1, -1)
    if not middles.shape[2]:
        return worst
    for _, before, after in _blocks(graph, middles.shape[2]):
        drift = np.nan_to_num(_apart(last[before], middles[after, 0]))
        if drift.max() > worst.value:
            a, b, c = (int(i) for i in np.unravel_index(drift.argmax(), drift.shape))
            worst = WorstJoin(float(drift[a, b, c]), int(before[a]), int(after[b]), c)
    return worst


def _ends(graph: SnapGraph) -> _Ends:
    clips = graph.clips
    back = planar.inverse(graph.edges.displacement)
    last, longer = clips.stops - 1, np.maximum(clips.stops - 2, clips.starts)
    at = np.concatenate([clips.starts, np.minimum(clips.starts + 1, last), last, longer])
    rotations = np.array(clips.local_rotations[at])
    roots = np.array(clips.root_positions[at])
    E = len(clips)
    twice = np.concatenate([back, back])
    roots[2 * E :] = planar.apply_3d(twice, roots[2 * E :])
    rotations[2 * E :, 0] = quat.multiply(quat.turn(twice[:, 2]), rotations[2 * E :, 0])
    x = forward(graph.source.skeleton, roots, rotations).positions.reshape(4, E, -1, 3)
    return _Ends(x[0], x[1], x[2], x[3], rotations[:E], rotations[2 * E : 3 * E])


def _blocks(graph: SnapGraph, width: int) -> Iterator[tuple[int, IntArray, IntArray]]:
    """Return hubs with some edges that come in and all that go out, so that no block is larger than `BLOCK` × 3."""
    for h in range(len(graph.hubs)):
        before, after = np.flatnonzero(graph.edges.stop == h), graph.out_edges(h)
        if len(before) and len(after):
            rows = max(BLOCK // (len(after) * width), 1)
            yield from [(h, before[k : k + rows], after) for k in range(0, len(before), rows)]


def _apart(a: Array, b: Array) -> Array:
    """Return [A, B, n] distances of points a [A, n, d] and b [B, n, d]."""
    gap = a[:, None] - b
    return np.asarray(np.sqrt(np.einsum("abnd,abnd->abn", gap, gap)))


def _turned(a: Array, b: Array, near: Array) -> float:
    """Return the largest angle between rotations a [A, n, 4] and b [B, n, 4], all like `near` [n, 4].

    From chords, |a − b| = 2 sin(angle / 4): exact for small angles, and cheaper than products.
    """
    a, b = (np.where((q * near).sum(axis=-1, keepdims=True) < 0, -q, q) for q in (a, b))
    chord = _apart(a, b)
    chord = np.minimum(chord, np.sqrt(np.maximum(4.0 - chord * chord, 0.0)))
    return float(4.0 * np.arcsin(0.5 * chord.max()))


def _counted_percentile(counted: IntArray, percent: float) -> float:
    upto = np.cumsum(counted)
    return float(STEP * (np.searchsorted(upto, 0.01 * percent * upto[-1]) + 0.5)) if upto[-1] else 0.0
