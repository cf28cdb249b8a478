"""Whether triangles can be a terrain: their number, extent, unit, axis that points up, and which side faces up.

Two checks look at how triangles hang together, and only where some lie level and face down, as no sheet's do. Corners
at one place are one, edges lie between two of them. *Mixed*: an edge between exactly two level triangles is run through
by both in the same direction, and one of them faces down; nobody could stand on it. *Inside out*: a closed piece, every
edge of which is run through once each way, has a negative volume

    V = ⅙ Σ a·(b × c)                                                                                             (1)

and no room inside for a head: it is a solid, and its top faces down. With room it is the inside of a room, and its
floor faces up as it should. Metres, z up.
"""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue

__all__ = ["MAX_TRIANGLES", "area_vectors", "check_mesh", "check_terrain", "lies_on_its_side", "too_many_triangles"]

MAX_EXTENT_M = 5e3
"""m across which a terrain reaches at most: more is a matter of units."""
MIN_EXTENT_M = 0.1
"""m across which it reaches at least."""
MAX_TRIANGLES = 2_000_000
"""Triangles of a terrain."""
WALKABLE_NORMAL = 0.5
"""z of a unit normal from which on a face is something to stand on, 60 degrees from level."""
COARSE_SIDE_M, COARSE_RISE_M = 100.0, 10.0
"""m: sides of triangles that are typically longer and rise by more are those of hills in another unit: elevation models
have points every 1 to 90 m."""
MIN_COARSE_COUNT = 8
"""Triangles from which on something is typical."""
ROOM_M = 2.1
"""m between floor and ceiling from which on the inside of a closed piece is a room."""


def area_vectors(corners: Array) -> Array:
    """Return the normals [F, 3] of triangles [F, 3, 3], as long as twice their area."""
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def too_many_triangles(count: int) -> str:
    """Return the sentence that refuses a number of triangles; empty where it is not too large."""
    if count <= MAX_TRIANGLES:
        return ""
    return (
        f"a terrain has at most {MAX_TRIANGLES:,} triangles, got {count:,}; simplify the mesh, or cut off "
        "what nobody walks on"
    )


def check_terrain(corners: Array) -> None:
    """Refuse what cannot be a terrain: nothing, too much, another unit, another axis up, inside out."""
    if not len(corners):
        raise InvalidValue("a terrain needs triangles, got none")
    if words := too_many_triangles(len(corners)):
        raise InvalidValue(words)
    size = np.ptp(corners.reshape(-1, 3), axis=0)
    if size[:2].max() > MAX_EXTENT_M or size[2] > MAX_EXTENT_M:
        raise InvalidValue(
            f"the terrain reaches over {size.max():,.0f} m, more than {MAX_EXTENT_M:,.0f}; if the mesh is in "
            "millimetres set scale to 0.001, if in centimetres to 0.01"
        )
    if size[:2].max() < MIN_EXTENT_M:
        raise InvalidValue(
            f"the terrain is {size[:2].max():.3g} m across, less than a foot; set scale to the metres of one unit"
        )
    areas = area_vectors(corners)
    twice = np.linalg.norm(areas, axis=1)
    if not twice.sum() > 1e-9:
        raise InvalidValue(f"the {len(corners)} triangles of the terrain have no area")
    faces = areas / np.maximum(twice, 1e-300)[:, None]
    up, down = (float(twice[sign * faces[:, 2] > WALKABLE_NORMAL].sum()) for sign in (1.0, -1.0))
    if down > 2 * up:
        raise InvalidValue(
            f"the terrain is inside out: {down / 2:.3g} m² of it face down and {up / 2:.3g} m² up; turn its triangles "
            "over (flip the normals), or set up to the axis that points up in the file"
        )
    aside = max(float(twice[np.abs(faces[:, axis]) > WALKABLE_NORMAL].sum()) for axis in (0, 1))
    if up < 0.02 * twice.sum() and aside > up:
        raise InvalidValue(
            f"only {up / 2:.3g} of {twice.sum() / 2:.3g} m² of the terrain can be stood on, the rest is upright; set "
            "up to the axis that points up in the file (y or z)"
        )


def check_mesh(corners: Array) -> None:
    """Refuse what a file of triangles [F, 3, 3] gives away: another unit, mixed sides, a solid that is inside out."""
    _check_unit(corners)
    areas = area_vectors(corners)
    level = np.abs(areas[:, 2]) > WALKABLE_NORMAL * np.linalg.norm(areas, axis=1)
    if not (level & (areas[:, 2] < 0)).any():
        return
    vertices = _welded(corners)
    sides = np.stack([vertices, np.roll(vertices, -1, axis=1)], axis=-1).reshape(-1, 2)
    row = np.repeat(np.arange(len(corners)), 3)[sides[:, 0] != sides[:, 1]]
    sides = sides[sides[:, 0] != sides[:, 1]]
    forward = sides[:, 0] < sides[:, 1]
    edge = sides.min(axis=1) * (int(vertices.max()) + 1) + sides.max(axis=1)
    order = np.argsort(edge, kind="stable")
    edge, row, forward = edge[order], row[order], forward[order]
    first = np.flatnonzero(np.diff(edge, prepend=-1))
    counts = np.diff(np.append(first, len(edge)))
    first = first[counts == 2]
    pair, same = (row[first], row[first + 1]), forward[first] == forward[first + 1]
    _check_mixed(level, areas[:, 2] > 0, pair, same)
    open_ones = np.unique(np.concatenate([row[np.repeat(counts != 2, counts)], pair[0][same]]))
    _check_solids(corners, areas, level, pair, open_ones)


def _check_unit(corners: Array) -> None:
    sides = np.roll(corners, -1, axis=1) - corners
    typical = float(np.median(np.linalg.norm(sides[..., :2], axis=-1)))
    rise = float(np.median(np.abs(sides[..., 2]).max(axis=1)))
    if len(corners) >= MIN_COARSE_COUNT and typical > COARSE_SIDE_M and rise > COARSE_RISE_M:
        raise InvalidValue(
            f"the triangles of the terrain are typically {typical:,.0f} m long and {rise:,.0f} m high, too coarse to "
            "walk on; if the mesh is in millimetres set scale to 0.001, if in centimetres to 0.01"
        )


def _welded(corners: Array) -> IntArray:
    """Return [F, 3] the numbers of corners; those at one place have one."""
    bits = np.ascontiguousarray(corners.reshape(-1, 3) + 0.0).view(np.uint64)
    factors = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
    mixed = bits * factors
    mixed ^= mixed >> np.uint64(29)
    _, number = np.unique((mixed * factors[[1, 2, 0]]).sum(axis=1, dtype=np.uint64), return_inverse=True)
    return np.asarray(number, np.int64).reshape(-1, 3)


def _check_mixed(level: BoolArray, upward: BoolArray, pair: tuple[IntArray, IntArray], same: BoolArray) -> None:
    """Refuse level triangles that face down beside such that face up, across an edge that both run through one way."""
    a, b = pair
    mixed = same & level[a] & level[b] & (upward[a] != upward[b])
    if mixed.any():
        over = len(np.unique(np.where(upward[a], b, a)[mixed]))
        raise InvalidValue(
            f"{over:,} triangles of the terrain face down beside others that face up ({int(mixed.sum()):,} edges are "
            "run through the same way by both their triangles), and nobody can stand on them; make normals consistent "
            "(in Blender: Mesh, Normals, Recalculate Outside) and export it again"
        )


def _check_solids(
    corners: Array, areas: Array, level: BoolArray, pair: tuple[IntArray, IntArray], open_ones: IntArray
) -> None:
    """Refuse a mesh whose level faces mostly are the tops of closed solids that are inside out, eq. (1)."""
    links = coo_array((np.ones(len(pair[0]), np.int8), pair), shape=(len(corners), len(corners)))
    count, piece = connected_components(links, directed=False)
    closed = np.ones(count, np.bool_)
    closed[piece[open_ones]] = False
    near = corners - corners[:1, :1]
    volumes = np.bincount(piece, (near[:, 0] * np.cross(near[:, 1], near[:, 2])).sum(axis=1) / 6.0, minlength=count)
    facing_up = np.where(level & (areas[:, 2] > 0), 0.5 * areas[:, 2], 0.0)
    bottoms = np.bincount(piece, facing_up, minlength=count)
    solid = closed & (volumes < 0) & (-volumes < ROOM_M * bottoms)
    wrong = float(bottoms[solid].sum())
    if wrong > 0.5 * facing_up.sum():
        raise InvalidValue(
            f"the terrain is inside out: {int(solid.sum()):,} closed solid{'s' * bool(solid.sum() > 1)} of it "
            f"{'have' if solid.sum() > 1 else 'has'} a negative volume ({volumes[solid].sum():.3g} m³), and people "
            "would stand on the underside; turn its triangles over (flip the normals)"
        )


def lies_on_its_side(corners: Array) -> bool:
    """Say whether triangles [F, 3, 3] have more to stand on with y or −y up than with z, by half as much again."""
    areas = area_vectors(corners)
    steep = WALKABLE_NORMAL * np.linalg.norm(areas, axis=1)
    up = float(areas[areas[:, 2] > steep, 2].sum())
    return any(float((sign * areas[sign * areas[:, 1] > steep, 1]).sum()) > 1.5 * up for sign in (1.0, -1.0))
