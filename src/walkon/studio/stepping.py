"""Steps that are given one by one: footprints in any direction become a clip with exact contacts.

    prints → feet (`stepping_feet`) → pelvis and upper body (`stepping_body`) → legs → clip

Turns in place, side steps and back steps (`shuffles`) are lists of prints made with a `Stepper`, which stands in the
neutral pose (the one in which walks start and stop), steps, and ends standing in it again.
World frame, metres, radians, seconds.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.motion.clip import Clip
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.studio.assembling import assemble
from walkon.studio.foot_roll import FootShape
from walkon.studio.footsteps import LONG_AGO, NEVER
from walkon.studio.skeleton import LEG_SHARE, STATURE, performer_skeleton
from walkon.studio.stepping_body import carry_pelvis, carry_upper_body
from walkon.studio.stepping_feet import Prints, step_feet
from walkon.studio.styles import Style, named_style
from walkon.transforms import planar

__all__ = ["Performer", "Stepper", "perform_steps"]

STANDING = 0.065
"""m, each foot beside the middle when standing, at least; of a body of 1.75 m."""


class Performer(NamedTuple):
    """Who steps: a body, a way of moving, and chance."""

    skeleton: Skeleton
    scale: float
    """Size of its legs over those of a body of 1.75 m."""
    style: Style
    rng: np.random.Generator
    fps: float

    @classmethod
    def of(
        cls, seed: int | np.random.Generator, *, skeleton: Skeleton | None, style: Style | str, fps: float
    ) -> "Performer":
        """Check what a performance was asked for with."""
        if not isinstance(seed, np.random.Generator) and (
            isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0
        ):
            raise InvalidValue(f"seed must be a whole number from 0, or a numpy Generator, got {seed!r}")
        if not (np.isfinite(fps) and 10.0 <= fps <= 1000.0):
            raise InvalidValue(f"fps must be 10 to 1000, got {fps}")
        default = performer_skeleton()
        skeleton = default if skeleton is None else skeleton
        if skeleton.names != default.names:
            raise InvalidValue(
                f"the studio's performer has its own joints, but the skeleton has {len(skeleton)} others; "
                "make it with walkon.studio.performer_skeleton(height=...), and retarget the clip to other bodies"
            )
        bones = skeleton.offsets[[skeleton.role("left_knee"), skeleton.role("left_ankle")]]
        scale = float(np.linalg.norm(bones, axis=1).sum()) / (LEG_SHARE * STATURE)
        return cls(skeleton, scale, named_style(style), np.random.default_rng(seed), fps)

    @property
    def half_width(self) -> float:
        """Metres from the middle to each ankle when standing."""
        return max(0.5 * self.style.step_width, STANDING) * self.scale


class Stepper:
    """Makes a list of prints: stands, then takes one step after the other, each after the one before has landed."""

    def __init__(self, performer: Performer, *, idle: float) -> None:
        self.performer = performer
        self.clock = idle
        """s at which the next foot may leave."""
        self._rows: list[list[float]] = []
        for side in range(len(SIDES)):
            self._rows.append([side, *self.beside(np.zeros(3), side), LONG_AGO, NEVER, 0.0, 0.0, 0.0, 0.0, 0.0])

    def beside(self, body: Array, side: int, *, half: float | None = None, ahead: float = 0.0) -> Array:
        """Return the place of a foot under a body that stands at (x, y, heading), a little irregular."""
        who = self.performer
        sign = 1.0 if side == 0 else -1.0
        noise = 0.5 * who.style.life * np.clip(who.rng.standard_normal(3), -2.0, 2.0) * np.array([0.006, 0.004, 0.025])
        half = who.half_width if half is None else half
        there = planar.apply(body, [ahead + who.scale * noise[0], sign * (half + who.scale * noise[1])])
        # Not wrapped: a foot turns by the difference of its yaws.
        return np.array([*there, body[2] + sign * np.deg2rad(who.style.toe_out) + noise[2]])

    def step(
        self,
        side: int,
        place: Array,
        *,
        swing: float,
        support: float,
        strike: float = 0.0,
        lift: float = 0.0,
        pivot: float = 0.0,
        height: float = 0.04,
        around: float = 0.0,
    ) -> None:
        """Let a foot leave now, swing for so many seconds and stand at `place`; the next may leave `support` s later.

        `lift` and `pivot` are how it leaves the print on which it stands, the others how it moves and lands.
        """
        who = self.performer
        swing, support = (
            seconds
            * np.sqrt(who.scale)
            * (1.0 + 0.04 * who.style.life * float(np.clip(who.rng.standard_normal(), -2, 2)))
            for seconds in (swing, support)
        )
        last = next(row for row in reversed(self._rows) if row[0] == side)
        last[5], last[6], last[8] = self.clock, pivot, lift
        lands = self.clock + swing
        height *= who.scale * who.style.lift
        self._rows.append([side, *place, lands, NEVER, 0.0, strike, 0.0, height, who.scale * around])
        self.clock = lands + support

    def prints(self) -> Prints:
        """Return what was stepped so far."""
        rows = np.array(self._rows)
        return Prints(
            sides=rows[:, 0].astype(np.int64),
            places=rows[:, 1:4],
            landings=rows[:, 4],
            leavings=rows[:, 5],
            pivots=rows[:, 6],
            strikes=rows[:, 7],
            lifts=rows[:, 8],
            heights=rows[:, 9],
            arounds=rows[:, 10],
        )


def perform_steps(
    prints: Prints, performer: Performer, *, duration: float, labels: Sequence[str], name: str, swing: float = 0.15
) -> Clip:
    """Step over the prints and return the clip; `swing` is the speed in m/s of the walk whose arms swing like these."""
    skeleton, scale, style, rng, fps = performer
    streams = rng.spawn(2)
    times = np.arange(round(duration * fps) + 1) / fps
    feet = step_feet(prints, times, shape=FootShape.of(skeleton), scale=scale)
    pelvis = carry_pelvis(
        prints, feet, times=times, fps=fps, skeleton=skeleton, style=style, scale=scale, rng=streams[0]
    )
    upper = carry_upper_body(prints, pelvis, feet=feet, times=times, fps=fps, style=style, swing=swing, rng=streams[1])
    return assemble(skeleton, fps=fps, feet=feet, pelvis=pelvis, upper=upper, labels=labels, name=name)
