"""Steps that are given one by one: footprints in any direction become a clip with exact contacts.

    prints → feet (`stepping_feet`) → pelvis and upper body (`stepping_body`) → legs → clip

Turns in place, side steps and back steps (`shuffles`) are lists of prints made with a `Stepper`, which stands in the
neutral pose (the one in which walks start and stop), steps, and ends standing in it again.
World frame, metres, radians, seconds.
"""

from collections.abc import Sequence

import numpy as np

from walkon._base.arrays import Array
from walkon.motion.clip import Clip
from walkon.motion.skeleton import SIDES
from walkon.studio.assembling import assemble
from walkon.studio.foot_roll import FootShape
from walkon.studio.footsteps import LONG_AGO, NEVER
from walkon.studio.performer import Performer
from walkon.studio.stepping_body import carry_pelvis, carry_upper_body
from walkon.studio.stepping_feet import Prints, step_feet
from walkon.transforms import planar

__all__ = ["Stepper", "half_width", "perform_steps"]

STANDING = 0.065
"""m, each foot beside the middle when standing, at least; of a body of 1.75 m."""


def half_width(performer: Performer) -> float:
    """Return metres from the middle to each ankle when standing."""
    return max(0.5 * performer.style.step_width, STANDING) * performer.scale


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
        half = half_width(who) if half is None else half
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
