"""How deep an edge that is played somewhere from some time on runs into obstacles and into others.

Helpers that are compiled into the kernels of seeds and search, and one kernel for tests.
"""

# mypy: ignore-errors

import math
from typing import NamedTuple

import numpy as np

from walkon._base.jit import group, kernel, reads
from walkon.planning._occupancy_kernels import WRITTEN, overlap
from walkon.planning.occupancy import BIN, Entries
from walkon.synthesis.goal_directed.plan_graph import Steps

STEPS = group(
    Steps,
    reads(1, "int32"),
    reads(1, "int32"),
    reads(2),
    reads(1),
    reads(1),
    reads(1, "uint8"),
    reads(1, "int32"),
    reads(1, "int32"),
    reads(1, "int32"),
    reads(1, "int32"),
    reads(1, "int32"),
    reads(2, "float32"),
    reads(3, "float32"),
    reads(1),
)


class World(NamedTuple):
    """Everything that can be run into."""

    entries: Entries
    nodes: np.ndarray
    """[nx, ny] m, see `clearance`."""
    grid: np.ndarray
    """[4] x and y of node (0, 0), spacing, clearance off the grid."""
    margin: np.ndarray
    """[2] m between people, and between people and obstacles."""


WORLD = group(World, WRITTEN, reads(2), reads(1), reads(1))


@kernel()
def clearance(world, x, y):
    """Return metres to the nearest obstacle, negative inside: bilinear between the grid's nodes."""
    nx, ny = world.nodes.shape
    if nx == 0:
        return world.grid[3]
    u, v = (x - world.grid[0]) / world.grid[2], (y - world.grid[1]) / world.grid[2]
    if not (0.0 <= u <= nx - 1 and 0.0 <= v <= ny - 1):
        return world.grid[3]
    i, j = min(int(u), nx - 2), min(int(v), ny - 2)
    a, b = u - i, v - j
    n = world.nodes
    return (1 - a) * ((1 - b) * n[i, j] + b * n[i, j + 1]) + a * ((1 - b) * n[i + 1, j] + b * n[i + 1, j + 1])


@kernel()
def edge_depth(steps, world, edge, pose, begin, rate, offset, slope, me, enough):
    """Return how deep (m, summed over bins) an edge runs into things, up to `enough`.

    It starts at the planar pose [3] at `begin` seconds, at `rate` times its speed; the body is shifted by the offset
    [3] plus `slope` [3] per second.
    """
    first, last = steps.sample_first[edge], steps.sample_first[edge + 1] - 1
    length = steps.seconds[edge] / rate
    tick = steps.tick[0]
    c, s = math.cos(pose[2]), math.sin(pose[2])
    total = 0.0
    k = int(math.ceil(begin / BIN - 1e-9))
    while k * BIN < begin + length - 1e-9:
        since = k * BIN - begin
        u = since * rate / tick
        row = min(first + int(u), last)
        after = min(row + 1, last)
        part = u - (row - first)
        if after == last:
            whole = steps.seconds[edge] / tick - (last - 1 - first)
            part = part / whole if whole > 1e-9 else 1.0
        part = min(max(part, 0.0), 1.0)
        px = steps.places[row, 0] + part * (steps.places[after, 0] - steps.places[row, 0])
        py = steps.places[row, 1] + part * (steps.places[after, 1] - steps.places[row, 1])
        ph = steps.places[row, 2] + part * (steps.places[after, 2] - steps.places[row, 2])
        x = pose[0] + c * px - s * py + offset[0] + slope[0] * since
        y = pose[1] + s * px + c * py + offset[1] + slope[1] * since
        h = pose[2] + ph + offset[2] + slope[2] * since
        ch, sh = math.cos(h), math.sin(h)
        for d in range(3):
            r = steps.discs[row, d, 2]
            if r <= 0.0:
                continue
            dx, dy = steps.discs[row, d, 0], steps.discs[row, d, 1]
            wx, wy = x + ch * dx - sh * dy, y + sh * dx + ch * dy
            free = clearance(world, wx, wy) - r - world.margin[1]
            if free < 0.0:
                total -= max(free, -1.0)
            total += overlap(world.entries, k, wx, wy, r, world.margin[0], me)
        if total > enough:
            return total
        k += 1
    return total
