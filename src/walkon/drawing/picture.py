"""Pictures: from round cones, boxes and paint on the floor to pixels; from bodies and clips to those.

    what each pixel sees → how dark the floor is → what the light sees → colours → smooth edges

Every step fills rows of arrays in compiled code, shared among threads in fixed chunks: the picture does not depend on
their number. Pictures are uint8 [H, W, 3], red, green, blue; sizes are (width, height).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from walkon._base.errors import InvalidValue
from walkon._base.threads import in_chunks
from walkon.drawing.camera import Camera
from walkon.drawing.figures import figures
from walkon.drawing.ground import Sight, shade_ground
from walkon.drawing.light import ROWS_PER_TASK, Look, floor_map, sun_map, trace
from walkon.drawing.solids import Boxes, FloorPaint, RoundCones
from walkon.drawing.triangles import Triangles
from walkon.motion.body import Body

__all__ = ["Image", "draw_bodies", "render_capsules"]

Image = NDArray[np.uint8]

MAX_SIDE_PIXELS = 16384
"""Pixels along a side; a larger picture is a mistake in nearly all cases."""


def draw_bodies(
    bodies: Body | Sequence[Body],
    positions: ArrayLike,
    *,
    rotations: ArrayLike,
    camera: Camera | None = None,
    size: tuple[int, int] = (1280, 720),
    boxes: Boxes | None = None,
    paint: FloorPaint | None = None,
    look: Look | None = None,
) -> Image:
    """Draw B bodies (or B times one) with joints at positions [B, J, 3], turned by rotations [B, J, 4].

    Without a camera, all of them are framed from above their front right.
    """
    capsules = figures(bodies, positions, rotations=rotations)
    if camera is None:
        camera = Camera.view(capsules.points(), "three_quarter", aspect=size[0] / size[1])
    return render_capsules(capsules, camera, size=size, boxes=boxes, paint=paint, look=look)


def render_capsules(
    capsules: RoundCones,
    camera: Camera,
    *,
    size: tuple[int, int] = (1280, 720),
    boxes: Boxes | None = None,
    triangles: Triangles | None = None,
    paint: FloorPaint | None = None,
    floor: bool = True,
    level: float = 0.0,
    ground: Triangles | None = None,
    look: Look | None = None,
) -> Image:
    """Draw solids and paint as `camera` sees them.

    They are on the studio's floor, a plane z = `level` (m); on the triangles of a `ground` that is not level
    (`drawing.ground.floor_triangles`) in its place; or (floor=False) on nothing.
    """
    from walkon.drawing import _kernels, _light_kernels

    W, H = size
    if not (0 < W <= MAX_SIDE_PIXELS and 0 < H <= MAX_SIDE_PIXELS):
        raise InvalidValue(f"a picture is 1 to {MAX_SIDE_PIXELS} pixels wide and high, got {W} x {H}")
    boxes, triangles, paint, look = boxes or Boxes(), triangles or Triangles(), paint or FloorPaint(), look or Look()
    if level:
        # In the frame of the floor, which is z = 0 there.
        shift = np.array([0.0, 0.0, -level])
        camera, capsules = (
            camera.moved(shift),
            capsules.with_columns(starts=capsules.starts + shift, ends=capsules.ends + shift),
        )
        boxes = boxes.with_columns(centres=boxes.centres + shift)
        triangles = triangles.with_columns(corners=triangles.corners + shift)
    ground = ground or Triangles()
    floor = floor and not len(ground)
    props, triangles = triangles, Triangles.joined([triangles, ground])
    order, cones, flats, rays, depth, ids = trace(capsules, boxes, triangles, camera, size, floor=floor)
    first_ground = len(cones) + 3 * (len(boxes) + len(props))
    flat_colours = np.repeat(np.concatenate([boxes.colours, triangles.colours]), 3, axis=0)
    colours = np.square(np.concatenate([capsules.colours[order], flat_colours]))
    place = np.append(np.argsort(order), -1)  # where each capsule went, and −1 for none
    kin = place[capsules.kin[order]]

    coat = np.zeros((H, W, 4) if len(paint) and floor else (0, 0, 4), np.float32)
    if coat.size:
        strokes, stroke_bounds = np.array(paint.strokes), paint.bounds(camera, size)
        strokes[:, 5:8] **= 2
        last = np.full((H, W, 2), -1.0, np.float32)
        in_chunks(
            lambda first, stop: _kernels.paint(strokes, stroke_bounds, rays, ids, first, stop, coat, last),
            H,
            chunk=ROWS_PER_TASK,
        )

    if floor:
        dark, cells = floor_map(capsules, boxes, triangles=props, look=look, camera=camera, size=size)
    else:
        dark, cells = np.zeros((2, 1, 1), np.float32), np.array([0.0, 0.0, 1.0, 1.0, look.softness])
    sun, sun_frame = sun_map(capsules, boxes, triangles=props, ground=ground, look=look, camera=camera)
    table = look.table(camera)
    ground_table = table.copy()
    if not floor:
        table[11, 2], table[12, 0] = -2.0, -1.0  # faded everywhere
    image, blocked = np.empty((H, W, 3), np.float32), np.empty((H, W, 2), np.float32)

    def shade(first: int, stop: int) -> None:
        _light_kernels.shade_floor(ids, rays, dark, cells, coat, table, first, stop, image)
        _light_kernels.occlude(depth, ids, rays, cones, flats, sun, sun_frame, table[0], first, stop, blocked)
        _light_kernels.shade_solids(depth, ids, rays, cones, flats, colours, kin, blocked, table, first, stop, image)

    in_chunks(shade, H, chunk=ROWS_PER_TASK)
    if len(ground):
        sight = Sight(depth, ids, rays, blocked)
        shade_ground(image, sight, ground, first_ground, look=ground_table, paint=paint)
    pixels = np.empty((H, W, 3), np.uint8)
    in_chunks(
        lambda first, stop: _kernels.resolve(image, ids, cones, flats, rays, floor, first, stop, pixels),
        H,
        chunk=ROWS_PER_TASK,
    )
    return pixels
