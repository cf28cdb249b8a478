"""Footprints: the disc on the floor that a walking body needs.

The smallest disc about the root that covers the trunk (pelvis, abdomen, chest and collarbones) of the body at rest, in
its own size: the room that a body takes when its arms hang and swing along it. Limbs are another matter, see `bodies`.
A skeleton that is no person is covered whole, at rest.
"""

import numpy as np

from walkon._base.arrays import Array
from walkon.motion.body import Body
from walkon.take.take import Take

__all__ = ["TRUNK", "footprint_radii", "footprint_radius"]

TRUNK = ("pelvis", "abdomen", "chest", "left_clavicle", "right_clavicle")
"""Parts of the body that a footprint covers."""


def footprint_radius(body: Body) -> float:
    """Return the radius in metres of a body's footprint."""
    at = body.skeleton.rest_positions[body.capsule_joints] - body.skeleton.rest_positions[0]
    sizes = np.maximum(
        np.linalg.norm((at + body.capsule_starts)[:, :2], axis=1) + body.capsule_radii[:, 0],
        np.linalg.norm((at + body.capsule_ends)[:, :2], axis=1) + body.capsule_radii[:, 1],
    )
    trunk = np.array([part in TRUNK for part in body.capsule_parts], bool)
    return float((sizes[trunk] if trunk.any() else sizes).max(initial=0.0))


def footprint_radii(take: Take) -> Array:
    """Return [N] m, the radius of every character's footprint."""
    radii = np.array([footprint_radius(body) for body in take.bodies])
    return radii[take.characters.body] * take.characters.scale.astype(np.float64) if len(radii) else np.zeros(0)
