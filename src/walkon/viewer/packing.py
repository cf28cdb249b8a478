"""Packing takes for the page: only the clips, and of each only the frames, that are played; gzipped.

What comes out is a take like any other (the container of `walkon._base.array_file`), which poses as the whole one does.
Of each clip the stretch from the first to the last frame that is ever read is kept, one frame more at either end, and
`clip_start` counts from there. The field "packed" of the provenance tells where the stretches began and how long the
clips were, so that the page can name the clip's own time.
"""

import gzip
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon.motion.clip import Event
from walkon.take.clips import ClipStore
from walkon.take.storing.file import save_take
from walkon.take.tables import ClipRows, ContactRuns, LabelRuns
from walkon.take.take import Take

Runs = TypeVar("Runs", ContactRuns, LabelRuns)

__all__ = ["MAX_TAKE_BYTES", "pack_take", "trim_take"]

MAX_TAKE_BYTES = 1_000_000_000
"""Bytes of an unzipped take that a page is given at most: tabs of browsers end near two gigabytes."""
MAX_FRAME_NUMBERS = 128_000_000
"""Numbers that one frame of poses may have (seven per joint)."""


def pack_take(take: Take) -> bytes:
    """Return a take as the page reads it, gzipped; one that is too large for a page is refused with a sentence."""
    joints = max((len(body.skeleton) for body in take.bodies), default=1)
    if 7 * joints * len(take) > MAX_FRAME_NUMBERS:
        raise InvalidValue(
            f"{len(take)} characters of up to {joints} joints are more than a page can show; "
            "delete some of them (walkon.take.editing.editing.delete), or export a video"
        )
    with tempfile.TemporaryDirectory() as folder:
        content = save_take(trim_take(take), Path(folder) / "page.take").read_bytes()
    if len(content) > MAX_TAKE_BYTES:
        raise InvalidValue(
            f"the take has {len(content) / 1e6:.0f} MB, more than the {MAX_TAKE_BYTES / 1e6:.0f} MB that a page can "
            "hold; cut it in time (walkon.take.editing.editing.cut), or export a video"
        )
    return gzip.compress(content, compresslevel=6, mtime=0)  # the same take gives the same bytes


def trim_take(take: Take) -> Take:
    """Return a take that poses like this one and carries only what is played."""
    first, stop = _played_frames(take)
    kept = np.flatnonzero(stop > first)
    number = np.full(len(take.clips) + 1, -1)
    number[kept] = np.arange(len(kept))  # the last entry, and that of `begun`, is that of row −1: no clip
    begun: Array = np.append(first / take.clips.rows.fps, 0.0)
    segments, blends = take.segments, take.blends
    # Fades that are over before they are seen may refer to clips that are gone; nobody reads them.
    used = np.flatnonzero(number[blends.clip] >= 0)
    blend = np.full(len(blends) + 1, -1)
    blend[used] = np.arange(len(used))
    blends = blends.rows(used)
    return replace(
        take,
        clips=_cut_clips(take, first, stop, kept, number),
        segments=segments.with_columns(
            clip=number[segments.clip],
            clip_start=segments.clip_start - begun[segments.clip],
            blend=blend[segments.blend],
        ),
        blends=blends.with_columns(
            clip=number[blends.clip],
            clip_start=blends.clip_start - begun[blends.clip],
        ),
        provenance=dict(take.provenance) | {"packed": _note_stretches(take, begun, kept)},
    )


def _note_stretches(take: Take, begun: Array, kept: IntArray) -> dict[str, list[float]]:
    """Return where the stretches of these clips begin in the clips that were recorded, and how long those are."""
    before = take.provenance.get("packed", {})  # a take may be packed again
    starts = np.asarray(before.get("clip_starts", np.zeros(len(take.clips))))
    durations = np.asarray(before.get("clip_durations", take.clips.durations))
    return {"clip_starts": (starts + begun[:-1])[kept].tolist(), "clip_durations": durations[kept].tolist()}


def _played_frames(take: Take) -> tuple[IntArray, IntArray]:
    """Return of each clip the frames that are ever read, first to stop − 1; both are 0 where none are."""
    s, b, K = take.segments, take.blends, len(take.clips)
    low, high = np.full(K, np.inf), np.full(K, -np.inf)
    enter, leave = take.characters.enter[s.character], take.characters.leave[s.character]
    limited = leave > enter
    # Seconds after its start at which each segment is first and last seen.
    since = np.where(limited, np.clip(enter - s.start, 0.0, s.stop - s.start), 0.0)
    until = np.where(limited, np.clip(leave - s.start, 0.0, s.stop - s.start), s.stop - s.start)

    def read(
        clip: IntArray, start: Array, rates: tuple[Array, Array], length: Array, span: tuple[Array, Array]
    ) -> None:
        for tau, ends, pick in ((span[0], low, np.minimum), (span[1], high, np.maximum)):
            bend = (rates[1].astype(np.float64) - rates[0]) / (2.0 * np.maximum(length, 1e-9))
            pick.at(ends, clip, start + rates[0] * tau + bend * tau**2)

    own = np.flatnonzero(s.clip >= 0)
    read(
        s.clip[own],
        s.clip_start[own],
        (s.rate_start[own], s.rate_stop[own]),
        (s.stop - s.start)[own],
        (since[own], until[own]),
    )
    fading = np.flatnonzero(s.blend >= 0)
    fading = fading[since[fading] < b.duration[s.blend[fading]]]
    m = s.blend[fading]
    length = b.duration[m].astype(np.float64)
    span = np.minimum(since[fading], length), np.minimum(until[fading], length)
    read(b.clip[m], b.clip_start[m], (b.rate_start[m], b.rate_stop[m]), length, span)

    rows, there = take.clips.rows, np.isfinite(low)
    last = rows.frames.astype(np.float64) - 1.0
    first = np.clip(np.floor(np.where(there, low, 0.0) * rows.fps) - 1.0, 0.0, last)
    stop = np.clip(np.ceil(np.where(there, high, 0.0) * rows.fps) + 1.0, 0.0, last) + 1.0
    return np.where(there, first, 0).astype(np.int64), np.where(there, stop, 0).astype(np.int64)


def _cut_clips(take: Take, firsts: IntArray, stops: IntArray, kept: IntArray, number: IntArray) -> ClipStore:
    """Return the store of these clips, cut to their stretches; `number` is what each clip is numbered then, or −1."""
    clips, rows = take.clips, take.clips.rows
    channels = np.array([np.count_nonzero(~skeleton.end_sites) for skeleton in take.skeletons], np.int64)
    first, stop = firsts[kept], stops[kept]
    frames, width = stop - first, channels[rows.skeleton[kept]] if len(kept) else np.zeros(0, np.int64)
    frame, turn = rows.first_frame[kept] + first, rows.first_rotation[kept] + first * width
    events: dict[int, tuple[Event, ...]] = {}
    for new, old in enumerate(kept.tolist()):
        begun, ended = first[new] / rows.fps[old], (stop[new] - 1) / rows.fps[old]
        inside = tuple(
            replace(event, time=event.time - begun)
            for event in clips.events.get(old, ())
            if begun <= event.time <= ended
        )
        if inside:
            events[new] = inside
    return ClipStore(
        names=tuple(clips.names[old] for old in kept.tolist()),
        label_names=clips.label_names,
        rows=ClipRows(
            skeleton=rows.skeleton[kept],
            fps=rows.fps[kept],
            first_frame=np.cumsum(frames) - frames,
            frames=frames,
            first_rotation=np.cumsum(frames * width) - frames * width,
            hinges=rows.hinges[kept],
        ),
        roots=_join_slices(clips.roots, frame, frames),
        rotations=_join_slices(clips.rotations, turn, frames * width),
        contacts=_cut_runs(clips.contacts, number, firsts, stops),
        labels=_cut_runs(clips.labels, number, firsts, stops),
        events=events,
    )


def _join_slices(values: Array, first: IntArray, counts: IntArray) -> Array:
    parts = [values[a : a + n] for a, n in zip(first.tolist(), counts.tolist(), strict=True)]
    return np.concatenate(parts) if parts else values[:0]


def _cut_runs(runs: Runs, number: IntArray, firsts: IntArray, stops: IntArray) -> Runs:
    """Return runs of frames cut to the stretches of their clips, those that are left."""
    first, stop = firsts[runs.clip], stops[runs.clip]
    start, end = np.maximum(runs.start, first), np.minimum(runs.stop, stop)
    cut = runs.with_columns(clip=number[runs.clip], start=start - first, stop=end - first)
    return cut.rows((end > start) & (number[runs.clip] >= 0))
