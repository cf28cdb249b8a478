"""Small steps from standing to standing: turns in place, side steps, back steps.

After recordings of one subject (CMU 69_16, 69_18, 69_43, 69_41):

* *turns*: the inner foot steps by the whole angle of a pair (up to 97 degrees), the outer one pivots on its ball by a
  quarter of it while that happens, then closes alongside; a pair takes 1.3 to 2.1 s;
* *side steps*: the leading foot opens, the trailing one closes beside and a little behind it, never crossing;
* *back steps*: toes land first and heels leave last.

All begin and end in the neutral pose, at the origin facing +x. Metres, radians, seconds.
"""

from typing import Literal, Unpack

import numpy as np

from walkon._base.errors import InvalidValue
from walkon.motion.clip import Clip
from walkon.motion.skeleton import SIDES
from walkon.studio.performer import OUTWARD, Casting, Performer, check_choice
from walkon.studio.stepping import Stepper
from walkon.transforms import planar

__all__ = ["back_steps", "side_steps", "turn_in_place"]

MAX_PAIR_TURN_RAD = np.deg2rad(97.0)
"""rad that one pair of steps turns at most."""
SIDE_STEP_RANGE_M, BACK_STEP_RANGE_M = (0.10, 0.55), (0.15, 0.60)
"""m, shortest and longest, of a body of 1.75 m."""
QUARTER_TURN_SHIFT_M = (0.05, 0.05)
"""m, back and to the inner side, by which the middle moves in a pair of steps that turns by a quarter."""


def turn_in_place(
    angle: float,
    *,
    idle: float = 0.5,
    **casting: Unpack[Casting],
) -> Clip:
    """Turn on the spot by `angle` radians, positive to the left, up to a full turn; labelled "turn"."""
    if not (np.isfinite(angle) and np.deg2rad(5.0) <= abs(angle) <= 2 * np.pi + 1e-9):
        raise InvalidValue(f"a turn in place goes by 5 to 360 deg either way (radians), got {np.rad2deg(angle):g} deg")
    who = Performer.of(**casting)
    stepper = Stepper(who, idle=idle)
    inner = 0 if angle > 0 else 1
    count = max(1, int(np.ceil(abs(angle) / MAX_PAIR_TURN_RAD - 1e-9)))
    each = angle / count
    size = abs(each) / (0.5 * np.pi)
    tempo = float(who.rng.uniform(0.95, 1.2))
    body = np.zeros(3)
    for _ in range(count):
        # The inner foot must clear the other's heel with its own: it goes behind and out, and the body with it.
        aside = np.array([-QUARTER_TURN_SHIFT_M[0], np.copysign(QUARTER_TURN_SHIFT_M[1], each)]) * min(size, 1.0)
        aside += 0.012 * who.style.life * who.rng.standard_normal(2).clip(-1.5, 1.5)
        body = np.array([*planar.apply(body, who.scale * aside), body[2] + each])
        stepper.step(
            inner,
            stepper.beside(body, inner),
            swing=tempo * (0.34 + 0.10 * size),
            support=tempo * (0.16 + 0.12 * size),
            strike=-np.deg2rad(3.0),
            lift=-np.deg2rad(5.0 + 4.0 * size),
            pivot=0.08 * each,
            around=0.03 * size,
            height=0.018 + 0.012 * size,
        )
        stepper.step(
            1 - inner,
            stepper.beside(body, 1 - inner),
            swing=tempo * (0.30 + 0.06 * size),
            support=tempo * (0.30 + 0.15 * size),
            strike=np.deg2rad(2.0),
            lift=-np.deg2rad(7.0 + 7.0 * size),
            pivot=float(who.rng.uniform(0.24, 0.34)) * each,
            height=0.015 + 0.012 * size,
            around=0.03 * size,
        )
    name = f"{who.style.name} turn in place by {np.rad2deg(angle):.0f} deg"
    return stepper.perform(labels=("turn",), name=name)


def side_steps(
    count: int,
    direction: Literal["left", "right"],
    *,
    length: float = 0.45,
    idle: float = 0.5,
    **casting: Unpack[Casting],
) -> Clip:
    """Step sideways `count` times, `length` m each (0.1 to 0.55; 0.25 along a row of seats); labelled "sidestep"."""
    check_choice("direction", direction, SIDES)
    who = Performer.of(**casting)
    _check(count, length, SIDE_STEP_RANGE_M, who.scale)
    lead = SIDES.index(direction)
    stepper = Stepper(who, idle=idle)
    size = length / who.scale / 0.5
    tempo = float(who.rng.uniform(0.93, 1.07))
    close = (0.75 if size > 0.6 else 0.9) * who.half_width
    for k in range(count):
        last = k == count - 1
        here = np.array([0.0, OUTWARD[lead] * length * (k + 1), 0.0])
        here[:2] += 0.012 * who.scale * who.style.life * who.rng.standard_normal(2).clip(-2, 2) * (0.0 if last else 1.0)
        stepper.step(
            lead,
            stepper.beside(here, lead),
            swing=tempo * (0.27 + 0.15 * size),
            support=tempo * (0.14 + 0.06 * size),
            strike=-np.deg2rad(4.0 + 9.0 * size),
            lift=-np.deg2rad(5.0 + 3.0 * size),
            height=0.018 + 0.012 * size,
        )
        stepper.step(
            1 - lead,
            stepper.beside(here, 1 - lead)
            if last
            else stepper.beside(here, 1 - lead, half=2 * close - who.half_width, ahead=-0.04 * who.scale * size),
            swing=tempo * (0.26 + 0.10 * size),
            support=tempo * (0.10 + 0.04 * size),
            strike=0.0 if last else -np.deg2rad(6.0 * size),
            lift=-np.deg2rad(8.0 + 9.0 * size),
            height=0.018 + 0.012 * size,
        )
    name = f"{who.style.name} side steps to the {direction}"
    return stepper.perform(labels=("sidestep",), name=name, swing=0.25)


def back_steps(
    count: int,
    *,
    length: float = 0.40,
    first: Literal["left", "right"] = "left",
    idle: float = 0.5,
    **casting: Unpack[Casting],
) -> Clip:
    """Step back `count` times, `length` m each (0.15 to 0.6), and close the feet; labelled "backward"."""
    check_choice("first", first, SIDES)
    who = Performer.of(**casting)
    _check(count, length, BACK_STEP_RANGE_M, who.scale)
    stepper = Stepper(who, idle=idle, shift=0.45)
    size = length / who.scale / 0.45
    tempo = float(who.rng.uniform(0.94, 1.06))
    side, at = SIDES.index(first), 0.0
    for k in range(count + 1):
        closing = k == count
        at -= 0.0 if closing else length
        noise = 0.0 if closing else 0.012 * who.scale * who.style.life * float(who.rng.standard_normal())
        stepper.step(
            side,
            stepper.beside(np.array([at + noise, 0.0, 0.0]), side),
            swing=tempo * (0.38 + 0.06 * size - (0.06 if closing else 0.0)),
            support=tempo * 0.15,
            strike=0.0 if closing else -np.deg2rad(10.0 + 16.0 * size),
            lift=np.deg2rad(2.0 if (k == 0 or closing) else 6.0 * size),
            height=0.022 + 0.018 * size,
            around=0.01,
        )
        side = 1 - side
    return stepper.perform(labels=("backward",), name=f"{who.style.name} back steps", swing=0.4)


def _check(count: int, length: float, allowed: tuple[float, float], scale: float) -> None:
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= 1000:
        raise InvalidValue(f"count must be a whole number from 1 to 1000, got {count!r}")
    low, high = allowed[0] * scale, allowed[1] * scale
    if not (np.isfinite(length) and low <= length <= high):
        raise InvalidValue(f"length must be {low:.2f} to {high:.2f} m for this body, got {length}")
