"""Crowds that are written segment by segment, at once or step by step: walks with warps, fades, rests and absences."""

from collections.abc import Callable

import numpy as np
from benchmarks.takes import CLIPS, crowd

import walkon
from walkon.motion.body import Body
from walkon.stage import Stage
from walkon.take import Take, TakeWriter
from walkon.take.tables import NONE, Blends, Segments, Warps

__all__ = ["random_segments", "write_in_steps"]

Parts = tuple[Segments, Warps, Blends]


def random_segments(seed: int, *, count: int = 4, seconds: float = 20.0) -> Parts:
    """Return segments sorted by start: some fade in from the one before, some hold a pose, some people are away."""
    rng = np.random.default_rng(seed)
    take = crowd(count, seconds=seconds, seed=seed)
    s, warps = take.segments, take.warps
    numbers = [walkon.builtin_library().names.index(name) for name in CLIPS]
    s = s.with_columns(clip=np.searchsorted(numbers, s.clip, sorter=np.argsort(numbers)))
    s = s.with_columns(clip=np.argsort(numbers)[s.clip])
    first = np.diff(s.character, prepend=-1) != 0
    fades = ~first & (rng.random(len(s)) < 0.3)
    before = np.flatnonzero(fades) - 1
    blends = Blends.filled(
        len(before),
        clip=s.clip[before],
        clip_start=s.clip_start[before] + (s.stop - s.start)[before],
        rate_start=1.0,
        rate_stop=1.0,
        place=s.place[before],
        duration=rng.uniform(0.1, 0.45, len(before)),
    )
    away = ~first & (rng.random(len(s)) < 0.05)
    delay = np.where(away, rng.uniform(0.1, 2.0, len(s)), 0.0)
    # Everybody rests once for a while: a stance that is over only after that.
    rests = ~first & (np.arange(len(s)) % 13 == 5)
    delay = np.cumsum(delay) - np.repeat(np.cumsum(delay)[first], np.diff(np.append(np.flatnonzero(first), len(s))))
    enter = rng.uniform(0.0, 4.0, count)[s.character]
    long = np.where(rests, rng.uniform(1.0, 9.0, len(s)), 0.0)
    later = np.cumsum(long) - long
    later = later - np.repeat(later[first], np.diff(np.append(np.flatnonzero(first), len(s))))
    start = s.start + enter + delay + later
    s = s.with_columns(
        start=start,
        stop=start + (s.stop - s.start) + long,
        rate_start=np.where(rests, 0.0, s.rate_start),
        rate_stop=np.where(rests, 0.0, s.rate_stop),
        blend=np.where(fades, np.cumsum(fades) - 1, NONE),
    )
    return s.rows(np.argsort(s.start, kind="stable")), warps, blends


def write_in_steps(
    parts: Parts, stage: Stage, *, step: float | None, path=None, watch: Callable[[TakeWriter], None] | None = None
) -> Take:
    """Write segments at once, or flush after every `step` seconds; `watch` sees the writer after each flush."""
    segments, warps, blends = parts
    library = walkon.builtin_library()
    count = int(segments.character.max()) + 1
    with TakeWriter(path, stage=stage) as writer:
        writer.add_body(Body.of(library.skeleton))
        scale = 0.9 + 0.05 * np.arange(count)
        writer.add_characters([f"walker {k}" for k in range(count)], scale=scale, near=np.zeros(count))
        for name in CLIPS:
            writer.add_clip(library[name])
        edges = [np.inf] if step is None else np.append(np.arange(step, segments.start.max() + step, step), np.inf)
        low = -np.inf
        for high in edges:
            now = segments.rows((segments.start >= low) & (segments.start < high))
            row, fade = np.flatnonzero(now.warp >= 0), np.flatnonzero(now.blend >= 0)
            own_warp, own_blend = np.full(len(now), NONE), np.full(len(now), NONE)
            own_warp[row], own_blend[fade] = np.arange(len(row)), np.arange(len(fade))
            writer.add_segments(
                now.with_columns(warp=own_warp, blend=own_blend) if len(now) else now,
                warps=warps.rows(now.warp[row]),
                blends=blends.rows(now.blend[fade]),
            )
            if step is not None:
                writer.flush()
            if watch is not None:
                watch(writer)
            low = high
    return writer.take
