"""Stance and swing of one foot over its prints: it rolls in stance, and swings by the curves of recorded walks.

*In stance* it rolls over heel, ball and toes, about the point that bears, so that contacts are exact. With θ the pitch
of the foot (0 flat, + toes up) and τ that of the toes, both against the floor:

    landing     θ = θ₀ s(1 − x)^0.8     about the heel, x from 0 to 1 over 14 % of a stride, s(x) = 3x² − 2x³
    flat        θ = 0                   heel and ball bear
    heel off    θ = θ₁ x^2.6            about the joint of the ball, toes flat, x to 1 at lift-off
    toe off     τ = τ₁ x^2.3            about the tip of the toes, over the last 9 % of a stride

The curves fit recorded walks within 2 degrees; the heel comes off earlier in faster ones.

*In swing* the ankle's progress along its way, its height and its pitch at eleven equal times are means of CMU walks at
0.8, 1.0 and 1.31 m/s; their shape hardly changes with speed. The heel lifts first, the ankle is highest after a quarter
of the time, then it skims low over the floor: a sine lift would look like marching. The curves are splines that begin
with the velocity the rolling foot has at lift-off, and their ends are moved to its poses. Late in the swing the
recorded ankles are some millimetres too low for this foot, whose heel would drag; the last values let it come down.

Metres, radians, seconds; u is the share of the swing, from 0 to 1.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import CubicSpline

from walkon._base.arrays import Array, IntArray
from walkon.motion.skeleton import Skeleton
from walkon.studio.footsteps import Footsteps
from walkon.studio.performer import Style
from walkon.transforms import planar
from walkon.transforms.easing import smoothstep

__all__ = ["FootShape", "Roll", "ahead_of", "lowest_ankle", "pitch_vector", "plan_roll", "roll_foot", "swing_foot"]

STRIKE_PITCH_RAD, LIFT_OFF_PITCH_RAD, TOE_OFF_PITCH_RAD = np.deg2rad([22.0, -54.0, -33.0]).tolist()
"""rad: pitch at landing and at lift-off for a step of 0.7 m, and of the toes at lift-off."""
TURNING_HEEL_OFF_RATIO = 0.35
"""How much longer the heel is off at a turn of 90 degrees/s: the body turns away over the foot."""
HEEL_ROCKER_SHARE, TOE_TIP_SHARE = 0.14, 0.095
"""Shares of a stride: from landing to flat, and on the tip of the toes."""
MIN_TOE_CLEARANCE_M = 0.012
"""m by which the toes at least clear the floor in mid-swing."""
LANDING_VELOCITY_M_S = -0.12
"""m/s, the ankle's way down at landing."""
LANDING_PROGRESS_SLOPE = 0.2
"""Slope of the progress at landing: the ankle still moves then, about as fast as it rolls on over the heel."""

SWING_KNOTS = np.linspace(0.0, 1.0, 11)
ANKLE_PROGRESS_SHARES = np.array([0.0, 0.07, 0.15, 0.25, 0.361, 0.483, 0.611, 0.741, 0.866, 0.960, 1.0])
"""Share of the ankle's way."""
TABLE_SPEEDS_M_S = np.array([0.8, 1.0, 1.31])
ANKLE_HEIGHTS_M = 1e-3 * np.array(
    [
        [95, 117, 129, 126, 106, 77, 49, 28, 18, 13, 8],
        [101, 124, 138, 138, 122, 90, 54, 29, 19, 13, 8],
        [113, 142, 158, 152, 128, 93, 57, 31, 20, 14, 8],
    ]
)
"""m, the ankle above its height when flat, at those speeds; bodies of 1.75 m."""
FOOT_PITCHES_RAD = np.deg2rad(
    np.array(
        [
            [-44, -52, -51, -44, -34, -23, -11, -1, 9, 16, 17],
            [-44, -50, -50, -48, -39, -25, -12, -1, 9, 18, 19],
            [-54, -61, -60, -52, -40, -26, -12, 1, 13, 22, 24],
        ]
    )
)
"""rad, + toes up."""
TOE_ANGLES_RAD = np.deg2rad(np.array([24.0, 19, 14, 10, 8, 7, 6, 6, 6, 6, 5]))
"""rad, the toes above the line of the foot."""


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
    strike = STRIKE_PITCH_RAD * style.heel_strike * np.clip((lengths[mine] - 0.12) / 0.45, 0.0, 1.1)
    lift = LIFT_OFF_PITCH_RAD * style.push_off * np.clip((after[mine] - 0.02) / 0.68, 0.0, 1.2) ** 0.5
    flat = landing + HEEL_ROCKER_SHARE * stride
    turned = np.abs(np.diff(steps.places[mine, 2], append=steps.places[mine[-1:], 2]))
    turning = np.minimum(turned / np.diff(landing, append=landing[-1] + stride[-1]) / (0.5 * np.pi), 1.0)
    taken = np.interp(speed, [0.7, 1.3, 1.8], [0.28, 0.30, 0.33]) * stride * (1.0 + TURNING_HEEL_OFF_RATIO * turning)
    heel_off = np.maximum(leaving - taken, np.minimum(flat, 0.5 * (landing + leaving)))
    return Roll(
        landing,
        flat,
        heel_off,
        leaving - TOE_TIP_SHARE * stride,
        leaving,
        strike,
        lift,
        TOE_OFF_PITCH_RAD / LIFT_OFF_PITCH_RAD * lift,
    )


def roll_foot(roll: Roll, k: IntArray, *, t: Array, shape: FootShape) -> tuple[Array, Array, Array, Array]:
    """Return the ankle ahead of and above its print, pitch, and toes against the foot, at times t of prints k."""
    strike = roll.strike[k] * smoothstep((roll.flat[k] - t) / (roll.flat[k] - roll.landing[k])) ** 0.8
    x = np.clip((t - roll.heel_off[k]) / (roll.leaving[k] - roll.heel_off[k]), 0.0, None)
    lift = roll.lift[k] * x**2.6
    x = np.clip((t - roll.tipping[k]) / (roll.leaving[k] - roll.tipping[k]), 0.0, None)
    tip = roll.tip[k] * x**2.3
    # Landing: the ankle about the heel. Later: the ankle about the ball's joint, which itself turns about the tip.
    heel = pitch_vector(-shape.heel, strike)
    ball = (shape.ball + shape.tip)[:, None] + pitch_vector(-shape.tip, tip)
    late = ball + pitch_vector(-shape.ball, lift)
    on_heel = strike > 0
    ahead = np.where(on_heel, shape.heel[0] + heel[0], late[0])
    up = np.where(on_heel, heel[1], shape.ankle + late[1])
    pitch = strike + lift
    # At landing the toes are a little above the line of the foot.
    return ahead, up, pitch, tip + 1.15 * strike - pitch


def ahead_of(places: Array, ahead: ArrayLike) -> Array:
    """Return the points of the floor [..., 2] that are `ahead` metres along the foot from its prints [..., 3]."""
    along = np.asarray(ahead, dtype=np.float64)
    return planar.apply(places, np.stack([along, np.zeros_like(along)], axis=-1))


def pitch_vector(v: Array, pitch: Array) -> Array:
    """Return [2, ...]: (ahead, up) of a vector [2] of the foot when it is pitched up by angles [...]."""
    c, s = np.cos(pitch), np.sin(pitch)
    return np.stack([v[0] * c - v[1] * s, v[0] * s + v[1] * c])


def swing_foot(
    roll: Roll,
    steps: Footsteps,
    *,
    mine: IntArray,
    a: IntArray,
    u: Array,
    shape: FootShape,
    style: Style,
    scale: float,
) -> tuple[Array, ...]:
    """Return a foot on its way from prints a [F] among its own, `mine` [M], to the next, at shares u [F] of the swing.

    Progress, height of the ankle above the floor, pitch and toes; and m by which the ankle is ahead of its print at
    lift-off, and ahead of the next one at landing.
    """
    k = np.arange(len(mine) - 1)
    leave, land, eps = roll.leaving[:-1], roll.landing[1:], 1e-4
    ends = ((k, leave - eps), (k, leave), (k + 1, land), (k + 1, land + eps))
    before, start, stop, after = (np.array(roll_foot(roll, n, t=t, shape=shape)) for n, t in ends)
    begin = (start - before) / eps * (land - leave)
    ahead, up, pitch, toes = zip(start, stop, strict=True)
    way = steps.arcs[mine[1:]] + ahead[1] - steps.arcs[mine[:-1]] - ahead[0]
    speed = steps.speeds[mine[1:]] / np.sqrt(scale)
    # Short steps are low and flat; the tables are of whole ones.
    size = np.clip(way / scale / np.interp(speed, [0.0, 0.8, 1.31], [0.55, 0.9, 1.2]), 0.25, 1.0)
    begin[0] = np.clip(begin[0] / np.maximum(way, 0.05), 0.3, 1.2)
    end = np.zeros_like(begin)
    end[0], end[1], end[2] = (
        LANDING_PROGRESS_SLOPE,
        LANDING_VELOCITY_M_S * (land - leave),
        0.5 * (after[2] - stop[2]) / eps * (land - leave),
    )
    lifted = style.lift * scale * size * _rows_at_speed(ANKLE_HEIGHTS_M, speed)
    columns = [
        np.broadcast_to(ANKLE_PROGRESS_SHARES[:, None], lifted.shape),
        _tie_ends(lifted, up[0] - shape.ankle, up[1] - shape.ankle),
        _tie_ends(size * _rows_at_speed(FOOT_PITCHES_RAD, speed), *pitch),
        _tie_ends(TOE_ANGLES_RAD[:, None], *toes, sharp=4),
    ]
    # The knot beside lift-off would fight a slope that it was not recorded with.
    keep = np.setdiff1d(np.arange(len(SWING_KNOTS)), (1,))
    curve = CubicSpline(SWING_KNOTS[keep], np.stack(columns, axis=1)[keep], bc_type=((1, begin), (1, end)))
    piece = np.clip(np.searchsorted(curve.x, u, side="right") - 1, 0, len(curve.x) - 2)
    x, c = (u - curve.x[piece])[:, None], curve.c[:, piece, :, a].swapaxes(0, 1)
    swung = (((c[0] * x + c[1]) * x + c[2]) * x + c[3]).T
    return swung[0], swung[1] + shape.ankle, swung[2], swung[3], ahead[0][a], ahead[1][a]


def lowest_ankle(pitch: Array, toes: Array, *, u: Array, shape: FootShape, scale: float) -> Array:
    """Return the height [F] of the ankle at which the lowest point of the foot is as low as it may be."""
    ball = pitch_vector(shape.ball, pitch)[1]
    tip = ball + pitch_vector(shape.tip, pitch + toes)[1]
    sole = ball + pitch_vector(np.array([0.0, shape.tip[1]]), pitch + toes)[1]
    # Nothing at both ends, where a point bears; full in the middle.
    room = MIN_TOE_CLEARANCE_M * scale * np.clip(6 * u * (1 - u), 0.0, 1.0)
    return np.asarray(np.maximum(room - np.minimum(tip, sole), -pitch_vector(shape.heel, pitch)[1]))


def _rows_at_speed(rows: Array, speed: Array) -> Array:
    """Return [11, M]: rows [3, 11] at `TABLE_SPEEDS_M_S`, linear in speed and carried on a little beyond."""
    v = np.clip(speed, 0.55, 1.75)
    j = np.clip(np.searchsorted(TABLE_SPEEDS_M_S, v) - 1, 0, len(TABLE_SPEEDS_M_S) - 2)
    w = np.clip((v - TABLE_SPEEDS_M_S[j]) / (TABLE_SPEEDS_M_S[j + 1] - TABLE_SPEEDS_M_S[j]), -0.5, 1.3)
    return np.asarray(((1 - w)[:, None] * rows[j] + w[:, None] * rows[j + 1]).T)


def _tie_ends(values: Array, begin: Array, end: Array, *, sharp: int = 2) -> Array:
    """Return columns [11, M] moved so that they begin and end at given values [M]; the middle moves least."""
    u = SWING_KNOTS[:, None]
    return np.asarray(values + (begin - values[0]) * (1 - u) ** sharp + (end - values[-1]) * u**2)
