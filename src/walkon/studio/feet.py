"""Where both feet are at every frame: rolling over heel, ball and toes while they bear, and swinging in between.

*Stance* is a pitch θ (0 flat, + toes up) about the point that bears, so that contacts are exact by construction:

    landing     θ = θ₀ (1 − x)^1.6           about the heel, x from 0 to 1 over 14 % of a stride
    flat        θ = 0                        heel and ball bear
    heel off    θ = θ₁ x^2.6                 about the joint of the ball, toes flat, x to 1 at lift-off
    toe off     toes tip by τ = τ₁ x^2.3       about the tip of the toes, over the last 9 % of a stride

*Swing* follows recorded walks (their shape hardly changes with speed): the ankle's progress, height and pitch at eleven
times, splined with the velocity that the stance has at lift-off, ends tied to the rolling poses. The ankle moves along
the path, not along the chord, so that in turns the feet do not cut through each other; its height is clamped where the
toes would come too near to the floor.

World frame, metres, radians, seconds.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.studio.footsteps import Footsteps
from walkon.studio.path import Path
from walkon.studio.styles import Style
from walkon.transforms import angles
from walkon.transforms import quaternions as quat

__all__ = ["FeetMotion", "FootShape", "move_feet"]

STRIKE, LIFT_OFF, TIP = np.deg2rad([22.0, -54.0, -33.0])
"""rad: pitch at landing and at lift-off for a step of 0.7 m, and of the toes at lift-off."""
LANDING = -0.12
"""m/s, the ankle's way down at landing."""
ROCKER, TIPPING = 0.14, 0.095
"""Shares of a stride: from landing to flat, and on the tip of the toes."""
ROLL_POWER = 2.6
CLEARANCE = 0.012
"""m by which the toes of a swinging foot at least clear the floor in mid-swing."""
AROUND, AROUND_TURNING = 0.005, 0.065
"""m by which a swinging ankle passes outward around the other leg, and further at a turn of 90 degrees/s: there the other
foot no longer points along the path."""

END = 0.2
"""The progress's slope at landing: the ankle still moves, but no faster than the heel lets it roll on."""
KNOTS = np.linspace(0.0, 1.0, 11)
PROGRESS = np.array([0.0, 0.07, 0.15, 0.25, 0.361, 0.483, 0.611, 0.741, 0.866, 0.960, 1.0])
"""Share of the ankle's way at eleven equal times of the swing."""
SWING_SPEEDS = np.array([0.8, 1.0, 1.31])
HEIGHTS = 1e-3 * np.array(
    [
        [95, 117, 129, 126, 106, 77, 49, 28, 18, 13, 8],
        [101, 124, 138, 138, 122, 90, 54, 29, 19, 13, 8],
        [113, 142, 158, 152, 128, 93, 57, 31, 20, 14, 8],
    ]
)
"""m, the ankle above its height when flat, at those speeds; bodies of 1.75 m."""
PITCHES = np.deg2rad(
    np.array(
        [
            [-44, -52, -51, -44, -34, -23, -11, -1, 9, 16, 17],
            [-44, -50, -50, -48, -39, -25, -12, -1, 9, 18, 19],
            [-54, -61, -60, -52, -40, -26, -12, 1, 13, 22, 24],
        ]
    )
)
TOES = np.deg2rad(np.array([24.0, 19, 14, 10, 8, 7, 6, 6, 6, 6, 5]))
"""rad, the toes above the line of the foot during the swing."""


@dataclass(frozen=True)
class FootShape:
    """The performer's foot in the plane: places from the ankle, [2] = (ahead, up), metres."""

    heel: Array
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


class FeetMotion(NamedTuple):
    """Both feet at T frames; the second axis is left, right."""

    ankles: Array
    """[T, 2, 3] m."""
    rotations: Array
    """[T, 2, 4] foot → world."""
    toes: Array
    """[T, 2] rad, pitch of the toes against the foot, + up."""
    yaws: Array
    """[T, 2] rad, unwrapped."""
    contacts: BoolArray
    """[T, 4] in the order of `walkon.motion.FOOT_CONTACTS`."""
    swing: Array
    """[T, 2] share of the swing gone, −1 in stance."""


def move_feet(
    steps: Footsteps, path: Path, *, times: Array, shape: FootShape, style: Style, scale: float
) -> FeetMotion:
    """Move both feet through their prints at times [T]."""
    parts = [_move_foot(steps, steps.of(side), path, times, shape, style, scale) for side in range(len(SIDES))]
    ankles, pitch, toes, yaws, heel, ball, swing = (np.stack(column, axis=1) for column in zip(*parts, strict=True))
    rotations = quat.multiply(quat.turn(yaws), quat.about(np.array([0.0, 1.0, 0.0]), -pitch))
    contacts = np.stack([heel[:, 0], ball[:, 0], heel[:, 1], ball[:, 1]], axis=1)
    return FeetMotion(ankles, rotations, toes, yaws, contacts, swing)


class _Roll(NamedTuple):
    """How one foot rolls over each of its prints: seconds and radians, [M] each."""

    landing: Array
    leaving: Array
    flat: Array
    heel_off: Array
    tipping: Array
    strike: Array
    lift: Array
    tip: Array


def _rolls(steps: Footsteps, mine: IntArray, style: Style, scale: float) -> _Roll:
    lengths = steps.step_lengths / scale
    after = np.concatenate([lengths[1:], lengths[-1:]])
    speed, stride = steps.speeds[mine] / np.sqrt(scale), steps.strides[mine]
    landing, leaving = steps.landings[mine], steps.leavings[mine]
    strike = STRIKE * style.heel_strike * np.clip((lengths[mine] - 0.12) / 0.45, 0.0, 1.1)
    lift = LIFT_OFF * style.push_off * np.clip((after[mine] - 0.02) / 0.68, 0.0, 1.2) ** 0.5
    flat = landing + ROCKER * stride
    # The heel comes off earlier in faster walks.
    rolling = np.interp(speed, [0.7, 1.3, 1.8], [0.28, 0.30, 0.33]) * stride
    heel_off = np.maximum(leaving - rolling, np.minimum(flat, 0.5 * (landing + leaving)))
    return _Roll(landing, leaving, flat, heel_off, leaving - TIPPING * stride, strike, lift, TIP * lift / LIFT_OFF)


def _rolling(roll: _Roll, k: IntArray, t: Array, shape: FootShape) -> tuple[Array, Array, Array, Array]:
    """Return (ahead, up, pitch, toe pitch against the floor) of the ankle [...] at times of prints k [...]."""
    x = np.clip((roll.flat[k] - t) / (roll.flat[k] - roll.landing[k]), 0.0, 1.0)
    strike = roll.strike[k] * x**1.6
    x = np.clip((t - roll.heel_off[k]) / (roll.leaving[k] - roll.heel_off[k]), 0.0, None)
    lift = roll.lift[k] * x**ROLL_POWER
    x = np.clip((t - roll.tipping[k]) / (roll.leaving[k] - roll.tipping[k]), 0.0, None)
    tip = roll.tip[k] * x**2.3
    pitch = strike + lift
    # Landing: the ankle about the heel. Later: the ankle about the ball's joint, which itself turns about the tip.
    heel = _turned(-shape.heel, strike)
    ball = (shape.ball + shape.tip)[:, None] + _turned(-shape.tip, tip)
    late = ball + _turned(-shape.ball, lift)
    on_heel = strike > 0
    ahead = np.where(on_heel, shape.heel[0] + heel[0], late[0])
    up = np.where(on_heel, heel[1], shape.ankle + late[1])
    return ahead, up, pitch, tip + np.where(on_heel, 1.15 * strike, 0.0)


def _turned(v: Array, pitch: Array) -> Array:
    """Return [2, ...]: (ahead, up) of a vector of the foot pitched up by angles [...]."""
    c, s = np.cos(pitch), np.sin(pitch)
    return np.stack([v[0] * c - v[1] * s, v[0] * s + v[1] * c])


def _move_foot(
    steps: Footsteps, mine: IntArray, path: Path, times: Array, shape: FootShape, style: Style, scale: float
) -> tuple[Array, ...]:
    roll = _rolls(steps, mine, style, scale)
    places, arcs, offsets = steps.places[mine], steps.arcs[mine], steps.offsets[mine]
    k = np.clip(np.searchsorted(roll.landing, times, side="right") - 1, 0, len(mine) - 1)
    swinging = (times >= roll.leaving[k]) & (k + 1 < len(mine))
    ahead, up, pitch, toe = _rolling(roll, k, times, shape)
    yaw = np.array(places[k, 2])
    xy = places[k, :2] + ahead[:, None] * np.stack([np.cos(yaw), np.sin(yaw)], axis=1)
    toe_up = toe - pitch
    heel = (times >= roll.landing[k]) & (times <= roll.heel_off[k]) & ~swinging
    ball = (times >= roll.flat[k]) & (times <= roll.tipping[k]) & ~swinging
    share = np.full(len(times), -1.0)

    if swinging.any():
        f = np.flatnonzero(swinging)
        a = k[f]
        T = roll.landing[a + 1] - roll.leaving[a]
        u = (times[f] - roll.leaving[a]) / T
        share[f] = u
        curves = _Swing(roll, steps, mine, shape, style, scale)
        progress, height, tilt, toes = curves.at(a, u)
        turn = u * u * (3 - 2 * u)
        yaw[f] = places[a, 2] + (places[a + 1, 2] - places[a, 2]) * turn
        xy[f] = _along_path(path, (places, arcs, offsets), (curves.start, curves.stop), a, progress, turn, u)
        bend = np.abs(angles.difference(places[a + 1, 2], places[a, 2])) / (roll.landing[a + 1] - roll.landing[a])
        width = AROUND + AROUND_TURNING * np.minimum(bend / (0.5 * np.pi), 1.0)
        outward = np.where(steps.sides[mine[0]] == 0, 1.0, -1.0) * width * scale * np.sin(np.pi * u) ** 2
        way = path.at(arcs[a] + (arcs[a + 1] - arcs[a]) * progress)[:, 2]
        xy[f] += outward[:, None] * np.stack([-np.sin(way), np.cos(way)], axis=1)
        pitch[f], toe_up[f] = tilt, toes
        up[f] = np.maximum(height, _lowest_ankle(tilt, toes, u, shape, scale))
    ankles = np.column_stack([xy, up])
    return ankles, pitch, toe_up, yaw, heel, ball, share


def _along_path(
    path: Path,
    prints: tuple[Array, Array, Array],
    ends: tuple[Array, Array],
    a: IntArray,
    progress: Array,
    turn: Array,
    u: Array,
) -> Array:
    """Return the ankle's place [F, 2] between prints a and a + 1, led along the path."""
    (places, arcs, offsets), (start, stop) = prints, ends

    def rolled(k: IntArray, ahead: Array) -> Array:
        yaw = places[k, 2]
        return np.asarray(places[k, :2] + ahead[:, None] * np.stack([np.cos(yaw), np.sin(yaw)], axis=1))

    s0, s1 = arcs[a] + start[a], arcs[a + 1] + stop[a]
    d0, d1 = offsets[a], offsets[a + 1]
    line = path.beside(s0 + (s1 - s0) * progress, d0 + (d1 - d0) * turn)
    # A foot points out of the path's direction, so its rolled ankle is not quite on the line: tie both ends exactly.
    miss0 = rolled(a, start[a]) - path.beside(s0, d0)
    miss1 = rolled(a + 1, stop[a]) - path.beside(s1, d1)
    return np.asarray(line + miss0 * (1 - turn)[:, None] + miss1 * turn[:, None] + 0.0 * u[:, None])


class _Swing:
    """The curves of every swing of one foot: from each print to the next."""

    def __init__(
        self, roll: _Roll, steps: Footsteps, mine: IntArray, shape: FootShape, style: Style, scale: float
    ) -> None:
        M = len(mine) - 1
        k = np.arange(M)
        T = roll.landing[1:] - roll.leaving[:-1]
        eps = 1e-4
        leave, land = roll.leaving[:-1], roll.landing[1:]
        x0, z0, p0, t0 = _rolling(roll, k, leave, shape)
        xb, zb, pb, tb = _rolling(roll, k, leave - eps, shape)
        x1, z1, p1, t1 = _rolling(roll, k + 1, land, shape)
        _, _, pc, _ = _rolling(roll, k + 1, land + eps, shape)
        self.start, self.stop = x0, x1
        way = steps.arcs[mine][1:] + x1 - steps.arcs[mine][:-1] - x0
        speed = steps.speeds[mine][1:] / np.sqrt(scale)
        length = way / scale
        # Short steps are low and flat; the tables are of whole ones.
        size = np.clip(length / np.interp(speed, [0.0, 0.8, 1.31], [0.55, 0.9, 1.2]), 0.25, 1.0)
        heights = style.lift * scale * size * _table(HEIGHTS, speed)
        pitches = size * _table(PITCHES, speed)
        z0, z1 = z0 - shape.ankle, z1 - shape.ankle
        rest = 1 - KNOTS[:, None]
        heights = heights + (z0 - heights[0]) * rest**2 + (z1 - heights[-1]) * KNOTS[:, None] ** 2
        pitches = pitches + (p0 - pitches[0]) * rest**2 + (p1 - pitches[-1]) * KNOTS[:, None] ** 2
        toes = np.repeat(TOES[:, None], M, axis=1)
        toes = toes + ((t0 - p0) - toes[0]) * rest**4 + ((t1 - p1) - toes[-1]) * KNOTS[:, None] ** 2
        progress = np.repeat(PROGRESS[:, None], M, axis=1)
        far = np.maximum(way, 0.05)
        begin = np.clip((x0 - xb) / eps * T / far, 0.3, 1.2)
        # Knots near the ends would fight a slope that they were not recorded with: only the inner ones are kept.
        self.pieces = [
            _spline(progress, begin, np.full(M, END), drop=(1,)),
            _spline(heights, (z0 + shape.ankle - zb) / eps * T, LANDING * T),
            _spline(pitches, (p0 - pb) / eps * T, 0.5 * (pc - p1) / eps * T),
            _spline(toes, ((t0 - p0) - (tb - pb)) / eps * T, np.zeros(M)),
        ]
        self.ankle = shape.ankle

    def at(self, a: IntArray, u: Array) -> tuple[Array, Array, Array, Array]:
        """Return progress, ankle height, pitch and toes [F] of swings a [F] at shares u [F]."""
        progress, height, pitch, toes = (_evaluate(piece, a, u) for piece in self.pieces)
        return progress, height + self.ankle, pitch, toes


def _table(rows: Array, speed: Array) -> Array:
    """Return [11, M]: rows [3, 11] at `SWING_SPEEDS`, linear in speed and carried on a little beyond."""
    v = np.clip(speed, 0.55, 1.75)
    j = np.clip(np.searchsorted(SWING_SPEEDS, v) - 1, 0, len(SWING_SPEEDS) - 2)
    w = np.clip((v - SWING_SPEEDS[j]) / (SWING_SPEEDS[j + 1] - SWING_SPEEDS[j]), -0.5, 1.3)
    return np.asarray(((1 - w)[:, None] * rows[j] + w[:, None] * rows[j + 1]).T)


def _spline(values: Array, begin: Array, end: Array, *, drop: tuple[int, ...] = (1,)) -> CubicSpline:
    """Return the spline through columns [11, M] with these slopes at the ends, leaving out knots."""
    keep = np.setdiff1d(np.arange(len(KNOTS)), drop)
    return CubicSpline(KNOTS[keep], values[keep], bc_type=((1, begin), (1, end)))


def _evaluate(spline: CubicSpline, column: IntArray, u: Array) -> Array:
    """Return each frame's own column of a spline at its own place [F]."""
    j = np.clip(np.searchsorted(spline.x, u, side="right") - 1, 0, len(spline.x) - 2)
    x, c = u - spline.x[j], spline.c[:, j, column]
    return np.asarray(((c[0] * x + c[1]) * x + c[2]) * x + c[3])


def _lowest_ankle(pitch: Array, toes: Array, u: Array, shape: FootShape, scale: float) -> Array:
    """Return the height [F] of the ankle at which the lowest point of the foot is as low as it may be."""
    ball = _turned(shape.ball, pitch)[1]
    tip = ball + _turned(shape.tip, pitch + toes)[1]
    sole = ball + _turned(np.array([0.0, shape.tip[1]]), pitch + toes)[1]
    heel = _turned(shape.heel, pitch)[1]
    # Nothing at both ends, where a point bears; full in the middle.
    room = CLEARANCE * scale * np.clip(6 * u * (1 - u), 0.0, 1.0)
    return np.asarray(np.maximum(room - np.minimum(np.minimum(tip, sole), 1e9), -heel))
