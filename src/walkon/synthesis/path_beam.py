"""Beam search along a path: which steps to walk so that the body stays on it.

With P'(t) the track and P(s) the path, s(t) the metres walked so far (at least γ per second), a walk costs

    f = ∫ |P'(t) − P(s(t))|² dt  +  c per transition          (Kovar 2002, equations 8 and 9, per second, not frame)

Walks are searched in layers along the path: of all walks that have come equally far, the `width` cheapest go on. (In
layers of time those that dawdle before a bend would look better than those that have passed it, and crowd them out.)
For the ranking only, a walk is also charged for where it will be half a second on if nothing is changed: else all that
come too fast into a bend would survive, and those that have slowed down in time would not.
A walk is complete where it has walked the path's length.

The path is walked at one go or in increments (Kovar 2002, section 4.2): the best walks of `horizon` seconds are
searched, the first `keep` seconds of one of them are kept, and the search goes on from there. With `best` = r the one
is picked at random among the r best whose error is within a tolerance of the best one's, and which differ in what is
kept: walks that differ only later would all be the same choice.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.geometry.path import Path
from walkon.synthesis.planar_steps import Limits, PlanarSteps

__all__ = ["BeamStates", "beam", "path_table", "plan_steps"]

TABLE_SPACING_M = 0.02
"""m between the points of a path's table, about."""


class BeamStates(NamedTuple):
    """All states that were kept, and the best that are complete or reach the horizon."""

    states: Array
    """[N, 6] = (x, y, heading, m along the path, error m² s, s)."""
    links: IntArray
    """[N, 3] = (node, state before or −1, step or −1)."""
    leaves: IntArray
    """[·] rows, best first."""
    weighed: int
    """Steps that were weighed."""

    def trace(self, leaf: int) -> IntArray:
        """Return the rows of the states from the start to this one."""
        rows = [int(leaf)]
        while self.links[rows[-1], 1] >= 0:
            rows.append(int(self.links[rows[-1], 1]))
        return np.array(rows[::-1])


def path_table(path: Path) -> tuple[Array, float]:
    """Return the path at even distances [M, 2] and that distance."""
    count = max(int(np.ceil(path.length / TABLE_SPACING_M)), 1)
    return np.ascontiguousarray(path.at(np.linspace(0.0, path.length, count + 1))), path.length / count


def beam(
    steps: PlanarSteps, limits: Limits, *, table: Array, borders: Array, nodes: IntArray, states: Array
) -> BeamStates:
    """Search from start states [n, 6] at `nodes` [n]; the path is `table` [M, 2], its parts end at `borders` [m]."""
    from walkon.synthesis import _path_kernels

    rows, links, leaves, weighed = _path_kernels.beam(
        steps,
        limits,
        table,
        borders,
        np.ascontiguousarray(nodes, np.int64),
        np.ascontiguousarray(states, np.float64),
    )
    return BeamStates(rows, links, np.arange(len(rows) - leaves, len(rows)), weighed)


def plan_steps(
    steps: PlanarSteps,
    limits: Limits,
    *,
    table: Array,
    borders: Array,
    nodes: IntArray,
    states: Array,
    horizon: float,
    keep: float,
    best: int,
    tolerance: float,
    rng: np.random.Generator,
) -> tuple[IntArray, Array, Array, int]:
    """Return the steps of the walk, its first and its last state, and how many steps were weighed.

    See `beam` for the path and the start; with an infinite `horizon` (s) all of the path is planned at once.
    """
    taken: list[IntArray] = []
    begin: Array | None = None
    weighed = 0
    while True:
        now = float(states[:, 5].min())
        within = limits._replace(horizon=now + horizon)
        found = beam(steps, within, table=table, borders=borders, nodes=nodes, states=states)
        weighed += found.weighed
        kept = now + keep
        rows = _choose(found, kept, best=best, tolerance=tolerance, rng=rng)
        begin = found.states[rows[0]] if begin is None else begin
        end = found.states[rows[-1]]
        # A walk that is complete within the horizon is kept whole: nothing better can come of searching on.
        if end[3] >= limits.length - 1e-9:
            taken.append(found.links[rows[1:], 2])
            return np.concatenate(taken), begin, end, weighed
        cut = max(int(np.argmax(found.states[rows, 5] >= kept - 1e-9)), 1)
        taken.append(found.links[rows[1 : cut + 1], 2])
        nodes, states = found.links[rows[[cut]], 0], found.states[rows[[cut]]]


def _choose(found: BeamStates, keep: float, *, best: int, tolerance: float, rng: np.random.Generator) -> IntArray:
    """Return the states of the walk to go on with: the best one, or one of the r best that differ in what is kept."""
    if best == 1 or not np.isfinite(keep):
        return found.trace(found.leaves[0])
    traces: dict[int, IntArray] = {}
    errors: list[float] = []
    for leaf in found.leaves.tolist():
        rows = found.trace(leaf)
        later = np.flatnonzero(found.states[rows, 5] >= keep - 1e-9)
        key = int(rows[later[0]]) if len(later) else int(leaf)
        if key not in traces:
            traces[key] = rows
            errors.append(float(found.states[leaf, 4]))
    begun = float(found.states[next(iter(traces.values()))[0], 4])
    added = np.array(errors) - begun
    near = np.flatnonzero(added <= added[0] * (1.0 + tolerance) + 1e-12)[:best]
    return list(traces.values())[int(rng.choice(near))]
