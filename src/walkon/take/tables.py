"""The tables of a take: who plays what, when and where. Seconds of the take's clock, metres, radians.

All references are row numbers of other tables, −1 for none. Places of clips are planar transforms (x, y, heading): they
take the clip's own world to the stage's. Columns are declared here and nowhere else: files, checks, joins, arguments of
kernels and the page's tables follow.
"""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from walkon._base.arrays import BoolArray, IntArray
from walkon._base.table import Column, Table, column, span

__all__ = [
    "CLIP_TABLES",
    "FACING",
    "MEANT",
    "NONE",
    "POSE",
    "POSITION",
    "TABLES",
    "WINDOW",
    "Attachments",
    "Blends",
    "Characters",
    "ClipRows",
    "ContactRuns",
    "Drops",
    "Grips",
    "HandShapes",
    "Heights",
    "LabelRuns",
    "MarkTable",
    "OverrideFrames",
    "OverrideJoints",
    "OverrideRoots",
    "Overrides",
    "Reasons",
    "References",
    "Segments",
    "Stances",
    "TrackKnots",
    "TrackTurns",
    "Tracks",
    "Warps",
    "flat_ranges",
    "flat_spans",
    "in_order",
]

Kind = TypeVar("Kind", bound=Table)

NONE = -1
"""A reference to nothing."""
POSITION, FACING, POSE, WINDOW, MEANT = 1, 2, 4, 8, 16
"""Bits of `MarkTable.asks`: what a mark asks for, and whether the take means to meet it."""


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
class Tracks(Table):
    """Places over time without joints, quantized (`geometry.tracks.Track`): discs, birds, props on their way.

    A track has a clock of its own, from 0 on. Knot k is at `tick` · step seconds, at `origin` + `grain` · place metres,
    with `speed_grain` · velocity m/s; between knots places are cubic Hermite, or straight where `speed_grain` is 0, and
    headings (or `turns`) go evenly, the shorter way. Before its first and after its last knot it stays.
    """

    knots: Column = span("track_knots")
    turns: Column = span("track_turns")
    """Rotations of the knots, where a heading does not say enough; none otherwise."""
    tick: Column = column("float64")
    """Seconds."""
    origin: Column = column("float64", 3)
    """(x, y, z) metres."""
    grain: Column = column("float32")
    """Metres."""
    speed_grain: Column = column("float32")
    """m/s."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TrackKnots(Table):
    """Knots of tracks, in steps of what their tracks say."""

    step: Column = column("uint16")
    place: Column = column("int16", 3)
    heading: Column = column("int16")
    """π / 32768 rad."""
    velocity: Column = column("int8", 3)


@dataclass(frozen=True, eq=False, kw_only=True)
class TrackTurns(Table):
    """Rotations of knots, to the world of the track (see `rotations48`)."""

    rotation: Column = column("uint16", 3)


@dataclass(frozen=True, eq=False, kw_only=True)
class References(Table):
    """Reference trajectories: where a character was asked to be, all the time; stretches of tracks, placed.

    Like marks they ask, and move nobody: what a character was given bodies for, what it is measured against.
    """

    character: Column = column("int32", to="characters")
    start: Column = column("float64")
    stop: Column = column("float64")
    """Seconds of the take; stretches of one character do not overlap."""
    track: Column = column("int32", to="tracks")
    track_start: Column = column("float64")
    """Seconds of the track's clock at `start`."""
    place: Column = column("float64", 3)
    """Where the track's world lies on the stage: (x, y, heading)."""


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
    rate_in: Column = column("float32", 3)
    """m/s at which that shift changes there, so that the swing ends as the stance begins."""
    rate_out: Column = column("float32", 3)
    toe_in: Column = column("float32")
    """Radians by which the toes bend at the landing: heel and ball are then as far apart as their places (`toes`)."""
    toe_out: Column = column("float32")

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


@dataclass(frozen=True, eq=False, kw_only=True)
class Attachments(Table):
    """Where props are, stretch by stretch: at rest on the stage, on a track, or held by a joint of a character.

    At any moment a prop has one source of its pose: stretches of one prop do not overlap. In the frame of what holds it
    (the stage, the track, the joint) it goes evenly from one pose to another (see `walkon.take.posing.props`).
    """

    prop: Column = column("int32", to="props")
    """Row of `Take.props`."""
    start: Column = column("float64")
    stop: Column = column("float64")
    """Seconds of the take."""
    character: Column = column("int32", to="characters", none=True)
    """Row of `Take.characters`, or −1 where nobody holds it."""
    joint: Column = column("int32")
    """Joint of that character's body, or −1."""
    track: Column = column("int32", to="tracks", none=True)
    """Row of `Tracks`, or −1; only where nobody holds it."""
    track_start: Column = column("float64")
    """Seconds of the track's clock at `start`."""
    pose: Column = column("float64", 2, 7)
    """(x, y, z, qw, qx, qy, qz) at start and stop in that frame, metres and unit quaternions."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Grips(Table):
    """What holds a palm, as stances hold feet: a frame (a prop, the stage, a joint), and a pose of the palm in it.

    From `start` to `stop` the arm is solved onto it; before and after, the arm is eased from and to what it does
    otherwise. Grips of one hand do not overlap (see `walkon.take.posing.holding`).
    """

    character: Column = column("int32", to="characters")
    hand: Column = column("int8")
    """0 left, 1 right."""
    start: Column = column("float64")
    stop: Column = column("float64")
    """Seconds of the take."""
    fade_in: Column = column("float32")
    fade_out: Column = column("float32")
    """Seconds before `start` and after `stop` over which the arm comes and goes, less where the next grip is nearer."""
    prop: Column = column("int32", to="props", none=True)
    """Row of `Take.props`, or −1."""
    other: Column = column("int32", to="characters", none=True)
    """Whose joint it holds on to, or −1; with neither it is the stage."""
    joint: Column = column("int32")
    """Joint of that character's body, or −1."""
    pose: Column = column("float64", 2, 7)
    """(x, y, z, qw, qx, qy, qz) of the palm at start and stop in that frame, metres and unit quaternions."""
    swivel: Column = column("float32", 2)
    """Radians at start and stop by which the elbow is turned about the line from shoulder to wrist."""

    @property
    def whose(self) -> IntArray:
        """[rows] twice the character plus the hand: a number for each hand of each character."""
        return np.asarray(self.character.astype(np.int64) * 2 + self.hand)


@dataclass(frozen=True, eq=False, kw_only=True)
class HandShapes(Table):
    """What fingers do: a shape of `walkon.motion.hands`, from `start` to `stop`, eased from and to the relaxed hand.

    Shapes of one hand do not overlap; two that follow each other closely each have half of the time between.
    """

    character: Column = column("int32", to="characters")
    hand: Column = column("int8")
    """0 left, 1 right."""
    start: Column = column("float64")
    stop: Column = column("float64")
    fade_in: Column = column("float32")
    fade_out: Column = column("float32")
    """Seconds before `start` and after `stop`."""
    shape: Column = column("uint8")
    """Row of `walkon.motion.hands.HAND_SHAPES`."""

    @property
    def whose(self) -> IntArray:
        """[rows] twice the character plus the hand."""
        return np.asarray(self.character.astype(np.int64) * 2 + self.hand)


@dataclass(frozen=True, eq=False, kw_only=True)
class MarkTable(Table):
    """The marks of all characters. What a mark leaves free has no bit in `asks`, and its columns mean nothing."""

    character: Column = column("int32", to="characters")
    """Row of `Take.characters`."""
    asks: Column = column("uint8")
    """Bits: `POSITION` 1, `FACING` 2, `POSE` 4, `WINDOW` 8; `MEANT` 16 where the take means to meet it."""
    position: Column = column("float64", 2)
    """(x, y) in metres on the stage."""
    facing: Column = column("float64")
    """Heading in radians."""
    window: Column = column("float64", 2)
    """Seconds: the earliest and the latest time at which it may be met."""
    hold: Column = column("float64")
    """Seconds for which it is to be held from then on."""
    met: Column = column("float64")
    """Seconds, of any sign: when the take means to meet it, with the bit `MEANT`."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Reasons(Table):
    """Why characters do what they do: stretches of time, each with its kind and what that kind is about.

    A character has at most one reason at a time. Kinds and their words are declared in `walkon.take.reasons`. What a
    row refers to may go, then the reference is −1; a row goes with its own character.
    """

    character: Column = column("int32", to="characters")
    """Row of `Take.characters`: whose reason it is."""
    start: Column = column("float64")
    stop: Column = column("float64")
    """Seconds of the take."""
    kind: Column = column("uint8")
    """Number of a `ReasonKind`."""
    mark: Column = column("int32", to="marks", none=True)
    """Row of `MarkTable`, anybody's, or −1."""
    other: Column = column("int32", to="characters", none=True)
    """Row of `Take.characters`: another one whom it is about, or −1."""
    prop: Column = column("int32", to="props", none=True)
    """Row of `Take.props`, or −1."""
    note: Column = column("int32", to="notes", none=True)
    """Row of `Take.notes`, or −1."""
    number: Column = column("float64")
    """Of the quantity and in the unit of the kind; 0 where the kind has none."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ClipRows(Table):
    """One row per clip."""

    skeleton: Column = column("int32", to="skeletons")
    """Row of the take's skeletons."""
    fps: Column = column("float64")
    first_frame: Column = column("int64")
    """Where the clip begins in the roots."""
    frames: Column = column("int32")
    first_rotation: Column = column("int64")
    """Where it begins in the rotations: frame after frame, in each frame channel after channel."""
    hinges: Column = column("float32", 4, 3)
    """Axes about which the left and the right knee bend, in the frames of the hip joints, and the left and the right
    elbow, in those of the shoulder joints; zero without the limb.
    """


@dataclass(frozen=True, eq=False, kw_only=True)
class ContactRuns(Table):
    """Unbroken contacts of clips, frames start to stop − 1, on a support of this height (metres)."""

    clip: Column = column("int32", to="clips")
    point: Column = column("int8")
    start: Column = column("int32")
    stop: Column = column("int32")
    height: Column = column("float32")


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelRuns(Table):
    """Frames start to stop − 1 of a clip that have a label (row of the take's label names)."""

    clip: Column = column("int32", to="clips")
    label: Column = column("int32", to="label_names")
    start: Column = column("int32")
    stop: Column = column("int32")


TABLES: dict[str, type[Table]] = {
    "characters": Characters,
    "segments": Segments,
    "warps": Warps,
    "blends": Blends,
    "tracks": Tracks,
    "track_knots": TrackKnots,
    "track_turns": TrackTurns,
    "references": References,
    "heights": Heights,
    "overrides": Overrides,
    "override_joints": OverrideJoints,
    "override_frames": OverrideFrames,
    "override_roots": OverrideRoots,
    "stances": Stances,
    "drops": Drops,
    "attachments": Attachments,
    "grips": Grips,
    "hand_shapes": HandShapes,
    "marks": MarkTable,
    "reasons": Reasons,
}
"""Tables of a take by field. What refers to rows stands before what it refers to, but for characters and marks."""
CLIP_TABLES: dict[str, type[Table]] = {"rows": ClipRows, "contacts": ContactRuns, "labels": LabelRuns}
"""Tables of the clips of a take by field."""


def in_order(table: Kind, group: Column, time: Column) -> Kind:
    """Return the table sorted by group and time; as it is, without a copy, where it is sorted already."""
    if bool(np.all((np.diff(group) > 0) | ((np.diff(group) == 0) & (np.diff(time) >= 0)))):
        return table
    return table.rows(np.lexsort((time, group)))


def flat_ranges(first: IntArray, counts: IntArray) -> IntArray:
    """Return first[0], first[0] + 1, … (counts[0] of them), first[1], …: the rows of several ranges, one by one."""
    counts = np.asarray(counts, dtype=np.int64)
    return np.repeat(first - (np.cumsum(counts) - counts), counts) + np.arange(int(counts.sum()))


def flat_spans(spans: IntArray) -> IntArray:
    """Return the rows of ranges [n, 2] = (first, stop), one by one."""
    return flat_ranges(spans[:, 0], spans[:, 1] - spans[:, 0])
