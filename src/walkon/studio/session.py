"""A capture session: everything the performer is asked to do, in the order in which it is recorded.

Long wanders first, as a motion graph wants them, then one recording per action and direction. All begin and end
standing, or in the middle of a walk: poses that recur, so that graphs connect. Each recording has its own random
stream, drawn from the session's seed and its name: adding one changes no other.

Names tell what is recorded (`walk_1.35`, `arc_left_1.20_50`, `sit_front`); labels are what the manifest of a captured
session would say: walk, turn, sharp_turn, start, stop, sidestep, backward, idle, sit, pickup, carry, gesture …
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import product
from typing import Any

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.geometry.path import Path
from walkon.motion.clip import Clip
from walkon.motion.contacts.foot_lock import lock_feet
from walkon.motion.editing import join
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.studio.carrying import carry, carry_walk
from walkon.studio.gestures import talk, wave
from walkon.studio.jogging import jog
from walkon.studio.lifting import pick_up, put_down
from walkon.studio.performer import Casting, Style, named_style
from walkon.studio.seating import rise, sit, sit_down, sit_down_and_rise
from walkon.studio.shuffles import back_steps, side_steps, turn_in_place
from walkon.studio.skeleton import performer_skeleton
from walkon.studio.standing import POSTURES, idle
from walkon.studio.turning import sharp_turn, turning_start, turning_stop
from walkon.studio.walk import walk

__all__ = ["session"]

ACTION_BLEND_S = 0.4
"""s over which the pose at the end of one action becomes that at the start of the next."""
STARTING_S = 2.2
"""s that getting up to speed from standing takes, idling before it included; stopping takes as long."""
STRAIGHT_WALK_SPEEDS_M_S = (0.5, 0.7, 0.9, 1.1, 1.35, 1.6, 1.9)
"""m/s of the straight walks."""
WANDER_SPEEDS_M_S = {"slow": 0.85, "normal": 1.2, "fast": 1.5}
WANDER_S = 40.0
"""s of each wander."""
STANDING_AROUND_TURN_S = 0.15
"""s of standing before and after a turn: who turns to go somewhere does not linger."""
CARRY_SPEED_M_S, CARRY_WANDER_S = 0.95, 30.0
"""m/s and s of the wander with a box."""

Action = Callable[..., Clip]
"""What the performer does, given who performs (`walkon.studio.performer.Casting`)."""
do: Callable[..., Action] = partial
"""An action with what is asked of it: `do(walk, speed=1.2)`."""
Streams = Callable[[str], np.random.Generator]
"""Name → random stream: from the name, so that it does not depend on the others."""
Asked = Iterator[tuple[Any, ...]]
"""Names, actions (several, by the names of their streams, are done one after another), and labels that they get."""


def session(
    seed: int = 0, *, skeleton: Skeleton | None = None, style: Style | str = "neutral", fps: float = 60.0
) -> tuple[Clip, ...]:
    """Record a whole session of one performer in one style; the same seed gives the same recordings."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidValue(f"the seed of a session must be a whole number from 0, got {seed!r}")
    casting: Casting = {"skeleton": skeleton or performer_skeleton(), "style": named_style(style), "fps": fps}
    parts = (_wanders, _straight, _turns, _turning_ends, _steps, _in_place, _sitting, _boxes)
    return _record(parts, int(seed), casting)


def _record(parts: Sequence[Callable[[Streams], Asked]], seed: int, casting: Casting) -> tuple[Clip, ...]:
    """Perform all that parts of a session ask for, each action with its own stream."""

    def stream(name: str) -> np.random.Generator:
        return np.random.default_rng([seed, zlib.crc32(name.encode())])

    recorded = []
    for name, asked, *labels in (row for part in parts for row in part(stream)):
        actions = asked if isinstance(asked, dict) else {name: asked}
        clips = [perform(seed=stream(its), **casting) for its, perform in actions.items()]
        recorded.append(_name_clip(name, _join_clips(clips), labels))
    return tuple(recorded)


def _name_clip(name: str, clip: Clip, labels: Sequence[str]) -> Clip:
    """Return the clip under a name; labels that it does not have yet are put on all its frames.

    Starting and stopping are labelled where they happen, not all along.
    """
    spans = {"start": clip.times < STARTING_S, "stop": clip.times > clip.duration - STARTING_S}
    everywhere = np.ones(len(clip), bool)
    new = {label: spans.get(label, everywhere) for label in labels if label not in clip.labels}
    return replace(clip, name=name, labels={**clip.labels, **new})


def _join_clips(clips: Sequence[Clip]) -> Clip:
    """Return the clips joined; where one pose fades into the next, planted feet are held."""
    whole = reduce(partial(join, blend=ACTION_BLEND_S), clips)
    return lock_feet(whole).clip if len(clips) > 1 else whole


def _carry_box(action: Action) -> Action:
    """Return the action done with a box in both hands."""
    return lambda *, style, **casting: carry(action(style=style, **casting), style=style)


def _turns_to(side: str, *degrees: int) -> list[tuple[int, float]]:
    """Return (degrees, radians with sign) of turns to a side."""
    return [(turn, np.radians(turn) * (1 if side == "left" else -1)) for turn in degrees]


def _wanders(stream: Streams) -> Asked:
    for kind, speed in WANDER_SPEEDS_M_S.items():
        way = _wander_path(stream(f"wander_{kind} way"), speed, WANDER_S)
        yield f"wander_{kind}", do(walk, path=way, speed=speed, duration=WANDER_S), "wander", "turn"


def _wander_path(rng: np.random.Generator, speed: float, seconds: float) -> Path:
    """Return a way that wanders long enough: legs of some seconds each, turns of up to 95 degrees either way."""
    legs = speed * rng.uniform(2.6, 5.5, int(seconds / 2.6) + 4)
    headings = np.cumsum(np.concatenate([[0.0], np.radians(rng.uniform(-95, 95, len(legs) - 1))]))
    corners = np.cumsum(legs[:, None] * np.column_stack([np.cos(headings), np.sin(headings)]), axis=0)
    # The faster the walk, the wider its corners: at 1.5 m/s legs would cut into each other beyond 45 degrees/s.
    rate = np.radians(np.interp(speed, [0.8, 1.5], [70.0, 42.0]))
    return Path.rounded(np.vstack([[0.0, 0.0], corners]), radius=max(0.45, speed / rate))


def _straight(_: Streams) -> Asked:
    for speed in STRAIGHT_WALK_SPEEDS_M_S:
        walked = do(walk, speed=speed, duration=6.0 + 1.5 / speed, start="standing", end="standing")
        yield f"walk_{speed:.2f}", walked, "start", "stop"
    for side, speed, (kind, at) in product(SIDES, (0.9, 1.35), (("start", "start"), ("stop", "end"))):
        walked = do(walk, speed=speed, duration=4.0, first=side, **{at: "standing"})
        yield f"{kind}_{side}_{speed:.2f}", walked, kind
    for begin, end in ((0.7, 1.35), (1.35, 0.7), (1.2, 1.8), (1.8, 1.2)):
        table = [(0.0, begin), (2.5, begin), (4.0, end), (7.0, end)]
        yield f"pace_{begin:.2f}_{end:.2f}", do(walk, speed=table, duration=7.0)


def _turns(_: Streams) -> Asked:
    for side in SIDES:
        for speed, rate in product((0.8, 1.2, 1.5), (25, 50, 80)):
            way = _arc(speed, np.radians(rate), 4.0, left=side == "left")
            yield f"arc_{side}_{speed:.2f}_{rate}", do(walk, path=way, speed=speed, duration=4.0), "turn"
        for degrees, angle in _turns_to(side, 45, 90, 135, 180):
            # At the common pace with either foot first: a character that must turn can do so at the next step.
            for speed, lead in ((0.9, None), (1.25, "outer"), (1.25, "inner")):
                name = f"sharp_{side}_{degrees}_{speed:.2f}" + (f"_{lead}" if lead else "")
                yield name, do(sharp_turn, angle, speed=speed, first=lead), "turn", "sharp_turn"


def _turning_ends(_: Streams) -> Asked:
    # At a pace between two bands of walking speeds, so that graphs find both in them.
    for side in SIDES:
        for degrees, angle in _turns_to(side, 45, 90, 135, 180):
            start = do(turning_start, angle, speed=1.1, after=0.9, idle=2 * STANDING_AROUND_TURN_S)
            yield f"start_turning_{side}_{degrees}", start, "start"
            # With either foot last: a character that must stop can do so at the next step.
            for closing in ("outer", "inner") if degrees <= 90 else ("outer",):
                stop = do(turning_stop, angle, speed=1.15, before=0.8, closing=closing, idle=STANDING_AROUND_TURN_S)
                yield f"stop_turning_{side}_{degrees}_{closing}", stop, "stop"


def _arc(speed: float, rate: float, seconds: float, *, left: bool) -> Path:
    """Return a circle's arc walked at a rate of turn in rad/s, with a straight metre before it."""
    radius = speed / rate
    angles = np.linspace(0.0, rate * (seconds + 1.0), max(8, int(rate * seconds / 0.2)))
    x, y = radius * np.sin(angles), radius * (1.0 - np.cos(angles))
    corners: Array = np.column_stack([1.0 + x, y if left else -y])
    return Path.rounded(np.vstack([[0.0, 0.0], corners]), radius=radius)


def _steps(_: Streams) -> Asked:
    for side in SIDES:
        for degrees, angle in _turns_to(side, 45, 90, 135, 180):
            yield f"turn_in_place_{side}_{degrees}", do(turn_in_place, angle, idle=STANDING_AROUND_TURN_S), "turn"
        for length, kind in ((0.25, "short"), (0.45, "long")):
            yield f"side_{side}_{kind}", do(side_steps, 4, side, length=length), "sidestep"
        yield f"back_{side}", do(back_steps, 5, first=side), "backward"
    yield "jog", do(jog, speed=2.6, duration=5.0), "jog"


def _in_place(_: Streams) -> Asked:
    for posture in POSTURES:
        yield f"idle_{posture}", do(idle, 9.0, posture=posture), "idle", "stand"
    yield "wave", wave, "gesture", "stand"
    yield "talk", do(talk, 8.0), "gesture", "stand"


def _sitting(_: Streams) -> Asked:
    yield "sit_front", do(sit_down_and_rise, 4.0), "sit"
    yield "sit_idle", do(sit, 8.0), "sit", "seated"
    for side in SIDES:
        name = f"sit_turning_{side}"
        arrive = do(walk, speed=0.9, duration=4.5, end="standing")
        turn = do(turn_in_place, np.pi if side == "left" else -np.pi)
        yield name, {f"{name} walk": arrive, f"{name} turn": turn, f"{name} down": sit_down}
        name = f"sit_along_row_{side}"
        yield name, {f"{name} steps": do(side_steps, 3, side, length=0.25), f"{name} down": sit_down}
        name = f"rise_and_leave_{side}"
        leave = do(walk, speed=1.1, duration=4.5, start="standing", first=side)
        yield name, {f"{name} rise": rise, f"{name} walk": leave}


def _boxes(stream: Streams) -> Asked:
    for place, height in (("table", 0.75), ("floor", 0.0)):
        lift, lower = do(pick_up, height), do(put_down, height)
        yield f"pick_up_{place}", lift, "pickup"
        yield f"put_down_{place}", lower, "putdown"
        name = f"fetch_{place}"
        carried = do(carry_walk, speed=0.9, duration=7.0, start="standing", end="standing")
        yield name, {f"pick_up_{place}": lift, name: carried, f"{name} down": lower}
    for side in SIDES:
        way = _arc(0.9, np.radians(40), 5.0, left=side == "left")
        yield f"carry_arc_{side}", do(carry_walk, path=way, speed=0.9, duration=5.0), "carry", "turn"
        for degrees, angle in _turns_to(side, 45, 90, 135, 180):
            yield (
                f"carry_turn_{side}_{degrees}",
                _carry_box(do(turn_in_place, angle, idle=2 * STANDING_AROUND_TURN_S)),
                "carry",
                "turn",
            )
        for degrees, angle in _turns_to(side, 45, 90):
            start = do(turning_start, angle, speed=CARRY_SPEED_M_S, after=1.2, idle=2 * STANDING_AROUND_TURN_S)
            yield f"carry_start_turning_{side}_{degrees}", _carry_box(start), "start"
            closing = "inner" if side == "left" else "outer"
            stop = do(
                turning_stop, angle, speed=CARRY_SPEED_M_S, before=0.8, closing=closing, idle=2 * STANDING_AROUND_TURN_S
            )
            yield f"carry_stop_turning_{side}_{degrees}", _carry_box(stop), "stop"
    yield "carry_idle", _carry_box(do(idle, 9.0)), "carry", "idle", "stand"
    yield "carry_straight", do(carry_walk, speed=1.1, duration=6.0), "carry"
    way = _wander_path(stream("carry_wander way"), CARRY_SPEED_M_S, CARRY_WANDER_S)
    wandered = do(carry_walk, path=way, speed=CARRY_SPEED_M_S, duration=CARRY_WANDER_S)
    yield "carry_wander", wandered, "carry", "wander", "turn"
