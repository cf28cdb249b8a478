"""Making a score: the tables of a take as the posing kernel reads them, with ranges of rows per character.

Nothing here is stored; it is made once from a take, mostly by looking at its tables' own arrays.
"""

from typing import TYPE_CHECKING

import numpy as np

from walkon._base.arrays import BoolArray, lock_fields
from walkon._base.table import Column
from walkon.take.clips import channel_counts, foot_runs
from walkon.take.posing.rigs import make_rigs
from walkon.take.posing.score_rule import ClipFrames, Ranges, Rigs, Score
from walkon.take.tables import Drops, flat_ranges, in_order

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = ["Rigs", "Score", "keep_largest", "make_score", "with_feet"]


def make_score(take: "Take", *, like: "Take | None" = None) -> Score:
    """Arrange a take for the kernel; all arrays are locked. What depends on bodies and clips may be those of `like`."""
    N = len(take.characters)
    overrides = in_order(take.overrides, take.overrides.character, take.overrides.start)
    nobody = np.zeros(0, np.int64)
    first = Ranges(
        segments=_ranges(take.segments.character, N),
        stances=nobody,
        drops=nobody,
        overrides=_ranges(overrides.character, N),
        heights=nobody,
    )
    plays = _plays(take)
    if like is not None and (like.bodies != take.bodies or like.skeletons != take.skeletons):
        like = None
    rigs = like.score.rigs if like is not None and np.array_equal(_plays(like), plays) else None
    frames = like.score.frames if like is not None and like.clips is take.clips else None
    score = Score(
        rigs=rigs or make_rigs(take.bodies, take.skeletons, plays=plays).group,
        clips=take.clips.rows.group,
        frames=frames or lock_fields(_make_frames(take)),
        first=first,
        characters=take.characters.group,
        segments=take.segments.group,
        warps=take.warps.group,
        blends=take.blends.group,
        tracks=take.tracks.group,
        track_knots=take.track_knots.group,
        track_turns=take.track_turns.group,
        heights=take.heights.group,
        overrides=overrides.group,
        override_joints=take.override_joints.group,
        override_frames=take.override_frames.group,
        override_roots=take.override_roots.group,
        stances=take.stances.group,
        drops=take.drops.group,
    )
    return with_feet(score, take)


def with_feet(score: Score, take: "Take") -> Score:
    """Return a score with the stances, drops and heights of a take that has the same characters."""
    N = len(take.characters)
    heights = in_order(take.heights, take.heights.character, take.heights.time)
    stances = in_order(take.stances, take.stances.whose, take.stances.start)
    drops = keep_largest(take.drops)
    first = score.first._replace(
        stances=_ranges(stances.whose, 2 * N),
        drops=_ranges(drops.character, N),
        heights=_ranges(heights.character, N),
    )
    return score._replace(first=lock_fields(first), stances=stances.group, drops=drops.group, heights=heights.group)


def keep_largest(drops: Drops) -> Drops:
    """Keep the largest of several drops at one step: parts that were planted one after the other each bring theirs."""
    drops = in_order(drops, drops.character, drops.step)
    again = (np.diff(drops.character) == 0) & (np.diff(drops.step) == 0)
    if not again.any():
        return drops
    heads = np.flatnonzero(~np.append(False, again))
    return drops.rows(heads).with_columns(drop=np.maximum.reduceat(drops.drop, heads))


def _plays(take: "Take") -> BoolArray:
    """Return [B] whether anybody with a body plays a clip."""
    s = take.segments
    return np.isin(np.arange(len(take.bodies)), take.characters.body[s.character[s.clip >= 0]])


def _ranges(group: Column, count: int) -> Column:
    return np.searchsorted(group, np.arange(count + 1)).astype(np.int64)


def _make_frames(take: "Take") -> ClipFrames:
    clips, rows = take.clips, take.clips.rows
    bits = np.zeros(len(clips.roots), np.uint8)
    runs = foot_runs(clips, take.skeletons)
    for point in np.unique(runs.point):
        mine = runs.rows(runs.point == point)  # these do not overlap
        bits[flat_ranges(rows.first_frame[mine.clip] + mine.start, mine.stop - mine.start)] |= np.uint8(1 << point)
    count = channel_counts(take.skeletons)[rows.skeleton].astype(np.int32)
    return ClipFrames(channels=count, roots=clips.roots, rotations=clips.rotations, contacts=bits)
