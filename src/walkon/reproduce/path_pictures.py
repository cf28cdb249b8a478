"""Pictures of motion along a path: the path on the floor, the way that was walked, and the body along it."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from walkon._base.arrays import Array
from walkon.drawing.camera import Camera
from walkon.drawing.figures import PALETTE, fading_figures
from walkon.drawing.picture import Image, render_capsules
from walkon.drawing.solids import FloorPaint, RoundCones
from walkon.geometry.path import Path
from walkon.take.take import Take

__all__ = ["PART_COLOURS", "draw_along"]

PART_COLOURS = ((0.95, 0.78, 0.25), (0.42, 0.70, 0.55), (0.80, 0.45, 0.42))
"""The parts of a path, in order; the first is the paper's yellow."""
SHIRTS = (PALETTE[3], PALETTE[2], PALETTE[1])
"""What the character wears on each part."""
ELEVATION_RAD = np.radians(55.0)
WALKED_COLOUR = (0.16, 0.18, 0.24)
PALE_SHARE = 0.45
"""How much the first body is washed out; the last is not."""


def draw_along(
    take: Take,
    track: Array,
    *,
    path: Path | None = None,
    borders: Sequence[float] = (),
    changes: Sequence[float] = (),
    every: float = 1.5,
    width: int = 1280,
) -> Image:
    """Draw the take's one character `every` so many seconds along its track [T, 2], over the path it follows.

    The path's parts end at `borders` (m along it), and the motion changes at `changes` (s): each part has its colour.
    The picture is as high as it needs to be.
    """
    times = np.arange(take.start, take.stop, every)
    poses = take.sample(times)
    part = np.searchsorted(np.nan_to_num(np.asarray(changes, dtype=np.float64), nan=np.inf), times, side="right")
    plain = take.body(0)
    shirts = [replace(plain, colour=colour) for colour in SHIRTS] if len(changes) else [plain]
    people = []
    for number, body in enumerate(shirts):
        mine = np.flatnonzero(part % len(shirts) == number)
        if len(mine):
            pale = PALE_SHARE * (1.0 - mine / max(len(times) - 1, 1))
            people.append(fading_figures(body, poses.positions[mine, 0], poses.rotations[mine, 0], pale))
    everyone = RoundCones.joined(people)
    paint = FloorPaint()
    if path is not None:
        for number, (a, b) in enumerate(pairwise([0.0, *borders, path.length])):
            line = path.at(np.linspace(a, b, max(int((b - a) / 0.05), 2)))
            paint = paint + FloorPaint.path(line, colour=PART_COLOURS[number % 3], width=0.16, opacity=0.85)
    paint = paint + FloorPaint.path(track[::4], colour=WALKED_COLOUR, width=0.035, opacity=0.9)
    points = everyone.points()
    across, deep = np.ptp(points[:, 0]), np.ptp(points[:, 1]) * np.sin(ELEVATION_RAD) + 1.7 * np.cos(ELEVATION_RAD)
    aspect = float(np.clip(across / deep, 1.0, 2.6))
    camera = Camera.framing(points, azimuth=-0.5 * np.pi, elevation=ELEVATION_RAD, aspect=aspect, margin=0.04)
    return render_capsules(everyone, camera, size=(width, round(width / aspect)), paint=paint)
