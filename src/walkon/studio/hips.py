"""The hips over the feet: how they sway, and how high they may be. Metres, seconds; knees in degrees.

*Sway* is that of a linear inverted pendulum above the centre of pressure:

    x − (h / g) ẍ = p          h = height of the hips, p = centre of pressure, both along one line of the floor

Solved at once for the whole way (a tridiagonal system in steps of 1 / RATE), it leans before each step and comes back
after it, also where a walk starts. The pendulum is a point; a body's hips swing out further than its centre of mass,
so the deviation from its own slow mean is enlarged by a gain.

*Height* is under the reach of both legs, and smooth:

    ceiling = z_ankle + √(L² − d²) − z_hip        L² = thigh² + shank² + 2 thigh shank cos(knee)

with d the distance along the floor from the hip joint to the ankle. No leg is ever over-stretched, and no frame is
lowered for itself, which would bend all knees at once.

Reference: Kajita, Tani 1991, "Study of dynamic biped locomotion on rugged terrain", the linear inverted pendulum mode.
"""

import numpy as np
from scipy.linalg import solve_banded
from scipy.ndimage import gaussian_filter1d, minimum_filter1d

from walkon._base.arrays import Array
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.transforms import quaternions as quat

__all__ = ["GRAVITY", "HIP_HEIGHT", "RATE", "highest_below", "reach_ceiling", "sway_over"]

GRAVITY = 9.81
HIP_HEIGHT = 0.53 * 1.75
"""m, the hips of a body of 1.75 m."""
RATE = 60.0
"""Hz at which the pendulum is solved."""


def sway_over(pressure: Array, height: float, *, mean: float, gain: float) -> Array:
    """Return the way of the hips [K, ...] m over a centre of pressure [K, ...] m, both at `RATE`.

    `mean` is the standard deviation in seconds of the bell that tells slow travel from sway, `gain` enlarges the sway.
    """
    k = height / GRAVITY * RATE**2
    bands = np.zeros((3, len(pressure)))
    bands[0, 1:], bands[1], bands[2, :-1] = -k, 1 + 2 * k, -k
    bands[1, 0] = bands[1, -1] = 1 + k
    solved = solve_banded((1, 1), bands, pressure)
    middle = gaussian_filter1d(solved, mean * RATE, axis=0, mode="nearest")
    return np.asarray(middle + gain * (solved - middle))


def reach_ceiling(
    skeleton: Skeleton,
    ankles: Array,
    *,
    ground: Array,
    rotations: Array,
    knee: Array | float,
    spare: Array | float = 0.0,
) -> Array:
    """Return [T] m, the highest root at which both legs reach their ankles with knees bent by `knee` or more.

    `ankles` are [T, 2, 3]; `ground` [T, 2] and `rotations` [T, 4] are those of the root; `knee` and `spare` (m by which
    a leg may fall short) are numbers, or [T, 2] for the left and right leg.
    """
    knees = np.broadcast_to(np.deg2rad(knee), ankles.shape[:2])
    spares = np.broadcast_to(spare, ankles.shape[:2])
    ceilings = []
    for side, name in enumerate(SIDES):
        thigh, shank = (
            float(np.linalg.norm(skeleton.offsets[skeleton.role(f"{name}_{part}")])) for part in ("knee", "ankle")
        )
        reach2 = thigh**2 + shank**2 + 2 * thigh * shank * np.cos(knees[:, side])
        hip = quat.rotate(rotations, skeleton.offsets[skeleton.role(f"{name}_hip")])
        apart = ankles[:, side, :2] - ground - hip[:, :2]
        drop = np.sqrt(np.maximum(reach2 - np.sum(apart**2, axis=1), 0.25 * reach2))
        ceilings.append(ankles[:, side, 2] + drop - hip[:, 2] + spares[:, side])
    return np.minimum(*ceilings)


def highest_below(limit: Array, half: int) -> Array:
    """Return a smooth curve [T] nowhere above `limit` [T]: its lowest value within `half` frames, averaged."""
    padded = np.pad(limit, 2 * half, mode="reflect" if len(limit) > 2 * half else "edge")
    # The bell ends where the widening does: it averages only values that are at most the limit.
    lowest = minimum_filter1d(padded, 2 * half + 1, mode="nearest")
    smooth = gaussian_filter1d(lowest, half / 2.5, mode="nearest", radius=half)
    return np.asarray(smooth[2 * half : len(smooth) - 2 * half])
