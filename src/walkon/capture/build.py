"""From a folder of recordings to a library: one skeleton, one rate, contacts held, and an account of what was done.

    find_recordings → import_recording (each) → choose the skeleton → retarget and lock → mirror → measure → Library

The skeleton is that of the performer with the most seconds, with soles averaged over their clips; everyone else is
retargeted onto it. Measured is how deep limbs are in each other (`motion.self_overlaps`), which audits allow.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from walkon._base.errors import UnknownName, UnreadableFile, WalkonError
from walkon.capture.recordings import Recording, find_recordings, import_recording
from walkon.motion.anatomy.self_overlaps import with_overlaps
from walkon.motion.clip import Clip
from walkon.motion.contacts.detection import stance
from walkon.motion.contacts.runs import find_runs
from walkon.motion.editing import resample
from walkon.motion.library import Library
from walkon.motion.limbs.legs import leg_length
from walkon.motion.mirror_images import with_images
from walkon.motion.retargeting import retarget
from walkon.motion.skeleton import Skeleton

__all__ = [
    "BuildReport",
    "ClipReport",
    "assemble",
    "build_library",
    "common_skeleton",
    "library_from_folder",
    "planted_drift",
]

DEFAULT_FPS = 60.0
"""Frames/s of a library: every step is seen, and 120 would only double all work after it."""


@dataclass(frozen=True, kw_only=True)
class ClipReport:
    """What became of one recording."""

    name: str
    kept: bool
    reason: str
    """Why it was left out; empty if it was kept."""
    seconds: float = 0.0
    source_fps: float = 0.0
    labels: tuple[str, ...] = ()
    stance_left: float | None = None
    stance_right: float | None = None
    drift_before_m: float = 0.0
    """Largest distance of a planted point from the middle of its contact, as captured."""
    drift_after_m: float = 0.0
    """The same in the library."""
    root_shift_m: float = 0.0
    """Largest lowering of the root while locking."""
    missed_m: float = 0.0
    """Largest distance by which a foot misses its place because the leg is too short."""
    scale: float = 1.0
    """Factor on its path: the library's legs over the performer's own."""
    defects: tuple[str, ...] = ()
    """Kinds of defects that were found."""
    warnings: tuple[str, ...] = ()
    """What the file itself got wrong."""
    found: tuple[str, ...] = ()
    """What was found and done, a sentence each."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BuildReport:
    """A library and what became of each recording."""

    library: Library
    clips: tuple[ClipReport, ...]

    @property
    def left_out(self) -> tuple[ClipReport, ...]:
        """The recordings that are not in the library."""
        return tuple(clip for clip in self.clips if not clip.kept)


def planted_drift(clip: Clip) -> float:
    """Return the largest distance in metres of a contact point from the median of its run, over all contacts."""
    points = clip.contact_positions
    worst = 0.0
    for column in range(points.shape[1]):
        for start, stop in zip(*find_runs(clip.contacts[:, column]), strict=True):
            part = points[start:stop, column]
            worst = max(worst, float(np.linalg.norm(part - np.median(part, axis=0), axis=1).max()))
    return worst


def _same_bones(a: Skeleton, b: Skeleton) -> bool:
    return a.same_topology(b) and np.array_equal(a.offsets, b.offsets)


def common_skeleton(clips: Sequence[Clip]) -> Skeleton:
    """Return the skeleton with the most seconds among the clips, its contact points averaged over its clips."""
    groups: dict[bytes, list[Clip]] = {}
    for clip in clips:
        groups.setdefault(repr(clip.skeleton.names).encode() + clip.skeleton.offsets.tobytes(), []).append(clip)
    # Ties go to the group that comes first, so that the order of files decides and nothing else.
    members = max(groups.values(), key=lambda group: sum(len(c) / c.fps for c in group))
    first = members[0].skeleton
    if not first.contact_names:
        return first
    return replace(first, contact_offsets=np.median([clip.skeleton.contact_offsets for clip in members], axis=0))


def build_library(
    folder: str | Path,
    *,
    fps: float = DEFAULT_FPS,
    mirrored: bool = False,
    scale: float | None = None,
    source_fps: float | None = None,
    roles: Mapping[str, str] | None = None,
    skeleton_of: str | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> BuildReport:
    """Build a library from a folder with an optional manifest.csv (see `capture.recordings`).

    `fps` is the library's rate; `mirrored` adds the mirror image of every clip; `scale` (metres per file unit) and
    `source_fps` override what files say; `roles` names joints for roles that are not found;
    `skeleton_of` names the recording whose skeleton everyone gets (None: that of the performer with the most seconds);
    `progress(done, total, name)` is called before each file.
    """
    entries = find_recordings(folder)
    recordings: list[Recording] = []
    for done, entry in enumerate(entries):
        if progress:
            progress(done, len(entries), entry.name)
        recordings += import_recording(entry, scale=scale, fps=source_fps, roles=roles)
    if progress:
        progress(len(entries), len(entries), "")
    return assemble(recordings, fps=fps, mirrored=mirrored, skeleton_of=skeleton_of, folder=folder)


def assemble(
    recordings: Sequence[Recording],
    *,
    fps: float = DEFAULT_FPS,
    mirrored: bool = False,
    symmetric: bool = True,
    skeleton_of: str | None = None,
    folder: str | Path = "",
) -> BuildReport:
    """Bring prepared recordings onto one skeleton and rate, lock their feet, and make them a library.

    `mirrored` adds images, without the performers' asymmetry unless `symmetric` is False (see `mirror_images`).
    """
    usable = [recording.clip for recording in recordings if recording.clip is not None]
    if not usable:
        reasons = "; ".join(f"{r.name}: {r.left_out}" for r in recordings[:3])
        raise UnreadableFile(f"no recording could be used ({reasons})", path=folder or None)
    alike = usable
    if skeleton_of is not None:
        UnknownName.check("recording", skeleton_of, [clip.name for clip in usable])
        chosen = next(clip.skeleton for clip in usable if clip.name == skeleton_of)
        alike = [clip for clip in usable if _same_bones(clip.skeleton, chosen)]
    skeleton = common_skeleton(alike)
    owners = [clip.name for clip in usable if _same_bones(clip.skeleton, skeleton)]
    fitted = [_fit(recording, skeleton, fps) for recording in recordings]
    clips, reports = [clip for clip, _ in fitted if clip is not None], tuple(report for _, report in fitted)
    together: dict[str, list[str]] = {}
    for recording, (clip, _) in zip(recordings, fitted, strict=True):
        if clip is not None and recording.ensemble:
            together.setdefault(recording.ensemble, []).append(clip.name)
    notes = [
        f"skeleton of {', '.join(owners[:5])}{' and others' if len(owners) > 5 else ''}: all clips are fitted to it",
        *(f"{r.name}: {text}" for r in reports for text in (r.found if r.kept else (f"left out: {r.reason}",))),
    ]
    ensembles = {}
    cut = {r.name for r in recordings if any(d.kind in ("empty frames", "frozen tail") for d in r.defects)}
    lengths = {clip.name: len(clip) for clip in clips}
    for name, members in together.items():
        if len(members) > 1 and len({lengths[member] for member in members}) == 1 and not cut & set(members):
            ensembles[name] = tuple(members)
        else:
            why = "one of them was cut, left out or is of another length, so they no longer share a clock"
            notes.append(f"{name}: {', '.join(members)} are not kept as an ensemble: {why}")
    library = Library.of(clips, ensembles=ensembles, notes=notes)
    library = with_images(library, symmetric=symmetric) if mirrored else library
    return BuildReport(library=with_overlaps(library), clips=reports)


def _fit(recording: Recording, skeleton: Skeleton, fps: float) -> tuple[Clip | None, ClipReport]:
    """Bring one recording onto the library's skeleton and rate; one that does not fit is left out with a reason."""
    source = recording.clip
    if source is None:
        return None, ClipReport(name=recording.name, kept=False, reason=recording.left_out, found=recording.found)
    size, shift, missed = 1.0, 0.0, 0.0
    try:
        clip = resample(source, fps)
        before = planted_drift(clip)
        if skeleton.contact_names and clip.skeleton.contact_names:
            size = leg_length(skeleton) / leg_length(clip.skeleton)
            locked = retarget(clip, skeleton)
            clip, shift, missed = locked.clip, float(locked.root_shift.max()), float(locked.missed.max())
        elif not _same_bones(clip.skeleton, skeleton):
            raise UnreadableFile("its skeleton differs from the library's and has no feet to fit it by")
    except WalkonError as error:
        return None, ClipReport(name=recording.name, kept=False, reason=str(error), found=recording.found)
    left, right = stance(source).mean(axis=0).tolist() if source.skeleton.contact_names else (None, None)
    return clip, ClipReport(
        name=recording.name,
        kept=True,
        reason="",
        seconds=clip.duration,
        source_fps=source.fps,
        labels=tuple(clip.labels),
        stance_left=left,
        stance_right=right,
        drift_before_m=before,
        drift_after_m=planted_drift(clip),
        root_shift_m=shift,
        missed_m=missed,
        scale=size,
        warnings=recording.warnings,
        defects=tuple(dict.fromkeys(defect.kind for defect in recording.defects)),
        found=recording.found if abs(size - 1) < 0.002 else (*recording.found, f"steps × {size:.3f} for other legs"),
    )


def library_from_folder(folder: str | Path, *, fps: float = DEFAULT_FPS, mirrored: bool = False) -> Library:
    """Build a library from a folder of recordings; `build_library` also tells what became of each."""
    return build_library(folder, fps=fps, mirrored=mirrored).library
