"""Self-collision: how deep the limbs of a body are in each other, and how deep they may be.

Compared are the capsules of `limb_pairs`. Flesh gives way and capsules are coarse, so hands lie some millimetres in the
thighs of anybody who sits. What a library's own clips do is no fault: with d the deepest overlap of the flesh of joints
i and j in all of its frames, metres,

    allowance_ij = min(d_ij, MAX_OVERLAP_M) + OVERLAP_MARGIN_M         times the size of a character            (1)

d is measured once, when a library is built, and kept in its skeleton (`Skeleton.self_overlaps`), which goes with it
into graphs and takes. The capsules of one joint share an allowance: a hand that may touch the left column of a chest
may touch the middle one.

Broad phase: boxes around all capsules of a joint, then boxes around capsules; exact gaps only where these meet.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray, lock_fields
from walkon.motion.anatomy.self_rule import MeetingTables
from walkon.motion.body import Body, limb_pairs, world_capsules
from walkon.motion.kinematics import WorldPose, forward
from walkon.motion.library import Library

__all__ = [
    "MAX_OVERLAP_M",
    "OVERLAP_MARGIN_M",
    "Overlaps",
    "make_meetings",
    "measure_overlaps",
    "overlap_allowances",
    "room_for_limbs",
    "with_overlaps",
]

OVERLAP_MARGIN_M = 0.005
"""m deeper than the clips that limbs may be in each other."""
MAX_OVERLAP_M = 0.08
"""m of overlap that clips excuse at most: more than a hand is thick, which is then inside altogether."""
CHUNK_FRAMES = 2048
"""Frames that are posed at a time: bounds the memory."""

Overlaps = Mapping[tuple[int, int], float]
"""Pair of joints, the lower index first → metres of the deepest overlap of their flesh."""


def make_meetings(bodies: Sequence[Body]) -> MeetingTables:
    """Return which capsules of these bodies can meet, sorted by pairs of limbs."""
    most = max((len(body.capsule_parts) for body in bodies), default=1)
    limbs = max((len(np.unique(body.capsule_joints)) for body in bodies), default=1)
    order = np.zeros((len(bodies), most), np.int64)
    spans = np.zeros((len(bodies), limbs + 1), np.int64)
    meetings, pairs, first = [], [], [0]
    done = 0
    for b, body in enumerate(bodies):
        joints, limb = np.unique(body.capsule_joints, return_inverse=True)
        order[b, : len(limb)] = np.argsort(limb, kind="stable")
        spans[b] = np.minimum(np.searchsorted(np.sort(limb), np.arange(limbs + 1)), len(limb) - 1)
        spans[b, len(joints)] = len(limb)
        mine = limb_pairs(body)
        which = np.sort(limb[mine], axis=1)
        ranked = np.lexsort((which[:, 1], which[:, 0]))
        mine, which = mine[ranked], which[ranked]
        starts = np.flatnonzero(np.diff(which, axis=0, prepend=-1).any(axis=1))
        stops = np.append(starts[1:], len(mine))[: len(starts)]
        meetings.append(np.column_stack([which[starts], starts + done, stops + done]))
        pairs.append(mine)
        done += len(mine)
        first.append(first[-1] + len(starts))
    none = np.zeros((0, 4), np.int64)
    return lock_fields(
        MeetingTables(
            order=order,
            limbs=spans,
            first=np.array(first, np.int64),
            meetings=np.ascontiguousarray(np.concatenate([none, *meetings]), np.int64),
            pairs=np.ascontiguousarray(np.concatenate([none[:, :2], *pairs]), np.int64),
        )
    )


def room_for_limbs(tables: MeetingTables) -> Array:
    """Return an array [L, 6] for the boxes around the limbs of a body, in which kernels work."""
    return np.empty((tables.limbs.shape[1] - 1, 6))


class _Placed(NamedTuple):
    starts: Array
    ends: Array
    radii: Array
    boxes: Array


def measure_overlaps(body: Body, poses: Iterable[WorldPose]) -> dict[tuple[int, int], float]:
    """Return how deep the flesh of a body's joints is in each other at most; pairs that stay clear have no entry."""
    from walkon.motion.anatomy import _self_kernels

    tables = make_meetings([body])
    deepest = np.zeros(len(tables.pairs))
    for pose in poses:
        for start in range(0, len(pose.positions), CHUNK_FRAMES):
            part = slice(start, start + CHUNK_FRAMES)
            placed = _place(body, pose.positions[part], pose.rotations[part])
            _self_kernels.deepest_overlaps(tables, *placed, room_for_limbs(tables), deepest)
    joints = np.sort(body.capsule_joints[tables.pairs], axis=1)
    found: dict[tuple[int, int], float] = {}
    for (a, b), depth in zip(joints.tolist(), deepest.tolist(), strict=True):
        if depth > 0.0:
            found[a, b] = max(found.get((a, b), 0.0), depth)
    return dict(sorted(found.items()))


def _place(body: Body, positions: Array, rotations: Array) -> _Placed:
    """Return the capsules of a body in the world, and the boxes [R, K, 6] around them."""
    starts, ends = world_capsules(body, positions, rotations)
    radii = np.ascontiguousarray(np.broadcast_to(body.capsule_radii, (*starts.shape[:-1], 2)))
    low = np.minimum(starts - radii[..., :1], ends - radii[..., 1:])
    high = np.maximum(starts + radii[..., :1], ends + radii[..., 1:])
    return _Placed(
        np.ascontiguousarray(starts), np.ascontiguousarray(ends), radii, np.concatenate([low, high], axis=-1)
    )


def with_overlaps(library: Library) -> Library:
    """Return the library with the deepest overlaps of its own clips in its skeleton."""
    pose = forward(library.skeleton, library.root_positions, library.local_rotations)
    found = measure_overlaps(Body.of(library.skeleton), [pose])
    return replace(library, skeleton=replace(library.skeleton, self_overlaps=found))


def overlap_allowances(body: Body, overlaps: Overlaps, pairs: IntArray) -> Array:
    """Return m [P] by which pairs [P, 2] of a body's capsules may overlap, eq. (1)."""
    joints = np.sort(body.capsule_joints[pairs], axis=1)
    known = np.zeros((len(body.skeleton),) * 2)
    for (a, b), depth in overlaps.items():
        known[a, b] = depth
    return np.minimum(known[joints[:, 0], joints[:, 1]], MAX_OVERLAP_M) + OVERLAP_MARGIN_M
