"""Rigid poses, [..., 7] = (x, y, z, qw, qx, qy, qz): the group of turns and slides in space, SE(3).

A pose (p, R) is where something is and how it is turned; it is also the transform that takes an object at the origin,
unturned, to that pose. All functions broadcast over leading axes. Metres; unit quaternions, w first.
"""

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon.transforms import quaternions as quat

__all__ = ["apply", "compose", "from_planar", "inverse", "mean", "relative"]


def apply(pose: ArrayLike, points: ArrayLike) -> Array:
    """Turn and slide points [..., 3] by a pose: p + R x."""
    pose = np.asarray(pose, dtype=np.float64)
    return np.asarray(pose[..., :3] + quat.rotate(pose[..., 3:], points))


def compose(a: ArrayLike, b: ArrayLike) -> Array:
    """Return a ∘ b: the pose `b`, given in the frame of `a`, seen from the frame in which `a` is given."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return np.concatenate([apply(a, b[..., :3]), quat.multiply(a[..., 3:], b[..., 3:])], axis=-1)


def inverse(pose: ArrayLike) -> Array:
    """Return the pose that undoes this one: composed with it, either way round, it gives the identity."""
    pose = np.asarray(pose, dtype=np.float64)
    back = quat.conjugate(pose[..., 3:])
    return np.concatenate([quat.rotate(back, -pose[..., :3]), back], axis=-1)


def relative(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the pose `b` as seen from `a`, a⁻¹ ∘ b: what `a` must be composed with to give `b`.

    Places are subtracted before they are turned, which keeps their digits far from the origin.
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    back = quat.conjugate(a[..., 3:])
    places = quat.rotate(back, b[..., :3] - a[..., :3])
    return np.concatenate([places, quat.normalize(quat.multiply(back, b[..., 3:]))], axis=-1)


def mean(poses: ArrayLike) -> Array:
    """Return the mean [7] of near poses [K, 7]: that of places, and the normalised sum of rotations of equal sign."""
    poses = np.asarray(poses, dtype=np.float64)
    turns = np.where((poses[:, 3:] @ poses[0, 3:])[:, None] < 0, -poses[:, 3:], poses[:, 3:])
    return np.concatenate([poses[:, :3].mean(axis=0), quat.normalize(turns.sum(axis=0))])


def from_planar(pose: ArrayLike) -> Array:
    """Return planar poses [..., 3] = (x, y, heading) as rigid ones, upright on the floor z = 0."""
    pose = np.asarray(pose, dtype=np.float64)
    return np.concatenate([pose[..., :2], np.zeros((*pose.shape[:-1], 1)), quat.turn(pose[..., 2])], axis=-1)
