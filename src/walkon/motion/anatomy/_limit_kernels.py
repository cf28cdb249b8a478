"""Compiled joint limits: the worst joint of each of many poses, and by how much. Plain twin: `limits.limit_excess`.

Most joints of most poses are well within their limits, which squares of cosines tell without any angle: with
q = (w, v), axis n and p = v · n, the twist is (w, p) / √(w² + p²), and √(w² + p²) the cosine of half the swing.
"""

# mypy: ignore-errors

import math

from walkon._base.jit import group_of, kernel, reads, writes
from walkon.motion.anatomy.limit_rule import HINGE, LimitTables


@kernel(borrowed=True, inline=True)
def _beyond_twist(w, p, k, tables):
    """Return rad by which the twist (w, p), of any length and sign, is beyond its range."""
    square = w * w + p * p
    near = w * tables.twist_middle[k, 0] + p * tables.twist_middle[k, 1]
    if near * near >= square * tables.twist_cosine[k]:
        return 0.0
    angle = 2.0 * math.atan2(p, w) if w >= 0.0 else 2.0 * math.atan2(-p, -w)
    return max(angle - tables.twist[k, 1], tables.twist[k, 0] - angle, 0.0)


@kernel(borrowed=True, inline=True)
def _beyond(rows, j, k, tables):
    """Return rad by which joint j is beyond limit k."""
    c = tables.centre
    a, b, d, e = rows[j, 0], rows[j, 1], rows[j, 2], rows[j, 3]
    # Seen from the centre: conj(centre) · q.
    w = c[k, 0] * a + c[k, 1] * b + c[k, 2] * d + c[k, 3] * e
    x = c[k, 0] * b - c[k, 1] * a - c[k, 2] * e + c[k, 3] * d
    y = c[k, 0] * d + c[k, 1] * e - c[k, 2] * a - c[k, 3] * b
    z = c[k, 0] * e - c[k, 1] * d + c[k, 2] * b - c[k, 3] * a
    n = tables.axis
    p = x * n[k, 0] + y * n[k, 1] + z * n[k, 2]
    square = w * w + p * p
    beyond = _beyond_twist(w, p, k, tables)
    if square >= tables.swing_cosine[k]:
        return beyond
    size = math.sqrt(square)
    if tables.kind[k] == HINGE:
        across = math.sqrt(max(1.0 - square, 0.0))
        return max(beyond, 2.0 * math.atan2(across, size) - tables.first_range[k, 0])
    # swing = q · conj(twist), with the twist (w, p n) / size.
    tw, tp = w / size, p / size
    sx = x * tw - w * tp * n[k, 0] - tp * (y * n[k, 2] - z * n[k, 1])
    sy = y * tw - w * tp * n[k, 1] - tp * (z * n[k, 0] - x * n[k, 2])
    sz = z * tw - w * tp * n[k, 2] - tp * (x * n[k, 1] - y * n[k, 0])
    across = math.sqrt(sx * sx + sy * sy + sz * sz)
    f = 2.0 * math.atan2(across, size) / across
    first, second = tables.first, tables.second
    u = f * (sx * first[k, 0] + sy * first[k, 1] + sz * first[k, 2])
    v = f * (sx * second[k, 0] + sy * second[k, 1] + sz * second[k, 2])
    share = math.hypot(
        u / (tables.first_range[k, 0] if u < 0.0 else tables.first_range[k, 1]),
        v / (tables.second_range[k, 0] if v < 0.0 else tables.second_range[k, 1]),
    )
    return max(beyond, math.hypot(u, v) * (1.0 - 1.0 / share)) if share > 1.0 else beyond


@kernel(group_of(LimitTables), reads(1, "int64"), reads(3), writes(1), writes(1, "int64"), borrowed=True)
def worst_excess(tables, body, local, excess, joint):
    """Fill, per row, rad by which the worst joint is beyond its limit, and which; 0 and −1 where none is."""
    for r in range(body.shape[0]):
        excess[r], joint[r] = 0.0, -1
        for k in range(tables.starts[body[r]], tables.starts[body[r] + 1]):
            j = tables.joint[k]
            found = _beyond(local[r], j, k, tables)
            if found > excess[r]:
                excess[r], joint[r] = found, j
