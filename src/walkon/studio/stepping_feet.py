"""Feet over prints that are given one by one: small steps in any direction, and pivots on the ball.

A foot rolls about the point that bears, with θ its pitch (0 flat, + toes up) and x from 0 to 1 over each phase:

    landing   θ = strike (1 − x)^1.6     about the heel (strike > 0), or about the ball, toes flat (strike < 0)
    flat      θ = 0                      heel and ball bear
    leaving   θ = lift x²                about the ball, toes flat (lift < 0), or about the heel (lift > 0)
    pivot     yaw += pivot x²            about the ball, while its heel is up

and swings in between on a quintic curve that begins and ends with the velocities it has there, and may pass around the
other leg. Unlike those of walks, such feet stay low and nearly flat (ankles of CMU 69 rise by 2 to 5 cm, by 10 in back
steps). A place is (x, y, yaw): under the ankle of the flat foot, and where the toes point.

World frame, metres, radians, seconds.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from walkon._base.arrays import Array, BoolArray
from walkon._base.errors import InvalidValue
from walkon._base.table import Column, column
from walkon.motion.skeleton import SIDES
from walkon.studio.feet import FeetMotion, foot_rotations
from walkon.studio.foot_curves import FootShape, ahead_of, lowest_ankle, pitch_vector
from walkon.studio.footsteps import LONG_AGO_S, NEVER_S, Footprints
from walkon.studio.skeleton import OUTWARD

__all__ = ["Prints", "step_feet"]

MAX_ROLL_IN_S, MAX_ROLL_OUT_S, MAX_PIVOT_ROLL_S = 0.18, 0.26, 0.46
"""s, at most: from landing to flat, from heel-off to leaving, and the same where the foot pivots."""
SWING_TOES_UP_RAD = np.deg2rad(6.0)
"""rad, the toes above the line of a swinging foot."""
MIN_SWING_S = 0.12
"""s, faster swings are a mistake."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Prints(Footprints):
    """Footprints that are given one by one, in the order of their landings; both feet stand first and last."""

    pivots: Column = column("float64")
    """rad by which the foot turns on its ball before it leaves."""
    strikes: Column = column("float64")
    """rad, pitch at landing."""
    lifts: Column = column("float64")
    """rad, pitch at leaving."""
    heights: Column = column("float64")
    """m by which the ankle is lifted on its way to the print."""
    arounds: Column = column("float64")
    """m by which it passes outward, to its own side, on that way."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for side, name in enumerate(SIDES):
            mine = self.of(side)
            if len(mine) == 0 or self.landings[mine[0]] > LONG_AGO_S or self.leavings[mine[-1]] < NEVER_S:
                raise InvalidValue(f"the {name} foot must stand at the start (landing {LONG_AGO_S:g}) and in the end")
            swings = self.landings[mine[1:]] - self.leavings[mine[:-1]]
            if (swings < MIN_SWING_S).any():
                raise InvalidValue(f"the {name} foot must swing for {MIN_SWING_S} s or more, got {swings.min():.3f} s")
            if (self.leavings[mine] - self.landings[mine] < MIN_SWING_S).any():
                raise InvalidValue(f"the {name} foot must stand for {MIN_SWING_S} s or more on each print")
        left, right = self.swings(0), self.swings(1)
        if ((left[:, None, 0] < right[None, :, 1]) & (right[None, :, 0] < left[:, None, 1])).any():
            raise InvalidValue("one foot must stand while the other swings; let a foot land before the other leaves")

    @property
    def flat(self) -> Array:
        """[N] s, when the whole foot has come down."""
        return self.landings + np.minimum(MAX_ROLL_IN_S, 0.35 * (self.leavings - self.landings))

    @property
    def rises(self) -> Array:
        """[N] s, when the foot begins to come up."""
        longest = np.where(self.pivots == 0.0, MAX_ROLL_OUT_S, MAX_PIVOT_ROLL_S)
        return self.leavings - np.minimum(longest, 0.6 * (self.leavings - self.landings))

    def swings(self, side: int) -> Array:
        """Return [M, 2] s, from leaving to landing, of one foot."""
        mine = self.of(side)
        return np.stack([self.leavings[mine[:-1]], self.landings[mine[1:]]], axis=1)


def step_feet(prints: Prints, times: Array, *, shape: FootShape, scale: float) -> FeetMotion:
    """Move both feet through their prints at times [T]."""
    moved = np.zeros((len(times), 2, 6))
    swing, contacts = np.full((len(times), 2), -1.0), np.zeros((len(times), 2, 2), bool)
    for side, outward in enumerate(OUTWARD):
        mine = prints.of(side)
        for k in mine:
            f = np.flatnonzero((times >= prints.landings[k]) & (times <= prints.leavings[k]))
            moved[f, side], contacts[f, side] = _stand(prints, k, times[f], shape), _bear(prints, k, times[f])
        for a, b in pairwise(mine):
            leaves, lands = prints.leavings[a], prints.landings[b]
            f = np.flatnonzero((times > leaves) & (times < lands))
            swing[f, side] = u = (times[f] - leaves) / (lands - leaves)
            moved[f, side] = _swing(prints, a, b, u, outward=outward, shape=shape, scale=scale)
    pitch, toes, yaws = moved[..., 3], moved[..., 4], moved[..., 5]
    return FeetMotion(moved[..., :3], foot_rotations(yaws, pitch), toes, yaws, contacts.reshape(len(times), 4), swing)


def _stand(prints: Prints, k: int, t: Array, shape: FootShape) -> Array:
    """Return a foot on print k at times [F]: [F, 6] = its ankle, pitch, toes against the foot and yaw."""
    place, flat, rises = prints.places[k], prints.flat[k], prints.rises[k]
    into = np.clip((flat - t) / (flat - prints.landings[k]), 0.0, 1.0)
    out = np.clip((t - rises) / (prints.leavings[k] - rises), 0.0, None)
    pitch = prints.strikes[k] * into**1.6 + prints.lifts[k] * out**2
    yaw = place[2] + prints.pivots[k] * out**2
    heel, ball = pitch_vector(-shape.heel, pitch), pitch_vector(-shape.ball, pitch)
    on_heel = pitch > 0
    ahead = np.where(on_heel, shape.heel[0] + heel[0], shape.ball[0] + ball[0])
    up = np.where(on_heel, heel[1], shape.ankle + shape.ball[1] + ball[1])
    toes = np.where(on_heel, 0.15 * pitch, -pitch)
    # It turns about the ball, which is where it was.
    about = np.column_stack([np.tile(ahead_of(place, shape.ball[0]), (len(t), 1)), yaw])
    return np.column_stack([ahead_of(about, ahead - shape.ball[0]), up, pitch, toes, yaw])


def _bear(prints: Prints, k: int, t: Array) -> BoolArray:
    """Return where heel and ball bear [F, 2], at times [F] of the stance on print k."""
    strike, lift = prints.strikes[k], prints.lifts[k]
    begins = np.where([strike >= 0, strike <= 0], prints.landings[k], prints.flat[k])
    ends = np.where([lift > 0, lift <= 0], prints.leavings[k], prints.rises[k])
    return np.asarray((t[:, None] >= begins) & (t[:, None] <= ends))


def _swing(prints: Prints, a: int, b: int, u: Array, *, outward: float, shape: FootShape, scale: float) -> Array:
    """Return what `_stand` returns, at shares u [F] of the swing from print a to print b."""
    seconds, eps = prints.landings[b] - prints.leavings[a], 1e-4
    ends = []
    for k, t, step in ((a, prints.leavings[a], -eps), (b, prints.landings[b], eps)):
        here, beside = _stand(prints, k, np.array([t, t + step]), shape)
        ends += [here, (beside - here) / step * seconds]
    start, leaves, stop, lands = ends
    # A foot comes down on the spot: hardly any way is left when it lands.
    lands[:2] = 0.12 * (stop[:2] - start[:2])
    # A pivot that goes on into the swing must not throw it beyond its aim.
    leaves[5] = np.clip(leaves[5], -1.2 * abs(stop[5] - start[5]), 1.2 * abs(stop[5] - start[5]))
    # The curve from start to stop with these slopes and no acceleration at its ends.
    x = u[:, None]
    to = x**3 * (10 - 15 * x + 6 * x**2)
    out = x - x**3 * (6 - 8 * x + 3 * x**2)
    into = x**3 * (-4 + 7 * x - 3 * x**2)
    curve = start + (stop - start) * to + leaves * out + lands * into
    middle = np.sin(np.pi * u) ** 2
    curve[:, 2] += prints.heights[b] * middle
    # A foot that left heel first hangs a little more before it levels.
    curve[:, 3] += 0.3 * min(prints.lifts[a], 0.0) * middle
    curve[:, 4] += SWING_TOES_UP_RAD * middle
    yaw = 0.5 * (start[5] + stop[5])
    curve[:, :2] += outward * prints.arounds[b] * middle[:, None] * np.array([-np.sin(yaw), np.cos(yaw)])
    curve[:, 2] = np.maximum(curve[:, 2], lowest_ankle(curve[:, 3], curve[:, 4], u=u, shape=shape, scale=scale))
    return np.asarray(curve)
