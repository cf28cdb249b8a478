"""Meshes of a stage: the floor within its bounds, and upright prisms over the plans of obstacles.

Plans [K, 2] may be hollow-sided (not convex); they are cut into triangles by a constrained Delaunay triangulation, and
walls stand on the edges that belong to one triangle only, so that every prism is closed whatever its plan. Metres,
z up; triangles run counter-clockwise seen from outside.
"""

from typing import NamedTuple

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, IntArray

__all__ = ["Triangles", "floor_mesh", "prism_mesh"]


class Triangles(NamedTuple):
    """P points and F triangles."""

    points: Array
    """[P, 3] metres."""
    faces: IntArray
    """[F, 3] rows of `points`."""


def floor_mesh(plan: Array, *, height: float = 0.0) -> Triangles:
    """Return the flat mesh of a plan [K, 2] at a height, facing up."""
    flat, faces = _cut(plan)
    return Triangles(np.column_stack([flat, np.full(len(flat), height)]), faces)


def prism_mesh(plan: Array, *, base: float, top: float) -> Triangles:
    """Return the closed mesh of the prism over a plan [K, 2] from `base` to `top`."""
    flat, faces = _cut(plan)
    count = len(flat)
    points = np.concatenate([np.column_stack([flat, np.full(count, z)]) for z in (base, top)])
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    _, first, uses = np.unique(np.sort(edges, axis=1), axis=0, return_index=True, return_counts=True)
    a, b = edges[np.sort(first[uses == 1])].T
    walls = np.concatenate([np.column_stack([a, b, b + count]), np.column_stack([a, b + count, a + count])])
    return Triangles(points, np.concatenate([faces[:, ::-1], faces + count, walls]))


def _cut(plan: Array) -> tuple[Array, IntArray]:
    """Return corners [P, 2] and counter-clockwise triangles [F, 3] of a plan."""
    shape = shapely.make_valid(shapely.Polygon(plan))
    pieces = shapely.get_parts(shapely.constrained_delaunay_triangles(shape))
    corners = np.array([piece.exterior.coords[:3] for piece in pieces]).reshape(-1, 3, 2)
    (x0, y0), (x1, y1), (x2, y2) = np.moveaxis(corners, 0, -1)
    backwards = (x1 - x0) * (y2 - y0) < (x2 - x0) * (y1 - y0)
    corners[backwards] = corners[backwards, ::-1]
    points, faces = np.unique(corners.reshape(-1, 2), axis=0, return_inverse=True)
    return points, faces.reshape(-1, 3)
