"""Gestures while standing: waving, and the hands of a speaker.

*Waving*: the arm is raised to the side until the hand is beside and above the head, the forearm swings about the elbow
at about two beats a second, the hand a little behind it, and the arm comes down again.

*Talking*: gestures come in phrases. Each has strokes: the hands go to a place in front of the body (a quarter to half a
second), stay, go to the next, and sink to rest between phrases. One hand leads or both mirror each other, never
exactly; small beats go with the words; the head nods and turns to the listener, the chest and the weight follow.

Hands are placed in the chest's frame from the shoulder (x ahead, y outward, z up), so that they move with the body.
Feet stay planted, and everything begins and ends in the neutral poise. Metres, degrees, seconds.
"""

from typing import Literal, Unpack

import numpy as np
from scipy.ndimage import gaussian_filter1d

from walkon._base.arrays import Array
from walkon.motion.clip import Clip
from walkon.motion.skeleton import SIDES
from walkon.studio.arms import reach_in_frame
from walkon.studio.performer import MAX_CLIP_S, OUTWARD, Casting, Performer, check_choice, check_range
from walkon.studio.poise import curve_through, ease, hold, liven, neutral_poise
from walkon.studio.rhythm import band_noise
from walkon.studio.standing import glance, shift_weight

__all__ = ["talk", "wave"]

ARM_RAISE_S, ARM_LOWER_S = 0.75, 0.85
"""s to raise and to lower a waving arm."""
WAVE_PERIOD_S = 0.5
"""s of one swing to and fro."""
RESTING_HAND_M = np.array([0.195, -0.035, -0.375])
"""m from the shoulder: where the hands of a speaker rest, before the belly; bodies of 1.75 m."""
SHOULDER_TO_MIDDLE_M, HAND_LENGTH_M = 0.135, 0.19
"""m: from a shoulder inward to the hand's room beside the middle, and the length of a hand."""
STROKE_PLACES_M = np.array(
    [
        [0.33, 0.02, -0.20],
        [0.30, 0.12, -0.26],
        [0.36, -0.06, -0.12],
        [0.27, 0.20, -0.20],
        [0.38, 0.00, -0.28],
        [0.32, -0.10, -0.22],
        [0.26, 0.24, -0.08],
    ]
)
"""m from the shoulder: where strokes go."""


def wave(
    duration: float = 3.6,
    *,
    hand: Literal["left", "right"] = "right",
    **casting: Unpack[Casting],
) -> Clip:
    """Wave for `duration` seconds (2.5 to 60, raising and lowering included); labels "stand", "gesture" and "wave"."""
    check_range("duration", duration, 2.5, 60.0, "s")
    check_choice("hand", hand, SIDES)
    actor = Performer.of(**casting)
    side = SIDES.index(hand)
    sign = OUTWARD[side]
    t = actor.frames(duration)
    up = ease((t - 0.15) / ARM_RAISE_S) * ease((t[-1] - 0.15 - t) / ARM_LOWER_S)
    waving = ease((t - 0.15 - 0.6 * ARM_RAISE_S) / 0.35) * ease((t[-1] - 0.15 - 0.75 * ARM_LOWER_S - t) / 0.35)
    beat = WAVE_PERIOD_S * float(np.clip(1.0 + 0.1 * actor.rng.standard_normal(), 0.8, 1.25))
    noise = band_noise(actor.rng, (len(t), 2), fps=actor.fps, band=(0.2, 1.5))
    phase = 2 * np.pi * (t - 0.15 - 0.6 * ARM_RAISE_S) / beat + 0.5 * noise[:, 0]
    swing = waving * (1.0 + 0.15 * noise[:, 1])

    poise = neutral_poise(actor, len(t))
    poise = shift_weight(poise, actor, weights=-0.45 * sign * up)
    lean = up[:, None] * np.array([-3.0 * sign, -1.5, -3.0 * sign])
    lean += (swing * np.sin(phase - 0.6))[:, None] * np.array([0.8 * sign, 0.0, 0.8 * sign])
    poise = poise._replace(chest=poise.chest + lean, head=poise.head + up[:, None] * np.array([0.0, -3.0, -2.0 * sign]))
    poise = liven(poise, actor, ends=(0.3, 0.3))
    name, everywhere = f"{actor.style.name} wave, {hand} hand", np.ones(len(t), bool)
    clip = hold(poise, actor, labels={"stand": everywhere, "gesture": everywhere, "wave": up > 0.0}, name=name)

    # The elbow is out to the side below the shoulder; the forearm swings about it, the hand after it.
    tilt = np.deg2rad(6.0 + 24.0 * swing * np.sin(phase))
    bend = np.deg2rad(6.0 + 34.0 * swing * np.sin(phase - 0.55))
    fore = float(np.linalg.norm(actor.skeleton.offsets[actor.skeleton.role(f"{hand}_wrist")]))
    elbow = actor.scale * np.array([0.12, 0.23, -0.10])
    wrist = elbow + fore * np.stack([np.full_like(tilt, 0.16), np.sin(tilt), 0.985 * np.cos(tilt)], axis=1)
    fingers = np.stack([np.full_like(bend, 0.10), np.sin(bend), np.cos(bend)], axis=1)
    return _place(clip, side, wrist, fingers, np.array([1.0, 0.0, 0.0]), up, elbow=(-0.05, 0.8, -0.75))


def talk(
    duration: float = 8.0,
    **casting: Unpack[Casting],
) -> Clip:
    """Stand and talk with both hands for `duration` seconds (4 s or more); labels "stand", "gesture" and "talk"."""
    check_range("duration", duration, 4.0, MAX_CLIP_S, "s")
    actor = Performer.of(**casting)
    t = actor.frames(duration)
    lively = float(np.clip(0.6 + 0.4 * actor.style.life * actor.style.arm_swing, 0.5, 1.3))
    knots, places, palms, shares = _phrases(actor, duration, lively)
    hands = curve_through(t, knots, places.reshape(len(knots), -1), soft=0.06).reshape(len(t), 2, 3)
    facing = curve_through(t, knots, palms.reshape(len(knots), -1), soft=0.08).reshape(len(t), 2)
    share = curve_through(t, knots, shares, soft=0.08)
    raised = ease((t - 0.2) / 0.8) * ease((t[-1] - 0.2 - t) / 0.9)
    beats = band_noise(actor.rng, (len(t), 4), fps=actor.fps, band=(1.0, 2.6))
    # A round back brings belly and hands together.
    hands[:, :, 0] += 0.006 * actor.style.slump
    hands[:, :, 2] += lively * 0.012 * (share * raised)[:, None] * beats[:, :2]
    hands[:, :, 0] += lively * 0.006 * (share * raised)[:, None] * beats[:, 2:]

    poise = neutral_poise(actor, len(t))
    poise = shift_weight(poise, actor, weights=raised * np.clip(1.2 * (hands[:, 0, 1] - hands[:, 1, 1]), -0.5, 0.5))
    poise = glance(poise, actor, times=t, widest=16.0)
    # The chest turns with the hand that leads, the head nods with the beats.
    yaw = raised * 18.0 * (hands[:, 0, 0] - hands[:, 1, 0]) * -1.0
    nod = raised * share * (1.4 * beats[:, 0] + 1.0)
    poise = poise._replace(
        chest=poise.chest + np.stack([yaw, 1.5 * share * raised, np.zeros(len(t))], axis=1),
        head=poise.head + np.stack([-0.4 * yaw, nod, 0.8 * raised * beats[:, 3]], axis=1),
    )
    poise = liven(poise, actor)
    everywhere = np.ones(len(t), bool)
    labels = {"stand": everywhere, "gesture": everywhere, "talk": raised > 0.0}
    clip = hold(poise, actor, labels=labels, name=f"{actor.style.name} talk")
    for side in range(len(SIDES)):
        turn = facing[:, side]
        # From palms towards each other to palms up.
        palm = np.stack([0.15 + 0.0 * turn, -np.cos(turn), np.sin(turn)], axis=1)
        # Fingers go on where the forearm points: inward and down at rest, out and up in wide and high strokes.
        _, out, high = hands[:, side].T
        # No further inward than to the middle, where the other hand is.
        inward = np.minimum(
            np.clip(0.45 - 1.6 * out, -0.1, 0.65), np.clip((out + SHOULDER_TO_MIDDLE_M) / HAND_LENGTH_M, 0.0, 1.0)
        )
        inward = gaussian_filter1d(inward, 0.08 * actor.fps, mode="nearest")
        fingers = np.stack([0.9 + 0.0 * out, -inward, 0.45 + 2.1 * high], axis=1)
        clip = _place(clip, side, actor.scale * hands[:, side], fingers, palm, raised, elbow=(-0.5, 0.8, -0.55))
    return clip


def _phrases(actor: Performer, duration: float, lively: float) -> tuple[Array, Array, Array, Array]:
    """Return knots [K] s, hands [K, 2, 3] m, palms [K, 2] rad and how much of a stroke there is [K]."""
    rng = actor.rng
    rows = [(0.0, np.stack([RESTING_HAND_M, RESTING_HAND_M]), np.full(2, 0.3), 0.0)]

    def go(seconds: float, hands: Array, palm: Array, share: float) -> None:
        rows.append((rows[-1][0] + seconds, hands, palm, share))

    go(0.75, *rows[0][1:])
    while rows[-1][0] < duration - 2.0:
        kind = rng.choice(3, p=[0.5, 0.3, 0.2])
        for _ in range(int(rng.integers(2, 5))):
            hands = np.stack([RESTING_HAND_M, RESTING_HAND_M])
            palm = np.full(2, 0.3)
            stroke = STROKE_PLACES_M[rng.integers(len(STROKE_PLACES_M))]
            if kind == 0:
                # Both mirror each other, nearly.
                hands = RESTING_HAND_M + lively * (stroke - RESTING_HAND_M + 0.02 * rng.standard_normal((2, 3)))
                palm = rng.uniform(0.0, 1.05) + 0.12 * rng.standard_normal(2)
            else:
                lead = 1 if kind == 1 else 0
                hands[lead] = RESTING_HAND_M + lively * (stroke - RESTING_HAND_M + 0.02 * rng.standard_normal(3))
                hands[1 - lead] = RESTING_HAND_M + 0.015 * rng.standard_normal(3)
                palm[lead] = rng.uniform(-0.2, 1.05)
            way = float(np.abs(hands - rows[-1][1]).max())
            go(0.26 + 0.9 * way + float(rng.uniform(0.0, 0.12)), hands, palm, 1.0)
            go(float(rng.uniform(0.12, 0.6)), hands + np.array([-0.008, 0.0, -0.015]), palm, 0.8)
        rest = RESTING_HAND_M + 0.012 * rng.standard_normal((2, 3))
        go(float(rng.uniform(0.5, 0.7)), rest, np.full(2, 0.3), 0.0)
        go(float(rng.uniform(0.3, 1.2)), rest, np.full(2, 0.3), 0.0)
    knots, places, palms, shares = (np.array(column) for column in zip(*rows, strict=True))
    return knots, places, palms, shares


def _place(
    clip: Clip,
    side: int,
    wrist: Array,
    fingers: Array,
    palm: Array,
    weight: Array,
    *,
    elbow: tuple[float, float, float],
) -> Clip:
    """Put a hand at wrist [T, 3] m from the shoulder at rest.

    Places and directions are those of the left hand in the chest's frame, mirrored for the right.
    """
    skeleton = clip.skeleton
    chest, collar, shoulder = (skeleton.role(role) for role in ("chest", "left_clavicle", "left_shoulder"))
    place = skeleton.offsets[collar] + skeleton.offsets[shoulder] + wrist
    return reach_in_frame(clip, chest, side=side, place=place, fingers=fingers, palm=palm, elbows=elbow, weight=weight)
