"""Prioritized planning of many characters, in batches against settled reservations; conflicts are replanned.

Everybody is planned coarsely first (see `coarse_plan`), and what is kept free for them there is what bodies are planned
among, along their trips; where one of them goes another way, or finds none, the rest is repaired (see `repairs`). Where
there is no coarse plan, characters are planned in an order that clocks allow; among equals a hash of the name decides,
never the row. A batch is planned in parallel against what was settled before it, then settled one by one: a route that
meets one settled in the same batch is planned again, alone (see `batches`). Seconds, metres.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.chance import Purpose, stream
from walkon._base.threads import in_chunks
from walkon.crowd.batches import Batches
from walkon.crowd.coarse_plan import CoarseCrowd
from walkon.crowd.coarse_trip import CoarseTrip
from walkon.crowd.itineraries import STRICT, Leniency
from walkon.crowd.people import People
from walkon.crowd.repairs import Repairs
from walkon.graphs.walk import Walk
from walkon.navigation.coarse.coarse_rule import STEP_S
from walkon.planning.occupancy import BIN_S, BODY_MARGIN_M, Occupants
from walkon.script import Character, PlacedProp, Scene, timing_order
from walkon.script.standing import height_of_mark, height_of_start
from walkon.stage.doors import door_places
from walkon.synthesis.goal_directed.context import PlanningContext, Storey
from walkon.synthesis.goal_directed.idling import idle_walk
from walkon.synthesis.goal_directed.legs import LegJob, go, walk_to, windows_of
from walkon.synthesis.goal_directed.plan_graph import placed_discs
from walkon.synthesis.goal_directed.prop_actions import RestingProp, find_prop, perform_action
from walkon.synthesis.goal_directed.route import LEAVING_S, Route, RouteReason, Unmet
from walkon.synthesis.goal_directed.storeys import heights_at, others_on_the_way, route_places
from walkon.take.reasons import ReasonKind

__all__ = ["Schedule"]

ENTRANCE_KEPT_S = 2.0
"""s for which the place where a character enters is kept free before its way is planned."""
BESIDE_M = 3.0
"""m within which it is seen that two rest in step."""
FIRST_ATTEMPT_COUNT = 4
"""Attempts at a leg before the coarse plan is repaired."""


@dataclass(eq=False, kw_only=True)
class Schedule:
    """Plans all characters of a scene."""

    scene: Scene
    context: PlanningContext
    people: People
    seed: int
    horizon: float
    batch: int
    """Characters at most that are planned at once."""
    workers: int
    staged: bool = False
    progress: Callable[[float], None] | None = None
    routes: list[Route] = field(default_factory=list)
    seconds: Array = field(default_factory=lambda: np.zeros(0))
    """[N] s of planning for each character."""
    coarse: CoarseCrowd | None = None
    """Where everybody is expected."""
    again: set[int] = field(default_factory=set)
    """Characters that were planned more than once."""
    settled: set[int] = field(default_factory=set)
    """Characters whose bodies are planned, for others to keep clear of."""
    _attempts: dict[int, int] = field(default_factory=dict)
    """How often a character was planned anew: each time has a random stream of its own."""

    @cached_property
    def repairs(self) -> Repairs:
        """What is done where somebody finds no way."""
        return Repairs(self)

    @property
    def characters(self) -> Sequence[Character]:
        """Those who are planned."""
        return self.scene.characters

    def run(self) -> None:
        """Plan all characters."""
        N = len(self.scene.characters)
        self.seconds = np.zeros(N)
        if self._plans_coarsely:
            self.coarse = CoarseCrowd(self.scene, self.context, self.people, horizon=self.horizon)
            self.coarse.run()
        self.routes = [self.fresh(i) for i in range(N)]
        for i in self.in_order(range(N)):
            self.reserve(i)
        tasks = self._tasks()
        # Where marks wait for others', everybody is planned alone.
        most = 1 if self.is_clocked else self.batch
        if self.coarse is not None:
            batches = Batches.along(self.coarse.trips, horizon=self.horizon, most=most)
        else:
            batches = Batches.of(self.scene, speeds=self.people.speed, horizon=self.horizon, most=most)
        done = 0
        while done < len(tasks):
            group = batches.next(tasks[done : done + most])
            again = [
                self.settle(i, upto, route, check=k > 0)
                for k, ((i, upto), route) in enumerate(zip(group, self._planned_together(group), strict=True))
            ]
            done += len(group)
            batches.settle(len(group), again=any(again))
            if self.progress:
                self.progress(done / len(tasks))
        self.repairs.finish()
        if self.coarse is not None:
            self.seconds += self.coarse.seconds

    def _planned_together(self, group: Sequence[tuple[int, int]]) -> list[Route]:
        """Return the routes of a batch, planned in parallel against what is settled."""
        made: list[Route] = [self.routes[i] for i, _ in group]

        def plan(start: int, stop: int) -> None:
            for k in range(start, stop):
                made[k] = self._planned(*group[k], most=self._first_attempts)

        in_chunks(plan, len(group), chunk=1, threads=self.workers)
        return made

    # One character

    def fresh(self, i: int) -> Route:
        """Return the route of somebody who has not set out yet."""
        one, trip = self.scene.characters[i], self._trip(i)
        place, enters = np.array(one.place, dtype=np.float64), one.enters
        if one.door and trip is not None:
            # Through a door people come side by side, and one after another.
            place[:2] = trip.knots[0, :2]
            place[2] = trip.heading
            enters = max(one.enters, float(trip.knots[0, 2]))
        return Route(hub=self.context.hub_for(one.pose), pose=place, time=enters, enters=enters)

    def _job(self, i: int, number: int, *, last: bool, most: int | None = None) -> LegJob:
        trip = self._trip(i)
        return LegJob(
            guide=None if trip is None else trip.leg(number),
            most=most,
            context=self.context,
            me=i,
            seed=self.seed,
            attempt=self._attempts.get(i, 0),
            scale=float(self.people.scale[i]),
            speed=float(self.people.speed[i]),
            horizon=self.horizon,
            last=last,
            names=lambda k: self.scene.characters[k].name,
            ground=self._ground(i),
            near=self._near[i],
        )

    @cached_property
    def _near(self) -> list[float]:
        """[N] m near which the floors are on which characters begin; NaN: the highest."""
        found = [height_of_start(self.scene.stage, one) for one in self.scene.characters]
        return [np.nan if z is None else z for z in found]

    def _ground(self, i: int) -> Storey:
        """Return where a character can walk: what is on the floor of its start or of one of its marks."""
        one, stage = self.scene.characters[i], self.scene.stage
        stands = [(*one.place[:2], self._near[i])]
        for mark in one.marks if stage.floor.is_layered else ():
            if mark.position is not None:
                z = height_of_mark(stage, mark)
                stands.append((*mark.position, np.nan if z is None else z))
        return self.context.ground(np.array(stands))

    def _planned(self, i: int, upto: int, leniency: Leniency = STRICT, *, most: int | None = None) -> Route:
        """Return the route of a character, extended to its first `upto` marks, with `most` attempts at each leg."""
        begun, ways = time.perf_counter(), self.context.thread_ways_s
        route = self.routes[i].copy()
        one = self.scene.characters[i]
        first = 1 + max([*route.met, *(u.mark for u in route.unmet)], default=-1)
        for number in range(first, upto):
            self._leg(i, route, number, leniency, most)
        if upto == len(one.marks) and one.leaves and not route.gone:
            self._leave(i, route, most)
        self.seconds[i] += time.perf_counter() - begun - (self.context.thread_ways_s - ways)
        return route

    def _leg(self, i: int, route: Route, number: int, leniency: Leniency, most: int | None) -> None:
        one = self.scene.characters[i]
        mark = one.marks[number]
        window = windows_of(mark, self._met(one, route))
        if isinstance(window, str):
            route.unmet.append(Unmet(mark=number, reason=window))
            return
        latest = window[1]
        window = window[0], latest + leniency.late
        near = number in leniency.near
        trip = self._trip(i)
        way = None if trip is None else trip.leg(number)
        if near and way is not None:
            mark = replace(mark, position=tuple(way[-1, :2].tolist()), pose="stand", seat="", z=None)
        job = self._job(i, number, last=number == len(one.marks) - 1 and not one.leaves, most=most)
        if mark.action is not None:
            prop = self._find_prop(i, route, mark.action.prop)
            failed = perform_action(job, route, mark, number, window=window, prop=prop)
        else:
            failed = walk_to(job, route, mark, number, window=window)
        if failed is not None:
            route.unmet.append(failed)
            return
        if near:
            asked = np.asarray(one.marks[number].position)
            off = float(np.hypot(*(route.placed.pop(number)[:2] - asked)))
            del route.met[number]
            route.unmet.append(Unmet(mark=number, reason=f"comes near only: {off:.1f} m off; {leniency.why}"))
        elif route.met[number] > latest + 1e-6:
            late = route.met[number] - latest
            route.unmet.append(Unmet(mark=number, reason=f"late: {late:.1f} s after its window; {leniency.why}"))
        hold = mark.hold if mark.until is None else max(mark.until - route.time, 0.0)
        if isfinite(hold) and hold > 0 and not (job.last and route.time + hold >= self.horizon):
            self._hold(job, route, number, hold)

    def _hold(self, job: LegJob, route: Route, number: int, seconds: float) -> None:
        graph = self.context.plan_graph(job.scale, carrying=bool(self.context.carrying[route.hub]), start=route.hub)
        rng = job.stream(Purpose.HOLD, number)
        room = self.context.arm_room(route.pose, me=job.me, start=route.time, stop=route.time + seconds)
        idling = idle_walk(
            graph,
            route.hub,
            pose=route.pose,
            start=route.time,
            seconds=seconds,
            rng=rng,
            nearby=self._beside(job.me, route, seconds),
            room=room,
        )
        if idling is None:
            pose = self.context.graph.hub_names[route.hub]
            route.unmet.append(Unmet(mark=number, reason=f"nobody can stay in the pose {pose}"))
            return
        route.append(
            idling, hub=route.hub, pose=route.pose, mark=number, reason=RouteReason(ReasonKind.HOLDS, mark=number)
        )

    def _beside(self, i: int, route: Route, seconds: float) -> Walk | None:
        """Return what those play who are beside the end of a route for some seconds from then on."""
        walks = [
            walk
            for k, other in enumerate(self.routes)
            if k != i and np.abs(other.pose[:2] - route.pose[:2]).max() < BESIDE_M
            for walk in other.walks
            if walk.stop[-1] > route.time and walk.start[0] < route.time + seconds
        ]
        return Walk.joined(walks) if walks else None

    def _leave(self, i: int, route: Route, most: int | None) -> None:
        one = self.scene.characters[i]
        door = next(d for d in self.scene.stage.doors if d.name == one.leaves)
        number = len(one.marks)
        carrying = bool(self.context.carrying[route.hub])
        trip = self._trip(i)
        spot = None if trip is None else trip.leg(number)
        failed = go(
            self._job(i, number, last=False, most=most),
            route,
            hub=self.context.hub_for("carry" if carrying else "walk"),
            place=np.array([*(door_places(self.scene.stage, door)[0, :2] if spot is None else spot[-1, :2]), np.nan]),
            z=door.z,
            window=(route.time, np.inf),
            number=number,
            hold=LEAVING_S,
            door=door.name,
        )
        if failed is None:
            route.gone = True
            route.met.pop(number)
            route.placed.pop(number)
        else:
            route.unmet.append(failed)

    def _met(self, own: Character, route: Route) -> dict[tuple[str, str], float]:
        """Return when marks are met: the character's own, and all others' where marks wait for them."""
        found = {}
        if self.is_clocked:
            for one, other in zip(self.scene.characters, self.routes, strict=True):
                found.update({(one.name, one.marks[m].name): t for m, t in other.met.items()})
        found.update({(own.name, own.marks[m].name): t for m, t in route.met.items() if m < len(own.marks)})
        return found

    # All of them

    @property
    def _plans_coarsely(self) -> bool:
        """Whether everybody is planned coarsely first."""
        return not (self.staged or self.is_clocked or self.context.rule.greedy or self.scene.stage.floor.is_layered)

    @property
    def _first_attempts(self) -> int | None:
        return None if self.coarse is None else FIRST_ATTEMPT_COUNT

    def _trip(self, i: int) -> CoarseTrip | None:
        return None if self.coarse is None else self.coarse.trips[i]

    @cached_property
    def _rank(self) -> list[int]:
        """[N] planning order: that of the coarse plan, if there is one.

        Else characters that stay put first, then by the first window, then by a hash of the name.
        """
        if self.coarse is not None:
            return np.argsort(self.coarse.order).tolist()
        people = self.scene.characters
        first = [min((m.window[0] for m in c.marks[:1] if m.window and not m.clock), default=0.0) for c in people]
        goes = [any(m.position not in (None, c.place[:2]) or m.action for m in c.marks) for c in people]
        chance = [stream(self.seed, Purpose.PLANNING_ORDER, c.name).random() for c in people]
        order = sorted(range(len(people)), key=lambda i: (goes[i], first[i], chance[i], people[i].name))
        return np.argsort(order).tolist()

    @cached_property
    def is_clocked(self) -> bool:
        """Whether marks wait for others'."""
        return bool(self._shared_props) or any(m.clock is not None for c in self.scene.characters for m in c.marks)

    @cached_property
    def _awaited(self) -> set[int]:
        """Characters whose times are final once they are settled: others' marks or props count from them."""
        rows = {one.name: k for k, one in enumerate(self.scene.characters)}
        clocks = [(k, m.clock.character) for k, one in enumerate(self.scene.characters) for m in one.marks if m.clock]
        found = {rows[name] for k, name in clocks if name in rows and rows[name] != k}
        for k, one in enumerate(self.scene.characters):
            if any(m.action is not None and m.action.prop in self._shared_props for m in one.marks):
                found.add(k)
        return found

    @cached_property
    def _props(self) -> dict[str, PlacedProp]:
        return {placed.prop.name: placed for placed in self.scene.props}

    def _find_prop(self, i: int, route: Route, name: str) -> RestingProp:
        """Return where a prop is for a character whose route is planned this far."""
        shared = name in self._shared_props
        others = (other for k, other in enumerate(self.routes) if k != i) if shared else ()
        return find_prop(self._props[name], [done for one in (*others, route) for done in one.actions])

    @cached_property
    def _shared_props(self) -> set[str]:
        """Props that several characters pick up."""
        takers = [{m.action.prop for m in one.marks if m.action is not None} for one in self.scene.characters]
        return {name for name in self._props if sum(name in mine for mine in takers) > 1}

    def in_order(self, rows: Iterable[int]) -> list[int]:
        """Return rows of characters in the order in which they are planned."""
        return sorted(rows, key=self._rank.__getitem__)

    def _tasks(self) -> list[tuple[int, int]]:
        """Return (character, marks to be met by then) in an order that clocks and priorities allow."""
        people = self.scene.characters
        order = self.in_order(range(len(people)))
        if self.is_clocked or self.staged:
            timed = timing_order(self.scene, ranks=self._rank)
            if self.staged:
                timed.sort(key=lambda pair: pair[1])
            return [(i, 0) for i in order if not people[i].marks] + [(c, m + 1) for c, m in timed]
        return [(i, len(people[i].marks)) for i in order]

    def reserve(self, i: int) -> None:
        """Keep free where somebody is expected before its body is planned, or at least where it begins."""
        self.context.occupancy.remove(i)
        self.settled.discard(i)
        trip = self._trip(i)
        if self.coarse is not None:
            if trip is None:
                return
            bins, discs = trip.discs(until=self.horizon)
            self.context.occupancy.add(i, bins, discs)
            return
        route = self.routes[i]
        graph = self.context.plan_graph(float(self.people.scale[i]))
        there = placed_discs(graph.hub_discs[route.hub], route.pose)
        bins = np.arange(int(np.ceil(route.time / BIN_S)), int((route.time + ENTRANCE_KEPT_S) / BIN_S) + 1)
        heights = None
        if self.scene.stage.floor.is_layered:
            z = self.scene.stage.floor(route.pose[:2], near=self._near[i]).heights
            heights = np.full(len(bins) * len(there), z)
        self.context.occupancy.add(i, np.repeat(bins, len(there)), np.tile(there, (len(bins), 1)), heights=heights)

    def _discs(self, i: int, route: Route) -> tuple[IntArray, Array]:
        return route.discs(self.context.plan_graph(float(self.people.scale[i])), until=self.horizon)

    def _way(self, i: int, route: Route) -> tuple[Array, Array] | None:
        """Return times [n] and places [n, 3] of a route with its floor's heights; None: no floor is over another."""
        if not self.scene.stage.floor.is_layered:
            return None
        graph = self.context.plan_graph(float(self.people.scale[i]))
        return route_places(graph, route, self.scene.stage.floor, near=self._near[i], until=self.horizon)

    def _others(self, route: Route, way: tuple[Array, Array] | None) -> Occupants:
        """Return those whom somebody on a route may meet."""
        places = None if way is None else way[1]
        return others_on_the_way(self.context.occupancy, self.scene.stage.floor, places, since=route.enters)

    def met_by(self, i: int) -> list[int]:
        """Return those whom somebody meets on its route."""
        found: list[int] = (
            self._others(self.routes[i], self._way(i, self.routes[i]))
            .meets(i, *self._discs(i, self.routes[i]))
            .tolist()
        )
        return found

    def is_awaited(self, i: int) -> bool:
        """Say whether others' marks or props count from somebody's, so that its times are final once it is settled."""
        return i in self._awaited

    def settle(self, i: int, upto: int, route: Route, *, check: bool) -> bool:
        """Make a route the one that counts; one that meets others of its batch is planned again first, and said so."""
        bins, discs = self._discs(i, route)
        way = self._way(i, route)
        again = check and self._others(route, way).depth(i, bins, discs, margin=BODY_MARGIN_M - 1e-6) > 0.0
        if again:
            self.again.add(i)
            route = self._planned(i, upto, most=self._first_attempts)
            bins, discs = self._discs(i, route)
            way = self._way(i, route)
        if self.coarse is not None and any(u.retryable for u in route.unmet):
            self.repairs.mend(i, route)
            return True
        self._place(i, route, bins, discs, way)
        return again

    def put(self, i: int, route: Route) -> None:
        """Make a route the one that counts, for whoever is planned after it."""
        self._place(i, route, *self._discs(i, route), self._way(i, route))

    def _place(self, i: int, route: Route, bins: IntArray, discs: Array, way: tuple[Array, Array] | None) -> None:
        for walk in route.walks[len(self.routes[i].walks) :]:
            self.context.note(walk, heights=None if way is None else heights_at(*way, walk.start / BIN_S))
        self.routes[i] = route
        self.context.occupancy.remove(i)
        self.context.occupancy.add(i, bins, discs, heights=None if way is None else heights_at(*way, bins))
        self.settled.add(i)
        if self.coarse is not None:
            graph = self.context.plan_graph(float(self.people.scale[i]))
            step, places = route.at_steps(graph, STEP_S)
            there = placed_discs(graph.hub_discs[route.hub], route.pose)
            self.coarse.settle(i, step, places, there, gone=route.gone)

    def plan_again(self, i: int, leniency: Leniency = STRICT, *, most: int | None = None) -> Route:
        """Return a new route of a character, with another random stream."""
        self.again.add(i)
        self._attempts[i] = self._attempts.get(i, 0) + 1
        kept, self.routes[i] = self.routes[i], self.fresh(i)
        route = self._planned(i, len(self.scene.characters[i].marks), leniency, most=most)
        self.routes[i] = kept
        return route
