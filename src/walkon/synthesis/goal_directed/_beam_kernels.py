"""Seeds that keep to a guide, compiled: several motions at once, edge after edge, forward from the start or backward
from the goal, and the places where a forward and a backward one can be joined. See `seeds` for what is minimised.
"""

# mypy: ignore-errors

import math
from typing import NamedTuple

import numpy as np

from walkon._base._chance_kernels import draw
from walkon._base.jit import group, kernel, reads, writes
from walkon.synthesis.goal_directed._collision_kernels import NO_SHIFT, STEPS, SURROUNDINGS, Placed, edge_depth
from walkon.synthesis.goal_directed._join_kernels import JOB, POOL, join_cost
from walkon.transforms._kernels import wrap

BUCKET_S = 0.4
"""s of a bucket: motions are compared with those that have lasted about as long."""
HEADING_WEIGHT_M = 0.5
"""m of deviation that a radian of heading error counts as."""
COST_DECAY_RATIO = 0.6
"""Share of a motion's earlier deviation that still counts after another edge."""
LATE_COST, OFF_GUIDE_COST = 0.3, 0.3
"""What a second more than was meant costs, and a m² off the guide, in units of the tolerance."""
SAME_PLACE_M, SAME_HEADING_RAD, SAME_TIME_S = 0.135, 0.15, 0.2
"""m, rad, s within which two motions at one hub are the same for us; the better is kept."""


class Beam(NamedTuple):
    """B buckets of up to W motions each; motion w of bucket b is row b W + w."""

    counts: np.ndarray
    """[B]."""
    parent: np.ndarray
    """[B W] row of the motion without its last edge, −1 for the first."""
    edge: np.ndarray
    hub: np.ndarray
    pose: np.ndarray
    """[B W, 3]."""
    seconds: np.ndarray
    """[B W] s that it has lasted."""
    moving: np.ndarray
    """[B W] s of these in which it may be displaced."""
    cost: np.ndarray
    depth: np.ndarray
    """[B W] m by which it has run into things."""
    worst: np.ndarray
    """[B] the largest cost in a bucket that is full, infinite before."""


BEAM = group(
    Beam,
    writes(1, "int32"),
    writes(1, "int32"),
    writes(1, "int32"),
    writes(1, "int32"),
    writes(2),
    writes(1),
    writes(1),
    writes(1),
    writes(1),
    writes(1),
)


class BeamRule(NamedTuple):
    """How wide a beam is, how far it reaches, and what deviations cost."""

    hold: int
    """Motions of one bucket at most (W)."""
    width: int
    """Of these, how many go on."""
    buckets: int
    price: float
    """m² that running into things costs per m of depth; motions that do are left out where it is not over 0."""
    noise: float
    """m² of chance that are added to every choice."""


BEAM_RULE = group(BeamRule, "int64", "int64", "int64", "float64", "float64")


@kernel(borrowed=True)
def _place(beam, hold, bucket, hub, x, y, heading, seconds, cost):
    """Return the slot of a bucket where a motion goes: that of a like one, a free one, the worst one; −1 for none."""
    count = beam.counts[bucket]
    worst, slot = cost, -1
    for row in range(bucket * hold, bucket * hold + count):
        if (
            beam.hub[row] == hub
            and (beam.pose[row, 0] - x) ** 2 + (beam.pose[row, 1] - y) ** 2 < SAME_PLACE_M * SAME_PLACE_M
            and abs(beam.pose[row, 2] - heading) < SAME_HEADING_RAD
            and abs(beam.seconds[row] - seconds) < SAME_TIME_S
        ):
            return row - bucket * hold if cost < beam.cost[row] else -1
        if beam.cost[row] > worst:
            worst, slot = beam.cost[row], row - bucket * hold
    return count if count < hold else slot


@kernel(borrowed=True)
def _exchange(beam, a, b):
    beam.parent[a], beam.parent[b] = beam.parent[b], beam.parent[a]
    beam.edge[a], beam.edge[b] = beam.edge[b], beam.edge[a]
    beam.hub[a], beam.hub[b] = beam.hub[b], beam.hub[a]
    for k in range(3):
        beam.pose[a, k], beam.pose[b, k] = beam.pose[b, k], beam.pose[a, k]
    beam.seconds[a], beam.seconds[b] = beam.seconds[b], beam.seconds[a]
    beam.moving[a], beam.moving[b] = beam.moving[b], beam.moving[a]
    beam.cost[a], beam.cost[b] = beam.cost[b], beam.cost[a]


@kernel(borrowed=True)
def _settle(steps, world, beam, bucket, rule, time, backward, me):
    """Keep the best motions of a bucket whose last edges run into nothing, in its first slots; return how many.

    Only here are collisions looked for: most motions are never among the best.
    """
    first, count, kept = bucket * rule.hold, beam.counts[bucket], 0
    at = 0
    while at < count and kept < rule.width:
        best = first + at
        for row in range(first + at + 1, first + count):
            if beam.cost[row] < beam.cost[best]:
                best = row
        edge, parent = beam.edge[best], beam.parent[best]
        source = best if backward else parent
        begin = time - beam.seconds[best] if backward else time + beam.seconds[parent]
        placed = Placed(beam.pose[source, 0], beam.pose[source, 1], beam.pose[source, 2], begin, 1.0)
        depth = edge_depth(steps, world, edge, placed, NO_SHIFT, me, 0.0 if rule.price <= 0.0 else 2.0)
        if at != best - first:
            _exchange(beam, first + at, best)
        if depth > 0.0 and rule.price > 0.0:
            beam.cost[first + at] += rule.price * depth
        if depth == 0.0 or rule.price > 0.0:
            if kept != at:
                _exchange(beam, first + kept, first + at)
            beam.depth[first + kept] = beam.depth[parent] + depth
            kept += 1
        at += 1
    return kept


@kernel(
    STEPS,
    SURROUNDINGS,
    reads(2),
    "int64",
    reads(1),
    "float64",
    "boolean",
    BEAM_RULE,
    reads(1),
    "int64",
    writes(1, "int64"),
    BEAM,
    borrowed=True,
)
def follow(steps, world, guide, hub, pose, time, backward, rule, dislike, me, state, beam):
    """Grow a beam from a hub at a planar pose [3] at `time` s along a guide [K, 4] = (x, y, s, heading).

    Backward it grows into the past. Chance is drawn from `state`; `dislike` [E] m² are added to the cost of each edge.
    """
    hold, buckets = rule.hold, rule.buckets
    for b in range(buckets):
        beam.counts[b], beam.worst[b] = 0, np.inf
    for a in range(3):
        beam.pose[0, a] = pose[a]
    beam.parent[0], beam.edge[0], beam.hub[0] = -1, -1, hub
    beam.seconds[0], beam.moving[0], beam.cost[0], beam.depth[0] = 0.0, 0.0, 0.0, 0.0
    beam.counts[0] = 1
    knots = len(guide)
    way = 1 if backward else 0
    for b in range(buckets):
        if b > 0:
            beam.counts[b] = _settle(steps, world, beam, b, rule, time, backward, me)
        for row in range(b * hold, b * hold + beam.counts[b]):
            at_hub = beam.hub[row]
            x, y, h = beam.pose[row, 0], beam.pose[row, 1], beam.pose[row, 2]
            cos, sin = math.cos(h), math.sin(h)
            since, before = beam.seconds[row], COST_DECAY_RATIO * beam.cost[row]
            here = time - since if backward else time + since
            start = 0
            while start < knots - 2 and guide[start + 1, 2] <= here:
                start += 1
            for k in range(steps.branch_first[way, at_hub], steps.branch_first[way, at_hub + 1]):
                edge = steps.branch_edges[way, k]
                seconds = since + steps.seconds[edge]
                bucket = max(int(seconds / BUCKET_S), b + 1)
                if bucket >= buckets:
                    continue
                mx, my = steps.move[edge, 0], steps.move[edge, 1]
                if backward:
                    th = h - steps.move[edge, 2]
                    cos, sin = math.cos(th), math.sin(th)
                    tx, ty = x - cos * mx + sin * my, y - sin * mx - cos * my
                    when = time - seconds
                    there = steps.start[edge]
                else:
                    tx, ty, th = x + cos * mx - sin * my, y + sin * mx + cos * my, h + steps.move[edge, 2]
                    when = time + seconds
                    there = steps.stop[edge]
                q = start
                while q < knots - 2 and guide[q + 1, 2] <= when:
                    q += 1
                while q > 0 and guide[q, 2] > when:
                    q -= 1
                span = guide[q + 1, 2] - guide[q, 2]
                u = min(max((when - guide[q, 2]) / span, 0.0), 1.0) if span > 1e-9 else 1.0
                dx = guide[q, 0] + u * (guide[q + 1, 0] - guide[q, 0]) - tx
                dy = guide[q, 1] + u * (guide[q + 1, 1] - guide[q, 1]) - ty
                off = HEADING_WEIGHT_M * wrap(th - guide[q, 3])
                cost = before + dx * dx + dy * dy + off * off + dislike[edge] + rule.noise * draw(state)
                if cost >= beam.worst[bucket]:
                    continue
                slot = _place(beam, hold, bucket, there, tx, ty, th, seconds, cost)
                if slot < 0:
                    continue
                if slot == beam.counts[bucket]:
                    beam.counts[bucket] += 1
                to = bucket * hold + slot
                beam.parent[to], beam.edge[to], beam.hub[to] = row, edge, there
                beam.pose[to, 0], beam.pose[to, 1], beam.pose[to, 2] = tx, ty, th
                beam.seconds[to] = seconds
                beam.moving[to] = beam.moving[row] + steps.seconds[edge] * steps.moving[edge]
                beam.cost[to] = cost
                if beam.counts[bucket] == hold:
                    beam.worst[bucket] = beam.cost[bucket * hold]
                    for other in range(bucket * hold + 1, bucket * hold + hold):
                        beam.worst[bucket] = max(beam.worst[bucket], beam.cost[other])


@kernel(
    JOB,
    BEAM,
    BEAM,
    "float64",
    "float64",
    "int64",
    writes(1, "int64"),
    POOL,
    "int64",
    writes(1),
    writes(2, "int32"),
    borrowed=True,
)
def gather(job, forward, backward, meant, tight, hold, buckets, pool, most, costs, pairs):
    """Fill the pool with the cheapest `most` joins of two beams; return how many.

    Of joins that fit, those are better that take no longer than was `meant` (s) and keep to the guide, and, among
    obstacles, those that displace little: a metre costs `tight` more. costs [most] and pairs [most, 2] are spare.
    """
    found = 0
    for b in range(buckets[0]):
        for w in range(forward.counts[b]):
            i = b * hold + w
            # The two must last about as long together as the window wants.
            low = int((job.times[1] - job.times[0] - forward.seconds[i] - 2.5) / BUCKET_S)
            high = int((job.times[2] - job.times[0] - forward.seconds[i] + 2.5) / BUCKET_S) + 1
            for c in range(max(low, 0), min(high, buckets[1])):
                for v in range(backward.counts[c]):
                    j = c * hold + v
                    if forward.hub[i] != backward.hub[j]:
                        continue
                    cost = join_cost(
                        job,
                        forward.pose[i],
                        backward.pose[j],
                        forward.seconds[i] + backward.seconds[j],
                        forward.moving[i] + backward.moving[j],
                    )
                    cost += forward.depth[i] + backward.depth[j] + OFF_GUIDE_COST * (forward.cost[i] + backward.cost[j])
                    dx = backward.pose[j, 0] - forward.pose[i, 0]
                    dy = backward.pose[j, 1] - forward.pose[i, 1]
                    cost += tight * math.sqrt(dx * dx + dy * dy)
                    cost += LATE_COST * max(forward.seconds[i] + backward.seconds[j] - meant, 0.0)
                    if found == most and cost >= costs[most - 1]:
                        continue
                    at = found if found < most else most - 1
                    found = min(found + 1, most)
                    while at > 0 and costs[at - 1] > cost:
                        costs[at] = costs[at - 1]
                        pairs[at, 0], pairs[at, 1] = pairs[at - 1, 0], pairs[at - 1, 1]
                        at -= 1
                    costs[at] = cost
                    pairs[at, 0], pairs[at, 1] = i, j
    for p in range(found):
        for side in range(2):
            beam = backward if side == 1 else forward
            row = pairs[p, side]
            count = 0
            while beam.parent[row] >= 0:
                count += 1
                row = beam.parent[row]
            row = pairs[p, side]
            pool.counts[p, side] = min(count, pool.edges.shape[2])
            for k in range(count - 1, -1, -1):
                if k < pool.edges.shape[2]:
                    pool.edges[p, side, k] = beam.edge[row]
                row = beam.parent[row]
        pool.costs[p] = costs[p]
    return found
