"""The built-in library: the studio's standard session, taken through the same import as recorded capture.

Every performance is written as a BVH file and read back, so that what the performer knows (contacts, soles, roles) is
lost and must be found again like anyone's: nothing downstream can tell a made clip from a captured one. Only labels and
events come along, as a manifest would bring them.

Made once and kept in the cache folder under a name that changes with the version and with any source that has a say in
it. Two processes that make it at once both succeed: files are renamed into place.
"""

import contextlib
import hashlib
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy

from walkon import studio
from walkon._base.cache import KEEP_UNUSED, cache_folder
from walkon._base.errors import CannotWrite, FileError
from walkon.capture.build import assemble
from walkon.capture.recordings import Recording, prepare
from walkon.io.bvh_read import read_bvh
from walkon.io.bvh_write import write_bvh
from walkon.io.library_file import load_library, save_library
from walkon.motion.clip import Clip
from walkon.motion.library import Library

__all__ = ["builtin_library", "record"]

SEED = 7
"""The seed of the standard session."""
Progress = Callable[[int, int, str], None]


def builtin_library(*, progress: Progress | None = None, fresh: bool = False) -> Library:
    """Return the built-in library; made on first use, `fresh` makes it again. `progress(done, total, name)`."""
    folder = cache_folder()
    file = None if folder is None else folder / f"builtin-{_fingerprint()}.library"
    if file is not None and file.is_file() and not fresh:
        try:
            with contextlib.suppress(OSError):
                os.utime(file)
            return load_library(file)
        except FileError:
            pass  # damaged: make it again over it
    library = _make(progress)
    if file is not None:
        try:
            save_library(library, file)
            _remove_older(file)
        except CannotWrite:
            pass  # a full disk costs time at the next start, not the library
    return library


def record(clip: Clip, folder: Path) -> Recording:
    """Take one performance through the import: out to a BVH file in `folder`, and back."""
    file = write_bvh(clip, folder / "performance.bvh")
    read = read_bvh(file, drop_tpose=False, name=clip.name).clip
    return prepare(replace(read, labels=clip.labels, events=clip.events))


def _make(progress: Progress | None) -> Library:
    performances = studio.session(SEED)
    recordings = []
    with tempfile.TemporaryDirectory(prefix="walkon-") as place:
        for done, clip in enumerate(performances):
            if progress:
                progress(done, len(performances), clip.name)
            recordings.append(record(clip, Path(place)))
    if progress:
        progress(len(performances), len(performances), "")
    library = assemble(recordings, fps=performances[0].fps).library
    # BVH knows no joint limits: like labels, they come along.
    limits = performances[0].skeleton.limits
    names = performances[0].skeleton.names
    found = {library.skeleton.index(names[joint]): limit for joint, limit in limits.items()}
    return replace(library, skeleton=replace(library.skeleton, limits=found))


def _fingerprint() -> str:
    """Return a hash of the sources that have a say in the library, and of the versions of NumPy and SciPy."""
    package = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256(f"{SEED} {np.__version__} {scipy.__version__}".encode())
    for part in ("_base", "studio", "capture", "motion", "geometry", "io", "transforms"):
        for source in sorted((package / part).glob("*.py")):
            digest.update(source.name.encode())
            digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


def _remove_older(file: Path) -> None:
    """Delete libraries of other versions that have not been used for a month; another install may want its own."""
    for other in file.parent.glob("builtin-*.library"):
        with contextlib.suppress(OSError):
            if other != file and time.time() - other.stat().st_mtime > KEEP_UNUSED:
                other.unlink()
