"""Layers of USD, written directly: prims, attributes, samples over time, and what a stage must say about itself.

The scene description (Sdf) is filled without composing a stage, which is what keeps large crowds fast; names and types
of attributes are those of the schemas UsdGeom, UsdSkel and UsdShade. Metres, z up, time codes are frames from 0.

A prim is called by letters, digits and underscores, not beginning with a digit, and siblings differ. Accents are taken
off, everything else that is not allowed becomes an underscore, and names that come out alike (or differ in case only:
they also become file names) are numbered. The name that people gave stays in the prim's metadata. USD has allowed other
scripts since 24.03, but many programs still carry an older one.

Colours are red, green, blue in 0 to 1, as on the screen; USD's own are linear. Materials are plain: UsdPreviewSurface
of one colour, which every program knows; display colours some do not show.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Vt

from walkon import __version__
from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import CannotWrite
from walkon.export.body_mesh import Colour, to_linear
from walkon.export.excerpt import Excerpt, fill_frames, make_distinct

__all__ = [
    "TYPES",
    "Colour",
    "Paints",
    "add_attribute",
    "add_colour",
    "add_extent",
    "add_mesh",
    "add_prim",
    "add_target",
    "add_visibility",
    "add_xform",
    "new_layer",
    "sample_frames",
    "save",
    "set_samples",
    "valid_names",
]

TYPES = Sdf.ValueTypeNames
ROUGHNESS = 0.8
MAX_NAME_LETTERS = 80
"""Longer names are cut."""


def new_layer(path: Path, excerpt: Excerpt, *, default_prim: str) -> Any:
    """Start a layer at a path where nothing is: units, up axis, rate and range of the excerpt, and our own notes:
    version, the second of time code 0, and the take's provenance as JSON.
    """
    layer = Sdf.Layer.CreateNew(str(path))
    layer.defaultPrim = default_prim
    layer.pseudoRoot.SetInfo("upAxis", "Z")
    layer.pseudoRoot.SetInfo("metersPerUnit", 1.0)
    layer.timeCodesPerSecond = layer.framesPerSecond = excerpt.fps
    layer.startTimeCode, layer.endTimeCode = 0.0, float(excerpt.count - 1)
    layer.customLayerData = {
        "walkon": {
            "version": __version__,
            "start_s": float(excerpt.start),
            "fps": float(excerpt.fps),
            "complete": bool(excerpt.take.complete),
            "provenance": json.dumps(dict(excerpt.take.provenance), default=str, ensure_ascii=False, sort_keys=True),
        }
    }
    return layer


def save(layer: Any) -> None:
    """Write what is new in a layer to its file and forget it; samples are read back from there if need be."""
    if not layer.Save():
        raise CannotWrite("writing USD failed; is the disk full? The old file, if any, is untouched")


def add_prim(
    layer: Any,
    path: str,
    kind: str,
    *,
    model: str = "",
    abstract: bool = False,
    schemas: Sequence[str] = (),
    name: str | None = None,
    notes: Mapping[str, Any] | None = None,
) -> Any:
    """Define a prim of a schema's kind, with the API schemas, the kind of model, and the name that people gave it."""
    prim = Sdf.CreatePrimInLayer(layer, path)
    prim.specifier = Sdf.SpecifierClass if abstract else Sdf.SpecifierDef
    prim.typeName = kind
    if model:
        prim.kind = model
    if schemas:
        prim.SetInfo("apiSchemas", Sdf.TokenListOp.Create(prependedItems=list(schemas)))
    if name is not None:
        prim.SetInfo("displayName", name)
        notes = {"name": name, **(notes or {})}
    if notes:
        prim.SetInfo("customData", {"walkon": dict(notes)})
    return prim


def add_attribute(
    prim: Any, name: str, kind: Any, value: Any = None, *, uniform: bool = False, interpolation: str = ""
) -> Any:
    """Define an attribute, with its value where that does not change over time."""
    found = Sdf.AttributeSpec(
        prim, name, kind, Sdf.VariabilityUniform if uniform else Sdf.VariabilityVarying, declaresCustom=False
    )
    if value is not None:
        found.default = value
    if interpolation:
        found.SetInfo("interpolation", interpolation)
    return found


def add_target(prim: Any, name: str, target: Any) -> None:
    """Define a relationship to one other prim."""
    found = Sdf.RelationshipSpec(prim, name, custom=False)
    found.targetPathList.explicitItems = [Sdf.Path(str(target))]


def set_samples(attribute: Any, codes: Sequence[float], values: Sequence[Any]) -> None:
    """Give an attribute its values at time codes."""
    layer, path = attribute.layer, attribute.path
    with Sdf.ChangeBlock():
        for code, value in zip(codes, values, strict=True):
            layer.SetTimeSample(path, code, value)


def add_xform(
    prim: Any,
    places: Array,
    rotations: Array,
    *,
    codes: Sequence[float] = (),
    scale: float | Sequence[float] | None = None,
) -> None:
    """Place a prim: translate [T, 3], orient [T, 4], then scale; once where it never moves or `codes` is empty."""
    # USD's quaternions have w last; in double precision, because USD takes the angle as 2 acos w, and of a small one
    # single precision loses 0.03 degrees.
    at = Vt.Vec3dArray.FromNumpy(np.ascontiguousarray(places, np.float64))
    turned = Vt.QuatdArray.FromNumpy(np.ascontiguousarray(np.roll(rotations, -1, axis=-1), np.float64))
    still = len(places) > 0 and bool(np.all(places == places[0]) and np.all(rotations == rotations[0]))
    moving = bool(len(codes)) and not still
    order = ["xformOp:translate", "xformOp:orient"]
    for name, kind, values in zip(order, (TYPES.Double3, TYPES.Quatd), (at, turned), strict=True):
        attribute = add_attribute(prim, name, kind, None if moving or not values else values[0])
        if moving:
            set_samples(attribute, codes, values)
    if scale is not None:
        sizes = np.broadcast_to(np.asarray(scale, np.float64), 3).tolist()
        add_attribute(prim, "xformOp:scale", TYPES.Float3, Gf.Vec3f(*sizes))
        order.append("xformOp:scale")
    add_attribute(prim, "xformOpOrder", TYPES.TokenArray, order, uniform=True)


def add_visibility(prim: Any, present: BoolArray) -> None:
    """Hide a prim at the moments [T] at which it is not there; nothing is said of one that is always there."""
    if present.all():
        return
    if not present.any():
        add_attribute(prim, "visibility", TYPES.Token, "invisible")
        return
    turns = np.flatnonzero(np.diff(present, prepend=~present[:1]))
    attribute = add_attribute(prim, "visibility", TYPES.Token)
    set_samples(attribute, turns.astype(float).tolist(), ["inherited" if present[k] else "invisible" for k in turns])


def sample_frames(present: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the frames [F] at which something that is there at moments [T] has samples, and whose poses these are.

    It has its own wherever it is there. In a gap the last one before is repeated at the first and the last frame, so
    that programs which do not know of visibility show it waiting and not on its way.
    """
    source = fill_frames(present[:, None])[:, 0]
    beside = present.copy()
    beside[1:] |= present[:-1]
    beside[:-1] |= present[1:]
    inside = np.maximum.accumulate(present) & np.maximum.accumulate(present[::-1])[::-1]
    frames = np.flatnonzero(beside & inside)
    return frames, source[frames]


def add_mesh(
    layer: Any, path: str, points: Array, faces: IntArray, *, normals: Array, schemas: Sequence[str] = ()
) -> Any:
    """Define a mesh of triangles [F, 3] over points [P, 3], with normals [P, 3]."""
    prim = add_prim(layer, path, "Mesh", schemas=schemas)
    places = np.ascontiguousarray(points, np.float32)
    corners = np.ascontiguousarray(faces, np.int32)
    add_attribute(prim, "points", TYPES.Point3fArray, Vt.Vec3fArray.FromNumpy(places))
    add_attribute(prim, "faceVertexCounts", TYPES.IntArray, Vt.IntArray.FromNumpy(np.full(len(faces), 3, np.int32)))
    add_attribute(prim, "faceVertexIndices", TYPES.IntArray, Vt.IntArray.FromNumpy(corners.reshape(-1)))
    add_attribute(prim, "subdivisionScheme", TYPES.Token, "none", uniform=True)
    add_extent(prim, places.min(axis=0), places.max(axis=0))
    values = Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(normals, np.float32))
    add_attribute(prim, "normals", TYPES.Normal3fArray, values, interpolation="vertex")
    return prim


def add_extent(prim: Any, low: Array, high: Array) -> None:
    """Say between which corners a prim lies, in its own frame."""
    corners = np.array([low, high], np.float32)
    add_attribute(prim, "extent", TYPES.Float3Array, Vt.Vec3fArray.FromNumpy(corners))


def add_colour(prim: Any, *colours: Colour, interpolation: str = "constant") -> Any:
    """Colour a prim where no material says otherwise: all of it, or by the indices that its model has."""
    values = [Gf.Vec3f(*to_linear(colour)) for colour in colours]
    return add_attribute(prim, "primvars:displayColor", TYPES.Color3fArray, values, interpolation=interpolation)


def valid_names(names: Iterable[str], *, instead: str) -> list[str]:
    """Return valid prim names, all different, in the same order; `instead` is for names of which nothing is left."""
    found = []
    for name in names:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        stem = re.sub(r"[^A-Za-z0-9_]+", "_", plain)[:MAX_NAME_LETTERS].strip("_") or instead
        found.append(f"_{stem}" if stem[0].isdigit() else stem)
    return make_distinct(found)


class Paints:
    """The materials of one scope, defined as they are needed: one for each colour."""

    def __init__(self, layer: Any, scope: str) -> None:
        self.layer, self.scope = layer, scope
        self.made: dict[tuple[str, Colour], Any] = {}

    def material(self, name: str, colour: Colour) -> Any:
        """Return the path of the material of this colour for things of this name: plain, nothing but the colour."""
        if (name, colour) in self.made:
            return self.made[name, colour]
        if not self.made:
            add_prim(self.layer, self.scope, "Scope")
        path = f"{self.scope}/{name}_{len(self.made)}"
        material = add_prim(self.layer, path, "Material")
        shader = add_prim(self.layer, f"{path}/Surface", "Shader")
        add_attribute(shader, "info:id", TYPES.Token, "UsdPreviewSurface", uniform=True)
        add_attribute(shader, "inputs:diffuseColor", TYPES.Color3f, Gf.Vec3f(*to_linear(colour)))
        add_attribute(shader, "inputs:roughness", TYPES.Float, ROUGHNESS)
        surface = add_attribute(shader, "outputs:surface", TYPES.Token)
        output = add_attribute(material, "outputs:surface", TYPES.Token)
        output.connectionPathList.explicitItems = [Sdf.Path(str(surface.path))]
        self.made[name, colour] = material.path
        return material.path

    def paint(self, prim: Any, name: str, colour: Colour) -> None:
        """Colour a prim by material and by display colour."""
        add_colour(prim, colour)
        prim.SetInfo("apiSchemas", Sdf.TokenListOp.Create(prependedItems=["MaterialBindingAPI"]))
        add_target(prim, "material:binding", self.material(name, colour))
