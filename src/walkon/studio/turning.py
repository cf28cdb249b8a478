"""Walks that turn within a step or two: how feet get round, and the sharp turns of a walk.

Footprints of such turns lie beside their path like those of any walk, with three differences: they are set further
apart, so that legs do not cross; a foot that lands is turned no further than the hips allow; and a foot that the body
has turned away from follows on its ball when its heel is up (recorded: by 10 to 46 degrees), then swings around the
other leg. `walk_along` is the whole performance: from pace and path to the clip.

A *sharp turn* slows down, turns over two or three prints, and walks on. Its way is two straight lines joined by an arc
so tight that the prints themselves make the turn (a planner of this kind repeats recorded turns almost print for
print). The arc is laid where the prints want it: either

* *outer* foot first: its print is turned by a quarter of the angle, the inner one's then by nearly the whole, or
* *inner* foot first: its print is turned by about 0.7 of the angle, the outer one's then by a little more than all,

as in CMU 69_24 and 16_18 (left turns), and 69_22 and 16_20 (right turns). Speed falls before the turn, to 0.8 of it at
45 and 0.4 at 180 degrees. It happens around the origin: the walk comes in along +x and leaves at the angle.

World frame, metres, radians, seconds; sides are 0 = left, 1 = right.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, Unpack

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.geometry.path import Path
from walkon.motion.clip import Clip
from walkon.motion.skeleton import SIDES
from walkon.studio.assembling import assemble
from walkon.studio.feet import FeetMotion, move_feet
from walkon.studio.foot_curves import FootShape, plan_roll
from walkon.studio.footsteps import NEVER, Footsteps, plan_footsteps
from walkon.studio.hips import GRAVITY, HIP_HEIGHT
from walkon.studio.pace import Pace, plan_pace
from walkon.studio.pelvis import move_pelvis
from walkon.studio.performer import Casting, Performer, Style, one_of, within
from walkon.studio.rhythm import keep_rhythm
from walkon.studio.stepping import clear_arms
from walkon.studio.upper_body import move_upper_body
from walkon.transforms import quaternions as quat
from walkon.transforms.easing import smoothstep

__all__ = ["sharp_turn", "walk_along"]

APART, INWARD, AROUND = 0.03, 0.9, 0.05
"""m by which each print is set further out at 90 degrees/s; share of the lean that is taken back; m by which a foot
that was left behind swings further out at 90 degrees."""
MOST_AHEAD = np.deg2rad(48.0)
"""rad by which a foot that lands is turned further than the pelvis, at most."""
PIVOT, MOST_PIVOT = 0.55, np.deg2rad(40.0)
"""Share of the body's turn away from a foot by which it follows on its ball, and rad by which it does at most."""
SLOWEST, FASTEST = 0.7, 1.6
"""m/s, of a body of 1.75 m."""
ANGLES = np.deg2rad([0.0, 45.0, 90.0, 135.0, 180.0])
DIPS = (1.0, 0.78, 0.55, 0.47, 0.40)
"""Share of the speed that is left in the turn, at `ANGLES`."""
RADII = (0.50, 0.42, 0.33, 0.29, 0.26)
"""m, of the arc, at `ANGLES` and 1 m/s; it grows with the speed."""
SLOWING = 1.1
"""s over which it slows down before the turn, and gathers speed after it."""
PHASES = {"outer": 0.24, "inner": 0.68}
"""Share of the turn at which the first print in it lies, by which foot makes it."""


def walk_along(
    pace: Pace,
    path: Path,
    *,
    who: Performer,
    first_side: int,
    streams: Sequence[np.random.Generator],
    name: str,
    sharply: bool = True,
) -> Clip:
    """Walk a path at a pace; `streams` [3] are for steps, hips and upper body.

    Where it turns `sharply` feet are set apart and pivot, and arms keep clear. Labels: "walk", and then "turn".
    """
    skeleton, scale, style, _, fps = who
    times, shape = who.frames(pace.duration), FootShape.of(skeleton)
    steps = plan_footsteps(pace, path, style=style, scale=scale, first_side=first_side, rng=streams[0])
    if sharply:
        steps = _apart(steps, path, pace=pace, scale=scale)
    rhythm = keep_rhythm(steps, pace, path, times=times, fps=fps, scale=scale)
    feet = move_feet(steps, path, times=times, shape=shape, style=style, scale=scale)
    if sharply:
        feet = _pivoted(feet, steps, pace, path, times=times, shape=shape, style=style, scale=scale)
    pelvis = move_pelvis(
        steps, feet, rhythm=rhythm, path=path, skeleton=skeleton, style=style, scale=scale, rng=streams[1]
    )
    upper = move_upper_body(rhythm, pelvis, style=style, rng=streams[2])
    if sharply:
        upper = clear_arms(upper, feet, pelvis=pelvis, fps=fps)
    labels = ("turn", "walk") if sharply else ("walk",)
    return assemble(skeleton, fps=fps, feet=feet, pelvis=pelvis, upper=upper, labels=labels, name=name)


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


def sharp_turn(
    angle: float,
    *,
    speed: float = 1.1,
    first: Literal["outer", "inner"] | None = None,
    before: float = 2.5,
    after: float = 2.5,
    start: Literal["walking", "standing"] = "walking",
    end: Literal["walking", "standing"] = "walking",
    idle: float = 0.6,
    **casting: Unpack[Casting],
) -> Clip:
    """Walk, turn sharply by `angle` radians (20 to 180 degrees, positive to the left), and walk on.

    `before` and `after` are the seconds of walking on either side of the turn; `first` is the foot with which the turn
    begins (by chance if None). From or to "standing" it has `idle` seconds of standing there. Labels: "walk", "turn".
    """
    who = Performer.of(**casting)
    _check(angle, speed / np.sqrt(who.scale), first, {"start": start, "end": end})
    for name, value, least in (("before", before, start), ("after", after, end)):
        low = 2.4 if least == "standing" else 1.0
        if not (np.isfinite(value) and low <= value <= 600.0):
            raise InvalidValue(f"{name} must be {low} to 600 s where the walk is {least} there, got {value}")
    within("idle", idle, 0.0, 60.0, "s")
    _, scale, style, rng, _ = who
    streams = rng.spawn(5)
    lead = first or ("outer", "inner")[int(streams[4].integers(2))]
    dip = float(np.interp(abs(angle), ANGLES, DIPS))
    radius = scale * float(np.interp(abs(angle), ANGLES, RADII)) * (0.6 + 0.4 * speed / np.sqrt(scale))
    turn = before + (idle if start == "standing" else 0.0)
    seconds = radius * abs(angle) / (dip * speed)
    duration = turn + seconds + after + (idle if end == "standing" else 0.0)
    pace = plan_pace(
        _slowing(speed, dip, turn, turn + seconds),
        duration=duration,
        distance=None,
        walk_ratio=style.walk_ratio * scale**1.5,
        from_standing=start == "standing",
        to_standing=end == "standing",
        idle=idle,
        life=style.life,
        rng=streams[0],
    )
    # Prints along a straight way show where the arc must lie; it takes their places, not their times.
    state = streams[1].bit_generator.state
    straight = plan_footsteps(pace, Path.straight(1.0), style=style, scale=scale, first_side=0, rng=streams[1])
    wanted = float(pace.arc(np.array(turn))) + PHASES[lead] * radius * abs(angle)
    print_ = int(np.argmin(np.abs(straight.arcs - wanted)))
    outer = 1 if angle > 0 else 0
    side = outer if lead == "outer" else 1 - outer
    begins = float(straight.arcs[print_]) - PHASES[lead] * radius * abs(angle)
    path = _corner(begins, float(pace.arcs[-1]), radius=radius, angle=angle)
    streams[1].bit_generator.state = state
    first_side = 0 if straight.sides[print_] == side else 1
    name = f"{style.name} sharp turn by {np.rad2deg(angle):.0f} deg"
    return walk_along(pace, path, who=who, first_side=first_side, streams=streams[1:4], name=name)


def _check(angle: float, speed: float, first: str | None, ends: dict[str, str]) -> None:
    if not (np.isfinite(angle) and np.deg2rad(20.0) <= abs(angle) <= np.pi + 1e-9):
        raise InvalidValue(
            f"a sharp turn goes by 20 to 180 deg either way (radians), got {np.rad2deg(angle):g} deg; "
            "a walk along a curved path makes smaller ones"
        )
    if not (np.isfinite(speed) and SLOWEST <= speed <= FASTEST):
        raise InvalidValue(f"speed must be {SLOWEST} to {FASTEST} m/s (times √size), got {speed:g}; walk on a curve")
    one_of("first", first, (None, *PHASES))
    for name, value in ends.items():
        one_of(name, value, ("walking", "standing"))


def _slowing(speed: float, dip: float, begins: float, ends: float) -> Array:
    """Return the table [K, 2] of (s, m/s): slower around the turn, without corners."""
    x = np.linspace(0.0, 1.0, 9)
    fall = speed * (1.0 - (1.0 - dip) * smoothstep(x))
    down, up = begins - SLOWING * (1.0 - x) + 0.15, ends + SLOWING * x - 0.1
    return np.column_stack([np.concatenate([down, up]), np.concatenate([fall, fall[::-1]])])


def _corner(begins: float, length: float, *, radius: float, angle: float) -> Path:
    """Return the way: straight for `begins` m, an arc, straight on; the arc's corner is near the origin."""
    bends = np.linspace(0.0, angle, max(8, int(radius * abs(angle) / 0.04)))
    arc: Array = np.copysign(radius, angle) * np.stack([np.sin(bends), 1 - np.cos(bends)], axis=1)
    rest = max(length - begins - radius * abs(angle), 0.5)
    out = arc[-1] + rest * np.array([np.cos(angle), np.sin(angle)])
    return Path.rounded(np.concatenate([[[-begins, 0.0]], arc, [out]]))
