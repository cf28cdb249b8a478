"""What `walkon graph build --kind snap` does: hubs and edges from a library, into a file that is never a worse one."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from walkon.graphs.snap_together import SnapGraph
    from walkon.motion.library import Library

__all__ = ["build_and_save"]


def build_and_save(
    library: "Library",
    output: Path,
    *,
    threshold: float | None,
    spacing: float,
    bands: int,
    rate: float,
    window: float,
    allow_cut_off: bool,
    show: Callable[[int, int, str], None],
) -> "SnapGraph":
    """Build a snap-together graph and write it; one with dead ends is refused, and an older file stays, unless allowed.

    The library is rounded to the precision of files first, so that what is read later is what was built.
    """
    from walkon._base.errors import InvalidValue
    from walkon.graphs.library_arrays import as_stored
    from walkon.graphs.snap_together import build_snap_graph, compared
    from walkon.graphs.snap_together.file import save_snap_graph

    stored = as_stored(library)
    show(0, 5, "comparing frames")
    frames = compared(stored, rate=rate, window=window)
    graph = build_snap_graph(stored, frames=frames, threshold=threshold, spacing=spacing, bands=bands, progress=show)
    if not allow_cut_off and not graph.core.all():
        ends = "; ".join(note for note in graph.notes if "dead end" in note)
        raise InvalidValue(f"{output} is not written: {ends} (or write it as it is, with --allow-cut-off)")
    show(0, 1, f"writing {output}")
    save_snap_graph(graph, output, allow_cut_off=True)
    return graph
