"""Planar poses, [..., 3] = (x, y, heading): the group of turns about the vertical and slides along the floor, SE(2).

A pose is where something stands and which way it faces; it is also the transform that takes the standing place of an
object at the origin, facing +x, to that pose. All functions broadcast over leading axes. Metres and radians.
"""

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon.transforms import angles

__all__ = ["IDENTITY", "apply", "apply_3d", "compose", "inverse", "relative"]

IDENTITY = np.zeros(3)
IDENTITY.flags.writeable = False


def compose(a: ArrayLike, b: ArrayLike) -> Array:
    """Return a ∘ b: the pose `b`, given in the frame of `a`, seen from the frame in which `a` is given."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    points = apply(a, b[..., :2])
    heading = angles.wrap(a[..., 2] + b[..., 2])
    return np.concatenate([points, heading[..., None]], axis=-1)


def with_height(poses: ArrayLike, *, height: ArrayLike = 0.0) -> Array:
    """Return planar poses [..., 3] as placed poses [..., 4] = (x, y, heading, z)."""
    planar = np.asarray(poses, dtype=np.float64)
    z = np.broadcast_to(np.asarray(height, dtype=np.float64)[..., None], (*planar.shape[:-1], 1))
    return np.concatenate([planar, z], axis=-1)


def inverse(pose: ArrayLike) -> Array:
    """Return the pose that undoes this one: composed with it, either way round, it gives the identity."""
    pose = np.asarray(pose, dtype=np.float64)
    c, s = np.cos(pose[..., 2]), np.sin(pose[..., 2])
    x, y = pose[..., 0], pose[..., 1]
    return np.stack([-(c * x + s * y), s * x - c * y, angles.wrap(-pose[..., 2])], axis=-1)


def relative(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the pose `b` as seen from `a`: what `a` must be composed with to give `b`."""
    return compose(inverse(a), b)


def apply(pose: ArrayLike, points: ArrayLike) -> Array:
    """Turn and slide ground points [..., 2] by a pose: R(heading) p + (x, y)."""
    pose, points = np.asarray(pose, dtype=np.float64), np.asarray(points, dtype=np.float64)
    c, s = np.cos(pose[..., 2]), np.sin(pose[..., 2])
    x, y = points[..., 0], points[..., 1]
    return np.stack([c * x - s * y + pose[..., 0], s * x + c * y + pose[..., 1]], axis=-1)


def apply_3d(pose: ArrayLike, points: ArrayLike) -> Array:
    """Turn and slide points [..., 3] along the floor; heights are kept."""
    points = np.asarray(points, dtype=np.float64)
    ground = apply(pose, points[..., :2])
    return np.concatenate([ground, np.broadcast_to(points[..., 2:], (*ground.shape[:-1], 1))], axis=-1)
