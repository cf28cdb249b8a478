"""`walkon export`: a take as a picture, a video, a page, or a file for other programs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from walkon._base.errors import InvalidValue
from walkon.cli.reading import bar, check_place, fit_character, open_take, parse_seconds, parse_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from walkon.drawing.picture import Image
    from walkon.take.take import Take

__all__ = ["export"]

PICTURES = {".png": "a picture, or with --sheet a grid of moments", ".mp4": "a video"}
"""What is drawn, by the end of the file's name."""


def export(
    file: Annotated[Path, typer.Argument(metavar="TAKE", help="A take file.")],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", help="NAME.png, .mp4, .html, .glb, .usdc, .csv, .parquet, .sqlite, .txt; a folder."
        ),
    ],
    kind: Annotated[
        str | None, typer.Option("--format", help="bvh for a folder of BVH files; else the file's name decides.")
    ] = None,
    fps: Annotated[
        float | None, typer.Option(help="Frames per second; else the take's own, and 30 for a video.")
    ] = None,
    start: Annotated[str | None, typer.Option(metavar="TIME", help="From when, as 3s.")] = None,
    stop: Annotated[str | None, typer.Option(metavar="TIME", help="Up to when.")] = None,
    who: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this character; may be repeated.")] = None,
    at: Annotated[str | None, typer.Option(metavar="TIME", help="Picture: when, as 3s; else the middle.")] = None,
    sheet: Annotated[bool, typer.Option("--sheet", help="Picture: a grid of moments instead of one.")] = False,
    count: Annotated[int, typer.Option(min=1, max=400, help="Sheet: how many moments.")] = 9,
    size: Annotated[
        str | None, typer.Option(metavar="WxH", help="Pixels; else 1280x720, of a sheet's cells 480x300.")
    ] = None,
    follow: Annotated[
        str | None, typer.Option(metavar="NAME", help="Pictures and videos: travel with this character.")
    ] = None,
    view: Annotated[str, typer.Option(help="Pictures: three_quarter, top, side or front.")] = "three_quarter",
    audit: Annotated[bool, typer.Option("--audit", help="Page: measure the take, and list its worst cases.")] = False,
    character: Annotated[
        Path | None, typer.Option(metavar="RIG.glb", help="Page, glTF, BVH: people are this rigged character.")
    ] = None,
    rotations: Annotated[str | None, typer.Option(help="glTF: float32, or int16 for half the size.")] = None,
    per_character: Annotated[
        bool, typer.Option("--per-character", help="USD: a file for each character beside the main one.")
    ] = False,
    version: Annotated[int | None, typer.Option(help="JuPedSim: version of the schema, 2 or 3.")] = None,
    geometry: Annotated[
        str | None, typer.Option(metavar="WKT", help="Trajectories: the walkable area, instead of the stage's.")
    ] = None,
) -> None:
    """Hand a take to others: a picture, a video, a page that plays it, or a file for Blender, Unreal, Houdini and more.

    A page is one file that opens by double-click, with no network. Files for other programs hold everyone, or those
    named with --who, at --fps frames per second.
    """
    from walkon.export.export import export as hand_over
    from walkon.export.export import format_of

    drawn = kind is None and output.suffix.lower() in PICTURES
    chosen = None if drawn else format_of(output, kind, others=PICTURES)
    if output.suffix:
        check_place(output, option="-o")
    given = {
        "audit": audit or None,
        "character": character,
        "rotations": rotations,
        "per_character": per_character or None,
        "version": version,
        "geometry": geometry,
    }
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    moving, spanned = output.suffix.lower() == ".mp4", start is not None or stop is not None
    wrong = next(iter([*options, "who"] if who else options), "").replace("_", "-")
    rules = {
        f"--{wrong} is not for pictures and videos; leave it out": wrong,
        "--at and --sheet are for pictures; a video takes --start and --stop": moving and (at is not None or sheet),
        "--start and --stop are for videos and sheets; a picture takes --at": not moving and not sheet and spanned,
        "a sheet shows many moments: leave out --at, or give --start and --stop": sheet and at is not None,
    }
    if not drawn:
        drawing = (at, size, follow, sheet) != (None, None, None, False)
        rules = {"--at, --sheet, --size and --follow are for pictures and videos; leave them out": drawing}
    for rule, broken in rules.items():
        if broken:
            raise InvalidValue(rule)
    take = open_take(file)
    if not len(take):
        raise InvalidValue(f"{file} has no characters; there is nothing to hand over")
    span: dict[str, Any] = {"start": parse_seconds(start, "--start"), "stop": parse_seconds(stop, "--stop")}
    if chosen is None:
        pixels = parse_size(size or ("480x300" if sheet else "1280x720"), "--size")
        _draw(
            take,
            output,
            when=parse_seconds(at, "--at"),
            fps=fps,
            moments=count if sheet else 0,
            size=pixels,
            span=span,
            view=view,
            follow=follow,
        )
    else:
        if "character" in options and "character" in chosen.options:
            options["character"] = fit_character(options["character"], take)
        with bar(f"writing {output.name}") as show:
            hand_over(
                take, output, format=chosen.name, fps=fps, characters=who or None, progress=show, **span, **options
            )
    typer.echo(f"wrote {output}")


def _draw(
    take: "Take",
    output: Path,
    *,
    when: float | None,
    fps: float | None,
    moments: int,
    size: tuple[int, int],
    span: dict[str, Any],
    **camera: Any,
) -> None:
    """Draw a video, a sheet of so many moments, or one moment; `camera` is the view and whom it follows."""
    from walkon.drawing import draw_take, save_png, save_video, take_frames, take_sheet
    from walkon.drawing.take_picture import frame_times

    if output.suffix.lower() != ".mp4" and not moments:
        time = 0.5 * (take.start + take.stop) if when is None else when
        save_png(draw_take(take, time, size=size, **camera), output)
        return
    with bar("drawing") as show:
        if moments:
            save_png(take_sheet(take, count=moments, size_per_cell=size, progress=show, **span, **camera), output)
            return
        rate = 30.0 if fps is None else fps
        total = len(frame_times(take, fps=rate, **span))

        def watch() -> "Iterator[Image]":
            for done, image in enumerate(take_frames(take, fps=rate, size=size, **span, **camera), start=1):
                yield image
                show(done / total)

        save_video(output, watch(), fps=rate)
