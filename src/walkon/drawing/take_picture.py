"""Pictures of a take: everyone as posed at a time, props, stage and marks, seen by a camera at rest or travelling.

    shot = shoot(take, start=0.0, stop=10.0)            # frames all who are there in that time
    shot = shoot(take, start=0.0, stop=10.0, follow="ann")
    image = shot.at(3.5)

`draw_take` is one picture, `take_sheet` a grid of moments, `take_frames` what a video is made of. People who are only
on a track at that time stride along it, pale: their steps are made up, and should not look as if they were known.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon.drawing.camera import Camera
from walkon.drawing.canvas import sheet_of
from walkon.drawing.figures import crowd_figures
from walkon.drawing.ground import floor_triangles
from walkon.drawing.light import Look
from walkon.drawing.picture import Image, render_capsules
from walkon.drawing.solids import Boxes, FloorPaint, RoundCones
from walkon.drawing.stage_picture import (
    comes_before,
    mark_paint,
    moving_boxes,
    prop_solids,
    seat_backs,
    stage_boxes,
    stage_paint,
    tip_up_boxes,
)
from walkon.drawing.take_camera import MAX_MOMENTS, following_camera, level_direction, standing_camera
from walkon.drawing.triangles import Triangles
from walkon.take.posing.posing import Poses
from walkon.take.posing.props import prop_poses
from walkon.take.posing.walkers import find_walkers, with_walking_poses
from walkon.take.take import Take

__all__ = ["Shot", "draw_take", "frame_times", "people", "shoot", "take_frames", "take_sheet"]

PALE_SHARE = 0.62
"""How much white is mixed into those that a picture is not about."""
WALKER_PALE_SHARE = 0.5
"""The same for people who are only on a track."""
HAND_M, MIN_HAND_PIXELS = 0.08, 3.0
"""Breadth of a hand, and from how many pixels on its fingers are drawn."""
MAX_VIDEO_FRAMES = 36_000
"""Frames of one video at most; ten minutes at 60 per second."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Shot:
    """A take in front of a camera; made by `shoot`."""

    take: Take
    camera: Camera
    travel: Array | None = None
    """[T, 4] = (time, x, y, z) how the camera moves over the floor, seconds and metres; None: it stands still."""
    size: tuple[int, int] = (1280, 720)
    boxes: Boxes
    """What stands on the stage and never moves."""
    ground: Triangles
    """The floor where it is not level; none where it is."""
    paint: FloorPaint
    look: Look
    about: IntArray | None = None
    """Rows of the characters that the picture is about; the others are pale. None: all are alike."""
    without: IntArray | None = None
    """Rows of characters to leave out."""
    cut: BoolArray | None = None
    """[M] which of `Stage.moving` are drawn low, because they come between the camera and people; None: none are."""
    backs: Array | None = None
    """[seats] how far behind the hips seats have their backs, NaN for none; None where no seat tips up."""

    def camera_at(self, time: float) -> Camera:
        """Return the camera where it is at a time in seconds."""
        if self.travel is None:
            return self.camera
        times, *ways = self.travel.T
        return self.camera.moved(np.array([np.interp(time, times, way) for way in ways]))

    def _people(self, poses: Poses, time: float) -> RoundCones:
        camera = self.camera_at(time)
        away = np.linalg.norm(poses.positions[:, 0] - camera.eye, axis=1)
        tall = 2.0 * math.tan(0.5 * camera.field_of_view) * away if camera.height is None else camera.height
        near = self.size[1] * HAND_M > MIN_HAND_PIXELS * np.broadcast_to(tall, away.shape)
        return people(self.take, poses, time, about=self.about, without=self.without, near=near)

    def at(self, time: float) -> Image:
        """Draw the take at a time in seconds: uint8 [H, W, 3]."""
        take = self.take
        poses = take.pose(time)
        capsules, boxes = [self._people(poses, time)], [self.boxes]
        if take.stage.moving:
            boxes.append(moving_boxes(take.stage, time, cut=self.cut))
        if self.backs is not None:
            boxes.append(tip_up_boxes(take.stage, self.backs, poses.positions[poses.present, 0]))
        triangles = None
        if take.props:
            places, turns, there = prop_poses(take, [time])
            shown = np.where(there[0][:, None], places[0], np.nan)
            solids, balls, triangles = prop_solids(take.props, shown, turns[0])
            boxes.append(solids)
            capsules.append(balls)
        return render_capsules(
            RoundCones.joined(capsules),
            self.camera_at(time),
            size=self.size,
            boxes=Boxes.joined(boxes),
            triangles=triangles,
            paint=self.paint,
            level=take.stage.floor.level or 0.0,
            ground=self.ground,
            look=self.look,
        )


def shoot(
    take: Take,
    *,
    start: float | None = None,
    stop: float | None = None,
    view: str | Camera = "three_quarter",
    follow: str | int | None = None,
    size: tuple[int, int] = (1280, 720),
    about: ArrayLike | None = None,
    without: ArrayLike | None = None,
    paint: FloorPaint | None = None,
    look: Look | None = None,
) -> Shot:
    """Put a take before a camera that frames all who are there from `start` to `stop` (seconds), or follows one.

    `view` is one of `VIEWS`, or a camera of your own; `about` are rows of the characters that matter,
    `without` of those to leave out, and `paint` is more of it on the floor.
    """
    first, last = _span(take, start, stop)
    aspect, travel = size[0] / size[1], None
    if isinstance(view, Camera):
        camera = view
    elif follow is None:
        camera = standing_camera(take, first, last, view=view, aspect=aspect)
    else:
        camera, travel = following_camera(take, take.character(follow), (first, last), view=view, aspect=aspect)
    towards_eye = level_direction(camera)
    # What a travelling camera must see through is all that stands before its way, wherever that comes nearest to it.
    middle = camera.target[:2] if travel is None else travel[(travel[:, 1:3] @ towards_eye).argmin(), 1:3]
    backs, look = seat_backs(take.stage), look or Look()
    moments = np.unique(np.linspace(first, last, MAX_MOMENTS))
    return Shot(
        take=take,
        camera=camera,
        travel=travel,
        size=size,
        boxes=stage_boxes(take.stage, middle=middle, towards_eye=towards_eye),
        cut=np.array([comes_before(one, moments, middle=middle, towards_eye=towards_eye) for one in take.stage.moving]),
        paint=stage_paint(take.stage) + mark_paint(take) + (paint or FloorPaint()),
        look=look,
        ground=_ground(take, camera, travel, look),
        about=None if about is None else np.asarray(about, dtype=np.int64),
        without=None if without is None else np.asarray(without, dtype=np.int64),
        backs=backs if np.isfinite(backs).any() else None,
    )


def _ground(take: Take, camera: Camera, travel: Array | None, look: Look) -> Triangles:
    """Return the triangles of a floor that is not level, as far as the camera sees it from anywhere on its way."""
    floor = take.stage.floor
    if floor.level is not None:
        return Triangles()
    if travel is None:
        return floor_triangles(floor, camera, look)
    low, high = travel[:, 1:].min(axis=0), travel[:, 1:].max(axis=0)
    far = float(np.linalg.norm(high - low)) / 2.0
    return floor_triangles(floor, camera.moved((low + high) / 2.0), look, farther=far)


def draw_take(
    take: Take,
    time: float,
    *,
    view: str | Camera = "three_quarter",
    follow: str | int | None = None,
    size: tuple[int, int] = (1280, 720),
    paint: FloorPaint | None = None,
    look: Look | None = None,
) -> Image:
    """Draw a take at a time (seconds), framing all who are there then, or one of them; see `shoot`."""
    when = _moment(take, time, "at")
    return shoot(take, start=when, stop=when, view=view, follow=follow, size=size, paint=paint, look=look).at(when)


def take_sheet(
    take: Take,
    *,
    times: ArrayLike | None = None,
    count: int = 9,
    start: float | None = None,
    stop: float | None = None,
    columns: int | None = None,
    view: str | Camera = "three_quarter",
    follow: str | int | None = None,
    size_per_cell: tuple[int, int] = (480, 300),
    labels: bool = True,
    look: Look | None = None,
    progress: Callable[[float], None] | None = None,
) -> Image:
    """Draw a take at `times` (seconds; or `count` from `start` to `stop`), a cell each, all seen by one camera.

    Without `columns` the grid is about as wide as high; `progress(share)` is called with 0 to 1 after each cell.
    """
    if times is None:
        if count < 1:
            raise InvalidValue(f"count must be at least 1, got {count}")
        first, last = _span(take, start, stop)
        # In the middle of equal parts: at the very start and end people enter and leave.
        times = first + (last - first) * (np.arange(count) + 0.5) / count
    moments = [_moment(take, float(time), "times") for time in np.atleast_1d(np.asarray(times, dtype=np.float64))]
    if not moments:
        raise InvalidValue("a sheet needs at least one time, got none")
    shot = shoot(take, start=min(moments), stop=max(moments), view=view, follow=follow, size=size_per_cell, look=look)
    cells = []
    for time in moments:
        cells.append(shot.at(time))
        if progress:
            progress(len(cells) / len(moments))
    notes = [f"{time:.2f} s" for time in moments] if labels else None
    wide = math.ceil(math.sqrt(len(cells))) if columns is None else columns
    return sheet_of(cells, columns=wide, notes=notes)


def take_frames(
    take: Take,
    *,
    fps: float = 30.0,
    start: float | None = None,
    stop: float | None = None,
    view: str | Camera = "three_quarter",
    follow: str | int | None = None,
    size: tuple[int, int] = (1280, 720),
    look: Look | None = None,
) -> Iterator[Image]:
    """Draw a take frame by frame, `fps` of them a second, from `start` up to `stop`; see `frame_times`."""
    times = frame_times(take, fps=fps, start=start, stop=stop)
    shot = shoot(take, start=times[0], stop=times[-1], view=view, follow=follow, size=size, look=look)
    return (shot.at(float(time)) for time in times)


def frame_times(take: Take, *, fps: float, start: float | None = None, stop: float | None = None) -> Array:
    """Return the times [T] in seconds of a video's frames: each shows the moment at its beginning."""
    if not (np.isfinite(fps) and 0.0 < fps <= 1000.0):
        raise InvalidValue(f"a video has over 0 and up to 1000 frames per second, got {fps}")
    first, last = _span(take, start, stop)
    count = max(int(np.ceil((last - first) * fps - 1e-6)), 1)
    if count > MAX_VIDEO_FRAMES:
        raise InvalidValue(
            f"{count} frames are more than the {MAX_VIDEO_FRAMES} of one video; give start and stop, or fewer frames "
            "per second"
        )
    return first + np.arange(count) / fps


def people(
    take: Take,
    poses: Poses,
    time: float,
    *,
    about: IntArray | None = None,
    without: IntArray | None = None,
    near: BoolArray | None = None,
) -> RoundCones:
    """Return the capsules of all who are there in `poses` [N] of the whole take at a time, but for those left out.

    Only who is `near` [N] has fingers; None: everybody.
    """
    wanted = np.ones(len(take), bool)
    if without is not None:
        wanted[without] = False
    matters = np.ones(len(take), bool) if about is None else np.isin(np.arange(len(take)), about)
    pale = np.where(find_walkers(take, poses), WALKER_PALE_SHARE, 0.0)
    tint, posed = np.where(matters, pale, PALE_SHARE), with_walking_poses(take, poses, time)
    fine = np.ones(len(take), bool) if near is None else near
    parts = [
        crowd_figures(take, posed, shown=poses.present & wanted & (fine == fingers), tint=tint, fingers=fingers)
        for fingers in (True, False)
        if (fine == fingers).any()
    ]
    return RoundCones.joined(parts)


def _span(take: Take, start: float | None, stop: float | None) -> tuple[float, float]:
    first = take.start if start is None else _moment(take, start, "start")
    last = take.stop if stop is None else _moment(take, stop, "stop")
    if last < first:
        raise InvalidValue(f"stop must not be before start, got {first:g} to {last:g} s")
    return first, last


def _moment(take: Take, time: float, name: str) -> float:
    """Check that a time is one of the take's."""
    if not (np.isfinite(time) and take.start - 1e-9 <= time <= take.stop + 1e-9):
        raise InvalidValue(
            f"{name} must be a time of the take, which runs from {take.start:g} to {take.stop:g} s; got {time:g} s"
        )
    return float(min(max(time, take.start), take.stop))
