"""Toes that give way: how far they turn about the ball joint so that heel and ball are as far apart as their plants.

A foot from heel h to ball joint j is one rigid piece; the ball's contact point b is fixed to the toes. While both bear,
their plants are a length L apart, but a blend of two clips (or a captured foot that was not quite still) has its toes
bent a little more or less, and then only one of the two points could stand still. So the toes turn about the axis
across the foot, n ~ (j − h) × (b − j), until the distance is right (law of cosines):

    L² = |j − h|² + |b − j|² + 2 |j − h| |b − j| cos φ,     bend = φ − φ₀

where φ is the angle from j − h on to b − j and φ₀ what the clip has: about 2 degrees per millimetre. Positive bends
bring the ball back towards the heel. All in the world, metres and radians; compiled in `_foot_kernels`.
"""

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon.take.posing.posing_rule import MOST_BEND
from walkon.transforms import quaternions as quat

__all__ = ["toe_bend", "toe_turn"]


def toe_bend(heels: Array, joints: Array, balls: Array, *, lengths: ArrayLike) -> Array:
    """Return [K] rad by which toes must turn so that heels and balls [K, 3] are `lengths` [K] apart."""
    sole, toe = joints - heels, balls - joints
    a, b = np.linalg.norm(sole, axis=-1), np.linalg.norm(toe, axis=-1)
    cosine = (np.square(lengths) - a**2 - b**2) / np.maximum(2.0 * a * b, 2e-9)
    now = np.arctan2(np.linalg.norm(np.cross(sole, toe), axis=-1), np.sum(sole * toe, axis=-1))
    bend: Array = np.clip(np.arccos(np.clip(cosine, -1.0, 1.0)) - now, -MOST_BEND, MOST_BEND)
    return bend


def toe_turn(heels: Array, joints: Array, balls: Array, *, bends: ArrayLike) -> Array:
    """Return [K, 4] the rotations in the world that bend toes by `bends` [K] rad; none where they have no axis."""
    across = np.cross(joints - heels, balls - joints)
    size = np.linalg.norm(across, axis=-1)
    axis = across / np.maximum(size, 1e-9)[..., None]
    return quat.about(axis, np.where(size > 1e-9, bends, 0.0))
