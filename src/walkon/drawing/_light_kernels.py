"""Compiled shading: ambient occlusion, shadow maps, how dark the floor is, and the colours that follow.

Rays, ranges of rows and `flats` are as in `_kernels`; tables are laid out by `walkon.drawing.solids`, `triangles` and
`light`.
`look` has in its rows: 0 towards the key light, 1 its colour, 2 towards the fill light, 3 its colour, 4 the sky's
light, 5 the floor's light, 6 the floor, 7 its lines, 8 backdrop below, 9 backdrop above, 10 tint of full shadow,
11 (x, y) of the middle and where the floor begins to fade, 12 where it is gone, line strength, edge darkness.
The plain twins are in tests/twins/drawing.py.
"""
# mypy: ignore-errors

import numpy as np

from walkon._base.jit import kernel, reads, writes
from walkon.drawing._kernels import FLOOR, NEAR_PLANE_M, SKY, ray
from walkon.transforms._kernels import smoothstep

OCCLUSION_REACH_M = 0.09
"""Metres around a place in which others take the sky away from it."""
OCCLUSION_SAMPLES = np.array(
    [
        (0.5 * (i % 2 + 1) * np.cos(0.25 * np.pi * i + 0.3), 0.5 * (i % 2 + 1) * np.sin(0.25 * np.pi * i + 0.3))
        for i in range(8)
    ]
)
"""Eight places on two rings (radius 0.5 and 1) that sample a neighbourhood."""
SHADOW_SAMPLES = np.array([((i + 1) / 8.0 * np.cos(2.4 * i), (i + 1) / 8.0 * np.sin(2.4 * i)) for i in range(8)])
"""Eight places on a spiral in the unit disc."""


@kernel(reads(2), reads(2, "int64"), reads(2), reads(1), "int64", "int64", writes(3, "float32"))
def darken(casts, bounds, across, frame, first, stop, dark):
    """Darken rows of the floor map [2, h, w] (key light blocked, sky blocked) by round cones above it.

    `casts` has for each cone: its ends (u, v, z) and (u, v, z) in the plane across the light, its ends (x, y) and
    (x, y) seen from above, its two radii. `bounds` has the cells of its shadow and of the sky that it takes away.
    `across` are the two axes of the plane across the light, `frame` the map's (x, y) corner, the size of its cells,
    the sine of the light's elevation and its softness (metres of blur per metre of way).
    """
    x0, y0, cell, softness = frame[0], frame[1], frame[2], frame[4] / frame[3]
    for k in range(casts.shape[0]):
        ua, va, za, ub, vb, zb, xa, ya, xb, yb, ra, rb = casts[k]
        lu, lv = ub - ua, vb - va
        length = np.sqrt(lu * lu + lv * lv)
        s, tan, per = 0.0, 0.0, 0.0
        if length > abs(ra - rb):
            s, per = (ra - rb) / length, 1.0 / length
            tan = s / np.sqrt(1.0 - s * s)
        elif ra >= rb:  # one disc hides the other
            lu, lv, length = 0.0, 0.0, 0.0
        else:
            ua, va, za, ra, lu, lv, length = ub, vb, zb, rb, 0.0, 0.0, 0.0
        for row in range(max(first, bounds[k, 2]), min(stop, bounds[k, 3])):
            y = y0 + (row + 0.5) * cell
            x = x0 + (bounds[k, 0] + 0.5) * cell
            qu0, qv0 = across[0, 0] * x + across[0, 1] * y - ua, across[1, 0] * x + across[1, 1] * y - va
            step_u, step_v = across[0, 0] * cell, across[1, 0] * cell
            part = dark[0, row, bounds[k, 0] : bounds[k, 1]]
            for i in range(part.shape[0]):
                # Distance to the disc, among all between the two, whose edge is nearest; blurred by its height.
                qu, qv = qu0 + i * step_u, qv0 + i * step_v
                along, aside = (qu * lu + qv * lv) * per, abs(qu * lv - qv * lu) * per
                along = min(max(along - aside * tan, 0.0), length)
                radius, share = ra - s * along, along * per
                du, dv = qu - share * lu, qv - share * lv
                distance = np.sqrt(du * du + dv * dv) - radius
                height = max(za + (zb - za) * share - 0.5 * radius, 0.0)
                per_blur = 0.5 / (0.004 + 0.6 * cell + softness * height)
                # The share of a strip, twice the radius wide, that is left of it by the blur.
                cover = smoothstep(0.5 - distance * per_blur) - smoothstep(0.5 - (distance + 2.0 * radius) * per_blur)
                part[i] += (1.0 - part[i]) * cover
        ex, ey = xb - xa, yb - ya
        per = 1.0 / max(ex * ex + ey * ey, 1e-12)
        for row in range(max(first, bounds[k, 6]), min(stop, bounds[k, 7])):
            y = y0 + (row + 0.5) * cell - ya
            part = dark[1, row, bounds[k, 4] : bounds[k, 5]]
            start = x0 + (bounds[k, 4] + 0.5) * cell - xa
            for i in range(part.shape[0]):
                # The share of the sky, weighted by the cosine, that a sphere of radius r at height z takes away.
                x = start + i * cell
                share = min(max((x * ex + y * ey) * per, 0.0), 1.0)
                radius = ra + (rb - ra) * share
                z = max(za + (zb - za) * share, radius)
                qx, qy = x - share * ex, y - share * ey
                reach = z * z + qx * qx + qy * qy
                cover = radius * radius * z / (reach * np.sqrt(reach)) - 0.02
                part[i] += (1.0 - part[i]) * 0.6 * max(cover, 0.0)


@kernel()
def lines(x, size, per_size, width):
    """Share of a stretch of `size` around x that lies on lines of this width at all whole numbers (box filter)."""
    away = abs(x - np.floor(x + 0.5))
    cover = min(max(0.5 * (size + width) - away, 0.0), size, width) * per_size
    # A stretch that reaches several lines sees their mean; blending early keeps the distance calm.
    return cover + (width - cover) * smoothstep(2.5 * size - 1.0)


@kernel(
    *(reads(2, "int32"), reads(2), reads(3, "float32"), reads(1), reads(3, "float32"), reads(2)),
    *("int64", "int64", writes(3, "float32")),
)
def shade_floor(ids, rays, dark, frame, coat, look, first, stop, image):
    """Fill rows of the picture [H, W, 3], 0 to 1, with floor and backdrop; solids are drawn over it later.

    A camera never leans over, so all pixels of a row meet the floor at one depth and see one height of the backdrop.
    The work is laid out in plain loops over the row that compilers turn into vector instructions; `floor` [4, W] holds
    the lines, the key light blocked, the sky blocked and the fading.
    """
    W = image.shape[1]
    h, w = dark.shape[1], dark.shape[2]
    x0, y0, per_cell = frame[0], frame[1], 1.0 / frame[2]
    strength, painted = look[12, 1], coat.shape[0] > 0
    mx, my, start, per_fade = look[11, 0], look[11, 1], look[11, 2], 1.0 / (look[12, 0] - look[11, 2])
    floor = np.empty((4, W))
    for row in range(first, stop):
        ox, oy, oz, dx, dy, dz = ray(rays, 0.5 * W, row + 0.5)
        rise = smoothstep(0.5 + 1.2 * dz / np.sqrt(dx * dx + dy * dy + dz * dz))
        t = -oz / dz
        if not (dz < 0.0 and t > NEAR_PLANE_M):
            for i in range(3):
                back = np.sqrt(look[8, i] + (look[9, i] - look[8, i]) * rise)
                for col in range(W):
                    image[row, col, i] = back
            continue
        # Places and pixel sizes along the row are straight lines in the column.
        xs, ys = rays[1, 0] + t * rays[4, 0], rays[1, 1] + t * rays[4, 1]
        xa, ya = ox + t * dx - 0.5 * (W - 1) * xs, oy + t * dy - 0.5 * (W - 1) * ys
        slant = (rays[2, 2] + t * rays[5, 2]) / dz
        txs, tys, wx, wy = -rays[4, 0] * slant, -rays[4, 1] * slant, abs(xs), abs(ys)
        txa = rays[2, 0] + t * rays[5, 0] - dx * slant - 0.5 * (W - 1) * txs
        tya = rays[2, 1] + t * rays[5, 1] - dy * slant - 0.5 * (W - 1) * tys
        for col in range(W):
            x, y = xa + col * xs, ya + col * ys
            size_x, size_y = wx + abs(txa + col * txs), wy + abs(tya + col * tys)
            per_x, per_y = 1.0 / size_x, 1.0 / size_y
            line = max(lines(x, size_x, per_x, 0.018), lines(y, size_y, per_y, 0.018))
            size_x, size_y, per_x, per_y = 4.0 * size_x, 4.0 * size_y, 0.25 * per_x, 0.25 * per_y
            fine = max(lines(4.0 * x, size_x, per_x, 0.03), lines(4.0 * y, size_y, per_y, 0.03))
            fine *= 1.0 - smoothstep(max(size_x, size_y) - 0.2)
            floor[0, col] = strength * min(line + 0.35 * fine, 1.0)
            x, y = x - mx, y - my
            floor[3, col] = smoothstep((np.sqrt(x * x + y * y) - start) * per_fade)
        for col in range(W):
            floor[1, col] = floor[2, col] = 0.0
            gx, gy = (xa + col * xs - x0) * per_cell - 0.5, (ya + col * ys - y0) * per_cell - 0.5
            if ids[row, col] == FLOOR and gx >= 0.0 and gy >= 0.0 and gx + 1.0 < w and gy + 1.0 < h:
                ix, iy = int(gx), int(gy)
                fx, fy = gx - ix, gy - iy
                for i in range(2):
                    a = dark[i, iy, ix] + (dark[i, iy, ix + 1] - dark[i, iy, ix]) * fx
                    b = dark[i, iy + 1, ix] + (dark[i, iy + 1, ix + 1] - dark[i, iy + 1, ix]) * fx
                    floor[1 + i, col] = a + (b - a) * fy
        for i in range(3):
            plain, drawn, tint = look[6, i], look[7, i] - look[6, i], look[10, i]
            back = look[8, i] + (look[9, i] - look[8, i]) * rise
            for col in range(W):
                base = plain + drawn * floor[0, col]
                if painted:
                    base = base * (1.0 - coat[row, col, 3]) + coat[row, col, i]
                base *= (1.0 - floor[1, col] * (1.0 - tint)) * (1.0 - floor[2, col] * (1.0 - 0.5 * tint))
                image[row, col, i] = np.sqrt(base + (back - base) * floor[3, col])


@kernel()
def from_axis(cones, k, x, y, z):
    """Vector from the middle of that sphere, among all between a cone's two, which is nearest to a point; its radius.

    With z along the axis, ρ away from it and α the half angle, the middle is at z − ρ tan α.
    """
    x, y, z = x - cones[k, 0], y - cones[k, 1], z - cones[k, 2]
    along = x * cones[k, 3] + y * cones[k, 4] + z * cones[k, 5]
    aside = np.sqrt(max(x * x + y * y + z * z - along * along, 0.0))
    along = min(max(along - aside * cones[k, 11], 0.0), cones[k, 6])
    radius = cones[k, 7] - cones[k, 9] * along
    return x - along * cones[k, 3], y - along * cones[k, 4], z - along * cones[k, 5], radius


@kernel()
def triangle_normal(flats, k, x, y, z):
    """Mix the normals of a triangle's corners by the barycentric coordinates of a point on it."""
    ux, uy, uz, vx, vy, vz = flats[k, 3], flats[k, 4], flats[k, 5], flats[k, 6], flats[k, 7], flats[k, 8]
    x, y, z = x - flats[k, 0], y - flats[k, 1], z - flats[k, 2]
    uu, uv, vv = ux * ux + uy * uy + uz * uz, ux * vx + uy * vy + uz * vz, vx * vx + vy * vy + vz * vz
    pu, pv = x * ux + y * uy + z * uz, x * vx + y * vy + z * vz
    per = 1.0 / (uu * vv - uv * uv)
    s, t = (pu * vv - pv * uv) * per, (pv * uu - pu * uv) * per
    r = 1.0 - s - t
    nx = r * flats[k, 9] + s * flats[k, 12] + t * flats[k, 15]
    ny = r * flats[k, 10] + s * flats[k, 13] + t * flats[k, 16]
    nz = r * flats[k, 11] + s * flats[k, 14] + t * flats[k, 17]
    per = 1.0 / (np.sqrt(nx * nx + ny * ny + nz * nz) + 1e-12)
    return nx * per, ny * per, nz * per


@kernel()
def normal_at(cones, flats, k, x, y, z):
    """Outward normal of solid k at a point on its skin."""
    N = cones.shape[0]
    if k < N:
        x, y, z, _ = from_axis(cones, k, x, y, z)
        per = 1.0 / (np.sqrt(x * x + y * y + z * z) + 1e-12)
        return x * per, y * per, z * per
    i, k = (k - N) % 3, (k - N) // 3
    if flats[k, 18] > 0.0:
        return triangle_normal(flats, k, x, y, z)
    nx, ny, nz = flats[k, 3 + 3 * i], flats[k, 4 + 3 * i], flats[k, 5 + 3 * i]
    along = nx * (x - flats[k, 0]) + ny * (y - flats[k, 1]) + nz * (z - flats[k, 2])
    sign = 1.0 if along > 0.0 else -1.0
    return sign * nx, sign * ny, sign * nz


@kernel(
    *(reads(2, "float32"), reads(2, "int32"), reads(2), reads(2), reads(2), reads(2, "float32"), reads(2), reads(1)),
    *("int64", "int64", writes(3, "float32")),
)
def occlude(depth, ids, rays, cones, flats, sun, frame, towards, first, stop, blocked):
    """Fill rows of `blocked` [H, W, 2] where solids are: how crowded the skin is, and the share of key light blocked.

    Crowded is the share of eight places within `OCCLUSION_REACH_M` around it that stand above the skin (ambient
    occlusion). The key light is blocked where `sun` [h, w], the depths that the light sees, are nearer to the light;
    eight of them around make it soft. `frame` has the light's two picture axes, its direction of travel, (first column,
    first row, cell) and (reach of the blur, where depth 0 is, 0). Both change slowly: only pixels with even row and
    column ask, others take what their neighbours have where those see the same solid. `first` must be even.
    """
    H, W = depth.shape
    h, w = sun.shape
    size_near = np.sqrt(rays[1, 0] ** 2 + rays[1, 1] ** 2 + rays[1, 2] ** 2)
    size_far = np.sqrt(rays[4, 0] ** 2 + rays[4, 1] ** 2 + rays[4, 2] ** 2)
    per_cell, blur = 1.0 / frame[3, 2], frame[4, 0] / frame[3, 2]
    for row in range(first, stop):
        for step in range(W):
            col = 2 * step if 2 * step < W else 2 * (step - (W + 1) // 2) + 1  # even columns first
            k = np.int64(ids[row, col])
            if k < 0:
                continue
            if row % 2 == 1 and ids[row - 1, col] == k:
                blocked[row, col, 0], blocked[row, col, 1] = blocked[row - 1, col, 0], blocked[row - 1, col, 1]
                continue
            if col % 2 == 1:
                left = col - 1 if ids[row, col - 1] == k else col + 1
                right = col + 1 if col + 1 < W and ids[row, col + 1] == k else col - 1
                if left < right or (left == right and ids[row, left] == k):
                    for i in range(2):
                        blocked[row, col, i] = 0.5 * (blocked[row, left, i] + blocked[row, right, i])
                    continue
            ox, oy, oz, dx, dy, dz = ray(rays, col + 0.5, row + 0.5)
            t = depth[row, col]
            px, py, pz = ox + t * dx, oy + t * dy, oz + t * dz
            nx, ny, nz = normal_at(cones, flats, k, px, py, pz)
            radius = min(max(OCCLUSION_REACH_M / (size_near + t * size_far), 1.5), 60.0)
            total = 0.0
            for i in range(8):
                c, r = (
                    col + int(np.rint(radius * OCCLUSION_SAMPLES[i, 0])),
                    row + int(np.rint(radius * OCCLUSION_SAMPLES[i, 1])),
                )
                if c < 0 or r < 0 or c >= W or r >= H or ids[r, c] == k or ids[r, c] == SKY:
                    continue  # a solid is convex and never stands above its own skin
                ox, oy, oz, dx, dy, dz = ray(rays, c + 0.5, r + 0.5)
                t = depth[r, c]
                vx, vy, vz = ox + t * dx - px, oy + t * dy - py, oz + t * dz - pz
                lift = vx * nx + vy * ny + vz * nz
                if lift > 0.0:
                    vv = vx * vx + vy * vy + vz * vz + 1e-9
                    total += max(lift / np.sqrt(vv) - 0.2, 0.0) / (
                        1.0 + vv / (4.0 * OCCLUSION_REACH_M * OCCLUSION_REACH_M)
                    )
            blocked[row, col, 0] = 0.125 * total
            blocked[row, col, 1] = 1.0
            if nx * towards[0] + ny * towards[1] + nz * towards[2] < -0.35:
                continue
            px, py, pz = px + 0.035 * nx, py + 0.035 * ny, pz + 0.035 * nz
            u = (px * frame[0, 0] + py * frame[0, 1] + pz * frame[0, 2] - frame[3, 0]) * per_cell - 0.5
            v = (px * frame[1, 0] + py * frame[1, 1] + pz * frame[1, 2] - frame[3, 1]) * per_cell - 0.5
            far = px * frame[2, 0] + py * frame[2, 1] + pz * frame[2, 2] - frame[4, 1]
            total = 0.0
            if u >= blur and v >= blur and u + blur + 1.0 < w and v + blur + 1.0 < h:
                for i in range(8):
                    gu, gv = u + blur * SHADOW_SAMPLES[i, 0], v + blur * SHADOW_SAMPLES[i, 1]
                    iu, iv = int(gu), int(gv)
                    a = min(max((far - sun[iv, iu]) * 25.0, 0.0), 1.0)
                    b = min(max((far - sun[iv, iu + 1]) * 25.0, 0.0), 1.0)
                    c0 = min(max((far - sun[iv + 1, iu]) * 25.0, 0.0), 1.0)
                    d = min(max((far - sun[iv + 1, iu + 1]) * 25.0, 0.0), 1.0)
                    a += (b - a) * (gu - iu)
                    total += a + (c0 + (d - c0) * (gu - iu) - a) * (gv - iv)
            blocked[row, col, 1] = 0.125 * total


@kernel(
    *(reads(2, "float32"), reads(2, "int32"), reads(2), reads(2), reads(2), reads(2), reads(2, "int64")),
    *(reads(3, "float32"), reads(2), "int64", "int64", writes(3, "float32")),
)
def shade_solids(depth, ids, rays, cones, flats, colours, kin, blocked, look, first, stop, image):
    """Draw the solids in rows of the picture [H, W, 3] under key light, fill light, sky and floor.

    `kin` [N, S] names for each cone others of the same flesh, −1 after the last. Light adds up in squared values: the
    square root at the end stands for the screen's gamma. `skin` [11, W] holds for the pixels of a row that see solids:
    normal, line of sight, colour, crowded, key light blocked.
    """
    W = depth.shape[1]
    kx, ky, kz, fx, fy, fz, dark_edge = (
        look[0, 0],
        look[0, 1],
        look[0, 2],
        look[2, 0],
        look[2, 1],
        look[2, 2],
        look[12, 2],
    )
    skin, cols = np.empty((11, W)), np.empty(W, np.int64)
    for row in range(first, stop):
        count = 0
        for col in range(W):
            k = np.int64(ids[row, col])
            if k >= 0:
                ox, oy, oz, dx, dy, dz = ray(rays, col + 0.5, row + 0.5)
                t = depth[row, col]
                x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
                nx, ny, nz = normal_at(cones, flats, k, x, y, z)
                # Flesh has no seams: near a kin's skin the normal leans towards the kin's.
                for i in range(kin.shape[1] if k < kin.shape[0] else 0):
                    j = kin[k, i]
                    if j < 0:
                        break
                    qx, qy, qz, radius = from_axis(cones, j, x, y, z)
                    away = np.sqrt(qx * qx + qy * qy + qz * qz)
                    weight = smoothstep(1.0 - (away - radius) / (0.5 * min(cones[j, 7], cones[k, 7]))) / away
                    nx, ny, nz = nx + weight * qx, ny + weight * qy, nz + weight * qz
                per = 1.0 / np.sqrt(nx * nx + ny * ny + nz * nz)
                nx, ny, nz = nx * per, ny * per, nz * per
                skin[0, count], skin[1, count], skin[2, count] = nx, ny, nz
                skin[3, count], skin[4, count], skin[5, count] = dx, dy, dz
                for i in range(3):
                    skin[6 + i, count] = colours[k, i]
                skin[9, count], skin[10, count] = blocked[row, col, 0], blocked[row, col, 1]
                cols[count] = col
                count += 1
        for m in range(count):
            nx, ny, nz, dx, dy, dz = skin[0, m], skin[1, m], skin[2, m], skin[3, m], skin[4, m], skin[5, m]
            per = 1.0 / np.sqrt(dx * dx + dy * dy + dz * dz)
            facing = max(-(nx * dx + ny * dy + nz * dz) * per, 0.0)
            key = max((nx * kx + ny * ky + nz * kz + 0.25) * 0.8, 0.0) * (1.0 - 0.85 * skin[10, m])
            # A sheen as wide as that of cloth: half way between the light and the eye.
            hx, hy, hz = kx - dx * per, ky - dy * per, kz - dz * per
            sheen = max(nx * hx + ny * hy + nz * hz, 0.0)
            sheen = sheen * sheen / (hx * hx + hy * hy + hz * hz)
            sheen *= sheen
            skin[0, m] = key
            skin[1, m] = max((nx * fx + ny * fy + nz * fz + 0.4) / 1.4, 0.0)
            skin[2, m] = 0.5 + 0.5 * nz
            skin[3, m] = 0.07 * key * sheen * sheen
            skin[4, m] = 1.0 - dark_edge * (1.0 - smoothstep(facing / 0.42))
            skin[9, m] = 1.0 - min(1.6 * skin[9, m], 0.75)
        for i in range(3):
            key, fill, below, above = look[1, i], look[3, i], look[5, i], look[4, i] - look[5, i]
            for m in range(count):
                light = (below + above * skin[2, m] + fill * skin[1, m]) * skin[9, m]
                light += key * skin[0, m] * (0.55 + 0.45 * skin[9, m])
                skin[6 + i, m] = np.sqrt(min(skin[6 + i, m] * light * skin[4, m] + skin[3, m], 1.0))
        for m in range(count):
            for i in range(3):
                image[row, cols[m], i] = skin[6 + i, m]
