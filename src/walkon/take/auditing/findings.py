"""What measures hand over while they work: worst cases of every figure, and values over time.

A measure offers all its values at once, batch after batch; the worst few of different characters are kept, and only
those are put into words.
"""

from collections.abc import Callable

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.take.auditing.report import Worst

__all__ = ["Findings"]

KEPT = 3
"""Worst cases per figure, each of another character."""

Words = Callable[[int], tuple[str, str]]
"""From the index of a value to (the other side, what the character does there)."""


class Findings:
    """Worst cases and timelines of one audit."""

    def __init__(self, names: tuple[str, ...], times: Array) -> None:
        self.names = names
        self.times = times
        self._cases: dict[str, list[Worst]] = {}
        self._largest: dict[str, float] = {}
        self._timelines: dict[str, Array] = {}

    def offer(
        self, figure: str, values: Array, *, who: IntArray, times: Array, places: Array, words: Words, least: float
    ) -> None:
        """Offer values [M] of characters who [M] (−1: nobody's) at times [M] and places [M, 3].

        The largest of all is known as `largest`; none under `least` is a case.
        """
        values = np.asarray(values, np.float64)
        self._largest[figure] = max(self.largest(figure), float(values.max(initial=0.0)))
        known = self._cases.setdefault(figure, [])
        bar = max(least, known[-1].value if len(known) == KEPT else least)
        over = np.flatnonzero(values > bar)
        if not len(over):
            return
        # The largest of each character, ties to the earliest.
        order = over[np.lexsort((times[over], -values[over], who[over]))]
        firsts = order[np.flatnonzero(np.diff(who[order], prepend=-2))]
        firsts = firsts[np.lexsort((who[firsts], -values[firsts]))][:KEPT]
        for i in firsts:
            other, text = words(int(i))
            name, time = self.names[int(who[i])] if who[i] >= 0 else "", float(times[i])
            x, y, z = (float(v) for v in places[i])
            case = Worst(
                figure=figure,
                value=float(values[i]),
                character=name,
                row=int(who[i]),
                other=other,
                time=time,
                place=(x, y, z),
                text=f"At {time:.2f} s {name}{' ' if name else ''}{text}.",
            )
            mine = [c for c in known if c.row == case.row]
            if mine and mine[0].value >= case.value:
                continue
            known[:] = sorted([c for c in known if c.row != case.row] + [case], key=lambda c: -c.value)[:KEPT]

    def largest(self, figure: str) -> float:
        """Return the largest value of a figure that was offered so far; 0 where there was none above it."""
        return self._largest.get(figure, 0.0)

    def over_time(self, name: str, frames: IntArray, values: Array, pick: np.ufunc) -> None:
        """Add values at frames to a timeline; several of one frame are combined by `pick`, np.maximum or np.minimum."""
        line = self._timelines.setdefault(name, np.full(len(self.times), np.nan))
        if not len(frames):
            return
        fresh = np.unique(frames[np.isnan(line[frames])])
        line[fresh] = -np.inf if pick is np.maximum else np.inf
        pick.at(line, frames, values)

    def count_over_time(self, name: str, frames: IntArray) -> None:
        """Add one to a timeline of counts for each of these frames."""
        line = self._timelines.setdefault(name, np.zeros(len(self.times)))
        line += np.bincount(frames, minlength=len(line))

    @property
    def worst(self) -> tuple[Worst, ...]:
        """All cases, figure by figure in the order in which they were offered first."""
        return tuple(case for cases in self._cases.values() for case in cases)

    @property
    def timelines(self) -> dict[str, tuple[Array, Array]]:
        """Name → (times, values)."""
        return {name: (self.times, line) for name, line in self._timelines.items()}
