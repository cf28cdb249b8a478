"""How feet get round where a walk turns within a step or two: prints further apart, and pivots on the ball.

Footprints of such turns lie beside their path like those of any walk, with three differences: they are set further
apart, so that legs do not cross; a foot that lands is turned no further than the hips allow; and a foot that the body
has turned away from follows on its ball when its heel is up (recorded: by 10 to 46 degrees), then swings around the
other leg. `walk_turning` is the whole performance: from pace and path to the clip.

World frame, metres, radians, seconds; sides are 0 = left, 1 = right.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from walkon._base.arrays import Array
from walkon.geometry.path import Path
from walkon.motion.clip import Clip
from walkon.motion.skeleton import SIDES
from walkon.studio.assembling import assemble
from walkon.studio.feet import FeetMotion, move_feet
from walkon.studio.foot_roll import FootShape, plan_roll
from walkon.studio.footsteps import NEVER, Footsteps, plan_footsteps
from walkon.studio.pace import Pace
from walkon.studio.pelvis import move_pelvis
from walkon.studio.pendulum import GRAVITY, HIP_HEIGHT
from walkon.studio.performer import Performer
from walkon.studio.rhythm import keep_rhythm
from walkon.studio.stepping_body import clear_arms
from walkon.studio.styles import Style
from walkon.studio.upper_body import move_upper_body
from walkon.transforms import quaternions as quat
from walkon.transforms.easing import smoothstep

__all__ = ["walk_turning"]

APART, INWARD, AROUND = 0.03, 0.9, 0.05
"""m by which each print is set further out at 90 degrees/s; share of the lean that is taken back; m by which a foot
that was left behind swings further out at 90 degrees."""
MOST_AHEAD = np.deg2rad(48.0)
"""rad by which a foot that lands is turned further than the pelvis, at most."""
PIVOT, MOST_PIVOT = 0.55, np.deg2rad(40.0)
"""Share of the body's turn away from a foot by which it follows on its ball, and rad by which it does at most."""


def walk_turning(
    pace: Pace,
    path: Path,
    *,
    who: Performer,
    first_side: int,
    streams: Sequence[np.random.Generator],
    name: str,
) -> Clip:
    """Walk a path that turns sharply; `streams` [3] are for steps, hips and upper body. Labels: "turn", "walk"."""
    skeleton, scale, style, _, fps = who
    steps = plan_footsteps(pace, path, style=style, scale=scale, first_side=first_side, rng=streams[0])
    steps = _apart(steps, path, pace=pace, scale=scale)
    times = who.frames(pace.duration)
    rhythm = keep_rhythm(steps, pace, path, times=times, fps=fps, scale=scale)
    shape = FootShape.of(skeleton)
    feet = move_feet(steps, path, times=times, shape=shape, style=style, scale=scale)
    feet = _pivoted(feet, steps, pace, path, times=times, shape=shape, style=style, scale=scale)
    pelvis = move_pelvis(
        steps, feet, rhythm=rhythm, path=path, skeleton=skeleton, style=style, scale=scale, rng=streams[1]
    )
    upper = move_upper_body(rhythm, pelvis, style=style, rng=streams[2])
    upper = clear_arms(upper, feet, pelvis=pelvis, fps=fps)
    return assemble(skeleton, fps=fps, feet=feet, pelvis=pelvis, upper=upper, labels=("turn", "walk"), name=name)


def _apart(steps: Footsteps, path: Path, *, pace: Pace, scale: float) -> Footsteps:
    """Return the prints set further apart where the way turns, so that legs do not cross, and within the hips' turn."""
    bends = path.curvature(steps.arcs, span=0)
    turning = np.minimum(np.abs(steps.speeds * bends) / (0.5 * np.pi), 1.2)
    # Bodies lean into curves over feet that are set outward; in a turn this quick they lean less.
    inward = INWARD * 0.5 * HIP_HEIGHT * scale * steps.speeds**2 * bends / GRAVITY
    outward = np.where(steps.sides == 0, 1.0, -1.0)
    offsets = steps.offsets + outward * APART * scale * turning + np.clip(inward, -0.1, 0.1)
    facing = path.pose(pace.arc(steps.landings))[:, 2]
    yaws = facing + np.clip(steps.places[:, 2] - facing, -MOST_AHEAD, MOST_AHEAD)
    places = np.column_stack([path.beside(steps.arcs, offsets), yaws])
    return replace(steps, offsets=offsets, places=places)


def _pivoted(
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
    for side in range(len(SIDES)):
        mine = steps.of(side)
        roll = plan_roll(steps, mine, style=style, scale=scale)
        for k in np.flatnonzero(roll.leaving[:-1] < 0.5 * NEVER):
            heading = path.pose(pace.arc(roll.leaving[k]))[2]
            straight = steps.places[mine[k], 2] - np.deg2rad(style.toe_out if side == 0 else -style.toe_out)
            away = heading - straight
            pivot = float(np.clip(PIVOT * away, -MOST_PIVOT, MOST_PIVOT))
            if abs(away) < np.deg2rad(2.0):
                continue
            place = steps.places[mine[k]]
            ball = place[:2] + shape.ball[0] * np.array([np.cos(place[2]), np.sin(place[2])])
            lands = roll.landing[k + 1]
            f = np.flatnonzero((times > roll.heel_off[k]) & (times < lands))
            turned = pivot * smoothstep((times[f] - roll.heel_off[k]) / (roll.tipping[k] - roll.heel_off[k]))
            back = 1.0 - smoothstep((times[f] - roll.leaving[k]) / (lands - roll.leaving[k]))
            # In stance the ankle goes round the ball; in swing what is left of that dies away.
            fixed = times[f] <= roll.leaving[k]
            at = ankles[f, side, :2]
            leaves = _turned(_ankle_at(roll.leaving[k], times, ankles[:, side, :2]) - ball, np.array(pivot)) + ball
            leaves = leaves - _ankle_at(roll.leaving[k], times, ankles[:, side, :2])
            u = np.clip((times[f] - roll.leaving[k]) / (lands - roll.leaving[k]), 0.0, 1.0)
            across = path.pose(pace.arc(times[f]))[:, 2] + (0.5 * np.pi if side == 0 else -0.5 * np.pi)
            wide = scale * AROUND * min(abs(away) / (0.5 * np.pi), 1.0) * np.sin(np.pi * u) ** 2
            at_swing = at + wide[:, None] * np.stack([np.cos(across), np.sin(across)], axis=1)
            ankles[f, side, :2] = np.where(
                fixed[:, None], ball + _turned(at - ball, turned), at_swing + back[:, None] * leaves
            )
            yaws[f, side] += turned * back
            rotations[f, side] = quat.multiply(quat.turn(turned * back), rotations[f, side])
    return feet._replace(ankles=ankles, yaws=yaws, rotations=rotations)


def _ankle_at(t: float, times: Array, ankles: Array) -> Array:
    return np.array([np.interp(t, times, ankles[:, k]) for k in range(2)])


def _turned(v: Array, angle: Array) -> Array:
    """Return vectors [..., 2] turned by angles [...]."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * v[..., 0] - s * v[..., 1], s * v[..., 0] + c * v[..., 1]], axis=-1)
