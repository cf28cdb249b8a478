"""How good a snap-together graph is: how far its hubs bend the source, and what its edges offer to a planner.

* Displacement: the angle by which each joint of each match frame turns to become the common pose. Its distribution per
  hub shows a bad hub, its distribution per joint what differs there. End sites have no rotation and are left out.
* Edges of an ordered pair of hubs can replace each other in a plan, so what counts is how many there are and how
  different: durations, lengths of the way, speeds, and turns, sorted into five kinds from sharp right to sharp left.
  Turns are those along the way, not wrapped: a turn of 183 degrees to the right is a right one. Edges are *different*
  where they end more than 2 cm or 2 degrees or one frame apart.
* Reach: which hubs can be reached from which in one edge and in two.

Metres, seconds, radians. Reference: Gleicher, Shin, Kovar, Jepsen 2003, sections 4.1 and 5.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.motion_graph import label_bits
from walkon.graphs.point_clouds import compared_joints
from walkon.graphs.snap_together.snap_graph import LEFT, RIGHT, SnapGraph

__all__ = [
    "KINDS",
    "AngleSpread",
    "Displacement",
    "displacement",
    "distinct_edges",
    "main_pairs",
    "pair_figures",
    "reach",
    "targets",
    "turn_kinds",
]

MAX_STRAIGHT_RAD, MIN_SHARP_RAD = np.deg2rad(10.0), np.deg2rad(45.0)
"""Turns from hub to hub up to which an edge is straight, and from which it is a sharp turn."""
KINDS = ("sharp right", "right", "straight", "left", "sharp left")
MIN_PAIR_EDGES, MIN_CARRYING_EDGES = 40, 20
"""Edges that each ordered pair of main hubs should have, and a carrying hub to itself."""
MIN_TURN_EDGES = 2
"""Edges of each kind of turn that a pair of main hubs should have, its two directions together."""
SAME_END_M, SAME_END_RAD = 0.02, np.deg2rad(2.0)
"""m and rad up to which the ends of two edges are the same, if they also last as many frames within one."""
WALKING_HUB_M_S, ALIKE_HUBS_M_S = 0.3, 0.2
"""m/s: a hub that motion passes through this fast is one to walk on; left and right of a pair differ by less."""


class AngleSpread(NamedTuple):
    """How values lie."""

    median: float
    p95: float
    largest: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Displacement:
    """Radians by which joints of match frames turn: H hubs, J joints."""

    overall: AngleSpread
    hubs: tuple[AngleSpread, ...]
    """[H]."""
    joints: tuple[AngleSpread | None, ...]
    """[J] None for joints that are not compared: end sites, fingers, joints on their parents."""
    worst_match: IntArray
    """[H] the match frame that has the largest angle of its hub, −1 where a hub has none."""
    worst_joint: IntArray
    """[H] the joint that turns so far."""


def displacement(graph: SnapGraph) -> Displacement:
    """Return how far match frames are bent."""
    turning = np.zeros(len(graph.source.skeleton), bool)
    turning[compared_joints(graph.source.skeleton)] = True
    angles = np.where(turning, graph.displacements, -1.0)
    match, joint = np.full((2, len(graph.hubs)), -1)
    hubs = []
    for h in range(len(graph.hubs)):
        rows = np.flatnonzero(graph.matches.hub == h)
        hubs.append(_spread(graph.displacements[rows][:, turning]))
        if len(rows):
            row, column = np.unravel_index(int(angles[rows].argmax()), (len(rows), angles.shape[1]))
            match[h], joint[h] = rows[row], column
    return Displacement(
        overall=_spread(graph.displacements[:, turning]),
        hubs=tuple(hubs),
        joints=tuple(_spread(graph.displacements[:, j]) if turning[j] else None for j in range(len(turning))),
        worst_match=match,
        worst_joint=joint,
    )


def turn_kinds(turns: Array) -> IntArray:
    """Return which of the `KINDS` each turn along the way (rad, not wrapped) is."""
    return np.asarray(np.searchsorted([-MIN_SHARP_RAD, -MAX_STRAIGHT_RAD, MAX_STRAIGHT_RAD, MIN_SHARP_RAD], turns))


def pair_figures(graph: SnapGraph) -> Iterator[dict[str, Any]]:
    """Return figures of every ordered pair of hubs that has edges, by start and stop; ranges are least, median, most.

    "length_m" is between the two hubs, speeds and turns (positive to the left) are along the way.
    """
    edges = graph.edges
    length = np.linalg.norm(edges.displacement[:, :2], axis=1)
    speed = edges.path / np.maximum(edges.duration, 1e-9)
    for start, stop in np.argwhere(graph.counts > 0).tolist():
        rows = graph.between(start, stop)
        yield {
            "start": graph.hub_names[start],
            "stop": graph.hub_names[stop],
            "edges": len(rows),
            "distinct": len(distinct_edges(graph, rows)),
            "duration_s": _range(edges.duration[rows]),
            "length_m": _range(length[rows]),
            "speed_m_s": _range(speed[rows]),
            "turn_deg": np.degrees(_range(edges.turn[rows])).tolist(),
            "kinds": dict(zip(KINDS, _kinds(graph, rows).tolist(), strict=True)),
        }


def distinct_edges(graph: SnapGraph, rows: IntArray) -> IntArray:
    """Return those of these edges that are different from all before them: where they end, by what turn, and when."""
    edges, frame = graph.edges, 1 / graph.source.fps
    kept: list[int] = []
    for row in rows.tolist():
        apart = np.linalg.norm(edges.displacement[kept, :2] - edges.displacement[row, :2], axis=1)
        same = (apart <= SAME_END_M) & (np.abs(edges.turn[kept] - edges.turn[row]) <= SAME_END_RAD)
        if not (same & (np.abs(edges.duration[kept] - edges.duration[row]) <= 1.001 * frame)).any():
            kept.append(row)
    return np.array(kept, dtype=np.int64)


def main_pairs(graph: SnapGraph) -> list[tuple[int, int]]:
    """Return left and right hubs of about one speed to walk ahead on, the pair with the most edges first.

    Where there are none, the hub with the most edges to itself, as (hub, hub).
    """
    free = _walking_hubs(graph) & ~_carrying_hubs(graph)
    left, right = (np.flatnonzero(free & (graph.hubs.stance == side)).tolist() for side in (LEFT, RIGHT))
    pairs = []
    for one in left:
        apart = {other: abs(float(graph.hubs.speed[other] - graph.hubs.speed[one])) for other in right}
        if apart and min(apart.values()) < ALIKE_HUBS_M_S:
            other = min(apart, key=lambda hub: apart[hub])
            pairs.append((one, other))
            right.remove(other)
    if not pairs:
        best = int(np.diag(graph.counts).argmax())
        return [(best, best)]
    return sorted(pairs, key=lambda pair: -min(int(graph.counts[pair]), int(graph.counts[pair[::-1]])))


def reach(graph: SnapGraph) -> tuple[BoolArray, BoolArray]:
    """Say which hubs [H, H] can be reached from which in one edge, and in two or fewer."""
    one = graph.counts > 0
    return one, one | (one.astype(np.int64) @ one.astype(np.int64) > 0)


def targets(graph: SnapGraph) -> Iterator[dict[str, Any]]:
    """Compare counts with what planning asks for; of sitting and carrying only where the library has them.

    Each tells "what" is "asked" for and "found", whether that is "met", and in a "note" more about what was found.
    """
    counts, names = graph.counts, graph.hub_names
    pairs = main_pairs(graph)
    for pair in pairs:
        for a, b in dict.fromkeys((pair, pair[::-1])):
            different = len(distinct_edges(graph, graph.between(a, b)))
            yield _target(
                f"edges {names[a]} → {names[b]}", MIN_PAIR_EDGES, int(counts[a, b]), f"{different} of them different"
            )
    if pairs[0][0] != pairs[0][1]:
        for a, b in pairs:
            both = f"{names[a]} ↔ {names[b]}"
            kinds = _kinds(graph, np.concatenate([graph.between(a, b), graph.between(b, a)]))
            counted = ", ".join(f"{count} {kind}" for kind, count in zip(KINDS, kinds.tolist(), strict=True))
            several = int(np.count_nonzero(kinds >= MIN_TURN_EDGES))
            yield from [
                _target(f"sharp turns to the right {both}", MIN_TURN_EDGES, int(kinds[0])),
                _target(f"sharp turns to the left {both}", MIN_TURN_EDGES, int(kinds[-1])),
                _target(f"kinds of turns with {MIN_TURN_EDGES} edges or more {both}", len(KINDS), several, counted),
            ]
        ways = [(a, b) for p in pairs for q in pairs for a, b in ((p[0], q[1]), (p[1], q[0]))]
        yield _target("walking hubs joined by one edge", len(ways), int(sum(counts[way] > 0 for way in ways)))
    yield _target("hubs that reach each other", len(graph.hubs), int(np.count_nonzero(graph.core)))
    labels = graph.source.label_names
    if "carry" in labels:
        mine = np.flatnonzero(_carrying_hubs(graph) & _walking_hubs(graph))
        yield _target("edges of a carrying hub to itself", MIN_CARRYING_EDGES, int(counts[mine, mine].max(initial=0)))
    for label in ("sidestep", "start", "stop", "sit_down", "rise", "pickup", "putdown"):
        if label in labels:
            some = graph.edges.labels & label_bits(graph.source, label)
            yield _target(f"edges with {label.replace('_', ' ')}", 1, int(np.count_nonzero(some)))


def _target(what: str, asked: int, found: int, note: str = "") -> dict[str, Any]:
    return {"what": what, "asked": asked, "found": found, "note": note, "met": found >= asked}


def _kinds(graph: SnapGraph, rows: IntArray) -> IntArray:
    """Return [5] how many of these edges are of each of the `KINDS`."""
    return np.bincount(turn_kinds(graph.edges.turn[rows]), minlength=len(KINDS))


def _walking_hubs(graph: SnapGraph) -> BoolArray:
    """Say which hubs [H] are passed through walking ahead, and not sideways or back."""
    ahead = graph.root_velocities[:, 0]
    return np.asarray((ahead > WALKING_HUB_M_S) & (ahead > np.abs(graph.root_velocities[:, 1])))


def _carrying_hubs(graph: SnapGraph) -> BoolArray:
    if "carry" not in graph.source.label_names:
        return np.zeros(len(graph.hubs), bool)
    return np.asarray((graph.hubs.labels & label_bits(graph.source, "carry")) != 0)


def _spread(values: Array) -> AngleSpread:
    if not values.size:
        return AngleSpread(0.0, 0.0, 0.0)
    return AngleSpread(float(np.median(values)), float(np.percentile(values, 95)), float(values.max()))


def _range(values: Array) -> list[float]:
    return [float(values.min()), float(np.median(values)), float(values.max())]
