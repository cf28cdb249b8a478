"""`walkon export`: a take as a picture, a video, a page, or a file for other programs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from walkon._base.errors import InvalidValue
from walkon.cli.errors import check_place
from walkon.cli.export_pictures import PICTURES, Wish, draw
from walkon.cli.reading import bar, fit_character, open_take, parse_seconds

if TYPE_CHECKING:
    from walkon.export.export import Format
    from walkon.take.take import Take

__all__ = ["export"]


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
    options = {name: value for name, value in given.items() if value is not None}
    wish = Wish(at, sheet, count, fps, start, stop, size, follow, view)
    if chosen is None:
        if options or who:
            wrong = next(iter(options), "who").replace("_", "-")
            raise InvalidValue(f"--{wrong} is not for pictures and videos; leave it out")
    elif (at, size, follow, sheet) != (None, None, None, False):
        raise InvalidValue("--at, --sheet, --size and --follow are for pictures and videos; leave them out")
    take = open_take(file)
    if not len(take):
        raise InvalidValue(f"{file} has no characters; there is nothing to hand over")
    if chosen is None:
        draw(take, output, wish)
    else:
        _hand_over(take, output, chosen, wish, who, options)
    typer.echo(f"wrote {output}")


def _hand_over(
    take: "Take", output: Path, chosen: "Format", wish: Any, who: list[str] | None, options: dict[str, Any]
) -> None:
    from walkon.export.export import export as hand_over

    if "character" in options and "character" in chosen.options:
        options["character"] = fit_character(options["character"], take)
    with bar(f"writing {output.name}") as show:
        hand_over(
            take,
            output,
            format=chosen.name,
            fps=wish.fps,
            start=parse_seconds(wish.start, "--start"),
            stop=parse_seconds(wish.stop, "--stop"),
            characters=who or None,
            progress=show,
            **options,
        )
