"""The score: a take as the posing kernel reads it. Its tables, with ranges of rows per character (see `score`).

Columns are declared in `walkon.take.tables`, and kernels' argument types follow from them.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from walkon._base.table import Column, Table, column
from walkon.take.tables import (
    Blends,
    Characters,
    ClipRows,
    Drops,
    Heights,
    OverrideFrames,
    OverrideJoints,
    OverrideRoots,
    Overrides,
    Segments,
    Stances,
    TrackKnots,
    Tracks,
    TrackTurns,
    Warps,
)

__all__ = ["ClipFrames", "Ranges", "Rigs", "Score"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Rigs(Table):
    """The B bodies of a take. J is the largest number of joints; what a smaller body lacks hangs on its root."""

    joints: Column = column("int32")
    """[B] how many joints each has; 1 where nobody with this body ever plays a clip."""
    parents: Column = column("int32", None)
    """[B, J]."""
    channels: Column = column("int32", None)
    """[B, J] place of the joint in a stored frame, −1 where it never turns."""
    offsets: Column = column("float64", None, 3)
    """[B, J, 3] metres."""
    legs: Column = column("int32", 2, 4)
    """[B, 2, 4] hip, knee, ankle, ball of the left and the right leg; −1 without legs."""
    leg_of: Column = column("int8", None)
    """[B, J] which leg a joint hangs on, −1 for none."""
    heels: Column = column("float64", 2, 3)
    """[B, 2, 3] metres, heel contact in the ankle's frame."""
    balls: Column = column("float64", 2, 3)
    """[B, 2, 3] metres, ball contact in the ball joint's frame."""
    heights: Column = column("float64", None)
    """[B, K] by what the height of a clip's root is multiplied for this body: leg over leg."""
    rest_height: Column = column("float64")
    """[B] metres of the root above the floor at rest; 0 of what does not stand."""


class ClipFrames(NamedTuple):
    """The frames of the K clips of a take: F frames and R rotations in all."""

    channels: Annotated[Column, "int32", 1]
    """[K] rotations per frame."""
    roots: Annotated[Column, "float32", 2]
    """[F, 3] metres, in the clip's own world."""
    rotations: Annotated[Column, "uint16", 2]
    """[R, 3] quantized (see `rotations48`)."""
    contacts: Annotated[Column, "uint8", 1]
    """[F] bit c where contact point c (order of `FOOT_CONTACTS`) is down."""


class Ranges(NamedTuple):
    """Which rows of a table are whose: those of character n are rows first[n] to first[n + 1] − 1."""

    segments: Annotated[Column, "int64", 1]
    """[N + 1]."""
    stances: Annotated[Column, "int64", 1]
    """[2 N + 1] of each foot of each character."""
    drops: Annotated[Column, "int64", 1]
    """[N + 1]."""
    overrides: Annotated[Column, "int64", 1]
    """[N + 1]."""
    heights: Annotated[Column, "int64", 1]
    """[N + 1]."""


class Score(NamedTuple):
    """Everything that posing reads; tables as their columns (`Table.group`), sorted by character and start."""

    rigs: Rigs
    clips: ClipRows
    frames: ClipFrames
    first: Ranges
    characters: Characters
    segments: Segments
    warps: Warps
    blends: Blends
    tracks: Tracks
    track_knots: TrackKnots
    track_turns: TrackTurns
    heights: Heights
    overrides: Overrides
    override_joints: OverrideJoints
    override_frames: OverrideFrames
    override_roots: OverrideRoots
    stances: Stances
    drops: Drops
