"""Where a body cuts through itself: the depth at which capsules of different limbs overlap.

Limbs that hang together (a thigh and the pelvis, an upper arm and the chest) overlap at their joints by construction
and are not compared; nor are capsules that touch when the body is at rest. Metres.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.geometry.capsules import Capsules, gaps
from walkon.motion.body import Body, world_capsules
from walkon.motion.clip import Clip
from walkon.motion.kinematics import forward
from walkon.transforms import quaternions as quat

__all__ = ["SelfContact", "limb_pairs", "self_contact"]

APART = 3
"""Bones between two joints from which on their capsules are compared."""
CHUNK = 512
"""Frames that are compared at once: bounds the memory."""


class SelfContact(NamedTuple):
    """How deep limbs cut into each other."""

    depth: Array
    """[T] m, the deepest overlap of each frame; 0 where limbs are clear of each other."""
    worst: tuple[str, str]
    """The two parts that overlap most, over all frames."""
    frame: int
    """The frame in which they do."""


def limb_pairs(body: Body) -> IntArray:
    """Return the pairs [P, 2] of capsules that can meet: of joints at least `APART` bones apart, clear at rest."""
    steps = _bones_between(body)
    joints = body.capsule_joints
    first, second = np.triu_indices(len(joints), 1)
    far = steps[joints[first], joints[second]] >= APART
    pairs = np.stack([first[far], second[far]], axis=1)
    rest = forward(body.skeleton, body.skeleton.offsets[None, 0], np.tile(quat.IDENTITY, (1, len(body.skeleton), 1)))
    return pairs[_gaps(body, rest.positions, rest.rotations, pairs)[0] > 0]


def self_contact(clip: Clip, *, body: Body | None = None) -> SelfContact:
    """Measure how deep a clip's limbs cut into each other, frame by frame."""
    body = body or Body.of(clip.skeleton)
    pairs = limb_pairs(body)
    if len(pairs) == 0:
        return SelfContact(np.zeros(len(clip)), ("", ""), 0)
    depth, worst, deepest, frame = np.zeros(len(clip)), 0, 0.0, 0
    for start in range(0, len(clip), CHUNK):
        part = slice(start, start + CHUNK)
        overlap = -_gaps(body, clip.world.positions[part], clip.world.rotations[part], pairs)
        depth[part] = np.maximum(overlap.max(axis=1), 0.0)
        if overlap.max() > deepest:
            at, worst = (int(i) for i in np.unravel_index(overlap.argmax(), overlap.shape))
            deepest, frame = float(overlap.max()), start + at
    if deepest == 0.0:
        return SelfContact(depth, ("", ""), 0)
    a, b = pairs[worst]
    return SelfContact(depth, (body.capsule_parts[a], body.capsule_parts[b]), frame)


def _gaps(body: Body, positions: Array, rotations: Array, pairs: IntArray) -> Array:
    starts, ends = world_capsules(body, positions, rotations)
    radii = np.broadcast_to(body.capsule_radii, (*starts.shape[:-1], 2))
    a, b = (Capsules(starts[:, pairs[:, i]], ends[:, pairs[:, i]], radii[:, pairs[:, i]]) for i in (0, 1))
    return gaps(a, b)


def _bones_between(body: Body) -> IntArray:
    """Return [J, J] how many bones lie between joints; bones of no length do not count."""
    skeleton = body.skeleton
    J = len(skeleton)
    lengths = (np.linalg.norm(skeleton.offsets, axis=1) > 1e-6).astype(np.int64)
    above = np.zeros((J, J), np.int64)  # bones from a joint up to each of its ancestors, −1 where it is none
    above[:] = -1
    for joint in range(J):
        above[joint, joint] = 0
        parent = int(skeleton.parents[joint])
        if parent >= 0:
            known = above[parent] >= 0
            above[joint, known] = above[parent, known] + lengths[joint]
    both = (above[:, None] >= 0) & (above[None] >= 0)
    sums = np.where(both, above[:, None] + above[None], np.iinfo(np.int64).max)
    return np.asarray(sums.min(axis=2))
