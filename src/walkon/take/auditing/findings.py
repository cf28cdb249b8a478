"""What measures report while they work: worst cases of every figure, counts, time series and histograms.

Measures are functions that remember nothing: what adds up over batches is kept here, by name. A measure offers all its
values at once, batch after batch; the worst few of different characters are kept, and only those are put into words.
Where mean and percentiles are asked, values are counted in bins whose edges grow by a thousandth, so a percentile is
known to 0.05 % whatever the number of values, and the counts do not depend on the order or the batches in which values
come.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Self

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.take.auditing.report import WorstCase

__all__ = ["Findings", "Histogram"]

WORST_CASE_COUNT = 3
"""Worst cases per figure, each of another character."""

Words = Callable[[int], tuple[str, str]]
"""From the index of a value to (the other side, what the character does there)."""
MIN_BINNED, MAX_BINNED = 1e-9, 1e12
"""Values below count as 0, values above as this."""
BIN_GROWTH_RATIO = 1.001


class Findings:
    """Worst cases, sums and timelines of one audit."""

    def __init__(self, names: tuple[str, ...], times: Array) -> None:
        self.names, self.times = names, times
        self.largest: defaultdict[str, float] = defaultdict(float)
        """Figure → the largest value so far; 0 where there was none above it."""
        self.counts: Counter[str] = Counter()
        self.spreads: defaultdict[str, Histogram] = defaultdict(Histogram)
        self._cases: dict[str, list[WorstCase]] = {}
        self._timelines: dict[str, Array] = {}
        self._picks: dict[str, np.ufunc] = {}

    def fresh(self) -> Self:
        """Return findings of the same audit with nothing in them yet, for a part of it that is looked at apart."""
        return type(self)(self.names, self.times)

    def absorb(self, later: Self) -> None:
        """Take in what was found in a later part."""
        for figure, value in later.largest.items():
            self.largest[figure] = max(self.largest[figure], value)
        self.counts.update(later.counts)
        for name, spread in later.spreads.items():
            self.spreads[name].absorb(spread)
        for figure, cases in later._cases.items():
            self._cases.setdefault(figure, [])
            for case in cases:
                self._keep(case)
        for name, line in later._timelines.items():
            pick = self._picks[name] = later._picks[name]
            known = self._timelines.get(name)
            # Where only one of the two has a value it is the other's NaN that gives way.
            both = np.fmax if pick is np.maximum else np.fmin if pick is np.minimum else pick
            self._timelines[name] = line if known is None else both(known, line)

    def offer(
        self, figure: str, values: Array, *, who: IntArray, times: Array, places: Array, words: Words, least: float
    ) -> None:
        """Offer values [M] of characters who [M] (−1: nobody's) at times [M] and places [M, 3].

        None under `least` is a case.
        """
        values = np.asarray(values, np.float64)
        self.raise_largest(figure, values)
        known = self._cases.setdefault(figure, [])
        bar = max(least, known[-1].value if len(known) == WORST_CASE_COUNT else least)
        over = np.flatnonzero(values > bar)
        if not len(over):
            return
        # The largest of each character, ties to the earliest.
        order = over[np.lexsort((times[over], -values[over], who[over]))]
        firsts = order[np.flatnonzero(np.diff(who[order], prepend=-2))]
        firsts = firsts[np.lexsort((who[firsts], -values[firsts]))][:WORST_CASE_COUNT]
        for i in firsts:
            other, text = words(int(i))
            name, time = self.names[int(who[i])] if who[i] >= 0 else "", float(times[i])
            x, y, z = (float(v) for v in places[i])
            case = WorstCase(
                figure=figure,
                value=float(values[i]),
                character=name,
                row=int(who[i]),
                other=other,
                time=time,
                place=(x, y, z),
                text=f"At {time:.2f} s {name}{' ' if name else ''}{text}.",
            )
            self._keep(case)

    def _keep(self, case: WorstCase) -> None:
        """Keep a case if it is among the worst of its figure, each of another character."""
        known = self._cases[case.figure]
        if any(c.row == case.row and c.value >= case.value for c in known):
            return
        others = [c for c in known if c.row != case.row]
        known[:] = sorted([*others, case], key=lambda c: -c.value)[:WORST_CASE_COUNT]

    def raise_largest(self, figure: str, values: Array) -> None:
        """Let the largest value of a figure be at least the largest of these."""
        self.largest[figure] = max(self.largest[figure], float(values.max(initial=0.0)))

    def largest_of(self, topic: str, *figures: str) -> dict[str, float]:
        """Return the largest values of some figures of a topic."""
        return {figure: self.largest[f"{topic}.{figure}"] for figure in figures}

    def add_over_time(self, name: str, frames: IntArray, values: Array, pick: np.ufunc) -> None:
        """Add values at frames to a timeline; several of one frame are combined by `pick`, np.maximum or np.minimum."""
        self._picks[name] = pick
        line = self._timelines.setdefault(name, np.full(len(self.times), np.nan))
        fresh = np.unique(frames[np.isnan(line[frames])])
        line[fresh] = -np.inf if pick is np.maximum else np.inf
        pick.at(line, frames, values)

    def count_over_time(self, name: str, frames: IntArray) -> None:
        """Add one to a timeline of counts for each of these frames."""
        self._picks[name] = np.add
        line = self._timelines.setdefault(name, np.zeros(len(self.times)))
        line += np.bincount(frames, minlength=len(line))

    @property
    def worst(self) -> tuple[WorstCase, ...]:
        """All cases, figure by figure in the order in which they were offered first."""
        return tuple(case for cases in self._cases.values() for case in cases)

    @property
    def timelines(self) -> dict[str, tuple[Array, Array]]:
        """Name → (times, values)."""
        return {name: (self.times, line) for name, line in self._timelines.items()}


class Histogram:
    """Counts of values; `add` more, then ask."""

    def __init__(self) -> None:
        bins = int(np.ceil(np.log(MAX_BINNED / MIN_BINNED) / np.log(BIN_GROWTH_RATIO)))
        self._counts = np.zeros(bins + 2, np.int64)
        self._sum = 0.0
        self.largest = 0.0
        """The largest value; 0 of none."""

    def add(self, values: Array, where: BoolArray | None = None) -> None:
        """Count these values, or those of them that are flagged."""
        flat = np.ravel(values if where is None else values[where])
        small = flat < MIN_BINNED
        place = np.log(np.where(small, MIN_BINNED, flat) / MIN_BINNED) / np.log(BIN_GROWTH_RATIO)
        place = np.where(small, 0, np.minimum(place, len(self._counts) - 2).astype(np.int64) + 1)
        self._counts += np.bincount(place, minlength=len(self._counts))
        self._sum += float(flat.sum())
        self.largest = float(flat.max(initial=self.largest))

    def absorb(self, later: "Histogram") -> None:
        """Count the values of another one as well."""
        self._counts += later._counts
        self._sum += later._sum
        self.largest = max(self.largest, later.largest)

    @property
    def count(self) -> int:
        """How many values there are."""
        return int(self._counts.sum())

    @property
    def mean(self) -> float:
        """Their mean; 0 of none."""
        return self._sum / max(self.count, 1)

    def percentile(self, share: float) -> float:
        """Return the value below which `share` percent of the values are."""
        place = int(np.searchsorted(np.cumsum(self._counts), share / 100 * self.count))
        return float(min(MIN_BINNED * BIN_GROWTH_RATIO ** (place - 0.5), self.largest)) if place else 0.0
