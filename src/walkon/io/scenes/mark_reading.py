"""Marks of a scene file, for one or all of a group: one `Mark` for each person."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any, cast

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue, UnknownName
from walkon.io.scenes.problems import Problems
from walkon.io.scenes.prop_reading import resting_place
from walkon.io.scenes.quantities import Instant
from walkon.io.scenes.records import Fields
from walkon.io.scenes.shapes import ArrangedPlaces, arrange, places_at
from walkon.io.scenes.stage_reading import insert_number
from walkon.script.mark import Action, Mark, Moment
from walkon.script.scene import PlacedProp
from walkon.stage import Stage
from walkon.stage.doors import door_places, find_named

__all__ = ["BEFORE_WINDOW_S", "SceneGroup", "read_marks"]

BEFORE_WINDOW_S = 3600.0
"""Seconds: `before: bob.seat` is a window that begins so long before that mark."""


@dataclass(frozen=True, eq=False)
class SceneGroup:
    """One character or the people of a group: what their marks need to know."""

    names: tuple[str, ...]
    numbers: tuple[int, ...]
    """What {n} stands for."""
    starts: Array
    """[N, 2] m; NaN where the place is not known."""
    enters: Array
    """[N] s"""
    generator: np.random.Generator


def read_marks(
    given: list[Fields], people: SceneGroup, *, stage: Stage, props: dict[str, PlacedProp], problems: Problems
) -> list[list[Mark]]:
    """Return the marks of each of the people; what is wrong is noted and left out."""
    marks: list[list[Mark]] = [[] for _ in people.names]
    where = people.starts.copy()
    names: dict[str, int] = {}
    for index, fields in enumerate(given):
        name = fields.get("name", f"mark_{index + 1}")
        if name in names:
            problems.add(
                fields.line_of("name"), f"mark {name!r} is there twice, first in line {names[name]}; rename one"
            )
            continue
        names[name] = fields.line
        with problems.on(fields.line):
            for i, mark in enumerate(list(_mark(fields, name, people, where, stage, props))):
                marks[i].append(mark)
                where[i] = where[i] if mark.position is None else mark.position
    return marks


def _mark(
    fields: Fields, name: str, people: SceneGroup, where: Array, stage: Stage, props: dict[str, PlacedProp]
) -> Iterator[Mark]:
    places = _places(fields, people, where, stage)
    actions = _actions(fields, people, stage, props)
    until = fields.get("until")
    for i, who in enumerate(people.names):
        window, clock = _window(fields, who, people.numbers[i], float(people.enters[i]))
        seat = places.seats[i] if places is not None and places.seats else ""
        position = None if places is None else (float(places.points[i, 0]), float(places.points[i, 1]))
        yield Mark(
            name=name,
            position=position,
            z=fields.get("z"),
            facing=_facing(fields, position, None if places is None else float(places.facings[i])),
            pose=fields.get("pose", "sit" if seat else None),
            window=window,
            clock=clock,
            hold=inf if until == inf else fields.get("hold", 0.0),
            until=None if until == inf else until,
            seat=seat,
            action=actions[i] if actions else None,
        )


def _places(fields: Fields, people: SceneGroup, where: Array, stage: Stage) -> ArrangedPlaces | None:
    """Return where each is to be; None where the place is free."""
    count = len(people.names)
    if "position" in fields:
        return places_at(np.tile(np.array(fields["position"]), (count, 1)))
    if "seat" in fields:
        names = tuple(insert_number(fields["seat"], n) for n in people.numbers)
        found = np.array([find_named("seat", stage.seats, name).place for name in names])
        return ArrangedPlaces(found[:, :2], found[:, 2], names)
    if "door" in fields:
        door = find_named("door", stage.doors, insert_number(fields["door"], people.numbers[0]))
        return places_at(np.tile(door_places(stage, door)[0][:2], (count, 1)))
    if "arranged" in fields:
        starts = None if np.isnan(where).any() else where
        return arrange(fields["arranged"], count=count, stage=stage, generator=people.generator, starts=starts)
    return None


def _facing(fields: Fields, position: tuple[float, float] | None, arranged_facing: float | None) -> float | None:
    if "facing" in fields:
        return float(fields["facing"])
    if "towards" in fields:
        if position is None:
            raise InvalidValue("'towards' needs a place from which to look; give a position, or a facing as an angle")
        dx, dy = np.subtract(fields["towards"], position)
        if dx == 0 and dy == 0:
            raise InvalidValue("'towards' is the place itself; give another point, or a facing as an angle")
        return float(np.arctan2(dy, dx))
    return None if arranged_facing is None or np.isnan(arranged_facing) else arranged_facing


def _window(fields: Fields, own: str, number: int, enters: float) -> tuple[tuple[float, float] | None, Moment | None]:
    """Return earliest and latest time, and the clock they count from."""
    given = (fields["at"],) * 2 if "at" in fields else (fields.get("after"), fields.get("before"))
    low, high = cast("tuple[Instant | None, Instant | None]", fields.get("between", given))
    if low is None and high is None:
        return None, None
    clocks = {
        (insert_number(t.who, number) if t.who else own, insert_number(t.mark, number))
        for t in (low, high)
        if t and t.mark
    }
    if len(clocks) > 1 or (clocks and any(t is not None and not t.mark for t in (low, high))):
        raise InvalidValue("earliest and latest time must count from one mark, or both from the start of the scene")
    clock = Moment(character=(pair := clocks.pop())[0], mark=pair[1]) if clocks else None
    latest = inf if high is None else high.seconds
    # Nothing can be met before one is there, so an open beginning is that (or, after a mark, long before it).
    earliest = low.seconds if low is not None else min(-BEFORE_WINDOW_S if clock else enters, latest)
    return (earliest, latest), clock


def _actions(fields: Fields, people: SceneGroup, stage: Stage, props: dict[str, PlacedProp]) -> list[Action]:
    if "pick_up" in fields:
        return [
            Action(kind="pick_up", prop=_check_prop(insert_number(fields["pick_up"], n), props)) for n in people.numbers
        ]
    given = fields.get("put_down")
    if given is None or "prop" not in given:
        return []
    names = [insert_number(given["prop"], n) for n in people.numbers]
    if "arranged" in given:
        found = arrange(given["arranged"], count=len(names), stage=stage, generator=people.generator)
        spots: list[Any] = [] if found is None else found.points.tolist()
    else:
        spots = [given["place"]] * len(names) if "place" in given else []
    made = []
    for name, spot in zip(names, spots, strict=False):
        prop = props[_check_prop(name, props)].prop
        on_floor = len(spot) < 3
        place = resting_place(prop, spot, floor=stage.floor, z=given.get("z"), name=name) if on_floor else tuple(spot)
        made.append(Action(kind="put_down", prop=name, place=place))
    return made


def _check_prop(name: str, props: dict[str, PlacedProp]) -> str:
    UnknownName.check("prop", name, props)
    return name
