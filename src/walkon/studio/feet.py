"""Where both feet are at every frame: rolling while they bear, swinging in between (`foot_curves`).

A swinging ankle moves along the path, not along the chord between its prints, and a little outward around the other
leg, so that feet do not cut through each other, in turns least of all. Its height is held where the toes would come too
near to the floor. Which of heel and ball bear is known, not detected: a label is true while the point does not move.

World frame, metres, radians, seconds.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.geometry.path import Path
from walkon.motion.skeleton import SIDES
from walkon.studio.foot_curves import FootShape, Swings, lowest_ankle, plan_roll, rolling
from walkon.studio.footsteps import Footsteps
from walkon.studio.performer import Style
from walkon.transforms import angles
from walkon.transforms import quaternions as quat
from walkon.transforms.easing import smoothstep

__all__ = ["FeetMotion", "FootMotion", "foot_rotations", "join_feet", "move_feet"]

AROUND, AROUND_TURNING = 0.005, 0.065
"""m by which a swinging ankle passes outward around the other leg, and how much more at a turn of 90 degrees/s, where
the other foot no longer points along the path."""


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


class FootMotion(NamedTuple):
    """One foot at T frames, as in `FeetMotion`."""

    ankles: Array
    pitch: Array
    toes: Array
    yaws: Array
    swing: Array
    heel: BoolArray
    ball: BoolArray


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


def join_feet(left: FootMotion, right: FootMotion) -> FeetMotion:
    """Return both feet as one."""
    ankles, pitch, toes, yaws, swing, heel, ball = (np.stack(both, axis=1) for both in zip(left, right, strict=True))
    contacts = np.stack([heel, ball], axis=2).reshape(len(heel), 4)
    return FeetMotion(ankles, foot_rotations(yaws, pitch), toes, yaws, contacts, swing)


def foot_rotations(yaws: Array, pitch: Array) -> Array:
    """Return rotations [..., 4] of feet that are turned by yaws [...] and pitched up by [...]."""
    return quat.multiply(quat.turn(yaws), quat.about(np.array([0.0, 1.0, 0.0]), -pitch))


def _move_foot(
    steps: Footsteps, mine: IntArray, path: Path, *, times: Array, shape: FootShape, style: Style, scale: float
) -> FootMotion:
    roll = plan_roll(steps, mine, style=style, scale=scale)
    places = steps.places[mine]
    k = np.clip(np.searchsorted(roll.landing, times, side="right") - 1, 0, len(mine) - 1)
    swinging = (times >= roll.leaving[k]) & (k + 1 < len(mine))
    ahead, up, pitch, toe = rolling(roll, k, t=times, shape=shape)
    yaw: Array = np.array(places[k, 2])
    xy = _rolled(places[k], ahead)
    toe_up = toe - pitch
    heel = (times >= roll.landing[k]) & (times <= roll.heel_off[k]) & ~swinging
    ball = (times >= roll.flat[k]) & (times <= roll.tipping[k]) & ~swinging
    share: Array = np.full(len(times), -1.0)
    if swinging.any():
        f = np.flatnonzero(swinging)
        a = k[f]
        u = (times[f] - roll.leaving[a]) / (roll.landing[a + 1] - roll.leaving[a])
        share[f] = u
        swings = Swings(roll, steps, mine=mine, shape=shape, style=style, scale=scale)
        progress, height, pitch[f], toe_up[f] = swings.at(a, u)
        turn = smoothstep(u)
        yaw[f] = places[a, 2] + (places[a + 1, 2] - places[a, 2]) * turn
        up[f] = np.maximum(height, lowest_ankle(pitch[f], toe_up[f], u=u, shape=shape, scale=scale))
        rate = np.abs(angles.difference(places[a + 1, 2], places[a, 2])) / (roll.landing[a + 1] - roll.landing[a])
        around = scale * (AROUND + AROUND_TURNING * np.minimum(rate / (0.5 * np.pi), 1.0)) * np.sin(np.pi * u) ** 2
        outward = around if steps.sides[mine[0]] == 0 else -around
        xy[f] = _along_path(path, steps, mine, swings, a=a, progress=progress, turn=turn, left=outward)
    return FootMotion(np.column_stack([xy, up]), pitch, toe_up, yaw, share, heel, ball)


def _rolled(places: Array, ahead: Array) -> Array:
    """Return the ankle's place on the floor [..., 2]: `ahead` metres along the foot from its prints [..., 3]."""
    yaw = places[..., 2]
    return np.asarray(places[..., :2] + ahead[..., None] * np.stack([np.cos(yaw), np.sin(yaw)], axis=-1))


def _along_path(
    path: Path,
    steps: Footsteps,
    mine: IntArray,
    swings: Swings,
    *,
    a: IntArray,
    progress: Array,
    turn: Array,
    left: Array,
) -> Array:
    """Return the ankle's place [F, 2] between prints a and a + 1, led along the path and `left` metres beside it."""
    places, arcs, offsets = steps.places[mine], steps.arcs[mine], steps.offsets[mine]
    s0, s1 = arcs[a] + swings.start[a], arcs[a + 1] + swings.stop[a]
    d0, d1 = offsets[a], offsets[a + 1]
    line = path.beside(s0 + (s1 - s0) * progress, d0 + (d1 - d0) * turn + left)
    # A foot points out of the path's direction, so its rolled ankle is not quite on the line: tie both ends exactly.
    miss0 = _rolled(places[a], swings.start[a]) - path.beside(s0, d0)
    miss1 = _rolled(places[a + 1], swings.stop[a]) - path.beside(s1, d1)
    return np.asarray(line + miss0 * (1 - turn)[:, None] + miss1 * turn[:, None])
