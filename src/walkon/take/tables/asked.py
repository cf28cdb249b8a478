"""Tables of what was asked of characters, and why they do what they do: marks, references, reasons. Seconds, metres."""

from dataclasses import dataclass

from walkon._base.table import Column, Table, column

__all__ = ["FACING", "HEIGHT", "MEANT", "POSE", "POSITION", "WINDOW", "MarkTable", "Reasons", "References"]

POSITION, FACING, POSE, WINDOW, MEANT, HEIGHT = 1, 2, 4, 8, 16, 32
"""Bits of `MarkTable.asks`: what a mark asks for, and whether the take means to meet it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MarkTable(Table):
    """The marks of all characters. What a mark leaves free has no bit in `asks`, and its columns mean nothing."""

    character: Column = column("int32", to="characters")
    """Row of `Take.characters`."""
    asks: Column = column("uint8")
    """Bits: `POSITION` 1, `FACING` 2, `POSE` 4, `WINDOW` 8, `HEIGHT` 32; `MEANT` 16 where the take means to meet it."""
    position: Column = column("float64", 2)
    """(x, y) in metres on the stage."""
    height: Column = column("float64")
    """Metres: z of the floor that is meant, where several lie above each other."""
    facing: Column = column("float64")
    """Heading in radians."""
    window: Column = column("float64", 2)
    """Seconds: the earliest and the latest time at which it may be met."""
    hold: Column = column("float64")
    """Seconds for which it is to be held from then on."""
    met: Column = column("float64")
    """Seconds, of any sign: when the take means to meet it, with the bit `MEANT`."""


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
