"""Greedy seeds, compiled: edge after edge along a path, forward from the start or backward from the goal.

See `seeds` for what is minimised; a plain Python twin is `seeds.follow_numpy`.
"""

# mypy: ignore-errors

import math

from walkon._base.jit import kernel, reads, writes
from walkon.synthesis.goal_directed._collision_kernels import STEPS, WORLD, edge_depth

TRIES = 6
"""Edges that are tried for collisions at a step, the best first."""
ASIDE, SLOW, TURN_NEAR = 0.35, 0.02, 2.0
"""m per rad of heading error; m² per s² of time lost or won; m from the goal within which its heading counts."""


@kernel()
def _random(state):
    """Return a number in [0, 1) and advance the state [1] (xorshift64*)."""
    x = state[0]
    x ^= (x >> 12) & 0x000FFFFFFFFFFFFF
    x ^= x << 25
    x ^= (x >> 27) & 0x0000001FFFFFFFFF
    state[0] = x
    y = x * 2685821657736338717
    return ((y >> 11) & 0x001FFFFFFFFFFFFF) / 9007199254740992.0


@kernel()
def _wrap(angle):
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


@kernel()
def _along(path, arcs, s):
    """Return place and heading of a path [P, 2] with arc lengths [P] at arc s; beyond its ends it goes straight on."""
    n = len(arcs)
    k = 0
    while k < n - 2 and arcs[k + 1] <= s:
        k += 1
    dx, dy = path[k + 1, 0] - path[k, 0], path[k + 1, 1] - path[k, 1]
    size = max(math.sqrt(dx * dx + dy * dy), 1e-9)
    u = s - arcs[k]
    return path[k, 0] + dx / size * u, path[k, 1] + dy / size * u, math.atan2(dy, dx)


@kernel()
def _project(path, arcs, x, y, low, high):
    """Return the arc between `low` and `high` at which a path is nearest to a place."""
    best, found = 1e30, low
    for k in range(len(arcs) - 1):
        if arcs[k + 1] < low or arcs[k] > high:
            continue
        dx, dy = path[k + 1, 0] - path[k, 0], path[k + 1, 1] - path[k, 1]
        size = max(math.sqrt(dx * dx + dy * dy), 1e-9)
        u = ((x - path[k, 0]) * dx + (y - path[k, 1]) * dy) / size
        u = min(max(u, low - arcs[k], 0.0), high - arcs[k], size)
        px, py = path[k, 0] + dx / size * u, path[k, 1] + dy / size * u
        away = (px - x) ** 2 + (py - y) ** 2
        if away < best:
            best, found = away, arcs[k] + u
    return found


@kernel()
def _after(pose, move, out):
    """Fill out [3] with pose ∘ move."""
    c, s = math.cos(pose[2]), math.sin(pose[2])
    out[0] = pose[0] + c * move[0] - s * move[1]
    out[1] = pose[1] + s * move[0] + c * move[1]
    out[2] = pose[2] + move[2]


@kernel()
def _before(pose, move, out):
    """Fill out [3] with pose ∘ move⁻¹."""
    h = pose[2] - move[2]
    c, s = math.cos(h), math.sin(h)
    out[0] = pose[0] - c * move[0] + s * move[1]
    out[1] = pose[1] - s * move[0] - c * move[1]
    out[2] = h


@kernel(
    STEPS,
    WORLD,
    reads(2),
    reads(1),
    "int64",
    reads(1),
    "float64",
    "float64",
    "float64",
    "boolean",
    "float64",
    "float64",
    "int64",
    writes(1, "int64"),
    writes(1, "int32"),
    writes(2),
    writes(1),
    writes(1, "int32"),
)
def follow(
    steps,
    world,
    path,
    arcs,
    hub,
    pose,
    time,
    speed,
    rest,
    backward,
    facing,
    noise,
    me,
    state,
    edges,
    poses,
    costs,
    order,
):
    """Walk a path [P, 2] with arc lengths [P] greedily; return how many edges [n] and poses [n + 1, 3] were filled.

    From a hub at a planar pose [3] at `time` s, at about `speed` m/s, after `rest` seconds of rest if the hub has any.
    Backward it goes from the path's end towards its beginning, and time runs back. `facing` is the heading wished for
    at the far end (NaN for none), `noise` m² of randomness in every choice, from `state`.
    """
    total = arcs[len(arcs) - 1]
    s = total if backward else 0.0
    n, most = 0, len(edges)
    for a in range(3):
        poses[0, a] = pose[a]
    zero = poses[most + 1]
    trial = poses[most + 2]
    for a in range(3):
        zero[a] = 0.0
    left = rest
    stalled = 0
    while n < most:
        first = steps.in_first[hub] if backward else steps.out_first[hub]
        last = steps.in_first[hub + 1] if backward else steps.out_first[hub + 1]
        count = last - first
        if count == 0:
            break
        done = s if backward else total - s
        if left < 0.7 and done < 0.35 and n > 0:
            break
        here = poses[n]
        for i in range(count):
            edge = steps.in_edge[first + i] if backward else first + i
            travelled = steps.path[edge]
            if backward:
                _before(here, steps.move[edge], trial)
                px, py, heading = _along(path, arcs, max(s - travelled, -0.5))
            else:
                _after(here, steps.move[edge], trial)
                px, py, heading = _along(path, arcs, min(s + travelled, total + 0.5))
                if not math.isnan(facing) and total - s < TURN_NEAR:
                    heading = facing
            if backward and not math.isnan(facing) and s < TURN_NEAR:
                heading = facing
            away = (trial[0] - px) ** 2 + (trial[1] - py) ** 2
            off = ASIDE * _wrap(trial[2] - heading)
            late = steps.seconds[edge] - travelled / speed
            cost = away + off * off + SLOW * late * late
            if left > 0.7 and steps.moving[edge] == 0 and steps.start[edge] == steps.stop[edge] and travelled < 0.1:
                # Rest that is wanted: the nearer to what is left, the better, and anything is better than walking off.
                cost = -10.0 + abs(left - steps.seconds[edge]) + 0.5 * _random(state)
                if steps.seconds[edge] > left + 0.7:
                    cost = 50.0
            costs[i] = cost + noise * _random(state)
            order[i] = edge
        chosen = -1
        for _ in range(min(TRIES, count)):
            best = 0
            for i in range(1, count):
                if costs[i] < costs[best]:
                    best = i
            if costs[best] >= 1e29:
                break
            edge = order[best]
            if backward:
                _before(here, steps.move[edge], trial)
                begin = time - steps.seconds[edge]
                depth = edge_depth(steps, world, edge, trial, begin, 1.0, zero, zero, me, 0.0)
            else:
                depth = edge_depth(steps, world, edge, here, time, 1.0, zero, zero, me, 0.0)
            if depth == 0.0 or chosen < 0:
                chosen = edge
            if depth == 0.0:
                break
            costs[best] = 1e30
        if backward:
            _before(here, steps.move[chosen], poses[n + 1])
            time -= steps.seconds[chosen]
            hub = steps.start[chosen]
        else:
            _after(here, steps.move[chosen], poses[n + 1])
            time += steps.seconds[chosen]
            hub = steps.stop[chosen]
        edges[n] = chosen
        n += 1
        if steps.moving[chosen] == 0:
            left -= steps.seconds[chosen]
        was = s
        if backward:
            s = _project(path, arcs, poses[n, 0], poses[n, 1], max(s - 3.0, 0.0), s)
            stalled = stalled + 1 if s > was - 0.02 else 0
        else:
            s = _project(path, arcs, poses[n, 0], poses[n, 1], s, min(s + 3.0, total))
            stalled = stalled + 1 if s < was + 0.02 else 0
        if stalled > 8 and left < 0.7:
            break
    return n
