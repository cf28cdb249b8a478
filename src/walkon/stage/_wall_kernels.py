"""Compiled line-of-sight tests among walls (see `walls`), and the uniform grid that lists them."""

# mypy: ignore-errors

import math

from walkon._base.jit import group, kernel, reads, writes
from walkon.stage.wall_rule import Walls

WALLS = group(
    Walls,
    reads(2),
    reads(1),
    "float64",
    "int64",
    "int64",
    reads(1, "int64"),
    reads(1, "int32"),
    "float64",
)


@kernel()
def to_line2(px, py, ax, ay, bx, by):
    """Return the squared distance from a point to a line segment."""
    ux, uy = bx - ax, by - ay
    length2 = ux * ux + uy * uy
    share = 0.0
    if length2 > 0.0:
        share = min(max(((px - ax) * ux + (py - ay) * uy) / length2, 0.0), 1.0)
    dx, dy = ax + share * ux - px, ay + share * uy - py
    return dx * dx + dy * dy


@kernel()
def is_near(ax, ay, bx, by, cx, cy, dx, dy, radius):
    """Say whether two line segments come closer than a radius, or cross."""
    if (
        min(ax, bx) - radius > max(cx, dx)
        or min(cx, dx) - radius > max(ax, bx)
        or min(ay, by) - radius > max(cy, dy)
        or min(cy, dy) - radius > max(ay, by)
    ):
        return False
    limit = radius * radius
    if to_line2(ax, ay, cx, cy, dx, dy) < limit or to_line2(bx, by, cx, cy, dx, dy) < limit:
        return True
    if to_line2(cx, cy, ax, ay, bx, by) < limit or to_line2(dx, dy, ax, ay, bx, by) < limit:
        return True
    ux, uy, vx, vy = bx - ax, by - ay, dx - cx, dy - cy
    c_side, d_side = ux * (cy - ay) - uy * (cx - ax), ux * (dy - ay) - uy * (dx - ax)
    a_side, b_side = vx * (ay - cy) - vy * (ax - cx), vx * (by - cy) - vy * (bx - cx)
    return c_side * d_side < 0.0 and a_side * b_side < 0.0


@kernel()
def is_clear(walls, ax, ay, bx, by, radius):
    """Say whether a line keeps a radius from all walls: it asks the cells that it runs through, column by column."""
    if walls.columns == 0:
        return True
    if ax > bx:
        ax, ay, bx, by = bx, by, ax, ay
    x0, y0, cell = walls.origin[0], walls.origin[1], walls.cell
    first, last = int(math.floor((ax - x0) / cell)), int(math.floor((bx - x0) / cell))
    slope = (by - ay) / (bx - ax) if bx > ax else 0.0
    for column in range(max(first, 0), min(last, walls.columns - 1) + 1):
        y_in = ay if column == first or bx == ax else ay + slope * (x0 + column * cell - ax)
        y_out = by if column == last or bx == ax else ay + slope * (x0 + (column + 1) * cell - ax)
        low = int(math.floor((min(y_in, y_out) - y0) / cell - 1e-9))
        high = int(math.floor((max(y_in, y_out) - y0) / cell + 1e-9))
        for row in range(max(low, 0), min(high, walls.rows - 1) + 1):
            at = column * walls.rows + row
            for k in range(walls.starts[at], walls.starts[at + 1]):
                e = walls.items[k]
                edges = walls.edges
                if is_near(ax, ay, bx, by, edges[e, 0], edges[e, 1], edges[e, 2], edges[e, 3], radius):
                    return False
    return True


@kernel(WALLS, writes(1, "int64"), writes(1, "int32"))
def register(walls, heads, items):
    """List every edge in the cells within reach of it; with no items, only count them in `heads`, else advance them."""
    # A cell whose middle is farther than this holds no point within reach.
    limit = (walls.reach + walls.cell * math.sqrt(0.5) + 1e-6) ** 2
    x0, y0, cell = walls.origin[0], walls.origin[1], walls.cell
    for e in range(len(walls.edges)):
        ax, ay, bx, by = walls.edges[e, 0], walls.edges[e, 1], walls.edges[e, 2], walls.edges[e, 3]
        left = int(math.floor((min(ax, bx) - walls.reach - x0) / cell))
        right = int(math.floor((max(ax, bx) + walls.reach - x0) / cell))
        low = int(math.floor((min(ay, by) - walls.reach - y0) / cell))
        high = int(math.floor((max(ay, by) + walls.reach - y0) / cell))
        for column in range(max(left, 0), min(right, walls.columns - 1) + 1):
            for row in range(max(low, 0), min(high, walls.rows - 1) + 1):
                if to_line2(x0 + (column + 0.5) * cell, y0 + (row + 0.5) * cell, ax, ay, bx, by) <= limit:
                    at = column * walls.rows + row
                    if len(items):
                        items[heads[at]] = e
                    heads[at] += 1


@kernel(WALLS, reads(2), reads(2), reads(1), writes(1, "boolean"))
def fill_clear(walls, starts, ends, radii, found):
    """Fill [N] whether lines keep their radii [N] from all walls."""
    for i in range(len(starts)):
        found[i] = is_clear(walls, starts[i, 0], starts[i, 1], ends[i, 0], ends[i, 1], radii[i])
