"""A walk: footprints first, then feet, pelvis, upper body, and legs that reach from hips to feet exactly.

    pace → footsteps → feet → pelvis → upper body → legs → clip

A planted heel or ball stays where it is to rounding. The work is done on whole arrays, never frame by frame.
`walk_along` is the whole performance, from pace and path to the clip.
"""

from collections.abc import Sequence
from typing import Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, lock_array
from walkon._base.errors import InvalidValue
from walkon.geometry.path import Path
from walkon.motion.clip import Clip
from walkon.motion.skeleton import SIDES
from walkon.studio.assembling import assemble
from walkon.studio.feet import move_feet, pivot_feet
from walkon.studio.foot_curves import FootShape
from walkon.studio.footsteps import plan_footsteps, set_apart
from walkon.studio.pace import (
    MAX_WALK_SPEED_M_S,
    MIN_WALK_SPEED_M_S,
    START_SPEED_RAMP,
    STOP_SPEED_RAMP,
    Pace,
    plan_pace,
)
from walkon.studio.pelvis import move_pelvis
from walkon.studio.performer import MAX_CLIP_S, Casting, Performer, check_choice, check_range
from walkon.studio.rhythm import keep_rhythm
from walkon.studio.stepping import clear_arms
from walkon.studio.upper_body import move_upper_body

__all__ = ["MAX_TURN_RATE_RAD_S", "walk", "walk_along"]

ENDS = ("walking", "standing")
MAX_BEYOND_PATH_M = 1.0
"""m by which a walk may end beyond its path: the end of a step is not the end of a line."""
MAX_TURN_RATE_RAD_S = np.deg2rad(90.0)
"""rad/s, the fastest turn that a walk makes without turning on the spot."""


def walk(
    *,
    path: Path | ArrayLike | None = None,
    speed: float | ArrayLike = 1.3,
    duration: float | None = None,
    start: Literal["walking", "standing"] = "walking",
    end: Literal["walking", "standing"] = "walking",
    first: Literal["left", "right"] | None = None,
    idle: float = 0.6,
    **casting: Unpack[Casting],
) -> Clip:
    """Walk along a path and return the clip, with exact contacts and the label "walk".

    `path` is a polyline [K, 2] in metres (or a `Path`); None goes straight along +x. `speed` is m/s, or (with a
    duration) a table [K, 2] of (seconds, m/s). Without a `duration` the walk ends at the end of its path. From or to
    "standing" it has `idle` seconds of standing there; `first` is the foot that lands first (left from standing, else
    by chance).
    """
    who = Performer.of(**casting)
    style, scale, streams = who.style, who.scale, who.rng.spawn(4)
    speeds = _speeds(speed, scale, one=duration is None)
    if duration is not None and not (np.isfinite(duration) and 1.0 / who.fps < duration <= MAX_CLIP_S):
        raise InvalidValue(f"duration must be more than a frame and at most {MAX_CLIP_S:g} s, got {duration} s")
    check_range("idle", idle, 0.0, 60.0, "s")
    check_choice("first", first, (None, *SIDES))
    check_choice("start", start, ENDS)
    check_choice("end", end, ENDS)
    way = _path(path, speeds, duration)
    pace = plan_pace(
        speeds,
        duration=duration,
        distance=way.length if duration is None else None,
        walk_ratio=style.walk_ratio * scale**1.5,
        starting=START_SPEED_RAMP if start == "standing" else None,
        stopping=STOP_SPEED_RAMP if end == "standing" else None,
        idle=idle,
        life=style.life,
        rng=streams[0],
    )
    beyond = float(pace.arc(np.array(pace.duration))) - way.length
    if path is not None and duration is not None and beyond > MAX_BEYOND_PATH_M:
        raise InvalidValue(
            f"the path is {way.length:.1f} m long, but the walk would go {beyond:.1f} m beyond it in {duration:g} s; "
            "leave out the duration to walk to its end, or give a longer path"
        )
    _check_turns(way, pace.arcs, pace.speeds)
    by_chance = int(streams[0].integers(2)) if start == "walking" else 0
    first_side = by_chance if first is None else SIDES.index(first)
    name = f"{style.name} walk"
    return walk_along(pace, way, who=who, first_side=first_side, streams=streams[1:], name=name, sharply=False)


def walk_along(
    pace: Pace,
    path: Path,
    *,
    who: Performer,
    first_side: int,
    streams: Sequence[np.random.Generator],
    name: str,
    sharply: bool = True,
) -> Clip:
    """Walk a path at a pace; `streams` [3] are for steps, hips and upper body.

    Where it turns `sharply` feet are set apart and pivot, and arms keep clear. Labels: "walk", and then "turn".
    """
    skeleton, scale, style, _, fps = who
    times, shape = who.frames(pace.duration), FootShape.of(skeleton)
    steps = plan_footsteps(pace, path, style=style, scale=scale, first_side=first_side, rng=streams[0])
    if sharply:
        steps = set_apart(steps, path, pace=pace, scale=scale)
    rhythm = keep_rhythm(steps, pace, path, times=times, fps=fps, scale=scale)
    feet = move_feet(steps, path, times=times, shape=shape, style=style, scale=scale)
    if sharply:
        feet = pivot_feet(feet, steps, pace, path, times=times, shape=shape, style=style, scale=scale)
    pelvis = move_pelvis(
        steps, feet, rhythm=rhythm, path=path, skeleton=skeleton, style=style, scale=scale, rng=streams[1]
    )
    upper = move_upper_body(rhythm, pelvis, style=style, rng=streams[2])
    if sharply:
        upper = clear_arms(upper, feet, pelvis=pelvis, fps=fps)
    labels = ("turn", "walk") if sharply else ("walk",)
    return assemble(skeleton, fps=fps, feet=feet, pelvis=pelvis, upper=upper, labels=labels, name=name)


def _speeds(speed: float | ArrayLike, scale: float, *, one: bool) -> Array:
    """Return the table [K, 2] of (s, m/s)."""
    table = np.asarray(speed, dtype=np.float64)
    if table.ndim == 0:
        table = np.array([[0.0, float(table)]])
    elif one:
        raise InvalidValue("a table of speeds needs a duration; give one, or a single speed for the whole path")
    table = lock_array(table, (None, 2), name="speed")
    if len(table) == 0 or (np.diff(table[:, 0]) <= 0).any():
        raise InvalidValue("a table of speeds has rows (seconds, m/s) with times that rise")
    low, high = MIN_WALK_SPEED_M_S * np.sqrt(scale), MAX_WALK_SPEED_M_S * np.sqrt(scale)
    bad = (table[:, 1] < low) | (table[:, 1] > high)
    if bad.any():
        raise InvalidValue(f"speed must be {low:.2f} to {high:.2f} m/s for this body, got {table[bad, 1][0]:g}")
    return np.asarray(table)


def _path(path: Path | ArrayLike | None, speeds: Array, duration: float | None) -> Path:
    if isinstance(path, Path):
        return path
    if path is None:
        if duration is None:
            raise InvalidValue(
                "walk needs a path or a duration, got neither; give duration=4.0, or path=[(0, 0), (5, 0)]"
            )
        return Path.straight(float(speeds[:, 1].max()) * duration)
    return Path.rounded(path, radius=float(speeds[:, 1].max()) / (0.75 * MAX_TURN_RATE_RAD_S))


def _check_turns(path: Path, arcs: Array, speeds: Array) -> None:
    rates = np.abs(path.curvature(arcs, span=0)) * speeds
    if rates.max() > MAX_TURN_RATE_RAD_S * 1.02:
        at = int(rates.argmax())
        x, y, _ = path.pose(arcs[at])
        radius, most = speeds[at] / rates[at], MAX_TURN_RATE_RAD_S * speeds[at] / rates[at]
        raise InvalidValue(
            f"the path turns with a radius of {radius:.2f} m near ({x:.2f}, {y:.2f}), which is "
            f"{np.rad2deg(rates[at]):.0f} deg/s at {speeds[at]:.2f} m/s; walks turn up to "
            f"{np.rad2deg(MAX_TURN_RATE_RAD_S):.0f} deg/s: slow down to {most:.2f} m/s there or make the corner wider"
        )
