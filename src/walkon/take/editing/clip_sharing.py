"""Clips of several takes in one store: equal clips are stored once, clips that nobody plays are left out."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from walkon._base.arrays import IntArray
from walkon.motion.skeleton import Skeleton
from walkon.take.clips import ClipStore, channel_counts
from walkon.take.tables import flat_ranges

__all__ = ["kept_clips", "renumbered", "shared_clips"]


def renumbered(kept: IntArray, count: int) -> IntArray:
    """Return [count + 1] the new number of each old row if only `kept` rows stay, −1 for the others and for row −1."""
    numbers = np.full(count + 1, -1, np.int64)
    numbers[kept] = np.arange(len(kept))
    return numbers


def kept_clips(store: ClipStore, kept: IntArray, skeletons: Sequence[Skeleton]) -> ClipStore:
    """Return the store with only these clips, in this order; skeletons keep their rows."""
    if np.array_equal(kept, np.arange(len(store))):
        return store
    rows = store.rows.rows(kept)
    numbers = renumbered(kept, len(store))
    widths = rows.frames * channel_counts(skeletons)[rows.skeleton]
    contacts = store.contacts.rows(numbers[store.contacts.clip] >= 0)
    labels = store.labels.rows(numbers[store.labels.clip] >= 0)
    return ClipStore(
        names=tuple(store.names[k] for k in kept),
        label_names=store.label_names,
        rows=rows.with_columns(
            first_frame=np.cumsum(rows.frames) - rows.frames, first_rotation=np.cumsum(widths) - widths
        ),
        roots=store.roots[flat_ranges(rows.first_frame, rows.frames)],
        rotations=store.rotations[flat_ranges(rows.first_rotation, widths)],
        contacts=contacts.with_columns(clip=numbers[contacts.clip]),
        labels=labels.with_columns(clip=numbers[labels.clip]),
        events={int(numbers[clip]): events for clip, events in store.events.items() if numbers[clip] >= 0},
    )


def shared_clips(one: ClipStore, two: ClipStore, skeletons: Sequence[Skeleton]) -> tuple[ClipStore, IntArray]:
    """Return a store with the clips of both, and the rows in it of the second one's clips.

    Both must refer to the same skeletons. Clips of the second that the first has already, in every frame and label,
    are not stored again.
    """
    known: dict[Any, list[int]] = {}
    for k in range(len(one)):
        known.setdefault(_key(one, k), []).append(k)
    width = channel_counts(skeletons)
    rows = np.empty(len(two), np.int64)
    fresh: list[int] = []
    for k in range(len(two)):
        same = [j for j in known.get(_key(two, k), []) if _content(one, j, width) == _content(two, k, width)]
        rows[k] = same[0] if same else len(one) + len(fresh)
        if not same:
            fresh.append(k)
    new = kept_clips(two, np.array(fresh, np.int64), skeletons)
    return ClipStore.joined([one, new]) if fresh else one, rows


def _key(store: ClipStore, k: int) -> tuple[Any, ...]:
    """Return what tells most clips apart at a glance."""
    return store.names[k], int(store.rows.skeleton[k]), float(store.rows.fps[k]), int(store.rows.frames[k])


def _content(store: ClipStore, k: int, width: IntArray) -> tuple[Any, ...]:
    """Return everything that a clip is, for comparison."""
    frames, first, turn = (int(v[k]) for v in (store.rows.frames, store.rows.first_frame, store.rows.first_rotation))
    contacts = store.contacts.rows(store.contacts.clip == k)
    labels = store.labels.rows(store.labels.clip == k)
    named = [store.label_names[label] for label in labels.label]
    return (
        store.roots[first : first + frames].tobytes(),
        store.rotations[turn : turn + frames * int(width[store.rows.skeleton[k]])].tobytes(),
        store.rows.hinges[k].tobytes(),
        sorted(zip(*(contacts.columns[c].tolist() for c in ("point", "start", "stop", "height")), strict=True)),
        sorted(zip(named, labels.start.tolist(), labels.stop.tolist(), strict=True)),
        store.events.get(k, ()),
    )
