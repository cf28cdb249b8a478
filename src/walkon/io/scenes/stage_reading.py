"""The stage and the props of a scene file, from its keys."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.io.scenes.floor_reading import height_at, read_floor, span_under
from walkon.io.scenes.problems import Problems
from walkon.io.scenes.prop_reading import read_prop, resting_height, resting_place
from walkon.io.scenes.records import Fields
from walkon.io.scenes.shapes import MESH_HIGHEST_M, area_of, solids_of
from walkon.io.scenes.track_reading import read_opening, read_track
from walkon.script.arranging import in_row
from walkon.script.scene import PlacedProp
from walkon.stage import Door, FlatFloor, Floor, Obstacle, Seat, Stage
from walkon.stage.stage import STEP_OVER_M

__all__ = ["insert_number", "read_stage"]

SEAT_HEIGHT_M = 0.45
CHAIR_EXTENT_M = (-0.22, 0.14, 0.22)
"""m from where the hips rest: back edge and front edge of a chair along the facing, and half its width."""
CHAIR_BACK_THICKNESS_M, CHAIR_BACK_HEIGHT_M = 0.04, 0.42
"""m: how thick a chair's back is, and how far it reaches above the seat."""
CHAIR_SEAT_THICKNESS_M, CHAIR_LEG_EXTENT_M = 0.05, (-0.14, 0.02, 0.08)
"""m: how thick the seat is; back and front edge of the one leg that it stands on, and half its width: feet go under."""


def read_stage(fields: Fields | None, *, folder: Path, problems: Problems) -> tuple[Stage, tuple[PlacedProp, ...]]:
    """Return the stage and its props; what cannot be made is noted and left out."""
    if fields is None:
        return Stage(), ()

    def read(key: str, make: Callable[[Fields], Iterable[Any]]) -> list[Any]:
        made: list[Any] = []
        for one in fields.get(key, []):
            with problems.on(one.line):
                made += list(make(one))
        return made

    floor: Floor = FlatFloor()
    if "floor" in fields:
        with problems.on(fields["floor"].line):
            floor = read_floor(fields["floor"], folder=folder)
    bounds, obstacles = _bounds(fields, floor, problems)
    obstacles += read("obstacles", lambda one: _obstacle(one, floor, folder))
    furnished = read("seats", lambda one: [(*seat, one.get("furniture")) for seat in _seats(one, floor)])
    seats = [seat for seat, _, _ in furnished]
    obstacles += [part for seat, low, furniture in furnished if furniture == "chair" for part in _chair(seat, low)]
    doors, props = read("doors", lambda one: _doors(one, floor)), read("props", lambda one: _props(one, floor, folder))
    stage = Stage(floor=floor, bounds=bounds)
    for things, what in ((obstacles, "obstacles"), (seats, "seats"), (doors, "doors")):
        before = len(problems)
        with problems.on(fields.line_of(what)):
            Stage(floor=floor, **{what: tuple(things)})  # type: ignore[arg-type]
        if len(problems) > before:
            things.clear()
    with problems.on(fields.line):
        stage = Stage(floor=floor, bounds=bounds, obstacles=tuple(obstacles), seats=tuple(seats), doors=tuple(doors))
    names = [p.prop.name for p in props]
    for twice in sorted({name for name in names if names.count(name) > 1}) if len(names) < 5000 else []:
        problems.add(fields.line_of("props"), f"names of props must differ, but {twice!r} occurs more than once")
        props = [p for p in props if p.prop.name != twice]
    return stage, tuple(props)


def insert_number(name: str, number: int) -> str:
    """Put a number into a name with {n}."""
    return name.replace("{n}", str(number))


def _bounds(fields: Fields, floor: Floor, problems: Problems) -> tuple[Any, list[Obstacle]]:
    """Return the outline of the bounds, and their holes as obstacles."""
    with problems.on(fields.line_of("bounds")):
        area = area_of(fields["bounds"]) if "bounds" in fields else None
        if area is not None:
            if area.geom_type != "Polygon" or area.is_empty:
                raise InvalidValue("the stage's bounds must be one area; join its parts, or take the largest")
            outline, *holes = (np.array(ring.coords)[:-1] for ring in (area.exterior, *area.interiors))
            return outline, [_hole(hole, floor, f"hole {i}") for i, hole in enumerate(holes, start=1)]
    return None, []


def _hole(polygon: Array, floor: Floor, name: str) -> Obstacle:
    """Return a hole in the bounds as an obstacle; over it there need not be a floor."""
    heights = floor(polygon).heights
    low = float(np.nanmin(heights)) if np.isfinite(heights).any() else 0.0
    return Obstacle(polygon=polygon, base=low, height=low + 1.0, name=name)


def _obstacle(fields: Fields, floor: Floor, folder: Path) -> list[Obstacle]:
    outlines = solids_of(fields, folder)
    name = fields.get("name", "")
    base = fields.get("base", 0.0)
    usual = fields.get("highest", MESH_HIGHEST_M) if "mesh" in fields else max(1.0, base + 0.1)
    height = fields.get("height", usual)
    if "track" in fields:
        track = read_track(fields["track"], floor=floor, z=fields.get("z"))
        return [Obstacle(**made, base=base, height=height, track=track) for made in _outlined(outlines, name)]
    if not outlines and "mesh" in fields:
        raise InvalidValue(f"nothing of {fields['mesh']} stands on the floor; check 'lowest' and 'highest'")
    found = []
    for made in _outlined(outlines, name):
        lowest, highest, middle = span_under(floor, made["polygon"], fields.get("z"), f"obstacle {made['name']!r}")
        # What stands reaches down to the lowest floor under it, what hangs does so level, above that of its middle;
        # what one steps over (a mat) is nowhere higher than that.
        stands = lowest, (lowest if height <= STEP_OVER_M else highest) + height
        low, top = (middle + base, middle + height) if base else stands
        found.append(Obstacle(**made, base=low, height=top))
    return found


def _outlined(outlines: list[Array], name: str) -> list[dict[str, Any]]:
    """Return the polygons of an obstacle with a name each."""
    many = bool(name) and len(outlines) > 1
    return [{"polygon": one, "name": f"{name} {i + 1}" if many else name} for i, one in enumerate(outlines)]


def _named_places(fields: Fields, facing: float) -> list[tuple[str, Any]]:
    """Return names and places, of one or of a row; empty where a needed key is wrong, which is noted already."""
    needed = ("row", "count", "from", "spacing") if fields.given("row") else ("name", "position")
    if any(key not in fields for key in needed):
        return []
    if "row" not in fields:
        return [(fields["name"], fields["position"])]
    if "{n}" not in fields["row"]:
        raise InvalidValue(f"names of a row need {{n}} for the number, such as {fields['row']}_{{n}}")
    start = np.array(fields["from"], dtype=np.float64)
    along = fields.get("along", facing - np.pi / 2)
    flat = in_row(fields["count"], start=start[:2], spacing=fields["spacing"], along=along)
    first = fields.get("first", 1)
    return [(insert_number(fields["row"], first + i), (*place, *start[2:])) for i, place in enumerate(flat.tolist())]


def _seats(fields: Fields, floor: Floor) -> list[tuple[Seat, float]]:
    """Return seats, each with z of the floor that it stands on."""
    facing, height = fields.get("facing", 0.0), fields.get("height", SEAT_HEIGHT_M)
    found = []
    for name, place in _named_places(fields, facing):
        low = height_at(floor, place, place[2] if len(place) > 2 else fields.get("z"), f"seat {name!r}")
        found.append((Seat(place=np.array([*place[:2], facing]), height=low + height, name=name), low))
    return found


def _chair(seat: Seat, low: float) -> list[Obstacle]:
    """Return a chair on the floor at z = `low` under a seat: what one sits on, the leg under it, and its back."""
    back, front, half = CHAIR_EXTENT_M
    x, y, heading = seat.place
    turn = np.array([[np.cos(heading), np.sin(heading)], [-np.sin(heading), np.cos(heading)]])

    def box(low: float, high: float, half: float = half) -> Any:
        return np.array([[low, -half], [high, -half], [high, half], [low, half]]) @ turn + (x, y)

    under, top = seat.height - CHAIR_SEAT_THICKNESS_M, seat.height + CHAIR_BACK_HEIGHT_M
    behind = box(back - CHAIR_BACK_THICKNESS_M, back)
    return [
        Obstacle(polygon=box(back, front), base=under, height=seat.height, name=f"{seat.name}.chair", seat=seat.name),
        Obstacle(polygon=box(*CHAIR_LEG_EXTENT_M), base=low, height=under, name=f"{seat.name}.leg", seat=seat.name),
        Obstacle(polygon=behind, base=under, height=top, name=f"{seat.name}.back", seat=seat.name),
    ]


def _doors(fields: Fields, floor: Floor) -> list[Door]:
    if "name" not in fields or "ends" not in fields:
        return []
    ends = np.array(fields["ends"])
    if np.linalg.norm(ends[1] - ends[0]) < 0.1:
        raise InvalidValue(f"door {fields['name']!r} must be at least 0.1 m wide; move its ends apart")
    z = height_at(floor, tuple(ends.mean(axis=0)), fields.get("z"), f"door {fields['name']!r}")
    if "track" not in fields:
        for key in ("hinge", "height"):
            if key in fields and not fields.given("track"):
                raise InvalidValue(
                    f"door {fields['name']!r} has no track, so no leaf either; give it one, or leave out {key!r}"
                )
        return [Door(ends=ends, name=fields["name"], z=z)]
    leaf = {"leaf_height": fields["height"]} if "height" in fields else {}
    track = read_opening(fields["track"])
    return [Door(ends=ends, name=fields["name"], hinge=fields.get("hinge", 0), z=z, track=track, **leaf)]


def _props(fields: Fields, floor: Floor, folder: Path) -> Iterator[PlacedProp]:
    facing = fields.get("facing", 0.0)
    if "track" in fields and "name" in fields:
        solid = read_prop(fields, name=fields["name"], folder=folder)
        track = read_track(fields["track"], floor=floor, z=fields.get("z"), above=resting_height(solid))
        x, y, z = track.places[0].tolist()
        yield PlacedProp(prop=solid, place=(x, y, z), track=track)
        return
    places = _named_places(fields, facing)
    if not places:
        return
    solid = read_prop(fields, name=places[0][0], folder=folder)
    for name, place in places:
        z = place[2] if len(place) > 2 else resting_place(solid, place, floor=floor, z=fields.get("z"), name=name)[2]
        yield PlacedProp(prop=replace(solid, name=name), place=(place[0], place[1], z), heading=facing)
