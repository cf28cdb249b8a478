"""Shapes and arrangements of a scene file: polygons without holes, and places for people. Metres.

Shapes are boxes, circles, walls, WKT and floor plans of meshes. Arrangements are places (x, y), perhaps with a facing
and a seat, one for each of a group.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import shapely  # type: ignore[import-untyped]
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue, UnknownName
from walkon.geometry import polygons
from walkon.io.scenes.records import Fields
from walkon.script.arranging import assign, in_circle, in_grid, in_region, spell
from walkon.stage import Stage
from walkon.stage.free_space import FreeSpace

__all__ = ["ArrangedPlaces", "area_of", "arrange", "places_at", "solids_of"]

WALL_THICKNESS_M = 0.2
MESH_LOWEST_M, MESH_HIGHEST_M = 0.1, 2.0
QUARTER_CIRCLE_CORNERS = 8
"""Corners per quarter of a circle; they lie outside it, so that the whole circle is covered."""


def area_of(value: Any) -> Any:
    """Return an area, given by points, a shape or WKT, as one Shapely geometry; None where its keys were wrong."""
    if isinstance(value, str):
        return shapely.union_all([_wkt(value)])
    parts = _parts(value) if isinstance(value, Fields) else [polygons.polygon(value)]
    return shapely.union_all(parts) if parts else None


def solids_of(fields: Fields, folder: Path) -> list[Array]:
    """Return the polygons [K, 2] of an obstacle; one with holes, such as a closed wall, comes in pieces."""
    if "mesh" in fields:
        return _floor_plan(fields, folder)
    if "wall" in fields:
        line = shapely.LineString(_drop_repeated(fields["wall"]))
        half = fields.get("thickness", WALL_THICKNESS_M) / 2
        parts = [shapely.buffer(line, half, cap_style="flat", join_style="mitre", mitre_limit=3.0)]
    else:
        parts = _parts(fields)
    return [ring for part in parts for ring in rings(part)]


def rings(area: Any) -> Iterator[Array]:
    """Return the outlines [K, 2] of an area; where it has holes it is cut through them, until none is left."""
    for part in shapely.get_parts(area):
        if part.geom_type != "Polygon" or part.area <= 1e-9:
            continue
        if not part.interiors:
            yield np.array(shapely.orient_polygons(part).exterior.coords)[:-1]
            continue
        low_x, low_y, high_x, high_y = part.bounds
        cut = shapely.Polygon(part.interiors[0]).representative_point().x
        for west, east in ((low_x - 1, cut), (cut, high_x + 1)):
            yield from rings(shapely.intersection(part, shapely.box(west, low_y - 1, east, high_y + 1)))


def _parts(fields: Fields) -> list[Any]:
    """Return the polygons of a shape's keys; none where these were wrong already."""
    if "polygon" in fields:
        return [polygons.polygon(fields["polygon"])]
    if "box" in fields:
        x0, y0, x1, y1 = fields["box"]
        if x0 == x1 or y0 == y1:
            raise InvalidValue(f"a box needs two opposite corners that differ in x and y, got {list(fields['box'])}")
        return [shapely.box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))]
    if "circle" in fields:
        if "radius" not in fields:
            if fields.given("radius"):
                return []
            raise InvalidValue("a circle needs the key 'radius', in metres")
        corners = 4 * QUARTER_CIRCLE_CORNERS
        turns = (np.arange(corners) + 0.5) * 2 * np.pi / corners
        out = fields["radius"] / np.cos(np.pi / corners)
        return [polygons.polygon(np.array(fields["circle"]) + out * np.stack([np.cos(turns), np.sin(turns)], axis=-1))]
    return [_wkt(fields["wkt"])] if "wkt" in fields else []


def _wkt(text: str) -> Any:
    try:
        shape = shapely.from_wkt(text)
    except shapely.errors.ShapelyError as error:
        said = str(error).split(": ", 1)[-1].replace("\n", " ")
        raise InvalidValue(f"this is no WKT such as POLYGON ((0 0, 4 0, 4 3, 0 0)): {said}") from None
    if shape is None or shape.geom_type not in ("Polygon", "MultiPolygon") or shape.is_empty:
        raise InvalidValue(
            f"a POLYGON or MULTIPOLYGON is needed, got WKT of a {getattr(shape, 'geom_type', 'nothing')}"
        )
    if not shape.is_valid:
        raise InvalidValue(f"a polygon must not cross itself ({shapely.is_valid_reason(shape)})")
    if not np.isfinite(shapely.get_coordinates(shape)).all() or np.abs(shapely.get_coordinates(shape)).max() > 1e5:
        raise InvalidValue("corners must be within 100 km of the origin")
    return shapely.force_2d(shape)


def _drop_repeated(points: Any) -> Any:
    """Leave out points that repeat the one before."""
    kept = [p for i, p in enumerate(points) if i == 0 or p != points[i - 1]]
    if len(kept) < 2:
        raise InvalidValue("a wall needs two different points")
    return kept


def _floor_plan(fields: Fields, folder: Path) -> list[Array]:
    from walkon.io.meshes import floor_plan

    lowest, highest = fields.get("lowest", MESH_LOWEST_M), fields.get("highest", MESH_HIGHEST_M)
    if highest <= lowest:
        raise InvalidValue(f"'highest' must be over 'lowest', got {lowest:g} to {highest:g} m")
    plan = floor_plan(folder / fields["mesh"], lowest=lowest, highest=highest)
    return [_move(np.asarray(outline, dtype=np.float64), fields, "facing") for outline in plan]


REGION_SPACING_M = 0.8
"""m between people in a region unless given."""
REGION_CLEARANCE_M = 0.3
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

    def select(self, order: Any) -> "ArrangedPlaces":
        """Return some of them, in another order."""
        seats = tuple(self.seats[i] for i in order) if self.seats else ()
        return ArrangedPlaces(self.points[order], self.facings[order], seats)


def arrange(
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
    if how == "order":
        return places.select(np.arange(wanted))
    begin = places.points[:wanted] if starts is None else np.asarray(starts, dtype=np.float64)
    return places.select(assign(begin, to=places.points, how=how, generator=generator))


def _places(
    fields: Fields, count: int | None, stage: Stage, generator: np.random.Generator, taken: ArrayLike
) -> ArrangedPlaces | None:
    if "grid" in fields and "spacing" in fields:
        columns, rows = fields["grid"]
        if columns * rows > 1_000_000:
            raise InvalidValue(f"a grid has at most a million places, got {columns} × {rows}")
        return places_at(_move(in_grid(columns, rows, spacing=fields["spacing"]), fields, "turned"))
    if "circle" in fields and "radius" in fields:
        many, centre = _require_count(count, "on a circle"), fields["circle"]
        points = in_circle(many, radius=fields["radius"], centre=centre, first=fields.get("first", 0.0))
        out = np.arctan2(*(points - centre).T[::-1])
        facings = {"inward": out + np.pi, "outward": out}
        return ArrangedPlaces(points, facings.get(fields.get("facing", ""), np.full(many, np.nan)))
    if "region" in fields:
        area, room = area_of(fields["region"]), FreeSpace.of(stage, radius=REGION_CLEARANCE_M).room
        if area is None:
            return None
        free = area if room is None else shapely.intersection(area, room)
        many, apart = _require_count(count, "in a region"), fields.get("apart", REGION_SPACING_M)
        return places_at(in_region(free, count=many, apart=apart, generator=generator, taken=taken))
    if "list" in fields:
        values = np.array([(*place, np.nan)[:3] for place in fields["list"]], dtype=np.float64)
        return ArrangedPlaces(values[:, :2], values[:, 2])
    if "line" in fields:
        line = shapely.LineString(fields["line"])
        at = np.linspace(0.0, 1.0, _require_count(count, "on a line"))
        return places_at(shapely.get_coordinates(shapely.line_interpolate_point(line, at, normalized=True)))
    if "spell" in fields and "spacing" in fields:
        height = fields.get("height")
        if count is None and height is None:
            raise InvalidValue("to spell, give how many people there are ('count'), or the letters' 'height'")
        count = count if height is None else None
        letters = spell(fields["spell"], spacing=fields["spacing"], count=count, height=height)
        return places_at(_move(letters, fields, "turned"))
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


def _require_count(count: int | None, where: str) -> int:
    if count is None:
        raise InvalidValue(f"people {where} must be counted; give the group's 'count'")
    return count


def places_at(points: Array) -> ArrangedPlaces:
    """Return places [N, 2] at which nothing is said about facings."""
    return ArrangedPlaces(points, np.full(len(points), np.nan))


def _move(points: Array, fields: Fields, turn_key: str) -> Array:
    """Turn points [N, 2] around the origin by the angle at a key, and move them to the position."""
    turn = fields.get(turn_key, 0.0)
    turned = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return np.asarray(points @ turned + np.array(fields.get("position", (0.0, 0.0))))
