"""The inside of a block of an array file: a JSON header and named arrays (`walkon._base.array_blocks` has the frame).

    payload = JSON, zeros to 64, array, zeros to 64, array, zeros to 64, …

The JSON is `{"extra": {…}, "arrays": [{"name", "dtype", "shape", "offset"}, …]}`; offsets count in bytes from the end
of the padded JSON, and leave no gaps. Arrays are little-endian and C-contiguous: truth values, whole numbers of 8 to 64
bits, floats of 32 and 64. Nothing in a file is code, and whatever is read is checked before it is believed: no other
types, no sizes beyond the payload, no overlaps, no header deeper than a reader can follow.
"""

import io
import math
import mmap
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, BinaryIO

import msgspec
import numpy as np
from numpy.typing import NDArray

from walkon._base.array_blocks import HEAD_BYTES, BlockHead, padded_length
from walkon._base.errors import InvalidValue, UnreadableFile

__all__ = ["Block", "prepare_block", "read_payload", "write_all", "write_payload"]

CHUNK_BYTES = 1 << 20
MAX_NESTING_DEPTH = 64
"""Levels of nesting allowed in a header: far below any limit of a JSON reader."""
MAX_ARRAY_BYTES = 1 << 62
"""Bytes that no array can have; NumPy refuses shapes beyond it even where another length is zero."""

DTYPES: dict[str, np.dtype[Any]] = {
    name: np.dtype(name).newbyteorder("<")
    for name in ("bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "float32", "float64")
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Block:
    """One block of a file: a header and named arrays."""

    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    """Read-only, C-contiguous, aligned views of the file's memory map."""

    def __repr__(self) -> str:
        listed = ", ".join(f"{name} {array.dtype}{list(array.shape)}" for name, array in self.arrays.items())
        return f"Block({listed})"


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    """One row of a block's table of arrays."""

    name: str
    dtype: str
    shape: Annotated[list[Annotated[int, msgspec.Meta(ge=0)]], msgspec.Meta(max_length=32)]
    offset: Annotated[int, msgspec.Meta(ge=0)]


class _ArrayTable(msgspec.Struct, forbid_unknown_fields=True):
    """What the JSON of a block holds."""

    extra: dict[str, Any]
    arrays: list[_Entry]


def prepare_block(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
    """Check and lay out a block: return its JSON, as bytes, and its arrays. From here on only the disk can fail."""
    stored = [_as_stored(name, array) for name, array in arrays.items()]
    entries, offset = [], 0
    for name, array in zip(arrays, stored, strict=True):
        entries.append(_Entry(name, array.dtype.name, list(array.shape), offset))
        offset += padded_length(array.nbytes)
    try:
        json = msgspec.json.encode(_ArrayTable(_as_json(header, "header", 0), entries))
    except InvalidValue:
        raise
    except (TypeError, ValueError) as error:  # a lone surrogate in a string, a number of thousands of digits
        raise InvalidValue(f"the header cannot be written as JSON: {error}") from None
    return [np.frombuffer(json, np.uint8), *stored]


def write_payload(file: BinaryIO | io.FileIO, position: int, parts: Sequence[NDArray[Any]]) -> BlockHead:
    """Write the payload of a prepared block and return its head, which belongs at `position` and is not written."""
    file.seek(position + HEAD_BYTES)
    crc = 0
    for part in parts:
        # As bytes, by NumPy: a memoryview of an array without rows cannot be cast.
        crc = _pour(file, part.reshape(-1).view(np.uint8).data, crc)
    return BlockHead(position, sum(padded_length(part.nbytes) for part in parts), parts[0].nbytes, crc)


def _pour(file: BinaryIO | io.FileIO, content: memoryview, crc: int) -> int:
    """Write bytes and zeros up to the next multiple of 64; return the CRC that continues `crc`."""
    zeros = memoryview(bytes(padded_length(len(content)) - len(content)))
    pieces = [content[start : start + CHUNK_BYTES] for start in range(0, len(content), CHUNK_BYTES)]
    for piece in (*pieces, zeros):  # a piece is still in the processor's cache when it is written
        crc = zlib.crc32(piece, crc)
        write_all(file, piece)
    return crc


def write_all(file: BinaryIO | io.FileIO, content: memoryview) -> None:
    """Write bytes to a file that may take only some of them at a time."""
    while content:
        content = content[file.write(content) :]


def _as_stored(name: str, array: NDArray[Any]) -> NDArray[Any]:
    if not isinstance(name, str) or not name:
        raise InvalidValue(f"an array in a file needs a name of at least one letter, got {name!r}")
    array = np.asarray(array)
    dtype = DTYPES.get(array.dtype.name)
    if dtype is None:
        raise InvalidValue(f"array {name!r} has dtype {array.dtype}; files hold {', '.join(DTYPES)}: convert it first")
    return np.asarray(array, dtype=dtype, order="C")


def _as_json(value: Any, where: str, depth: int) -> Any:
    """Return a header value in plain JSON types, which come back equal (tuples as lists)."""
    if depth > MAX_NESTING_DEPTH:
        raise InvalidValue(f"{where[:60]}… is nested deeper than {MAX_NESTING_DEPTH} levels; keep headers flat")
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidValue(f"{where} is {value}, which JSON cannot hold; store None or put it into an array")
    if value is None or isinstance(value, (bool, int, str, float)):
        return value
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise InvalidValue(f"{where} has the key {key!r}; keys must be strings")
        return {key: _as_json(item, f"{where}.{key}", depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(item, f"{where}[{i}]", depth + 1) for i, item in enumerate(value)]
    raise InvalidValue(f"{where} is a {type(value).__name__}, which JSON cannot hold; convert it first")


def read_payload(content: bytes | mmap.mmap, head: BlockHead) -> Block:
    """Return a block, its arrays as read-only views of `content`, which is the file from its start."""
    with memoryview(content) as view, view[head.start : head.start + head.json_length] as json:
        try:
            table = msgspec.json.decode(json, type=_ArrayTable)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise UnreadableFile(f"damaged: the header of a block cannot be read ({str(error)[:200]})") from None
    at = first = head.start + padded_length(head.json_length)
    arrays: dict[str, NDArray[Any]] = {}
    for entry in table.arrays:
        dtype, name = DTYPES.get(entry.dtype), f"{entry.name[:60]!r}"
        if dtype is None:
            raise UnreadableFile(f"damaged: array {name} has the unknown dtype {entry.dtype[:60]!r}")
        bound = dtype.itemsize * math.prod(max(length, 1) for length in entry.shape)
        used = bound if all(entry.shape) else 0
        if entry.name in arrays or first + entry.offset != at or bound >= MAX_ARRAY_BYTES or at + used > head.stop:
            raise UnreadableFile(f"damaged: array {name} is listed twice or lies where it cannot be")
        arrays[entry.name] = array = _view(content, tuple(entry.shape), dtype, at)
        if array.dtype == np.bool_ and used and array.view(np.uint8).max() > 1:
            # NumPy counts on it: with other bytes a mask can index out of bounds.
            raise UnreadableFile(f"damaged: array {name} has truth values other than 0 and 1")
        at += padded_length(used)
    if at != head.stop:
        raise UnreadableFile("damaged: the arrays of a block do not fill it")
    return Block(header=table.extra, arrays=arrays)


def _view(content: bytes | mmap.mmap, shape: tuple[int, ...], dtype: np.dtype[Any], offset: int) -> NDArray[Any]:
    if all(shape):
        return np.ndarray(shape, dtype, buffer=content, offset=offset)
    empty: NDArray[Any] = np.empty(shape, dtype)  # may lie at the very end, where there is nothing to view
    empty.flags.writeable = False
    return empty
