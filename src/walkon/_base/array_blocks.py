"""The frame of an array file: a file head, then blocks, each a head and a payload (`walkon._base.array_payload`).

All numbers are little-endian; everything starts at a multiple of 64 bytes, so that arrays are aligned in a memory map.

    file  = file head, block, block, …
    block = block head, payload
    file head  = magic 8 · kind 16 · layout 4 · version 4 · flags 4 · zeros 4 · sealed length 8 · zeros 12 · CRC 4
    block head = magic 8 · position 8 · payload length 8 · JSON length 8 · type 4 · payload CRC 4 · zeros 20 · CRC 4

`layout` is the version of what is described here and there, `version` that of what a kind of file puts into it; magic,
layout and the CRC of the file head keep their places in every layout. A block head knows its own position, so that a
block that was moved, or bytes of another file inside an array, are never taken for a block.

A payload is written, and on the disk, before its head. Until then zeros stand in the head's place, and so a reader
can tell what is not finished (zeros, or bytes that end too soon, behind the last whole block) from what is damaged (the
rest).
"""

import io
import mmap
import re
import struct
import zlib
from dataclasses import dataclass

import numpy as np

from walkon._base.errors import InvalidValue, NewerFile, UnreadableFile

__all__ = ["ALIGNMENT_BYTES", "HEAD_BYTES", "BlockHead", "FileHead", "is_sound", "padded_length", "whole_blocks"]

ALIGNMENT_BYTES = 64
HEAD_BYTES = 64
LAYOUT = 1
"""The newest layout that can be written and read."""

FILE_MAGIC = b"\x89WALKON\n"
BLOCK_MAGIC = b"\x89BLOCK\r\n"
SEALED = 1
DATA, END = 1, 2
NOT_YET = bytes(HEAD_BYTES)
"""What stands in the place of a block's head while its payload is being written."""
CHUNK_BYTES = 1 << 20

FILE_HEAD = struct.Struct("<8s16sIII4xQ12x")
BLOCK_HEAD = struct.Struct("<8sQQQII20x")
CRC = struct.Struct("<I")


def padded_length(length: int) -> int:
    """Return the next multiple of 64."""
    return -(-length // ALIGNMENT_BYTES) * ALIGNMENT_BYTES


def _with_crc(fields: bytes) -> bytes:
    return fields + CRC.pack(zlib.crc32(fields))


def _matches_crc(head: bytes) -> bool:
    return len(head) == HEAD_BYTES and CRC.unpack(head[-4:])[0] == zlib.crc32(head[:-4])


@dataclass(frozen=True)
class FileHead:
    """The first 64 bytes of a file."""

    kind: str
    version: int
    sealed_length: int | None = None
    """Bytes of the whole file, or None for one that grows."""
    layout: int = LAYOUT

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z ]{0,15}", self.kind):
            raise InvalidValue(f"a kind of file is one to 16 small letters and blanks, got {self.kind!r}")
        if not 1 <= self.version < 1 << 32:
            raise InvalidValue(f"the version of a file counts from 1 and fits 32 bits, got {self.version}")

    def pack(self) -> bytes:
        """Return the head as bytes."""
        flags = 0 if self.sealed_length is None else SEALED
        fields = (self.kind.encode("ascii"), self.layout, self.version, flags, self.sealed_length or 0)
        return _with_crc(FILE_HEAD.pack(FILE_MAGIC, *fields))

    @classmethod
    def unpack(cls, content: bytes, *, expected: str) -> "FileHead":
        """Read a head; what is not a sound one raises an error that speaks of the `expected` kind."""
        for wrong, why in (
            (not content, f"the file is empty, not a Walkon {expected}"),
            (content[: len(FILE_MAGIC)] != FILE_MAGIC[: len(content)], f"this is not a Walkon {expected}"),
            (
                len(content) < HEAD_BYTES,
                f"truncated: {len(content)} bytes, where the head alone has {HEAD_BYTES}",
            ),
            (not _matches_crc(content), "damaged: the head of the file does not match its checksum"),
        ):
            if wrong:
                raise UnreadableFile(why)
        _, kind, layout, version, flags, length = FILE_HEAD.unpack(content[:-4])
        NewerFile.check(layout, LAYOUT)
        try:
            return cls(kind.rstrip(b"\0").decode("latin-1"), version, length if flags & SEALED else None, layout)
        except InvalidValue as error:
            raise UnreadableFile(f"damaged: {error}") from None


@dataclass(frozen=True)
class BlockHead:
    """The 64 bytes before a payload. They are written after it: where they are, the block is whole."""

    position: int
    """Byte of the file at which this head starts."""
    length: int
    """Bytes of the payload, a multiple of 64."""
    json_length: int
    payload_crc: int
    is_end: bool = False
    """The mark behind the last block of a file that grew to its end; it has no payload."""

    @property
    def start(self) -> int:
        """The byte of the file at which the payload starts."""
        return self.position + HEAD_BYTES

    @property
    def stop(self) -> int:
        """The byte of the file behind the payload."""
        return self.start + self.length

    def pack(self) -> bytes:
        """Return the head as bytes."""
        kind = END if self.is_end else DATA
        fields = (BLOCK_MAGIC, self.position, self.length, self.json_length, kind, self.payload_crc)
        return _with_crc(BLOCK_HEAD.pack(*fields))

    @classmethod
    def unpack(cls, content: bytes, position: int) -> "BlockHead | None":
        """Read the head that was found at this position of a file, or return None where there is no sound one."""
        if not _matches_crc(content):
            return None
        magic, own, length, json_length, kind, crc = BLOCK_HEAD.unpack(content[:-4])
        fits = length % ALIGNMENT_BYTES == 0 and (json_length <= length if kind == DATA else length == json_length == 0)
        if magic != BLOCK_MAGIC or own != position or kind not in (DATA, END) or not fits:
            return None
        return cls(own, length, json_length, crc, kind == END)


def whole_blocks(file: io.FileIO, size: int, *, sealed: bool) -> list[BlockHead]:
    """Return the heads of the blocks that were written to their end, among the first `size` bytes of a file.

    Reads the file, not a map of it: what is not finished may be taken back by its writer at any moment, and touching
    it in a map would then end the process.
    """
    heads: list[BlockHead] = []
    while (position := heads[-1].stop if heads else HEAD_BYTES) < size:
        if heads and heads[-1].is_end:
            raise UnreadableFile("damaged: there are bytes behind its end")
        file.seek(position)
        content = file.read(HEAD_BYTES)
        head = BlockHead.unpack(content, position)
        if head is not None and head.stop <= size:
            heads.append(head)
            continue
        unfinished = head is not None or len(content) < HEAD_BYTES or content == NOT_YET
        if sealed or not unfinished or (content == NOT_YET and _was_wiped(file, position, size)):
            raise UnreadableFile(f"damaged: there should be a block at byte {position}")
        break
    return heads


def _was_wiped(file: io.FileIO, position: int, size: int) -> bool:
    """Say whether the zeros at this position were a head: blocks are written in turn, so one behind them proves it."""
    for start in range(position + HEAD_BYTES, size, CHUNK_BYTES):
        file.seek(start)
        if _has_block_head(file.read(min(CHUNK_BYTES, size - start)), start):
            file.seek(position)  # a writer at work may have filled it in since
            return file.read(HEAD_BYTES) == NOT_YET
    return False


def _has_block_head(content: bytes, position: int) -> bool:
    """Say whether bytes that start at this position of a file, a multiple of 64, contain a sound block head."""
    words = np.frombuffer(content, "<u8", count=len(content) // HEAD_BYTES * (HEAD_BYTES // 8)).reshape(-1, 8)
    places = position + HEAD_BYTES * np.arange(len(words), dtype=np.uint64)
    magic = int.from_bytes(BLOCK_MAGIC, "little")
    starts = HEAD_BYTES * np.flatnonzero((words[:, 0] == magic) & (words[:, 1] == places))
    return any(BlockHead.unpack(content[at : at + HEAD_BYTES], position + at) for at in starts.tolist())


def is_sound(content: bytes | mmap.mmap, head: BlockHead) -> bool:
    """Say whether the payload of a block matches its checksum; `content` is the file from its start."""
    with memoryview(content) as view, view[head.start : head.stop] as payload:
        return zlib.crc32(payload) == head.payload_crc
