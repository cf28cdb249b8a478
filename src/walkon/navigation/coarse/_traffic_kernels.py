"""The compiled half of `traffic`: putting pieces and rests into the tables, and asking who is met."""

# mypy: ignore-errors

import math

from walkon._base.jit import group, kernel, reads, writes
from walkon.navigation.coarse.coarse_rule import NO_STEP, PASSING_RADIUS_M, Traffic
from walkon.planning._occupancy_kernels import key_of
from walkon.planning.occupancy_rule import EMPTY, NOBODY

TRAFFIC = group(
    Traffic,
    writes(1, "int64"),
    writes(1, "int32"),
    writes(1, "int32"),
    writes(1, "int32"),
    writes(2, "float32"),
    writes(1, "int64"),
    writes(1, "int32"),
    writes(1, "int32"),
    writes(1, "int32"),
    writes(2, "float32"),
    writes(2, "int32"),
    writes(1),
)
CELL_M = 1.3
"""m: the side of a cell."""
HALF_PIECE_M = 0.5
"""m from the middle of a piece to its ends at most: nobody goes faster than 2 m/s."""
SOFT_M, SOFT_COST_S = 0.25, 0.5
"""m beside others that are free but cost, and s that a step costs which just touches them."""
HEADWAY_M, HEADWAY_COST_S = 0.75, 0.8
"""m within which one does not like to be where somebody is a step before or after, and s that it costs."""


@kernel(borrowed=True)
def slot_of(keys, key):
    """Return where a key is in the table, or the empty slot where it would be."""
    mask = len(keys) - 1
    mixed = key * -7046029254386353131
    at = (mixed ^ (mixed >> 32)) & mask
    while keys[at] != EMPTY and keys[at] != key:
        at = (at + 1) & mask
    return at


@kernel(borrowed=True)
def _enter(keys, heads, following, row, key):
    at = slot_of(keys, key)
    new = 0
    if keys[at] == EMPTY:
        keys[at] = key
        heads[at] = -1
        new = 1
    following[row] = heads[at]
    heads[at] = row
    return new


@kernel(TRAFFIC, "int64", "int64", "int64", reads(2), borrowed=True)
def insert_pieces(traffic, first, me, step, pieces):
    """Add pieces [n, 5] of consecutive steps as rows first, first + 1 …; return how many cells are new."""
    new = 0
    for i in range(len(pieces)):
        row = first + i
        for k in range(5):
            traffic.pieces[row, k] = pieces[i, k]
        traffic.who[row] = me
        x, y = 0.5 * (pieces[i, 0] + pieces[i, 2]), 0.5 * (pieces[i, 1] + pieces[i, 3])
        key = key_of(step + i, int(math.floor(x / CELL_M)), int(math.floor(y / CELL_M)))
        new += _enter(traffic.keys, traffic.heads, traffic.following, row, key)
        traffic.widest[0] = max(traffic.widest[0], pieces[i, 4])
    return new


@kernel(TRAFFIC, "int64", "int64", reads(2), reads(2, "int64"), borrowed=True)
def insert_rests(traffic, first, me, rests, spans):
    """Add rests [n, 3] over steps [n, 2]; return how many cells are new."""
    new = 0
    for i in range(len(rests)):
        row = first + i
        for k in range(3):
            traffic.rests[row, k] = rests[i, k]
        traffic.spans[row, 0], traffic.spans[row, 1] = spans[i, 0], spans[i, 1]
        traffic.rest_who[row] = me
        key = key_of(0, int(math.floor(rests[i, 0] / CELL_M)), int(math.floor(rests[i, 1] / CELL_M)))
        new += _enter(traffic.rest_keys, traffic.rest_heads, traffic.rest_following, row, key)
        traffic.widest[0] = max(traffic.widest[0], rests[i, 2])
    return new


@kernel(borrowed=True)
def apart(px, py, vx, vy):
    """Return the least distance of two who are (px, py) apart and move by (vx, vy) relatively in a step."""
    square = vx * vx + vy * vy
    u = 0.0 if square < 1e-12 else min(max(-(px * vx + py * vy) / square, 0.0), 1.0)
    return math.sqrt((px + u * vx) ** 2 + (py + u * vy) ** 2)


@kernel(borrowed=True)
def price_of(traffic, step, x0, y0, x1, y1, radius, me):
    """Return what a step among others costs, s; −1 where it meets somebody."""
    own = 0.5 * math.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2)
    around = radius + traffic.widest[0] + SOFT_M + own + HALF_PIECE_M
    x, y = 0.5 * (x0 + x1), 0.5 * (y0 + y1)
    low_x, high_x = int(math.floor((x - around) / CELL_M)), int(math.floor((x + around) / CELL_M))
    low_y, high_y = int(math.floor((y - around) / CELL_M)), int(math.floor((y + around) / CELL_M))
    cost = 0.0
    for cx in range(low_x, high_x + 1):
        for cy in range(low_y, high_y + 1):
            at = slot_of(traffic.rest_keys, key_of(0, cx, cy))
            row = traffic.rest_heads[at] if traffic.rest_keys[at] != EMPTY else -1
            while row >= 0:
                who = traffic.rest_who[row]
                if who not in (NOBODY, me) and traffic.spans[row, 0] <= step < traffic.spans[row, 1]:
                    reach = min(radius, PASSING_RADIUS_M) + traffic.rests[row, 2]
                    gap = apart(x0 - traffic.rests[row, 0], y0 - traffic.rests[row, 1], x1 - x0, y1 - y0) - reach
                    if gap < 0.0:
                        return -1.0
                    if gap < SOFT_M:
                        cost += SOFT_COST_S * (1.0 - gap / SOFT_M)
                row = traffic.rest_following[row]
            for shift in range(-1, 2):
                if step + shift < 0:
                    continue
                at = slot_of(traffic.keys, key_of(step + shift, cx, cy))
                row = traffic.heads[at] if traffic.keys[at] != EMPTY else -1
                while row >= 0:
                    who = traffic.who[row]
                    if who not in (NOBODY, me):
                        ax, ay = traffic.pieces[row, 0], traffic.pieces[row, 1]
                        vx, vy = traffic.pieces[row, 2] - ax, traffic.pieces[row, 3] - ay
                        far = apart(x0 - ax, y0 - ay, x1 - x0 - vx, y1 - y0 - vy)
                        if shift:
                            if far < HEADWAY_M:
                                cost += HEADWAY_COST_S * (1.0 - far / HEADWAY_M)
                        else:
                            gap = far - radius - traffic.pieces[row, 4]
                            if gap < 0.0:
                                return -1.0
                            if gap < SOFT_M:
                                cost += SOFT_COST_S * (1.0 - gap / SOFT_M)
                    row = traffic.following[row]
    return cost


@kernel(TRAFFIC, reads(2), "int64", "int64", writes(1, "int32"), borrowed=True)
def fill_blocked(traffic, discs, me, last, blocked):
    """Fill blocked [T + 1] with the first step from each on in which others meet discs [k, 3] that rest; else NO_STEP.

    Nobody moves after step `last`; who rests then stays.
    """
    for t in range(len(blocked)):
        blocked[t] = NO_STEP
    steps = len(blocked)
    for d in range(len(discs)):
        x, y, r = discs[d, 0], discs[d, 1], discs[d, 2]
        around = r + traffic.widest[0] + HALF_PIECE_M
        low_x, high_x = int(math.floor((x - around) / CELL_M)), int(math.floor((x + around) / CELL_M))
        low_y, high_y = int(math.floor((y - around) / CELL_M)), int(math.floor((y + around) / CELL_M))
        for cx in range(low_x, high_x + 1):
            for cy in range(low_y, high_y + 1):
                at = slot_of(traffic.rest_keys, key_of(0, cx, cy))
                row = traffic.rest_heads[at] if traffic.rest_keys[at] != EMPTY else -1
                while row >= 0:
                    who = traffic.rest_who[row]
                    reach = r + traffic.rests[row, 2]
                    gap = (x - traffic.rests[row, 0]) ** 2 + (y - traffic.rests[row, 1]) ** 2
                    if who not in (NOBODY, me) and gap < reach * reach:
                        for t in range(max(traffic.spans[row, 0], 0), min(traffic.spans[row, 1], steps)):
                            blocked[t] = t
                    row = traffic.rest_following[row]
                for t in range(min(last + 1, steps)):
                    at = slot_of(traffic.keys, key_of(t, cx, cy))
                    row = traffic.heads[at] if traffic.keys[at] != EMPTY else -1
                    while row >= 0:
                        who = traffic.who[row]
                        if who not in (NOBODY, me):
                            ax, ay = traffic.pieces[row, 0], traffic.pieces[row, 1]
                            vx, vy = traffic.pieces[row, 2] - ax, traffic.pieces[row, 3] - ay
                            if apart(x - ax, y - ay, -vx, -vy) < r + min(traffic.pieces[row, 4], PASSING_RADIUS_M):
                                blocked[t] = t
                        row = traffic.following[row]
    for t in range(len(blocked) - 2, -1, -1):
        if blocked[t] == NO_STEP:
            blocked[t] = blocked[t + 1]


@kernel(borrowed=True)
def _note(found, count, who):
    for k in range(count):
        if found[k] == who:
            return count
    if count < len(found):
        found[count] = who
        count += 1
    return count


@kernel(borrowed=True)
def _met_in_step(traffic, step, x0, y0, x1, y1, disc, me, found, count):
    """Note whom a piece meets, or a rest; `disc` is (radius, gap, whether it rests)."""
    radius, gap, rests = disc
    own = 0.5 * math.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2)
    around = radius + gap + traffic.widest[0] + own + HALF_PIECE_M
    passing = radius + gap if rests else min(radius, PASSING_RADIUS_M) + gap
    x, y = 0.5 * (x0 + x1), 0.5 * (y0 + y1)
    for cx in range(int(math.floor((x - around) / CELL_M)), int(math.floor((x + around) / CELL_M)) + 1):
        for cy in range(int(math.floor((y - around) / CELL_M)), int(math.floor((y + around) / CELL_M)) + 1):
            at = slot_of(traffic.rest_keys, key_of(0, cx, cy))
            row = traffic.rest_heads[at] if traffic.rest_keys[at] != EMPTY else -1
            while row >= 0:
                who = traffic.rest_who[row]
                if who not in (NOBODY, me) and traffic.spans[row, 0] <= step < traffic.spans[row, 1]:
                    far = apart(x0 - traffic.rests[row, 0], y0 - traffic.rests[row, 1], x1 - x0, y1 - y0)
                    if far < passing + traffic.rests[row, 2]:
                        count = _note(found, count, who)
                row = traffic.rest_following[row]
            at = slot_of(traffic.keys, key_of(step, cx, cy))
            row = traffic.heads[at] if traffic.keys[at] != EMPTY else -1
            while row >= 0:
                who = traffic.who[row]
                if who not in (NOBODY, me):
                    ax, ay = traffic.pieces[row, 0], traffic.pieces[row, 1]
                    vx, vy = traffic.pieces[row, 2] - ax, traffic.pieces[row, 3] - ay
                    other = min(traffic.pieces[row, 4], PASSING_RADIUS_M) if rests else traffic.pieces[row, 4]
                    if apart(x0 - ax, y0 - ay, x1 - x0 - vx, y1 - y0 - vy) < radius + gap + other:
                        count = _note(found, count, who)
                row = traffic.following[row]
    return count


@kernel(TRAFFIC, reads(2), "float64", "float64", reads(2), "int64", "int64", writes(1, "int64"), borrowed=True)
def fill_met(traffic, knots, radius, gap, discs, me, last, found):
    """Fill with whom a trip meets with knots [K, 3] = (x, y, step), and discs [k, 3] after it; return how many.

    Who is nearer than a `gap` is met.
    """
    count = 0
    for k in range(len(knots) - 1):
        x0, y0, x1, y1 = knots[k, 0], knots[k, 1], knots[k + 1, 0], knots[k + 1, 1]
        first, stop = int(knots[k, 2]), max(int(knots[k + 1, 2]), int(knots[k, 2]) + 1)
        for step in range(first, min(stop, max(last, first) + 2)):
            count = _met_in_step(traffic, step, x0, y0, x1, y1, (radius, gap, False), me, found, count)
    if len(knots):
        end = int(knots[len(knots) - 1, 2])
        for d in range(len(discs)):
            for step in range(end, max(last, end) + 2):
                x, y = discs[d, 0], discs[d, 1]
                count = _met_in_step(traffic, step, x, y, x, y, (discs[d, 2], gap, True), me, found, count)
    return count
