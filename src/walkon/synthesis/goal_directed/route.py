"""The route of one character: its walk leg after leg, what each is for, and when marks are met."""

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.graphs.walk import NO_ROW, Walk
from walkon.planning.occupancy import BIN_S
from walkon.synthesis.goal_directed.plan_graph import PlanGraph, placed_discs
from walkon.synthesis.goal_directed.reservations import places_at, reservations
from walkon.take.reasons import ReasonKind

__all__ = ["LEAVING_S", "Route", "RouteReason", "Unmet"]

LEAVING_S = 0.2
"""s for which the place is kept where somebody has left."""


@dataclass(frozen=True, kw_only=True)
class Unmet:
    """A mark that is not met, and why."""

    mark: int
    reason: str
    blockers: tuple[int, ...] = ()
    """Characters in the way."""
    retryable: bool = False
    """Whether another seed, or replanning others, may still succeed."""


class RouteReason(NamedTuple):
    """Why an unbroken stretch of a route is walked, as the take is told of it (`take.tables.Reasons`)."""

    kind: ReasonKind
    mark: int = NO_ROW
    """Number of one of the character's marks."""
    prop: str = ""
    """Name of a prop of the scene."""
    note: str = ""
    number: float = 0.0
    """Of the kind's quantity."""


@dataclass(eq=False, kw_only=True)
class Route:
    """Where somebody is, hub by hub; grows leg by leg."""

    hub: int
    pose: Array
    """[3] at the end of what is planned."""
    time: float
    """Seconds at the end of what is planned."""
    enters: float
    walks: list[Walk] = field(default_factory=list)
    """What is walked, in parts; `mark` is the number of a character's mark, `reason` a row of `reasons`."""
    reasons: list[RouteReason] = field(default_factory=list)
    """One for each unbroken stretch, in the order of time."""
    met: dict[int, float] = field(default_factory=dict)
    """Mark → seconds."""
    placed: dict[int, Array] = field(default_factory=dict)
    """Mark → planar pose [3] at which it is met."""
    unmet: list[Unmet] = field(default_factory=list)
    actions: list[Any] = field(default_factory=list)
    """What is done with props (`prop_actions.ActionRecord`)."""
    gone: bool = False
    """Whether it has left the stage at the end."""
    tried: int = 0
    """Pairs of motions that its searches looked at."""
    adjustment: tuple[float, ...] = (0.0, 0.0, 0.0)
    """The largest m/s, rad/s and s/s by which legs are adjusted."""

    def append(self, walk: Walk, *, hub: int, pose: Array, mark: int, reason: RouteReason) -> None:
        """Add a walk that ends at a hub and a planar pose; if its reason is that of the last one, that goes on."""
        last = self.reasons.pop() if self.reasons else reason._replace(number=0.0)
        if last._replace(number=reason.number) == reason:
            self.reasons.append(last._replace(number=last.number + reason.number))
        else:
            self.reasons += [last, reason]
        count, row = len(walk), len(self.reasons) - 1
        self.walks.append(walk.with_columns(mark=np.full(count, mark), reason=np.full(count, row)))
        self.hub, self.pose, self.time = hub, np.asarray(pose, dtype=np.float64), float(walk.stop[-1])

    def copy(self) -> "Route":
        """Return a route that grows on its own."""
        return replace(
            self,
            walks=list(self.walks),
            reasons=list(self.reasons),
            met=dict(self.met),
            placed=dict(self.placed),
            unmet=list(self.unmet),
            actions=list(self.actions),
        )

    def at_steps(self, graph: PlanGraph, seconds: float) -> tuple[int, Array]:
        """Return the first whole step of some seconds at which it is there, and its places [n, 2] until its end."""
        first, last = int(np.ceil(self.enters / seconds - 1e-9)), int(np.ceil(self.time / seconds - 1e-9))
        steps = np.arange(first, max(last, first) + 1)
        if not self.walks:
            return first, np.tile(self.pose[:2], (len(steps), 1))
        return first, places_at(graph, Walk.joined(self.walks), steps.astype(np.float64) * seconds)[0][:, :2]

    def discs(self, graph: PlanGraph, *, until: float) -> tuple[IntArray, Array]:
        """Return bins [n] and discs [n, 3] that it takes up, staying at its end `until` some second unless it left."""
        # Who leaves is there for a moment more: nobody comes in where somebody leaves at the same time.
        more = LEAVING_S if self.gone else -1e-6
        ends = [float(walk.stop[-1]) for walk in self.walks]
        parts = [
            reservations(graph, walk, until=end + (more if end == ends[-1] else -1e-6))
            for walk, end in zip(self.walks, ends, strict=True)
        ]
        if not self.gone:
            first, last = int(np.ceil(self.time / BIN_S - 1e-9)), int(np.floor(until / BIN_S + 1e-9))
            there = placed_discs(graph.hub_discs[self.hub], self.pose)
            stay = np.arange(first, last + 1)
            parts.append((np.repeat(stay, len(there)), np.tile(there, (len(stay), 1))))
        bins, discs = zip((np.zeros(0, np.int64), np.zeros((0, 3))), *parts, strict=True)
        return np.concatenate(bins), np.concatenate(discs)
