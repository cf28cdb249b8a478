"""`walkon graph`: build a motion graph or a snap-together graph from a library, and look into one."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from walkon._base.errors import CannotWrite, InvalidValue
from walkon.cli.graph_tables import print_report
from walkon.cli.printing import plain_console, print_json
from walkon.cli.reading import check_place, open_library, report_errors, step_bar

if TYPE_CHECKING:
    from walkon.graphs.motion_graph import MotionGraph
    from walkon.graphs.snap_together import SnapGraph
    from walkon.motion.library import Library

__all__ = ["app", "read_library"]

app = typer.Typer(help="Build graphs of motion that can play for ever, and look into them.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Show = Callable[[int, int, str], None]


class GraphKind(StrEnum):
    """Kinds of graphs."""

    motion = "motion"
    snap = "snap"


@app.command()
@report_errors
def build(
    source: Annotated[Path, typer.Argument(help="A library file, a folder of recordings, or the word builtin.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="File to write, usually NAME.graph.")],
    kind: Annotated[
        GraphKind, typer.Option(help="motion: transitions anywhere. snap: a few poses where all clips begin and end.")
    ] = GraphKind.motion,
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
    only = {
        GraphKind.motion: {"percentile": percentile, "connect": connect, "pair-cm": pair_cm, "label": label},
        GraphKind.snap: {
            "bands": bands,
            "spacing": spacing,
            "without": without,
            "hub-threshold": hub_threshold,
            "allow-cut-off": allow_cut_off or None,
        },
    }
    other = GraphKind.snap if kind is GraphKind.motion else GraphKind.motion
    for name, value in only[other].items():
        if value is not None:
            raise InvalidValue(f"--{name} belongs to --kind {other}, and this is --kind {kind}; leave it out")
    if output.suffix.lower() in (".bvh", ".csv", ".library", ".take"):
        raise CannotWrite("a graph would overwrite a recording, a library or a take; call it NAME.graph", path=output)
    check_place(output, option="-o")
    threshold = None if threshold_cm is None else threshold_cm / 100
    pairs = _metres(pair_cm, "--pair-cm takes LABEL:LABEL=CENTIMETRES, as walk:sneak=6", parts=2)
    hubs = _metres(hub_threshold, "--hub-threshold takes HUB=CENTIMETRES, as stand=4")
    graph: MotionGraph | SnapGraph
    with step_bar("reading") as show:
        library = read_library(source, mirrored=mirror, show=show)
        if kind is GraphKind.motion:
            from walkon.graphs.build import build_graph
            from walkon.graphs.file import save_graph

            graph = build_graph(
                library,
                rate=rate,
                window=window,
                threshold=threshold,
                percentile=percentile,
                connect=connect,
                label_thresholds={(first, second): metres for (first, second), metres in pairs.items()} or None,
                labels=[tuple(text.split("+")) for text in label or []],
                progress=show,
            )
            show(0, 1, f"writing {output}")
            save_graph(graph, output)
        else:
            graph = _build_snap_graph(
                library,
                output,
                frames={"rate": rate, "window": window},
                show=show,
                threshold=threshold,
                spacing=1 / 3 if spacing is None else spacing,
                bands=3 if bands is None else bands,
                without=without or (),
                thresholds={hub: metres for (hub,), metres in hubs.items()},
                keep_all=allow_cut_off,
            )
    if json:
        print_json({"output": str(output), "graph": _report(graph)})
        return
    console = plain_console()
    print_report(console, _report(graph, seams=0, whole=False), whole=False)
    console.print(f"wrote {output}: {graph!r}")
    console.print(f"details: walkon graph inspect {output}", style="dim")


@app.command()
@report_errors
def inspect(
    file: Annotated[Path, typer.Argument(help="A graph file.")],
    pictures: Annotated[Path | None, typer.Option("--pictures", help="Folder for pictures of the graph (PNG).")] = None,
    seams: Annotated[int, typer.Option(min=0, max=1000, help="motion: how many of the worst seams to list.")] = 8,
    json: Json = False,
) -> None:
    """Tell what is in a graph: how it hangs together, what it can do, where it is worst, and what is missing."""
    from walkon.graphs.file import load_graph

    graph = load_graph(file)
    with step_bar("comparing all joins") as show:
        report = _report(graph, seams=seams)
        drawn = [] if pictures is None else _draw(graph, pictures, show)
    if json:
        print_json(report | {"pictures": [str(path) for path in drawn]})
        return
    console = plain_console()
    if report["kind"] == "snap" and not console.is_terminal:
        console = plain_console(width=max(console.width, 120))  # in a file lines may be long
    console.print(repr(graph))
    print_report(console, report)
    for path in drawn:
        console.print(f"wrote {path}")


def read_library(source: Path, *, mirrored: bool, show: Show) -> "Library":
    """Load a library, build one from a folder, or take the built-in one; with mirror images if asked for."""
    from walkon.capture import build_library
    from walkon.motion.mirror_images import with_images

    if source.is_dir():
        return build_library(source, mirrored=mirrored, progress=show).library
    library = open_library(source, show)
    return with_images(library, progress=show) if mirrored else library


def _build_snap_graph(
    library: "Library", output: Path, *, frames: Mapping[str, float], show: Show, keep_all: bool, **options: Any
) -> "SnapGraph":
    """Build a snap-together graph of suggested hubs and write it.

    Hubs that are not joined to the rest are left out and reported, unless they are all allowed. Where one of them was
    asked for, by a threshold of its own, the graph is refused and an older file stays. The library is rounded to the
    precision of files first, so that what is read later is what was built.
    """
    from walkon.graphs.file import as_stored
    from walkon.graphs.snap_together import build_connected_graph, compared
    from walkon.graphs.snap_together.file import save_snap_graph
    from walkon.graphs.snap_together.judging.notes import describe_cut_off

    stored = as_stored(library)
    show(0, 5, "comparing frames")
    graph = build_connected_graph(
        stored, frames=compared(stored, **frames), keep_all=keep_all, progress=show, **options
    )
    if not keep_all and not graph.core.all():
        raise InvalidValue(
            f"{output} is not written: {describe_cut_off(graph)}; give such a hub a higher threshold "
            "(--hub-threshold HUB=CM), leave it out (--without HUB), or keep it as it is (--allow-cut-off)"
        )
    show(0, 1, f"writing {output}")
    save_snap_graph(graph, output, allow_cut_off=keep_all)
    return graph


def _metres(given: Sequence[str] | None, form: str, *, parts: int = 1) -> dict[tuple[str, ...], float]:
    """Return names → metres of options such as stand=4 and walk:sneak=6, in cm; `form` says how they are written."""
    found = {}
    for text in given or []:
        left, _, value = text.rpartition("=")
        names = tuple(name.strip() for name in left.split(":", parts - 1))
        try:
            centimetres = float(value)
        except ValueError:
            centimetres = float("nan")
        if not (all(names) and len(names) == parts and 0 < centimetres < float("inf")):
            raise InvalidValue(f"{form}, got {text!r}")
        found[names] = centimetres / 100
    return found


def _report(graph: "MotionGraph | SnapGraph", *, seams: int = 8, whole: bool = True) -> dict[str, Any]:
    """Return what there is to say of a graph; not the whole of it lacks what takes long to find out."""
    from walkon.graphs.inspection import graph_trade_off, inspect_graph
    from walkon.graphs.motion_graph import MotionGraph
    from walkon.graphs.snap_together.judging.inspection import inspect_snap_graph

    if not isinstance(graph, MotionGraph):
        return inspect_snap_graph(graph, joins=whole)
    others = {"trade_off": list(graph_trade_off(graph))} if whole else {}
    return inspect_graph(graph, seams=seams) | others


def _draw(graph: "MotionGraph | SnapGraph", folder: Path, show: Show) -> list[Path]:
    from walkon.drawing import graph_pictures, save_png, snap_charts, snap_pictures
    from walkon.graphs.motion_graph import MotionGraph

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"cannot make this folder ({error.strerror}); choose another place", path=folder) from error
    pictures: dict[str, Callable[..., Any]] = {
        "hubs": snap_pictures.hubs_picture,
        "worst": snap_pictures.worst_picture,
        "displacement": snap_charts.displacement_picture,
        "fans": snap_charts.fan_picture,
        "schema": snap_charts.schema_picture,
    }
    if isinstance(graph, MotionGraph):
        pictures = {
            "distance": graph_pictures.distance_picture,
            "graph": graph_pictures.graph_picture,
            "reach": graph_pictures.reach_picture,
        }
    drawn = []
    for done, (name, picture) in enumerate(pictures.items()):
        show(done, len(pictures), f"drawing {name}")
        drawn.append(save_png(picture(graph), folder / f"{name}.png"))
    return drawn
