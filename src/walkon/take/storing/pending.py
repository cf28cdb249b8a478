"""What a take's writer holds: the take up to the last flush, and the rows that came since."""

from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from walkon._base.arrays import IntArray
from walkon._base.errors import InvalidValue, UnknownName
from walkon._base.table import Table
from walkon.motion.body import Body
from walkon.motion.clip import Clip
from walkon.motion.skeleton import Skeleton
from walkon.stage import Prop, Stage
from walkon.take import checking
from walkon.take.planting.planting import plant_feet
from walkon.take.posing.posing_rule import SEAM
from walkon.take.storing.file import TABLES, GrowingTake
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
        self._known_names: set[str] = set()
        self._mark_of: list[int] = []
        self._busy = np.zeros(0)
        self._fits: dict[tuple[int, int], bool] = {}

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
        checking.check_body(body)
        self.bodies.append(body)
        return len(self.bodies) - 1

    def add_characters(self, names: Sequence[str], rows: Characters) -> IntArray:
        """Add characters; returns all their rows."""
        given = [str(name) for name in names]
        checking.check_names([*given, *(name for name in given if name in self._known_names)])
        checking.check_character_rows(rows, bodies=len(self.bodies))
        first = self._add("characters", rows)
        self._texts["names"] += given
        self._known_names.update(given)
        self._body_of += rows.body.tolist()
        self._busy = np.append(self._busy, np.full(len(given), -np.inf))
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
                and np.array_equal(known.end_sites, skeleton.end_sites)
                and known.roles == skeleton.roles
                and known.contact_names == skeleton.contact_names
                and np.array_equal(known.contact_joints, skeleton.contact_joints)
                and np.array_equal(known.contact_offsets, skeleton.contact_offsets)
            )
            if same:
                return row
        self._skeletons.append(skeleton)
        return len(self._skeletons) - 1

    def clip(self, row: int) -> Clip:
        """Return a clip by its row."""
        if not 0 <= row < len(self._clips):
            raise InvalidValue(f"there is no clip {row}; there are {len(self._clips)}: add it first")
        return self._clips[row]

    def character(self, who: str | int) -> int:
        """Return the row of a character, by name or row."""
        names = self._texts["names"]
        if isinstance(who, str):
            if who not in names:
                raise UnknownName.among("character", who, names)
            return names.index(who)
        row: Any = who
        if not (isinstance(row, Integral) and 0 <= int(row) < len(names)):
            there = f"there are {len(names)}, 0 to {len(names) - 1}" if names else "there are none yet; add one first"
            raise InvalidValue(f"there is no character {who!r}; {there}")
        return int(row)

    def skeleton_of(self, character: int) -> Skeleton:
        """Return the skeleton of a character's body."""
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
        self._check_segments(segments, warps, blends)
        np.maximum.at(self._busy, segments.character, segments.stop)
        warp, blend = self._add("warps", warps), self._add("blends", blends)
        self._add(
            "segments",
            segments.with_columns(
                warp=np.where(segments.warp >= 0, segments.warp + warp, NONE),
                blend=np.where(segments.blend >= 0, segments.blend + blend, NONE),
            ),
        )

    def _check_segments(self, s: Segments, warps: Warps, blends: Blends) -> None:
        """Refuse rows that the take could not hold, before any of them is in it."""
        self._change()
        counts = {
            "character": len(self._body_of),
            "clip": len(self._clips),
            "warp": len(warps),
            "blend": len(blends),
            "track": self._counts["planar_tracks"],
            "mark": len(self._mark_of),
            "reason": len(self._texts["reasons"]),
        }
        checking.check_segment_rows(s, blends, counts=counts)
        names = self._texts["names"]
        if (s.mark >= 0).any():
            checking.check_own_marks(s, np.array(self._mark_of), names)
        whole = s.clip >= 0
        blended = whole & (s.blend >= 0)
        who = np.concatenate([s.character[whole], s.character[blended]])
        clip = np.concatenate([s.clip[whole], blends.clip[s.blend[blended]]])
        pairs = np.array(self._body_of)[who] * len(self._clips) + clip if len(who) else np.zeros(0, np.int64)
        for pair, row in zip(*np.unique(pairs, return_index=True), strict=True):
            self._check_plays(int(who[row]), *divmod(int(pair), len(self._clips)))
        order = np.lexsort((s.start, s.character))
        checking.check_apart(names, s.character[order], s.start[order], s.stop[order])
        if (s.start < self._busy[s.character] - SEAM).any():  # out of order: it may still fit into a gap
            tables = [self._flushed.segments, *self._rows.get("segments", []), s]
            columns = [np.concatenate([getattr(table, name) for table in tables]) for name in ("start", "stop")]
            everyone = np.concatenate([table.character for table in tables])
            order = np.lexsort((columns[0], everyone))
            checking.check_apart(names, everyone[order], columns[0][order], columns[1][order])

    def _check_plays(self, character: int, body: int, clip: int) -> None:
        skeletons = body, self._clip_skeletons[clip]
        if skeletons not in self._fits:
            self._fits[skeletons] = checking.plays(self.bodies[body].skeleton, self._skeletons[skeletons[1]])
        if not self._fits[skeletons]:
            raise InvalidValue(
                f"a clip must have the joints of the body that plays it, but {self._clips[clip].name!r} has not those "
                f"of {self._texts['names'][character]!r}; retarget it first"
            )

    def add_track(self, track: PlanarTracks, poses: PlanarPoses) -> int:
        """Add a planar track with its samples."""
        checking.check_track_rows(track, samples=len(poses))
        first = self._add("planar_poses", poses)
        return self._add("planar_tracks", track.with_columns(first=track.first + first))

    def add_override(self, row: Overrides, frames: OverrideFrames) -> int:
        """Add an override with its rotations."""
        checking.check_override_rows(row, characters=len(self._body_of))
        first = self._add("override_frames", frames)
        return self._add("overrides", row.with_columns(first=row.first + first))

    def add_prop(self, prop: Prop) -> int:
        """Add a prop."""
        self._change()
        self._props.append(prop)
        return len(self._props) - 1

    def add_attachment(self, row: Attachments) -> int:
        """Add where a prop is for a while."""
        checking.check_attachment_rows(row, props=len(self._props), characters=len(self._body_of))
        return self._add("attachments", row)

    def add_mark(self, row: MarkTable, name: str, pose: str) -> int:
        """Add a mark."""
        checking.check_mark_rows(row, characters=len(self._body_of))
        first = self._add("marks", row)
        self._texts["mark_names"].append(name)
        self._texts["mark_poses"].append(pose)
        self._mark_of += row.character.tolist()
        return first

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
            fresh = whole if not len(flushed.segments) else replace(whole, segments=new.get("segments", Segments()))
            planted = plant_feet(fresh, held=flushed.stances)
            new |= {"stances": planted.stances, "drops": planted.drops}
            whole = whole.with_feet(
                Stances.joined([flushed.stances, planted.stances]), Drops.joined([flushed.drops, planted.drops])
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
            try:
                self.flush()
                if self._file is not None:
                    self._file.close()
            except BaseException:
                self.abandon()
                raise
            self._flushed = self._flushed.finished()
            self._latest = self._flushed, {}
            self._closed = True
        return self._flushed

    def abandon(self) -> None:
        """Leave the file as it is after the last flush."""
        if self._file is not None and not self._closed:
            self._file.abandon()
        self._closed = True
