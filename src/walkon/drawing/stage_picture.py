"""What a take has besides people: obstacles, leaves of doors, seats and props as solids; bounds, doors and marks as
paint on the floor.

Marks look like the tape on a stage floor: a T whose bar is where the toes go and whose stem points away from the way
to face, or a cross where any facing will do. World frame, metres.
"""

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.drawing.prisms import cylinder_boxes, prism_boxes
from walkon.drawing.solids import Boxes, FloorPaint, RoundCones
from walkon.drawing.triangles import Triangles
from walkon.geometry import polygons
from walkon.stage import Obstacle, Prop, Seat, Stage
from walkon.stage.moving import frames_at
from walkon.take.tables import FACING, POSITION
from walkon.take.take import Take
from walkon.transforms import quaternions as quat
from walkon.transforms import rigid

__all__ = [
    "comes_before",
    "mark_paint",
    "moving_boxes",
    "prop_solids",
    "seat_backs",
    "seat_heights",
    "stage_boxes",
    "stage_paint",
    "tip_up_boxes",
]

OBSTACLE, SEAT, LEG = (0.795, 0.790, 0.780), (0.66, 0.56, 0.47), (0.45, 0.46, 0.49)
BOUNDS, DOOR = (0.42, 0.47, 0.56), (0.30, 0.55, 0.45)
SEAT_SIDE_M, SEAT_THICK_M, SEAT_LEG_M = 0.42, 0.04, 0.05
"""Metres: a stool is a square board on a post."""
BACK_M = (0.12, 0.5)
"""Metres behind the place of the hips where a seat has its back, if it has one."""
SETTLED_M = 0.35
"""Metres above a seat below which hips are on it, or about to be."""
BELOW_M = 0.5
"""Metres below a seat from which on hips are on another storey."""
AT_SEAT_M = 0.4
"""Metres from the middle of a seat on the floor."""
OVERHEAD_M = 2.0
"""Metres above the floor: what hangs higher than this is left out, because it would hide everyone."""
CUT_HEIGHT_M, TALL_M = 0.35, 1.2
"""Metres above the floor: obstacles over the second that stand before people are drawn up to the first only."""


def stage_boxes(stage: Stage, *, middle: Array | None = None, towards_eye: Array | None = None) -> Boxes:
    """Return what never moves on a stage as boxes: obstacles, and seats that do not tip up (`tip_up_boxes`).

    Given the middle [2] of what is looked at and the level direction [2] from there to the camera, tall obstacles on
    the camera's side are cut low, like the fourth wall of a theatre.
    """
    parts = []
    for one in stage.still:
        cut = False
        if middle is not None and towards_eye is not None:
            cut = comes_before(one, np.zeros(1), middle=middle, towards_eye=towards_eye)
        parts.append(_prism(stage, one, time=0.0, cut=cut, colour=OBSTACLE))
    backs = seat_backs(stage)
    parts += [_seat(stage, seat) for seat, back in zip(stage.seats, backs, strict=True) if np.isnan(back)]
    return Boxes.joined(parts)


def moving_boxes(stage: Stage, time: float, *, cut: BoolArray | None = None) -> Boxes:
    """Return what moves on a stage as boxes, where it is at a time (s): obstacles, and leaves in the colour of doors.

    Of `Stage.moving` those that are to be `cut` [M] are low, as in `stage_boxes`.
    """
    low = np.zeros(len(stage.moving), bool) if cut is None else cut
    return Boxes.joined(
        [
            _prism(stage, one, time=time, cut=bool(low[k]), colour=DOOR if one in stage.leaves else OBSTACLE)
            for k, one in enumerate(stage.moving)
        ]
    )


def comes_before(obstacle: Obstacle, times: Array, *, middle: Array, towards_eye: Array) -> bool:
    """Say whether something is on the camera's side of the middle [2] of what is looked at, at any of the times [T]."""
    return float(((obstacle.placed(times).polygons - middle) @ towards_eye).max()) > 0.0


def _prism(stage: Stage, obstacle: Obstacle, *, time: float, cut: bool, colour: tuple[float, float, float]) -> Boxes:
    """Return the boxes of an obstacle: filled in its own frame, so that they move as one, and placed."""
    x, y, heading, z = frames_at(obstacle.track, time).tolist()
    base, top = obstacle.base + z, obstacle.height + z
    turn = quat.turn(heading)
    corners = np.column_stack([obstacle.polygon, np.zeros(len(obstacle.polygon))])
    middle = np.array([x, y]) + quat.rotate(turn, corners)[:, :2].mean(axis=0)
    ground = float(stage.floor_under(middle[None], near=np.array([base]))[0])
    if base - ground >= OVERHEAD_M or top <= ground:
        return Boxes()
    if cut and top - ground > TALL_M:
        top = max(ground + CUT_HEIGHT_M, base + 0.05)
    low = max(base, ground) if stage.floor.level is not None else base
    centres, sizes, rotations = prism_boxes(obstacle.polygon, base=low, top=top)
    return _boxes(np.array([x, y, 0.0]) + quat.rotate(turn, centres), sizes, quat.multiply(turn, rotations), colour)


def seat_backs(stage: Stage) -> Array:
    """Return [seats] how far behind the hips something stands, still and higher than the seat; NaN: nothing does.

    Such seats tip up against their backs while nobody sits there, or people could not walk along a row of them.
    """
    backs = np.full(len(stage.seats), np.nan)
    high = [(polygons.polygon(o.polygon), o.height, o.base) for o in stage.still]
    for k, seat in enumerate(stage.seats):
        x, y, heading = seat.place
        behind = -np.array([np.cos(heading), np.sin(heading)])
        line = shapely.linestrings(np.array([x, y]) + np.outer(BACK_M, behind))
        for area, top, base in high:
            if top > seat.height > base and shapely.intersects(line, area):
                backs[k] = np.fmin(backs[k], shapely.distance(area, shapely.points(x, y)))
    return backs


def tip_up_boxes(stage: Stage, backs: Array, hips: Array) -> Boxes:
    """Return the seats with backs (see `seat_backs`), folded up but where one of the hips [H, 3] is on or near them."""
    parts = []
    for seat, back in ((seat, back) for seat, back in zip(stage.seats, backs, strict=True) if np.isfinite(back)):
        near = np.hypot(*(hips[:, :2] - seat.place[:2]).T) < AT_SEAT_M
        high = hips[:, 2] - seat.height
        if (near & (high < SETTLED_M) & (high > -BELOW_M)).any():
            size = (SEAT_SIDE_M, SEAT_SIDE_M, SEAT_THICK_M)
            middle = (0.0, 0.0, seat.height - 0.5 * SEAT_THICK_M)
        else:
            size = (SEAT_THICK_M, SEAT_SIDE_M, SEAT_SIDE_M)
            middle = (0.5 * SEAT_THICK_M - back, 0.0, seat.height + 0.5 * SEAT_SIDE_M - SEAT_THICK_M)
        turn = quat.turn(float(seat.place[2]))
        at = np.array([seat.place[0], seat.place[1], 0.0]) + quat.rotate(turn, np.array(middle))
        parts.append(_boxes(at[None], np.array([size]), turn[None], SEAT))
    return Boxes.joined(parts)


def seat_heights(stage: Stage, seat: Seat) -> tuple[float, float, float]:
    """Return z of the floor under a seat, of the underside of its board, and of its top."""
    ground = float(stage.floor_under(seat.place[None, :2], near=np.array([seat.height]))[0])
    return ground, max(seat.height - SEAT_THICK_M, 0.5 * (seat.height + ground)), seat.height


def _seat(stage: Stage, seat: Seat) -> Boxes:
    place, (ground, board, height) = seat.place, seat_heights(stage, seat)
    centres = np.array([[place[0], place[1], 0.5 * (board + height)], [place[0], place[1], 0.5 * (ground + board)]])
    sizes = np.array([[SEAT_SIDE_M, SEAT_SIDE_M, height - board], [SEAT_LEG_M, SEAT_LEG_M, board - ground]])
    turn = np.tile(quat.turn(float(place[2])), (2, 1))
    return Boxes(centres=centres, sizes=sizes, rotations=turn, colours=np.array([SEAT, LEG]))


def stage_paint(stage: Stage) -> FloorPaint:
    """Return the bounds and doors of a stage as lines on the floor."""
    bounds = np.zeros((0, 2)) if stage.bounds is None else np.concatenate([stage.bounds, stage.bounds[:1]])
    paint = FloorPaint.path(bounds, colour=BOUNDS, width=0.05, opacity=0.55)
    for door in stage.doors:
        paint = paint + FloorPaint.path(door.ends, colour=DOOR, width=0.10, opacity=0.8)
    return paint


def mark_paint(take: Take, rows: IntArray | None = None) -> FloorPaint:
    """Return the marks (all, or these rows) that ask for a place as tape in their characters' colours."""
    marks = take.marks if rows is None else take.marks.rows(rows)
    marks = marks.rows((marks.asks & POSITION) > 0)
    paint = FloorPaint()
    for asks, place, facing, who in zip(marks.asks, marks.position, marks.facing, marks.character, strict=True):
        angle = float(facing) if asks & FACING else 0.25 * np.pi
        ahead = np.array([np.cos(angle), np.sin(angle)])
        aside = np.array([-ahead[1], ahead[0]])
        colour = 0.85 * take.characters.colour[who].astype(np.float64)
        stem = (0.0, -0.24) if asks & FACING else (-0.16, 0.16)
        for ends, way in (((-0.16, 0.16), aside), (stem, ahead)):
            paint = paint + FloorPaint.path(place + np.outer(ends, way), colour=colour, width=0.045, opacity=0.9)
    return paint


def prop_solids(props: tuple[Prop, ...], positions: Array, rotations: Array) -> tuple[Boxes, RoundCones, Triangles]:
    """Return P props at positions [P, 3], turned by rotations [P, 4], as boxes, balls and the triangles of meshes.

    NaN places are left out.
    """
    boxes, balls, meshes = [], [], []
    for prop, place, turn in zip(props, positions, rotations, strict=True):
        if not (np.isfinite(place).all() and np.isfinite(turn).all()):
            continue
        pose = np.concatenate([place, turn])
        if prop.shape == "mesh":
            corners, normals = rigid.apply(pose, prop.vertices[prop.triangles]), quat.rotate(turn, prop.corner_normals)
            colours = np.tile(prop.colour, (len(corners), 1))
            meshes.append(Triangles(corners=corners, normals=normals, colours=colours))
        for part in prop.pieces:
            own, colour = rigid.compose(pose, part.pose), part.colour or prop.colour
            if part.shape == "sphere":
                radii = np.full((1, 2), 0.5 * part.size[0])
                balls.append(
                    RoundCones(starts=own[None, :3], ends=own[None, :3], radii=radii, colours=np.array([colour]))
                )
                continue
            if part.shape == "cylinder":
                centres, sizes, turns = cylinder_boxes(part.size[0], part.size[2])
            else:
                centres, sizes, turns = np.zeros((1, 3)), np.array([part.size]), quat.IDENTITY[None]
            boxes.append(_boxes(rigid.apply(own, centres), sizes, quat.multiply(own[3:], turns), colour))
    return Boxes.joined(boxes), RoundCones.joined(balls), Triangles.joined(meshes)


def _boxes(centres: Array, sizes: Array, rotations: Array, colour: tuple[float, float, float]) -> Boxes:
    return Boxes(centres=centres, sizes=sizes, rotations=rotations, colours=np.tile(colour, (len(centres), 1)))
