"""A foot in stance: it rolls over heel, ball and toes, about the point that bears, so that contacts are exact.

With θ the pitch of the foot (0 flat, + toes up) and τ that of the toes, both against the floor:

    landing     θ = θ₀ s(1 − x)^0.8     about the heel, x from 0 to 1 over 14 % of a stride, s(x) = 3x² − 2x³
    flat        θ = 0                   heel and ball bear
    heel off    θ = θ₁ x^2.6            about the joint of the ball, toes flat, x to 1 at lift-off
    toe off     τ = τ₁ x^2.3            about the tip of the toes, over the last 9 % of a stride

The curves fit recorded walks within 2 degrees; the heel comes off earlier in faster ones. Metres, radians, seconds.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.motion.skeleton import Skeleton
from walkon.studio.footsteps import Footsteps
from walkon.studio.styles import Style
from walkon.transforms.easing import smoothstep

__all__ = ["FootShape", "Roll", "pitched", "plan_roll", "rolling"]

STRIKE, LIFT_OFF, TIP = np.deg2rad([22.0, -54.0, -33.0]).tolist()
"""rad: pitch at landing and at lift-off for a step of 0.7 m, and of the toes at lift-off."""
EARLIER = 0.35
"""How much longer the heel is off at a turn of 90 degrees/s: the body turns away over the foot."""
ROCKER, TIPPING = 0.14, 0.095
"""Shares of a stride: from landing to flat, and on the tip of the toes."""


@dataclass(frozen=True)
class FootShape:
    """The performer's foot in its plane: places from the ankle, [2] = (ahead, up), metres."""

    heel: Array
    """Where the heel bears."""
    ball: Array
    """The joint."""
    tip: Array
    """From the ball's joint to the tip of the toes at the sole."""
    ankle: float
    """Height of the ankle above the sole."""

    @classmethod
    def of(cls, skeleton: Skeleton) -> "FootShape":
        """Read the left foot; the performer's feet are alike."""
        ball = skeleton.role("left_ball")
        heel = skeleton.contact_offsets[skeleton.contact("left_heel")]
        tip = skeleton.offsets[skeleton.children[ball][0]]
        return cls(heel[[0, 2]], skeleton.offsets[ball][[0, 2]], tip[[0, 2]], float(-heel[2]))


class Roll(NamedTuple):
    """How one foot rolls over each of its M prints: [M] seconds and radians."""

    landing: Array
    flat: Array
    heel_off: Array
    tipping: Array
    """When the ball leaves and only the tip of the toes bears."""
    leaving: Array
    strike: Array
    """Pitch at landing."""
    lift: Array
    """Pitch at lift-off."""
    tip: Array
    """Pitch of the toes at lift-off."""


def plan_roll(steps: Footsteps, mine: IntArray, *, style: Style, scale: float) -> Roll:
    """Plan how a foot rolls over its prints `mine` [M]: less in short steps, not at all in closing ones."""
    lengths = steps.step_lengths / scale
    after = np.concatenate([lengths[1:], lengths[-1:]])
    speed, stride = steps.speeds[mine] / np.sqrt(scale), steps.strides[mine]
    landing, leaving = steps.landings[mine], steps.leavings[mine]
    strike = STRIKE * style.heel_strike * np.clip((lengths[mine] - 0.12) / 0.45, 0.0, 1.1)
    lift = LIFT_OFF * style.push_off * np.clip((after[mine] - 0.02) / 0.68, 0.0, 1.2) ** 0.5
    flat = landing + ROCKER * stride
    turned = np.abs(np.diff(steps.places[mine, 2], append=steps.places[mine[-1:], 2]))
    turning = np.minimum(turned / np.diff(landing, append=landing[-1] + stride[-1]) / (0.5 * np.pi), 1.0)
    taken = np.interp(speed, [0.7, 1.3, 1.8], [0.28, 0.30, 0.33]) * stride * (1.0 + EARLIER * turning)
    heel_off = np.maximum(leaving - taken, np.minimum(flat, 0.5 * (landing + leaving)))
    tip = TIP / LIFT_OFF * lift
    return Roll(landing, flat, heel_off, leaving - TIPPING * stride, leaving, strike, lift, tip)


def rolling(roll: Roll, k: IntArray, *, t: Array, shape: FootShape) -> tuple[Array, Array, Array, Array]:
    """Return the ankle ahead of and above its print, pitch and toe pitch against the floor, at times t of prints k."""
    x = np.clip((roll.flat[k] - t) / (roll.flat[k] - roll.landing[k]), 0.0, 1.0)
    strike = roll.strike[k] * smoothstep(x) ** 0.8
    x = np.clip((t - roll.heel_off[k]) / (roll.leaving[k] - roll.heel_off[k]), 0.0, None)
    lift = roll.lift[k] * x**2.6
    x = np.clip((t - roll.tipping[k]) / (roll.leaving[k] - roll.tipping[k]), 0.0, None)
    tip = roll.tip[k] * x**2.3
    # Landing: the ankle about the heel. Later: the ankle about the ball's joint, which itself turns about the tip.
    heel = pitched(-shape.heel, strike)
    ball = (shape.ball + shape.tip)[:, None] + pitched(-shape.tip, tip)
    late = ball + pitched(-shape.ball, lift)
    on_heel = strike > 0
    ahead = np.where(on_heel, shape.heel[0] + heel[0], late[0])
    up = np.where(on_heel, heel[1], shape.ankle + late[1])
    # At landing the toes are a little above the line of the foot.
    return ahead, up, strike + lift, tip + 1.15 * strike


def pitched(v: Array, pitch: Array) -> Array:
    """Return [2, ...]: (ahead, up) of a vector [2] of the foot when it is pitched up by angles [...]."""
    c, s = np.cos(pitch), np.sin(pitch)
    return np.stack([v[0] * c - v[1] * s, v[0] * s + v[1] * c])
