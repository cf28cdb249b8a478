"""`walkon export`: pictures, contact sheets, videos and pages of a take."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from walkon.drawing.picture import Image
    from walkon.take.take import Take

__all__ = ["export"]

KINDS = {".png": "a picture, or with --sheet a grid of moments", ".mp4": "a video", ".html": "a page that plays it"}
"""What can be written, by the end of the file's name."""


def export(
    file: Annotated[Path, typer.Argument(metavar="TAKE", help="A take file.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="File to write: NAME.png, NAME.mp4 or NAME.html.")],
    at: Annotated[str | None, typer.Option(metavar="TIME", help="Picture: when, as 3s; else the middle.")] = None,
    sheet: Annotated[bool, typer.Option("--sheet", help="Picture: a grid of moments instead of one.")] = False,
    count: Annotated[int, typer.Option(min=1, max=400, help="Sheet: how many moments.")] = 9,
    fps: Annotated[float, typer.Option(help="Video: frames per second.")] = 30.0,
    start: Annotated[str | None, typer.Option(metavar="TIME", help="Video and sheet: from when, as 3s.")] = None,
    stop: Annotated[str | None, typer.Option(metavar="TIME", help="Video and sheet: up to when.")] = None,
    size: Annotated[
        str | None, typer.Option(metavar="WxH", help="Pixels; else 1280x720, of a sheet's cells 480x300.")
    ] = None,
    follow: Annotated[str | None, typer.Option(metavar="NAME", help="Travel with this character.")] = None,
    view: Annotated[str, typer.Option(help="three_quarter, top, side or front.")] = "three_quarter",
    audit: Annotated[bool, typer.Option("--audit", help="Page: measure the take, and list its worst cases.")] = False,
    character: Annotated[
        Path | None, typer.Option(metavar="RIG.glb", help="Page: show people as this rigged character.")
    ] = None,
) -> None:
    """Hand a take to others: draw it at a time, as a grid of moments, as a video, or write a page that plays it.

    Everyone who is there is in the picture, unless --follow names one to travel with. A page is one file that opens by
    double-click, with no network.
    """
    from walkon._base.errors import CannotWrite, InvalidValue
    from walkon.cli.reading import bar, open_take, parse_seconds, parse_size
    from walkon.drawing import draw_take, save_png, take_sheet

    kind = output.suffix.lower()
    if kind not in KINDS:
        known = "; ".join(f"{end}: {words}" for end, words in KINDS.items())
        raise InvalidValue(f"cannot write {output.name!r}: the end of its name must be one of {known}")
    if not output.absolute().parent.is_dir():
        raise CannotWrite("the folder does not exist; make it, or choose another place with -o", path=output)
    if kind == ".mp4" and (at is not None or sheet):
        raise InvalidValue("--at and --sheet are for pictures; a video takes --start and --stop")
    if kind == ".png" and not sheet and (start is not None or stop is not None):
        raise InvalidValue("--start and --stop are for videos and sheets; a picture takes --at")
    if kind == ".html" and (at, start, stop, size, follow, sheet) != (None, None, None, None, None, False):
        raise InvalidValue("a page holds the whole take: leave out --at, --sheet, --start, --stop, --size and --follow")
    if kind != ".html" and audit:
        raise InvalidValue("--audit is for pages; for figures use `walkon check`")
    if kind != ".html" and character is not None:
        raise InvalidValue("--character is for pages; write NAME.html, or leave it out")
    if sheet and at is not None:
        raise InvalidValue("a sheet shows many moments: leave out --at, or give --start and --stop")
    first, last = parse_seconds(start, "--start"), parse_seconds(stop, "--stop")
    when = parse_seconds(at, "--at")
    pixels = parse_size(size or ("480x300" if sheet else "1280x720"), "--size")
    take = open_take(file)
    if not len(take):
        raise InvalidValue(f"{file} has no characters; there is nothing to draw")
    if kind == ".html":
        _page(take, output, audit=audit, character=character)
    elif kind == ".mp4":
        _video(take, output, fps=fps, span=(first, last), size=pixels, follow=follow, view=view)
    elif sheet:
        with bar("drawing") as show:
            image = take_sheet(
                take,
                count=count,
                start=first,
                stop=last,
                view=view,
                follow=follow,
                size_per_cell=pixels,
                progress=show,
            )
        save_png(image, output)
    else:
        middle = 0.5 * (take.start + take.stop)
        save_png(draw_take(take, middle if when is None else when, view=view, follow=follow, size=pixels), output)
    typer.echo(f"wrote {output}")


def _page(take: "Take", output: Path, *, audit: bool, character: Path | None) -> None:
    from walkon.cli.character import fitted
    from walkon.cli.reading import bar
    from walkon.viewer.page_file import write_page

    worn = None if character is None else fitted(character, take)
    measured = None
    if audit:
        with bar("measuring") as show:
            measured = take.audit(progress=show)
    write_page(take, output, audit=measured, character=worn)


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
    from walkon.cli.reading import bar
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
