"""Compiled neighbour search and capsule gaps. Twins: tests/twins/neighbours.py, tests/twins/capsules.py."""
# mypy: ignore-errors

import numpy as np

from walkon._base.jit import kernel, reads, writes

SLOPE_SOFTENING_M = 1e-9
"""m, ε by which distances are rounded off in slopes, √(d² + ε²), which has one slope also where two axes meet."""


@kernel(reads(2), "float64", "float64", "float64", "int64", "int64", writes(1, "int64"), writes(1, "int64"), writes(2))
def fill_cells(points, x0, y0, cell, columns, rows, starts, order, sorted_points):
    """Sort points into cells by counting: `starts` [columns · rows + 1], `order` [N], and the points in that order."""
    N = points.shape[0]
    place = np.empty(N, np.int64)
    for i in range(N):
        # The last column also takes what rounding puts beyond it.
        cx = min(int((points[i, 0] - x0) / cell), columns - 1)
        cy = min(int((points[i, 1] - y0) / cell), rows - 1)
        place[i] = cy * columns + cx
        starts[place[i] + 1] += 1
    for c in range(columns * rows):
        starts[c + 1] += starts[c]
    cursor = starts[: columns * rows].copy()
    for i in range(N):
        k = cursor[place[i]]
        cursor[place[i]] += 1
        order[k] = i
        sorted_points[k, 0] = points[i, 0]
        sorted_points[k, 1] = points[i, 1]


@kernel()
def scan(xs, first, last, x, y, limit, found, n):
    """Append the places k of first … last with |p_k − (x, y)|² ≤ limit; always written, counted only when near."""
    for k in range(first, last):
        dx = xs[k, 0] - x
        dy = xs[k, 1] - y
        found[n] = k
        n += dx * dx + dy * dy <= limit
    return n


@kernel(reads(2), reads(1, "int64"), reads(1, "int64"), "int64", "int64", "float64")
def grid_pairs(sorted_points, starts, order, columns, rows, radius):
    """Return [P, 2] pairs i < j within the radius, sorted by i, then j.

    Each point looks forward only: the rest of its own cell and the next one (which follow each other in memory), and
    the three cells of the row above (likewise).
    """
    N = sorted_points.shape[0]
    limit = radius * radius
    found = np.empty(max(16 * N, 64), np.int64)
    ends = np.empty(N + 1, np.int64)
    ends[0] = 0
    n = 0
    for cy in range(rows):
        for cx in range(columns):
            c = cy * columns + cx
            row_end = starts[cy * columns + min(cx + 2, columns)]
            above, above_end = 0, 0
            if cy + 1 < rows:
                above = starts[(cy + 1) * columns + max(cx - 1, 0)]
                above_end = starts[(cy + 1) * columns + min(cx + 2, columns)]
            for k in range(starts[c], starts[c + 1]):
                room = n + row_end - k + above_end - above + 1
                if room > found.shape[0]:
                    wider = np.empty(2 * room, np.int64)
                    wider[:n] = found[:n]
                    found = wider
                x, y = sorted_points[k, 0], sorted_points[k, 1]
                n = scan(sorted_points, k + 1, row_end, x, y, limit, found, n)
                n = scan(sorted_points, above, above_end, x, y, limit, found, n)
                ends[k + 1] = n
    # Two passes of counting sort, by j and then (stable) by i: linear in the number of pairs.
    lows = np.empty(n, np.int64)
    highs = np.empty(n, np.int64)
    low_starts = np.zeros(N + 1, np.int64)
    high_starts = np.zeros(N + 1, np.int64)
    for k in range(N):
        i = order[k]
        for m in range(ends[k], ends[k + 1]):
            j = order[found[m]]
            low, high = min(i, j), max(i, j)
            lows[m], highs[m] = low, high
            low_starts[low + 1] += 1
            high_starts[high + 1] += 1
    for i in range(N):
        low_starts[i + 1] += low_starts[i]
        high_starts[i + 1] += high_starts[i]
    by_high = np.empty((n, 2), np.int64)
    for m in range(n):
        at = high_starts[highs[m]]
        high_starts[highs[m]] += 1
        by_high[at, 0], by_high[at, 1] = lows[m], highs[m]
    pairs = np.empty((n, 2), np.int64)
    for m in range(n):
        at = low_starts[by_high[m, 0]]
        low_starts[by_high[m, 0]] += 1
        pairs[at, 0], pairs[at, 1] = by_high[m, 0], by_high[m, 1]
    return pairs


@kernel(reads(2), reads(1, "int64"), reads(1, "int64"), "int64", "int64", reads(1), reads(2))
def grid_near(sorted_points, starts, order, columns, rows, measures, queries):
    """Return (starts [Q + 1], indices) of the points within the radius of each query point, indices rising.

    `measures` are the corner's x and y, the side of a cell and the radius.
    """
    x0, y0, cell, radius = measures
    Q = queries.shape[0]
    limit = radius * radius
    found = np.empty(max(32 * Q, 64), np.int64)
    ends = np.zeros(Q + 1, np.int64)
    n = 0
    for q in range(Q):
        x, y = queries[q, 0], queries[q, 1]
        fx, fy = (x - x0) / cell, (y - y0) / cell
        if fx < -1.0 or fy < -1.0 or fx > columns + 1.0 or fy > rows + 1.0:
            ends[q + 1] = n  # far outside; also keeps the conversion to whole numbers in range
            continue
        # The last column holds what rounding put beyond it, so a query there must look one further back.
        cx, cy = min(int(np.floor(fx)), columns - 1), min(int(np.floor(fy)), rows - 1)
        before = n
        for row in range(max(cy - 1, 0), min(cy + 2, rows)):
            first = starts[row * columns + min(max(cx - 1, 0), columns)]
            last = starts[row * columns + max(min(cx + 2, columns), 0)]
            if n + last - first + 1 > found.shape[0]:
                wider = np.empty(2 * (n + last - first + 1), np.int64)
                wider[:n] = found[:n]
                found = wider
            n = scan(sorted_points, first, last, x, y, limit, found, n)
        for m in range(before, n):
            found[m] = order[found[m]]
        # Few neighbours each: insertion keeps them in rising order.
        for m in range(before + 1, n):
            value = found[m]
            k = m - 1
            while k >= before and found[k] > value:
                found[k + 1] = found[k]
                k -= 1
            found[k + 1] = value
        ends[q + 1] = n
    return ends, found[:n].copy()


@kernel()
def slope_and_gap(s, a, b):
    """Return (slope in s, gap) of the ball at s on capsule a against all of capsule b.

    A capsule is (x, y, z of its start, x, y, z of its unit axis, length, radius at the start, growth of the radius).
    """
    ax, ay, az, ux, uy, uz, length_a, ra, ta = a
    bx, by, bz, vx, vy, vz, length_b, rb, tb = b
    px, py, pz = ax + s * length_a * ux - bx, ay + s * length_a * uy - by, az + s * length_a * uz - bz
    t = 1.0 if tb > 0.0 else 0.0
    if length_b > abs(tb):
        x = px * vx + py * vy + pz * vz
        h = np.sqrt(max(px * px + py * py + pz * pz - x * x, 0.0) + SLOPE_SOFTENING_M * SLOPE_SOFTENING_M)
        t = min(max((x + h * tb / np.sqrt(length_b * length_b - tb * tb)) / length_b, 0.0), 1.0)
    dx, dy, dz = px - t * length_b * vx, py - t * length_b * vy, pz - t * length_b * vz
    distance = np.sqrt(dx * dx + dy * dy + dz * dz)
    along = dx * ux + dy * uy + dz * uz
    slope = along / np.sqrt(distance * distance + SLOPE_SOFTENING_M * SLOPE_SOFTENING_M) * length_a - ta
    return slope, distance - ra - s * ta - rb - t * tb


@kernel()
def capsule(starts, ends, radii, k):
    """Return capsule k in the form that `slope_and_gap` reads."""
    x, y, z = starts[k, 0], starts[k, 1], starts[k, 2]
    ux, uy, uz = ends[k, 0] - x, ends[k, 1] - y, ends[k, 2] - z
    length = np.sqrt(ux * ux + uy * uy + uz * uz)
    f = 1.0 / length if length > 0.0 else 0.0
    return x, y, z, ux * f, uy * f, uz * f, length, radii[k, 0], radii[k, 1] - radii[k, 0]


@kernel()
def capsule_gap(a, b, enough):
    """Return the signed gap of two capsules; where it is certainly over `enough`, a bound below it that is so too."""
    low, high = 0.0, 1.0
    slope_low, gap_low = slope_and_gap(low, a, b)
    slope_high, gap_high = slope_and_gap(high, a, b)
    gap = min(gap_low, gap_high)
    if slope_low < 0.0 < slope_high and gap > enough:
        # The gap is convex: it lies above both of its tangents, and they cross here.
        bound = (gap_low * slope_high - gap_high * slope_low + slope_low * slope_high) / (slope_high - slope_low)
        if bound > enough:
            return bound
    if slope_low < 0.0 < slope_high:
        # False position between the ends of the bracket; an end that stays has its slope halved (Illinois), and
        # every third step halves the bracket, so that a kink in the slope cannot stall it.
        for step in range(120):
            s = 0.5 * (low + high)
            if step % 3 != 2:
                s = (low * slope_high - high * slope_low) / (slope_high - slope_low)
            slope, here = slope_and_gap(s, a, b)
            gap = min(gap, here)
            # The gap is convex: it can fall by no more than the slope times what is left of the bracket.
            if abs(slope) * (high - low) < 1e-13:
                break
            if slope > 0.0:
                high, slope_high = s, slope
                slope_low *= 0.5
            else:
                low, slope_low = s, slope
                slope_high *= 0.5
    return gap


@kernel(reads(2), reads(2), reads(2), reads(2, "int64"), writes(1))
def capsule_gaps(starts, ends, radii, pairs, gaps):
    """Fill the signed gaps [P] of pairs of tapered capsules."""
    for p in range(pairs.shape[0]):
        a = capsule(starts, ends, radii, pairs[p, 0])
        b = capsule(starts, ends, radii, pairs[p, 1])
        gaps[p] = capsule_gap(a, b, np.inf)
