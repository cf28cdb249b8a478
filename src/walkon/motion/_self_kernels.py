"""Compiled self-collision: capsules of one body against each other, limbs first, then capsules whose boxes meet.

The plain twin is `body.self_contact`, which measures every pair.
"""

# mypy: ignore-errors

import numpy as np

from walkon._base.jit import group_of, kernel, reads, writes
from walkon.geometry._kernels import capsule, capsule_gap
from walkon.motion.self_rule import MeetingTables


@kernel(borrowed=True, inline=True)
def _fill_limbs(boxes, limbs, counts, b, r, around):
    """Fill the boxes [L, 6] around the limbs of row r: around all capsules of a joint."""
    for limb in range(around.shape[0]):
        for i in range(3):
            around[limb, i], around[limb, 3 + i] = np.inf, -np.inf
    for c in range(counts[b]):
        limb = limbs[b, c]
        for i in range(3):
            around[limb, i] = min(around[limb, i], boxes[r, c, i])
            around[limb, 3 + i] = max(around[limb, 3 + i], boxes[r, c, 3 + i])


@kernel(borrowed=True, inline=True)
def _meet(boxes, a, b, deeper):
    """Say whether two boxes overlap by more than so much along every axis."""
    for i in range(3):
        if boxes[a, i] + deeper > boxes[b, 3 + i] or boxes[b, i] + deeper > boxes[a, 3 + i]:
            return False
    return True


@kernel(
    group_of(MeetingTables),
    reads(1, "int64"),
    reads(1),
    reads(1),
    reads(3),
    reads(3),
    reads(3),
    reads(3),
    writes(1),
    writes(1, "int64"),
)
def self_excess(tables, body, scale, allowed, starts, ends, radii, boxes, excess, pair):
    """Fill, per row, how much deeper a pair of capsules overlaps than it may, and which; −1 where none does.

    Rows of body −1 are left out.
    """
    around = np.empty((tables.limbs.max() + 1, 6))
    for r in range(body.shape[0]):
        b = body[r]
        excess[r], pair[r] = 0.0, -1
        if b < 0:
            continue
        _fill_limbs(boxes, tables.limbs, tables.counts, b, r, around)
        for m in range(tables.first[b], tables.first[b + 1]):
            if not _meet(around, tables.meetings[m, 0], tables.meetings[m, 1], 0.0):
                continue
            for p in range(tables.meetings[m, 2], tables.meetings[m, 3]):
                c, d = tables.pairs[p, 0], tables.pairs[p, 1]
                bar = scale[r] * allowed[p] + excess[r]
                if _meet(boxes[r], c, d, bar):
                    one, two = capsule(starts[r], ends[r], radii[r], c), capsule(starts[r], ends[r], radii[r], d)
                    depth = -capsule_gap(one, two, -bar)
                    if depth > bar:
                        excess[r], pair[r] = depth - scale[r] * allowed[p], p


@kernel(group_of(MeetingTables), "int64", reads(3), reads(3), reads(3), reads(3), writes(1))
def deepest_overlaps(tables, b, starts, ends, radii, boxes, deepest):
    """Raise the deepest overlap [P] of each pair of capsules of body b by what rows have."""
    around = np.empty((tables.limbs.max() + 1, 6))
    for r in range(starts.shape[0]):
        _fill_limbs(boxes, tables.limbs, tables.counts, b, r, around)
        for m in range(tables.first[b], tables.first[b + 1]):
            if not _meet(around, tables.meetings[m, 0], tables.meetings[m, 1], 0.0):
                continue
            for p in range(tables.meetings[m, 2], tables.meetings[m, 3]):
                c, d = tables.pairs[p, 0], tables.pairs[p, 1]
                if _meet(boxes[r], c, d, deepest[p]):
                    one, two = capsule(starts[r], ends[r], radii[r], c), capsule(starts[r], ends[r], radii[r], d)
                    deepest[p] = max(deepest[p], -capsule_gap(one, two, -deepest[p]))
