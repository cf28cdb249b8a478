"""Files of named arrays: written whole or grown block by block, mapped into memory on reading, safe against kills.

A file holds blocks, and a block a JSON header and named arrays (`walkon._base.array_blocks` has the bytes). Takes and
graphs are such files, each a `kind` with a `version` of its own.

* `write_array_file` writes one block under a temporary name and renames it over the target. The head carries the total
  length (the file is *sealed*), so that a truncated copy is refused.
* `ArrayFileWriter` grows a file. A block's payload goes to the disk first and its head last: readers, and those that
  come after a kill, see whole blocks and, behind them, at most one head of zeros that says "not yet". The first block
  is written under a temporary name and renamed over the target, so the old file is there until a new one can be read.
* `read_array_file` checks every checksum and returns views of the memory map. What was not finished behind the last
  whole block of a growing file is left out; anything else that does not fit is damage, and refused.

Blocks never move and are never taken back once they can be seen, so a map stays valid while the file grows, and while
another file is renamed over it.
"""

import contextlib
import io
import mmap
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from walkon._base.array_blocks import HEAD_BYTES, BlockHead, FileHead, is_sound, whole_blocks
from walkon._base.array_payload import Block, prepare_block, read_payload, write_all, write_payload
from walkon._base.errors import CannotWrite, InvalidValue, NewerFile, UnreadableFile
from walkon._base.files import cannot_write_here, is_folder, write_atomically

__all__ = ["ArrayFile", "ArrayFileWriter", "Block", "read_array_file", "write_array_file"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ArrayFile:
    """What could be read of a file: all of it, or the whole blocks of one that is growing or was left unfinished."""

    path: Path
    version: int
    """The version that was written, at most the one that was asked for."""
    complete: bool
    """Whether the writer finished; False for one that is still at work, failed or was killed."""
    blocks: tuple[Block, ...]

    def __repr__(self) -> str:
        state = "complete" if self.complete else "unfinished"
        return f"ArrayFile({self.path.name!r}: {len(self.blocks)} blocks, version {self.version}, {state})"

    def joined(self) -> tuple[list[dict[str, Any]], dict[str, NDArray[Any]]]:
        """Return the headers of all blocks, and the arrays of each name joined along their first axis.

        An array that is in one block only is returned as it is, without a copy. A block may lack an array; where it has
        it, dtype and trailing lengths must agree.
        """
        parts: dict[str, list[NDArray[Any]]] = {}
        for block in self.blocks:
            for name, array in block.arrays.items():
                parts.setdefault(name, []).append(array)
        return [block.header for block in self.blocks], {name: self._join(name, some) for name, some in parts.items()}

    def _join(self, name: str, parts: list[NDArray[Any]]) -> NDArray[Any]:
        first = parts[0]
        if len(parts) == 1:
            return first
        for part in parts:
            if part.ndim == 0 or (part.dtype, part.shape[1:]) != (first.dtype, first.shape[1:]):
                raise UnreadableFile(
                    f"the blocks cannot be joined: array {name!r} is {first.dtype}{list(first.shape)} in one "
                    f"and {part.dtype}{list(part.shape)} in another",
                    path=self.path,
                )
        joined = np.concatenate(parts)
        joined.flags.writeable = False
        return joined


def write_array_file(
    path: str | Path, kind: str, *, version: int, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> Path:
    """Write one block to a sealed file, atomically; on failure what was at `path` is untouched."""
    FileHead(kind, version)  # a wrong one is said before anything is written
    parts = prepare_block(header, arrays)

    def write(file: BinaryIO) -> None:
        head = write_payload(file, HEAD_BYTES, parts)
        file.seek(0)
        file.write(FileHead(kind, version, sealed_length=head.stop).pack() + head.pack())

    return write_atomically(path, write)


class ArrayFileWriter:
    """A file that grows in whole blocks and can be read by others meanwhile.

    Use it in a `with` statement: leaving it normally marks the file as finished, leaving it by an exception keeps the
    blocks so far (or, before the first, the old file) without that mark. Of several writers of one path each has a
    file of its own, and the one whose first block came last is seen; the others get an error when they go on.
    """

    def __init__(self, path: str | Path, kind: str, *, version: int) -> None:
        self.path = Path(path)
        self._place = self.path.absolute()  # the process may change its folder
        self._head = FileHead(kind, version).pack()
        self._stop = HEAD_BYTES
        self.count = 0
        """How many blocks have been appended."""
        if is_folder(self.path):
            raise CannotWrite("this is a folder; give a file name", path=path)
        self._temporary = self.path.with_name(f".{self.path.name}.{secrets.token_hex(6)}.part")
        try:
            # Unbuffered: what was not written must not be written later, when room was made again.
            self._file = self._temporary.open("x+b", buffering=0)
        except OSError as error:
            raise cannot_write_here(self.path, error) from error

    def append(self, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write one block; when this returns it is on the disk and can be read under `path`.

        Raises `CannotWrite` when the disk is full or broken: then the blocks before (`count` of them) are still there,
        this one is not, and it may be tried again. Also when another file has taken the place of this one.
        """
        self._check_open()
        self._check_in_place()
        parts = prepare_block(header, arrays)
        try:
            self._file.truncate(self._stop)  # also what a failed attempt could not take back
            head = write_payload(self._file, self._stop, parts)
            if not self.count:
                self._write(0, self._head)
            self._sync()
            self._write(self._stop, head.pack())
            self._sync()
            if not self.count:
                self._temporary.replace(self.path)
        except BaseException as error:
            # An interrupt often comes while the disk is waited for, when others may have mapped the block already.
            if (seen := self._seen_block()) is not None:
                self._accept(seen)
            else:
                self._take_back()
            if isinstance(error, OSError):
                raise self._write_error(error) from error
            raise
        self._accept(head)

    def close(self) -> None:
        """Mark the file as finished and let go of it; a second call does nothing."""
        if self._file.closed:
            return
        if not self.count:
            self.abandon()
            raise InvalidValue(f"{self.path}: nothing was appended, so no file was made; append at least one block")
        try:
            self._check_in_place()
            self._file.truncate(self._stop)
            self._write(self._stop, BlockHead(self._stop, 0, 0, 0, is_end=True).pack())
            self._sync()
        except CannotWrite:
            raise
        except OSError as error:
            self._take_back()
            raise self._write_error(error) from error
        finally:
            self._file.close()

    def abandon(self) -> None:
        """Let go of the file as it is, not marked as finished; before the first block nothing of it stays."""
        if not self._file.closed:
            self._file.close()
            if not self.count:
                with contextlib.suppress(OSError):
                    self._temporary.unlink()

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def _check_open(self) -> None:
        if self._file.closed:
            raise InvalidValue(f"{self.path}: this writer is closed; a new one starts a new file")

    def _check_in_place(self) -> None:
        """Refuse to go on where nobody would see it: after the first block `path` must still be this file."""
        if not self.count:
            return
        try:
            same = os.path.samestat(self._place.stat(), os.fstat(self._file.fileno()))
            what = "" if same else "replaced"
        except OSError:
            what = "removed or renamed"
        if what:
            raise CannotWrite(
                f"another program has {what} this file; what is written here would be lost: write it again, to a path "
                "that nobody else writes",
                path=self.path,
            )

    def _write(self, position: int, content: bytes) -> None:
        self._file.seek(position)
        write_all(self._file, memoryview(content))

    def _sync(self) -> None:
        os.fsync(self._file.fileno())

    def _seen_block(self) -> BlockHead | None:
        """Return the head of the block behind the accepted ones, if others can see it."""
        with contextlib.suppress(OSError):
            self._file.seek(self._stop)
            head = BlockHead.unpack(self._file.read(HEAD_BYTES), self._stop)
            return head if self.count > 0 or not self._temporary.exists() else None
        return None

    def _accept(self, head: BlockHead) -> None:
        self._stop = head.stop
        self.count += 1

    def _take_back(self) -> None:
        # Where even this fails, zeros in the place of the head say "not yet", and the next attempt begins with it.
        with contextlib.suppress(OSError):
            self._file.truncate(self._stop)

    def _write_error(self, error: OSError) -> CannotWrite:
        reason = error.strerror or str(error)
        blocks = "the first block" if self.count == 1 else f"the first {self.count} blocks"
        kept = f"{blocks} can still be read; the file is not marked as finished"
        return CannotWrite(
            f"writing failed ({reason}); {kept if self.count else 'the old file, if any, is untouched'}", path=self.path
        )


def read_array_file(path: str | Path, kind: str, *, version: int) -> ArrayFile:
    """Read a file of this kind, written in this version or an older one, after checking all of it.

    Raises `UnreadableFile` for what is missing, damaged, truncated or of another kind, `NewerFile` for what a newer
    Walkon wrote.
    """
    path = Path(path)
    try:
        if not (path.is_file() or path.is_dir()) and path.exists():  # opening a pipe would wait for ever
            raise UnreadableFile("this is neither a file nor a folder")
        with path.open("rb", buffering=0) as file:
            return _read(path, file, kind, version)
    except (UnreadableFile, NewerFile) as error:
        raise type(error)(str(error), path=path) from None
    except OSError as error:
        reason = "this is a folder, not a file" if is_folder(path) else (error.strerror or str(error)).lower()
        raise UnreadableFile(reason, path=path) from error


def _read(path: Path, file: io.FileIO, kind: str, version: int) -> ArrayFile:
    size = os.fstat(file.fileno()).st_size
    head = FileHead.unpack(file.read(HEAD_BYTES), expected=kind)
    if head.kind != kind:
        raise UnreadableFile(f"this is a Walkon {head.kind}, not a Walkon {kind}")
    NewerFile.check(head.version, version)
    sealed = head.sealed_length is not None
    if head.sealed_length is not None and size != head.sealed_length:
        what = "truncated" if size < head.sealed_length else "damaged"
        raise UnreadableFile(f"{what}: {size} of {head.sealed_length} bytes")

    heads = whole_blocks(file, size, sealed=sealed)
    try:
        # Nothing behind the whole blocks is mapped: a writer may yet take it back, and touching it then is fatal.
        mapped = mmap.mmap(file.fileno(), heads[-1].stop, access=mmap.ACCESS_READ) if heads else b""
    except ValueError:  # shorter by now
        raise UnreadableFile("the file changed while it was read; try again when its writer is done") from None
    sound = [is_sound(mapped, block) for block in heads]
    if heads and not sound[-1] and not sealed and heads[-1].stop == size:
        heads.pop()  # a machine that lost power may have kept the head of the last block and not its payload
    if not all(sound[: len(heads)]):
        raise UnreadableFile(f"damaged: the block at byte {heads[sound.index(False)].position} fails its checksum")
    blocks = [read_payload(mapped, block) for block in heads if not block.is_end]
    if not blocks:
        raise UnreadableFile("truncated: not one whole block; its writer was stopped, or a copy was cut off")
    return ArrayFile(
        path=path,
        version=head.version,
        complete=sealed or heads[-1].is_end,
        blocks=tuple(blocks),
    )
