"""Steps that are given one by one: footprints in any direction become a clip with exact contacts.

    prints → feet (`stepping_feet`) → pelvis and upper body → legs → clip

Turns in place, side steps and back steps (`shuffles`) are lists of prints made with a `Stepper`, which stands in the
neutral pose (the one in which walks start and stop), steps, and ends standing in it again. Above the feet, weight goes
over the foot that will stand before the other leaves:

*Over the floor* the pelvis is an inverted pendulum above the centre of pressure p, in both directions:

    r − (h / g) r̈ = p         p at the foot that bears alone, going over to the other in double support

which gives the shift of weight before a step, and the way back to the middle, for nothing.
*Turning*: its heading is the mean of both feet's, smoothed; chest and head look a little ahead of it.
*Height*: as high as both legs reach with knees as straight as they may be, smoothed from below (see `pelvis`).
*Arms* hang and swing a little, as in a slow walk, and go out of the way of legs that step sideways.

World frame, metres, radians, seconds.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.ndimage import gaussian_filter1d

from walkon._base.arrays import Array
from walkon.motion.clip import Clip
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.studio.assembling import assemble
from walkon.studio.feet import FeetMotion
from walkon.studio.foot_curves import FootShape, ahead_of
from walkon.studio.footsteps import LONG_AGO_S, NEVER_S
from walkon.studio.pelvis import PelvisMotion, highest_below, leg_ceilings, sway_over
from walkon.studio.performer import HIP_HEIGHT_M, OUTWARD, Performer, Style, check_range
from walkon.studio.rhythm import LOOK_AHEAD_S, Rhythm, band_noise
from walkon.studio.stepping_feet import Prints, step_feet
from walkon.studio.upper_body import move_upper_body
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

__all__ = ["Stepper", "carry_pelvis", "carry_upper_body", "clear_arms", "perform_steps"]

SWAY_GAIN = 1.25
"""The pelvis moves more than the centre of mass, for which the pendulum stands."""
WEIGHT_SHIFT_S = 0.45
"""s before a first leaving, and after a last landing, in which the weight leaves or reaches the middle."""
SETTLE_S = 0.5
"""s after the last landing until the weight is in the middle again."""
PRESSURE_AHEAD_M = 0.045
"""m ahead of the ankle at which a foot bears that stands alone."""
CHEST_LEAD_S, HEAD_LEAD_S = 0.06, 0.16
"""s by which they turn before the pelvis."""
ARM_CLEARANCE_SHARE = 0.6
"""Share of a leg's angle to the side by which the arm above it goes out of its way."""
PELVIS_LIST_DEG = 2.2
"""Degrees by which the side of the standing leg is higher."""


class Stepper:
    """Makes a list of prints: stands, then takes one step after the other, each after the one before has landed."""

    def __init__(self, performer: Performer, *, idle: float, shift: float = 0.4) -> None:
        check_range("idle", idle, 0.0, 60.0, "s")
        self.performer, self.idle = performer, idle
        # Weight is shifted before the first foot leaves.
        self.clock = idle + shift
        """s at which the next foot may leave."""
        self._rows = [self._row(side, self.beside(np.zeros(3), side), LONG_AGO_S) for side in range(len(SIDES))]

    @staticmethod
    def _row(side: int, place: Array, landing: float, **how: float) -> dict[str, Any]:
        """Return a print on which a foot stands from a landing on."""
        still = {"pivots": 0.0, "strikes": 0.0, "lifts": 0.0, "heights": 0.0, "arounds": 0.0}
        return {"sides": side, "places": place, "landings": landing, "leavings": NEVER_S, **still, **how}

    def beside(self, body: Array, side: int, *, half: float | None = None, ahead: float = 0.0) -> Array:
        """Return the place of a foot under a body that stands at (x, y, heading), a little irregular."""
        who = self.performer
        sign = OUTWARD[side]
        noise = 0.5 * who.style.life * np.clip(who.rng.standard_normal(3), -2.0, 2.0) * np.array([0.006, 0.004, 0.025])
        half = who.half_width if half is None else half
        there = planar.apply(body, [ahead + who.scale * noise[0], sign * (half + who.scale * noise[1])])
        # Not wrapped: a foot turns by the difference of its yaws.
        return np.array([*there, body[2] + sign * np.deg2rad(who.style.toe_out) + noise[2]])

    def step(
        self,
        side: int,
        place: Array,
        *,
        swing: float,
        support: float,
        strike: float = 0.0,
        lift: float = 0.0,
        pivot: float = 0.0,
        height: float = 0.04,
        around: float = 0.0,
    ) -> None:
        """Let a foot leave now, swing for so many seconds and stand at `place`; the next may leave `support` s later.

        `lift` and `pivot` are how it leaves the print on which it stands, the others how it moves and lands.
        """
        who = self.performer
        swing, support = (
            seconds
            * np.sqrt(who.scale)
            * (1.0 + 0.04 * who.style.life * float(np.clip(who.rng.standard_normal(), -2, 2)))
            for seconds in (swing, support)
        )
        last = next(row for row in reversed(self._rows) if row["sides"] == side)
        last.update(leavings=self.clock, pivots=pivot, lifts=lift)
        lands, height = self.clock + swing, height * (who.scale * who.style.lift)
        self._rows.append(self._row(side, place, lands, strikes=strike, heights=height, arounds=who.scale * around))
        self.clock = lands + support

    def prints(self) -> Prints:
        """Return what was stepped so far."""
        return Prints(**{name: np.array([row[name] for row in self._rows]) for name in self._rows[0]})

    def perform(self, *, labels: Sequence[str], name: str, swing: float = 0.15) -> Clip:
        """Return the clip of what was stepped so far: until the weight is in the middle again, and idle s longer."""
        prints = self.prints()
        duration = float(prints.landings.max()) + SETTLE_S + self.idle
        return perform_steps(prints, self.performer, duration=duration, labels=labels, name=name, swing=swing)


def perform_steps(
    prints: Prints, performer: Performer, *, duration: float, labels: Sequence[str], name: str, swing: float = 0.15
) -> Clip:
    """Step over the prints and return the clip; `swing` is the speed in m/s of the walk whose arms swing like these."""
    skeleton, scale, style, rng, fps = performer
    streams = rng.spawn(2)
    times = performer.frames(duration)
    feet = step_feet(prints, times, shape=FootShape.of(skeleton), scale=scale)
    pelvis = carry_pelvis(
        prints, feet, times=times, fps=fps, skeleton=skeleton, style=style, scale=scale, rng=streams[0]
    )
    upper = carry_upper_body(prints, pelvis, feet=feet, times=times, fps=fps, style=style, swing=swing, rng=streams[1])
    return assemble(skeleton, fps=fps, feet=feet, pelvis=pelvis, upper=upper, labels=labels, name=name)


def carry_pelvis(
    prints: Prints,
    feet: FeetMotion,
    *,
    times: Array,
    fps: float,
    skeleton: Skeleton,
    style: Style,
    scale: float,
    rng: np.random.Generator,
) -> PelvisMotion:
    """Carry the pelvis over the feet; `headings` of the result is the way it faces."""
    T = len(times)
    shake = 0.4 * style.life * scale * band_noise(rng, (T, 3), fps=fps, band=(1.5, 7.0))
    shake *= np.array([0.0028, 0.0028, 0.0014])
    slow = style.life * band_noise(rng, (T, 3), fps=fps, band=(0.08, 0.9))
    knots, places = _pressure(prints, PRESSURE_AHEAD_M * scale)
    ground = sway_over(times, knots, places, height=HIP_HEIGHT_M * scale, mean=0.6, gain=SWAY_GAIN)
    # It faces between its feet, which point outward alike.
    headings = np.asarray(gaussian_filter1d(feet.yaws.mean(axis=1), 0.11 * fps, mode="nearest"))
    across = np.stack([-np.sin(headings), np.cos(headings)], axis=1)
    ground = ground + shake[:, :2] + 0.004 * scale * slow[:, :1] * across

    listed = gaussian_filter1d(np.diff((feet.swing >= 0).astype(np.float64))[:, 0], 0.12 * fps, mode="nearest")
    yaw = np.deg2rad(0.7 * slow[:, 1])
    tilt = np.deg2rad(0.5 * style.lean + 0.4 * slow[:, 2])
    rotations = quat.from_euler(
        np.stack([headings + yaw, tilt, np.deg2rad(style.pelvis * PELVIS_LIST_DEG) * listed], axis=1), "zyx"
    )
    ceilings = leg_ceilings(skeleton, feet.ankles, ground=ground, rotations=rotations, knee=style.knee)
    base = highest_below(ceilings.min(axis=1) - shake[:, 2], max(2, round(0.22 * fps)))
    return PelvisMotion(np.column_stack([ground, base + shake[:, 2]]), rotations, headings)


def carry_upper_body(
    prints: Prints,
    pelvis: PelvisMotion,
    *,
    feet: FeetMotion,
    times: Array,
    fps: float,
    style: Style,
    swing: float,
    rng: np.random.Generator,
) -> dict[str, Array]:
    """Move trunk, head and arms; `swing` is the speed in m/s of the walk whose arms swing like these."""
    T = len(times)
    moving = np.linalg.norm(np.gradient(pelvis.positions[:, :2], 1.0 / fps, axis=0), axis=1)
    busy = np.clip(gaussian_filter1d(moving, 0.25 * fps, mode="nearest") / 0.25, 0.0, 1.0)
    # The head is turned where the body will face, as far as that is known.
    speeds = swing * busy
    span = np.concatenate([times[:1] - 1.0, times, times[-1:] + 1.0])
    rhythm = Rhythm(
        times=times,
        fps=fps,
        phases=_phases(prints, times),
        speeds=speeds,
        accelerations=np.zeros(T),
        arcs=times,
        bends=np.zeros(T),
        looks=np.interp(times + LOOK_AHEAD_S * speeds, span, np.interp(span + HEAD_LEAD_S, times, pelvis.headings)),
        impacts=np.zeros(T),
    )
    chest = np.interp(times + CHEST_LEAD_S, times, pelvis.headings)
    parts = move_upper_body(rhythm, pelvis._replace(headings=chest), style=style, rng=rng)
    return clear_arms(parts, feet, pelvis=pelvis, fps=fps)


def clear_arms(parts: dict[str, Array], feet: FeetMotion, *, pelvis: PelvisMotion, fps: float) -> dict[str, Array]:
    """Return the upper body with each arm out of the way of its own leg where that steps sideways."""
    cleared = dict(parts)
    for side, (name, outward) in enumerate(zip(SIDES, OUTWARD, strict=True)):
        leg = feet.ankles[:, side] - pelvis.positions
        apart = outward * (np.cos(pelvis.headings) * leg[:, 1] - np.sin(pelvis.headings) * leg[:, 0])
        angle = np.maximum(np.arctan2(apart, -leg[:, 2]) - np.deg2rad(5.0), 0.0)
        lifted = outward * gaussian_filter1d(ARM_CLEARANCE_SHARE * angle, 0.1 * fps, mode="nearest")
        arm = f"{name.capitalize()}Arm"
        cleared[arm] = quat.multiply(quat.about(np.array([1.0, 0.0, 0.0]), lifted), parts[arm])
    return cleared


def _phases(prints: Prints, times: Array) -> Array:
    """Return cycles [T, 2] of both legs: whole at their own landings, half at those of the other."""
    real = prints.landings > 0.5 * LONG_AGO_S
    landings = prints.landings[real]
    if len(landings) == 0:
        return np.zeros((len(times), 2)) + np.array([0.0, 0.5])
    number = 0.5 * (np.arange(len(landings)) + (0.0 if prints.sides[real][0] == 0 else 1.0))
    first, last = landings[0], landings[-1]
    knots = np.array([first - 2.0, first - 1.0, *landings, last + 1.0, last + 2.0])
    values = np.array([number[0] - 1.0, number[0] - 0.5, *number, number[-1] + 0.5, number[-1] + 1.0])
    left = PchipInterpolator(knots, values)(np.clip(times, knots[0], knots[-1]))
    return np.stack([left, left + 0.5], axis=1)


def _pressure(prints: Prints, ahead: float) -> tuple[Array, Array]:
    """Return times [K] and places [K, 2] of the centre of pressure: `ahead` m before the ankle that bears alone."""
    events: list[tuple[float, Array]] = []
    for side in range(len(SIDES)):
        other = prints.of(1 - side)
        for leaves, lands in prints.swings(side):
            stands = other[np.searchsorted(prints.landings[other], leaves, side="right") - 1]
            # The pressure rolls through the foot while it bears alone: it stays only for a part of that.
            roll = 0.15 * (lands - leaves)
            place = ahead_of(prints.places[stands], ahead)
            events += [(leaves + roll, place), (lands - roll, place)]
    events.sort(key=lambda event: event[0])
    first, last = (
        np.mean([prints.places[prints.of(side)[end], :2] for side in range(len(SIDES))], axis=0) for end in (0, -1)
    )
    moments = [time for time, _ in events] or [0.0]
    knots = np.array([moments[0] - WEIGHT_SHIFT_S, *(time for time, _ in events), moments[-1] + WEIGHT_SHIFT_S])
    return knots, np.stack([first, *(place for _, place in events), last])
