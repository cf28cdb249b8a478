"""Starts and stops that turn: whoever faces elsewhere steps off into the turn, and turns in with the last steps.

The hips turn while the first (last) feet are set down, so that nobody turns on the spot before a walk or after it:

* a *start*: the head looks where to go, weight shifts, the inner foot opens out by up to half a quarter turn more than
  the hips, the outer one pivots on its ball, swings around and lands in the new direction; beyond 90 degrees the first
  steps are short, and a third foot completes the turn;
* a *stop*: the same backwards: short steps, the last but one foot lands where it will stand, the other closes.

Heading and speed are given over time (with s the smooth step from 0 to 1):

    heading = angle · s((t − t₀) / (t₁ − t₀))          speed = v · share(t)

and the path follows from both: it is so tight at its slow end that it is a turn almost on the spot. The tables keep the
foot that stays behind within some 75 degrees of the hips, of which it pivots 40: more, no ankle would allow. The hips
turn by 60 degrees/s at most in a turn by 45, and by 150 in one by 180 degrees.

A start begins at the origin, facing +x; a stop comes in along +x. Metres, radians, seconds.
"""

from typing import Literal, NamedTuple, Unpack

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.geometry.path import Path
from walkon.motion.clip import Clip
from walkon.studio.pace import USUAL_STEP, Pace, plan_pace, step_time
from walkon.studio.performer import Casting, Performer, one_of, within
from walkon.studio.turning import walk_along
from walkon.transforms.easing import smoothstep

__all__ = ["turning_start", "turning_stop"]

ANGLES = np.deg2rad([0.0, 45.0, 90.0, 135.0, 180.0])
SLOWEST, FASTEST = 0.7, 1.4
"""m/s, of a body of 1.75 m."""
START_TIMES = (0.0, 0.43, 0.92, 1.42, 1.95)
"""s: weight shifts, the inner foot leaves, lands, the outer one lands, the inner one again (as in `pace`)."""
START_SHARES = (
    (0.0, 0.11, 0.74, 0.95, 1.0),
    (0.0, 0.10, 0.60, 0.92, 1.0),
    (0.0, 0.08, 0.45, 0.80, 1.0),
    (0.0, 0.05, 0.32, 0.60, 1.0),
    (0.0, 0.04, 0.24, 0.45, 0.95),
)
START_TURN = ((0.30, 1.00), (0.25, 1.15), (0.22, 1.45), (0.20, 1.78), (0.20, 2.10))
"""Shares of the speed at these times, and s from when until when the hips turn, at `ANGLES`."""
STOP_TIMES = (-2.10, -1.58, -1.04, -0.44, 0.0, 0.5)
"""s: the last full step, two shorter ones, the foot that stays lands, the other closes, rest."""
STOP_SHARES = (
    (1.0, 1.00, 0.85, 0.45, 0.20, 0.0),
    (1.0, 1.00, 0.78, 0.42, 0.18, 0.0),
    (1.0, 0.98, 0.64, 0.38, 0.15, 0.0),
    (1.0, 0.92, 0.50, 0.32, 0.13, 0.0),
    (1.0, 0.82, 0.42, 0.28, 0.12, 0.0),
)
STOP_TURN = ((-1.00, -0.10), (-1.05, -0.05), (-1.25, 0.0), (-1.42, 0.05), (-1.65, 0.08))
MOST_INNER = np.deg2rad(135.0)
"""rad, the largest turn in which the inner foot can close: in a larger one its leg would be in the way."""
FINE, RUN_OUT = 0.004, 6.0
"""m between the samples of a path, and by which it goes on straight at either end."""


class _Walk(NamedTuple):
    """What both performances share, checked."""

    who: Performer
    streams: list[np.random.Generator]
    ratio: float
    """Walk ratio, m/(steps/min)."""
    stretch: float
    """Step time over the one for which the tables hold."""


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
    ready = _ready(angle, speed, {"after": after, "idle": idle}, casting)
    table = np.column_stack([START_TIMES, _at(angle, START_SHARES)])
    pace = plan_pace(
        np.array([[0.0, speed]]),
        duration=idle + table[-1, 0] * ready.stretch + after,
        distance=None,
        walk_ratio=ready.ratio,
        from_standing=True,
        to_standing=False,
        idle=idle,
        life=ready.who.style.life,
        rng=ready.streams[0],
        starting=table,
    )
    path = _bend(pace, angle, idle + _at(angle, START_TURN) * ready.stretch)
    inner = 0 if angle > 0 else 1
    name = f"{ready.who.style.name} start turning by {np.rad2deg(angle):.0f} deg"
    return walk_along(pace, path, who=ready.who, first_side=inner, streams=ready.streams[1:], name=name)


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
    ready = _ready(angle, speed, {"before": before, "idle": idle}, casting)
    one_of("closing", closing, ("outer", "inner"))
    if closing == "inner" and abs(angle) > MOST_INNER + 1e-9:
        raise InvalidValue(
            f"the inner foot closes in turns of up to {np.rad2deg(MOST_INNER):.0f} deg, got "
            f"{np.rad2deg(angle):.0f} deg; close with the outer one"
        )
    table = np.column_stack([STOP_TIMES, _at(angle, STOP_SHARES)])
    duration = before + np.ptp(table[:, 0]) * ready.stretch + idle
    pace = plan_pace(
        np.array([[0.0, speed]]),
        duration=duration,
        distance=None,
        walk_ratio=ready.ratio,
        from_standing=False,
        to_standing=True,
        idle=idle,
        life=ready.who.style.life,
        rng=ready.streams[0],
        stopping=table,
    )
    path = _bend(pace, angle, duration - idle + (_at(angle, STOP_TURN) - table[-1, 0]) * ready.stretch)
    outer = 1 if angle > 0 else 0
    last = outer if closing == "outer" else 1 - outer
    first_side = last if len(pace.landings) % 2 == 1 else 1 - last
    name = f"{ready.who.style.name} stop turning by {np.rad2deg(angle):.0f} deg"
    return walk_along(pace, path, who=ready.who, first_side=first_side, streams=ready.streams[1:], name=name)


def _ready(angle: float, speed: float, seconds: dict[str, float], casting: Casting) -> _Walk:
    who = Performer.of(**casting)
    if not (np.isfinite(angle) and abs(angle) <= np.pi + 1e-9):
        raise InvalidValue(f"one turns by up to 180 deg either way (radians), got {np.rad2deg(angle):g} deg")
    within("speed", speed, round(SLOWEST * np.sqrt(who.scale), 2), round(FASTEST * np.sqrt(who.scale), 2), "m/s")
    for name, value in seconds.items():
        within(name, value, 0.0, 600.0, "s")
    ratio = who.style.walk_ratio * who.scale**1.5
    stretch = float(step_time(np.array(speed), walk_ratio=ratio)) / USUAL_STEP
    return _Walk(who, who.rng.spawn(4), ratio, stretch)


def _at(angle: float, table: tuple[tuple[float, ...], ...]) -> Array:
    """Return the row of a table given at `ANGLES` that is between those of its angles."""
    return np.array([np.interp(abs(angle), ANGLES, column) for column in zip(*table, strict=True)])


def _bend(pace: Pace, angle: float, between: Array) -> Path:
    """Return the way on which the heading turns by `angle` between two times [2], going at this pace."""
    arcs, at = np.unique(pace.arcs, return_index=True)
    headings = angle * smoothstep((pace.times[at] - between[0]) / (between[1] - between[0]))
    coarse = np.linspace(0.0, RUN_OUT, 61)[1:]
    s = np.concatenate([arcs[0] - coarse[::-1], np.arange(arcs[0], arcs[-1], FINE), arcs[-1] + coarse])
    return Path.along(s, np.interp(s, arcs, headings), stop=float(arcs[-1]))
