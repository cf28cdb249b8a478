"""The tables of a take: who plays what, when and where. Seconds of the take's clock, metres, radians.

All references are row numbers of other tables, −1 for none. Places of clips are planar transforms (x, y, heading): they
take the clip's own world to the stage's. Columns are declared in this folder and nowhere else: files, checks, joins,
arguments of kernels and the page's tables follow.
"""

from typing import TypeVar

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.table import Column, Table
from walkon.take.tables.asked import FACING, HEIGHT, MEANT, POSE, POSITION, WINDOW, MarkTable, Reasons, References
from walkon.take.tables.clips import ClipRows, ContactRuns, LabelRuns
from walkon.take.tables.holds import Attachments, Grips, HandShapes
from walkon.take.tables.playing import (
    Blends,
    Characters,
    Drops,
    Heights,
    OverrideFrames,
    OverrideJoints,
    OverrideRoots,
    Overrides,
    Segments,
    Stances,
    Warps,
)
from walkon.take.tables.tracks import TrackKnots, Tracks, TrackTurns

__all__ = [
    "CLIP_TABLES",
    "FACING",
    "HEIGHT",
    "MEANT",
    "NONE",
    "POSE",
    "POSITION",
    "TABLES",
    "WINDOW",
    "Attachments",
    "Blends",
    "Characters",
    "ClipRows",
    "ContactRuns",
    "Drops",
    "Grips",
    "HandShapes",
    "Heights",
    "LabelRuns",
    "MarkTable",
    "OverrideFrames",
    "OverrideJoints",
    "OverrideRoots",
    "Overrides",
    "Reasons",
    "References",
    "Segments",
    "Stances",
    "TrackKnots",
    "TrackTurns",
    "Tracks",
    "Warps",
    "flat_ranges",
    "flat_spans",
    "in_order",
    "last_rows",
]

Kind = TypeVar("Kind", bound=Table)

NONE = -1
"""A reference to nothing."""

TABLES: dict[str, type[Table]] = {
    "characters": Characters,
    "segments": Segments,
    "warps": Warps,
    "blends": Blends,
    "tracks": Tracks,
    "track_knots": TrackKnots,
    "track_turns": TrackTurns,
    "references": References,
    "heights": Heights,
    "overrides": Overrides,
    "override_joints": OverrideJoints,
    "override_frames": OverrideFrames,
    "override_roots": OverrideRoots,
    "stances": Stances,
    "drops": Drops,
    "attachments": Attachments,
    "grips": Grips,
    "hand_shapes": HandShapes,
    "marks": MarkTable,
    "reasons": Reasons,
}
"""Tables of a take by field. What refers to rows stands before what it refers to, but for characters and marks."""
CLIP_TABLES: dict[str, type[Table]] = {"rows": ClipRows, "contacts": ContactRuns, "labels": LabelRuns}
"""Tables of the clips of a take by field."""


def in_order(table: Kind, group: Column, time: Column) -> Kind:
    """Return the table sorted by group and time; as it is, without a copy, where it is sorted already."""
    if bool(np.all((np.diff(group) > 0) | ((np.diff(group) == 0) & (np.diff(time) >= 0)))):
        return table
    return table.rows(np.lexsort((time, group)))


def last_rows(first: IntArray, times: Column, group: IntArray, when: Array) -> IntArray:
    """Return [n] the last row of each group [n] whose time is at most `when` [n]; first[group] − 1 where there is none.

    Rows first[g] to first[g + 1] − 1 are those of group g, sorted by time. Halving is exact: what is found of one
    character does not depend on who else is asked for.
    """
    low, high = first[group], first[group + 1]
    for _ in range(int((high - low).max(initial=0)).bit_length()):
        middle, open_ = (low + high) // 2, low < high
        past = open_ & (times[np.minimum(middle, len(times) - 1)] <= when)
        low, high = np.where(past, middle + 1, low), np.where(open_ & ~past, middle, high)
    return np.asarray(low - 1)


def flat_ranges(first: IntArray, counts: IntArray) -> IntArray:
    """Return first[0], first[0] + 1, … (counts[0] of them), first[1], …: the rows of several ranges, one by one."""
    counts = np.asarray(counts, dtype=np.int64)
    return np.repeat(first - (np.cumsum(counts) - counts), counts) + np.arange(int(counts.sum()))


def flat_spans(spans: IntArray) -> IntArray:
    """Return the rows of ranges [n, 2] = (first, stop), one by one."""
    return flat_ranges(spans[:, 0], spans[:, 1] - spans[:, 0])
