"""Skinning data of a glTF file: trees of joints, inverse bind matrices, vertices and the joints that hold them."""

from collections.abc import Mapping

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.io.gltf import GltfFile
from walkon.io.gltf.document import Skin

__all__ = ["inverse_binds", "joint_trees", "skin_points"]


def inverse_binds(file: GltfFile, skin: Skin) -> Array | None:
    """Return the inverse bind matrices [K, 4, 4] of a skin; None where it has none that can be used."""
    if skin.inverse_bind_matrices is None:
        return None
    matrices = np.swapaxes(file.array(skin.inverse_bind_matrices), 1, 2).astype(np.float64)
    if len(matrices) < len(skin.joints) or not np.isfinite(matrices).all():
        raise file.damaged("inverse bind matrices are missing or not numbers")
    return None if np.abs(np.linalg.det(matrices[:, :3, :3])).min() < 1e-30 else matrices


def joint_trees(file: GltfFile) -> list[list[int]]:
    """Return the joints of all skins, and the nodes between them, one list of nodes per rig, parents before children.

    Skins that have joints in common, or of which one hangs on a joint of the other, are of one rig.
    """
    groups: list[set[int]] = []
    for skin in file.document.skins:
        if not all(0 <= joint < len(file.document.nodes) for joint in skin.joints):
            raise file.damaged("a skin has a joint that is no node")
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


def _between(file: GltfFile, one: set[int], other: set[int]) -> set[int] | None:
    """Return the nodes by which one tree hangs on the other (none where they overlap); None where they are apart."""
    if one & other:
        return set()
    for upper, lower in ((one, other), (other, one)):
        line = file.line(min(lower, key=lambda node: len(file.line(node))))
        if any(node in upper for node in line):
            return set(line[: next(k for k, node in enumerate(line) if node in upper)])
    return None


def skin_points(file: GltfFile, spaces: Mapping[int, Array], places: Mapping[int, int]) -> tuple[Array, IntArray]:
    """Return vertices of skins at rest [V, 3] in the file's axes, and the row of the joint that holds each most [V]."""
    points, holders = [np.zeros((0, 3))], [np.zeros(0, np.int64)]
    for node in file.document.nodes:
        if node.skin is None or node.mesh is None:
            continue
        rows = np.array([places[joint] for joint in file.part("skins", node.skin).joints])
        for primitive in file.part("meshes", node.mesh).primitives:
            attributes = primitive.attributes
            if not {"POSITION", "JOINTS_0", "WEIGHTS_0"} <= attributes.keys():
                continue
            vertices = file.array(attributes["POSITION"]).astype(np.float64)
            joints, weights = file.array(attributes["JOINTS_0"]), file.array(attributes["WEIGHTS_0"])
            if not len(vertices) == len(joints) == len(weights):
                raise file.damaged("a mesh has not as many joints and weights as vertices")
            most = np.take_along_axis(joints, np.argmax(weights, axis=1)[:, None], axis=1)[:, 0]
            space = spaces[node.skin]
            points.append(vertices @ space[:3, :3].T + space[:3, 3])
            holders.append(rows[most.astype(np.int64)])
    return np.concatenate(points), np.concatenate(holders)
