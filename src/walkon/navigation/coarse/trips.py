"""Trips: one person's way through place and time past all its stops, among the trips that are there already.

Space-time A* on the lattice, with the cost

    Σ seconds + EFFORT_S_PER_M · metres + prices of starts, turns, and coming close to others                     (1)

and, as what is ahead, exact distances back from every stop but for the others (Dijkstra), so that where nobody is in
the way the search runs straight to the goal. All stops of a person are searched together: whether there is time for
the second has a say in how the first is reached. Steps of `STEP_S`, metres.

Reference: Silver 2005, Cooperative pathfinding (reverse search as heuristic); distances are continuous within a step.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array, BoolArray, lock_fields
from walkon.navigation.coarse.coarse_rule import EFFORT_S_PER_M, NO_STEP, STEP_S, Costs, Lattice, Trip
from walkon.navigation.coarse.traffic import TrafficTable
from walkon.stage.distance_rule import DistanceGrid
from walkon.stage.free_space import FreeSpace

__all__ = ["FoundTrip", "Stop", "TripFinder"]

BUDGETS = (3_000, 60_000)
"""States that are looked at, at first and at most."""
BUCKET_COUNT = 1 << 14
MOVES_PER_STATE = 22
EARLY_STEPS = 12
"""Steps by which who must wait for its first stop sets out earlier than needed."""
SPARE_S = 20.0
"""s more than the way from the stop before that a stop's distances reach."""
STOP_PRICE_S = 4.0
"""s that a stop ahead is taken to cost beside the way to it: setting out, turning, whole steps. Too much, so
that trips past many stops are looked for stop by stop."""
KEPT_CELL_COUNT = 50_000_000
"""Values of distances that are kept at most."""


class Stop(NamedTuple):
    """Where a trip begins, or a mark it goes through: at any one of some spots."""

    spots: Array
    """[K, 2] m."""
    rests: Array
    """[K, n, 3] m: discs of who rests at each spot; radius below 0 for none."""
    window: tuple[int, int] = (0, NO_STEP)
    """Steps of the earliest and the latest arrival."""
    dwell: int = 0
    """Steps from arrival until one goes on; `NO_STEP`: for ever."""
    until: int = 0
    """Step before whose beginning one does not go on."""
    reach: float = 0.68
    """m from a spot to the nodes that it is joined to."""
    near: float = 0.25
    """m: the radius of who takes the first step from a spot, or the last one to it."""


class FoundTrip(NamedTuple):
    """A trip, or how far it came."""

    knots: Array
    """[K, 4] = (x, y, step, stops met before); a step from one to the next, or a rest at a stop. [0, 4]: none."""
    expanded: int
    furthest: int
    """Stops that could be met at most; −1 where nothing leads to them at all."""

    @property
    def found(self) -> bool:
        """Whether there is a trip."""
        return len(self.knots) > 0


@dataclass(eq=False, kw_only=True)
class TripFinder:
    """Looks for trips on one lattice among one traffic."""

    space: FreeSpace
    lattice: Lattice
    traffic: TrafficTable
    need: float
    """m that one needs from walls on the way."""
    steps: int
    """Steps until which everything is over."""
    _costs: dict[Any, NDArray[np.float32]] = field(default_factory=dict)

    def find(
        self,
        me: int,
        start: Stop,
        stops: Sequence[Stop],
        *,
        radius: float,
        start_by: int | None = None,
        vanishes: bool = False,
        grid: DistanceGrid | None = None,
    ) -> FoundTrip:
        """Return a trip of a disc of `radius` m from the first step of its start's window.

        It may begin as late as step `start_by`. `grid` has the walls as this person has them at its stops.
        """
        from walkon.navigation.coarse import _trip_kernels as kernels

        grid = self.space.walking_grid if grid is None else grid
        trip, costs = self._asked(me, start, stops, radius, start_by, vanishes, grid)
        onward = np.full(len(trip.spots), np.inf)
        kernels.fill_onward(grid, self.lattice, costs, trip, onward)
        legs = np.minimum.reduceat(onward, trip.first_spot[:-2])[: len(stops)]
        if not np.isfinite(legs).all():
            return FoundTrip(np.zeros((0, 4)), 0, -1)
        free = _when_free(trip, stops)
        expanded = furthest = 0
        for begin in _begins(trip, free[0], legs[0]):
            ahead = _ahead(legs, free, begin=begin)
            start_by = trip.start_by if begin == trip.begin else begin
            asked = lock_fields(trip._replace(ahead=ahead, onward=onward, begin=begin, start_by=start_by))
            found = self._search(asked, costs, grid)
            if found.found:
                return found._replace(expanded=expanded + found.expanded)
            expanded, furthest = expanded + found.expanded, max(furthest, found.furthest)
        return FoundTrip(np.zeros((0, 4)), expanded, furthest)

    def _search(self, trip: Trip, costs: Costs, grid: DistanceGrid) -> FoundTrip:
        """Search, at first with a small budget."""
        from walkon.navigation.coarse import _trip_kernels as kernels

        traffic = self.traffic.arrays
        knots = np.empty((self.steps + 2 * len(trip.dwell) + 8, 4))
        expanded = furthest = 0
        for most in BUDGETS:
            rows, spent = np.empty((most * MOVES_PER_STATE + 512, 7), np.int32), np.empty(most * MOVES_PER_STATE + 512)
            done = np.zeros(1 << int(np.ceil(np.log2(2 * most + 16))), np.int64)
            heads = np.zeros(BUCKET_COUNT, np.int32)
            count, seen, furthest = kernels.search(
                grid, self.lattice, traffic, costs, trip, most, rows, spent, done, heads, knots
            )
            expanded += seen
            if count:
                kernels.straighten(grid, traffic, trip, knots, count)
                return FoundTrip(knots[:count].copy(), expanded, furthest)
            if seen <= most:
                break
        return FoundTrip(np.zeros((0, 4)), expanded, furthest)

    def way_around(self, start: Stop, stop: Stop, discs: Array, *, grid: DistanceGrid | None = None) -> Array:
        """Return a way [P, 2] to a stop that goes around discs [K, 3] if that is not too far; none if there is none."""
        from walkon.navigation.coarse import _lattice_kernels as kernels
        from walkon.stage._distance_kernels import read_distances

        grid = self.space.walking_grid if grid is None else grid
        prices = np.array(self.lattice.prices)
        kernels.add_prices(self.lattice, discs, prices)
        priced = lock_fields(self.lattice._replace(prices=prices))
        clearance = np.empty(len(stop.spots))
        read_distances(grid, np.ascontiguousarray(stop.spots), clearance)
        costs = np.full(prices.shape, np.inf, np.float32)
        spots, froms = np.ascontiguousarray(stop.spots), np.ascontiguousarray(start.spots)
        kernels.fill_costs(
            grid, priced, spots, np.minimum(clearance - 0.01, self.need), self.need, stop.reach, froms, 1.0, True, costs
        )
        path = np.empty((prices.size, 2))
        count = int(kernels.descend(priced, costs, *froms[0], start.reach, path))
        return np.concatenate([froms[:1], path[:count], spots[:1]]) if count else np.zeros((0, 2))

    def _asked(
        self,
        me: int,
        start: Stop,
        stops: Sequence[Stop],
        radius: float,
        start_by: int | None,
        vanishes: bool,
        grid: DistanceGrid,
    ) -> tuple[Trip, Costs]:
        """Return what kernels are asked, without what is ahead, and what is left to go to each stop."""
        from walkon.stage._distance_kernels import read_distances

        every = (start, *stops)
        spots = np.ascontiguousarray(np.concatenate([stop.spots for stop in every]), np.float64)
        clearance = np.empty(len(spots))
        read_distances(grid, spots, clearance)
        clearance = np.minimum(clearance - 0.01, self.need)
        first_spot = np.cumsum([0, *(len(stop.spots) for stop in every)]).astype(np.int32)
        discs = [rest[rest[:, 2] > 0] for stop in every for rest in stop.rests]
        blocked = np.stack([self.traffic.blocked(one, me=me, steps=self.steps) for one in discs])
        begin = start.window[0]
        trip = lock_fields(
            Trip(
                me=me,
                radius=radius,
                begin=begin,
                start_by=begin if start_by is None else start_by,
                spots=spots,
                near=np.concatenate([np.full(len(stop.spots), stop.near) for stop in every]),
                first_spot=first_spot,
                clearance=clearance,
                need=self.need,
                reach=np.array([stop.reach for stop in every]),
                windows=np.array([np.minimum(stop.window, NO_STEP) for stop in stops], np.int32).reshape(-1, 2),
                dwell=np.array([min(stop.dwell, NO_STEP) for stop in stops], np.int32),
                until=np.array([min(stop.until, NO_STEP) for stop in stops], np.int32),
                blocked=blocked,
                ahead=np.zeros((len(stops) + 1, 3)),
                onward=np.zeros(len(spots)),
                vanishes=int(vanishes),
            )
        )
        if self.space.is_open:
            return trip, lock_fields(Costs(np.zeros((len(stops), 0, 0), np.float32)))
        values = [
            self._costs_to(
                spots[first_spot[k + 1] : first_spot[k + 2]],
                clearance[first_spot[k + 1] : first_spot[k + 2]],
                spots[first_spot[k] : first_spot[k + 1]],
                stop.reach,
                grid,
            )
            for k, stop in enumerate(stops)
        ]
        return trip, lock_fields(Costs(np.stack(values)))

    def _costs_to(
        self, spots: Array, clearance: Array, froms: Array, reach: float, grid: DistanceGrid
    ) -> NDArray[np.float32]:
        """Return what is left to go from every node to the nearest of some spots, s."""
        from walkon.navigation.coarse import _lattice_kernels as kernels

        shared = len(spots) > 1
        near = spots.tobytes(), clearance.tobytes(), b"" if shared else froms.tobytes()
        key = (*near, reach, None if grid is self.space.walking_grid else grid.nodes.tobytes())
        found = self._costs.get(key)
        if found is None:
            found = np.full(self.lattice.places.shape[:2], np.inf, np.float32)
            ends = np.zeros((0, 2)) if shared else np.ascontiguousarray(froms)
            kernels.fill_costs(grid, self.lattice, spots, clearance, self.need, reach, ends, SPARE_S, False, found)
            if (len(self._costs) + 1) * found.size <= KEPT_CELL_COUNT:
                self._costs[key] = found
        return found


def _when_free(trip: Trip, stops: Sequence[Stop]) -> list[Stop]:
    """Return stops whose windows begin when one of their spots is free for as long as one stays there."""
    steps = np.arange(trip.blocked.shape[1])
    found = []
    for k, stop in enumerate(stops):
        mine = trip.blocked[trip.first_spot[k + 1] : trip.first_spot[k + 2]]
        dwell = 1 if trip.vanishes and k == len(stops) - 1 else stop.dwell
        free: BoolArray = np.logical_or.reduce(mine >= np.minimum(steps + dwell, NO_STEP), axis=0)
        low = min(stop.window[0], len(steps) - 1)
        after = np.flatnonzero(free[low:])
        found.append(stop._replace(window=(low + int(after[0]) if len(after) else low, stop.window[1])))
    return found


def _begins(trip: Trip, first: Stop, leg: float) -> list[int]:
    """Return the steps at which to set out that are tried: late for a stop that is free late only, if one can wait."""
    late = first.window[0] - int(np.ceil(leg / STEP_S)) - EARLY_STEPS
    waits = late > trip.begin + EARLY_STEPS and trip.first_spot[1] == 1 and trip.blocked[0, trip.begin] >= late
    return [late, trip.begin] if waits else [trip.begin]


def _ahead(legs: Array, stops: Sequence[Stop], *, begin: int) -> Array:
    """Return [M + 1, 3] what is ahead of each stop at least (see `Trip`), from what the ways to them cost at least."""
    share = EFFORT_S_PER_M * 0.6 / (STEP_S + EFFORT_S_PER_M * 0.6)
    M = len(stops)
    found = np.zeros((M + 1, 3))
    after = seconds = effort = over = 0.0
    for k in range(M - 1, -1, -1):
        dwell = 0.0 if k == M - 1 else stops[k].dwell * STEP_S
        if k < M - 1:
            after += legs[k + 1] + STOP_PRICE_S
            seconds += legs[k + 1] * (1.0 - share)
            effort += legs[k + 1] * share + STOP_PRICE_S
        after += dwell
        seconds += dwell
        over = max(over, (stops[k].window[0] - begin) * STEP_S + seconds)
        found[k] = after, over, effort
    return found
