"""Repairs: what is done when somebody finds no way along its trip among those who are planned already.

At once, when its turn has come, its trip is looked for again among the bodies that are there, with more room; then
those in its way whose bodies are not planned yet make room, and get other trips. In the end, when all are planned,
those in its way step aside: they are taken out, it is planned, then they are planned again around it; if that leaves
any of them worse off everything is put back. What is impossible even so gives way, the time first: it is late; then the
place: it comes as near as it can, and waits there; and says so. Who finds no room behind a door stays outside.
Nobody ever stands in anybody: where somebody stays whom others expected elsewhere, they walk around it.

Seconds, metres.
"""

from collections.abc import Iterable
from itertools import product
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from walkon._base.arrays import Array
from walkon.crowd.itineraries import STRICT, Leniency
from walkon.synthesis.goal_directed.route import Route, Unmet

if TYPE_CHECKING:
    from walkon.crowd.schedule import Schedule

__all__ = ["Repairs"]

WIDER_RATIOS = (1.2, 1.0)
"""Times its usual room that somebody is given when its trip is looked for again."""
FIRST_ATTEMPT_COUNT = 4
"""Attempts at a leg of a trip that was looked for again."""
STEP_ASIDE_ROUNDS, MAX_ASIDE_COUNT = 3, 8
"""How often those in the way step aside, and how many of them at once."""
ENTERS_LATER_S = (3.0, 8.0, 20.0)
"""s by which somebody comes in later where there is no room behind its door."""
LATE_S = (2.0, 8.0, inf)
"""s after its windows at which somebody may meet its marks where they cannot be met in time."""
WALK_AROUND_ROUNDS = 3
"""How often others are planned again around those who stay where they were not expected to."""
FEWEST_TRIES, TRIES_PER_PERSON = 60, 1.5
"""Plans that repairs try at most: they count, not seconds, so that results are the same on any machine."""
NEAR_M = (0.9, 1.8, 3.6)
"""m within which places near a mark are tried, one after another."""
NEAR_PITCH_M = 0.3
"""m between places near a mark."""


class Repairs:
    """Repairs the plan of a schedule."""

    def __init__(self, schedule: "Schedule") -> None:
        self._all = schedule
        self._left = FEWEST_TRIES + int(TRIES_PER_PERSON * len(schedule.characters))
        """Plans that may yet be tried."""

    # While others are still to be planned

    def mend(self, i: int, route: Route) -> None:
        """Plan somebody again whose route misses marks; what cannot be mended is looked at again in the end."""
        every, coarse = self._all, self._all.coarse
        assert coarse is not None
        for wider in WIDER_RATIOS if self._left > 0 else ():
            if coarse.plan(i, wider=wider):
                every.reserve(i)
                self._left -= 1
                made = every.plan_again(i, most=FIRST_ATTEMPT_COUNT)
                if not _is_blocked(made):
                    every.put(i, made)
                    return
        blockers = {b for u in route.unmet for b in u.blockers} | set(coarse.in_the_way(i))
        others = every.in_order(b for b in blockers if b not in every.settled and b != i)
        for k in others:
            coarse.drop(k)
            every.context.occupancy.remove(k)
        made = route
        if others and coarse.plan(i):
            every.reserve(i)
            self._left -= 1
            made = every.plan_again(i, most=FIRST_ATTEMPT_COUNT)
            if not _is_blocked(made):
                every.put(i, made)
        for k in others:
            coarse.plan(k)
            every.reserve(k)
        if _is_blocked(made):
            every.routes[i] = made
            coarse.plan(i)
            every.reserve(i)

    # When everybody is planned

    def finish(self) -> None:
        """Let others step aside for those who found no way; what is impossible even so gives way."""
        every = self._all
        people = every.characters
        for _ in range(STEP_ASIDE_ROUNDS):
            blocked = every.in_order(self._blocked())
            if not blocked or every.is_clocked:
                break
            better = False
            for i in blocked:
                better |= self._left > 0 and (self.try_again(i) or self.make_way(i))
            if not better:
                break
        for i in every.in_order(self._blocked()):
            self.give_way(i)
        for _ in range(WALK_AROUND_ROUNDS):
            met = [i for i in every.in_order(range(len(people))) if every.routes[i].unmet and every.met_by(i)]
            for i in met:
                self.walk_around(i)
            if not met:
                break

    def _blocked(self) -> Iterable[int]:
        return (i for i, route in enumerate(self._all.routes) if _is_blocked(route))

    def _plan(self, i: int, leniency: Leniency = STRICT, *, wider: float = 1.0) -> Route:
        """Return a new route of somebody among those who are there."""
        every = self._all
        if every.coarse is not None:
            every.coarse.plan(i, leniency, wider=wider)
            every.context.occupancy.remove(i)
        self._left -= 1
        return every.plan_again(i, leniency)

    def try_again(self, i: int) -> bool:
        """Plan somebody again, now that all others are settled; with other chances there may be a way."""
        old = self._all.routes[i]
        for wider in WIDER_RATIOS if self._all.coarse is not None else (1.0,):
            route = self._plan(i, wider=wider)
            if len(route.unmet) < len(old.unmet):
                self._all.put(i, route)
                return True
        self._all.put(i, old)
        return False

    def make_way(self, i: int) -> bool:
        """Take out those in the way of somebody, plan it, then them; put all back unless fewer marks are missed."""
        every, people = self._all, self._all.characters
        old = {i: every.routes[i]}
        self._take_out(i)
        route = every.routes[i]
        while True:
            blockers = {b for u in route.unmet for b in u.blockers}
            others = every.in_order(b for b in blockers - set(old) if people[b].marks or people[b].leaves)
            if not others or len(old) + len(others) > MAX_ASIDE_COUNT:
                break
            for k in others:
                old[k] = every.routes[k]
                self._take_out(k)
            route = self._plan(i)
            if not route.unmet:
                break
        if len(old) > 1 and len(route.unmet) < len(old[i].unmet):
            every.put(i, route)
            for k in list(old)[1:]:
                every.put(k, self._plan(k))
        before, after = (sum(len(r.unmet) for r in rs) for rs in (old.values(), [every.routes[k] for k in old]))
        if after < before and not any(every.met_by(k) for k in old):
            return True
        for k, kept in old.items():
            every.put(k, kept)
        return False

    def _take_out(self, i: int) -> None:
        self._all.context.occupancy.remove(i)
        if self._all.coarse is not None:
            self._all.coarse.drop(i)

    def give_way(self, i: int) -> None:
        """Let somebody be late for its marks, or come near them only, or stay where it is."""
        every, one = self._all, self._all.characters[i]
        if every.context.rule.greedy:
            return  # in the paper's own search who is blocked fails
        why = next(u.reason for u in every.routes[i].unmet if u.retryable)
        leniency = Leniency(why=why)
        for late, wider in product(LATE_S, WIDER_RATIOS) if self._left > 0 else ((inf, 1.0),):
            leniency = leniency._replace(late=late)
            route = self._plan(i, leniency, wider=wider)
            failed = [u.mark for u in route.unmet if u.retryable]
            if not failed:
                every.put(i, route)
                return
        for _ in range(len(one.marks) + 2 if self._left > 0 else 1):
            near = dict(leniency.near)
            for number in failed:
                if number < len(one.marks) and one.marks[number].position is not None:
                    within = NEAR_M[: 1 + (number in near) + (number in near and len(near[number]) > 40)][-1]
                    near[number] = self._places_near(np.asarray(one.marks[number].position), within)
            if every.coarse is None or near.keys() == leniency.near.keys():
                break
            leniency = leniency._replace(near=near)
            route = self._plan(i, leniency)
            failed = [u.mark for u in route.unmet if u.retryable]
            if not failed:
                every.put(i, route)
                return
        for later in ENTERS_LATER_S if one.door and not route.walks else ():
            route = self._plan(i, Leniency(late=inf, later=later, why=why), wider=WIDER_RATIOS[0])
            if not any(u.retryable for u in route.unmet):
                every.put(i, route)
                return
        every.put(i, self._stays_out(i, why) if one.door and not route.walks else route)

    def _places_near(self, place: Array, within: float) -> Array:
        """Return free places [K, 2] within some metres of a place; itself where there are none."""
        space = self._all.context.space
        count = int(within / NEAR_PITCH_M)
        grid = NEAR_PITCH_M * np.stack(np.meshgrid(*2 * (np.arange(-count, count + 1),)), axis=-1).reshape(-1, 2)
        far = np.hypot(*grid.T)
        grid = place + grid[(far <= within) & (far > 0)]
        grid = grid[space.distance(grid) > space.radius + 0.02]
        return grid if len(grid) else place[None]

    def _stays_out(self, i: int, why: str) -> Route:
        """Return the route of somebody who never comes in."""
        one, route = self._all.characters[i], self._all.fresh(i)
        route.gone = True
        numbers = range(len(one.marks) + bool(one.leaves))
        route.unmet = [Unmet(mark=number, reason=f"waits outside the door {one.door!r}: {why}") for number in numbers]
        return route

    def walk_around(self, i: int) -> None:
        """Plan others again around somebody who stays where it was not expected to."""
        every, people = self._all, self._all.characters
        for k in every.in_order(every.met_by(i)):
            if not (people[k].marks or people[k].leaves) or every.is_awaited(k):
                continue
            old = every.routes[k]
            self._take_out(k)
            made = self._plan(k)
            every.put(k, made)
            if len(made.unmet) > len(old.unmet) and _is_blocked(made):
                self.give_way(k)


def _is_blocked(route: Route) -> bool:
    """Say whether a route misses marks that it may yet meet."""
    return any(u.retryable for u in route.unmet)
