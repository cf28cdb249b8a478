"""Graphs as files: one `*.graph` that carries its library, so that it can be used alone.

The container is `walkon._base.array_file`, one block: a header (settings, notes, names, skeleton, events) and arrays
(the graph's tables, its candidates, the library's motion in float32). A graph's library is in this precision from the
start, so what is read is what was written, to the last bit, and a graph can be grown from its file.
"""

from pathlib import Path
from typing import Any

import numpy as np

from walkon._base.array_file import read_array_file, write_array_file
from walkon._base.errors import FileError, UnreadableFile, WalkonError
from walkon.graphs.minima import Minima
from walkon.graphs.motion_graph import Cuts, Edges, MotionGraph, Nodes
from walkon.io.plain_fields import event_fields, event_from, skeleton_fields, skeleton_from
from walkon.motion.library import Library

__all__ = ["load_graph", "save_graph"]

KIND = "graph"
VERSION = 1
MOTION = ("root_positions", "local_rotations", "contact_heights")
"""Arrays of the library that are float32 in the file."""
FLAGS = ("contacts", "labels")
RANGES = ("starts", "stops")


def save_graph(graph: MotionGraph, path: str | Path) -> Path:
    """Write a graph with its library to one file, atomically; usually called `something.graph`."""
    library = graph.library
    header = {
        "kind": "motion",
        "settings": dict(graph.settings),
        "notes": graph.notes,
        "known": graph.known if np.isfinite(graph.known) else None,
        "library": {
            "fps": library.fps,
            "names": library.names,
            "label_names": library.label_names,
            "ensembles": {name: list(members) for name, members in library.ensembles.items()},
            "notes": library.notes,
            "events": [[event_fields(event) for event in events] for events in library.events],
            "skeleton": skeleton_fields(library.skeleton),
        },
    }
    arrays: dict[str, Any] = {f"library.{name}": getattr(library, name).astype(np.float32) for name in MOTION}
    arrays |= {f"library.{name}": getattr(library, name) for name in (*FLAGS, *RANGES)}
    arrays |= {f"candidates.{name}": getattr(graph.candidates, name) for name in ("frame_a", "frame_b", "distance")}
    for table in (graph.nodes, graph.edges, graph.cuts):
        arrays |= table.to_arrays()
    return write_array_file(path, KIND, version=VERSION, header=header, arrays=arrays)


def load_graph(path: str | Path) -> MotionGraph:
    """Read a graph; a damaged, truncated or newer file, or one of another kind, is refused with a reason."""
    file = read_array_file(path, KIND, version=VERSION)
    try:
        headers, arrays = file.joined()
        return _graph(headers[0], arrays)
    except FileError:
        raise
    except WalkonError as error:
        raise UnreadableFile(f"damaged graph: {error}", path=path) from error
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        # The bytes are whole, but they are not what a graph's writer writes.
        raise UnreadableFile(f"damaged graph: its header does not fit ({error!r})", path=path) from error


def _graph(header: dict[str, Any], arrays: dict[str, Any]) -> MotionGraph:
    if header["kind"] != "motion":
        raise UnreadableFile(f"this is a {header['kind']} graph, not a motion graph")
    told = header["library"]
    library = Library(
        skeleton=skeleton_from(told["skeleton"]),
        fps=told["fps"],
        names=tuple(told["names"]),
        label_names=tuple(told["label_names"]),
        events=tuple(tuple(event_from(fields) for fields in events) for events in told["events"]),
        ensembles={name: tuple(members) for name, members in told["ensembles"].items()},
        notes=tuple(told["notes"]),
        **{name: arrays[f"library.{name}"] for name in (*MOTION, *FLAGS, *RANGES)},
    )
    known = header["known"]
    return MotionGraph(
        library=library,
        nodes=Nodes.from_arrays(arrays),
        edges=Edges.from_arrays(arrays),
        cuts=Cuts.from_arrays(arrays),
        settings=header["settings"],
        notes=tuple(header["notes"]),
        candidates=Minima(**{name: arrays[f"candidates.{name}"] for name in ("frame_a", "frame_b", "distance")}),
        known=np.inf if known is None else float(known),
    )
