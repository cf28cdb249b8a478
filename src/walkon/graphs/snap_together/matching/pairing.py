"""Pairing: between which match frames edges lie, namely those that follow each other in their clip.

Every match frame is followed by the next one; where that one lies within w_min of match frames of other hubs, it leads
to those as well. For each such pair there is an edge of its own, so that a moment which is like two hubs serves both:
fully the one it is nearest to (its *primary* one), and the other as a way to or from somewhere else.

Further *copies* of the clips are cut at some of the hubs only. They add what lies across the others: sharp turns, and
ways between rest and motion. Frames are the library's, counted from the first of their clip; seconds, radians.
"""

from bisect import bisect
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.table import Column
from walkon.transforms import planar

__all__ = [
    "MAX_COPIED_EDGE_S",
    "RESTING_BELOW_M_S",
    "SHARP_TURN_RAD",
    "Pairs",
    "pair_matches",
    "pairs_with_copies",
    "primary_matches",
]

SHARP_TURN_RAD, MAX_COPIED_EDGE_S = np.deg2rad(30.0), 4.0
"""rad of turn that is sharp, and the longest edge that a copy adds, in seconds."""
RESTING_BELOW_M_S = 0.2
"""m/s below which a hub is at rest."""


class Pairs(NamedTuple):
    """E pairs of match frames that follow each other."""

    first: IntArray
    """[E] rows of the match frames."""
    last: IntArray


def primary_matches(clip: Column, frame: Column, distance: Column, *, spacing: int) -> BoolArray:
    """Say which match frames [M] shape common poses: of those near each other in a clip, the one of least distance."""
    kept = np.zeros(len(clip), bool)
    taken: dict[int, list[int]] = {}
    clips, frames = clip.tolist(), frame.tolist()
    # Distances are compared as a graph holds them, in single precision.
    for row in np.argsort(distance.astype(np.float32), kind="stable").tolist():
        near, least = taken.setdefault(clips[row], []), max(spacing, 1)
        at = bisect(near, frames[row])
        if all(abs(frames[row] - other) >= least for other in near[max(at - 1, 0) : at + 1]):
            near.insert(at, frames[row])
            kept[row] = True
    return kept


def pair_matches(clip: Column, frame: Column, hub: IntArray, *, primary: BoolArray, spacing: int) -> Pairs:
    """Pair every match frame [M] with the ones that come next in its clip, at least `spacing` frames later.

    At least one of each pair is `primary` [M].
    """
    least = max(spacing, 1)
    order = np.lexsort((hub, frame, clip))
    # One increasing number per frame of the library, clips far apart, so that one search finds the next frames of all.
    along = (clip.astype(np.int64) * (2 * (int(frame.max(initial=0)) + least) + 2) + frame)[order]
    begin = np.searchsorted(along, along + least)
    first, last = [], []
    for k, at in enumerate(begin.tolist()):
        row = int(order[k])
        if at == len(order) or clip[order[at]] != clip[row]:
            continue
        near = order[at : np.searchsorted(along, along[at] + least)]
        # Of several frames of one hub the first; hubs come in order of time.
        _, unique = np.unique(hub[near], return_index=True)
        for other in near[np.sort(unique)].tolist():
            if primary[row] or primary[other]:
                first.append(row)
                last.append(other)
    return Pairs(np.array(first, np.int64), np.array(last, np.int64))


def pairs_with_copies(
    clip: Column,
    frame: Column,
    hub: IntArray,
    *,
    primary: BoolArray,
    spacing: int,
    copies: Sequence[Collection[int]],
    places: Array,
    resting: BoolArray,
    fps: float,
) -> Pairs:
    """Pair match frames [M] of the clips and of their copies, each cut at these hubs only.

    `places` [M, 3] are planar poses in the clips' own worlds, `resting` [H] says which hubs are at rest.
    """
    pairs = pair_matches(clip, frame, hub, primary=primary, spacing=spacing)
    first, last = [pairs.first], [pairs.last]
    for copy in copies:
        rows = np.flatnonzero(np.isin(hub, list(copy)))
        more = pair_matches(clip[rows], frame[rows], hub[rows], primary=primary[rows], spacing=spacing)
        a, b = rows[more.first], rows[more.last]
        turn = np.abs(planar.relative(places[a], places[b])[:, 2])
        new = ((frame[b] - frame[a]) / fps <= MAX_COPIED_EDGE_S) & (
            (turn >= SHARP_TURN_RAD) | (resting[hub[a]] != resting[hub[b]])
        )
        first.append(a[new])
        last.append(b[new])
    both = np.unique(np.column_stack([np.concatenate(first), np.concatenate(last)]), axis=0)
    # By start, then stop, then clip: the order of a graph's edges.
    both = both[np.lexsort((both[:, 0], hub[both[:, 1]], hub[both[:, 0]]))]
    return Pairs(both[:, 0], both[:, 1])
