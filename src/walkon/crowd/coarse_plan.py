"""Prioritized multi-agent path finding: the whole crowd as discs in place and time, before any body is planned.

One after another everybody gets a trip past all its marks among the trips that are there already (see
`navigation.coarse.trips`). Who goes first decides most: those whose way leads over places where others come to stay;
those who come in first; then those who have least time to spare. Somebody who finds no trip takes out those in the way,
goes first, and they are planned again.

What comes out are places over time that can all be gone together, for bodies to be planned along; where these go
another way, what is left is planned again among them. It depends on names and places, not on the order of rows or on
the number of threads. Metres, seconds.
"""

import time
from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from math import inf
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from walkon._base.arrays import Array, IntArray
from walkon.crowd.coarse_trip import CoarseTrip
from walkon.crowd.itineraries import STRICT, Itineraries, Itinerary, Leniency
from walkon.crowd.people import People
from walkon.geometry.path import arc_lengths
from walkon.navigation.coarse.coarse_rule import NO_STEP, PASSING_RADIUS_M, STEP_S
from walkon.navigation.coarse.lattice import make_lattice
from walkon.navigation.coarse.traffic import TrafficTable
from walkon.navigation.coarse.trips import FoundTrip, TripFinder
from walkon.script import Scene
from walkon.stage.distance_grid import read_grid
from walkon.stage.space_off_seats import off_seats
from walkon.synthesis.goal_directed.context import PlanningContext

__all__ = ["CoarseCrowd"]

WALKER_RADIUS_M = 0.33
"""m of who walks, among others: most of what its limbs need on its way."""
RESERVED_RADIUS_M = 0.22
"""m that is kept for who will walk there, before its body is planned."""
STANDING_RADIUS_M = 0.28
"""m of a body that has been planned, where it hardly moves."""
SAME_PLACE_M = 0.45
"""m within which two marks are one place: who comes there waits for who leaves."""
OWN_PLACE_M = 0.35
"""m from where one begins or stops in which others who come to stay beside are not passed."""
DOOR_KEPT_M, DOOR_HEADWAY_STEPS = 0.295, 2
"""m around a place in a door, and steps between two who come through it."""
WALL_GAP_M = 0.02
"""m that the disc of the trunk keeps from walls."""
MAX_LATE_S = 60.0
"""s by which somebody waits outside a full door."""
FREE_GAP_M = 0.15
"""m more than needed that a direct trip keeps from others."""
EXACT_S, EVEN_SLOWER_RATIO = 1.0, 0.5
"""s that a window has at most which is one moment, and the same share on the way to it."""
DIRECT_SLOWER_RATIO = 0.8
"""Share of the speed that one likes at which one strolls where there is time."""
TEAR_UP_ROUNDS = 3
"""How often somebody takes out those in its way."""
START_KEPT_STEPS = 8
"""Steps for which a start is kept free for who is not planned yet, from when it can set out."""
HURRY_M_S = 8.0
"""m of a way for each of which somebody may be expected a second late, since a body can hurry that much."""
TEAR_UP_STATE_COUNT = 20_000
"""States that were looked at, per person, after which nobody is taken out any more."""
STILL_M = 0.05
"""m of a step in which a body hardly moves."""


class CoarseCrowd:
    """Plans everybody of a scene as discs."""

    def __init__(self, scene: Scene, context: PlanningContext, people: People, *, horizon: float) -> None:
        N = len(scene.characters)
        self.scene, self.context, self.people = scene, context, people
        self.space = context.space
        self.trips: list[CoarseTrip | None] = [None] * N
        self.order: list[int] = []
        """Rows of characters in the order in which they were planned."""
        self.expanded = 0
        """States that were looked at."""
        self.seconds = np.zeros(N)
        """[N] s of looking for everybody's trips, what all share shared evenly."""
        self.horizon = horizon
        self._traffic = TrafficTable()
        self._asks = Itineraries(scene, context, people)
        self._itineraries: list[Itinerary] = []
        self._alone: list[Array] = []
        self._torn = [0] * N
        self._taken: dict[int, FoundTrip] = {}

    def run(self) -> None:
        """Plan everybody."""
        if not self.scene.characters:
            return
        begun = time.perf_counter()
        people = self.scene.characters
        places = np.reshape([one.place[:2] for one in people], (-1, 2))
        goals = [mark.position for one in people for mark in one.marks if mark.position is not None]
        need = self.space.radius + WALL_GAP_M
        lattice = make_lattice(self.space, np.concatenate([places, np.reshape(goals, (-1, 2))]), need=need)
        steps = int(np.ceil(self.horizon / STEP_S))
        self._finder = TripFinder(space=self.space, lattice=lattice, traffic=self._traffic, need=need, steps=steps)
        self._itineraries = [self._asks.of(i) for i in range(len(people))]
        self._alone = [self._direct(i, itinerary) for i, itinerary in enumerate(self._itineraries)]
        for i, itinerary in enumerate(self._itineraries):
            self._keep_start(i, itinerary)
        self.order = self._ordered(self._precedence(), self._followers())
        self.seconds += (time.perf_counter() - begun) / max(len(people), 1)
        for i in self.order:
            if not self.plan(i):
                self._tear_up(i)

    # Who goes first

    def _precedence(self) -> list[set[int]]:
        """Return for each those whom it must come before, since they come to stay where its way leads."""
        rests = TrafficTable()
        discs, whose = [np.zeros((0, 3))], [np.zeros(0, np.int64)]
        for i, itinerary in enumerate(self._itineraries):
            if itinerary.stops and not itinerary.vanishes:
                there = itinerary.stops[-1].rests[0]
                rests.add_rest(i, discs=there, first=0, stop=NO_STEP)
                discs.append(there)
                whose.append(np.full(len(there), i))
        every, owners = np.concatenate(discs), np.concatenate(whose)
        before = [self._crossed(i, rests, every, owners) for i in range(len(self._itineraries))]
        for first, then in self._successions():
            before[first].add(then)
        return before

    def _followers(self) -> list[set[int]]:
        """Return for each those who walk over where it begins."""
        starts = TrafficTable()
        for i, itinerary in enumerate(self._itineraries):
            if itinerary.stops and not self.scene.characters[i].door:
                starts.add_rest(i, discs=itinerary.start.rests[0], first=0, stop=NO_STEP)
        found: list[set[int]] = [set() for _ in self._itineraries]
        for i, knots in enumerate(self._alone):
            if len(knots):
                radius = PASSING_RADIUS_M * float(self.people.scale[i])
                own = _on_the_way(knots, self._itineraries[i].start.spots)
                for k in starts.met(i, own, radius=radius, discs=np.zeros((0, 3))):
                    found[k].add(i)
        return found

    def _successions(self) -> list[tuple[int, int]]:
        """Return pairs of whom the second comes to be where the first one was before it."""
        who, when, spots = [], [], []
        for i, (itinerary, knots) in enumerate(zip(self._itineraries, self._alone, strict=True)):
            met = np.flatnonzero(np.diff(knots[:, 3])).tolist() if len(knots) else []
            steps = [float(knots[k, 2]) for k in met] or [float(stop.window[0]) for stop in itinerary.stops]
            places = [itinerary.start.spots[0], *(stop.spots[0] for stop in itinerary.stops)]
            for step, place in zip((-1.0, *steps), places, strict=False):
                who.append(i)
                when.append(step)
                spots.append(place)
        pairs = cKDTree(np.reshape(spots, (-1, 2))).query_pairs(SAME_PLACE_M, output_type="ndarray")
        found = {(a, b) if when[a] < when[b] else (b, a) for a, b in pairs.tolist() if who[a] != who[b]}
        return sorted({(who[a], who[b]) for a, b in found if when[a] != when[b]})

    def _crossed(self, i: int, rests: TrafficTable, discs: Array, whose: IntArray) -> set[int]:
        """Return those who come to stay where somebody's way leads, if none around them is short enough."""
        itinerary, knots = self._itineraries[i], self._alone[i]
        radius, none = PASSING_RADIUS_M * float(self.people.scale[i]), np.zeros((0, 3))
        if not itinerary.stops:
            return set()
        ends = np.concatenate([itinerary.start.spots, *(stop.spots for stop in itinerary.stops)])
        if len(knots) and not rests.met(i, _on_the_way(knots, ends), radius=radius, discs=none):
            return set()
        found: set[int] = set()
        start = itinerary.start
        grown = discs[whose != i] + (0.0, 0.0, radius)
        grid = off_seats(self.space, itinerary.sits).walking_grid
        for stop in itinerary.stops:
            way = self._finder.way_around(start, stop, grown, grid=grid)
            way = np.column_stack([way, np.arange(float(len(way)))])
            found |= rests.met(i, _on_the_way(way, ends), radius=radius, discs=none)
            start = stop
        return found

    def _ordered(self, before: Sequence[set[int]], followers: Sequence[set[int]]) -> list[int]:
        """Return the order of planning, given [N] those whom each must come before, and those whom it should.

        Among equals who is on stage first, then who has least time to spare, then by way, place and name.
        """
        N = len(before)
        slack = self._slacks(before)
        count = np.zeros((N, 2), int)
        for level, waits in enumerate((before, followers)):
            for held in waits:
                count[list(held), level] += 1
        keys = [self._key(i, slack[i]) for i in range(N)]
        waiting = [(*count[i].tolist(), keys[i], i) for i in range(N)]
        heapify(waiting)
        done: list[int] = []
        taken = [False] * N
        while waiting:
            *left, _, i = heappop(waiting)
            if taken[i] or left != count[i].tolist():
                continue
            taken[i] = True
            done.append(i)
            for level, waits in enumerate((before, followers)):
                for k in waits[i]:
                    count[k, level] -= 1
                    if not taken[k]:
                        heappush(waiting, (*count[k].tolist(), keys[k], k))
        return done

    def _slacks(self, before: Sequence[set[int]]) -> list[float]:
        """Return the steps that everybody has to spare: those of who waits for it, where these are fewer."""
        found = [
            float(itinerary.stops[-1].window[1]) - float(knots[-1, 2]) if itinerary.stops and len(knots) else inf
            for itinerary, knots in zip(self._itineraries, self._alone, strict=True)
        ]
        changed = True
        while changed:
            changed = False
            for i, crossed in enumerate(before):
                least = min((found[k] for k in crossed), default=inf)
                if least < found[i]:
                    found[i], changed = least, True
        return found

    def _key(self, i: int, slack: float) -> tuple[Any, ...]:
        one, itinerary, knots = self.scene.characters[i], self._itineraries[i], self._alone[i]
        goes = bool(itinerary.stops) and len(knots) > 0
        way = float(np.hypot(*np.diff(knots[:, :2], axis=0).T).sum()) if goes else 0.0
        return goes, one.enters, slack, -way, one.place[:2], one.name

    # One person

    def plan(self, i: int, leniency: Leniency = STRICT, *, wider: float = 1.0) -> bool:
        """Plan somebody, `wider` times as wide as usual, among those who are there; say whether there is a trip.

        Who has none keeps its start.
        """
        begun = time.perf_counter()
        planned = self._planned(i, leniency, wider)
        self.seconds[i] += time.perf_counter() - begun
        return planned

    def _planned(self, i: int, leniency: Leniency, wider: float) -> bool:
        self._traffic.remove(i)
        itinerary = self._itineraries[i] if leniency is STRICT else self._asks.of(i, leniency)
        radius = WALKER_RADIUS_M * float(self.people.scale[i]) * wider
        found = None if not itinerary.stops or wider > 1.0 else self._free(i, itinerary)
        if found is None and itinerary.stops:
            found = self._find(i, itinerary, radius)
        if found is None or not found.found:
            self._stay(i, itinerary)
            return not itinerary.stops
        self._take(i, itinerary, found)
        self._taken[i] = found
        return True

    def drop(self, i: int) -> None:
        """Forget where somebody is expected."""
        self._traffic.remove(i)

    def settle(self, i: int, step: int, places: Array, there: Array, *, gone: bool) -> None:
        """Let somebody be where its body has been planned: places [n + 1, 2] from a step on, then discs [k, 3]."""
        self._traffic.remove(i)
        scale = float(self.people.scale[i])
        if len(places) > 1:
            moves = np.hypot(*np.diff(places, axis=0).T) > STILL_M
            radii = scale * np.where(moves, WALKER_RADIUS_M, STANDING_RADIUS_M)
            self._traffic.add_way(i, step=step, places=places, radii=radii)
        if not gone:
            self._traffic.add_rest(i, discs=there, first=step + len(places) - 1, stop=NO_STEP)

    def in_the_way(self, i: int) -> list[int]:
        """Return those whom somebody meets who goes as if nobody were there."""
        itinerary, knots = self._itineraries[i], self._alone[i]
        if not len(knots) or not itinerary.stops:
            return []
        radius = WALKER_RADIUS_M * float(self.people.scale[i])
        met = self._traffic.met(i, knots, radius=radius, discs=itinerary.stops[-1].rests[0])
        return sorted(met, key=self.order.index)

    def _free(self, i: int, itinerary: Itinerary) -> FoundTrip | None:
        """Return the direct trip if nobody is anywhere near it."""
        knots = self._direct(i, itinerary)
        if not len(knots):
            return None
        radius = WALKER_RADIUS_M * float(self.people.scale[i])
        rest = np.zeros((0, 3)) if itinerary.vanishes else itinerary.stops[-1].rests[0]
        if self._traffic.met(i, knots, radius=radius, discs=rest, gap=FREE_GAP_M):
            return None
        return FoundTrip(knots, 0, len(itinerary.stops))

    def _direct(self, i: int, itinerary: Itinerary) -> Array:
        """Return the knots [K, 4] of walking straight from stop to stop, in time for each; none: that is not so."""
        at, now = itinerary.start.spots[0], itinerary.start.window[0] * STEP_S
        rows = [np.array([[*at, itinerary.start.window[0], 0]])]
        for number, stop in enumerate(itinerary.stops):
            like, quickest = self._speeds(i, carrying=itinerary.carrying[number])
            spot = stop.spots[np.hypot(*(stop.spots - at).T).argmin()]
            path = self.context.way(at, spot)
            if path is None:
                return np.zeros((0, 4))
            arcs = arc_lengths(path)
            length = float(arcs[-1])
            low, high = (w * STEP_S for w in stop.window)
            arrives = min(max(now + length / like, low), high)
            # Who must be there at one moment goes evenly, as those do who go beside.
            slowest = like * (EVEN_SLOWER_RATIO if high - low <= EXACT_S else DIRECT_SLOWER_RATIO)
            speed = max(length / max(arrives - now, 1e-9), slowest)
            if speed > quickest:
                return np.zeros((0, 4))
            leaves = arrives - length / speed
            first, last = round(now / STEP_S), int(np.ceil(arrives / STEP_S - 1e-9))
            steps = np.arange(first, last + 1)
            along = np.clip((steps * STEP_S - leaves) * speed, 0.0, length)
            places = np.column_stack([np.interp(along, arcs, path[:, k]) for k in (0, 1)])
            places[-1] = spot
            rows.append(np.column_stack([places, steps, np.full(len(steps), number)])[1:])
            done = max(last, stop.window[0])
            until = done if number == len(itinerary.stops) - 1 else min(max(done + stop.dwell, stop.until), NO_STEP)
            rows.append(np.array([[*spot, until, number + 1]]))
            at, now = spot, until * STEP_S
            if until > self._finder.steps:
                return np.zeros((0, 4))
        found = np.concatenate(rows)
        ends = np.concatenate([itinerary.start.spots, *(stop.spots for stop in itinerary.stops)])
        grid = self.space.walking_grid
        roomy = read_grid(grid, _on_the_way(found, ends)[:, :2]) if grid.nodes.size else np.ones(1)
        return found if (roomy > self.space.radius).all() else np.zeros((0, 4))

    def _speeds(self, i: int, *, carrying: bool) -> tuple[float, float]:
        """Return m/s at which somebody likes to walk, and the most that it should."""
        like, scale = float(self.people.speed[i]), float(self.people.scale[i])
        graph = self.context.plan_graph(scale)
        if not carrying:
            return like, graph.speeds[2]
        laden = self.context.plan_graph(scale, carrying=True)
        return like * laden.speeds[1] / graph.speeds[1], laden.speeds[2]

    def _keep_start(self, i: int, itinerary: Itinerary) -> None:
        """Keep free where somebody begins until it can be gone from there."""
        one = self.scene.characters[i]
        if not one.door:
            first, stop = int(np.floor(one.enters / STEP_S)), itinerary.start.window[0] + START_KEPT_STEPS
            self._traffic.add_rest(i, discs=itinerary.start.rests[0], first=first, stop=stop)

    def _find(self, i: int, itinerary: Itinerary, radius: float) -> FoundTrip:
        begin = itinerary.start.window[0]
        stops, before = [], itinerary.start.spots[0]
        for stop in itinerary.stops:
            # Bodies can hurry more than the lattice has it.
            low, high = stop.window
            more = float(np.hypot(*(stop.spots[0] - before))) / (HURRY_M_S * STEP_S)
            stops.append(stop._replace(window=(low, min(high + int(more), NO_STEP))))
            before = stop.spots[0]
        found = self._finder.find(
            i,
            itinerary.start,
            stops,
            radius=radius,
            start_by=begin + int(MAX_LATE_S / STEP_S) if self.scene.characters[i].door else None,
            vanishes=itinerary.vanishes,
            grid=off_seats(self.space, itinerary.sits).walking_grid,
        )
        self.expanded += found.expanded
        return found

    def _stay(self, i: int, itinerary: Itinerary) -> None:
        """Keep the place of somebody who has no trip; who is outside a door stays there."""
        one = self.scene.characters[i]
        self.trips[i] = None
        if not one.door:
            first = int(np.floor(one.enters / STEP_S))
            self._traffic.add_rest(i, discs=itinerary.start.rests[0], first=first, stop=NO_STEP)
            rest = (one.enters, inf, itinerary.start.rests[0])
            knots = np.array([[*itinerary.start.spots[0], one.enters, 0.0]])
            self.trips[i] = CoarseTrip(knots, (), (rest,))

    def _take(self, i: int, itinerary: Itinerary, found: FoundTrip) -> None:
        """Put a trip into the traffic."""
        one = self.scene.characters[i]
        knots = found.knots
        scale = float(self.people.scale[i])
        steps, stops = knots[:, 2].astype(int), knots[:, 3].astype(int)
        rests: list[tuple[float, float, Array]] = []

        def rest(discs: Array, first: int, stop: int) -> None:
            self._traffic.add_rest(i, discs=discs, first=first, stop=stop)
            rests.append((first * STEP_S, inf if stop >= NO_STEP else stop * STEP_S, discs))

        if one.door:
            self._keep_door(i, knots[0], scale)
        else:
            rest(itinerary.start.rests[0], int(np.floor(one.enters / STEP_S)), int(steps[0]))
        arrivals = []
        a = 0
        for k in (np.flatnonzero(np.diff(stops)) + 1).tolist():
            # Row k − 1 is the arrival, row k the end of what is done there.
            number = stops[k - 1]
            stop, before = itinerary.stops[number], itinerary.start if number == 0 else itinerary.stops[number - 1]
            radii = np.full(k - 1 - a, WALKER_RADIUS_M * scale)
            if len(radii):
                radii[[0, -1]] = before.near, stop.near
            self._traffic.add_way(i, step=steps[a], places=knots[a:k, :2], radii=radii)
            spot = int(np.hypot(*(stop.spots - knots[k - 1, :2]).T).argmin())
            last = k == len(knots) - 1
            if last and itinerary.vanishes:
                self._keep_door(i, knots[k - 1], scale)
            else:
                rest(stop.rests[spot], int(steps[k - 1]), NO_STEP if last else int(steps[k]))
            arrivals.append(max(steps[k - 1], stop.window[0]) * STEP_S + itinerary.tails[number])
            a = k
        timed = np.column_stack([knots[:, :2], steps * STEP_S, knots[:, 3]])
        self.trips[i] = CoarseTrip(timed, tuple(arrivals), tuple(rests), RESERVED_RADIUS_M * scale)

    def _keep_door(self, i: int, knot: Array, scale: float) -> None:
        """Keep a place in a door for who comes in or leaves there, and for some headway before and after."""
        disc = np.array([[*knot[:2], DOOR_KEPT_M * scale]])
        step = int(knot[2])
        self._traffic.add_rest(i, discs=disc, first=step - DOOR_HEADWAY_STEPS + 1, stop=step + DOOR_HEADWAY_STEPS)

    def _tear_up(self, i: int) -> None:
        """Let somebody go first who found no trip: take out those in its way, and plan them again."""
        self._torn[i] += 1
        if self._torn[i] > TEAR_UP_ROUNDS or self.expanded > TEAR_UP_STATE_COUNT * len(self.order):
            return
        others = [k for k in self.in_the_way(i) if self._torn[k] <= TEAR_UP_ROUNDS and self._itineraries[k].stops]
        taken = {k: self._taken.get(k) for k in others}
        for k in others:
            self._traffic.remove(k)
        if others and self.plan(i):
            for k in others:
                if not self.plan(k):
                    self._tear_up(k)
            return
        for k, found in taken.items():
            if found is not None:
                self._take(k, self._itineraries[k], found)
            else:
                self._keep_start(k, self._itineraries[k])


def _on_the_way(knots: Array, ends: Array) -> Array:
    """Return the knots [K, ≥ 2] that are off all ends [n, 2]."""
    far = np.hypot(*(knots[:, None, :2] - ends).transpose(2, 0, 1)).min(axis=1)
    return knots[far > OWN_PLACE_M]
