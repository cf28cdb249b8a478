"""Recordings on their way into a library: listed, read, repaired, set on the floor, contacts found. Each step is
reported.

What the files themselves get wrong or do not say is in the manifest of their folder: a CSV table called `manifest.csv`
with one row per file. Column `file` is needed; these are understood where present:

| column | what it says |
|---|---|
| `file` | path of the recording, relative to the manifest |
| `fps` | true frames per second, where the header is wrong |
| `name` | what the clip is called; else the file's name without its ending |
| `labels` | labels of the clip, separated by spaces, commas or semicolons |
| `category`, `style` | further labels |
| `ensemble` | recordings with the same word here were made together |
| `skip` | true: leave this file out |

Other columns (descriptions, measurements) are for people and are ignored.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from walkon._base.errors import InvalidClip, UnreadableFile, WalkonError
from walkon._base.files import read_whole
from walkon.capture.defects import Defect, impossible_fall, repair
from walkon.io.bvh_read import read_bvh
from walkon.motion.clip import Clip
from walkon.motion.contacts.detection import detect_contacts
from walkon.motion.contacts.foot_lock import lock_feet
from walkon.motion.contacts.ground_plane import find_ground, ground

__all__ = ["Entry", "Recording", "clean", "find_recordings", "import_recording", "prepare", "read_manifest"]

MANIFEST = "manifest.csv"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One recording to import."""

    path: Path
    given_name: str = ""
    fps: float | None = None
    labels: tuple[str, ...] = ()
    ensemble: str = ""

    @property
    def name(self) -> str:
        """The clip's name: the one given, or the file's without its ending."""
        return self.given_name or self.path.stem


def find_recordings(folder: str | Path) -> list[Entry]:
    """List the recordings of a folder: those of its manifest, or all BVH files in it and below, sorted by path."""
    folder = Path(folder)
    if not folder.is_dir():
        raise UnreadableFile("there is no such folder" if not folder.exists() else "this is not a folder", path=folder)
    manifest = folder / MANIFEST
    if manifest.is_file():
        return read_manifest(manifest)
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() == ".bvh" and path.is_file())
    if not found:
        raise UnreadableFile("no .bvh files here or below, and no manifest.csv", path=folder)
    return [Entry(path=path) for path in found]


def read_manifest(path: str | Path) -> list[Entry]:
    """Read a manifest; errors carry the line."""
    path = Path(path)
    try:
        text = read_whole(path, limit=16 << 20).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"not UTF-8 text ({error.reason} at byte {error.start})", path=path) from None
    heading = text.partition("\n")[0]
    # Where the comma is the decimal sign, spreadsheets write semicolons.
    delimiter = ";" if heading.count(";") > heading.count(",") else ","
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        if not rows.fieldnames or "file" not in rows.fieldnames:
            raise UnreadableFile(f"needs a column called 'file'; it has {rows.fieldnames or 'none'}", path=path, line=1)
        entries = [entry for row in rows if (entry := _entry(row, path, rows.line_num)) is not None]
    except csv.Error as error:
        raise UnreadableFile(str(error), path=path, line=rows.line_num) from None
    if not entries:
        raise UnreadableFile("lists no recordings", path=path)
    twice = [name for name, count in Counter(entry.name for entry in entries).items() if count > 1]
    if twice:
        raise UnreadableFile(
            f"{twice[0]!r} is listed twice; give one of them another name in a column 'name'", path=path
        )
    return entries


def _entry(row: dict[str, str | None], path: Path, line: int) -> Entry | None:
    file = (row.get("file") or "").strip()
    if not file:
        raise UnreadableFile("this row names no file", path=path, line=line)
    if (row.get("skip") or "").strip().lower() in ("true", "yes", "1"):
        return None
    fps = None
    if given := (row.get("fps") or "").strip():
        try:
            fps = float(given)
        except ValueError:
            fps = -1.0
        if not 1.0 <= fps <= 10000.0:
            raise UnreadableFile(f"fps must be a number from 1 to 10000, got {given!r}", path=path, line=line)
    words = " ".join(row.get(column) or "" for column in ("labels", "label", "category", "style"))
    labels = tuple(dict.fromkeys(word for word in re.split(r"[\s,;]+", words) if word))
    name, ensemble = ((row.get(column) or "").strip() for column in ("name", "ensemble"))
    return Entry(path=path.parent / file, given_name=name, fps=fps, labels=labels, ensemble=ensemble)


@dataclass(frozen=True, eq=False, kw_only=True)
class Recording:
    """A clip of a recording (or why there is none) and what was found on the way."""

    name: str
    clip: Clip | None
    """Grounded and with contacts, in its own skeleton and rate; None if it was left out."""
    left_out: str = ""
    """Why it was left out; empty if it was not."""
    found: tuple[str, ...] = ()
    """What was found and done, a sentence each."""
    warnings: tuple[str, ...] = ()
    """What the file itself got wrong (frame counts, lines cut off), a sentence each."""
    defects: tuple[Defect, ...] = ()
    ensemble: str = ""


def import_recording(
    entry: Entry, *, scale: float | None = None, fps: float | None = None, roles: Mapping[str, str] | None = None
) -> list[Recording]:
    """Import a recording: one result per person in it; a file that cannot be used is left out, not fatal."""
    try:
        reading = read_bvh(entry.path, scale=scale, fps=entry.fps if fps is None else fps, roles=roles, name=entry.name)
    except WalkonError as error:
        return [Recording(name=entry.name, clip=None, left_out=str(error))]
    report = reading.report
    found = [
        f"{report.scale:.6g} m per unit ({report.scale_reason})",
        f"{report.up} up ({report.up_reason})",
        f"roles by {report.roles}",
    ]
    if report.tpose_dropped:
        found.append("T-pose in the first frame dropped")
    if abs(report.fps - report.header_fps) > 1e-3 * report.fps:
        found.append(f"{report.fps:g} frames/s instead of the header's {report.header_fps:g}")
    found += report.warnings
    together = entry.ensemble or (entry.name if len(reading.clips) > 1 else "")
    labelled = [replace(c, labels={label: np.ones(len(c), bool) for label in entry.labels}) for c in reading.clips]
    prepared = [prepare(clip, found=found, ensemble=together) for clip in labelled]
    return [replace(recording, warnings=report.warnings) for recording in prepared]


def prepare(clip: Clip, *, found: list[str] | None = None, ensemble: str = "") -> Recording:
    """Repair a raw clip, set it on the floor and find its contacts."""
    clip, defects = repair(clip)
    if clip.skeleton.has_feet:
        floor = find_ground(clip)
        clip = detect_contacts(ground(clip, floor))
        if wrong_rate := impossible_fall(clip):
            defects += (wrong_rate,)
        if abs(floor.height) > 0:
            defects += (Defect(kind="floor", message=f"floor {floor.height * 100:+.1f} cm off zero: moved onto it"),)
        if floor.tilt_deg > 0.3:
            defects += (Defect(kind="floor", message=f"floor leans {floor.tilt_deg:.1f} degrees: levelled"),)
    fatal = next((defect.message for defect in defects if defect.fatal), "")
    return Recording(
        name=clip.name,
        clip=None if fatal else clip,
        left_out=fatal,
        found=(*(found or ()), *(defect.message for defect in defects)),
        defects=defects,
        ensemble=ensemble,
    )


def clean(clip: Clip) -> Clip:
    """Return a raw clip repaired, on the floor, with contacts found and feet that stay put.

    The short way for one clip; `prepare` and `motion.lock_feet` are its two halves and tell what they did.
    """
    recording = prepare(clip)
    if recording.clip is None:
        raise InvalidClip(f"{clip.name!r} cannot be used: {recording.left_out}")
    return lock_feet(recording.clip).clip if recording.clip.contacts.any() else recording.clip
