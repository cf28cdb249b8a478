"""Characters of a glTF file who wear a user's own rig: joints, skin and motion of their own, everything else shared.

Each character has a node with its size as scale, turned so that the rig's own up and front are the take's, which also
does what the nodes do that the rig's root hangs on in its file: so Blender has one armature each, with the character's
name. Below it are the joints with their rest pose, axes and units. Only the joints that follow the take have keys, and
the root its place (see `rig_motion`). Meshes that are bound to joints are nodes at the root of the scene; those that
hang on a joint, a hat say, hang there.

What the rig looks like is copied from its `.glb`: meshes, materials, textures and pictures as they are there, each
once, and only those that are asked for. Only the numbers by which parts refer to each other change. Left behind:
animations, lamps, cameras; what is compressed beside its plain form; other looks of the same mesh
(KHR_materials_variants).
"""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon.export.excerpt import Excerpt
from walkon.export.gltf.buffers import Buffers, Floats, plain_numbers, put
from walkon.export.gltf.growing_file import GrowingFile, span_of
from walkon.export.gltf.scene import character_extras
from walkon.export.rig_motion import local_turns, pose_characters
from walkon.io.gltf import GltfFile
from walkon.io.gltf.document import Document, Node, Skin
from walkon.take.posing.posing import Poses
from walkon.transforms import quaternions as quat
from walkon.viewer.character import CharacterFit, RiggedCharacter

__all__ = ["Wearers"]

Y_UP = quat.about(np.array([1.0, 0.0, 0.0]), -0.5 * np.pi)
"""z up to y up: (x, y, z) becomes (x, z, −y)."""
REFERENCES = {
    "indices": "accessors",
    "material": "materials",
    "sampler": "samplers",
    "source": "images",
    "bufferView": "bufferViews",
}
"""Property → the kind of part whose number it is."""
FIRST = ("attributes", "indices", "targets", "material", "sampler", "source")
"""Parts that these refer to are copied in this order, and before those of other properties."""
PLAIN = ("meshes", "accessors")
"""Kinds of parts that are copied without their extensions."""
IN_ARRAYS = ("KHR_mesh_quantization",)
"""Extensions that show in the kinds of arrays only."""


class Wearers:
    """Adds people who wear a rig to a file."""

    def __init__(self, character: RiggedCharacter, file: GrowingFile) -> None:
        rig = character.rig
        self.character, self.file = character, file
        self.copier = Copier(rig.file, file.document, file.buffers)
        self._nodes = rig.file.document.nodes
        joints: list[int] = rig.nodes.tolist()
        outer = rig.file.world(rig.file.parent(joints[0]))
        self._size: Array = np.sqrt((outer[:3, :3] ** 2).sum(axis=0))
        tops = set(rig.file.roots())
        meshes = [node for node, it in enumerate(self._nodes) if it.mesh is not None]
        shown = [node for node in meshes if not tops.isdisjoint(rig.file.line(node))]
        self._bound = [node for node in shown if self._nodes[node].skin is not None]
        self._worn = {node for node in shown if self._nodes[node].skin is None}
        self._order = [*joints, *_hanging_nodes(rig.file, self._worn, set(joints))]
        """Nodes that each character has of its own, parents first."""
        self._rests = _w_last(local_turns(rig, rig.turns))
        self._top = _w_last(quat.multiply(Y_UP, rig.outer))

    def add(self, excerpt: Excerpt, rows: IntArray, poses: Poses, columns: IntArray) -> None:
        """Add the characters in these rows [n], which have one body and are the `columns` [n] of `poses`."""
        take, rig, file = excerpt.take, self.character.rig, self.file
        fit = self.character.fits[int(take.characters.body[rows[0]])]
        assert fit is not None
        motion = pose_characters(self.character, take, rows, poses=poses, columns=columns)
        turns = _w_last(quat.continuous(local_turns(rig, motion.rotations)))
        sizes = fit.scale * take.characters.scale[rows].astype(np.float64)[:, None] * self._size
        places = (quat.rotate(quat.conjugate(rig.outer), motion.positions[..., 0, :]) / sizes).astype(np.float32)
        for i, row in enumerate(rows.tolist()):
            name, present = take.names[row], poses.present[:, columns[i]]
            node = Node(name=name, rotation=plain_numbers(self._top), extras=character_extras(excerpt, row))
            top = file.add(node, on_top=True)
            numbers = self._wear(top, fit, places[:, i], turns[:, i], present)
            file.keys.show(top, node, sizes[i].astype(np.float32), present)
            self._bind(name, numbers)

    def sign(self) -> None:
        """Put what belongs to nobody in particular into the file: extensions, whose work the rig is."""
        made, copier = self.file.document, self.copier
        made.extensions_used = copier.extensions("extensionsUsed")
        made.extensions_required = copier.extensions("extensionsRequired")
        made.asset["extras"]["rig"] = self.character.rig.name
        if words := self.character.rig.file.document.asset.get("copyright"):
            made.asset["copyright"] = words

    def _wear(self, top: int, fit: CharacterFit, places: Floats, turns: Floats, present: BoolArray) -> dict[int, int]:
        """Add joints and keys: where the root is [T, 3], how joints turn [T, J, 4]; return our number of each node."""
        rig, keys, nodes, span = self.character.rig, self.file.keys, self.file.document.nodes, span_of(present)
        numbers = {node: top + 1 + k for k, node in enumerate(self._order)}
        for node in self._order:
            self.file.add(self._copy_node(node))
            nodes[numbers.get(rig.file.parent(node), top)].children.append(numbers[node])
        with keys.buffers.shared_view():
            for joint, node in enumerate(rig.nodes.tolist()):
                number, rest = numbers[node], self._rests[joint]
                it = nodes[number]
                it.name, it.rotation, it.matrix = rig.names[joint], None, None
                it.translation = plain_numbers(rig.translations[joint])
                it.scale = (
                    None if np.allclose(rig.scales[joint], 1.0, rtol=0, atol=1e-6) else plain_numbers(rig.scales[joint])
                )
                values = turns[span, joint] if fit.drives[joint] >= 0 else rest[None]
                keys.turn(number, it, values, span.start, rest=rest if joint else None)
            keys.carry(top + 1, nodes[top + 1], places[span], span.start)
        return numbers

    def _copy_node(self, node: int) -> Node:
        """Return a node of the rig's file, without what hangs on it."""
        source = self._nodes[node]
        made = msgspec.structs.replace(
            source, name=source.name or "", children=[], mesh=None, skin=None, weights=None, extras=None
        )
        if node in self._worn and source.mesh is not None:
            made.mesh, made.weights = self.copier.number("meshes", source.mesh), source.weights
        return made

    def _bind(self, name: str, numbers: dict[int, int]) -> None:
        """Add the skins of one character, and the meshes that they move."""
        skins: dict[int, int] = {}
        for node in self._bound:
            source = self._nodes[node]
            assert source.mesh is not None
            assert source.skin is not None
            if source.skin not in skins:
                skin = self.character.rig.file.part("skins", source.skin)
                binds = skin.inverse_bind_matrices
                own = Skin(
                    name=f"{name} {len(skins) + 1}" if skins else name,
                    inverse_bind_matrices=None if binds is None else self.copier.number("accessors", binds),
                    joints=[numbers[joint] for joint in skin.joints],
                )
                skins[source.skin] = put(self.file.document.skins, own)
            mesh, called = self.copier.number("meshes", source.mesh), f"{name} {source.name or 'body'}"
            self.file.add(Node(name=called, mesh=mesh, skin=skins[source.skin], weights=source.weights), on_top=True)


def _hanging_nodes(file: GltfFile, worn: set[int], joints: set[int]) -> list[int]:
    """Return the nodes by which meshes hang on joints, parents first; whatever hangs elsewhere leaves `worn`."""
    found: set[int] = set()
    for node in sorted(worn):
        line = file.line(node)
        way = next((k for k, above in enumerate(line) if above in joints), None)
        if way is None:
            worn.discard(node)
        else:
            found.update(line[:way])
    return sorted(found, key=lambda node: (len(file.line(node)), node))


def _w_last(rotations: Array) -> Floats:
    return np.asarray(rotations)[..., [1, 2, 3, 0]].astype(np.float32)


class Copier:
    """Copies parts of one file as they are asked for."""

    def __init__(self, file: GltfFile, target: Document, buffers: Buffers) -> None:
        self._source, self._blob = file.raw, file.binary or b""
        self.name = file.path.name
        self.target, self.buffers = target, buffers
        self._known: dict[tuple[str, int], int] = {}
        self._extensions = set(IN_ARRAYS)

    def extensions(self, key: str) -> list[str]:
        """Return those of the file's "extensionsUsed" or "extensionsRequired" that its copied parts use."""
        return [name for name in self._source.get(key, ()) if name in self._extensions]

    def number(self, kind: str, number: int) -> int:
        """Return what is the number of a part, "meshes" 3 say, in our file; it is copied when it is first asked for."""
        if (kind, number) not in self._known:
            parts = self._source.get(kind) or ()
            if not 0 <= number < len(parts):
                raise InvalidValue(f"{self.name} is damaged: it has no {kind} number {number}; export it again")
            try:
                if kind == "bufferViews":
                    self._known[kind, number] = self._view(parts[number])
                else:
                    self._known[kind, number] = put(getattr(self.target, kind), self._copy_value(parts[number], kind))
            except (LookupError, TypeError, AttributeError) as error:
                words = f"{self.name} is damaged: {kind} number {number} is not as glTF has it ({error!r})"
                raise InvalidValue(f"{words}; export it again") from None
        return self._known[kind, number]

    def _view(self, view: Mapping[str, Any]) -> int:
        start = view.get("byteOffset", 0)
        stop = start + view["byteLength"]
        if view.get("buffer", 0) != 0 or not 0 <= start < stop <= len(self._blob):
            raise InvalidValue(f"{self.name} is damaged: some of its numbers are missing; export it again")
        values = np.frombuffer(self._blob, np.uint8, stop - start, start)
        return self.buffers.add_view(values, stride=view.get("byteStride"), target=view.get("target"))

    def _copy_value(self, value: Any, kind: str, name: str = "", above: str = "") -> Any:
        """Return a value in a part, property `name` of property `above`, with our numbers in place of the file's."""
        if isinstance(value, list):
            return [self._copy_value(one, kind, name, above) for one in value]
        if isinstance(value, dict) and name != "extras":
            if name == "extensions":
                self._extensions.update(value)
            keys = [key for key in value if not (key == "extensions" and kind in PLAIN)]
            order = sorted(keys, key=lambda key: FIRST.index(key) if key in FIRST else len(FIRST))
            copies = {key: self._copy_value(value[key], kind, key, name) for key in order}
            return {key: copies[key] for key in keys}
        if not isinstance(value, int) or isinstance(value, bool):
            return value
        if kind == "meshes" and above in ("attributes", "targets"):
            return self.number("accessors", value)
        if kind == "materials":
            texture = name == "index" and above.lower().endswith("texture")
            return self.number("textures", value) if texture else value
        return self.number(REFERENCES[name], value) if name in REFERENCES else value
