"""Holds: what hands hold on to and what holds props, as posing reads it: sorted rows, and the arms of all bodies.

Nothing here is stored; it is made once from a take. Metres, seconds.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from walkon._base.arrays import BoolArray, IntArray, lock_fields
from walkon.motion.limbs.arms import Arm, has_arm, palm_frame
from walkon.motion.skeleton import SIDES
from walkon.take.posing.arm_rule import ArmRigs
from walkon.take.tables import Attachments, Grips, HandShapes, in_order

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = ["Holds", "make_holds"]


class Holds(NamedTuple):
    """Who and what holds what; rows are sorted by whose (or which prop) and start."""

    arms: ArmRigs
    grips: Grips
    first_grip: IntArray
    """[2 N + 1] first grip of each hand of each character."""
    shapes: HandShapes
    first_shape: IntArray
    """[2 N + 1]."""
    attachments: Attachments
    first_attachment: IntArray
    """[P + 1] first attachment of each prop."""
    level: BoolArray
    """[P] props that are kept level."""


def make_holds(take: "Take") -> Holds:
    """Arrange the holds of a take; all arrays are locked."""
    N, P = len(take.characters), len(take.props)
    grips = in_order(take.grips, take.grips.whose, take.grips.start)
    shapes = in_order(take.hand_shapes, take.hand_shapes.whose, take.hand_shapes.start)
    held = in_order(take.attachments, take.attachments.prop, take.attachments.start)
    return lock_fields(
        Holds(
            arms=_make_arms(take),
            grips=grips,
            first_grip=np.searchsorted(grips.whose, np.arange(2 * N + 1)),
            shapes=shapes,
            first_shape=np.searchsorted(shapes.whose, np.arange(2 * N + 1)),
            attachments=held,
            first_attachment=np.searchsorted(held.prop, np.arange(P + 1)),
            level=np.array([prop.keep_level for prop in take.props], bool),
        )
    )


def _make_arms(take: "Take") -> ArmRigs:
    """Return the arms of a take's bodies; those that nobody plays a clip with have none, as they have no joints."""
    B, J = take.score.rigs.parents.shape
    joints, side = np.full((B, 2, 3), -1, np.int32), np.full((B, J), -1, np.int8)
    places, turns = np.zeros((B, 2, 3)), np.zeros((B, 2, 4))
    for b, body in enumerate(take.bodies):
        skeleton, count = body.skeleton, int(take.score.rigs.joints[b])
        for hand, name in enumerate(SIDES):
            if count < len(skeleton) or not has_arm(skeleton, name):
                continue
            arm = Arm.of(skeleton, name)
            joints[b, hand] = arm
            places[b, hand], turns[b, hand] = palm_frame(skeleton, name)
            for j in range(arm.shoulder, count):
                if j == arm.shoulder or side[b, skeleton.parents[j]] == hand:
                    side[b, j] = hand
    return ArmRigs(joints=joints, side=side, palm_places=places, palm_turns=turns)
