"""Edges: the source between two match frames, bent so that it begins and ends in the common poses, feet planted.

Contacts at an edge's ends are those of its hubs. Within `MARGIN` of an end, a contact that the hub does not have is
over, and one that it has goes on up to it: otherwise a foot would have to rush into the hub's pose.

An edge's own world is its start hub's frame. Metres, seconds.
"""

from dataclasses import dataclass

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.snap_together.constraints import CommonPoses, targets, turned_along
from walkon.graphs.snap_together.displacement import (
    SETTLE,
    Frames,
    apply_maps,
    maps_to,
    pass_through,
    velocities,
)
from walkon.graphs.snap_together.pairing import Pairs
from walkon.graphs.snap_together.reels import Reel
from walkon.motion.library import Library
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

__all__ = ["MARGIN", "Cut", "cut_edges", "edge_contacts"]

MARGIN = 0.13
"""s next to a hub in which contacts are the hub's."""


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
    return _contacts(library, reel, common.contacts[hub[a]], common.contacts[hub[b]])


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
    target, target_speed = targets(common.poses, common.speeds, hubs, places)
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

    heights = _heights(library, reel, contacts, common.heights[hub[a]], common.heights[hub[b]])
    held, missed = reel.locked(Frames(roots, rotations), contacts, heights, pinned=True)
    back = planar.inverse(common.places[a])[edge]
    local = np.array(held.rotations)
    local[:, 0] = quat.multiply(quat.turn(back[:, 2]), local[:, 0])
    return Cut(
        reel=reel,
        motion=Frames(planar.apply_3d(back, held.roots), local),
        contacts=contacts,
        heights=heights,
        displacement=planar.relative(common.places[a], stops),
        missed=missed,
    )


def _contacts(library: Library, reel: Reel, start: BoolArray, stop: BoolArray) -> BoolArray:
    """Return contacts [K, C] that are the hubs' [E, C] at the ends and the source's in between."""
    contacts = np.array(library.contacts[reel.sources])
    margin = max(round(MARGIN * library.fps), 1)
    lengths = reel.stops - reel.starts
    for frames, wanted, step in ((reel.starts, start, 1), (reel.stops - 1, stop, -1)):
        # From the far end of the margin to the hub: what the hub does not have ends; what it has, once begun, goes on.
        begun = np.zeros(wanted.shape, bool)
        for k in range(margin, 0, -1):
            inside = np.flatnonzero(k < lengths - 1)
            at = frames[inside] + step * k
            begun[inside] |= contacts[at]
            contacts[at] = begun[inside] & wanted[inside]
            begun[inside] &= wanted[inside]
    contacts[reel.starts], contacts[reel.stops - 1] = start, stop
    return contacts


def _heights(library: Library, reel: Reel, contacts: BoolArray, start: Array, stop: Array) -> Array:
    """Return support heights [K, C]: the source's, and where a contact goes on up to a hub, the hub's [E, C]."""
    heights = np.where(contacts & library.contacts[reel.sources], library.contact_heights[reel.sources], 0.0)
    margin = max(round(MARGIN * library.fps), 1)
    lengths = reel.stops - reel.starts
    for frames, wanted, step in ((reel.starts, start, 1), (reel.stops - 1, stop, -1)):
        for k in range(margin + 1):
            inside = np.flatnonzero(k < lengths)
            at = frames[inside] + step * k
            gained = contacts[at] & ~library.contacts[reel.sources[at]]
            heights[at] = np.where(gained | (k == 0), wanted[inside], heights[at])
    return np.where(contacts, heights, 0.0)
