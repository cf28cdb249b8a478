"""The sway of the hips over the feet: a linear inverted pendulum above the centre of pressure.

    x − (h / g) ẍ = p          h = height of the hips, p = centre of pressure, both along one line of the floor

Solved at once for the whole way (a tridiagonal system in steps of 1 / RATE), it leans before each step and comes back
after it, also where a walk starts. The pendulum is a point; a body's hips swing out further than its centre of mass,
so the deviation from its own slow mean is enlarged by a gain. Metres, seconds.

Reference: Kajita, Tani 1991, "Study of dynamic biped locomotion on rugged terrain", the linear inverted pendulum mode.
"""

import numpy as np
from scipy.linalg import solve_banded
from scipy.ndimage import gaussian_filter1d

from walkon._base.arrays import Array

__all__ = ["GRAVITY", "HIP_HEIGHT", "RATE", "sway_over"]

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
