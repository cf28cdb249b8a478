"""One round of section 4.2.2: whole clips bent through the common poses, their feet held, and what that makes of them.

Every clip that has match frames is bent as it is in the source, by displacement maps at its match frames, and its
planted feet are held with the contacts that edges will have (`hub_contacts`). Nothing is pinned, so planting may move
the match frames themselves: the next round averages what has become of them.

The hips are not lowered and the tips of the toes not lifted here: averages of lowered poses would be lowered again,
and rounds never settle. That is done once, where the finished pose is put on its feet.

Metres, seconds. Reference: Gleicher, Shin, Kovar, Jepsen 2003, section 4.2.2.
"""

from dataclasses import dataclass, replace

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.snap_together.common_pose import in_clips
from walkon.graphs.snap_together.displacement import Frames, apply_maps, maps_to
from walkon.graphs.snap_together.hub_contacts import Approach, contacts_near, heights_near
from walkon.graphs.snap_together.reels import RULE, Reel
from walkon.motion.library import Library

__all__ = ["WholeClips"]

GENTLE = replace(RULE, max_root_shift=0.0, clearance=0.0)
"""What leaves feet that are held already as they are."""


@dataclass(frozen=True, eq=False, kw_only=True)
class WholeClips:
    """The F frames of all clips that have primary match frames, and which maps act on each of them."""

    reel: Reel
    contacts: BoolArray
    """[F, C]: the hubs' in match frames."""
    heights: Array
    """[F, C] m."""
    before: IntArray
    """[F] the match frame (a row) at or before each frame, in its clip; −1 for none."""
    after: IntArray
    since: Array
    """[F] s since the match frame before, or since the clip's beginning."""
    until: Array
    gap: Array
    """[F] s between these two."""
    rows: IntArray
    """[n] the primary match frames."""
    at: IntArray
    """[n] their frames of the reel."""

    @classmethod
    def of(
        cls,
        library: Library,
        hub: IntArray,
        frame: IntArray,
        *,
        primary: BoolArray,
        contacts: BoolArray,
        heights: Array,
    ) -> "WholeClips":
        """Lay out the clips of match frames [M]; `contacts` and `heights` [H, C] are the hubs'."""
        rows = np.flatnonzero(primary)
        rows = rows[np.argsort(frame[rows], kind="stable")]
        used = np.unique(np.searchsorted(library.stops, frame[rows], side="right"))
        reel = Reel.of(library, library.starts[used], library.stops[used] - 1)
        motion = np.searchsorted(library.stops[used], frame[rows], side="right")
        at = frame[rows] - library.starts[used][motion] + reel.starts[motion]
        ahead = np.minimum(np.append(at[1:], len(reel.sources)), reel.stops[motion]) - at
        behind = at - np.maximum(np.insert(at[:-1], 0, -1), reel.starts[motion] - 1)
        mine = hub[rows]
        sides = [
            Approach(at, 1, ahead, contacts[mine], heights[mine]),
            Approach(at, -1, behind, contacts[mine], heights[mine]),
        ]
        source, supports = library.contacts[reel.sources], library.contact_heights[reel.sources]
        wanted = contacts_near(source, sides, fps=library.fps)
        here = np.arange(len(reel.sources))
        clip = np.searchsorted(reel.stops, here, side="right")
        last, following = np.searchsorted(at, here, side="right") - 1, np.searchsorted(at, here, side="right")
        has_last = (last >= 0) & (at[last] >= reel.starts[clip])
        following = np.minimum(following, len(at) - 1)
        has_next = (at[following] > here) & (at[following] < reel.stops[clip])
        low = np.where(has_last, at[last], reel.starts[clip])
        high = np.where(has_next, at[following], reel.stops[clip] - 1)
        return cls(
            reel=reel,
            contacts=wanted,
            heights=heights_near(wanted, source, supports, sides, fps=library.fps),
            before=np.where(has_last, rows[last], -1),
            after=np.where(has_next, rows[following], -1),
            since=(here - low) / library.fps,
            until=(high - here) / library.fps,
            gap=np.maximum(high - low, 1) / library.fps,
            rows=rows,
            at=at,
        )

    def held_through(
        self, poses: Frames, speeds: Frames, *, hub: IntArray, places: Array, now: Frames, speed: Frames
    ) -> Frames:
        """Bend the clips through common poses [H] and hold their feet; return the primary match frames [n] after it.

        `now` and `speed` [M] are the match frames of the source, `places` [M, 3] the hubs' frames in their worlds.
        """
        target, target_speed = in_clips(poses, speeds, hub, places)
        bent = apply_maps(
            self.reel.motion,
            maps_to(now, speed, target, target_speed),
            before=self.before,
            after=self.after,
            since=self.since,
            until=self.until,
            gap=self.gap,
        )
        held, _ = self.reel.locked(bent, self.contacts, self.heights, pinned=False, rule=GENTLE)
        return Frames(held.roots[self.at], held.rotations[self.at])
