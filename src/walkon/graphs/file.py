"""Graphs as files: one `*.graph` that carries its library, so that it can be used alone.

The container is `walkon._base.array_file`, one block: a header (settings, notes, names, skeleton, events) and arrays
(the graph's tables, its candidates, the library's motion in float32). A motion graph's library is in this precision
from the start, so what is read is what was written, to the last bit, and a graph can be grown from its file.
Snap-together graphs are in the same container (`walkon.graphs.snap_together.file`); `load_graph` opens either.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from walkon._base.kept import read_once
from walkon.graphs.graph_container import KIND, VERSION, check_kind, read_graph_file, write_graph_file
from walkon.graphs.library_arrays import library_arrays, library_fields, library_from
from walkon.graphs.minima import Minima
from walkon.graphs.motion_graph import Cuts, MotionEdges, MotionGraph, Nodes

if TYPE_CHECKING:
    from walkon.graphs.snap_together.snap_graph import SnapGraph

__all__ = ["KIND", "VERSION", "load_graph", "load_motion_graph", "save_graph"]

MOTION_VERSION = 2
CANDIDATES = ("frame_a", "frame_b", "distance")


def save_graph(graph: "MotionGraph | SnapGraph", path: str | Path) -> Path:
    """Write a graph of either kind with its library to one file, atomically; usually called `something.graph`."""
    if not isinstance(graph, MotionGraph):
        from walkon.graphs.snap_together.file import save_snap_graph

        return save_snap_graph(graph, path)
    header = {
        "kind": "motion",
        "version": MOTION_VERSION,
        "settings": dict(graph.settings),
        "notes": graph.notes,
        "known": graph.known if np.isfinite(graph.known) else None,
        "library": library_fields(graph.library),
    }
    arrays = library_arrays(graph.library)
    arrays |= {f"candidates.{name}": getattr(graph.candidates, name) for name in CANDIDATES}
    for table in (graph.nodes, graph.edges, graph.cuts):
        arrays |= table.to_arrays()
    return write_graph_file(path, header=header, arrays=arrays)


def load_graph(path: str | Path) -> "MotionGraph | SnapGraph":
    """Read a graph of either kind; a damaged, truncated or newer file, or another one, is refused with a reason."""
    return read_once(path, _read_either)


def _read_either(path: Path) -> "MotionGraph | SnapGraph":
    return read_graph_file(path, _either)


def load_motion_graph(path: str | Path) -> MotionGraph:
    """Read a motion graph; a file with another kind of graph is refused as well."""
    return read_once(path, _read_motion)


def _read_motion(path: Path) -> MotionGraph:
    return read_graph_file(path, _graph)


def _either(header: dict[str, Any], arrays: dict[str, Any]) -> "MotionGraph | SnapGraph":
    if header["kind"] == "snap":
        from walkon.graphs.snap_together.file import snap_graph_from

        return snap_graph_from(header, arrays)
    return _graph(header, arrays)


def _graph(header: dict[str, Any], arrays: dict[str, Any]) -> MotionGraph:
    check_kind(header, "motion", version=MOTION_VERSION)
    known = header["known"]
    return MotionGraph(
        library=library_from(header["library"], arrays),
        nodes=Nodes.from_arrays(arrays),
        edges=MotionEdges.from_arrays(arrays),
        cuts=Cuts.from_arrays(arrays),
        settings=header["settings"],
        notes=tuple(header["notes"]),
        candidates=Minima(**{name: arrays[f"candidates.{name}"] for name in CANDIDATES}),
        known=np.inf if known is None else float(known),
    )
