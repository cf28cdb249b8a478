"""The compiled half of `trips`: A* over nodes, steps and marks among everybody who is there already.

A state is (mark to be met next, step, node); nodes are cells of the lattice, and after them the spots of the trip. What
is ahead is known exactly but for the others (`Costs`), so that where nobody is in the way the search runs straight to
the goal. Steps are looked at only when their turn comes, states of equal total cost last come first.
"""

# mypy: ignore-errors

import math

import numpy as np

from walkon._base.jit import group, kernel, reads, writes
from walkon.navigation._distance_kernels import open_line
from walkon.navigation.coarse._lattice_kernels import LATTICE, WALL_PRICE_S, cell_of, joins
from walkon.navigation.coarse._traffic_kernels import TRAFFIC, price_of
from walkon.navigation.coarse.coarse_rule import (
    EFFORT_S_PER_M,
    MOVE_COUNT,
    MOVES,
    NO_STEP,
    STEP_S,
    Costs,
    Trip,
)
from walkon.stage._distance_kernels import DISTANCES, distance_at

COSTS = group(Costs, reads(3, "float32"))
TRIP = group(
    Trip,
    "int64",
    "float64",
    "int64",
    "int64",
    reads(2),
    reads(1),
    reads(1, "int32"),
    reads(1),
    "float64",
    reads(1),
    reads(2, "int32"),
    reads(1, "int32"),
    reads(1, "int32"),
    reads(2, "int32"),
    reads(2),
    reads(1),
    "int64",
)
BUCKET_COST_S = 0.05
START_COST_S, TURN_COST_S = 0.4, 0.25
"""s that setting out from rest costs, and turning back (half of it a right angle)."""
HEURISTIC_WEIGHT = 1.5
"""How much dearer what is left to go is held to be: weighted A*. Prices of coming close to others are not foreseen."""
LINGER_COST_S = 0.08
"""s that a step of waiting costs which is not spent where one begins or where a mark is."""
DEAREST_STEP_S = STEP_S + EFFORT_S_PER_M * 0.85 + WALL_PRICE_S
"""s that a step of what is left to go costs at most: there are as many steps to go as fit, at least."""
EFFORT_SHARE = EFFORT_S_PER_M * 0.6 / (STEP_S + EFFORT_S_PER_M * 0.6)
"""Share of effort in what is left to go."""
MAX_STRAIGHT_STEPS = 16
"""Steps of a straight piece at most."""
STRAIGHT_PRICE_S = 0.05
"""s that a straight step may cost more among others than the one that was found."""


@kernel(borrowed=True)
def place_of(lattice, trip, node):
    """Return where a node is."""
    ny = lattice.places.shape[1]
    cells = lattice.places.shape[0] * ny
    if node >= cells:
        return trip.spots[node - cells, 0], trip.spots[node - cells, 1]
    return lattice.places[node // ny, node % ny, 0], lattice.places[node // ny, node % ny, 1]


@kernel(borrowed=True)
def straight_cost(lattice, dx, dy):
    """Return what going straight costs on the lattice, s."""
    pitch = lattice.frame[4]
    a = abs(lattice.frame[2] * dx + lattice.frame[3] * dy) / pitch
    b = abs(lattice.frame[2] * dy - lattice.frame[3] * dx) / pitch
    a, b = max(a, b), min(a, b)
    return STEP_S * max(0.5 * a, (a + b) / 3.0) + EFFORT_S_PER_M * math.sqrt(dx * dx + dy * dy)


@kernel(borrowed=True)
def cost_to_mark(lattice, costs, trip, node, mark):
    """Return what is left to go from a node to the spots of a mark at least, s; inf where there is no way."""
    nx, ny = lattice.places.shape[0], lattice.places.shape[1]
    values = costs.values
    if values.shape[1] and node < nx * ny:
        return values[mark, node // ny, node % ny]
    x, y = place_of(lattice, trip, node)
    first, last = trip.first_spot[mark + 1], trip.first_spot[mark + 2]
    best = math.inf
    if node - nx * ny >= first and node - nx * ny < last:
        return 0.0
    if not values.shape[1]:
        for k in range(first, last):
            best = min(best, straight_cost(lattice, trip.spots[k, 0] - x, trip.spots[k, 1] - y))
        return best
    return trip.onward[node - nx * ny]


@kernel(borrowed=True)
def cost_ahead(lattice, costs, trip, node, mark, step):
    """Return what a state costs at least until all is over, s."""
    marks = len(trip.dwell)
    if mark == marks:
        return 0.0
    leg = cost_to_mark(lattice, costs, trip, node, mark)
    if step + math.ceil(leg / DEAREST_STEP_S - 1e-3) > trip.windows[mark, 1]:
        return math.inf
    waits = trip.ahead[mark, 1] - (step - trip.begin) * STEP_S
    return max(
        HEURISTIC_WEIGHT * leg + trip.ahead[mark, 0],
        waits + HEURISTIC_WEIGHT * EFFORT_SHARE * leg + trip.ahead[mark, 2],
    )


@kernel(borrowed=True)
def push(rows, costs, heads, row, parent, node, step, mark, moved, paid, cost, total, base, low):
    """Put a row into the bucket of its total cost; return the lowest bucket in use."""
    bucket = min(max(int((total - base) / BUCKET_COST_S), 0), len(heads) - 1)
    rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3] = parent, node, step, mark
    rows[row, 4], rows[row, 5], rows[row, 6] = moved, paid, heads[bucket]
    costs[row] = cost
    heads[bucket] = row + 1
    return min(low, bucket)


@kernel(borrowed=True)
def slot_of_state(done, key):
    """Return where a state is in the table, or the empty slot (0) where it would be."""
    mask = len(done) - 1
    at = ((key * -7046029254386353131) >> 24) & mask
    while done[at] != 0 and done[at] != key:
        at = (at + 1) & mask
    return at


@kernel(borrowed=True)
def turn_cost(lattice, trip, before, here, there):
    """Return what a step costs for turning away from the one before it."""
    ax, ay = place_of(lattice, trip, before)
    bx, by = place_of(lattice, trip, here)
    cx, cy = place_of(lattice, trip, there)
    ux, uy, vx, vy = bx - ax, by - ay, cx - bx, cy - by
    size = math.sqrt((ux * ux + uy * uy) * (vx * vx + vy * vy))
    return TURN_COST_S * 0.5 * (1.0 - (ux * vx + uy * vy) / size) if size > 1e-9 else 0.0


@kernel(borrowed=True)
def reach_node(lattice, costs, trip, rows, spent, done, heads, count, at, there, step, mark, base, low):
    """Push the state that a step from row `at` leads to; return how many rows there are, and the lowest bucket."""
    if count >= len(rows):
        return count, low
    key = (np.int64(mark) << 44) | (np.int64(step + 2) << 30) | np.int64(there)
    if done[slot_of_state(done, key)]:
        return count, low
    ahead = cost_ahead(lattice, costs, trip, there, mark, step + 1)
    if ahead == math.inf:
        return count, low
    here = rows[at, 1]
    x, y = place_of(lattice, trip, here)
    tx, ty = place_of(lattice, trip, there)
    far = math.sqrt((tx - x) ** 2 + (ty - y) ** 2)
    cost = spent[at] + STEP_S + EFFORT_S_PER_M * far
    moved = 1 if far > 1e-6 else 0
    if moved and there < lattice.places.shape[0] * lattice.places.shape[1]:
        ny = lattice.places.shape[1]
        cost += lattice.prices[there // ny, there % ny]
    if not moved and there < lattice.places.shape[0] * lattice.places.shape[1]:
        cost += LINGER_COST_S
    if moved and rows[at, 4] == 0:
        cost += START_COST_S
    if moved and rows[at, 4] == 1:
        cost += turn_cost(lattice, trip, rows[rows[at, 0], 1], here, there)
    low = push(rows, spent, heads, count, at, there, step + 1, mark, moved, 0, cost, cost + ahead, base, low)
    return count + 1, low


@kernel(borrowed=True)
def retrace(lattice, trip, rows, at, knots):
    """Fill the knots of the trip that ends at a row; return how many."""
    count, row = 0, at
    while row >= 0:
        count += 1
        row = rows[row, 0]
    row = at
    for k in range(count - 1, -1, -1):
        knots[k, 0], knots[k, 1] = place_of(lattice, trip, rows[row, 1])
        knots[k, 2], knots[k, 3] = rows[row, 2], rows[row, 3]
        row = rows[row, 0]
    return count


@kernel(
    DISTANCES, LATTICE, TRAFFIC, COSTS, TRIP, "int64",
    writes(2, "int32"), writes(1), writes(1, "int64"), writes(1, "int32"), writes(2),
)  # fmt: skip
def search(distances, lattice, traffic, costs, trip, most, rows, spent, done, heads, knots):
    """Fill knots [K, 4] = (x, y, step, marks met before) of the cheapest trip; return how many, and states seen.

    `rows`, `spent`, `done` (zeros), `heads` (zeros) are scratch; columns of a row: parent, node, step, mark, moved,
    paid, next row in its bucket. 0 knots: none was found.
    """
    nx, ny = lattice.places.shape[0], lattice.places.shape[1]
    cells, marks = nx * ny, len(trip.dwell)
    count, expanded, low = 0, 0, len(heads) - 1
    steps = trip.blocked.shape[1] - 1
    base = math.inf
    for k in range(trip.first_spot[0], trip.first_spot[1]):
        base = min(base, cost_ahead(lattice, costs, trip, cells + k, 0, trip.begin))
    if base == math.inf:
        return 0, 0, -1
    # What is ahead is held to be dearer than it is, so that totals fall on the way; buckets must tell them apart then.
    base -= trip.ahead[0, 0] + (HEURISTIC_WEIGHT - 1.0) * (base - trip.ahead[0, 0])
    for k in range(trip.first_spot[0], trip.first_spot[1]):
        for late in range(trip.start_by - trip.begin, -1, -1):
            step = trip.begin + late
            if trip.blocked[k, min(step, steps)] <= step:
                continue
            cost = late * STEP_S
            total = cost + cost_ahead(lattice, costs, trip, cells + k, 0, step)
            if total < math.inf:
                low = push(rows, spent, heads, count, -1, cells + k, step, 0, 0, 1, cost, total, base, low)
                count += 1
    furthest = 0
    while low < len(heads):
        if heads[low] == 0:
            low += 1
            continue
        at = heads[low] - 1
        heads[low] = rows[at, 6]
        up, node, step, mark, paid = rows[at, 0], rows[at, 1], rows[at, 2], rows[at, 3], rows[at, 5]
        key = (np.int64(mark) << 44) | (np.int64(step + 1) << 30) | np.int64(node)
        slot = slot_of_state(done, key)
        if done[slot]:
            continue
        x, y = place_of(lattice, trip, node)
        if paid == 0:
            px, py = place_of(lattice, trip, rows[up, 1])
            radius = trip.radius
            if node >= cells:
                radius = trip.near[node - cells]
            elif rows[up, 1] >= cells:
                radius = trip.near[rows[up, 1] - cells]
            price = price_of(traffic, rows[up, 2], px, py, x, y, radius, trip.me)
            if price < 0.0:
                continue
            if price > 0.0:
                spent[at] += price
                rows[at, 5] = 1
                total = low + int(price / BUCKET_COST_S)
                if total > low:
                    total = min(total, len(heads) - 1)
                    rows[at, 6] = heads[total]
                    heads[total] = at + 1
                    continue
        done[slot] = key
        expanded += 1
        if expanded > most:
            break
        furthest = max(furthest, mark)
        if mark == marks:
            return retrace(lattice, trip, rows, at, knots), expanded, mark
        cost = spent[at]
        spot = node - cells
        mine = spot >= trip.first_spot[mark + 1] and spot < trip.first_spot[mark + 2]
        if mine:
            # Who is where its mark is stays there until its time has come, and for as long as it must.
            arrives = max(step, trip.windows[mark, 0])
            leaves = max(arrives + trip.dwell[mark], trip.until[mark])
            last = mark == marks - 1
            if last and trip.vanishes:
                leaves = arrives + 1
            stays = trip.blocked[spot, min(step, steps)] >= min(leaves, NO_STEP)
            if arrives <= trip.windows[mark, 1] and stays:
                # After the last mark nothing is waited for any more.
                until = min(arrives if last else leaves, steps)
                waited = cost + (until - step) * STEP_S
                total = waited + cost_ahead(lattice, costs, trip, node, mark + 1, until)
                if count < len(rows):
                    low = push(rows, spent, heads, count, at, node, until, mark + 1, 0, 1, waited, total, base, low)
                    count += 1
        if step + 1 > steps or step >= trip.windows[mark, 1] + 1:
            continue
        if node < cells:
            i, j = node // ny, node % ny
            bits = lattice.moves[i, j]
            for m in range(MOVE_COUNT):
                if (bits >> np.uint32(m)) & np.uint32(1) == 0:
                    continue
                there = (i + MOVES[m, 0]) * ny + j + MOVES[m, 1]
                count, low = reach_node(
                    lattice, costs, trip, rows, spent, done, heads, count, at, there, step, mark, base, low
                )
        else:
            ci, cj = cell_of(lattice, x, y)
            leg = 0
            for k in range(marks + 1):
                if spot >= trip.first_spot[k] and spot < trip.first_spot[k + 1]:
                    leg = k
            around = int(math.ceil(trip.reach[leg] / lattice.frame[4])) + 1
            for i in range(max(ci - around, 0), min(ci + around + 1, nx)):
                for j in range(max(cj - around, 0), min(cj + around + 1, ny)):
                    tx, ty = lattice.places[i, j, 0], lattice.places[i, j, 1]
                    if math.isnan(tx):
                        continue
                    if joins(distances, tx, ty, x, y, trip.reach[leg], trip.clearance[spot], trip.need) < 0.0:
                        continue
                    count, low = reach_node(
                        lattice, costs, trip, rows, spent, done, heads, count, at, i * ny + j, step, mark, base, low
                    )
        if not mine:
            for k in range(trip.first_spot[mark + 1], trip.first_spot[mark + 2]):
                dx, dy = trip.spots[k, 0] - x, trip.spots[k, 1] - y
                if dx * dx + dy * dy > trip.reach[mark + 1] * trip.reach[mark + 1]:
                    continue
                need = trip.need if node < cells else min(trip.need, trip.clearance[spot])
                if joins(distances, x, y, trip.spots[k, 0], trip.spots[k, 1], 9.0, trip.clearance[k], need) < 0.0:
                    continue
                count, low = reach_node(
                    lattice, costs, trip, rows, spent, done, heads, count, at, cells + k, step, mark, base, low
                )
        count, low = reach_node(lattice, costs, trip, rows, spent, done, heads, count, at, node, step, mark, base, low)
    return 0, expanded, furthest


@kernel(DISTANCES, LATTICE, COSTS, TRIP, writes(1))
def fill_onward(distances, lattice, costs, trip, onward):
    """Fill [K] s that the way from each spot to the next mark costs at least; inf where there is none."""
    nx, ny = lattice.places.shape[0], lattice.places.shape[1]
    for leg in range(len(trip.dwell)):
        around = int(math.ceil(trip.reach[leg] / lattice.frame[4])) + 1
        for spot in range(trip.first_spot[leg], trip.first_spot[leg + 1]):
            if not costs.values.shape[1]:
                onward[spot] = cost_to_mark(lattice, costs, trip, nx * ny + spot, leg)
                continue
            x, y = trip.spots[spot, 0], trip.spots[spot, 1]
            best = math.inf
            for k in range(trip.first_spot[leg + 1], trip.first_spot[leg + 2]):
                dx, dy = trip.spots[k, 0] - x, trip.spots[k, 1] - y
                if dx * dx + dy * dy <= trip.reach[leg + 1] * trip.reach[leg + 1]:
                    best = min(best, STEP_S + EFFORT_S_PER_M * math.sqrt(dx * dx + dy * dy))
            ci, cj = cell_of(lattice, x, y)
            for i in range(max(ci - around, 0), min(ci + around + 1, nx)):
                for j in range(max(cj - around, 0), min(cj + around + 1, ny)):
                    value = costs.values[leg, i, j]
                    if value < best:
                        tx, ty = lattice.places[i, j, 0], lattice.places[i, j, 1]
                        far = joins(distances, tx, ty, x, y, trip.reach[leg], trip.clearance[spot], trip.need)
                        if far >= 0.0:
                            best = min(best, value + STEP_S + EFFORT_S_PER_M * far)
            onward[spot] = best


@kernel(borrowed=True)
def _moves(knots, k):
    return (knots[k + 1, 0] - knots[k, 0]) ** 2 + (knots[k + 1, 1] - knots[k, 1]) ** 2 > 1e-9


@kernel(borrowed=True)
def _is_better_straight(distances, traffic, trip, knots, a, c):
    """Say whether going straight from knot a to knot c is free, and costs no more among others."""
    x0, y0, x1, y1 = knots[a, 0], knots[a, 1], knots[c, 0], knots[c, 1]
    start = min(trip.need, distance_at(distances, x0, y0) - 0.005)
    stop = min(trip.need, distance_at(distances, x1, y1) - 0.005)
    if not open_line(distances, x0, y0, x1, y1, (x0, y0, x1, y1), (trip.need, start, stop)):
        return False
    n = c - a
    for i in range(n):
        ax, ay = x0 + (x1 - x0) * (i / n), y0 + (y1 - y0) * (i / n)
        bx, by = x0 + (x1 - x0) * ((i + 1) / n), y0 + (y1 - y0) * ((i + 1) / n)
        step = int(knots[a + i, 2])
        price = price_of(traffic, step, ax, ay, bx, by, trip.radius, trip.me)
        if price < 0.0:
            return False
        if price > 0.0:
            old = price_of(
                traffic, step, knots[a + i, 0], knots[a + i, 1], knots[a + i + 1, 0], knots[a + i + 1, 1],
                trip.radius, trip.me,
            )  # fmt: skip
            if old >= 0.0 and price > old + STRAIGHT_PRICE_S:
                return False
    return True


@kernel(borrowed=True)
def _lay_straight(knots, a, c):
    x0, y0, x1, y1, n = knots[a, 0], knots[a, 1], knots[c, 0], knots[c, 1], c - a
    for i in range(1, n):
        knots[a + i, 0], knots[a + i, 1] = x0 + (x1 - x0) * (i / n), y0 + (y1 - y0) * (i / n)


@kernel(DISTANCES, TRAFFIC, TRIP, writes(2), "int64", borrowed=True)
def straighten(distances, traffic, trip, knots, count):
    """Replace stretches of a trip by straight, even ones that are as cheap among others; knots [K, 4], a step each.

    Rests stay: who waits before a door does not stroll instead.
    """
    a = 0
    while a < count - 2:
        b = a + 1
        while b < count - 1 and knots[b + 1, 3] == knots[a, 3] and _moves(knots, b):
            b += 1
        # Of the walk from a to b the longest straight piece that begins at a is taken.
        taken = a + 1
        if _moves(knots, a):
            low, high = a + 2, min(b, a + MAX_STRAIGHT_STEPS)
            for c in range(high, low - 1, -1):
                if _is_better_straight(distances, traffic, trip, knots, a, c):
                    _lay_straight(knots, a, c)
                    taken = c
                    break
        a = taken
