"""Libraries as files: one NumPy archive with a JSON header, versioned, written atomically.

`walkon.library` files are plain `.npz` archives, so any NumPy can look into them: `header` is UTF-8 JSON as bytes
(format, version, skeleton, names, labels, events), the rest are arrays. Rotations and places are float32 in the file
(half a micrometre, a hundred-thousandth of a degree) and float64 in memory. Nothing in the file is code.
"""

import io
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from walkon._base.errors import NewerFile, UnreadableFile, WalkonError
from walkon._base.files import read_whole, write_atomically
from walkon._base.kept import read_once
from walkon.io.plain_fields import event_fields, event_from, skeleton_fields, skeleton_from
from walkon.motion.library import Library
from walkon.transforms import quaternions as quat

__all__ = ["load_library", "save_library"]

FORMAT = "walkon library"
VERSION = 1
MAX_FILE_BYTES = 8 << 30
"""Bytes of the largest library that is read."""


def save_library(library: Library, path: str | Path) -> Path:
    """Write a library to one file, atomically; usually called `something.library`."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "fps": library.fps,
        "names": library.names,
        "label_names": library.label_names,
        "ensembles": dict(library.ensembles),
        "notes": library.notes,
        "events": [[event_fields(event) for event in events] for events in library.events],
        "skeleton": skeleton_fields(library.skeleton),
    }
    arrays: dict[str, Any] = {
        "header": np.frombuffer(msgspec.json.encode(header, enc_hook=float), np.uint8),
        "starts": library.starts,
        "stops": library.stops,
        "root_positions": library.root_positions.astype(np.float32),
        "local_rotations": library.local_rotations.astype(np.float32),
        "contacts": library.contacts,
        "contact_heights": library.contact_heights.astype(np.float32),
        "labels": library.labels,
    }
    return write_atomically(path, lambda file: np.savez(file, allow_pickle=False, **arrays))


def load_library(path: str | Path) -> Library:
    """Read a library; a damaged file, another kind of file and one from a newer version are refused with a reason."""
    return read_once(path, _read)


def _read(path: Path) -> Library:
    content = read_whole(path, limit=MAX_FILE_BYTES)
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            if "header" not in archive:
                raise UnreadableFile("this is not a Walkon library", path=path)
            header: dict[str, Any] = msgspec.json.decode(archive["header"].tobytes(), type=dict[str, Any])
            if header.get("format") != FORMAT:
                raise UnreadableFile(f"this is a {header.get('format')!r} file, not a Walkon library", path=path)
            NewerFile.check(header.get("version", 0), VERSION, path=path)
            return _library(header, {name: archive[name] for name in archive.files if name != "header"})
    except (UnreadableFile, NewerFile):
        raise
    except WalkonError as error:
        raise UnreadableFile(f"damaged library: {error}", path=path) from error
    except Exception as error:
        # Flipped bytes surface as almost any error of zipfile, zlib, tokenize or NumPy; all mean the same to the user.
        raise UnreadableFile("this is not a Walkon library, or it is damaged; build it again", path=path) from error


def _library(header: dict[str, Any], arrays: dict[str, Any]) -> Library:
    return Library(
        skeleton=skeleton_from(header["skeleton"]),
        fps=header["fps"],
        names=tuple(header["names"]),
        starts=arrays["starts"],
        stops=arrays["stops"],
        root_positions=arrays["root_positions"],
        local_rotations=quat.normalize(arrays["local_rotations"]),
        contacts=arrays["contacts"],
        contact_heights=arrays["contact_heights"],
        label_names=tuple(header["label_names"]),
        labels=arrays["labels"],
        events=tuple(tuple(event_from(fields) for fields in events) for events in header["events"]),
        ensembles={name: tuple(members) for name, members in header["ensembles"].items()},
        notes=tuple(header["notes"]),
    )
