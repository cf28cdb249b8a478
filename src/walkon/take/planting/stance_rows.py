"""From contacts of heels and balls to stances: rows with at most one contact of the heel and one of the ball each.

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

BRIDGE = 0.035
"""s; a ball that lands this soon after the heel has left (in a jog, a frame or two) goes on with the same stance."""


@dataclass(frozen=True, eq=False, kw_only=True)
class StanceRows(Table):
    """Stances in the making, sorted by character, foot and start. Seconds, metres."""

    character: Column = column("int32")
    foot: Column = column("int8")
    start: Column = column("float64")
    stop: Column = column("float64")
    heel_start: Column = column("float64")
    heel_stop: Column = column("float64")
    """Equal to the start where the heel is not planted."""
    ball_start: Column = column("float64")
    ball_stop: Column = column("float64")
    heel_whole: Column = column("float64", 2)
    """The whole contact of which this row has a part."""
    ball_whole: Column = column("float64", 2)
    heel_height: Column = column("float64")
    ball_height: Column = column("float64")
    order: Column = column("int32")
    towards: Column = column("int8")
    """−1: the anchor is before this row, so the row before is placed first; 1: after it; 0: this is the anchor."""
    same_heel: Column = column("bool")
    """Whether that row has a part of the same contact."""
    same_ball: Column = column("bool")
    heel_place: Column = column("float64", 3)
    ball_place: Column = column("float64", 3)


def stance_rows(spans: ContactSpans) -> StanceRows:
    """Arrange contacts into stances."""
    foot = spans.point // 2
    key = spans.character.astype(np.int64) * 2 + foot
    spans = spans.rows(np.lexsort((spans.point, spans.start, key)))
    key = spans.character.astype(np.int64) * 2 + spans.point // 2
    if not len(spans):
        return StanceRows()
    # A chain ends where the next contact begins after everything so far is over; shifting each foot's times far
    # apart lets one running maximum serve all feet.
    apart = (spans.stop.max() - spans.start.min() + 1.0) * (key - key[0])
    reach = np.maximum.accumulate(spans.stop + apart)
    fresh = np.ones(len(spans), bool)
    fresh[1:] = ((spans.start + apart)[1:] > reach[:-1] + BRIDGE) | (spans.stretch[1:] != spans.stretch[:-1])
    spans = _bridged(spans, apart, reach, fresh)
    chain = np.cumsum(fresh) - 1
    is_ball = spans.point % 2 == 1
    heels, balls = np.bincount(chain, ~is_ball), np.bincount(chain, is_ball)
    rocking = (heels > 1) | (balls > 1)
    simple = _simple(spans, chain, ~rocking)
    rows = StanceRows.joined([simple, *_rocking(spans, chain, np.flatnonzero(rocking))])
    return rows.rows(np.lexsort((rows.start, rows.character.astype(np.int64) * 2 + rows.foot)))


def _bridged(spans: ContactSpans, apart: Array, reach: Array, fresh: BoolArray) -> ContactSpans:
    """Let contacts of a chain that leave a short gap meet in its middle, so that something always bears."""
    after = np.flatnonzero(~fresh & (spans.start + apart > np.append(-np.inf, reach[:-1])))
    if not len(after):
        return spans
    holds = np.maximum.accumulate(np.where(spans.stop + apart == reach, np.arange(len(spans)), 0))[after - 1]
    middle = 0.5 * (spans.stop[holds] + spans.start[after])
    start, stop = np.array(spans.start), np.array(spans.stop)
    start[after], stop[holds] = middle, middle
    return spans.with_columns(start=start, stop=stop)


def _simple(spans: ContactSpans, chain: IntArray, wanted: BoolArray) -> StanceRows:
    """Return a row for each chain of one heel, one ball, or one of both."""
    count = len(wanted)
    heads = np.flatnonzero(np.diff(chain, prepend=-1))
    columns = {
        "character": spans.character[heads],
        "foot": spans.point[heads] // 2,
        "start": spans.start[heads],
        "stop": np.maximum.reduceat(spans.stop, heads),
    }
    for which, name in enumerate(("heel", "ball")):
        mine = spans.point % 2 == which
        whole = np.column_stack([columns["start"], columns["start"]])
        whole[chain[mine]] = np.column_stack([spans.start[mine], spans.stop[mine]])
        height = np.zeros(count)
        height[chain[mine]] = spans.height[mine]
        columns |= {f"{name}_start": whole[:, 0], f"{name}_stop": whole[:, 1]}
        columns |= {f"{name}_whole": whole, f"{name}_height": height}
    return StanceRows.filled(count, **columns).rows(wanted)


def _rocking(spans: ContactSpans, chain: IntArray, chains: IntArray) -> list[StanceRows]:
    """Cut each rocking chain into rows; these are few."""
    first = np.searchsorted(chain, chains)
    last = np.searchsorted(chain, chains, side="right")
    return [_cut(spans.rows(slice(int(a), int(b)))) for a, b in zip(first, last, strict=True)]


def _cut(spans: ContactSpans) -> StanceRows:
    """Cut one chain of contacts in the middle of each gap between two contacts of the same point."""
    start, stop = float(spans.start.min()), float(spans.stop.max())
    cuts = [start, stop]
    for which in (0, 1):
        mine = spans.rows(spans.point % 2 == which)
        cuts += [0.5 * (a + b) for a, b in zip(mine.stop[:-1], mine.start[1:], strict=True)]
    edges = np.unique(cuts)
    M = len(edges) - 1
    columns: dict[str, Array] = {"start": edges[:-1], "stop": edges[1:]}
    numbers = {}
    for which, name in enumerate(("heel", "ball")):
        mine = spans.rows(spans.point % 2 == which)
        low, high, number = edges[:-1].copy(), edges[:-1].copy(), np.full(M, -1)
        whole, height = np.column_stack([edges[:-1], edges[:-1]]), np.zeros(M)
        for k in range(len(mine)):
            part = (mine.start[k] < edges[1:] - 1e-9) & (mine.stop[k] > edges[:-1] + 1e-9)
            low[part] = np.maximum(mine.start[k], edges[:-1])[part]
            high[part] = np.minimum(mine.stop[k], edges[1:])[part]
            whole[part], height[part], number[part] = (mine.start[k], mine.stop[k]), mine.height[k], k
        columns |= {f"{name}_start": low, f"{name}_stop": high, f"{name}_whole": whole, f"{name}_height": height}
        numbers[name] = number
    anchor = int(np.argmax(np.ptp(columns["ball_whole"], axis=1) + 1e-3 * np.ptp(columns["heel_whole"], axis=1)))
    away = np.arange(M) - anchor
    neighbour = np.arange(M) - np.sign(away)
    same = {name: (number[neighbour] == number) & (number >= 0) & (away != 0) for name, number in numbers.items()}
    return StanceRows.filled(
        M,
        **columns,
        character=spans.character[0],
        foot=spans.point[0] // 2,
        order=np.abs(away),
        towards=-np.sign(away),
        same_heel=same["heel"],
        same_ball=same["ball"],
    )
