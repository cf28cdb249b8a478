"""What the clips of a library bring along: figures of the raw clips that are beyond a good limit.

The same measures as in the source's column of an audit, kept clip by clip. A take may be as large in these as its
clips, up to a ceiling (`limits.LIKE_SOURCE`; of limbs in the own body, `self_overlaps.MAX_OVERLAP_M`): what is within
is inherited, what is beyond is a fault in every take that plays the clip.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.motion.anatomy.self_overlaps import MAX_OVERLAP_M
from walkon.motion.library import Library
from walkon.take.auditing.audit import look_at_clips
from walkon.take.auditing.findings import Findings, Words
from walkon.take.auditing.limits import GOOD, LIKE_SOURCE
from walkon.take.clips import ClipStore
from walkon.take.take import Take

__all__ = ["ClipFault", "find_clip_faults"]

SELF_FIGURE = "anatomy.max_self_penetration_m"
LISTED = {name: (GOOD[name], ceiling) for name, ceiling in LIKE_SOURCE.items()} | {SELF_FIGURE: (0.0, MAX_OVERLAP_M)}
"""Figure → its good limit, and the ceiling of the excuse."""


@dataclass(frozen=True, kw_only=True)
class ClipFault:
    """One figure of one raw clip that is beyond a good limit."""

    clip: str
    figure: str
    """Dotted name, as in an audit."""
    value: float
    limit: float
    ceiling: float
    excused: bool
    """Whether takes may inherit it: it is within the ceiling."""


def find_clip_faults(library: Library) -> tuple[ClipFault, ...]:
    """Measure all clips of a library as they are; return what is beyond a good limit, by figure, the worst first."""
    clips = np.array([k for k in range(len(library)) if library.stops[k] - library.starts[k] > 1], np.int64)
    store = ClipStore().extended(list(library), [0] * len(library))
    take = Take(fps=library.fps, skeletons=(library.skeleton,), clips=store)
    found = look_at_clips(take, clips, library.fps, _ByCharacter)
    faults = []
    for figure, (limit, ceiling) in LISTED.items():
        values = found.by_character.get(figure, np.zeros(len(clips)))
        for row in np.argsort(-values, kind="stable")[: int(np.count_nonzero(values > limit))]:
            name, value = library.names[clips[row]], float(values[row])
            excused = value <= ceiling
            faults.append(
                ClipFault(clip=name, figure=figure, value=value, limit=limit, ceiling=ceiling, excused=excused)
            )
    return tuple(faults)


class _ByCharacter(Findings):
    """Findings that also keep the largest value of every character."""

    def __init__(self, names: tuple[str, ...], times: Array) -> None:
        super().__init__(names, times)
        self.by_character: dict[str, Array] = {}
        """Figure → [N] the largest value of each."""

    def offer(
        self, figure: str, values: Array, *, who: IntArray, times: Array, places: Array, words: Words, least: float
    ) -> None:
        largest = self.by_character.setdefault(figure, np.zeros(len(self.names)))
        np.maximum.at(largest, who, values)
        super().offer(figure, values, who=who, times=times, places=places, words=words, least=least)

    def absorb(self, later: Self) -> None:
        super().absorb(later)
        for figure, values in later.by_character.items():
            self.by_character[figure] = np.maximum(values, self.by_character.get(figure, 0.0))
