"""Writing takes: characters, clips and segments go in, a planted take comes out, at once or piece by piece.

    with TakeWriter("crowd.take") as writer:
        body = writer.add_body(Body.of(library.skeleton))
        ann = writer.add_character("ann", body=body)
        writer.perform(ann, library["walk"], start=0.0, place=(2.0, 1.0, 0.0))
    take = writer.take

Without a path the take is only held in memory. Thousands of characters go in at once with `add_characters` and
`add_segments`. `flush` plants the feet of what came since the last one and appends it to the file, which can be read
while it grows; the last half step of each character may still change by the millimetres its next footfall needs.
"""

from collections.abc import Mapping, Sequence
from operator import index
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import IntArray, lock_array
from walkon._base.errors import InvalidValue
from walkon.motion.body import Body
from walkon.motion.clip import Clip
from walkon.motion.skeleton import Skeleton
from walkon.script import Mark
from walkon.stage import Prop, Stage
from walkon.take.checking import refers
from walkon.take.storing.pending import Pending
from walkon.take.storing.rotations48 import pack
from walkon.take.tables import (
    FACING,
    MEANT,
    NONE,
    POSE,
    POSITION,
    WINDOW,
    Attachments,
    Blends,
    Characters,
    MarkTable,
    OverrideFrames,
    Overrides,
    PlanarPoses,
    PlanarTracks,
    Segments,
    Warps,
)
from walkon.take.take import Take

__all__ = ["TakeWriter"]


class TakeWriter:
    """Collects a take. Use it in a `with` block: leaving it closes the file, an error leaves what was flushed."""

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        fps: float = 60.0,
        stage: Stage | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        self._pending = Pending(path, fps=fps, stage=stage or Stage(), provenance=dict(provenance or {}))

    def __enter__(self) -> "TakeWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._pending.abandon()

    @property
    def take(self) -> Take:
        """Everything so far as a take, feet planted."""
        return self._pending.take()

    def flush(self) -> None:
        """Plant the feet of what is new and append it to the file; nothing is lost if the process dies after this."""
        self._pending.flush()

    def close(self) -> Take:
        """Flush, mark the file as finished, and return the take."""
        return self._pending.close()

    # Who and what

    def add_body(self, body: Body) -> int:
        """Add a body and return its row."""
        return self._pending.add_body(body)

    def add_character(
        self,
        name: str,
        *,
        body: int = 0,
        scale: float = 1.0,
        colour: tuple[float, float, float] | None = None,
    ) -> int:
        """Add a character and return its row; without a colour it has its body's."""
        return int(
            self.add_characters([name], body=[body], scale=[scale], colour=None if colour is None else [colour])[0]
        )

    def add_characters(
        self,
        names: Sequence[str],
        *,
        body: ArrayLike = 0,
        scale: ArrayLike = 1.0,
        colour: ArrayLike | None = None,
    ) -> IntArray:
        """Add many characters at once and return their rows; the other arguments are [N] or one for all."""
        count = len(names)
        rows = Characters.filled(count, body=body, scale=scale, stride=scale)
        refers(rows.body, len(self._pending.bodies), "the body of a character")
        if colour is None:
            colour = np.array([b.colour for b in self._pending.bodies])[rows.body] if count else np.zeros((0, 3))
        rows = rows.with_columns(colour=Characters.filled(count, colour=colour).colour)
        return self._pending.add_characters(list(names), rows)

    def add_clip(self, clip: Clip) -> int:
        """Add a clip and return its row; a clip that is there already is not stored again."""
        return self._pending.add_clip(clip)

    def add_reason(self, text: str) -> int:
        """Add a sentence that segments can give as their reason, and return its row."""
        return self._pending.add_reason(text)

    # What they do

    def add_segments(self, segments: Segments, *, warps: Warps | None = None, blends: Blends | None = None) -> None:
        """Add segments; their `warp` and `blend` are rows of the tables given here."""
        self._pending.add_segments(segments, warps or Warps(), blends or Blends())

    def perform(
        self,
        character: str | int,
        clip: Clip | int,
        *,
        start: float,
        place: ArrayLike = (0.0, 0.0, 0.0),
        stop: float | None = None,
        clip_start: float = 0.0,
        rate: float | tuple[float, float] = 1.0,
        warp: Warps | None = None,
        blend: Blends | None = None,
        edge: int = NONE,
        mark: int = NONE,
        reason: str = "",
    ) -> float:
        """Let one character play a clip from `start` on, to `stop` or the clip's end; returns when it stops.

        `place` is (x, y, heading[, z]): where the clip's own world lies on the stage. A rate of (a, b) runs evenly
        from a to b times real speed; a pose is held with rate 0 for as long as `stop` says.
        """
        row = self.add_clip(clip) if isinstance(clip, Clip) else _row(clip, "clip")
        rates = _rates(rate)
        start = _number(start, "start")
        stop = start + self._length(self._pending.clip(row), start, stop, clip_start=clip_start, rates=rates)
        where = np.zeros(4)
        given = lock_array(place, (None,), name="place")
        if len(given) not in (3, 4):
            raise InvalidValue(f"place must be (x, y, heading) or (x, y, heading, z), got {place!r}")
        where[: len(given)] = given
        segment = Segments.filled(
            1,
            character=self._pending.character(character),
            start=start,
            stop=stop,
            clip=row,
            clip_start=clip_start,
            rate_start=rates[0],
            rate_stop=rates[1],
            place=where,
            warp=NONE if warp is None else 0,
            blend=NONE if blend is None else 0,
            track=NONE,
            edge=edge,
            mark=mark,
            reason=self.add_reason(reason) if reason else NONE,
        )
        self.add_segments(segment, warps=warp, blends=blend)
        return stop

    def _length(
        self, clip: Clip, start: float, stop: float | None, *, clip_start: float, rates: tuple[float, float]
    ) -> float:
        """Return for how many seconds a clip is played; half a frame beyond its end is forgiven."""
        grace, mean = 0.5 / clip.fps, 0.5 * (rates[0] + rates[1])
        left = clip.duration - _number(clip_start, "clip_start")
        if not (-grace <= left <= clip.duration + grace):
            raise InvalidValue(
                f"clip_start must be a time of the clip {clip.name!r}, 0 to {clip.duration:g} s, got {clip_start:g} s"
            )
        if stop is None:
            if len(clip) == 1:
                raise InvalidValue(f"the clip {clip.name!r} has one frame; hold it with rate 0 and give stop")
            if mean <= 0 or left <= 0:
                raise InvalidValue(
                    f"a clip that is held (rate {mean:g}) or over (at {clip_start:g} s) has no end; give stop"
                )
            return left / mean
        length = _number(stop, "stop") - start
        if mean * length > left + grace:
            raise InvalidValue(
                f"the clip {clip.name!r} lasts {clip.duration:g} s, but from {clip_start:g} s it would be played for "
                f"{mean * length:g} s, until {stop:g} s of the take; hold it with rate 0 or end it earlier"
            )
        return length

    def glide(
        self, character: str | int, poses: ArrayLike, *, start: float, rate: float, mark: int = NONE, reason: str = ""
    ) -> float:
        """Let one character be only a disc along planar poses [T, 3], `rate` a second; returns when it stops."""
        samples = np.array(lock_array(poses, (None, 3), name="poses"))
        if len(samples) < 2:
            raise InvalidValue(f"a planar track needs at least two samples, got {len(samples)}")
        samples[:, 2] = np.unwrap(samples[:, 2])
        start, rate = _number(start, "start"), _positive(rate, "rate")
        track = self._pending.add_track(
            PlanarTracks.filled(1, count=len(samples), rate=rate), PlanarPoses(pose=samples.astype(np.float32))
        )
        stop = start + (len(samples) - 1) / rate
        self.add_segments(
            Segments.filled(
                1,
                character=self._pending.character(character),
                start=start,
                stop=stop,
                clip=NONE,
                warp=NONE,
                blend=NONE,
                track=track,
                edge=NONE,
                mark=mark,
                reason=self.add_reason(reason) if reason else NONE,
            )
        )
        return stop

    def override(
        self,
        character: str | int,
        joints: Mapping[str, ArrayLike],
        *,
        start: float,
        rate: float,
        fade_in: float = 0.2,
        fade_out: float = 0.2,
    ) -> float:
        """Replace local rotations of some joints (name → [T, 4], `rate` frames per second); returns when it stops."""
        skeleton = self._skeleton_of(character)
        order = sorted(joints, key=skeleton.index)
        tracks = [lock_array(joints[name], (None, 4), name=f"the rotations of {name!r}") for name in order]
        if not tracks or len({len(track) for track in tracks}) != 1:
            raise InvalidValue("an override needs at least one joint, and as many frames for each")
        for name, track in zip(order, tracks, strict=True):
            if len(track) and np.linalg.norm(track, axis=1).min() < 1e-6:
                raise InvalidValue(f"the rotations of {name!r} must be quaternions, but one of them is zero")
        start, rate = _number(start, "start"), _positive(rate, "rate")
        bits = [0, 0]
        for name in order:
            joint = skeleton.index(name)
            bits[joint // 63] |= 1 << (joint % 63)
        T = len(tracks[0])
        stop = start + (T - 1) / rate
        row = Overrides.filled(
            1,
            character=self._pending.character(character),
            start=start,
            stop=stop,
            fade_in=fade_in,
            fade_out=fade_out,
            rate=rate,
            joints=np.array(bits),
            frames=T,
        )
        self._pending.add_override(row, OverrideFrames(rotation=pack(np.stack(tracks, axis=1)).reshape(-1, 3)))
        return stop

    def _skeleton_of(self, character: str | int) -> Skeleton:
        return self._pending.skeleton_of(self._pending.character(character))

    # Things and marks

    def add_prop(self, prop: Prop) -> int:
        """Add a prop and return its row; say where it is with `rest` and `attach`."""
        return self._pending.add_prop(prop)

    def rest(self, prop: int, pose: ArrayLike, *, start: float, stop: float) -> None:
        """Let a prop stand still at pose (x, y, z, qw, qx, qy, qz) in the world."""
        self._pending.add_attachment(
            Attachments.filled(1, prop=prop, start=start, stop=stop, character=NONE, joint=NONE, pose=pose)
        )

    def attach(
        self, prop: int, character: str | int, joint: str, *, pose: ArrayLike, start: float, stop: float
    ) -> None:
        """Let a joint carry a prop: its pose in the joint's frame is (x, y, z, qw, qx, qy, qz)."""
        which = self._skeleton_of(character).index(joint)
        self._pending.add_attachment(
            Attachments.filled(
                1,
                prop=prop,
                start=start,
                stop=stop,
                character=self._pending.character(character),
                joint=which,
                pose=pose,
            )
        )

    def add_mark(self, character: str | int, mark: Mark, *, met: float | None = None) -> int:
        """Add a mark and when the take means to meet it (None: it does not); returns its row."""
        asks = (
            (POSITION if mark.position is not None else 0)
            | (FACING if mark.facing is not None else 0)
            | (POSE if mark.pose is not None else 0)
            | (WINDOW if mark.window is not None else 0)
            | (MEANT if met is not None else 0)
        )
        row = MarkTable.filled(
            1,
            character=self._pending.character(character),
            asks=asks,
            position=mark.position or (0.0, 0.0),
            facing=mark.facing or 0.0,
            window=mark.window or (0.0, 0.0),
            hold=mark.hold,
            met=0.0 if met is None else met,
        )
        return self._pending.add_mark(row, mark.name, mark.pose or "")


def _number(value: float, name: str) -> float:
    """Return a finite number, whatever kind of number it is."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidValue(f"{name} must be a number, got {value!r}") from None
    if not np.isfinite(number):
        raise InvalidValue(f"{name} must be finite, got {value!r}")
    return number


def _positive(value: float, name: str) -> float:
    number = _number(value, name)
    if number <= 0:
        raise InvalidValue(f"{name} must be above 0 a second, got {value!r}")
    return number


def _row(value: Any, kind: str) -> int:
    try:
        return index(value)
    except TypeError:
        raise InvalidValue(f"a {kind} is given as such or by its row, got {value!r}") from None


def _rates(rate: float | tuple[float, float]) -> tuple[float, float]:
    given = np.ravel(np.asarray(rate, dtype=object))
    if len(given) not in (1, 2):
        raise InvalidValue(f"rate must be one number, or those at the start and the end, got {rate!r}")
    return _number(given[0], "rate"), _number(given[-1], "rate")
