"""Tables of tracks: places over time without joints, quantized. Metres, seconds."""

from dataclasses import dataclass

from walkon._base.table import Column, Table, column, span

__all__ = ["TrackKnots", "TrackTurns", "Tracks"]


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
