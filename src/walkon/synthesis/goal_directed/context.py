"""What all characters of a performance share: the graph in every size and state, the stage, and who is where when.

A state is what somebody can do now: on foot, or carrying; sitting is left and entered through on foot. Each thread has
planners of its own; what they look at is the same. Metres, seconds.
"""

import threading
import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray
from walkon._base.profiling import stage
from walkon.graphs.snap_together.lifts import Lifts
from walkon.graphs.snap_together.pose_words import hub_for
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.graphs.walk import Walk
from walkon.motion.footprint import MAX_MEETING_RISE_M
from walkon.navigation.roadmap import Roadmap
from walkon.planning.occupancy import BIN_S, Occupancy
from walkon.stage import Stage
from walkon.stage.distance_grid import read_grid
from walkon.stage.free_space import FreeSpace
from walkon.stage.storeys import stage_of
from walkon.synthesis.goal_directed.plan_graph import PlanGraph, plan_graph
from walkon.synthesis.goal_directed.planner import Planner
from walkon.synthesis.goal_directed.search_rule import SearchRule
from walkon.synthesis.goal_directed.storeys import MEETING_RISE_SPARE_M

__all__ = ["PlanningContext", "Storey"]

ROOMS_M = (0.7, 0.6, 0.5, 0.45, 0.4, 0.35, 0.3)
"""m of room for arms that are told apart where others are near."""
ROOM_LOOKED_S = 60.0
"""s for which it is looked who is near."""
IN_STEP_M = 3.0
"""m within which two people who do the same in step are noticed."""


class Storey(NamedTuple):
    """Where some of the people can walk: what is on their floor."""

    space: FreeSpace
    roadmap: Roadmap


@dataclass(eq=False, kw_only=True)
class PlanningContext:
    """The shared part of a performance."""

    graph: SnapGraph
    space: FreeSpace
    roadmap: Roadmap
    rule: SearchRule
    occupancy: Occupancy = field(default_factory=Occupancy)
    roadmap_s: float = 0.0
    """s that all threads spent on looking for ways."""
    seed: int = 0
    """Of the roadmaps of floors that lie above each other."""
    _seen: dict[tuple[int, int], list[tuple[float, float, float, float, int]]] = field(default_factory=dict)
    """Cell of `IN_STEP_M` m → (x, y, z, seconds, edge) of how people near there set out and arrive."""
    _grounds: dict[Stage, Storey] = field(default_factory=dict)
    _graphs: dict[tuple[float, bool, int, int], PlanGraph] = field(default_factory=dict)
    _local: threading.local = field(default_factory=threading.local)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def _whole(self) -> PlanGraph:
        return plan_graph(self.graph)

    @property
    def lifts(self) -> Lifts:
        """Edges that pick up and put down."""
        return self.graph.lifts

    @property
    def carrying(self) -> BoolArray:
        """[H] hubs in which something is carried."""
        return self.graph.states.carrying

    @property
    def seated(self) -> BoolArray:
        """[H] hubs in which somebody sits."""
        return self.graph.states.seated

    def plan_graph(self, scale: float, *, carrying: bool = False, start: int = -1, goal: int = -1) -> PlanGraph:
        """Return the graph for a size and a state; hubs of another state are choices only as start or goal."""
        keys = [hub if hub >= 0 and self.seated[hub] else -1 for hub in (start, goal)]
        key = (scale, carrying, keys[0], keys[1])
        with self._lock:
            if key not in self._graphs:
                base = self._whole if scale == 1.0 else self._whole.scaled(scale)
                allowed = self.carrying if carrying else ~(self.carrying | self.seated)
                allowed = allowed.copy()
                allowed[[hub for hub in keys if hub >= 0]] = True
                self._graphs[key] = base.restricted_to(allowed)
            return self._graphs[key]

    def ground(self, stands: Array) -> Storey:
        """Return where somebody can walk who stands at places [K, 3]; all have the same if no floor is over another."""
        seen = stage_of(self.space.stage, stands)
        with self._lock:
            if seen not in self._grounds:
                made = Storey(self.space, self.roadmap)
                if seen is not self.space.stage:
                    space = FreeSpace.of(seen, radius=self.space.radius)
                    roadmap = Roadmap.of(seen, radius=space.radius, seed=self.seed, named=self.roadmap.named)
                    made = Storey(space, roadmap)
                self._grounds[seen] = made
            return self._grounds[seen]

    def planner(
        self, scale: float, *, carrying: bool, start: int, goal: int, space: FreeSpace | None = None
    ) -> Planner:
        """Return this thread's planner for a size and a state, in a space of the stage."""
        space = space or self.space
        graph = self.plan_graph(scale, carrying=carrying, start=start, goal=goal)
        mine: dict[tuple[int, int], Planner] = self._local.__dict__.setdefault("planners", {})
        key = id(graph), id(space)
        if key not in mine:
            mine[key] = Planner(graph, self.occupancy, space, rule=self.rule)
        return mine[key]

    def way(self, start: Array, goal: Array, *, ground: Storey | None = None) -> Array | None:
        """Return way points [P, 2] between two places on some ground, None where there is no way."""
        space, roadmap = ground or (self.space, self.roadmap)
        if space.is_open:
            return np.array([start, goal])
        begun = time.perf_counter()
        with stage("ways on the roadmap"):
            found = roadmap.path(start, goal)
        spent = time.perf_counter() - begun
        self._local.ways_s = self.thread_ways_s + spent
        with self._lock:
            self.roadmap_s += spent
        return found

    @property
    def thread_ways_s(self) -> float:
        """Seconds that this thread has spent on looking for ways."""
        return getattr(self._local, "ways_s", 0.0)

    def note(self, walk: Walk, *, heights: Array | None = None) -> None:
        """Remember how a walk on floors of heights [n] m sets out and arrives, so that neighbours do it otherwise."""
        for k in {0, 1, len(walk) - 2, len(walk) - 1} & set(range(len(walk))):
            x, y = (float(v) for v in walk.place[k, :2])
            z = 0.0 if heights is None else float(heights[k])
            self._seen.setdefault(_cell(x, y), []).append((x, y, z, float(walk.start[k]), int(walk.edge[k])))

    def in_step(self, place: Array, *, start: float, stop: float, height: float = 0.0) -> list[int]:
        """Return edges that others within `IN_STEP_M` m of a place on a floor begin between two times."""
        x, y = float(place[0]), float(place[1])
        cx, cy = _cell(x, y)
        return [
            edge
            for i in (-1, 0, 1)
            for j in (-1, 0, 1)
            for ox, oy, oz, time, edge in self._seen.get((cx + i, cy + j), ())
            if start <= time <= stop
            and (ox - x) ** 2 + (oy - y) ** 2 < IN_STEP_M * IN_STEP_M
            and abs(oz - height) <= MAX_MEETING_RISE_M + MEETING_RISE_SPARE_M
        ]

    def arm_room(self, place: Array, *, me: int = -1, start: float = 0.0, stop: float = 0.0) -> float:
        """Return m from a place to what arms can hit, others too who are there between two seconds, as far as told."""
        x, y = (float(v) for v in np.asarray(place)[:2])
        room = float(read_grid(self.space.arms_grid, np.array([x, y])))
        bins = np.arange(int(start / BIN_S), int(min(stop, start + ROOM_LOOKED_S) / BIN_S) + 1, 2)
        if stop <= start or not len(bins):
            return room
        for reach in ROOMS_M:
            discs = np.tile([x, y, reach], (len(bins), 1))
            if not len(self.occupancy.meets(me, bins, discs, margin=0.0)):
                return min(room, reach) if reach < ROOMS_M[0] else room
        return min(room, ROOMS_M[-1])

    def hub_for(self, pose: str) -> int:
        """Return the hub of a pose: by its name, else the first in the state that is meant, else by idling so."""
        return hub_for(self.graph, pose)

    def act_seconds(self, hub: int, *, rising: bool) -> tuple[float, Array]:
        """Return seconds from a seated hub to standing (or back), and where the standing place lies [3] from it."""
        if not self.seated[hub]:
            return 0.0, np.zeros(3)
        stand, edges = self.hub_for("stand"), self.graph.edges
        ends = (hub, stand) if rising else (stand, hub)
        rows = np.flatnonzero((edges.start == ends[0]) & (edges.stop == ends[1]))
        if not len(rows):
            return 0.0, np.zeros(3)
        move = edges.planar_displacement[rows[0]]
        if not rising:
            c, s = np.cos(-move[2]), np.sin(-move[2])
            move = np.array([-(c * move[0] - s * move[1]), -(s * move[0] + c * move[1]), -move[2]])
        return float(edges.duration[rows].mean()), np.array(move)


def _cell(x: float, y: float) -> tuple[int, int]:
    return int(np.floor(x / IN_STEP_M)), int(np.floor(y / IN_STEP_M))
