"""What the coarse plan asks of each person: its marks as stops, at any one of some spots, with what is lost there.

A seat is reached from the standing place before it, a lift from a ring around the prop, a door over its whole width.
Turning, stopping, sitting down and rising take time on the spot: the tail of a stop is what passes between arriving
there and meeting its mark, the lead of a way what passes before it. World frame of planning, metres, seconds, radians.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil, floor, inf, isfinite
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array
from walkon.crowd.people import People
from walkon.navigation.coarse.coarse_rule import NO_STEP, STEP_S
from walkon.navigation.coarse.trips import Stop
from walkon.script import Mark, Scene
from walkon.stage.doors import door_places
from walkon.synthesis.goal_directed.context import PlanningContext
from walkon.synthesis.goal_directed.guides import idle_seconds
from walkon.synthesis.goal_directed.plan_graph import placed_discs
from walkon.transforms import planar

__all__ = ["STRICT", "Itineraries", "Itinerary", "Leniency"]

STANDER_RADIUS_M = 0.25
"""m of who takes its first or last step beside a mark."""
DOOR_RADIUS_M = 0.295
"""m of who comes through a door: side by side with others there."""
DOOR_PITCH_M = 0.6
"""m between places in a door, and twice what its ends keep from walls."""
LIFT_S = 5.0
"""s that picking up or putting down takes, with the turn before it."""
LIFT_RING_M, LIFT_SPOT_COUNT = 0.55, 8
"""m around a prop at which one stands to lift it, and how many places there are looked at."""
LIFT_CLEAR_M = 0.15
"""m that such a place is off walls at least."""
STOP_REACH_M, SEAT_REACH_M = 0.68, 0.85
"""m from a mark, and from a seat or a door, to where one may come from in one step."""
TURN_SHARE = 0.6
"""Share of what stopping and turning take that passes on the spot; the rest is gained on the way."""
SOMEWHERE_ELSE_M = 0.2
"""m from which on a mark is somewhere else than the one before."""
ANYTIME = (0.0, inf)


class Leniency(NamedTuple):
    """What of a person's marks has given way, for this attempt."""

    late: float = 0.0
    """s after its window at which a mark may be met."""
    later: float = 0.0
    """s by which it comes in later through its door."""
    why: str = ""
    """What could not be kept otherwise."""
    near: Mapping[int, Array] = MappingProxyType({})
    """Mark → places [K, 2] of which any will do instead of its own."""


STRICT = Leniency()
"""Nothing gives way."""


@dataclass(frozen=True, eq=False)
class Itinerary:
    """What one person is asked."""

    start: Stop
    stops: tuple[Stop, ...]
    tails: tuple[float, ...]
    """[M] s on the spot from the arrival until a mark is met."""
    carrying: tuple[bool, ...]
    """[M] whether something is carried on the way to a stop."""
    vanishes: bool
    """Whether it leaves through the last stop."""
    sits: Array
    """[n, 2] m: seats it sits on."""


@dataclass(eq=False)
class _Where:
    """Where somebody is while its marks are gone through."""

    spots: Array
    heading: float
    moving: bool = False
    """Whether the last mark was only passed."""
    carrying: bool = False
    sits: list[Array] = field(default_factory=list)
    props: dict[str, Array] = field(default_factory=dict)
    """Prop → where it was put last."""


@dataclass(eq=False)
class Itineraries:
    """Makes itineraries of the people of a scene."""

    scene: Scene
    context: PlanningContext
    people: People
    _doors: dict[str, Array] = field(default_factory=dict)

    def of(self, i: int, leniency: Leniency = STRICT) -> Itinerary:
        """Return what one person is asked."""
        one, context = self.scene.characters[i], self.context
        place, scale = np.array(one.place), self._scale(i)
        hub = context.hub_for(one.pose)
        rise, out = context.act_seconds(hub, rising=True)
        at = planar.compose(place, out * [scale, scale, 1.0])
        where = _Where(at[None, :2], float(at[2]), sits=[place[:2]] if context.seated[hub] else [])
        start = Stop(at[None, :2], self._rests(i, hub, place[None]), near=STANDER_RADIUS_M * scale)
        if one.door:
            start = self._door(i, one.door)
            where.spots, where.moving = start.spots, True
        stops: list[Stop] = []
        tails: list[float] = []
        carrying: list[bool] = []
        begin = one.enters + rise
        where.carrying = bool(context.carrying[hub])
        for number, mark in enumerate(one.marks):
            carrying.append(where.carrying)
            stop, tail, lead = self._stop(i, mark, number, where, leniency)
            if stops:
                stops[-1] = stops[-1]._replace(dwell=min(stops[-1].dwell + ceil(lead / STEP_S - 1e-9), NO_STEP))
            else:
                begin += lead
            stops.append(stop)
            tails.append(tail)
            where.spots = stop.spots
        vanishes = bool(one.leaves)
        if vanishes:
            stops.append(self._door(i, one.leaves))
            tails.append(0.0)
            carrying.append(where.carrying)
        elif stops:
            stops[-1] = stops[-1]._replace(dwell=NO_STEP)
        # Through a door one is on one's way already.
        begin += leniency.later
        first = floor(begin / STEP_S + 1e-9) if one.door else ceil(begin / STEP_S - 1e-9)
        reach = SEAT_REACH_M if context.seated[hub] or one.door else STOP_REACH_M
        start = start._replace(window=(first, NO_STEP), reach=reach)
        return Itinerary(
            start, tuple(stops), tuple(tails), tuple(carrying), vanishes, np.array(where.sits).reshape(-1, 2)
        )

    def _stop(self, i: int, mark: Mark, number: int, where: _Where, leniency: Leniency) -> tuple[Stop, float, float]:
        """Return a mark as a stop, s lost on the spot there and before the way to it; `where` goes on to it."""
        one = self.scene.characters[i]
        low, high = ANYTIME if mark.window is None or mark.clock is not None else mark.window
        hold = mark.hold
        last = number == len(one.marks) - 1 and not one.leaves
        near = STANDER_RADIUS_M * self._scale(i)
        if mark.action is not None:
            spots, rests = self._ring(i, mark, where)
            tail, lead, reach = LIFT_S, 0.0, STOP_REACH_M
            where.moving = False
        elif number in leniency.near:
            spots = leniency.near[number]
            stand = np.column_stack([spots, np.full(len(spots), mark.facing or 0.0)])
            rests = self._rests(i, self.context.hub_for("stand"), stand)
            tail, lead, reach = TURN_SHARE * idle_seconds(0.0, 0.0, can_idle=True), 0.0, STOP_REACH_M
            where.moving = False
        elif mark.position is not None:
            passes = mark.pose is None and hold == 0 and mark.until is None and number < len(one.marks) - 1
            spots, rests, tail, lead, reach = self._standing(i, mark, where, passes=passes)
        else:
            spots, tail, lead, reach = where.spots, 0.0, 0.0, STOP_REACH_M
            at = np.column_stack([spots, np.full(len(spots), where.heading)])
            rests = self._rests(i, self.context.hub_for(mark.pose or "stand"), at)
        dwell = NO_STEP if last or not isfinite(hold) else ceil((tail + hold) / STEP_S - 1e-9)
        high += leniency.late
        latest = NO_STEP if not isfinite(high) else max(ceil((high - tail) / STEP_S - 1e-9), 0)
        window = floor(max(low - tail, 0.0) / STEP_S + 1e-9), latest
        until = 0 if mark.until is None else ceil(mark.until / STEP_S - 1e-9)
        return Stop(spots, rests, window, dwell, until, reach, near), tail, lead

    def _standing(self, i: int, mark: Mark, where: _Where, *, passes: bool) -> tuple[Array, Array, float, float, float]:
        """Return the spot of a mark with a place, what is taken up there, s lost there and before, and its reach."""
        context, scale = self.context, self._scale(i)
        hub = context.hub_for(mark.pose or "stand")
        away = np.asarray(mark.position) - where.spots[0]
        far = float(np.hypot(*away))
        along = float(np.arctan2(away[1], away[0])) if far > SOMEWHERE_ELSE_M else where.heading
        place = np.array([*(mark.position or ()), along if mark.facing is None else mark.facing])
        tail, back = context.act_seconds(hub, rising=False)
        at = planar.compose(place, back * [scale, scale, 1.0])
        lead = 0.0
        if far > SOMEWHERE_ELSE_M:
            tail += 0.0 if passes else TURN_SHARE * idle_seconds(float(at[2]), along, can_idle=True)
            lead = 0.0 if where.moving else TURN_SHARE * idle_seconds(where.heading, along, can_idle=True)
        seated = bool(context.seated[hub])
        if seated:
            where.sits.append(place[:2])
        where.heading, where.moving = float(place[2]), passes
        return at[None, :2], self._rests(i, hub, place[None]), tail, lead, SEAT_REACH_M if seated else STOP_REACH_M

    def _ring(self, i: int, mark: Mark, where: _Where) -> tuple[Array, Array]:
        """Return places around a prop from which it is lifted or put down, and what is taken up there."""
        action = mark.action
        assert action is not None
        placed = next(p for p in self.scene.props if p.prop.name == action.prop)
        resting = where.props.get(action.prop, np.array(placed.place))
        middle = (resting if action.place is None else np.array(action.place))[:2]
        where.carrying = action.place is None
        if action.place is not None:
            where.props[action.prop] = np.array(action.place)
        angles = np.arange(LIFT_SPOT_COUNT) * 2 * np.pi / LIFT_SPOT_COUNT
        ring = middle + LIFT_RING_M * np.column_stack([np.cos(angles), np.sin(angles)])
        free = self.context.space.distance(ring) > LIFT_CLEAR_M
        ring = ring[free] if free.any() else ring
        return ring, self._rests(i, self.context.hub_for("stand"), np.column_stack([ring, np.zeros(len(ring))]))

    def _door(self, i: int, name: str) -> Stop:
        """Return places in a door side by side, at which nothing is taken up."""
        if name not in self._doors:
            door = next(d for d in self.scene.stage.doors if d.name == name)
            width = float(np.hypot(*(door.ends[1] - door.ends[0])))
            count = max(1, int((width - DOOR_PITCH_M) / DOOR_PITCH_M + 1 + 1e-9))
            self._doors[name] = door_places(self.scene.stage, door, count=count)
        places = self._doors[name]
        rests = self._rests(i, self.context.hub_for("walk"), places)
        return Stop(places[:, :2], rests, reach=SEAT_REACH_M, near=DOOR_RADIUS_M * self._scale(i))

    def _rests(self, i: int, hub: int, places: Array) -> Array:
        """Return discs [K, n, 3] of somebody in a hub at places [K, 3]."""
        discs = self.context.plan_graph(self._scale(i)).hub_discs[hub]
        return np.stack([placed_discs(discs, place) for place in places])

    def _scale(self, i: int) -> float:
        return float(self.people.scale[i])
