"""The floor of a scene file, from its keys: level at a height, a ramp, or what of a mesh faces up. World, metres."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.io.meshes import read_triangles
from walkon.io.scenes.records import Fields
from walkon.script.standing import FLOOR_WITHIN_M
from walkon.stage import FlatFloor, Floor, RampFloor, TerrainFloor
from walkon.stage.terrain_checks import check_mesh, too_many_triangles
from walkon.stage.under import heights_under

__all__ = ["height_at", "read_floor", "span_under"]


def read_floor(fields: Fields, *, folder: Path) -> Floor:
    """Return the floor of a record; files are looked for in `folder`. Raises `WalkonError` where it cannot be made."""
    for key in ("up", "scale", "position", "facing"):
        if key in fields and not fields.given("mesh"):
            raise InvalidValue(f"{key!r} is about the mesh of a floor, but this one has none; leave it out")
    if "ramp" in fields:
        return RampFloor(*fields["ramp"])
    if "mesh" not in fields:
        return FlatFloor(fields.get("z", 0.0))
    path, up = folder / fields["mesh"], fields.get("up", "y")
    corners = read_triangles(path, up=up, scale=fields.get("scale", 1.0), refused=too_many_triangles)
    floor = TerrainFloor(corners)
    check_mesh(corners)
    x, y, z = (*fields.get("position", (0.0, 0.0)), 0.0)[:3]
    pose = np.array([x, y, fields.get("facing", 0.0), z])
    return floor.placed(pose) if pose.any() else floor


def height_at(
    floor: Floor, place: Sequence[float], z: float | None, what: str, *, within: float = FLOOR_WITHIN_M
) -> float:
    """Return the height of the floor under `what` at a place (x, y …), nearest to z and `within` some metres of it.

    Refused where there is no floor, where z is on none, or where several lie above each other and z is not said.
    """
    point = np.array(place[:2], np.float64)
    height = float(floor(point, near=np.nan if z is None else z).heights)
    if np.isnan(height):
        raise InvalidValue(
            f"there is no floor under {what} at ({point[0]:g}, {point[1]:g}); move it onto the floor of the stage"
            + floor.hint_where_none()
        )
    if z is None and bool(floor.overlaps(point)):
        low = float(floor.lowest(point))
        raise InvalidValue(
            f"floors lie above each other under {what} at ({point[0]:g}, {point[1]:g}), at {low:g} and {height:g} m; "
            "say which with the key 'z'"
        )
    if z is not None and abs(height - z) > within:
        raise InvalidValue(
            f"z = {z:g} m of {what} at ({point[0]:g}, {point[1]:g}) is on no floor, the nearest is at {height:.3g} m; "
            f"say z: {height:.3g}"
        )
    return height


def span_under(floor: Floor, polygon: Array, z: float | None, what: str) -> tuple[float, float, float]:
    """Return z of the lowest and of the highest floor under a polygon [K, 2], and of that under its middle."""
    if floor.level is not None:
        return floor.level, floor.level, floor.level
    points = np.concatenate([polygon.mean(axis=0)[None], polygon])
    there = points[np.isfinite(floor(points).heights)]
    middle = height_at(floor, tuple(points[0] if not len(there) else there[0]), z, what)
    under = np.append(heights_under(floor, polygon, near=middle), middle)
    return float(under.min()), float(under.max()), middle
