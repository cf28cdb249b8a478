"""Shapes of a scene file as polygons without holes: boxes, circles, walls, WKT, floor plans of meshes. Metres."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.geometry import polygons
from walkon.io.scenes.records import Fields

__all__ = ["area_of", "rings", "solids_of"]

THICKNESS = 0.2
LOWEST, HIGHEST = 0.1, 2.0
ARC_STEPS = 8
"""Corners per quarter of a circle; they lie outside it, so that the whole circle is covered."""


def area_of(value: Any) -> Any:
    """Return an area, given by points, a shape or WKT, as one Shapely geometry; None where its keys were wrong."""
    if isinstance(value, Fields):
        parts = _parts(value)
    else:
        parts = [_wkt(value)] if isinstance(value, str) else [polygons.polygon(value)]
    return shapely.union_all(parts) if parts else None


def solids_of(fields: Fields, folder: Path) -> list[Array]:
    """Return the polygons [K, 2] of an obstacle; one with holes, such as a closed wall, comes in pieces."""
    if "mesh" in fields:
        return _floor_plan(fields, folder)
    if "wall" in fields:
        line = shapely.LineString(_thinned(fields["wall"]))
        half = fields.get("thickness", THICKNESS) / 2
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
        for half in (
            shapely.box(low_x - 1, low_y - 1, cut, high_y + 1),
            shapely.box(cut, low_y - 1, high_x + 1, high_y + 1),
        ):
            yield from rings(shapely.intersection(part, half))


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
        corners = 4 * ARC_STEPS
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


def _thinned(points: Any) -> Any:
    """Leave out points that repeat the one before."""
    kept = [p for i, p in enumerate(points) if i == 0 or p != points[i - 1]]
    if len(kept) < 2:
        raise InvalidValue("a wall needs two different points")
    return kept


def _floor_plan(fields: Fields, folder: Path) -> list[Array]:
    from walkon.io.meshes import floor_plan

    path = folder / fields["mesh"]
    lowest, highest = fields.get("lowest", LOWEST), fields.get("highest", HIGHEST)
    if highest <= lowest:
        raise InvalidValue(f"'highest' must be over 'lowest', got {lowest:g} to {highest:g} m")
    turn = fields.get("facing", 0.0)
    turned = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    move = np.array(fields.get("position", (0.0, 0.0)))
    plan = floor_plan(path, lowest=lowest, highest=highest)
    return [np.asarray(outline, dtype=np.float64) @ turned + move for outline in plan]
