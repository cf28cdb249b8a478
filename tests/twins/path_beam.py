"""The beam along a path in plain Python: what `synthesis._path_kernels.beam` is held equal to, state for state."""

from operator import itemgetter

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.synthesis._path_kernels import UNBEGUN_PART_COST_M2_S
from walkon.synthesis.path_beam import BeamStates
from walkon.synthesis.planar_steps import Limits, PlanarSteps

__all__ = ["beam_python"]


def beam_python(
    steps: PlanarSteps, limits: Limits, *, table: Array, borders: Array, nodes: IntArray, states: Array
) -> BeamStates:
    """Do what `beam` does in plain Python: the twin that proves the kernel right."""
    room = max(8 * limits.width, len(nodes))
    begin = float(states[:, 3].min())
    layers: dict[int, list[tuple[float, int, Array, tuple[int, int, int]]]] = {}
    order = 0
    for node, state in zip(nodes, states, strict=True):
        layers.setdefault(0, []).append((float(state[4]), order, state, (int(node), -1, -1)))
        order += 1
    kept: list[Array] = []
    links: list[tuple[int, int, int]] = []
    leaves: list[tuple[float, int, Array, tuple[int, int, int]]] = []
    weighed, bound = 0, np.inf
    for now in iter(lambda: min(layers, default=-1), -1):
        first = len(kept)
        at_node: dict[int, int] = {}
        for _, _, state, link in sorted(layers.pop(now), key=itemgetter(0, 1)):
            if now > 0 and len(kept) - first >= limits.width:
                break
            if state[4] >= bound:
                continue
            if now > 0 and at_node.get(link[0], 0) >= limits.per_node:
                continue
            at_node[link[0]] = at_node.get(link[0], 0) + 1
            kept.append(state)
            links.append(link)
        for row in range(first, len(kept)):
            node = links[row][0]
            for step in range(steps.first[node], steps.first[node + 1]):
                if steps.switches[step] and kept[row][3] < borders[steps.parts[node]] - limits.slack:
                    continue
                child, done = _weigh(steps, limits, table, step, kept[row])
                weighed += 1
                to = int(steps.stops[step])
                late = _penalty(steps, limits, borders, to, float(child[3]))
                order += 1
                if done or child[5] >= limits.horizon - 1e-9:
                    child[4] += late + (UNBEGUN_PART_COST_M2_S * (len(borders) - steps.parts[to]) if done else 0.0)
                    leaves = sorted([*leaves, (float(child[4]), order, child, (to, row, step))], key=itemgetter(0, 1))
                    leaves = leaves[: limits.leaves]
                    bound = leaves[-1][0] if len(leaves) == limits.leaves else np.inf
                elif child[4] < bound:
                    layer = max(int((child[3] - begin) / limits.layer), now + 1)
                    rank = float(child[4]) + late + _foresee(steps, limits, table, to, child)
                    waiting = layers.setdefault(layer, [])
                    if len(waiting) == room:  # full: only the best stay, in their order
                        waiting.sort(key=itemgetter(0, 1))
                        waiting[:] = sorted(waiting[: 2 * limits.width], key=itemgetter(1))
                    waiting.append((rank, order, child, (to, row, step)))
    rows = [*kept, *(leaf[2] for leaf in leaves)]
    every = [*links, *(leaf[3] for leaf in leaves)]
    return BeamStates(np.array(rows), np.array(every), np.arange(len(kept), len(rows)), weighed)


def _weigh(steps: PlanarSteps, limits: Limits, table: Array, step: int, state: Array) -> tuple[Array, bool]:
    """Return the state after a step, and whether the path ends within it."""
    part = slice(int(steps.sample_first[step]), int(steps.sample_first[step + 1]))
    h = float(steps.spans[step])
    c, s = np.cos(state[2]), np.sin(state[2])
    turn = np.array([[c, s], [-s, c]])
    track = state[:2] + steps.points[part] @ turn
    along = state[3] + np.cumsum(np.maximum(steps.arcs[part], limits.progress * h))
    times = state[5] + h * np.arange(1, len(along) + 1)
    ends = np.flatnonzero(along >= limits.length)
    n = int(ends[0]) + 1 if len(ends) else len(along)
    at = np.minimum(along, limits.length) / limits.spacing
    row = np.minimum(at.astype(np.int64), len(table) - 2)
    wanted = table[row] + (at - row)[:, None] * (table[row + 1] - table[row])
    error = h * np.sum((track - wanted) ** 2, axis=1)
    error[(times > limits.horizon + 1e-9) | (np.arange(len(along)) >= n)] = 0.0
    move = steps.moves[step]
    place = state[:2] + move[:2] @ turn
    used = n * h if len(ends) else float(steps.durations[step])
    total = state[4] + steps.fees[step] + error.sum()
    return np.array([*place, state[2] + move[2], along[n - 1], total, state[5] + used]), bool(len(ends))


def _penalty(steps: PlanarSteps, limits: Limits, borders: Array, node: int, along: float) -> float:
    part = int(steps.parts[node])
    if part >= len(borders):
        return 0.0
    late = along + limits.pace * float(steps.waits[node]) - (float(borders[part]) + limits.slack)
    return limits.lateness * max(late, 0.0) ** 2


def _foresee(steps: PlanarSteps, limits: Limits, table: Array, node: int, state: Array) -> float:
    c, s = np.cos(state[2]), np.sin(state[2])
    place = state[:2] + steps.aheads[node, :2] @ np.array([[c, s], [-s, c]])
    at = min(float(state[3] + steps.aheads[node, 2]), limits.length) / limits.spacing
    row = min(int(at), len(table) - 2)
    wanted = table[row] + (at - row) * (table[row + 1] - table[row])
    return float(limits.foresight * np.sum((place - wanted) ** 2))
