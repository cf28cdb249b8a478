"""The pelvis as a linear inverted pendulum: carried along the path, swaying over the feet, as high as legs allow.

*Forward* it follows the path, a little faster in double support than over the standing leg.
*Sway* is that of a linear inverted pendulum above the centre of pressure, which rolls from foot to foot:

    x − (h / g) ẍ = p          h = height of the hips, p = centre of pressure, both along one line of the floor

Solved at once for the whole way (a tridiagonal system in steps of 1/60 s), it leans before each step and comes back
after it, also where a walk starts. The pendulum is a point; a body's hips swing out further than its centre of mass,
so the deviation from its own slow mean is enlarged by a gain.
*Height* is under the reach of both legs, and smooth:

    ceiling = z_ankle + √(L² − d²) − z_hip        L² = thigh² + shank² + 2 thigh shank cos(knee)

with d the distance along the floor from the hip joint to the ankle; the rise and fall of the cycle is on the highest
smooth curve below the ceiling less that. No leg is ever over-stretched, and no frame is lowered for itself, which would
bend all knees at once.
*Turning*: yaw, list and tilt are Fourier curves of the phase that grow with speed.

World frame, metres, seconds, radians; knees in degrees.

Reference: Kajita, Tani 1991, "Study of dynamic biped locomotion on rugged terrain", the linear inverted pendulum mode.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_banded
from scipy.ndimage import gaussian_filter1d, minimum_filter1d

from walkon._base.arrays import Array
from walkon.geometry.path import Path
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.studio.feet import FeetMotion
from walkon.studio.footsteps import LONG_AGO_S, NEVER_S, Footsteps
from walkon.studio.performer import GRAVITY_M_S2, HIP_HEIGHT_M, Style
from walkon.studio.rhythm import Rhythm, band_noise, over_speed, wave
from walkon.studio.skeleton import bone_length
from walkon.transforms import quaternions as quat
from walkon.transforms.easing import smoothstep

__all__ = ["PelvisMotion", "highest_below", "leg_ceilings", "move_pelvis", "sway_over"]

PENDULUM_RATE_HZ = 60.0
"""Hz at which the pendulum is solved."""
SWAY_GAIN = 1.8
"""The pelvis moves more than the body's centre of mass, for which the pendulum stands."""
LANDING_KNEE_YIELD_DEG = 8.0
"""Degrees by which a knee is at least more bent while the foot rolls over its heel."""
LANDING_OVERREACH_M = 0.007
"""m by which the hips may be higher than a leg about to land could reach."""
PELVIS_YAW_DEG = (0.0, 3.0, 5.5, 6.0, 6.5, 7.5, 8.0)
PELVIS_LIST_DEG = (0.0, 2.0, 3.6, 4.2, 4.8, 5.6, 6.0)
PELVIS_TILT_DEG = (0.0, 0.6, 1.2, 1.3, 1.4, 1.6, 1.6)
"""Degrees at `rhythm.TABLE_SPEEDS_M_S`: after CMU walks, between them and the smaller values of the textbooks."""
HIP_RISE_M = (0.0, 0.006, 0.012, 0.015, 0.020, 0.023, 0.024)
HIP_SURGE_M = (0.0, 0.003, 0.006, 0.007, 0.007, 0.006, 0.006)
"""m, amplitude of the hips' height and of their lead over an even pace, both twice per stride."""

HIP_SHAKE_RATIOS = (0.35, 0.70, 0.78, 0.76, 0.72, 1.09, 1.17)
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
    alive = over_speed(rhythm.speeds, HIP_SHAKE_RATIOS)
    shake = style.life * scale * alive[:, None] * band_noise(rng, (T, 3), fps=fps, band=(1.5, 7.0))
    shake *= np.array([0.0028, 0.0028, 0.0018]) * (1.0 + 0.6 * rhythm.impacts[:, None])
    slow = style.life * band_noise(rng, (T, 3), fps=fps, band=(0.08, 0.9))

    surge = scale * over_speed(rhythm.speeds, HIP_SURGE_M) * wave(left, 0.12, harmonic=2)
    # It is most ahead of an even pace just after landing, having been fastest in the double support before.
    over = sway_over(rhythm.times, *_pressure(steps), height=HIP_HEIGHT_M * scale, mean=1.0, gain=SWAY_GAIN)
    sway = style.sway * over[:, 0] + shake[:, 1] + 0.004 * scale * slow[:, 0]
    ground = path.beside(rhythm.arcs + surge + shake[:, 0], sway)
    headings = path.pose(rhythm.arcs)[:, 2]

    gain = style.pelvis
    yaw = gain * over_speed(rhythm.speeds, PELVIS_YAW_DEG) * wave(left, 0.58) + 0.7 * slow[:, 1]
    list_ = gain * over_speed(rhythm.speeds, PELVIS_LIST_DEG) * (wave(left, 0.41) + 0.13 * wave(left, 0.16, harmonic=3))
    tilt = gain * over_speed(rhythm.speeds, PELVIS_TILT_DEG) * wave(left, 0.0, harmonic=2) + 0.4 * slow[:, 2]
    euler = np.stack([headings + np.deg2rad(yaw), np.deg2rad(tilt + 0.5 * style.lean), np.deg2rad(list_)], axis=1)
    rotations = quat.from_euler(euler, "zyx")

    # A knee that is a little bent when the foot lands yields without a jerk.
    landing = feet.contacts[:, [0, 2]] & ~feet.contacts[:, [1, 3]]
    knee = style.knee + np.where(landing, LANDING_KNEE_YIELD_DEG, 0.0)
    # A foot about to land may be drawn up a little (see `walkon.studio.assembling`) instead of holding the hips down.
    spare = (
        LANDING_OVERREACH_M * np.clip((feet.swing - 0.6) / 0.2, 0.0, 1.0) * np.clip((1.0 - feet.swing) / 0.1, 0.0, 1.0)
    )
    ceilings = spare + leg_ceilings(skeleton, feet.ankles, ground=ground, rotations=rotations, knee=knee)
    rise = style.bounce * scale * over_speed(rhythm.speeds, HIP_RISE_M) * _rise(left) + shake[:, 2]
    rise -= 0.003 * scale * rhythm.impacts
    beat = float(np.median(np.diff(steps.landings[steps.landings > 0.5 * LONG_AGO_S])))
    base = highest_below(ceilings.min(axis=1) - rise, max(2, round(0.5 * beat * fps)))
    return PelvisMotion(np.column_stack([ground, base + rise]), rotations, headings)


def _rise(phase: Array) -> Array:
    """Return the rise and fall of a cycle, −1 to 1: lowest after a landing, highest at a quarter, with a shoulder."""
    return np.asarray((wave(phase, 0.25, harmonic=2) + 0.12 * wave(phase, 0.20, harmonic=4)) / 1.06)


def _pressure(steps: Footsteps) -> tuple[Array, Array]:
    """Return times [K] and places [K, 1] left of the path of the centre of pressure: on one foot, then on the other."""
    # Print k bears alone from when k − 1 leaves until k + 1 lands.
    alone_from, alone_to = steps.leavings[:-2], steps.landings[2:]
    knots = np.stack([alone_from, alone_to], axis=1).ravel()
    values = np.repeat(steps.offsets[1:-1], 2)
    begin, end = steps.landings[0] - 2.0, steps.landings[-1] + 2.0
    if steps.landings[1] <= LONG_AGO_S:
        begin = steps.leavings[0] - 0.45
    if steps.leavings[-1] >= NEVER_S:
        end = steps.landings[-1] + 0.35
    middle = [0.5 * float(np.sum(pair)) for pair in (steps.offsets[:2], steps.offsets[-2:])]
    knots = np.concatenate([[begin - 1.0, begin], knots, [end, end + 1.0]])
    values = np.concatenate([[middle[0]] * 2, values, [middle[1]] * 2])
    return np.maximum.accumulate(knots), values[:, None]


def sway_over(times: Array, knots: Array, places: Array, *, height: float, mean: float, gain: float) -> Array:
    """Return the way of the hips [T, D] m at times [T] over a centre of pressure that is at places [K, D] at knots [K].

    `mean` is the standard deviation in seconds of the bell that tells slow travel from sway, `gain` enlarges the sway.
    """
    # Solved on a grid of its own that reaches well beyond both ends, where all is at rest.
    grid = (
        np.arange(np.floor((times[0] - 2.0) * PENDULUM_RATE_HZ), np.ceil((times[-1] + 2.0) * PENDULUM_RATE_HZ) + 1)
        / PENDULUM_RATE_HZ
    )
    j = np.clip(np.searchsorted(knots, grid, side="right") - 1, 0, len(knots) - 2)
    x = np.clip((grid - knots[j]) / np.maximum(knots[j + 1] - knots[j], 1e-6), 0.0, 1.0)
    pressure = places[j] + (places[j + 1] - places[j]) * smoothstep(x)[:, None]
    k = height / GRAVITY_M_S2 * PENDULUM_RATE_HZ**2
    bands = np.zeros((3, len(grid)))
    bands[0, 1:], bands[1], bands[2, :-1] = -k, 1 + 2 * k, -k
    bands[1, 0] = bands[1, -1] = 1 + k
    solved = solve_banded((1, 1), bands, pressure)
    middle = gaussian_filter1d(solved, mean * PENDULUM_RATE_HZ, axis=0, mode="nearest")
    return np.stack([np.interp(times, grid, column) for column in (middle + gain * (solved - middle)).T], axis=1)


def leg_ceilings(
    skeleton: Skeleton,
    ankles: Array,
    *,
    ground: Array,
    rotations: Array,
    knee: Array | float,
    origin: ArrayLike = 0.0,
) -> Array:
    """Return [T, 2] m, the highest that the pelvis may be for each leg to reach its ankle with its knee bent by `knee`.

    `ankles` are [T, 2, 3], `rotations` [T, 4] those of the pelvis; `ground` [T, 2] and the height are those of its
    root, or of another point of it (`origin`, m from there); `knee` is degrees, one or [T, 2].
    """
    knees = np.broadcast_to(np.deg2rad(knee), ankles.shape[:2])
    ceilings = []
    for side, name in enumerate(SIDES):
        thigh, shank = (bone_length(skeleton, f"{name}_{part}") for part in ("knee", "ankle"))
        reach2 = thigh**2 + shank**2 + 2 * thigh * shank * np.cos(knees[:, side])
        hip = quat.rotate(rotations, skeleton.offsets[skeleton.role(f"{name}_hip")] - origin)
        apart = ankles[:, side, :2] - ground - hip[:, :2]
        drop = np.sqrt(np.maximum(reach2 - np.sum(apart**2, axis=1), 0.25 * reach2))
        ceilings.append(ankles[:, side, 2] + drop - hip[:, 2])
    return np.stack(ceilings, axis=1)


def highest_below(limit: Array, half: int) -> Array:
    """Return a smooth curve [T] nowhere above `limit` [T]: its lowest value within `half` frames, averaged."""
    padded = np.pad(limit, 2 * half, mode="reflect" if len(limit) > 2 * half else "edge")
    # The bell ends where the widening does: it averages only values that are at most the limit.
    lowest = minimum_filter1d(padded, 2 * half + 1, mode="nearest")
    smooth = gaussian_filter1d(lowest, half / 2.5, mode="nearest", radius=half)
    return np.asarray(smooth[2 * half : len(smooth) - 2 * half])
