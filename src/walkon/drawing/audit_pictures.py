"""Pictures of an audit's worst cases: close enough to see what is wrong, with a ring where it is.

Who takes part is in full colour, everyone else pale. Two people who touch are seen from the side of the line between
them, anyone else from the front right. Pictures are small PNGs with few colours, as base64 text for a page.
"""

import base64
from io import BytesIO

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageDraw

from walkon._base.arrays import Array, IntArray
from walkon.drawing.camera import VIEWS, Camera, box_corners
from walkon.drawing.canvas import disc
from walkon.drawing.picture import Image
from walkon.drawing.take_camera import around
from walkon.drawing.take_picture import shoot
from walkon.take.auditing import WorstCase
from walkon.take.take import Take

__all__ = ["draw_case", "picture_of"]

SIZE_PIXELS = (400, 300)
MAX_COLOURS = 224
RING_COLOUR = (214, 62, 44)
AT_FEET = ("foot_slide", "floor", "legs")
"""Figures whose cases are at the feet."""
AT_BODY = ("bodies", "props", "hands", "kinematics")
"""Figures whose cases are anywhere on a body, and small."""
SIGHT_WIDTH_M = 0.7
"""Metres from the line of sight within which bystanders are left out."""
ELEVATION_RAD = 0.3
"""Radians above the floor."""


def picture_of(take: Take, case: WorstCase) -> str | None:
    """Return a picture of a case as base64 PNG, or None where there is nothing to see."""
    if not np.isfinite([*case.place, case.time]).all() or not len(take):
        return None
    picture = PillowImage.fromarray(draw_case(take, case)).quantize(
        MAX_COLOURS, method=PillowImage.Quantize.MAXCOVERAGE, dither=PillowImage.Dither.NONE
    )
    buffer = BytesIO()
    picture.save(buffer, format="PNG", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode("ascii")


def draw_case(take: Take, case: WorstCase, *, size: tuple[int, int] = SIZE_PIXELS) -> Image:
    """Draw the people of a case at its time, and a ring around its place."""
    time = float(np.clip(case.time, take.start, take.stop))
    place, rows = np.array(case.place), _rows(take, case)
    camera = _camera(take, case, time, rows, size[0] / size[1])
    x, y, depth = camera.project(place, size)
    shot = shoot(
        take,
        start=time,
        stop=time,
        view=camera,
        size=size,
        about=rows if len(rows) else None,
        without=_in_the_way(take, time, rows, camera, place) if len(rows) else None,
    )
    image = shot.at(time)
    if not (depth > 0.0 and 0.0 <= x < size[0] and 0.0 <= y < size[1]):
        return image
    # Drawn twice as large and made smaller, so that the ring is smooth.
    layer = PillowImage.new("RGBA", (2 * size[0], 2 * size[1]))
    width = max(round(2 * (0.012 * size[1])), 2)
    disc(ImageDraw.Draw(layer), (2 * x, 2 * y), 2 * (0.11 * size[1]), outline=(*RING_COLOUR, 255), width=width)
    layer = layer.resize(size, PillowImage.Resampling.BOX)
    picture = PillowImage.fromarray(image).convert("RGBA")
    picture.alpha_composite(layer)
    return np.array(picture.convert("RGB"))


def _in_the_way(take: Take, time: float, rows: IntArray, camera: Camera, place: Array) -> IntArray:
    """Return the rows of bystanders between the camera and the place: within a body's breadth of the line of sight."""
    poses = take.pose(time)
    others = np.flatnonzero(poses.present & ~np.isin(np.arange(len(take)), rows))
    sight = place[:2] - camera.eye[:2]
    far = float(np.hypot(*sight))
    if far < 1e-6:
        return others[:0]
    to = poses.positions[others, 0, :2] - camera.eye[:2]
    along, aside = to @ sight / far, np.abs(to[:, 0] * sight[1] - to[:, 1] * sight[0]) / far
    return others[(along > 0.0) & (along < far) & (aside < SIGHT_WIDTH_M)]


def _rows(take: Take, case: WorstCase) -> IntArray:
    """Return the rows of those who take part: the character, and the other if that is one too."""
    mine = [case.row] if case.row >= 0 else [take.character(case.character)] if case.character in take.names else []
    others = [row for row, name in enumerate(take.names) if row not in mine and _names(case.other, name)]
    if len(others) > 1:  # of several of that name the nearest
        poses = take.pose(float(np.clip(case.time, take.start, take.stop)), characters=others)
        away = np.hypot(*(poses.positions[:, 0, :2] - case.place[:2]).T)
        others = [others[int(np.argmin(np.where(np.isfinite(away), away, np.inf)))]]
    return np.array([*mine, *others], dtype=np.int64)


def _names(text: str, name: str) -> bool:
    """Tell whether words about the other side begin or end with this name."""
    return bool(name) and (text == name or text.startswith(f"{name} ") or text.endswith(f" {name}"))


def _camera(take: Take, case: WorstCase, time: float, rows: IntArray, aspect: float) -> Camera:
    place = np.array(case.place)
    topic = case.figure.partition(".")[0]
    # On the floor under it, whatever its height.
    lift = np.array([0.0, 0.0, float(take.stage.floor_under(place[None, :2], near=place[None, 2])[0])])
    azimuth, points = VIEWS["three_quarter"][0], lift + around(place[:2], room=0.5, height=1.75)
    if len(rows):
        poses = take.pose(time, characters=rows)
        there = poses.planar[poses.present]
        if len(there):
            azimuth += float(there[0, 2])
        if len(there) > 1:
            apart = there[1, :2] - there[0, :2]
            # Across the line between them, on the side where both are seen from their front rather than their back.
            across = np.arctan2(apart[1], apart[0]) + 0.5 * np.pi
            facing = np.exp(1j * there[:2, 2]).sum()
            azimuth = across if (facing * np.exp(-1j * across)).real >= 0 else across + np.pi
            points = lift + np.concatenate([around(pose[:2], room=0.35, height=1.75) for pose in there[:2]])
    if topic in AT_FEET:
        points = lift + around(place[:2], room=0.34, height=0.75)
    elif topic in AT_BODY:
        points = box_corners(place - 0.42, place + 0.42)
    # The place itself is always in the picture.
    points = np.concatenate([points, box_corners(place - 0.12, place + 0.12)])
    return Camera.framing(points, azimuth=azimuth, elevation=ELEVATION_RAD, aspect=aspect, margin=0.04)
