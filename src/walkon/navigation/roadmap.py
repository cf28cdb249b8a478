"""The probabilistic roadmap of Sung, Kovar & Gleicher 2005, section 3.2: ways over the stage for one size of body.

Nodes are random places outside obstacles, edges join nodes within a threshold distance that see each other, start and
goal are joined to all nodes that they see, and the cheapest way is cut short (`shortcutting`). Beyond the paper:

* A body has a radius: a line of sight keeps `radius + margin` from every wall, exactly (`walls`).
* Corners of free space are nodes too (`roadmap_graph`), pushed out to `radius + 0.1` m where there is room: paths come
  within a few per cent of the shortest, no door is missed by chance, and nobody scrapes along a wall who need not.
  `corners=False` gives the paper's own roadmap.
* Whether there is a way at all is known beforehand, from the parts of free space (`free_space`).
* The search is A* with lazy ends: lines from the start and to the goal are looked along only when their turn comes.
* A start or a goal may be nearer to a wall than the radius, or in a chair: the path leaves it the shortest way, or
  straight ahead where its facing is given. Only these first and last lines come nearer to walls than the radius.

Ground plane (x, y), metres, radians. A path is [P, 2]: start, way points, goal.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from threading import Lock

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, IntArray, lock_array
from walkon._base.chance import Purpose, stream
from walkon._base.errors import InvalidShape, InvalidValue
from walkon._base.threads import in_chunks
from walkon.navigation.roadmap_ends import Ends, ends_of, with_ends
from walkon.navigation.roadmap_graph import NO_ROADS, RoadGraph, road_graph, sampled_box
from walkon.navigation.roadmap_paths import RoadmapPaths
from walkon.stage import Stage
from walkon.stage.free_parts import FreeParts
from walkon.stage.free_space import FreeSpace
from walkon.stage.walls import Walls, are_clear

__all__ = ["Roadmap"]

ROADMAP_MARGIN_M, COMFORT_MARGIN_M, CORNER_MARGIN_M = 0.02, 0.05, 0.1
"""m beyond the radius: what every line keeps; what it prefers to keep; where paths bend around corners."""
SAMPLES_PER_M2, MIN_SAMPLE_COUNT, MAX_SAMPLE_COUNT = 0.25, 32, 600
"""How many random samples a stage gets unless told."""
PATH_SPACING_M = 0.5
"""m between points put into paths over random samples before they are cut short."""
CHUNK_PAIR_COUNT, FIRST_WAY_POINT_COUNT = 128, 256
"""Pairs per thread at a time, and way points of a path at first; longer ones are routed again with room."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Roadmap:
    """Ways over one stage for bodies of one radius."""

    radius: float
    """m."""
    need: float
    """m that every line keeps from walls."""
    comfort: float
    """m that lines prefer to keep."""
    parts: FreeParts | None
    """Where a body may be; None: anywhere, nothing is in the way."""
    walls: Walls
    _made: Callable[[], RoadGraph] = field(repr=False)
    named: Callable[[Array], Array] = np.asarray
    """From places [2] to those that sentences speak of: the same, unless ways are looked for in another frame."""

    @classmethod
    def of(
        cls,
        stage: Stage,
        *,
        radius: float,
        seed: int = 0,
        samples: int | None = None,
        threshold: float = 4.0,
        margin: float = ROADMAP_MARGIN_M,
        corners: bool = True,
        named: Callable[[Array], Array] = np.asarray,
    ) -> "Roadmap":
        """Build the roadmap of a stage for bodies of a radius (m).

        `samples` random nodes (by the size of the stage unless told) are joined within `threshold` m. The same seed
        gives the same roadmap. `named` says what places are called in sentences.
        """
        for name, value in (("radius", radius), ("threshold", threshold), ("margin", margin)):
            if not (np.isfinite(value) and 0 <= value <= 1000 and (value > 0 or name == "margin")):
                raise InvalidValue(f"{name} must be over 0 and up to 1000 m, got {value:g}")
        if samples is not None and not 0 <= samples <= 100_000:
            raise InvalidValue(f"a roadmap takes 0 to 100,000 samples, got {samples}")
        space = FreeSpace.of(stage, radius=radius)
        need, comfort = radius + margin, radius + max(margin, COMFORT_MARGIN_M)
        walls, parts = space.walls(comfort), space.parts(need)

        def make() -> RoadGraph:
            if parts is None:
                return NO_ROADS
            return road_graph(
                parts,
                walls,
                rng=stream(seed, Purpose.ROADMAP),
                samples=_sample_count(parts) if samples is None else samples,
                threshold=threshold,
                comfort=comfort,
                ring=radius + max(margin, CORNER_MARGIN_M),
                corners=corners,
            )

        # It is made when somebody first asks for a way that is not straight, once.
        return cls(radius=radius, need=need, comfort=comfort, parts=parts, walls=walls, _made=_once(make), named=named)

    @property
    def graph(self) -> RoadGraph:
        """Nodes and edges."""
        return self._made()

    def __repr__(self) -> str:
        corners = int(self.graph.corners.sum())
        parts = 1 if self.parts is None else len(self.parts.parts)
        return (
            f"Roadmap(radius {self.radius:g} m, {corners} corners and {len(self.graph.nodes) - corners} samples, "
            f"{len(self.graph.ends) // 2} edges, {parts} parts)"
        )

    def why_not(self, start: ArrayLike, goal: ArrayLike) -> str:
        """Say why there is no way between two places; empty where there is one."""
        return self.paths(_places(start), _places(goal)).reasons[0]

    def sees(self, starts: ArrayLike, *, ends: ArrayLike) -> BoolArray:
        """Return [N] whether one can walk straight from starts to ends [N, 2]."""
        return are_clear(self.walls, _places(starts), ends=_places(ends), radius=self.need)

    def approach(self, points: ArrayLike, *, facing: ArrayLike | None = None) -> Array:
        """Return [N, 2] the places from which points [N, 2] are reached: themselves in free space, else where the
        shortest way (or the one straight ahead) leads into it; NaN where that is over 1.25 m away or behind a wall.
        """
        places = _places(points)
        return self._ends(places, places, facing, facing).starts.copy()

    def path(
        self,
        start: ArrayLike,
        goal: ArrayLike,
        *,
        start_facing: float | None = None,
        goal_facing: float | None = None,
    ) -> Array | None:
        """Return way points [P, 2] from start to goal, both included, or None (`why_not` says why)."""
        return self.paths(_places(start), _places(goal), start_facing=start_facing, goal_facing=goal_facing)[0]

    def paths(
        self,
        starts: ArrayLike,
        goals: ArrayLike,
        *,
        start_facing: ArrayLike | None = None,
        goal_facing: ArrayLike | None = None,
    ) -> RoadmapPaths:
        """Find the ways of N pairs [N, 2] at once; a pair's way does not depend on the other pairs.

        Facings [N] (radians, NaN for none) say how places outside free space, such as seats, are left and entered.
        """
        a, b = _places(starts), _places(goals)
        if len(a) != len(b):
            raise InvalidShape(f"each start needs a goal, got {len(a)} starts and {len(b)} goals")
        ends = self._ends(a, b, start_facing, goal_facing)
        fine = np.flatnonzero([reason == "" for reason in ends.reasons])
        counts = np.zeros(len(a), np.int64)
        points, counts[fine] = self._routed(ends.starts[fine], ends.goals[fine])
        reasons = list(ends.reasons)
        for pair in fine[counts[fine] == 0]:
            reasons[pair] = "there is a way, but the roadmap has none; build it with corners or with more samples"
        offsets = np.concatenate([[0], np.cumsum(counts)])
        points, offsets = with_ends(points, offsets, ends, walls=self.walls, need=self.need)
        return RoadmapPaths(points=points, offsets=offsets, reasons=tuple(reasons))

    def _ends(self, starts: Array, goals: Array, start_facing: ArrayLike | None, goal_facing: ArrayLike | None) -> Ends:
        return ends_of(
            self.parts,
            starts,
            goals,
            walls=self.walls,
            facing=(_angles(start_facing, len(starts)), _angles(goal_facing, len(goals))),
            radius=self.radius,
            named=self.named,
        )

    def _routed(self, starts: Array, goals: Array, longest: int = FIRST_WAY_POINT_COUNT) -> tuple[Array, IntArray]:
        """Return the points of all paths end to end, and how many each has."""
        from walkon.navigation import _roadmap_kernels as kernels

        counts = np.zeros(len(starts), np.int64)
        found: dict[int, Array] = {}
        straight = np.zeros(len(starts), np.bool_)
        kernels.are_straight(self.walls, starts, goals, self.need, self.comfort, straight)
        graph = NO_ROADS if straight.all() else self.graph

        def work(first: int, stop: int) -> None:
            room = np.empty((stop - first, longest, 2))
            these = slice(first, stop)
            margins = (self.need, self.comfort, PATH_SPACING_M)
            kernels.route(self.walls, graph, starts[these], goals[these], *margins, room, counts[these])
            found[first] = room[np.arange(longest) < counts[these, None]]

        in_chunks(work, len(starts), chunk=CHUNK_PAIR_COUNT)
        points = np.concatenate([np.zeros((0, 2)), *(found[first] for first in sorted(found))])
        long = np.flatnonzero(counts < 0)
        if not len(long):
            return points, counts
        more, counts_of_long = self._routed(starts[long], goals[long], longest=len(self.graph.nodes) + 2)
        at = np.cumsum(np.maximum(counts, 0))[long]
        counts[long] = counts_of_long
        return np.insert(points, np.repeat(at, counts_of_long), more, axis=0), counts


def _once(make: Callable[[], RoadGraph]) -> Callable[[], RoadGraph]:
    """Return a function that makes something at its first call, whichever thread calls it, and keeps it."""
    lock, kept = Lock(), cache(make)

    def get() -> RoadGraph:
        with lock:
            return kept()

    return get


def _sample_count(parts: FreeParts) -> int:
    """Return how many random samples a stage gets: by the box that its walls lie in."""
    low, high = sampled_box(parts)
    return int(np.clip(SAMPLES_PER_M2 * np.prod(high - low), MIN_SAMPLE_COUNT, MAX_SAMPLE_COUNT))


def _places(points: ArrayLike) -> Array:
    """Return places as [N, 2]; one place is N = 1."""
    places = np.asarray(points, dtype=np.float64)
    locked: Array = lock_array(places[None] if places.ndim == 1 else places, (None, 2), name="places")
    return locked


def _angles(facing: ArrayLike | None, count: int) -> Array | None:
    if facing is None:
        return None
    angles = np.atleast_1d(np.asarray(facing, dtype=np.float64))
    if angles.shape != (count,) or np.isinf(angles).any():
        raise InvalidShape(f"facings are one angle (or NaN) for each of {count} places, got an array {angles.shape}")
    return angles
