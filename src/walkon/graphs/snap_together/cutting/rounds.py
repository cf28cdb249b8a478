"""The rounds of section 4.2.2: clips are bent through the common poses and their feet held, and poses are found anew.

Every clip that has match frames is bent by displacement maps at its match frames, and its planted feet are held with
the contacts that edges will have (`hub_contacts`). Nothing is pinned, so planting may move the match frames themselves:
what has become of them is averaged for the next round. The first round holds the source as it is, and all further ones
begin with that. So a foot that swings at a hub and is planted soon before or after comes to be where it can swing from.

Poses settle because nothing is added up from round to round:

* The hips are not lowered and the tips of the toes not lifted; averages of lowered poses would be lowered again. That
  is done once, where the finished pose is put on its feet.
* A foot that is down at the hub stays where the mean has it: edges will have it there. Where a bent clip has it in the
  middle of its plant, x' = h x + c with h near 1, says little, and comes to rest at c / (1 − h), centimetres away.

Metres, seconds. Reference: Gleicher, Shin, Kovar, Jepsen 2003, section 4.2.2.
"""

from dataclasses import dataclass, replace

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.snap_together.cutting.common_pose import in_clips
from walkon.graphs.snap_together.cutting.displacement import Frames, apply_maps, maps_to, velocities
from walkon.graphs.snap_together.cutting.hub_contacts import Approach, contacts_near, heights_near
from walkon.graphs.snap_together.cutting.reels import RULE, Reel
from walkon.graphs.snap_together.matching.passing import feet_down
from walkon.motion.legs import Leg
from walkon.motion.library import Library
from walkon.motion.skeleton import SIDES

__all__ = ["WholeClips"]

GENTLE = replace(RULE, max_root_shift=0.0, clearance=0.0)
"""What leaves feet that are held already as they are."""


@dataclass(frozen=True, eq=False, kw_only=True)
class WholeClips:
    """The F frames of all clips that have primary match frames, and which maps act on each of them."""

    reel: Reel
    motion: Frames
    """[F] the source with its feet held: what every round begins with."""
    contacts: BoolArray
    """[F, C]: the hubs' in match frames."""
    heights: Array
    """[F, C] m."""
    before: IntArray
    """[F] which of the n match frames is at or before each frame, in its clip; −1 for none."""
    after: IntArray
    since: Array
    """[F] s since the match frame before, or since the clip's beginning."""
    until: Array
    gap: Array
    """[F] s between these two."""
    rows: IntArray
    """[n] the primary match frames, in order of time."""
    hub: IntArray
    """[n]."""
    down: BoolArray
    """[n, 2] whether the left and the right foot are down in their hubs."""
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
        clip = np.searchsorted(library.stops[used], frame[rows], side="right")
        at = frame[rows] - library.starts[used][clip] + reel.starts[clip]
        ahead = np.minimum(np.append(at[1:], len(reel.sources)), reel.stops[clip]) - at
        behind = at - np.maximum(np.insert(at[:-1], 0, -1), reel.starts[clip] - 1)
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
        held = heights_near(wanted, source, supports, sides, fps=library.fps)
        motion, _ = reel.locked(reel.motion, wanted, held, pinned=False, rule=GENTLE)
        return cls(
            reel=reel,
            motion=motion,
            contacts=wanted,
            heights=held,
            before=np.where(has_last, last, -1),
            after=np.where(has_next, following, -1),
            since=(here - low) / library.fps,
            until=(high - here) / library.fps,
            gap=np.maximum(high - low, 1) / library.fps,
            rows=rows,
            hub=mine,
            down=feet_down(library.skeleton, contacts[mine]),
            at=at,
        )

    @property
    def held(self) -> Frames:
        """The match frames [n] of the source with its feet held."""
        return Frames(self.motion.roots[self.at], self.motion.rotations[self.at])

    def held_through(self, poses: Frames, speeds: Frames, places: Array) -> Frames:
        """Bend the clips through common poses [H] and hold their feet; return what became of the match frames [n].

        `places` [n, 3] are the hubs' frames in the worlds of the match frames' clips.
        """
        motion, first = self.motion, np.searchsorted(self.reel.stops, self.at, side="right")
        speed = velocities(
            motion, self.at, self.reel.starts[first], self.reel.stops[first] - 1, fps=self.reel.library.fps
        )
        target, target_speed = in_clips(poses, speeds, self.hub, places)
        bent = apply_maps(
            motion,
            maps_to(self.held, speed, target, target_speed),
            before=self.before,
            after=self.after,
            since=self.since,
            until=self.until,
            gap=self.gap,
        )
        held, _ = self.reel.locked(bent, self.contacts, self.heights, pinned=False, rule=GENTLE)
        rotations = np.array(target.rotations)
        for side, name in enumerate(SIDES):
            leg = Leg.of(self.reel.library.skeleton, name)
            swings = np.flatnonzero(~self.down[:, side])[:, None]
            joints = np.array([leg.hip, leg.knee, leg.ankle, leg.ball])
            rotations[swings, joints] = held.rotations[self.at[swings], joints]
        return Frames(np.array(target.roots), rotations)
