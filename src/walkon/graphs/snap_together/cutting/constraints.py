"""Common poses under foot constraints, by fixed-point iteration: average, bend, hold planted feet, and again.

A contact exists at a hub where most of its match frames have it. The common pose is found in rounds (section 4.2.2).
Each begins with the source as it is: the working set is averaged, every clip is bent through the averages by
displacement maps, planted feet are held, and the match frames that come out are the next working set (`WholeClips`).
So a pose is found which locking would leave alone, instead of one from which a foot must rush to its next plant. At
last the common pose itself is put on its feet by inverse kinematics.

In a round every clip that has match frames is bent by displacement maps at its match frames, and its planted feet are
held with the contacts that edges will have (`reels`). Nothing is pinned, so planting may move the match frames
themselves: what has become of them is averaged for the next round. The first round holds the source as it is, and all
further ones begin with that. So a foot that swings at a hub and is planted soon before or after comes to be where it
can swing from.

Poses settle because nothing is added up from round to round:

* The hips are not lowered and the tips of the toes not lifted; averages of lowered poses would be lowered again. That
  is done once, where the finished pose is put on its feet.
* A foot that is down at the hub stays where the mean has it: edges will have it there. Where a bent clip has it in the
  middle of its plant, x' = h x + c with h near 1, says little, and comes to rest at c / (1 − h), centimetres away.

Metres, seconds. Reference: Gleicher, Shin, Kovar, Jepsen 2003, section 4.2.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.snap_together.cutting import common_pose
from walkon.graphs.snap_together.cutting.common_pose import in_clips
from walkon.graphs.snap_together.cutting.displacement import Frames, accelerations, apply_maps, maps_to, velocities
from walkon.graphs.snap_together.cutting.reels import LOCK_RULE, Approach, Reel, contacts_near, heights_near
from walkon.graphs.snap_together.matching.passing import feet_down
from walkon.motion.clip import Clip
from walkon.motion.contacts.foot_lock import lock_feet
from walkon.motion.library import Library
from walkon.motion.limbs.legs import Leg
from walkon.motion.skeleton import SIDES
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

__all__ = ["CommonPoses", "WholeClips", "majority", "put_on_feet", "solve_common_poses"]

GENTLE_LOCK_RULE = replace(LOCK_RULE, max_root_shift=0.0, clearance=0.0)
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
        motion, _ = reel.lock_feet(reel.motion, wanted, held, pinned=False, rule=GENTLE_LOCK_RULE)
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

    def hold_through(self, poses: Frames, speeds: Frames, places: Array) -> Frames:
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
        held, _ = self.reel.lock_feet(bent, self.contacts, self.heights, pinned=False, rule=GENTLE_LOCK_RULE)
        rotations = np.array(target.rotations)
        for side, name in enumerate(SIDES):
            leg = Leg.of(self.reel.library.skeleton, name)
            swings = np.flatnonzero(~self.down[:, side])[:, None]
            joints = np.array([leg.hip, leg.knee, leg.ankle, leg.ball])
            rotations[swings, joints] = held.rotations[self.at[swings], joints]
        return Frames(np.array(target.roots), rotations)


CONVERGED_RAD = 1e-5
"""rad: where no joint turns farther from one round to the next, further rounds would change nothing."""


class CommonPoses(NamedTuple):
    """The common poses of H hubs, each in its hub's frame, and where those frames lie."""

    poses: Frames
    """[H]."""
    speeds: Frames
    """[H]."""
    changes: Frames
    """[H] m/s² and rad/s²: how fast the speeds change."""
    contacts: BoolArray
    """[H, C]."""
    heights: Array
    """[H, C] metres of the supports."""
    places: Array
    """[M, 3] the hub's frame in the world of each match frame's clip."""


def majority(flags: BoolArray, hubs: IntArray, count: int) -> BoolArray:
    """Return [count, …] what more than half of each hub's match frames have, of flags [M, …]."""
    sums = np.zeros((count, *flags.shape[1:]))
    np.add.at(sums, hubs, flags)
    size = np.bincount(hubs, minlength=count).reshape((count,) + (1,) * (flags.ndim - 1))
    return np.asarray(sums > 0.5 * size)


def solve_common_poses(
    library: Library, hub: IntArray, frame: IntArray, laid: Array, *, primary: BoolArray, rounds: int = 3
) -> CommonPoses:
    """Find the common poses of match frames [M]: their hubs, library frames, and alignments T_kb [M, 3].

    Only `primary` ones [M] shape the poses: a frame that is in two sets belongs to the nearer one.
    """
    H = int(hub.max()) + 1
    clip = np.searchsorted(library.stops, frame, side="right")
    source = Frames(library.root_positions, library.local_rotations)
    speed = velocities(source, frame, library.starts[clip], library.stops[clip] - 1, fps=library.fps)
    contacts = majority(library.contacts[frame[primary]], hub[primary], H)
    heights = np.zeros(contacts.shape)
    np.add.at(heights, hub[primary], library.contact_heights[frame[primary]])
    has = np.zeros(contacts.shape)
    np.add.at(has, hub[primary], library.contacts[frame[primary]])
    heights = np.where(contacts, heights / np.maximum(has, 1), 0.0)

    rows = [np.flatnonzero(primary & (hub == h)) for h in range(H)]
    means = _stack([common_pose.mean_velocity(laid[r], Frames(speed.roots[r], speed.rotations[r])) for r in rows])
    change = accelerations(source, frame, library.starts[clip], library.stops[clip] - 1, fps=library.fps)
    bends = _stack([common_pose.mean_velocity(laid[r], Frames(change.roots[r], change.rotations[r])) for r in rows])
    found = [_mean(laid[r], library.root_positions[frame[r]], library.local_rotations[frame[r]]) for r in rows]
    if rounds and library.skeleton.has_feet and library.contacts.any():
        whole = WholeClips.of(library, hub, frame, primary=primary, contacts=contacts, heights=heights)
        of_hub = [np.flatnonzero(whole.hub == h) for h in range(H)]
        for done in range(rounds):
            held = whole.held
            if done:
                poses, speeds, origins = common_pose.in_frame(library, _stack(found), means)
                places = planar.compose(planar.inverse(laid), origins[hub])
                held = whole.hold_through(poses, speeds, places[whole.rows])
            before, found = found, [_mean(laid[whole.rows[k]], held.roots[k], held.rotations[k]) for k in of_hub]
            if (
                done
                and max(quat.angle_between(a.rotations, b.rotations).max() for a, b in zip(before, found, strict=True))
                < CONVERGED_RAD
            ):
                break
    found = [put_on_feet(library, pose, contacts[h], heights[h]) for h, pose in enumerate(found)]
    poses, speeds, origins = common_pose.in_frame(library, _stack(found), means)
    changes = Frames(quat.rotate(quat.turn(-origins[:, 2]), bends.roots), bends.rotations)
    return CommonPoses(poses, speeds, changes, contacts, heights, planar.compose(planar.inverse(laid), origins[hub]))


def _mean(laid: Array, roots: Array, rotations: Array) -> Frames:
    return common_pose.mean_pose(common_pose.move_frames(laid, Frames(roots, rotations)))


def _stack(frames: Sequence[Frames]) -> Frames:
    return Frames(*(np.array(parts) for parts in zip(*frames, strict=True)))


def put_on_feet(library: Library, pose: Frames, contacts: BoolArray, heights: Array) -> Frames:
    """Return a pose whose planted heels and balls [C] are on their supports, with the body changed as little."""
    if not contacts.any():
        return pose
    clip = Clip(
        skeleton=library.skeleton,
        fps=library.fps,
        root_positions=pose.roots[None],
        local_rotations=pose.rotations[None],
        contacts=contacts[None],
        contact_heights=heights[None],
    )
    held = lock_feet(clip).clip
    return Frames(held.root_positions[0], held.local_rotations[0])
