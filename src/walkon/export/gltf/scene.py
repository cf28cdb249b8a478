"""Stage and props in glTF: floor, obstacles, seats and doors as nodes, props with their motion; and `extras`.

The mesh of a prop is its shape, 1 m each way, shared by all of that shape and colour; its size is the node's scale.
A prop that is nowhere has scale 0 (see `motion`); one that is nowhere at all in this part is left out.

What glTF has no place for is in `extras`: who a character is, its marks, and where a file comes from. Places and
directions there are in the file's axes (y up), times in seconds of the file.
"""

from typing import Any

import msgspec
import numpy as np

from walkon._base.arrays import Array
from walkon.export.body_mesh import Colour
from walkon.export.excerpt import Excerpt, filled
from walkon.export.gltf.body import Wardrobe
from walkon.export.gltf.buffers import ARRAY_BUFFER, ELEMENT_BUFFER, extents, plain, quaternions, vectors
from walkon.export.gltf.motion import GrowingFile, span_of
from walkon.export.solids import Solid, prop_extent, shape_solid, stage_things
from walkon.io.gltf.document import Mesh, Node, Primitive
from walkon.stage import Stage
from walkon.take.tables import FACING, MEANT, POSE, POSITION, WINDOW
from walkon.transforms import quaternions as quat

__all__ = ["add_props", "add_stage", "character_extras", "file_extras"]


def add_stage(file: GrowingFile, stage: Stage) -> None:
    """Add a node that holds everything on the stage."""
    meshes, below = file.document.meshes, []
    for thing in stage_things(stage):
        primitives = [_primitive(file.wardrobe, thing.kind, solid, colour) for solid, colour in thing.parts]
        meshes.append(Mesh(name=thing.name, primitives=primitives))
        below.append(file.add(Node(name=thing.name, mesh=len(meshes) - 1, extras={"kind": thing.kind})))
    if below:
        file.add(Node(name="stage", children=below), on_top=True)


def add_props(file: GrowingFile, excerpt: Excerpt) -> None:
    """Add a node with a mesh and motion for every prop."""
    take, keys, wardrobe, meshes = excerpt.take, file.keys, file.wardrobe, file.document.meshes
    places, turns, present = excerpt.prop_poses()
    source, column = filled(present), np.arange(len(take.props))
    moved = vectors(places[source, column])
    turned = quaternions(quat.continuous(quat.normalize(turns.astype(np.float32)[source, column])))
    known: dict[tuple[str, Colour], int] = {}
    solids: dict[str, Primitive] = {}
    for i in np.flatnonzero(present.any(axis=0)).tolist():
        prop, span = take.props[i], span_of(present[:, i])
        key = prop.shape, prop.colour
        if key not in known:
            known[key] = len(meshes)
            if prop.shape not in solids:
                solids[prop.shape] = _primitive(wardrobe, "prop", shape_solid(prop.shape), prop.colour)
            primitive = msgspec.structs.replace(solids[prop.shape], material=wardrobe.material("prop", prop.colour))
            meshes.append(Mesh(name=prop.shape, primitives=[primitive]))
        node = Node(name=prop.name, mesh=known[key], extras={"kind": "prop", "shape": prop.shape})
        number = file.add(node, on_top=True)
        keys.carry(number, node, moved[span, i], span.start)
        keys.turn(number, node, turned[span, i], span.start)
        keys.show(number, node, extents(prop_extent(prop)), present[:, i])


def _primitive(wardrobe: Wardrobe, name: str, solid: Solid, colour: Colour) -> Primitive:
    buffers = wardrobe.buffers
    return Primitive(
        attributes={
            "POSITION": buffers.add(vectors(solid.positions), target=ARRAY_BUFFER, bounds=True),
            "NORMAL": buffers.add(vectors(solid.normals), target=ARRAY_BUFFER),
        },
        indices=buffers.add(solid.triangles.astype(np.uint32).ravel(), target=ELEMENT_BUFFER),
        material=wardrobe.material(name, colour),
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
        "colour": plain(take.characters.colour[row], 4),
        "enters_s": round(float(take.enters[row]) - excerpt.start, 6),
        "leaves_s": round(float(take.leaves[row]) - excerpt.start, 6),
    }
    if marks := [_mark(excerpt, mark) for mark in np.flatnonzero(take.marks.character == row).tolist()]:
        extras["marks"] = marks
    return extras


def _mark(excerpt: Excerpt, row: int) -> dict[str, Any]:
    take = excerpt.take
    marks, asks = take.marks, int(take.marks.asks[row])
    told: dict[str, Any] = {"name": take.mark_names[row]}
    if asks & POSITION:
        told["position"] = plain(vectors(np.append(marks.position[row], 0.0)))
    if asks & FACING:
        angle = float(marks.facing[row])
        told["facing"] = plain(vectors([np.cos(angle), np.sin(angle), 0.0]))
    if asks & POSE:
        told["pose"] = take.mark_poses[row]
    if asks & WINDOW:
        told["window_s"] = _seconds(marks.window[row], excerpt)
    if marks.hold[row] > 0:
        told["hold_s"] = float(marks.hold[row])
    if asks & MEANT:
        told["met_s"] = _seconds(marks.met[[row]], excerpt)[0]
    return told


def _seconds(times: Array, excerpt: Excerpt) -> list[float | None]:
    """Return times of the take on the file's clock; JSON has no infinity, so what is open is null."""
    return [round(float(t) - excerpt.start, 6) if np.isfinite(t) else None for t in times]
