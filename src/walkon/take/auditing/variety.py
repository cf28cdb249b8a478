"""Variety: neighbours in step. Two people side by side who do the same at the same time look like copies.

A pair counts once where both play the same clip, within `PHASE` of each other in the clip's time, no farther apart than
`NEAR`, for longer than `LASTING` without a break.
"""

from typing import Any

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.ground import Ground, NearPairs
from walkon.take.auditing.playing import playing
from walkon.take.take import Take

__all__ = ["LASTING", "NEAR", "PHASE", "Variety"]

NEAR = 3.0
"""m."""
PHASE = 0.2
"""s of the clip's time."""
LASTING = 1.0
"""s."""


class Variety:
    """Looks for neighbours in step, batch after batch of frames."""

    def __init__(self, take: Take, times: Array, fps: float, findings: Findings) -> None:
        self.take, self.times, self.fps, self.findings = take, times, fps, findings
        self._found: list[tuple[IntArray, IntArray, Array]] = []

    def add(self, ground: Ground, near: NearPairs) -> None:
        """Look at pairs of one batch."""
        s = self.take.segments
        clip_a, clip_b = s.clip[ground.segment[near.a]], s.clip[ground.segment[near.b]]
        same = np.flatnonzero((near.distance <= NEAR) & (clip_a == clip_b) & (clip_a >= 0))
        a, b = near.a[same], near.b[same]
        times = self.times[ground.frame[a]]
        u = playing(self.take, ground.segment[a], times).u
        in_step = np.abs(u - playing(self.take, ground.segment[b], times).u) <= PHASE
        a, b = a[in_step], b[in_step]
        key = ground.who[a].astype(np.int64) * len(self.take) + ground.who[b]
        self._found.append((key, ground.frame[a], 0.5 * (ground.places[a] + ground.places[b])))

    def figures(self) -> dict[str, dict[str, Any]]:
        """Return what was found: variety."""
        if not self._found:
            return {"variety": {"identical_neighbours": 0}}
        key, frame, places = (np.concatenate(columns) for columns in zip(*self._found, strict=True))
        order = np.lexsort((frame, key))
        key, frame, places = key[order], frame[order], places[order]
        fresh = np.ones(len(key), bool)
        fresh[1:] = (key[1:] != key[:-1]) | (frame[1:] != frame[:-1] + 1)
        starts = np.flatnonzero(fresh)
        seconds = (np.diff(np.append(starts, len(key))) - 1) / self.fps
        long = seconds > LASTING
        starts, seconds = starts[long], seconds[long]
        who, other = np.divmod(key[starts], max(len(self.take), 1))
        self.findings.offer(
            "variety.identical_neighbours",
            seconds,
            who=who,
            times=self.times[frame[starts]],
            places=np.column_stack([places[starts], np.zeros(len(starts))]),
            least=LASTING,
            words=lambda i: (
                self.take.names[other[i]],
                f"moves in step with {self.take.names[other[i]]} beside it for {seconds[i]:.1f} s",
            ),
        )
        return {"variety": {"identical_neighbours": len(np.unique(key[starts]))}}
