"""Characters of a glTF file who wear a user's own rig: joints, skin and motion of their own, everything else shared.

Each character has a node with its size as scale, turned so that the rig's own up and front are the take's; below it are
the nodes on which the rig's joints hang, as in its file, and the joints with their rest pose, axes and units. Only the
joints that follow the take have keys, and the root its place (see `rig_motion`). Meshes that are bound to joints are
nodes at the root of the scene; those that hang on a joint, a hat say, hang there.
"""

import msgspec
import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.export.excerpt import Block, Excerpt
from walkon.export.gltf_axes import Floats, plain
from walkon.export.gltf_body import Wardrobe
from walkon.export.gltf_copy import Copier
from walkon.export.gltf_document import Document, Node, Skin
from walkon.export.gltf_extras import character_extras
from walkon.export.gltf_file import GrowingFile
from walkon.export.rig_motion import local_turns, pose_rig, rest_turns
from walkon.transforms import quaternions as quat
from walkon.viewer.character import Character, CharacterFit
from walkon.viewer.glb_arrays import Glb

__all__ = ["Wearers"]

Y_UP = quat.about(np.array([1.0, 0.0, 0.0]), -0.5 * np.pi)
"""z up to y up: (x, y, z) becomes (x, z, −y)."""


class _Place(msgspec.Struct):
    """A node of the rig's file."""

    name: str = ""
    children: tuple[int, ...] = ()
    mesh: int | None = None
    skin: int | None = None
    translation: list[float] | None = None
    rotation: list[float] | None = None
    scale: list[float] | None = None
    matrix: list[float] | None = None
    weights: list[float] | None = None


class _Places(msgspec.Struct):
    """Nodes, as `Glb` reads them."""

    nodes: list[_Place]


class Wearers:
    """Adds people who wear a rig to a file."""

    def __init__(self, character: Character, wardrobe: Wardrobe) -> None:
        rig = character.rig
        self.character = character
        self.copier = Copier(rig.content, rig.name, wardrobe)
        places = msgspec.convert({"nodes": self.copier.told["nodes"]}, _Places)
        glb = Glb(places, b"")
        self._nodes = places.nodes
        self._parent = glb.parent
        joints: list[int] = rig.nodes.tolist()
        self._above = glb.line(joints[0])[:0:-1]
        outer = glb.world(self._above[-1]) if self._above else np.eye(4)
        self._inward: Array = np.linalg.inv(outer)
        shown = self._shown(glb)
        self._bound = [node for node in shown if self._nodes[node].skin is not None]
        self._worn = {node for node in shown if self._nodes[node].skin is None}
        self._order = [*self._above, *joints, *_hung(glb, self._worn, set(joints))]
        """Nodes that each character has of its own, parents first."""
        self._rests = _w_last(rest_turns(rig))
        self._top = _w_last(quat.multiply(Y_UP, rig.upright))

    def _shown(self, glb: Glb) -> list[int]:
        """Return the nodes with meshes that are in the file's scene."""
        told, nodes = self.copier.told, self._nodes
        scenes = told.get("scenes")
        tops = set(scenes[told.get("scene", 0)].get("nodes", ())) if scenes else set(range(len(nodes)))
        return [node for node, it in enumerate(nodes) if it.mesh is not None and not tops.isdisjoint(glb.line(node))]

    def add(self, file: GrowingFile, excerpt: Excerpt, block: Block, *, columns: IntArray, source: IntArray) -> None:
        """Add some characters of a block: its `columns` [n], which have one body; `source` [m, n] as of `filled`."""
        take, poses, rig = excerpt.take, block.poses, self.character.rig
        rows = block.characters[columns]
        body = int(take.characters.body[rows[0]])
        fit = self.character.fits[body]
        assert fit is not None
        scale = take.characters.scale[rows].astype(np.float64)
        motion = pose_rig(
            rig,
            fit,
            skeleton=take.bodies[body].skeleton,
            positions=poses.positions[source, columns],
            rotations=poses.rotations[source, columns],
            scale=scale,
        )
        turns = _w_last(quat.continuous(local_turns(rig, motion.rotations)))
        # Where the root is: in the axes and units of the rig's file, then seen from the node that it hangs on.
        units = quat.rotate(quat.conjugate(rig.upright), motion.positions[..., 0, :]) / (fit.scale * scale)[:, None]
        places = (units @ self._inward[:3, :3].T + self._inward[:3, 3]).astype(np.float32)
        for i, row in enumerate(rows.tolist()):
            self._wear(file, excerpt, row, fit, places[:, i], turns[:, i], poses.present[:, columns[i]])

    def sign(self, made: Document) -> None:
        """Put what belongs to nobody in particular into a file: pictures, extensions, whose work the rig is."""
        copier = self.copier
        made.textures, made.samplers, made.images = (
            shelf or None for shelf in (copier.textures, copier.samplers, copier.images)
        )
        made.extensions_used = copier.extensions("extensionsUsed") or None
        made.extensions_required = copier.extensions("extensionsRequired") or None
        made.asset["extras"]["rig"] = self.character.rig.name
        if words := copier.told.get("asset", {}).get("copyright"):
            made.asset["copyright"] = words

    def _wear(
        self,
        file: GrowingFile,
        excerpt: Excerpt,
        row: int,
        fit: CharacterFit,
        places: Floats,
        turns: Floats,
        present: BoolArray,
    ) -> None:
        """Add one character: where its root is [T, 3] and how its joints turn [T, J, 4], in the file's axes."""
        rig, take, keys, nodes = self.character.rig, excerpt.take, file.keys, file.nodes
        name = take.names[row]
        there = np.flatnonzero(present)
        first, span = int(there[0]), slice(int(there[0]), int(there[-1]) + 1)
        top = len(nodes)
        it = Node(name=name, children=[], rotation=plain(self._top), extras=character_extras(excerpt, row))
        nodes.append(it)
        file.roots.append(top)
        numbers = {node: top + 1 + k for k, node in enumerate(self._order)}
        for node in self._order:
            nodes.append(self._copied(node))
            above = nodes[numbers.get(self._parent(node), top)]
            above.children = [*(above.children or ()), numbers[node]]
        keys.buffers.open_view()
        for joint, node in enumerate(rig.nodes.tolist()):
            number, rest = numbers[node], self._rests[joint]
            made = nodes[number]
            made.name, made.rotation, made.matrix = rig.names[joint], None, None
            made.translation = plain(rig.translations[joint])
            made.scale = None if np.allclose(rig.scales[joint], 1.0, rtol=0, atol=1e-7) else plain(rig.scales[joint])
            values = turns[span, joint] if fit.drives[joint] >= 0 else rest[None]
            keys.turn(number, made, values, first, rest=rest if joint else None)
        keys.carry(numbers[rig.nodes[0]], nodes[numbers[rig.nodes[0]]], places[span], first)
        keys.buffers.close_view()
        keys.show(top, it, np.full(3, fit.scale * take.characters.scale[row], np.float32), present)
        self._bind(file, name, numbers)

    def _copied(self, node: int) -> Node:
        """Return a node of the rig's file, without what hangs on it."""
        told = self._nodes[node]
        made = Node(
            name=told.name,
            translation=told.translation,
            rotation=told.rotation,
            scale=told.scale,
            matrix=told.matrix,
        )
        if node in self._worn and told.mesh is not None:
            made.mesh, made.weights = self.copier.mesh(told.mesh), told.weights
        return made

    def _bind(self, file: GrowingFile, name: str, numbers: dict[int, int]) -> None:
        """Add the skins of one character, and the meshes that they move."""
        skins: dict[int, int] = {}
        for node in self._bound:
            told = self._nodes[node]
            assert told.mesh is not None
            assert told.skin is not None
            if told.skin not in skins:
                skin = self.copier.part("skins", told.skin)
                binds = skin.get("inverseBindMatrices")
                skins[told.skin] = len(file.skins)
                file.skins.append(
                    Skin(
                        name=name if not told.skin else f"{name} {told.skin}",
                        inverse_bind_matrices=None if binds is None else self.copier.accessor(binds),
                        joints=[numbers[joint] for joint in skin["joints"]],
                    )
                )
            file.roots.append(len(file.nodes))
            file.nodes.append(
                Node(
                    name=f"{name} {told.name or 'body'}",
                    mesh=self.copier.mesh(told.mesh),
                    skin=skins[told.skin],
                    weights=told.weights,
                )
            )


def _hung(glb: Glb, worn: set[int], joints: set[int]) -> list[int]:
    """Return the nodes by which meshes hang on joints, parents first; whatever hangs elsewhere leaves `worn`."""
    found: set[int] = set()
    for node in sorted(worn):
        line = glb.line(node)
        way = next((k for k, above in enumerate(line) if above in joints), None)
        if way is None:
            worn.discard(node)
        else:
            found.update(line[:way])
    return sorted(found, key=lambda node: (len(glb.line(node)), node))


def _w_last(rotations: Array) -> Floats:
    return np.asarray(rotations)[..., [1, 2, 3, 0]].astype(np.float32)
