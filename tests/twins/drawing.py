"""The renderer's kernels once more, in plain NumPy: slow, whole pictures at a time, and held equal by tests.

Arguments are those of the kernels in `_kernels` and `_light_kernels` without the range of rows; results are returned.
"""

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array, BoolArray, IntArray

__all__ = [
    "cone_hits",
    "darken_numpy",
    "occlude_numpy",
    "paint_numpy",
    "resolve_numpy",
    "shade_floor_numpy",
    "shade_solids_numpy",
    "trace_numpy",
]

FLOOR, SKY, NEAR, REACH = -1, -2, 1e-3, 0.09


def smooth(x: Array) -> Array:
    """Rise from 0 at x ≤ 0 to 1 at x ≥ 1."""
    x = np.clip(x, 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)


def pixel_rays(rays: Array, x: Array, y: Array) -> tuple[Array, Array]:
    """Return origins and directions [..., 3] of the rays of picture places."""
    x, y = x[..., None], y[..., None]
    return rays[0] + x * rays[1] + y * rays[2], rays[3] + x * rays[4] + y * rays[5]


def _grid(shape: tuple[int, ...]) -> tuple[Array, Array]:
    row, col = np.indices(shape[:2])
    return col + 0.5, row + 0.5


def cone_hits(cone: Array, origins: Array, directions: Array) -> Array:
    """Return the depths [...] at which rays enter one round cone, inf where they miss: all roots, then the first."""
    a, u, (length, ra, rb, s, c2) = cone[:3], cone[3:6], cone[6:11]
    w = origins - a
    along, zd = w @ u, directions @ u
    dd, wd, ww = (np.sum(p * q, axis=-1) for p, q in ((directions, directions), (w, directions), (w, w)))
    found = []
    with np.errstate(invalid="ignore", divide="ignore"):
        qa = c2 * dd - zd * zd
        qb = c2 * wd - along * zd + ra * s * zd
        qc = c2 * ww - along * along + 2.0 * ra * s * along - ra * ra
        for sign in (-1.0, 1.0):
            t = (-qb + sign * np.sqrt(qb * qb - qa * qc)) / qa
            z = along + t * zd
            found.append(np.where((z >= ra * s) & (z <= length + rb * s), t, np.inf))
        for centre, radius in ((a, ra), (a + length * u, rb)):
            q = origins - centre
            qd = np.sum(q * directions, axis=-1)
            t = (-qd - np.sqrt(qd * qd - dd * (np.sum(q * q, axis=-1) - radius * radius))) / dd
            found.append(np.where(np.isnan(t), np.inf, t))
    return np.min(found, axis=0)


def _box_hits(box: Array, origins: Array, directions: Array) -> tuple[Array, IntArray]:
    axes, half = box[3:12].reshape(3, 3), box[12:15]
    o, d = (origins - box[:3]) @ axes.T, directions @ axes.T
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.stack([(-half - o) / d, (half - o) / d])
    first, last = t.min(axis=0), t.max(axis=0).min(axis=-1)
    enters = first.max(axis=-1)
    return np.where(enters <= last, enters, np.inf), first.argmax(axis=-1)


def _triangle_hits(row: Array, origins: Array, directions: Array) -> tuple[Array, IntArray]:
    """Where rays meet the plane of a triangle, if they do between its sides."""
    a, sides = row[:3], row[3:9].reshape(2, 3)
    normal = np.cross(*sides)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (a - origins) @ normal / (directions @ normal)
        s = (origins + t[..., None] * directions - a) @ np.linalg.pinv(sides)
        inside = (s >= -1e-9).all(axis=-1) & (s.sum(axis=-1) <= 1.0 + 1e-9)
    return np.where(inside, t, np.inf), np.zeros(t.shape, np.int64)


def _flat_hits(row: Array, origins: Array, directions: Array) -> tuple[Array, IntArray]:
    return (_triangle_hits if row[18] > 0 else _box_hits)(row, origins, directions)


def trace_numpy(
    cones: Array, boxes: Array, rays: Array, floor: bool, size: tuple[int, int]
) -> tuple[Array, NDArray[np.int32]]:
    """Return what `trace` fills in: depth and ids [H, W]."""
    W, H = size
    o, d = pixel_rays(rays, *_grid((H, W)))
    with np.errstate(divide="ignore"):
        t = -o[..., 2] / d[..., 2]
    below = floor & (d[..., 2] < 0.0) & (t > NEAR)
    hits = [np.where(below, t, np.inf)]
    hits += [cone_hits(cone, o, d) for cone in cones]
    for box in boxes:
        hit, side = _flat_hits(box, o, d)
        hits += [np.where(side == i, hit, np.inf) for i in range(3)]
    every = np.array([np.where(hit > NEAR, hit, np.inf) for hit in hits])
    first = every.argmin(axis=0)
    ids = np.where(first > 0, first - 1, np.where(below, FLOOR, SKY))
    return every.min(axis=0), ids.astype(np.int32)


def paint_numpy(strokes: Array, rays: Array, ids: NDArray[np.int32]) -> Array:
    """Return what `paint` fills in: the coat [H, W, 4]."""
    o, d = pixel_rays(rays, *_grid(ids.shape))
    coat, last = np.zeros((*ids.shape, 4)), np.full((*ids.shape, 2), -1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = -o[..., 2:] / d[..., 2:]
        places = (o + t * d)[..., :2]
        # How far the place on the floor moves from pixel to pixel, along the row and along the column.
        moves = [
            ((rays[1 + i] + t * rays[4 + i]) - d * ((rays[1 + i] + t * rays[4 + i]) / d)[..., 2:])[..., :2]
            for i in (0, 1)
        ]
        for xa, ya, xb, yb, radius, red, green, blue, opacity, group in strokes:
            a, e = np.array([xa, ya]), np.array([xb - xa, yb - ya])
            share = np.clip((places - a) @ e / (e @ e), 0.0, 1.0) if e @ e > 1e-12 else np.zeros(ids.shape)
            gap = places - a - share[..., None] * e
            distance = np.linalg.norm(gap, axis=-1)
            gap = np.where(distance[..., None] > 1e-9, gap / distance[..., None], np.array([1.0, 0.0]))
            size = np.hypot(*(np.sum(move * gap, axis=-1) for move in moves)) + 1e-9
            cover = np.clip((radius - distance) / size + 0.5, 0, 1) - np.clip((-radius - distance) / size + 0.5, 0, 1)
            before = np.where(last[..., 0] == group, last[..., 1], 0.0)
            more = (ids == FLOOR) & (cover > before)
            alpha = np.where(more, 1.0 - (1.0 - opacity * cover) / np.maximum(1.0 - opacity * before, 1e-9), 0.0)
            last[more] = np.stack([np.full(ids.shape, group), cover], axis=-1)[more]
            coat += alpha[..., None] * (np.array([red, green, blue, 1.0]) - coat)
    return coat


def darken_numpy(casts: Array, across: Array, frame: Array, shape: tuple[int, int]) -> Array:
    """Return what `darken` fills in: the floor map [2, h, w]."""
    x0, y0, cell, sine, softness = frame
    row, col = np.indices(shape)
    places = np.stack([x0 + (col + 0.5) * cell, y0 + (row + 0.5) * cell], axis=-1)
    light = np.ones((2, *shape))
    for ua, va, za, ub, vb, zb, xa, ya, xb, yb, ra, rb in casts:
        ends, radii, heights = np.array([[ua, va], [ub, vb]]), np.array([ra, rb]), np.array([za, zb])
        axis = ends[1] - ends[0]
        length = float(np.linalg.norm(axis))
        q = places @ across[:2].T - ends[0]
        if length <= abs(ra - rb):
            share = np.full(shape, float(np.argmax(radii)))
        else:
            s = (ra - rb) / length
            along, aside = q @ axis / length, np.abs(q[..., 0] * axis[1] - q[..., 1] * axis[0]) / length
            share = np.clip((along - aside * s / np.sqrt(1.0 - s * s)) / length, 0.0, 1.0)
        radius = ra + (rb - ra) * share
        distance = np.linalg.norm(q - share[..., None] * axis, axis=-1) - radius
        height = np.maximum(za + (zb - za) * share - 0.5 * radius, 0.0)
        blur = 2.0 * (0.004 + 0.6 * cell + softness * height / sine)
        light[0] *= 1.0 - (smooth(0.5 - distance / blur) - smooth(0.5 - (distance + 2.0 * radius) / blur))
        a, e = np.array([xa, ya]), np.array([xb - xa, yb - ya])
        share = np.clip((places - a) @ e / max(float(e @ e), 1e-12), 0.0, 1.0)
        radius = ra + (rb - ra) * share
        z = np.maximum(heights[0] + (heights[1] - heights[0]) * share, radius)
        reach = z * z + np.sum((places - a - share[..., None] * e) ** 2, axis=-1)
        light[1] *= 1.0 - 0.6 * np.maximum(radius**2 * z / reach**1.5 - 0.02, 0.0)
    return 1.0 - light


def _lines(x: Array, size: Array, width: float) -> Array:
    away = np.abs(x - np.floor(x + 0.5))
    cover = np.minimum(np.maximum(0.5 * (size + width) - away, 0.0), np.minimum(size, width)) / size
    return cover + (width - cover) * smooth(2.5 * size - 1.0)


def shade_floor_numpy(
    ids: NDArray[np.int32], rays: Array, dark: Array, frame: Array, coat: Array, look: Array
) -> Array:
    """Return what `shade_floor` fills in: the picture [H, W, 3] without solids."""
    H, W = ids.shape
    x, y = _grid((H, W))
    o, d = pixel_rays(rays, x, y)
    middle = pixel_rays(rays, np.full(H, 0.5 * W), y[:, 0])[1]
    rise = smooth(0.5 + 1.2 * middle[:, 2] / np.linalg.norm(middle, axis=-1))[:, None, None]
    back = look[8] + (look[9] - look[8]) * rise
    with np.errstate(divide="ignore", invalid="ignore"):
        t = -o[..., 2] / d[..., 2]
        seen = (d[..., 2] < 0.0) & (t > NEAR)
        t = np.where(seen, t, 1.0)[..., None]
        places = (o + t * d)[..., :2]
        slant = (rays[2, 2] + t * rays[5, 2]) / np.where(seen, d[..., 2], -1.0)[..., None]
        size = np.abs(rays[1] + t * rays[4])[..., :2] + np.abs(rays[2] + t * rays[5] - d * slant)[..., :2]
    bold = np.max([_lines(places[..., i], size[..., i], 0.018) for i in (0, 1)], axis=0)
    fine = np.max([_lines(4.0 * places[..., i], 4.0 * size[..., i], 0.03) for i in (0, 1)], axis=0)
    fine *= 1.0 - smooth(4.0 * size.max(axis=-1) - 0.2)
    line = look[12, 1] * np.minimum(bold + 0.35 * fine, 1.0)
    fade = smooth((np.linalg.norm(places - look[11, :2], axis=-1) - look[11, 2]) / (look[12, 0] - look[11, 2]))
    g = (places - frame[:2]) / frame[2] - 0.5
    h, w = dark.shape[1:]
    inside = (ids == FLOOR) & (g >= 0.0).all(axis=-1) & (g[..., 0] + 1.0 < w) & (g[..., 1] + 1.0 < h)
    g = np.where(inside[..., None], g, 0.0)
    i, f = g.astype(int), g - g.astype(int)
    ahead = np.where(inside[..., None], i + 1, 0)
    lower = dark[:, i[..., 1], i[..., 0]] * (1 - f[..., 0]) + dark[:, i[..., 1], ahead[..., 0]] * f[..., 0]
    upper = dark[:, ahead[..., 1], i[..., 0]] * (1 - f[..., 0]) + dark[:, ahead[..., 1], ahead[..., 0]] * f[..., 0]
    key, sky = np.where(inside, lower * (1 - f[..., 1]) + upper * f[..., 1], 0.0)[..., None]
    base = look[6] + (look[7] - look[6]) * line[..., None]
    if len(coat):
        base = base * (1.0 - coat[..., 3:]) + coat[..., :3]
    base = base * (1.0 - key * (1.0 - look[10])) * (1.0 - sky * (1.0 - 0.5 * look[10]))
    return np.sqrt(np.where(seen[..., None], base + (back - base) * fade[..., None], back))


def _from_axis(cone: Array, points: Array) -> tuple[Array, Array]:
    q = points - cone[:3]
    z = q @ cone[3:6]
    aside = np.sqrt(np.maximum(np.sum(q * q, axis=-1) - z * z, 0.0))
    z = np.clip(z - aside * cone[11], 0.0, cone[6])
    return q - z[..., None] * cone[3:6], cone[7] - cone[9] * z


def _normals(cones: Array, boxes: Array, ids: NDArray[np.int32], points: Array) -> Array:
    normals = np.zeros(points.shape)
    for k in np.unique(ids[ids >= 0]):
        mine = ids == k
        if k < len(cones):
            q, _ = _from_axis(cones[k], points[mine])
            normals[mine] = q / np.linalg.norm(q, axis=-1, keepdims=True)
        else:
            box = boxes[(k - len(cones)) // 3]
            if box[18] > 0:
                s = (points[mine] - box[:3]) @ np.linalg.pinv(box[3:9].reshape(2, 3))
                mixed = np.column_stack([1.0 - s.sum(axis=1), s]) @ box[9:18].reshape(3, 3)
                normals[mine] = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
                continue
            axis = box[3:12].reshape(3, 3)[(k - len(cones)) % 3]
            normals[mine] = np.sign((points[mine] - box[:3]) @ axis)[:, None] * axis
    return normals


def occlude_numpy(
    depth: Array, ids: NDArray[np.int32], rays: Array, cones: Array, boxes: Array, sun: Array, frame: Array, key: Array
) -> Array:
    """Return what `occlude` fills in: [H, W, 2] crowded and key light blocked, 0 where there is no solid."""
    H, W = ids.shape
    o, d = pixel_rays(rays, *_grid((H, W)))
    points = np.where(np.isfinite(depth)[..., None], o + np.where(np.isfinite(depth), depth, 0.0)[..., None] * d, 0.0)
    normals = _normals(cones, boxes, ids, points)
    reach = np.clip(REACH / (np.linalg.norm(rays[1]) + depth * np.linalg.norm(rays[4])), 1.5, 60.0)
    direct = np.zeros((H, W, 2))
    for row, col in np.argwhere(ids >= 0):
        total = 0.0
        for i in range(8):
            ring, turn = 0.5 * (i % 2 + 1) * reach[row, col], 0.25 * np.pi * i + 0.3
            r, c = row + int(np.rint(ring * np.sin(turn))), col + int(np.rint(ring * np.cos(turn)))
            if 0 <= r < H and 0 <= c < W and ids[r, c] not in (ids[row, col], SKY):
                v = points[r, c] - points[row, col]
                lift, vv = v @ normals[row, col], v @ v + 1e-9
                if lift > 0.0:
                    total += max(lift / np.sqrt(vv) - 0.2, 0.0) / (1.0 + vv / (4.0 * REACH**2))
        direct[row, col] = total / 8.0, _key_blocked(sun, frame, points[row, col], normals[row, col], key)
    return _spread_out(direct, ids)


def _key_blocked(sun: Array, frame: Array, point: Array, normal: Array, key: Array) -> float:
    if normal @ key < -0.35:
        return 1.0
    u, v, far = frame[:3] @ (point + 0.035 * normal)
    cell, blur = frame[3, 2], frame[4, 0] / frame[3, 2]
    u, v, far = (u - frame[3, 0]) / cell - 0.5, (v - frame[3, 1]) / cell - 0.5, far - frame[4, 1]
    h, w = sun.shape
    if u < blur or v < blur or u + blur + 1.0 >= w or v + blur + 1.0 >= h:
        return 0.0
    total = 0.0
    for i in range(8):
        gu, gv = u + blur * (i + 1) / 8.0 * np.cos(2.4 * i), v + blur * (i + 1) / 8.0 * np.sin(2.4 * i)
        iu, iv = int(gu), int(gv)
        a = np.clip((far - sun[iv : iv + 2, iu : iu + 2]) * 25.0, 0.0, 1.0)
        total += np.array([1.0 - gv + iv, gv - iv]) @ a @ np.array([1.0 - gu + iu, gu - iu])
    return float(total / 8.0)


def _spread_out(direct: Array, ids: NDArray[np.int32]) -> Array:
    """Keep what pixels of even row and column found; others take it from those of the same solid beside or above."""
    blocked = np.zeros(direct.shape)
    H, W = ids.shape
    for row in range(H):
        for col in (*range(0, W, 2), *range(1, W, 2)):
            k = ids[row, col]
            beside = [c for c in (col - 1, col + 1) if col % 2 == 1 and c < W and ids[row, c] == k]
            if k < 0:
                continue
            if row % 2 == 1 and ids[row - 1, col] == k:
                blocked[row, col] = blocked[row - 1, col]
            elif beside:
                blocked[row, col] = np.mean([blocked[row, c] for c in beside], axis=0)
            else:
                blocked[row, col] = direct[row, col]
    return blocked


def shade_solids_numpy(
    depth: Array,
    ids: NDArray[np.int32],
    rays: Array,
    cones: Array,
    boxes: Array,
    colours: Array,
    kin: IntArray,
    blocked: Array,
    look: Array,
) -> tuple[Array, BoolArray]:
    """Return the colours [M, 3] that `shade_solids` gives to the pixels that see solids, and which [H, W] these are."""
    seen = ids >= 0
    o, d = pixel_rays(rays, *_grid(ids.shape))
    points = o + np.where(seen, depth, 0.0)[..., None] * d
    n = _normals(cones, boxes, ids, points)[seen]
    points, d = points[seen], d[seen]
    for m, k in enumerate(ids[seen]):
        for j in kin[k] if k < len(kin) else ():
            if j < 0:
                break
            q, radius = _from_axis(cones[j], points[m])
            away = np.linalg.norm(q)
            n[m] += smooth(1.0 - (away - radius) / (0.5 * min(cones[j, 7], cones[k, 7]))) * q / away
    n /= np.linalg.norm(n, axis=-1, keepdims=True)
    d = d / np.linalg.norm(d, axis=-1, keepdims=True)
    key = np.maximum((n @ look[0] + 0.25) * 0.8, 0.0) * (1.0 - 0.85 * blocked[seen][:, 1])
    half = look[0] - d
    sheen = (np.maximum(np.sum(n * half, axis=-1), 0.0) / np.linalg.norm(half, axis=-1)) ** 8
    fill, up = np.maximum((n @ look[2] + 0.4) / 1.4, 0.0), 0.5 + 0.5 * n[:, 2]
    edge = 1.0 - look[12, 2] * (1.0 - smooth(np.maximum(-np.sum(n * d, axis=-1), 0.0) / 0.42))
    sky = 1.0 - np.minimum(1.6 * blocked[seen][:, 0], 0.75)
    light = (look[5] + (look[4] - look[5]) * up[:, None] + look[3] * fill[:, None]) * sky[:, None]
    light += look[1] * (key * (0.55 + 0.45 * sky))[:, None]
    out = colours[ids[seen]] * light * edge[:, None] + (0.07 * key * sheen)[:, None]
    return np.sqrt(np.minimum(out, 1.0)), seen


def resolve_numpy(
    image: Array, ids: NDArray[np.int32], cones: Array, boxes: Array, rays: Array, floor: bool
) -> NDArray[np.uint8]:
    """Return what `resolve` fills in: the 8-bit picture [H, W, 3]."""
    H, W = ids.shape
    around = [(0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1)]
    inside = np.array([(0.3, 0.1), (0.9, 0.3), (0.1, 0.7), (0.7, 0.9)])
    out = np.array(image, dtype=np.float64)
    for row, col in np.ndindex(H, W):
        lenders = {max(int(ids[row, col]), FLOOR): (row, col)}
        for r, c in ((row + a, col + b) for a, b in around):
            if 0 <= r < H and 0 <= c < W:
                lenders.setdefault(max(int(ids[r, c]), FLOOR), (r, c))
        contrast = max(np.abs(image[place] - image[row, col]).max() for place in lenders.values())
        if len(lenders) == 1 or contrast < 0.02:
            continue
        o, d = pixel_rays(rays, col + inside[:, 0], row + inside[:, 1])
        with np.errstate(divide="ignore"):
            t = -o[:, 2] / d[:, 2]
        best = np.where(floor & (d[:, 2] < 0.0) & (t > NEAR), t, np.inf)
        chosen = [lenders.get(FLOOR, (row, col))] * 4
        for k, place in lenders.items():
            if k < 0:
                continue
            if k < len(cones):
                hits = cone_hits(cones[k], o, d)
            else:
                hits, side = _flat_hits(boxes[(k - len(cones)) // 3], o, d)
                hits = np.where(side == (k - len(cones)) % 3, hits, np.inf)
            for e in np.flatnonzero((hits > NEAR) & (hits < best)):
                best[e], chosen[e] = hits[e], place
        out[row, col] = (image[row, col] + sum(image[place].astype(np.float64) for place in chosen)) / 5.0
    return (255.0 * out + 0.5).astype(np.uint8)
