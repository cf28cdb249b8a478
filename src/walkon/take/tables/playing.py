"""Tables of motion: who is in a take, which clips they play when and where, and how their bodies are moved from there.

Seconds of the take's clock, metres, radians.
"""

from dataclasses import dataclass

import numpy as np

from walkon._base.arrays import BoolArray, IntArray
from walkon._base.table import Column, Table, column, span

__all__ = [
    "Blends",
    "Characters",
    "Drops",
    "Heights",
    "OverrideFrames",
    "OverrideJoints",
    "OverrideRoots",
    "Overrides",
    "Segments",
    "Stances",
    "Warps",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class Characters(Table):
    """Who is in the take, a row each. A character is there while a segment of it runs, from `enter` to `leave`."""

    body: Column = column("int32", to="bodies")
    """Row of `Take.bodies`."""
    scale: Column = column("float32")
    """Size over that body's: all lengths are multiplied by it."""
    stride: Column = column("float32")
    """By what displacements along the floor are multiplied: the scale, unless the body was exchanged afterwards."""
    colour: Column = column("float32", 3)
    """Red, green, blue in 0 to 1."""
    enter: Column = column("float64")
    leave: Column = column("float64")
    """Seconds between which its segments are shown; where both are equal (0), all of them. Segments that a cut goes
    through stay whole, so that they pose as before."""
    drop_start: Column = column("float64")
    """Seconds: the time of step 0 of its drops; 0 unless it was shifted in time afterwards."""
    near: Column = column("float64")
    """Metres: where floors lie above each other, it enters on the one that is nearest to this height."""

    @property
    def limited(self) -> BoolArray:
        """[rows] whether `enter` and `leave` say when the character is shown."""
        return np.asarray(self.leave > self.enter)


@dataclass(frozen=True, eq=False, kw_only=True)
class Segments(Table):
    """Stretches of a character's time, each from a clip, a track or a clip along a track, placed, warped and blended.

    At take time t, with τ = t − start and D = stop − start, the clip is read at
        u = clip_start + rate_start τ + (rate_stop − rate_start) τ² / 2 D,
    so its speed runs evenly from one rate to the other; a rate of 0 holds a pose.
    """

    character: Column = column("int32", to="characters")
    """Row of `Take.characters`."""
    start: Column = column("float64")
    stop: Column = column("float64")
    """Seconds of the take; segments of one character do not overlap."""
    clip: Column = column("int32", to="clips", none=True)
    """Row of `Take.clips`, or −1 where there is only a track."""
    clip_start: Column = column("float64")
    """Seconds from the clip's first frame."""
    rate_start: Column = column("float32")
    rate_stop: Column = column("float32")
    """Seconds of the clip per second of the take at `start` and at `stop`, 0 to 16."""
    place: Column = column("float64", 3)
    """Where the clip's own world, or the track's, lies on the stage: (x, y, heading), metres and radians."""
    warp: Column = column("int32", to="warps", none=True)
    """Row of `Warps`, or −1."""
    blend: Column = column("int32", to="blends", none=True)
    """Row of `Blends`, or −1."""
    track: Column = column("int32", to="tracks", none=True)
    """Row of `Tracks`, or −1. With a clip, the track carries the root and the clip plays in its frame."""
    track_start: Column = column("float64")
    """Seconds of the track's clock at `start`; it goes on at real speed."""
    edge: Column = column("int32")
    """Number of the graph's edge behind this segment, or −1."""
    mark: Column = column("int32", to="marks", none=True)
    """Row of `MarkTable` that the character is on its way to, or that it holds; one of its own, or −1."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Warps(Table):
    """Slow planar displacements of a segment: the body is shifted by d(t) and turned about its root by φ(t).

    (d, φ) is the cubic with these values and slopes at the segment's start and stop; equal values and zero slopes are a
    constant shift, slopes equal to the secant a linear ramp. Joined segments with equal values and slopes are C1.
    """

    offsets: Column = column("float32", 2, 3)
    """(x, y, heading) at start and stop, m and rad, in the stage's axes."""
    slopes: Column = column("float32", 2, 3)
    """The same per second."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Blends(Table):
    """What a segment fades in from: another clip, read and placed like a segment's own.

    Its weight is α(p) = 2p³ − 3p² + 1, p = (t − start) / duration, and 0 after that (Kovar 2002, C1 weights).
    """

    clip: Column = column("int32", to="clips")
    clip_start: Column = column("float64")
    rate_start: Column = column("float32")
    rate_stop: Column = column("float32")
    """Rates at the start and the end of the fade."""
    place: Column = column("float64", 3)
    duration: Column = column("float32")


@dataclass(frozen=True, eq=False, kw_only=True)
class Heights(Table):
    """How high the floor is that a character's clips are played on: knots of a cubic Hermite curve, C1.

    Before its first and after its last knot it stays; without any it is 0. Tracks have heights of their own.
    """

    character: Column = column("int32", to="characters")
    time: Column = column("float64")
    """Seconds of the take."""
    height: Column = column("float64")
    """Metres above z = 0."""
    slope: Column = column("float32")
    """m/s."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Overrides(Table):
    """Dense tracks of some joints' local rotations, and of root offsets, for a while, fading in and out.

    Its frames hold `joints` after `joints` in `rotations`; either may be empty.
    """

    character: Column = column("int32", to="characters")
    start: Column = column("float64")
    stop: Column = column("float64")
    fade_in: Column = column("float32")
    fade_out: Column = column("float32")
    """Seconds over which the track's weight rises from 0 and falls to 0."""
    rate: Column = column("float32")
    """Frames per second; the first is at `start`."""
    frames: Column = column("int32")
    added: Column = column("uint8")
    """1: rotations are added, local = own · track; 0: they replace the joint's own."""
    joints: Column = span("override_joints")
    rotations: Column = span("override_frames")
    roots: Column = span("override_roots")
    """Offsets of the root, one a frame; none where they are not meant to move it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class OverrideJoints(Table):
    """Which joints of a body an override turns, ascending."""

    joint: Column = column("int32")


@dataclass(frozen=True, eq=False, kw_only=True)
class OverrideFrames(Table):
    """Quantized local rotations (see `rotations48`), frame after frame, in each frame joint after joint."""

    rotation: Column = column("uint16", 3)


@dataclass(frozen=True, eq=False, kw_only=True)
class OverrideRoots(Table):
    """Offsets of roots, frame after frame."""

    offset: Column = column("float32", 3)
    """Metres, in the stage's axes."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Stances(Table):
    """What holds a foot: from when to when its heel and its ball are planted, and where.

    Between two stances the foot follows the clip, shifted and turned by what the end of one and the start of the other
    need, eased over the swing. Rows are sorted by character, foot and start.
    """

    character: Column = column("int32", to="characters")
    foot: Column = column("int8")
    """0 left, 1 right."""
    start: Column = column("float64")
    stop: Column = column("float64")
    heel: Column = column("float32", 2)
    """Seconds after `start` at which the heel is planted and lifted; equal where it never is."""
    ball: Column = column("float32", 2)
    heel_place: Column = column("float64", 3)
    """World place of the heel's contact point, metres: far from the origin float32 would have steps of millimetres."""
    ball_place: Column = column("float64", 3)
    turn_in: Column = column("float32", 3)
    """Rotation vector (world, rad) that turns the clip's foot at the landing."""
    turn_out: Column = column("float32", 3)
    """The same at the lift-off."""
    shift_in: Column = column("float32", 3)
    """Metres by which the clip's ankle is moved at the landing."""
    shift_out: Column = column("float32", 3)
    """The same at the lift-off, with the heel risen."""
    rate_in: Column = column("float32", 3)
    """m/s at which that shift changes there, so that the swing ends as the stance begins."""
    rate_out: Column = column("float32", 3)
    toe_in: Column = column("float32")
    """Radians by which the toes bend at the landing: heel and ball are then as far apart as their places (`toes`)."""
    toe_out: Column = column("float32")
    roll: Column = column("float32")
    """Radians about the way from heel to ball by which the foot turns while it lies flat: the floor's slope across."""
    rise: Column = column("float32")
    """Radians by which the heel may rise, once it is up, to spare the leg (`heel_rise`); 0 on level floors."""
    turn_off: Column = column("float32", 3)
    """Rotation vector with which the swing after this stance begins: `turn_out` with the heel risen (`heel_rise`)."""
    toe_off: Column = column("float32")
    """Radians by which the toes bend then."""
    lift: Column = column("float32")
    """Metres by which the swing after this stance is higher in its middle, to clear the floor."""

    @property
    def whose(self) -> IntArray:
        """[rows] twice the character plus the foot: a number for each foot of each character."""
        return np.asarray(self.character.astype(np.int64) * 2 + self.foot)


@dataclass(frozen=True, eq=False, kw_only=True)
class Drops(Table):
    """By how much a root comes down so that legs reach their plants: control points of a cubic B-spline.

    Control points are multiples of `posing_rule.DROP_STEP_S` seconds apart, counted from the character's `drop_start`;
    those that are missing are zero.
    """

    character: Column = column("int32", to="characters")
    step: Column = column("int32")
    """Time of the control point since `drop_start`, over `DROP_STEP_S`."""
    drop: Column = column("float32")
    """Metres."""
