"""Sections: the stretches of a character's time that are planted at once, the same for takes that grow and others.

A section begins where a stance begins, and ends with the beginning of the first stance that is `SECTION_S` later. To
plant it, one has to see what comes after: the stances that begin within `AHEAD_S` of its end, and the next of each
foot, up to where all of these are over. A section whose later stances are not over yet is not planted yet; so what is
planted is final, and does not depend on how much of the take there was. The last section goes on to the end.
Seconds.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.take.planting.stance_rows import StanceRows
from walkon.take.tables import last_rows
from walkon.take.take import Take

__all__ = ["CLOSED_AFTER_S", "CONTEXT_S", "SECTION_S", "Chains", "Sections", "next_sections"]

SECTION_S = 6.0
"""s that a section lasts at least."""
AHEAD_S = 1.0
"""s after its end up to which stances are looked at at least."""
CLOSED_AFTER_S = 0.5
"""s after which nothing that comes can go on with a stance: gaps that are filled are shorter by far."""
CONTEXT_S = 1.0
"""s before a section for which its planting needs the segments: what begins there is known not to go on from before."""


class Chains(NamedTuple):
    """Stances of feet (chains of contacts) by foot and by character, sorted by start; C of them."""

    first: IntArray
    """[2 N + 1] where those of each foot begin."""
    starts: Array
    stops: Array
    first_of: IntArray
    """[N + 1] where those of each character begin in `all_starts`."""
    all_starts: Array
    """[C] sorted by character."""

    @classmethod
    def of(cls, rows: StanceRows, count: int) -> "Chains":
        """Return the chains of rows, sorted by character, foot and start, of this number of characters."""
        foot = rows.character.astype(np.int64) * 2 + rows.foot
        fresh = np.ones(len(rows), bool)
        fresh[1:] = (np.diff(foot) != 0) | (np.diff(rows.began) != 0)
        heads = np.flatnonzero(fresh)
        stops = np.maximum.reduceat(rows.stop, heads) if len(heads) else np.zeros(0)
        who, starts = rows.character[heads], np.asarray(rows.began[heads])
        return cls(
            np.searchsorted(foot[heads], np.arange(2 * count + 1)),
            starts,
            stops,
            np.searchsorted(who, np.arange(count + 1)),
            starts[np.lexsort((starts, who))],
        )


class Sections(NamedTuple):
    """The next section of each of N characters; where there is none, or none yet, it stops at −∞."""

    start: Array
    stop: Array
    """∞ where it goes on to the end."""
    horizon: Array
    """Stances that begin up to then are looked at."""


def next_sections(take: Take, chains: Chains, until: Array, there: BoolArray, *, final: bool) -> Sections:
    """Return the sections after `until` [N] of characters that are `there` [N]; with `final` nothing more comes."""
    who = np.flatnonzero(there)
    start = until[who]
    begins = _next(chains.first_of, chains.all_starts, who, np.nextafter(start, -np.inf))
    cut = _next(chains.first_of, chains.all_starts, who, begins + SECTION_S)
    horizon = cut + AHEAD_S
    for foot in range(2):
        horizon = np.maximum(horizon, _next(chains.first, chains.starts, 2 * who + foot, np.nextafter(cut, -np.inf)))
    over = np.full(len(who), -np.inf)
    known = np.isfinite(horizon)
    for foot in range(2):
        last = last_rows(chains.first, chains.starts, (2 * who + foot)[known], horizon[known])
        over[known] = np.maximum(over[known], chains.stops[last])
    whole = known & (_known_until(take)[who] >= over + CLOSED_AFTER_S)
    stop = np.where(whole, cut, np.inf if final else -np.inf)
    found = Sections(np.array(until), np.full(len(until), -np.inf), np.full(len(until), np.inf))
    found.stop[who], found.horizon[who] = stop, np.where(whole, horizon, np.inf)
    return found


def _next(first: IntArray, starts: Array, group: IntArray, when: Array) -> Array:
    """Return [n] the first start after `when` [n] in each group [n]; ∞ where there is none, or no time."""
    found = np.full(len(group), np.inf)
    some = np.flatnonzero(when < np.inf)
    row = last_rows(first, starts, group[some], when[some]) + 1
    has = row < first[group[some] + 1]
    found[some[has]] = starts[row[has]]
    return found


def _known_until(take: Take) -> Array:
    """Return [N] s up to which all is known of each character: its segments, and its heights if it has been lifted."""
    until, lifted = np.full(len(take), -np.inf), np.full(len(take), -np.inf)
    np.maximum.at(until, take.segments.character, take.segments.stop)
    np.maximum.at(lifted, take.heights.character, take.heights.time)
    return np.where(np.isneginf(lifted), until, np.minimum(until, lifted))
