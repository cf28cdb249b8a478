"""The characters of a scene file: single ones, and groups written out one by one. Starts first, then marks."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from walkon._base.arrays import Array
from walkon._base.chance import Purpose, stream
from walkon._base.errors import InvalidValue
from walkon.io.scenes.mark_reading import SceneGroup, read_marks
from walkon.io.scenes.problems import Problems
from walkon.io.scenes.quantities import Entrance
from walkon.io.scenes.records import Fields
from walkon.io.scenes.shapes import ArrangedPlaces, arrange
from walkon.script.mark import Mark
from walkon.script.scene import Character, PlacedProp, Seeds
from walkon.stage import Stage
from walkon.stage.doors import door_places, find_named

__all__ = ["read_characters"]


def read_characters(
    given: list[Fields], *, stage: Stage, props: Sequence[PlacedProp], seeds: Seeds, problems: Problems
) -> tuple[Character, ...]:
    """Return everybody; who cannot be made is noted and left out."""
    by_name = {p.prop.name: p for p in props}
    lines: dict[str, int] = {}
    made: list[Character] = []
    taken: list[Array] = []
    for fields in given:
        names = _names(fields)
        if not names:
            continue
        label = fields.get("group", names[0])
        if label in lines or any(name in lines for name in names):
            problems.add(
                fields.line, f"the name {label!r} is used already, in line {lines.get(label, '?')}; rename one"
            )
            continue
        lines |= dict.fromkeys([label, *names], fields.line)
        with problems.on(fields.line):
            # A generator for each group: what is added elsewhere in the file changes nobody's place.
            generator = stream(seeds.population, Purpose.ARRANGEMENT, label)
            around = np.concatenate(taken) if taken else np.zeros((0, 2))
            starts, wrong = _starts(fields, names, stage, generator, around)
            if starts is None:
                if not wrong:
                    raise InvalidValue(_MISSING)
                starts = ArrangedPlaces(np.full((len(names), 2), np.nan), np.full(len(names), np.nan))
            if _given_count(fields) is None and not fields.given("name"):
                names = _names(fields, len(starts))
                lines |= dict.fromkeys(names, fields.line)
            enters = _enters(fields, len(names))
            numbers = tuple(range(1, len(names) + 1))
            people = SceneGroup(names, numbers, starts.points, enters, generator)
            marks = read_marks(fields.get("marks", []), people, stage=stage, props=by_name, problems=problems)
            if np.isnan(starts.points).any():
                continue
            taken.append(starts.points)
            made += _characters(fields, people, starts, marks)
            if fields.get("leaves"):
                find_named("door", stage.doors, fields["leaves"])
    return tuple(made)


_MISSING = "where does this begin? Give a position, a seat, a door to enter by, or (for a group) how it is arranged"


def _given_count(fields: Fields) -> int | None:
    return 1 if fields.given("name") else fields.get("count")


def _names(fields: Fields, count: int | None = None) -> tuple[str, ...]:
    """Return the names of a character or of a group; a group whose size is still unknown has one name for now."""
    if "name" in fields:
        return (fields["name"],)
    if "group" not in fields:
        return ()
    many = count or fields.get("count") or 1
    digits = max(2, len(str(many)))
    return tuple(f"{fields['group']}_{i + 1:0{digits}d}" for i in range(many))


def _starts(
    fields: Fields, names: tuple[str, ...], stage: Stage, generator: np.random.Generator, taken: Array
) -> tuple[ArrangedPlaces | None, bool]:
    """Return where everybody begins, or None and whether something about it was wrong already."""
    count = _given_count(fields)
    entrance: Entrance | None = fields.get("enters")
    if "position" in fields:
        return ArrangedPlaces(np.array([fields["position"]]), np.array([np.nan])), False
    if "seat" in fields:
        place = find_named("seat", stage.seats, fields["seat"]).place
        return ArrangedPlaces(place[None, :2], place[2:], (fields["seat"],)), False
    if "arranged" in fields:
        places = arrange(fields["arranged"], count=count, stage=stage, generator=generator, taken=taken)
        return places, places is None
    if entrance is not None and entrance.door:
        if count is None:
            raise InvalidValue("a group that enters by a door needs the key 'count': how many people")
        door = find_named("door", stage.doors, entrance.door)
        goal = next((m["position"] for m in fields.get("marks", []) if "position" in m), None)
        abreast = 1 if fields.get("every") else count
        places_in = np.repeat(door_places(stage, door, count=abreast, goal=goal), count // abreast, axis=0)
        return ArrangedPlaces(places_in[:, :2], places_in[:, 2]), False
    return None, any(fields.given(key) for key in ("position", "seat", "arranged", "enters"))


def _enters(fields: Fields, count: int) -> Array:
    entrance: Entrance = fields.get("enters", Entrance(0.0))
    return entrance.seconds + fields.get("every", 0.0) * np.arange(count)


def _characters(
    fields: Fields, people: SceneGroup, starts: ArrangedPlaces, marks: list[list[Mark]]
) -> Iterator[Character]:
    entrance: Entrance = fields.get("enters", Entrance(0.0))
    keys = ("z", "scale", "speed", "colour", "leaves")
    shared: dict[str, Any] = {key: fields[key] for key in keys if key in fields}
    by_door = bool(entrance.door) and not any(key in fields for key in ("position", "seat", "arranged"))
    for i, name in enumerate(people.names):
        seat = starts.seats[i] if starts.seats else ""
        x, y = starts.points[i].tolist()
        goes = bool(marks[i]) or bool(fields.get("leaves"))
        yield Character(
            name=name,
            place=(x, y, _heading(fields, starts, i, marks[i])),
            pose=fields.get("pose", "sit" if seat else "walk" if by_door and goes else "stand"),
            seat=seat,
            enters=float(people.enters[i]),
            door=entrance.door if by_door else "",
            marks=tuple(marks[i]),
            group=fields.get("group", ""),
            **shared,
        )


def _heading(fields: Fields, starts: ArrangedPlaces, i: int, marks: list[Mark]) -> float:
    """Return which way a character faces at first: as given, as arranged, else towards the first place to go to."""
    if "facing" in fields:
        return float(fields["facing"])
    goal = fields.get("towards")
    if goal is None and not np.isnan(starts.facings[i]):
        return float(starts.facings[i])
    if goal is None:
        goal = next((mark.position for mark in marks if mark.position is not None), None)
    if goal is None:
        return 0.0
    dx, dy = np.subtract(goal, starts.points[i])
    return float(np.arctan2(dy, dx)) if dx or dy else 0.0
