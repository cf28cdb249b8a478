"""What is asked of one character, and what comes of it: a leg of its walk, or why there is none. Metres, seconds."""

from typing import NamedTuple

from walkon._base.arrays import Array, IntArray
from walkon.graphs.walk import Walk

__all__ = ["Failure", "LegRequest", "PlannedLeg"]


class LegRequest(NamedTuple):
    """What one character shall do next."""

    hub: int
    pose: Array
    """[3] where it is."""
    time: float
    """Seconds: since when it is there."""
    goal_hub: int
    goal: Array
    """[3] where it shall be."""
    window: tuple[float, float]
    """Seconds: earliest and latest arrival."""
    path: Array
    """[P, 2] the way to follow."""
    speed: float = 1.3
    """m/s it likes to walk at."""
    hold: float = 0.0
    """Seconds for which it stays."""
    lead: float = 0.0
    tail: float = 0.0
    """Seconds that it takes to get onto the path (rising from a seat) and off it (sitting down)."""
    guide: Array | None = None
    """[K, 3] = (x, y, s) where it is expected when, between the ends of the path; None: nothing is known."""
    way: Array | None = None
    """[K, 3] the path with the heights of its floor, where floors lie above each other; None: they do not."""


class Failure(NamedTuple):
    """Why there is no leg."""

    reason: str
    blockers: IntArray
    """Characters in the way, of the last attempt that met any."""


class PlannedLeg(NamedTuple):
    """A walk that meets what was asked, and how it was found."""

    walk: Walk
    tried: int
    """Pairs that the search looked at."""
    attempts: int
    adjustment: tuple[float, float, float]
    """m/s, rad/s and s/s by which it is adjusted."""
