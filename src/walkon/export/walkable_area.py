"""The area of a stage on which people can walk, as pedestrian tools want it: well-known text (WKT), metres.

It is the bounds less every obstacle that the audit counts as one: not what one can step over, nor what hangs higher
than a head. Obstacles that cut the floor into parts make it a MULTIPOLYGON. A stage without bounds is endless; formats
that must have an area get the box around all places, grown by a margin.
"""

import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.geometry import polygons
from walkon.stage import Stage
from walkon.stage.free_space import FreeSpace

__all__ = ["MARGIN", "area_around", "checked_area", "walkable_area"]

MARGIN = 2.0
"""Metres around everybody's places, where the stage has no bounds."""
DECIMALS = 6


def walkable_area(stage: Stage) -> str | None:
    """Return where people can walk on a stage as WKT; None where it has no bounds."""
    return None if stage.bounds is None else _less_obstacles(polygons.polygon(stage.bounds), stage)


def area_around(stage: Stage, low: Array, high: Array) -> str:
    """Return the box from `low` to `high` [2], grown by `MARGIN`, less the stage's obstacles, as WKT."""
    box = shapely.box(low[0] - MARGIN, low[1] - MARGIN, high[0] + MARGIN, high[1] + MARGIN)
    return _less_obstacles(box, stage)


def checked_area(wkt: str) -> str:
    """Return an area that somebody gives as WKT, if it is one."""
    try:
        area = shapely.from_wkt(wkt)
    except (shapely.errors.ShapelyError, TypeError) as error:
        raise InvalidValue(
            f"geometry must be well-known text such as 'POLYGON ((0 0, 5 0, 5 4, 0 0))': {error}"
        ) from None
    if area is None or area.is_empty or not area.area > 0:
        raise InvalidValue(f"geometry must be an area to walk on, got {wkt[:80]!r}")
    return wkt


def _less_obstacles(floor: shapely.Geometry, stage: Stage) -> str:
    free = FreeSpace.of(stage).less_solids(floor)
    return str(shapely.to_wkt(floor if free.is_empty else free, rounding_precision=DECIMALS))
