"""Snap-together graphs as files: one `*.graph` with the edges' clips and the library that they were cut from.

Motion is float32 but for the roots of edges, and what is planned with (displacements, durations, planar poses, common
poses) float64. An edge's first and last frame are its hubs' common poses; they are put back as such on reading, so
joins are as exact after a round trip as before it, to 10⁻¹² m and rad, in half of the bytes.

A graph in which hubs are cut off is not written over a good one: saving it must be asked for.
"""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from walkon._base.errors import InvalidValue
from walkon._base.kept import read_once
from walkon.graphs.file import (
    check_kind,
    library_arrays,
    library_fields,
    library_from,
    read_graph_file,
    write_graph_file,
)
from walkon.graphs.motion_graph import check_ranges
from walkon.graphs.snap_together.cutting.common_pose import move_frames
from walkon.graphs.snap_together.cutting.displacement import Frames
from walkon.graphs.snap_together.edge_tracks import EdgeTracks
from walkon.graphs.snap_together.judging.notes import ADVICE, describe_cut_off
from walkon.graphs.snap_together.lifts import Lifts
from walkon.graphs.snap_together.snap_graph import Hubs, Matches, SnapEdges, SnapGraph
from walkon.motion.library import Library
from walkon.transforms import quaternions as quat

__all__ = ["load_snap_graph", "save_snap_graph", "snap_graph_from"]

VERSION = 2
EXACT = ("roots", "rotations", "root_velocities", "angular_velocities", "contacts", "planar")
ROUNDED = ("displacements", "footprints")
"""Arrays that are float32 in the file."""
TRACKS = tuple(spec.name for spec in fields(EdgeTracks))
MAX_END_GAP_M_RAD = 1e-5
"""m and rad by which the ends of an edge may miss their hubs' poses: more is no snap-together graph."""


def save_snap_graph(graph: SnapGraph, path: str | Path, *, allow_cut_off: bool = False) -> Path:
    """Write a graph to one file, atomically; usually called `something.graph`.

    A graph with hubs outside its main part is refused, and what is at `path` stays, unless `allow_cut_off`.
    """
    if not allow_cut_off and not graph.core.all():
        count = int(np.count_nonzero(~graph.core))
        raise InvalidValue(
            f"{count} of {len(graph.hubs)} hubs are cut off from the rest: {describe_cut_off(graph)}; {ADVICE} "
            "(allow_cut_off saves it as it is)"
        )
    _restore_ends(graph.clips, graph.edges, Frames(graph.roots, graph.rotations))  # nothing else could be read back
    header = {
        "kind": "snap",
        "version": VERSION,
        "settings": dict(graph.settings),
        "notes": graph.notes,
        "hub_names": graph.hub_names,
        "source": library_fields(graph.source),
        "clips": library_fields(graph.clips, skeleton=False),
    }
    arrays = library_arrays(graph.source, "source") | library_arrays(graph.clips, "clips", exact=("root_positions",))
    arrays |= {f"graph.{name}": getattr(graph, name) for name in EXACT}
    arrays |= {f"graph.{name}": getattr(graph, name).astype(np.float32) for name in ROUNDED}
    for table in (graph.hubs, graph.matches, graph.edges):
        arrays |= table.to_arrays()
    # What planning reads is measured on the motion as it will be read back.
    stored = _make_bare_graph(header, arrays)
    arrays |= {f"tracks.{name}": getattr(stored.tracks, name) for name in TRACKS} | stored.lifts.to_arrays()
    return write_graph_file(path, header=header, arrays=arrays)


def load_snap_graph(path: str | Path) -> SnapGraph:
    """Read a snap-together graph; a damaged, truncated or newer file, or one of another kind, is refused."""
    return read_once(path, _read_snap)


def _read_snap(path: Path) -> SnapGraph:
    return read_graph_file(path, snap_graph_from)


def snap_graph_from(header: dict[str, Any], arrays: dict[str, Any]) -> SnapGraph:
    """Make a graph of what a file holds."""
    check_kind(header, "snap", version=VERSION)
    graph = _make_bare_graph(header, arrays)
    lifts, tracks = Lifts.from_arrays(arrays), EdgeTracks(**{name: arrays[f"tracks.{name}"] for name in TRACKS})
    check_ranges(lifts, edge=len(graph.edges), start=len(graph.hubs), stop=len(graph.hubs))
    check_ranges(tracks, edges=len(graph.edges))
    graph.__dict__.update(lifts=lifts, tracks=tracks)  # what they are measured from has not changed
    return graph


def _make_bare_graph(header: dict[str, Any], arrays: dict[str, Any]) -> SnapGraph:
    """Make a graph without what planning reads of it."""
    source = library_from(header["source"], arrays, "source")
    edges = SnapEdges.from_arrays(arrays)
    clips = library_from(header["clips"], arrays, "clips", skeleton=source.skeleton)
    return SnapGraph(
        source=source,
        hub_names=tuple(header["hub_names"]),
        hubs=Hubs.from_arrays(arrays),
        matches=Matches.from_arrays(arrays),
        edges=edges,
        clips=_restore_ends(clips, edges, Frames(arrays["graph.roots"], arrays["graph.rotations"])),
        settings=header["settings"],
        notes=tuple(header["notes"]),
        **{name: arrays[f"graph.{name}"] for name in (*EXACT, *ROUNDED)},
    )


def _restore_ends(clips: Library, edges: SnapEdges, common: Frames) -> Library:
    """Return the edges' clips with their first and last frames exactly in the common poses [H].

    Ends that are not near them are an error. Rotations keep their signs: neighbouring frames share a hemisphere.
    """
    if len(clips) != len(edges):
        raise InvalidValue(f"a graph of {len(edges)} edges needs as many clips, got {len(clips)}")
    ends = np.concatenate([clips.starts, clips.stops - 1])
    hub = np.concatenate([edges.start, edges.stop])
    places = np.concatenate([np.zeros((len(edges), 3)), edges.planar_displacement])
    exact = move_frames(places, Frames(common.roots[hub], common.rotations[hub]))
    roots, rotations = np.array(clips.root_positions), np.array(clips.local_rotations)
    apart = np.linalg.norm(roots[ends] - exact.roots, axis=1)
    turned = quat.angle_between(quat.normalize(rotations[ends]), exact.rotations).max(axis=1)
    missed = np.flatnonzero((apart > MAX_END_GAP_M_RAD) | (turned > MAX_END_GAP_M_RAD))
    if len(missed):
        row, E = int(missed[0]), len(edges)
        raise InvalidValue(
            f"edge {row % E} does not {'begin' if row < E else 'end'} in the pose of its hub ({apart[row]:.2g} m and "
            f"{turned[row]:.2g} rad away), so it cannot be joined by a cut; build the graph again"
        )
    sign = np.where((rotations[ends] * exact.rotations).sum(axis=-1, keepdims=True) < 0, -1.0, 1.0)
    roots[ends], rotations[ends] = exact.roots, sign * exact.rotations
    return replace(clips, root_positions=roots, local_rotations=rotations)
