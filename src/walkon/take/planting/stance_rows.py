"""From contacts to stances (support phases of a foot): rows with at most one contact of heel and one of ball each.

Contacts of one foot that overlap, or nearly meet within one stretch, form a chain. Most chains are a step: one heel,
one ball, one row. Where a foot rocks or pivots, a chain has several contacts of its heel (or ball); it is cut into
abutting rows in the middle of each gap, and a contact that is cut keeps one plant in all of them. The row with the
longest contact of the ball is the anchor of its chain; `order` counts rows away from it, and `towards` says on which
side the anchor lies.
"""

from dataclasses import dataclass

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.table import Column, Table, column
from walkon.take.planting.contact_spans import ContactSpans

__all__ = ["StanceRows", "stance_rows"]

MAX_BRIDGED_GAP_S = 0.035
"""s; a ball that lands this soon after the heel has left (in a jog, a frame or two) goes on with the same stance."""


@dataclass(frozen=True, eq=False, kw_only=True)
class StanceRows(Table):
    """Stances in the making, sorted by character, foot and start. Seconds, metres."""

    character: Column = column("int32")
    foot: Column = column("int8")
    start: Column = column("float64")
    stop: Column = column("float64")
    spans: Column = column("float64", 2, 2)
    """From when to when the heel and the ball are planted; equal to the start where one is not."""
    whole: Column = column("float64", 2, 2)
    """The whole contacts of which this row has a part."""
    heights: Column = column("float64", 2)
    """z of the supports of heel and ball, as the height curve has them."""
    raised: Column = column("float64", 2)
    """Of that, what the clip itself has its support above its floor."""
    began: Column = column("float64")
    """When its chain begins."""
    order: Column = column("int32")
    towards: Column = column("int8")
    """−1: the anchor is before this row, so the row before is placed first; 1: after it; 0: this is the anchor."""
    same: Column = column("bool", 2)
    """Whether that row has a part of the same contact of the heel, of the ball."""
    places: Column = column("float64", 2, 3)
    """The plants of heel and ball."""

    @property
    def planted(self) -> BoolArray:
        """[rows, 2] whether the heel and the ball are planted at all."""
        return np.asarray(self.spans[:, :, 1] > self.spans[:, :, 0])


def stance_rows(spans: ContactSpans) -> StanceRows:
    """Arrange contacts into stances."""
    if not len(spans):
        return StanceRows()
    spans = spans.rows(np.lexsort((spans.point, spans.start, spans.point // 2, spans.character)))
    key = spans.character.astype(np.int64) * 2 + spans.point // 2
    # A chain ends where the next contact begins after everything so far is over.
    reach = _running_latest(key, spans.stop)
    fresh = np.ones(len(spans), bool)
    fresh[1:] = (key[1:] != key[:-1]) | (spans.start[1:] > reach[:-1] + MAX_BRIDGED_GAP_S)
    fresh[1:] |= spans.stretch[1:] != spans.stretch[:-1]
    spans = _bridge_gaps(spans, reach, fresh)
    chain, heads = np.cumsum(fresh) - 1, np.flatnonzero(fresh)
    counts = np.bincount(2 * chain + spans.point % 2, minlength=2 * len(heads)).reshape(-1, 2)
    rocking = (counts > 1).any(axis=1)
    ends = np.append(heads, len(spans))
    cut = [_cut_chain(spans.rows(slice(ends[k], ends[k + 1]))) for k in np.flatnonzero(rocking)]  # these are few
    rows = StanceRows.joined([_make_rows(spans, chain, heads).rows(~rocking), *cut])
    return rows.rows(np.lexsort((rows.start, rows.foot, rows.character)))


def _running_latest(key: IntArray, stops: Array) -> Array:
    """Return [K] the latest of the stops so far among rows of one key; rows of a key stand together, keys ascend.

    Ranks instead of times are compared, so that one running maximum serves all keys and nothing is rounded.
    """
    order = np.argsort(stops, kind="stable")
    rank = np.empty(len(stops), np.int64)
    rank[order] = np.arange(len(stops))
    group = np.cumsum(np.diff(key, prepend=key[0]) != 0)
    return np.asarray(stops[order[np.maximum.accumulate(group * len(stops) + rank) % len(stops)]])


def _bridge_gaps(spans: ContactSpans, reach: Array, fresh: BoolArray) -> ContactSpans:
    """Let contacts of a chain that leave a short gap meet in its middle, so that something always bears."""
    after = np.flatnonzero(~fresh & (spans.start > np.append(-np.inf, reach[:-1])))
    if not len(after):
        return spans
    holds = np.maximum.accumulate(np.where(spans.stop == reach, np.arange(len(spans)), 0))[after - 1]
    middle = 0.5 * (spans.stop[holds] + spans.start[after])
    start, stop = np.array(spans.start), np.array(spans.stop)
    start[after], stop[holds] = middle, middle
    return spans.with_columns(start=start, stop=stop)


def _make_rows(spans: ContactSpans, chain: IntArray, heads: IntArray) -> StanceRows:
    """Return a row for each chain, as if it were of one heel, one ball, or one of both."""
    start, point = spans.start[heads], spans.point % 2
    times, heights, raised = (
        np.tile(start[:, None, None], (1, 2, 2)),
        np.zeros((len(heads), 2)),
        np.zeros((len(heads), 2)),
    )
    times[chain, point] = np.column_stack([spans.start, spans.stop])
    heights[chain, point], raised[chain, point] = spans.height, spans.raised
    return StanceRows.filled(
        len(heads),
        character=spans.character[heads],
        foot=spans.point[heads] // 2,
        start=start,
        stop=np.maximum.reduceat(spans.stop, heads),
        began=start,
        spans=times,
        whole=times,
        heights=heights,
        raised=raised,
    )


def _cut_chain(spans: ContactSpans) -> StanceRows:
    """Cut one chain of contacts in the middle of each gap between two contacts of the same point."""
    cuts = [spans.start.min(), spans.stop.max()]
    for which in (0, 1):
        mine = spans.rows(spans.point % 2 == which)
        cuts += [0.5 * (a + b) for a, b in zip(mine.stop[:-1], mine.start[1:], strict=True)]
    edges = np.unique(cuts)
    low, high = edges[:-1], edges[1:]
    times = np.tile(low[:, None, None], (1, 2, 2))
    whole, heights, number = times.copy(), np.zeros((len(low), 2)), np.full((len(low), 2), -1)
    raised = np.zeros((len(low), 2))
    for k, (point, start, stop) in enumerate(zip(spans.point % 2, spans.start, spans.stop, strict=True)):
        part = (start < high - 1e-9) & (stop > low + 1e-9)
        times[part, point] = np.column_stack([np.maximum(start, low), np.minimum(stop, high)])[part]
        whole[part, point], heights[part, point], number[part, point] = (start, stop), spans.height[k], k
        raised[part, point] = spans.raised[k]
    length = whole[:, :, 1] - whole[:, :, 0]
    away = np.arange(len(low)) - int(np.argmax(length[:, 1] + 1e-3 * length[:, 0]))
    neighbour = np.arange(len(low)) - np.sign(away)
    return StanceRows.filled(
        len(low),
        character=spans.character[0],
        foot=spans.point[0] // 2,
        start=low,
        stop=high,
        began=edges[0],
        spans=times,
        whole=whole,
        heights=heights,
        raised=raised,
        order=np.abs(away),
        towards=-np.sign(away),
        same=(number[neighbour] == number) & (number >= 0) & (away != 0)[:, None],
    )
