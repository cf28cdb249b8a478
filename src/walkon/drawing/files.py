"""Pictures to files: PNGs, numbered sequences, animations (GIF, WebP, APNG), videos. Written whole or not at all.

A video is .mp4 (H.264), streamed: each picture goes through a pipe to the encoder and is forgotten. The encoder is the
ffmpeg that comes with the extra `video`. It writes into a temporary folder; the finished file is then put in place in
one step, so that a reader never sees half of a video and a failure leaves the old one.
"""

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from PIL import Image as PillowImage

from walkon._base.errors import CannotWrite, InvalidShape, InvalidValue, MissingExtra
from walkon._base.files import write_atomically
from walkon.drawing.picture import Image

__all__ = ["save_animation", "save_frames", "save_png", "save_video"]

VIDEO_QUALITY = 18
"""Constant rate factor of x264: 0 lossless to 51; 18 is hard to tell from the original."""
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
        raise InvalidValue(f"an animation ends in one of {', '.join(ANIMATIONS)}, got {path.name!r}")
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
        **{"WEBP": {"quality": 88, "method": 4}, "GIF": {"disposal": 1, "optimize": False}}.get(kind, {}),
    }
    buffer = BytesIO()  # Pillow seeks while it writes; the file itself gets the bytes in one go
    frames[0].save(buffer, **options)
    return write_atomically(path, lambda file: file.write(buffer.getbuffer()))


def _with_palettes(frames: list[PillowImage.Image]) -> Iterator[PillowImage.Image]:
    """Give all frames the palette of a mixture of them, so that still parts do not flicker."""
    chosen = frames[:: max(len(frames) // 8, 1)]
    together = PillowImage.fromarray(np.concatenate([np.asarray(frame) for frame in chosen]))
    palette = together.quantize(256, method=PillowImage.Quantize.MEDIANCUT)
    for frame in frames:
        yield frame.quantize(palette=palette, dither=PillowImage.Dither.NONE)


def save_video(path: str | Path, images: Iterable[Image], *, fps: float = 30.0) -> Path:
    """Write pictures, uint8 [H, W, 3] of one even size, as .mp4, `fps` a second; they may come from a generator."""
    path = Path(path)
    if path.suffix.lower() != ".mp4":
        raise InvalidValue(f"a video must be called NAME.mp4, got {path.name!r}")
    if not (np.isfinite(fps) and 0.0 < fps <= 1000.0):
        raise InvalidValue(f"a video has over 0 and up to 1000 frames per second, got {fps}")
    if not path.absolute().parent.is_dir():  # said now, not after minutes of drawing
        raise CannotWrite("the folder does not exist; make it, or choose another place", path=path)
    program = encoder()
    stream = iter(images)
    first = next(stream, None)
    if first is None:
        raise InvalidValue("a video needs at least one picture, got none")
    H, W = _check_image(first).shape[:2]
    if W % 2 or H % 2:
        raise InvalidShape(f"a video is an even number of pixels wide and high, got {W} x {H}")

    def write(file: BinaryIO) -> None:
        with tempfile.TemporaryDirectory(prefix="walkon-") as folder:
            made = Path(folder) / "video.mp4"
            _encode(program, made, chain([first], stream), (W, H), fps)
            with made.open("rb") as encoded:
                shutil.copyfileobj(encoded, file, 1 << 20)

    return write_atomically(path, write)


def encoder() -> str:
    """Return the path of the encoder, or say which extra is missing."""
    try:
        import imageio_ffmpeg
    except ImportError:
        raise MissingExtra.named("video", "writing .mp4") from None
    try:
        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except RuntimeError:
        raise MissingExtra(
            "writing .mp4 needs ffmpeg, and imageio-ffmpeg came without one for this machine; "
            "install ffmpeg, or set IMAGEIO_FFMPEG_EXE to its path"
        ) from None


def _encode(program: str, target: Path, images: Iterator[Image], size: tuple[int, int], fps: float) -> None:
    W, H = size
    command = [
        *(program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"),
        *("-s", f"{W}x{H}", "-r", f"{fps:.6f}", "-i", "-"),
        # yuv420p and the index at the front are what browsers and presentations play.
        *("-an", "-c:v", "libx264", "-crf", str(VIDEO_QUALITY), "-preset", "medium", "-pix_fmt", "yuv420p"),
        *("-movflags", "+faststart", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1"),
        *("-f", "mp4", str(target)),
    ]
    with tempfile.TemporaryFile() as words:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=words)
        assert process.stdin is not None  # it was asked for
        broken = False
        try:
            for image in images:
                if _check_image(image).shape != (H, W, 3):
                    raise InvalidShape(f"pictures of a video have one size, got {size} and {image.shape[1::-1]}")
                try:
                    process.stdin.write(np.ascontiguousarray(image).data)
                except BrokenPipeError:
                    broken = True
                    break
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
            code = process.wait()
        except BaseException:
            process.kill()
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
            process.wait()
            raise
        if code != 0 or broken:
            words.seek(0)
            lines = words.read().decode(errors="replace").strip().splitlines()
            raise CannotWrite(
                f"the encoder stopped ({lines[-1] if lines else f'exit code {code}'}); nothing was written"
            )


def _check_image(image: Image) -> Image:
    """Return what is a picture, uint8 [H, W, 3]."""
    image = np.asarray(image)
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or 0 in image.shape:
        raise InvalidShape(f"a picture is uint8 [H, W, 3], got {image.dtype} {list(image.shape)}")
    return image


def _pillow(image: Image) -> PillowImage.Image:
    return PillowImage.fromarray(np.ascontiguousarray(_check_image(image)))
