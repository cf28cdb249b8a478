"""Transition quality at the joins of a snap-together graph: every incoming edge of a hub against every outgoing one.

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
from typing import Any, NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.graphs.transitions import velocity_changes
from walkon.motion.contacts.runs import find_runs
from walkon.motion.kinematics import forward, points_on_joints
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

__all__ = ["WorstJoin", "measure_feet", "measure_joins"]

JUMP_LIMIT_PERCENTILE = 99.0
"""Of the velocity changes inside the source: what a join may have."""
JUMP_STEP_M_S, JUMP_STEPS_COUNT = 0.0005, 40_000
"""m/s: jumps are counted in steps so small, up to 20 m/s."""
BLOCK_NUMBERS_COUNT = 2_000_000
"""Numbers that are compared at once."""


class WorstJoin(NamedTuple):
    """Where the largest value is: after edge `before`, edge `after` begins. −1 where there is no join."""

    value: float
    before: int
    after: int
    joint: int


def measure_joins(graph: SnapGraph) -> dict[str, Any]:
    """Compare every edge that comes into a hub with every edge that leaves it.

    "pairs" are edges in times edges out; "position_m" and "rotation_rad" the largest gaps of a joint's place and of its
    local rotation. "limit_m_s" is the 99th percentile of velocity changes inside the source clips, over all joints or
    of one alone; "over_limit" the share of all jumps beyond it, and "over_its_limit" that of a joint's jumps beyond its
    own: 0.01 in the source itself.
    """
    H, J, fps = len(graph.hubs), len(graph.source.skeleton), graph.clips.fps
    source = graph.source
    places = forward(source.skeleton, source.root_positions, source.local_rotations).positions
    own = velocity_changes(places, source.starts, source.stops, rate=source.fps)
    own = own[np.isfinite(own[:, 0])]
    limit = float(np.percentile(own, JUMP_LIMIT_PERCENTILE)) if own.size else 0.0
    limits = np.percentile(own, JUMP_LIMIT_PERCENTILE, axis=0) if own.size else np.zeros(J)
    (first, second, next_to_last, last), rotations = _ends(graph)
    arriving, leaving = (last - next_to_last) * fps, (second - first) * fps

    pairs, jumps = np.zeros(H), np.zeros((H, J))
    counted, over_joints = np.zeros(JUMP_STEPS_COUNT + 1, np.int64), np.zeros(J)
    position, rotation, over, worst = 0.0, 0.0, 0, WorstJoin(0.0, -1, -1, -1)
    for h, before, after in _blocks(graph, J):
        position = max(position, float(_distances(last[before], first[after]).max()))
        rotation = max(rotation, _largest_angle(rotations[3, before], rotations[0, after], graph.rotations[h]))
        jump = _distances(arriving[before], leaving[after])
        pairs[h] += jump.shape[0] * jump.shape[1]
        jumps[h] = np.maximum(jumps[h], jump.max(axis=(0, 1)))
        counted += np.bincount(
            np.minimum(jump / JUMP_STEP_M_S, JUMP_STEPS_COUNT).astype(np.int64).ravel(), minlength=JUMP_STEPS_COUNT + 1
        )
        over += int(np.count_nonzero(jump > limit))
        over_joints += np.count_nonzero(jump > limits, axis=(0, 1))
        worst = _keep_worst(worst, jump, before, after)
    total, names = max(float(pairs.sum()), 1.0), source.skeleton.names
    return {
        "pairs": int(pairs.sum()),
        "position_m": position,
        "rotation_rad": rotation,
        "jump_median_m_s": _counted_percentile(counted, 50.0),
        "jump_p99_m_s": _counted_percentile(counted, 99.0),
        "jump_worst_m_s": worst.value,
        "limit_m_s": limit,
        "over_limit": over / (total * J),
        "worst": None if worst.before < 0 else {**_name_join(graph, worst), "joint": names[worst.joint]},
        "hubs": [
            {
                "name": name,
                "pairs": int(pairs[h]),
                "jump_worst_m_s": float(jumps[h].max(initial=0.0)),
                "joint": names[int(jumps[h].argmax())],
            }
            for h, name in enumerate(graph.hub_names)
        ],
        "joints": {
            name: {
                "jump_worst_m_s": float(jumps[:, j].max(initial=0.0)),
                "limit_m_s": float(limits[j]),
                "over_its_limit": float(over_joints[j] / total),
            }
            for j, name in enumerate(names)
        },
    }


def _name_join(graph: SnapGraph, worst: WorstJoin) -> dict[str, Any]:
    return {
        "hub": graph.hub_names[int(graph.edges.start[worst.after])],
        "before": graph.clips.names[worst.before],
        "after": graph.clips.names[worst.after],
    }


def measure_feet(graph: SnapGraph) -> dict[str, Any]:
    """Say what planted points do within edges and over all joins.

    "across_m" is the farthest that one is after a cut from where it was before, "within_m" the farthest that it strays
    from its place within one stretch of contact of one edge, and "within_p99_m" that of the farthest of each stretch.
    Shares are of frames with at least one planted point. "sunk_m" is how far the lowest is under its support, 0 where
    none is, and "lifted_m" how far the highest is over it.
    """
    clips, skeleton = graph.clips, graph.source.skeleton
    C = len(skeleton.contact_names)
    world = forward(skeleton, clips.root_positions, clips.local_rotations)
    points = points_on_joints(world, skeleton.contact_joints, skeleton.contact_offsets)
    edge = np.repeat(np.arange(len(clips)), clips.stops - clips.starts)
    # Stretches of contact of one edge and one point: a blank between edges keeps them apart.
    spread = np.arange(len(points)) + edge
    within, within_edge, within_point, far = 0.0, -1, -1, []
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
        far.append(most)
        if most.max() > within:
            within, within_edge, within_point = float(most.max()), int(edge[start[most.argmax()]]), c
        begins, ends = start == clips.starts[edge[start]], stop == clips.stops[edge[start]]
        middles[edge[start[begins]], 0, c] = middle[begins]
        middles[edge[start[ends]], 1, c] = middle[ends]
    planted = (points[..., 2] - clips.contact_heights)[clips.contacts]
    across, names = _compare_middles(graph, middles), skeleton.contact_names
    return {
        "across_m": across.value,
        "across": None if across.before < 0 else {**_name_join(graph, across), "point": names[across.joint]},
        "within_m": within,
        "within_p99_m": float(np.percentile(np.concatenate(far), 99.0)) if far else 0.0,
        "within": None if within_edge < 0 else {"edge": clips.names[within_edge], "point": names[within_point]},
        "stretches": sum(map(len, far)),
        "planted_share": float(clips.contacts.any(axis=1).mean()),
        "source_planted_share": float(graph.source.contacts.any(axis=1).mean()),
        "sunk_m": max(-float(planted.min(initial=0.0)), 0.0),
        "lifted_m": max(float(planted.max(initial=0.0)), 0.0),
    }


def _compare_middles(graph: SnapGraph, middles: Array) -> WorstJoin:
    """Compare the places [E, 2, C, 3] of the stretches with which edges begin and end, NaN for none, at every join."""
    last = planar.apply_3d(planar.inverse(graph.edges.displacement)[:, None], middles[:, 1])
    worst = WorstJoin(0.0, -1, -1, -1)
    if not middles.shape[2]:
        return worst
    for _, before, after in _blocks(graph, middles.shape[2]):
        drift = np.nan_to_num(_distances(last[before], middles[after, 0]))
        worst = _keep_worst(worst, drift, before, after)
    return worst


def _keep_worst(worst: WorstJoin, values: Array, before: IntArray, after: IntArray) -> WorstJoin:
    """Return the largest of values [A, B, n] of edges before and after, where it is worse than the worst so far."""
    if values.max() <= worst.value:
        return worst
    a, b, joint = (int(i) for i in np.unravel_index(values.argmax(), values.shape))
    return WorstJoin(float(values[a, b, joint]), int(before[a]), int(after[b]), joint)


def _ends(graph: SnapGraph) -> tuple[Array, Array]:
    """Return places [4, E, J, 3] and local rotations [4, E, J, 4] in the first two and last two frames of all edges.

    Each end is in the frame of its own hub.
    """
    clips, back = graph.clips, planar.inverse(graph.edges.displacement)
    last = clips.stops - 1
    at = np.stack([clips.starts, np.minimum(clips.starts + 1, last), np.maximum(last - 1, clips.starts), last])
    roots, rotations = np.array(clips.root_positions[at]), np.array(clips.local_rotations[at])
    roots[2:] = planar.apply_3d(back, roots[2:])
    rotations[2:, :, 0] = quat.multiply(quat.turn(back[:, 2]), rotations[2:, :, 0])
    world = forward(graph.source.skeleton, roots.reshape(-1, 3), rotations.reshape(-1, *rotations.shape[2:]))
    return world.positions.reshape(*rotations.shape[:3], 3), rotations


def _blocks(graph: SnapGraph, width: int) -> Iterator[tuple[int, IntArray, IntArray]]:
    """Return hubs with some edges that come in and all that go out: blocks of at most 3 `BLOCK_NUMBERS_COUNT`."""
    for h in range(len(graph.hubs)):
        before, after = np.flatnonzero(graph.edges.stop == h), graph.out_edges(h)
        if len(before) and len(after):
            rows = max(BLOCK_NUMBERS_COUNT // (len(after) * width), 1)
            yield from [(h, before[k : k + rows], after) for k in range(0, len(before), rows)]


def _distances(a: Array, b: Array) -> Array:
    """Return [A, B, n] distances of points a [A, n, d] and b [B, n, d]."""
    gap = a[:, None] - b
    return np.asarray(np.sqrt(np.einsum("abnd,abnd->abn", gap, gap)))


def _largest_angle(a: Array, b: Array, near: Array) -> float:
    """Return the largest angle between rotations a [A, n, 4] and b [B, n, 4], all like `near` [n, 4].

    From chords, |a − b| = 2 sin(angle / 4): exact for small angles, and cheaper than products.
    """
    a, b = (np.where((q * near).sum(axis=-1, keepdims=True) < 0, -q, q) for q in (a, b))
    chord = _distances(a, b)
    chord = np.minimum(chord, np.sqrt(np.maximum(4.0 - chord * chord, 0.0)))
    return float(4.0 * np.arcsin(0.5 * chord.max()))


def _counted_percentile(counted: IntArray, percent: float) -> float:
    upto = np.cumsum(counted)
    return float(JUMP_STEP_M_S * (np.searchsorted(upto, 0.01 * percent * upto[-1]) + 0.5)) if upto[-1] else 0.0
