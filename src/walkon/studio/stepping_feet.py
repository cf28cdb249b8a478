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

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon._base.table import Column, Table, column
from walkon.motion.skeleton import SIDES
from walkon.studio.feet import FeetMotion, foot_rotations
from walkon.studio.foot_curves import FootShape, lowest_ankle, pitched
from walkon.studio.footsteps import LONG_AGO, NEVER

__all__ = ["Prints", "step_feet"]

ROLL_IN, ROLL_OUT, PIVOT = 0.18, 0.26, 0.46
"""s, at most: from landing to flat, from heel-off to leaving, and the same where the foot pivots."""
TOES_UP = np.deg2rad(6.0)
"""rad, the toes above the line of a swinging foot."""
SHORTEST_SWING = 0.12
"""s, faster swings are a mistake."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Prints(Table):
    """N footprints in the order of their landings; both feet stand first and last."""

    sides: Column = column("int64")
    """0 = left, 1 = right."""
    places: Column = column("float64", 3)
    """m, m, rad (yaws unwrapped: a foot turns by their difference)."""
    landings: Column = column("float64")
    """s; `LONG_AGO` for the two feet that stand from the start."""
    leavings: Column = column("float64")
    """s; `NEVER` for the two that stand in the end."""
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
            if len(mine) == 0 or self.landings[mine[0]] > LONG_AGO or self.leavings[mine[-1]] < NEVER:
                raise InvalidValue(f"the {name} foot must stand at the start (landing {LONG_AGO:g}) and in the end")
            swings = self.landings[mine[1:]] - self.leavings[mine[:-1]]
            if (swings < SHORTEST_SWING).any():
                raise InvalidValue(
                    f"the {name} foot must swing for {SHORTEST_SWING} s or more, got {swings.min():.3f} s"
                )
            if (self.leavings[mine] - self.landings[mine] < SHORTEST_SWING).any():
                raise InvalidValue(f"the {name} foot must stand for {SHORTEST_SWING} s or more on each print")
        left, right = self.swings(0), self.swings(1)
        if ((left[:, None, 0] < right[None, :, 1]) & (right[None, :, 0] < left[:, None, 1])).any():
            raise InvalidValue("one foot must stand while the other swings; let a foot land before the other leaves")

    def of(self, side: int) -> IntArray:
        """Return the indices of one foot's prints."""
        return np.flatnonzero(self.sides == side)

    def swings(self, side: int) -> Array:
        """Return [M, 2] s, from leaving to landing, of one foot."""
        mine = self.of(side)
        return np.stack([self.leavings[mine[:-1]], self.landings[mine[1:]]], axis=1)


@dataclass(frozen=True)
class _Stance:
    """One foot on one print: a function of time."""

    place: Array
    landing: float
    leaving: float
    strike: float
    lift: float
    pivot: float
    shape: FootShape

    @property
    def flat(self) -> float:
        return self.landing + min(ROLL_IN, 0.35 * (self.leaving - self.landing))

    @property
    def rises(self) -> float:
        return self.leaving - min(PIVOT if self.pivot else ROLL_OUT, 0.6 * (self.leaving - self.landing))

    def at(self, t: Array) -> tuple[Array, Array, Array, Array]:
        """Return the ankle [F, 3], pitch, toes against the foot and yaw [F]."""
        shape = self.shape
        into = np.clip((self.flat - t) / (self.flat - self.landing), 0.0, 1.0)
        out = np.clip((t - self.rises) / (self.leaving - self.rises), 0.0, None)
        pitch = self.strike * into**1.6 + self.lift * out**2
        yaw = self.place[2] + self.pivot * out**2
        heel, ball = pitched(-shape.heel, pitch), pitched(-shape.ball, pitch)
        on_heel = pitch > 0
        ahead = np.where(on_heel, shape.heel[0] + heel[0], shape.ball[0] + ball[0])
        up = np.where(on_heel, heel[1], shape.ankle + shape.ball[1] + ball[1])
        toes = np.where(on_heel, 0.15 * pitch, -pitch)
        # It turns about the ball, which is where it was.
        ball_at = self.place[:2] + shape.ball[0] * _ahead(self.place[2])
        xy = ball_at + (ahead - shape.ball[0])[:, None] * _ahead(yaw)
        return np.column_stack([xy, up]), pitch, toes, yaw

    def bears(self, t: Array) -> tuple[BoolArray, BoolArray]:
        """Return where heel and ball bear [F], given times of this stance."""
        heel_from = self.landing if self.strike >= 0 else self.flat
        ball_from = self.landing if self.strike <= 0 else self.flat
        heel_to = self.leaving if self.lift > 0 else self.rises
        ball_to = self.leaving if self.lift <= 0 else self.rises
        return (t >= heel_from) & (t <= heel_to), (t >= ball_from) & (t <= ball_to)


def step_feet(prints: Prints, times: Array, *, shape: FootShape, scale: float) -> FeetMotion:
    """Move both feet through their prints at times [T]."""
    T = len(times)
    ankles, pitch, toes, yaws = np.zeros((T, 2, 3)), np.zeros((T, 2)), np.zeros((T, 2)), np.zeros((T, 2))
    swing, contacts = np.full((T, 2), -1.0), np.zeros((T, 4), bool)
    for side in range(len(SIDES)):
        mine = prints.of(side)
        stances = [
            _Stance(
                prints.places[k],
                float(prints.landings[k]),
                float(prints.leavings[k]),
                float(prints.strikes[k]),
                float(prints.lifts[k]),
                float(prints.pivots[k]),
                shape,
            )
            for k in mine
        ]
        for stance in stances:
            f = np.flatnonzero((times >= stance.landing) & (times <= stance.leaving))
            ankles[f, side], pitch[f, side], toes[f, side], yaws[f, side] = stance.at(times[f])
            contacts[f, 2 * side], contacts[f, 2 * side + 1] = stance.bears(times[f])
        for k, (before, after) in enumerate(pairwise(stances)):
            f = np.flatnonzero((times > before.leaving) & (times < after.landing))
            u = (times[f] - before.leaving) / (after.landing - before.leaving)
            outward = prints.arounds[mine[k + 1]] * (1.0 if side == 0 else -1.0)
            ankles[f, side], pitch[f, side], toes[f, side], yaws[f, side] = _swung(
                before, after, u, height=float(prints.heights[mine[k + 1]]), outward=outward, scale=scale
            )
            swing[f, side] = u
    return FeetMotion(ankles, foot_rotations(yaws, pitch), toes, yaws, contacts, swing)


def _swung(
    before: _Stance, after: _Stance, u: Array, *, height: float, outward: float, scale: float
) -> tuple[Array, Array, Array, Array]:
    """Return what `_Stance.at` returns, at shares u [F] of the swing from one print to the next."""
    seconds, eps = after.landing - before.leaving, 1e-4
    ends = []
    for stance, t, side in ((before, before.leaving, -eps), (after, after.landing, eps)):
        ankle, pitch, toe, yaw = stance.at(np.array([t, t + side]))
        packed = np.column_stack([ankle, pitch, toe, yaw])
        ends.append((packed[0], (packed[1] - packed[0]) / side * seconds))
    (start, leaves), (stop, lands) = ends
    way = stop[:2] - start[:2]
    # A foot comes down on the spot: hardly any way is left when it lands.
    lands[:2] = 0.12 * way
    # A pivot that goes on into the swing must not throw it beyond its aim.
    leaves[5] = np.clip(leaves[5], -1.2 * abs(stop[5] - start[5]), 1.2 * abs(stop[5] - start[5]))
    curve = _quintic(start, leaves, stop, lands, u)
    middle = np.sin(np.pi * u) ** 2
    curve[:, 2] += height * middle
    # A foot that left heel first hangs a little more before it levels.
    curve[:, 3] += 0.3 * min(before.lift, 0.0) * middle
    curve[:, 4] += TOES_UP * middle
    along = np.array([np.cos(0.5 * (start[5] + stop[5])), np.sin(0.5 * (start[5] + stop[5]))])
    curve[:, :2] += outward * middle[:, None] * np.array([-along[1], along[0]])
    floor = lowest_ankle(curve[:, 3], curve[:, 4], u=u, shape=before.shape, scale=scale)
    curve[:, 2] = np.maximum(curve[:, 2], floor)
    return curve[:, :3], curve[:, 3], curve[:, 4], curve[:, 5]


def _quintic(start: Array, leaves: Array, stop: Array, lands: Array, u: Array) -> Array:
    """Return [F, D]: the curve from `start` to `stop` [D] with these slopes and no acceleration at its ends."""
    x = u[:, None]
    to = x**3 * (10 - 15 * x + 6 * x**2)
    out = x - x**3 * (6 - 8 * x + 3 * x**2)
    into = x**3 * (-4 + 7 * x - 3 * x**2)
    return np.asarray(start + (stop - start) * to + leaves * out + lands * into)


def _ahead(yaw: Array | float) -> Array:
    """Return the direction [..., 2] in which the toes point."""
    return np.stack([np.cos(yaw), np.sin(yaw)], axis=-1)
