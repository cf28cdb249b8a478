"""Writing tracks and heights: discs, birds and whole simulated crowds, placed and in bulk. Metres, seconds, radians."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray, lock_array
from walkon._base.errors import InvalidValue
from walkon.geometry.tracks import Track, headings_along
from walkon.motion.clip import Clip
from walkon.take import checking
from walkon.take.posing.posing_rule import SEAM_TOLERANCE_S
from walkon.take.storing.numbers import as_number, as_positive, as_rates, as_row
from walkon.take.storing.reason_writing import ReasonWriting
from walkon.take.storing.track_rows import (
    QuantizedTracks,
    TrackTolerance,
    fit_tracks,
    quantize_track,
    split_track,
)
from walkon.take.tables import NONE, Heights, References, Segments, in_order

__all__ = ["TrackWriting"]


class TrackWriting(ReasonWriting):
    """The part of a writer that writes what has no joints, and how high floors are."""

    def lift(
        self, character: str | int, times: ArrayLike, heights: ArrayLike, *, slopes: ArrayLike | None = None
    ) -> None:
        """Say how high the floor is under a character's clips at times [K] (s): heights [K] m, slopes [K] m/s.

        Between them it is a cubic Hermite curve, before and after it stays. Without slopes they follow the heights.
        """
        when = lock_array(times, (None,), name="the times of heights")
        high = lock_array(heights, (len(when),), name="heights")
        if not len(when) or (np.diff(when) <= 0).any():
            raise InvalidValue(f"heights need rising times, got {when.tolist()[:9]}")
        rise = np.zeros(len(when)) if slopes is None else lock_array(slopes, (len(when),), name="slopes")
        if slopes is None and len(when) > 1:
            rise = np.gradient(high, when)
        who = self._character(character)
        self.add_heights(Heights.filled(len(when), character=who, time=when, height=high, slope=rise))

    def add_heights(self, heights: Heights) -> None:
        """Add knots of many height curves at once."""
        checking.check_rows(heights, self._row_counts())
        self._feet.check_heights(self._texts["names"], heights, self._tables["heights"].rows())
        self._add("heights", heights)

    def add_track(self, track: Track) -> int:
        """Add a track, knot by knot, for attachments of props; returns its row. See `track_rows` for its errors."""
        return self._add_tracks(quantize_track(track))

    def follow(
        self,
        character: str | int,
        track: Track,
        *,
        clip: Clip | int | None = None,
        start: float | None = None,
        stop: float | None = None,
        place: ArrayLike = (0.0, 0.0, 0.0),
        clip_start: float = 0.0,
        rate: float = 1.0,
        error: float = 0.002,
        mark: int = NONE,
        reason: str = "",
    ) -> float:
        """Let one character follow a track, on its times, as a disc or playing a clip in it; returns when it stops.

        Places are stored to `error` metres; a track that reaches too far for that is cut into several. `place` is where
        the track's own world lies on the stage. It is followed from `start` to `stop`, by default all of it.
        """
        if len(track) < 2:
            raise InvalidValue(f"a track to be followed needs at least two knots, got {len(track)}")
        begin = float(track.times[0]) if start is None else as_number(start, "start")
        end = float(track.times[-1]) if stop is None else as_number(stop, "stop")
        if begin < track.times[0] - SEAM_TOLERANCE_S or end > track.times[-1] + SEAM_TOLERANCE_S:
            raise InvalidValue(
                f"the track has knots from {track.times[0]:g} to {track.times[-1]:g} s, but is needed from {begin:g} "
                f"to {end:g} s; follow it for less, or give it knots there"
            )
        row = NONE if clip is None else self.add_clip(clip) if isinstance(clip, Clip) else as_row(clip, "clip")
        pace = as_rates(rate)[0] if row >= 0 else 0.0
        with self._all_or_nothing():
            for part, low, high in _split_between(track, begin, end, error=as_positive(error, "error")):
                segment = Segments.filled(
                    1,
                    character=self._character(character),
                    start=low,
                    stop=high,
                    clip=row,
                    clip_start=clip_start + pace * (low - begin),
                    rate_start=pace,
                    rate_stop=pace,
                    place=lock_array(place, (3,), name="place"),
                    warp=NONE,
                    blend=NONE,
                    track=self.add_track(part),
                    track_start=low - float(part.times[0]),
                    edge=NONE,
                    mark=mark,
                )
                self.add_segments(segment)
            self._tell(self._in_words(self._character(character), begin, end, reason), reason)
        return end

    def glide(
        self, character: str | int, poses: ArrayLike, *, start: float, rate: float, mark: int = NONE, reason: str = ""
    ) -> float:
        """Let one character be only a disc along poses [T, 3] = (x, y, heading) or [T, 4] with z, `rate` a second.

        Between them it goes straight. Returns when it stops.
        """
        samples = lock_array(poses, (None, None), name="poses")
        if len(samples) < 2:
            raise InvalidValue(f"a track needs at least two samples, got {len(samples)}")
        if samples.shape[1] not in (3, 4):
            raise InvalidValue(f"poses are (x, y, heading) or (x, y, heading, z), got {samples.shape[1]} numbers each")
        times = as_number(start, "start") + np.arange(len(samples)) / as_positive(rate, "rate")
        places = samples[:, :2] if samples.shape[1] == 3 else samples[:, [0, 1, 3]]
        track = Track(times=times, places=places, headings=samples[:, 2])
        return self.follow(character, track, mark=mark, reason=reason)

    def add_trajectories(
        self,
        characters: ArrayLike,
        places: Array,
        *,
        start: float,
        rate: float,
        headings: Array | None = None,
        velocities: Array | None = None,
        tolerance: TrackTolerance | None = None,
    ) -> None:
        """Let many characters [N] be discs that follow a simulation: places [T, N, 2 or 3] m, `rate` samples a second.

        Headings [T, N] are those of the way where they are not given, velocities [T, N, 2 or 3] m/s those of the
        differences of places. Of the samples only as many are kept as the tolerance needs.
        """
        with self._all_or_nothing():
            rows = self._fit(characters, places, rate, headings, velocities, tolerance)
            none = dict.fromkeys(("clip", "warp", "blend", "edge", "mark"), NONE)
            self.add_segments(
                Segments.filled(len(rows), **none, **_span_of(characters, places, start, rate), track=rows)
            )

    def refer(
        self, character: str | int, track: Track, *, place: ArrayLike = (0.0, 0.0, 0.0), error: float = 0.002
    ) -> None:
        """Say where a character was asked to be, on the times of a track: its reference trajectory.

        Nobody moves by that; places are stored to `error` metres. `place` is where the track's world lies.
        """
        if len(track) < 2:
            raise InvalidValue(f"a reference needs at least two knots, got {len(track)}")
        begin, end = float(track.times[0]), float(track.times[-1])
        with self._all_or_nothing():
            for part, low, high in _split_between(track, begin, end, error=as_positive(error, "error")):
                self._add_references(
                    References.filled(
                        1,
                        character=self._character(character),
                        start=low,
                        stop=high,
                        track=self.add_track(part),
                        track_start=low - float(part.times[0]),
                        place=lock_array(place, (3,), name="place"),
                    )
                )

    def add_references(
        self,
        characters: ArrayLike,
        places: Array,
        *,
        start: float,
        rate: float,
        headings: Array | None = None,
        velocities: Array | None = None,
        tolerance: TrackTolerance | None = None,
    ) -> None:
        """Say where many characters [N] were asked to be, as `add_trajectories` lets them be there."""
        with self._all_or_nothing():
            rows = self._fit(characters, places, rate, headings, velocities, tolerance)
            span = _span_of(characters, places, start, rate)
            self._add_references(References.filled(len(rows), **span, track=rows))

    def _add_references(self, references: References) -> None:
        checking.check_rows(references, self._row_counts())
        checking.check_reference_rows(references)
        rows = self._with_overlapped("references", references)
        checking.check_apart(self._texts["names"], in_order(rows, rows.character, rows.start), "references")
        self._add("references", references)
        np.maximum.at(self._until["references"], references.character, references.stop)

    def _fit(
        self,
        characters: ArrayLike,
        places: Array,
        rate: float,
        headings: Array | None,
        velocities: Array | None,
        tolerance: TrackTolerance | None,
    ) -> IntArray:
        """Add tracks fitted to places [T, N, 2 or 3]; returns their rows [N]."""
        who = np.asarray(characters, np.int64)
        places = np.asarray(places)
        if places.ndim != 3 or places.shape[1] != len(who) or places.shape[2] not in (2, 3):
            raise InvalidValue(
                f"places must be [times, {len(who)} characters, 2 or 3], got {places.shape}; give their rows"
            )
        if not np.isfinite(places).all():
            raise InvalidValue("places must be finite; give those who are not there all the time apart")
        heading = headings_along(places) if headings is None else np.asarray(headings)
        made = fit_tracks(places, heading, velocities, rate=as_positive(rate, "rate"), tolerance=tolerance)
        return self._add_tracks(made) + np.arange(len(who))

    def _add_tracks(self, made: QuantizedTracks) -> int:
        row = self._add_rows("tracks", made.tracks, knots="track_knots", turns="track_turns")
        self._add("track_knots", made.knots)
        self._add("track_turns", made.turns)
        return row

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Take back all rows that came in this block if it is left by an error."""
        counts = {field: len(table) for field, table in self._tables.items()}
        known, waiting = self._holds.count(), self._feet.count
        until = {field: times.copy() for field, times in self._until.items()}
        try:
            yield
        except BaseException:
            self._holds.forget(known)
            self._feet.forget(waiting)
            self._until = until
            for field, count in counts.items():
                self._tables[field].cut(count)
            raise


def _split_between(track: Track, begin: float, end: float, *, error: float) -> Iterator[tuple[Track, float, float]]:
    """Yield the parts of a track that can be stored to `error` m, and from when to when each is needed."""
    for part in split_track(track.with_headings(), error_m=error):
        low, high = max(float(part.times[0]), begin), min(float(part.times[-1]), end)
        if high > low:
            yield part, low, high


def _span_of(characters: ArrayLike, places: Array, start: float, rate: float) -> dict[str, Any]:
    """Return whose samples these are, and from when to when."""
    begin = as_number(start, "start")
    return {"character": characters, "start": begin, "stop": begin + (len(places) - 1) / as_positive(rate, "rate")}
