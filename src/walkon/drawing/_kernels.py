"""Compiled ray casting: what each pixel of a picture sees, paint on the floor, and anti-aliased edges.

A ray of the pixel place (x, y) is o + t d with o = rays[0] + x rays[1] + y rays[2] and d = rays[3] + x rays[4] +
y rays[5]: a perspective camera has rays[1] = rays[2] = 0, an orthographic one (and the sun) rays[4] = rays[5] = 0; t
is then the depth along the line of sight in metres. All kernels take whole pictures and a range of rows to fill, so
that rows can be shared among threads with the same result. Tables of cones are those of `walkon.drawing.solids`; one
table, `flats`, has boxes and, behind them, triangles (`walkon.drawing.triangles`), told apart by its last column. The
plain twins are in tests/twins/drawing.py; light is in `_light_kernels`.
"""
# mypy: ignore-errors

import numpy as np

from walkon._base.jit import kernel, reads, writes

FLOOR, SKY = -1, -2
"""What a pixel sees where there is no solid."""
NEAR_PLANE_M = 1e-3
"""Metres in front of the eye where sight begins."""
SUBPIXEL_PLACES = np.array([(0.3, 0.1), (0.9, 0.3), (0.1, 0.7), (0.7, 0.9)])
"""Four places in a pixel, no two in one row or column of fifths; its middle is known already."""
NEIGHBOUR_PIXELS = np.array([(0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1)])
"""Rows and columns to the pixels around one, the nearest first."""


@kernel()
def ray(rays, x, y):
    """Origin and direction of the ray of a picture place."""
    return (
        rays[0, 0] + x * rays[1, 0] + y * rays[2, 0],
        rays[0, 1] + x * rays[1, 1] + y * rays[2, 1],
        rays[0, 2] + x * rays[1, 2] + y * rays[2, 2],
        rays[3, 0] + x * rays[4, 0] + y * rays[5, 0],
        rays[3, 1] + x * rays[4, 1] + y * rays[5, 1],
        rays[3, 2] + x * rays[4, 2] + y * rays[5, 2],
    )


@kernel()
def cone_entry(dd, wd, zd, z0, qa, qb, qc, length, ra, rb, s, c2):
    """Do the second half of `cone_hit`, for rays that may hit; z0 counts from where the cone touches sphere a."""
    h = qb * qb - qa * qc
    best = np.inf
    if h >= 0.0:
        high = length - (ra - rb) * s
        root = np.sqrt(h)
        t = (-qb - root) / qa
        if 0.0 <= z0 + t * zd <= high:
            if qa > 0.0:
                return t
            best = t
        if qa <= 0.0:  # steeper than the cone: the ray may enter through the other root
            t = (-qb + root) / qa
            if 0.0 <= z0 + t * zd <= high:
                best = min(best, t)
    gap = (qc + z0 * z0) / c2  # |w|² − rₐ²
    h = wd * wd - dd * gap
    if h >= 0.0:
        best = min(best, (-wd - np.sqrt(h)) / dd)
    wd -= length * zd
    h = wd * wd - dd * (gap + ra * ra - rb * rb + length * (length - 2.0 * (z0 + ra * s)))
    if h >= 0.0:
        best = min(best, (-wd - np.sqrt(h)) / dd)
    return best


@kernel()
def cone_hit(cones, k, ox, oy, oz, dx, dy, dz):
    """Depth at which a ray enters a round cone (a row of its table), or inf.

    With w = o − a, z = u·(w + t d) − rₐ s along the axis, s the sine of the half angle and c² = 1 − s²: the tangent
    cone is c² (|w + t d|² − rₐ²) − z² = 0 for 0 ≤ z ≤ L − (rₐ − r_b) s, and the rest of the skin is on the spheres.
    The solid is convex, so the first of all these points is where the ray enters. A lone sphere has u = 0.
    """
    wx, wy, wz = ox - cones[k, 0], oy - cones[k, 1], oz - cones[k, 2]
    ux, uy, uz, ra, s, c2 = cones[k, 3], cones[k, 4], cones[k, 5], cones[k, 7], cones[k, 9], cones[k, 10]
    dd = dx * dx + dy * dy + dz * dz
    wd = wx * dx + wy * dy + wz * dz
    zd = ux * dx + uy * dy + uz * dz
    z0 = ux * wx + uy * wy + uz * wz - ra * s
    qa = c2 * dd - zd * zd
    qb = c2 * wd - z0 * zd
    qc = c2 * (wx * wx + wy * wy + wz * wz - ra * ra) - z0 * z0
    h = qb * qb - qa * qc
    if h < 0.0 and qa > 0.0:
        return np.inf  # both spheres lie inside the cone, so missing it is missing them
    return cone_entry(dd, wd, zd, z0, qa, qb, qc, cones[k, 6], ra, cones[k, 8], s, c2)


@kernel()
def box_hit(boxes, k, ox, oy, oz, dx, dy, dz):
    """Depth at which a ray enters an oriented box (row k of the table), or inf, and which axis its side is across."""
    first, last, side = -np.inf, np.inf, 0
    for i in range(3):
        ux, uy, uz = boxes[k, 3 + 3 * i], boxes[k, 4 + 3 * i], boxes[k, 5 + 3 * i]
        o = ux * (ox - boxes[k, 0]) + uy * (oy - boxes[k, 1]) + uz * (oz - boxes[k, 2])
        d = ux * dx + uy * dy + uz * dz
        half = boxes[k, 12 + i]
        if abs(d) < 1e-12:
            if abs(o) > half:
                return np.inf, 0
            continue
        t0, t1 = (-half - o) / d, (half - o) / d
        if min(t0, t1) > first:
            first, side = min(t0, t1), i
        last = min(last, max(t0, t1))
    return (first if first <= last else np.inf), side


@kernel()
def triangle_hit(flats, k, ox, oy, oz, dx, dy, dz):
    """Depth at which a ray meets a triangle (row k of the table) from either side, or inf: Möller and Trumbore 1997."""
    ux, uy, uz, vx, vy, vz = flats[k, 3], flats[k, 4], flats[k, 5], flats[k, 6], flats[k, 7], flats[k, 8]
    px, py, pz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
    volume = ux * px + uy * py + uz * pz
    if volume == 0.0:
        return np.inf
    per = 1.0 / volume
    wx, wy, wz = ox - flats[k, 0], oy - flats[k, 1], oz - flats[k, 2]
    s = (wx * px + wy * py + wz * pz) * per
    qx, qy, qz = wy * uz - wz * uy, wz * ux - wx * uz, wx * uy - wy * ux
    t = (dx * qx + dy * qy + dz * qz) * per
    # A little beyond its sides, so that no ray passes between two triangles.
    if s < -1e-9 or t < -1e-9 or s + t > 1.0 + 1e-9:
        return np.inf
    return (vx * qx + vy * qy + vz * qz) * per


@kernel()
def flat_hit(flats, k, ox, oy, oz, dx, dy, dz):
    """Depth at which a ray meets a box or a triangle, or inf, and which axis the box's side is across."""
    if flats[k, 18] > 0.0:
        return triangle_hit(flats, k, ox, oy, oz, dx, dy, dz), 0
    return box_hit(flats, k, ox, oy, oz, dx, dy, dz)


@kernel(
    *(reads(2), reads(2, "int64"), reads(2), reads(2, "int64"), reads(2), "boolean", "int64", "int64"),
    *(writes(2, "float32"), writes(2, "int32")),
)
def trace(cones, cone_bounds, flats, flat_bounds, rays, floor, first, stop, depth, ids):
    """Fill rows of depth [H, W] and of what is seen [H, W]: cone k, N + 3 k + i for side i of flat k, FLOOR or SKY."""
    W = depth.shape[1]
    for row in range(first, stop):
        # A camera never leans over, so all pixels of a row meet the floor at one depth.
        _, _, oz, _, _, dz = ray(rays, 0.5, row + 0.5)
        below = floor and dz < 0.0 and -oz / dz > NEAR_PLANE_M
        for col in range(W):
            depth[row, col] = -oz / dz if below else np.inf
            ids[row, col] = FLOOR if below else SKY
    oxx, oxy, oxz, dxx, dxy, dxz = rays[1, 0], rays[1, 1], rays[1, 2], rays[4, 0], rays[4, 1], rays[4, 2]
    for k in range(cones.shape[0]):
        for row in range(max(first, cone_bounds[k, 2]), min(stop, cone_bounds[k, 3])):
            px, py, pz, ex, ey, ez = ray(rays, 0.5, row + 0.5)
            for col in range(cone_bounds[k, 0], cone_bounds[k, 1]):
                if cones[k, 12] > depth[row, col]:
                    continue  # all of the cone is behind what is here already
                ox, oy, oz = px + col * oxx, py + col * oxy, pz + col * oxz
                dx, dy, dz = ex + col * dxx, ey + col * dxy, ez + col * dxz
                t = cone_hit(cones, k, ox, oy, oz, dx, dy, dz)
                if NEAR_PLANE_M < t < depth[row, col]:
                    depth[row, col] = t
                    ids[row, col] = k
    for k in range(flats.shape[0]):
        for row in range(max(first, flat_bounds[k, 2]), min(stop, flat_bounds[k, 3])):
            for col in range(flat_bounds[k, 0], flat_bounds[k, 1]):
                ox, oy, oz, dx, dy, dz = ray(rays, col + 0.5, row + 0.5)
                t, side = flat_hit(flats, k, ox, oy, oz, dx, dy, dz)
                if NEAR_PLANE_M < t < depth[row, col]:
                    depth[row, col] = t
                    ids[row, col] = cones.shape[0] + 3 * k + side


@kernel(
    reads(2),
    reads(2, "int64"),
    reads(2),
    reads(2, "int32"),
    "int64",
    "int64",
    writes(3, "float32"),
    writes(3, "float32"),
)
def paint(strokes, bounds, rays, ids, first, stop, coat, last):
    """Paint strokes on the floor: rows of `coat` [H, W, 4] = (red, green, blue, cover), premultiplied, later on top.

    A stroke is (xa, ya, xb, yb, radius, red, green, blue, opacity, group). Strokes of one group that overlap count
    once; `last` [H, W, 2] holds the group that painted a pixel last and how much of the pixel it covered.
    """
    for k in range(strokes.shape[0]):
        xa, ya, xb, yb, radius, red, green, blue, opacity, group = strokes[k]
        ex, ey = xb - xa, yb - ya
        ee = ex * ex + ey * ey
        for row in range(max(first, bounds[k, 2]), min(stop, bounds[k, 3])):
            for col in range(bounds[k, 0], bounds[k, 1]):
                if ids[row, col] != FLOOR:
                    continue
                ox, oy, oz, dx, dy, dz = ray(rays, col + 0.5, row + 0.5)
                t = -oz / dz
                x, y = ox + t * dx, oy + t * dy
                share = min(max(((x - xa) * ex + (y - ya) * ey) / ee, 0.0), 1.0) if ee > 1e-12 else 0.0
                gx, gy = x - xa - share * ex, y - ya - share * ey
                distance = np.sqrt(gx * gx + gy * gy)
                # Pixels are long on a slanted floor: their size in the direction of the edge decides its softness.
                gx, gy = (gx / distance, gy / distance) if distance > 1e-9 else (1.0, 0.0)
                sx = (rays[1, 0] + t * rays[4, 0] - dx * (rays[1, 2] + t * rays[4, 2]) / dz) * gx + (
                    rays[1, 1] + t * rays[4, 1] - dy * (rays[1, 2] + t * rays[4, 2]) / dz
                ) * gy
                sy = (rays[2, 0] + t * rays[5, 0] - dx * (rays[2, 2] + t * rays[5, 2]) / dz) * gx + (
                    rays[2, 1] + t * rays[5, 1] - dy * (rays[2, 2] + t * rays[5, 2]) / dz
                ) * gy
                size = np.sqrt(sx * sx + sy * sy) + 1e-9
                cover = min(max((radius - distance) / size + 0.5, 0.0), 1.0) - min(
                    max((-radius - distance) / size + 0.5, 0.0), 1.0
                )
                before = last[row, col, 1] if last[row, col, 0] == group else 0.0
                if cover <= before:
                    continue
                alpha = 1.0 - (1.0 - opacity * cover) / max(1.0 - opacity * before, 1e-9)
                last[row, col, 0], last[row, col, 1] = group, cover
                coat[row, col, 0] += alpha * (red - coat[row, col, 0])
                coat[row, col, 1] += alpha * (green - coat[row, col, 1])
                coat[row, col, 2] += alpha * (blue - coat[row, col, 2])
                coat[row, col, 3] += alpha * (1.0 - coat[row, col, 3])


@kernel(
    *(reads(3, "float32"), reads(2, "int32"), reads(2), reads(2), reads(2), "boolean"),
    *("int64", "int64", writes(3, "uint8")),
)
def resolve(image, ids, cones, flats, rays, floor, first, stop, pixels):
    """Write rows of the 8-bit picture [H, W, 3], with smooth edges where neighbouring pixels see different things.

    Four rays in such a pixel ask which of the things seen around it they meet; each lends the colour that it has at
    the nearest pixel that sees it. Nothing is shaded twice.
    """
    H, W = ids.shape
    N = cones.shape[0]
    things, lender, total, mixed = np.empty(9, np.int64), np.empty((9, 2), np.int64), np.empty(3), np.empty(W, np.bool_)
    for row in range(first, stop):
        above, below = max(row - 1, 0), min(row + 1, H - 1)
        for col in range(W):
            for i in range(3):
                pixels[row, col, i] = np.uint8(255.0 * image[row, col, i] + 0.5)
        mixed[0] = mixed[W - 1] = True
        for col in range(1, W - 1):
            k = ids[row, col]
            differ = (ids[above, col - 1] ^ k) | (ids[above, col] ^ k) | (ids[above, col + 1] ^ k)
            differ |= (ids[row, col - 1] ^ k) | (ids[row, col + 1] ^ k)
            differ |= (ids[below, col - 1] ^ k) | (ids[below, col] ^ k) | (ids[below, col + 1] ^ k)
            mixed[col] = differ != 0
        for col in range(W):
            if not mixed[col]:
                continue
            things[0], lender[0, 0], lender[0, 1] = max(ids[row, col], FLOOR), row, col
            count, contrast = 1, 0.0
            for n in range(8):
                r, c = row + NEIGHBOUR_PIXELS[n, 0], col + NEIGHBOUR_PIXELS[n, 1]
                if r < 0 or c < 0 or r >= H or c >= W:
                    continue
                things[count], lender[count, 0], lender[count, 1] = max(ids[r, c], FLOOR), r, c
                j = 0
                while things[j] != things[count]:
                    j += 1
                if j == count:
                    count += 1
                    for i in range(3):
                        contrast = max(contrast, abs(image[r, c, i] - image[row, col, i]))
            if contrast < 0.02:
                continue  # limbs of one body that meet smoothly: there is nothing to smooth
            ground = 0  # what no pixel around shows is behind them all: the ground or else the middle lends its colour
            for j in range(count):
                ground = j if things[j] < 0 else ground
            for i in range(3):
                total[i] = image[row, col, i]
            for e in range(4):
                ox, oy, oz, dx, dy, dz = ray(rays, col + SUBPIXEL_PLACES[e, 0], row + SUBPIXEL_PLACES[e, 1])
                best = -oz / dz if floor and dz < 0.0 and -oz / dz > NEAR_PLANE_M else np.inf
                chosen = ground
                for j in range(count):
                    k = things[j]
                    if k < 0:
                        continue
                    if k < N:
                        t = cone_hit(cones, k, ox, oy, oz, dx, dy, dz)
                    else:
                        t, side = flat_hit(flats, (k - N) // 3, ox, oy, oz, dx, dy, dz)
                        t = t if side == (k - N) % 3 else np.inf
                    if NEAR_PLANE_M < t < best:
                        best, chosen = t, j
                for i in range(3):
                    total[i] += image[lender[chosen, 0], lender[chosen, 1], i]
            for i in range(3):
                pixels[row, col, i] = np.uint8(51.0 * total[i] + 0.5)
