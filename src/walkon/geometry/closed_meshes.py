"""Closed triangle meshes: signed distance, support function, volume, and normals to shade them by.

A mesh is vertices [V, 3] m and triangles [F, 3], counter-clockwise seen from outside. It is closed where every edge
belongs to two triangles that run through it in opposite ways; then it has an inside, and by the divergence theorem

    volume = ⅙ Σ a·(b × c)    over triangles (a, b, c)                                             (1)

The distance of a point is that of the nearest triangle, less than 0 where the winding number is over 0: how often more
one leaves the mesh than one enters it, going straight up. Shells may lie in each other (a cavity is wound the other way
round) or cross, as the parts of many drawn things do; inside of crossing ones the depth is to the nearest surface.

References: Ericson, "Real-Time Collision Detection", 5.1.5; Jacobson et al. 2013 on winding numbers.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon._base.threads import in_chunks
from walkon.geometry.capsules import Capsules
from walkon.geometry.solid_gaps import lipschitz_gaps

__all__ = [
    "CREASE_RAD",
    "ClosedMesh",
    "check_closed",
    "crease_normals",
    "mesh_distances",
    "mesh_gaps",
    "mesh_volume",
    "weld_triangles",
]

CREASE_RAD = np.deg2rad(40.0)
"""rad between two faces from which on the edge between them is seen; below, they are shaded as one round surface."""
MIN_FLATNESS = 1e-10
"""Twice the area of a triangle over the square of its longest side, up to which it counts as none."""
POINTS_PER_TASK = 1024
"""Points per task of the thread pool."""
CELLS_AT_ONCE = 1 << 22
"""Triangles times triangles around a vertex that normals are compared of at once."""


class ClosedMesh(NamedTuple):
    """V vertices and F triangles that enclose something."""

    vertices: Array
    """[V, 3] metres."""
    triangles: IntArray
    """[F, 3] rows of vertices, counter-clockwise seen from outside."""


def check_closed(mesh: ClosedMesh, *, whose: str) -> None:
    """Raise `InvalidValue` unless triangles [F, 3] of vertices [V, 3] enclose something; `whose` is for the message."""
    vertices, triangles = mesh
    if not len(triangles):
        raise InvalidValue(f"the mesh of {whose} has no triangles; give at least the four of a tetrahedron")
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        worst = triangles.min() if triangles.min() < 0 else triangles.max()
        raise InvalidValue(f"triangles of {whose} must be of vertices 0 to {len(vertices) - 1}, got {worst}")
    corners = vertices[triangles]
    longest = np.square(corners - np.roll(corners, 1, axis=1)).sum(axis=2).max(axis=1)
    flat = np.flatnonzero(np.linalg.norm(_areas(corners), axis=1) <= MIN_FLATNESS * longest)
    if len(flat):
        raise InvalidValue(
            f"{len(flat)} of the {len(triangles)} triangles of {whose} have no area (the first is row {flat[0]}); "
            "remove them and close the mesh again"
        )
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    _, kind, uses = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True, return_counts=True)
    back = np.bincount(kind.ravel(), weights=edges[:, 0] > edges[:, 1])
    open_, crowded, same = int((uses == 1).sum()), int((uses > 2).sum()), int(((uses == 2) & (back != 1)).sum())
    for count, what, way_out in (
        (open_, "are open: one triangle only has them", "fill the holes, and weld vertices that are at one place"),
        (crowded, "belong to more than two triangles", "take its solids apart, each with vertices of its own"),
        (same, "are run through twice the same way", "turn triangles so that all are counter-clockwise from outside"),
    ):
        if count:
            raise InvalidValue(
                f"the mesh of {whose} must be closed, but {count} of its {len(uses)} edges {what}; {way_out}"
            )
    size = np.ptp(corners.reshape(-1, 3), axis=0).max()
    if abs(mesh_volume(mesh)) <= 1e-9 * size**3:
        raise InvalidValue(f"the mesh of {whose} encloses nothing: its volume is {mesh_volume(mesh):.3g} m³")


def mesh_volume(mesh: ClosedMesh) -> float:
    """Return m³ inside of a closed mesh, eq. (1); negative where it is inside out."""
    corners = mesh.vertices[mesh.triangles]
    # From a place near by, which keeps the digits of a mesh far from its origin.
    a, b, c = np.moveaxis(corners - corners[:1, :1], 1, 0)
    return float((a * np.cross(b, c)).sum() / 6.0)


def mesh_distances(mesh: ClosedMesh, points: Array) -> Array:
    """Return signed distances [...] m of points [..., 3] from a closed mesh."""
    from walkon.geometry import _mesh_kernels

    vertices, triangles = (np.ascontiguousarray(part) for part in mesh)
    corners = vertices[triangles]
    middle = 0.5 * (corners.min(axis=1) + corners.max(axis=1))
    radius = np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1)
    balls = np.column_stack([middle, radius * (1.0 + 1e-12)])
    low, high = corners.min(axis=1), corners.max(axis=1)
    low, high = np.vstack([low, low.min(axis=0)]), np.vstack([high, high.max(axis=0)])
    bounds = np.column_stack([low[:, 0], high[:, 0], low[:, 1], high[:, 1], high[:, 2]])
    flat = np.ascontiguousarray(points, dtype=np.float64).reshape(-1, 3)
    found = np.empty(len(flat))
    in_chunks(
        lambda start, stop: _mesh_kernels.mesh_distances(
            vertices, triangles, balls, bounds, flat[start:stop], found[start:stop]
        ),
        len(flat),
        chunk=POINTS_PER_TASK,
    )
    return found.reshape(points.shape[:-1])


def mesh_gaps(mesh: ClosedMesh, capsules: Capsules) -> Array:
    """Return the signed gaps [...] m between a closed mesh and capsules [..., 3], [..., 2].

    A mesh may be hollow-sided (not convex), so the least gap along a capsule's axis is searched everywhere on it, to
    within `solid_gaps.GAP_TOLERANCE_M`.
    """
    return lipschitz_gaps(lambda points: mesh_distances(mesh, points), capsules)


def crease_normals(mesh: ClosedMesh) -> Array:
    """Return the unit normals [F, 3, 3] of every triangle's corners, to shade the mesh by.

    A corner's normal is the mean, weighted by area, of those faces around its vertex that differ from its own face by
    less than `CREASE_RAD`: what is round looks round, and edges stay edges.
    """
    vertices, triangles = mesh
    areas = _areas(vertices[triangles])
    faces = areas / np.linalg.norm(areas, axis=1, keepdims=True)
    F = len(triangles)
    corner = np.argsort(triangles, axis=None, kind="stable")  # corners 3 f + i, vertex by vertex
    counts = np.bincount(triangles.ravel(), minlength=len(vertices))
    stops = np.cumsum(counts)
    normals = np.zeros((3 * F, 3))
    for size in np.unique(counts[counts > 0]).tolist():
        firsts = (stops - counts)[counts == size]
        batch = max(CELLS_AT_ONCE // size**2, 1)
        for k in range(0, len(firsts), batch):
            some = corner[firsts[k : k + batch, None] + np.arange(size)]  # [vertices, corners around]
            own = faces[some // 3]
            alike = np.einsum("vai,vbi->vab", own, own) > np.cos(CREASE_RAD)
            normals[some] = np.einsum("vab,vbi->vai", alike, areas[some // 3])
    return (normals / np.linalg.norm(normals, axis=1, keepdims=True)).reshape(F, 3, 3)


def weld_triangles(corners: Array, *, within: float = 1e-6) -> ClosedMesh:
    """Return triangles [F, 3, 3] m as vertices and rows: corners at one place, to `within` m, are one vertex.

    Triangles of which two corners become one are left out. Nothing is checked: the mesh may be open.
    """
    points = corners.reshape(-1, 3)
    _, first, row = np.unique(np.round(points / within), axis=0, return_index=True, return_inverse=True)
    triangles = row.reshape(-1, 3)
    whole = (triangles != np.roll(triangles, 1, axis=1)).all(axis=1)
    return ClosedMesh(points[first], triangles[whole].astype(np.int64))


def _areas(corners: Array) -> Array:
    """Return the normals [F, 3] of triangles [F, 3, 3], as long as twice their area."""
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
