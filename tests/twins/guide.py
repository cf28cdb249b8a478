"""The rule of `guide` and `distance_field` in plain Python: what the kernels are held equal to. Slow.

Functions have the names of their kernels. People are looked for among all discs of a bin, states wait in a heap sorted
by bucket and then the latest first, and distances spread from a heap instead of buckets. Metres, seconds.
"""

import heapq
import math

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.chance import uniforms
from walkon.navigation.distance_rule import CLEARANCE_SLACK_M, HOPS, NEAR_ENDS_M, SIGHT_SAMPLE_M, Field
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
from walkon.planning.occupancy import BIN_S, NOBODY, Entries
from walkon.stage.distance_grid import read_grid
from walkon.stage.free_space import FreeSpace

__all__ = ["arrivals", "entry", "flood", "met", "pull", "search", "sees", "state"]


def meets(entries: Entries, k: int, x: float, y: float, r: float, margin: float, me: int) -> IntArray:
    """Return the characters whose discs at bin k are nearer than the margin."""
    rows = np.flatnonzero((entries.bins == k) & (entries.who != NOBODY) & (entries.who != me))
    dx, dy = entries.x[rows].astype(np.float64) - x, entries.y[rows].astype(np.float64) - y
    reach = entries.r[rows].astype(np.float64) + r + margin
    return entries.who[rows][dx * dx + dy * dy < reach * reach].astype(np.int64)


def open_line(space: FreeSpace, line: tuple[float, ...], ends: tuple[float, ...], needs: tuple[float, ...]) -> bool:
    """Say whether a straight piece (x, y, x, y) keeps needs[0] off obstacles: needs[1] and [2] near the ends."""
    x0, y0, x1, y1 = line
    samples = int(math.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2) / SIGHT_SAMPLE_M) + 1
    part = np.arange(samples + 1) / samples
    points = np.column_stack([x0 + (x1 - x0) * part, y0 + (y1 - y0) * part])
    need = np.full(len(points), needs[0])
    for x, y, tight in ((ends[0], ends[1], needs[1]), (ends[2], ends[3], needs[2])):
        near = (points[:, 0] - x) ** 2 + (points[:, 1] - y) ** 2 < NEAR_ENDS_M * NEAR_ENDS_M
        need[near] = np.minimum(need[near], tight)
    return bool((read_grid(space.walking_grid, points) >= need).all())


def sees(space: FreeSpace, ends: Array, need: float, need_start: float, need_goal: float) -> bool:
    """Say whether the straight line between the ends [2, 2] is clear of obstacles."""
    around = tuple(float(v) for v in ends.ravel())
    return open_line(space, around, around, (need, need_start, need_goal))


def margin_at(task: Task, x: float, y: float) -> float:
    """Return the margin to people at a place."""
    ends = ((task.start_x, task.start_y), (task.goal_x, task.goal_y))
    return task.near if any((x - a) ** 2 + (y - b) ** 2 < NEAR_ENDS_M * NEAR_ENDS_M for a, b in ends) else task.margin


def state(entries: Entries, space: FreeSpace, task: Task, before: tuple[float, ...], after: tuple[float, ...]) -> int:
    """Return 0 where a piece between two (x, y, s) is clear, 1 where it meets somebody, 2 where an obstacle."""
    (x0, y0, t0), (x1, y1, t1) = before, after
    if space.walking_grid.nodes.size:
        around = (task.start_x, task.start_y, task.goal_x, task.goal_y)
        if not open_line(space, (x0, y0, x1, y1), around, (task.need, task.need_start, task.need_goal)):
            return 2
    for k in range(math.floor(t0 / BIN_S + 1e-9) + 1, math.floor(t1 / BIN_S + 1e-9) + 1):
        part = (k * BIN_S - t0) / (t1 - t0)
        x, y = x0 + part * (x1 - x0), y0 + part * (y1 - y0)
        if len(meets(entries, k, x, y, task.radius, margin_at(task, x, y), task.me)):
            return 1
    return 0


def arrivals(entries: Entries, task: Task, earliest: float, latest: float, hold: float) -> Array:
    """Return windows [W, 2] of arrival times after which the goal is clear for `hold` s."""
    windows, low = [], earliest
    first, last = math.ceil(earliest / BIN_S - 1e-9), int(min(entries.last[0], (latest + hold) / BIN_S + 1e-9))
    asked = (task.goal_x, task.goal_y, task.radius, task.near, task.me)
    taken = {k: len(meets(entries, k, *asked)) > 0 for k in range(first - 1, last + 1)}
    for k in range(first, last + 1):
        if taken[k] and low <= latest:
            if not taken[k - 1] and k * BIN_S - hold - 1e-6 >= low:
                windows.append((low, k * BIN_S - hold - 1e-6))
            low = max(low, k * BIN_S + 1e-6)
    if low <= latest:
        windows.append((low, latest))
    return np.array(windows).reshape(-1, 2)


def next_arrival(windows: Array, time: float) -> float:
    """Return the first allowed arrival that is not before a time, inf where there is none."""
    return next((max(time, float(low)) for low, high in windows if time <= high + 1e-9), math.inf)


def place_preference(cx: int, cy: int, step: int, seed: int) -> float:
    """Return a number in [0, 1) for a block of cells and steps."""
    return float(uniforms(seed, cx >> 2, cy >> 2, step >> 3)[0])


def to_go(field: Field, task: Task, x: float, y: float) -> tuple[float, float]:
    """Return metres from a place to the goal, and seconds at least."""
    dx, dy = task.goal_x - x, task.goal_y - y
    straight = math.sqrt(dx * dx + dy * dy)
    nx, ny = field.values.shape
    if nx:
        pitch = float(field.grid[2])
        u, v = (x - float(field.grid[0])) / pitch, (y - float(field.grid[1])) / pitch
        best = math.inf
        if 0.0 <= u <= nx - 1 and 0.0 <= v <= ny - 1:
            for i in range(int(u), min(int(u) + 2, nx)):
                for j in range(int(v), min(int(v) + 2, ny)):
                    off = math.sqrt((u - i) * (u - i) + (v - j) * (v - j)) * pitch
                    best = min(best, float(field.values[i, j]) + off)
        if best < math.inf:
            return max(best, straight), 0.97 * max(best, straight) / task.speed
        return straight, straight / task.speed
    square = task.ux * task.ux + task.uy * task.uy
    if straight <= 2.3 * math.sqrt(square):
        return straight, straight / task.speed
    a, b = abs(dx * task.ux + dy * task.uy) / square, abs(dy * task.ux - dx * task.uy) / square
    return straight, max(max(a, b) / 2, (a + b) / 3) * task.dt


def price(task: Task, before: int, move: int, left: bool, cell: tuple[int, int], step: int) -> float:
    """Return what a step costs, seconds."""
    sizes = [math.hypot(*MOVES[m]) for m in (before, move)]
    length = sizes[1] * math.sqrt(task.ux * task.ux + task.uy * task.uy)
    cost = task.dt + WALKING_COST_RATIO * length / task.speed
    if left or move:
        cost += IDLE_COST_RATIO * max(task.dt - length / task.speed, 0.0)
    if left and move == 0 and before != 0:
        cost += HALT_COST_S
    if move and before > 0:
        cost += TURN_COST_S * (1.0 - int(MOVES[move] @ MOVES[before]) / (sizes[1] * sizes[0]))
    if task.spread > 0.0:
        cost += task.spread * task.dt * place_preference(*cell, step, task.seed)
    return cost


def search(
    entries: Entries, space: FreeSpace, field: Field, task: Task, windows: Array, through: bool, most: int
) -> tuple[Array, int]:
    """Return knots [K, 3] of the cheapest way, [0, 3] where there is none, and how many states were seen."""

    def place(cx: int, cy: int) -> tuple[float, float]:
        x = task.start_x + cx * task.ux - cy * task.uy
        return x, task.start_y + cx * task.uy + cy * task.ux

    def bucket(total: float) -> int:
        return min(max(int((total - base) / BUCKET_COST_S), 0), BUCKET_COUNT - 1)

    reach = 2 * math.sqrt(5 * (task.ux * task.ux + task.uy * task.uy))
    far, least = to_go(field, task, task.start_x, task.start_y)
    soonest = next_arrival(windows, task.begin + 0.97 * far / task.speed) - task.begin
    base = 0.9 * (max(soonest, least) + WALKING_COST_RATIO * far / task.speed) - 1.0
    # A row: parent, cell, step, move (−1: the last piece), has left, cost; the serial breaks ties, the latest first.
    rows: list[tuple[int, int, int, int, int, bool, float]] = [(0, 0, 0, 0, 0, False, 0.0)]
    waiting, serial, expanded = [(0, 0, 0, False)], 0, 0
    done: set[tuple[int, int, int]] = set()
    while waiting:
        level, _, at, paid = heapq.heappop(waiting)
        parent, cx, cy, step, move, left, spent = rows[at]
        time, here = task.begin + step * task.dt, place(cx, cy)
        if move >= 0 and (cx, cy, step) in done:
            continue
        if at:
            origin, since = place(*rows[parent][1:3]), task.begin + rows[parent][3] * task.dt
            if move < 0:
                here = (task.goal_x, task.goal_y)
                away = math.sqrt((here[0] - origin[0]) ** 2 + (here[1] - origin[1]) ** 2)
                time = next_arrival(windows, since + away / task.speed)
            what = 0 if paid else state(entries, space, task, (*origin, since), (*here, time))
            if what == 1 and through:
                rows[at] = (parent, cx, cy, step, move, left, spent + WALK_THROUGH_COST_S)
                serial -= 1
                later = min(level + int(WALK_THROUGH_COST_S / BUCKET_COST_S), BUCKET_COUNT - 1)
                heapq.heappush(waiting, (later, serial, at, True))
            if what:
                continue
        if move < 0:
            knots = [(*here, time)] if time - (task.begin + step * task.dt) >= 1e-9 else []
            while True:
                at = rows[at][0] if move < 0 else at
                parent, cx, cy, step, move, _, _ = rows[at]
                knots.append((*place(cx, cy), task.begin + step * task.dt))
                if not at:
                    return np.array(knots[::-1]), expanded
                at = parent
        done.add((cx, cy, step))
        expanded += 1
        if expanded > most:
            break
        straight = math.sqrt((task.goal_x - here[0]) ** 2 + (task.goal_y - here[1]) ** 2)
        if straight < reach:
            arrival = next_arrival(windows, time + straight / task.speed)
            if arrival < math.inf and (straight < 1e-6 or (arrival - time) * 0.4 * task.speed <= straight):
                cost = spent + (arrival - time) + WALKING_COST_RATIO * straight / task.speed
                cost += IDLE_COST_RATIO * (arrival - time - straight / task.speed)
                serial -= 1
                heapq.heappush(waiting, (bucket(cost), serial, len(rows), False))
                rows.append((at, cx, cy, step, -1, True, cost))
        for m, (a, b) in enumerate(MOVES.tolist()):
            x, y = place(cx + a, cy + b)
            if not (task.low_x <= x <= task.high_x and task.low_y <= y <= task.high_y):
                continue
            far, least = to_go(field, task, x, y)
            lowest = 0.97 * far if field.values.size else far
            arrival = next_arrival(windows, time + task.dt + lowest / task.speed)
            if arrival == math.inf or (cx + a, cy + b, step + 1) in done:
                continue
            gone = left or m > 0
            cost = spent + price(task, move, m, left, (cx + a, cy + b), step)
            rest = max(arrival - time - task.dt, least)
            ahead = rest + WALKING_COST_RATIO * far / task.speed
            if gone:
                ahead += IDLE_COST_RATIO * max(rest - far / task.speed, 0.0)
            serial -= 1
            total = cost + task.heuristic_weight * ahead + task.drive * far / task.speed
            heapq.heappush(waiting, (bucket(total), serial, len(rows), False))
            rows.append((at, cx + a, cy + b, step + 1, m, gone, cost))
    return np.zeros((0, 3)), expanded


def pull(entries: Entries, space: FreeSpace, task: Task, knots: Array) -> Array:
    """Replace runs of knots [K, 3] by straight, even pieces, the longest first."""
    kept, i, last = [0], 0, len(knots) - 1
    while i < last and (knots[i + 1, :2] == knots[0, :2]).all():
        i += 1
    if i > 0 and knots[i, 2] - knots[0, 2] >= MIN_REST_S:
        kept.append(i)
    else:
        i = 0
    while i < last:
        for j in range(last, i, -1):
            length = math.sqrt((knots[j, 0] - knots[i, 0]) ** 2 + (knots[j, 1] - knots[i, 1]) ** 2)
            most = task.speed * (knots[j, 2] - knots[i, 2])
            even = most * MIN_SPEED_RATIO <= length <= most * (1 + 1e-9) or length < 1e-9
            if j == i + 1 or (even and not state(entries, space, task, tuple(knots[i]), tuple(knots[j]))):
                break
        kept.append(j)
        i = j
    return knots[kept]


def met(entries: Entries, task: Task, knots: Array, hold: float) -> IntArray:
    """Return the characters that somebody along knots [K, 3], who then stays for `hold` s, runs into."""
    last = int(min(entries.last[0], (knots[-1, 2] + hold) / BIN_S + 1e-9))
    found = set()
    for k in range(math.ceil(knots[0, 2] / BIN_S - 1e-9), last + 1):
        x, y = (float(np.interp(k * BIN_S, knots[:, 2], knots[:, axis])) for axis in (0, 1))
        found.update(meets(entries, k, x, y, task.radius, margin_at(task, x, y), task.me).tolist())
    return np.array(sorted(found), dtype=np.int64)


def flood(space: FreeSpace, field: Field, every: int, goal: tuple[float, float], need: float) -> Array:
    """Return distances [nx, ny] of a field's cells to a goal."""
    pitch, shape = float(field.grid[2]), field.values.shape
    x, y = goal
    tight = min(need, float(read_grid(space.walking_grid, goal)) - CLEARANCE_SLACK_M)
    cells = np.stack(np.meshgrid(*[np.arange(n) for n in shape], indexing="ij"), axis=-1)
    places = field.grid[:2] + pitch * cells
    away = np.hypot(places[..., 0] - x, places[..., 1] - y)
    room = space.walking_grid.nodes[::every, ::every]
    is_open = room >= np.where(away < NEAR_ENDS_M, tight, need)
    found = np.full(shape, np.inf)
    waiting: list[tuple[float, int, int]] = []
    inside = bool((goal >= places[0, 0]).all() and (goal <= places[-1, -1]).all())
    rim = np.ones(shape, bool)
    rim[1:-1, 1:-1] = False
    for i, j in np.argwhere((away <= NEAR_ENDS_M) if inside else (rim & (room >= need))).tolist():
        line = (x, y, float(places[i, j, 0]), float(places[i, j, 1]))
        if open_line(space, line, (x, y, x, y), (need, tight, tight)):
            found[i, j] = away[i, j]
            heapq.heappush(waiting, (float(away[i, j]), i, j))
    while waiting:
        here, i, j = heapq.heappop(waiting)
        if here > found[i, j]:
            continue
        for p, q in HOPS.tolist():
            a, b = i + p, j + q
            there = here + pitch * math.hypot(p, q)
            if not (0 <= a < shape[0] and 0 <= b < shape[1]) or there >= found[a, b] or not is_open[a, b]:
                continue
            half = (p // 2 if abs(p) == 2 else 0, q // 2 if abs(q) == 2 else 0)
            if abs(p) + abs(q) == 3 and not (is_open[i + half[0], j + half[1]] and is_open[a - half[0], b - half[1]]):
                continue
            found[a, b] = there
            heapq.heappush(waiting, (there, a, b))
    return found


def entry(space: FreeSpace, field: Field, place: tuple[float, float], need: float) -> float:
    """Return metres from a place, which may be tighter than the way, to the field's goal; inf where there is none."""
    x, y = place
    tight, pitch = min(need, float(read_grid(space.walking_grid, place)) - CLEARANCE_SLACK_M), float(field.grid[2])
    u, v = (x - field.grid[0]) / pitch, (y - field.grid[1]) / pitch
    (nx, ny), off, best = field.values.shape, math.ceil(NEAR_ENDS_M / pitch), math.inf
    outside = not (0.0 <= u <= nx - 1 and 0.0 <= v <= ny - 1)
    if outside and space.walking_grid.frame[3] < 0:
        return best
    for i in range(nx):
        for j in range(ny):
            beside = int(u) - off <= i <= int(u) + off + 1 and int(v) - off <= j <= int(v) + off + 1
            if not ((i in (0, nx - 1) or j in (0, ny - 1)) if outside else beside):
                continue
            away = float(field.values[i, j]) + math.sqrt((u - i) ** 2 + (v - j) ** 2) * pitch
            line = (x, y, float(field.grid[0] + i * pitch), float(field.grid[1] + j * pitch))
            if away < best and open_line(space, line, (x, y, x, y), (need, tight, tight)):
                best = away
    return best
