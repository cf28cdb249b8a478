"""Ground that is not level in pictures (relief shading): ramps and terrain as triangles, with grid, contours and paint.

The studio's floor is a plane with kernels of its own; ground is what people stand on where that is none. Its triangles
are traced like those of props and shaded here, pixel by pixel of those that see them, as the studio's floor is: a light
tone, lines each metre and contours each quarter, paint, shadows, and a fade into the backdrop. With n the normal of the
face and l the direction to the key light, its light is

    1 + c (n·l / l_z − 1),     c = `RELIEF`                                                                  (1)

which is 1 on level ground, whatever the light, and shows slopes more strongly than light alone would. World frame,
metres.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.drawing.camera import Camera
from walkon.drawing.light import Look
from walkon.drawing.solids import FloorPaint
from walkon.drawing.triangles import Triangles
from walkon.stage.floor import Floor, RampFloor, TerrainFloor

__all__ = ["Sight", "floor_triangles", "shade_ground"]

RELIEF = 1.6
"""How much stronger slopes are shaded than light alone would, eq. (1)."""
MIN_LIGHT, MAX_LIGHT = 0.3, 1.1
"""Of a level ground's: the light of the steepest faces away from it and towards it."""
UNDERSIDE_LIGHT = 0.6
"""The same of faces seen from below."""
CONTOUR_M = 0.25
"""m of height between contour lines."""
LEVEL_SLOPE = 0.02
"""Rise per metre below which there are no contours: level ground would be one."""
EDGE_STRENGTH, EDGE_M = 2.0, 0.3
"""How strong a line is where ground ends before something else, and how many metres farther that is at least."""
FAR_M = 1.0
"""m beyond where the ground has faded up to which it is drawn."""


class Sight(NamedTuple):
    """What a picture of H × W pixels sees."""

    depth: NDArray[np.float32]
    """[H, W] metres along the rays."""
    ids: NDArray[np.int32]
    """[H, W] as the kernel `trace` has them."""
    rays: Array
    """[6, 3] of the camera."""
    blocked: NDArray[np.float32]
    """[H, W, 2] how crowded it is there, and the share of the key light that is blocked."""


def floor_triangles(floor: Floor, camera: Camera, look: Look, *, farther: float = 0.0) -> Triangles:
    """Return the triangles of a floor that is not level, as far as a camera sees it, and so many metres farther.

    A level floor has none: it is the studio's.
    """
    table = look.table(camera)
    middle, reach = table[11, :2], float(table[12, 0]) + FAR_M + farther
    if isinstance(floor, RampFloor):
        corners = _ramp_corners(floor, middle, reach)
    elif isinstance(floor, TerrainFloor):
        plan = floor.corners[..., :2]
        away = np.linalg.norm(np.maximum(np.maximum(plan.min(axis=1) - middle, middle - plan.max(axis=1)), 0.0), axis=1)
        corners = floor.corners[away < reach]
    else:
        return Triangles()
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(normals, axis=1)
    corners, normals = corners[sizes > 1e-12], normals[sizes > 1e-12] / sizes[sizes > 1e-12, None]
    return Triangles(
        corners=corners, normals=np.repeat(normals[:, None], 3, axis=1), colours=np.tile(look.floor, (len(corners), 1))
    )


def _ramp_corners(floor: RampFloor, middle: Array, reach: float) -> Array:
    """Return the triangles [6, 3, 3] of a ramp and the two level halves, up to `reach` m from a ground point [2]."""
    along = floor.stop[:2] - floor.start[:2]
    length = float(np.linalg.norm(along))
    ahead = along / length
    aside = np.array([-ahead[1], ahead[0]])
    here, across = float((middle - floor.start[:2]) @ ahead), float((middle - floor.start[:2]) @ aside)
    s = np.array([min(here - reach, -FAR_M), 0.0, length, max(here + reach, length + FAR_M)])
    z = floor.start[[2, 2, 2, 2]] + np.array([0.0, 0.0, 1.0, 1.0]) * (floor.stop[2] - floor.start[2])
    plan = floor.start[:2] + s[:, None, None] * ahead + (across + np.array([-reach, reach]))[:, None] * aside
    points = np.concatenate([plan, np.broadcast_to(z[:, None, None], (4, 2, 1))], axis=2)
    a, b, c, d = points[:-1, 0], points[1:, 0], points[1:, 1], points[:-1, 1]
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def shade_ground(
    image: NDArray[np.float32], sight: Sight, ground: Triangles, first: int, *, look: Array, paint: FloorPaint
) -> None:
    """Draw the ground into a picture [H, W, 3], 0 to 1, where it is seen; `first` is the id of its first triangle.

    `look` is the table of `Look`; light adds up in squared values.
    """
    seen = sight.ids >= first
    if not seen.any():
        return
    rows, columns = np.nonzero(seen)
    rays = sight.rays
    ways = rays[3] + (columns + 0.5)[:, None] * rays[4] + (rows + 0.5)[:, None] * rays[5]
    origins = rays[0] + (columns + 0.5)[:, None] * rays[1] + (rows + 0.5)[:, None] * rays[2]
    depths = sight.depth[seen].astype(np.float64)
    places = origins + depths[:, None] * ways
    normals = ground.normals[(sight.ids[seen] - first) // 3, 0]
    below = np.sum(normals * ways, axis=1) > 0.0
    pixel = _pixel_sizes(rays, ways, depths, normals)

    lines = look[12, 1] * np.where(below, 0.0, _grid_cover(places, normals, pixel))
    lines = np.maximum(lines, EDGE_STRENGTH * _is_edge(sight.depth, pixel, rows, columns))
    colours = look[6] + (look[7] - look[6]) * lines[:, None]
    colours = _painted(colours, places, pixel, np.flatnonzero(~below), paint)
    light = np.clip(1.0 + RELIEF * (normals @ look[0] / look[0, 2] - 1.0), MIN_LIGHT, MAX_LIGHT)
    crowded, dark = sight.blocked[seen].astype(np.float64).T
    colours = colours * np.where(below, UNDERSIDE_LIGHT, light)[:, None]
    colours *= 1.0 - np.where(below, 0.0, dark)[:, None] * (1.0 - look[10])
    colours *= 1.0 - np.minimum(crowded, 0.6)[:, None] * (1.0 - 0.5 * look[10])

    away = np.linalg.norm(places[:, :2] - look[11, :2], axis=1)
    fade = _smoothstep((away - look[11, 2]) / (look[12, 0] - look[11, 2]))[:, None]
    rise = _smoothstep(0.5 + 1.2 * ways[:, 2] / np.linalg.norm(ways, axis=1))[:, None]
    backdrop = look[8] + (look[9] - look[8]) * rise
    image[rows, columns] = np.sqrt(colours + (backdrop - colours) * fade)


def _pixel_sizes(rays: Array, ways: Array, depths: Array, normals: Array) -> Array:
    """Return about how many metres [P] of the ground a pixel covers, along the way that it is longest."""
    across = np.linalg.norm(rays[1] + depths[:, None] * rays[4], axis=1)
    facing = np.abs(np.sum(normals * ways, axis=1)) / np.linalg.norm(ways, axis=1)
    return np.asarray(across / np.maximum(facing, 0.05))


def _is_edge(depth: NDArray[np.float32], pixel: Array, rows: IntArray, columns: IntArray) -> BoolArray:
    """Say which pixels [P] are at the edge of the ground: one beside them is much farther away."""
    H, W = depth.shape
    here, beyond = depth[rows, columns], np.zeros(len(rows))
    for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        there = depth[np.clip(rows + down, 0, H - 1), np.clip(columns + right, 0, W - 1)]
        beyond = np.maximum(beyond, np.where(np.isfinite(there), there - here, 1e3))
    return np.asarray(beyond > np.maximum(EDGE_M, 6.0 * pixel))


def _grid_cover(places: Array, normals: Array, pixel: Array) -> Array:
    """Return how much of each pixel [P] the lines cover: each metre of x and y, and contours."""

    def cover(values: Array, step: float, width: float, size: Array) -> Array:
        off = np.abs(values / step - np.round(values / step)) * step
        line = np.clip((0.5 * width - off) / size + 0.5, 0.0, 1.0) * np.minimum(width / size, 1.0)
        return np.asarray(line * np.clip(1.5 - 3.0 * size / step, 0.0, 1.0))

    slopes = np.linalg.norm(normals[:, :2], axis=1) / np.maximum(np.abs(normals[:, 2]), 1e-3)
    grid = np.maximum(cover(places[:, 0], 1.0, 0.03, pixel), cover(places[:, 1], 1.0, 0.03, pixel))
    heights = cover(places[:, 2], CONTOUR_M, 0.03 * slopes, np.maximum(pixel * slopes, 1e-6))
    return np.asarray(np.maximum(0.8 * grid, np.where(slopes > LEVEL_SLOPE, 0.9 * heights, 0.0)))


def _painted(colours: Array, places: Array, pixel: Array, rows: IntArray, paint: FloorPaint) -> Array:
    """Return colours [P, 3] with strokes of paint over the places [P, 3] of these rows, seen from above."""
    colours, plan, size = colours.copy(), places[rows, :2], pixel[rows]
    before: dict[float, Array] = {}
    for xa, ya, xb, yb, radius, *colour, opacity, group in paint.strokes:
        near = _near(plan, (xa, ya), (xb, yb), radius + float(size.max(initial=0.0)))
        if not near.any():
            continue
        x, y = (plan[near] - (xa, ya)).T
        ex, ey = xb - xa, yb - ya
        share = np.clip((x * ex + y * ey) / max(ex * ex + ey * ey, 1e-12), 0.0, 1.0)
        distance = np.hypot(x - share * ex, y - share * ey)
        cover = np.clip((radius - distance) / size[near] + 0.5, 0.0, 1.0)
        covered = before.setdefault(group, np.zeros(len(rows)))
        more = np.maximum(cover - covered[near], 0.0)
        covered[near] = np.maximum(covered[near], cover)
        mine = rows[near]
        colours[mine] += (opacity * more)[:, None] * (np.square(colour) - colours[mine])
    return colours


def _near(plan: Array, a: tuple[float, float], b: tuple[float, float], room: float) -> BoolArray:
    """Say which ground points [P, 2] are in the box around a stroke, `room` m larger."""
    low, high = np.minimum(a, b) - room, np.maximum(a, b) + room
    return np.asarray(((plan > low) & (plan < high)).all(axis=1))


def _smoothstep(x: Array) -> Array:
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x * x * (3.0 - 2.0 * x))
