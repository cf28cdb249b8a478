"""Writing files so that a reader never sees half of one, and nothing is lost when writing fails.

A file is written under a temporary name in the target's own folder, flushed to the disk, and then renamed over the
target: the rename is atomic, so an interrupt, a full disk or a second writer leaves either the old or the new file.
"""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from walkon._base.errors import CannotWrite, FileError, UnreadableFile

__all__ = ["cannot_write_here", "is_folder", "read_whole", "reading", "write_atomically"]


def write_atomically(path: str | Path, write: Callable[[BinaryIO], object], *, private: bool = False) -> Path:
    """Call `write(file)` on a temporary binary file beside `path`, then rename it to `path`.

    A `private` file is for its owner only, and need not survive a power cut.

    Raises `CannotWrite`, with what was at `path` untouched, when the folder is missing, read-only or full.
    """
    path = Path(path)
    if is_folder(path):
        raise CannotWrite("this is a folder; give a file name", path=path)
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent or Path())
    except OSError as error:
        raise cannot_write_here(path, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            if not private:
                os.fsync(file.fileno())
        if not private:
            # mkstemp makes files for the owner only; give the usual rights of a new file instead.
            umask = os.umask(0)
            os.umask(umask)
            Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        if isinstance(error, OSError) and not isinstance(error, FileError):
            reason = error.strerror or str(error)
            raise CannotWrite(f"writing failed ({reason}); the old file, if any, is untouched", path=path) from error
        raise
    return path


def cannot_write_here(path: Path, error: OSError) -> CannotWrite:
    """Return the error that no file can be made where `path` should be."""
    reason = (error.strerror or str(error)) if is_folder(path.parent) else "the folder does not exist"
    return CannotWrite(f"cannot write here ({reason}); choose another place", path=path)


def is_folder(path: Path) -> bool:
    """Say whether there is a folder of this name; a name that cannot be one is none."""
    try:
        return path.is_dir()
    except OSError:  # too long a name
        return False


@contextlib.contextmanager
def reading(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file for reading; a missing or unreadable one raises `UnreadableFile`."""
    path = Path(path)
    try:
        file = path.open("rb")
    except OSError as error:
        reason = "this is a folder, not a file" if is_folder(path) else (error.strerror or str(error)).lower()
        raise UnreadableFile(reason, path=path) from error
    with file:
        try:
            yield file
        except OSError as error:
            if isinstance(error, FileError):
                raise
            raise UnreadableFile(error.strerror or str(error), path=path) from error


def read_whole(path: str | Path, *, limit: int) -> bytes:
    """Read a file into memory in one go, refusing one over `limit` bytes and one that changes while it is read."""
    with reading(path) as file:
        before = os.fstat(file.fileno())
        if before.st_size > limit:
            raise UnreadableFile(f"{before.st_size} bytes, more than the limit of {limit}; split the file", path=path)
        content = file.read(limit + 1)
        after = os.fstat(file.fileno())
    if len(content) > limit:
        raise UnreadableFile(f"more than the limit of {limit} bytes; split the file", path=path)
    changed = (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns)
    if changed or (before.st_size and len(content) != before.st_size):
        raise UnreadableFile("the file changed while it was read; try again when its writer is done", path=path)
    return content
