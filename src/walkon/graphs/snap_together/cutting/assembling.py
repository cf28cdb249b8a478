"""The finished graph from its parts: edges as clips with labels, contacts and events, and their planar shadows."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.snap_together.cutting.common_pose import in_clips
from walkon.graphs.snap_together.cutting.constraints import CommonPoses, majority
from walkon.graphs.snap_together.cutting.edges import Cut
from walkon.graphs.snap_together.judging.notes import notes_on
from walkon.graphs.snap_together.matching.pairing import Pairs
from walkon.graphs.snap_together.snap_graph import Hubs, Matches, SnapEdges, SnapGraph
from walkon.motion.clip import Event
from walkon.motion.footprint import footprints
from walkon.motion.kinematics import forward, planar_poses
from walkon.motion.library import Library
from walkon.transforms import angles, planar
from walkon.transforms import quaternions as quat

__all__ = ["assemble"]

MOVING = 0.2
"""m/s from which somebody is on the way and has one round footprint."""


def assemble(
    library: Library,
    names: tuple[str, ...],
    *,
    hubs: Hubs,
    matches: Matches,
    primary: BoolArray,
    common: CommonPoses,
    pairs: Pairs,
    cut: Cut,
    settings: Mapping[str, Any],
) -> SnapGraph:
    """Return the graph of these hubs, match frames and edges."""
    frame = library.starts[matches.clip] + matches.frame
    hub = matches.hub.astype(np.int64)
    clips = _clips(library, names, hub, pairs, cut)
    poses = planar_poses(library.skeleton, forward(library.skeleton, cut.motion.roots, cut.motion.rotations))
    moving = _speeds(poses[:, :2], cut.reel.starts, cut.reel.stops, library.fps) > MOVING
    labels = library.labels[cut.reel.sources]
    bits = 1 << np.arange(len(library.label_names), dtype=np.int64)
    some = np.logical_or.reduceat(labels, cut.reel.starts, axis=0)
    every = np.logical_and.reduceat(labels, cut.reel.starts, axis=0)
    steps = np.linalg.norm(np.diff(poses[:, :2], axis=0, prepend=poses[:1, :2]), axis=1)
    steps[cut.reel.starts] = 0.0
    edges = SnapEdges.filled(
        len(pairs.first),
        start=hub[pairs.first],
        stop=hub[pairs.last],
        first_match=pairs.first,
        last_match=pairs.last,
        duration=(cut.reel.stops - cut.reel.starts - 1) / library.fps,
        displacement=planar.with_height(cut.displacement),
        turn=_turns(poses[:, 2], cut.displacement[:, 2], cut.reel.starts),
        path=np.add.reduceat(steps, cut.reel.starts),
        labels=some @ bits if len(bits) else 0,
        common=every @ bits if len(bits) else 0,
    )
    target, _ = in_clips(common.poses, common.speeds, hub, matches.pose)
    apart = quat.angle_between(library.local_rotations[frame], target.rotations)
    most = majority(library.labels[frame[primary]], hub[primary], len(names))
    graph = SnapGraph(
        source=library,
        hub_names=names,
        hubs=hubs.with_columns(labels=most @ bits if len(bits) else np.zeros(len(names), np.int64)),
        matches=matches,
        edges=edges,
        clips=clips,
        roots=common.poses.roots,
        rotations=common.poses.rotations,
        root_velocities=common.speeds.roots,
        angular_velocities=common.speeds.rotations,
        contacts=common.contacts,
        displacements=apart,
        planar=poses,
        footprints=footprints(library.skeleton, cut.motion.roots, cut.motion.rotations, poses, moving=moving),
        settings=settings,
    )
    return replace(graph, notes=notes_on(graph, missed=cut.missed))


def _turns(headings: Array, wrapped: Array, starts: IntArray) -> Array:
    """Return [E] rad by which headings [K] turn from the first to the last frame of each edge, wrapped [E] or more."""
    steps = angles.wrap(np.diff(headings, prepend=headings[:1]))
    steps[starts] = 0.0
    whole = np.rint((np.add.reduceat(steps, starts) - wrapped) / (2 * np.pi))
    return np.asarray(wrapped + 2 * np.pi * whole)


def _clips(library: Library, names: tuple[str, ...], hub: IntArray, pairs: Pairs, cut: Cut) -> Library:
    reel = cut.reel
    clip = np.searchsorted(library.stops, reel.sources[reel.starts], side="right")
    begin = reel.sources[reel.starts] - library.starts[clip]
    events = []
    for number, first, length in zip(clip.tolist(), begin.tolist(), (reel.stops - reel.starts).tolist(), strict=True):
        events.append(_events(library.events[number], first / library.fps, (length - 1) / library.fps))
    return Library(
        skeleton=library.skeleton,
        fps=library.fps,
        names=tuple(
            f"{number}:{names[hub[a]]}>{names[hub[b]]}:{library.names[c]}@{first / library.fps:.2f}"
            for number, (a, b, c, first) in enumerate(
                zip(pairs.first.tolist(), pairs.last.tolist(), clip.tolist(), begin.tolist(), strict=True)
            )
        ),
        starts=reel.starts,
        stops=reel.stops,
        root_positions=cut.motion.roots,
        local_rotations=quat.continuous(cut.motion.rotations),
        contacts=cut.contacts,
        contact_heights=cut.heights,
        label_names=library.label_names,
        labels=library.labels[reel.sources],
        events=tuple(events),
    )


def _events(events: tuple[Event, ...], begin: float, length: float) -> tuple[Event, ...]:
    """Return events from `begin` on for `length` seconds, on the edge's clock; one at its end is the next edge's."""
    return tuple(replace(event, time=event.time - begin) for event in events if 0 <= event.time - begin < length)


def _speeds(places: np.ndarray[Any, Any], starts: IntArray, stops: IntArray, fps: float) -> np.ndarray[Any, Any]:
    """Return [K] m/s along the floor, by differences to both sides within each edge."""
    count = np.arange(len(places))
    edge = np.searchsorted(stops, count, side="right")
    low, high = np.maximum(count - 3, starts[edge]), np.minimum(count + 3, stops[edge] - 1)
    return np.linalg.norm(places[high] - places[low], axis=1) * fps / np.maximum(high - low, 1)
