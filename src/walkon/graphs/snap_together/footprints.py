"""Footprints: the discs on the floor that a body needs, frame by frame, in its own planar frame.

On the way it is one disc about the root that covers the trunk. Somebody who stands or sits still takes up less and has
a shape: one disc for the trunk, and one for each leg from the knee down, so that people can sit side by side and pass
in front of knees. Metres.
"""

import numpy as np

from walkon._base.arrays import Array, BoolArray
from walkon.motion.body import Body, world_capsules
from walkon.motion.kinematics import forward
from walkon.motion.skeleton import Skeleton
from walkon.take.auditing.footprints import TRUNK, footprint_radius
from walkon.transforms import planar

__all__ = ["LEGS", "NO_DISC", "cover", "footprints"]

NO_DISC = -1000.0
"""m: the radius of a disc that is not there; no gap is ever measured smaller because of it."""
LEGS = (("left_shank", "left_foot", "left_toes"), ("right_shank", "right_foot", "right_toes"))


def footprints(skeleton: Skeleton, roots: Array, rotations: Array, poses: Array, *, moving: BoolArray) -> Array:
    """Return discs [K, 3, 3] = (x, y, radius) of frames with planar poses [K, 3]; `moving` ones have one disc."""
    body = Body.of(skeleton)
    discs = np.zeros((len(roots), 3, 3))
    discs[..., 2] = NO_DISC
    discs[:, 0, 2] = footprint_radius(body)
    still = np.flatnonzero(~moving)
    if not len(still):
        return discs
    world = forward(skeleton, roots[still], rotations[still])
    starts, ends = world_capsules(body, *world)
    spheres = np.concatenate([starts, ends], axis=1)[..., :2]
    spheres = planar.apply(planar.inverse(poses[still])[:, None], spheres)
    radii = np.concatenate([body.capsule_radii[:, 0], body.capsule_radii[:, 1]])
    for k, parts in enumerate((TRUNK, *LEGS)):
        mine = np.tile(np.isin(body.capsule_parts, parts), 2)
        if mine.any():
            discs[still, k] = cover(spheres[:, mine], radii[mine])
    return discs


def cover(centres: Array, radii: Array) -> Array:
    """Return discs [n, 3] about the middle of each set's box that cover its discs, centres [n, k, 2], radii [k]."""
    low, high = (centres - radii[:, None]).min(axis=1), (centres + radii[:, None]).max(axis=1)
    middle = 0.5 * (low + high)
    radius = (np.linalg.norm(centres - middle[:, None], axis=2) + radii).max(axis=1)
    return np.column_stack([middle, radius])
