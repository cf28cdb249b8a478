"""What a take's writer holds: the take up to the last flush, and the rows that came since."""

from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from walkon._base.arrays import IntArray
from walkon._base.errors import InvalidValue
from walkon.motion.body import Body
from walkon.motion.clip import Clip
from walkon.motion.skeleton import Skeleton
from walkon.stage import Prop, Stage
from walkon.take.file import TABLES, GrowingTake
from walkon.take.planting import plant_feet
from walkon.take.table import Table
from walkon.take.tables import (
    NONE,
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

__all__ = ["Pending"]


class Pending:
    """A take in the making. Each `add_…` returns the row by which others refer to what was added."""

    def __init__(self, path: str | Path | None, *, fps: float, stage: Stage, provenance: dict[str, Any]) -> None:
        self.bodies: list[Body] = []
        self._flushed = Take(
            fps=fps, stage=stage, provenance={"walkon": version("walkon"), **provenance}, complete=False
        )
        self._latest: tuple[Take, dict[str, Table]] | None = None
        self._file = None if path is None else GrowingTake(path)
        self._closed = False
        self._rows: dict[str, list[Any]] = {}
        self._counts = dict.fromkeys(TABLES, 0)
        self._texts: dict[str, list[str]] = {name: [] for name in ("names", "reasons", "mark_names", "mark_poses")}
        self._skeletons: list[Skeleton] = []
        self._props: list[Prop] = []
        self._clips: list[Clip] = []
        self._clip_rows: dict[tuple[object, ...], int] = {}
        self._clip_skeletons: list[int] = []
        self._body_of: list[int] = []

    def _add(self, field: str, table: Table) -> int:
        self._change()
        first = self._counts[field]
        self._rows.setdefault(field, []).append(table)
        self._counts[field] = first + len(table)
        return first

    def _change(self) -> None:
        if self._closed:
            raise InvalidValue("this take is finished; make another TakeWriter to write more")
        self._latest = None

    def add_body(self, body: Body) -> int:
        """Add a body, or find it."""
        for row, known in enumerate(self.bodies):
            if known is body:
                return row
        self._change()
        self.bodies.append(body)
        return len(self.bodies) - 1

    def add_characters(self, names: Sequence[str], rows: Characters) -> IntArray:
        """Add characters; returns all their rows."""
        first = self._add("characters", rows)
        self._texts["names"] += [str(name) for name in names]
        self._body_of += rows.body.tolist()
        return first + np.arange(len(names))

    def add_clip(self, clip: Clip) -> int:
        """Add a clip, or find it."""
        # A library makes a clip anew each time it is asked, but of the same arrays.
        arrays = (clip.root_positions, clip.local_rotations, clip.contacts, clip.contact_heights)
        key = (clip.name, id(clip.skeleton), clip.fps, len(clip), *(array.ctypes.data for array in arrays))
        if key not in self._clip_rows:
            self._change()
            self._clip_rows[key] = len(self._clips)
            self._clips.append(clip)  # holding the clip keeps its addresses its own
            self._clip_skeletons.append(self._add_skeleton(clip.skeleton))
        return self._clip_rows[key]

    def _add_skeleton(self, skeleton: Skeleton) -> int:
        for row, known in enumerate(self._skeletons):
            same = known is skeleton or (
                known.same_topology(skeleton)
                and np.array_equal(known.offsets, skeleton.offsets)
                and np.array_equal(known.contact_offsets, skeleton.contact_offsets)
            )
            if same:
                return row
        self._skeletons.append(skeleton)
        return len(self._skeletons) - 1

    def duration_of(self, clip: int) -> float:
        """Return the seconds of a clip by its row."""
        if not 0 <= clip < len(self._clips):
            raise InvalidValue(f"there is no clip {clip}; there are {len(self._clips)}: add it first")
        return self._clips[clip].duration

    def skeleton_of(self, character: int) -> Skeleton:
        """Return the skeleton of a character's body."""
        if not 0 <= character < len(self._body_of):
            raise InvalidValue(f"there is no character {character}; there are {len(self._body_of)}: add it first")
        return self.bodies[self._body_of[character]].skeleton

    def add_reason(self, text: str) -> int:
        """Add a sentence; the same one twice in a row is one."""
        known = self._texts["reasons"]
        if not known or known[-1] != text:
            self._change()
            known.append(text)
        return len(known) - 1

    def add_segments(self, segments: Segments, warps: Warps, blends: Blends) -> None:
        """Add segments with the warps and blends that they refer to."""
        warp, blend = self._add("warps", warps), self._add("blends", blends)
        self._add(
            "segments",
            segments.with_columns(
                warp=np.where(segments.warp >= 0, segments.warp + warp, NONE),
                blend=np.where(segments.blend >= 0, segments.blend + blend, NONE),
            ),
        )

    def add_track(self, track: PlanarTracks, poses: PlanarPoses) -> int:
        """Add a planar track with its samples."""
        first = self._add("planar_poses", poses)
        return self._add("planar_tracks", track.with_columns(first=track.first + first))

    def add_override(self, row: Overrides, frames: OverrideFrames) -> int:
        """Add an override with its rotations."""
        first = self._add("override_frames", frames)
        return self._add("overrides", row.with_columns(first=row.first + first))

    def add_prop(self, prop: Prop) -> int:
        """Add a prop."""
        self._change()
        self._props.append(prop)
        return len(self._props) - 1

    def add_attachment(self, row: Attachments) -> int:
        """Add where a prop is for a while."""
        return self._add("attachments", row)

    def add_mark(self, row: MarkTable, name: str, pose: str) -> int:
        """Add a mark."""
        self._texts["mark_names"].append(name)
        self._texts["mark_poses"].append(pose)
        return self._add("marks", row)

    def take(self) -> Take:
        """Return everything so far, feet planted, as a take."""
        return self._put_together()[0]

    def _put_together(self) -> tuple[Take, dict[str, Table]]:
        """Return the take, and the rows of it that are new since the last flush."""
        if self._latest is None:
            flushed = self._flushed
            new: dict[str, Any] = {field: TABLES[field].joined(parts) for field, parts in self._rows.items()}
            joined = {field: TABLES[field].joined([getattr(flushed, field), rows]) for field, rows in new.items()}
            changed: dict[str, Any] = joined | {name: tuple(texts) for name, texts in self._texts.items()}
            old = len(flushed.clips)
            whole = replace(
                flushed,
                **changed,
                bodies=tuple(self.bodies),
                skeletons=tuple(self._skeletons),
                props=tuple(self._props),
                clips=flushed.clips.extended(self._clips[old:], self._clip_skeletons[old:]),
            )
            fresh = replace(whole, segments=new.get("segments", Segments()), stances=Stances(), drops=Drops())
            planted = plant_feet(fresh, held=flushed.stances)
            new |= {"stances": planted.stances, "drops": planted.drops}
            whole = replace(
                whole,
                stances=Stances.joined([flushed.stances, planted.stances]),
                drops=Drops.joined([flushed.drops, planted.drops]),
            )
            self._latest = whole, new
        return self._latest

    def flush(self) -> None:
        """Append what is new to the file; nothing where nothing is."""
        take, new = self._put_together()
        if take is self._flushed:
            return
        if self._file is not None:
            self._file.append(take, new)
        self._flushed, self._latest, self._rows = take, (take, {}), {}

    def close(self) -> Take:
        """Finish."""
        if not self._closed:
            self.flush()
            if self._file is not None:
                self._file.close()
            self._flushed = replace(self._flushed, complete=True)
            self._latest = self._flushed, {}
            self._closed = True
        return self._flushed

    def abandon(self) -> None:
        """Leave the file as it is after the last flush."""
        if self._file is not None and not self._closed:
            self._file.abandon()
        self._closed = True
