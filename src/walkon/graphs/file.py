"""Graphs as files: one `*.graph` that carries its library, so that it can be used alone.

The container is `walkon._base.array_file`, one block: a header (settings, notes, names, skeleton, events) and arrays
(the graph's tables, its candidates, the library's motion in float32). Its header says which kind of graph it holds;
snap-together graphs are in the same container (`walkon.graphs.snap_together.file`), and `load_graph` opens either.
Files are opened here once for every kind, so that damage, other files and other kinds are reported in the same words.

Of libraries, what is words goes into the header, what is numbers into named arrays. Motion is float32 in the file, 0.1
micrometres and 10⁻⁷ radians, unless a graph asks for more. A motion graph's library is in this precision from the start
(`as_stored`), so what is read is what was written, to the last bit, and a graph can be grown from its file.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from walkon._base.array_file import read_array_file, write_array_file
from walkon._base.errors import FileError, NewerFile, UnreadableFile, WalkonError
from walkon._base.kept import read_once
from walkon.graphs.minima import Minima
from walkon.graphs.motion_graph import Cuts, MotionEdges, MotionGraph, Nodes
from walkon.io.plain_fields import event_fields, event_from, skeleton_fields, skeleton_from
from walkon.motion.library import Library
from walkon.motion.skeleton import Skeleton

if TYPE_CHECKING:
    from walkon.graphs.snap_together.snap_graph import SnapGraph

__all__ = [
    "KIND",
    "VERSION",
    "as_stored",
    "check_kind",
    "library_arrays",
    "library_fields",
    "library_from",
    "load_graph",
    "load_motion_graph",
    "read_graph_file",
    "save_graph",
    "write_graph_file",
]

KIND = "graph"
VERSION = 1
"""Of the container; a kind of graph may count its own in the header."""
KINDS = {"motion": ("a motion graph", "load_motion_graph"), "snap": ("a snap-together graph", "load_snap_graph")}
"""What kinds of graphs are called, and what opens them."""
Made = TypeVar("Made")
MOTION_VERSION = 2
CANDIDATES = ("frame_a", "frame_b", "distance")
MOTION = ("root_positions", "local_rotations", "contact_heights")
"""Arrays that are float32 in the file."""
KEPT = ("contacts", "labels", "starts", "stops")
"""Those that are kept as they are."""


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


def load_motion_graph(path: str | Path) -> MotionGraph:
    """Read a motion graph; a file with another kind of graph is refused as well."""
    return read_once(path, _read_motion)


def _read_motion(path: Path) -> MotionGraph:
    return read_graph_file(path, _make_graph)


def _read_either(path: Path) -> "MotionGraph | SnapGraph":
    from walkon.graphs.snap_together.file import snap_graph_from

    return read_graph_file(
        path, lambda head, arrays: (snap_graph_from if head["kind"] == "snap" else _make_graph)(head, arrays)
    )


def _make_graph(header: dict[str, Any], arrays: dict[str, Any]) -> MotionGraph:
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


def write_graph_file(path: str | Path, *, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> Path:
    """Write a graph, atomically; header["kind"] says which kind."""
    return write_array_file(path, KIND, version=VERSION, header=header, arrays=arrays)


def read_graph_file(path: str | Path, make: Callable[[dict[str, Any], dict[str, Any]], Made]) -> Made:
    """Open a graph and return `make(header, arrays)`; what `make` cannot use is a damaged file."""
    file = read_array_file(path, KIND, version=VERSION)
    try:
        headers, arrays = file.joined()
        return make(headers[0], arrays)
    except FileError as error:
        if error.path is not None:
            raise
        raise type(error)(str(error), path=path) from error
    except WalkonError as error:
        raise UnreadableFile(f"damaged graph: {error}", path=path) from error
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        # The bytes are whole, but they are not what a graph's writer writes.
        raise UnreadableFile(f"damaged graph: its header does not fit ({error!r})", path=path) from error


def check_kind(header: Mapping[str, Any], kind: str, *, version: int) -> None:
    """Refuse a header of another kind of graph, or of another version of this one."""
    found, written, (wanted, _) = str(header["kind"]), header.get("version", 1), KINDS[kind]
    if found != kind:
        other, loader = KINDS.get(found, (f"a {found} graph", None))
        way = f"open it with {loader} or load_graph" if loader else "update walkon"
        raise UnreadableFile(f"this is {other}, not {wanted}; {way}")
    if written > version:
        raise NewerFile(
            f"written by a newer Walkon (format {written} of {wanted}, this one reads up to {version}); update walkon"
        )
    if written < version:
        raise UnreadableFile(
            f"written by an older Walkon (format {written} of {wanted}, this one reads {version}); "
            "build it again with `walkon graph build`"
        )


def as_stored(library: Library) -> Library:
    """Return a library in the precision of files: float32 values, and so the same before and after saving."""
    return replace(library, **{name: getattr(library, name).astype(np.float32).astype(np.float64) for name in MOTION})


def library_fields(library: Library, *, skeleton: bool = True) -> dict[str, Any]:
    """Return the words of a library for a header; without its skeleton where the file has that already."""
    fields: dict[str, Any] = {
        "fps": library.fps,
        "names": library.names,
        "label_names": library.label_names,
        "ensembles": {name: list(members) for name, members in library.ensembles.items()},
        "notes": library.notes,
        "events": [[event_fields(event) for event in events] for events in library.events],
    }
    return fields | ({"skeleton": skeleton_fields(library.skeleton)} if skeleton else {})


def library_arrays(library: Library, prefix: str = "library", *, exact: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the numbers of a library under names such as "library.starts"; motion named in `exact` stays float64."""
    arrays = {f"{prefix}.{name}": getattr(library, name) for name in (*MOTION, *KEPT)}
    rounded = [f"{prefix}.{name}" for name in MOTION if name not in exact]
    return arrays | {name: arrays[name].astype(np.float32) for name in rounded}


def library_from(
    fields: Mapping[str, Any],
    arrays: Mapping[str, Any],
    prefix: str = "library",
    *,
    skeleton: Skeleton | None = None,
    **replaced: Any,
) -> Library:
    """Make a library of its fields and arrays, some of them `replaced`; its own checks refuse what cannot be."""
    return Library(
        skeleton=skeleton or skeleton_from(fields["skeleton"]),
        fps=fields["fps"],
        names=tuple(fields["names"]),
        label_names=tuple(fields["label_names"]),
        events=tuple(tuple(event_from(event) for event in events) for events in fields["events"]),
        ensembles={name: tuple(members) for name, members in fields["ensembles"].items()},
        notes=tuple(fields["notes"]),
        **({name: arrays[f"{prefix}.{name}"] for name in (*MOTION, *KEPT)} | replaced),
    )
