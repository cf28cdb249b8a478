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

from collections.abc import Mapping
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import lock_array
from walkon._base.errors import InvalidValue
from walkon.motion.clip import Clip
from walkon.motion.skeleton import Skeleton
from walkon.script import Mark
from walkon.take import checking
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
    MarkTable,
    OverrideFrames,
    Overrides,
    PlanarPoses,
    PlanarTracks,
    Segments,
    Warps,
)

__all__ = ["TakeWriter"]


class TakeWriter(Pending):
    """Collects a take. Use it in a `with` block: leaving it closes the file, an error leaves what was flushed."""

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
        row = self.add_clip(clip) if isinstance(clip, Clip) else _as_row(clip, "clip")
        rates = _as_rates(rate)
        start = _as_number(start, "start")
        if not 0 <= row < len(self._clips):
            raise InvalidValue(f"there is no clip {row}; there are {len(self._clips)}: add it first")
        stop = start + _length(self._clips[row], start, stop, clip_start=clip_start, rates=rates)
        given = lock_array(place, (None,), name="place")
        if len(given) not in (3, 4):
            raise InvalidValue(f"place must be (x, y, heading) or (x, y, heading, z), got {place!r}")
        segment = Segments.filled(
            1,
            character=self._character(character),
            start=start,
            stop=stop,
            clip=row,
            clip_start=clip_start,
            rate_start=rates[0],
            rate_stop=rates[1],
            place=np.append(given, np.zeros(4 - len(given))),
            warp=NONE if warp is None else 0,
            blend=NONE if blend is None else 0,
            track=NONE,
            edge=edge,
            mark=mark,
            reason=self.add_reason(reason) if reason else NONE,
        )
        self.add_segments(segment, warps=warp, blends=blend)
        return stop

    def glide(
        self, character: str | int, poses: ArrayLike, *, start: float, rate: float, mark: int = NONE, reason: str = ""
    ) -> float:
        """Let one character be only a disc along planar poses [T, 3], `rate` a second; returns when it stops."""
        samples = np.array(lock_array(poses, (None, 3), name="poses"))
        if len(samples) < 2:
            raise InvalidValue(f"a planar track needs at least two samples, got {len(samples)}")
        samples[:, 2] = np.unwrap(samples[:, 2])
        start, rate = _as_number(start, "start"), _as_positive(rate, "rate")
        track = PlanarTracks.filled(1, count=len(samples), rate=rate)
        checking.check_track_rows(track, samples=len(samples))
        first = self._add("planar_poses", PlanarPoses(pose=samples.astype(np.float32)))
        stop = start + (len(samples) - 1) / rate
        self.add_segments(
            Segments.filled(
                1,
                character=self._character(character),
                start=start,
                stop=stop,
                clip=NONE,
                warp=NONE,
                blend=NONE,
                track=self._add("planar_tracks", track.with_columns(first=track.first + first)),
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
        start, rate = _as_number(start, "start"), _as_positive(rate, "rate")
        flags = np.isin(np.arange(126), [skeleton.index(name) for name in order]).reshape(2, 63)
        T = len(tracks[0])
        stop = start + (T - 1) / rate
        row = Overrides.filled(
            1,
            character=self._character(character),
            start=start,
            stop=stop,
            fade_in=fade_in,
            fade_out=fade_out,
            rate=rate,
            joints=(flags << np.arange(63)).sum(axis=1),
            frames=T,
        )
        checking.check_override_rows(row, characters=len(self._body_of))
        frames = OverrideFrames(rotation=pack(np.stack(tracks, axis=1)).reshape(-1, 3))
        self._add("overrides", row.with_columns(first=row.first + self._add("override_frames", frames)))
        return stop

    def _skeleton_of(self, character: str | int) -> Skeleton:
        return self._bodies[self._body_of[self._character(character)]].skeleton

    def rest(self, prop: int, pose: ArrayLike, *, start: float, stop: float) -> None:
        """Let a prop stand still at pose (x, y, z, qw, qx, qy, qz) in the world."""
        self._hold(prop, NONE, NONE, pose=pose, start=start, stop=stop)

    def attach(
        self, prop: int, character: str | int, joint: str, *, pose: ArrayLike, start: float, stop: float
    ) -> None:
        """Let a joint carry a prop: its pose in the joint's frame is (x, y, z, qw, qx, qy, qz)."""
        which = self._skeleton_of(character).index(joint)
        self._hold(prop, self._character(character), which, pose=pose, start=start, stop=stop)

    def _hold(self, prop: int, character: int, joint: int, **where: Any) -> None:
        row = Attachments.filled(1, prop=prop, character=character, joint=joint, **where)
        checking.check_attachment_rows(row, props=len(self._props), characters=len(self._body_of))
        self._add("attachments", row)

    def add_mark(self, character: str | int, mark: Mark, *, met: float | None = None) -> int:
        """Add a mark and when the take means to meet it (None: it does not); returns its row."""
        asked = {POSITION: mark.position, FACING: mark.facing, POSE: mark.pose, WINDOW: mark.window, MEANT: met}
        row = MarkTable.filled(
            1,
            character=self._character(character),
            asks=sum(bit for bit, value in asked.items() if value is not None),
            position=mark.position or (0.0, 0.0),
            facing=mark.facing or 0.0,
            window=mark.window or (0.0, 0.0),
            hold=mark.hold,
            met=0.0 if met is None else met,
        )
        checking.check_mark_rows(row, characters=len(self._body_of))
        first = self._add("marks", row)
        self._texts["mark_names"].append(mark.name)
        self._texts["mark_poses"].append(mark.pose or "")
        self._mark_of += row.character.tolist()
        return first


def _length(clip: Clip, start: float, stop: float | None, *, clip_start: float, rates: tuple[float, float]) -> float:
    """Return for how many seconds a clip is played; half a frame beyond its end is forgiven."""
    grace, mean = 0.5 / clip.fps, 0.5 * (rates[0] + rates[1])
    left = clip.duration - _as_number(clip_start, "clip_start")
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
    length = _as_number(stop, "stop") - start
    if mean * length > left + grace:
        raise InvalidValue(
            f"the clip {clip.name!r} lasts {clip.duration:g} s, but from {clip_start:g} s it would be played for "
            f"{mean * length:g} s, until {stop:g} s of the take; hold it with rate 0 or end it earlier"
        )
    return length


def _as_number(value: float, name: str) -> float:
    """Return a finite number, whatever kind of number it is."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidValue(f"{name} must be a number, got {value!r}") from None
    if not np.isfinite(number):
        raise InvalidValue(f"{name} must be finite, got {value!r}")
    return number


def _as_positive(value: float, name: str) -> float:
    number = _as_number(value, name)
    if number <= 0:
        raise InvalidValue(f"{name} must be above 0 a second, got {value!r}")
    return number


def _as_row(value: Any, kind: str) -> int:
    try:
        return index(value)
    except TypeError:
        raise InvalidValue(f"a {kind} is given as such or by its row, got {value!r}") from None


def _as_rates(rate: float | tuple[float, float]) -> tuple[float, float]:
    given = np.ravel(np.asarray(rate, dtype=object))
    if len(given) not in (1, 2):
        raise InvalidValue(f"rate must be one number, or those at the start and the end, got {rate!r}")
    return _as_number(given[0], "rate"), _as_number(given[-1], "rate")
