"""The compiled half of `occupancy`: putting discs into the table, and asking how deep one is in others."""

# mypy: ignore-errors

import math

from walkon._base.jit import group, kernel, reads, writes
from walkon.planning.occupancy_rule import CELL_M, EMPTY, NOBODY, Entries

WRITTEN = group(
    Entries,
    writes(1, "int64"),
    writes(1, "int32"),
    writes(1, "int32"),
    writes(1, "int32"),
    writes(1, "int32"),
    writes(1, "float32"),
    writes(1, "float32"),
    writes(1, "float32"),
    writes(1, "float32"),
    writes(1, "int32"),
)
"""The entries as kernels get them: they are written to by `insert` only."""


@kernel(borrowed=True)
def key_of(time_bin, cx, cy):
    """Pack a bin and a cell; cells within ± 2^19 m · CELL, bins up to 2^22 (five days)."""
    return (time_bin << 40) | ((cx + 524288) << 20) | (cy + 524288)


@kernel(borrowed=True)
def slot_of(keys, key):
    """Return where a key is in the table, or the empty slot where it would be.

    Eight bins of a cell lie side by side, in one line of the processor's cache: questions go along time.
    """
    mask = len(keys) - 1
    mixed = (key >> 43 << 40 | (key & 0xFFFFFFFFFF)) * -7046029254386353131
    at = ((mixed >> 20) << 3 | (key >> 40) & 7) & mask
    while keys[at] != EMPTY and keys[at] != key:
        at = (at + 8) & mask
    return at


@kernel(WRITTEN, "int64", "int64", reads(1, "int64"), reads(2, "float32"), borrowed=True)
def insert(entries, first, character, bins, discs):
    """Add discs [n, 3] at bins [n] as entries first, first + 1 …; return how many cells are new."""
    added = 0
    for i in range(len(bins)):
        row = first + i
        key = key_of(bins[i], int(math.floor(discs[i, 0] / CELL_M)), int(math.floor(discs[i, 1] / CELL_M)))
        at = slot_of(entries.keys, key)
        if entries.keys[at] == EMPTY:
            entries.keys[at] = key
            entries.heads[at] = -1
            added += 1
        entries.following[row] = entries.heads[at]
        entries.heads[at] = row
        entries.who[row] = character
        entries.bins[row] = bins[i]
        entries.x[row] = discs[i, 0]
        entries.y[row] = discs[i, 1]
        entries.r[row] = discs[i, 2]
        entries.widest[0] = max(entries.widest[0], discs[i, 2])
        entries.last[0] = max(entries.last[0], bins[i])
    return added


@kernel(borrowed=True)
def overlap(entries, time_bin, x, y, r, margin, me):
    """Return by how many metres a disc overlaps (with a margin) the worst of others at a bin; 0 where it meets none."""
    worst = 0.0
    around = r + margin + entries.widest[0]
    low_x, high_x = int(math.floor((x - around) / CELL_M)), int(math.floor((x + around) / CELL_M))
    low_y, high_y = int(math.floor((y - around) / CELL_M)), int(math.floor((y + around) / CELL_M))
    for cx in range(low_x, high_x + 1):
        for cy in range(low_y, high_y + 1):
            at = slot_of(entries.keys, key_of(time_bin, cx, cy))
            if entries.keys[at] == EMPTY:
                continue
            row = entries.heads[at]
            while row >= 0:
                who = entries.who[row]
                if who not in (NOBODY, me):
                    dx, dy = entries.x[row] - x, entries.y[row] - y
                    reach = entries.r[row] + r + margin
                    apart = dx * dx + dy * dy
                    if apart < reach * reach:
                        worst = max(worst, reach - math.sqrt(apart))
                row = entries.following[row]
    return worst


@kernel(borrowed=True)
def deeper(worst, ex, ey, er, disc, margin):
    """Return by how many metres a disc (x, y, r) overlaps another, if that is more than `worst`."""
    x, y, r = disc
    dx, dy = ex - x, ey - y
    reach = er + r + margin
    apart = dx * dx + dy * dy
    if r > 0.0 and apart < reach * reach:
        return max(worst, reach - math.sqrt(apart))
    return worst


@kernel(borrowed=True)
def overlap_of_body(entries, time_bin, x, y, reach, first, second, third, margin, me):
    """Return the `overlap` of each of three discs (x, y, r) that lie within `reach` m of a place; r ≤ 0 for none.

    The cells around are looked up once for all three.
    """
    a, b, c = 0.0, 0.0, 0.0
    around = reach + margin + entries.widest[0]
    low_x, high_x = int(math.floor((x - around) / CELL_M)), int(math.floor((x + around) / CELL_M))
    low_y, high_y = int(math.floor((y - around) / CELL_M)), int(math.floor((y + around) / CELL_M))
    for cx in range(low_x, high_x + 1):
        for cy in range(low_y, high_y + 1):
            at = slot_of(entries.keys, key_of(time_bin, cx, cy))
            row = -1 if entries.keys[at] == EMPTY else entries.heads[at]
            while row >= 0:
                who = entries.who[row]
                if who not in (NOBODY, me):
                    ex, ey, er = entries.x[row], entries.y[row], entries.r[row]
                    a = deeper(a, ex, ey, er, first, margin)
                    b = deeper(b, ex, ey, er, second, margin)
                    c = deeper(c, ex, ey, er, third, margin)
                row = entries.following[row]
    return a, b, c


@kernel(WRITTEN, reads(1, "int64"), reads(2), "float64", "int64", writes(1), borrowed=True)
def overlaps(entries, bins, discs, margin, me, depths):
    """Fill [n] how deep discs [n, 3] at bins [n] are in others than `me`."""
    for i in range(len(bins)):
        depths[i] = overlap(entries, bins[i], discs[i, 0], discs[i, 1], discs[i, 2], margin, me)


@kernel(WRITTEN, reads(1, "int64"), reads(2), "float64", "int64", writes(1, "int64"), borrowed=True)
def meets(entries, bins, discs, margin, me, found):
    """Fill [k] with characters other than `me` that discs [n, 3] at bins [n] overlap, each once; return how many."""
    count = 0
    cell_reach = entries.widest[0] + margin
    for i in range(len(bins)):
        x, y, r = discs[i, 0], discs[i, 1], discs[i, 2]
        reach = cell_reach + r
        for cx in range(int(math.floor((x - reach) / CELL_M)), int(math.floor((x + reach) / CELL_M)) + 1):
            for cy in range(int(math.floor((y - reach) / CELL_M)), int(math.floor((y + reach) / CELL_M)) + 1):
                at = slot_of(entries.keys, key_of(bins[i], cx, cy))
                if entries.keys[at] == EMPTY:
                    continue
                row = entries.heads[at]
                while row >= 0:
                    who = entries.who[row]
                    dx, dy = entries.x[row] - x, entries.y[row] - y
                    close = entries.r[row] + r + margin
                    if who not in (NOBODY, me) and dx * dx + dy * dy < close * close:
                        known = False
                        for k in range(count):
                            known = known or found[k] == who
                        if not known and count < len(found):
                            found[count] = who
                            count += 1
                    row = entries.following[row]
    return count
