"""Hand shapes: finger poses of a palm, an index finger, the other three fingers as one, and a thumb, two segments each.

A skeleton ends at the wrists; how a hand is shaped is a byte, a number in `HAND_SHAPES`, and a weight from 0
(relaxed) to 1 (that shape), from which the six `FINGER_SEGMENTS` are posed wherever hands are drawn or handed over.
Angles go evenly with the weight:

    angle = (1 − weight) relaxed + weight shape
    first segment = base · bend about −y            second = first · bend about −y

The palm's axes are those of `motion.limbs.arms`, x to the fingers, z out of the palm and y = z × x, so the thumb is on
the side of +y of a left hand and of −y of a right one, which is its mirror image; here its origin is the wrist. A
segment's frame has its origin at its joint and x along its bone; fingers bend towards +z. Lengths are shares of the
stature H (hand 0.108 H, Drillis & Contini 1966; the rest modelled on it). Ranges are those of the American Academy of
Orthopaedic Surgeons (1965), the two joints beyond the first of a finger taken together. Radians.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.transforms import quaternions as quat

__all__ = [
    "BEND_RANGES_RAD",
    "FINGER_SEGMENTS",
    "HAND_ANGLES_RAD",
    "HAND_SHAPES",
    "PALM_FLESH",
    "SEGMENT_FLESH",
    "SEGMENT_PARENTS",
    "HandFlesh",
    "finger_poses",
]

HAND_SHAPES = ("relaxed", "open", "flat", "hook", "cylinder", "pinch")
"""What a hand can be; stored as the number."""
FINGER_SEGMENTS = ("index_1", "index_2", "fingers_1", "fingers_2", "thumb_1", "thumb_2")
SEGMENT_PARENTS = (-1, 0, -1, 2, -1, 4)
"""[6] the segment that each hangs on; −1 for the palm."""

HAND_ANGLES_RAD = np.array(
    [
        # bends: index, fingers, thumb, two each; spread of the index; the thumb away from the palm's edge, and across
        (0.26, 0.40, 0.34, 0.52, 0.10, 0.30, 0.03, 0.58, 0.62),  # relaxed
        (-0.08, 0.02, -0.08, 0.02, -0.10, -0.05, 0.20, 1.00, 0.25),  # open
        (0.00, 0.02, 0.00, 0.02, 0.00, 0.05, 0.00, 0.42, 0.20),  # flat
        (0.30, 1.75, 0.32, 1.80, 0.15, 0.35, 0.00, 0.50, 0.55),  # hook
        (0.85, 1.10, 0.95, 1.20, 0.25, 0.45, 0.00, 0.98, 1.35),  # cylinder
        (1.05, 1.20, 0.62, 0.85, 0.15, 0.10, 0.00, 1.00, 1.35),  # pinch
    ]
)
"""[6 shapes, 9]."""
BEND_RANGES_RAD = np.radians([(-30, 90), (-5, 120), (-30, 90), (-5, 120), (-10, 60), (-15, 80)])
"""[6 segments, 2] least and most bend."""
THUMB_TWIST_RAD = 0.75
"""By which the thumb is turned about itself: it bends towards the fingers."""

BASES = np.array([(0.0535, 0.0150, 0.0), (0.0535, -0.0065, 0.0), (0.0160, 0.0135, 0.0035)])
"""[3, 3] H, where index, fingers and thumb begin, in the palm's frame of a left hand."""
LENGTHS = np.array([0.0255, 0.0245, 0.0260, 0.0265, 0.0225, 0.0195])
"""[6] H, of the segments."""


class HandFlesh(NamedTuple):
    """A tapered capsule of a left hand: starts and ends in the palm's or a segment's frame and radii, shares of H."""

    start: tuple[float, float, float]
    end: tuple[float, float, float]
    radii: tuple[float, float]


PALM_FLESH = (
    HandFlesh((0.0, 0.0, 0.0), (0.0170, 0.0, 0.0), (0.0170, 0.0112)),
    HandFlesh((0.006, 0.0085, 0.0), (0.0515, 0.0150, 0.0), (0.0098, 0.0088)),
    HandFlesh((0.005, 0.0030, 0.0), (0.0535, 0.0042, 0.0), (0.0105, 0.0090)),
    HandFlesh((0.005, -0.0035, 0.0), (0.0525, -0.0065, 0.0), (0.0105, 0.0088)),
    HandFlesh((0.006, -0.0080, 0.0), (0.0490, -0.0162, 0.0), (0.0098, 0.0082)),
    HandFlesh((0.010, 0.0075, 0.0030), (0.0300, 0.0130, 0.0050), (0.0100, 0.0085)),
)
SEGMENT_FLESH = (
    (HandFlesh((0.0, 0.0, 0.0), (0.0255, 0.0, 0.0), (0.0080, 0.0072)),),
    (HandFlesh((0.0, 0.0, 0.0), (0.0235, 0.0, 0.0), (0.0071, 0.0056)),),
    (
        HandFlesh((0.0, 0.0107, 0.0), (0.0260, 0.0100, 0.0), (0.0081, 0.0073)),
        HandFlesh((-0.001, 0.0, 0.0), (0.0260, 0.0, 0.0), (0.0079, 0.0071)),
        HandFlesh((-0.0045, -0.0097, 0.0), (0.0240, -0.0088, 0.0), (0.0072, 0.0063)),
    ),
    (
        HandFlesh((0.0, 0.0100, 0.0), (0.0260, 0.0082, 0.0), (0.0072, 0.0057)),
        HandFlesh((0.0, 0.0, 0.0), (0.0235, 0.0, 0.0), (0.0070, 0.0056)),
        HandFlesh((-0.0015, -0.0088, 0.0), (0.0155, -0.0072, 0.0), (0.0062, 0.0050)),
    ),
    (HandFlesh((-0.004, 0.0, 0.0), (0.0225, 0.0, 0.0), (0.0105, 0.0083)),),
    (HandFlesh((0.0, 0.0, 0.0), (0.0180, 0.0, 0.0), (0.0081, 0.0064)),),
)
"""[6] the capsules of each segment; the three fingers move as one."""


def finger_poses(shapes: ArrayLike, weights: ArrayLike, *, side: str = "left") -> tuple[Array, Array]:
    """Return places [..., 6, 3] (shares of H) and rotations [..., 6, 4] of the segments in the palm's frame.

    For hands of shapes [...] (numbers in `HAND_SHAPES`) with weights [...] from 0 to 1.
    """
    shape, weight = np.asarray(shapes, np.int64), np.asarray(weights, np.float64)[..., None]
    if shape.size and not (shape.min() >= 0 and shape.max() < len(HAND_SHAPES)):
        raise InvalidValue(
            f"hand shapes are 0 to {len(HAND_SHAPES) - 1} ({', '.join(HAND_SHAPES)}), "
            f"got {shape.min()} to {shape.max()}"
        )
    if weight.size and not (weight.min() >= 0.0 and weight.max() <= 1.0):
        raise InvalidValue(f"weights of hand shapes are 0 to 1, got {weight.min():g} to {weight.max():g}")
    angles = (1.0 - weight) * HAND_ANGLES_RAD[0] + weight * HAND_ANGLES_RAD[shape]
    x, y, z = np.eye(3)
    bends = quat.about(y, -angles[..., :6])
    spread, away, across = (angles[..., k] for k in (6, 7, 8))
    thumb = quat.multiply(quat.about(x, across), quat.multiply(quat.about(z, away), quat.about(x, THUMB_TWIST_RAD)))
    bases = (quat.about(z, spread), quat.about(z, np.zeros_like(spread)), thumb)
    places, rotations = np.empty((*angles.shape[:-1], 6, 3)), np.empty((*angles.shape[:-1], 6, 4))
    for finger, base in enumerate(bases):
        one, two = 2 * finger, 2 * finger + 1
        places[..., one, :], rotations[..., one, :] = BASES[finger], quat.multiply(base, bends[..., one, :])
        rotations[..., two, :] = quat.multiply(rotations[..., one, :], bends[..., two, :])
        places[..., two, :] = BASES[finger] + quat.rotate(rotations[..., one, :], LENGTHS[one] * x)
    if side == "right":
        places, rotations = places * [1.0, -1.0, 1.0], rotations * [1.0, -1.0, 1.0, -1.0]
    return places, rotations
