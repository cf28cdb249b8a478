"""Bodies in glTF: vertices once per body, materials once per colour, a skin per character.

Vertices, weights and inverse bind matrices lie in the buffer once per body. Shirts differ from character to character,
and glTF has materials with the mesh: a mesh of its own for every body and colour is a few hundred bytes of JSON that
name the same arrays, while colours at the vertices would be another copy of them. Sizes differ by the scale of the
character's node.
"""

from typing import NamedTuple

import numpy as np

from walkon.export.body_mesh import Colour, body_mesh, cloth_colours, linear
from walkon.export.gltf.buffers import ARRAY_BUFFER, ELEMENT_BUFFER, Buffers, vectors
from walkon.io.gltf.document import Document, Mesh, Primitive
from walkon.motion.body import Body

__all__ = ["Shape", "Wardrobe"]

ROUGHNESS = 0.85


class Shape(NamedTuple):
    """Arrays of one body in the buffer."""

    clothes: tuple[tuple[str, dict[str, int], int], ...]
    """Name of each cloth, its vertices' accessors, its triangles'."""
    inverse_bind_matrices: int


class Wardrobe:
    """Shapes, meshes and materials of a file."""

    def __init__(self, buffers: Buffers, document: Document) -> None:
        self.buffers = buffers
        self.meshes, self.materials = document.meshes, document.materials
        self._shapes: dict[int, Shape] = {}
        self._meshes: dict[tuple[int, Colour], int] = {}
        self._materials: dict[tuple[str, Colour], int] = {}

    def shape(self, row: int, body: Body) -> Shape:
        """Return the arrays of the body in a row of the take."""
        if row not in self._shapes:
            self._shapes[row] = _shape(body, self.buffers)
        return self._shapes[row]

    def mesh(self, row: int, body: Body, colour: Colour) -> int | None:
        """Return the mesh of a body in a colour; None where it has no flesh."""
        shape = self.shape(row, body)
        if not shape.clothes:
            return None
        key = row, colour
        if key not in self._meshes:
            dressed = cloth_colours(body, colour)
            self._meshes[key] = len(self.meshes)
            primitives = [
                Primitive(attributes=vertices, indices=triangles, material=self.material(name, dressed[name]))
                for name, vertices, triangles in shape.clothes
            ]
            self.meshes.append(Mesh(name=f"body {row} {_hex(colour)}", primitives=primitives))
        return self._meshes[key]

    def material(self, name: str, colour: Colour) -> int:
        """Return a material of a colour, as on the screen."""
        key = name, colour
        if key not in self._materials:
            self._materials[key] = len(self.materials)
            surface = {
                "baseColorFactor": [*linear(colour), 1.0],
                "metallicFactor": 0.0,
                "roughnessFactor": ROUGHNESS,
            }
            self.materials.append({"name": f"{name} {_hex(colour)}", "pbrMetallicRoughness": surface})
        return self._materials[key]


def _shape(body: Body, buffers: Buffers) -> Shape:
    """Write the arrays of a body."""
    mesh, J = body_mesh(body), len(body.skeleton)
    joints = np.zeros((len(mesh.positions), 4), np.uint8 if J <= 256 else np.uint16)
    joints[:, 0] = mesh.joints
    weights = np.zeros((len(mesh.positions), 4), np.uint8)
    weights[:, 0] = 255
    clothes = []
    for cloth in mesh.clothes:
        triangles = mesh.triangles[cloth.start : cloth.stop]
        a, b = int(triangles.min()), int(triangles.max()) + 1  # vertices come in the order of clothes
        vertices = {
            "POSITION": buffers.add(vectors(mesh.positions[a:b]), target=ARRAY_BUFFER, bounds=True),
            "NORMAL": buffers.add(vectors(mesh.normals[a:b]), target=ARRAY_BUFFER),
            "JOINTS_0": buffers.add(joints[a:b], target=ARRAY_BUFFER),
            "WEIGHTS_0": buffers.add(weights[a:b], target=ARRAY_BUFFER, normalized=True),
        }
        kind = np.uint16 if b - a < 65535 else np.uint32
        indices = buffers.add((triangles - a).astype(kind).ravel(), target=ELEMENT_BUFFER)
        clothes.append((cloth.name, vertices, indices))
    # Columns first, as glTF has it: the last row of the array is the translation.
    matrices = np.tile(np.eye(4, dtype=np.float32), (J, 1, 1))
    matrices[:, 3, :3] = -vectors(body.skeleton.rest_positions)
    return Shape(tuple(clothes), buffers.add(matrices))


def _hex(colour: Colour) -> str:
    return "#" + "".join(f"{round(255 * c):02x}" for c in colour)
