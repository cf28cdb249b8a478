"""How deep an edge that is played somewhere from some time on runs into obstacles and into others.

Helpers that are compiled into the kernels of seeds and search, and one kernel for tests.
"""

# mypy: ignore-errors

import math
from typing import NamedTuple

import numpy as np

from walkon._base.jit import group, kernel, reads
from walkon.planning._occupancy_kernels import WRITTEN, overlap_of_body
from walkon.planning.occupancy_rule import BIN_S, Entries
from walkon.stage._distance_kernels import DISTANCES, distance_at
from walkon.stage.distance_rule import DistanceGrid
from walkon.synthesis.goal_directed.step_rule import Steps

STEPS = group(
    Steps,
    reads(1, "int32"),
    reads(1, "int32"),
    reads(2),
    reads(1),
    reads(1),
    reads(1, "uint8"),
    reads(2, "int32"),
    reads(2, "int32"),
    reads(1, "int32"),
    reads(1, "int32"),
    reads(2, "float32"),
    reads(3, "float32"),
    reads(1, "uint8"),
    reads(1),
    reads(1),
)


class Surroundings(NamedTuple):
    """Everything that can be run into: people over time, and walls."""

    entries: Entries
    distances: DistanceGrid
    arms: DistanceGrid
    """To what arms can hit."""
    margin: np.ndarray
    """[3] m between people, between trunks and obstacles, and between arms and what they can hit; may be negative."""


SURROUNDINGS = group(Surroundings, WRITTEN, DISTANCES, DISTANCES, reads(1))


class Placed(NamedTuple):
    """Where an edge begins, when, and how fast it is played: plain numbers, which cost nothing to hand on."""

    x: float
    y: float
    heading: float
    begin: float
    """s."""
    rate: float
    """Times its own speed."""


class Shift(NamedTuple):
    """By how much the body is displaced when an edge begins, and how much more per second."""

    x: float
    y: float
    heading: float
    x_per_s: float
    y_per_s: float
    heading_per_s: float


NO_SHIFT = Shift(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel(borrowed=True)
def reach_of(discs, row, d):
    """Return m from the root within which a disc of a sample lies, or more; 0 for none."""
    return abs(discs[row, d, 0]) + abs(discs[row, d, 1]) + discs[row, d, 2] if discs[row, d, 2] > 0.0 else 0.0


@kernel(borrowed=True)
def placed_disc(discs, row, d, x, y, c, s):
    """Return a disc (x, y, r) of a sample on the floor, for a root at (x, y) with a heading of this cosine and sine."""
    dx, dy = discs[row, d, 0], discs[row, d, 1]
    return (x + c * dx - s * dy, y + s * dx + c * dy, discs[row, d, 2])


@kernel(borrowed=True)
def edge_depth(steps, world, edge, placed, shift, me, enough):
    """Return how deep (m, summed over bins) an edge runs into things where it is `Placed`, up to `enough`.

    Arrays are taken out of their groups first: they would be counted in and out of every loop otherwise, which costs
    more than the work itself.
    """
    begin, rate = placed.begin, placed.rate
    places, discs = steps.places, steps.discs
    entries, distances, arms = world.entries, world.distances, world.arms
    between, aside, beside = world.margin[0], world.margin[1], world.margin[2]
    first, last = steps.sample_first[edge], steps.sample_first[edge + 1] - 1
    seconds, tick, excused = steps.seconds[edge], steps.tick[0], steps.excused[edge] != 0
    length, trunk = seconds / rate, steps.trunk[0] + aside
    c, s = math.cos(placed.heading), math.sin(placed.heading)
    total = 0.0
    k = int(math.ceil(begin / BIN_S - 1e-9))
    while k * BIN_S < begin + length - 1e-9:
        since = k * BIN_S - begin
        u = since * rate / tick
        row = min(first + int(u), last)
        after = min(row + 1, last)
        part = u - (row - first)
        if after == last:
            whole = seconds / tick - (last - 1 - first)
            part = part / whole if whole > 1e-9 else 1.0
        part = min(max(part, 0.0), 1.0)
        px = places[row, 0] + part * (places[after, 0] - places[row, 0])
        py = places[row, 1] + part * (places[after, 1] - places[row, 1])
        ph = places[row, 2] + part * (places[after, 2] - places[row, 2])
        x = placed.x + c * px - s * py + shift.x + shift.x_per_s * since
        y = placed.y + s * px + c * py + shift.y + shift.y_per_s * since
        h = placed.heading + ph + shift.heading + shift.heading_per_s * since
        if not excused:
            free = distance_at(distances, x, y) - trunk
            if free < 0.0:
                total -= max(free, -1.0)
        ch, sh = math.cos(h), math.sin(h)
        reach = max(reach_of(discs, row, 0), reach_of(discs, row, 1), reach_of(discs, row, 2))
        first_disc = placed_disc(discs, row, 0, x, y, ch, sh)
        if not excused and first_disc[2] > 0.0:
            free = distance_at(arms, first_disc[0], first_disc[1]) - first_disc[2] - beside
            if free < 0.0:
                total -= max(free, -1.0)
        second_disc = placed_disc(discs, row, 1, x, y, ch, sh)
        third_disc = placed_disc(discs, row, 2, x, y, ch, sh)
        deep = overlap_of_body(entries, k, x, y, reach, first_disc, second_disc, third_disc, between, me)
        total = total + deep[0] + deep[1] + deep[2]
        if total > enough:
            return total
        k += 1
    return total
