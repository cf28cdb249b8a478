"""Common poses: what the match frames of a hub are replaced by, in one frame of reference, with one velocity.

Match frames lie anywhere in their clips' worlds. The most central one (the smallest sum of distances to the others)
is the base b; each other k is laid onto it by the closed form of `frame_distance`, T_kb, and all further transforms go
through it, T_pq = T_bq T_bp⁻¹, so that they agree (equation 5). The foot that stands has half of all weight in this
fit: equal weights move it by 3 to 5 cm, half by 1.5, and the hips hardly notice.

    root   = mean of T_kb p_k           joint  = mean rotation (the largest eigenvector of Σ q qᵀ)
    speeds = means of the speeds of the match frames, turned along

The hub's frame is the planar pose of this common pose: there it stands at the origin and faces +x.

Metres, seconds; rotations w first. Reference: Gleicher, Shin, Kovar, Jepsen 2003, section 4.2.1. Difference: rotations
are averaged by Markley's eigenvector instead of Park's iteration; for poses that are alike both are the same.
"""

from collections.abc import Mapping

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.table import Column
from walkon.graphs.frame_distance import align
from walkon.graphs.point_clouds import FrameSet, compared_joints
from walkon.graphs.snap_together.cutting.displacement import Frames
from walkon.graphs.snap_together.matching.match_sets import MatchSet
from walkon.graphs.snap_together.snap_graph import BOTH, LEFT, NEITHER, RIGHT
from walkon.motion.kinematics import forward, planar_poses
from walkon.motion.library import Library
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

__all__ = [
    "find_central",
    "in_clips",
    "in_frame",
    "lay_matches",
    "lay_on_base",
    "mean_pose",
    "mean_velocity",
    "move_frames",
    "stance_weights",
    "turn_rates",
]

CENTRAL_SAMPLE_FRAMES = 64
"""Match frames that all others are measured against to find the most central one."""


def stance_weights(skeleton: Skeleton, stance: int) -> dict[str, float]:
    """Return joint weights for `FrameSet.of` in which the standing feet have half of all weight."""
    sides = {LEFT: SIDES[:1], RIGHT: SIDES[1:], BOTH: SIDES, NEITHER: ()}[stance]
    roles = [f"{side}_{part}" for side in sides for part in ("ankle", "ball")]
    if not roles or not skeleton.has_roles(roles):
        return {}
    others = len(set(compared_joints(skeleton).tolist()) - {skeleton.role(role) for role in roles})
    return {role: others / len(roles) for role in roles}


def find_central(frames: FrameSet, members: IntArray) -> int:
    """Return which of the members [n] (compared frames) has the smallest sum of distances to the others.

    To `CENTRAL_SAMPLE_FRAMES` of them at most, evenly chosen: a set of hundreds has as many pairs as a large graph has
    edges.
    """
    count = min(len(members), CENTRAL_SAMPLE_FRAMES)
    others = members[np.unique(np.linspace(0, len(members) - 1, count).astype(np.int64))]
    pairs = np.column_stack([np.repeat(members, len(others)), np.tile(others, len(members))])
    found = align(frames, pairs).distances.reshape(len(members), len(others))
    return int(np.argmin(found.sum(axis=1)))


def lay_on_base(frames: FrameSet, members: IntArray, base: int) -> Array:
    """Return T_kb [n, 3]: the planar pose that takes each member's world to that of the base, a row of the members."""
    pairs = np.column_stack([np.full(len(members), members[base]), members])
    poses = align(frames, pairs).poses
    poses[base] = 0.0
    return poses


def lay_matches(
    library: Library, frames: FrameSet, hubs: Mapping[str, MatchSet], stances: Column
) -> tuple[Array, IntArray]:
    """Return T_kb [M, 3] of all match frames, and each hub's base as a row of the matches."""
    weighted: dict[int, FrameSet] = {}
    laid, bases, first = [], [], 0
    for found, stance in zip(hubs.values(), stances.tolist(), strict=True):
        if stance not in weighted:
            weights = stance_weights(library.skeleton, stance)
            window = frames.length / frames.rate
            weighted[stance] = FrameSet.of(
                library, rate=frames.rate, window=window, layout="centred", joint_weights=weights
            )
        base = find_central(frames, found.frames)
        laid.append(lay_on_base(weighted[stance], found.frames, base))
        bases.append(first + base)
        first += len(found.frames)
    return np.concatenate(laid), np.array(bases)


def move_frames(poses: Array, frames: Frames) -> Frames:
    """Turn and slide poses [n] along the floor by planar poses [n, 3] (or one)."""
    rotations = np.array(frames.rotations)
    rotations[:, 0] = quat.multiply(quat.turn(poses[..., 2]), rotations[:, 0])
    return Frames(planar.apply_3d(poses, frames.roots), rotations)


def mean_pose(frames: Frames) -> Frames:
    """Return the mean of aligned poses [n]."""
    return Frames(frames.roots.mean(axis=0), quat.mean(frames.rotations))


def mean_velocity(poses: Array, speeds: Frames) -> Frames:
    """Return the mean velocity of match frames [n]; those of roots are turned by the alignments [n, 3] first.

    A joint's angular velocity is in its own frame, which the alignment does not change.
    """
    turned = quat.rotate(quat.turn(poses[:, 2]), speeds.roots)
    return Frames(turned.mean(axis=0), speeds.rotations.mean(axis=0))


def in_frame(library: Library, poses: Frames, speeds: Frames) -> tuple[Frames, Frames, Array]:
    """Return poses [H] and their velocities in the frames of their own planar poses, and these frames [H, 3]."""
    origins = planar_poses(library.skeleton, forward(library.skeleton, poses.roots, poses.rotations))
    back = planar.inverse(origins)
    return move_frames(back, poses), Frames(quat.rotate(quat.turn(back[:, 2]), speeds.roots), speeds.rotations), origins


def in_clips(poses: Frames, speeds: Frames, hub: IntArray, places: Array) -> tuple[Frames, Frames]:
    """Return the common poses [H] and their velocities in the worlds of match frames [M], at these places [M, 3]."""
    return move_frames(places, Frames(poses.roots[hub], poses.rotations[hub])), turn_rates(speeds, hub, places)


def turn_rates(rates: Frames, hub: IntArray, places: Array) -> Frames:
    """Return velocities or accelerations of hubs [H] in the worlds of match frames [M]."""
    return Frames(quat.rotate(quat.turn(places[:, 2]), rates.roots[hub]), rates.rotations[hub])
