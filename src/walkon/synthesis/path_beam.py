"""The beam along a path: which steps to walk so that the body stays on it.

With P'(t) the track and P(s) the path, s(t) the metres walked so far (at least γ per second), a walk costs

    f = ∫ |P'(t) − P(s(t))|² dt  +  c per transition          (Kovar 2002, equations 8 and 9, per second, not frame)

Walks are searched in layers along the path: of all walks that have come equally far, the `width` cheapest go on. (In
layers of time those that dawdle before a bend would look better than those that have passed it, and crowd them out.)
For the ranking only, a walk is also charged for where it will be half a second on if nothing is changed: else all that
come too fast into a bend would survive, and those that have slowed down in time would not.
A walk is complete where it has walked the path's length.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.geometry.path import Path
from walkon.synthesis.planar_steps import Limits, PlanarSteps

__all__ = ["BeamStates", "beam", "path_table"]

SPACING = 0.02
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
    count = max(int(np.ceil(path.length / SPACING)), 1)
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
