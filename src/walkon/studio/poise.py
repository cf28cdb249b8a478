"""Posture on planted feet: a handful of curves over time, from which the whole pose follows.

    poise (hips, pelvis, chest, head, arms over time) → pelvis and upper body → legs solved to the planted feet → clip

The neutral poise is the one in which walks start and end: feet side by side under the hips, hips as high as the knees
allow, arms hanging. Every performance on the spot begins and ends in it, so that clips join. The hips never rise above
what both legs reach with the knee bent as the style asks:

    z = softmin(ceiling of the left leg, of the right leg, wanted height)        with a softness of a millimetre

so no knee snaps straight where one limit takes over from the other.

World frame: the body stands at the origin and faces +x; x ahead, y left, z up. Metres; angles in degrees until they
become rotations, as in `walkon.studio.upper_body`.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import PchipInterpolator
from scipy.ndimage import gaussian_filter1d

from walkon._base.arrays import Array, BoolArray
from walkon.motion.clip import Clip, Event
from walkon.motion.skeleton import SIDES
from walkon.studio.assembling import assemble
from walkon.studio.feet import FeetMotion
from walkon.studio.foot_curves import FootShape
from walkon.studio.pelvis import PelvisMotion, leg_ceilings
from walkon.studio.performer import OUTWARD, Performer
from walkon.studio.rhythm import band_noise
from walkon.studio.upper_body import ARM_MEAN_DEG, ELBOW_MEAN_DEG, HANGING_TURNS, as_hanging, bend_trunk
from walkon.transforms import quaternions as quat

__all__ = ["FORWARD", "Poise", "curve_through", "ease", "hold", "liven", "neutral_poise"]

FORWARD = np.array([0.0, 1.0, 0.0])
"""A degree of leaning forward, of pelvis, chest or head."""
HEIGHT_SOFTNESS_M = 0.001
"""m, softness of the least of several heights."""


class Poise(NamedTuple):
    """How a body holds itself at T frames; neutral is 0 unless said otherwise."""

    hips: Array
    """[T, 3] m, the middle of the hip joints from where it is when standing: ahead, left, up."""
    pelvis: Array
    """[T, 3] degrees: turned left, tipped forward, left side up."""
    chest: Array
    """[T, 3] degrees against the world: turned left, leaning forward, leaning left."""
    head: Array
    """[T, 3] degrees against the world: turned left, looking down, left side up."""
    arms: Array
    """[T, 2, 4] degrees of the left and right arm: forward, away from the body, turned inward, elbow bent."""
    shoulders: Array
    """[T, 2, 2] degrees by which the left and right shoulder are raised and brought forward."""


def neutral_poise(actor: Performer, frames: int) -> Poise:
    """Return the poise in which walks start and end."""
    style = actor.style
    hanging = ARM_MEAN_DEG[0] + 0.8 * (style.lean - 2.0 + style.slump)
    return Poise(
        hips=np.zeros((frames, 3)),
        pelvis=np.tile([0.0, 0.5 * style.lean, 0.0], (frames, 1)),
        chest=np.tile([0.0, style.lean, 0.0], (frames, 1)),
        head=np.tile([0.0, -style.gaze, 0.0], (frames, 1)),
        arms=np.tile(
            np.array([hanging, 9.3 + 0.15 * style.elbow, 18.0, ELBOW_MEAN_DEG[0] + style.elbow]), (frames, 2, 1)
        ),
        shoulders=np.zeros((frames, 2, 2)),
    )


def ease(x: Array) -> Array:
    """Return the smoothest way from 0 (x ≤ 0) to 1 (x ≥ 1): 10x³ − 15x⁴ + 6x⁵, of least jerk."""
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x**3 * (10.0 - 15.0 * x + 6.0 * x * x))


def curve_through(times: Array, knots: ArrayLike, values: ArrayLike, *, soft: float = 0.05) -> Array:
    """Return a curve at evenly spaced times [T] through values [K] or [K, D] at knots [K] s, level beyond the ends.

    Monotone between knots (nothing swings over), its corners softened by a bell of `soft` seconds.
    """
    x, y = np.asarray(knots, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if len(times) < 2:
        return np.asarray(np.repeat(y[:1], len(times), axis=0))
    step = float(times[1] - times[0])
    margin = round(4 * soft / step) + 1
    padded = np.concatenate(
        [times[0] - step * np.arange(margin, 0, -1), times, times[-1] + step * np.arange(1, margin + 1)]
    )
    curve = PchipInterpolator(x, y, axis=0)(np.clip(padded, x[0], x[-1]))
    return np.asarray(gaussian_filter1d(curve, soft / step, axis=0, mode="nearest")[margin:-margin])


def liven(
    poise: Poise, actor: Performer, *, ends: tuple[float, float] = (0.5, 0.5), hips: Array | float = 1.0
) -> Poise:
    """Add sway, breathing, glances and unrest, fading to nothing over `ends` seconds, so that the ends stay as given.

    `hips` [T] is how free the hips are to sway: 1 standing, 0 on a seat.
    """
    T, fps, life = len(poise.hips), actor.fps, actor.style.life
    fast = 0.3 * life * band_noise(actor.rng, (T, 16), fps=fps, band=(1.5, 7.0))
    slow = life * band_noise(actor.rng, (T, 16), fps=fps, band=(0.08, 0.8))
    t = np.arange(T) / fps
    fade = ease(t / max(ends[0], 1e-6)) * ease((t[-1] - t) / max(ends[1], 1e-6))
    fast, slow = fast * fade[:, None], slow * fade[:, None]
    breath = fade * np.sin(2 * np.pi * np.cumsum(0.25 * (1 + 0.15 * slow[:, 15])) / fps)
    free = np.broadcast_to(np.asarray(hips, dtype=np.float64), (T,))[:, None]
    sway = 0.004 * slow[:, :3] * np.array([1.0, 1.1, 0.0]) + 0.0028 * fast[:, :3] * np.array([1.0, 1.0, 0.4])
    chest = np.array([0.9, 0.6, 0.5]) * slow[:, 3:6] + np.array([0.35, 0.25, 0.25]) * fast[:, 3:6]
    chest -= (0.5 * breath)[:, None] * FORWARD
    arms = np.stack([1.0 * slow[:, 9:11] + 0.6 * fast[:, 9:11], 0.4 * slow[:, 11:13]], axis=2)
    bends = np.stack([1.0 * slow[:, 11:13], 1.5 * slow[:, 9:11] + 0.6 * fast[:, 11:13]], axis=2)
    return Poise(
        hips=poise.hips + actor.scale * free * sway,
        pelvis=poise.pelvis + free * np.array([0.7, 0.4, 0.2]) * slow[:, 13:16],
        chest=poise.chest + chest,
        head=poise.head + (np.array([3.0, 1.2, 0.6]) * slow[:, 6:9] + 0.3 * fast[:, 6:9] + 0.5 * chest),
        arms=poise.arms + np.concatenate([arms, bends], axis=2),
        shoulders=poise.shoulders + (0.7 * breath)[:, None, None] * np.array([1.0, 0.0]),
    )


def hold(
    poise: Poise,
    actor: Performer,
    *,
    labels: Mapping[str, BoolArray] | Sequence[str],
    name: str,
    events: Sequence[Event] = (),
) -> Clip:
    """Pose the body and return the clip, both feet planted all along; `labels` are of all frames, or of those given."""
    feet = _stand(actor, len(poise.hips))
    pelvis = _carry_pelvis(poise, actor, feet)
    chest = quat.from_euler(np.deg2rad(poise.chest * np.array([1.0, 1.0, -1.0])), "zyx")
    head = quat.from_euler(np.deg2rad(poise.head), "zyx")
    upper = bend_trunk(pelvis.rotations, chest=chest, head=head, slump=actor.style.slump) | _arms(poise)
    return assemble(
        actor.skeleton, fps=actor.fps, feet=feet, pelvis=pelvis, upper=upper, labels=labels, name=name, events=events
    )


def _stand(actor: Performer, frames: int) -> FeetMotion:
    half, height = actor.half_width, FootShape.of(actor.skeleton).ankle
    yaw = np.deg2rad(actor.style.toe_out)
    yaws = np.tile([yaw, -yaw], (frames, 1))
    return FeetMotion(
        ankles=np.tile([[0.0, half, height], [0.0, -half, height]], (frames, 1, 1)),
        rotations=quat.turn(yaws),
        toes=np.zeros((frames, 2)),
        yaws=yaws,
        contacts=np.ones((frames, 4), bool),
        swing=np.full((frames, 2), -1.0),
    )


def _carry_pelvis(poise: Poise, actor: Performer, feet: FeetMotion) -> PelvisMotion:
    skeleton, knee = actor.skeleton, actor.style.knee
    rotations = quat.from_euler(np.deg2rad(poise.pelvis), "zyx")
    neutral = quat.from_euler(np.deg2rad([[0.0, 0.5 * actor.style.lean, 0.0]]), "zyx")
    middle = skeleton.offsets[[skeleton.role(f"{side}_hip") for side in SIDES]].mean(axis=0)
    # Neutral: the root is above the middle between the ankles, as in a walk that stands.
    stand = quat.rotate(neutral, middle)[:, :2]
    places = stand + poise.hips[:, :2]
    highest = leg_ceilings(skeleton, feet.ankles, ground=places, rotations=rotations, knee=knee, origin=middle)
    still = leg_ceilings(skeleton, feet.ankles[:1], ground=stand, rotations=neutral, knee=knee, origin=middle)
    limits = np.stack([*highest.T, still.min() + poise.hips[:, 2]])
    least = limits.min(axis=0)
    height = least - HEIGHT_SOFTNESS_M * np.log(np.exp(-(limits - least) / HEIGHT_SOFTNESS_M).sum(axis=0))
    positions = np.column_stack([places, height]) - quat.rotate(rotations, middle)
    return PelvisMotion(positions, rotations, np.zeros(len(positions)))


def _arms(poise: Poise) -> dict[str, Array]:
    parts: dict[str, Array] = {}
    for index, sign in enumerate(OUTWARD):
        forward, away, inward, bent = np.deg2rad(poise.arms[:, index]).T
        up, ahead = np.deg2rad(poise.shoulders[:, index]).T
        upper = quat.from_euler(np.stack([-forward, sign * away, -sign * inward], axis=1), "yxz")
        wrist = quat.exp(np.deg2rad([-sign * 4.0, -6.0, 0.0]))
        side = SIDES[index].capitalize()
        parts |= {
            f"{side}Shoulder": quat.exp(np.stack([sign * up, np.zeros_like(up), -sign * ahead], axis=1)),
            f"{side}Arm": quat.multiply(upper, HANGING_TURNS[index]),
            f"{side}ForeArm": quat.about(np.array([0.0, 0.0, sign]), -bent),
            f"{side}Hand": np.tile(as_hanging(wrist, index), (len(bent), 1)),
        }
    return parts
