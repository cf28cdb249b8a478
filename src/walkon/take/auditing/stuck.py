"""Stuck: characters that are on their way to a mark and do not get anywhere.

Someone is on the way while a segment names a mark with a position that is not met yet and lies farther than `FAR`;
where a segment names none, a mark that the take never meets counts (who only waits for a later mark is not stuck).
Whoever is on the way all of `PATIENCE` and ends it within `PROGRESS` of where it began is stuck for that time;
stretches that overlap are one.
"""

from typing import Any

import numpy as np

from walkon._base.arrays import BoolArray, IntArray
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.reposing import PosedRows
from walkon.take.tables import MEANT, POSITION
from walkon.take.take import Take

__all__ = ["FAR", "PATIENCE", "PROGRESS", "Stuck"]

FAR = 1.0
"""m from the mark."""
PATIENCE = 8.0
"""s."""
PROGRESS = 0.25
"""m."""


class Stuck:
    """Looks for stuck characters, batch after batch of whole characters."""

    def __init__(self, take: Take, fps: float, findings: Findings) -> None:
        self.take, self.fps, self.findings = take, fps, findings
        self.found: list[dict[str, Any]] = []

    def add(self, track: PosedRows) -> None:
        """Look at these rows."""
        marks = self.take.marks
        wait = int(np.ceil(PATIENCE * self.fps - 1e-6))
        R = len(track.who)
        if not len(marks) or wait >= R:
            return
        target = self._targets(track)
        far = np.hypot(*(track.root[:, :2] - marks.position[np.maximum(target, 0)]).T) > FAR
        going = (target >= 0) & far
        so_far = np.concatenate([[0], np.cumsum(going)])
        a, b = np.arange(R - wait), np.arange(wait, R)
        stays = (track.who[a] == track.who[b]) & (track.frame[b] - track.frame[a] == wait)
        stays &= so_far[b + 1] - so_far[a] == wait + 1
        stays &= np.hypot(*(track.root[b, :2] - track.root[a, :2]).T) < PROGRESS
        starts = np.flatnonzero(stays)
        if not len(starts):
            return
        fresh = np.ones(len(starts), bool)
        # Windows of one character that overlap (not only follow each other) are one stretch.
        fresh[1:] = (track.who[starts[1:]] != track.who[starts[:-1]]) | (np.diff(starts) > wait)
        first = starts[fresh]
        last = starts[np.append(np.flatnonzero(fresh)[1:], len(starts)) - 1] + wait
        seconds = track.times[last] - track.times[first]
        for i in range(len(first)):
            x, y, z = (float(v) for v in track.root[first[i]])
            self.found.append(
                {
                    "character": self.take.names[track.who[first[i]]],
                    "time": float(track.times[first[i]]),
                    "place": [x, y, z],
                    "seconds": float(seconds[i]),
                }
            )
        self.findings.offer(
            "stuck",
            seconds,
            who=track.who[first],
            times=track.times[first],
            places=track.root[first],
            least=0.0,
            words=lambda i: (
                self._name(int(target[first[i]])),
                f"gets nowhere for {seconds[i]:.1f} s on the way to mark {self._name(int(target[first[i]]))!r}",
            ),
        )

    def _name(self, mark: int) -> str:
        return self.take.mark_names[mark] or f"number {mark}"

    def _targets(self, track: PosedRows) -> IntArray:
        """Return [R] the mark that each row is on the way to, −1 for none."""
        marks = self.take.marks
        asks: BoolArray = marks.asks & POSITION > 0
        unmeant: BoolArray = marks.asks & MEANT == 0
        never = np.full(len(self.take), -1)
        open_ones = np.flatnonzero(asks & unmeant)[::-1]
        never[marks.character[open_ones]] = open_ones  # the first of several is written last
        target = self.take.segments.mark[track.segment].astype(np.int64)
        target = np.where(target < 0, never[track.who], target)
        still = unmeant[target] | (track.times < marks.met[target])
        return np.where((target >= 0) & still & asks[target], target, -1)

    def figures(self) -> dict[str, Any]:
        """Return what was found: stuck."""
        return {"stuck": self.found}
