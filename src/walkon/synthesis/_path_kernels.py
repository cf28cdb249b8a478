"""Compiled beam search along a path: planar steps weighed against it, layer by layer. Plain twin:
tests/twins/path_beam.py.

A state of the beam is a row (x, y, heading, metres along the path, error so far, seconds so far) at a node. Steps carry
their own planar track, so nothing here knows of joints.
"""

# mypy: ignore-errors

import numpy as np

from walkon._base.jit import group, kernel, reads
from walkon.synthesis.path_rule import Limits, PlanarSteps

X, Y, HEADING, ALONG, ERROR, TIME = range(6)
"""Columns of states."""
UNBEGUN_PART_COST_M2_S = 100.0
"""m² s for every part of the path that is never begun: such a walk is taken only where there is no other."""


@kernel()
def weigh(steps, limits, table, step, state, child):
    """Fill the child of a state over a step; return whether the path ends within it.

    The error is ∫ |track − P(along)|² dt (equation 9, as a rate), taken only up to the horizon.
    """
    c, s = np.cos(state[HEADING]), np.sin(state[HEADING])
    along, error, time = state[ALONG], state[ERROR] + steps.fees[step], state[TIME]
    h = steps.spans[step]
    least = limits.progress * h
    done, used = False, steps.durations[step]
    for k in range(steps.sample_first[step], steps.sample_first[step + 1]):
        time += h
        along += max(steps.arcs[k], least)
        px, py = steps.points[k, 0], steps.points[k, 1]
        x, y = state[X] + c * px - s * py, state[Y] + s * px + c * py
        u = min(along, limits.length) / limits.spacing
        i = min(int(u), table.shape[0] - 2)
        f = u - i
        ex = x - table[i, 0] - f * (table[i + 1, 0] - table[i, 0])
        ey = y - table[i, 1] - f * (table[i + 1, 1] - table[i, 1])
        if time <= limits.horizon + 1e-9:
            error += h * (ex * ex + ey * ey)
        if along >= limits.length:
            done, used = True, time - state[TIME]
            break
    mx, my = steps.moves[step, 0], steps.moves[step, 1]
    child[X], child[Y] = state[X] + c * mx - s * my, state[Y] + s * mx + c * my
    child[HEADING] = state[HEADING] + steps.moves[step, 2]
    child[ALONG], child[ERROR], child[TIME] = along, error, state[TIME] + used
    return done


@kernel()
def lateness_cost(steps, limits, borders, node, along):
    """Return what is added to a state's rank because it is late in changing to the next part of the path.

    A change that should have happened `late` metres ago costs late² times `limits.lateness`; a node from which the next
    kind of motion is `waits` seconds away counts as that much farther along.
    """
    part = steps.parts[node]
    if part >= borders.shape[0]:
        return 0.0
    late = along + limits.pace * steps.waits[node] - (borders[part] + limits.slack)
    return limits.lateness * late * late if late > 0.0 else 0.0


@kernel()
def foresight_cost(steps, limits, table, node, state):
    """Return what is added to a state's rank for where it is about to be: a walk that goes too fast into a bend."""
    c, s = np.cos(state[HEADING]), np.sin(state[HEADING])
    px, py = steps.aheads[node, 0], steps.aheads[node, 1]
    u = min(state[ALONG] + steps.aheads[node, 2], limits.length) / limits.spacing
    i = min(int(u), table.shape[0] - 2)
    f = u - i
    ex = state[X] + c * px - s * py - table[i, 0] - f * (table[i + 1, 0] - table[i, 0])
    ey = state[Y] + s * px + c * py - table[i, 1] - f * (table[i + 1, 1] - table[i, 1])
    return limits.foresight * (ex * ex + ey * ey)


@kernel()
def copy_row(states, links, to, from_states, from_links, row):
    """Copy one state with its links."""
    for i in range(6):
        states[to, i] = from_states[row, i]
    for i in range(3):
        links[to, i] = from_links[row, i]


@kernel()
def write_row(states, links, row, state, node, parent, step):
    """Write one state with its links."""
    for i in range(6):
        states[row, i] = state[i]
    links[row, 0] = node
    links[row, 1] = parent
    links[row, 2] = step


@kernel()
def insert(states, links, count, state, node, parent, step):
    """Put a leaf into its place among the `count` best ones; return how many there are then, at most all rows."""
    k = min(count, states.shape[0] - 1)
    while k > 0 and states[k - 1, ERROR] > state[ERROR]:
        copy_row(states, links, k, states, links, k - 1)
        k -= 1
    write_row(states, links, k, state, node, parent, step)
    return min(count + 1, states.shape[0])


@kernel()
def ranks_after(ranks, a, b):
    """Say whether row a comes after row b: by rank, then by number."""
    return ranks[a] > ranks[b] or (ranks[a] == ranks[b] and a > b)


@kernel()
def sort_rows(ranks, first, count, order):
    """Fill order[:count] with the rows first … first + count − 1, best rank first: a heap sort, so ties are settled."""
    for i in range(count):
        order[i] = first + i
    for phase in range(count // 2 - 1, -count, -1):
        # At first the heap is made, from its last parent up; then the largest goes to the end, again and again.
        if phase >= 0:
            root, size = phase, count
        else:
            size = count + phase
            order[0], order[size] = order[size], order[0]
            root = 0
        while 2 * root + 1 < size:
            larger = 2 * root + 1
            if larger + 1 < size and ranks_after(ranks, order[larger + 1], order[larger]):
                larger += 1
            if not ranks_after(ranks, order[larger], order[root]):
                break
            order[root], order[larger] = order[larger], order[root]
            root = larger


@kernel()
def thin_out(states, links, ranks, first, count, cap, order, kept):
    """Keep the `cap` best of a full layer's rows, in their order."""
    sort_rows(ranks, first, count, order)
    for i in range(count):
        kept[order[i] - first] = i < cap
    n = first
    for i in range(count):
        if kept[i]:
            copy_row(states, links, n, states, links, first + i)
            ranks[n] = ranks[first + i]
            n += 1


@kernel(
    group(
        PlanarSteps,
        reads(1, "int64"),
        reads(1, "int64"),
        reads(1, "int64"),
        reads(1),
        reads(1, "boolean"),
        reads(1),
        reads(2),
        reads(1),
        reads(1),
        reads(2),
        reads(1, "int64"),
        reads(2),
        reads(1),
    ),
    group(Limits, *["float64"] * 9, "int64", "int64", "int64"),
    reads(2),
    reads(1),
    reads(1, "int64"),
    reads(2),
)
def beam(steps, limits, table, borders, start_nodes, start_states):
    """Search from start states for the walks of least error; return (states, links, leaves, number of steps weighed).

    `states` [N, 6] and `links` [N, 3] = (node, parent, step) are all states that were kept; the last `leaves` rows are
    the best ones that end the path or reach the horizon, best first. Layers are
    `limits.layer` metres of path; of each the `limits.width` best states go on, at most `limits.per_node` of them at
    one node.
    """
    width, n_starts = limits.width, start_nodes.shape[0]
    room = max(8 * width, n_starts)
    longest = 0.0
    for step in range(steps.stops.shape[0]):
        far = 0.0
        for k in range(steps.sample_first[step], steps.sample_first[step + 1]):
            far += max(steps.arcs[k], limits.progress * steps.spans[step])
        longest = max(longest, far)
    ring = int(longest / limits.layer) + 3  # layers that wait: a step never leads farther
    pool, pool_links = np.empty((ring * room, 6)), np.empty((ring * room, 3), np.int64)
    ranks, counts = np.empty(ring * room), np.zeros(ring, np.int64)
    order, kept = np.empty(room, np.int64), np.empty(room, np.bool_)
    states, links, n = np.empty((4096, 6)), np.empty((4096, 3), np.int64), 0
    best, best_links, found, bound = np.empty((limits.leaves, 6)), np.empty((limits.leaves, 3), np.int64), 0, np.inf
    at_node = np.zeros(steps.first.shape[0], np.int64)
    state, child, weighed = np.empty(6), np.empty(6), 0
    begin = np.inf
    for i in range(n_starts):
        for k in range(6):
            state[k] = start_states[i, k]
        write_row(pool, pool_links, i, state, start_nodes[i], -1, -1)
        ranks[i] = state[ERROR]
        begin = min(begin, state[ALONG])
    counts[0] = n_starts
    now, waiting = 0, n_starts
    while waiting > 0:
        slot = now % ring
        count = counts[slot]
        sort_rows(ranks, slot * room, count, order)
        first_kept = n
        for i in range(count):
            row = order[i]
            if now > 0 and n - first_kept >= width:
                break
            node = pool_links[row, 0]
            if pool[row, ERROR] >= bound or (now > 0 and at_node[node] >= limits.per_node):
                continue
            at_node[node] += 1
            if n == states.shape[0]:
                more, more_links = np.empty((2 * n, 6)), np.empty((2 * n, 3), np.int64)
                for k in range(n):
                    copy_row(more, more_links, k, states, links, k)
                states, links = more, more_links
            copy_row(states, links, n, pool, pool_links, row)
            n += 1
        counts[slot] = 0
        waiting -= count
        for row in range(first_kept, n):
            node = links[row, 0]
            at_node[node] = 0
            for k in range(6):
                state[k] = states[row, k]
            for step in range(steps.first[node], steps.first[node + 1]):
                if steps.switches[step] and state[ALONG] < borders[steps.parts[node]] - limits.slack:
                    continue
                done = weigh(steps, limits, table, step, state, child)
                weighed += 1
                to = steps.stops[step]
                late = lateness_cost(steps, limits, borders, to, child[ALONG])
                if done or child[TIME] >= limits.horizon - 1e-9:
                    child[ERROR] += late + (
                        UNBEGUN_PART_COST_M2_S * (borders.shape[0] - steps.parts[to]) if done else 0.0
                    )
                    if child[ERROR] < bound:
                        found = insert(best, best_links, found, child, to, row, step)
                        if found == limits.leaves:
                            bound = best[found - 1, ERROR]
                elif child[ERROR] < bound:
                    later = max(int((child[ALONG] - begin) / limits.layer), now + 1) % ring
                    if counts[later] == room:
                        thin_out(pool, pool_links, ranks, later * room, room, 2 * width, order, kept)
                        counts[later] = 2 * width
                        waiting -= room - 2 * width
                    into = later * room + counts[later]
                    write_row(pool, pool_links, into, child, to, row, step)
                    ranks[into] = child[ERROR] + late + foresight_cost(steps, limits, table, to, child)
                    counts[later] += 1
                    waiting += 1
        now += 1
    every, every_links = np.empty((n + found, 6)), np.empty((n + found, 3), np.int64)
    for k in range(n):
        copy_row(every, every_links, k, states, links, k)
    for k in range(found):
        copy_row(every, every_links, n + k, best, best_links, k)
    return every, every_links, found, weighed
