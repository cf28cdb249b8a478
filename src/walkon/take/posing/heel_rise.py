"""Heel rise: a foot that stands on its ball turns about its ball joint, so that its leg need not stretch.

Where the clip's foot on its plant would need a leg longer than ℓ, which is the clip's own length or that of a knee bent
by `MIN_KNEE_BEND_RAD` if that is more, the heel rises: the ankle turns about the ball joint j, about the axis n across
the foot about which toes bend (`toes`), until it is ℓ from the hip h. With v = ankle − j, w = h − j, their parts v⊥, w⊥
across n, and β the angle from v⊥ to w⊥ about n,

    |v⊥| |w⊥| cos(β − φ) = ½ (|v|² + |w|² − ℓ²) − (v·n)(w·n),     0 ≤ φ ≤ the stance's `rise`                 (1)

Toes stay as they are, and the ball's contact point with them. So people push off uphill. A foot in its swing stands on
nothing: its ankle is brought to ℓ from the hip along the leg. Compiled in `_foot_kernels`.
World, metres, radians.
"""

import numpy as np

from walkon._base.arrays import Array
from walkon.take.posing.posing_rule import MIN_KNEE_BEND_RAD
from walkon.transforms import quaternions as quat

__all__ = ["raise_heel", "shorten_leg"]


def raise_heel(
    hip: Array, *, own: float, longest: float, ankle: Array, joint: Array, axis: Array, highest: float
) -> tuple[Array, Array]:
    """Return the turn [4] of a foot on its ball about its ball joint, and where its ankle [3] is then, eq. (1).

    `own` and `longest` are the clip's distance from hip to ankle and that of a straight leg; `ankle` and `joint` are
    where the plant has them without a rise, `axis` is across the foot, and `highest` the most in radians.
    """
    limit = _limit(own, longest)
    v, w = ankle - joint, hip - joint
    if np.linalg.norm(ankle - hip) <= limit:
        return quat.IDENTITY, ankle
    v_across, w_across = v - (axis @ v) * axis, w - (axis @ w) * axis
    most = np.arctan2(axis @ np.cross(v_across, w_across), v_across @ w_across)
    wanted = 0.5 * (v @ v + w @ w - limit**2) - (axis @ v) * (axis @ w)
    across = np.linalg.norm(v_across) * np.linalg.norm(w_across)
    angle = np.clip(most - np.arccos(np.clip(wanted / max(float(across), 1e-18), -1.0, 1.0)), 0.0, highest)
    rise = quat.about(axis, angle)
    return rise, joint + quat.rotate(rise, v)


def shorten_leg(hip: Array, *, own: float, longest: float, ankle: Array) -> Array:
    """Return where the ankle [3] of a swinging foot goes, so that its leg is no longer than ℓ; see `raise_heel`."""
    leg = ankle - hip
    length = max(float(np.linalg.norm(leg)), 1e-9)
    return np.asarray(hip + min(_limit(own, longest) / length, 1.0) * leg)


def _limit(own: float, longest: float) -> float:
    return max(float(np.cos(0.5 * MIN_KNEE_BEND_RAD)) * longest, own)
