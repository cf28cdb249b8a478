"""Trajectories of both feet: rolling in stance while they bear, swinging in between (`foot_curves`).

A swinging ankle moves along the path, not along the chord between its prints, and a little outward around the other
leg, so that feet do not cut through each other, in turns least of all. Its height is held where the toes would come too
near to the floor. Which of heel and ball bear is known, not detected: a label is true while the point does not move.

Where the body turns within a step or two, a foot that it has turned away from follows on its ball when its heel is up
(recorded: by 10 to 46 degrees), then swings around the other leg.

World frame, metres, radians, seconds.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.geometry.path import Path
from walkon.motion.skeleton import SIDES
from walkon.studio.foot_curves import FootShape, ahead_of, lowest_ankle, plan_roll, roll_foot, swing_foot
from walkon.studio.footsteps import NEVER_S, Footsteps
from walkon.studio.pace import Pace
from walkon.studio.performer import OUTWARD, Style
from walkon.transforms import angles, planar
from walkon.transforms import quaternions as quat
from walkon.transforms.easing import smoothstep

__all__ = ["FeetMotion", "OneFoot", "foot_rotations", "join_feet", "move_feet", "pivot_feet"]

SWING_AROUND_M, SWING_AROUND_TURNING_M = 0.005, 0.065
"""m by which a swinging ankle passes outward around the other leg, and how much more at a turn of 90 degrees/s, where
the other foot no longer points along the path."""
PIVOT_SHARE, MAX_PIVOT_RAD = 0.55, np.deg2rad(40.0)
"""Share of the body's turn away from a foot by which it follows on its ball, and rad by which it does at most."""
PIVOT_SWING_AROUND_M = 0.05
"""m by which a foot that was left behind swings further out at 90 degrees."""


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


OneFoot = tuple[Array, Array, Array, Array, Array, BoolArray, BoolArray]
"""Ankles [T, 3], pitch, toes, yaws and swing of one foot, as in `FeetMotion`, and where its heel and its ball bear."""


def move_feet(
    steps: Footsteps, path: Path, *, times: Array, shape: FootShape, style: Style, scale: float
) -> FeetMotion:
    """Move both feet through their prints at times [T]."""
    return join_feet(
        *(
            _move_foot(steps, steps.of(side), path, times=times, shape=shape, style=style, scale=scale)
            for side in range(len(SIDES))
        )
    )


def join_feet(left: OneFoot, right: OneFoot) -> FeetMotion:
    """Return both feet as one."""
    ankles, pitch, toes, yaws, swing, heel, ball = (np.stack(both, axis=1) for both in zip(left, right, strict=True))
    contacts = np.stack([heel, ball], axis=2).reshape(len(heel), 4)
    return FeetMotion(ankles, foot_rotations(yaws, pitch), toes, yaws, contacts, swing)


def foot_rotations(yaws: Array, pitch: Array) -> Array:
    """Return rotations [..., 4] of feet that are turned by yaws [...] and pitched up by [...]."""
    return quat.multiply(quat.turn(yaws), quat.about(np.array([0.0, 1.0, 0.0]), -pitch))


def _move_foot(
    steps: Footsteps, mine: IntArray, path: Path, *, times: Array, shape: FootShape, style: Style, scale: float
) -> OneFoot:
    roll = plan_roll(steps, mine, style=style, scale=scale)
    places = steps.places[mine]
    k = np.clip(np.searchsorted(roll.landing, times, side="right") - 1, 0, len(mine) - 1)
    swinging = (times >= roll.leaving[k]) & (k + 1 < len(mine))
    ahead, up, pitch, toes = roll_foot(roll, k, t=times, shape=shape)
    yaw: Array = np.array(places[k, 2])
    xy = ahead_of(places[k], ahead)
    heel = (times >= roll.landing[k]) & (times <= roll.heel_off[k]) & ~swinging
    ball = (times >= roll.flat[k]) & (times <= roll.tipping[k]) & ~swinging
    share: Array = np.full(len(times), -1.0)
    if swinging.any():
        f = np.flatnonzero(swinging)
        a = k[f]
        b = a + 1
        share[f] = u = (times[f] - roll.leaving[a]) / (roll.landing[b] - roll.leaving[a])
        progress, height, pitch[f], toes[f], start, stop = swing_foot(
            roll, steps, mine=mine, a=a, u=u, shape=shape, style=style, scale=scale
        )
        turn = smoothstep(u)
        yaw[f] = places[a, 2] + (places[b, 2] - places[a, 2]) * turn
        up[f] = np.maximum(height, lowest_ankle(pitch[f], toes[f], u=u, shape=shape, scale=scale))
        rate = np.abs(angles.difference(places[b, 2], places[a, 2])) / (roll.landing[b] - roll.landing[a])
        around = (
            scale
            * (SWING_AROUND_M + SWING_AROUND_TURNING_M * np.minimum(rate / (0.5 * np.pi), 1.0))
            * np.sin(np.pi * u) ** 2
        )
        outward = around if steps.sides[mine[0]] == 0 else -around
        s0, s1 = steps.arcs[mine[a]] + start, steps.arcs[mine[b]] + stop
        d0, d1 = steps.offsets[mine[a]], steps.offsets[mine[b]]
        # A foot points out of the path's direction, so its ankle is not quite on the line: tie both ends exactly.
        miss0 = ahead_of(places[a], start) - path.beside(s0, d0)
        miss1 = ahead_of(places[b], stop) - path.beside(s1, d1)
        line = path.beside(s0 + (s1 - s0) * progress, d0 + (d1 - d0) * turn + outward)
        xy[f] = line + miss0 * (1 - turn)[:, None] + miss1 * turn[:, None]
    return np.column_stack([xy, up]), pitch, toes, yaw, share, heel, ball


def pivot_feet(
    feet: FeetMotion,
    steps: Footsteps,
    pace: Pace,
    path: Path,
    *,
    times: Array,
    shape: FootShape,
    style: Style,
    scale: float,
) -> FeetMotion:
    """Return the feet with those turned on their balls that the body has turned away from."""
    ankles, yaws, rotations = feet.ankles.copy(), feet.yaws.copy(), feet.rotations.copy()
    for side, outward in enumerate(OUTWARD):
        mine = steps.of(side)
        roll = plan_roll(steps, mine, style=style, scale=scale)
        for k in np.flatnonzero(roll.leaving[:-1] < 0.5 * NEVER_S):
            place, leaves, lands = steps.places[mine[k]], roll.leaving[k], roll.landing[k + 1]
            away = path.pose(pace.arc(leaves))[2] - (place[2] - outward * np.deg2rad(style.toe_out))
            if abs(away) < np.deg2rad(2.0):
                continue
            pivot = np.clip(PIVOT_SHARE * away, -MAX_PIVOT_RAD, MAX_PIVOT_RAD)
            ball = ahead_of(place, shape.ball[0])
            f = np.flatnonzero((times > roll.heel_off[k]) & (times < lands))
            turned = pivot * smoothstep((times[f] - roll.heel_off[k]) / (roll.tipping[k] - roll.heel_off[k]))
            u = np.clip((times[f] - leaves) / (lands - leaves), 0.0, 1.0)
            back = 1.0 - smoothstep(u)
            # In stance the ankle goes round the ball; in swing what is left of that dies away.
            at, last = ankles[f, side, :2], [np.interp(leaves, times, ankles[:, side, axis]) for axis in range(2)]
            left = _turn_about(ball, pivot, np.array(last)) - last
            across = path.pose(pace.arc(times[f]))[:, 2] + outward * 0.5 * np.pi
            wide = scale * PIVOT_SWING_AROUND_M * min(abs(away) / (0.5 * np.pi), 1.0) * np.sin(np.pi * u) ** 2
            swung = at + wide[:, None] * np.stack([np.cos(across), np.sin(across)], axis=1) + back[:, None] * left
            ankles[f, side, :2] = np.where(times[f, None] <= leaves, _turn_about(ball, turned, at), swung)
            yaws[f, side] += turned * back
            rotations[f, side] = quat.multiply(quat.turn(turned * back), rotations[f, side])
    return feet._replace(ankles=ankles, yaws=yaws, rotations=rotations)


def _turn_about(middle: Array, angle: Array, points: Array) -> Array:
    """Return points [..., 2] turned about another [2] by angles [...]."""
    return planar.apply(np.stack(np.broadcast_arrays(*middle, angle), axis=-1), points - middle)
