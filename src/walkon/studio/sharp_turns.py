"""Sharp turns of a walk: it slows down, turns over two or three prints, and walks on.

The way is two straight lines joined by an arc so tight that the prints themselves make the turn (a planner of this kind
repeats recorded turns almost print for print). The arc is laid where the prints want it: either

* *outer* foot first: its print is turned by a quarter of the angle, the inner one's then by nearly the whole, or
* *inner* foot first: its print is turned by about 0.7 of the angle, the outer one's then by a little more than all,

as in CMU 69_24 and 16_18 (left turns), and 69_22 and 16_20 (right turns). Speed falls before the turn, to 0.8 of it at
45 and 0.4 at 180 degrees. How feet get round is in `walkon.studio.turning`.

The turn itself happens around the origin: the walk comes in along +x and leaves at the angle. Metres, radians, seconds.
"""

from typing import Literal

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.geometry.path import Path
from walkon.motion.clip import Clip
from walkon.motion.skeleton import Skeleton
from walkon.studio.footsteps import plan_footsteps
from walkon.studio.pace import plan_pace
from walkon.studio.performer import Performer
from walkon.studio.styles import Style
from walkon.studio.turning import walk_turning
from walkon.transforms.easing import smoothstep

__all__ = ["sharp_turn"]

SLOWEST, FASTEST = 0.7, 1.6
"""m/s, of a body of 1.75 m."""
ANGLES = np.deg2rad([0.0, 45.0, 90.0, 135.0, 180.0])
DIPS = (1.0, 0.78, 0.55, 0.47, 0.40)
"""Share of the speed that is left in the turn, at `ANGLES`."""
RADII = (0.50, 0.42, 0.33, 0.29, 0.26)
"""m, of the arc, at `ANGLES` and 1 m/s; it grows with the speed."""
SLOWING = 1.1
"""s over which it slows down before the turn, and gathers speed after it."""
PHASES = {"outer": 0.24, "inner": 0.68}
"""Share of the turn at which the first print in it lies, by which foot makes it."""


def sharp_turn(
    angle: float,
    *,
    speed: float = 1.1,
    first: Literal["outer", "inner"] | None = None,
    before: float = 2.5,
    after: float = 2.5,
    start: Literal["walking", "standing"] = "walking",
    end: Literal["walking", "standing"] = "walking",
    seed: int | np.random.Generator = 0,
    skeleton: Skeleton | None = None,
    style: Style | str = "neutral",
    idle: float = 0.6,
    fps: float = 60.0,
) -> Clip:
    """Walk, turn sharply by `angle` radians (20 to 180 degrees, positive to the left), and walk on.

    `before` and `after` are the seconds of walking on either side of the turn; `first` is the foot with which the turn
    begins (by chance if None). From or to "standing" it has `idle` seconds of standing there. Labels: "walk", "turn".
    """
    who = Performer.of(seed, skeleton=skeleton, style=style, fps=fps)
    _check(angle, speed / np.sqrt(who.scale), first, {"start": start, "end": end})
    for name, value, least in (("before", before, start), ("after", after, end)):
        low = 2.4 if least == "standing" else 1.0
        if not (np.isfinite(value) and low <= value <= 600.0):
            raise InvalidValue(f"{name} must be {low} to 600 s where the walk is {least} there, got {value}")
    if not (np.isfinite(idle) and 0.0 <= idle <= 60.0):
        raise InvalidValue(f"idle must be 0 to 60 s, got {idle}")
    _, scale, style, rng, _ = who
    streams = rng.spawn(5)
    lead = first or ("outer", "inner")[int(streams[4].integers(2))]
    dip = float(np.interp(abs(angle), ANGLES, DIPS))
    radius = scale * float(np.interp(abs(angle), ANGLES, RADII)) * (0.6 + 0.4 * speed / np.sqrt(scale))
    turn = before + (idle if start == "standing" else 0.0)
    seconds = radius * abs(angle) / (dip * speed)
    duration = turn + seconds + after + (idle if end == "standing" else 0.0)
    pace = plan_pace(
        _slowing(speed, dip, turn, turn + seconds),
        duration=duration,
        distance=None,
        walk_ratio=style.walk_ratio * scale**1.5,
        from_standing=start == "standing",
        to_standing=end == "standing",
        idle=idle,
        life=style.life,
        rng=streams[0],
    )
    # Prints along a straight way show where the arc must lie; it takes their places, not their times.
    state = streams[1].bit_generator.state
    straight = plan_footsteps(pace, Path.straight(1.0), style=style, scale=scale, first_side=0, rng=streams[1])
    wanted = float(pace.arc(np.array(turn))) + PHASES[lead] * radius * abs(angle)
    print_ = int(np.argmin(np.abs(straight.arcs - wanted)))
    outer = 1 if angle > 0 else 0
    side = outer if lead == "outer" else 1 - outer
    begins = float(straight.arcs[print_]) - PHASES[lead] * radius * abs(angle)
    path = _corner(begins, float(pace.arcs[-1]), radius=radius, angle=angle)
    streams[1].bit_generator.state = state
    first_side = 0 if straight.sides[print_] == side else 1
    name = f"{style.name} sharp turn by {np.rad2deg(angle):.0f} deg"
    return walk_turning(pace, path, who=who, first_side=first_side, streams=streams[1:4], name=name)


def _check(angle: float, speed: float, first: str | None, ends: dict[str, str]) -> None:
    if not (np.isfinite(angle) and np.deg2rad(20.0) <= abs(angle) <= np.pi + 1e-9):
        raise InvalidValue(
            f"a sharp turn goes by 20 to 180 deg either way (radians), got {np.rad2deg(angle):g} deg; "
            "a walk along a curved path makes smaller ones"
        )
    if not (np.isfinite(speed) and SLOWEST <= speed <= FASTEST):
        raise InvalidValue(f"speed must be {SLOWEST} to {FASTEST} m/s (times √size), got {speed:g}; walk on a curve")
    if first not in (None, *PHASES):
        raise InvalidValue(f"first must be 'outer' or 'inner', got {first!r}")
    for name, value in ends.items():
        if value not in ("walking", "standing"):
            raise InvalidValue(f"{name} must be 'walking' or 'standing', got {value!r}")


def _slowing(speed: float, dip: float, begins: float, ends: float) -> Array:
    """Return the table [K, 2] of (s, m/s): slower around the turn, without corners."""
    x = np.linspace(0.0, 1.0, 9)
    fall = speed * (1.0 - (1.0 - dip) * smoothstep(x))
    down, up = begins - SLOWING * (1.0 - x) + 0.15, ends + SLOWING * x - 0.1
    return np.column_stack([np.concatenate([down, up]), np.concatenate([fall, fall[::-1]])])


def _corner(begins: float, length: float, *, radius: float, angle: float) -> Path:
    """Return the way: straight for `begins` m, an arc, straight on; the arc's corner is near the origin."""
    bends = np.linspace(0.0, angle, max(8, int(radius * abs(angle) / 0.04)))
    arc: Array = np.copysign(radius, angle) * np.stack([np.sin(bends), 1 - np.cos(bends)], axis=1)
    rest = max(length - begins - radius * abs(angle), 0.5)
    out = arc[-1] + rest * np.array([np.cos(angle), np.sin(angle)])
    return Path.rounded(np.concatenate([[[-begins, 0.0]], arc, [out]]))
