"""Footprints: where each foot stands, when it lands and when it leaves. Everything else follows from them.

A foot that lands at time t is set down where the hips will be a little later, beside the path:

    arc = s(t + lead · stride time)      left = ± width / 2 − ½ h v² κ / g

`HIPS_OVER_ANKLE_SHARES` is the lead. In recorded walks the hips pass over the ankle at the same share of the cycle at
every speed; the second term sets the feet outward in turns, so that the body leans into them. A foot leaves after the
other has landed, by the double support (share − ½) of a stride, with the share of stance falling from 66 % at 0.7 to 58
% at 1.9 m/s.

In turns within a step or two prints are set further apart, so that legs do not cross, and a foot that lands is turned
no further than the hips allow.

A place is (x, y, yaw): the point of the floor under the ankle of the flat foot, and where its toes point. World frame,
metres, radians, seconds; sides are 0 = left, 1 = right.
"""

from dataclasses import dataclass, replace

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.table import Column, Table, column
from walkon.geometry.path import Path
from walkon.studio.pace import Pace
from walkon.studio.performer import GRAVITY_M_S2, HIP_HEIGHT_M, MIN_STANDING_HALF_WIDTH_M, Style

__all__ = ["Footprints", "Footsteps", "plan_footsteps", "set_apart", "stance_share"]

HIPS_OVER_ANKLE_SPEEDS_M_S, HIPS_OVER_ANKLE_SHARES = (0.7, 1.0, 1.31, 1.72), (0.270, 0.262, 0.250, 0.240)
"""m/s, and share of the stride time from landing until the hips are above the ankle: with these the leg that lands and
the leg that pushes off are stretched alike, so that the hips need not sink for either."""
FOOT_YAW_AHEAD_STRIDE_SHARE = 0.05
"""Share of a stride by which a foot points ahead of the way where it stands: it stays while the body turns on."""
TURN_WIDENING_M = 0.03
"""m by which each foot is set further out at a turn of 90 degrees/s."""
SHARP_TURN_WIDENING_M, LEAN_TAKEN_BACK_SHARE = 0.03, 0.9
"""m by which each print is set further out at 90 degrees/s of a sharp turn; share of the lean taken back there."""
MAX_FOOT_TO_PELVIS_RAD = np.deg2rad(48.0)
"""rad by which a foot that lands is turned further than the pelvis, at most."""
LONG_AGO_S, NEVER_S = -1e3, 1e6
"""s: the landing of feet that stood from the start, and the leaving of feet that stand in the end."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Footprints(Table):
    """N footprints in the order in which they are made."""

    sides: Column = column("int64")
    """0 = left, 1 = right."""
    places: Column = column("float64", 3)
    """m, m, rad: under the ankle of the flat foot, and where the toes point (unwrapped: feet turn by differences)."""
    landings: Column = column("float64")
    """s, when the foot touches down; `LONG_AGO_S` where it stands from the start."""
    leavings: Column = column("float64")
    """s, when its last point leaves the floor; `NEVER_S` where it stands in the end."""

    def of(self, side: int) -> IntArray:
        """Return the indices of one foot's prints."""
        return np.flatnonzero(self.sides == side)


@dataclass(frozen=True, eq=False, kw_only=True)
class Footsteps(Footprints):
    """The footprints of a walk along a path."""

    arcs: Column = column("float64")
    """m along the path."""
    offsets: Column = column("float64")
    """m to the left of the path."""
    speeds: Column = column("float64")
    """m/s of the body around the landing."""
    strides: Column = column("float64")
    """s, stride time around the landing."""

    @property
    def step_lengths(self) -> Array:
        """[N] m along the path from the print before; 0 for the first."""
        return np.concatenate([[0.0], np.diff(self.arcs)])


def stance_share(speed: Array) -> Array:
    """Return the share of the cycle in which a foot is down, at speeds in m/s (of a body of 1.75 m)."""
    return np.asarray(np.interp(speed, [0.3, 0.7, 1.3, 1.7, 1.9, 2.4], [0.69, 0.66, 0.622, 0.593, 0.583, 0.565]))


def plan_footsteps(
    pace: Pace,
    path: Path,
    *,
    style: Style,
    scale: float,
    first_side: int,
    rng: np.random.Generator,
) -> Footsteps:
    """Set the prints of a walk; `scale` is the body's size over 1.75 m, `first_side` lands first."""
    landings = pace.landings
    N = len(landings)
    sides = (first_side + np.arange(N)) % 2
    gaps = np.diff(landings)
    gaps = np.concatenate([gaps[:1], gaps, gaps[-1:]])
    strides = gaps[:-1] + gaps[1:]
    # The speed around a landing is that of the way covered from a step before to a step after it.
    speeds = (pace.arc(landings + 0.5 * strides) - pace.arc(landings - 0.5 * strides)) / strides
    arcs = pace.arc(
        landings + np.interp(speeds / np.sqrt(scale), HIPS_OVER_ANKLE_SPEEDS_M_S, HIPS_OVER_ANKLE_SHARES) * strides
    )
    halves, standing = (
        np.full(N, 0.5 * style.step_width * scale),
        max(0.5 * style.step_width, MIN_STANDING_HALF_WIDTH_M) * scale,
    )
    noise = style.life * scale * np.clip(rng.standard_normal((N, 3)), -2.5, 2.5) * np.array([0.006, 0.004, 0.025])
    arcs = arcs + noise[:, 0]
    if pace.stops:
        # They come to stand side by side, under hips that are at rest; never quite level.
        arcs[-2:] = pace.arcs[-1] + noise[-2:, 0]
        halves[-2:] = standing
    next_gaps = np.concatenate([gaps[1:-1], gaps[-1:]])
    # The stride that a double support belongs to begins a step later.
    later = np.concatenate([next_gaps[1:], next_gaps[-1:]])
    leavings = landings + next_gaps + (stance_share(speeds / np.sqrt(scale)) - 0.5) * 2.0 * later
    if pace.stops:
        leavings[-2:] = NEVER_S
    if pace.first_leaves is not None:
        # Both feet stood side by side: the one that lands first left first, the other after that landing.
        share = float(stance_share(speeds[0] / np.sqrt(scale)))
        stood = (
            [first_side, 1 - first_side],
            [LONG_AGO_S, LONG_AGO_S],
            [pace.first_leaves, landings[0] + (share - 0.5) * 2.0 * gaps[1]],
            pace.arcs[0] + 0.5 * noise[:2, 0],
            [standing, standing],
            [0.0, 0.0],
            strides[[0, 0]],
            0.5 * noise[:2],
        )
        walked = (sides, landings, leavings, arcs, halves, speeds, strides, noise)
        sides, landings, leavings, arcs, halves, speeds, strides, noise = map(
            np.concatenate, zip(stood, walked, strict=True)
        )
    outward = np.where(sides == 0, 1.0, -1.0)
    drift = 0.5 * HIP_HEIGHT_M * scale * speeds**2 * path.curvature(arcs, span=0) / GRAVITY_M_S2
    turning = np.minimum(np.abs(speeds * path.curvature(arcs, span=0)) / (0.5 * np.pi), 1.0)
    offsets = outward * (halves + noise[:, 1] + TURN_WIDENING_M * scale * turning) - np.clip(drift, -0.15, 0.15)
    yaw = path.pose(arcs + FOOT_YAW_AHEAD_STRIDE_SHARE * strides * speeds)[:, 2] + outward * (
        np.deg2rad(style.toe_out) + noise[:, 2]
    )
    return Footsteps(
        sides=sides,
        places=np.column_stack([path.beside(arcs, offsets), yaw]),
        landings=landings,
        leavings=leavings,
        arcs=arcs,
        offsets=offsets,
        speeds=speeds,
        strides=strides,
    )


def set_apart(steps: Footsteps, path: Path, *, pace: Pace, scale: float) -> Footsteps:
    """Return the prints set further apart where the way turns, so that legs do not cross, and within the hips' turn."""
    bends = path.curvature(steps.arcs, span=0)
    turning = np.minimum(np.abs(steps.speeds * bends) / (0.5 * np.pi), 1.2)
    # Bodies lean into curves over feet that are set outward; in a turn this quick they lean less.
    inward = LEAN_TAKEN_BACK_SHARE * 0.5 * HIP_HEIGHT_M * scale * steps.speeds**2 * bends / GRAVITY_M_S2
    outward = np.where(steps.sides == 0, 1.0, -1.0)
    offsets = steps.offsets + outward * SHARP_TURN_WIDENING_M * scale * turning + np.clip(inward, -0.1, 0.1)
    facing = path.pose(pace.arc(steps.landings))[:, 2]
    yaws = facing + np.clip(steps.places[:, 2] - facing, -MAX_FOOT_TO_PELVIS_RAD, MAX_FOOT_TO_PELVIS_RAD)
    places = np.column_stack([path.beside(steps.arcs, offsets), yaws])
    return replace(steps, offsets=offsets, places=places)
