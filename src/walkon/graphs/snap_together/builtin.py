"""The built-in snap-together graph: that of the built-in library, made on first use and kept in the cache folder.

Its file is named by a fingerprint of the library and of the code that has a say in a graph (`walkon._base.kept`).
The library is rounded to the precision of files first, so that building the graph anew from the source in its file
gives the same graph.
"""

from pathlib import Path

from walkon._base.compiler import prepare_compiler
from walkon._base.kept import load_or_make
from walkon._base.sources import code_fingerprint
from walkon.capture.builtin import builtin_library, library_fingerprint
from walkon.graphs.file import as_stored
from walkon.graphs.minima import Progress
from walkon.graphs.snap_together.build import build_snap_graph
from walkon.graphs.snap_together.file import load_snap_graph, save_snap_graph
from walkon.graphs.snap_together.snap_graph import SnapGraph

__all__ = ["builtin_snap_graph"]


def builtin_snap_graph(*, progress: Progress | None = None, fresh: bool = False) -> SnapGraph:
    """Return the built-in graph; made on first use, `fresh` makes it again. `progress(done, total, what)`."""
    prepare_compiler()
    return load_or_make(
        "builtin",
        graph_fingerprint(),
        ".graph",
        load=load_snap_graph,
        make=lambda: _make(progress),
        save=_save,
        fresh=fresh,
    )


def graph_fingerprint() -> str:
    """Return a hash of all that has a say in the built-in graph."""
    return code_fingerprint(library_fingerprint(), __name__)


def _make(progress: Progress | None) -> SnapGraph:
    return build_snap_graph(as_stored(builtin_library(progress=progress)), progress=progress)


def _save(graph: SnapGraph, path: Path) -> Path:
    # Its notes say what is cut off; a cache that refuses to keep it would only make everyone wait again.
    return save_snap_graph(graph, path, allow_cut_off=True)
