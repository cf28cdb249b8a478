"""The triangles of a glTF 2.0 scene, `.gltf` or `.glb`: all meshes of the default scene, placed by their nodes.

Meshes with a skin are people and animals, and are left out; others stand as their nodes say, whatever moves them.
File axes (y up), metres.
"""

from pathlib import Path

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import UnreadableFile
from walkon.io.gltf import GltfFile, local_matrix, refusing
from walkon.io.gltf.document import TRIANGLES, Primitive
from walkon.io.gltf.reading import COMPRESSIONS

__all__ = ["gltf_triangles"]

STRIPS, FANS = 5, 6
MAX_NODES = 1_000_000
"""Nodes of a scene, each counted as often as it is reached."""


def gltf_triangles(content: bytes, *, path: str | Path) -> Array:
    """Return triangles [T, 3, 3] in metres, y up; buffers beside the file are found from `path`."""
    file = GltfFile(content, path)
    file.refuse_extensions(COMPRESSIONS, file.document.extensions_required)
    with np.errstate(all="ignore"), refusing(path):  # what is not finite is found in the end
        triangles = np.concatenate([np.zeros((0, 3, 3)), *_placed_meshes(file)])
    if not len(triangles):
        raise UnreadableFile("it has no triangles; a floor plan needs some", path=path)
    if not np.isfinite(triangles).all():
        raise file.damaged("some of its places are not finite numbers")
    return triangles


def _placed_meshes(file: GltfFile) -> list[Array]:
    """Return the triangles of each mesh of the scene, where its node places it."""
    meshes: dict[int, list[Array]] = {}
    placed: list[Array] = []
    waiting = [(number, np.eye(4), 0) for number in file.roots()]
    seen = 0
    while waiting:
        number, above, depth = waiting.pop()
        seen += 1
        if seen > MAX_NODES or depth > 1000:
            raise file.damaged("its nodes are their own parents, or far too many")
        node = file.part("nodes", number)
        frame = above @ local_matrix(node)
        if node.mesh is not None and node.skin is None:
            if node.mesh not in meshes:
                meshes[node.mesh] = [_primitive(file, part) for part in file.part("meshes", node.mesh).primitives]
            placed += [corners @ frame[:3, :3].T + frame[:3, 3] for corners in meshes[node.mesh]]
        waiting += [(child, frame, depth + 1) for child in node.children]
    return placed


def _primitive(file: GltfFile, told: Primitive) -> Array:
    if told.mode not in (TRIANGLES, STRIPS, FANS):
        return np.zeros((0, 3, 3))
    file.refuse_extensions(COMPRESSIONS, told.extensions)
    places = _array(file, told.attributes["POSITION"], "VEC3").astype(np.float64)
    order = np.arange(len(places))
    if told.indices is not None:
        order = _array(file, told.indices, "SCALAR").astype(np.int64)
    if len(order) and not 0 <= order.min() <= order.max() < len(places):
        raise file.damaged(f"a face has corner {order.max()} of {len(places)}")
    return places[_faces(order, told.mode)]


def _array(file: GltfFile, accessor: int, kind: str) -> Array:
    told = file.part("accessors", accessor)
    if told.type != kind:
        raise file.damaged(f"accessor {accessor} should be {kind}, but is {told.type!r}")
    return file.array(accessor)


def _faces(order: IntArray, mode: int) -> IntArray:
    """Return [T, 3] the triangles of a list, a strip or a fan of corners."""
    if mode == TRIANGLES:
        return order[: len(order) // 3 * 3].reshape(-1, 3)
    k = np.arange(max(len(order) - 2, 0))
    if mode == FANS:
        return np.stack([np.broadcast_to(order[:1], k.shape), order[k + 1], order[k + 2]], axis=1)
    odd = k % 2
    return np.stack([order[k], order[k + 1 + odd], order[k + 2 - odd]], axis=1)
