"""A prop of a scene file, from its keys: a simple shape, parts, or the mesh of a file; mass, grips and looks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from walkon._base.errors import InvalidValue
from walkon.io.scenes.floor_reading import height_at
from walkon.io.scenes.records import Fields
from walkon.stage import Floor, Prop, PropGrip, PropPart
from walkon.transforms import quaternions as quat

__all__ = ["read_prop", "resting_height", "resting_place"]


def read_prop(fields: Fields, *, name: str, folder: Path) -> Prop:
    """Return the prop of a record; files are looked for in `folder`. Raises `WalkonError` where it cannot be made."""
    given: dict[str, Any] = {key: fields[key] for key in ("shape", "colour", "mass", "keep_level") if key in fields}
    if "size" in fields:
        given["size"] = _extent(fields["size"])
    if "parts" in fields:
        given |= {"shape": "compound", "parts": tuple(_part(part) for part in fields["parts"])}
    if "mesh" in fields:
        from walkon.io.meshes import closed_mesh

        vertices, triangles = closed_mesh(folder / fields["mesh"])
        given |= {"shape": "mesh", "vertices": vertices, "triangles": triangles}
    grips = [_grip(grip) for grip in fields.get("grips", [])]
    names = [name for name, _ in grips]
    if twice := [name for i, name in enumerate(names) if name in names[:i]]:
        raise InvalidValue(f"names of grips must differ, but {twice[0]!r} occurs more than once; rename one")
    return Prop(name=name, grips=dict(grips), **given)


def resting_height(prop: Prop) -> float:
    """Return the height of a prop's origin when it rests on the floor, upright."""
    return float(-prop.bounds[0, 2])


def resting_place(
    prop: Prop, place: Sequence[float], *, floor: Floor, z: float | None, name: str
) -> tuple[float, float, float]:
    """Return where a prop's origin is when it rests on the floor under (x, y …), that of several nearest to z."""
    low = height_at(floor, place, z, f"prop {name!r}")
    return float(place[0]), float(place[1]), low + resting_height(prop)


def _part(fields: Fields) -> PropPart:
    turn = fields.get("turned", 0.0)
    about = turn if isinstance(turn, tuple) else (0.0, 0.0, turn)
    # About the prop's own axes, one after the other: the last one is applied last.
    x, y, z = (quat.about(axis, angle) for axis, angle in zip(np.eye(3), about, strict=True))
    rotation = quat.normalize(quat.multiply(z, quat.multiply(y, x)))
    looks = {key: fields[key] for key in ("shape", "colour") if key in fields}
    pose = (*fields.get("position", (0.0, 0.0, 0.0)), *rotation.tolist())
    return PropPart(size=_extent(fields["size"]), pose=pose, **looks)


def _grip(fields: Fields) -> tuple[str, PropGrip]:
    how = {key: fields[key] for key in ("hand", "shape") if key in fields}
    grip = PropGrip.facing(fields["position"], fingers=fields["fingers"], palm=fields["palm"], **how)
    return fields["name"], grip


def _extent(size: Any) -> tuple[float, float, float]:
    return size if isinstance(size, tuple) else (size, size, size)
