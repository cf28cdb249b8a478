"""The speed profile of a walk and its cadence: the way covered over time, and the moments at which feet land.

Step length and cadence follow from the speed by the walk ratio WR (step length over cadence), which one person keeps
over a wide range of speeds:

    cadence = √(60 v / WR)  steps/min          step = WR · cadence

WR = 0.0063 m/(steps/min) for a body of 1.75 m, scaled by size^1.5 as pendulums are. A walk that starts or stops
standing has an explicit list of landings there, with the speed at each (after recorded starts and stops): a clock
driven by the speed would never tick near rest.

    start   0 s weight shifts · 0.43 first foot leaves (0.11 v) · 0.96 lands (0.74 v) · 1.51 second lands (v)
    stop    -1.58 last full step (v) · -1.04 lands (0.85 v) · -0.44 lands (0.45 v) · 0 feet close (0.2 v) · 0.5 at rest

for a step time of 0.555 s, stretched with it. Seconds, metres, m/s; arc lengths along the path.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.interpolate import PchipInterpolator

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue

__all__ = [
    "MAX_WALK_SPEED_M_S",
    "MIN_WALK_SPEED_M_S",
    "START_SPEED_RAMP",
    "STOP_SPEED_RAMP",
    "USUAL_STEP_TIME_S",
    "Pace",
    "plan_pace",
    "step_time",
]

MIN_WALK_SPEED_M_S, MAX_WALK_SPEED_M_S = 0.4, 2.0
"""m/s, for a body of 1.75 m."""
SAMPLE_RATE_HZ = 240.0
"""Samples per second of the way over time."""
WALK_MARGIN_S = 3.0
"""s of walking planned before and after the clip where it does not begin or end standing."""
USUAL_STEP_TIME_S = 0.555
"""s, the step time for which the lists of starts and stops hold."""
START_SPEED_RAMP = np.array([[0.0, 0.0], [0.43, 0.11], [0.96, 0.74], [1.51, 1.0]])
STOP_SPEED_RAMP = np.array([[-1.58, 1.0], [-1.04, 0.85], [-0.44, 0.45], [0.0, 0.20], [0.5, 0.0]])
"""Seconds, share of the speed."""


class Pace(NamedTuple):
    """The way over time and the landings, from before the first to after the last frame."""

    times: Array
    """[K] s, evenly spaced; 0 is the first frame."""
    arcs: Array
    """[K] m along the path."""
    speeds: Array
    """[K] m/s."""
    landings: Array
    """[N] s, in turn for one foot and the other."""
    duration: float
    """s from the first to the last frame."""
    first_leaves: float | None = None
    """s at which the first foot leaves the floor, where the walk starts standing."""
    stops: bool = False
    """Whether the last two landings are those of feet that come to stand side by side."""

    def arc(self, t: Array) -> Array:
        """Return m along the path at times [...]; at either end it goes on at the speed there."""
        inside = np.clip(t, self.times[0], self.times[-1])
        ends = np.where(t > inside, self.speeds[-1], self.speeds[0])
        return np.asarray(np.interp(inside, self.times, self.arcs) + (t - inside) * ends)


def step_time(speed: Array, *, walk_ratio: float) -> Array:
    """Return s per step at speeds in m/s; below 0.3 m/s it no longer grows."""
    return np.asarray(60.0 / np.sqrt(60.0 * np.maximum(speed, 0.3) / walk_ratio))


def plan_pace(
    speeds: Array,
    *,
    duration: float | None,
    distance: float | None = None,
    walk_ratio: float,
    starting: Array | None,
    stopping: Array | None,
    idle: float,
    life: float,
    rng: np.random.Generator,
) -> Pace:
    """Plan a walk at `speeds` [K, 2] = (s, m/s), linear in between, for a duration or (with one speed) a distance.

    `starting` and `stopping` [K, 2] are the lists of a walk that starts or stops standing, such as `START_SPEED_RAMP`
    and `STOP_SPEED_RAMP`, with as many landings as they like; None: it is walking there.
    """

    def wanted(t: Array) -> Array:
        return np.asarray(np.interp(t, speeds[:, 0], speeds[:, 1]))

    def beat(t: float) -> float:
        return float(step_time(wanted(np.array(t)), walk_ratio=walk_ratio))

    begin = None if starting is None else starting[:, 0] * beat(0.0) / USUAL_STEP_TIME_S + idle
    first = 0.0 if begin is None else float(begin[-1])
    if duration is None:
        if distance is None:
            raise InvalidValue("a pace needs a duration or a distance, got neither")
        tables = [table for table in (starting, stopping) if table is not None]
        duration = _time_for(distance, float(speeds[0, 1]), beat(0.0), tables, idle)
    end = None
    if stopping is not None:
        end = duration - idle + (stopping[:, 0] - stopping[-1, 0]) * (beat(duration) / USUAL_STEP_TIME_S)
        if end[0] < first + 0.5 * beat(0.0):
            least = duration + first + beat(0.0) - end[0]
            raise InvalidValue(
                f"there is no room to {'' if starting is None else 'start and '}stop within {duration:.2f} s "
                f"at {wanted(np.array(0.0)):.2f} m/s; give at least {least:.2f} s (or as much more of a way)"
            )
    low = -WALK_MARGIN_S if begin is None else 0.0
    high = max(duration, first) + WALK_MARGIN_S if end is None else duration
    times = np.arange(np.floor(low * SAMPLE_RATE_HZ), np.ceil(high * SAMPLE_RATE_HZ) + 1) / SAMPLE_RATE_HZ
    share = np.ones(len(times))
    for knots, table in ((begin, starting), (end, stopping)):
        if knots is not None and table is not None:
            share *= _ramp(knots, table[:, 1], times)
    v = wanted(times) * share
    arcs = np.concatenate([[0.0], np.cumsum(0.5 * (v[1:] + v[:-1]) / SAMPLE_RATE_HZ)])
    arcs -= np.interp(0.0, times, arcs)
    if distance is not None:
        # Sampling leaves a millimetre or so: the whole way is stretched by that.
        stretch = distance / float(np.interp(duration, times, arcs))
        arcs, v = arcs * stretch, v * stretch
    return Pace(
        times=times,
        arcs=arcs,
        speeds=v,
        landings=_landings(times, wanted(times), walk_ratio, begin, end, life, rng),
        duration=duration,
        first_leaves=None if begin is None else float(begin[1]),
        stops=end is not None,
    )


def _ramp(knots: Array, shares: Array, t: Array) -> Array:
    """Return the share of the speed at times [K]: a monotone curve through the knots, level at both ends."""
    spread = np.concatenate([[knots[0] - 1.0], knots, [knots[-1] + 1.0]])
    curve = PchipInterpolator(spread, np.concatenate([shares[:1], shares, shares[-1:]]))
    return np.asarray(curve(np.clip(t, spread[0], spread[-1])))


def _time_for(distance: float, speed: float, beat: float, tables: Sequence[Array], idle: float) -> float:
    """Return the seconds that a way takes at one speed, with its start and stop as in the tables."""
    whole, seconds, stretch = distance, 0.0, beat / USUAL_STEP_TIME_S
    for table in tables:
        fine = np.linspace(table[0, 0], table[-1, 0], 2001)
        whole -= float(np.trapezoid(_ramp(table[:, 0], table[:, 1], fine), fine)) * stretch * speed
        seconds += float(np.ptp(table[:, 0])) * stretch + idle
    if whole < beat * speed and tables:
        least = distance - whole + beat * speed
        raise InvalidValue(
            f"a way of {distance:.2f} m is too short to start or stop at {speed:.2f} m/s; "
            f"it takes at least {least:.2f} m, or a lower speed"
        )
    return seconds + whole / speed


def _landings(
    times: Array,
    speeds: Array,
    walk_ratio: float,
    begin: Array | None,
    end: Array | None,
    life: float,
    rng: np.random.Generator,
) -> Array:
    """Return the landings: by the clock of the walk ratio, and by the lists at starts and stops."""
    clock = np.concatenate([[0.0], np.cumsum(np.diff(times) / step_time(speeds[1:], walk_ratio=walk_ratio))])
    first = float(begin[-1]) if begin is not None else float(times[0])
    last = float(end[0]) if end is not None else float(times[-1])
    from_, to = (float(np.interp(t, times, clock)) for t in (first, last))
    if begin is not None and end is not None:
        # A whole number of steps must fit: all are stretched a little.
        count = max(1, round(to - from_))
        ticks: Array = from_ + (to - from_) * np.arange(count + 1) / count
    elif end is not None:
        ticks = to - np.arange(int(to - from_), -1, -1).astype(np.float64)
    else:
        ticks = np.arange(from_ + (0.0 if begin is not None else float(rng.uniform())), to, 1.0)
    steady: Array = np.interp(ticks, clock, times)
    beats = np.asarray(np.gradient(steady) if len(steady) > 1 else [USUAL_STEP_TIME_S], dtype=np.float64)
    steady += 0.011 * life * beats * np.clip(rng.standard_normal(len(steady)), -2.0, 2.0)
    starts, stops = (() if begin is None else begin[2:-1]), (() if end is None else end[1:-1])
    return np.concatenate([starts, steady, stops])
