"""Where experiments find motion: the CMU clips, or the built-in library where these are missing.

The CMU clips are looked for in the folder that `WALKON_MOCAP` names, then beside the project (`../shared/mocap`); they
are known by the `manifest.csv` in it. They are never part of the package.
"""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from walkon import studio
from walkon._base.errors import UnreadableFile
from walkon.capture.build import assemble
from walkon.capture.builtin import builtin_library, record
from walkon.capture.recordings import find_recordings, import_recording
from walkon.motion.library import Library

__all__ = ["FORWARD", "NO_FIGHTER", "MotionSource", "mocap_folder"]

FORWARD = ("69_01", "69_06", "69_13", "69_22", "69_24", "69_30", "69_31")
"""The forward walks of CMU subject 69: 101 s."""
NO_FIGHTER = "there is no martial-arts clip among ours, so there is no number beside the paper's"

ROUND_WALK_M = ((0, 0), (5, 0.5), (8, 3), (7, 6.5), (3, 7.5), (0, 5), (-4, 5.5), (-6, 9), (-3, 12), (2, 12))
"""m: the way that the built-in performer walks in each style, with bends to both sides."""


def mocap_folder() -> Path | None:
    """Return the folder of the CMU clips, or None where they are not here."""
    given = os.environ.get("WALKON_MOCAP")
    folder = Path(given) if given else Path(__file__).resolve().parents[4] / "shared" / "mocap"
    return folder if (folder / "manifest.csv").is_file() else None


@dataclass(frozen=True, kw_only=True)
class MotionSource:
    """Where motion comes from."""

    folder: Path | None
    """The CMU clips, None where the built-in library serves."""

    @property
    def words(self) -> str:
        """What to say about it."""
        if self.folder is None:
            return "the built-in library (no CMU clips here: set WALKON_MOCAP to their folder)"
        return "CMU clips (mocap.cs.cmu.edu)"

    def clips(self, names: Sequence[str], *, symmetric: bool = True) -> Library:
        """Return CMU clips by name as a library, each with its mirror image: without asymmetry, or the plain one."""
        if self.folder is None:
            raise UnreadableFile("the CMU clips are not here: set WALKON_MOCAP to the folder with their manifest.csv")
        return _clips(self.folder, tuple(names), symmetric)

    def builtin(self) -> Library:
        """Return the built-in library."""
        return builtin_library()

    def styles(self) -> Library:
        """Return the built-in performer's walks in three styles (labels neutral, tired, brisk) and mirror images."""
        return _styles()


@lru_cache(maxsize=1)
def _styles() -> Library:
    made = []
    with tempfile.TemporaryDirectory(prefix="walkon-") as place:
        for style, speed in (("neutral", 1.1), ("tired", 1.0), ("brisk", 1.2)):
            clip = studio.walk(path=ROUND_WALK_M, speed=speed, style=style, seed=7)
            labels = {**clip.labels, style: np.ones(len(clip), bool)}
            made.append(record(replace(clip, name=style, labels=labels), Path(place)))
    return assemble(made, mirrored=True).library


@lru_cache(maxsize=4)
def _clips(folder: Path, names: tuple[str, ...], symmetric: bool) -> Library:
    entries = [entry for entry in find_recordings(folder) if entry.name in names]
    missing = sorted(set(names) - {entry.name for entry in entries})
    if missing:
        raise UnreadableFile(f"there is no recording {', '.join(missing)} in the manifest", path=folder)
    recordings = [recording for entry in entries for recording in import_recording(entry)]
    return assemble(recordings, mirrored=True, symmetric=symmetric, folder=folder).library
