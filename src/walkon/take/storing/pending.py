"""A take in the making: rows are checked when they are given, and appended; old ones are not looked at again.

Feet are planted as the take grows, whatever of them is final (`walkon.take.storing.growing_feet`), and the file grows,
when rows are flushed. The file has its feet in its last part: they follow from the rest, and who reads the file of a
writer that is still at work, or was stopped, plants them anew.
"""

from collections.abc import Mapping, Sequence, Sized
from dataclasses import replace
from importlib.metadata import version
from numbers import Integral
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.array_file import ArrayFileWriter
from walkon._base.arrays import IntArray
from walkon._base.errors import InvalidValue, UnknownName
from walkon._base.growing_table import GrowingTable
from walkon._base.table import Table
from walkon.motion.body import Body
from walkon.motion.clip import Clip
from walkon.motion.skeleton import Skeleton
from walkon.stage import Prop, Stage
from walkon.stage.floor import ABOVE_ALL_M
from walkon.take import checking
from walkon.take.clips import ClipStore
from walkon.take.planting.planting import PlantedFeet
from walkon.take.posing.posing_rule import SEAM_TOLERANCE_S
from walkon.take.storing.file import KIND, VERSION, new_part
from walkon.take.storing.growing_feet import GrowingFeet
from walkon.take.storing.holds_so_far import HoldsSoFar
from walkon.take.tables import (
    NONE,
    TABLES,
    Blends,
    Characters,
    Heights,
    Reasons,
    References,
    Segments,
    Warps,
)
from walkon.take.take import Take

__all__ = ["Pending"]

Timed = TypeVar("Timed", Segments, Reasons, References)


class Pending:
    """A take in the making. Each `add_…` returns the row by which others refer to what was added."""

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        fps: float = 60.0,
        stage: Stage | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        origin = {"walkon": version("walkon"), **(provenance or {})}
        self._blank = Take(fps=fps, stage=stage or Stage(), provenance=origin, complete=False)
        self._written, self._rows_written = self._blank, dict[str, int]()
        self._take: Take | None = None
        self._file = None if path is None else ArrayFileWriter(path, KIND, version=VERSION)
        self._closed = False
        self._tables: dict[str, GrowingTable[Any]] = {field: GrowingTable(kind) for field, kind in TABLES.items()}
        self._feet = GrowingFeet()
        self._texts: dict[str, list[str]] = {name: [] for name in ("names", "notes", "mark_names", "mark_poses")}
        self._bodies: list[Body] = []
        self._skeletons: list[Skeleton] = []
        self._props: list[Prop] = []
        self._clips: list[Clip] = []
        self._store = ClipStore()
        self._clip_rows: dict[tuple[object, ...], int] = {}
        self._clip_skeletons: list[int] = []
        self._body_of: list[int] = []
        self._row_of: dict[str, int] = {}
        self._mark_of: list[int] = []
        # [N] s: when the last row of each character ends, of tables in which its rows must not overlap.
        self._until = {field: np.zeros(0) for field in ("segments", "reasons", "references")}
        self._note_rows: dict[str, int] = {}
        self._holds = HoldsSoFar(self._texts["names"], self._skeleton_of)
        self._fits: dict[tuple[int, int], bool] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._abandon()

    def _add(self, field: str, table: Table) -> int:
        self._change()
        return self._tables[field].append(table)

    def _row_counts(self) -> dict[str, int]:
        """Return how many rows there are of everything that others refer to."""
        things: dict[str, Sized] = {
            "bodies": self._bodies,
            "clips": self._clips,
            "props": self._props,
            "notes": self._texts["notes"],
        }
        counted: dict[str, Sized] = self._tables | things
        return {name: len(rows) for name, rows in counted.items()}

    def _add_rows(self, field: str, table: Table, **spans: str) -> int:
        """Add rows to a table after checking what they refer to; spans count from the end of the table they name."""
        moved = {name: table.columns[name] + len(self._tables[to]) for name, to in spans.items()}
        rows = table.with_columns(**moved) if moved else table
        checking.check_rows(rows, self._row_counts() | dict.fromkeys(spans.values(), 1 << 60))
        return self._add(field, rows)

    def _change(self) -> None:
        if self._closed:
            raise InvalidValue("this take is finished; make another TakeWriter to write more")
        self._take = None

    def add_body(self, body: Body) -> int:
        """Add a body, or find it, and return its row."""
        for row, known in enumerate(self._bodies):
            if known is body:
                return row
        self._change()
        self._bodies.append(body)
        return len(self._bodies) - 1

    def add_characters(
        self,
        names: Sequence[str],
        *,
        body: ArrayLike = 0,
        scale: ArrayLike = 1.0,
        colour: ArrayLike | None = None,
        near: ArrayLike | None = None,
    ) -> IntArray:
        """Add many characters at once and return their rows; the other arguments are [N] or one for all.

        Without a colour they have their bodies'. Where floors lie above each other they enter on those nearest to the
        heights `near` (m); without them on the highest.
        """
        given = [str(name) for name in names]
        rows = Characters.filled(
            len(given), body=body, scale=scale, stride=scale, near=ABOVE_ALL_M if near is None else near
        )
        checking.check_references(rows.body, len(self._bodies), "the body of a character")
        if colour is None:
            colour = np.array([known.colour for known in self._bodies]).reshape(-1, 3)[rows.body]
        rows = rows.with_columns(colour=Characters.filled(len(given), colour=colour).colour)
        checking.check_names([*given, *(name for name in given if name in self._row_of)])
        checking.check_character_rows(rows, bodies=len(self._bodies))
        found = self._add("characters", rows) + np.arange(len(given))
        self._texts["names"] += given
        self._row_of.update(zip(given, found.tolist(), strict=True))
        self._body_of += rows.body.tolist()
        for field, until in self._until.items():
            self._until[field] = np.append(until, np.full(len(given), -np.inf))
        self._feet.add_characters(rows.near)
        return found

    def add_clip(self, clip: Clip) -> int:
        """Add a clip and return its row; a clip that is there already is not stored again."""
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

    def _character(self, who: Any) -> int:
        """Return the row of a character, by name or row."""
        names = self._texts["names"]
        if isinstance(who, str):
            if who not in self._row_of:
                raise UnknownName.among("character", who, names)
            return self._row_of[who]
        if not (isinstance(who, Integral) and 0 <= int(who) < len(names)):
            there = f"there are {len(names)}, 0 to {len(names) - 1}" if names else "there are none yet; add one first"
            raise InvalidValue(f"there is no character {who!r}; {there}")
        return int(who)

    def _skeleton_of(self, character: str | int) -> Skeleton:
        return self._bodies[self._body_of[self._character(character)]].skeleton

    def add_segments(self, segments: Segments, *, warps: Warps | None = None, blends: Blends | None = None) -> None:
        """Add segments; their `warp` and `blend` are rows of the tables given here."""
        warps, blends = warps or Warps(), blends or Blends()
        self._check_segments(segments, warps, blends)
        self._feet.check_segments(self._texts["names"], segments, self._until["segments"])
        warp, blend = self._add("warps", warps), self._add("blends", blends)
        moved = segments.with_columns(
            warp=np.where(segments.warp >= 0, segments.warp + warp, NONE),
            blend=np.where(segments.blend >= 0, segments.blend + blend, NONE),
        )
        self._add("segments", moved)
        self._feet.add_segments(moved, self._until["segments"])
        np.maximum.at(self._until["segments"], segments.character, segments.stop)

    def _check_segments(self, s: Segments, warps: Warps, blends: Blends) -> None:
        """Refuse rows that the take could not hold, before any of them is in it."""
        self._change()
        counts = self._row_counts() | {"warps": len(warps), "blends": len(blends)}
        checking.check_segment_rows(s, blends, counts=counts)
        names = self._texts["names"]
        if (s.mark >= 0).any():
            checking.check_own_marks(s, np.array(self._mark_of), names)
        who, clip = checking.played_clips(s, blends)
        pairs = np.array(self._body_of, np.int64)[who] * len(self._clips) + clip
        for pair, row in zip(*np.unique(pairs, return_index=True), strict=True):
            self._check_plays(int(who[row]), *divmod(int(pair), len(self._clips)))
        everything = self._with_overlapped("segments", s)
        checking.check_apart(names, everything.rows(np.lexsort((everything.start, everything.character))))

    def _with_overlapped(self, field: str, rows: Timed) -> Timed:
        """Return rows alone where they come after all of their characters; else with all: they may fit into a gap."""
        if not (rows.start < self._until[field][rows.character] - SEAM_TOLERANCE_S).any():
            return rows
        return type(rows).joined([self._tables[field].rows(), rows])

    def _check_plays(self, character: int, body: int, clip: int) -> None:
        skeletons = body, self._clip_skeletons[clip]
        if skeletons not in self._fits:
            self._fits[skeletons] = checking.can_play(self._bodies[body].skeleton, self._skeletons[skeletons[1]])
        if not self._fits[skeletons]:
            raise InvalidValue(
                f"a clip must have the joints of the body that plays it, but {self._clips[clip].name!r} has not those "
                f"of {self._texts['names'][character]!r}; retarget it first"
            )

    def add_prop(self, prop: Prop) -> int:
        """Add a prop and return its row; say where it is with `rest` and `attach`."""
        self._change()
        self._props.append(prop)
        return len(self._props) - 1

    @property
    def take(self) -> Take:
        """Everything so far as a take, feet planted; those of the last seconds may still change by millimetres."""
        if self._take is None:
            feet = self._feet.all_so_far(self._sketch(self._feet.pending()))
            self._take = self._put_together(feet)
        return self._take

    def _fields(self) -> dict[str, Any]:
        """Return all fields of the take but its feet."""
        if len(self._store) < len(self._clips):
            old = len(self._store)
            self._store = self._store.extended(self._clips[old:], self._clip_skeletons[old:])
        return (
            {field: table.rows() for field, table in self._tables.items()}
            | {name: tuple(texts) for name, texts in self._texts.items()}
            | {"bodies": tuple(self._bodies), "skeletons": tuple(self._skeletons), "props": tuple(self._props)}
            | {"clips": self._store}
        )

    def _sketch(self, segments: Segments) -> Take:
        """Return the take with these segments only, sorted. Nothing is checked: it was when it was added."""
        return self._blank.sketched(**(self._fields() | {"segments": segments}))

    def _put_together(self, feet: PlantedFeet) -> Take:
        whole = replace(self._blank, **self._fields())
        return whole.with_feet(feet.stances, feet.drops, Heights.joined([whole.heights, feet.heights]))

    def flush(self) -> None:
        """Plant feet as far as they are final, append to the file: nothing is lost if the process dies after this."""
        if self._closed:
            return
        chosen = self._feet.due(self._until["segments"])
        if len(chosen):
            self._feet.extend(self._sketch(self._feet.pending(chosen)), self._until["segments"])
        if self._file is not None:
            self._append(self._sketch(Segments()), {})

    def _append(self, take: Take, feet: Mapping[str, Table]) -> None:
        """Append what is new to the file."""
        if self._file is None:
            return
        new = {field: table.rows(self._rows_written.get(field, 0)) for field, table in self._tables.items()}
        new |= {field: type(rows).joined([new[field], rows]) for field, rows in feet.items()}
        header, arrays = new_part(take, new, self._written, first=not self._rows_written)
        if self._rows_written and not arrays and not any(header.values()):
            return
        self._file.append(header, arrays)
        self._written, self._rows_written = take, {field: len(table) for field, table in self._tables.items()}

    def close(self) -> Take:
        """Plant what is left, mark the file as finished, and return the take."""
        if not self._closed:
            try:
                feet = self._feet.all_so_far(self._sketch(self._feet.pending()))
                made = self._put_together(feet)
                self._append(made, feet._asdict())
                if self._file is not None:
                    self._file.close()
            except BaseException:
                self._abandon()
                raise
            self._take = made.finished()
            self._closed = True
        assert self._take is not None
        return self._take

    def _abandon(self) -> None:
        """Leave the file as it is after the last flush."""
        if self._file is not None and not self._closed:
            self._file.abandon()
        self._closed = True
