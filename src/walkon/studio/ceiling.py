"""How high the hips may be: under the reach of both legs, and smooth.

    ceiling = z_ankle + √(L² − d²) − z_hip        L² = thigh² + shank² + 2 thigh shank cos(knee)

with d the distance along the floor from the hip joint to the ankle. No leg is ever over-stretched, and no frame is
lowered for itself, which would bend all knees at once. Metres; knees in degrees.
"""

import numpy as np
from scipy.ndimage import gaussian_filter1d, minimum_filter1d

from walkon._base.arrays import Array
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.studio.feet import FeetMotion
from walkon.transforms import quaternions as quat

__all__ = ["highest_below", "reach_ceiling"]


def reach_ceiling(
    skeleton: Skeleton,
    feet: FeetMotion,
    *,
    ground: Array,
    rotations: Array,
    knee: Array | float,
    spare: Array | float = 0.0,
) -> Array:
    """Return [T] m, the highest root at which both legs reach their ankles with knees bent by `knee` or more.

    `ground` [T, 2] and `rotations` [T, 4] are those of the root; `knee` and `spare` (m by which a leg may fall short)
    are numbers, or [T, 2] for the left and right leg.
    """
    knees = np.broadcast_to(np.deg2rad(knee), feet.ankles.shape[:2])
    spares = np.broadcast_to(spare, feet.ankles.shape[:2])
    ceilings = []
    for side, name in enumerate(SIDES):
        thigh, shank = (
            float(np.linalg.norm(skeleton.offsets[skeleton.role(f"{name}_{part}")])) for part in ("knee", "ankle")
        )
        reach2 = thigh**2 + shank**2 + 2 * thigh * shank * np.cos(knees[:, side])
        hip = quat.rotate(rotations, skeleton.offsets[skeleton.role(f"{name}_hip")])
        apart = feet.ankles[:, side, :2] - ground - hip[:, :2]
        drop = np.sqrt(np.maximum(reach2 - np.sum(apart**2, axis=1), 0.25 * reach2))
        ceilings.append(feet.ankles[:, side, 2] + drop - hip[:, 2] + spares[:, side])
    return np.minimum(*ceilings)


def highest_below(limit: Array, half: int) -> Array:
    """Return a smooth curve [T] nowhere above `limit` [T]: its lowest value within `half` frames, averaged."""
    padded = np.pad(limit, 2 * half, mode="reflect" if len(limit) > 2 * half else "edge")
    # The bell ends where the widening does: it averages only values that are at most the limit.
    lowest = minimum_filter1d(padded, 2 * half + 1, mode="nearest")
    smooth = gaussian_filter1d(lowest, half / 2.5, mode="nearest", radius=half)
    return np.asarray(smooth[2 * half : len(smooth) - 2 * half])
