"""The manifest of a folder of recordings: what the files themselves get wrong or do not say.

A CSV table called `manifest.csv` with one row per file. Column `file` is needed; these are understood where present:

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
from dataclasses import dataclass
from pathlib import Path

from walkon._base.errors import UnreadableFile
from walkon._base.files import read_whole

__all__ = ["Entry", "find_recordings", "read_manifest"]

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
    recording = path.parent / file
    fps = None
    if given := (row.get("fps") or "").strip():
        try:
            fps = float(given)
        except ValueError:
            fps = -1.0
        if not 1.0 <= fps <= 10000.0:
            raise UnreadableFile(f"fps must be a number from 1 to 10000, got {given!r}", path=path, line=line)
    words: list[str] = []
    for column in ("labels", "label", "category", "style"):
        words += [word for word in re.split(r"[\s,;]+", row.get(column) or "") if word]
    labels = tuple(dict.fromkeys(words))
    name, ensemble = ((row.get(column) or "").strip() for column in ("name", "ensemble"))
    return Entry(path=recording, given_name=name, fps=fps, labels=labels, ensemble=ensemble)
