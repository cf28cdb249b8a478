"""Behaviour: characters that are stuck on the way to a mark, and motion clones: neighbours that move in step.

*Stuck.* A character is on the way while a segment names a mark with a position that is not met yet and lies farther
than `ON_THE_WAY_BEYOND_M`; where a segment names none, a mark that the take never meets counts (one that only waits for
a later mark is not stuck). Who waits, holds a mark or handles a prop for a reason that the take tells (`WAITING`) is
not on the way; nor is who has time to spare: its mark is met in its window, and that has not opened yet. A character
that is on the way all of `STUCK_AFTER_S` and ends it within `MIN_PROGRESS_M` of where it began is stuck for that time;
stretches that overlap are one.

*Variety.* Two people side by side who do the same at the same time look like copies. A pair counts once where both play
the same clip, within `IN_STEP_PHASE_S` of each other in the clip's time, no farther apart than `IN_STEP_WITHIN_M`, for
longer than `MIN_IN_STEP_S` without a break.
"""

from typing import Any, NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.marks import TIME_TOLERANCE_S
from walkon.take.auditing.meetings.ground import GroundRows, NearPairs
from walkon.take.auditing.playing import read_segments
from walkon.take.auditing.reposing import AuditClock, PosedRows, join, select
from walkon.take.reasons import ReasonKind
from walkon.take.tables import MEANT, POSITION, WINDOW
from walkon.take.take import Take

__all__ = [
    "IN_STEP_PHASE_S",
    "IN_STEP_WITHIN_M",
    "MIN_IN_STEP_S",
    "MIN_PROGRESS_M",
    "ON_THE_WAY_BEYOND_M",
    "STUCK_AFTER_S",
    "Variety",
    "find_stuck",
]

ON_THE_WAY_BEYOND_M = 1.0
"""m from a mark beyond which a character is still on the way to it."""
STUCK_AFTER_S = 8.0
"""s on the way after which one who got nowhere is stuck."""
WAITING = (
    ReasonKind.WAITS_BEFORE,
    ReasonKind.WAITS_FOR,
    ReasonKind.WAITS_TO_LEAVE,
    ReasonKind.HOLDS,
    ReasonKind.PICKS_UP,
    ReasonKind.PUTS_DOWN,
)
"""Kinds of reasons to be where one is."""
MIN_PROGRESS_M = 0.25
"""m that one gets on at least in that time."""
BORDER_M = 1e-3
"""m by which two must be nearer, so that rounding does not tell who stands whole metres apart."""
IN_STEP_WITHIN_M = 3.0
"""m within which two who do the same are noticed."""
IN_STEP_PHASE_S = 0.2
"""s of the clip's time."""
MIN_IN_STEP_S = 1.0
"""s for which two must do the same to be noticed."""


def find_stuck(take: Take, clock: AuditClock, track: PosedRows, findings: Findings) -> list[dict[str, Any]]:
    """Return who is stuck when, where and for how long, of these rows of whole characters."""
    marks = take.marks
    wait = int(np.ceil(STUCK_AFTER_S * clock.fps - 1e-6))
    R = len(track.who)
    if not len(marks) or wait >= R:
        return []
    target = _targets(take, track)
    far = np.hypot(*(track.root[:, :2] - marks.position[np.maximum(target, 0)]).T) > ON_THE_WAY_BEYOND_M
    so_far = np.concatenate(
        [[0], np.cumsum((target >= 0) & far & ~_waits(take, track) & ~_has_time(take, track, target))]
    )
    a, b = np.arange(R - wait), np.arange(wait, R)
    stays = (track.who[a] == track.who[b]) & (track.frame[b] - track.frame[a] == wait)
    stays &= so_far[b + 1] - so_far[a] == wait + 1
    stays &= np.hypot(*(track.root[b, :2] - track.root[a, :2]).T) < MIN_PROGRESS_M
    starts = np.flatnonzero(stays)
    if not len(starts):
        return []
    # Windows of one character that overlap (not only follow each other) are one stretch.
    fresh = np.flatnonzero((np.diff(track.who[starts], prepend=-1) != 0) | (np.diff(starts, prepend=0) > wait))
    first, last = starts[fresh], starts[np.append(fresh[1:], len(starts)) - 1] + wait
    seconds = track.times[last] - track.times[first]
    names = [take.mark_names[mark] or f"number {mark}" for mark in target[first]]
    findings.offer(
        "stuck",
        seconds,
        who=track.who[first],
        times=track.times[first],
        places=track.root[first],
        least=0.0,
        words=lambda i: (names[i], f"gets nowhere for {seconds[i]:.1f} s on the way to mark {names[i]!r}"),
    )
    return [
        {
            "character": take.names[track.who[row]],
            "time": float(track.times[row]),
            "place": track.root[row].tolist(),
            "seconds": float(length),
        }
        for row, length in zip(first, seconds, strict=True)
    ]


def _waits(take: Take, track: PosedRows) -> BoolArray:
    """Return [R] where the take tells a reason to stay."""
    r = take.reasons
    waits = np.zeros(len(track.who), bool)
    if not len(r):
        return waits
    span = float(max(r.stop.max(), track.times.max()) - min(r.start.min(), track.times.min())) + 1.0
    low = min(float(r.start.min()), float(track.times.min()))
    order = np.lexsort((r.start, r.character))
    keys = r.character[order] * span + (r.start[order] - low)
    k = np.searchsorted(keys, track.who * span + (track.times - low), side="right") - 1
    row = order[np.maximum(k, 0)]
    there = (k >= 0) & (r.character[row] == track.who) & (track.times <= r.stop[row])
    waits[there] = np.isin(r.kind[row[there]], WAITING)
    return waits


def _has_time(take: Take, track: PosedRows, target: IntArray) -> BoolArray:
    """Return [R] where the window of the mark that one is on the way to is still to open, and is kept in the end."""
    marks, k = take.marks, np.maximum(target, 0)
    kept = (marks.asks & WINDOW > 0) & (marks.asks & MEANT > 0) & (marks.met <= marks.window[:, 1] + TIME_TOLERANCE_S)
    return np.asarray((target >= 0) & kept[k] & (track.times < marks.window[k, 0]))


def _targets(take: Take, track: PosedRows) -> IntArray:
    """Return [R] the mark that each row is on the way to, −1 for none."""
    marks = take.marks
    asks, unmeant = marks.asks & POSITION > 0, marks.asks & MEANT == 0
    never = np.full(len(take), -1)
    open_ones = np.flatnonzero(asks & unmeant)[::-1]
    never[marks.character[open_ones]] = open_ones  # the first of several is written last
    target = take.segments.mark[track.segment].astype(np.int64)
    target = np.where(target < 0, never[track.who], target)
    still = unmeant[target] | (track.times < marks.met[target])
    return np.where((target >= 0) & still & asks[target], target, -1)


class _Runs(NamedTuple):
    """M stretches of frames in which a pair is in step."""

    key: IntArray
    """[M] row of one character times the number of characters, plus row of the other."""
    first: IntArray
    last: IntArray
    places: Array
    """[M, 3] metres, on the floor between the two at the first frame."""


class Variety:
    """Looks for neighbours in step, batch after batch of frames; keeps what goes on, and what lasted."""

    def __init__(self, take: Take, clock: AuditClock) -> None:
        self.take, self.clock = take, clock
        self._open = _Runs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 3)))
        self._long: list[_Runs] = []

    def add(self, ground: GroundRows, near: NearPairs) -> None:
        """Look at pairs of one batch."""
        clip_a, clip_b = (self.take.segments.clip[ground.segment[rows]] for rows in (near.a, near.b))
        same = np.flatnonzero((near.distance <= IN_STEP_WITHIN_M - BORDER_M) & (clip_a == clip_b) & (clip_a >= 0))
        a, b = near.a[same], near.b[same]
        times = self.clock.at(ground.frame[a])
        u, v = (read_segments(self.take, ground.segment[rows], times).u for rows in (a, b))
        a, b = a[np.abs(u - v) <= IN_STEP_PHASE_S], b[np.abs(u - v) <= IN_STEP_PHASE_S]
        if len(a):
            key = ground.who[a].astype(np.int64) * len(self.take) + ground.who[b]
            frame = ground.frame[a].astype(np.int64)
            on_floor = 0.5 * (ground.on_floor(a) + ground.on_floor(b))
            self._grow(_Runs(key, frame, frame, on_floor))

    def _grow(self, found: _Runs) -> None:
        """Join what was found to the stretches that go on; put away those that are over and lasted."""
        both = join([self._open, found])
        key, first, last, places = select(both, np.lexsort((both.first, both.key)))
        starts = np.flatnonzero(np.append(True, (key[1:] != key[:-1]) | (first[1:] != last[:-1] + 1)))
        ends = np.append(starts[1:], len(key)) - 1
        runs = _Runs(key[starts], first[starts], last[ends], places[starts])
        # Frames are not cut, so what ended before the last of them is over.
        goes_on = runs.last == found.last.max()
        self._open = select(runs, goes_on)
        self._long.append(select(runs, ~goes_on & (self._seconds(runs) > MIN_IN_STEP_S)))

    def _seconds(self, runs: _Runs) -> Array:
        return np.asarray((runs.last - runs.first) / self.clock.fps)

    def figures(self, findings: Findings) -> dict[str, dict[str, Any]]:
        """Return what was found: variety."""
        runs = join([*self._long, self._open])
        runs = select(runs, self._seconds(runs) > MIN_IN_STEP_S)
        seconds = self._seconds(runs)
        who, other = np.divmod(runs.key, max(len(self.take), 1))
        findings.offer(
            "variety.identical_neighbours",
            seconds,
            who=who,
            times=self.clock.at(runs.first),
            places=runs.places,
            least=MIN_IN_STEP_S,
            words=lambda i: (
                self.take.names[other[i]],
                f"moves in step with {self.take.names[other[i]]} beside it for {seconds[i]:.1f} s",
            ),
        )
        return {"variety": {"identical_neighbours": len(np.unique(runs.key))}}
