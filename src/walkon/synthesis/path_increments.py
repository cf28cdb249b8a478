"""Walking a path at one go or in increments, always along the best walk or along one of the best.

In increments (Kovar 2002, section 4.2) the best walks of `horizon` seconds are searched, the first `keep` seconds of
one of them are kept, and the search goes on from there. With `best` = r the one is picked at random among the r best
whose error is within a tolerance of the best one's, and which differ in what is kept: walks that differ only later
would all be the same choice.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.synthesis.path_beam import BeamStates, beam
from walkon.synthesis.planar_steps import Limits, PlanarSteps

__all__ = ["PathTask", "plan_steps"]


class PathTask(NamedTuple):
    """What a search is given."""

    limits: Limits
    table: Array
    """[M, 2] the path at even distances."""
    borders: Array
    """[·] m along the path where its parts end."""
    horizon: float | None
    """s; None: all of the path at once."""
    keep: float | None
    """s."""
    best: int
    tolerance: float


def plan_steps(
    steps: PlanarSteps, plan: PathTask, *, nodes: IntArray, states: Array, rng: np.random.Generator
) -> tuple[IntArray, Array, Array, int]:
    """Return the steps of the walk, its first and its last state, and how many steps were weighed."""
    taken: list[IntArray] = []
    begin: Array | None = None
    weighed = 0
    while True:
        now = float(states[:, 5].min())
        until = np.inf if plan.horizon is None else now + plan.horizon
        found = beam(
            steps,
            plan.limits._replace(horizon=until),
            table=plan.table,
            borders=plan.borders,
            nodes=nodes,
            states=states,
        )
        weighed += found.weighed
        kept = np.inf if plan.keep is None else now + plan.keep
        rows = _chosen(found, kept, best=plan.best, tolerance=plan.tolerance, rng=rng)
        begin = found.states[rows[0]] if begin is None else begin
        end = found.states[rows[-1]]
        # A walk that is complete within the horizon is kept whole: nothing better can come of searching on.
        if end[3] >= plan.limits.length - 1e-9:
            taken.append(found.links[rows[1:], 2])
            return np.concatenate(taken), begin, end, weighed
        cut = max(int(np.argmax(found.states[rows, 5] >= kept - 1e-9)), 1)
        taken.append(found.links[rows[1 : cut + 1], 2])
        nodes, states = found.links[rows[[cut]], 0], found.states[rows[[cut]]]


def _chosen(found: BeamStates, keep: float, *, best: int, tolerance: float, rng: np.random.Generator) -> IntArray:
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
