"""Common poses that respect the feet: planted points on the ground, and as little as possible for locking to change.

A contact exists at a hub where most of its match frames have it. The common pose is found in rounds (section 4.2.2).
Each begins with the source as it is: the working set is averaged, every clip is bent through the averages by
displacement maps, planted feet are held, and the match frames that come out are the next working set. So a pose is
found which locking would leave alone, instead of one from which a foot must rush to its next plant. At last the common
pose itself is put on its feet by inverse kinematics.

Metres, seconds. Reference: Gleicher, Shin, Kovar, Jepsen 2003, section 4.2.2.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.snap_together import common_pose
from walkon.graphs.snap_together.displacement import Frames, accelerations, apply_maps, maps_to, velocities
from walkon.graphs.snap_together.reels import Reel
from walkon.motion.clip import Clip
from walkon.motion.foot_lock import lock_feet
from walkon.motion.library import Library
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

__all__ = ["CommonPoses", "majority", "put_on_feet", "solve_common_poses"]


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
    means = [common_pose.mean_velocity(laid[r], Frames(speed.roots[r], speed.rotations[r])) for r in rows]
    change = accelerations(source, frame, library.starts[clip], library.stops[clip] - 1, fps=library.fps)
    bends = [common_pose.mean_velocity(laid[r], Frames(change.roots[r], change.rotations[r])) for r in rows]
    working = Frames(library.root_positions[frame], library.local_rotations[frame])
    whole = _whole_clips(library, clip, frame, primary)
    for done in range(rounds + 1):
        found = []
        for h, r in enumerate(rows):
            aligned = common_pose.moved(laid[r], Frames(working.roots[r], working.rotations[r]))
            mean = common_pose.mean_pose(aligned)
            if done == rounds:
                mean = put_on_feet(library, mean, contacts[h], heights[h])
            found.append(common_pose.in_frame(library, mean, means[h]))
        origins = np.array([f.origin for f in found])
        poses = Frames(np.array([f.pose.roots for f in found]), np.array([f.pose.rotations for f in found]))
        speeds = Frames(np.array([f.speed.roots for f in found]), np.array([f.speed.rotations for f in found]))
        changes = Frames(
            quat.rotate(quat.turn(-origins[:, 2]), np.array([bend.roots for bend in bends])),
            np.array([bend.rotations for bend in bends]),
        )
        places = planar.compose(planar.inverse(laid), origins[hub])
        if done < rounds and whole is not None:
            working = _locked_match_frames(library, whole, hub, frame, primary, places, poses, speeds, speed, working)
    return CommonPoses(poses, speeds, changes, contacts, heights, places)


def targets(poses: Frames, speeds: Frames, hub: IntArray, places: Array) -> tuple[Frames, Frames]:
    """Return the common pose and its velocity in the world of each match frame's clip."""
    target = common_pose.moved(places, Frames(poses.roots[hub], poses.rotations[hub]))
    return target, turned_along(speeds, hub, places)


def turned_along(rates: Frames, hub: IntArray, places: Array) -> Frames:
    """Return velocities or accelerations of hubs in the world of each match frame's clip."""
    return Frames(quat.rotate(quat.turn(places[:, 2]), rates.roots[hub]), rates.rotations[hub])


class _Whole(NamedTuple):
    """The clips that have match frames, on one reel, and which maps act on each frame."""

    reel: Reel
    before: IntArray
    after: IntArray
    since: Array
    until: Array
    gap: Array
    at: IntArray
    """[M] the reel's frame of each primary match frame; −1 for the others."""


def _whole_clips(library: Library, clip: IntArray, frame: IntArray, primary: BoolArray) -> _Whole | None:
    if not len(library.skeleton.contact_names) or not library.contacts.any():
        return None
    used = np.unique(clip[primary])
    reel = Reel.of(library, library.starts[used], library.stops[used] - 1)
    F = len(reel.sources)
    place = np.full(int(library.stops[-1]), -1)
    place[reel.sources] = np.arange(F)
    at = np.where(primary, place[frame], -1)
    owner = np.full(F, -1)
    owner[at[primary]] = np.flatnonzero(primary)
    motion = np.searchsorted(reel.stops, np.arange(F), side="right")
    last = np.maximum.accumulate(np.where(owner >= 0, np.arange(F), -1))
    last = np.where(last >= reel.starts[motion], last, -1)
    nxt = np.minimum.accumulate(np.where(owner >= 0, np.arange(F), F)[::-1])[::-1]
    nxt = np.append(nxt[1:], F)  # a match frame is the one before; the one after lies strictly behind it
    nxt = np.where(nxt < reel.stops[motion], nxt, F)
    here = np.arange(F)
    before = np.where(last >= 0, owner[last], -1)
    after = np.where(nxt < F, owner[np.minimum(nxt, F - 1)], -1)
    low = np.where(last >= 0, last, reel.starts[motion])
    high = np.where(nxt < F, nxt, reel.stops[motion] - 1)
    gap = np.maximum(high - low, 1) / library.fps
    return _Whole(reel, before, after, (here - low) / library.fps, (high - here) / library.fps, gap, at)


def _locked_match_frames(
    library: Library,
    whole: _Whole,
    hub: IntArray,
    frame: IntArray,
    primary: BoolArray,
    places: Array,
    poses: Frames,
    speeds: Frames,
    speed: Frames,
    working: Frames,
) -> Frames:
    """Bend the source through the common poses, hold its feet, and return what became of the match frames [M]."""
    target, target_speed = targets(poses, speeds, hub, places)
    now = Frames(library.root_positions[frame], library.local_rotations[frame])
    maps = maps_to(now, speed, target, target_speed)
    bent = apply_maps(
        whole.reel.motion,
        maps,
        before=whole.before,
        after=whole.after,
        since=whole.since,
        until=whole.until,
        gap=whole.gap,
    )
    contacts, heights = library.contacts[whole.reel.sources], library.contact_heights[whole.reel.sources]
    held, _ = whole.reel.locked(bent, contacts, heights, pinned=False)
    roots, rotations = np.array(working.roots), np.array(working.rotations)
    roots[primary], rotations[primary] = held.roots[whole.at[primary]], held.rotations[whole.at[primary]]
    return Frames(roots, rotations)


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
