"""Edges: the source between two match frames, bent so that it begins and ends in the common poses, feet planted.

Contacts at an edge's ends are those of its hubs (`reels`).

An edge's own world is its start hub's frame. Metres, seconds.
"""

from dataclasses import dataclass

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.snap_together.cutting.common_pose import in_clips, moved, turned_along
from walkon.graphs.snap_together.cutting.constraints import CommonPoses
from walkon.graphs.snap_together.cutting.displacement import (
    SETTLE,
    Frames,
    apply_maps,
    maps_to,
    pass_through,
    velocities,
)
from walkon.graphs.snap_together.cutting.reels import Approach, Reel, contacts_near, heights_near
from walkon.graphs.snap_together.matching.pairing import Pairs
from walkon.motion.library import Library
from walkon.transforms import planar

__all__ = ["Cut", "cut_edges", "edge_contacts"]


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
    change = turned_along(common.changes, hubs, places)
    for at, seconds in ((edge, since), (edge + E, -until)):
        used = np.flatnonzero(np.abs(seconds) < np.minimum(SETTLE, 0.5 * (since + until)))
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
    held, missed = reel.locked(Frames(roots, rotations), contacts, heights, pinned=True)
    back = planar.inverse(common.places[a])[edge]
    return Cut(
        reel=reel,
        motion=moved(back, held),
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
