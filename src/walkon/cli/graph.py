"""`walkon graph`: build a motion graph or a snap-together graph from a library, and look into one."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from walkon.cli.errors import told

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from walkon.graphs.motion_graph import MotionGraph
    from walkon.graphs.snap_together import SnapGraph
    from walkon.motion.library import Library

__all__ = ["app"]

app = typer.Typer(help="Build graphs of motion that can play for ever, and look into them.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]


class Kind(StrEnum):
    """Kinds of graphs."""

    motion = "motion"
    snap = "snap"


@app.command()
@told
def build(
    source: Annotated[Path, typer.Argument(help="A library file, a folder of recordings, or the word builtin.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="File to write, usually NAME.graph.")],
    kind: Annotated[
        Kind, typer.Option(help="motion: transitions anywhere. snap: a few poses where all clips begin and end.")
    ] = Kind.motion,
    threshold_cm: Annotated[
        float | None, typer.Option(help="Largest distance of moments that are alike, in cm; chosen if not given.")
    ] = None,
    percentile: Annotated[
        float | None,
        typer.Option(help="motion: choose the threshold so that this percentage of all minima lies under it."),
    ] = None,
    connect: Annotated[
        float | None,
        typer.Option(help="motion: choose the smallest threshold that connects this share of the motion, 0 to 1."),
    ] = None,
    pair_cm: Annotated[
        list[str] | None,
        typer.Option(help="motion: a threshold for a pair of labels, as walk:sneak=6; may be repeated."),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(help="motion: a label, or several as walk+carry, that must go on for ever; may be repeated."),
    ] = None,
    bands: Annotated[
        int | None, typer.Option(min=1, max=9, help="snap: at most so many speeds of walking (3).")
    ] = None,
    spacing: Annotated[
        float | None, typer.Option(help="snap: least seconds between two match frames of a clip (1/3).")
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(metavar="HUB", help="snap: leave this hub out; may be repeated.")
    ] = None,
    hub_threshold: Annotated[
        list[str] | None,
        typer.Option(metavar="HUB=CM", help="snap: a threshold in cm for one hub, as stand=4; may be repeated."),
    ] = None,
    allow_cut_off: Annotated[
        bool,
        typer.Option("--allow-cut-off", help="snap: keep hubs that are not joined to the rest there and back."),
    ] = False,
    mirror: Annotated[bool, typer.Option("--mirror", help="Add the mirror image of every clip.")] = False,
    window: Annotated[float, typer.Option(help="Seconds that are compared, and about as long as a blend.")] = 1 / 3,
    rate: Annotated[float, typer.Option(help="Frames per second that are compared.")] = 30.0,
    json: Json = False,
) -> None:
    """Turn a library into a graph that never ends: of transitions between all moments that are alike, or of hubs.

    The graph carries its library: one file is all that walking on it needs.
    """
    from walkon._base.errors import CannotWrite
    from walkon.graphs.build import build_graph
    from walkon.graphs.file import save_graph

    given = {"--percentile": percentile, "--connect": connect, "--pair-cm": pair_cm, "--label": label}
    mine = {
        "--bands": bands,
        "--spacing": spacing,
        "--without": without,
        "--hub-threshold": hub_threshold,
        "--allow-cut-off": allow_cut_off or None,
    }
    _refuse(mine if kind is Kind.motion else given, kind)

    if output.suffix.lower() in (".bvh", ".csv", ".library", ".take"):
        raise CannotWrite("a graph would overwrite a recording, a library or a take; call it NAME.graph", path=output)
    if not output.absolute().parent.is_dir():  # said now, not after a minute of work
        raise CannotWrite("the folder does not exist; make it, or choose another place with -o", path=output)
    threshold = None if threshold_cm is None else threshold_cm / 100
    if kind is Kind.snap:
        from walkon.cli.snap_building import build_and_save, hub_thresholds, print_built

        wished = hub_thresholds(hub_threshold or [])
        with _progress() as show:
            made = build_and_save(
                _library(source, mirrored=mirror, show=show),
                output,
                threshold=threshold,
                spacing=1 / 3 if spacing is None else spacing,
                bands=3 if bands is None else bands,
                rate=rate,
                window=window,
                without=without or (),
                thresholds=wished,
                allow_cut_off=allow_cut_off,
                show=show,
            )
        if json:
            from walkon.graphs.snap_together.judging.inspection import inspect_snap_graph

            _print_json({"output": str(output), "graph": inspect_snap_graph(made)})
        else:
            print_built(made, output)
        return
    with _progress() as show:
        graph = build_graph(
            _library(source, mirrored=mirror, show=show),
            rate=rate,
            window=window,
            threshold=threshold,
            percentile=percentile,
            connect=connect,
            label_thresholds=_pairs(pair_cm),
            labels=[tuple(text.split("+")) for text in label or []],
            progress=show,
        )
        show(0, 1, f"writing {output}")
        save_graph(graph, output)
    if json:
        _print_json({"output": str(output), "graph": _report(graph, seams=8)})
        return
    from rich.console import Console

    from walkon.cli.graph_tables import print_summary

    console = Console()
    print_summary(console, graph)
    console.print(f"wrote {output}: {graph!r}", highlight=False, markup=False)
    console.print(f"details: walkon graph inspect {output}", highlight=False, markup=False, style="dim")


@app.command()
@told
def inspect(
    file: Annotated[Path, typer.Argument(help="A graph file.")],
    pictures: Annotated[Path | None, typer.Option("--pictures", help="Folder for pictures of the graph (PNG).")] = None,
    seams: Annotated[int, typer.Option(min=0, max=1000, help="motion: how many of the worst seams to list.")] = 8,
    json: Json = False,
) -> None:
    """Tell what is in a graph: how it hangs together, what it can do, where it is worst, and what is missing."""
    from walkon.graphs.file import load_graph
    from walkon.graphs.motion_graph import MotionGraph

    graph = load_graph(file)
    if not isinstance(graph, MotionGraph):
        _inspect_snap_graph(graph, pictures, json=json)
        return
    told = _report(graph, seams=seams)
    made = [] if pictures is None else _draw(graph, pictures, _motion_pictures())
    if json:
        _print_json(told | {"pictures": [str(path) for path in made]})
        return
    from rich.console import Console

    from walkon.cli.graph_tables import print_coverage, print_seams, print_summary, print_trade_off

    console = Console()
    console.print(repr(graph), highlight=False, markup=False)
    print_summary(console, graph)
    print_coverage(console, told["coverage"])
    print_trade_off(console, told["trade_off"], graph.settings["threshold"])
    print_seams(console, told["worst_seams"])
    for path in made:
        console.print(f"wrote {path}", highlight=False, markup=False)


def _library(source: Path, *, mirrored: bool, show: "Callable[[int, int, str], None]") -> "Library":
    """Load a library, build one from a folder, or take the built-in one; with mirror images if asked for."""
    from walkon.capture import build_library, builtin_library
    from walkon.io import load_library
    from walkon.motion.mirror_images import with_images

    if source.is_dir():
        return build_library(source, mirrored=mirrored, progress=show).library
    if str(source) == "builtin" and not source.exists():
        library = builtin_library(progress=show)
    else:
        library = load_library(source)
    return with_images(library, progress=show) if mirrored else library


def _refuse(given: dict[str, Any], kind: Kind) -> None:
    from walkon._base.errors import InvalidValue

    for name, value in given.items():
        if value is not None:
            other = Kind.snap if kind is Kind.motion else Kind.motion
            raise InvalidValue(f"{name} belongs to --kind {other}, and this is --kind {kind}; leave it out")


def _inspect_snap_graph(graph: "SnapGraph", pictures: Path | None, *, json: bool) -> None:
    from walkon.cli.snap_building import print_inspected, snap_pictures
    from walkon.graphs.snap_together.judging.inspection import inspect_snap_graph

    with _progress() as show:
        show(0, 1, "comparing all joins")
        told = inspect_snap_graph(graph)
    made = [] if pictures is None else _draw(graph, pictures, snap_pictures())
    if json:
        _print_json(told | {"pictures": [str(path) for path in made]})
    else:
        print_inspected(graph, told, made)


def _pairs(given: list[str] | None) -> dict[tuple[str, str], float] | None:
    from walkon._base.errors import InvalidValue

    pairs = {}
    for text in given or []:
        names, equals, value = text.partition("=")
        first, colon, second = names.partition(":")
        try:
            centimetres = float(value)
        except ValueError:
            centimetres = float("nan")
        if not (equals and colon and centimetres > 0):
            raise InvalidValue(f"--pair-cm takes LABEL:LABEL=CENTIMETRES, as walk:sneak=6, got {text!r}")
        pairs[first.strip(), second.strip()] = centimetres / 100
    return pairs or None


def _report(graph: "MotionGraph", *, seams: int) -> dict[str, Any]:
    from dataclasses import asdict

    from walkon.graphs.inspection import graph_trade_off, inspect_graph

    return inspect_graph(graph, seams=seams) | {"trade_off": [asdict(row) for row in graph_trade_off(graph)]}


def _motion_pictures() -> "dict[str, Callable[..., Any]]":
    from walkon.drawing.graph_pictures import distance_picture, graph_picture, reach_picture

    return {"distance": distance_picture, "graph": graph_picture, "reach": reach_picture}


def _draw(graph: "MotionGraph | SnapGraph", folder: Path, pictures: "Mapping[str, Callable[..., Any]]") -> list[Path]:
    from walkon._base.errors import CannotWrite
    from walkon.drawing import save_png

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"cannot make this folder ({error.strerror}); choose another place", path=folder) from error
    made = []
    with _progress() as show:
        for done, (name, picture) in enumerate(pictures.items()):
            show(done, len(pictures), f"drawing {name}")
            made.append(save_png(picture(graph), folder / f"{name}.png"))
    return made


@contextmanager
def _progress() -> "Iterator[Callable[[int, int, str], None]]":
    """Give a function that shows done, total and what on the error stream; where that is no terminal, it is silent."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("reading", total=None)

        def show(done: int, total: int, what: str) -> None:
            progress.update(task, completed=done, total=total, description=escape(what) or "done")

        yield show


def _print_json(value: object) -> None:
    import msgspec

    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")
