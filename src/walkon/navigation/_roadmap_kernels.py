"""The compiled half of `roadmap`: A* over a visibility graph with lazy edges, and the short cuts of its paths."""

# mypy: ignore-errors

import math

import numpy as np

from walkon._base.jit import group, kernel, reads, writes
from walkon.navigation.roadmap_rule import FREE_END_M, NEAR_WALL_COST_RATIO, RoadGraph
from walkon.stage._wall_kernels import WALLS, is_clear

GRAPH = group(RoadGraph, reads(2), reads(1, "int64"), reads(1, "int32"), reads(1), reads(1, "boolean"))
NOBODY, SEEN, UNSEEN = -1, 0, 1
"""A node without a way to it; a way that is known to be free; one that is still to be looked along."""


@kernel()
def price(walls, ax, ay, bx, by, need, comfort):
    """Return what a line costs (`roadmap_graph.prices`): its length, more where it scrapes, infinite if blocked."""
    if not is_clear(walls, ax, ay, bx, by, need):
        return math.inf
    length = math.hypot(bx - ax, by - ay)
    share = min(FREE_END_M / max(length, 1e-9), 0.5)
    dx, dy = share * (bx - ax), share * (by - ay)
    return length if is_clear(walls, ax + dx, ay + dy, bx - dx, by - dy, comfort) else NEAR_WALL_COST_RATIO * length


@kernel(WALLS, reads(2), reads(2), "float64", "float64", writes(1, "boolean"))
def are_straight(walls, starts, goals, need, comfort, found):
    """Fill [N] which goals are reached by a straight line that scrapes along nothing."""
    for i in range(len(starts)):
        ax, ay, bx, by = starts[i, 0], starts[i, 1], goals[i, 0], goals[i, 1]
        found[i] = price(walls, ax, ay, bx, by, need, comfort) <= math.hypot(bx - ax, by - ay)


@kernel()
def sink(keys, order, size, at):
    """Move an entry of a heap of entry numbers down to its place; ties go to the entry that was made first."""
    moving = order[at]
    key = keys[moving]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        a, b = order[child], order[min(child + 1, size - 1)]
        if keys[b] < keys[a] or (keys[b] == keys[a] and b < a):
            child += 1
            a = b
        if key < keys[a] or (key == keys[a] and moving < a):
            break
        order[at] = a
        at = child
    order[at] = moving


@kernel()
def rise(keys, order, at):
    """Move an entry of the heap up to its place."""
    moving = order[at]
    key = keys[moving]
    while at > 0:
        above = order[(at - 1) // 2]
        if keys[above] < key or (keys[above] == key and above < moving):
            break
        order[at] = above
        at = (at - 1) // 2
    order[at] = moving


@kernel()
def search(walls, graph, sx, sy, gx, gy, need, comfort, costs, parents, keys, sofar, best, numbers):
    """Find the cheapest way from (sx, sy) to (gx, gy): A*, with the straight distance for what is ahead.

    Lines from the start to nodes and from nodes to the goal enter the heap unseen, at their length, and are looked
    along only when they come up. Node n is the goal, n + 1 the start. Fills costs [n + 1] (infinite where no way was
    found) and parents [n + 1]; the others are scratch.
    """
    nodes, n = graph.nodes, len(graph.nodes)
    order, node_of, from_of, state = numbers[0], numbers[1], numbers[2], numbers[3]
    costs[:] = math.inf
    parents[:] = NOBODY
    best[:] = math.inf
    size = made = n + 1
    for v in range(n + 1):
        x, y = (gx, gy) if v == n else (nodes[v, 0], nodes[v, 1])
        g = math.hypot(x - sx, y - sy)
        keys[v], sofar[v], order[v] = g + math.hypot(gx - x, gy - y), g, v
        node_of[v], from_of[v], state[v] = v, n + 1, UNSEEN
    for at in range(size // 2 - 1, -1, -1):
        sink(keys, order, size, at)
    while size > 0:
        entry = order[0]
        size -= 1
        order[0] = order[size]
        if size > 1:
            sink(keys, order, size, 0)
        v, u, g = node_of[entry], from_of[entry], sofar[entry]
        if costs[v] < math.inf or g > best[v]:
            continue
        vx, vy = (gx, gy) if v == n else (nodes[v, 0], nodes[v, 1])
        if state[entry] == UNSEEN:
            ux, uy = (sx, sy) if u == n + 1 else (nodes[u, 0], nodes[u, 1])
            more = price(walls, ux, uy, vx, vy, need, comfort) - math.hypot(vx - ux, vy - uy)
            if more == math.inf:
                continue
            if more > 0.0:  # it scrapes: its turn comes later
                keys[entry] += more
                sofar[entry] += more
                state[entry] = SEEN
                best[v] = min(best[v], sofar[entry])
                order[size] = entry
                rise(keys, order, size)
                size += 1
                continue
        costs[v], parents[v] = g, u
        if v == n:
            return
        first, last = graph.starts[v], graph.starts[v + 1]
        for k in range(first, last + 1):
            # The way on to the goal is the last edge of every node.
            w = n if k == last else graph.ends[k]
            wx, wy = (gx, gy) if k == last else (nodes[w, 0], nodes[w, 1])
            ahead = math.hypot(gx - (vx if k == last else wx), gy - (vy if k == last else wy))
            there = g + (ahead if k == last else graph.costs[k])
            if costs[w] < math.inf or there >= best[w]:
                continue
            keys[made], sofar[made] = there if k == last else there + ahead, there
            node_of[made], from_of[made], state[made] = w, v, UNSEEN if k == last else SEEN
            if k < last:
                best[w] = there
            order[size] = made
            rise(keys, order, size)
            size, made = size + 1, made + 1


@kernel()
def shorten(walls, points, count, need, comfort, costs, parents):
    """Keep of points [count, 2] those on the cheapest way along them, in place; return how many.

    costs[j] = min over i < j of costs[i] + price(i → j): every line of sight along the path is a short cut.
    """
    costs[0] = 0.0
    for j in range(1, count):
        costs[j] = math.inf
        for i in range(j):
            bound = costs[i] + math.hypot(points[j, 0] - points[i, 0], points[j, 1] - points[i, 1])
            if bound < costs[j] - 1e-9:
                cost = costs[i] + price(walls, points[i, 0], points[i, 1], points[j, 0], points[j, 1], need, comfort)
                if cost < costs[j] - 1e-9:
                    costs[j], parents[j] = cost, i
    if costs[count - 1] == math.inf:
        return count
    kept = 1
    at = count - 1
    while at > 0:
        at = parents[at]
        kept += 1
    to, at = kept - 1, count - 1
    order = np.empty(kept, np.int64)
    while to >= 0:
        order[to] = at
        at = parents[at]
        to -= 1
    for k in range(kept):
        points[k, 0], points[k, 1] = points[order[k], 0], points[order[k], 1]
    return kept


@kernel()
def fill_in(points, count, spacing):
    """Put points between points [count, 2], at most `spacing` apart, as far as there is room; return how many."""
    total = 1
    for k in range(count - 1):
        length = math.hypot(points[k + 1, 0] - points[k, 0], points[k + 1, 1] - points[k, 1])
        total += max(int(math.ceil(length / spacing)), 1)
    if total > len(points):
        return count
    to = total - 1
    for k in range(count - 2, -1, -1):
        ax, ay, bx, by = points[k, 0], points[k, 1], points[k + 1, 0], points[k + 1, 1]
        pieces = max(int(math.ceil(math.hypot(bx - ax, by - ay) / spacing)), 1)
        for piece in range(pieces, 0, -1):
            # Counted back from the far end, so that the path's own points stay as they are.
            share = 1.0 - piece / pieces
            points[to, 0], points[to, 1] = bx - share * (bx - ax), by - share * (by - ay)
            to -= 1
    return total


@kernel(
    WALLS,
    GRAPH,
    reads(2),
    reads(2),
    "float64",
    "float64",
    "float64",
    writes(3),
    writes(1, "int64"),
)
def route(walls, graph, starts, goals, need, comfort, spacing, points, counts):
    """Fill points [N, L, 2] and counts [N] of the cheapest ways; count 0: there is none, −1: over L points."""
    n, L = len(graph.nodes), points.shape[1]
    room = len(graph.ends) + 4 * n + 8
    keys, sofar, best, numbers = np.empty(room), np.empty(room), np.empty(n + 1), np.empty((4, room), np.int64)
    costs, parents = np.empty(n + 1), np.empty(n + 1, np.int64)
    along, before = np.empty(L), np.empty(L, np.int64)
    for i in range(len(starts)):
        sx, sy, gx, gy = starts[i, 0], starts[i, 1], goals[i, 0], goals[i, 1]
        line = points[i]
        if price(walls, sx, sy, gx, gy, need, comfort) <= math.hypot(gx - sx, gy - sy):
            line[0, 0], line[0, 1], line[1, 0], line[1, 1] = sx, sy, gx, gy
            counts[i] = 2
            continue
        search(walls, graph, sx, sy, gx, gy, need, comfort, costs, parents, keys, sofar, best, numbers)
        counts[i] = 0
        if costs[n] == math.inf:
            continue
        count, at, sampled = 2, parents[n], False
        while at != n + 1:
            sampled = sampled or not graph.corners[at]
            at = parents[at]
            count += 1
        if count > L:
            counts[i] = -1
            continue
        line[count - 1, 0], line[count - 1, 1] = gx, gy
        at = parents[n]
        for k in range(count - 2, 0, -1):
            line[k, 0], line[k, 1] = graph.nodes[at, 0], graph.nodes[at, 1]
            at = parents[at]
        line[0, 0], line[0, 1] = sx, sy
        # Random nodes lie off the taut line: such paths are filled in and cut across once more.
        for again in range(2 if sampled else 1):
            if again:
                count = fill_in(line, count, spacing)
            count = shorten(walls, line, count, need, comfort, along, before)
        counts[i] = count
