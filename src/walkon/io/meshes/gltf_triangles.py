"""The triangles of a glTF 2.0 scene, `.gltf` or `.glb`: all meshes of the default scene, placed by their nodes.

Meshes with a skin are people and animals, and are left out; others stand as their nodes say, whatever moves them.
Buffers may be in the file, beside it or written into the text. File axes (y up), metres.
"""

import base64
import binascii
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import UnreadableFile
from walkon._base.files import read_whole
from walkon.transforms import quaternions

__all__ = ["gltf_triangles"]

LARGEST_BUFFER = 1 << 30
JSON, BINARY = 0x4E4F534A, 0x004E4942
COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC3": 3}
STRIPS, FANS, TRIANGLES = 5, 6, 4
MOST_NODES = 1_000_000
"""Nodes of a scene, each counted as often as it is reached."""
PACKED = ("KHR_draco_mesh_compression", "EXT_meshopt_compression")


def gltf_triangles(content: bytes, *, path: str | Path) -> Array:
    """Return triangles [T, 3, 3] in metres, y up; buffers beside the file are found from `path`."""
    try:
        with np.errstate(all="ignore"):  # what is not finite is found in the end
            return _Scene(content, Path(path)).triangles()
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError, struct.error) as error:
        if isinstance(error, UnreadableFile):
            raise
        said = str(error)[:200]
        raise UnreadableFile(f"it is not as glTF 2.0 has it ({said}); export it again", path=path) from None


class _Scene:
    """One file, with what was read of it."""

    def __init__(self, content: bytes, path: Path) -> None:
        self.path = path
        text, self._binary = _chunks(content, path) if content[:4] == b"glTF" else (content, None)
        try:
            told = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise UnreadableFile(f"this is neither glTF text nor a .glb file ({str(error)[:200]})", path=path) from None
        if not isinstance(told, dict):
            raise self.damaged("it holds no object")
        self.told: Mapping[str, Any] = told
        packed = [name for name in told.get("extensionsRequired", ()) if name in PACKED]
        if packed:
            raise UnreadableFile(f"its meshes are compressed ({packed[0]}); export it without", path=path)
        self._buffers: dict[int, bytes] = {}
        self._meshes: dict[int, Array] = {}

    def damaged(self, what: str) -> UnreadableFile:
        return UnreadableFile(f"the file is damaged: {what}; export it again", path=self.path)

    def part(self, kind: str, number: object) -> Mapping[str, Any]:
        """Return a part as the file has it: "nodes", 3."""
        shelf = self.told.get(kind, ())
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < len(shelf):
            raise self.damaged(f"it has no {kind} number {number!r}")
        found = shelf[number]
        if not isinstance(found, dict):
            raise self.damaged(f"{kind} number {number} is no object")
        return found

    def triangles(self) -> Array:
        """Return all triangles of the scene."""
        placed: list[Array] = [np.zeros((0, 3, 3))]
        waiting = [(number, np.eye(4), 0) for number in self._roots()]
        seen = 0
        while waiting:
            number, above, depth = waiting.pop()
            seen += 1
            if seen > MOST_NODES or depth > 1000:
                raise self.damaged("its nodes are their own parents, or far too many")
            node = self.part("nodes", number)
            frame = above @ _frame(node)
            if "mesh" in node and "skin" not in node:
                corners = self._mesh(node["mesh"])
                placed.append(corners @ frame[:3, :3].T + frame[:3, 3])
            waiting += [(child, frame, depth + 1) for child in node.get("children", ())]
        triangles = np.concatenate(placed)
        if not len(triangles):
            raise UnreadableFile("it has no triangles; a floor plan needs some", path=self.path)
        if not np.isfinite(triangles).all():
            raise self.damaged("some of its places are not finite numbers")
        return triangles

    def _roots(self) -> Sequence[int]:
        scenes = self.told.get("scenes")
        if scenes:
            roots: Sequence[int] = self.part("scenes", self.told.get("scene", 0)).get("nodes", ())
            return roots
        children = {c for node in self.told.get("nodes", ()) for c in node.get("children", ())}
        return [k for k in range(len(self.told.get("nodes", ()))) if k not in children]

    def _mesh(self, number: int) -> Array:
        if number not in self._meshes:
            parts = [self._primitive(part) for part in self.part("meshes", number)["primitives"]]
            self._meshes[number] = np.concatenate([np.zeros((0, 3, 3)), *parts])
        return self._meshes[number]

    def _primitive(self, told: Mapping[str, Any]) -> Array:
        mode = told.get("mode", TRIANGLES)
        if mode not in (TRIANGLES, STRIPS, FANS):
            return np.zeros((0, 3, 3))
        packed = [name for name in told.get("extensions", ()) if name in PACKED]
        if packed:
            raise UnreadableFile(f"its meshes are compressed ({packed[0]}); export it without", path=self.path)
        places = self._accessor(told["attributes"]["POSITION"], "VEC3").astype(np.float64)
        order = np.arange(len(places))
        if "indices" in told:
            order = self._accessor(told["indices"], "SCALAR")[:, 0].astype(np.int64)
        if len(order) and not 0 <= order.min() <= order.max() < len(places):
            raise self.damaged(f"a face has corner {order.max()} of {len(places)}")
        corners: Array = places[_faces(order, mode)]
        return corners

    def _accessor(self, number: int, kind: str) -> "np.ndarray[Any, Any]":
        told = self.part("accessors", number)
        if told["type"] != kind:
            raise self.damaged(f"accessor {number} should be {kind}, but is {told['type']!r}")
        if "sparse" in told:
            raise UnreadableFile("it has sparse arrays, which are not read; export it without", path=self.path)
        dtype, width, count = np.dtype(COMPONENTS[told["componentType"]]), WIDTHS[kind], told["count"]
        view = self.part("bufferViews", told["bufferView"])
        blob = self._buffer(view["buffer"])
        start = view.get("byteOffset", 0) + told.get("byteOffset", 0)
        stride = view.get("byteStride") or width * dtype.itemsize
        stop = view.get("byteOffset", 0) + view["byteLength"]
        needed = start + (count - 1) * stride + width * dtype.itemsize if count else start
        if not (0 <= start <= needed <= stop <= len(blob)) or count < 0 or stride < width * dtype.itemsize:
            raise self.damaged(f"accessor {number} reaches beyond its buffer; the file may be cut off")
        values = np.ndarray((count, width), dtype, blob, start, (stride, dtype.itemsize))
        if told.get("normalized") and dtype.kind in "iu":
            return np.asarray(np.maximum(values / float(np.iinfo(dtype).max), -1.0))
        return values

    def _buffer(self, number: int) -> bytes:
        if number not in self._buffers:
            told = self.part("buffers", number)
            self._buffers[number] = self._loaded(told.get("uri"), number)
        return self._buffers[number]

    def _loaded(self, uri: str | None, number: int) -> bytes:
        if uri is None:
            if self._binary is None or number != 0:
                raise self.damaged(f"buffer {number} is missing")
            return self._binary
        if uri.startswith("data:"):
            try:
                return base64.b64decode(uri.partition(",")[2], validate=True)
            except (binascii.Error, ValueError):
                raise self.damaged(f"buffer {number} is not in base64") from None
        name = Path(unquote(uri))
        if name.is_absolute() or ".." in name.parts or "\0" in uri or ":" in uri:
            raise UnreadableFile(
                f"its buffer {uri[:80]!r} is not in the file's own folder; put it there", path=self.path
            )
        return read_whole(self.path.parent / name, limit=LARGEST_BUFFER)


def _chunks(content: bytes, path: Path) -> tuple[bytes, bytes | None]:
    """Return the text and the binary part of a .glb file."""
    if len(content) < 20:
        raise UnreadableFile("the file is cut off within its head", path=path)
    version, length = struct.unpack_from("<II", content, 4)
    if version != 2:
        raise UnreadableFile(f"this is glTF version {version}, only 2 is read; export it as glTF 2.0", path=path)
    if length > len(content):
        raise UnreadableFile(f"the file is cut off: {len(content)} of {length} bytes are there", path=path)
    parts: dict[int, bytes] = {}
    at = 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<II", content, at)
        if at + 8 + size > length:
            raise UnreadableFile("the file is damaged: a part of it reaches beyond its end", path=path)
        parts.setdefault(kind, content[at + 8 : at + 8 + size])
        at += 8 + size + (-size) % 4
    if JSON not in parts:
        raise UnreadableFile("the file is damaged: it has no text part", path=path)
    return parts[JSON], parts.get(BINARY)


def _frame(node: Mapping[str, Any]) -> Array:
    """Return [4, 4] a node's place in its parent's."""
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    x, y, z, w = (float(v) for v in node.get("rotation", (0.0, 0.0, 0.0, 1.0)))
    turn = quaternions.to_matrix(quaternions.normalize([w, x, y, z]))
    frame = np.eye(4)
    frame[:3, :3] = turn * np.array(node.get("scale", (1.0, 1.0, 1.0)), np.float64).reshape(3)
    frame[:3, 3] = np.array(node.get("translation", (0.0, 0.0, 0.0)), np.float64).reshape(3)
    return frame


def _faces(order: IntArray, mode: int) -> IntArray:
    """Return [T, 3] the triangles of a list, a strip or a fan of corners."""
    if mode == TRIANGLES:
        return order[: len(order) // 3 * 3].reshape(-1, 3)
    k = np.arange(max(len(order) - 2, 0))
    if mode == FANS:
        return np.stack([np.broadcast_to(order[:1], k.shape), order[k + 1], order[k + 2]], axis=1)
    odd = k % 2
    return np.stack([order[k], order[k + 1 + odd], order[k + 2 - odd]], axis=1)
