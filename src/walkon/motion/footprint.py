"""Footprints: collision shapes of a body on the floor, one to three discs a frame, in its own planar frame. Metres.

*On the way* it is one disc about the root that covers the trunk (pelvis, abdomen, chest and collarbones) of the body at
rest: the room that a body takes when its arms hang and swing along it. A skeleton that is no person is covered whole.

*A body that stands or sits still* takes up less and has a shape (`footprints`): one disc for the trunk, and one for
each leg from the knee down, so that bodies can sit side by side and pass in front of knees.

*For planning* (`limb_discs`) arms and legs of bodies that pass must not touch, though arms swing beside the trunk, legs
before and behind it. A walking body has three discs: one that covers everything above the knees, arms included, and one
for each leg from the knee down. If the discs of two bodies are apart, so are their limbs. Around standing (starting,
stopping, turning on the spot, close to others and to seats) the first disc is only as wide as the body is to its sides.
"""

import numpy as np

from walkon._base.arrays import Array, BoolArray
from walkon.motion.body import Body, world_capsules
from walkon.motion.kinematics import forward
from walkon.motion.skeleton import Skeleton
from walkon.transforms import planar

__all__ = [
    "LEGS",
    "MAX_MEETING_RISE_M",
    "NO_DISC_RADIUS_M",
    "TRUNK",
    "cover",
    "footprint_radius",
    "footprints",
    "limb_discs",
]

TRUNK = ("pelvis", "abdomen", "chest", "left_clavicle", "right_clavicle")
"""Parts of the body that the disc of a body on its way covers."""
LEGS = (("left_shank", "left_foot", "left_toes"), ("right_shank", "right_foot", "right_toes"))
NO_DISC_RADIUS_M = -1000.0
"""m: the radius of a disc that is not there; no gap is ever measured smaller because of it."""
MAX_MEETING_RISE_M = 1.5
"""m: two whose heights differ by more neither meet, collide nor are neighbours; they are on different floors."""
BLOCK_FRAMES = 4096
"""Frames that are posed at once."""


def footprint_radius(body: Body) -> float:
    """Return the radius in metres of the disc of a body on its way."""
    at = body.skeleton.rest_positions[body.capsule_joints] - body.skeleton.rest_positions[0]
    sizes = np.maximum(
        np.linalg.norm((at + body.capsule_starts)[:, :2], axis=1) + body.capsule_radii[:, 0],
        np.linalg.norm((at + body.capsule_ends)[:, :2], axis=1) + body.capsule_radii[:, 1],
    )
    trunk = np.isin(body.capsule_parts, TRUNK)
    return float((sizes[trunk] if trunk.any() else sizes).max(initial=0.0))


def footprints(skeleton: Skeleton, roots: Array, rotations: Array, poses: Array, *, moving: BoolArray) -> Array:
    """Return discs [K, 3, 3] = (x, y, radius) of frames with planar poses [K, 3]; `moving` ones have one disc."""
    body = Body.of(skeleton)
    parts, radii = _spheres(body)
    discs = np.zeros((len(roots), 3, 3))
    discs[..., 2] = NO_DISC_RADIUS_M
    discs[:, 0, 2] = footprint_radius(body)
    still = np.flatnonzero(~moving)
    if not len(still):
        return discs
    centres = _centres(body, roots[still], rotations[still], poses[still])
    for k, covered in enumerate((TRUNK, *LEGS)):
        mine = np.isin(parts, covered)
        if mine.any():
            discs[still, k] = cover(centres[:, mine], radii[mine])
    return discs


def limb_discs(skeleton: Skeleton, roots: Array, rotations: Array, poses: Array, *, close: BoolArray) -> Array:
    """Return discs [K, 3, 3] = (x, y, radius) around all limbs; of `close` frames the first is as wide as the body."""
    body = Body.of(skeleton)
    parts, radii = _spheres(body)
    legs = [np.isin(parts, names) for names in LEGS]
    present = [leg for leg in legs if leg.any()]
    upper = ~(legs[0] | legs[1])
    discs = np.full((len(roots), 3, 3), NO_DISC_RADIUS_M)
    for first in range(0, len(roots), BLOCK_FRAMES):
        mine = slice(first, first + BLOCK_FRAMES)
        centres = _centres(body, roots[mine], rotations[mine], poses[mine])
        wide = (np.abs(centres[:, upper, 1]) + radii[upper]).max(axis=1)
        slim = np.column_stack([np.zeros((len(wide), 2)), wide])
        discs[mine, 0] = np.where(close[mine, None], slim, cover(centres[:, upper], radii[upper]))
        for k, leg in enumerate(present):
            discs[mine, k + 1] = cover(centres[:, leg], radii[leg])
    return discs


def cover(centres: Array, radii: Array) -> Array:
    """Return discs [n, 3] about the middle of each set's box that cover its discs, centres [n, k, 2], radii [k]."""
    low, high = (centres - radii[:, None]).min(axis=1), (centres + radii[:, None]).max(axis=1)
    middle = 0.5 * (low + high)
    radius = (np.linalg.norm(centres - middle[:, None], axis=2) + radii).max(axis=1)
    return np.column_stack([middle, radius])


def _spheres(body: Body) -> tuple[Array, Array]:
    """Return part and radius of the spheres at both ends of a body's capsules, [2 C] each, starts before ends."""
    return np.tile(body.capsule_parts, 2), np.concatenate([body.capsule_radii[:, 0], body.capsule_radii[:, 1]])


def _centres(body: Body, roots: Array, rotations: Array, poses: Array) -> Array:
    """Return the spheres' middles [K, 2 C, 2] as seen from above, in the frames of planar poses [K, 3]."""
    ends = world_capsules(body, *forward(body.skeleton, roots, rotations))
    return planar.apply(planar.inverse(poses)[:, None], np.concatenate(ends, axis=1)[..., :2])
