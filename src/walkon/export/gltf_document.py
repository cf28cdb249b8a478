"""The JSON part of a glTF 2.0 file, as far as takes need it, and the `.glb` container that holds it and the numbers.

Numbers in lists are plain Python floats; what is left at its default is not written.
"""

import shutil
import struct
from typing import Any, BinaryIO

import msgspec

from walkon._base.errors import InvalidValue

__all__ = ["Accessor", "Animation", "BufferView", "Copied", "Document", "Material", "Mesh", "Node", "Primitive", "Skin"]

Copied = dict[str, Any]
"""A part of somebody else's file, as it is there but for the numbers of what it refers to."""

LARGEST = 2**32 - 1
"""Bytes: the container counts its length in 32 bits."""


class _Part(msgspec.Struct, omit_defaults=True, rename="camel", gc=False):
    """What all parts share."""


class Accessor(_Part):
    """Where an array lies in the buffer, and what it is."""

    buffer_view: int
    component_type: int
    count: int
    type: str
    byte_offset: int = 0
    normalized: bool = False
    min: list[float] | None = None
    max: list[float] | None = None


class BufferView(_Part):
    """A stretch of the buffer."""

    buffer: int
    byte_length: int
    byte_offset: int = 0
    byte_stride: int | None = None
    target: int | None = None


class Node(_Part):
    """Something at a place: y up, metres, quaternion x, y, z, w."""

    name: str
    children: list[int] | None = None
    mesh: int | None = None
    skin: int | None = None
    translation: list[float] | None = None
    rotation: list[float] | None = None
    scale: list[float] | None = None
    matrix: list[float] | None = None
    weights: list[float] | None = None
    extras: dict[str, Any] | None = None


class Primitive(_Part):
    """Triangles of one material."""

    attributes: dict[str, int]
    indices: int
    material: int


class Mesh(_Part):
    """Some primitives."""

    name: str
    primitives: list[Primitive]


class Material(_Part):
    """A colour, as shares of light."""

    name: str
    pbr_metallic_roughness: dict[str, Any]


class Skin(_Part):
    """The joints of one character and where they were when the mesh was made."""

    name: str
    inverse_bind_matrices: int | None
    joints: list[int]


class Target(_Part):
    """What a channel moves."""

    node: int
    path: str


class Channel(_Part):
    """A sampler and what it moves."""

    sampler: int
    target: Target


class Sampler(_Part):
    """Times and values; LINEAR unless said otherwise."""

    input: int
    output: int
    interpolation: str | None = None


class Animation(_Part):
    """Motion of some nodes."""

    name: str
    channels: list[Channel]
    samplers: list[Sampler]

    def move(self, node: int, path: str, *, times: int, values: int, step: bool = False) -> None:
        """Add a channel: the accessors of times and values."""
        self.channels.append(Channel(sampler=len(self.samplers), target=Target(node=node, path=path)))
        self.samplers.append(Sampler(input=times, output=values, interpolation="STEP" if step else None))


class Document(_Part):
    """A whole file."""

    asset: dict[str, Any]
    extensions_used: list[str] | None = None
    extensions_required: list[str] | None = None
    scene: int | None = None
    scenes: list[dict[str, Any]] | None = None
    nodes: list[Node] | None = None
    meshes: list[Mesh | Copied] | None = None
    materials: list[Material | Copied] | None = None
    textures: list[Copied] | None = None
    samplers: list[Copied] | None = None
    images: list[Copied] | None = None
    skins: list[Skin] | None = None
    animations: list[Animation] | None = None
    accessors: list[Accessor | Copied] | None = None
    buffer_views: list[BufferView] | None = None
    buffers: list[dict[str, int]] | None = None

    def write_glb(self, file: BinaryIO, numbers: BinaryIO) -> None:
        """Write the container: a header, the JSON chunk, and the buffer, copied from a file block by block."""
        numbers.seek(0, 2)
        size = numbers.tell()
        if size:
            self.buffers = [{"byteLength": size}]
        words = msgspec.json.encode(self)
        words += b" " * (-len(words) % 4)
        padding = -size % 4
        total = 12 + 8 + len(words) + (8 + size + padding if size else 0)
        check_size(total)
        file.write(struct.pack("<4sII", b"glTF", 2, total))
        file.write(struct.pack("<I4s", len(words), b"JSON") + words)
        if size:
            file.write(struct.pack("<I4s", size + padding, b"BIN\0"))
            numbers.seek(0)
            shutil.copyfileobj(numbers, file, 1 << 22)
            file.write(b"\0" * padding)


def check_size(size: int) -> None:
    """Refuse a file that the container cannot count."""
    if size > LARGEST:
        raise InvalidValue(
            "a .glb file holds at most 4 GB, and this take needs more; export fewer characters (characters=…), "
            'a shorter part (start=…, stop=…), a lower rate (fps=…), or rotations="int16"'
        )
