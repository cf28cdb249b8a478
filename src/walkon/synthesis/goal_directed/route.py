"""The route of one character: plans one after another, what each is for, and when marks are met."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.planning.occupancy import BIN
from walkon.synthesis.goal_directed.plan_graph import PlanGraph, placed_discs
from walkon.synthesis.goal_directed.planner import Plan
from walkon.synthesis.goal_directed.reservations import reservations

__all__ = ["Piece", "Route", "Unmet"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Piece:
    """A plan, and why."""

    plan: Plan
    mark: int
    """Number of the mark that it leads to or holds; −1 for none."""
    reason: str
    graph: PlanGraph


@dataclass(frozen=True, kw_only=True)
class Unmet:
    """A mark that is not met, and why."""

    mark: int
    reason: str
    blockers: tuple[int, ...] = ()
    """Characters in the way."""
    retryable: bool = False
    """Whether it might be met if others, or chance, were otherwise."""


@dataclass(eq=False, kw_only=True)
class Route:
    """Where somebody is, hub by hub; grows leg by leg."""

    hub: int
    pose: Array
    """[3] at the end of what is planned."""
    time: float
    """Seconds at the end of what is planned."""
    enters: float
    pieces: list[Piece] = field(default_factory=list)
    met: dict[int, float] = field(default_factory=dict)
    """Mark → seconds."""
    placed: dict[int, Array] = field(default_factory=dict)
    """Mark → planar pose [3] at which it is met."""
    unmet: list[Unmet] = field(default_factory=list)
    deeds: list[Any] = field(default_factory=list)
    """What is done with props (`walkon.synthesis.goal_directed.prop_actions.ActionRecord`)."""
    gone: bool = False
    """Whether it has left the stage at the end."""

    def append(self, plan: Plan, *, graph: PlanGraph, hub: int, pose: Array, mark: int, reason: str) -> None:
        """Add a plan that ends at a hub and a planar pose."""
        self.pieces.append(Piece(plan=plan, mark=mark, reason=reason, graph=graph))
        self.hub, self.pose, self.time = hub, np.asarray(pose, dtype=np.float64), float(plan.starts[-1])

    def copy(self) -> "Route":
        """Return a route that grows on its own."""
        return Route(
            hub=self.hub,
            pose=self.pose,
            time=self.time,
            enters=self.enters,
            pieces=list(self.pieces),
            met=dict(self.met),
            placed=dict(self.placed),
            unmet=list(self.unmet),
            deeds=list(self.deeds),
            gone=self.gone,
        )

    def discs(self, graph: PlanGraph, *, until: float) -> tuple[IntArray, Array]:
        """Return bins [n] and discs [n, 3] that it takes up, staying at its end `until` some second unless it left."""
        bins, discs = [], []
        for piece in self.pieces:
            mine, rows = reservations(piece.graph, piece.plan, until=float(piece.plan.starts[-1]) - 1e-6)
            bins.append(mine)
            discs.append(rows)
        if not self.gone:
            first, last = int(np.ceil(self.time / BIN - 1e-9)), int(np.floor(until / BIN + 1e-9))
            there = placed_discs(graph.hub_discs[self.hub], self.pose)
            stay = np.arange(first, last + 1)
            bins.append(np.repeat(stay, len(there)))
            discs.append(np.tile(there, (len(stay), 1)))
        return np.concatenate(bins) if bins else np.zeros(0, np.int64), np.concatenate(discs) if discs else np.zeros(
            (0, 3)
        )
