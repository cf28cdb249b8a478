"""Stage and props in glTF: floor, obstacles, seats and doors as nodes with meshes, props with their motion.

The mesh of a prop is its shape, 1 m each way, shared by all of that shape and colour; its size is the node's scale.
A prop that is nowhere has scale 0 (see `motion`); one that is nowhere at all in this part is left out.
"""

import numpy as np

from walkon.export.excerpt import Excerpt, filled
from walkon.export.gltf.body import Wardrobe
from walkon.export.gltf.buffers import ARRAY_BUFFER, ELEMENT_BUFFER, extents, quaternions, vectors
from walkon.export.gltf.motion import Keys
from walkon.export.solids import Solid, prop_extent, shape_solid, stage_things
from walkon.io.gltf.document import Mesh, Node, Primitive
from walkon.stage import Stage
from walkon.take.posing.props import prop_poses
from walkon.transforms import quaternions as quat

__all__ = ["add_props", "add_stage"]

Colour = tuple[float, float, float]
BLOCK = 1024
"""Frames of props that are posed at once."""


def add_stage(stage: Stage, nodes: list[Node], wardrobe: Wardrobe) -> list[int]:
    """Add a node that holds everything on the stage; return the nodes to put into the scene."""
    below = []
    for thing in stage_things(stage):
        primitives = [_primitive(wardrobe, thing.kind, solid, colour) for solid, colour in thing.parts]
        wardrobe.meshes.append(Mesh(name=thing.name, primitives=primitives))
        below.append(len(nodes))
        nodes.append(Node(name=thing.name, mesh=len(wardrobe.meshes) - 1, extras={"kind": thing.kind}))
    if not below:
        return []
    nodes.append(Node(name="stage", children=below))
    return [len(nodes) - 1]


def add_props(excerpt: Excerpt, nodes: list[Node], wardrobe: Wardrobe, keys: Keys) -> list[int]:
    """Add a node with a mesh and motion for every prop; return the nodes to put into the scene."""
    take, times = excerpt.take, excerpt.times
    T, P = len(times), len(take.props)
    places, turns, present = np.empty((T, P, 3)), np.empty((T, P, 4), np.float32), np.empty((T, P), bool)
    for a in range(0, T, BLOCK):
        found = prop_poses(take, times[a : a + BLOCK])
        places[a : a + BLOCK], turns[a : a + BLOCK], present[a : a + BLOCK] = found
    source, column = filled(present), np.arange(P)
    moved = vectors(places[source, column])
    turned = quaternions(quat.continuous(quat.normalize(turns[source, column])))
    meshes: dict[tuple[str, Colour], int] = {}
    solids: dict[str, Primitive] = {}
    roots = []
    for i, prop in enumerate(take.props):
        there = np.flatnonzero(present[:, i])
        if not len(there):
            continue
        key = prop.shape, prop.colour
        if key not in meshes:
            meshes[key] = len(wardrobe.meshes)
            if prop.shape not in solids:
                solids[prop.shape] = _primitive(wardrobe, "prop", shape_solid(prop.shape), prop.colour)
            arrays, material = solids[prop.shape], wardrobe.material("prop", prop.colour)
            primitive = Primitive(attributes=arrays.attributes, indices=arrays.indices, material=material)
            wardrobe.meshes.append(Mesh(name=prop.shape, primitives=[primitive]))
        first, last = int(there[0]), int(there[-1])
        node = Node(name=prop.name, mesh=meshes[key], extras={"kind": "prop", "shape": prop.shape})
        number = len(nodes)
        nodes.append(node)
        roots.append(number)
        keys.carry(number, node, moved[first : last + 1, i], first)
        keys.turn(number, node, turned[first : last + 1, i], first)
        keys.show(number, node, extents(prop_extent(prop)), present[:, i])
    return roots


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
