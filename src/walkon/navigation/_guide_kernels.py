"""The compiled half of `guide`: the search over place and time, pulling straight, and who is met.

Each exported kernel has a twin of the same name in tests/twins/guide.py.
"""

# mypy: ignore-errors

import math

import numpy as np

from walkon._base._chance_kernels import hash_counter, unit
from walkon._base.jit import group, kernel, reads, writes
from walkon.navigation._distance_kernels import FIELD, open_line
from walkon.navigation.distance_rule import NEAR_ENDS_M
from walkon.navigation.guide_rule import (
    BUCKET_COST_S,
    BUCKET_COUNT,
    HALT_COST_S,
    IDLE_COST_RATIO,
    MIN_REST_S,
    MIN_SPEED_RATIO,
    MOVES,
    TURN_COST_S,
    WALK_THROUGH_COST_S,
    WALKING_COST_RATIO,
    Task,
)
from walkon.planning._occupancy_kernels import WRITTEN, key_of, overlap, slot_of
from walkon.planning.occupancy_rule import BIN_S, CELL_M, EMPTY, NOBODY
from walkon.stage._distance_kernels import DISTANCES

TASK = group(Task, *["float64"] * 22, "int64", "int64")
LENGTHS = np.hypot(MOVES[:, 0], MOVES[:, 1])


@kernel(borrowed=True)
def margin_at(task, x, y):
    """Return the margin to people at a place."""
    if (x - task.start_x) ** 2 + (y - task.start_y) ** 2 < NEAR_ENDS_M * NEAR_ENDS_M:
        return task.near
    if (x - task.goal_x) ** 2 + (y - task.goal_y) ** 2 < NEAR_ENDS_M * NEAR_ENDS_M:
        return task.near
    return task.margin


@kernel(WRITTEN, DISTANCES, TASK, "float64", "float64", "float64", "float64", "float64", "float64", borrowed=True)
def state(entries, distances, task, x0, y0, t0, x1, y1, t1):
    """Return 0 where a straight, even piece is clear, 1 where it meets somebody, 2 where it meets an obstacle."""
    if distances.nodes.shape[0]:
        around = (task.start_x, task.start_y, task.goal_x, task.goal_y)
        if not open_line(distances, x0, y0, x1, y1, around, (task.need, task.need_start, task.need_goal)):
            return 2
    k, last = int(math.floor(t0 / BIN_S + 1e-9)) + 1, int(math.floor(t1 / BIN_S + 1e-9))
    while k <= last:
        part = (k * BIN_S - t0) / (t1 - t0)
        x, y = x0 + part * (x1 - x0), y0 + part * (y1 - y0)
        if overlap(entries, k, x, y, task.radius, margin_at(task, x, y), task.me) > 0.0:
            return 1
        k += 1
    return 0


@kernel(WRITTEN, TASK, "float64", "float64", "float64", writes(2), borrowed=True)
def arrivals(entries, task, earliest, latest, hold, windows):
    """Fill windows [W, 2] of arrival times after which the goal is clear for `hold` s; return how many there are."""
    used, low, taken = 0, earliest, False
    first, last = int(math.ceil(earliest / BIN_S - 1e-9)), entries.last[0]
    if (latest + hold) / BIN_S < last:
        last = int(math.floor((latest + hold) / BIN_S + 1e-9))
    k = first - 1
    while k <= last and low <= latest and used < len(windows) - 1:
        before = taken
        taken = overlap(entries, k, task.goal_x, task.goal_y, task.radius, task.near, task.me) > 0.0
        if taken and k >= first:
            # Nobody arrives between two bins that are both taken.
            if not before and k * BIN_S - hold - 1e-6 >= low:
                windows[used, 0], windows[used, 1] = low, k * BIN_S - hold - 1e-6
                used += 1
            low = max(low, k * BIN_S + 1e-6)
        k += 1
    if low <= latest:
        windows[used, 0], windows[used, 1] = low, latest
        used += 1
    return used


@kernel(borrowed=True)
def next_arrival(windows, time):
    """Return the first allowed arrival that is not before a time, inf where there is none."""
    for w in range(len(windows)):
        if time <= windows[w, 1] + 1e-9:
            return max(time, windows[w, 0])
    return math.inf


@kernel(borrowed=True)
def place_preference(cx, cy, step, seed):
    """Return a number in [0, 1) for a block of 4 × 4 cells and 8 steps: the same for the same seed."""
    return unit(hash_counter(hash_counter(hash_counter(seed, cx >> 2), cy >> 2), step >> 3))


@kernel(borrowed=True)
def to_go(field, task, x, y):
    """Return metres from a place to the goal, and seconds at least."""
    dx, dy = task.goal_x - x, task.goal_y - y
    straight = math.sqrt(dx * dx + dy * dy)
    nx, ny = field.values.shape
    if nx:
        u, v = (x - field.grid[0]) / field.grid[2], (y - field.grid[1]) / field.grid[2]
        best = math.inf
        if 0.0 <= u <= nx - 1 and 0.0 <= v <= ny - 1:
            for i in range(int(u), min(int(u) + 2, nx)):
                for j in range(int(v), min(int(v) + 2, ny)):
                    off = math.sqrt((u - i) * (u - i) + (v - j) * (v - j)) * field.grid[2]
                    best = min(best, field.values[i, j] + off)
        if best < math.inf:
            return max(best, straight), 0.97 * max(best, straight) / task.speed
        return straight, straight / task.speed
    square = task.ux * task.ux + task.uy * task.uy
    a, b = abs(dx * task.ux + dy * task.uy) / square, abs(dy * task.ux - dx * task.uy) / square
    return straight, max(max(a, b) / 2, (a + b) / 3) * task.dt if straight > 2.3 * math.sqrt(
        square
    ) else straight / task.speed


@kernel(borrowed=True)
def price(task, before, move, left, cx, cy, step):
    """Return what a step costs, seconds."""
    length = LENGTHS[move] * math.sqrt(task.ux * task.ux + task.uy * task.uy)
    cost = task.dt + WALKING_COST_RATIO * length / task.speed
    if left or move:
        cost += IDLE_COST_RATIO * max(task.dt - length / task.speed, 0.0)
    if left and move == 0 and before != 0:
        cost += HALT_COST_S
    if move and before > 0:
        dot = MOVES[move, 0] * MOVES[before, 0] + MOVES[move, 1] * MOVES[before, 1]
        cost += TURN_COST_S * (1.0 - dot / (LENGTHS[move] * LENGTHS[before]))
    if task.spread > 0.0:
        cost += task.spread * task.dt * place_preference(cx, cy, step, task.seed)
    return cost


@kernel(borrowed=True)
def push(rows, costs, heads, row, parent, cx, cy, step, move, left, cost, total, base, low):
    """Put a row into the bucket of its total cost; return the lowest bucket in use."""
    bucket = min(max(int((total - base) / BUCKET_COST_S), 0), BUCKET_COUNT - 1)
    rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3] = parent, cx, cy, step
    rows[row, 4], rows[row, 5], rows[row, 6], rows[row, 7] = move, left, 0, heads[bucket]
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
def retrace(rows, task, at, arrival, knots):
    """Fill the knots from the start to the last piece."""
    up = rows[at, 0]
    count = rows[up, 3] + 2
    knots[count - 1, 0], knots[count - 1, 1], knots[count - 1, 2] = task.goal_x, task.goal_y, arrival
    for i in range(count - 2, -1, -1):
        knots[i, 0] = task.start_x + rows[up, 1] * task.ux - rows[up, 2] * task.uy
        knots[i, 1] = task.start_y + rows[up, 1] * task.uy + rows[up, 2] * task.ux
        knots[i, 2] = task.begin + i * task.dt
        up = rows[up, 0]
    # A last piece that takes no time is no piece.
    return count - 1 if arrival - knots[count - 2, 2] < 1e-9 else count


@kernel(
    WRITTEN, DISTANCES, FIELD, TASK, reads(2), "boolean", "int64",
    writes(2, "int32"), writes(1), writes(1, "int64"), writes(1, "int32"), writes(2), borrowed=True,
)  # fmt: skip
def search(entries, distances, field, task, windows, through, most, rows, costs, done, heads, knots):
    """Fill knots [K, 3] of the cheapest way; return how many, 0 where there is none, and how many states were seen.

    With `through`, people are walked through at a price. `rows`, `costs`, `done` (zeros), `heads` (zeros) are scratch;
    the columns of a row are its parent, cell x, cell y, step, move (−1: the last piece), has left, has paid, and the
    next row in its bucket.
    """
    ux, uy = task.ux, task.uy
    reach = 2 * math.sqrt(5 * (ux * ux + uy * uy))
    for column in range(rows.shape[1]):
        rows[0, column] = 0
    costs[0] = 0.0
    count, expanded, low = 1, 0, 0
    heads[0] = 1
    far, least = to_go(field, task, task.start_x, task.start_y)
    # Totals sink from `heuristic_weight` times what is ahead to what it really costs: buckets count from below that.
    base = (
        0.9
        * (
            max(next_arrival(windows, task.begin + 0.97 * far / task.speed) - task.begin, least)
            + WALKING_COST_RATIO * far / task.speed
        )
        - 1.0
    )
    while low < BUCKET_COUNT:
        if heads[low] == 0:
            low += 1
            continue
        at = heads[low] - 1
        heads[low] = rows[at, 7]
        cx, cy, step, move, left = rows[at, 1], rows[at, 2], rows[at, 3], rows[at, 4], rows[at, 5]
        time = task.begin + step * task.dt
        x, y = task.start_x + cx * ux - cy * uy, task.start_y + cx * uy + cy * ux
        if move >= 0:
            slot = slot_of_state(done, key_of(step, cx, cy))
            if done[slot]:
                continue
        else:
            x, y = task.goal_x, task.goal_y
        if at > 0:
            up = rows[at, 0]
            px = task.start_x + rows[up, 1] * ux - rows[up, 2] * uy
            py = task.start_y + rows[up, 1] * uy + rows[up, 2] * ux
            before = task.begin + rows[up, 3] * task.dt
            if move < 0:
                time = next_arrival(windows, before + math.sqrt((x - px) ** 2 + (y - py) ** 2) / task.speed)
            if rows[at, 6] == 0:
                met_what = state(entries, distances, task, px, py, before, x, y, time)
                if met_what == 1 and through:
                    rows[at, 6] = 1
                    costs[at] += WALK_THROUGH_COST_S
                    bucket = min(low + int(WALK_THROUGH_COST_S / BUCKET_COST_S), BUCKET_COUNT - 1)
                    rows[at, 7] = heads[bucket]
                    heads[bucket] = at + 1
                    continue
                if met_what:
                    continue
        if move < 0:
            return retrace(rows, task, at, time, knots), expanded
        done[slot] = key_of(step, cx, cy)
        expanded += 1
        if expanded > most:
            break
        straight = math.sqrt((task.goal_x - x) ** 2 + (task.goal_y - y) ** 2)
        if straight < reach:
            arrival = next_arrival(windows, time + straight / task.speed)
            if arrival < math.inf and (straight < 1e-6 or (arrival - time) * 0.4 * task.speed <= straight):
                cost = costs[at] + (arrival - time) + WALKING_COST_RATIO * straight / task.speed
                cost += IDLE_COST_RATIO * (arrival - time - straight / task.speed)
                low = push(rows, costs, heads, count, at, cx, cy, step, -1, 1, cost, cost, base, low)
                count += 1
        for m in range(len(MOVES)):
            nx, ny = cx + MOVES[m, 0], cy + MOVES[m, 1]
            x, y = task.start_x + nx * ux - ny * uy, task.start_y + nx * uy + ny * ux
            if not (task.low_x <= x <= task.high_x and task.low_y <= y <= task.high_y):
                continue
            far, least = to_go(field, task, x, y)
            lowest = 0.97 * far if field.values.shape[0] else far
            arrival = next_arrival(windows, time + task.dt + lowest / task.speed)
            if arrival == math.inf or done[slot_of_state(done, key_of(step + 1, nx, ny))]:
                continue
            gone = 1 if left or m else 0
            cost = costs[at] + price(task, move, m, left, nx, ny, step)
            rest = max(arrival - time - task.dt, least)
            ahead = rest + WALKING_COST_RATIO * far / task.speed
            if gone:
                ahead += IDLE_COST_RATIO * max(rest - far / task.speed, 0.0)
            total = cost + task.heuristic_weight * ahead + task.drive * far / task.speed
            low = push(rows, costs, heads, count, at, nx, ny, step + 1, m, gone, cost, total, base, low)
            count += 1
    return 0, expanded


@kernel(borrowed=True)
def copy_knot(into, i, knots, j):
    """Copy one knot: number by number, which compiles faster than rows do."""
    into[i, 0], into[i, 1], into[i, 2] = knots[j, 0], knots[j, 1], knots[j, 2]


@kernel(WRITTEN, DISTANCES, TASK, reads(2), writes(2), borrowed=True)
def pull(entries, distances, task, knots, pulled):
    """Replace runs of knots [K, 3] by straight, even pieces, the longest first; return how many are left."""
    count, i, last = 1, 0, len(knots) - 1
    copy_knot(pulled, 0, knots, 0)
    while i < last and knots[i + 1, 0] == knots[0, 0] and knots[i + 1, 1] == knots[0, 1]:
        i += 1
    if knots[i, 2] - knots[0, 2] >= MIN_REST_S and i > 0:
        copy_knot(pulled, count, knots, i)
        count += 1
    else:
        i = 0
    while i < last:
        j = last
        while j > i + 1:
            length = math.sqrt((knots[j, 0] - knots[i, 0]) ** 2 + (knots[j, 1] - knots[i, 1]) ** 2)
            seconds = knots[j, 2] - knots[i, 2]
            even = MIN_SPEED_RATIO * task.speed * seconds <= length <= task.speed * seconds * (1 + 1e-9)
            if (even or length < 1e-9) and state(
                entries, distances, task, knots[i, 0], knots[i, 1], knots[i, 2], knots[j, 0], knots[j, 1], knots[j, 2]
            ) == 0:
                break
            j -= 1
        copy_knot(pulled, count, knots, j)
        count += 1
        i = j
    return count


@kernel(WRITTEN, TASK, reads(2), "float64", writes(1, "int64"), borrowed=True)
def met(entries, task, knots, hold, found):
    """Fill the characters that somebody along knots [K, 3], who then stays for `hold` s, runs into; return how many."""
    count = 0
    k = int(math.ceil(knots[0, 2] / BIN_S - 1e-9))
    end = knots[-1, 2] + hold
    last = entries.last[0] if end / BIN_S > entries.last[0] else int(math.floor(end / BIN_S + 1e-9))
    i = 0
    while k <= last and count < len(found):
        while i < len(knots) - 2 and knots[i + 1, 2] < k * BIN_S:
            i += 1
        j = min(i + 1, len(knots) - 1)
        part = min((k * BIN_S - knots[i, 2]) / max(knots[j, 2] - knots[i, 2], 1e-9), 1.0)
        x = knots[i, 0] + part * (knots[j, 0] - knots[i, 0])
        y = knots[i, 1] + part * (knots[j, 1] - knots[i, 1])
        reach = task.radius + margin_at(task, x, y)
        around = reach + entries.widest[0]
        for a in range(int(math.floor((x - around) / CELL_M)), int(math.floor((x + around) / CELL_M)) + 1):
            for b in range(int(math.floor((y - around) / CELL_M)), int(math.floor((y + around) / CELL_M)) + 1):
                slot = slot_of(entries.keys, key_of(k, a, b))
                row = entries.heads[slot] if entries.keys[slot] != EMPTY else -1
                while row >= 0 and count < len(found):
                    who = entries.who[row]
                    gap = reach + entries.r[row]
                    if (
                        who not in (NOBODY, task.me)
                        and (entries.x[row] - x) ** 2 + (entries.y[row] - y) ** 2 < gap * gap
                    ):
                        known = 0
                        while known < count and found[known] != who:
                            known += 1
                        if known == count:
                            found[count] = who
                            count += 1
                    row = entries.following[row]
        k += 1
    return count
