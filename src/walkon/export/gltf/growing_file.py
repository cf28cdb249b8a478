"""A glTF file that grows: nodes one by one, and keys of their motion; shapes, meshes and materials once for all.

Vertices, weights and inverse bind matrices lie in the buffer once per body. Shirts differ from character to character,
and glTF has materials with the mesh: a mesh of its own for every body and colour is a few hundred bytes of JSON that
name the same arrays, while colours at the vertices would be another copy of them. Sizes differ by the scale of the
character's node.

*Keys.* All characters share the times k / fps; one that is there from frame a to b uses the part a to b of that one
array. Joints have the pose at rest in their nodes, as retargeting wants it, and no keys where they stay so; one that
stays otherwise has a single key. Roots and props have their first place in the node, and keys if they move. Rotations
are sign-continuous; as "int16" they are whole numbers over 32767, at most 0.0035 degrees off in each joint.

*Absence.* glTF knows no visibility. The node of a character that is absent has scale 0, set by steps half a frame
before the frames where it comes or is gone, so that rounding cannot show it a frame late; between, its joints keep the
pose in which it left.
"""

from functools import cache

import numpy as np

from walkon._base.arrays import Array, BoolArray
from walkon.export.body_mesh import Colour, body_mesh, cloth_colours, to_linear
from walkon.export.gltf.buffers import ARRAY_BUFFER, ELEMENT_BUFFER, Buffers, Floats, plain_numbers, put, vectors
from walkon.io.gltf.document import Animation, Document, Mesh, Node, Primitive
from walkon.motion.body import Body

__all__ = ["NO_TURN", "ROTATIONS", "GrowingFile", "Keys", "span_of"]

ROUGHNESS = 0.85
ROTATIONS = ("float32", "int16")
INT16_ONE = 32767.0
"""What 1 is as a whole number."""
NO_TURN: Floats = np.array([0, 0, 0, 1], np.float32)
MAX_STILL_CHANGE = 2e-7
"""Parts of a quaternion, or metres, that change by less over all keys do not move: the rounding of single precision."""


class Keys:
    """Writes the keys of one file, whose frames are at `times` [T] seconds, with one of the `ROTATIONS`."""

    def __init__(self, buffers: Buffers, times: Array, rotations: str) -> None:
        self.buffers, self.rotations, self.animation = buffers, rotations, Animation(name="take")
        self.seconds: Floats = times.astype(np.float32)
        self._view = buffers.add_view(self.seconds) if len(times) > 1 else -1  # one moment has no keys
        self._span = cache(self._add_span)
        self._stored: dict[tuple[bytes, bool], int] = {}

    def turn(self, node: int, it: Node, values: Floats, first: int, *, rest: Floats | None = None) -> None:
        """Give a node the rotations [K, 4] of the frames from `first` on; one with a `rest` pose [4] keeps that."""
        kept = rest if rest is not None and len(self.seconds) > 1 else values[0]
        if not _is_same(kept, NO_TURN):
            it.rotation = plain_numbers(kept)
        if not _is_still(values):
            self._add(node, "rotation", values, first)
        elif not _is_same(values[0], kept):
            self._add(node, "rotation", values[:1], first)

    def carry(self, node: int, it: Node, values: Floats, first: int) -> None:
        """Give a node the places [K, 3] of the frames from `first` on."""
        it.translation = plain_numbers(values[0])
        if not _is_still(values):
            self._add(node, "translation", values, first)

    def _add(self, node: int, path: str, values: Floats, first: int) -> None:
        times = self._span(first, first + len(values))
        whole = path == "rotation" and self.rotations == "int16"
        stored = np.round(INT16_ONE * values).astype(np.int16) if whole else values
        self.animation.move(node, path, times=times, values=self.buffers.add(stored, normalized=whole))

    def show(self, node: int, it: Node, scale: Floats, present: BoolArray) -> None:
        """Give a node its scale [3] while it is `present` [T], and 0 while it is not."""
        if not np.allclose(scale, 1.0, rtol=0.0, atol=1e-9):
            it.scale = plain_numbers(scale)
        if present.all():
            return
        changes = np.concatenate([[0], np.flatnonzero(np.diff(present)) + 1])
        # Half a frame before them, but never before the start.
        times = self._store(0.5 * (self.seconds[changes] + self.seconds[np.maximum(changes - 1, 0)]), bounds=True)
        values = self._store(np.where(present[changes, None], scale, np.float32(0.0)))
        self.animation.move(node, "scale", times=times, values=values, step=True)

    def _add_span(self, first: int, stop: int) -> int:
        """Return the accessor of the times of frames `first` to `stop`, the last excluded."""
        return self.buffers.part_of(self._view, self.seconds[first:stop], first=first)

    def _store(self, values: Floats, *, bounds: bool = False) -> int:
        """Return the accessor of an array; the same values are stored once."""
        key = values.tobytes(), bounds
        if key not in self._stored:
            self._stored[key] = self.buffers.add(values, bounds=bounds)
        return self._stored[key]


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
        surface = {"baseColorFactor": [*to_linear(colour), 1.0], "metallicFactor": 0.0, "roughnessFactor": ROUGHNESS}
        return put(self.document.materials, {"name": f"{name} {_hex(colour)}", "pbrMetallicRoughness": surface})


def _hex(colour: Colour) -> str:
    return "#" + "".join(f"{round(255 * c):02x}" for c in colour)


def span_of(present: BoolArray) -> slice:
    """Return the frames from the first at which something is there, of [T], to the last."""
    there = np.flatnonzero(present)
    return slice(int(there[0]), int(there[-1]) + 1)


def _is_still(values: Floats) -> bool:
    return bool((np.abs(values - values[0]) <= MAX_STILL_CHANGE * np.maximum(np.abs(values[0]), 1.0)).all())


def _is_same(a: Floats, b: Floats) -> bool:
    """Say whether two rotations are the same, whatever their signs."""
    return bool(min(np.abs(a - b).max(), np.abs(a + b).max()) <= MAX_STILL_CHANGE)
