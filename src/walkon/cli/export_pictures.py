"""Pictures, contact sheets and videos of a take, as `walkon export` makes them."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from walkon._base.errors import InvalidValue
from walkon.cli.reading import bar, parse_seconds, parse_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from walkon.drawing.picture import Image
    from walkon.take.take import Take

__all__ = ["PICTURES", "Wish", "draw"]

PICTURES = {".png": "a picture, or with --sheet a grid of moments", ".mp4": "a video"}
"""What is drawn, by the end of the file's name."""


class Wish(NamedTuple):
    """What shall be in the picture; None where nothing was said."""

    at: str | None
    sheet: bool
    moments: int
    fps: float | None
    start: str | None
    stop: str | None
    size: str | None
    follow: str | None
    view: str


def draw(take: "Take", output: Path, wish: Wish) -> None:
    """Draw a take to a file."""
    from walkon.drawing import draw_take, save_png, take_sheet

    video = output.suffix.lower() == ".mp4"
    if video and (wish.at is not None or wish.sheet):
        raise InvalidValue("--at and --sheet are for pictures; a video takes --start and --stop")
    if not video and not wish.sheet and (wish.start is not None or wish.stop is not None):
        raise InvalidValue("--start and --stop are for videos and sheets; a picture takes --at")
    if wish.sheet and wish.at is not None:
        raise InvalidValue("a sheet shows many moments: leave out --at, or give --start and --stop")
    first, last = parse_seconds(wish.start, "--start"), parse_seconds(wish.stop, "--stop")
    when = parse_seconds(wish.at, "--at")
    pixels = parse_size(wish.size or ("480x300" if wish.sheet else "1280x720"), "--size")
    if video:
        fps = 30.0 if wish.fps is None else wish.fps
        _video(take, output, fps=fps, span=(first, last), size=pixels, follow=wish.follow, view=wish.view)
    elif wish.sheet:
        with bar("drawing") as show:
            image = take_sheet(
                take,
                count=wish.moments,
                start=first,
                stop=last,
                view=wish.view,
                follow=wish.follow,
                size_per_cell=pixels,
                progress=show,
            )
        save_png(image, output)
    else:
        time = 0.5 * (take.start + take.stop) if when is None else when
        save_png(draw_take(take, time, view=wish.view, follow=wish.follow, size=pixels), output)


def _video(
    take: "Take",
    output: Path,
    *,
    fps: float,
    span: tuple[float | None, float | None],
    size: tuple[int, int],
    follow: str | None,
    view: str,
) -> None:
    from walkon.drawing import save_video, take_frames
    from walkon.drawing.take_picture import frame_times

    start, stop = span
    total = len(frame_times(take, fps=fps, start=start, stop=stop))
    frames = take_frames(take, fps=fps, start=start, stop=stop, view=view, follow=follow, size=size)
    with bar("drawing") as show:

        def watched() -> "Iterator[Image]":
            for done, image in enumerate(frames, start=1):
                yield image
                show(done / total)

        save_video(output, watched(), fps=fps)
