"""What is asked of one character, and what comes of it: a plan, or why there is none. Metres, seconds, radians."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from walkon._base.arrays import Array, IntArray

__all__ = ["Failure", "LegRequest", "Plan"]


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


class Failure(NamedTuple):
    """Why there is no plan."""

    reason: str
    blockers: IntArray
    """Characters in the way, of the last attempt that met any."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan:
    """n edges one after another, from when on and where; the body is displaced by offsets that grow evenly."""

    edges: IntArray
    """[n] rows of the plan graph."""
    poses: Array
    """[n, 3] planar pose at the start of each edge, not displaced."""
    offsets: Array
    """[n, 3] displacement at the start of each edge: x, y, heading."""
    slopes: Array
    """[n, 3] per second."""
    starts: Array
    """[n + 1] seconds; the last one is the arrival."""
    rate: float
    """Speed at which all edges play."""
    tried: int = 0
    """Pairs that the search looked at."""
    attempts: int = 0
    adjustment: tuple[float, float, float] = field(default=(0.0, 0.0, 0.0))
    """m/s, rad/s and s/s by which it is adjusted."""

    def split(self, count: int) -> tuple["Plan", "Plan"]:
        """Return the first `count` edges and the others; what the search tells of it stays with the latter."""
        first = Plan(
            edges=self.edges[:count],
            poses=self.poses[:count],
            offsets=self.offsets[:count],
            slopes=self.slopes[:count],
            starts=self.starts[: count + 1],
            rate=self.rate,
        )
        last = replace(
            self,
            edges=self.edges[count:],
            poses=self.poses[count:],
            offsets=self.offsets[count:],
            slopes=self.slopes[count:],
            starts=self.starts[count:],
        )
        return first, last
