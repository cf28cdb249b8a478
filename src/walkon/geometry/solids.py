"""Solids: signed distance, support function, extents and volume of boxes, balls, cylinders, and of unions of them.

A simple solid is centred on its own origin, its axes along x, y and z, with full extents `size` [3]; a cylinder stands
along z; of a ball, and across a cylinder, the extent along x is the diameter. `SolidParts` are K of them that are one
thing, each with a pose in the thing's frame.

    f(x) = min over parts of f_k(x_k),          x_k the point in the part's frame                  (1)
    h(u) = max over parts of u·p_k + h_k(u_k),  the support function: the farthest extent along u  (2)

(2) is exact. (1) is exact outside, and inside of one part; where parts overlap the depth is at least −f. Gaps from
capsules are computed in `solid_pairs`. Metres.

Reference: Ericson, "Real-Time Collision Detection", sections 5.1.4 and 9.5 (distance, support mapping).
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array
from walkon.transforms import quaternions as quat

__all__ = [
    "SIMPLE_SHAPES",
    "SolidParts",
    "part_supports",
    "parts_bounds",
    "parts_distances",
    "parts_reach",
    "parts_volume",
    "solid_distances",
    "solid_volume",
]

SIMPLE_SHAPES = ("box", "sphere", "cylinder")


class SolidParts(NamedTuple):
    """K simple solids that are one thing."""

    shapes: tuple[str, ...]
    """[K] each one of `SIMPLE_SHAPES`."""
    sizes: Array
    """[K, 3] metres, full extents."""
    poses: Array
    """[K, 7] (x, y, z, qw, qx, qy, qz) of the parts in the thing's frame."""


def solid_distances(shape: str, half: Array, points: Array) -> Array:
    """Return signed distances [...] m of points [..., 3] from a simple solid of half sizes [..., 3], in its frame."""
    if shape == "sphere":
        return np.asarray(np.linalg.norm(points, axis=-1) - half[..., 0])
    beyond = np.abs(points) - half
    if shape == "cylinder":
        around = np.hypot(points[..., 0], points[..., 1]) - half[..., 0]
        beyond = np.stack(np.broadcast_arrays(around, beyond[..., 2]), axis=-1)
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=-1)
    return np.asarray(outside + np.minimum(beyond.max(axis=-1), 0.0))


def solid_volume(shape: str, size: Array) -> float:
    """Return m³ of a simple solid of full extents [3]."""
    x, y, z = (float(extent) for extent in size)
    return {"box": x * y * z, "sphere": np.pi * x**3 / 6.0, "cylinder": np.pi * x * x * z / 4.0}[shape]


def parts_distances(parts: SolidParts, points: Array) -> Array:
    """Return signed distances [...] m of points [..., 3] from a union of solids, eq. (1)."""
    found = np.full(points.shape[:-1], np.inf)
    for shape, half, pose in zip(parts.shapes, 0.5 * parts.sizes, parts.poses, strict=True):
        found = np.minimum(found, solid_distances(shape, half, _in_part(pose, points)))
    return found


def part_supports(parts: SolidParts, directions: Array) -> Array:
    """Return how far [..., K] m each of K parts reaches from the thing's origin along directions [..., K, 3], eq. (2).

    The directions need not be unit; extents are times their length.
    """
    shapes, half = np.array(parts.shapes), 0.5 * parts.sizes
    own = np.abs(quat.rotate(quat.conjugate(parts.poses[:, 3:]), directions))
    box = (own * half).sum(axis=-1)
    tin = np.hypot(own[..., 0], own[..., 1]) * half[:, 0] + own[..., 2] * half[:, 2]
    ball = np.linalg.norm(directions, axis=-1) * half[:, 0]
    extent = np.where(shapes == "sphere", ball, np.where(shapes == "cylinder", tin, box))
    return np.asarray((directions * parts.poses[:, :3]).sum(axis=-1) + extent)


def parts_bounds(parts: SolidParts) -> Array:
    """Return the lowest and the highest x, y and z [2, 3] m of a union of solids."""
    axes = np.eye(3)[:, None]
    low, high = (part_supports(parts, np.broadcast_to(side * axes, (3, len(parts.shapes), 3))) for side in (-1.0, 1.0))
    return np.stack([-low.max(axis=1), high.max(axis=1)])


def parts_reach(parts: SolidParts, middle: Array) -> float:
    """Return m from a place [3] in the thing's frame to the farthest point of a union of solids."""
    half, away = 0.5 * parts.sizes, np.abs(_in_part(parts.poses, middle))
    around = np.hypot(away[:, 0], away[:, 1])
    far = {
        "box": np.linalg.norm(away + half, axis=1),
        "sphere": np.linalg.norm(away, axis=1) + half[:, 0],
        "cylinder": np.hypot(around + half[:, 0], away[:, 2] + half[:, 2]),
    }
    return float(max(far[shape][k] for k, shape in enumerate(parts.shapes)))


def parts_volume(parts: SolidParts) -> float:
    """Return m³ of all parts together; where they overlap, twice."""
    return sum(solid_volume(shape, size) for shape, size in zip(parts.shapes, parts.sizes, strict=True))


def _in_part(pose: Array, points: Array) -> Array:
    """Return points [..., 3] in the frame of a pose [..., 7]."""
    return quat.rotate(quat.conjugate(pose[..., 3:]), points - pose[..., :3])
