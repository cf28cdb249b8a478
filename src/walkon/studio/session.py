"""A capture session: everything the performer is asked to do, in the order in which it is recorded.

Long wanders first, as a motion graph wants them, then one recording per action and direction. All begin and end
standing, or in the middle of a walk: poses that recur, so that graphs connect. Each recording has its own random
stream, drawn from the session's seed and its name: adding one changes no other.

Names tell what is recorded (`walk_1.35`, `arc_left_1.20_50`, `sit_front`); labels are what the manifest of a captured
session would say: walk, turn, sharp_turn, start, stop, sidestep, backward, idle, sit, pickup, carry, gesture …
"""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.geometry.path import Path
from walkon.motion.clip import Clip
from walkon.motion.editing import join
from walkon.motion.foot_lock import lock_feet
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.studio.carrying import carry, carry_walk
from walkon.studio.gestures import talk, wave
from walkon.studio.jogging import jog
from walkon.studio.lifting import pick_up, put_down
from walkon.studio.performer import Style, named_style
from walkon.studio.seating import rise, sit, sit_down, sit_down_and_rise
from walkon.studio.shuffles import back_steps, side_steps, turn_in_place
from walkon.studio.skeleton import performer_skeleton
from walkon.studio.standing import POSTURES, idle
from walkon.studio.turning import sharp_turn
from walkon.studio.turning_ends import turning_start, turning_stop
from walkon.studio.walk import walk

__all__ = ["session"]

SEAM = 0.4
"""s over which the pose at the end of one action becomes that at the start of the next."""
STARTING = 2.2
"""s that getting up to speed from standing takes, idling before it included; stopping takes as long."""
PACES = (0.5, 0.7, 0.9, 1.1, 1.35, 1.6, 1.9)
"""m/s of the straight walks."""
WANDERS = {"slow": 0.85, "normal": 1.2, "fast": 1.5}
WANDER = 40.0
"""s of each wander."""
BRIEF = 0.15
"""s of standing before and after a turn: who turns to go somewhere does not linger."""
CARRIED, CARRY_WANDER = 0.95, 30.0
"""m/s and s of the wander with a box."""

Recorded = Iterator[tuple[Any, ...]]
"""Names, clips, and labels that they get, as `_named` takes them."""


@dataclass(frozen=True, kw_only=True)
class _Call:
    """What every recording of a session shares, and a random stream for each."""

    seed: int
    skeleton: Skeleton
    style: Style
    fps: float

    def rng(self, name: str) -> np.random.Generator:
        """Return the stream of one recording: from its name, so that it does not depend on the others."""
        return np.random.default_rng([self.seed, zlib.crc32(name.encode())])

    def __call__(self, name: str, make: Callable[..., Clip], *arguments: object, **options: object) -> Clip:
        """Perform with the stream of that name."""
        made = {"seed": self.rng(name), "skeleton": self.skeleton, "style": self.style, "fps": self.fps}
        return make(*arguments, **(made | options))


def session(
    seed: int = 0, *, skeleton: Skeleton | None = None, style: Style | str = "neutral", fps: float = 60.0
) -> tuple[Clip, ...]:
    """Record a whole session of one performer in one style; the same seed gives the same recordings."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidValue(f"the seed of a session must be a whole number from 0, got {seed!r}")
    call = _Call(seed=int(seed), skeleton=skeleton or performer_skeleton(), style=named_style(style), fps=fps)
    parts = (_wanders, _straight, _turns, _turning_ends, _steps, _in_place, _sitting, _boxes)
    return tuple(_named(*recorded) for part in parts for recorded in part(call))


def _named(name: str, clip: Clip, *labels: str) -> Clip:
    """Return the clip under a name; labels that it does not have yet are put on all its frames.

    Starting and stopping are labelled where they happen, not all along.
    """
    spans = {"start": clip.times < STARTING, "stop": clip.times > clip.duration - STARTING}
    everywhere = np.ones(len(clip), bool)
    new = {label: spans.get(label, everywhere) for label in labels if label not in clip.labels}
    return replace(clip, name=name, labels={**clip.labels, **new})


def _one_after_another(*clips: Clip) -> Clip:
    """Return the clips joined; where one pose fades into the next, planted feet are held."""
    whole = clips[0]
    for clip in clips[1:]:
        whole = join(whole, clip, blend=SEAM)
    return lock_feet(whole).clip


def _turns_to(side: str, *degrees: int) -> list[tuple[int, float]]:
    """Return (degrees, radians with sign) of turns to a side."""
    return [(turn, np.radians(turn) * (1 if side == "left" else -1)) for turn in degrees]


def _wanders(call: _Call) -> Recorded:
    for kind, speed in WANDERS.items():
        name = f"wander_{kind}"
        way = _wandering(call.rng(name + " way"), speed, WANDER)
        yield name, call(name, walk, path=way, speed=speed, duration=WANDER), "wander", "turn"


def _wandering(rng: np.random.Generator, speed: float, seconds: float) -> Path:
    """Return a way that wanders long enough: legs of some seconds each, turns of up to 95 degrees either way."""
    legs = speed * rng.uniform(2.6, 5.5, int(seconds / 2.6) + 4)
    headings = np.cumsum(np.concatenate([[0.0], np.radians(rng.uniform(-95, 95, len(legs) - 1))]))
    corners = np.cumsum(legs[:, None] * np.column_stack([np.cos(headings), np.sin(headings)]), axis=0)
    # The faster the walk, the wider its corners: at 1.5 m/s legs would cut into each other beyond 45 degrees/s.
    rate = np.radians(np.interp(speed, [0.8, 1.5], [70.0, 42.0]))
    return Path.rounded(np.vstack([[0.0, 0.0], corners]), radius=max(0.45, speed / rate))


def _straight(call: _Call) -> Recorded:
    for speed in PACES:
        name, duration = f"walk_{speed:.2f}", 6.0 + 1.5 / speed
        made = call(name, walk, speed=speed, duration=duration, start="standing", end="standing")
        yield name, made, "start", "stop"
    for side in SIDES:
        for speed in (0.9, 1.35):
            for kind, at in (("start", "start"), ("stop", "end")):
                name = f"{kind}_{side}_{speed:.2f}"
                yield name, call(name, walk, speed=speed, duration=4.0, first=side, **{at: "standing"}), kind
    for begin, end in ((0.7, 1.35), (1.35, 0.7), (1.2, 1.8), (1.8, 1.2)):
        name = f"pace_{begin:.2f}_{end:.2f}"
        table = [(0.0, begin), (2.5, begin), (4.0, end), (7.0, end)]
        yield name, call(name, walk, speed=table, duration=7.0)


def _turns(call: _Call) -> Recorded:
    for side in SIDES:
        for speed in (0.8, 1.2, 1.5):
            for rate in (25, 50, 80):
                name = f"arc_{side}_{speed:.2f}_{rate}"
                way = _arc(speed, np.radians(rate), 4.0, left=side == "left")
                yield name, call(name, walk, path=way, speed=speed, duration=4.0), "turn"
        for degrees, angle in _turns_to(side, 45, 90, 135, 180):
            # At the common pace with either foot first: whoever must turn can do so at the next step.
            for speed, lead in ((0.9, None), (1.25, "outer"), (1.25, "inner")):
                name = f"sharp_{side}_{degrees}_{speed:.2f}" + (f"_{lead}" if lead else "")
                yield name, call(name, sharp_turn, angle, speed=speed, first=lead), "turn", "sharp_turn"


def _turning_ends(call: _Call) -> Recorded:
    # At a pace between two bands of walking speeds, so that graphs find both in them.
    for side in SIDES:
        for degrees, angle in _turns_to(side, 45, 90, 135, 180):
            name = f"start_turning_{side}_{degrees}"
            yield name, call(name, turning_start, angle, speed=1.1, after=0.9, idle=2 * BRIEF), "start"
            # With either foot last: whoever must stop can do so at the next step.
            for closing in ("outer", "inner") if degrees <= 90 else ("outer",):
                name = f"stop_turning_{side}_{degrees}_{closing}"
                made = call(name, turning_stop, angle, speed=1.15, before=0.8, closing=closing, idle=BRIEF)
                yield name, made, "stop"


def _arc(speed: float, rate: float, seconds: float, *, left: bool) -> Path:
    """Return a circle's arc walked at a rate of turn in rad/s, with a straight metre before it."""
    radius = speed / rate
    angles = np.linspace(0.0, rate * (seconds + 1.0), max(8, int(rate * seconds / 0.2)))
    x, y = radius * np.sin(angles), radius * (1.0 - np.cos(angles))
    corners: Array = np.column_stack([1.0 + x, y if left else -y])
    return Path.rounded(np.vstack([[0.0, 0.0], corners]), radius=radius)


def _steps(call: _Call) -> Recorded:
    for side in SIDES:
        for degrees, angle in _turns_to(side, 45, 90, 135, 180):
            name = f"turn_in_place_{side}_{degrees}"
            yield name, call(name, turn_in_place, angle, idle=BRIEF), "turn"
        for length, kind in ((0.25, "short"), (0.45, "long")):
            name = f"side_{side}_{kind}"
            yield name, call(name, side_steps, 4, side, length=length), "sidestep"
        yield f"back_{side}", call(f"back_{side}", back_steps, 5, first=side), "backward"
    yield "jog", call("jog", jog, speed=2.6, duration=5.0), "jog"


def _in_place(call: _Call) -> Recorded:
    for posture in POSTURES:
        name = f"idle_{posture}"
        yield name, call(name, idle, 9.0, posture=posture), "idle", "stand"
    yield "wave", call("wave", wave), "gesture", "stand"
    yield "talk", call("talk", talk, 8.0), "gesture", "stand"


def _sitting(call: _Call) -> Recorded:
    yield "sit_front", call("sit_front", sit_down_and_rise, 4.0), "sit"
    yield "sit_idle", call("sit_idle", sit, 8.0), "sit", "seated"
    for side in SIDES:
        name = f"sit_turning_{side}"
        arrive = call(name + " walk", walk, speed=0.9, duration=4.5, end="standing")
        turn = call(name + " turn", turn_in_place, np.pi if side == "left" else -np.pi)
        yield name, _one_after_another(arrive, turn, call(name + " down", sit_down))
        name = f"sit_along_row_{side}"
        along = call(name + " steps", side_steps, 3, side, length=0.25)
        yield name, _one_after_another(along, call(name + " down", sit_down))
        name = f"rise_and_leave_{side}"
        leave = call(name + " walk", walk, speed=1.1, duration=4.5, start="standing", first=side)
        yield name, _one_after_another(call(name + " rise", rise), leave)


def _boxes(call: _Call) -> Recorded:
    for place, height in (("table", 0.75), ("floor", 0.0)):
        lifted = call(f"pick_up_{place}", pick_up, height)
        yield f"pick_up_{place}", lifted, "pickup"
        yield f"put_down_{place}", call(f"put_down_{place}", put_down, height), "putdown"
        name = f"fetch_{place}"
        carried = call(name, carry_walk, speed=0.9, duration=7.0, start="standing", end="standing")
        yield name, _one_after_another(lifted, carried, call(name + " down", put_down, height))
    for side in SIDES:
        name = f"carry_arc_{side}"
        way = _arc(0.9, np.radians(40), 5.0, left=side == "left")
        yield name, call(name, carry_walk, path=way, speed=0.9, duration=5.0), "carry", "turn"
        for degrees, angle in _turns_to(side, 45, 90, 135, 180):
            name = f"carry_turn_{side}_{degrees}"
            made = call(name, turn_in_place, angle, idle=2 * BRIEF)
            yield name, carry(made, style=call.style), "carry", "turn"
        for degrees, angle in _turns_to(side, 45, 90):
            name = f"carry_start_turning_{side}_{degrees}"
            made = call(name, turning_start, angle, speed=CARRIED, after=1.2, idle=2 * BRIEF)
            yield name, carry(made, style=call.style), "start"
            name, closing = f"carry_stop_turning_{side}_{degrees}", "inner" if side == "left" else "outer"
            made = call(name, turning_stop, angle, speed=CARRIED, before=0.8, closing=closing, idle=2 * BRIEF)
            yield name, carry(made, style=call.style), "stop"
    yield "carry_idle", carry(call("carry_idle", idle, 9.0), style=call.style), "carry", "idle", "stand"
    yield "carry_straight", call("carry_straight", carry_walk, speed=1.1, duration=6.0), "carry"
    name = "carry_wander"
    way = _wandering(call.rng(name + " way"), CARRIED, CARRY_WANDER)
    yield name, call(name, carry_walk, path=way, speed=CARRIED, duration=CARRY_WANDER), "carry", "wander", "turn"
