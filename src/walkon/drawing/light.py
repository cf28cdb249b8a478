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
from walkon.drawing.solids import Boxes, RoundCones

__all__ = ["Look", "floor_map", "sun_map", "trace"]

Map = tuple[NDArray[np.float32], Array]
"""Values of cells, and where the cells are."""

ROWS_PER_TASK = 64
"""Rows per task of the thread pool."""

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


def floor_map(capsules: RoundCones, boxes: Boxes, *, look: Look, camera: Camera, size: tuple[int, int]) -> Map:
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
    outlines, channels, strengths = _box_outlines(boxes, light, across, look.softness)
    box_places, box_reach = _outline_places(outlines, channels, axes, light)
    corners = np.concatenate([(places - reach).reshape(-1, 2), (box_places - box_reach).reshape(-1, 2)])
    others = np.concatenate([(places + reach).reshape(-1, 2), (box_places + box_reach).reshape(-1, 2)])
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
    box_bounds = _cells(box_places, box_reach, low, cell, (w, h))
    ends = np.stack([capsules.starts, capsules.ends], axis=1)
    seen = np.concatenate([ends @ across.T, ends[..., 2:]], axis=2).reshape(-1, 6)
    casts = np.concatenate([seen, ends[..., :2].reshape(-1, 4), capsules.radii], axis=1)

    in_chunks(
        lambda first, stop: _light_kernels.darken(casts, bounds, axes, frame, first, stop, dark), h, chunk=ROWS_PER_TASK
    )
    for outline, i, strength, box in zip(outlines, channels, strengths, box_bounds, strict=True):
        _darken_under(dark[i], outline, box, axes[2 * i : 2 * i + 2], frame, strength)
    return dark, frame


def _darken_under(
    part: NDArray[np.float32], outline: Array, bounds: IntArray, axes: Array, frame: Array, strength: float
) -> None:
    """Darken cells by a convex outline [6, 3] = (u, v, blur), counter-clockwise, with u and v along the two `axes`."""
    x0, x1, y0, y1 = bounds
    x = frame[0] + (np.arange(x0, x1) + 0.5) * frame[2]
    y = frame[1] + (np.arange(y0, y1)[:, None] + 0.5) * frame[2]
    u, v = axes[0, 0] * x + axes[0, 1] * y, axes[1, 0] * x + axes[1, 1] * y
    nearest, blur, inside = np.full(u.shape, np.inf), np.ones(u.shape), np.ones(u.shape, bool)
    for (au, av, ab), (bu, bv, bb) in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        eu, ev = bu - au, bv - av
        if eu * eu + ev * ev < 1e-12:
            continue
        share = np.clip(((u - au) * eu + (v - av) * ev) / (eu * eu + ev * ev), 0.0, 1.0)
        away = np.hypot(u - au - share * eu, v - av - share * ev)
        inside &= eu * (v - av) - ev * (u - au) >= 0.0
        # The blur is that of the nearest edge, so that a shadow is sharp where it starts.
        blur = np.where(away < nearest, ab + share * (bb - ab), blur)
        nearest = np.minimum(nearest, away)
    step = np.clip(0.5 + np.where(inside, 0.5, -0.5) * nearest / (blur + 0.004 + 0.6 * frame[2]), 0.0, 1.0)
    cells = part[y0:y1, x0:x1]
    cells += (1.0 - cells) * (strength * step * step * (3.0 - 2.0 * step)).astype(np.float32)


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


def _box_outlines(boxes: Boxes, light: Array, across: Array, softness: float) -> tuple[Array, IntArray, Array]:
    """Return outlines [2 M, 6, 3] = (u, v, blur) of each box seen from the light and from above."""
    from scipy.spatial import ConvexHull

    found = []
    for box in boxes.corners():
        heights = np.maximum(box[:, 2], 0.0)
        for channel, seen, blur, strength in (
            (0, box @ across.T, softness * heights / light[2], 1.0),
            (1, box[:, :2], np.full(8, 0.25), 0.45 * float(np.exp(-heights.min() / 0.3))),
        ):
            hull = ConvexHull(seen).vertices[:6]
            hull = np.concatenate([hull, np.repeat(hull[-1], 6 - len(hull))])
            found.append((np.column_stack([seen, blur])[hull], channel, strength))
    outlines, channels, strengths = zip(*found, strict=True) if found else ((), (), ())
    return np.reshape(outlines, (-1, 6, 3)), np.array(channels, np.int64), np.array(strengths, dtype=np.float64)


def _outline_places(outlines: Array, channels: IntArray, axes: Array, light: Array) -> tuple[Array, Array]:
    """Return the middle [P, 2] and half size [P, 2] on the floor of blurred outlines."""
    places = np.empty((len(outlines), 6, 2))
    for channel in range(2):
        mine = channels == channel
        places[mine] = outlines[mine, :, :2] @ np.linalg.inv(axes[2 * channel : 2 * channel + 2]).T
    blur = (outlines[..., 2:] + 0.05) * np.where(channels == 0, 1.0 / light[2], 1.0)[:, None, None]
    low, high = (places - blur).min(axis=1), (places + blur).max(axis=1)
    return 0.5 * (low + high), 0.5 * (high - low)


def _cells(middle: Array, half: Array, low: Array, cell: float, size: tuple[int, int]) -> IntArray:
    first = np.clip(np.floor((middle - half - low) / cell), 0, size)
    stop = np.clip(np.ceil((middle + half - low) / cell), 0, size)
    return np.stack([first[:, 0], stop[:, 0], first[:, 1], stop[:, 1]], axis=1).astype(np.int64)


def sun_map(capsules: RoundCones, boxes: Boxes, *, look: Look, camera: Camera) -> Map:
    """See the scene from the key light, orthographic, in cells of about a centimetre.

    Returns the depths [h, w], metres from the light's plane, and the frame [5, 3] that the kernel `occlude` reads.
    """
    light = look.towards_light(camera)
    points = np.concatenate([capsules.starts, capsules.ends, boxes.corners().reshape(-1, 3)])
    if len(points) == 0:
        return np.full((1, 1), np.inf, np.float32), np.concatenate([np.eye(3), [[0.0, 0.0, 1.0], [0.03, 0, 0]]])
    margin = float(capsules.radii.max(initial=0.0)) + 0.1
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    far = float(np.linalg.norm(np.ptp(points, axis=0))) + 2.0 * margin + 1.0
    ahead, right, up = Camera(eye=middle + far * light, target=middle, height=1.0).axes
    x, y = points @ right, points @ up
    wide, high = float(np.ptp(x)) + 2.0 * margin, float(np.ptp(y)) + 2.0 * margin
    cell = max(0.011, max(wide, high) / 700.0)
    w, h = int(np.ceil(wide / cell)), int(np.ceil(high / cell))
    middle = 0.5 * (x.min() + x.max()) * right + 0.5 * (y.min() + y.max()) * up + (middle @ ahead) * ahead
    sun = Camera(eye=middle - far * ahead, target=middle, height=h * cell)
    _, _, _, rays, depth, _ = trace(capsules, boxes, sun, (w, h), floor=False)
    last = [[rays[0] @ right, -(rays[0] @ up), cell], [0.03, sun.eye @ ahead, 0.0]]
    return depth, np.concatenate([np.stack([right, -up, ahead]), last])


def trace(
    capsules: RoundCones, boxes: Boxes, camera: Camera, size: tuple[int, int], *, floor: bool
) -> tuple[IntArray, Array, Array, Array, NDArray[np.float32], NDArray[np.int32]]:
    """Find out what each pixel sees, and how far away.

    Returns the order [N] in which the cones were looked at, the tables of cones and boxes, the rays, the depths [H, W]
    and what is seen [H, W], as the kernel `trace` numbers it.
    """
    from walkon.drawing import _kernels

    bounds, nearest = capsules.bounds(camera, size)
    order = np.argsort(nearest, kind="stable")  # nearest first: most of what is hidden is then never looked at
    cones = capsules.table()[order]
    cones[:, 12], bounds = nearest[order], np.ascontiguousarray(bounds[order])
    box_table, box_bounds, rays = boxes.table(), boxes.bounds(camera, size), camera.rays(size)
    depth, ids = np.empty(size[::-1], np.float32), np.empty(size[::-1], np.int32)
    in_chunks(
        lambda first, stop: _kernels.trace(cones, bounds, box_table, box_bounds, rays, floor, first, stop, depth, ids),
        size[1],
        chunk=ROWS_PER_TASK,
    )
    return order, cones, box_table, rays, depth, ids
