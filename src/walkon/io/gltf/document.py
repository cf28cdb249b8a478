"""The JSON part of a glTF 2.0 file, as far as it is read or written here. Other properties are passed over.

y up, metres, quaternions x, y, z, w. Numbers in lists are plain Python floats; what is left at its default is not
written.
"""

from typing import Any

import msgspec

__all__ = [
    "COMPONENT_TYPES",
    "SHAPES",
    "TRIANGLES",
    "Accessor",
    "Animation",
    "Buffer",
    "BufferView",
    "Copied",
    "Document",
    "GltfImage",
    "GltfScene",
    "Mesh",
    "Node",
    "Primitive",
    "Skin",
]

COMPONENT_TYPES = {5120: "i1", 5121: "u1", 5122: "i2", 5123: "u2", 5125: "u4", 5126: "f4"}
"""`componentType` → kind and bytes of a number, as NumPy calls it."""
SHAPES = {"SCALAR": (), "VEC2": (2,), "VEC3": (3,), "VEC4": (4,), "MAT3": (3, 3), "MAT4": (4, 4)}
"""`type` → shape of one element."""
TRIANGLES = 4
"""`mode` of a primitive that lists three corners per triangle."""

Copied = dict[str, Any]
"""A part of another file, as it is there but for the numbers of what it refers to."""


class _GltfPart(msgspec.Struct, omit_defaults=True, rename="camel", gc=False):
    """What all parts share."""


class Accessor(_GltfPart, kw_only=True):
    """Where an array lies in the buffer, and what it is."""

    buffer_view: int | None = None
    component_type: int
    count: int
    type: str
    byte_offset: int = 0
    normalized: bool = False
    min: list[float] | None = None
    max: list[float] | None = None
    sparse: Any = None


class BufferView(_GltfPart):
    """A stretch of a buffer."""

    buffer: int
    byte_length: int
    byte_offset: int = 0
    byte_stride: int | None = None
    target: int | None = None


class Buffer(_GltfPart):
    """Bytes: those of the container, those of a file beside it, or written into the text."""

    byte_length: int
    uri: str | None = None


class GltfImage(_GltfPart):
    """A picture, in the buffer or elsewhere."""

    uri: str | None = None


class Node(_GltfPart):
    """Something at a place."""

    name: str | None = None
    children: list[int] = []
    mesh: int | None = None
    skin: int | None = None
    translation: list[float] | None = None
    rotation: list[float] | None = None
    scale: list[float] | None = None
    matrix: list[float] | None = None
    weights: list[float] | None = None
    extras: Any = None


class Primitive(_GltfPart):
    """Triangles of one material."""

    attributes: dict[str, int]
    indices: int | None = None
    material: int | None = None
    mode: int = TRIANGLES
    extensions: dict[str, Any] = {}


class Mesh(_GltfPart, kw_only=True):
    """Some primitives."""

    name: str | None = None
    primitives: list[Primitive]


class Skin(_GltfPart, kw_only=True):
    """The joints of one character and where they were when the mesh was made."""

    name: str | None = None
    inverse_bind_matrices: int | None = None
    joints: list[int]


class Animation(_GltfPart):
    """Motion of some nodes; written, never read."""

    name: str
    channels: list[dict[str, Any]] = []
    """Samplers and what they move."""
    samplers: list[dict[str, Any]] = []
    """Accessors of times and values; LINEAR unless said otherwise."""

    def move(self, node: int, path: str, *, times: int, values: int, step: bool = False) -> None:
        """Add a channel: the accessors of times and values."""
        self.channels.append({"sampler": len(self.samplers), "target": {"node": node, "path": path}})
        interpolation = {"interpolation": "STEP"} if step else {}
        self.samplers.append({"input": times, "output": values} | interpolation)


class GltfScene(_GltfPart):
    """Nodes that are shown together, with what hangs on them."""

    name: str | None = None
    nodes: list[int] = []


class Document(_GltfPart):
    """A whole file. Parts that are copied from another file stand among its own as they are, as `Copied`."""

    asset: dict[str, Any] = {}
    extensions_used: list[str] = []
    extensions_required: list[str] = []
    scene: int | None = None
    scenes: list[GltfScene] = []
    nodes: list[Node] = []
    meshes: list[Mesh] = []
    materials: list[Copied] = []
    textures: list[Copied] = []
    samplers: list[Copied] = []
    images: list[GltfImage] = []
    skins: list[Skin] = []
    animations: list[Any] = []
    accessors: list[Accessor] = []
    buffer_views: list[BufferView] = []
    buffers: list[Buffer] = []
