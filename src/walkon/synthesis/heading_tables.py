"""Value iteration for steering by hand: for every node and every wanted heading, the best step to take next.

For interactive control a search takes too long, so its answers are made beforehand (Kovar 2002, section 5.3). Let φ be
the wanted direction as seen from the body, u the unit vector along it. A step costs the metres that it goes in vain,
and those that it is behind the library's own pace v:

    c(step, φ) = Σ |Δp| − Δp · u + max(0, v h − |Δp|)          over its track, h seconds apart
    V(node, φ) = min over steps of  c(step, φ) + exp(−duration / τ) V(stop, φ − turn)

and the table holds the step that attains the minimum. V is found by repeating the equation until it stands (Bellman
1957); φ is sampled evenly and read between samples linearly. `obey` has the seconds until the character goes the
wanted way, within 20 degrees, if the table is followed.

Difference from the paper, which fits walks to straight lines of a fixed length for every node and direction: this
looks ahead without an end, costs a second rather than minutes, and does not mind beside which line one walks.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray, lock
from walkon._base.errors import InvalidValue
from walkon.graphs.motion_graph import MotionGraph
from walkon.synthesis.choices import Choices
from walkon.synthesis.path_following import PathFollower
from walkon.synthesis.planar_steps import PlanarSteps
from walkon.transforms import angles, planar

__all__ = ["SteeringTable", "steer", "steering_table"]

DISCOUNT_TIME_S = 2.5
"""s, τ: how far ahead counts."""
VALUE_ITERATIONS_COUNT = 60
"""Repetitions of the equation; the rest is below exp(−60 · 0.4 / 2.5), a fifteen-thousandth."""
OBEYS_WITHIN_RAD = np.radians(20.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class SteeringTable:
    """The best steps of C choices for K wanted directions, 2π k / K as seen from the body."""

    graph: MotionGraph
    choices: Choices
    best: IntArray
    """[C, K] step of `choices`."""
    obey: Array
    """[C, K] s until the character goes the wanted way; infinite where it never does."""
    moves: Array
    """[S, 3] planar pose at the end of each step, seen from its beginning."""
    durations: Array
    """[S] s."""

    def __post_init__(self) -> None:
        C, S = len(self.choices), len(self.durations)
        lock(self, "best", (C, None), np.int64)
        lock(self, "moves", (S, 3))
        lock(self, "durations", (S,))
        self.obey.flags.writeable = False

    def step(self, row: int, heading: float) -> int:
        """Return the step to take from a row of choices to go towards `heading` (rad, seen from the body)."""
        K = self.best.shape[1]
        return int(self.best[row, round(float(heading) / (2 * np.pi) * K) % K])


def steering_table(graph: MotionGraph, *, labels: str | None = None, directions: int = 24) -> SteeringTable:
    """Work out the table for a graph (or its motion with one label) and evenly spread directions."""
    if directions < 4:
        raise InvalidValue(f"a steering table needs at least 4 directions, got {directions}")
    ready = PathFollower.of(graph, labels=labels, transition_cost=0.0)
    c, steps = ready.choices, ready.steps
    K, C = directions, len(c)
    costs, goes = _costs(steps, K)
    fade = np.exp(-steps.durations / DISCOUNT_TIME_S)[:, None]
    # Where a wanted direction lies once the step has turned the body, between which two samples.
    shifted = (np.arange(K) - steps.moves[:, 2:] / (2 * np.pi) * K) % K
    low = shifted.astype(np.int64) % K
    share = shifted - np.floor(shifted)
    stop = steps.stops[:, None]

    def after(values: Array) -> Array:
        return (1 - share) * values[stop, low] + share * values[stop, (low + 1) % K]

    value = np.zeros((C, K))
    for _ in range(VALUE_ITERATIONS_COUNT):
        value = np.minimum.reduceat(costs + fade * after(value), c.first[:-1], axis=0)
    total = costs + fade * after(value)
    least = np.minimum.reduceat(total, c.first[:-1], axis=0)
    # The first step that attains the minimum: ties are broken by number.
    S = len(steps.durations)
    tied = np.where(total <= np.repeat(least, np.diff(c.first), axis=0), np.arange(S)[:, None], S)
    best = np.minimum.reduceat(tied, c.first[:-1], axis=0)
    return SteeringTable(
        graph=graph,
        choices=c,
        best=best,
        obey=_obey_times(steps, best, goes, low, share),
        moves=np.array(steps.moves),
        durations=np.array(steps.durations),
    )


def _costs(steps: PlanarSteps, K: int) -> tuple[Array, Array]:
    """Return [S, K] metres not made good, and [S, K] how far the step's way is from each direction, rad."""
    first = steps.sample_first[:-1]
    delta = np.diff(steps.points, axis=0, prepend=0.0)
    # A track has no first point of its own; its first leg is as long as `arcs` says, in the direction of the next.
    ahead = np.where(np.diff(steps.sample_first) > 1, first + 1, first)
    way = delta[ahead]
    unit = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9)
    delta[first] = unit * steps.arcs[first][:, None]
    h = np.repeat(steps.spans, np.diff(steps.sample_first))
    pace = float(steps.arcs.sum() / h.sum())
    angle = 2 * np.pi * np.arange(K) / K
    made = delta[:, :1] * np.cos(angle) + delta[:, 1:] * np.sin(angle)
    size = np.linalg.norm(delta, axis=1, keepdims=True)
    costs = np.add.reduceat(size - made + np.maximum(pace * h[:, None] - size, 0.0), first, axis=0)
    net = np.add.reduceat(delta, first, axis=0)
    off = np.abs(angles.difference(angle, np.arctan2(net[:, 1], net[:, 0])[:, None]))
    slow = np.linalg.norm(net, axis=1) < 0.25 * pace * steps.durations
    return costs, np.where(slow[:, None], np.pi, off)


def _obey_times(steps: PlanarSteps, best: IntArray, goes: Array, low: IntArray, share: Array) -> Array:
    """Return [C, K] the seconds until the chosen steps go the wanted way."""
    C, K = best.shape
    column = np.arange(K)
    obeys = goes[best, column] <= OBEYS_WITHIN_RAD
    stop = steps.stops[best]
    nearer = (low[best, column] + (share[best, column] >= 0.5)) % K
    wait = np.where(obeys, 0.0, np.inf)
    for _ in range(C * K):
        later = np.where(obeys, 0.0, steps.durations[best] + wait[stop, nearer])
        if np.array_equal(later, wait):
            break
        wait = later
    return wait


def steer(
    table: SteeringTable,
    wanted: Callable[[float], float],
    *,
    start: int,
    duration: float,
    pose: ArrayLike = planar.IDENTITY,
) -> IntArray:
    """Follow a table: `wanted(t)` is the heading in the world (rad) asked for at t seconds. Returns the walk [E].

    `start` is a row of `table.choices`; the walk lasts at least `duration` seconds.
    """
    row, time, steps = int(start), 0.0, []
    at = np.asarray(pose, dtype=np.float64)
    while time < duration:
        step = table.step(row, float(wanted(time)) - float(at[2]))
        steps.append(step)
        at = planar.compose(at, table.moves[step])
        time += float(table.durations[step])
        row = int(table.choices.stops[step])
    return table.choices.edges_of(table.graph, np.array(steps))
