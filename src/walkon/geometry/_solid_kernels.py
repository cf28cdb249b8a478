"""Compiled signed distances and capsule gaps of boxes, balls, cylinders and prisms. Twin: tests/twins/solids.py."""
# mypy: ignore-errors

import numpy as np

from walkon._base.jit import kernel, reads, writes
from walkon.geometry.solid_pairs_rule import ANY_PRISM, BOX, CYLINDER, GAP_STEP_TOLERANCE_M, SPHERE
from walkon.transforms import _kernels as vec

FIRST_INTERVAL_COUNT = 4
"""Intervals into which a capsule's axis is cut at first where the solid is not convex."""
OPEN_INTERVAL_COUNT = 128
"""Intervals that wait at most: each halving leaves one more, and 2⁻⁶⁰ of an axis is below rounding."""


@kernel()
def plan_distance(corners, first, last, x, y):
    """Return the signed distance of a point from a polygon, corners first … last counter-clockwise, and its slope."""
    best, inside = np.inf, False
    nx, ny, at_corner = 0.0, 0.0, False
    ax, ay = corners[last - 1, 0], corners[last - 1, 1]
    for k in range(first, last):
        bx, by = corners[k, 0], corners[k, 1]
        ux, uy = bx - ax, by - ay
        px, py = x - ax, y - ay
        t = (px * ux + py * uy) / (ux * ux + uy * uy)
        clamped = min(max(t, 0.0), 1.0)
        dx, dy = px - clamped * ux, py - clamped * uy
        away = dx * dx + dy * dy
        if away < best:
            best, at_corner = away, t != clamped and away > 0.0
            # Nearest to a corner the slope is away from it; else across the edge, outwards, whichever side one is on.
            nx, ny = (dx, dy) if at_corner else (uy, -ux)
        if (ay > y) != (by > y) and (px * uy < py * ux) == (uy > 0.0):
            inside = not inside
        ax, ay = bx, by
    length = np.sqrt(nx * nx + ny * ny)
    sign = -1.0 if inside else 1.0
    turn = sign / length if at_corner else 1.0 / length
    return sign * np.sqrt(best), turn * nx, turn * ny


@kernel()
def solid_at(shape, half, corners, first, last, x, y, z):
    """Return the signed distance of a point from a solid, in the solid's frame, and its slope (3 numbers)."""
    if shape == SPHERE:
        length = np.sqrt(x * x + y * y + z * z)
        if length == 0.0:
            return -half[0], (0.0, 0.0, 1.0)
        return length - half[0], (x / length, y / length, z / length)
    up = abs(z) - half[2]
    sz = 1.0 if z >= 0.0 else -1.0
    if shape == BOX:
        qx, qy = abs(x) - half[0], abs(y) - half[1]
        sx, sy = 1.0 if x >= 0.0 else -1.0, 1.0 if y >= 0.0 else -1.0
        if qx <= 0.0 and qy <= 0.0 and up <= 0.0:
            if up >= qx and up >= qy:
                return up, (0.0, 0.0, sz)
            return (qx, (sx, 0.0, 0.0)) if qx >= qy else (qy, (0.0, sy, 0.0))
        ox, oy, oz = max(qx, 0.0), max(qy, 0.0), max(up, 0.0)
        away = np.sqrt(ox * ox + oy * oy + oz * oz)
        return away, (sx * ox / away, sy * oy / away, sz * oz / away)
    if shape == CYLINDER:
        length = np.sqrt(x * x + y * y)
        aside = length - half[0]
        gx, gy = (x / length, y / length) if length > 0.0 else (1.0, 0.0)
    else:
        aside, gx, gy = plan_distance(corners, first, last, x, y)
    if aside <= 0.0 and up <= 0.0:
        return (aside, (gx, gy, 0.0)) if aside >= up else (up, (0.0, 0.0, sz))
    oa, oz = max(aside, 0.0), max(up, 0.0)
    away = np.sqrt(oa * oa + oz * oz)
    return away, (gx * oa / away, gy * oa / away, sz * oz / away)


@kernel()
def ball_at(solid, start, axis, radius, taper, s):
    """Return the gap of the ball at s on a capsule, and its slope in s."""
    x, y, z = start[0] + s * axis[0], start[1] + s * axis[1], start[2] + s * axis[2]
    away, way = solid_at(solid[0], solid[1], solid[2], solid[3], solid[4], x, y, z)
    return away - radius - s * taper, vec.dot(way, axis) - taper


@kernel()
def convex_gap(solid, start, axis, radius, taper):
    """Return the least gap along a capsule's axis where it is convex.

    Two tangents bound it from below where they cross; there the next look is taken, and every third in the middle.
    """
    low, high = 0.0, 1.0
    gap_low, slope_low = ball_at(solid, start, axis, radius, taper, low)
    if slope_low >= 0.0:
        return gap_low
    gap_high, slope_high = ball_at(solid, start, axis, radius, taper, high)
    if slope_high <= 0.0:
        return gap_high
    best = min(gap_low, gap_high)
    for step in range(120):
        s = (gap_high - gap_low + slope_low * low - slope_high * high) / (slope_low - slope_high)
        s = min(max(s, low), high)
        if best - (gap_low + slope_low * (s - low)) < GAP_STEP_TOLERANCE_M:
            break
        if step % 3 == 2:
            s = 0.5 * (low + high)
        gap, slope = ball_at(solid, start, axis, radius, taper, s)
        best = min(best, gap)
        if slope > 0.0:
            high, gap_high, slope_high = s, gap, slope
        elif slope < 0.0:
            low, gap_low, slope_low = s, gap, slope
        else:
            break
    return best


@kernel()
def any_gap(solid, start, axis, radius, taper, steepest, tolerance, waiting):
    """Return the least gap along a capsule's axis, at most `tolerance` too large; `waiting` [W, 4] is room for it."""
    best, n = np.inf, 0
    width = 1.0 / FIRST_INTERVAL_COUNT
    left, _ = ball_at(solid, start, axis, radius, taper, 0.0)
    best = left
    for k in range(FIRST_INTERVAL_COUNT):
        right, _ = ball_at(solid, start, axis, radius, taper, (k + 1) * width)
        best = min(best, right)
        waiting[n, 0], waiting[n, 1], waiting[n, 2], waiting[n, 3] = k * width, width, left, right
        left = right
        n += 1
    while n > 0:
        n -= 1
        low, width, left, right = waiting[n, 0], waiting[n, 1], waiting[n, 2], waiting[n, 3]
        if 0.5 * (left + right - steepest * width) >= best - tolerance:
            continue
        width *= 0.5
        middle, _ = ball_at(solid, start, axis, radius, taper, low + width)
        best = min(best, middle)
        waiting[n, 0], waiting[n, 1], waiting[n, 2], waiting[n, 3] = low, width, left, middle
        waiting[n + 1, 0], waiting[n + 1, 1], waiting[n + 1, 2], waiting[n + 1, 3] = low + width, width, middle, right
        n += 2
    return best


@kernel()
def in_frame(poses, k, point):
    """Return a point in the frame of a pose [7]."""
    at = (poses[k, 0], poses[k, 1], poses[k, 2])
    turn = (poses[k, 3], -poses[k, 4], -poses[k, 5], -poses[k, 6])
    return vec.rotate(turn, vec.minus(point, at))


@kernel(
    reads(2),
    reads(2),
    reads(2),
    reads(1, "int64"),
    reads(1, "int64"),
    reads(2),
    reads(2),
    reads(1, "int64"),
    reads(2),
    reads(2),
    reads(2, "int64"),
    "float64",
    "float64",
    writes(1),
)
def solid_gaps(
    starts, ends, radii, things, shapes, half, poses, rings, corners, frames, pairs, within, tolerance, gaps
):  # fmt: skip
    """Fill the least gaps [P] of (capsule, thing, frame) [P, 3] over the parts of the thing.

    Parts that cannot be nearer than `within`, nor than the nearest so far, are not looked at closely: of gaps beyond
    `within` a lower bound is given that is beyond it too.
    """
    waiting = np.empty((OPEN_INTERVAL_COUNT, 4))
    for p in range(pairs.shape[0]):
        c, thing, frame = pairs[p, 0], pairs[p, 1], pairs[p, 2]
        one = in_frame(frames, frame, vec.vector(starts, c))
        two = in_frame(frames, frame, vec.vector(ends, c))
        radius, taper = radii[c, 0], radii[c, 1] - radii[c, 0]
        way = vec.minus(two, one)
        steepest = np.sqrt(vec.dot(way, way)) + abs(taper)
        best = np.inf
        for k in range(things[thing], things[thing + 1]):
            start, end = in_frame(poses, k, one), in_frame(poses, k, two)
            axis = vec.minus(end, start)
            solid = (shapes[k], half[k], corners, rings[k], rings[k + 1])
            middle, _ = ball_at(solid, start, axis, radius, taper, 0.5)
            least = middle - 0.5 * steepest
            if least > within or least >= best:
                best = min(best, max(least, within))
            elif steepest == 0.0:
                best = min(best, middle)
            elif shapes[k] == ANY_PRISM:
                best = min(best, any_gap(solid, start, axis, radius, taper, steepest, tolerance, waiting))
            else:
                best = min(best, convex_gap(solid, start, axis, radius, taper))
        gaps[p] = best


@kernel(reads(2), "int64", reads(1), reads(2), writes(1))
def solid_distances(points, shape, half, corners, distances):
    """Fill the signed distances [N] of points in the frame of one solid."""
    for i in range(points.shape[0]):
        distances[i], _ = solid_at(
            shape, half, corners, 0, corners.shape[0], points[i, 0], points[i, 1], points[i, 2]
        )  # fmt: skip
