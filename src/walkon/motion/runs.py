"""Runs: unbroken stretches of True along time, as starts and stops."""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import BoolArray, IntArray

__all__ = ["Runs", "close_gaps", "drop_short", "find_runs", "with_hysteresis"]


class Runs(NamedTuple):
    """R stretches of frames; run r covers frames starts[r] to stops[r] − 1."""

    starts: IntArray
    stops: IntArray

    @property
    def lengths(self) -> IntArray:
        """[R] frames in each run."""
        return self.stops - self.starts


def find_runs(flags: BoolArray) -> Runs:
    """Return the runs of True in flags [T]."""
    edges = np.diff(np.concatenate([[0], np.asarray(flags, dtype=np.int8), [0]]))
    return Runs(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1))


def _fill(flags: BoolArray, runs: Runs, which: BoolArray, value: bool) -> BoolArray:
    flags = np.array(flags, dtype=bool)
    for start, stop in zip(runs.starts[which], runs.stops[which], strict=True):
        flags[start:stop] = value
    return flags


def close_gaps(flags: BoolArray, longest: float) -> BoolArray:
    """Fill gaps of at most `longest` frames between two runs."""
    gaps = find_runs(~np.asarray(flags, dtype=bool))
    inner = (gaps.starts > 0) & (gaps.stops < len(flags))
    return _fill(flags, gaps, inner & (gaps.lengths <= longest), True)


def drop_short(flags: BoolArray, shortest: float) -> BoolArray:
    """Clear runs of fewer than `shortest` frames; runs cut off by the ends of the clip may go on outside and stay."""
    runs = find_runs(flags)
    inner = (runs.starts > 0) & (runs.stops < len(flags))
    return _fill(flags, runs, inner & (runs.lengths < shortest), False)


def with_hysteresis(strict: BoolArray, loose: BoolArray) -> BoolArray:
    """Return the runs of `loose` in which `strict` is True at least once."""
    runs = find_runs(loose)
    hits = np.concatenate([[0], np.cumsum(strict)])
    return _fill(np.zeros(len(loose), bool), runs, hits[runs.stops] > hits[runs.starts], True)
