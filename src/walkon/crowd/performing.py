"""Performing a scene: from who must be where, when and how, to a take in which every character is.

    take = walkon.perform(walkon.load_scene("theatre.yaml"))
    made = walkon.crowd.perform_with_report(scene)
    made.take, made.unmet, made.planning_s

A scene is checked first; what cannot be performed for certain is listed, all of it. What turns out to be impossible
among the others is reported per mark, and the rest of the crowd performs. Seconds, metres.

Reference: Sung, Kovar, Gleicher 2005.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon._base.profiling import stage
from walkon._base.threads import thread_count
from walkon.crowd.casting import cast_limits, graph_for
from walkon.crowd.people import draw_people
from walkon.crowd.planning_frame import PlanningFrame
from walkon.crowd.schedule import Schedule
from walkon.crowd.writing import write_routes
from walkon.graphs.snap_together import SnapGraph
from walkon.motion.library import Library
from walkon.navigation.coarse.coarse_rule import STEP_S
from walkon.navigation.roadmap import Roadmap
from walkon.script import Scene
from walkon.script.checks import require_sound
from walkon.stage.free_space import FreeSpace
from walkon.synthesis.goal_directed.context import PlanningContext
from walkon.synthesis.goal_directed.search_rule import SearchRule
from walkon.take.take import Take

__all__ = ["Performance", "perform", "perform_with_report"]

AFTER_LAST_MARK_S = 2.0
"""s that a scene goes on after the last mark is met, unless it says when it ends."""
MAX_BATCH_COUNT = 16
"""Characters at most that are planned at once."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Performance:
    """A take, and how it came about."""

    take: Take
    planning_s: Array
    """[N] s of planning for each character: seeds, search, collisions."""
    graph_s: float
    """s to read the graph for planning."""
    roadmap_s: float
    """s for the roadmap and the clearance of the stage."""
    writing_s: float
    """s for planting feet and writing the take."""
    unmet: tuple[tuple[str, str, str], ...]
    """(character, mark, reason) of marks that are not met."""
    waited: tuple[tuple[str, float], ...]
    """(character, s) of those who waited outside their door until there was room, or for whom there never was: inf."""
    replanned: int
    """How many characters were planned more than once, because they met others of their batch or were in the way."""
    adjustment: Array
    """[3] the largest m/s, rad/s and s/s by which motion is adjusted."""
    tried: int
    """Pairs of motions that searches looked at."""

    def __repr__(self) -> str:
        met = "all marks met" if not self.unmet else f"{len(self.unmet)} marks not met"
        return f"Performance({self.take!r}, {met}, planned in {self.planning_s.sum():.2f} s)"


def perform(
    scene: Scene,
    *,
    library: Library | str | Path | None = None,
    graph: SnapGraph | str | Path | None = None,
    seed: int | None = None,
    search: str | SearchRule = "default",
    workers: int | None = None,
    staged: bool = False,
    progress: Callable[[str, float], None] | None = None,
) -> Take:
    """Return the take of a scene, everybody on their marks; see `perform_with_report`.

    A take carries all that a director asks about afterwards: when marks were met, reasons, the scene and its seeds.
    Marks that cannot be met among the others are in `take.provenance["unmet"]`, as (character, mark, reason).
    """
    return perform_with_report(
        scene,
        library=library,
        graph=graph,
        seed=seed,
        search=search,
        workers=workers,
        staged=staged,
        progress=progress,
    ).take


def perform_with_report(
    scene: Scene,
    *,
    library: Library | str | Path | None = None,
    graph: SnapGraph | str | Path | None = None,
    seed: int | None = None,
    search: str | SearchRule = "default",
    workers: int | None = None,
    staged: bool = False,
    path: str | Path | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Performance:
    """Perform a scene on the snap-together graph of its cast, or on one given here or built from a `library`.

    `seed` replaces the scene's seed of behaviour. `search` is `default`, `paper` or a rule of your own. `staged` plans
    everybody's first mark before anybody's second. With a `path` the take is also written there, atomically.
    `progress(what, share)` is called while it goes on. The result does not depend on `workers`.
    """
    if not scene.characters:
        raise InvalidValue("the scene has nobody in it; add characters")
    graph = graph_for(scene.cast, library=library, graph=graph)
    rule = SearchRule.named(search) if isinstance(search, str) else search
    with stage("checking the scene"):
        people = draw_people(scene, seed=scene.seeds.population)
        limits = cast_limits(graph, people)
        require_sound(scene, **limits)
    behaviour = scene.seeds.behaviour if seed is None else seed
    radius = float(limits["radius"].max())
    frame = PlanningFrame.of(scene)
    planned = frame.seen_scene(scene)
    begun = time.perf_counter()
    with stage("free space and roadmap of the stage"):
        space = FreeSpace.of(planned.stage, radius=radius)
        roadmap = Roadmap.of(planned.stage, radius=radius, seed=behaviour, named=frame.points)
    roadmap_s = time.perf_counter() - begun
    context = PlanningContext(graph=graph, space=space, roadmap=roadmap, rule=rule, seed=behaviour)
    schedule = Schedule(
        scene=planned,
        context=context,
        people=people,
        seed=behaviour,
        horizon=_horizon(planned),
        batch=MAX_BATCH_COUNT,
        workers=thread_count() if workers is None else workers,
        staged=staged,
        progress=None if progress is None else lambda share: progress("planning", share),
    )
    begun = time.perf_counter()
    with stage("reading the graph for planning"):
        for scale in np.unique(people.scale).tolist():
            context.plan_graph(scale)
    graph_s = time.perf_counter() - begun
    with stage("planning"):
        schedule.run()
    context.occupancy.clear()  # writing needs the room
    last = max((route.time for route in schedule.routes), default=0.0)
    ends = scene.ends if scene.ends is not None else last + AFTER_LAST_MARK_S
    begun = time.perf_counter()
    if progress:
        progress("planting feet", 0.0)
    unmet = tuple(
        (one.name, _mark_name(one.marks, u.mark), u.reason)
        for one, route in zip(scene.characters, schedule.routes, strict=True)
        for u in route.unmet
    )
    waited = tuple(
        (one.name, route.enters - one.enters if route.walks else inf)
        for one, route in zip(scene.characters, schedule.routes, strict=True)
        if one.door and (route.enters > one.enters + STEP_S or (route.gone and not route.walks))
    )
    with stage("writing the take"):
        take = write_routes(
            scene,
            schedule.routes,
            context=context,
            people=people,
            frame=frame,
            ends=ends,
            seed=behaviour,
            provenance={
                "title": scene.title,
                "scene": scene.text,
                "seeds": {"population": scene.seeds.population, "behaviour": behaviour},
                "graph": dict(graph.settings),
                "unmet": [list(row) for row in unmet],
            },
            path=Path(path) if path is not None else None,
        )
    return Performance(
        take=take,
        planning_s=schedule.seconds,
        graph_s=graph_s,
        roadmap_s=roadmap_s + context.roadmap_s,
        writing_s=time.perf_counter() - begun,
        unmet=unmet,
        waited=waited,
        replanned=len(schedule.again),
        adjustment=np.max([route.adjustment for route in schedule.routes], axis=0),
        tried=sum(route.tried for route in schedule.routes),
    )


def _mark_name(marks: tuple[object, ...], number: int) -> str:
    return getattr(marks[number], "name", "") if number < len(marks) else "leaving"


def _horizon(scene: Scene) -> float:
    """Return seconds by which everything is over: all that is asked, with time to walk between."""
    if scene.ends is not None:
        return scene.ends
    known = [0.0]
    for one in scene.characters:
        total, at = one.enters, np.array(one.place[:2])
        for mark in one.marks:
            if mark.position is not None:
                total += 8.0 + float(np.linalg.norm(np.array(mark.position) - at)) / 0.5
                at = np.array(mark.position)
            else:
                total += 30.0
            if mark.window is not None and mark.clock is None:
                total = max(total, mark.window[0]) if not isfinite(mark.window[1]) else mark.window[1]
            elif mark.window is not None:
                total += max(mark.window[0], 0.0) + 20.0
            if mark.until is not None:
                total = max(total, mark.until)
            elif isfinite(mark.hold):
                total += mark.hold
        if one.leaves:
            total += 60.0
        known.append(total)
    return max(known) + AFTER_LAST_MARK_S
