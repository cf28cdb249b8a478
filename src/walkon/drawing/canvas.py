"""Flat drawing, for charts and for sheets of pictures: a canvas, words, discs, plans from above, cells side by side.

Pixels; x to the right and y down, but for plans, which have y up. Pictures are uint8 [H, W, 3].
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image as PillowImage
from PIL import ImageDraw, ImageFont

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.drawing.picture import Image

__all__ = [
    "FAINT",
    "GAP_PIXELS",
    "INK",
    "PAPER",
    "arc",
    "disc",
    "new_canvas",
    "plan",
    "reduce_canvas",
    "sheet_of",
    "write",
]

INK, FAINT, PAPER = (70, 76, 88), (140, 146, 158), (255, 255, 255)
GAP_PIXELS = 3
"""Pixels between cells."""


def new_canvas(width: int, height: int) -> tuple[PillowImage.Image, ImageDraw.ImageDraw]:
    """Return an empty canvas and what draws on it."""
    canvas = PillowImage.new("RGB", (width, height), PAPER)
    return canvas, ImageDraw.Draw(canvas)


def reduce_canvas(canvas: PillowImage.Image, times: int) -> Image:
    """Return what was drawn so many times larger, so that it is smooth."""
    size = (canvas.size[0] // times, canvas.size[1] // times)
    return np.array(canvas.resize(size, PillowImage.Resampling.LANCZOS))


def write(
    draw: ImageDraw.ImageDraw,
    at: tuple[float, float],
    words: str,
    *,
    size: float,
    colour: tuple[int, ...] = INK,
    anchor: str = "la",
) -> None:
    """Write words in letters of this size, beginning at a place unless the anchor says otherwise."""
    draw.text(at, words, fill=colour, font=ImageFont.load_default(size=size), anchor=anchor)


def disc(draw: ImageDraw.ImageDraw, at: ArrayLike, radius: float, **style: Any) -> None:
    """Draw a disc or, with an `outline`, a ring."""
    x, y = np.asarray(at)
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), **style)


def arc(start: Array, bend: Array, stop: Array, count: int) -> Array:
    """Return so many points [..., count, 2] of the curve from a place [..., 2] to another that a third bends to itself
    (a Bézier curve of second order).
    """
    u = np.linspace(0.0, 1.0, count)[:, None]
    return np.asarray((1 - u) ** 2 * start + 2 * u * (1 - u) * bend + u**2 * stop)


def plan(middle: Array, half: float, size: float) -> Callable[[ArrayLike], Array]:
    """Return what puts points [..., 2] (metres) on a square of this size that shows `half` metres around a middle."""
    scale = 0.5 * size / half

    def place(points: ArrayLike) -> Array:
        x, y = np.moveaxis(np.asarray(points) - middle, -1, 0)
        return np.stack([scale * (half + x), scale * (half - y)], axis=-1)

    return place


def sheet_of(
    cells: Sequence[Image],
    *,
    columns: int,
    notes: Sequence[str] | None = None,
    gap: tuple[int, int] = (GAP_PIXELS, GAP_PIXELS),
) -> Image:
    """Set pictures of one size side by side, row by row, so far apart, with a note in the corner of each."""
    if columns < 1:
        raise InvalidValue(f"columns must be at least 1, got {columns}")
    columns = min(columns, len(cells))
    H, W = cells[0].shape[:2]
    wide, high, rows = W + gap[0], H + gap[1], -(-len(cells) // columns)
    corners = [(k % columns * wide, k // columns * high) for k in range(len(cells))]
    sheet = np.full((rows * high - gap[1], columns * wide - gap[0], 3), 255, np.uint8)
    for (x, y), cell in zip(corners, cells, strict=True):
        sheet[y : y + H, x : x + W] = cell
    if notes is None:
        return sheet
    picture = PillowImage.fromarray(sheet)
    letters = max(H // 18, 10)
    for (x, y), note in zip(corners, notes, strict=True):
        write(ImageDraw.Draw(picture), (x + letters // 2, y + letters // 3), note, size=letters)
    return np.array(picture)
