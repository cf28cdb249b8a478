"""Many characters: who is planned when, in batches, against what is settled; conflicts and blockers are planned again.

Tasks are planned in an order that clocks allow. A batch is planned in parallel against what was settled before it, then
settled one by one: a route that meets one settled in the same batch is planned again, alone. So the result depends on
the batch size, never on the number of workers. Whoever finds no way names those in the way; they step aside: they are
taken out, the blocked one is planned, then they are planned again around it, and if that leaves anybody worse off
everything is put back. Seconds, metres.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import isfinite

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.threads import in_chunks
from walkon.crowd.people import People
from walkon.planning.occupancy import BIN, MARGIN
from walkon.script import Scene, timing_order
from walkon.stage.doors import door_places
from walkon.synthesis.goal_directed.context import PlanningContext
from walkon.synthesis.goal_directed.idling import idle_walk
from walkon.synthesis.goal_directed.legs import LegJob, go, walk_to, windows_of
from walkon.synthesis.goal_directed.plan_graph import placed_discs
from walkon.synthesis.goal_directed.prop_actions import perform_action
from walkon.synthesis.goal_directed.route import Route, Unmet

__all__ = ["Schedule"]

KEPT = 2.0
"""s for which the place where somebody enters is kept free before its way is planned."""
ROUNDS, MOST_ASIDE = 3, 8
"""How often those in the way step aside, and how many of them at once."""


@dataclass(eq=False, kw_only=True)
class Schedule:
    """Plans all characters of a scene."""

    scene: Scene
    context: PlanningContext
    people: People
    seed: int
    horizon: float
    batch: int
    workers: int
    staged: bool = False
    progress: Callable[[float], None] | None = None
    routes: list[Route] = field(default_factory=list)
    seconds: Array = field(default_factory=lambda: np.zeros(0))
    """[N] s of planning for each character."""
    again: set[int] = field(default_factory=set)
    """Characters that were planned more than once."""
    _chances: dict[int, int] = field(default_factory=dict)
    """How often a character was planned anew: each time has chances of its own."""

    def run(self) -> None:
        """Plan everybody."""
        scene = self.scene
        N = len(scene.characters)
        self.routes = [self._fresh(i) for i in range(N)]
        self.seconds = np.zeros(N)
        self._named = {c.name: i for i, c in enumerate(scene.characters)}
        self._props = {placed.prop.name: placed for placed in scene.props}
        for i in range(N):
            self._reserve_start(i)
        tasks = self._tasks()
        done = 0
        for group in self._batches(tasks):
            made = self._planned_together(group)
            mates: set[int] = set()
            for (i, upto), route in zip(group, made, strict=True):
                self._settle(i, upto, route, check=bool(mates))
                mates.add(i)
            done += len(group)
            if self.progress:
                self.progress(done / max(len(tasks), 1))
        self._step_aside()

    def _planned_together(self, group: Sequence[tuple[int, int]]) -> list[Route]:
        """Return the routes of a batch, planned in parallel against what is settled."""
        made: list[Route] = [self.routes[i] for i, _ in group]

        def plan(start: int, stop: int) -> None:
            for k in range(start, stop):
                made[k] = self._planned(*group[k])

        in_chunks(plan, len(group), chunk=1, threads=self.workers)
        return made

    # One character

    def _fresh(self, i: int) -> Route:
        one = self.scene.characters[i]
        return Route(
            hub=self.context.hub_for(one.pose),
            pose=np.array(one.place, dtype=np.float64),
            time=one.enters,
            enters=one.enters,
        )

    def _job(self, i: int, *, last: bool) -> LegJob:
        return LegJob(
            context=self.context,
            me=i,
            seed=self.seed + 7919 * self._chances.get(i, 0),
            scale=float(self.people.scale[i]),
            speed=float(self.people.speed[i]),
            horizon=self.horizon,
            last=last,
            names=lambda k: self.scene.characters[k].name,
        )

    def _planned(self, i: int, upto: int) -> Route:
        """Return the route of a character, extended to its first `upto` marks."""
        begun, ways = time.perf_counter(), self.context.thread_ways_s
        route = self.routes[i].copy()
        one = self.scene.characters[i]
        first = 1 + max([*route.met, *(u.mark for u in route.unmet)], default=-1)
        for number in range(first, upto):
            self._leg(i, route, number)
        if upto == len(one.marks) and one.leaves and not route.gone:
            self._leave(i, route)
        self.seconds[i] += time.perf_counter() - begun - (self.context.thread_ways_s - ways)
        return route

    def _leg(self, i: int, route: Route, number: int) -> None:
        one = self.scene.characters[i]
        mark = one.marks[number]
        window = windows_of(mark, self._met(one.name, route))
        if isinstance(window, str):
            route.unmet.append(Unmet(mark=number, reason=window))
            return
        job = self._job(i, last=number == len(one.marks) - 1 and not one.leaves)
        if mark.action is not None:
            failed = perform_action(job, route, mark, number, window=window, props=self._props)
        else:
            failed = walk_to(job, route, mark, number, window=window)
        if failed is not None:
            route.unmet.append(failed)
            return
        hold = mark.hold if mark.until is None else max(mark.until - route.time, 0.0)
        if isfinite(hold) and hold > 0 and not (job.last and route.time + hold >= self.horizon):
            self._hold(job, route, number, hold)

    def _hold(self, job: LegJob, route: Route, number: int, seconds: float) -> None:
        graph = self.context.plan_graph(job.scale, carrying=bool(self.context.carrying[route.hub]), start=route.hub)
        rng = np.random.default_rng([self.seed, job.me, number, 3])
        rests = idle_walk(graph, route.hub, pose=route.pose, start=route.time, seconds=seconds, rng=rng)
        if rests is None:
            pose = self.context.graph.hub_names[route.hub]
            route.unmet.append(Unmet(mark=number, reason=f"nobody can stay in the pose {pose}"))
            return
        route.append(rests, hub=route.hub, pose=route.pose, mark=number, reason="holds its mark")

    def _leave(self, i: int, route: Route) -> None:
        one = self.scene.characters[i]
        door = next(d for d in self.scene.stage.doors if d.name == one.leaves)
        number = len(one.marks)
        carrying = bool(self.context.carrying[route.hub])
        failed = go(
            self._job(i, last=False),
            route,
            hub=self.context.hub_for("carry" if carrying else "walk"),
            place=np.array([*door_places(self.scene.stage, door)[0, :2], np.nan]),
            window=(route.time, np.inf),
            number=number,
            hold=0.0,
            name=f"the door {door.name}",
        )
        if failed is None:
            route.gone = True
            route.met.pop(number)
            route.placed.pop(number)
        else:
            route.unmet.append(failed)

    def _met(self, name: str, route: Route) -> dict[tuple[str, str], float]:
        """Return when marks are met: one's own, and everybody's where marks wait for others'."""
        found = {}
        if self._clocked:
            for one, other in zip(self.scene.characters, self.routes, strict=True):
                found.update({(one.name, one.marks[m].name): t for m, t in other.met.items()})
        own = self.scene.characters[self._named[name]]
        found.update({(name, own.marks[m].name): t for m, t in route.met.items() if m < len(own.marks)})
        return found

    # All of them

    def _tasks(self) -> list[tuple[int, int]]:
        """Return (character, marks to be met by then) in an order that clocks and priorities allow."""
        people = self.scene.characters
        rng = np.random.default_rng([self.seed, 17])
        chance = rng.permutation(len(people))
        first = [min((m.window[0] for m in c.marks[:1] if m.window and not m.clock), default=0.0) for c in people]
        goes = [any(m.position not in (None, c.place[:2]) or m.action for m in c.marks) for c in people]
        ranks = sorted(range(len(people)), key=lambda i: (goes[i], first[i], chance[i]))
        self._clocked = any(m.clock is not None for c in people for m in c.marks)
        if self._clocked or self.staged:
            order = timing_order(self.scene)
            if self.staged:
                depth = {pair: k for k, pair in enumerate(order)}
                order = sorted(order, key=lambda pair: (pair[1], depth[pair]))
            still = [(i, 0) for i in ranks if not people[i].marks]
            return still + [(c, m + 1) for c, m in order]
        return [(i, len(people[i].marks)) for i in ranks]

    def _batches(self, tasks: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
        size = 1 if self._clocked else self.batch
        groups: list[list[tuple[int, int]]] = []
        for task in tasks:
            full = not groups or len(groups[-1]) >= size or any(task[0] == other[0] for other in groups[-1])
            if full:
                groups.append([])
            groups[-1].append(task)
        return groups

    def _reserve_start(self, i: int) -> None:
        route = self.routes[i]
        graph = self.context.plan_graph(float(self.people.scale[i]))
        there = placed_discs(graph.hub_discs[route.hub], route.pose)
        bins = np.arange(int(np.ceil(route.time / BIN)), int((route.time + KEPT) / BIN) + 1)
        self.context.occupancy.add(i, np.repeat(bins, len(there)), np.tile(there, (len(bins), 1)))

    def _discs(self, i: int, route: Route) -> tuple[IntArray, Array]:
        return route.discs(self.context.plan_graph(float(self.people.scale[i])), until=self.horizon)

    def _settle(self, i: int, upto: int, route: Route, *, check: bool) -> None:
        """Make a route the one that counts; one that meets others of its batch is planned again first."""
        bins, discs = self._discs(i, route)
        if check and self.context.occupancy.depth(i, bins, discs, margin=MARGIN - 1e-6) > 0.0:
            self.again.add(i)
            route = self._planned(i, upto)
            bins, discs = self._discs(i, route)
        for walk in route.walks[len(self.routes[i].walks) :]:
            self.context.note(walk)
        self.routes[i] = route
        self.context.occupancy.remove(i)
        self.context.occupancy.add(i, bins, discs)

    def _step_aside(self) -> None:
        """Let those in the way be planned again around those who found none."""
        for _ in range(ROUNDS):
            blocked = [i for i, r in enumerate(self.routes) if any(u.retryable for u in r.unmet)]
            if not blocked or self._clocked:
                break
            better = False
            for i in blocked:
                better |= self._try_again(i) or self._make_way(i)
            if not better:
                break
        for i, route in enumerate(self.routes):
            if route.unmet:
                self._walk_around(i)

    def _walk_around(self, i: int) -> None:
        """Let others walk around somebody who stays where nobody thought it would."""
        people = self.scene.characters
        for k in self.context.occupancy.meets(i, *self._discs(i, self.routes[i])).tolist():
            if not people[k].marks:
                continue
            old = self.routes[k]
            self.context.occupancy.remove(k)
            made = self._again(k)
            self._settle(k, len(people[k].marks), made if len(made.unmet) <= len(old.unmet) else old, check=False)

    def _try_again(self, i: int) -> bool:
        """Plan somebody again, now that all others are settled; with other chances there may be a way."""
        route = self._again(i)
        if len(route.unmet) >= len(self.routes[i].unmet):
            return False
        self._settle(i, len(self.scene.characters[i].marks), route, check=False)
        return True

    def _make_way(self, i: int) -> bool:
        """Take out those in the way of a character, plan it, then them; put all back if anybody is worse off."""
        occupancy, people = self.context.occupancy, self.scene.characters
        old = {i: self.routes[i]}
        occupancy.remove(i)
        route = self.routes[i]
        while True:
            blockers = {b for u in route.unmet for b in u.blockers}
            others = sorted(b for b in blockers - set(old) if people[b].marks)
            if not others or len(old) + len(others) > MOST_ASIDE:
                break
            for k in others:
                old[k] = self.routes[k]
                occupancy.remove(k)
            route = self._again(i)
            if not route.unmet:
                break
        if len(old) > 1 and len(route.unmet) < len(old[i].unmet):
            self._settle(i, len(people[i].marks), route, check=False)
            for k in list(old)[1:]:
                self._settle(k, len(people[k].marks), self._again(k), check=False)
        before, after = (sum(len(r.unmet) for r in rs) for rs in (old.values(), [self.routes[k] for k in old]))
        if after < before:
            return True
        for k, kept in old.items():
            self._settle(k, len(people[k].marks), kept, check=False)
        return False

    def _again(self, i: int) -> Route:
        """Plan a character anew, with other chances."""
        self.again.add(i)
        self._chances[i] = self._chances.get(i, 0) + 1
        kept, self.routes[i] = self.routes[i], self._fresh(i)
        route = self._planned(i, len(self.scene.characters[i].marks))
        self.routes[i] = kept
        return route
