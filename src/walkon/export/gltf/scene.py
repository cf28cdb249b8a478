"""Stage and props in glTF: floor, obstacles, seats and doors as nodes, what moves and props with motion; and `extras`.

The mesh of a box, ball or cylinder is its shape, 1 m each way, shared by all of that shape and colour; its size is the
node's scale. Compounds and meshes have their own size, and share a mesh where all of them is the same. A prop that is
nowhere has scale 0 (see `growing_file`); one that is nowhere at all in this part is left out.

What glTF has no place for is in `extras`: who a character is, its marks, the mass and grips of a prop, and where a file
comes from. Places and directions there are in the file's axes (y up), in metres also where a node has a scale, times in
seconds of the file.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import msgspec
import numpy as np

from walkon.export.body_mesh import Colour
from walkon.export.excerpt import Excerpt, fill_frames, mark_notes
from walkon.export.gltf.buffers import ELEMENT_BUFFER, extents, plain_numbers, put, quaternions, vectors
from walkon.export.gltf.growing_file import GrowingFile, span_of
from walkon.export.solids import Solid, prop_extent, prop_meshes, shape_solid, stage_things
from walkon.geometry.solids import SIMPLE_SHAPES
from walkon.io.gltf.document import Mesh, Node, Primitive
from walkon.stage import Prop
from walkon.transforms import quaternions as quat

__all__ = ["add_props", "add_stage", "character_extras", "file_extras"]


def add_stage(file: GrowingFile, excerpt: Excerpt) -> None:
    """Add a node that holds everything on the stage, with keys for what moves."""
    below = []
    for thing in stage_things(excerpt.take.stage, around=excerpt.action):
        primitives = [_primitive(file, solid, file.material(thing.kind, colour)) for solid, colour in thing.parts]
        mesh = put(file.document.meshes, Mesh(name=thing.name, primitives=primitives))
        node = Node(name=thing.name, mesh=mesh, extras={"kind": thing.kind})
        below.append(file.add(node))
        if thing.track is not None:
            places, turns = thing.poses(excerpt.times)
            file.keys.carry(below[-1], node, vectors(places), 0)
            file.keys.turn(below[-1], node, quaternions(turns.astype(np.float32)), 0)
    if below:
        file.add(Node(name="stage", children=below), on_top=True)


def add_props(file: GrowingFile, excerpt: Excerpt) -> None:
    """Add a node with a mesh and motion for every prop."""
    take, keys = excerpt.take, file.keys
    places, turns, present = excerpt.prop_poses()
    source, column = fill_frames(present), np.arange(len(take.props))
    moved = vectors(places[source, column])
    turned = quaternions(quat.continuous(quat.normalize(turns.astype(np.float32)[source, column])))
    primitive_of = cache(lambda shape: _primitive(file, shape_solid(shape)))

    made: dict[tuple[object, ...], int] = {}

    @cache
    def mesh_of(shape: str, colour: Colour) -> int:
        primitive = msgspec.structs.replace(primitive_of(shape), material=file.material("prop", colour))
        return put(file.document.meshes, Mesh(name=shape, primitives=[primitive]))

    def own_mesh_of(prop: Prop) -> int:
        key = prop.parts, prop.vertices.tobytes(), prop.triangles.tobytes(), prop.colour
        if key not in made:
            primitives = [_primitive(file, solid, file.material("prop", colour)) for solid, colour in prop_meshes(prop)]
            made[key] = put(file.document.meshes, Mesh(name=prop.shape, primitives=primitives))
        return made[key]

    for i in np.flatnonzero(present.any(axis=0)).tolist():
        prop, span = take.props[i], span_of(present[:, i])
        mesh = mesh_of(prop.shape, prop.colour) if prop.shape in SIMPLE_SHAPES else own_mesh_of(prop)
        node = Node(name=prop.name, mesh=mesh, extras=_prop_extras(prop))
        number = file.add(node, on_top=True)
        keys.carry(number, node, moved[span, i], span.start)
        keys.turn(number, node, turned[span, i], span.start)
        keys.show(number, node, extents(prop_extent(prop)), present[:, i])


def _prop_extras(prop: Prop) -> dict[str, Any]:
    """Return what is to be known about a prop; of a grip place and rotation (x, y, z, w) of the palm."""
    extras: dict[str, Any] = {"kind": "prop", "shape": prop.shape, "mass_kg": round(prop.mass, 4)}
    if prop.grips:
        extras["grips"] = {
            name: {
                "translation": plain_numbers(vectors(grip.pose[:3])),
                "rotation": plain_numbers(quaternions(grip.pose[3:])),
                "hand": grip.hand,
                "shape": grip.shape,
            }
            for name, grip in prop.grips.items()
        }
    return extras


def _primitive(file: GrowingFile, solid: Solid, material: int | None = None) -> Primitive:
    return Primitive(
        attributes=file.add_vertices(solid.positions, solid.normals),
        indices=file.buffers.add(solid.triangles.astype(np.uint32).ravel(), target=ELEMENT_BUFFER),
        material=material,
    )


def file_extras(excerpt: Excerpt) -> dict[str, Any]:
    """Return what is to be known about the whole file."""
    return {
        "fps": excerpt.fps,
        "frames": excerpt.count,
        "start_s": excerpt.start,
        "axes": "(x, y, z) of the stage is (x, z, -y) here",
        "provenance": dict(excerpt.take.provenance),
    }


def character_extras(excerpt: Excerpt, row: int) -> dict[str, Any]:
    """Return what is to be known about a character."""
    take = excerpt.take
    body = take.bodies[int(take.characters.body[row])]
    extras = {
        "character": take.names[row],
        "height_m": round(body.height * float(take.characters.scale[row]), 4),
        "colour": plain_numbers(take.characters.colour[row], 4),
        "enters_s": round(float(take.enters[row]) - excerpt.start, 6),
        "leaves_s": round(float(take.leaves[row]) - excerpt.start, 6),
    }
    if marks := [_mark(excerpt, mark) for mark in np.flatnonzero(take.marks.character == row).tolist()]:
        extras["marks"] = marks
    return extras


def _mark(excerpt: Excerpt, row: int) -> dict[str, Any]:
    """Return what a mark asks for, in the file's axes and on its clock."""
    changes: dict[str, Callable[[Any], tuple[str, Any]]] = {
        "position_m": lambda place: ("position", plain_numbers(vectors([*place, 0.0]))),
        "facing_rad": lambda angle: ("facing", plain_numbers(vectors([np.cos(angle), np.sin(angle), 0.0]))),
        "window_s": lambda times: ("window_s", _seconds(times, excerpt)),
        "met_s": lambda time: ("met_s", _seconds([time], excerpt)[0]),
    }
    notes = mark_notes(excerpt.take, row).items()
    return dict(changes[name](value) if name in changes else (name, value) for name, value in notes)


def _seconds(times: Iterable[float], excerpt: Excerpt) -> list[float | None]:
    """Return times of the take on the file's clock; JSON has no infinity, so what is open is null."""
    return [round(float(t) - excerpt.start, 6) if np.isfinite(t) else None for t in times]
