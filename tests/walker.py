"""A small analytic walker with known contacts: every joint turns about the axis across the body, feet roll exactly.

Phases of a cycle of one foot: it rolls on the heel, lies flat, rolls on the ball, swings. Contacts follow from the
phase alone, so detectors can be scored against the truth, also after noise, slides and a wrong floor are added.
"""

from dataclasses import replace

import numpy as np
from scipy.interpolate import PchipInterpolator

from walkon._base.arrays import Array
from walkon.motion import Clip, Skeleton
from walkon.motion.skeleton import FOOT_CONTACTS, SIDES
from walkon.transforms import quaternions as quat

THIGH, SHIN, BALL = 0.42, 0.41, np.array([0.13, 0.0, -0.05])
HEEL_SOLE, BALL_SOLE = np.array([-0.045, 0.0, -0.08]), np.array([0.0, 0.0, -0.03])
FLAT, HEEL_OFF, TOE_OFF = 0.08, 0.40, 0.62
"""Shares of the cycle at which the foot is flat, its heel leaves, and its ball leaves."""
STRIKE_PITCH, OFF_PITCH = np.radians(20.0), np.radians(-42.0)


def skeleton() -> Skeleton:
    """A person of 1.75 m; contact points are exact."""
    rows: list[tuple[str, str, tuple[float, ...]]] = [
        ("Hips", "", (0, 0, 0.93)),
        ("Spine", "Hips", (0, 0, 0.12)),
        ("Chest", "Spine", (0, 0, 0.22)),
        ("Neck", "Chest", (0, 0, 0.22)),
        ("Head", "Neck", (0, 0, 0.1)),
        ("Head_end", "Head", (0, 0, 0.16)),
    ]
    for side, sign in (("Left", 1), ("Right", -1)):
        rows += [
            (f"{side}UpLeg", "Hips", (0, 0.09 * sign, -0.02)),
            (f"{side}Leg", f"{side}UpLeg", (0, 0, -THIGH)),
            (f"{side}Foot", f"{side}Leg", (0, 0, -SHIN)),
            (f"{side}ToeBase", f"{side}Foot", tuple(BALL)),
            (f"{side}ToeBase_end", f"{side}ToeBase", (0.06, 0, -0.01)),
            (f"{side}Arm", "Chest", (0, 0.18 * sign, 0.18)),
            (f"{side}ForeArm", f"{side}Arm", (0, 0, -0.28)),
            (f"{side}Hand", f"{side}ForeArm", (0, 0, -0.26)),
        ]
    names = [row[0] for row in rows]
    index = {name: i for i, name in enumerate(names)}
    roles = {"hips": "Hips", "spine": "Spine", "chest": "Chest", "neck": "Neck", "head": "Head"}
    for side in SIDES:
        parts = {"hip": "UpLeg", "knee": "Leg", "ankle": "Foot", "ball": "ToeBase"}
        parts |= {"shoulder": "Arm", "elbow": "ForeArm", "wrist": "Hand"}
        roles |= {f"{side}_{part}": side.capitalize() + name for part, name in parts.items()}
    joints = [index[roles[f"{side}_{part}"]] for side in SIDES for part in ("ankle", "ball")]
    return Skeleton(
        names=names,
        parents=[-1 if not row[1] else index[row[1]] for row in rows],
        offsets=[row[2] for row in rows],
        end_sites=[name.endswith("_end") for name in names],
        roles={role: index[name] for role, name in roles.items()},
        contact_names=FOOT_CONTACTS,
        contact_joints=joints,
        contact_offsets=[HEEL_SOLE, BALL_SOLE] * 2,
    )


def _about_y(angle: Array) -> Array:
    return quat.about(np.array([0.0, 1.0, 0.0]), angle)


def _foot(phase: Array, step: Array, stride: float) -> tuple[Array, Array, Array]:
    """Return ankle (x, z) [T, 2], foot pitch (toes up positive) and toe pitch [T] for phases counted from contact."""
    whole, s = np.floor(phase), phase % 1.0
    heel_at = step + whole * stride  # where this stance's heel is on the floor, along x

    def pitch_of(s: Array) -> Array:
        rocker = STRIKE_PITCH * (1 - np.clip(s / FLAT, 0, 1)) ** 2
        off = OFF_PITCH * (np.clip((s - HEEL_OFF) / (TOE_OFF - HEEL_OFF), 0, 1)) ** 2
        u = np.clip((s - TOE_OFF) / (1 - TOE_OFF), 0, 1)
        swing = OFF_PITCH + (STRIKE_PITCH - OFF_PITCH) * u * u * (3 - 2 * u)
        return np.where(s < TOE_OFF, rocker + off, swing)

    def stance_ankle(s: Array, heel_at: Array) -> Array:
        turn = _about_y(-pitch_of(s))
        on_heel = np.stack([heel_at, 0 * s, 0 * s], -1) - quat.rotate(turn, HEEL_SOLE)
        ball_joint = np.stack([heel_at + BALL[0] - HEEL_SOLE[0], 0 * s, 0 * s - BALL_SOLE[2]], -1)
        on_ball = ball_joint - quat.rotate(turn, BALL)
        return np.where((s < HEEL_OFF)[:, None], on_heel, on_ball)[:, [0, 2]]

    stance = stance_ankle(np.minimum(s, TOE_OFF), heel_at)
    start, stop = stance_ankle(0 * s + TOE_OFF, heel_at), stance_ankle(0 * s, heel_at + stride)
    u = np.clip((s - TOE_OFF) / (1 - TOE_OFF), 0, 1)[:, None]
    # Progress and lift of the ankle in the swing: it leaves fast, heel first, and skims the floor before it lands.
    ease = PchipInterpolator(np.linspace(0, 1, 11), [0, 0.07, 0.15, 0.25, 0.36, 0.48, 0.60, 0.73, 0.86, 0.96, 1])(u)
    lift = np.concatenate([0 * u, 0.065 * np.sin(np.pi * u**0.7)], axis=1)
    ankle = np.where((s < TOE_OFF)[:, None], stance, start + (stop - start) * ease + lift)
    pitch = pitch_of(s)
    toes_flat = np.where((s > FLAT) & (s < TOE_OFF), 0.0, pitch)
    fade = np.clip((s - TOE_OFF) / 0.1, 0, 1)
    toe_pitch = np.where(s >= TOE_OFF, pitch * fade, np.where(s < FLAT, pitch, toes_flat))
    return ankle, pitch, toe_pitch


def walk(*, speed: float = 1.1, seconds: float = 6.0, fps: float = 120.0, cadence: float = 108.0) -> Clip:
    """Walk straight along +x; `contacts` are the truth."""
    body = skeleton()
    T = round(seconds * fps) + 1
    t = np.arange(T) / fps
    cycle = 120.0 / cadence
    stride = speed * cycle
    hips = np.stack([speed * t, 0 * t, 0.855 - 0.012 * np.cos(4 * np.pi * t / cycle)], -1)
    rotations = np.broadcast_to(quat.IDENTITY, (T, len(body), 4)).copy()
    contacts = np.zeros((T, 4), bool)
    for k, side in enumerate(SIDES):
        phase = t / cycle + 0.5 * k
        # Hips pass over the ankle a quarter of a cycle after contact.
        ankle, pitch, toe_pitch = _foot(phase, np.full(T, stride * (0.27 - 0.5 * k)), stride)
        hip = hips[:, [0, 2]] + body.offsets[body.role(f"{side}_hip")][[0, 2]]
        away = ankle - hip
        d = np.minimum(np.linalg.norm(away, axis=1), THIGH + SHIN - 1e-6)
        line = np.arctan2(-away[:, 0], -away[:, 1])  # turn about +y from straight down
        at_hip = np.arccos((THIGH**2 + d**2 - SHIN**2) / (2 * THIGH * d))
        bend = np.pi - np.arccos((THIGH**2 + SHIN**2 - d**2) / (2 * THIGH * SHIN))
        thigh = line - at_hip
        shin = thigh + bend
        for part, turn in (("hip", thigh), ("knee", bend), ("ankle", -pitch - shin), ("ball", pitch - toe_pitch)):
            rotations[:, body.role(f"{side}_{part}")] = _about_y(turn)
        s = phase % 1.0
        contacts[:, 2 * k] = s < HEEL_OFF
        contacts[:, 2 * k + 1] = (s >= FLAT) & (s < TOE_OFF)
        swing = 0.3 * np.sin(2 * np.pi * phase)
        rotations[:, body.role(f"{side}_shoulder")] = _about_y(swing)
        rotations[:, body.role(f"{side}_elbow")] = _about_y(np.full(T, -0.4))
    return Clip(
        skeleton=body,
        fps=fps,
        root_positions=hips,
        local_rotations=quat.continuous(rotations),
        contacts=contacts,
        name="analytic walk",
    )


def spoil(
    clip: Clip, rng: np.random.Generator, *, slide: float = 0.05, floor: float = 0.04, tilt: float = 0.008
) -> Clip:
    """Add what capture adds: jitter and slow wander in every joint, sliding feet (m/s), a floor off zero that leans."""
    from scipy.ndimage import gaussian_filter1d

    T, J = clip.local_rotations.shape[:2]
    jitter = np.radians(0.1) * rng.standard_normal((T, J, 3))
    wander = gaussian_filter1d(rng.standard_normal((T, J, 3)), 0.12 * clip.fps, axis=0)
    wander *= np.radians(0.5) / wander.std()
    rotations = quat.multiply(clip.local_rotations, quat.exp(jitter + wander))
    roots = clip.root_positions + 0.0007 * rng.standard_normal((T, 3))
    roots[:, 0] += slide * clip.times
    roots[:, 2] += floor + tilt * roots[:, 0]
    names = {"contact_names": (), "contact_joints": np.zeros(0, np.int64), "contact_offsets": np.zeros((0, 3))}
    return replace(
        clip,
        skeleton=replace(clip.skeleton, **names),
        root_positions=roots,
        local_rotations=quat.continuous(rotations),
        contacts=np.zeros((0, 0), bool),
        contact_heights=np.zeros((0, 0)),
    )
