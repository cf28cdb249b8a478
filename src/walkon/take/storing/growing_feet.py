"""PlantedFeet of a take in the making: which segments are not planted for good yet, and whose feet it is time to plant.

A section of a character's time can be planted a while after it is over (`walkon.take.planting.sections`). Those who are
due are planted a few at a time, those who wait longest first, so that steps cost about the same; somebody who stands
still is asked again only after half as much time again. When somebody is planted does not change how.
"""

from collections.abc import Sequence

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon._base.growing_table import GrowingTable
from walkon.take.planting.planting import FeetSoFar, PlantedFeet, extend_feet
from walkon.take.planting.sections import AHEAD_S, CLOSED_AFTER_S, CONTEXT_S, SECTION_S
from walkon.take.posing.posing_rule import SEAM_TOLERANCE_S
from walkon.take.posing.score import keep_largest, make_score
from walkon.take.tables import Drops, Heights, Overrides, Segments, Stances, in_order
from walkon.take.take import Take

__all__ = ["GrowingFeet"]

DUE_AFTER_S = SECTION_S + AHEAD_S + CLOSED_AFTER_S + 1.0
"""s after the beginning of a section when it may be over, and what has to be seen after it as well."""
LONGEST_WAIT_S = 2.0
"""s that somebody who is due waits for others to be planted together with."""
TOGETHER_COUNT, TOGETHER_RATIO = 64, 1 / 8
"""Characters that are planted together, and of all characters at least this part."""


class GrowingFeet:
    """The feet of a take in the making."""

    def __init__(self) -> None:
        self._so_far = FeetSoFar.none(np.zeros(0))
        self._stances, self._drops, self._heights = GrowingTable(Stances), GrowingTable(Drops), GrowingTable(Heights)
        self._segments = GrowingTable(Segments)
        self._due = np.zeros(0)
        self._begins = np.zeros(0)
        self._seen = np.zeros(0)
        self._like: Take | None = None
        self._done_count = 0

    def add_characters(self, near: Array) -> None:
        """Add characters who enter near these heights [M] m."""
        self._so_far = self._so_far.with_characters(near)
        for name, value in (("_due", np.inf), ("_begins", np.inf), ("_seen", -np.inf)):
            setattr(self, name, np.append(getattr(self, name), np.full(len(near), value)))

    def check_segments(self, names: Sequence[str], segments: Segments, until: Array) -> None:
        """Refuse segments before what is there already of those whose feet have been planted; `until` [N] s ends it."""
        who = segments.character
        late = np.isfinite(self._seen[who]) & (segments.start < until[who] - SEAM_TOLERANCE_S)
        self._refuse(names, who, segments.start, late, until, "a segment")

    def check_heights(self, names: Sequence[str], heights: Heights, known: Heights) -> None:
        """Refuse heights before those that the planted feet of a character stand on, or where they stand on none."""
        last = np.where(np.isfinite(self._seen), np.inf, -np.inf)
        mine = np.isfinite(self._seen[known.character])
        last[known.character[mine]] = -np.inf
        np.maximum.at(last, known.character[mine], known.time[mine])
        who = heights.character
        self._refuse(names, who, heights.time, heights.time < last[who], last, "a height")

    def check_override(self, names: Sequence[str], override: Overrides) -> None:
        """Refuse an override that moves a body where its feet have been planted."""
        late = override.start < self._seen[override.character]
        self._refuse(names, override.character, override.start, late, self._seen, "an override of the root or a leg")

    def _refuse(
        self, names: Sequence[str], who: IntArray, when: Array, late: BoolArray, until: Array, what: str
    ) -> None:
        if late.any():
            k = int(np.argmax(late))
            n = int(who[k])
            order = f"before {until[n]:g} s" if np.isfinite(until[n]) else "now"
            raise InvalidValue(
                f"the feet of {names[n]!r} have been planted up to {self._so_far.until[n]:g} s, so {what} from "
                f"{when[k]:g} s on comes too late, {order}; add it in the order of time, or before flushing"
            )

    def add_segments(self, segments: Segments, until: Array) -> None:
        """Add segments, which have been checked; those before end at `until` [N] s."""
        self._segments.append(segments)
        new = np.isneginf(until[segments.character])
        np.minimum.at(self._begins, segments.character[new], segments.start[new])
        first = np.unique(segments.character[new])
        self._due[first] = self._begins[first] + DUE_AFTER_S

    @property
    def count(self) -> int:
        """How many segments wait."""
        return len(self._segments)

    def forget(self, count: int) -> None:
        """Forget all segments but the first `count` of those that wait."""
        self._segments.cut(count)

    def due(self, until: Array) -> IntArray:
        """Return whose feet it is time to plant, where their segments end at `until` [N] s; nobody's if few are due."""
        wait = until - self._due
        who = np.flatnonzero(wait >= 0)
        if not len(who) or (len(who) < TOGETHER_COUNT and wait[who].max() < LONGEST_WAIT_S):
            return np.zeros(0, np.int64)
        most = max(TOGETHER_COUNT, int(TOGETHER_RATIO * len(until)))
        return np.sort(who[np.argsort(-wait[who], kind="stable")[:most]])

    def pending(self, characters: IntArray | None = None) -> Segments:
        """Return the segments of these characters that are not planted for good, with what planting has to see."""
        s = self._segments.rows()
        mine = s.stop > self._so_far.until[s.character] - CONTEXT_S
        if characters is not None:
            chosen = np.zeros(len(self._due), bool)
            chosen[characters] = True
            mine &= chosen[s.character]
        found = s.rows(np.flatnonzero(mine))
        return in_order(found, found.character, found.start)

    def extend(self, take: Take, until: Array) -> None:
        """Plant what is final of the characters of a take that has their pending segments, which end at `until`."""
        feet, so_far = extend_feet(self._scored(take), self._so_far, final=False)
        who = np.unique(take.segments.character)
        more = so_far.until[who] > self._so_far.until[who]
        begins = np.where(np.isfinite(so_far.until[who]), so_far.until[who], self._begins[who])
        self._due[who] = np.where(more, begins + DUE_AFTER_S, until[who] + 0.5 * (until[who] - begins))
        self._seen[who[more]] = until[who[more]]
        self._so_far = so_far
        self._stances.append(feet.stances)
        self._drops.append(feet.drops)
        self._heights.append(feet.heights)
        s = take.segments
        self._done_count += int((s.stop <= so_far.until[s.character] - CONTEXT_S).sum())
        if self._done_count > len(self._segments) // 2:
            kept, self._segments, self._done_count = self._segments.rows(), GrowingTable(Segments), 0
            self._segments.append(kept.rows(kept.stop > so_far.until[kept.character] - CONTEXT_S))

    def all_so_far(self, take: Take) -> PlantedFeet:
        """Return all feet, those of the pending segments of a take as if nothing came after them."""
        last, _ = extend_feet(self._scored(take), self._so_far, final=True)
        stances = Stances.joined([self._stances.rows(), last.stances])
        drops = Drops.joined([self._drops.rows(), last.drops])
        heights = Heights.joined([self._heights.rows(), last.heights])
        return PlantedFeet(
            in_order(stances, stances.whose, stances.start),
            keep_largest(drops),
            in_order(heights, heights.character, heights.time),
        )

    def _scored(self, take: Take) -> Take:
        """Return the take with its score, of which bodies and clips are the last one's where they have not changed."""
        take.__dict__["score"] = make_score(take, like=self._like)
        self._like = take
        return take
