"""`floor_plan(path)`: outlines on the floor of everything in a mesh that a walking body would run into.

Triangles are cut to a band of heights, by default from what is stepped over (5 cm) to what is walked under (2.1 m),
and projected to the ground:

* What has an area from above (a table top, a step) covers that area.
* Upright faces are lines from above. Where lines close around a place that is solid, the place is covered: inside a
  closed mesh, one leaves more surfaces through their back than one enters on the way up. So a wall, which has no
  horizontal face within the band, is filled, and the room between four walls is not.
* Lines that enclose nothing solid are walls without thickness, and become 2 cm thick.

Outlines are simplified by up to 1 cm and have no holes: what encloses something is cut straight through each hole, and
its parts touch along the cuts, so that together they cover the same. Metres, z up, counter-clockwise, [K, 2].
"""

from pathlib import Path
from typing import Any

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon.io.meshes.triangles import read_triangles

__all__ = ["floor_plan"]

GRID_M = 0.0005
"""m to which corners are snapped, so that faces that nearly meet do."""
MAX_DEVIATION_M = 0.01
"""m by which outlines are simplified at most."""
HALF_WALL_M = 0.01
"""m to either side of a wall without thickness."""
MIN_HULL_M2 = 1e-7
"""m²: a triangle that has less area from above is a line."""
MIN_AREA_M2 = 1e-4
"""m²: smaller outlines are left out."""


def floor_plan(
    path: str | Path,
    *,
    lowest: float = 0.05,
    highest: float = 2.1,
    up: str = "y",
    scale: float = 1.0,
) -> list[Array]:
    """Return the outlines [K, 2] m of what is between two heights (m) in an OBJ, glTF or GLB file.

    `up` is the axis that points up in an OBJ file, "y" or "z" (in glTF it is y); `scale` is metres per file unit. From
    y up, (x, y, z) becomes (x, −z, y). Raises `UnreadableFile`.
    """
    if not (np.isfinite(lowest) and np.isfinite(highest) and lowest < highest):
        raise InvalidValue(f"lowest must be below highest, got {lowest:g} and {highest:g} m")
    return outlines(read_triangles(path, up=up, scale=scale), lowest=lowest, highest=highest)


def outlines(triangles: Array, *, lowest: float, highest: float) -> list[Array]:
    """Return the outlines [K, 2] of triangles [T, 3, 3] (z up, m) between two heights."""
    flat, lines = _faces_in_band(triangles, lowest=lowest, highest=highest)
    covered = shapely.union_all(shapely.set_precision(flat, GRID_M), grid_size=GRID_M)
    drawn = shapely.union_all(shapely.set_precision(lines, GRID_M), grid_size=GRID_M)
    edges = shapely.union_all([drawn, shapely.boundary(covered)], grid_size=GRID_M)
    rooms = shapely.get_parts(shapely.polygonize(shapely.get_parts(edges)))
    inside = shapely.get_coordinates(shapely.point_on_surface(rooms)).reshape(-1, 2)
    solid = _solid_above(triangles, inside, height=0.5 * (lowest + highest))
    covered = shapely.union_all([covered, *rooms[solid]], grid_size=GRID_M)
    thin = shapely.difference(drawn, shapely.buffer(covered, 2 * GRID_M))
    covered = shapely.union_all([covered, shapely.buffer(thin, HALF_WALL_M, cap_style="square", join_style="mitre")])
    plain = shapely.get_parts(shapely.simplify(covered, MAX_DEVIATION_M, preserve_topology=True))
    parts = [part for whole in plain for part in _cut_holes(whole)]
    return [shapely.get_coordinates(shapely.orient_polygons(part).exterior)[:-1] for part in parts]


def _cut_holes(polygon: Any) -> list[Any]:
    """Cut a polygon through the middle of its holes, one after the other, into parts that have none."""
    waiting, done = [polygon], []
    while waiting:
        part = waiting.pop()
        if part.geom_type != "Polygon" or part.area < MIN_AREA_M2:
            waiting += list(getattr(part, "geoms", ()))
        elif not part.interiors:
            done.append(part)
        else:
            left, low, right, high = part.bounds
            hole = part.interiors[0].bounds
            middle = 0.5 * (hole[0] + hole[2])
            bands = ((left - 1, middle), (middle, right + 1))
            waiting += [shapely.clip_by_rect(part, west, low - 1, east, high + 1) for west, east in bands]
    return done[::-1]


def _faces_in_band(triangles: Array, *, lowest: float, highest: float) -> tuple[Any, Any]:
    """Return polygons and lines (Shapely arrays): triangles [T, 3, 3] cut to the heights, seen from above.

    A triangle cut to a slab is convex, and its corners are the ends of the triangle's sides cut to the slab; seen from
    above it is the convex hull of these six places, which is a line where the triangle is upright.
    """
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
    first, last = np.where(level, np.array([0.0, 1.0])[:, None, None], np.clip(crossings, 0.0, 1.0))
    met = np.where(level, within, (crossings[0] <= 1.0) & (crossings[1] >= 0.0))
    ends = np.stack([a + first[..., None] * (b - a), a + last[..., None] * (b - a)], axis=2)[..., :2]
    row: IntArray = np.broadcast_to(np.arange(len(triangles))[:, None, None], ends.shape[:-1])
    used = np.broadcast_to(met[..., None], ends.shape[:-1])
    hulls = shapely.convex_hull(shapely.multipoints(ends[used], indices=row[used].ravel()))
    kinds, areas = shapely.get_type_id(hulls), shapely.area(hulls)
    solid, flat = kinds == shapely.GeometryType.POLYGON, areas > MIN_HULL_M2
    lines = (kinds == shapely.GeometryType.LINESTRING) & (shapely.length(hulls) > 0)
    return hulls[solid & flat], np.concatenate([hulls[lines], shapely.boundary(hulls[solid & ~flat])])


def _solid_above(triangles: Array, points: Array, *, height: float) -> BoolArray:
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
