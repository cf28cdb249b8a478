"""Compiled vertical look-ups in a grid of triangles: which cells they cover, and which are under or over places."""
# mypy: ignore-errors

import math

from walkon._base.jit import kernel, reads, writes
from walkon.geometry.triangle_grid_rule import EDGE_TOLERANCE_M, MIN_PLAN_RATIO


@kernel()
def cell_range(low, cell, count, first, last):
    """Return the first and the last of `count` cells that a stretch from `first` to `last` m covers."""
    a = int(math.floor((first - EDGE_TOLERANCE_M - low) / cell))
    b = int(math.floor((last + EDGE_TOLERANCE_M - low) / cell))
    return min(max(a, 0), count - 1), min(max(b, 0), count - 1)


@kernel(reads(3), "float64", "float64", "float64", "int64", "int64", writes(1, "int64"))
def count_cells(corners, x0, y0, cell, columns, rows, counts):
    """Count in `counts` [columns · rows] how many triangles [F, 3, 3] have a box that covers each cell."""
    for f in range(corners.shape[0]):
        a, b, c = corners[f, 0], corners[f, 1], corners[f, 2]
        i0, i1 = cell_range(x0, cell, columns, min(a[0], b[0], c[0]), max(a[0], b[0], c[0]))
        j0, j1 = cell_range(y0, cell, rows, min(a[1], b[1], c[1]), max(a[1], b[1], c[1]))
        for j in range(j0, j1 + 1):
            for i in range(i0, i1 + 1):
                counts[j * columns + i] += 1


@kernel(reads(3), "float64", "float64", "float64", "int64", "int64", writes(1, "int64"), writes(1, "int32"))
def fill_cells(corners, x0, y0, cell, columns, rows, ends, members):
    """Fill the triangles of each cell, in order; `ends` hold where each cell begins, and afterwards where it ends."""
    for f in range(corners.shape[0]):
        a, b, c = corners[f, 0], corners[f, 1], corners[f, 2]
        i0, i1 = cell_range(x0, cell, columns, min(a[0], b[0], c[0]), max(a[0], b[0], c[0]))
        j0, j1 = cell_range(y0, cell, rows, min(a[1], b[1], c[1]), max(a[1], b[1], c[1]))
        for j in range(j0, j1 + 1):
            for i in range(i0, i1 + 1):
                members[ends[j * columns + i]] = f
                ends[j * columns + i] += 1


@kernel()
def is_outside(ax, ay, ex, ey, x, y):
    """Return whether (x, y) is to the right of a side from (ax, ay) along (ex, ey), by more than the tolerance."""
    return ex * (y - ay) - ey * (x - ax) < -EDGE_TOLERANCE_M * (abs(ex) + abs(ey))


@kernel()
def surface_nearest(corners, x0, y0, cell, columns, rows, firsts, members, x, y, z):
    """Return the height and the number of the triangle through the vertical at (x, y) that is nearest to z; −1: none.

    Where z is NaN the highest counts.
    """
    height, found = math.nan, -1
    i, j = math.floor((x - x0) / cell), math.floor((y - y0) / cell)
    if not (-1 <= i <= columns and -1 <= j <= rows):
        return height, found
    k = int(min(max(j, 0), rows - 1)) * columns + int(min(max(i, 0), columns - 1))
    best = math.inf
    for m in range(firsts[k], firsts[k + 1]):
        f = members[m]
        ax, ay, az = corners[f, 0, 0], corners[f, 0, 1], corners[f, 0, 2]
        ux, uy = corners[f, 1, 0] - ax, corners[f, 1, 1] - ay
        if is_outside(ax, ay, ux, uy, x, y):
            continue
        vx, vy = corners[f, 2, 0] - ax, corners[f, 2, 1] - ay
        if is_outside(ax, ay, -vx, -vy, x, y) or is_outside(ax + ux, ay + uy, vx - ux, vy - uy, x, y):
            continue
        double = ux * vy - uy * vx
        if double <= MIN_PLAN_RATIO * max(ux * ux + uy * uy, vx * vx + vy * vy):
            continue
        s = ((x - ax) * vy - (y - ay) * vx) / double
        t = (ux * (y - ay) - uy * (x - ax)) / double
        here = az + s * (corners[f, 1, 2] - az) + t * (corners[f, 2, 2] - az)
        away = -here if math.isnan(z) else abs(here - z)
        if away < best:
            best, height, found = away, here, f
    return height, found


@kernel(reads(3), "float64", "float64", "float64", "int64", "int64", reads(1, "int64"), reads(1, "int32"), reads(2),
        reads(1), writes(1), writes(1, "int32"))  # fmt: skip
def surfaces_nearest(corners, x0, y0, cell, columns, rows, firsts, members, points, near, heights, found):
    """Fill heights [P] m and triangles [P] at points [P, 2], nearest to `near` [P] (`surface_nearest`)."""
    for p in range(points.shape[0]):
        heights[p], found[p] = surface_nearest(
            corners, x0, y0, cell, columns, rows, firsts, members, points[p, 0], points[p, 1], near[p]
        )


@kernel()
def faces_up(corners, f):
    """Return whether a triangle is something to stand on, as `surface_nearest` has it."""
    ux, uy = corners[f, 1, 0] - corners[f, 0, 0], corners[f, 1, 1] - corners[f, 0, 1]
    vx, vy = corners[f, 2, 0] - corners[f, 0, 0], corners[f, 2, 1] - corners[f, 0, 1]
    return ux * vy - uy * vx > MIN_PLAN_RATIO * max(ux * ux + uy * uy, vx * vx + vy * vy)


@kernel()
def extent(corners, f, axis):
    """Return the least and the greatest coordinate of a triangle along an axis."""
    a, b, c = corners[f, 0, axis], corners[f, 1, axis], corners[f, 2, axis]
    return min(a, b, c), max(a, b, c)


@kernel()
def are_stacked(corners, f, g, rise):
    """Return whether the boxes of two triangles overlap seen from above, and one begins `rise` m over the other."""
    for axis in range(2):
        low_f, high_f = extent(corners, f, axis)
        low_g, high_g = extent(corners, g, axis)
        if min(high_f, high_g) - max(low_f, low_g) <= EDGE_TOLERANCE_M:
            return False
    low_f, high_f = extent(corners, f, 2)
    low_g, high_g = extent(corners, g, 2)
    return low_f - high_g > rise or low_g - high_f > rise


@kernel(reads(3), reads(1, "int64"), reads(1, "int32"), "float64")
def has_stacked(corners, firsts, members, rise):
    """Return whether in any cell two triangles that face up `are_stacked`."""
    for k in range(firsts.shape[0] - 1):
        for m in range(firsts[k], firsts[k + 1]):
            if not faces_up(corners, members[m]):
                continue
            for n in range(firsts[k], m):
                if are_stacked(corners, members[m], members[n], rise) and faces_up(corners, members[n]):
                    return True
    return False


@kernel(reads(3), "float64", "float64", "float64", "int64", "int64", reads(1, "int64"), reads(1, "int32"), reads(2),
        reads(1, "int64"), reads(1), writes(1))  # fmt: skip
def follow_surfaces(corners, x0, y0, cell, columns, rows, firsts, members, points, begins, near, heights):
    """Fill heights [P] along runs of points [P, 2], each nearest to the one before it, the first to `near` [W]."""
    for w in range(begins.shape[0]):
        z = near[w]
        for p in range(begins[w], begins[w + 1] if w + 1 < begins.shape[0] else points.shape[0]):
            here, found = surface_nearest(
                corners, x0, y0, cell, columns, rows, firsts, members, points[p, 0], points[p, 1], z
            )
            z = here if found >= 0 else z
            heights[p] = z
