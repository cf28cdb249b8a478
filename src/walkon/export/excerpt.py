"""An excerpt: which characters of a take are handed over, and at which moments; posed in blocks, so that memory stays
bounded however long the take and however large the crowd.

Moments are evenly spaced, k / fps seconds after the start. Metres, seconds; z up, as everywhere; formats turn axes
themselves. Characters that are not there at a moment are NaN, as in `Take.pose`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon.take.posing.posing import POSED, Poses, pose_pairs
from walkon.take.posing.props import PropPoses, prop_poses
from walkon.take.posing.resting import with_rest_poses
from walkon.take.tables import FACING, MEANT, POSE, POSITION, WINDOW
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["Excerpt", "Progress", "fill_frames", "hold_poses", "make_distinct", "mark_notes"]

BODIES_AT_ONCE = 6000
"""Bodies that are posed at once: some 20 MB of joints."""
FLOOR_MARGIN_M = 5.0
"""m around everybody's places to which a floor without an end is drawn."""
ACTION_MOMENTS = 64
"""Moments at which places are looked at for that."""
MOMENTS_AT_ONCE = 2000
"""Moments at which props are placed at once."""


Progress = Callable[[float], None]
"""Called with the share of the work that is done, 0 to 1."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Excerpt:
    """N characters of a take at T moments."""

    take: Take
    characters: IntArray
    """[N] rows of `take.characters`, in order."""
    start: float
    """Seconds on the take's clock: moment 0."""
    fps: float
    count: int
    """T."""

    @classmethod
    def of(
        cls,
        take: Take,
        *,
        fps: float | None = None,
        start: float | None = None,
        stop: float | None = None,
        characters: Sequence[str | int] | None = None,
    ) -> "Excerpt":
        """Return the whole take, or a part: rate (the take's own if None), from and to seconds, names or rows."""
        rate = take.fps if fps is None else float(fps)
        first = take.start if start is None else float(start)
        last = take.stop if stop is None else float(stop)
        everyone = characters is None or len(take) == 0
        rows = np.arange(len(take)) if everyone else np.array([_row(take, name) for name in characters or ()])
        part, whole = f"{first:g} to {last:g} s", f"{take.start:g} to {take.stop:g} s"
        for wrong, words in (
            (not (np.isfinite(rate) and 0 < rate <= 1000), f"fps must be over 0 and up to 1000, got {rate:g}"),
            (len(take) == 0, "this take has no characters; there is nothing to hand over"),
            (
                not -np.inf < first <= last < np.inf,
                f"the part must have a start before its stop, got {first:g} s to {last:g} s",
            ),
            (last < take.start or first > take.stop, f"nobody is there from {part}: this take runs from {whole}"),
            (len(rows) == 0, "no character is chosen; name at least one, or leave the choice out for all"),
            (len(np.unique(rows)) < len(rows), "a character is named twice; name each once"),
        ):
            if wrong:
                raise InvalidValue(words)
        count = int(np.floor((last - first) * rate + 1e-6)) + 1
        return cls(take=take, characters=np.sort(rows), start=first, fps=rate, count=count)

    @property
    def names(self) -> tuple[str, ...]:
        """[N] names of the characters."""
        return tuple(self.take.names[row] for row in self.characters.tolist())

    @cached_property
    def times(self) -> Array:
        """[T] seconds on the take's clock; the last one never falls behind the take's end by rounding."""
        times, end = self.start + np.arange(self.count) / self.fps, self.take.stop
        # Only rounding is taken back: a part that is asked for beyond the end is empty there.
        return np.where((times > end) & (times < end + 2e-6 / self.fps), end, times)

    def by_character(self) -> Iterator[tuple[IntArray, Poses]]:
        """Yield rows [n] of some characters and their poses [T, n]; a very long take is one character at a time."""
        size = max(BODIES_AT_ONCE // max(self.count, 1), 1)
        for first in range(0, len(self.characters), size):
            rows = self.characters[first : first + size]
            yield rows, self._pose(rows, self.times)

    @cached_property
    def action(self) -> Array:
        """[4, 2] metres: the rectangle around everybody's places, `FLOOR_MARGIN_M` larger, in whole metres.

        What a floor without an end is drawn over. Places are looked at in `ACTION_MOMENTS` of the moments.
        """
        moments = np.unique(np.linspace(0, self.count - 1, ACTION_MOMENTS).astype(int))
        planar = self.take.sample(self.times[moments], characters=self.characters.tolist()).planar[..., :2]
        places = planar[np.isfinite(planar[..., 0])]
        places = places if len(places) else np.zeros((1, 2))
        (x0, y0), (x1, y1) = np.floor(places.min(axis=0) - FLOOR_MARGIN_M), np.ceil(places.max(axis=0) + FLOOR_MARGIN_M)
        return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])

    def by_time(self) -> Iterator[Poses]:
        """Yield the poses [m, N] of all characters at some moments, one stretch after the other."""
        size = max(BODIES_AT_ONCE // len(self.characters), 1)
        for first in range(0, self.count, size):
            yield self._pose(self.characters, self.times[first : first + size])

    def prop_poses(self) -> PropPoses:
        """Return the poses of all props at all moments, found block by block."""
        parts = [
            prop_poses(self.take, self.times[a : a + MOMENTS_AT_ONCE]) for a in range(0, self.count, MOMENTS_AT_ONCE)
        ]
        return PropPoses(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _pose(self, characters: IntArray, times: Array) -> Poses:
        n, m = len(characters), len(times)
        flat = pose_pairs(self.take, np.tile(characters, m), np.repeat(times, n))
        shaped = {name: getattr(flat, name).reshape(m, n, *getattr(flat, name).shape[1:]) for name in POSED}
        return with_rest_poses(self.take, characters, Poses(**shaped, bodies=flat.bodies[:n], rigs=flat.rigs))


def hold_poses(poses: Poses) -> tuple[Array, Array]:
    """Return places [T, n, 3] of roots and rotations [T, n, J, 4], joint → parent and sign-continuous, in which who is
    absent holds a pose (see `fill_frames`).
    """
    source, column = fill_frames(poses.present), np.arange(poses.present.shape[1])
    return poses.positions[source, column, 0], quat.continuous(poses.local_rotations[source, column])


def fill_frames(present: BoolArray) -> IntArray:
    """Return [T, N] the frame whose pose stands for each of [T, N]: itself where `present`, else the last one before
    at which it was, else the first after; 0 where it never was.
    """
    frames = np.arange(len(present))[:, None]
    last = np.maximum.accumulate(np.where(present, frames, -1), axis=0)
    return np.where(last >= 0, last, present.argmax(axis=0))


def mark_notes(take: Take, row: int) -> dict[str, Any]:
    """Return what a mark asks for, and when it was met: only what it has, in metres, radians and the take's seconds."""
    marks, asks = take.marks, int(take.marks.asks[row])
    notes: dict[str, tuple[Any, Any]] = {
        "position_m": (asks & POSITION, marks.position[row]),
        "facing_rad": (asks & FACING, float(marks.facing[row])),
        "pose": (asks & POSE, take.mark_poses[row]),
        "window_s": (asks & WINDOW, marks.window[row]),
        "hold_s": (marks.hold[row] > 0, float(marks.hold[row])),
        "met_s": (asks & MEANT, float(marks.met[row])),
    }
    return {"name": take.mark_names[row]} | {name: value for name, (asked, value) in notes.items() if asked}


def make_distinct(names: Iterable[str]) -> list[str]:
    """Return names of which no two are alike, also where case does not count: later ones get a number."""
    found, taken = [], set()
    for name in names:
        one, number = name, 2
        while one.casefold() in taken:
            one, number = f"{name}_{number}", number + 1
        taken.add(one.casefold())
        found.append(one)
    return found


def _row(take: Take, name: str | int) -> int:
    if not isinstance(name, str) and not 0 <= name < len(take):
        raise InvalidValue(f"characters are numbered 0 to {len(take) - 1}, got {name}")
    return take.character(name)
