"""Compiled signed distances of points from closed meshes. The plain twin is in tests/twins/meshes.py."""
# mypy: ignore-errors

import numpy as np

from walkon._base.jit import kernel, reads, writes


@kernel()
def squared_distance(vertices, a, b, c, x, y, z):
    """Square of the distance of a point from triangle (a, b, c): Ericson, section 5.1.5, by the point's Voronoi region.

    u, v are the triangle's sides from a; d1 … d6 the point's places along them, seen from a, b and c.
    """
    ux, uy, uz = vertices[b, 0] - vertices[a, 0], vertices[b, 1] - vertices[a, 1], vertices[b, 2] - vertices[a, 2]
    vx, vy, vz = vertices[c, 0] - vertices[a, 0], vertices[c, 1] - vertices[a, 1], vertices[c, 2] - vertices[a, 2]
    px, py, pz = x - vertices[a, 0], y - vertices[a, 1], z - vertices[a, 2]
    uu, uv, vv = ux * ux + uy * uy + uz * uz, ux * vx + uy * vy + uz * vz, vx * vx + vy * vy + vz * vz
    d1, d2 = ux * px + uy * py + uz * pz, vx * px + vy * py + vz * pz
    d3, d4, d5, d6 = d1 - uu, d2 - uv, d1 - uv, d2 - vv
    if d1 <= 0.0 and d2 <= 0.0:
        s, t = 0.0, 0.0
    elif d3 >= 0.0 and d4 <= d3:
        s, t = 1.0, 0.0
    elif d6 >= 0.0 and d5 <= d6:
        s, t = 0.0, 1.0
    else:
        va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
        if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
            s, t = d1 / (d1 - d3), 0.0
        elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
            s, t = 0.0, d2 / (d2 - d6)
        elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
            t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
            s = 1.0 - t
        else:
            whole = 1.0 / (va + vb + vc)
            s, t = vb * whole, vc * whole
    px, py, pz = px - s * ux - t * vx, py - s * uy - t * vy, pz - s * uz - t * vz
    return px * px + py * py + pz * pz


@kernel()
def crossing(vertices, i, j, x, y):
    """+1 or −1 where the side from i to j, seen from above, passes (x, y) on the right going up or down, else 0.

    Which side a point right on the line is on is asked from the vertex of the smaller number to the other, so that both
    triangles at a side get the same answer, and no place is in both or in neither.
    """
    yi, yj = vertices[i, 1], vertices[j, 1]
    if (yi <= y) == (yj <= y):
        return 0
    a, b = (i, j) if i < j else (j, i)
    ex, ey = vertices[b, 0] - vertices[a, 0], vertices[b, 1] - vertices[a, 1]
    left = ex * (y - vertices[a, 1]) - (x - vertices[a, 0]) * ey >= 0.0
    left = left if i < j else not left
    if yi <= y:
        return 1 if left else 0
    return 0 if left else -1


@kernel()
def winding_above(vertices, a, b, c, x, y, z):
    """How often triangle (a, b, c) is passed from inside to outside on the way straight up from a point: −1, 0 or 1."""
    turns = crossing(vertices, a, b, x, y) + crossing(vertices, b, c, x, y) + crossing(vertices, c, a, x, y)
    if turns == 0:
        return 0
    ux, uy, uz = vertices[b, 0] - vertices[a, 0], vertices[b, 1] - vertices[a, 1], vertices[b, 2] - vertices[a, 2]
    vx, vy, vz = vertices[c, 0] - vertices[a, 0], vertices[c, 1] - vertices[a, 1], vertices[c, 2] - vertices[a, 2]
    out = (uy * vz - uz * vy) * (x - vertices[a, 0]) + (uz * vx - ux * vz) * (y - vertices[a, 1])
    out += (ux * vy - uy * vx) * (z - vertices[a, 2])
    return turns if turns * out < 0.0 else 0


@kernel(reads(2), reads(2, "int64"), reads(2), reads(2), reads(2), writes(1))
def mesh_distances(vertices, triangles, balls, bounds, points, found):
    """Fill signed distances [P] of points [P, 3] from a closed mesh: that of the nearest triangle, less than 0 inside.

    `balls` [F, 4] hold each triangle (middle and radius), `bounds` [F + 1, 5] its least and greatest x and y and its
    greatest z; the last row is of the whole mesh. Most triangles are passed over by these.
    """
    F, near = triangles.shape[0], 0
    for p in range(points.shape[0]):
        x, y, z = points[p, 0], points[p, 1], points[p, 2]
        # The triangle that was nearest to the point before is mostly near to this one too.
        best = squared_distance(vertices, triangles[near, 0], triangles[near, 1], triangles[near, 2], x, y, z)
        away = np.sqrt(best)
        for f in range(F):
            dx, dy, dz, reach = x - balls[f, 0], y - balls[f, 1], z - balls[f, 2], away + balls[f, 3]
            if dx * dx + dy * dy + dz * dz < reach * reach:
                square = squared_distance(vertices, triangles[f, 0], triangles[f, 1], triangles[f, 2], x, y, z)
                if square < best:
                    best, near, away = square, f, np.sqrt(square)
        winding = 0
        if bounds[F, 0] <= x <= bounds[F, 1] and bounds[F, 2] <= y <= bounds[F, 3] and z <= bounds[F, 4]:
            for f in range(F):
                if bounds[f, 0] <= x <= bounds[f, 1] and bounds[f, 2] <= y <= bounds[f, 3] and z <= bounds[f, 4]:
                    winding += winding_above(vertices, triangles[f, 0], triangles[f, 1], triangles[f, 2], x, y, z)
        found[p] = -away if winding > 0 else away
