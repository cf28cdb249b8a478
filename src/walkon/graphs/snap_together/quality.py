"""How good a snap-together graph is: how far its hubs bend the source, and what its edges offer to a planner.

* Displacement: the angle by which each joint of each match frame turns to become the common pose. Its distribution per
  hub shows a bad hub, its distribution per joint what differs there. End sites have no rotation and are left out.
* Edges of an ordered pair of hubs can replace each other in a plan, so what counts is how many there are and how
  different: durations, lengths of the way, speeds, and turns, sorted into five kinds from sharp right to sharp left.
* Reach: which hubs can be reached from which in one edge and in two.

Metres, seconds, radians. Reference: Gleicher, Shin, Kovar, Jepsen 2003, sections 4.1 and 5.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.motion_graph import label_bits
from walkon.graphs.point_clouds import compared_joints
from walkon.graphs.snap_together.snap_graph import LEFT, RIGHT, SnapGraph

__all__ = [
    "KINDS",
    "Displacement",
    "PairFigures",
    "Spread",
    "Target",
    "displacement",
    "main_pairs",
    "pair_figures",
    "reach",
    "targets",
    "turn_kinds",
]

STRAIGHT, SHARP = np.deg2rad(10.0), np.deg2rad(45.0)
"""Turns from hub to hub up to which an edge is straight, and from which it is a sharp turn."""
KINDS = ("sharp right", "right", "straight", "left", "sharp left")
ENOUGH, ENOUGH_CARRYING = 40, 20
"""Edges that each ordered pair of main hubs should have, and a carrying hub to itself."""
WALKING, ALIKE = 0.3, 0.2
"""m/s: a hub that motion passes through this fast is one to walk on; left and right of a pair differ by less."""


class Spread(NamedTuple):
    """How values lie."""

    median: float
    p95: float
    largest: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Displacement:
    """Radians by which joints of match frames turn: H hubs, J joints."""

    overall: Spread
    hubs: tuple[Spread, ...]
    """[H]."""
    joints: tuple[Spread | None, ...]
    """[J] None for joints that are not compared: end sites, fingers, joints on their parents."""
    worst_match: IntArray
    """[H] the match frame that has the largest angle of its hub, −1 where a hub has none."""
    worst_joint: IntArray
    """[H] the joint that turns so far."""


class PairFigures(NamedTuple):
    """The edges from one hub to another."""

    start: int
    stop: int
    edges: int
    duration: tuple[float, float, float]
    """s: least, median, most; and so on."""
    length: tuple[float, float, float]
    """m between the two hubs."""
    speed: tuple[float, float, float]
    """m/s along the way."""
    turn: tuple[float, float, float]
    """rad, positive to the left."""
    kinds: tuple[int, ...]
    """How many of each of the `KINDS`."""


class Target(NamedTuple):
    """Something that a graph to plan on should have."""

    what: str
    asked: float
    found: float

    @property
    def met(self) -> bool:
        """Whether it has it."""
        return self.found >= self.asked


def displacement(graph: SnapGraph) -> Displacement:
    """Return how far match frames are bent."""
    turning = np.zeros(len(graph.source.skeleton), bool)
    turning[compared_joints(graph.source.skeleton)] = True
    angles = np.where(turning, graph.displacements, -1.0)
    H = len(graph.hubs)
    match, joint = np.full(H, -1), np.full(H, -1)
    hubs = []
    for h in range(H):
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
    """Return which of the `KINDS` each turn (rad) is."""
    return np.asarray(np.searchsorted([-SHARP, -STRAIGHT, STRAIGHT, SHARP], turns))


def pair_figures(graph: SnapGraph) -> list[PairFigures]:
    """Return figures of every ordered pair of hubs that has edges, by start and stop."""
    edges = graph.edges
    length = np.linalg.norm(edges.displacement[:, :2], axis=1)
    speed = edges.path / np.maximum(edges.duration, 1e-9)
    told = []
    for start, stop in np.argwhere(graph.counts > 0).tolist():
        rows = graph.between(start, stop)
        turns = edges.displacement[rows, 2]
        told.append(
            PairFigures(
                start,
                stop,
                len(rows),
                _range(edges.duration[rows]),
                _range(length[rows]),
                _range(speed[rows]),
                _range(turns),
                tuple(np.bincount(turn_kinds(turns), minlength=len(KINDS)).tolist()),
            )
        )
    return told


def main_pairs(graph: SnapGraph) -> list[tuple[int, int]]:
    """Return left and right hubs of about one speed to walk ahead on, the pair with the most edges first.

    Where there are none, the hub with the most edges to itself, as (hub, hub).
    """
    free = _ahead(graph) & ~_carrying(graph)
    left, right = (np.flatnonzero(free & (graph.hubs.stance == side)).tolist() for side in (LEFT, RIGHT))
    pairs = []
    for one in left:
        apart = {other: abs(float(graph.hubs.speed[other] - graph.hubs.speed[one])) for other in right}
        if apart and min(apart.values()) < ALIKE:
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


def targets(graph: SnapGraph) -> list[Target]:
    """Compare counts with what planning asks for; of sitting and carrying only where the library has them."""
    counts, names = graph.counts, graph.hub_names
    pairs = main_pairs(graph)
    first = pairs[0]
    told = []
    for a, b in dict.fromkeys((first, first[::-1])):
        told.append(Target(f"edges {names[a]} → {names[b]}", ENOUGH, int(counts[a, b])))
    if first[0] != first[1]:
        for a, b in (first, first[::-1]):
            kinds = np.bincount(turn_kinds(graph.edges.displacement[graph.between(a, b), 2]), minlength=len(KINDS))
            told.append(Target(f"kinds of turns {names[a]} → {names[b]}", len(KINDS), int(np.count_nonzero(kinds))))
        ways = [(a, b) for p in pairs for q in pairs for a, b in ((p[0], q[1]), (p[1], q[0]))]
        told.append(
            Target("walking hubs joined by one edge", len(ways), int(sum(counts[way] > 0 for way in ways))),
        )
    told.append(Target("hubs that reach each other", len(graph.hubs), int(np.count_nonzero(graph.core))))
    labels = graph.source.label_names
    if "carry" in labels:
        mine = np.flatnonzero(_carrying(graph) & _ahead(graph))
        told.append(
            Target("edges of a carrying hub to itself", ENOUGH_CARRYING, int(counts[mine, mine].max(initial=0)))
        )
    for label in ("sidestep", "start", "stop", "sit_down", "rise", "pickup", "putdown"):
        if label in labels:
            some = graph.edges.labels & label_bits(graph.source, label)
            told.append(Target(f"edges with {label.replace('_', ' ')}", 1, int(np.count_nonzero(some))))
    return told


def _ahead(graph: SnapGraph) -> BoolArray:
    """Say which hubs [H] are passed through walking ahead, and not sideways or back."""
    ahead = graph.root_velocities[:, 0]
    return np.asarray((ahead > WALKING) & (ahead > np.abs(graph.root_velocities[:, 1])))


def _carrying(graph: SnapGraph) -> BoolArray:
    if "carry" not in graph.source.label_names:
        return np.zeros(len(graph.hubs), bool)
    return np.asarray((graph.hubs.labels & label_bits(graph.source, "carry")) != 0)


def _spread(values: Array) -> Spread:
    if not values.size:
        return Spread(0.0, 0.0, 0.0)
    return Spread(float(np.median(values)), float(np.percentile(values, 95)), float(values.max()))


def _range(values: Array) -> tuple[float, float, float]:
    return float(values.min()), float(np.median(values)), float(values.max())
