"""Standing idle: breathing, shifting weight, looking around, feet where they are.

A posture is where weight and hands rest. The weight goes from leg to leg every few seconds: the hips move over the
standing leg, its side of the pelvis rises, the other knee gives way, and the trunk leans back over the feet:

    hips to the side    35–55 mm          pelvis   4–6 degrees up on that side, 2–4 turned towards the free leg

Glances: now and then the head turns, quickly, chest and pelvis following by a fraction, and stays for a second or two.
Everything begins and ends in the neutral poise of `walkon.studio.poise`. Metres, degrees, seconds.
"""

from typing import Literal, Unpack, get_args

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.motion.clip import Clip
from walkon.motion.skeleton import SIDES
from walkon.studio.arms import reach_in_frame
from walkon.studio.performer import MAX_CLIP_S, OUTWARD, Casting, Performer, check_range
from walkon.studio.poise import Poise, curve_through, ease, hold, liven, neutral_poise

__all__ = ["POSTURES", "Posture", "glance", "idle", "shift_weight"]

Posture = Literal["neutral", "left_leg", "right_leg", "hands_together", "hands_on_hips", "arms_crossed"]
POSTURES: tuple[str, ...] = get_args(Posture)
TAKE_POSTURE_S, CROSS_ARMS_S = 1.1, 1.7
"""s to take up a posture and to leave it; crossing the arms takes longer."""
LAP = ((0.18, -0.80, -0.55), (-1.0, 0.0, 0.1), (-0.5, 0.9, -0.4))
HIPS = ((-0.035, 0.212, 0.075), (0.80, -0.35, -0.45), (0.0, -1.0, -0.3), (-0.45, 0.9, -0.1))
CHEST = ((-1.0, 0.0, -0.2), (0.25, 0.75, -0.6))
HANDS = {
    "hands_together": (((0.165, 0.085, -0.01), *LAP), ((0.165 + 0.085, 0.085, -0.01), *LAP)),
    "hands_on_hips": (HIPS, HIPS),
    "arms_crossed": (
        ((0.15, 0.02, -0.09), (0.0, -0.9, 0.2), *CHEST),
        ((0.24, -0.075, 0.08), (-0.45, -0.9, 0.2), *CHEST),
    ),
}
"""Posture → place of the wrist in m (bodies of 1.75 m) and where fingers, palm and elbow point, of the left hand and of
the right one, mirrored: in the pelvis' frame, of crossed arms in the chest's."""
CROSSING_DETOUR_M = np.array([[0.03, 0.17, -0.05], [0.11, 0.13, 0.04]])
CROSSING_FINGERS = np.array([[0.3, 0.0, -0.3], [1.35, 0.5, 0.0]])
"""By what place and fingers are off on the way to crossed arms."""
MIN_IDLE_S = 4.0
"""s, an idle shorter than this has no time for its posture."""


def idle(
    duration: float,
    *,
    posture: Posture = "neutral",
    **casting: Unpack[Casting],
) -> Clip:
    """Stand for `duration` seconds (4 s or more) and return the clip, with the labels "idle", "stand" and the posture.

    Postures: "neutral" shifts the weight a little now and then; "left_leg" and "right_leg" rest on one leg;
    "hands_together" folds the hands in front, "hands_on_hips" and "arms_crossed" do as they say.
    """
    check_range("duration", duration, MIN_IDLE_S, MAX_CLIP_S, "s")
    if posture not in POSTURES:
        raise InvalidValue(f"posture must be one of {', '.join(map(repr, POSTURES))}, got {posture!r}")
    actor = Performer.of(**casting)
    t = actor.frames(duration)
    poise = neutral_poise(actor, len(t))
    poise = shift_weight(poise, actor, weights=_weights(posture, t, actor))
    poise = glance(poise, actor, times=t)
    poise = liven(poise, actor)
    taken = _posture_share(t, t[-1], TAKE_POSTURE_S)
    if posture == "arms_crossed":
        poise = poise._replace(
            chest=poise.chest + taken[:, None] * np.array([0.0, -2.0, 0.0]),
            shoulders=poise.shoulders + taken[:, None, None] * np.array([2.0, 10.0]),
        )
    clip = hold(poise, actor, labels=("idle", "stand", posture), name=f"{actor.style.name} idle, {posture}")
    if posture not in HANDS:
        return clip
    crossed = posture == "arms_crossed"
    joint = clip.skeleton.role("chest") if crossed else 0
    settle, after = (CROSS_ARMS_S, 0.35) if crossed else (TAKE_POSTURE_S, 0.12)
    for side in range(len(SIDES)):
        # One hand after the other, as nobody moves both at once; the right one comes to lie on top.
        weight = _posture_share(t - after * side, t[-1] - 2 * after * side, settle)
        place, fingers, palm, elbows = (np.array(given) for given in HANDS[posture][side])
        place = actor.scale * place
        if crossed:
            # On the way the right hand passes in front of the left arm; the left one slides along the chest.
            apart = 1.0 - ease((weight - 0.6) / 0.4)[:, None]
            # A round back leaves less room before the belly.
            place = (
                place + np.array([0.003 * actor.style.slump, 0.0, 0.0]) + actor.scale * apart * CROSSING_DETOUR_M[side]
            )
            fingers = fingers + apart * CROSSING_FINGERS[side]
        clip = reach_in_frame(
            clip, joint, side=side, place=place, fingers=fingers, palm=palm, elbows=elbows, weight=weight
        )
    return clip


def _posture_share(t: Array, end: float, settle: float) -> Array:
    """Return [T] 0 to 1: how far a posture is taken up, and left before the end."""
    return ease((t - 0.2) / settle) * ease((end - 0.2 - t) / settle)


def _weights(posture: str, t: Array, actor: Performer) -> Array:
    """Return [T] where the weight is: 1 wholly on the left leg, −1 on the right, 0 on both; 0 at both ends."""
    rng, end = actor.rng, float(t[-1])
    main = {"left_leg": 1.0, "right_leg": -1.0}.get(posture)
    rows = [(0.0, 0.0), (0.2, 0.0)]
    now = 0.2 + float(rng.uniform(0.8, 1.2))
    side = 1.0 if rng.uniform() < 0.5 else -1.0
    while now < end - 1.5:
        if main is not None:
            aim = main * float(rng.uniform(0.85, 1.05))
            stay = float(rng.uniform(3.0, 7.0))
        else:
            side = -side
            aim = side * float(rng.uniform(0.15, 0.45)) * actor.style.life
            stay = float(rng.uniform(2.0, 5.0))
        until = max(min(now + stay, end - 1.5), now + 0.05)
        rows += [(now, aim), (until, aim * float(rng.uniform(0.94, 1.0)))]
        now = until + float(rng.uniform(0.8, 1.3))
    last = rows[-1][0]
    rows += [(max(end - 0.25, last + 0.3), 0.0), (max(end, last + 0.4), 0.0)]
    return curve_through(t, *zip(*rows, strict=True), soft=0.12)


def shift_weight(poise: Poise, actor: Performer, *, weights: Array) -> Poise:
    """Shift the weight over one leg: `weights` [T] is 1 wholly on the left, −1 on the right."""
    w, both, zero = weights, np.abs(weights), np.zeros_like(weights)
    outward = np.array(OUTWARD) * w[:, None]
    bears = np.clip(outward, 0.0, None)
    return poise._replace(
        hips=poise.hips + actor.scale * np.stack([-0.008 * both, 0.048 * w, -0.012 * both], axis=1),
        pelvis=poise.pelvis + np.stack([-3.0 * w, 0.5 * both, 6.0 * w], axis=1),
        # The trunk leans back over the feet, the shoulders sink on the side of the standing leg.
        chest=poise.chest + np.stack([-1.5 * w, -0.5 * both, 1.0 * w], axis=1),
        head=poise.head + np.stack([zero, zero, 1.0 * w], axis=1),
        # The arm on the side of the raised hip hangs clear of it.
        arms=poise.arms + np.stack([0.0 * bears, 2.5 * bears + outward, 0.0 * bears, 4.0 * bears], axis=2),
    )


def glance(poise: Poise, actor: Performer, *, times: Array, widest: float = 38.0) -> Poise:
    """Look around: every few seconds the head turns by up to `widest` degrees, and looks for a while."""
    rng, end = actor.rng, float(times[-1])
    aim = np.zeros(2)
    rows = [(0.0, aim), (0.3, aim)]
    now = 0.3 + float(rng.uniform(0.3, 1.8))
    while now < end - 1.6:
        last = aim
        aim = np.array([rng.uniform(-widest, widest), rng.uniform(-4.0, 7.0)]) * min(actor.style.life, 1.2)
        if rng.uniform() < 0.35:
            aim = np.array([rng.uniform(-4.0, 4.0), rng.uniform(-1.0, 3.0)])
        turned = now + (0.30 + 0.006 * abs(float(aim[0] - last[0])) + float(rng.uniform(0.0, 0.15)))
        until = turned + float(rng.uniform(0.7, 2.8))
        if until > end - 1.0:
            break
        rows += [(now, last), (turned, aim), (until, aim * rng.uniform(0.9, 1.02))]
        now, aim = until + 0.02, rows[-1][1]
    rows += [(max(now, end - 0.9), aim), (end - 0.15, np.zeros(2)), (end, np.zeros(2))]
    knots, values = (np.array(column) for column in zip(*rows, strict=True))
    keep = np.concatenate([[True], np.diff(knots) > 1e-6])
    gaze, late = (curve_through(times, knots[keep], values[keep], soft=soft) for soft in (0.06, 0.16))
    zero = np.zeros(len(times))
    return poise._replace(
        head=poise.head + np.column_stack([gaze, 0.06 * gaze[:, 0]]),
        chest=poise.chest + np.column_stack([0.16 * late[:, 0], 0.1 * late[:, 1], zero]),
        pelvis=poise.pelvis + np.column_stack([0.05 * late[:, 0], zero, zero]),
    )
