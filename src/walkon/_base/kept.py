"""Things that are made once and kept as files in the cache folder, under names that change with what they are made of.

A name holds a fingerprint of every source that has a say, so what is kept is never out of date. Two processes that make
one thing at once both succeed: files are renamed into place. A damaged file is made again over it.
"""

import contextlib
import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from walkon._base.cache import KEEP_UNUSED
from walkon._base.errors import CannotWrite, FileError

__all__ = ["kept", "source_fingerprint"]

OTHERS = 4
"""Files of other fingerprints that are kept: another install may want its own, but each edit of a source makes one."""
Made = TypeVar("Made")


def kept(
    file: Path | None,
    *,
    load: Callable[[Path], Made],
    make: Callable[[], Made],
    save: Callable[[Made, Path], object],
    fresh: bool = False,
) -> Made:
    """Return what is in a file called `kind-fingerprint.suffix`, or make it and save it there; `fresh` makes it again.

    What was just made is read back, so that rounding in files cannot make the first run differ from later ones. Without
    a file (nowhere to write) it is made each time. Of files of the same kind with other fingerprints only the last used
    ones are kept, for a month.
    """
    if file is None:
        return make()
    if not fresh and (found := _read(file, load)) is not None:
        return found
    made = make()
    try:
        save(made, file)
        _remove_unused(file)
    except CannotWrite:
        return made  # a full disk costs time at the next start, not the thing itself
    found = _read(file, load)
    return made if found is None else found


def _read(file: Path, load: Callable[[Path], Made]) -> Made | None:
    """Return what a file holds; None where there is none, or a damaged one."""
    if not file.is_file():
        return None
    try:
        with contextlib.suppress(OSError):
            os.utime(file)
        return load(file)
    except FileError:
        return None


def source_fingerprint(told: str, *parts: str) -> str:
    """Return a hash of `told` (seeds, versions) and of all sources in these folders of the package."""
    package = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256(told.encode())
    for part in parts:
        for source in sorted((package / part).rglob("*.py")):
            digest.update(source.relative_to(package).as_posix().encode())
            digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


def _remove_unused(file: Path) -> None:
    """Delete what other fingerprints left: unused for a month, or older than the `OTHERS` last used ones."""
    kind = file.stem.rpartition("-")[0]
    ages = []
    for other in file.parent.glob(f"{kind}-*{file.suffix}"):
        with contextlib.suppress(OSError):
            if other != file:
                ages.append((time.time() - other.stat().st_mtime, other))
    for rank, (age, other) in enumerate(sorted(ages)):
        if age > KEEP_UNUSED or rank >= OTHERS:
            with contextlib.suppress(OSError):
                other.unlink()
