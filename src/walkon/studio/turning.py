"""Walks that turn within a step or two: sharp turns, and starts and stops that turn.

Footprints of such turns lie beside their path like those of any walk, only further apart (`footsteps.set_apart`), and
feet pivot on their balls (`feet.pivot_feet`).

A *sharp turn* slows down, turns over two or three prints, and walks on. Its way is two straight lines joined by an arc
so tight that the prints themselves make the turn (a planner of this kind repeats recorded turns almost print for
print). The arc is laid where the prints want it: either

* *outer* foot first: its print is turned by a quarter of the angle, the inner one's then by nearly the whole, or
* *inner* foot first: its print is turned by about 0.7 of the angle, the outer one's then by a little more than all,

as in CMU 69_24 and 16_18 (left turns), and 69_22 and 16_20 (right turns). Speed falls before the turn, to 0.8 of it at
45 and 0.4 at 180 degrees. It happens around the origin: the walk comes in along +x and leaves at the angle.

*Starts and stops that turn*: a body that faces elsewhere steps off into the turn, and turns in with the last steps. The
hips turn while the first (last) feet are set down, so that nobody turns on the spot before a walk or after it:

* a *start*: the head looks where to go, weight shifts, the inner foot opens out by up to half a quarter turn more than
  the hips, the outer one pivots on its ball, swings around and lands in the new direction; beyond 90 degrees the first
  steps are short, and a third foot completes the turn;
* a *stop*: the same backwards: short steps, the last but one foot lands where it will stand, the other closes.

Heading and speed are given over time (with s the smooth step from 0 to 1):

    heading = angle · s((t − t₀) / (t₁ − t₀))          speed = v · share(t)

and the path follows from both: it is so tight at its slow end that it is a turn almost on the spot. The tables keep the
foot that stays behind within some 75 degrees of the hips, of which it pivots 40: more, no ankle would allow. The hips
turn by 60 degrees/s at most in a turn by 45, and by 150 in one by 180 degrees. A start begins at the origin, facing +x;
a stop comes in along +x.

World frame, metres, radians, seconds; sides are 0 = left, 1 = right.
"""

from typing import Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.geometry.path import Path
from walkon.motion.clip import Clip
from walkon.studio.footsteps import plan_footsteps
from walkon.studio.pace import START_SPEED_RAMP, STOP_SPEED_RAMP, USUAL_STEP_TIME_S, Pace, plan_pace, step_time
from walkon.studio.performer import Casting, Performer, check_choice, check_range
from walkon.studio.walk import ENDS, walk_along
from walkon.transforms.easing import smoothstep

__all__ = ["sharp_turn", "turning_start", "turning_stop"]

TABLE_ANGLES_RAD = np.deg2rad([0.0, 45.0, 90.0, 135.0, 180.0])
SHARP_TURN_SPEEDS_M_S, TURNING_END_SPEEDS_M_S = (0.7, 1.6), (0.7, 1.4)
"""m/s, slowest and fastest, of a body of 1.75 m: sharp turns; starts and stops that turn."""
SPEED_LEFT_SHARES = (1.0, 0.78, 0.55, 0.47, 0.40)
"""Share of the speed that is left in a sharp turn, at `TABLE_ANGLES_RAD`."""
ARC_RADII_M = (0.50, 0.42, 0.33, 0.29, 0.26)
"""m, of the arc, at `TABLE_ANGLES_RAD` and 1 m/s; it grows with the speed."""
SLOWING_S = 1.1
"""s over which it slows down before the turn, and gathers speed after it."""
FIRST_PRINT_SHARES = {"outer": 0.24, "inner": 0.68}
"""Share of the turn at which the first print in it lies, by which foot makes it."""
START_TIMES_S = (0.0, 0.43, 0.92, 1.42, 1.95)
"""s: weight shifts, the inner foot leaves, lands, the outer one lands, the inner one again (as in `pace`)."""
START_SPEED_SHARES = (
    (0.0, 0.11, 0.74, 0.95, 1.0),
    (0.0, 0.10, 0.60, 0.92, 1.0),
    (0.0, 0.08, 0.45, 0.80, 1.0),
    (0.0, 0.05, 0.32, 0.60, 1.0),
    (0.0, 0.04, 0.24, 0.45, 0.95),
)
START_TURN_S = ((0.30, 1.00), (0.25, 1.15), (0.22, 1.45), (0.20, 1.78), (0.20, 2.10))
"""Shares of the speed at these times, and s from when until when the hips turn, at `TABLE_ANGLES_RAD`."""
STOP_TIMES_S = (-2.10, -1.58, -1.04, -0.44, 0.0, 0.5)
"""s: the last full step, two shorter ones, the foot that stays lands, the other closes, rest."""
STOP_SPEED_SHARES = (
    (1.0, 1.00, 0.85, 0.45, 0.20, 0.0),
    (1.0, 1.00, 0.78, 0.42, 0.18, 0.0),
    (1.0, 0.98, 0.64, 0.38, 0.15, 0.0),
    (1.0, 0.92, 0.50, 0.32, 0.13, 0.0),
    (1.0, 0.82, 0.42, 0.28, 0.12, 0.0),
)
STOP_TURN_S = ((-1.00, -0.10), (-1.05, -0.05), (-1.25, 0.0), (-1.42, 0.05), (-1.65, 0.08))
MAX_INNER_CLOSING_RAD = np.deg2rad(135.0)
"""rad, the largest turn in which the inner foot can close: in a larger one its leg would be in the way."""
PATH_STEP_M, RUN_OUT_M = 0.004, 6.0
"""m between the samples of a path, and by which it goes on straight at either end."""


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
    _, scale, style, rng, _ = who
    if not (np.isfinite(angle) and np.deg2rad(20.0) <= abs(angle) <= np.pi + 1e-9):
        raise InvalidValue(
            f"a sharp turn goes by 20 to 180 deg either way (radians), got {np.rad2deg(angle):g} deg; "
            "a walk along a curved path makes smaller ones"
        )
    size, (slowest, fastest) = np.sqrt(scale), SHARP_TURN_SPEEDS_M_S
    if not (np.isfinite(speed) and slowest <= speed / size <= fastest):
        raise InvalidValue(
            f"speed must be {slowest} to {fastest} m/s (times √size), got {speed / size:g}; walk on a curve"
        )
    check_choice("first", first, (None, *FIRST_PRINT_SHARES))
    check_choice("start", start, ENDS)
    check_choice("end", end, ENDS)
    for name, value, least in (("before", before, start), ("after", after, end)):
        low = 2.4 if least == "standing" else 1.0
        if not (np.isfinite(value) and low <= value <= 600.0):
            raise InvalidValue(f"{name} must be {low} to 600 s where the walk is {least} there, got {value}")
    check_range("idle", idle, 0.0, 60.0, "s")
    streams = rng.spawn(5)
    lead = first or ("outer", "inner")[int(streams[4].integers(2))]
    dip, usual = _row_at_angle(angle, np.column_stack([SPEED_LEFT_SHARES, ARC_RADII_M])).tolist()
    radius = scale * usual * (0.6 + 0.4 * speed / size)
    into = FIRST_PRINT_SHARES[lead] * radius * abs(angle)
    turn = before + (idle if start == "standing" else 0.0)
    seconds = radius * abs(angle) / (dip * speed)
    pace = plan_pace(
        _slow_down(speed, dip, turn, turn + seconds),
        duration=turn + seconds + after + (idle if end == "standing" else 0.0),
        walk_ratio=style.walk_ratio * scale**1.5,
        starting=START_SPEED_RAMP if start == "standing" else None,
        stopping=STOP_SPEED_RAMP if end == "standing" else None,
        idle=idle,
        life=style.life,
        rng=streams[0],
    )
    # Prints along a straight way show where the arc must lie; it takes their places, not their times.
    state = streams[1].bit_generator.state
    straight = plan_footsteps(pace, Path.straight(1.0), style=style, scale=scale, first_side=0, rng=streams[1])
    streams[1].bit_generator.state = state
    print_ = int(np.argmin(np.abs(straight.arcs - (pace.arc(np.array(turn)) + into))))
    path = _corner(float(straight.arcs[print_] - into), float(pace.arcs[-1]), radius=radius, angle=angle)
    first_side = 0 if straight.sides[print_] == _side(angle, lead) else 1
    name = f"{style.name} sharp turn by {np.rad2deg(angle):.0f} deg"
    return walk_along(pace, path, who=who, first_side=first_side, streams=streams[1:4], name=name)


def _side(angle: float, which: str) -> int:
    """Return which foot is the "outer" or the "inner" one of a turn."""
    return int((angle > 0) == (which == "outer"))


def _slow_down(speed: float, dip: float, begins: float, ends: float) -> Array:
    """Return the table [K, 2] of (s, m/s): slower around the turn, without corners."""
    x = np.linspace(0.0, 1.0, 9)
    fall = speed * (1.0 - (1.0 - dip) * smoothstep(x))
    down, up = begins - SLOWING_S * (1.0 - x) + 0.15, ends + SLOWING_S * x - 0.1
    return np.column_stack([np.concatenate([down, up]), np.concatenate([fall, fall[::-1]])])


def _corner(begins: float, length: float, *, radius: float, angle: float) -> Path:
    """Return the way: straight for `begins` m, an arc, straight on; the arc's corner is near the origin."""
    bends = np.linspace(0.0, angle, max(8, int(radius * abs(angle) / 0.04)))
    arc: Array = np.copysign(radius, angle) * np.stack([np.sin(bends), 1 - np.cos(bends)], axis=1)
    out = arc[-1] + max(length - begins - radius * abs(angle), 0.5) * np.array([np.cos(angle), np.sin(angle)])
    return Path.rounded(np.concatenate([[[-begins, 0.0]], arc, [out]]))


def turning_start(
    angle: float,
    *,
    speed: float = 1.1,
    after: float = 1.0,
    idle: float = 0.3,
    **casting: Unpack[Casting],
) -> Clip:
    """Stand for `idle` s, set off turning by `angle` (up to 180 degrees, positive to the left), and walk on.

    The walk at `speed` m/s goes on for `after` s; the inner foot steps first. Labels: "walk", "turn".
    """
    return _turn_standing(angle, speed, casting, {"idle": idle, "after": after}, closing=None)


def turning_stop(
    angle: float,
    *,
    speed: float = 1.1,
    closing: Literal["outer", "inner"] = "outer",
    before: float = 1.0,
    idle: float = 0.3,
    **casting: Unpack[Casting],
) -> Clip:
    """Walk at `speed` m/s for `before` s, turn by `angle` (up to 180 degrees) while stopping, and stand for `idle` s.

    `closing` is the foot that is set beside the other in the end (the inner one up to 135 degrees). Labels: "walk",
    "turn".
    """
    check_choice("closing", closing, ("outer", "inner"))
    return _turn_standing(angle, speed, casting, {"before": before, "idle": idle}, closing=closing)


def _turn_standing(
    angle: float, speed: float, casting: Casting, seconds: dict[str, float], *, closing: str | None
) -> Clip:
    """Start turning, or stop turning with the foot that closes; `seconds` are those before the steps and after them."""
    who = Performer.of(**casting)
    if not (np.isfinite(angle) and abs(angle) <= np.pi + 1e-9):
        raise InvalidValue(f"one turns by up to 180 deg either way (radians), got {np.rad2deg(angle):g} deg")
    slowest, fastest = (round(limit * np.sqrt(who.scale), 2) for limit in TURNING_END_SPEEDS_M_S)
    check_range("speed", speed, slowest, fastest, "m/s")
    for name, value in seconds.items():
        check_range(name, value, 0.0, 600.0, "s")
    if closing == "inner" and abs(angle) > MAX_INNER_CLOSING_RAD + 1e-9:
        raise InvalidValue(
            f"the inner foot closes in turns of up to {np.rad2deg(MAX_INNER_CLOSING_RAD):.0f} deg, got "
            f"{np.rad2deg(angle):.0f} deg; close with the outer one"
        )
    times, shares, turning = (
        (STOP_TIMES_S, STOP_SPEED_SHARES, STOP_TURN_S) if closing else (START_TIMES_S, START_SPEED_SHARES, START_TURN_S)
    )
    streams, ratio = who.rng.spawn(4), who.style.walk_ratio * who.scale**1.5
    # Step time over the one for which the tables hold.
    stretch = float(step_time(np.array(speed), walk_ratio=ratio)) / USUAL_STEP_TIME_S
    table = np.column_stack([times, _row_at_angle(angle, shares)])
    before, after = seconds.values()
    duration = before + (times[-1] - times[0]) * stretch + after
    pace = plan_pace(
        np.array([[0.0, speed]]),
        duration=duration,
        walk_ratio=ratio,
        starting=None if closing else table,
        stopping=table if closing else None,
        idle=seconds["idle"],
        life=who.style.life,
        rng=streams[0],
    )
    # Tables of starts count from the end of standing, those of stops from when the last foot closes.
    rest, at_rest = (duration - after, times[-1]) if closing else (before, times[0])
    first_side = _side(angle, closing or "inner")
    if closing and len(pace.landings) % 2 == 0:
        first_side = 1 - first_side
    path = _bend(pace, angle, rest + (_row_at_angle(angle, turning) - at_rest) * stretch)
    name = f"{who.style.name} {'stop' if closing else 'start'} turning by {np.rad2deg(angle):.0f} deg"
    return walk_along(pace, path, who=who, first_side=first_side, streams=streams[1:], name=name)


def _bend(pace: Pace, angle: float, between: Array) -> Path:
    """Return the way on which the heading turns by `angle` between two times [2], going at this pace."""
    arcs, at = np.unique(pace.arcs, return_index=True)
    headings = angle * smoothstep((pace.times[at] - between[0]) / (between[1] - between[0]))
    coarse = np.linspace(0.0, RUN_OUT_M, 61)[1:]
    s = np.concatenate([arcs[0] - coarse[::-1], np.arange(arcs[0], arcs[-1], PATH_STEP_M), arcs[-1] + coarse])
    return Path.along(s, np.interp(s, arcs, headings), stop=float(arcs[-1]))


def _row_at_angle(angle: float, table: ArrayLike) -> Array:
    """Return the row of a table given at `TABLE_ANGLES_RAD` that is between those of its angles."""
    return np.array([np.interp(abs(angle), TABLE_ANGLES_RAD, column) for column in np.transpose(table)])
