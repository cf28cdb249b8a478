"""Compiled broad phase of solids: which capsules of which bodies have boxes that meet those of things."""
# mypy: ignore-errors

import numpy as np

from walkon._base.jit import kernel, reads

BLOCK_ROW_COUNT = 32
"""Rows, mostly frames of one body, that are held against what stands still by one box around them all."""


@kernel()
def boxes_meet(a, b):
    """Say whether two boxes [6] (low corner, high corner) have a point in common."""
    for i in range(3):
        if not (a[i] <= b[3 + i] and b[i] <= a[3 + i]):
            return False
    return True


@kernel()
def add_capsules(boxes, count, row, thing, box, found, n):
    """Append (row, capsule, thing) of all capsules whose box meets that of a thing; return what holds them, and n."""
    if boxes_meet(boxes[boxes.shape[0] - 1], box):
        if n + count > found.shape[0]:
            wider = np.empty((2 * (n + count), 3), np.int64)
            wider[:n] = found[:n]
            found = wider
        for c in range(count):
            if boxes_meet(boxes[c], box):
                found[n, 0], found[n, 1], found[n, 2] = row, c, thing
                n += 1
    return found, n


@kernel(reads(3), reads(1, "int64"), reads(2), reads(3), reads(1, "int64"))
def find_meetings(boxes, counts, still, moving, frame):
    """Return (row, capsule, thing) [P, 3] whose boxes meet: things are those that stand still, then those that move.

    See `solids.find_meetings`.
    """
    R, S, M = boxes.shape[0], still.shape[0], moving.shape[1]
    K = boxes.shape[1] - 1
    found = np.empty((1024, 3), np.int64)
    near = np.empty(S, np.int64)
    around = np.empty(6)
    n = 0
    for first in range(0, R, BLOCK_ROW_COUNT):
        last = min(first + BLOCK_ROW_COUNT, R)
        for i in range(3):
            around[i], around[3 + i] = np.inf, -np.inf
            for r in range(first, last):
                around[i] = min(around[i], boxes[r, K, i])
                around[3 + i] = max(around[3 + i], boxes[r, K, 3 + i])
        some = 0
        for thing in range(S):
            if boxes_meet(around, still[thing]):
                near[some] = thing
                some += 1
        for r in range(first, last):
            for k in range(some):
                found, n = add_capsules(boxes[r], counts[r], r, near[k], still[near[k]], found, n)
            for m in range(M):
                found, n = add_capsules(boxes[r], counts[r], r, S + m, moving[frame[r], m], found, n)
    return found[:n].copy()
