"""What a `.glb` holds of a rig, as arrays: node matrices, trees of joints, inverse bind matrices, vertices."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.transforms import quaternions as quat

__all__ = ["Glb", "joint_trees", "local_matrix", "skin_points"]

KINDS = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
SHAPES = {"SCALAR": (), "VEC2": (2,), "VEC3": (3,), "VEC4": (4,), "MAT3": (3, 3), "MAT4": (4, 4)}
DEEPEST = 10_000
"""Nodes above one another; more are a circle."""


class Glb:
    """A parsed file and its binary part."""

    def __init__(self, gltf: Any, blob: bytes) -> None:
        self.gltf = gltf
        self.blob = blob

    @cached_property
    def _parents(self) -> dict[int, int]:
        return {child: number for number, node in enumerate(self.gltf.nodes) for child in node.children or ()}

    def parent(self, node: int) -> int:
        """Return the node that a node hangs on, −1 for none."""
        return self._parents.get(node, -1)

    def line(self, node: int) -> list[int]:
        """Return the node and what it hangs on, the topmost last."""
        line = [node]
        while (above := self.parent(line[-1])) >= 0:
            line.append(above)
            if len(line) > DEEPEST:
                raise ValueError("nodes hang on one another in a circle")
        return line

    def world(self, node: int) -> Array:
        """Return a node's matrix [4, 4] in the scene."""
        matrix = np.eye(4)
        for number in self.line(node):
            matrix = local_matrix(self.gltf.nodes[number]) @ matrix
        return matrix

    def array(self, accessor: int) -> Array:
        """Return the values of an accessor; whole numbers that stand for shares come as such."""
        told = self.gltf.accessors[accessor]
        if told.sparse is not None or told.bufferView is None:
            raise ValueError("sparse accessors are not read")
        view = self.gltf.bufferViews[told.bufferView]
        if view.buffer != 0:
            raise ValueError("there is more than one buffer")
        kind, shape = np.dtype(KINDS[told.componentType]).newbyteorder("<"), SHAPES[told.type]
        inner = tuple(kind.itemsize * int(np.prod(shape[k + 1 :])) for k in range(len(shape)))
        width = view.byteStride or kind.itemsize * int(np.prod(shape))
        begin = (view.byteOffset or 0) + (told.byteOffset or 0)
        values: Array = np.ndarray((told.count, *shape), kind, self.blob, begin, (width, *inner))
        if told.normalized and kind.kind in "iu":
            return values / (2.0 ** (8 * kind.itemsize - (kind.kind == "i")) - 1.0)
        return values

    def inverse_binds(self, skin: Any) -> Array | None:
        """Return the inverse bind matrices [K, 4, 4] of a skin; None where it has none that can be used."""
        if skin.inverseBindMatrices is None:
            return None
        matrices = np.swapaxes(self.array(skin.inverseBindMatrices), 1, 2).astype(np.float64)
        if len(matrices) < len(skin.joints) or not np.isfinite(matrices).all():
            raise ValueError("inverse bind matrices are missing or not numbers")
        return None if np.abs(np.linalg.det(matrices[:, :3, :3])).min() < 1e-30 else matrices


def local_matrix(node: Any) -> Array:
    """Return the matrix [4, 4] of a node in its parent."""
    if node.matrix is not None:
        return np.array(node.matrix, np.float64).reshape(4, 4).T
    x, y, z, w = node.rotation or (0.0, 0.0, 0.0, 1.0)
    matrix = np.eye(4)
    matrix[:3, :3] = quat.to_matrix(quat.normalize([w, x, y, z])) * np.array(node.scale or (1.0, 1.0, 1.0))
    matrix[:3, 3] = node.translation or (0.0, 0.0, 0.0)
    return matrix


def joint_trees(file: Glb) -> list[list[int]]:
    """Return the joints of all skins, and the nodes between them, one list of nodes per rig, parents before children.

    Skins that have joints in common, or of which one hangs on a joint of the other, are of one rig.
    """
    groups: list[set[int]] = []
    for skin in file.gltf.skins or ():
        if max(skin.joints, default=0) >= len(file.gltf.nodes):
            raise ValueError("a skin has a joint that is no node")
        lines = [file.line(node)[::-1] for node in skin.joints]
        if not lines:
            continue
        shared = 0
        while all(len(line) > shared and line[shared] == lines[0][shared] for line in lines):
            shared += 1
        group = {node for line in lines for node in line[max(shared - 1, 0) :]}
        apart: list[set[int]] = []
        for other in groups:
            between = _between(file, group, other)
            if between is None:
                apart.append(other)
            else:
                group = group | other | between
        groups = [*apart, group]
    return [sorted(group, key=lambda node: (len(file.line(node)), node)) for group in groups]


def _between(file: Glb, one: set[int], other: set[int]) -> set[int] | None:
    """Return the nodes by which one tree hangs on the other (none where they overlap); None where they are apart."""
    if one & other:
        return set()
    for upper, lower in ((one, other), (other, one)):
        line = file.line(min(lower, key=lambda node: len(file.line(node))))
        if any(node in upper for node in line):
            return set(line[: next(k for k, node in enumerate(line) if node in upper)])
    return None


def skin_points(file: Glb, spaces: Mapping[int, Array], places: Mapping[int, int]) -> tuple[Array, IntArray]:
    """Return vertices of skins at rest [V, 3] in the file's axes, and the row of the joint that holds each most [V]."""
    points, holders = [np.zeros((0, 3))], [np.zeros(0, np.int64)]
    for node in file.gltf.nodes:
        if node.skin is None or node.mesh is None:
            continue
        rows = np.array([places[joint] for joint in file.gltf.skins[node.skin].joints])
        for primitive in file.gltf.meshes[node.mesh].primitives:
            told = primitive.attributes
            if None in (told.POSITION, told.JOINTS_0, told.WEIGHTS_0):
                continue
            vertices = np.array(file.array(told.POSITION), np.float64)
            joints, weights = file.array(told.JOINTS_0), file.array(told.WEIGHTS_0)
            most = np.take_along_axis(joints, np.argmax(weights, axis=1)[:, None], axis=1)[:, 0]
            space = spaces[node.skin]
            points.append(vertices @ space[:3, :3].T + space[:3, 3])
            holders.append(rows[most.astype(np.int64)])
    return np.concatenate(points), np.concatenate(holders)
