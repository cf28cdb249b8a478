"""The built-in library: the studio's standard session, taken through the same import as recorded capture.

Every performance is written as a BVH file and read back, so that what the performer knows (contacts, soles, roles) is
lost and must be found again like anyone's: nothing downstream can tell a made clip from a captured one. Only labels and
events come along, as a manifest would bring them.

Made once and kept in the cache folder (see `walkon._base.kept`).
"""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy

from walkon import studio
from walkon._base.kept import load_or_make
from walkon._base.sources import code_fingerprint
from walkon.capture.build import assemble
from walkon.capture.recordings import Recording, prepare
from walkon.io.bvh_read import read_bvh
from walkon.io.bvh_write import write_bvh
from walkon.io.library_file import load_library, save_library
from walkon.motion.clip import Clip
from walkon.motion.library import Library

__all__ = ["builtin_library", "library_fingerprint", "record"]

SEED = 7
"""The seed of the standard session."""
Progress = Callable[[int, int, str], None]


def builtin_library(*, progress: Progress | None = None, fresh: bool = False) -> Library:
    """Return the built-in library; made on first use, `fresh` makes it again. `progress(done, total, name)`."""
    return load_or_make(
        "builtin",
        library_fingerprint(),
        ".library",
        load=load_library,
        make=lambda: _make(progress),
        save=save_library,
        fresh=fresh,
    )


def library_fingerprint() -> str:
    """Return a hash of the code that has a say in the built-in library, and of the versions of NumPy and SciPy."""
    return code_fingerprint(f"{SEED} {np.__version__} {scipy.__version__}", __name__)


def record(clip: Clip, folder: Path) -> Recording:
    """Take one performance through the import: out to a BVH file in `folder`, and back."""
    read = read_bvh(write_bvh(clip, folder / "performance.bvh"), drop_tpose=False, name=clip.name).clip
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
    names = performances[0].skeleton.names
    found = {library.skeleton.index(names[joint]): limit for joint, limit in performances[0].skeleton.limits.items()}
    return replace(library, skeleton=replace(library.skeleton, limits=found))
