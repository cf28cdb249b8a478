"""Tables of holds: where props are, what hands hold on to, and what fingers do. Seconds, metres, unit quaternions."""

from dataclasses import dataclass

import numpy as np

from walkon._base.arrays import IntArray
from walkon._base.table import Column, Table, column

__all__ = ["Attachments", "Grips", "HandShapes"]


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
    """What fingers do: a shape of `walkon.motion.limbs.hands`, from `start` to `stop`, eased from and to the relaxed
    hand.

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
    """Row of `walkon.motion.limbs.hands.HAND_SHAPES`."""

    @property
    def whose(self) -> IntArray:
        """[rows] twice the character plus the hand."""
        return np.asarray(self.character.astype(np.int64) * 2 + self.hand)
