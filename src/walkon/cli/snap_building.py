"""What `walkon graph` does with snap-together graphs: builds one into a file that is never a worse one, prints it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from walkon.graphs.snap_together import SnapGraph
    from walkon.motion.library import Library

__all__ = ["build_and_save", "hub_thresholds", "print_built", "print_inspected", "snap_pictures"]


def hub_thresholds(given: Sequence[str]) -> dict[str, float]:
    """Return hub → metres of what `--hub-threshold` says, as stand=4."""
    from walkon._base.errors import InvalidValue

    found: dict[str, float] = {}
    for text in given:
        name, _, value = text.rpartition("=")
        try:
            centimetres = float(value)
        except ValueError:
            centimetres = float("nan")
        if not (name.strip() and 0 < centimetres < float("inf")):
            raise InvalidValue(f"--hub-threshold takes HUB=CENTIMETRES, as stand=4, got {text!r}")
        found[name.strip()] = centimetres / 100
    return found


def build_and_save(
    library: "Library",
    output: Path,
    *,
    threshold: float | None,
    spacing: float,
    bands: int,
    rate: float,
    window: float,
    without: Collection[str],
    thresholds: Mapping[str, float],
    allow_cut_off: bool,
    show: Callable[[int, int, str], None],
) -> "SnapGraph":
    """Build a snap-together graph of suggested hubs and write it.

    Hubs that are not joined to the rest are left out and told, unless they are all allowed. Where one of them was asked
    for, by a threshold of its own, the graph is refused and an older file stays.
    The library is rounded to the precision of files first, so that what is read later is what was built.
    """
    from walkon._base.errors import InvalidValue
    from walkon.graphs.library_arrays import as_stored
    from walkon.graphs.snap_together import build_connected_graph, compared
    from walkon.graphs.snap_together.file import save_snap_graph
    from walkon.graphs.snap_together.judging.notes import cut_off

    stored = as_stored(library)
    show(0, 5, "comparing frames")
    graph = build_connected_graph(
        stored,
        frames=compared(stored, rate=rate, window=window),
        threshold=threshold,
        spacing=spacing,
        bands=bands,
        without=without,
        thresholds=thresholds,
        keep_all=allow_cut_off,
        progress=show,
    )
    if not allow_cut_off and not graph.core.all():
        raise InvalidValue(
            f"{output} is not written: {cut_off(graph)}; give such a hub a higher threshold (--hub-threshold HUB=CM), "
            "leave it out (--without HUB), or keep it as it is (--allow-cut-off)"
        )
    show(0, 1, f"writing {output}")
    save_snap_graph(graph, output, allow_cut_off=allow_cut_off)
    return graph


def print_built(graph: "SnapGraph", output: Path) -> None:
    """Print what was built and written."""
    from rich.console import Console

    from walkon.cli.snap_tables import print_hubs, print_snap_summary
    from walkon.graphs.snap_together.judging.inspection import inspect_snap_graph

    told = inspect_snap_graph(graph, joins=False)
    console = Console()
    print_snap_summary(console, told)
    print_hubs(console, told)
    console.print(f"wrote {output}: {graph!r}", highlight=False, markup=False)
    console.print(f"details: walkon graph inspect {output}", highlight=False, markup=False, style="dim")


def print_inspected(graph: "SnapGraph", told: dict[str, Any], drawn: Sequence[Path]) -> None:
    """Print every table of what `inspect_snap_graph` told, and where pictures were drawn."""
    from rich.console import Console

    from walkon.cli.snap_tables import print_all

    console = Console()
    if not console.is_terminal:
        console = Console(width=max(console.width, 120))  # in a file lines may be long
    console.print(repr(graph), highlight=False, markup=False)
    print_all(console, told)
    for path in drawn:
        console.print(f"wrote {path}", highlight=False, markup=False)


def snap_pictures() -> dict[str, Callable[..., Any]]:
    """Return the pictures of a snap-together graph by the names of their files."""
    from walkon.drawing import snap_charts, snap_pictures

    return {
        "hubs": snap_pictures.hubs_picture,
        "worst": snap_pictures.worst_picture,
        "displacement": snap_charts.displacement_picture,
        "fans": snap_charts.fan_picture,
        "schema": snap_charts.schema_picture,
    }
