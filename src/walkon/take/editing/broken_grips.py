"""Which grips an edit breaks: hands that let go because what they held is not there, and hands that fall short now.

Grips are looked at ten times a second, from their start to their stop, on the posed takes before and after. Metres,
seconds.
"""

import numpy as np

from walkon._base.arrays import IntArray
from walkon.motion.skeleton import SIDES
from walkon.take.posing.holding import grip_frames
from walkon.take.posing.posing import pose_pairs
from walkon.take.tables import flat_ranges
from walkon.take.take import Take

__all__ = ["kept_grips", "tell_lost", "tell_not_copied", "tell_short"]

SHORT_M = 0.005
"""m from the palm to where it should be, over which a grip is broken."""
LOOKS_PER_S, MAX_LOOK_COUNT = 10.0, 600
"""How often a grip is looked at, and how many times at most."""
BEFORE_STOP_S = 1e-6
"""s before its stop at which the end of a grip is looked at."""


def kept_grips(take: Take, kept: IntArray, held: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rows of grips of characters `kept` that stay where only props `held` are left, and those lost."""
    g = take.grips
    gone = ((g.other >= 0) & ~np.isin(g.other, kept)) | ((g.prop >= 0) & ~np.isin(g.prop, held))
    mine = np.isin(g.character, kept)
    return np.flatnonzero(mine & ~gone), np.flatnonzero(mine & gone)


def tell_lost(take: Take, rows: IntArray) -> tuple[str, ...]:
    """Say which grips, rows of a take, are gone with what they held."""
    return tuple(f"{_describe(take, k)} is gone: what it held is not there any more" for k in rows.tolist())


def tell_not_copied(take: Take, rows: IntArray, copies: dict[int, str]) -> tuple[str, ...]:
    """Say which grips, rows of a take, copies of their owners (by row) do not have."""
    return tuple(
        f"the copy {copies[int(take.grips.character[k])]!r} does not hold {_thing(take, k)}, which was not copied"
        for k in rows.tolist()
    )


def tell_short(before: Take, after: Take, changed: IntArray, same: IntArray | None = None) -> tuple[str, ...]:
    """Say which grips that have to do with characters `changed` an edit has broken: absent now, or farther off.

    `same` are the rows of the grips before that are rows 0, 1, … now; all of them unless given.
    """
    g, a = after.grips, after.attachments
    carried = a.prop[np.isin(a.character, changed)]
    rows = np.flatnonzero(np.isin(g.character, changed) | np.isin(g.other, changed) | np.isin(g.prop, carried))
    if not len(rows):
        return ()
    old = np.arange(len(before.grips)) if same is None else same
    was = _misses(before, old[rows[rows < len(old)]])
    found = []
    for k, (short, at, absent) in zip(rows.tolist(), _misses(after, rows), strict=True):
        worst, _, gone = was[int(np.searchsorted(rows, k))] if k < len(old) else (0.0, 0.0, False)
        if absent and not gone:
            found.append(f"{_describe(after, k)} finds nothing to hold: it is not there")
        elif short > worst + SHORT_M:
            found.append(f"{_describe(after, k)} falls {short:.2f} m short at {at:.2f} s")
    return tuple(found)


def _misses(take: Take, rows: IntArray) -> list[tuple[float, float, bool]]:
    """Return for grips how far the palm falls short at most (m), when (s), and whether what it holds is ever absent."""
    g = take.grips.rows(rows)
    counts = np.clip(np.ceil((g.stop - g.start) * LOOKS_PER_S), 2, MAX_LOOK_COUNT).astype(np.int64)
    row = np.repeat(np.arange(len(g)), counts)
    share = flat_ranges(np.zeros(len(g), np.int64), counts) / np.maximum(counts - 1, 1)[row]
    when = g.start[row] + share * (g.stop[row] - g.start[row] - BEFORE_STOP_S)
    poses = pose_pairs(take, g.character[row], when)
    there = poses.presence == 1
    short = np.where(there, poses.hands_missed[np.arange(len(row)), g.hand[row]], 0.0)
    absent = np.isnan(grip_frames(take, g.rows(row), when)[:, 0]) & there
    first = np.cumsum(counts) - counts
    return [
        (float(short[a:b].max()), float(when[a + short[a:b].argmax()]), bool(absent[a:b].any()))
        for a, b in zip(first.tolist(), (first + counts).tolist(), strict=True)
    ]


def _describe(take: Take, row: int) -> str:
    """Return the words for a grip: whose hand, on what, when."""
    g = take.grips
    return (
        f"the grip of the {SIDES[g.hand[row]]} hand of {take.names[g.character[row]]!r} on {_thing(take, row)} from "
        f"{g.start[row]:g} to {g.stop[row]:g} s"
    )


def _thing(take: Take, row: int) -> str:
    prop, other = int(take.grips.prop[row]), int(take.grips.other[row])
    return repr(take.props[prop].name) if prop >= 0 else repr(take.names[other]) if other >= 0 else "the stage"
