"""Characters of a glTF file who wear a user's own rig: joints, skin and motion of their own, everything else shared.

Each character has a node with its size as scale, turned so that the rig's own up and front are the take's; below it are
the nodes on which the rig's joints hang, as in its file, and the joints with their rest pose, axes and units. Only the
rotations of joints that follow the take have keys, and the root's place (see `rig_motion`). Meshes that are bound to
joints are nodes at the root of the scene; those that hang on a joint, a hat say, hang there.
"""

from typing import Any

import msgspec
import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.export.excerpt import Block, Excerpt
from walkon.export.gltf_axes import Floats, plain, quaternions
from walkon.export.gltf_body import Wardrobe
from walkon.export.gltf_copy import Copier
from walkon.export.gltf_document import Node, Skin
from walkon.export.gltf_extras import character_extras
from walkon.export.gltf_motion import Keys
from walkon.export.rig_motion import local_turns, pose_rig, rest_turns
from walkon.transforms import quaternions as quat
from walkon.viewer.character import Character
from walkon.viewer.glb_arrays import Glb, local_matrix

__all__ = ["Wearers"]


class _Place(msgspec.Struct):
    """A node of the rig's file."""

    name: str = ""
    children: list[int] = []
    mesh: int | None = None
    skin: int | None = None
    translation: list[float] | None = None
    rotation: list[float] | None = None
    scale: list[float] | None = None
    matrix: list[float] | None = None
    weights: list[float] | None = None


class _Tree(msgspec.Struct):
    """The nodes, as `Glb` reads them."""

    nodes: list[_Place]


class Wearers:
    """Adds people who wear a rig to a file."""

    def __init__(self, character: Character, wardrobe: Wardrobe) -> None:
        rig = character.rig
        self.character = character
        self.copier = Copier(rig.content, rig.name, wardrobe)
        tree = msgspec.convert({"nodes": self.copier.told["nodes"]}, _Tree)
        glb = Glb(tree, b"")
        self._nodes = tree.nodes
        self._joints: list[int] = rig.nodes.tolist()
        root = self._joints[0]
        self._above = glb.line(root)[:0:-1]
        """What the root hangs on, the topmost first."""
        outer = np.eye(4)
        for node in self._above:
            outer = outer @ local_matrix(self._nodes[node])
        self._inward: Array = np.linalg.inv(outer)
        shown = self._shown(glb)
        self._bound = [node for node in shown if self._nodes[node].skin is not None]
        self._held = self._hung(glb, [node for node in shown if self._nodes[node].skin is None])
        self._rests = _w_last(rest_turns(rig))
        self._turn = quaternions(quat.multiply(_UP, rig.upright)) if False else _top_turn(rig.upright)

    def _shown(self, glb: Glb) -> list[int]:
        """Return the nodes with meshes that are in the file's scene."""
        told = self.copier.told
        scenes = told.get("scenes") or [{"nodes": range(len(self._nodes))}]
        tops = set(scenes[told.get("scene", 0)].get("nodes", ()))
        return [
            node
            for node, it in enumerate(self._nodes)
            if it.mesh is not None and not tops.isdisjoint(glb.line(node))
        ]
