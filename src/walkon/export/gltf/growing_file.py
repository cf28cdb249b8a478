"""A glTF file that grows: nodes one by one; shapes, meshes and materials once for everybody who has them.

Vertices, weights and inverse bind matrices lie in the buffer once per body. Shirts differ from character to character,
and glTF has materials with the mesh: a mesh of its own for every body and colour is a few hundred bytes of JSON that
name the same arrays, while colours at the vertices would be another copy of them. Sizes differ by the scale of the
character's node.
"""

from functools import cache

import numpy as np

from walkon._base.arrays import Array
from walkon.export.body_mesh import Colour, body_mesh, cloth_colours, linear
from walkon.export.gltf.buffers import ARRAY_BUFFER, ELEMENT_BUFFER, put, vectors
from walkon.export.gltf.motion import Keys
from walkon.io.gltf.document import Document, Mesh, Node, Primitive
from walkon.motion.body import Body

__all__ = ["GrowingFile"]

ROUGHNESS = 0.85


class GrowingFile:
    """A file to which parts are appended; `shape`, `mesh` and `material` append what is asked for the first time."""

    def __init__(self, document: Document, keys: Keys) -> None:
        self.document, self.keys, self.buffers = document, keys, keys.buffers
        self.shape, self.mesh, self.material = cache(self._add_shape), cache(self._add_mesh), cache(self._add_material)

    def add(self, node: Node, *, on_top: bool = False) -> int:
        """Append a node, which hangs on nothing if `on_top`; return its number."""
        number = put(self.document.nodes, node)
        if on_top:
            self.document.scenes[0].nodes.append(number)
        return number

    def add_vertices(self, positions: Array, normals: Array) -> dict[str, int]:
        """Append places and normals [V, 3] of vertices, z up; return their accessors."""
        return {
            "POSITION": self.buffers.add(vectors(positions), target=ARRAY_BUFFER, bounds=True),
            "NORMAL": self.buffers.add(vectors(normals), target=ARRAY_BUFFER),
        }

    def _add_shape(self, row: int, body: Body) -> tuple[list[tuple[str, dict[str, int], int]], int]:
        """Append the arrays of the body in a row of the take: return for each cloth its name and the accessors of its
        vertices and of its triangles; and the accessor of the inverse bind matrices.
        """
        mesh, J, buffers = body_mesh(body), len(body.skeleton), self.buffers
        joints = np.zeros((len(mesh.positions), 4), np.uint8 if J <= 256 else np.uint16)
        joints[:, 0] = mesh.joints
        weights = np.zeros((len(mesh.positions), 4), np.uint8)
        weights[:, 0] = 255
        clothes = []
        for name, faces in mesh.clothes.items():
            triangles = mesh.triangles[faces]
            a, b = int(triangles.min()), int(triangles.max()) + 1  # vertices come in the order of clothes
            vertices = self.add_vertices(mesh.positions[a:b], mesh.normals[a:b]) | {
                "JOINTS_0": buffers.add(joints[a:b], target=ARRAY_BUFFER),
                "WEIGHTS_0": buffers.add(weights[a:b], target=ARRAY_BUFFER, normalized=True),
            }
            kind = np.uint16 if b - a < 65535 else np.uint32
            indices = buffers.add((triangles - a).astype(kind).ravel(), target=ELEMENT_BUFFER)
            clothes.append((name, vertices, indices))
        # Columns first, as glTF has it: the last row of the array is the translation.
        matrices = np.tile(np.eye(4, dtype=np.float32), (J, 1, 1))
        matrices[:, 3, :3] = -vectors(body.skeleton.rest_positions)
        return clothes, buffers.add(matrices)

    def _add_mesh(self, row: int, body: Body, colour: Colour) -> int | None:
        """Append the mesh of a body in a colour; return its number, None where it has no flesh."""
        clothes, _ = self.shape(row, body)
        colours = cloth_colours(body, colour)
        primitives = [
            Primitive(attributes=vertices, indices=triangles, material=self.material(name, colours[name]))
            for name, vertices, triangles in clothes
        ]
        mesh = Mesh(name=f"body {row} {_hex(colour)}", primitives=primitives)
        return put(self.document.meshes, mesh) if primitives else None

    def _add_material(self, name: str, colour: Colour) -> int:
        """Append a material of a colour, as on the screen; return its number."""
        surface = {"baseColorFactor": [*linear(colour), 1.0], "metallicFactor": 0.0, "roughnessFactor": ROUGHNESS}
        return put(self.document.materials, {"name": f"{name} {_hex(colour)}", "pbrMetallicRoughness": surface})


def _hex(colour: Colour) -> str:
    return "#" + "".join(f"{round(255 * c):02x}" for c in colour)
