"""Sitting down, sitting, and rising, on a seat behind the body; feet stay where they are.

The curves are those of recorded people (five sittings of three of them):

* the hips go down as a smoothstep with a soft end, and back by about 0.27 m, to a little above the seat;
* going down the trunk leans forward, most (about 38 degrees) at two thirds of the way, and comes upright within a
  second of touching the seat;
* rising, it leans forward first, most when the hips leave the seat, and is upright last;
* seated the thighs are level, knees bent 100 to 110 degrees, ankles a little behind the knees, hands on the thighs.

The body stands at the origin facing +x with its back to the seat.
Events: "sit" when the hips touch the seat, "rise" when they leave it, joints ("Hips",). Labels: "sit" on all frames,
"sit_down" and "rise" on the ways down and up, "seated" while the seat bears. Metres, degrees, seconds.
"""

from typing import NamedTuple, Unpack

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.motion.clip import Clip, Event
from walkon.motion.skeleton import SIDES
from walkon.studio.arms import hand_rotation, reach
from walkon.studio.performer import MAX_CLIP_S, OUTWARD, Casting, Performer, check_range
from walkon.studio.poise import FORWARD, Poise, curve_through, ease, hold, liven, neutral_poise
from walkon.transforms import quaternions as quat

__all__ = ["MAX_SEAT_HEIGHT_M", "MIN_SEAT_HEIGHT_M", "SEAT_HEIGHT_M", "rise", "sit", "sit_down", "sit_down_and_rise"]

SEAT_HEIGHT_M, MIN_SEAT_HEIGHT_M, MAX_SEAT_HEIGHT_M = 0.45, 0.35, 0.55
"""m above the floor."""
SEAT_TO_HIP_JOINTS_M = 0.04
"""m from the seat up to the hip joints."""
HIPS_BACK_M = 0.275
"""m that the hips travel back; bodies of 1.75 m."""
STILL_ENDS_S = 0.3
"""s of standing or sitting still at either end."""
HIPS_DOWN_S, TRUNK_UPRIGHT_S, LEAN_BEFORE_RISING_S, HIPS_UP_S = 1.15, 0.75, 0.45, 1.05
"""s: hips from standing to the seat; trunk upright after it; trunk forward before the hips leave it; hips up."""
MAX_LEAN_DOWN_DEG, MAX_LEAN_UP_DEG = 40.0, 45.0
"""Degrees, the trunk's lean at its most, going down and rising."""
SEATED_LEAN_DEG = -3.0
"""Degrees, the trunk's lean when seated."""


class _Seated(NamedTuple):
    """How much of sitting there is, over T frames."""

    low: Array
    """0 standing to 1 on the seat."""
    lean: Array
    """Degrees that the trunk leans forward on the way down or up."""
    upright: Array
    """0 to 1: the trunk as seated."""
    hands: Array
    """0 to 1: hands on the thighs."""
    above: Array
    """m by which the hands are still above them."""
    seated: Array
    """0 to 1: the seat bears."""


def sit_down(
    height: float = SEAT_HEIGHT_M,
    **casting: Unpack[Casting],
) -> Clip:
    """Sit down from standing, on a seat of this height (0.35 to 0.55 m) behind the body, and come to rest on it."""
    return _perform(Performer.of(**casting), height, None, down=True, up=False)


def sit(
    duration: float,
    *,
    height: float = SEAT_HEIGHT_M,
    **casting: Unpack[Casting],
) -> Clip:
    """Sit for `duration` seconds, looking about; begins and ends in the pose in which `sit_down` ends."""
    check_range("duration", duration, 1.0, MAX_CLIP_S, "s")
    return _perform(Performer.of(**casting), height, duration, down=False, up=False)


def rise(
    height: float = SEAT_HEIGHT_M,
    **casting: Unpack[Casting],
) -> Clip:
    """Rise from a seat of this height (0.35 to 0.55 m) and stand."""
    return _perform(Performer.of(**casting), height, None, down=False, up=True)


def sit_down_and_rise(
    duration: float = 3.0,
    *,
    height: float = SEAT_HEIGHT_M,
    **casting: Unpack[Casting],
) -> Clip:
    """Sit down, stay seated for `duration` seconds, and rise."""
    check_range("duration", duration, 1.5, MAX_CLIP_S, "s")
    return _perform(Performer.of(**casting), height, duration, down=True, up=True)


def _perform(actor: Performer, height: float, duration: float | None, *, down: bool, up: bool) -> Clip:
    check_range("height", height, MIN_SEAT_HEIGHT_M, MAX_SEAT_HEIGHT_M, "m")
    tempo = float(np.clip(1.0 + 0.07 * actor.style.life * actor.rng.standard_normal(), 0.85, 1.2))
    tempo *= float(np.clip(1.0 + 0.03 * (actor.style.slump + actor.style.lean - 2.0), 0.9, 1.3)) * actor.scale**0.5
    touch = STILL_ENDS_S + HIPS_DOWN_S * tempo if down else 0.0
    stay = (
        duration
        if duration is not None
        else (TRUNK_UPRIGHT_S * tempo + STILL_ENDS_S if down else STILL_ENDS_S + LEAN_BEFORE_RISING_S * tempo)
    )
    if down and up and duration is not None:
        stay = max(duration, (TRUNK_UPRIGHT_S + LEAN_BEFORE_RISING_S) * tempo)
    leave = touch + stay
    t = actor.frames(leave + (HIPS_UP_S * tempo + 0.45 * tempo + STILL_ENDS_S if up else 0.0))
    state = _states(t, actor, touch if down else None, leave if up else None, tempo)
    poise = _poise(state, actor, height, t)
    poise = liven(poise, actor, hips=1.0 - state.seated, ends=(0.4, 0.4))
    seated = (t >= touch) & (t <= leave)
    labels = {"sit": np.ones(len(t), bool), "seated": seated}
    events = []
    if down:
        labels["sit_down"] = t < touch
        events.append(Event(time=float(t[np.flatnonzero(seated)[0]]), kind="sit", joints=("Hips",)))
    if up:
        labels["rise"] = t > leave
        events.append(Event(time=float(t[np.flatnonzero(seated)[-1]]), kind="rise", joints=("Hips",)))
    what = "sits down and rises" if down and up else "sits down" if down else "rises" if up else "sits"
    clip = hold(poise, actor, labels=labels, events=events, name=f"{actor.style.name} {what}")
    for side in range(len(SIDES)):
        late = float(actor.rng.uniform(0.0, 0.12))
        clip = _hand_on_thigh(clip, actor, side, state, np.interp(t - late, t, state.hands) if down else state.hands)
    return clip


def _states(t: Array, actor: Performer, touch: float | None, leave: float | None, tempo: float) -> _Seated:
    low, upright, hands, seated = (np.ones(len(t)) for _ in range(4))
    lean, above = np.zeros(len(t)), np.zeros(len(t))
    vary = 1.0 + 0.08 * actor.style.life * actor.rng.standard_normal(2).clip(-2, 2)
    if touch is not None:
        x = (t - touch) / tempo
        # Recorded heights over the way down: slow at first, fastest past the middle, soft onto the seat.
        knots = touch + tempo * HIPS_DOWN_S * (np.array([-1.0, -0.85, -0.7, -0.55, -0.4, -0.25, -0.12, 0.0, 0.12]))
        low *= curve_through(t, knots, [0.0, 0.03, 0.11, 0.27, 0.53, 0.79, 0.94, 0.992, 1.0], soft=0.05)
        peak = MAX_LEAN_DOWN_DEG * vary[0]
        knots = touch + tempo * np.array([-1.12, -0.85, -0.6, -0.33, -0.05, 0.22, 0.5, TRUNK_UPRIGHT_S, 1.0])
        lean += curve_through(t, knots, peak * np.array([0.0, 0.30, 0.72, 1.0, 0.93, 0.55, 0.18, 0.0, 0.0]), soft=0.07)
        upright *= ease((x + 0.35) / (TRUNK_UPRIGHT_S + 0.35))
        hands *= ease((x + 1.05) / 0.8)
        above += 0.10 * (1.0 - ease((x + 0.3) / 0.7))
        seated *= ease((x + 0.12) / 0.15)
    if leave is not None:
        x = (t - leave) / tempo
        knots = leave + tempo * HIPS_UP_S * np.array([-0.03, 0.0, 0.12, 0.25, 0.4, 0.55, 0.7, 0.85, 1.0, 1.2])
        low *= curve_through(t, knots, [1.0, 0.995, 0.93, 0.76, 0.53, 0.33, 0.17, 0.06, 0.012, 0.0], soft=0.05)
        peak = MAX_LEAN_UP_DEG * vary[1]
        knots = leave + tempo * np.array(
            [-LEAN_BEFORE_RISING_S - 0.1, -LEAN_BEFORE_RISING_S, -0.25, -0.02, 0.25, 0.5, 0.75, 1.0, 1.25, 1.4]
        )
        lean += curve_through(
            t, knots, peak * np.array([0.0, 0.02, 0.55, 0.97, 1.0, 0.82, 0.47, 0.17, 0.03, 0.0]), soft=0.07
        )
        upright *= 1.0 - ease((x + 0.2) / 1.2)
        hands *= 1.0 - ease((x - 0.1) / 0.9)
        above += 0.07 * ease(x / 0.5)
        seated *= 1.0 - ease(x / 0.12)
    return _Seated(low, lean, upright, hands, above, seated)


def _poise(state: _Seated, actor: Performer, height: float, t: Array) -> Poise:
    skeleton, scale = actor.skeleton, actor.scale
    poise = neutral_poise(actor, len(t))
    stand = hold(neutral_poise(actor, 1), actor, labels=(), name="").world.positions[0]
    hip = 0.5 * sum(stand[skeleton.role(f"{side}_hip"), 2] for side in SIDES)
    drop = hip - (height + SEAT_TO_HIP_JOINTS_M * scale)
    if drop < 0.05 * scale:
        raise InvalidValue(
            f"a seat of {height:g} m is too high for this body, whose hips are at {hip:.2f} m when it stands; "
            f"the seat may be up to {hip - (SEAT_TO_HIP_JOINTS_M + 0.05) * scale:.2f} m"
        )
    low, lean = state.low, state.lean[:, None]
    # They travel back sooner than down: the hinge of the hips opens the way.
    back = scale * HIPS_BACK_M * np.clip(1.25 * low - 0.25 * low**3, 0.0, 1.0)
    seated = ((SEATED_LEAN_DEG - actor.style.lean) * state.upright + 0.6 * actor.style.slump * state.upright)[:, None]
    # On a low seat the thighs leave less room for the pelvis to tip.
    share = float(np.interp(height / scale, [0.30, SEAT_HEIGHT_M], [0.37, 0.60]))
    gaze = _look_about(t, actor, state)
    return poise._replace(
        hips=np.stack([-back, np.zeros_like(low), -drop * low], axis=1),
        # Most of the lean is made at the hips; on a seat the pelvis rolls back a little.
        pelvis=poise.pelvis + (share * lean + 1.2 * seated) * FORWARD,
        chest=poise.chest + (1.2 * lean + seated) * FORWARD + np.array([0.15, 0.7, 0.3]) * gaze,
        # The head follows the trunk by half: people look where they will sit, or ahead.
        head=poise.head + 0.55 * lean * FORWARD + gaze,
        # Arms swing forward against the hips that go back, and out, clear of the thighs.
        arms=poise.arms + lean[:, None] * np.array([0.75, 0.22 + 0.02 * actor.style.slump, 0.0, 0.45]),
    )


def _look_about(t: Array, actor: Performer, state: _Seated) -> Array:
    """Return [T, 3] degrees by which the head turns while seated, for glances and small nods."""
    rng = actor.rng
    n = max(2, int(t[-1] / 2.2))
    knots = np.concatenate([[0.0], np.sort(rng.uniform(0.4, max(t[-1] - 0.4, 0.5), n)), [float(t[-1]) + 0.01]])
    aims = np.zeros((len(knots), 3))
    aims[1:-1] = rng.uniform(-1.0, 1.0, (n, 3)) * np.array([26.0, 6.0, 2.0]) * min(actor.style.life, 1.2)
    # Each aim is kept until shortly before the next.
    holds = np.maximum(knots[1:] - 0.45, knots[:-1] + 0.02)
    order = np.argsort(np.concatenate([knots, holds]), kind="stable")
    at = np.concatenate([knots, holds])[order]
    values = np.concatenate([aims, aims[:-1]])[order]
    keep = np.concatenate([[True], np.diff(at) > 1e-4])
    curve = curve_through(t, at[keep], values[keep], soft=0.10)
    ends = ease(t / 0.6) * ease((t[-1] - t) / 0.6)
    return np.asarray(curve * (ends * state.upright)[:, None])


def _hand_on_thigh(clip: Clip, actor: Performer, side: int, state: _Seated, weight: Array) -> Clip:
    """Rest a hand on its thigh, a bit inward, fingers towards the knee; on the way there it keeps above the thigh."""
    sign = OUTWARD[side]
    hip, knee = (clip.world.positions[:, clip.skeleton.role(f"{SIDES[side]}_{part}")] for part in ("hip", "knee"))
    along = (knee - hip) / np.linalg.norm(knee - hip, axis=1, keepdims=True)
    left = quat.rotate(clip.world.rotations[:, 0], np.array([0.0, 1.0, 0.0]))
    up = np.cross(along, left)
    up = up / np.linalg.norm(up, axis=1, keepdims=True)
    # Leaning over, the hands slide towards the knees.
    far = (0.56 + 0.005 * state.lean)[:, None]
    high, out = (0.125 + state.above)[:, None], (0.012 + 0.4 * state.above)[:, None]
    wrists = hip + far * (knee - hip) + actor.scale * (high * up + sign * out * left)
    hands = hand_rotation(along - 0.28 * sign * left - 0.22 * up, -up, side=side)
    return reach(clip, side=side, wrists=wrists, hands=hands, elbows=(-0.55, 0.6, -0.5), weight=weight)
