"""Edges: the source between two match frames, bent so that it begins and ends in the common poses, feet planted.

Contacts at an edge's ends are those of its hubs (`reels`). The finished graph has them as clips with labels, contacts
and events, and their planar shadows (`assemble`).

An edge's own world is its start hub's frame. Metres, seconds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.point_clouds import frames_around
from walkon.graphs.snap_together.cutting.common_pose import in_clips, move_frames, turn_rates
from walkon.graphs.snap_together.cutting.constraints import CommonPoses, majority
from walkon.graphs.snap_together.cutting.displacement import (
    HUB_PASSAGE_S,
    Frames,
    apply_maps,
    maps_to,
    pass_through,
    velocities,
)
from walkon.graphs.snap_together.cutting.reels import Approach, Reel, contacts_near, heights_near
from walkon.graphs.snap_together.judging.notes import notes_on
from walkon.graphs.snap_together.matching.pairing import Pairs
from walkon.graphs.snap_together.snap_graph import Hubs, Matches, SnapEdges, SnapGraph
from walkon.motion.footprint import footprints
from walkon.motion.kinematics import forward, planar_poses
from walkon.motion.library import Library
from walkon.transforms import angles, planar
from walkon.transforms import quaternions as quat

__all__ = ["Cut", "assemble", "cut_edges", "edge_contacts"]

MOVING_FROM_M_S = 0.2
"""m/s from which a body is on the way and has one round footprint."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Cut:
    """E edges of K frames in all."""

    reel: Reel
    motion: Frames
    """[K] each edge in its start hub's frame."""
    contacts: BoolArray
    """[K, C]."""
    heights: Array
    """[K, C] m, of the supports; 0 where there is no contact."""
    displacement: Array
    """[E, 3]."""
    missed: Array
    """[K, 2] m by which planted legs fall short."""


def edge_contacts(library: Library, hub: IntArray, frame: IntArray, common: CommonPoses, pairs: Pairs) -> BoolArray:
    """Return the contacts [K, C] of all edges, one after another; `frame` [M] are library frames of match frames."""
    a, b = pairs
    reel = Reel.of(library, frame[a], frame[b])
    return contacts_near(library.contacts[reel.sources], _ends(reel, hub, common, pairs), fps=library.fps)


def cut_edges(
    library: Library,
    hub: IntArray,
    frame: IntArray,
    common: CommonPoses,
    pairs: Pairs,
    *,
    stops: Array,
    contacts: BoolArray,
) -> Cut:
    """Make the edges, with these `contacts` [K, C]. `stops` [E, 3] say where each stop hub lies in the source's world.

    These are the match frames' places, unless feet that stay planted all along ask for another (see `linked`).
    """
    a, b = pairs.first, pairs.last
    E = len(a)
    reel = Reel.of(library, frame[a], frame[b])
    K = len(reel.sources)
    edge = np.repeat(np.arange(E), reel.stops - reel.starts)
    clip = np.searchsorted(library.stops, frame, side="right")
    source = Frames(library.root_positions, library.local_rotations)
    ends = np.concatenate([frame[a], frame[b]])
    of = clip[np.concatenate([a, b])]
    speed = velocities(source, ends, library.starts[of], library.stops[of] - 1, fps=library.fps)
    hubs = np.concatenate([hub[a], hub[b]])
    places = np.concatenate([common.places[a], stops])
    target, target_speed = in_clips(common.poses, common.speeds, hubs, places)
    now = Frames(source.roots[ends], source.rotations[ends])
    maps = maps_to(now, speed, target, target_speed)
    since = (np.arange(K) - reel.starts[edge]) / library.fps
    until = (reel.stops[edge] - 1 - np.arange(K)) / library.fps
    bent = apply_maps(reel.motion, maps, before=edge, after=edge + E, since=since, until=until, gap=since + until)
    change = turn_rates(common.changes, hubs, places)
    for at, seconds in ((edge, since), (edge + E, -until)):
        used = np.flatnonzero(np.abs(seconds) < np.minimum(HUB_PASSAGE_S, 0.5 * (since + until)))
        bent = pass_through(bent, target, target_speed, change, at=at[used], seconds=seconds[used], used=used)
    # The ends are the common poses to the last bit, whatever rounding did.
    roots, rotations = np.array(bent.roots), np.array(bent.rotations)
    both = np.concatenate([reel.starts, reel.stops - 1])
    roots[both], rotations[both] = target.roots, target.rotations

    heights = heights_near(
        contacts,
        library.contacts[reel.sources],
        library.contact_heights[reel.sources],
        _ends(reel, hub, common, pairs),
        fps=library.fps,
    )
    held, missed = reel.lock_feet(Frames(roots, rotations), contacts, heights, pinned=True)
    back = planar.inverse(common.places[a])[edge]
    return Cut(
        reel=reel,
        motion=move_frames(back, held),
        contacts=contacts,
        heights=heights,
        displacement=planar.relative(common.places[a], stops),
        missed=missed,
    )


def _ends(reel: Reel, hub: IntArray, common: CommonPoses, pairs: Pairs) -> list[Approach]:
    """Return what follows the first frame of every edge, and what comes before its last."""
    a, b = hub[pairs.first], hub[pairs.last]
    room = reel.stops - reel.starts - 1
    return [
        Approach(reel.starts, 1, room, common.contacts[a], common.heights[a]),
        Approach(reel.stops - 1, -1, room, common.contacts[b], common.heights[b]),
    ]


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
    moving = _speeds(poses[:, :2], cut.reel.starts, cut.reel.stops, library.fps) > MOVING_FROM_M_S
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
    lengths = (reel.stops - reel.starts - 1) / library.fps
    # One at the end of an edge is the next edge's.
    events = tuple(
        tuple(replace(event, time=event.time - at) for event in library.events[c] if 0 <= event.time - at < length)
        for c, at, length in zip(clip.tolist(), (begin / library.fps).tolist(), lengths.tolist(), strict=True)
    )
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
        events=events,
    )


def _speeds(places: Array, starts: IntArray, stops: IntArray, fps: float) -> Array:
    """Return [K] m/s along the floor, by differences to both sides within each edge."""
    low, high = frames_around(starts, stops, 3)
    return np.linalg.norm(places[high] - places[low], axis=1) * fps / np.maximum(high - low, 1)
