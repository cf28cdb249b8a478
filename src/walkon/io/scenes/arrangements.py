"""Arrangements of a scene file as places: (x, y), perhaps with a facing and a seat, one for each of a group."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import shapely  # type: ignore[import-untyped]
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue, UnknownName
from walkon.io.scenes.records import Fields
from walkon.io.scenes.shapes import area_of
from walkon.script.arranging import assigned, in_circle, in_grid, in_region, spelled
from walkon.stage import Stage
from walkon.stage.free_space import FreeSpace

__all__ = ["ArrangedPlaces", "arranged"]

APART = 0.8
"""m between people in a region unless given."""
RADIUS = 0.3
"""m that people in a region keep from obstacles and edges: a body's footprint and a little."""


@dataclass(frozen=True, eq=False)
class ArrangedPlaces:
    """N places."""

    points: Array
    """[N, 2] metres."""
    facings: Array
    """[N] radians; NaN where nothing is said."""
    seats: tuple[str, ...] = ()
    """Names, where the places are seats."""

    def __len__(self) -> int:
        return len(self.points)

    def taken(self, order: Any) -> "ArrangedPlaces":
        """Return some of them, in another order."""
        seats = tuple(self.seats[i] for i in order) if self.seats else ()
        return ArrangedPlaces(self.points[order], self.facings[order], seats)


def arranged(
    fields: Fields,
    *,
    count: int | None,
    stage: Stage,
    generator: np.random.Generator,
    starts: ArrayLike | None = None,
    taken: ArrayLike = (),
) -> ArrangedPlaces | None:
    """Return `count` places of an arrangement, or as many as it has; None where its keys are wrong.

    Given where people come from, `starts` [N, 2], they are in the order of who goes where. Regions avoid places that
    are `taken`.
    """
    places = _places(fields, count, stage, generator, taken)
    if places is None:
        return None
    wanted = len(places) if count is None else count
    if wanted > len(places):
        raise InvalidValue(f"{wanted} people do not fit into {len(places)} places; give more places or a smaller count")
    how = fields.get("assign", "order")
    if how != "order":
        begin = places.points[:wanted] if starts is None else np.asarray(starts, dtype=np.float64)
        return places.taken(assigned(begin, to=places.points, how=how, generator=generator))
    return places.taken(np.arange(wanted))


def _places(
    fields: Fields, count: int | None, stage: Stage, generator: np.random.Generator, taken: ArrayLike
) -> ArrangedPlaces | None:
    if "grid" in fields and "spacing" in fields:
        columns, rows = fields["grid"]
        if columns * rows > 1_000_000:
            raise InvalidValue(f"a grid has at most a million places, got {columns} × {rows}")
        return _turned(in_grid(columns, rows, spacing=fields["spacing"]), fields)
    if "circle" in fields and "radius" in fields:
        many, centre = _counted(count, "on a circle"), fields["circle"]
        points = in_circle(many, radius=fields["radius"], centre=centre, first=fields.get("first", 0.0))
        out = np.arctan2(*(points - centre).T[::-1])
        facing = {"inward": out + np.pi, "outward": out}.get(fields.get("facing", ""))
        return ArrangedPlaces(points, np.full(many, np.nan) if facing is None else facing)
    if "region" in fields:
        area, room = area_of(fields["region"]), FreeSpace.of(stage, radius=RADIUS).room
        if area is None:
            return None
        free = area if room is None else shapely.intersection(area, room)
        many, apart = _counted(count, "in a region"), fields.get("apart", APART)
        return _plain(in_region(free, count=many, apart=apart, generator=generator, taken=taken))
    if "list" in fields:
        rows_given = [(*place, np.nan)[:3] for place in fields["list"]]
        values = np.array(rows_given, dtype=np.float64)
        return ArrangedPlaces(values[:, :2], values[:, 2])
    if "line" in fields:
        line = shapely.LineString(fields["line"])
        at = np.linspace(0.0, 1.0, _counted(count, "on a line"))
        return _plain(shapely.get_coordinates(shapely.line_interpolate_point(line, at, normalized=True)))
    if "spell" in fields and "spacing" in fields:
        height = fields.get("height")
        if count is None and height is None:
            raise InvalidValue("to spell, give how many people there are ('count'), or the letters' 'height'")
        many_or_none = count if height is None else None
        return _turned(spelled(fields["spell"], spacing=fields["spacing"], count=many_or_none, height=height), fields)
    if "seats" in fields:
        return _seats(fields["seats"], stage)
    return None  # a key is missing or wrong, which was noted when it was read


def _seats(given: str | list[str], stage: Stage) -> ArrangedPlaces:
    patterns = given if isinstance(given, list) else [given]
    by_name = {seat.name: seat for seat in stage.seats if seat.name}
    found: dict[str, Any] = {}
    for pattern in patterns:
        some = [name for name in by_name if name == pattern or fnmatchcase(name, pattern)]
        if not some:
            raise UnknownName.among("seat", pattern, list(by_name))
        found |= {name: by_name[name] for name in some}
    places = np.array([seat.place for seat in found.values()])
    return ArrangedPlaces(places[:, :2], places[:, 2], tuple(found))


def _counted(count: int | None, where: str) -> int:
    if count is None:
        raise InvalidValue(f"people {where} must be counted; give the group's 'count'")
    return count


def _plain(points: Array) -> ArrangedPlaces:
    return ArrangedPlaces(points, np.full(len(points), np.nan))


def _turned(points: Array, fields: Fields) -> ArrangedPlaces:
    turn = fields.get("turned", 0.0)
    turned = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return _plain(points @ turned + np.array(fields.get("position", (0.0, 0.0))))
