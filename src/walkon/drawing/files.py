"""Pictures to files: single PNGs, numbered sequences, and animations (GIF, WebP, APNG). Written whole or not at all."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from PIL import Image as PillowImage

from walkon._base.errors import CannotWrite, InvalidShape, InvalidValue
from walkon._base.files import write_atomically
from walkon.drawing.picture import Image

__all__ = ["save_animation", "save_frames", "save_png"]

ANIMATIONS = {".gif": "GIF", ".webp": "WEBP", ".apng": "PNG", ".png": "PNG"}


def save_png(image: Image, path: str | Path) -> Path:
    """Write a picture, uint8 [H, W, 3], as PNG; returns the path."""
    if Path(path).suffix.lower() != ".png":
        raise InvalidValue(f"a PNG picture must be called NAME.png, got {str(path)!r}")
    picture = _pillow(image)
    return write_atomically(path, lambda file: picture.save(file, format="PNG"))


def save_frames(folder: str | Path, images: Iterable[Image], *, stem: str = "frame") -> list[Path]:
    """Write pictures as folder/stem_00000.png and so on, as they come; returns the paths. The folder is made."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"cannot make this folder ({error.strerror}); choose another place", path=folder) from error
    return [save_png(image, folder / f"{stem}_{i:05d}.png") for i, image in enumerate(images)]


def save_animation(path: str | Path, images: Iterable[Image], *, fps: float, loop: bool = True) -> Path:
    """Write pictures of one size as .gif, .webp or .apng, each shown for 1 / fps seconds.

    Files count whole milliseconds (GIF: hundredths of a second), so the times of single frames are rounded such that
    the sum stays true. GIF has 256 colours per picture; WebP and APNG keep them all.
    """
    path = Path(path)
    kind = ANIMATIONS.get(path.suffix.lower())
    if kind is None:
        known = ", ".join(ANIMATIONS)
        raise InvalidValue(f"an animation ends in one of {known}, got {path.name!r}")
    if not (np.isfinite(fps) and fps > 0):
        raise InvalidValue(f"fps must be positive, got {fps}")
    frames = [_pillow(image) for image in images]
    if not frames:
        raise InvalidValue("an animation needs at least one picture, got none")
    for frame in frames:
        if frame.size != frames[0].size:
            raise InvalidShape(f"pictures of an animation have one size, got {frames[0].size} and {frame.size}")
    tick = 10 if kind == "GIF" else 1
    edges = [round(1000.0 / tick * i / fps) * tick for i in range(len(frames) + 1)]
    if kind == "GIF":
        frames = list(_with_palettes(frames))
    options: dict[str, Any] = {
        "format": kind,
        "save_all": True,
        "append_images": frames[1:],
        "duration": [max(b - a, tick) for a, b in pairwise(edges)],
        "loop": 0 if loop else 1,
    }
    options |= {"WEBP": {"quality": 88, "method": 4}, "GIF": {"disposal": 1, "optimize": False}}.get(kind, {})
    buffer = BytesIO()  # Pillow seeks while it writes; the file itself gets the bytes in one go
    frames[0].save(buffer, **options)

    def write(file: BinaryIO) -> None:
        file.write(buffer.getbuffer())

    return write_atomically(path, write)


def _with_palettes(frames: list[PillowImage.Image]) -> Iterator[PillowImage.Image]:
    """Give all frames the palette of a mixture of them, so that still parts do not flicker."""
    chosen = frames[:: max(len(frames) // 8, 1)]
    together = PillowImage.fromarray(np.concatenate([np.asarray(frame) for frame in chosen]))
    palette = together.quantize(256, method=PillowImage.Quantize.MEDIANCUT)
    for frame in frames:
        yield frame.quantize(palette=palette, dither=PillowImage.Dither.NONE)


def _pillow(image: Image) -> PillowImage.Image:
    image = np.asarray(image)
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or 0 in image.shape:
        raise InvalidShape(f"a picture is uint8 [H, W, 3], got {image.dtype} {list(image.shape)}")
    return PillowImage.fromarray(np.ascontiguousarray(image))
