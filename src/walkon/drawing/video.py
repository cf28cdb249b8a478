"""Pictures to an .mp4 (H.264), streamed: each picture goes through a pipe to the encoder and is forgotten.

The encoder is the ffmpeg that comes with the extra `video`. It writes into a temporary folder; the finished file is
then put in place in one step, so that a reader never sees half of a video and a failure leaves the old one.
"""

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np

from walkon._base.errors import CannotWrite, InvalidShape, InvalidValue, MissingExtra
from walkon._base.files import write_atomically
from walkon.drawing.picture import Image

__all__ = ["save_video"]

QUALITY = 18
"""Constant rate factor of x264: 0 lossless to 51; 18 is hard to tell from the original."""


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
    H, W = _checked(first, None).shape[:2]
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
    command = [program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"]
    command += ["-s", f"{W}x{H}", "-r", f"{fps:.6f}", "-i", "-"]
    # yuv420p and the index at the front are what browsers and presentations play.
    command += ["-an", "-c:v", "libx264", "-crf", str(QUALITY), "-preset", "medium", "-pix_fmt", "yuv420p"]
    command += ["-movflags", "+faststart", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1"]
    command += ["-f", "mp4", str(target)]
    with tempfile.TemporaryFile() as words:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=words)
        assert process.stdin is not None  # it was asked for
        broken = False
        try:
            for image in images:
                try:
                    process.stdin.write(_checked(image, (H, W, 3)).data)
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
            told = words.read().decode(errors="replace").strip().splitlines()
            raise CannotWrite(f"the encoder stopped ({told[-1] if told else f'exit code {code}'}); nothing was written")


def _checked(image: Image, shape: tuple[int, int, int] | None) -> Image:
    image = np.asarray(image)
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or 0 in image.shape:
        raise InvalidShape(f"a picture is uint8 [H, W, 3], got {image.dtype} {list(image.shape)}")
    if shape is not None and image.shape != shape:
        raise InvalidShape(f"pictures of a video have one size, got {shape[1::-1]} and {image.shape[1::-1]}")
    return np.ascontiguousarray(image)
