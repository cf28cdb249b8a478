"""Compiled signed distances: the exact distance field of wall segments at grid nodes (see `distance_grid`).

The field is filled block by block. For a block with centre c and half diagonal h, only segments with
d(c) ≤ min d(c) + 2 h can be nearest to any of its nodes; each level of smaller blocks filters the list of the level
above, so that a node is held against a handful of segments, however many there are.
"""

# mypy: ignore-errors

import math

import numpy as np

from walkon._base.jit import group, kernel, reads, writes
from walkon.stage.distance_rule import DistanceGrid

DISTANCES = group(DistanceGrid, reads(2), reads(1))
COARSE_NODES, MIDDLE_NODES, FINE_NODES = 64, 16, 4
"""Nodes along the side of a block, level by level."""
ROUNDING_SLACK_M = 1e-6
"""m by which rounding may falsify the bound of a block."""


@kernel(borrowed=True)
def distance_at(distances, x, y):
    """Return the signed distance to the nearest wall at a place: bilinear between the grid's nodes."""
    nx, ny = distances.nodes.shape
    if nx == 0:
        return distances.frame[3]
    u, v = (x - distances.frame[0]) / distances.frame[2], (y - distances.frame[1]) / distances.frame[2]
    if not (0.0 <= u <= nx - 1 and 0.0 <= v <= ny - 1):
        return distances.frame[3]
    i, j = min(int(u), nx - 2), min(int(v), ny - 2)
    a, b = u - i, v - j
    n = distances.nodes
    return (1 - a) * ((1 - b) * n[i, j] + b * n[i, j + 1]) + a * ((1 - b) * n[i + 1, j] + b * n[i + 1, j + 1])


@kernel(DISTANCES, reads(2), writes(1), borrowed=True)
def read_distances(distances, points, found):
    """Fill [n] the signed distance at points [n, 2]."""
    for i in range(len(points)):
        found[i] = distance_at(distances, points[i, 0], points[i, 1])


@kernel(borrowed=True)
def to_segment(edges, e, x, y):
    """Return the distance from a point to segment e, in the form and order that GEOS has (equal to the last bit)."""
    ax, ay, bx, by = edges[e, 0], edges[e, 1], edges[e, 2], edges[e, 3]
    if ax == bx and ay == by:
        return math.sqrt((x - ax) * (x - ax) + (y - ay) * (y - ay))
    length2 = (bx - ax) * (bx - ax) + (by - ay) * (by - ay)
    along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length2
    if along <= 0.0:
        return math.sqrt((x - ax) * (x - ax) + (y - ay) * (y - ay))
    if along >= 1.0:
        return math.sqrt((x - bx) * (x - bx) + (y - by) * (y - by))
    across = ((ay - y) * (bx - ax) - (ax - x) * (by - ay)) / length2
    return abs(across) * math.sqrt(length2)


@kernel(borrowed=True)
def near_block(edges, pool, count, x, y, half, away, kept):
    """Keep of `count` segments of a pool those that can be nearest to a point within `half` of (x, y)."""
    nearest = math.inf
    for k in range(count):
        away[k] = to_segment(edges, pool[k], x, y)
        nearest = min(nearest, away[k])
    limit, held = nearest + 2.0 * half + ROUNDING_SLACK_M, 0
    for k in range(count):
        if away[k] <= limit:
            kept[held] = pool[k]
            held += 1
    return held


@kernel(reads(2), reads(1), "int64", "int64", "boolean", writes(2))
def fill_distances(edges, frame, first, stop, free_inside, nodes):
    """Fill rows first to stop of nodes [nx, ny] with signed distances to segments [E, 4].

    Positive is inside the rings that the segments form (even–odd rule) where `free_inside`, outside them otherwise.
    """
    count, ny, step = len(edges), nodes.shape[1], frame[2]
    every, away = np.arange(count).astype(np.int32), np.empty(count)
    coarse, middle, fine = np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count, np.int32)
    root = math.sqrt(0.5) * step
    for i0 in range(first, stop, COARSE_NODES):
        for j0 in range(0, ny, COARSE_NODES):
            x, y = frame[0] + (i0 + COARSE_NODES / 2) * step, frame[1] + (j0 + COARSE_NODES / 2) * step
            in_coarse = near_block(edges, every, count, x, y, COARSE_NODES * root, away, coarse)
            for i1 in range(i0, min(i0 + COARSE_NODES, stop), MIDDLE_NODES):
                for j1 in range(j0, min(j0 + COARSE_NODES, ny), MIDDLE_NODES):
                    x, y = frame[0] + (i1 + MIDDLE_NODES / 2) * step, frame[1] + (j1 + MIDDLE_NODES / 2) * step
                    in_middle = near_block(edges, coarse, in_coarse, x, y, MIDDLE_NODES * root, away, middle)
                    for i2 in range(i1, min(i1 + MIDDLE_NODES, stop), FINE_NODES):
                        for j2 in range(j1, min(j1 + MIDDLE_NODES, ny), FINE_NODES):
                            x, y = frame[0] + (i2 + FINE_NODES / 2) * step, frame[1] + (j2 + FINE_NODES / 2) * step
                            in_fine = near_block(edges, middle, in_middle, x, y, FINE_NODES * root, away, fine)
                            for i in range(i2, min(i2 + FINE_NODES, stop)):
                                px = frame[0] + step * i
                                for j in range(j2, min(j2 + FINE_NODES, ny)):
                                    py = frame[1] + step * j
                                    nearest = math.inf
                                    for k in range(in_fine):
                                        nearest = min(nearest, to_segment(edges, fine[k], px, py))
                                    nodes[i, j] = nearest
    crossings = np.empty(count)
    for i in range(first, stop):
        x, found = frame[0] + step * i, 0
        for e in range(count):
            ax, bx = edges[e, 0], edges[e, 2]
            if (ax > x) != (bx > x):
                y, at = edges[e, 1] + (x - ax) * (edges[e, 3] - edges[e, 1]) / (bx - ax), found
                while at > 0 and crossings[at - 1] > y:
                    crossings[at] = crossings[at - 1]
                    at -= 1
                crossings[at] = y
                found += 1
        passed = 0
        for j in range(ny):
            y = frame[1] + step * j
            while passed < found and crossings[passed] < y:
                passed += 1
            if (passed % 2 == 1) != free_inside:
                nodes[i, j] = -nodes[i, j]
