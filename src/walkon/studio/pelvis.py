"""The pelvis: carried along the path, swaying over the feet, as high as the legs allow, turning with the steps.

*Forward* it follows the path, a little faster in double support than over the standing leg.
*Sideways* it is an inverted pendulum over the centre of pressure p, which rolls from foot to foot:

    y − (h / g) ÿ = p                    a tridiagonal system; its deviation times a gain

This gives the phase of the sway and the shift of weight before a first step for nothing.
*Height*: each leg can hold its hip joint at most at

    ceiling = z_ankle + √(L² − d²)       L = leg with the knee as straight as it may be, d = distance along the floor

and the height is the rise and fall of the cycle on the highest smooth curve below the ceiling less that:
no leg is ever over-stretched, and no frame is lowered for itself, which would bend all knees at once.
*Turning*: yaw, list and tilt are Fourier curves of the phase that grow with speed.

World frame, metres, radians.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array
from walkon.geometry.path import Path
from walkon.motion.skeleton import Skeleton
from walkon.studio.feet import FeetMotion
from walkon.studio.footsteps import LONG_AGO, NEVER, Footsteps
from walkon.studio.hips import HIP_HEIGHT, RATE, highest_below, reach_ceiling, sway_over
from walkon.studio.performer import Style
from walkon.studio.rhythm import Rhythm, band_noise, over_speed, wave
from walkon.transforms import quaternions as quat
from walkon.transforms.easing import smoothstep

__all__ = ["PelvisMotion", "move_pelvis"]

SWAY_GAIN = 1.8
"""The pelvis moves more than the body's centre of mass, for which the pendulum stands."""
YIELDING = 8.0
"""Degrees by which a knee is at least more bent while the foot rolls over its heel."""
SPARE = 0.007
"""m by which the hips may be higher than a leg about to land could reach."""
YAW = (0.0, 3.0, 5.5, 6.0, 6.5, 7.5, 8.0)
LIST = (0.0, 2.0, 3.6, 4.2, 4.8, 5.6, 6.0)
TILT = (0.0, 0.6, 1.2, 1.3, 1.4, 1.6, 1.6)
"""Degrees at `rhythm.SPEEDS`: after CMU walks, between them and the smaller values of the textbooks."""
RISE = (0.0, 0.006, 0.012, 0.015, 0.020, 0.023, 0.024)
SURGE = (0.0, 0.003, 0.006, 0.007, 0.007, 0.006, 0.006)
"""m, amplitude of the hips' height and of their lead over an even pace, both twice per stride."""

ALIVE = (0.35, 0.70, 0.78, 0.76, 0.72, 1.09, 1.17)
"""How much the hips shake, over speed; a captured walk at 1.7 m/s is much less even than one at 1.3."""


class PelvisMotion(NamedTuple):
    """The root at T frames."""

    positions: Array
    """[T, 3] m."""
    rotations: Array
    """[T, 4] pelvis → world."""
    headings: Array
    """[T] rad, heading of the path under the hips, unwrapped."""


def move_pelvis(
    steps: Footsteps,
    feet: FeetMotion,
    *,
    rhythm: Rhythm,
    path: Path,
    skeleton: Skeleton,
    style: Style,
    scale: float,
    rng: np.random.Generator,
) -> PelvisMotion:
    """Carry the pelvis over the feet."""
    T, fps = len(rhythm.times), rhythm.fps
    left = rhythm.phases[:, 0]
    alive = over_speed(rhythm.speeds, ALIVE)
    shake = style.life * scale * alive[:, None] * band_noise(rng, (T, 3), fps=fps, band=(1.5, 7.0))
    shake *= np.array([0.0028, 0.0028, 0.0018]) * (1.0 + 0.6 * rhythm.impacts[:, None])
    slow = style.life * band_noise(rng, (T, 3), fps=fps, band=(0.08, 0.9))

    surge = scale * over_speed(rhythm.speeds, SURGE) * wave(left, 0.12, harmonic=2)
    # It is most ahead of an even pace just after landing, having been fastest in the double support before.
    place = path.pose(rhythm.arcs + surge + shake[:, 0])
    sway = style.sway * _sway(steps, rhythm, scale) + shake[:, 1] + 0.004 * scale * slow[:, 0]
    place[:, :2] = path.beside(rhythm.arcs + surge + shake[:, 0], sway)
    headings = path.pose(rhythm.arcs)[:, 2]

    gain = style.pelvis
    yaw = gain * over_speed(rhythm.speeds, YAW) * wave(left, 0.58) + 0.7 * slow[:, 1]
    list_ = gain * over_speed(rhythm.speeds, LIST) * (wave(left, 0.41) + 0.13 * wave(left, 0.16, harmonic=3))
    tilt = gain * over_speed(rhythm.speeds, TILT) * wave(left, 0.0, harmonic=2) + 0.4 * slow[:, 2]
    euler = np.stack([headings + np.deg2rad(yaw), np.deg2rad(tilt + 0.5 * style.lean), np.deg2rad(list_)], axis=1)
    rotations = quat.from_euler(euler, "zyx")

    ceiling = _ceiling(skeleton, feet, place[:, :2], rotations, style)
    rise = style.bounce * scale * over_speed(rhythm.speeds, RISE) * _rise(left) + shake[:, 2]
    rise -= 0.003 * scale * rhythm.impacts
    beat = float(np.median(np.diff(steps.landings[steps.landings > 0.5 * LONG_AGO])))
    base = highest_below(ceiling - rise, max(2, round(0.5 * beat * fps)))
    return PelvisMotion(np.column_stack([place[:, :2], base + rise]), rotations, headings)


def _rise(phase: Array) -> Array:
    """Return the rise and fall of a cycle, −1 to 1: lowest after a landing, highest at a quarter, with a shoulder."""
    return np.asarray((wave(phase, 0.25, harmonic=2) + 0.12 * wave(phase, 0.20, harmonic=4)) / 1.06)


def _sway(steps: Footsteps, rhythm: Rhythm, scale: float) -> Array:
    """Return m to the left of the path, [T]."""
    times = rhythm.times
    knots, values = _pressure(steps)
    grid = np.arange(np.floor((times[0] - 2.0) * RATE), np.ceil((times[-1] + 2.0) * RATE) + 1) / RATE
    j = np.clip(np.searchsorted(knots, grid, side="right") - 1, 0, len(knots) - 2)
    x = np.clip((grid - knots[j]) / np.maximum(knots[j + 1] - knots[j], 1e-6), 0.0, 1.0)
    pressure = values[j] + (values[j + 1] - values[j]) * smoothstep(x)
    swaying = sway_over(pressure, HIP_HEIGHT * scale, mean=1.0, gain=SWAY_GAIN)
    return np.asarray(np.interp(times, grid, swaying))


def _pressure(steps: Footsteps) -> tuple[Array, Array]:
    """Return times and places to the left of the path of the centre of pressure: on one foot, then on the other."""
    # Print k bears alone from when k − 1 leaves until k + 1 lands.
    alone_from, alone_to = steps.leavings[:-2], steps.landings[2:]
    knots = np.stack([alone_from, alone_to], axis=1).ravel()
    values = np.repeat(steps.offsets[1:-1], 2)
    begin, end = steps.landings[0] - 2.0, steps.landings[-1] + 2.0
    if steps.landings[1] <= LONG_AGO:
        begin = steps.leavings[0] - 0.45
    if steps.leavings[-1] >= NEVER:
        end = steps.landings[-1] + 0.35
    middle = [0.5 * float(np.sum(pair)) for pair in (steps.offsets[:2], steps.offsets[-2:])]
    knots = np.concatenate([[begin - 1.0, begin], knots, [end, end + 1.0]])
    values = np.concatenate([[middle[0]] * 2, values, [middle[1]] * 2])
    return np.maximum.accumulate(knots), values


def _ceiling(skeleton: Skeleton, feet: FeetMotion, ground: Array, rotations: Array, style: Style) -> Array:
    """Return [T] m, the highest root at which both legs reach their ankles with the knee bent as it must be."""
    # A knee that is a little bent when the foot lands yields without a jerk.
    landing = feet.contacts[:, [0, 2]] & ~feet.contacts[:, [1, 3]]
    knee = style.knee + np.where(landing, YIELDING, 0.0)
    # A foot about to land may be drawn up a little (see `walkon.studio.assembling`) instead of holding the hips down.
    spare = SPARE * np.clip((feet.swing - 0.6) / 0.2, 0.0, 1.0) * np.clip((1.0 - feet.swing) / 0.1, 0.0, 1.0)
    return reach_ceiling(skeleton, feet.ankles, ground=ground, rotations=rotations, knee=knee, spare=spare)
