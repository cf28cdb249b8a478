"""A time window of a take: what is to be seen from one time to another, posed exactly as before.

Rates, warps and blends run over a whole segment, and single precision would not let them be cut and stay the same. So a
segment that the window cuts through stays whole, and the character is shown only within it (`Characters.enter`,
`leave`). Of feet, drops and overrides those rows are kept that posing reads in the window; attachments and reasons are
trimmed.
"""

from dataclasses import replace
from typing import TypeVar

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.take.editing.splicing import extract, renumber
from walkon.take.posing.holding import held_poses
from walkon.take.posing.posing_rule import DROP_STEP_S
from walkon.take.posing.props import prop_poses
from walkon.take.tables import MEANT, NONE, WINDOW, Attachments, Grips, HandShapes, Reasons, References, Stances
from walkon.take.take import Take

__all__ = ["cut_window"]

Hands = TypeVar("Hands", Grips, HandShapes)


def cut_window(take: Take, start: float, stop: float) -> Take:
    """Return what is to be seen of a take from `start` to `stop` seconds, on the same clock."""
    c, s = take.characters, take.segments
    low = np.where(c.limited, np.maximum(c.enter, start), start)
    high = np.where(c.limited, np.minimum(c.leave, stop), stop)
    runs = (low < high)[s.character] & (s.start < high[s.character]) & (s.stop > low[s.character])
    there = np.unique(s.character[runs])
    over = (s.start < low[s.character]) | (s.stop > high[s.character])
    trimmed = np.isin(np.arange(len(take)), s.character[runs & over])
    o, d = take.overrides, take.drops
    tick = d.step - np.floor((np.stack([low, high]) - c.drop_start) / DROP_STEP_S)[:, d.character]
    keep = _marks_within(take, start, stop)
    m, number = take.marks, renumber(keep, len(take.marks))
    hold = np.minimum(m.hold, np.where(m.asks & MEANT > 0, stop - m.met, m.hold))
    shorter = replace(
        take,
        characters=c.with_columns(enter=np.where(trimmed, low, 0.0), leave=np.where(trimmed, high, 0.0)),
        segments=s.with_columns(mark=number[s.mark]).rows(runs),
        stances=take.stances.rows(_stances_within(take.stances, low, high)),
        drops=d.rows((tick[0] >= -2) & (tick[1] <= 3)),
        overrides=o.rows((o.stop >= low[o.character]) & (o.start <= high[o.character])),
        attachments=_attachments_within(take, start, stop),
        grips=_hands_within(take.grips, low, high),
        hand_shapes=_hands_within(take.hand_shapes, low, high),
        references=_references_within(take.references, start, stop),
        marks=m.with_columns(hold=np.maximum(hold, 0.0)).rows(keep),
        reasons=_reasons_within(take.reasons.with_columns(mark=number[take.reasons.mark]), low, high),
        mark_names=tuple(take.mark_names[k] for k in keep),
        mark_poses=tuple(take.mark_poses[k] for k in keep),
    )
    return extract(shorter, there)


def _stances_within(stances: Stances, low: Array, high: Array) -> BoolArray:
    """Say which stances matter between low and high [N]: those that overlap, and the ones before and after per foot."""
    order = np.lexsort((stances.start, stances.whose))
    whose, who = stances.whose[order], stances.character[order]
    before, after = stances.stop[order] < low[who], stances.start[order] > high[who]
    changes = np.concatenate([[True], np.diff(whose) != 0, [True]])  # of the foot, before each and after the last
    last_before = before & (changes[1:] | ~np.append(before[1:], False))
    first_after = after & (changes[:-1] | ~np.append(False, after[:-1]))
    keep = ~(before | after) | last_before | first_after
    found = np.empty(len(order), bool)
    found[order] = keep
    return found


def _references_within(rows: References, start: float, stop: float) -> References:
    """Trim what characters were asked to follow to the window."""
    inside = rows.rows((rows.start < stop) & (rows.stop > start))
    begin = np.maximum(inside.start, start)
    clock = inside.track_start + begin - inside.start
    return inside.with_columns(start=begin, stop=np.minimum(inside.stop, stop), track_start=clock)


def _hands_within(rows: Hands, low: Array, high: Array) -> Hands:
    """Return the grips or shapes that have a say between low and high [N], whole: they pose as before."""
    who = rows.character
    return rows.rows((rows.stop + rows.fade_out >= low[who]) & (rows.start - rows.fade_in <= high[who]))


def _marks_within(take: Take, start: float, stop: float) -> IntArray:
    """Return the marks that are met in the window, or are meant to be met never and due then or at no time."""
    m = take.marks
    meant = m.asks & MEANT > 0
    met = (m.met >= start) & (m.met <= stop)
    due = (m.asks & WINDOW == 0) | ((m.window[:, 1] >= start) & (m.window[:, 0] <= stop))
    return np.flatnonzero(np.where(meant, met, due))


def _reasons_within(reasons: Reasons, low: Array, high: Array) -> Reasons:
    """Trim reasons to between low and high [N]; their numbers are still those of the whole way or wait."""
    start, stop = np.maximum(reasons.start, low[reasons.character]), np.minimum(reasons.stop, high[reasons.character])
    return reasons.with_columns(start=start, stop=stop).rows(start < stop)


def _attachments_within(take: Take, start: float, stop: float) -> Attachments:
    """Trim attachments to the window; props that lie where they were left before it rest there."""
    a = take.attachments
    inside = a.rows((a.start < stop) & (a.stop > start))
    begin, end = np.maximum(inside.start, start), np.minimum(inside.stop, stop)
    inside = inside.with_columns(
        start=begin,
        stop=end,
        track_start=inside.track_start + begin - inside.start,
        pose=np.stack([held_poses(inside, begin), held_poses(inside, end)], axis=1),
    )
    held = np.unique(a.prop[(a.start <= start) & (a.stop > start)])
    found = prop_poses(take, [start])
    left = np.setdiff1d(np.flatnonzero(found.present[0]), held)
    until = np.full(len(take.props), stop)
    np.minimum.at(until, inside.prop, inside.start)
    lies = Attachments.filled(
        len(left),
        prop=left,
        start=start,
        stop=until[left],
        character=NONE,
        joint=NONE,
        track=NONE,
        pose=np.concatenate([found.positions[0, left], found.rotations[0, left]], axis=1)[:, None],
    )
    return Attachments.joined([inside, lies])
