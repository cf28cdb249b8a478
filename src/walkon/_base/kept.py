"""A persistent cache: things made once and kept as files, under names that change with what they are made of.

A name holds a fingerprint of all code that has a say (`walkon._base.sources`), so what is kept is never out of date.
Two processes that make one thing at once both succeed: files are renamed into place. A damaged file is made again over
it. What was made or read once in a process is remembered: such objects are frozen.
"""

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from walkon._base.cache import cache_file, mark_used, remove_unused
from walkon._base.errors import CannotWrite, FileError

__all__ = ["forget", "load_or_make", "read_once"]

Made = TypeVar("Made")

MAX_REMEMBERED_FILES = 8
"""Files of users that are remembered as read."""
_kept_already: dict[tuple[str, str, str], Any] = {}
_read_already: dict[tuple[object, ...], Any] = {}
_lock = threading.RLock()


def load_or_make(
    kind: str,
    key: str,
    suffix: str,
    *,
    load: Callable[[Path], Made],
    make: Callable[[], Made],
    save: Callable[[Made, Path], object],
    fresh: bool = False,
) -> Made:
    """Return what is in the file `kind-key.suffix` of the cache, or make it and save it there; `fresh` makes it again.

    What was just made is read back, so that rounding in files cannot make the first run differ from later ones. Where
    nothing can be written it is made once per process.
    """
    name = (kind, key, suffix)
    with _lock:
        if fresh or name not in _kept_already:
            _kept_already[name] = _read_or_make(cache_file(*name), load, make, save, fresh)
        return _kept_already[name]


def _read_or_make(
    file: Path | None,
    load: Callable[[Path], Made],
    make: Callable[[], Made],
    save: Callable[[Made, Path], object],
    fresh: bool,
) -> Made:
    if file is None:
        return make()
    if not fresh and (found := _read(file, load)) is not None:
        return found
    made = make()
    try:
        save(made, file)
        with contextlib.suppress(OSError):
            file.chmod(0o600)  # what others could write would not be trusted
        remove_unused(file)
    except CannotWrite:
        return made  # a full disk costs time at the next start, not the thing itself
    found = _read(file, load)
    return made if found is None else found


def _read(file: Path, load: Callable[[Path], Made]) -> Made | None:
    """Return what a file holds; None where there is none, or a damaged one."""
    if not file.is_file():
        return None
    try:
        mark_used(file)
        return load(file)
    except FileError:
        return None


def read_once(path: str | Path, load: Callable[[Path], Made]) -> Made:
    """Return what `load` makes of a file, or what it made of the same file before, in this process.

    A file is known by place, inode, size and time of change; the last `MAX_REMEMBERED_FILES` files are remembered.
    """
    path = Path(path)
    try:
        status = path.stat()
        key = (load, path.resolve(), status.st_ino, status.st_size, status.st_mtime_ns)
    except (OSError, RuntimeError, ValueError):
        return load(path)  # which says what is wrong
    with _lock:
        found = _read_already.pop(key) if key in _read_already else load(path)
        _read_already[key] = found  # the last one used is the last one
        while len(_read_already) > MAX_REMEMBERED_FILES:
            del _read_already[next(iter(_read_already))]
    return found


def forget() -> None:
    """Forget everything that was made or read in this process."""
    with _lock:
        _kept_already.clear()
        _read_already.clear()
