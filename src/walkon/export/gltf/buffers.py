"""The numbers of a glTF file: appended one by one, never held together in memory; and the `.glb` around them.

Axes: y up, quaternions x, y, z, w, single precision. (x, y, z) of a stage is (x, z, −y) in the file, a quarter turn
about x, for world and joint frames alike: nothing is rounded, and Blender, which turns glTF back to z up, shows
everything at the very coordinates of the take.

`Buffers` takes arrays in the axes of glTF. Every array starts at a multiple of 4 bytes. `add` gives an array a view of
its own; `part_of` names some rows of an array that is there already; within `shared_view` arrays share a view.
"""

import shutil
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, TypeVar

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from walkon._base.errors import InvalidValue
from walkon.io.gltf.document import COMPONENT_TYPES, SHAPES, Accessor, Buffer, BufferView, Document

__all__ = [
    "ARRAY_BUFFER",
    "ELEMENT_BUFFER",
    "Buffers",
    "Floats",
    "extents",
    "plain_numbers",
    "put",
    "quaternions",
    "vectors",
    "write_glb",
]

Floats = NDArray[np.float32]
Part = TypeVar("Part")

ARRAY_BUFFER, ELEMENT_BUFFER = 34962, 34963
"""Targets of views: vertices, and the triangles that refer to them."""
CODES = {kind: code for code, kind in COMPONENT_TYPES.items()}
TYPES = {shape: name for name, shape in SHAPES.items()}
MAX_GLB_BYTES = 2**32 - 1
"""The container counts its length in 32 bits."""


class Buffers:
    """Accessors and views over one growing file."""

    def __init__(self, file: BinaryIO, document: Document) -> None:
        self.file = file
        self.accessors, self.views = document.accessors, document.buffer_views
        self._size = 0
        self._opened: int | None = None

    @contextmanager
    def shared_view(self) -> Iterator[None]:
        """Let the arrays that are added meanwhile share a view; one without any array is left out."""
        start = self._opened = self._size
        yield
        self._opened = None
        if self._size > start:
            self.views.append(BufferView(buffer=0, byte_offset=start, byte_length=self._size - start))

    def add(
        self, values: NDArray[np.generic], *, target: int | None = None, normalized: bool = False, bounds: bool = False
    ) -> int:
        """Append an array [count, ...] and return its accessor; `bounds` says its least and greatest values."""
        start = self._size
        self._append(values)
        if self._opened is not None:
            return self._named(values, len(self.views), start - self._opened, normalized=normalized, bounds=bounds)
        stretch = BufferView(buffer=0, byte_offset=start, byte_length=self._size - start, target=target)
        return self._named(values, put(self.views, stretch), 0, normalized=normalized, bounds=bounds)

    def add_view(self, values: NDArray[np.generic], *, stride: int | None = None, target: int | None = None) -> int:
        """Append an array and return its view, for `part_of`, or for accessors from another file."""
        start = self._size
        self._append(values)
        stretch = BufferView(buffer=0, byte_offset=start, byte_length=values.nbytes, byte_stride=stride, target=target)
        return put(self.views, stretch)

    def part_of(self, view: int, values: NDArray[np.generic], *, first: int) -> int:
        """Return an accessor of some rows of the array in a view: these `values`, from row `first` on."""
        offset = first * values.itemsize * int(np.prod(values.shape[1:]))
        return self._named(values, view, offset, normalized=False, bounds=True)

    def _append(self, values: NDArray[np.generic]) -> None:
        whole = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
        self.file.write(whole.data)
        padding = -whole.nbytes % 4
        self.file.write(b"\0" * padding)
        self._size += whole.nbytes + padding
        _check_size(self._size)

    def _named(self, values: NDArray[np.generic], view: int, offset: int, *, normalized: bool, bounds: bool) -> int:
        shape, kind = values.shape[1:], values.dtype.str[1:]
        if kind not in CODES or shape not in TYPES or not len(values):
            raise InvalidValue(f"glTF has no array of {values.shape} {values.dtype}")
        low = high = None
        if bounds:
            low, high = (np.atleast_1d(pick(values, axis=0)).tolist() for pick in (np.min, np.max))
        accessor = Accessor(
            buffer_view=view,
            byte_offset=offset,
            component_type=CODES[kind],
            normalized=normalized,
            count=len(values),
            type=TYPES[shape],
            min=low,
            max=high,
        )
        return put(self.accessors, accessor)


def put(parts: list[Part], part: Part) -> int:
    """Append a part to the others of its kind, and return its number."""
    parts.append(part)
    return len(parts) - 1


def write_glb(document: Document, file: BinaryIO, numbers: BinaryIO) -> None:
    """Write the container: a header, the JSON chunk, and the buffer, copied from a file block by block."""
    numbers.seek(0, 2)
    size = numbers.tell()
    if size:
        document.buffers = [Buffer(byte_length=size)]
    words = msgspec.json.encode(document)
    words += b" " * (-len(words) % 4)
    padding = -size % 4
    total = 12 + 8 + len(words) + (8 + size + padding if size else 0)
    _check_size(total)
    file.write(struct.pack("<4sII", b"glTF", 2, total))
    file.write(struct.pack("<I4s", len(words), b"JSON") + words)
    if size:
        file.write(struct.pack("<I4s", size + padding, b"BIN\0"))
        numbers.seek(0)
        shutil.copyfileobj(numbers, file, 1 << 22)
        file.write(b"\0" * padding)


def _check_size(size: int) -> None:
    """Refuse a file that the container cannot count."""
    if size > MAX_GLB_BYTES:
        raise InvalidValue(
            "a .glb file holds at most 4 GB, and this take needs more; export fewer characters (characters=…), "
            'a shorter part (start=…, stop=…), a lower rate (fps=…), or rotations="int16"'
        )


def vectors(values: ArrayLike) -> Floats:
    """Turn vectors [..., 3] from z up to y up."""
    turned = np.asarray(values)[..., [0, 2, 1]].astype(np.float32)
    turned[..., 2] = 0.0 - turned[..., 2]  # no −0
    return turned


def quaternions(values: ArrayLike) -> Floats:
    """Turn w-first quaternions [..., 4] from z up to y up, w last."""
    turned = np.asarray(values)[..., [1, 3, 2, 0]].astype(np.float32)
    turned[..., 2] = 0.0 - turned[..., 2]
    return turned


def extents(values: ArrayLike) -> Floats:
    """Turn sizes [..., 3] along the axes from z up to y up."""
    return np.asarray(values)[..., [0, 2, 1]].astype(np.float32)


def plain_numbers(values: NDArray[Any], digits: int = 7) -> list[float]:
    """Return numbers for the JSON part, without the noise of their last digits."""
    return [float(f"{value:.{digits}g}") + 0.0 for value in values.tolist()]
