"""Trunk, arms and head above a walking pelvis: Fourier curves of the gait phase.

*Chest*: turned, tilted and leaned by Fourier curves of the phase (after CMU walks): below 1 m/s it follows the pelvis
late, at 1.3 m/s it is nearly still in space, beyond that it turns against it. It leans into turns, atan(v²κ/g) in part,
and into accelerations. The spine's three joints share what is between pelvis and chest.
*Arms* swing with the opposite leg, behind the vertical in the mean; elbows bend most a little after the arm is most
forward, and the upper arm is turned inward so that the hand swings in front of the body, not parallel to the path.
*Head*: keeps to where the path will lead in 0.2 s, level; neck and head share what is between it and the chest. It
nods against the rise and fall, so that the eyes stay on one point.
*Life*: breathing, glances, and noise that grows with speed and with each landing.

Angles here are degrees until they become rotations; frames: x ahead, y left, z up.
"""

import numpy as np

from walkon._base.arrays import Array
from walkon.motion.skeleton import SIDES
from walkon.studio.pelvis import PelvisMotion
from walkon.studio.performer import GRAVITY_M_S2, OUTWARD, Style
from walkon.studio.rhythm import Rhythm, band_noise, over_speed, wave
from walkon.transforms import quaternions as quat

__all__ = ["HANGING_TURNS", "as_hanging", "bend_trunk", "move_upper_body"]

CHEST_YAW_DEG = (0.0, 2.0, 4.0, 3.2, 2.5, 3.2, 4.5)
CHEST_YAW_PEAK_PHASES = (0.70, 0.70, 0.71, 0.76, 0.92, 0.97, 1.02)
"""Phase of the left leg at which the chest is turned most to the left."""
CHEST_LEAN_DEG = (0.0, 0.6, 1.2, 1.6, 1.7, 2.0, 2.1)
CHEST_NOD_DEG = (0.0, 0.4, 0.8, 1.0, 1.2, 1.3, 1.2)
ARM_SWING_DEG = (0.0, 4.0, 7.5, 9.5, 12.5, 16.5, 21.0)
ARM_MEAN_DEG = (-2.0, -4.0, -6.0, -6.0, -6.0, -6.5, -7.0)
ELBOW_SWING_DEG = (0.0, 2.0, 4.5, 6.5, 9.0, 12.0, 15.0)
ELBOW_MEAN_DEG = (15.0, 19.0, 23.0, 25.0, 27.0, 31.0, 35.0)
"""Degrees at `rhythm.TABLE_SPEEDS_M_S`."""
HANGING_TURNS = tuple(quat.about(np.array([1.0, 0.0, 0.0]), -sign * 0.5 * np.pi) for sign in OUTWARD)
"""At rest an arm points sideways: this quarter turn, left and right, lets it hang."""
UPPER_BODY_NOISE_RATIOS = (0.30, 0.62, 0.70, 0.64, 0.54, 0.61, 0.66)
"""How much trunk, arms and head waver, over speed: at a brisk walk the swing of the arms steadies them."""


def move_upper_body(
    rhythm: Rhythm, pelvis: PelvisMotion, *, style: Style, rng: np.random.Generator
) -> dict[str, Array]:
    """Return local rotations [T, 4] of the joints above the pelvis, by name."""
    T, fps, v = len(rhythm.times), rhythm.fps, rhythm.speeds
    left = rhythm.phases[:, 0]
    alive = style.life * over_speed(v, UPPER_BODY_NOISE_RATIOS)
    fast = alive[:, None] * (0.85 + 0.35 * rhythm.impacts[:, None]) * band_noise(rng, (T, 12), fps=fps, band=(1.5, 7.0))
    slow = style.life * band_noise(rng, (T, 12), fps=fps, band=(0.06, 0.8))
    breath = np.sin(2 * np.pi * np.cumsum(0.25 * (1 + 0.15 * slow[:, 11])) / fps)

    swing = style.shoulders
    yaw = (
        swing * over_speed(v, CHEST_YAW_DEG) * wave(left, over_speed(v, CHEST_YAW_PEAK_PHASES))
        + 0.35 * fast[:, 0]
        + 0.9 * slow[:, 0]
    )
    side = swing * over_speed(v, CHEST_LEAN_DEG) * wave(left, 0.96) + 0.25 * fast[:, 1] + 0.5 * slow[:, 1]
    nod = over_speed(v, CHEST_NOD_DEG) * wave(left, 0.48, harmonic=2) + 0.25 * fast[:, 2] + 0.6 * slow[:, 2]
    lean = style.lean + 0.8 * np.clip(v - 1.0, 0.0, 1.0) + np.clip(3.0 * rhythm.accelerations, -5.0, 6.0)
    # v here is that of a body of 1.75 m, as is g.
    into = 0.6 * np.rad2deg(np.arctan(v**2 * rhythm.bends / GRAVITY_M_S2))
    chest = _euler(pelvis.headings, yaw, lean + nod + 0.4 * breath, -(side + into))
    parts = bend_trunk(pelvis.rotations, chest=chest, head=_head(rhythm, pelvis, fast, slow, style), slump=style.slump)
    for index, name in enumerate(SIDES):
        parts |= _arm(rhythm, index, name, into, breath, fast, slow, style)
    return parts


def as_hanging(turn: Array, side: int) -> Array:
    """Return a turn [..., 4] of an arm that hangs as one of the arm at rest."""
    return quat.multiply(quat.conjugate(HANGING_TURNS[side]), quat.multiply(turn, HANGING_TURNS[side]))


def bend_trunk(pelvis: Array, *, chest: Array, head: Array, slump: float) -> dict[str, Array]:
    """Share what is between pelvis and chest, and chest and head [T, 4] each, in the world, among the joints between.

    `slump` is the degrees by which the upper back rounds more than the lower.
    """
    bend = quat.log(quat.multiply(quat.conjugate(pelvis), chest))
    round_ = np.deg2rad(slump) * np.array([0.0, 1.0, 0.0])
    low, middle = quat.exp(0.30 * bend - 0.5 * round_), quat.exp(0.35 * bend)
    top = quat.multiply(chest, quat.exp(round_))
    upper = quat.multiply(quat.conjugate(quat.multiply(pelvis, quat.multiply(low, middle))), top)
    half = quat.exp(0.5 * quat.log(quat.multiply(quat.conjugate(top), head)))
    return {"Spine": low, "Spine1": middle, "Spine2": upper, "Neck": half, "Head": half}


def _euler(headings: Array, yaw: Array, pitch: Array, roll: Array) -> Array:
    """Return rotations [T, 4]: turned by heading + yaw, then leaned forward by pitch, then rolled (left side up)."""
    return quat.from_euler(np.stack([headings + np.deg2rad(yaw), np.deg2rad(pitch), np.deg2rad(roll)], axis=1), "zyx")


def _head(rhythm: Rhythm, pelvis: PelvisMotion, fast: Array, slow: Array, style: Style) -> Array:
    """Return rotations [T, 4] of the head in the world."""
    v, left = rhythm.speeds, rhythm.phases[:, 0]
    yaw = np.clip(np.rad2deg(rhythm.looks - pelvis.headings), -30, 30) + 3.5 * slow[:, 3] + 0.3 * fast[:, 3]
    yaw = yaw + over_speed(v, (0.0, 1.0, 1.8, 1.6, 1.2, 1.2, 1.5)) * wave(left, 0.70)
    # It looks at one point some metres ahead: down while the head is up.
    pitch = -style.gaze + over_speed(v, (0.0, 0.4, 0.8, 1.0, 1.2, 1.4, 1.4)) * wave(left, 0.28, harmonic=2)
    pitch = pitch + 1.2 * slow[:, 4] + 0.25 * fast[:, 4] + 0.8 * rhythm.impacts
    roll = -over_speed(v, (0.0, 0.3, 0.6, 0.8, 0.9, 1.0, 1.1)) * wave(left, 0.96) + 0.6 * slow[:, 5] + 0.2 * fast[:, 5]
    return _euler(pelvis.headings, yaw, pitch, roll)


def _arm(
    rhythm: Rhythm, index: int, name: str, into: Array, breath: Array, fast: Array, slow: Array, style: Style
) -> dict[str, Array]:
    """Return the rotations of clavicle, upper arm, forearm and hand of one side."""
    v, own = rhythm.speeds, rhythm.phases[:, index]
    sign, column = OUTWARD[index], 6 + 2 * index
    gain = style.arm_swing * (1.0 + 0.10 * slow[:, column])
    swing = gain * over_speed(v, ARM_SWING_DEG) * (wave(own, 0.53) + 0.06 * wave(own, 0.45, harmonic=2))
    # Arms hang from a chest that leans: most of the lean is taken out again.
    hanging = over_speed(v, ARM_MEAN_DEG) + 0.8 * (style.lean - 2.0 + style.slump)
    forward = hanging + swing + 0.75 * fast[:, column] + 1.0 * slow[:, column + 1]
    bent = over_speed(v, ELBOW_MEAN_DEG) + style.elbow
    bent = bent + gain * over_speed(v, ELBOW_SWING_DEG) * (wave(own, 0.585) + 0.14 * wave(own, 0.44, harmonic=2))
    bent = np.maximum(bent + 0.75 * fast[:, column + 1] + 1.5 * slow[:, column], 4.0)
    away = 9.5 - 0.04 * swing + 0.4 * slow[:, column + 1] + 0.15 * style.elbow
    # The chest leans into a turn; the inner arm goes on hanging down, clear of the thigh.
    away = away + 0.8 * np.maximum(sign * into, 0.0)
    inward = 18.0 + 14.0 * np.tanh(swing / 16.0) + 2.0 * slow[:, column]
    upper = quat.from_euler(np.deg2rad(np.stack([-forward, sign * away, -sign * inward], axis=1)), "yxz")
    side = name.capitalize()
    wrist = np.stack([-sign * (4.0 + 0.1 * swing), -(6.0 + 0.15 * swing), np.zeros_like(swing)], axis=1)
    raised = np.stack(
        [sign * (0.6 * breath + 0.03 * np.abs(swing)), np.zeros_like(swing), -sign * 0.10 * swing], axis=1
    )
    return {
        f"{side}Shoulder": quat.exp(np.deg2rad(raised)),
        f"{side}Arm": quat.multiply(upper, HANGING_TURNS[index]),
        f"{side}ForeArm": as_hanging(quat.about(np.array([0.0, 1.0, 0.0]), np.deg2rad(-bent)), index),
        f"{side}Hand": as_hanging(quat.exp(np.deg2rad(wrist)), index),
    }
