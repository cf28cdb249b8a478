"""Compiled self-collision: capsules of one body against each other, limbs first, then capsules whose boxes meet.

The plain twin is `body.self_contact`, which measures every pair.
"""

# mypy: ignore-errors

import math

from walkon._base.jit import group_of, kernel, reads, writes
from walkon.geometry._kernels import capsule, capsule_gap
from walkon.motion.anatomy.self_rule import MeetingTables


@kernel(borrowed=True, inline=True)
def _fill_limbs(boxes, order, limbs, around):
    """Fill the boxes [L, 6] around the limbs of a body: around all capsules of a joint."""
    for limb in range(limbs.shape[0] - 1):
        c = order[limbs[limb]]
        x0, y0, z0, x1, y1, z1 = boxes[c, 0], boxes[c, 1], boxes[c, 2], boxes[c, 3], boxes[c, 4], boxes[c, 5]
        for k in range(limbs[limb] + 1, limbs[limb + 1]):
            c = order[k]
            x0 = boxes[c, 0] if boxes[c, 0] < x0 else x0
            y0 = boxes[c, 1] if boxes[c, 1] < y0 else y0
            z0 = boxes[c, 2] if boxes[c, 2] < z0 else z0
            x1 = boxes[c, 3] if boxes[c, 3] > x1 else x1
            y1 = boxes[c, 4] if boxes[c, 4] > y1 else y1
            z1 = boxes[c, 5] if boxes[c, 5] > z1 else z1
        around[limb, 0], around[limb, 1], around[limb, 2] = x0, y0, z0
        around[limb, 3], around[limb, 4], around[limb, 5] = x1, y1, z1


@kernel(borrowed=True, inline=True)
def _meet(boxes, a, b, deeper):
    """Say whether two boxes overlap by more than so much along every axis: heights first, which tell most apart."""
    if boxes[a, 2] + deeper > boxes[b, 5] or boxes[b, 2] + deeper > boxes[a, 5]:
        return False
    if boxes[a, 0] + deeper > boxes[b, 3] or boxes[b, 0] + deeper > boxes[a, 3]:
        return False
    return not (boxes[a, 1] + deeper > boxes[b, 4] or boxes[b, 1] + deeper > boxes[a, 4])


@kernel(borrowed=True, inline=True)
def _apart(starts, ends, radii, c, d, deeper):
    """Say whether a plane across the line between their middles shows that two capsules are not so deep in each other.

    With u the unit vector along that line, the gap is at least min over the ends of d of (u · p − r) less the max over
    those of c of (u · p + r).
    """
    ux = starts[d, 0] + ends[d, 0] - starts[c, 0] - ends[c, 0]
    uy = starts[d, 1] + ends[d, 1] - starts[c, 1] - ends[c, 1]
    uz = starts[d, 2] + ends[d, 2] - starts[c, 2] - ends[c, 2]
    size = math.sqrt(ux * ux + uy * uy + uz * uz)
    far = max(
        ux * starts[c, 0] + uy * starts[c, 1] + uz * starts[c, 2] + size * radii[c, 0],
        ux * ends[c, 0] + uy * ends[c, 1] + uz * ends[c, 2] + size * radii[c, 1],
    )
    near = min(
        ux * starts[d, 0] + uy * starts[d, 1] + uz * starts[d, 2] - size * radii[d, 0],
        ux * ends[d, 0] + uy * ends[d, 1] + uz * ends[d, 2] - size * radii[d, 1],
    )
    return near - far > -deeper * size


@kernel(borrowed=True, inline=True)
def _depth(starts, ends, radii, c, d, deeper):
    """Return how deep two capsules are in each other, where that is more than `deeper`; else some number below."""
    if _apart(starts, ends, radii, c, d, deeper):
        return 0.0
    return -capsule_gap(capsule(starts, ends, radii, c), capsule(starts, ends, radii, d), -deeper)


@kernel(
    group_of(MeetingTables),
    reads(1, "int64"),
    reads(1),
    reads(1),
    reads(3),
    reads(3),
    reads(3),
    reads(3),
    writes(2),
    writes(1),
    writes(1, "int64"),
    borrowed=True,
)
def self_excess(tables, body, scale, allowed, starts, ends, radii, boxes, around, excess, pair):
    """Fill, per row, how much deeper a pair of capsules overlaps than it may, and which; −1 where none does.

    Rows of body −1 are left out; `around` [L, 6] is room to work in.
    """
    meetings, pairs = tables.meetings, tables.pairs
    for r in range(body.shape[0]):
        b = body[r]
        most, which = 0.0, -1
        if b >= 0:
            start, end, radius, box = starts[r], ends[r], radii[r], boxes[r]
            _fill_limbs(box, tables.order[b], tables.limbs[b], around)
            for m in range(tables.first[b], tables.first[b + 1]):
                if _meet(around, meetings[m, 0], meetings[m, 1], 0.0):
                    for p in range(meetings[m, 2], meetings[m, 3]):
                        bar = scale[r] * allowed[p] + most
                        if _meet(box, pairs[p, 0], pairs[p, 1], bar):
                            depth = _depth(start, end, radius, pairs[p, 0], pairs[p, 1], bar)
                            if depth > bar:
                                most, which = depth - scale[r] * allowed[p], p
        excess[r], pair[r] = most, which


@kernel(group_of(MeetingTables), reads(3), reads(3), reads(3), reads(3), writes(2), writes(1), borrowed=True)
def deepest_overlaps(tables, starts, ends, radii, boxes, around, deepest):
    """Raise the deepest overlap [P] of each pair of capsules of the only body by what rows have."""
    meetings, pairs = tables.meetings, tables.pairs
    for r in range(starts.shape[0]):
        start, end, radius, box = starts[r], ends[r], radii[r], boxes[r]
        _fill_limbs(box, tables.order[0], tables.limbs[0], around)
        for m in range(meetings.shape[0]):
            if _meet(around, meetings[m, 0], meetings[m, 1], 0.0):
                for p in range(meetings[m, 2], meetings[m, 3]):
                    if _meet(box, pairs[p, 0], pairs[p, 1], deepest[p]):
                        depth = _depth(start, end, radius, pairs[p, 0], pairs[p, 1], deepest[p])
                        deepest[p] = max(deepest[p], depth)
