"""Reading glTF 2.0, `.gltf` or `.glb`: the container, the document, buffers, arrays, and how nodes hang together.

Buffers may be in the file, beside it or written into the text. File axes (y up) and units. What is damaged, cut off,
compressed or refers to other folders is refused in a sentence.
"""

import base64
import binascii
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import UnreadableFile, WalkonError
from walkon._base.files import read_whole
from walkon.io.gltf.document import COMPONENT_TYPES, SHAPES, Document, Node
from walkon.transforms import quaternions

__all__ = ["COMPRESSIONS", "GltfFile", "local_matrix", "refusing"]

MAX_BUFFER_BYTES = 1 << 30
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942
COMPRESSIONS = ("KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression")
"""Extensions without which the arrays of a mesh cannot be read."""
MAX_DEPTH = 10_000
"""Nodes above one another; more are a circle."""


class GltfFile:
    """One file, with what was read of it."""

    def __init__(self, content: bytes, path: str | Path) -> None:
        self.path = Path(path)
        text, self.binary = _chunks(content, self.path) if content[:4] == b"glTF" else (content, None)
        try:
            raw = msgspec.json.decode(text.rstrip(b"\0 "))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise UnreadableFile(
                f"the file is damaged: this is neither glTF text nor a .glb file ({str(error)[:200]})", path=path
            ) from None
        self.expect(isinstance(raw, dict), "it holds no object")
        self.raw: Mapping[str, Any] = raw
        """The document as the text has it, with everything that `document` leaves out."""
        with refusing(path):
            self.document = msgspec.convert(raw, Document)
        self._buffers: dict[int, bytes] = {}

    def damaged(self, what: str) -> UnreadableFile:
        """Return the error to raise for a fault of the file."""
        return UnreadableFile(f"the file is damaged: {what}; export it again", path=self.path)

    def expect(self, right: bool, otherwise: str) -> None:
        """Refuse the file where something about it is not right."""
        if not right:
            raise self.damaged(otherwise)

    def refuse_extensions(self, refused: Sequence[str], used: Sequence[str] | Mapping[str, Any]) -> None:
        """Raise if any of the `used` extensions is one that packs what is needed here."""
        if packed := sorted(set(used) & set(refused)):
            raise UnreadableFile(f"is compressed ({', '.join(packed)}); export it without compression", path=self.path)

    def part(self, kind: str, number: int) -> Any:
        """Return a part by its kind, as a field of `Document` is called, and number."""
        shelf = getattr(self.document, kind)
        self.expect(0 <= number < len(shelf), f"it has no {kind} number {number}")
        return shelf[number]

    def array(self, accessor: int) -> "np.ndarray[Any, Any]":
        """Return the values [count, ...] of an accessor; whole numbers that stand for shares come as such."""
        layout = self.part("accessors", accessor)
        if layout.sparse is not None or layout.buffer_view is None:
            raise UnreadableFile("it has sparse arrays, which are not read; export it without", path=self.path)
        view = self.part("buffer_views", layout.buffer_view)
        blob = self._buffer(view.buffer)
        dtype, shape = np.dtype(f"<{COMPONENT_TYPES[layout.component_type]}"), SHAPES[layout.type]
        width = dtype.itemsize * math.prod(shape)
        stride = view.byte_stride or width
        start = view.byte_offset + layout.byte_offset
        stop = view.byte_offset + view.byte_length
        needed = start + (layout.count - 1) * stride + width if layout.count else start
        fits = 0 <= start <= needed <= stop <= len(blob) and layout.count >= 0 and stride >= width
        self.expect(fits, f"accessor {accessor} reaches beyond its buffer; the file may be cut off")
        values = np.ndarray((layout.count, *shape), dtype, blob, start, (stride, *np.empty(shape, dtype).strides))
        if layout.normalized and dtype.kind in "iu":
            return np.asarray(np.maximum(values / float(np.iinfo(dtype).max), -1.0))
        return values

    def roots(self) -> Sequence[int]:
        """Return the nodes on top of the default scene; of a file without scenes, those that hang on nothing."""
        if self.document.scenes:
            return self.part("scenes", self.document.scene or 0).nodes
        return [number for number in range(len(self.document.nodes)) if number not in self._parents]

    @cached_property
    def _parents(self) -> dict[int, int]:
        return {child: number for number, node in enumerate(self.document.nodes) for child in node.children}

    def parent(self, node: int) -> int:
        """Return the node that a node hangs on, −1 for none."""
        return self._parents.get(node, -1)

    def line(self, node: int) -> list[int]:
        """Return the node and what it hangs on, the topmost last."""
        line = [node]
        while (above := self.parent(line[-1])) >= 0:
            line.append(above)
            self.expect(len(line) <= MAX_DEPTH, "its nodes hang on one another in a circle")
        return line

    def world(self, node: int) -> Array:
        """Return a node's matrix [4, 4] in the scene; the identity for −1."""
        matrix = np.eye(4)
        for number in self.line(node) if node >= 0 else ():
            matrix = local_matrix(self.part("nodes", number)) @ matrix
        return matrix

    def _buffer(self, number: int) -> bytes:
        if number not in self._buffers:
            self._buffers[number] = self._load_buffer(self.part("buffers", number).uri, number)
        return self._buffers[number]

    def _load_buffer(self, uri: str | None, number: int) -> bytes:
        if uri is None:
            if self.binary is None or number != 0:
                raise self.damaged(f"buffer {number} is missing")
            return self.binary
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
        return read_whole(self.path.parent / name, limit=MAX_BUFFER_BYTES)


@contextmanager
def refusing(path: str | Path) -> Iterator[None]:
    """Raise `UnreadableFile` for whatever comes of numbers and parts that are not as glTF has them."""
    try:
        yield
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, WalkonError):
            raise
        said = str(error)[:200]
        raise UnreadableFile(
            f"the file is damaged: it is not as glTF 2.0 has it ({said}); export it again", path=path
        ) from None


def local_matrix(node: Node) -> Array:
    """Return the matrix [4, 4] of a node in its parent."""
    if node.matrix is not None:
        return np.array(node.matrix, np.float64).reshape(4, 4).T
    x, y, z, w = node.rotation or (0.0, 0.0, 0.0, 1.0)
    matrix = np.eye(4)
    scale = np.array(node.scale or (1.0, 1.0, 1.0)).reshape(3)
    matrix[:3, :3] = quaternions.to_matrix(quaternions.normalize([w, x, y, z])) * scale
    matrix[:3, 3] = np.array(node.translation or (0.0, 0.0, 0.0)).reshape(3)
    return matrix


def _chunks(content: bytes, path: Path) -> tuple[bytes, bytes | None]:
    """Return the text and the binary part of a .glb file."""
    if len(content) < 20:
        raise UnreadableFile("the file is cut off within its head", path=path)
    version, length = struct.unpack_from("<II", content, 4)
    if version != 2:
        raise UnreadableFile(f"is not of glTF 2 but of {version}; export it again as glTF 2.0", path=path)
    if length > len(content):
        raise UnreadableFile(
            f"is truncated: {len(content)} of {length} bytes are there; copy or export it again", path=path
        )
    parts: dict[int, bytes] = {}
    at = 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<II", content, at)
        if at + 8 + size > length:
            raise UnreadableFile("the file is damaged: a part of it reaches beyond its end", path=path)
        parts.setdefault(kind, content[at + 8 : at + 8 + size])
        at += 8 + size + (-size) % 4
    if JSON_CHUNK not in parts:
        raise UnreadableFile("the file is damaged: it has no text part", path=path)
    return parts[JSON_CHUNK], parts.get(BINARY_CHUNK)
