"""The numbers of a glTF file: arrays are appended to a file one by one, and never held together in memory.

Arrays come in the axes of glTF. Every array starts at a multiple of 4 bytes. `add` gives an array a view of its own;
`part_of` names some rows of an array that is there already; between `open_view` and `close_view` arrays share a view.
"""

from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from walkon._base.errors import InvalidValue
from walkon.export.gltf_document import Accessor, BufferView, Copied, check_size

__all__ = ["ARRAY_BUFFER", "ELEMENT_BUFFER", "Buffers"]

ARRAY_BUFFER, ELEMENT_BUFFER = 34962, 34963
"""Targets of views: vertices, and the triangles that refer to them."""
KINDS = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
SHAPES = {(): "SCALAR", (2,): "VEC2", (3,): "VEC3", (4,): "VEC4", (4, 4): "MAT4"}


class Buffers:
    """Accessors and views over one growing file."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.accessors: list[Accessor | Copied] = []
        self.views: list[BufferView] = []
        self._size = 0
        self._opened: int | None = None

    def open_view(self) -> None:
        """Begin a view that the arrays added from here on share."""
        self._opened = self._size

    def close_view(self) -> None:
        """End the shared view; one without any array is left out."""
        assert self._opened is not None
        start, self._opened = self._opened, None
        if self._size > start:
            self.views.append(BufferView(buffer=0, byte_offset=start, byte_length=self._size - start))

    def add(
        self, values: NDArray[np.generic], *, target: int | None = None, normalized: bool = False, bounds: bool = False
    ) -> int:
        """Append an array [count, ...] and return its accessor; `bounds` says its least and greatest values."""
        start = self._size
        self._append(values)
        if self._opened is None:
            self.views.append(BufferView(buffer=0, byte_offset=start, byte_length=self._size - start, target=target))
            view, offset = len(self.views) - 1, 0
        else:
            view, offset = len(self.views), start - self._opened
        return self._named(values, view, offset, normalized=normalized, bounds=bounds)

    def add_view(self, values: NDArray[np.generic], *, stride: int | None = None, target: int | None = None) -> int:
        """Append an array and return its view, for `part_of`, or for accessors that somebody else wrote."""
        start = self._size
        self._append(values)
        view = BufferView(buffer=0, byte_offset=start, byte_length=values.nbytes, byte_stride=stride, target=target)
        self.views.append(view)
        return len(self.views) - 1

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
        check_size(self._size)

    def _named(self, values: NDArray[np.generic], view: int, offset: int, *, normalized: bool, bounds: bool) -> int:
        shape = values.shape[1:]
        kind = values.dtype.str[1:]
        if kind not in KINDS or shape not in SHAPES or not len(values):
            raise InvalidValue(f"glTF has no array of {values.shape} {values.dtype}")
        low = high = None
        if bounds:
            low, high = (np.atleast_1d(pick(values, axis=0)).tolist() for pick in (np.min, np.max))
        self.accessors.append(
            Accessor(
                buffer_view=view,
                byte_offset=offset,
                component_type=KINDS[kind],
                normalized=normalized,
                count=len(values),
                type=SHAPES[shape],
                min=low,
                max=high,
            )
        )
        return len(self.accessors) - 1
