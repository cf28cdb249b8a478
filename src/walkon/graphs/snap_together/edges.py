"""Edges: the source between two match frames, bent so that it begins and ends in the common poses, feet planted.

Every match frame is followed, in its clip, by the next one; where that one lies within w_min of match frames of other
hubs, it leads to those as well. For each such pair there is an edge of its own, so that a moment which is like two hubs
serves both: fully the one it is nearest to (its *primary* one), and the other as a way to or from somewhere else.

Contacts at an edge's ends are those of its hubs: a contact that the hub does not have ends `MARGIN` before it, one that
it has in addition begins there.

An edge's own world is its start hub's frame. Metres, seconds.
"""

from dataclasses import dataclass

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.snap_together.constraints import CommonPoses, targets
from walkon.graphs.snap_together.displacement import Frames, apply_maps, maps_to, velocities
from walkon.graphs.snap_together.reels import Reel
from walkon.motion.library import Library
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

__all__ = ["Cut", "Pairs", "cut_edges", "pair_matches"]

MARGIN = 0.1
"""s before a hub in which a contact that it does not have comes to its end."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Pairs:
    """E pairs of match frames that follow each other."""

    first: IntArray
    """[E] rows of the match frames."""
    last: IntArray


def pair_matches(clip: IntArray, frame: IntArray, hub: IntArray, *, primary: BoolArray, spacing: int) -> Pairs:
    """Pair every match frame [M] with the ones that come next in its clip, at least `spacing` frames later.

    At least one of each pair is `primary` [M].
    """
    order = np.lexsort((hub, frame, clip))
    first, last = [], []
    for k, row in enumerate(order.tolist()):
        later = order[k + 1 :]
        stop = np.searchsorted(clip[later], clip[row], side="right")
        later = later[:stop][:64]
        later = later[frame[later] >= frame[row] + spacing]
        if len(later):
            near = later[frame[later] < frame[later[0]] + spacing]
            # Of several frames of one hub the first; hubs come in order of time.
            _, unique = np.unique(hub[near], return_index=True)
            for other in near[np.sort(unique)].tolist():
                if primary[row] or primary[other]:
                    first.append(row)
                    last.append(other)
    return Pairs(first=np.array(first, np.int64), last=np.array(last, np.int64))


@dataclass(frozen=True, eq=False, kw_only=True)
class Cut:
    """E edges of K frames in all."""

    reel: Reel
    motion: Frames
    """[K] each edge in its start hub's frame."""
    contacts: BoolArray
    """[K, C]."""
    displacement: Array
    """[E, 3]."""
    missed: Array
    """[K, 2] m by which planted legs fall short."""


def cut_edges(library: Library, hub: IntArray, frame: IntArray, common: CommonPoses, pairs: Pairs, stops: Array) -> Cut:
    """Make the edges. `frame` [M] are library frames; `stops` [E, 3] where each stop hub lies in the source's world.

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
    # The ends are the common poses to the last bit, whatever rounding did.
    roots, rotations = np.array(bent.roots), np.array(bent.rotations)
    both = np.concatenate([reel.starts, reel.stops - 1])
    roots[both], rotations[both] = target.roots, target.rotations

    contacts = _contacts(library, reel, common.contacts[hub[a]], common.contacts[hub[b]])
    heights = np.where(contacts, library.contact_heights[reel.sources], 0.0)
    heights[reel.starts], heights[reel.stops - 1] = common.heights[hub[a]], common.heights[hub[b]]
    held, missed = reel.locked(Frames(roots, rotations), contacts, heights, pinned=True)
    back = planar.inverse(common.places[a])[edge]
    local = np.array(held.rotations)
    local[:, 0] = quat.multiply(quat.turn(back[:, 2]), local[:, 0])
    return Cut(
        reel=reel,
        motion=Frames(planar.apply_3d(back, held.roots), local),
        contacts=contacts,
        displacement=planar.relative(common.places[a], stops),
        missed=missed,
    )


def _contacts(library: Library, reel: Reel, start: BoolArray, stop: BoolArray) -> BoolArray:
    """Return contacts [K, C] that are the hubs' [E, C] at the ends and the source's in between."""
    contacts = np.array(library.contacts[reel.sources])
    margin = max(round(MARGIN * library.fps), 1)
    for frames, wanted, step in ((reel.starts, start, 1), (reel.stops - 1, stop, -1)):
        lost = contacts[frames] & ~wanted
        gained = wanted & ~contacts[frames]
        for k in range(margin):
            at = np.clip(frames + step * k, reel.starts, reel.stops - 1)
            contacts[at] &= ~lost
        # A contact that begins within the margin is joined to the hub's.
        for k in range(1, margin + 1):
            at = np.clip(frames + step * k, reel.starts, reel.stops - 1)
            near = gained & contacts[at]
            for back in range(1, k):
                between = np.clip(frames + step * back, reel.starts, reel.stops - 1)
                contacts[between] |= near
        contacts[frames] = wanted
    return contacts
