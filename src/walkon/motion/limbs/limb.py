"""Inverse kinematics of two-bone limbs, analytic by the law of cosines: hip or shoulder to ankle or wrist.

*With a hinge* (`solve_limb`): for T frames, with upper bone u and lower bone l (world, at the given pose) and hinge
axis a of the joint between them, the hinge turns l about a by the angle that gives the wanted distance d from root to
end:

    d² = |u|² + |l|² + 2 u∥ l∥ + 2 |u⊥| |l⊥| cos φ

where ∥ and ⊥ are the parts along and across a, and φ is the angle from u⊥ to l⊥ about a (exact even where the hinge
is not quite at right angles to the bones). The root then makes the smallest rotation that points the limb at the
target, which keeps the plane of the bend where it was. Nothing flips near a straight limb.

*With a pole* (`solve_triangle`): with n the direction from root to end and p the direction across n in which knee or
elbow is to point,

    u = |u| (n cos α + p sin α)        cos α = (|u|² + d² − |l|²) / (2 |u| d)

One limb at a time, compiled: `_limb_kernels`. Metres, world.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array
from walkon.transforms import quaternions as quat

__all__ = ["Limb", "limb_misses", "limb_reach", "read_limb", "solve_limb", "solve_triangle"]


class Limb(NamedTuple):
    """One limb over T frames in the world, and the hinge between its bones."""

    roots: Array
    """[T, 3] m, hip or shoulder joint."""
    uppers: Array
    """[T, 3] m, hip → knee, or shoulder → elbow."""
    lowers: Array
    """[T, 3] m, knee → ankle, or elbow → wrist."""
    hinges: Array
    """[T, 3] unit, axis about which a positive angle bends the limb."""


def read_limb(positions: Array, rotations: Array, joints: tuple[int, int, int], *, unbent: Array) -> Limb:
    """Read a limb (root, hinge, end joint) off joints posed in the world: positions [T, J, 3], rotations [T, J, 4].

    The hinge's axis is fixed to the upper bone, averaged over the frames by how much the limb is bent; of one that
    never bends it is `unbent` [3], in the world of the first frame.
    """
    root, hinge, end = joints
    uppers, lowers = positions[:, hinge] - positions[:, root], positions[:, end] - positions[:, hinge]
    # The length of the cross product is the sine of the bend: straight frames, where the axis is noise, hardly count.
    axis = quat.rotate(quat.conjugate(rotations[:, root]), np.cross(uppers, lowers)).mean(axis=0)
    if np.linalg.norm(axis) < 1e-6:
        axis = quat.rotate(quat.conjugate(rotations[0, root]), unbent)
    return Limb(positions[:, root], uppers, lowers, quat.rotate(rotations[:, root], axis / np.linalg.norm(axis)))


def limb_reach(limb: Limb) -> Array:
    """Return [T] m, the longest distance from root to end: the limb straight in the plane of its hinge."""
    return _distance(limb, 1.0)


def limb_misses(limb: Limb, targets: Array) -> Array:
    """Return [T] m by which the end cannot come to `targets` [T, 3] m, seen from the root: too far, or too near.

    The distance from root to end is largest with the limb straight in the plane of its hinge, least with it folded.
    """
    distance = np.linalg.norm(targets, axis=1)
    return np.maximum(np.maximum(distance - limb_reach(limb), _distance(limb, -1.0) - distance), 0.0)


def solve_limb(limb: Limb, roots: Array, ends: Array) -> tuple[Array, Array]:
    """Return world rotations (root turn, hinge turn) [T, 4] that bring the end to `ends` [T, 3] from roots at `roots`.

    New upper bone = root turn · old one; new lower bone = root turn · hinge turn · old one. A target out of reach is
    met as nearly as the straight limb can.
    """
    upper_along, lower_along, upper_across, lower_across = _split(limb)
    upper_size, lower_size = np.linalg.norm(upper_across, axis=1), np.linalg.norm(lower_across, axis=1)
    targets = ends - roots
    distance2 = np.sum(targets**2, axis=1)
    lengths2 = np.sum(limb.uppers**2, axis=1) + np.sum(limb.lowers**2, axis=1)
    cosine = (distance2 - lengths2 - 2 * upper_along * lower_along) / (2 * upper_size * lower_size)
    wanted = np.arccos(np.clip(cosine, -1.0, 1.0))
    now = np.arctan2(
        np.sum(limb.hinges * np.cross(upper_across, lower_across), axis=1), np.sum(upper_across * lower_across, axis=1)
    )
    hinge = quat.about(limb.hinges, wanted - now)
    root = quat.between(limb.uppers + quat.rotate(hinge, limb.lowers), targets)
    return root, hinge


def solve_triangle(upper: float | Array, lower: float | Array, distance: Array) -> tuple[Array, Array]:
    """Return (cos α, sin α) of the angle at the root between the upper bone and the line to the end, as far as it goes.

    Lengths in metres; `distance` is from root to end.
    """
    cosine = np.clip((upper**2 + distance**2 - lower**2) / (2 * upper * distance), -1.0, 1.0)
    return cosine, np.sqrt(1.0 - cosine**2)


def _distance(limb: Limb, cosine: float) -> Array:
    """Return [T] m from root to end where the bones make this angle across the hinge."""
    upper_along, lower_along, upper_across, lower_across = _split(limb)
    across = np.linalg.norm(upper_across, axis=1) + cosine * np.linalg.norm(lower_across, axis=1)
    return np.sqrt((upper_along + lower_along) ** 2 + across**2)


def _split(limb: Limb) -> tuple[Array, Array, Array, Array]:
    """Split upper and lower bone into parts along [T] and across [T, 3] the hinge."""
    upper_along = np.sum(limb.uppers * limb.hinges, axis=1)
    lower_along = np.sum(limb.lowers * limb.hinges, axis=1)
    upper_across = limb.uppers - upper_along[:, None] * limb.hinges
    lower_across = limb.lowers - lower_along[:, None] * limb.hinges
    return upper_along, lower_along, upper_across, lower_across
