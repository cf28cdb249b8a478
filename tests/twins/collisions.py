"""How deep an edge runs into things, in plain NumPy: what `_collision_kernels.edge_depth` is held equal to.

All bins at once, and everybody is looked at instead of a hashed grid. Metres, seconds.
"""

from typing import Any

import numpy as np

from walkon._base.arrays import Array
from walkon.planning.occupancy import BIN_S, NOBODY
from walkon.synthesis.goal_directed.plan_graph import Steps

__all__ = ["clearance", "edge_depth", "overlap"]


def clearance(nodes: Array, grid: Array, points: Array) -> Array:
    """Return metres [n] from points [n, 2] to the nearest obstacle: bilinear between nodes, grid[3] off the grid."""
    found = np.full(len(points), float(grid[3]))
    if not nodes.size:
        return found
    at = (points - grid[:2]) / grid[2]
    inside = ((at >= 0) & (at <= np.array(nodes.shape) - 1)).all(axis=1)
    low = np.minimum(at[inside].astype(np.int64), np.array(nodes.shape) - 2)
    (a, b), (i, j) = (at[inside] - low).T, low.T
    found[inside] = (1 - a) * ((1 - b) * nodes[i, j] + b * nodes[i, j + 1]) + a * (
        (1 - b) * nodes[i + 1, j] + b * nodes[i + 1, j + 1]
    )
    return found


def overlap(entries: Any, k: int, disc: Array, margin: float, me: int) -> float:
    """Return by how many metres a disc [3] overlaps the worst of others than `me` at bin k."""
    rows = np.flatnonzero((entries.bins == k) & (entries.who != NOBODY) & (entries.who != me))
    apart = np.hypot(entries.x[rows].astype(np.float64) - disc[0], entries.y[rows].astype(np.float64) - disc[1])
    return float(np.max(entries.r[rows].astype(np.float64) + disc[2] + margin - apart, initial=0.0))


def edge_depth(
    steps: Steps,
    world: Any,
    edge: int,
    pose: Array,
    *,
    begin: float,
    rate: float = 1.0,
    offset: Array | None = None,
    slope: Array | None = None,
    me: int,
    enough: float = np.inf,
) -> float:
    """Return how deep (m, summed over bins) an edge from a planar pose [3] at `begin` seconds on runs into things.

    It plays at `rate` times its speed and is displaced by an offset [3] and a slope [3] per second. What comes after
    the bin in which it gets deeper than `enough` is left out.
    """
    offset = np.zeros(3) if offset is None else offset
    slope = np.zeros(3) if slope is None else slope
    first, last = int(steps.sample_first[edge]), int(steps.sample_first[edge + 1]) - 1
    tick, seconds = float(steps.tick[0]), float(steps.seconds[edge])
    bins = np.arange(int(np.ceil(begin / BIN_S - 1e-9)), int(np.ceil((begin + seconds / rate) / BIN_S)) + 2)
    bins = bins[bins * BIN_S < begin + seconds / rate - 1e-9]
    since = bins * BIN_S - begin
    # Samples lie a tick apart, but for the last one, which is the end of the edge.
    marks = np.append(np.arange(last - first) * tick, seconds)
    row = np.clip((since * rate / tick).astype(np.int64), 0, last - first)
    after = np.minimum(row + 1, last - first)
    span = marks[after] - marks[row]
    part = np.clip(np.where(span > 1e-9 * tick, (since * rate - marks[row]) / np.maximum(span, 1e-12), 1.0), 0.0, 1.0)
    places = steps.places[first : last + 1].astype(np.float64)
    local = places[row] + part[:, None] * (places[after] - places[row])
    c, s = np.cos(pose[2]), np.sin(pose[2])
    x = pose[0] + c * local[:, 0] - s * local[:, 1] + offset[0] + slope[0] * since
    y = pose[1] + s * local[:, 0] + c * local[:, 1] + offset[1] + slope[1] * since
    h = pose[2] + local[:, 2] + offset[2] + slope[2] * since
    discs = steps.discs[first : last + 1].astype(np.float64)[row]
    depths = np.zeros(len(bins))
    if not steps.excused[edge]:
        free = clearance(*world.distances, np.column_stack([x, y])) - steps.trunk[0] - world.margin[1]
        depths += np.where(free < 0, np.minimum(-free, 1.0), 0.0)
    for d in range(3):
        dx, dy, r = discs[:, d].T
        there = np.column_stack([x + np.cos(h) * dx - np.sin(h) * dy, y + np.sin(h) * dx + np.cos(h) * dy, r])
        if d == 0 and not steps.excused[edge]:
            free = clearance(*world.arms, there[:, :2]) - r - world.margin[2]
            depths += np.where((r > 0) & (free < 0), np.minimum(-free, 1.0), 0.0)
        for k in np.flatnonzero(r > 0):
            depths[k] += overlap(world.entries, int(bins[k]), there[k], float(world.margin[0]), me)
    summed = np.cumsum(depths)
    over = np.flatnonzero(summed > enough)
    return float(summed[over[0]] if len(over) else summed[-1] if len(summed) else 0.0)
