"""A jog: steps with a flight between them.

After CMU 16_36 (2.66 m/s): steps of 0.39 s, a foot down for 0.23 s of that, landing nearly flat 0.11 m ahead of the
hips; the ankle of the swinging leg rises by 0.27 m. The hips go up and down as a spring would throw them, lowest in the
middle of stance:

    z = z₀ − A cos 4πφ         A = 0.95 g (T / 2π)²         T the time of a step, so that they all but fall in flight

with z₀ as high as the legs reach. Feet roll as in `foot_curves`, so contacts are exact. In swing the ankle follows the
recorded one, given relative to the hips, its ends tied to the rolling foot. Along +x; metres, radians, seconds.
"""

from dataclasses import replace
from typing import Unpack

import numpy as np
from scipy.interpolate import CubicSpline

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.motion.clip import Clip
from walkon.motion.skeleton import SIDES
from walkon.studio.assembling import assemble
from walkon.studio.feet import FeetMotion, OneFoot, join_feet
from walkon.studio.foot_curves import FootShape, Roll, ahead_of, lowest_ankle, roll_foot
from walkon.studio.pelvis import PelvisMotion, leg_ceilings
from walkon.studio.performer import GRAVITY_M_S2, MAX_CLIP_S, OUTWARD, Casting, Performer
from walkon.studio.rhythm import Rhythm, band_noise, wave
from walkon.studio.upper_body import as_hanging, move_upper_body
from walkon.transforms import quaternions as quat
from walkon.transforms.easing import smoothstep

__all__ = ["jog"]

JOG_SPEEDS_M_S = np.array([2.0, 2.66, 3.4])
"""m/s, of a body of 1.75 m: slowest, as recorded, fastest."""
CADENCES_STEPS_MIN, STANCES_S = (148.0, 154.0, 164.0), (0.275, 0.235, 0.200)
"""Steps per minute, and seconds that a foot is down, at `JOG_SPEEDS_M_S`."""
LANDING_AHEAD_M = 0.11
"""m from the hips to the ankle that lands."""
STRIKE_PITCH_RAD, LIFT_OFF_PITCH_RAD, TOE_OFF_PITCH_RAD = np.deg2rad([5.0, -64.0, -34.0]).tolist()
"""rad: pitch at landing, at lift-off, and of the toes there."""
HALF_STEP_WIDTH_M, SWING_AROUND_M = 0.050, 0.02
"""m from the line of travel to each ankle, and by how much more it swings around the other."""
MIN_KNEE_DEG = 16.0
"""Degrees, the straightest that a knee becomes."""
ANKLES_AHEAD_M = 0.001 * np.array(
    [-366, -405, -435, -440, -430, -396, -343, -279, -212, -142, -70, 10, 94, 166, 205, 190, 115], dtype=np.float64
)
"""m, the ankle ahead of the hips at equal times of the swing."""
ANKLE_HEIGHTS_M = 0.001 * np.array(
    [118, 150, 185, 213, 238, 256, 260, 248, 222, 182, 136, 92, 60, 42, 32, 20, 6], dtype=np.float64
)
"""m, the ankle above its height when flat."""
FOOT_PITCHES_RAD = np.deg2rad([-62.0, -72, -76, -81, -88, -94, -93, -84, -68, -51, -36, -21, -9, -1, 3, 4, 5])
"""rad, + toes up."""


def jog(
    *,
    speed: float = 2.6,
    duration: float = 5.0,
    **casting: Unpack[Casting],
) -> Clip:
    """Jog straight along +x at 2.0 to 3.4 m/s (a body of 1.75 m), running from first to last frame; labelled "jog"."""
    who = Performer.of(**casting)
    skeleton, scale, style, rng, fps = who
    low, high = JOG_SPEEDS_M_S[0] * np.sqrt(scale), JOG_SPEEDS_M_S[-1] * np.sqrt(scale)
    if not (np.isfinite(speed) and low - 1e-9 <= speed <= high + 1e-9):
        raise InvalidValue(f"speed must be {low:.2f} to {high:.2f} m/s for this body, got {speed}; walk if slower")
    if not (np.isfinite(duration) and 1.0 / fps < duration <= MAX_CLIP_S):
        raise InvalidValue(f"duration must be more than a frame and at most {MAX_CLIP_S:g} s, got {duration} s")
    streams = rng.spawn(3)
    times = who.frames(duration)
    beat = 60.0 / float(np.interp(speed / np.sqrt(scale), JOG_SPEEDS_M_S, CADENCES_STEPS_MIN)) * np.sqrt(scale)
    stance = float(np.interp(speed / np.sqrt(scale), JOG_SPEEDS_M_S, STANCES_S)) * np.sqrt(scale)
    count = int(duration / beat) + 9
    landings = beat * (np.arange(count) - 4 - streams[0].uniform())
    noise = style.life * np.clip(streams[0].standard_normal((count, 3)), -2.0, 2.0)
    landings = landings + 0.012 * beat * noise[:, 0]
    sides = (np.arange(count) + int(streams[0].integers(2))) % 2
    left = 0.5 * (np.interp(times, landings, np.arange(count)) - (0 if sides[0] == 0 else 1))
    phases = np.stack([left, left + 0.5], axis=1)

    outward = np.where(sides == 0, 1.0, -1.0)
    places = np.column_stack(
        [
            speed * landings + scale * (LANDING_AHEAD_M + 0.008 * noise[:, 1]),
            outward * scale * HALF_STEP_WIDTH_M + 0.005 * scale * noise[:, 2],
            outward * np.deg2rad(0.6 * style.toe_out),
        ]
    )
    shape = FootShape.of(skeleton)
    down = np.full(count, stance) + 0.02 * stance * noise[:, 1]
    # The swing is given relative to the hips: it has to know where they will be.
    feet = join_feet(
        *(
            _move(landings[mine], down[mine], places[mine], times=times, speed=speed, shape=shape, scale=scale)
            for mine in (np.flatnonzero(sides == side) for side in range(len(SIDES)))
        )
    )
    pelvis = _pelvis(who, feet, times, phases, speed=speed, beat=beat, stance=stance, rng=streams[1])
    since = times - landings[np.searchsorted(landings, times, side="right") - 1]
    rhythm = Rhythm(
        times=times,
        fps=fps,
        phases=phases,
        speeds=np.full(len(times), 2.0),
        accelerations=np.zeros(len(times)),
        arcs=speed * times,
        bends=np.zeros(len(times)),
        looks=np.zeros(len(times)),
        impacts=np.clip(since / 0.03, 0.0, 1.0) * np.exp(-since / 0.07),
    )
    loose = replace(
        style, lean=min(style.lean + 5.0, 20.0), elbow=60.0, arm_swing=0.65 * style.arm_swing, shoulders=1.6
    )
    upper = _bend_arms(move_upper_body(rhythm, pelvis, style=loose, rng=streams[2]))
    return assemble(skeleton, fps=fps, feet=feet, pelvis=pelvis, upper=upper, labels=("jog",), name=f"{style.name} jog")


def _move(
    landings: Array, stances: Array, places: Array, *, times: Array, speed: float, shape: FootShape, scale: float
) -> OneFoot:
    """Move one foot over its prints [M]: rolling while it bears, by the recorded curves in between."""
    M = len(landings)
    roll = Roll(
        landings,
        landings + 0.16 * stances,
        landings + 0.16 * stances,
        landings + 0.68 * stances,
        landings + stances,
        np.full(M, STRIKE_PITCH_RAD),
        np.full(M, LIFT_OFF_PITCH_RAD),
        np.full(M, TOE_OFF_PITCH_RAD),
    )
    k = np.clip(np.searchsorted(landings, times, side="right") - 1, 0, M - 2)
    ahead, up, pitch, toes = roll_foot(roll, k, t=times, shape=shape)
    x, y = ahead_of(places[k], ahead).T
    swinging = times > roll.leaving[k]
    swing: Array = np.full(len(times), -1.0)
    for j in np.unique(k[swinging]):
        f = np.flatnonzero(swinging & (k == j))
        swing[f] = u = (times[f] - roll.leaving[j]) / (landings[j + 1] - roll.leaving[j])
        x[f], up[f], pitch[f], toes[f] = _swing(roll, int(j), places, u, speed=speed, shape=shape, scale=scale).T
        from_ = ahead_of(places[j], roll_foot(roll, np.array([j]), t=roll.leaving[[j]], shape=shape)[0][0])[1]
        around = np.copysign(SWING_AROUND_M * scale, places[j, 1]) * np.sin(np.pi * u) ** 2
        y[f] = from_ + (places[j + 1, 1] - from_) * smoothstep(u) + around
        up[f] = np.maximum(up[f], lowest_ankle(pitch[f], toes[f], u=u, shape=shape, scale=scale))
    heel = ~swinging & (times <= roll.heel_off[k])
    ball = ~swinging & (times >= roll.flat[k]) & (times <= roll.tipping[k])
    return np.column_stack([x, y, up]), pitch, toes, places[k, 2], swing, heel, ball


def _swing(roll: Roll, j: int, places: Array, u: Array, *, speed: float, shape: FootShape, scale: float) -> Array:
    """Return [F, 4]: the ankle along x and above the floor, pitch and toes, at shares u of the swing from print j."""
    leaves, lands, eps = roll.leaving[j], roll.landing[j + 1], 1e-4
    seconds = lands - leaves

    def at(print_: int, t: float) -> Array:
        ahead, *others = roll_foot(roll, np.array([print_]), t=np.array([t]), shape=shape)
        return np.concatenate([ahead_of(places[[print_]], ahead)[:, 0] - speed * t, *others])

    start, stop = at(j, leaves), at(j + 1, lands)
    begin = (start - at(j, leaves - eps)) / eps * seconds
    end = (at(j + 1, lands + eps) - stop) / eps * seconds
    # Faster legs swing wider; all legs by their size.
    size = scale * (speed / np.sqrt(scale) / JOG_SPEEDS_M_S[1]) ** 0.5
    knots = np.linspace(0.0, 1.0, len(ANKLES_AHEAD_M))
    toes = np.deg2rad(8.0) * np.sin(np.pi * knots)
    table = np.column_stack([size * ANKLES_AHEAD_M, shape.ankle + size * ANKLE_HEIGHTS_M, FOOT_PITCHES_RAD, toes])
    table += np.outer((1 - knots) ** 3, start - table[0]) + np.outer(knots**3, stop - table[-1])
    end[1], end[2] = min(end[1], -0.25 * seconds), 0.5 * end[2]
    # The knots beside both ends would fight slopes that they were not recorded with.
    keep = np.setdiff1d(np.arange(len(knots)), (1, len(knots) - 2))
    curve = CubicSpline(knots[keep], table[keep], bc_type=((1, begin), (1, end)))(u)
    curve[:, 0] += speed * (leaves + seconds * u)
    return np.asarray(curve)


def _pelvis(
    who: Performer,
    feet: FeetMotion,
    times: Array,
    phases: Array,
    *,
    speed: float,
    beat: float,
    stance: float,
    rng: np.random.Generator,
) -> PelvisMotion:
    skeleton, scale, style, _, fps = who
    T, left = len(times), phases[:, 0]
    shake = style.life * scale * band_noise(rng, (T, 3), fps=fps, band=(1.5, 7.0)) * np.array([0.002, 0.003, 0.0015])
    middle = 0.5 * 0.46 * stance / beat
    # It is over the standing foot in the middle of stance, and slowest there.
    sway = 0.012 * scale * style.sway * wave(left, middle) + shake[:, 1]
    surge = 0.008 * scale * wave(left, middle + 0.125, harmonic=2)
    # Degrees by which it is turned, tipped and listed.
    turns = [
        7.0 * style.pelvis * wave(left, 0.58),
        0.5 * style.lean + 3.0 + 1.5 * wave(left, 0.0, harmonic=2),
        4.5 * style.pelvis * wave(left, middle + 0.03),
    ]
    rotations = quat.from_euler(np.deg2rad(np.stack(turns, axis=1)), "zyx")
    ground = np.column_stack([speed * times + surge + shake[:, 0], sway])
    rise = -0.95 * GRAVITY_M_S2 * (beat / (2 * np.pi)) ** 2 * wave(left, middle, harmonic=2) + shake[:, 2]
    ceilings = leg_ceilings(
        skeleton, feet.ankles, ground=ground, rotations=rotations, knee=max(MIN_KNEE_DEG, style.knee)
    )
    # One height for the whole run, below what the legs reach anywhere.
    base = float(np.min(ceilings - rise[:, None]))
    return PelvisMotion(np.column_stack([ground, base + rise]), rotations, np.zeros(T))


def _bend_arms(parts: dict[str, Array]) -> dict[str, Array]:
    """Return the upper body with upper arms further back, less turned inward, and elbows bent further than in walks."""
    bent = dict(parts)
    back, elbow = (quat.about(np.array([0.0, 1.0, 0.0]), np.deg2rad(degrees)) for degrees in (20.0, -10.0))
    for side, (name, sign) in enumerate(zip(SIDES, OUTWARD, strict=True)):
        arm, forearm = f"{name.capitalize()}Arm", f"{name.capitalize()}ForeArm"
        outward = quat.about(np.array([0.0, 0.0, 1.0]), sign * np.deg2rad(11.0))
        bent[arm] = quat.multiply(quat.multiply(back, parts[arm]), as_hanging(outward, side))
        bent[forearm] = quat.multiply(parts[forearm], as_hanging(elbow, side))
    return bent
