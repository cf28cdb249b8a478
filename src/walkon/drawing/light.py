"""Shadow maps and lights: where the light comes from, the colours of floor and backdrop, and what the light does not
reach.

A key light from over the camera's left shoulder, a weak fill light from the right, light from the sky and back from the
floor. Two things are found out before a picture is shaded:

* the floor map [2, h, w]: on cells of the floor, the share of the key light and of the sky that the figures block. A
  shadow's edge blurs by `softness` metres per metre of way from what casts it: sharp at the shoes, soft at the head;
* the sun map [h, w]: the depths that the key light sees, for shadows of figures on figures.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array, IntArray, lock
from walkon._base.errors import InvalidValue
from walkon._base.threads import in_chunks
from walkon.drawing.camera import Camera, direction
from walkon.drawing.floor_shadows import box_outlines, darken_under, outline_places, silhouettes
from walkon.drawing.solids import Boxes, RoundCones
from walkon.drawing.triangles import Triangles

__all__ = ["Look", "floor_map", "sun_map", "trace"]

Map = tuple[NDArray[np.float32], Array]
"""Values of cells, and where the cells are."""

ROWS_PER_TASK = 64
"""Rows per task of the thread pool."""

SUN_CELLS, GROUND_SUN_CELLS = 700.0, 1600.0
"""Cells of a sun map along its longer side at most, and where shadows on the ground come from it too."""
GROUND_SUN_DEPTH_M = 0.06
"""m by which ground lies lower, along the light, where it casts shadows."""
MAX_FLOOR_CELLS = 2_000_000
"""The floor map has at most so many cells; a larger floor gets coarser ones."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Look:
    """How the studio looks. Colours are red, green, blue from 0 to 1, as on the screen."""

    light: Array | None = None
    """[3] direction towards the key light, z > 0; None = over the camera's left shoulder."""
    floor: tuple[float, float, float] = (0.915, 0.918, 0.925)
    lines: tuple[float, float, float] = (0.70, 0.72, 0.76)
    """Colour of the grid on the floor: bold lines each metre, fine ones each quarter."""
    grid: float = 1.0
    """Strength of the grid, 0 to 1."""
    backdrop: tuple[float, float, float] = (0.955, 0.958, 0.965)
    """Colour into which the floor fades."""
    backdrop_above: tuple[float, float, float] = (0.90, 0.912, 0.935)
    softness: float = 0.11
    """Metres by which the edge of a shadow blurs per metre between what casts it and the floor."""
    edge: float = 0.45
    """How much darker a limb is at its outline, 0 to 1."""

    def __post_init__(self) -> None:
        if self.light is not None:
            lock(self, "light", (3,))
            if not self.light[2] > 0.0:
                raise InvalidValue(f"the light must come from above (z > 0), got the direction {self.light.tolist()}")
        if not self.softness > 0.0:
            raise InvalidValue(f"softness must be positive, got {self.softness}")

    def towards_light(self, camera: Camera) -> Array:
        """Return the unit vector [3] towards the key light."""
        if self.light is not None:
            return self.light / np.linalg.norm(self.light)
        return _from_camera(camera, azimuth=-0.95, elevation=0.90)

    def table(self, camera: Camera) -> Array:
        """Return [13, 3] as described in `_light_kernels`; colours are squared, because light adds up in squares."""
        distance, span = float(np.linalg.norm(camera.target - camera.eye)), camera.span
        start, gone = 1.2 * span + 0.1 * distance, 3.6 * span + 0.3 * distance
        rows = [
            self.towards_light(camera),
            (0.80, 0.77, 0.72),
            _from_camera(camera, azimuth=1.1, elevation=0.35),
            (0.12, 0.13, 0.16),
            (0.44, 0.455, 0.49),
            (0.25, 0.24, 0.235),
            np.square(self.floor),
            np.square(self.lines),
            np.square(self.backdrop),
            np.square(self.backdrop_above),
            (0.40, 0.42, 0.49),
            (camera.target[0], camera.target[1], start),
            (gone, self.grid, self.edge),
        ]
        return np.array(rows, dtype=np.float64)


def _from_camera(camera: Camera, *, azimuth: float, elevation: float) -> Array:
    """Return a direction given relative to the side on which the camera stands."""
    _, right, _ = camera.axes
    return direction(np.arctan2(-right[0], right[1]) + azimuth, elevation)


def _across(light: Array) -> Array:
    """Return [2, 3] unit vectors across the light: level to one side, and the other."""
    side = np.array([-light[1], light[0], 0.0])
    size = np.linalg.norm(side)
    side = side / size if size > 1e-9 else np.array([0.0, 1.0, 0.0])
    return np.stack([side, np.cross(light, side)])


def floor_map(
    capsules: RoundCones,
    boxes: Boxes,
    *,
    look: Look,
    camera: Camera,
    size: tuple[int, int],
    triangles: Triangles | None = None,
) -> Map:
    """Find out how dark the floor z = 0 is under and behind the figures; cells are about as large as pixels.

    Returns the shares [2, h, w] of the key light and of the sky that are blocked, and [5] x and y of the first corner,
    size of a cell (metres), sine of the light's elevation, softness.
    """
    from walkon.drawing import _light_kernels

    light = look.towards_light(camera)
    across = _across(light)
    axes = np.concatenate([across[:, :2], np.eye(2)])
    table = look.table(camera)
    middle, gone = table[11, :2], table[12, 0]

    places, reach = _shadow_places(capsules, light, look.softness)
    outlines = box_outlines(boxes, light, across, look.softness)
    outlines += silhouettes(triangles or Triangles(), light, across, look.softness)
    flat_places, flat_reach = outline_places(outlines, axes, light)
    corners = np.concatenate([(places - reach).reshape(-1, 2), flat_places - flat_reach])
    others = np.concatenate([(places + reach).reshape(-1, 2), flat_places + flat_reach])
    if len(corners) == 0:
        return np.zeros((2, 1, 1), np.float32), np.array([0.0, 0.0, 1.0, light[2], look.softness])
    low = np.clip(corners.min(axis=0), middle - gone, middle + gone)
    high = np.clip(others.max(axis=0), middle - gone, middle + gone)
    cell = float(np.clip(2.0 * camera.span / size[1], 0.004, 0.05))
    cell = max(cell, float(np.sqrt(np.prod(high - low) / MAX_FLOOR_CELLS)))
    w, h = (np.ceil((high - low) / cell).astype(int) + 1).tolist()
    frame = np.array([low[0], low[1], cell, light[2], look.softness])
    dark = np.zeros((2, h, w), np.float32)

    bounds = np.concatenate([_cells(places[:, i], reach[:, i], low, cell, (w, h)) for i in range(2)], axis=1)
    flat_bounds = _cells(flat_places, flat_reach, low, cell, (w, h))
    ends = np.stack([capsules.starts, capsules.ends], axis=1)
    seen = np.concatenate([ends @ across.T, ends[..., 2:]], axis=2).reshape(-1, 6)
    casts = np.concatenate([seen, ends[..., :2].reshape(-1, 4), capsules.radii], axis=1)

    in_chunks(
        lambda first, stop: _light_kernels.darken(casts, bounds, axes, frame, first, stop, dark), h, chunk=ROWS_PER_TASK
    )
    for outline, cells in zip(outlines, flat_bounds, strict=True):
        i = outline.channel
        darken_under(dark[i], outline, cells, axes[2 * i : 2 * i + 2], frame)
    return dark, frame


def _shadow_places(capsules: RoundCones, light: Array, softness: float) -> tuple[Array, Array]:
    """Return the middle [N, 2, 2] and half size [N, 2, 2] on the floor of each shadow and of the sky it takes away."""
    ends = np.stack([capsules.starts, capsules.ends], axis=1)
    z = np.maximum(ends[..., 2:], 0.0)
    cast = ends[..., :2] - ends[..., 2:] * light[:2] / light[2]
    radii = capsules.radii[..., None]
    blur = radii + softness * z / light[2] + 0.05
    # The shadow of a disc across the light is longer along the light by 1 / sine.
    stretch = np.sqrt(1.0 - light[:2] ** 2 + (light[:2] / light[2]) ** 2)
    low, high = (cast - blur * stretch).min(axis=1), (cast + blur * stretch).max(axis=1)
    nearest = np.maximum(z, radii)
    # Where r² z / (z² + d²)^1.5 falls to the kernel's threshold.
    sky = np.sqrt(np.maximum((radii**2 * nearest / 0.02) ** (2 / 3) - nearest**2, 0.0)).max(axis=1)
    above_low, above_high = ends[..., :2].min(axis=1) - sky, ends[..., :2].max(axis=1) + sky
    above_high = np.where(sky > 0.0, above_high, above_low)
    lows, highs = np.stack([low, above_low], axis=1), np.stack([high, above_high], axis=1)
    return 0.5 * (lows + highs), 0.5 * (highs - lows)


def _cells(middle: Array, half: Array, low: Array, cell: float, size: tuple[int, int]) -> IntArray:
    first = np.clip(np.floor((middle - half - low) / cell), 0, size)
    stop = np.clip(np.ceil((middle + half - low) / cell), 0, size)
    return np.stack([first[:, 0], stop[:, 0], first[:, 1], stop[:, 1]], axis=1).astype(np.int64)


def sun_map(
    capsules: RoundCones,
    boxes: Boxes,
    *,
    look: Look,
    camera: Camera,
    triangles: Triangles | None = None,
    ground: Triangles | None = None,
) -> Map:
    """See the scene from the key light, orthographic, in cells of about a centimetre.

    A `ground` that is not level casts shadows as well, as far as people and things are; it lies a little lower here,
    so that it does not shade itself.

    Returns the depths [h, w], metres from the light's plane, and the frame [5, 3] that the kernel `occlude` reads.
    """
    light = look.towards_light(camera)
    triangles = triangles or Triangles()
    flat = boxes.corners().reshape(-1, 3), triangles.corners.reshape(-1, 3)
    points = np.concatenate([capsules.starts, capsules.ends, *flat])
    if len(points) == 0:
        return np.full((1, 1), np.inf, np.float32), np.concatenate([np.eye(3), [[0.0, 0.0, 1.0], [0.03, 0, 0]]])
    margin = float(capsules.radii.max(initial=0.0)) + 0.1
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    far = float(np.linalg.norm(np.ptp(points, axis=0))) + 2.0 * margin + 1.0
    if ground:
        far += float(np.ptp(ground.corners[..., 2])) / light[2]  # from above all of it
    ahead, right, up = Camera(eye=middle + far * light, target=middle, height=1.0).axes
    x, y = points @ right, points @ up
    wide, high = float(np.ptp(x)) + 2.0 * margin, float(np.ptp(y)) + 2.0 * margin
    cells = GROUND_SUN_CELLS if ground else SUN_CELLS
    cell = max(0.011, max(wide, high) / cells)
    w, h = int(np.ceil(wide / cell)), int(np.ceil(high / cell))
    middle = 0.5 * (x.min() + x.max()) * right + 0.5 * (y.min() + y.max()) * up + (middle @ ahead) * ahead
    sun = Camera(eye=middle - far * ahead, target=middle, height=h * cell)
    if ground:
        low = ground.corners + (GROUND_SUN_DEPTH_M + 2.0 * cell) * ahead
        triangles = Triangles.joined([triangles, ground.with_columns(corners=low)])
    _, _, _, rays, depth, _ = trace(capsules, boxes, triangles, sun, (w, h), floor=False)
    last = [[rays[0] @ right, -(rays[0] @ up), cell], [0.03, sun.eye @ ahead, 0.0]]
    return depth, np.concatenate([np.stack([right, -up, ahead]), last])


def trace(
    capsules: RoundCones, boxes: Boxes, triangles: Triangles, camera: Camera, size: tuple[int, int], *, floor: bool
) -> tuple[IntArray, Array, Array, Array, NDArray[np.float32], NDArray[np.int32]]:
    """Find out what each pixel sees, and how far away.

    Returns the order [N] in which the cones were looked at, the tables of cones and of boxes and triangles, the rays,
    the depths [H, W] and what is seen [H, W], as the kernel `trace` numbers it.
    """
    from walkon.drawing import _kernels

    bounds, nearest = capsules.bounds(camera, size)
    order = np.argsort(nearest, kind="stable")  # nearest first: most of what is hidden is then never looked at
    cones = capsules.table()[order]
    cones[:, 12], bounds = nearest[order], np.ascontiguousarray(bounds[order])
    flats = np.concatenate([boxes.table(), triangles.table()])
    flat_bounds = np.concatenate([boxes.bounds(camera, size), triangles.bounds(camera, size)])
    rays = camera.rays(size)
    depth, ids = np.empty(size[::-1], np.float32), np.empty(size[::-1], np.int32)
    in_chunks(
        lambda first, stop: _kernels.trace(cones, bounds, flats, flat_bounds, rays, floor, first, stop, depth, ids),
        size[1],
        chunk=ROWS_PER_TASK,
    )
    return order, cones, flats, rays, depth, ids
