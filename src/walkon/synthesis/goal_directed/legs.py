"""One leg of a character's route: from where it is to its next mark, planned among those who are planned already.

What a mark leaves free is chosen here: the facing is that of the way, the pose is standing (or walking on, at a mark
that is only passed), the time is when one gets there at one's own pace. Metres, seconds, radians.
"""

from collections.abc import Callable, Mapping
from math import inf
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array
from walkon._base.chance import Purpose, stream
from walkon.geometry.path import arc_lengths
from walkon.graphs.walk import Walk
from walkon.navigation.roadmap import Roadmap
from walkon.planning.occupancy import BIN_S
from walkon.script import Mark
from walkon.script.standing import FLOOR_WITHIN_M, height_of_mark
from walkon.stage import Floor
from walkon.stage.footing import MissingFooting, missing_footing
from walkon.stage.free_space import FreeSpace
from walkon.stage.space_off_seats import off_seats
from walkon.stage.storeys import follow_path
from walkon.synthesis.goal_directed.attempts import departure
from walkon.synthesis.goal_directed.context import PlanningContext, Storey
from walkon.synthesis.goal_directed.idling import idle_walk
from walkon.synthesis.goal_directed.leg_request import Failure, LegRequest, PlannedLeg
from walkon.synthesis.goal_directed.plan_graph import PlanGraph
from walkon.synthesis.goal_directed.planner import SHORT_LEG_M, Planner
from walkon.synthesis.goal_directed.reservations import places_at, reservations
from walkon.synthesis.goal_directed.route import Route, RouteReason, Unmet
from walkon.synthesis.goal_directed.storeys import others_on_the_way, route_places
from walkon.take.reasons import ReasonKind
from walkon.transforms import planar

__all__ = ["LegJob", "walk_to"]

SEARCHED_S, SHORT_LEG_SEARCHED_S = 6.0, 10.0
"""s more than the way takes that the search may fill; the rest is waited before it. A leg shorter than
`planner.SHORT_LEG_M` needs more: to step a little aside people turn, step and turn back."""
SHORTEST_WAIT_S = 1e-6
"""s from which on a wait is one: times are differences."""
SEARCHED_BEFORE_S, SHORT_LEG_SEARCHED_BEFORE_S = 2.0, 8.0
"""s before one sets out as expected that the search may fill."""
FOOTING_ATTEMPTS = 3
"""Motions that are looked for along a way whose floor is whole, before one that leaves the floor is given up."""


class LegJob(NamedTuple):
    """What one leg needs to know."""

    context: PlanningContext
    me: int
    """Number of the character in `names` and in who is where when."""
    seed: int
    attempt: int
    """How often the character was planned before: each time has chances of its own."""
    scale: float
    speed: float
    horizon: float
    """Seconds until which everything is over."""
    last: bool
    """Whether nothing comes after this mark."""
    names: Callable[[int], str]
    guide: Array | None = None
    """[K, 3] = (x, y, s) where it is expected when; None: nothing is known."""
    most: int | None = None
    """Attempts at a motion at most; None: as many as the search's rule has."""
    ground: Storey | None = None
    """Where it can walk; None: where all can."""
    near: float = np.nan
    """m: the height near which the floor is on which it begins; NaN: the highest."""

    @property
    def floor(self) -> Floor:
        """What is stood on."""
        return self.context.space.stage.floor

    @property
    def space(self) -> FreeSpace:
        """Where it can walk."""
        return self.context.space if self.ground is None else self.ground.space

    @property
    def roadmap(self) -> Roadmap:
        """Ways over where it can walk."""
        return self.context.roadmap if self.ground is None else self.ground.roadmap

    def height(self, route: Route) -> float:
        """Return the height (m) of the floor at the end of a route, where floors lie above each other."""
        graph = self.context.plan_graph(self.scale)
        return float(route_places(graph, route, self.floor, near=self.near, until=route.time)[1][-1, 2])

    def stream(self, purpose: Purpose, number: int) -> np.random.Generator:
        """Return the chance of a mark, by its number, for a purpose: the character's own, whoever else is there."""
        return stream(self.seed, purpose, self.names(self.me), number, self.attempt)


def walk_to(job: LegJob, route: Route, mark: Mark, number: int, *, window: tuple[float, float]) -> Unmet | None:
    """Extend a route to a mark that must be met within an absolute window; says why if it cannot be."""
    context = job.context
    carrying = bool(context.carrying[route.hub])
    pose = mark.pose or ("carry_stand" if carrying else "stand")
    if mark.pose is None and not job.last and mark.hold == 0 and mark.until is None and mark.position is not None:
        pose = "carry" if carrying else "walk"
    hub = context.hub_for(pose)
    place = np.array([*(mark.position or route.pose[:2]), np.nan if mark.facing is None else mark.facing])
    z = height_of_mark(context.space.stage, mark)
    # Who stays at its last mark is there until everything is over.
    hold = inf if job.last else _hold(mark, window)
    return go(job, route, hub=hub, place=place, z=z, window=window, number=number, hold=hold)


def _hold(mark: Mark, window: tuple[float, float]) -> float:
    if mark.until is not None:
        return max(mark.until - window[0], 0.0)
    return mark.hold


def go(
    job: LegJob,
    route: Route,
    *,
    hub: int,
    place: Array,
    window: tuple[float, float],
    number: int,
    hold: float,
    door: str = "",
    z: float | None = None,
) -> Unmet | None:
    """Extend a route to a hub at a planar pose [3] (heading NaN: free) within a window, to stay `hold` seconds.

    That is for a mark, by its number, or to leave through the `door` that is there. Where floors lie above each other
    it must come to the one nearest to `z`.
    """
    context, time = job.context, route.time
    earliest, latest = max(window[0], time), min(window[1], job.horizon)
    if latest < earliest - 1e-9:
        return Unmet(mark=number, reason=f"its window ends at {window[1]:g} s, but it is free only at {time:.1f} s")
    lead, out = context.act_seconds(route.hub, rising=True)
    tail, back = context.act_seconds(hub, rising=False)
    sized = np.array([job.scale, job.scale, 1.0])
    first = planar.compose(route.pose, out * sized)[:2]
    facing = place[2]
    goal = np.array([place[0], place[1], 0.0 if np.isnan(facing) else facing])
    last = planar.compose(goal, back * sized)[:2]
    path = context.way(first, last, ground=job.ground)
    if path is None:
        why = job.roadmap.why_not(first, last).removeprefix("walled off: ")
        return Unmet(mark=number, reason=f"walled off: {why}")
    length = float(arc_lengths(path)[-1])
    if np.isnan(facing):
        along = path[-1] - path[max(len(path) - 2, 0)]
        goal[2] = np.arctan2(along[1], along[0]) if length > 0.05 else route.pose[2]
    carrying = bool(context.carrying[hub])
    if carrying != bool(context.carrying[route.hub]):
        return Unmet(mark=number, reason="its hands are full" if not carrying else "it carries nothing")
    begins = job.height(route) if job.floor.is_layered else np.nan
    if (missing := missing_footing(job.floor, path, near=begins)) is not None:
        return Unmet(mark=number, reason=_off_the_floor(job, missing))
    way = follow_path(job.floor, path, begins) if job.floor.is_layered else None
    if way is not None and z is not None:
        meant, reached = float(job.floor(last, near=z).heights), float(way[-1, 2])
        if abs(meant - reached) > FLOOR_WITHIN_M:
            words = f"the way there ends on the floor at {reached:.3g} m, and not on that at {meant:.3g} m"
            return Unmet(mark=number, reason=f"walled off: {words}")
    planner = context.planner(job.scale, carrying=carrying, start=route.hub, goal=hub, space=job.space)
    usual, fastest = planner.graph.speeds[1], planner.graph.speeds[3]
    if length > 0.05 and time + lead + tail + length / fastest > latest + 1e-6:
        return Unmet(
            mark=number,
            reason=f"too far for the time: {length:.1f} m in {max(latest - time, 0):.1f} s, and nobody "
            f"{'who carries ' if carrying else ''}walks faster than {fastest:.2g} m/s",
        )
    searched = SHORT_LEG_SEARCHED_S if length < SHORT_LEG_M else SEARCHED_S
    spare = earliest - time - lead - tail - length / job.speed - searched
    if job.guide is not None:
        searched = SHORT_LEG_SEARCHED_BEFORE_S if length < SHORT_LEG_M else SEARCHED_BEFORE_S
        # Who carries is slower than expected.
        by_then = latest - time - lead - tail - length / usual - searched
        spare = min(departure(job.guide) - time - lead - searched, by_then)
    _wait(job, route, seconds=spare, number=number, door=door)
    if hub == route.hub and length < 1e-6 and _same(goal, route.pose):
        return _stay(job, route, earliest=earliest, number=number)
    ask = LegRequest(
        hub=route.hub,
        pose=route.pose,
        time=route.time,
        goal_hub=hub,
        goal=goal,
        window=(earliest, latest),
        path=path,
        # Who carries is slower than on foot by as much as the motion of the two is.
        speed=job.speed * (usual / context.plan_graph(job.scale).speeds[1] if carrying else 1.0),
        hold=min(hold if np.isfinite(hold) else inf, max(job.horizon - earliest, 0.0)),
        lead=lead,
        tail=tail,
        guide=job.guide,
        way=way,
    )
    low, high = (0.0, 0.0) if way is None else way[[0, -1], 2].tolist()
    avoid = context.in_step(route.pose, start=route.time - 0.4, stop=route.time + 4.0, height=low)
    avoid += context.in_step(goal, start=earliest - 3.0, stop=latest, height=high)
    sits = [pose[:2] for at, pose in ((route.hub, route.pose), (hub, goal)) if context.seated[at]]
    space = off_seats(job.space, np.array(sits).reshape(-1, 2))
    found = _motion(job, planner, ask, number, avoid=avoid, near=begins, space=space)
    if isinstance(found, Unmet):
        return found
    walk, moving = found.walk, planner.graph.steps.moving[planner.graph.rows[found.walk.edge]]
    idle = int(np.argmax(moving > 0))
    if idle:
        # Waiting before the first step leads to no mark yet: who waits is not stuck.
        _rest(route, walk.rows(slice(idle)), number, door)
    reason = RouteReason(ReasonKind.ON_THE_WAY, mark=number, number=length)
    if door:
        reason = RouteReason(ReasonKind.LEAVES, note=door, number=length)
    route.append(walk.rows(slice(idle, None)), hub=hub, pose=goal, mark=number, reason=reason)
    route.tried += found.tried
    route.adjustment = tuple(max(pair) for pair in zip(route.adjustment, found.adjustment, strict=True))
    route.met[number], route.placed[number] = route.time, goal
    return None


def _motion(
    job: LegJob, planner: Planner, ask: LegRequest, number: int, *, avoid: list[int], near: float, space: FreeSpace
) -> PlannedLeg | Unmet:
    """Return the motion of a leg through a space whose way begins on the floor nearest to a height, and keeps to it."""
    rng = job.stream(Purpose.LEG, number)
    off = ""
    for _ in range(FOOTING_ATTEMPTS):
        found = planner.plan(ask, me=job.me, rng=rng, avoid=avoid, space=space, most=job.most)
        if isinstance(found, Failure):
            blockers = tuple(int(b) for b in found.blockers)
            return Unmet(mark=number, reason=_words(found, job), blockers=blockers, retryable=True)
        # The motion strays from the path by decimetres: past the edge of a deck, into a hole.
        missing = missing_footing(job.floor, _roots(planner.graph, found.walk), near=near)
        if missing is None:
            return found
        off = _off_the_floor(job, missing)
    return Unmet(mark=number, reason=off, retryable=True)


def _roots(graph: PlanGraph, walk: Walk) -> Array:
    """Return where the root is [n, 2] m along a walk, every bin."""
    times = np.append(np.arange(float(walk.start[0]), float(walk.stop[-1]), BIN_S), float(walk.stop[-1]))
    return places_at(graph, walk, times)[0][:, :2]


def _off_the_floor(job: LegJob, missing: MissingFooting) -> str:
    x, y = job.roadmap.named(missing.point)
    return f"walled off: {missing.sentence(x, y)}"


def _same(a: Array, b: Array) -> bool:
    turn = (a[2] - b[2] + np.pi) % (2 * np.pi) - np.pi
    return bool(np.abs(a[:2] - b[:2]).max() < 1e-9 and abs(turn) < 1e-9)


def _wait(job: LegJob, route: Route, *, seconds: float, number: int, door: str) -> None:
    """Spend time that is certainly to spare where one is, before the search."""
    if seconds <= SHORTEST_WAIT_S:
        return
    graph = job.context.plan_graph(job.scale, carrying=bool(job.context.carrying[route.hub]), start=route.hub)
    rng = job.stream(Purpose.WAIT, number)
    room = job.context.arm_room(route.pose, me=job.me, start=route.time, stop=route.time + seconds)
    idling = idle_walk(graph, route.hub, pose=route.pose, start=route.time, seconds=seconds, rng=rng, room=room)
    if idling is not None and not _meets(job, route, graph, idling):
        _rest(route, idling, number, door)


def _rest(route: Route, walk: Walk, number: int, door: str) -> None:
    """Let somebody idle where it is, before it sets out for a mark or a door."""
    wait = RouteReason(ReasonKind.WAITS_BEFORE, mark=number, number=walk.duration)
    if door:
        wait = RouteReason(ReasonKind.WAITS_TO_LEAVE, note=door, number=walk.duration)
    route.append(walk, hub=route.hub, pose=route.pose, mark=-1, reason=wait)


def _meets(job: LegJob, route: Route, graph: PlanGraph, walk: Walk) -> bool:
    way = None
    if job.floor.is_layered:
        way = np.array([[*walk.place[0, :2], job.height(route)]])
    others = others_on_the_way(job.context.occupancy, job.floor, way, since=float(walk.start[0]))
    return others.depth(job.me, *reservations(graph, walk, until=float(walk.stop[-1]))) > 0.0


def _stay(job: LegJob, route: Route, *, earliest: float, number: int) -> Unmet | None:
    """Meet a mark by staying where one is until its time has come."""
    graph = job.context.plan_graph(job.scale, carrying=bool(job.context.carrying[route.hub]), start=route.hub)
    if earliest > route.time + 1e-9:
        rng = job.stream(Purpose.STAY, number)
        seconds = earliest - route.time
        room = job.context.arm_room(route.pose, me=job.me, start=route.time, stop=earliest)
        idling = idle_walk(graph, route.hub, pose=route.pose, start=route.time, seconds=seconds, rng=rng, room=room)
        if idling is None:
            return Unmet(mark=number, reason=f"nobody can stay in the pose {job.context.graph.hub_names[route.hub]}")
        met = earliest
        wait = RouteReason(ReasonKind.WAITS_FOR, mark=number, number=idling.duration)
        route.append(idling, hub=route.hub, pose=route.pose, mark=number, reason=wait)
    else:
        met = route.time
    route.met[number], route.placed[number] = met, route.pose
    return None


def _words(failure: Failure, job: LegJob) -> str:
    who = ", ".join(sorted(job.names(int(b)) for b in failure.blockers)[:3])
    by = f" (in the way: {who})" if who else ""
    return {
        "goal taken": f"occupied: others are there at that time{by}",
        "crowded": f"others leave no way in that time{by}",
        "walled off": "walled off: there is no way",
        "too far": "too far for the time among others",
        "no motion": "no motion was found that ends there at that time",
    }.get(failure.reason, failure.reason) + ("" if failure.reason in ("goal taken", "crowded") else by)


def windows_of(mark: Mark, met: Mapping[tuple[str, str], float]) -> tuple[float, float] | str:
    """Return the absolute window of a mark, or why it has none."""
    low, high = mark.window or (-inf, inf)
    if mark.clock is None:
        return low, high
    key = (mark.clock.character, mark.clock.mark)
    if key not in met:
        return f"it waits for {mark.clock}, which is not met"
    return met[key] + low, met[key] + high
