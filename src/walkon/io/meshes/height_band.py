"""Triangles between two heights, seen from above: what has an area, what is a line, and which places are solid.

A triangle cut to a slab is convex, and its corners are the ends of the triangle's sides cut to the slab; seen from
above it is the convex hull of these six places, which is a line where the triangle is upright. z up, metres.
"""

from typing import Any

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, BoolArray, IntArray

__all__ = ["faces_in_band", "solid_above"]

MIN_HULL_M2 = 1e-7
"""m²: a hull with less area is a line."""


def faces_in_band(triangles: Array, *, lowest: float, highest: float) -> tuple[Any, Any]:
    """Return polygons and lines (Shapely arrays): triangles [T, 3, 3] cut to the heights, seen from above."""
    z = triangles[..., 2]
    triangles = triangles[(z.max(axis=1, initial=-np.inf) > lowest) & (z.min(axis=1, initial=np.inf) < highest)]
    if not len(triangles):
        return np.zeros(0, object), np.zeros(0, object)
    a, b = triangles, np.roll(triangles, -1, axis=1)
    rise = b[..., 2] - a[..., 2]
    level = rise == 0
    slope = np.where(level, 1.0, rise)
    crossings = np.sort(np.stack([(lowest - a[..., 2]) / slope, (highest - a[..., 2]) / slope]), axis=0)
    within = (a[..., 2] >= lowest) & (a[..., 2] <= highest)
    first = np.where(level, 0.0, np.clip(crossings[0], 0.0, 1.0))
    last = np.where(level, 1.0, np.clip(crossings[1], 0.0, 1.0))
    met = np.where(level, within, (crossings[0] <= 1.0) & (crossings[1] >= 0.0))
    ends = np.stack([a + first[..., None] * (b - a), a + last[..., None] * (b - a)], axis=2)[..., :2]
    row: IntArray = np.broadcast_to(np.arange(len(triangles))[:, None, None], ends.shape[:-1])
    used = np.broadcast_to(met[..., None], ends.shape[:-1])
    hulls = shapely.convex_hull(shapely.multipoints(ends[used], indices=row[used].ravel()))
    kinds, areas = shapely.get_type_id(hulls), shapely.area(hulls)
    flat = (kinds == shapely.GeometryType.POLYGON) & (areas > MIN_HULL_M2)
    slim = (kinds == shapely.GeometryType.POLYGON) & (areas <= MIN_HULL_M2)
    lines = (kinds == shapely.GeometryType.LINESTRING) & (shapely.length(hulls) > 0)
    return hulls[flat], np.concatenate([hulls[lines], shapely.boundary(hulls[slim])])


def solid_above(triangles: Array, points: Array, *, height: float) -> BoolArray:
    """Return [N] whether places [N, 2] at a height are inside of something: going up, more is left than entered.

    A face is left through its back, where its normal points up, and entered where it points down.
    """
    if not len(points) or not len(triangles):
        return np.zeros(len(points), np.bool_)
    high = triangles[triangles[..., 2].max(axis=1) > height]
    u, v = high[:, 1] - high[:, 0], high[:, 2] - high[:, 0]
    double = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    level = np.abs(double) > 1e-12
    high, u, v, double = high[level], u[level], v[level], double[level]
    tree = shapely.STRtree(shapely.box(*high[..., :2].min(axis=1).T, *high[..., :2].max(axis=1).T))
    which, face = tree.query(shapely.points(points))
    to = points[which] - high[face, 0, :2]
    s = (to[:, 0] * v[face, 1] - to[:, 1] * v[face, 0]) / double[face]
    t = (u[face, 0] * to[:, 1] - u[face, 1] * to[:, 0]) / double[face]
    z = high[face, 0, 2] + s * u[face, 2] + t * v[face, 2]
    # Half open, so that a place right over the side between two faces is counted once.
    through = (s >= 0) & (t >= 0) & (s + t < 1) & (z > height)
    left = np.bincount(which[through], weights=np.sign(double[face[through]]), minlength=len(points))
    return np.asarray(left > 0)
