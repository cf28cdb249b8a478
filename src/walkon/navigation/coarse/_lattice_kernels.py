"""The compiled half of `lattice`: places for cells, free steps between them, and what is left to go."""

# mypy: ignore-errors

import math

import numpy as np

from walkon._base.jit import group, kernel, reads, writes
from walkon.navigation._distance_kernels import open_line
from walkon.navigation.coarse.coarse_rule import EFFORT_S_PER_M, MOVE_COUNT, MOVES, REACH_M, STEP_S, Lattice
from walkon.stage._distance_kernels import DISTANCES, distance_at

LATTICE = group(Lattice, reads(3), reads(2, "uint32"), reads(2, "float32"), reads(1))
SPARE_M = 0.02
"""m more than needed that a place has rather than being in the middle of its cell."""
COMFORT_M, WALL_PRICE_S = 0.25, 0.12
"""m more than needed that are liked between a body and walls, and s that a step to a place without any costs."""
THROUGH_PRICE_S = 2.0
"""s that a step to where somebody else comes to rest costs, when it is looked who must go first."""
CHEAPEST_S_PER_M = STEP_S / REACH_M + EFFORT_S_PER_M
"""s that a metre costs at least."""
TRIED_PER_SIDE = 5
"""Places that are tried along a side of a cell."""


@kernel(DISTANCES, reads(1), "float64", "int64", "int64", writes(3), writes(2, "float32"))
def fill_places(distances, frame, need, first, stop, places, prices):
    """Fill rows first to stop of the places [nx, ny, 2] of cells, the free ones nearest to their middles, NaN for none.

    `prices` [nx, ny] are s that a step to there costs because walls are near.
    """
    ny = places.shape[1]
    pitch = frame[4]
    for i in range(first, stop):
        for j in range(ny):
            best, best_x, best_y = -math.inf, math.nan, math.nan
            for a in range(TRIED_PER_SIDE):
                for b in range(TRIED_PER_SIDE):
                    u = pitch * ((a - TRIED_PER_SIDE // 2) / TRIED_PER_SIDE)
                    v = pitch * ((b - TRIED_PER_SIDE // 2) / TRIED_PER_SIDE)
                    x = frame[0] + frame[2] * (i * pitch + u) - frame[3] * (j * pitch + v)
                    y = frame[1] + frame[3] * (i * pitch + u) + frame[2] * (j * pitch + v)
                    room = distance_at(distances, x, y)
                    if room < need:
                        continue
                    worth = min(room, need + SPARE_M) - 0.2 * math.sqrt(u * u + v * v)
                    if worth > best:
                        best, best_x, best_y = worth, x, y
            places[i, j, 0], places[i, j, 1] = best_x, best_y
            if best > -math.inf:
                spare = (distance_at(distances, best_x, best_y) - need) / COMFORT_M
                prices[i, j] = WALL_PRICE_S * max(1.0 - spare, 0.0)


@kernel(DISTANCES, reads(3), "float64", "int64", "int64", writes(2, "uint32"))
def fill_moves(distances, places, need, first, stop, moves):
    """Fill rows first to stop of the moves [nx, ny]: those that are short enough and along which there is room."""
    nx, ny, _ = places.shape
    for i in range(first, stop):
        for j in range(ny):
            x, y = places[i, j, 0], places[i, j, 1]
            found = np.uint32(0)
            if not math.isnan(x):
                room = distance_at(distances, x, y)
                for m in range(MOVE_COUNT):
                    a, b = i + MOVES[m, 0], j + MOVES[m, 1]
                    if not (0 <= a < nx and 0 <= b < ny) or math.isnan(places[a, b, 0]):
                        continue
                    tx, ty = places[a, b, 0], places[a, b, 1]
                    far = math.sqrt((tx - x) ** 2 + (ty - y) ** 2)
                    if far > REACH_M:
                        continue
                    if room >= need + far or open_line(distances, x, y, tx, ty, (x, y, x, y), (need, need, need)):
                        found |= np.uint32(1) << np.uint32(m)
            moves[i, j] = found


@kernel(borrowed=True)
def _sift_up(heap, order, at):
    while at > 0:
        up = (at - 1) >> 1
        if heap[up] <= heap[at]:
            break
        heap[up], heap[at] = heap[at], heap[up]
        order[up], order[at] = order[at], order[up]
        at = up


@kernel(borrowed=True)
def _sift_down(heap, order, count):
    at = 0
    while True:
        low = 2 * at + 1
        if low >= count:
            break
        if low + 1 < count and heap[low + 1] < heap[low]:
            low += 1
        if heap[at] <= heap[low]:
            break
        heap[low], heap[at] = heap[at], heap[low]
        order[low], order[at] = order[at], order[low]
        at = low


@kernel(borrowed=True)
def cell_of(lattice, x, y):
    """Return the cell that a place is nearest to, which may be off the lattice."""
    dx, dy = x - lattice.frame[0], y - lattice.frame[1]
    u = (lattice.frame[2] * dx + lattice.frame[3] * dy) / lattice.frame[4]
    v = (lattice.frame[2] * dy - lattice.frame[3] * dx) / lattice.frame[4]
    return int(math.floor(u + 0.5)), int(math.floor(v + 0.5))


@kernel(borrowed=True)
def joins(distances, x, y, tx, ty, reach, clearance, need):
    """Return m from a node to a spot with its own clearance, or −1 where one cannot go there in a step."""
    far = math.sqrt((tx - x) ** 2 + (ty - y) ** 2)
    if far > reach:
        return -1.0
    return far if open_line(distances, x, y, tx, ty, (tx, ty, tx, ty), (need, clearance, clearance)) else -1.0


@kernel(
    DISTANCES, LATTICE, reads(2), reads(1), "float64", "float64", reads(2), "float64", "boolean",
    writes(2, "float32"),
)  # fmt: skip
def fill_costs(distances, lattice, spots, clearance, need, reach, froms, spare, straight, costs):
    """Fill costs [nx, ny] (inf) of going from every node to the nearest of spots [K, 2], s: Dijkstra.

    It ends when what costs `spare` s more than the way from places [F, 2] has been looked at. `straight`: only what may
    lie on the way from the first of these is looked at (A*).
    """
    toward = CHEAPEST_S_PER_M if straight and len(froms) else 0.0
    to_x, to_y = (froms[0, 0], froms[0, 1]) if len(froms) else (0.0, 0.0)
    nx, ny = costs.shape
    room = 4 * nx * ny + 64
    heap, order = np.empty(room), np.empty(room, np.int32)
    count = 0
    around = int(math.ceil(reach / lattice.frame[4])) + 1
    for k in range(len(spots)):
        ci, cj = cell_of(lattice, spots[k, 0], spots[k, 1])
        for i in range(max(ci - around, 0), min(ci + around + 1, nx)):
            for j in range(max(cj - around, 0), min(cj + around + 1, ny)):
                x, y = lattice.places[i, j, 0], lattice.places[i, j, 1]
                if math.isnan(x):
                    continue
                far = joins(distances, x, y, spots[k, 0], spots[k, 1], reach, clearance[k], need)
                cost = STEP_S + EFFORT_S_PER_M * far
                if far >= 0.0 and cost < costs[i, j] and count < room:
                    costs[i, j] = cost
                    ahead = toward * math.sqrt((x - to_x) ** 2 + (y - to_y) ** 2)
                    heap[count], order[count] = np.float64(np.float32(cost)) + ahead, i * ny + j
                    _sift_up(heap, order, count)
                    count += 1
    limit, left = math.inf, len(froms)
    goals = np.full((len(froms), 2), -1)
    for f in range(len(froms)):
        goals[f, 0], goals[f, 1] = cell_of(lattice, froms[f, 0], froms[f, 1])
    while count > 0:
        total, at = heap[0], order[0]
        count -= 1
        heap[0], order[0] = heap[count], order[count]
        _sift_down(heap, order, count)
        i, j = at // ny, at % ny
        cost = np.float64(costs[i, j])
        x, y = lattice.places[i, j, 0], lattice.places[i, j, 1]
        if total > cost + toward * math.sqrt((x - to_x) ** 2 + (y - to_y) ** 2) + 1e-9:
            continue
        if total > limit:
            break
        for f in range(len(froms)):
            if goals[f, 0] >= 0 and abs(goals[f, 0] - i) <= 1 and abs(goals[f, 1] - j) <= 1:
                goals[f, 0] = -1
                left -= 1
                if left == 0:
                    limit = total + spare
        bits = lattice.moves[i, j]
        for m in range(MOVE_COUNT):
            if (bits >> np.uint32(m)) & np.uint32(1) == 0:
                continue
            a, b = i + MOVES[m, 0], j + MOVES[m, 1]
            dx = lattice.places[a, b, 0] - lattice.places[i, j, 0]
            dy = lattice.places[a, b, 1] - lattice.places[i, j, 1]
            there = np.float32(cost + STEP_S + EFFORT_S_PER_M * math.sqrt(dx * dx + dy * dy) + lattice.prices[i, j])
            if there < costs[a, b] and count < room:
                costs[a, b] = there
                tx, ty = lattice.places[a, b, 0] - to_x, lattice.places[a, b, 1] - to_y
                heap[count], order[count] = np.float64(there) + toward * math.sqrt(tx * tx + ty * ty), a * ny + b
                _sift_up(heap, order, count)
                count += 1


@kernel(LATTICE, reads(2), writes(2, "float32"))
def add_prices(lattice, discs, prices):
    """Raise prices [nx, ny] of places in discs [K, 3] = (x, y, radius) by `THROUGH_PRICE_S`."""
    nx, ny = prices.shape
    for k in range(len(discs)):
        around = int(math.ceil(discs[k, 2] / lattice.frame[4])) + 1
        ci, cj = cell_of(lattice, discs[k, 0], discs[k, 1])
        for i in range(max(ci - around, 0), min(ci + around + 1, nx)):
            for j in range(max(cj - around, 0), min(cj + around + 1, ny)):
                dx, dy = lattice.places[i, j, 0] - discs[k, 0], lattice.places[i, j, 1] - discs[k, 1]
                if dx * dx + dy * dy < discs[k, 2] * discs[k, 2]:
                    prices[i, j] += THROUGH_PRICE_S


@kernel(LATTICE, reads(2, "float32"), "float64", "float64", "float64", writes(2))
def descend(lattice, costs, x, y, reach, path):
    """Fill the path [K, 2] over nodes from near a place down to where the costs end; return how many points."""
    nx, ny = costs.shape
    ci, cj = cell_of(lattice, x, y)
    around = int(math.ceil(reach / lattice.frame[4])) + 1
    best, at_i, at_j = math.inf, -1, -1
    for i in range(max(ci - around, 0), min(ci + around + 1, nx)):
        for j in range(max(cj - around, 0), min(cj + around + 1, ny)):
            dx, dy = lattice.places[i, j, 0] - x, lattice.places[i, j, 1] - y
            far = math.sqrt(dx * dx + dy * dy)
            if far <= reach and costs[i, j] + far < best:
                best, at_i, at_j = costs[i, j] + far, i, j
    count = 0
    while at_i >= 0 and count < len(path):
        path[count, 0], path[count, 1] = lattice.places[at_i, at_j, 0], lattice.places[at_i, at_j, 1]
        count += 1
        bits = lattice.moves[at_i, at_j]
        best, to_i, to_j = costs[at_i, at_j], -1, -1
        for m in range(MOVE_COUNT):
            if (bits >> np.uint32(m)) & np.uint32(1) == 0:
                continue
            a, b = at_i + MOVES[m, 0], at_j + MOVES[m, 1]
            if costs[a, b] < best:
                best, to_i, to_j = costs[a, b], a, b
        at_i, at_j = to_i, to_j
    return count
