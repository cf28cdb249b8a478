"""Takes as files: one `*.take`, written whole (atomically) or grown part by part, mapped into memory on reading.

The container is `walkon._base.array_file`; here is what goes into it. A part has a header (names, bodies, props, the
stage: few and small) and the rows that are new in each table, under names such as "Segments.start". References are row
numbers over all parts, so that reading is joining. A take written whole is one part, and its tables are then views of
the file.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from walkon._base.array_file import ArrayFile, ArrayFileWriter, read_array_file, write_array_file
from walkon._base.errors import FileError, UnreadableFile, WalkonError
from walkon._base.table import Column, Table
from walkon.io.plain_fields import event_fields, event_from, skeleton_fields, skeleton_from
from walkon.take.clips import ClipRows, ClipStore, ContactRuns, LabelRuns
from walkon.take.storing.plain_fields import body_fields, body_from, prop_fields, prop_from, stage_fields, stage_from
from walkon.take.tables import (
    Attachments,
    Blends,
    Characters,
    Drops,
    MarkTable,
    OverrideFrames,
    Overrides,
    PlanarPoses,
    PlanarTracks,
    Segments,
    Stances,
    Warps,
)
from walkon.take.take import Take

__all__ = ["TABLES", "GrowingTake", "load_take", "save_take"]

KIND = "take"
VERSION = 1
TABLES: dict[str, type[Table]] = {
    "characters": Characters,
    "segments": Segments,
    "warps": Warps,
    "blends": Blends,
    "planar_tracks": PlanarTracks,
    "planar_poses": PlanarPoses,
    "overrides": Overrides,
    "override_frames": OverrideFrames,
    "stances": Stances,
    "drops": Drops,
    "attachments": Attachments,
    "marks": MarkTable,
}
"""Tables of a take by field."""
LISTS = ("names", "reasons", "mark_names", "mark_poses")


def save_take(take: Take, path: str | Path) -> Path:
    """Write a take to one file, atomically; usually called `something.take`."""
    header, arrays = _part(take, {field: getattr(take, field) for field in TABLES}, Take(fps=take.fps))
    write_array_file(path, KIND, version=VERSION, header=header | {"complete": take.complete}, arrays=arrays)
    return Path(path)


def load_take(path: str | Path) -> Take:
    """Read a take; a damaged, truncated or newer file is refused with a reason.

    The file of a writer that is still at work, or was stopped, gives the take up to its last flush, `complete=False`.
    """
    file = read_array_file(path, KIND, version=VERSION)
    try:
        return _take(file)
    except FileError:
        raise
    except WalkonError as error:
        raise UnreadableFile(f"damaged take: {error}", path=path) from error
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        # The bytes are whole, but they are not what a take's writer writes.
        raise UnreadableFile(f"damaged take: its header does not fit ({error!r})", path=path) from error


class GrowingTake:
    """A take file that grows: the first part is written when there is one, so an old file is there until then."""

    def __init__(self, path: str | Path) -> None:
        self._file = ArrayFileWriter(path, KIND, version=VERSION)
        self._before = Take()

    def append(self, take: Take, new: Mapping[str, Table]) -> None:
        """Write what is new since the last part: lists and clips by comparison, and these rows of tables."""
        before = self._before if self._file.count else Take(fps=take.fps)
        header, arrays = _part(take, new, before)
        self._file.append(header, arrays)
        self._before = take

    def close(self) -> None:
        """Say that it is finished."""
        self._file.close()

    def abandon(self) -> None:
        """Leave the file as it is after the last part."""
        self._file.abandon()


def _part(take: Take, new: Mapping[str, Table], before: Take) -> tuple[dict[str, Any], dict[str, Column]]:
    clips, old = take.clips, before.clips
    K = len(old)
    header = {
        "fps": take.fps,
        "provenance": dict(take.provenance),
        "stage": stage_fields(take.stage),
        "bodies": [body_fields(body) for body in take.bodies[len(before.bodies) :]],
        "skeletons": [skeleton_fields(skeleton) for skeleton in take.skeletons[len(before.skeletons) :]],
        "props": [prop_fields(prop) for prop in take.props[len(before.props) :]],
        "clip_names": clips.names[K:],
        "label_names": clips.label_names[len(old.label_names) :],
        "events": {str(clip): [event_fields(e) for e in events] for clip, events in clips.events.items() if clip >= K},
        **{name: getattr(take, name)[len(getattr(before, name)) :] for name in LISTS},
    }
    arrays: dict[str, Column] = {
        "roots": clips.roots[len(old.roots) :],
        "rotations": clips.rotations[len(old.rotations) :],
    }
    tables = [
        clips.rows.rows(slice(K, None)),
        clips.contacts.rows(clips.contacts.clip >= K),
        clips.labels.rows(clips.labels.clip >= K),
        *(new.get(field, kind()) for field, kind in TABLES.items()),
    ]
    for table in tables:
        arrays |= table.to_arrays()
    return header, arrays


def _take(file: ArrayFile) -> Take:
    headers, arrays = file.joined()
    first = headers[0]
    for kind in (ClipRows, ContactRuns, LabelRuns, *TABLES.values()):
        if missing := [name for name in kind().to_arrays() if name not in arrays]:
            # The checksums are right, so whoever wrote the file did not know the column.
            raise UnreadableFile(
                f"written by another version of Walkon (the column {missing[0]} is missing); write it again",
                path=file.path,
            )

    def joined(name: str) -> list[Any]:
        return [item for header in headers for item in header[name]]

    clips = ClipStore(
        names=tuple(joined("clip_names")),
        label_names=tuple(joined("label_names")),
        rows=ClipRows.from_arrays(arrays),
        roots=arrays["roots"],
        rotations=arrays["rotations"],
        contacts=ContactRuns.from_arrays(arrays),
        labels=LabelRuns.from_arrays(arrays),
        events={
            int(clip): tuple(event_from(e) for e in events)
            for header in headers
            for clip, events in header["events"].items()
        },
    )
    fields: dict[str, Any] = {field: kind.from_arrays(arrays) for field, kind in TABLES.items()}
    fields |= {name: tuple(joined(name)) for name in LISTS}
    return Take(
        fps=first["fps"],
        provenance=first["provenance"],
        stage=stage_from(first["stage"]),
        bodies=tuple(body_from(body) for body in joined("bodies")),
        skeletons=tuple(skeleton_from(skeleton) for skeleton in joined("skeletons")),
        props=tuple(prop_from(prop) for prop in joined("props")),
        clips=clips,
        complete=bool(file.complete and first.get("complete", True)),
        **fields,
    )
