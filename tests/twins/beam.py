"""Seeds that keep to a guide, in plain Python: what `_beam_kernels` is held equal to, motion for motion. Slow.

A motion is an object that knows the one it continues, and a bucket a list of them.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from twins.collisions import edge_depth
from twins.joins import join_cost, wrapped
from twins.search import Chance
from walkon._base.arrays import Array
from walkon.synthesis.goal_directed.plan_graph import Steps

__all__ = ["Motion", "follow", "gather"]


@dataclass(eq=False)
class Motion:
    """Edges from the beam's first hub on."""

    before: "Motion | None"
    edge: int
    hub: int
    pose: tuple[float, float, float]
    seconds: float
    moving: float
    cost: float
    depth: float = 0.0

    def edges(self) -> list[int]:
        """Return its edges, the first one first."""
        return [*self.before.edges(), self.edge] if self.before is not None else []

    def like(self, other: "Motion") -> bool:
        """Say whether two motions are the same for us."""
        from walkon.synthesis.goal_directed._beam_kernels import SAME_HEADING_RAD, SAME_PLACE_M, SAME_TIME_S

        away = (self.pose[0] - other.pose[0]) ** 2 + (self.pose[1] - other.pose[1]) ** 2
        return (
            self.hub == other.hub
            and away < SAME_PLACE_M * SAME_PLACE_M
            and abs(self.pose[2] - other.pose[2]) < SAME_HEADING_RAD
            and abs(self.seconds - other.seconds) < SAME_TIME_S
        )


def _put(bucket: list[Motion], motion: Motion, hold: int) -> None:
    """Put a motion where a like one is, or at the end, or where the worst one is; or leave it."""
    for k, other in enumerate(bucket):
        if other.like(motion):
            if motion.cost < other.cost:
                bucket[k] = motion
            return
    if len(bucket) < hold:
        bucket.append(motion)
        return
    worst = max(range(len(bucket)), key=lambda k: bucket[k].cost)
    if bucket[worst].cost > motion.cost:
        bucket[worst] = motion


def _asked(guide: Array, when: float) -> tuple[float, float, float]:
    """Return where a guide is at a time, and its heading."""
    q = 0
    while q < len(guide) - 2 and guide[q + 1, 2] <= when:
        q += 1
    span = float(guide[q + 1, 2] - guide[q, 2])
    u = min(max((when - float(guide[q, 2])) / span, 0.0), 1.0) if span > 1e-9 else 1.0
    x, y = (float(guide[q, a] + u * (guide[q + 1, a] - guide[q, a])) for a in (0, 1))
    return x, y, float(guide[q, 3])


def _after(pose: tuple[float, float, float], move: Array, *, backward: bool) -> tuple[float, float, float]:
    (x, y, h), (mx, my, mh) = pose, (float(v) for v in move)
    if backward:
        h -= mh
        c, s = math.cos(h), math.sin(h)
        return x - c * mx + s * my, y - s * mx - c * my, h
    c, s = math.cos(h), math.sin(h)
    return x + c * mx - s * my, y + s * mx + c * my, h + mh


def _settled(
    steps: Steps, world: Any, bucket: list[Motion], width: int, time: float, backward: bool, price: float, me: int
) -> list[Motion]:
    """Return the best motions of a bucket whose last edges run into nothing, or all at a price."""
    kept: list[Motion] = []
    left = list(bucket)
    while left and len(kept) < width:
        best = min(range(len(left)), key=lambda k: left[k].cost)
        left[0], left[best] = left[best], left[0]
        motion = left.pop(0)
        before = motion.before
        assert before is not None
        depth = edge_depth(
            steps,
            world,
            motion.edge,
            (motion if backward else before).pose,  # type: ignore[arg-type]
            begin=time - motion.seconds if backward else time + before.seconds,
            me=me,
            enough=0.0 if price <= 0.0 else 2.0,
        )
        if depth > 0.0 and price <= 0.0:
            continue
        motion.cost += price * depth if depth > 0.0 else 0.0
        motion.depth = before.depth + depth
        kept.append(motion)
    return kept


def follow(
    steps: Steps,
    world: Any,
    guide: Array,
    hub: int,
    pose: Array,
    time: float,
    *,
    backward: bool,
    hold: int,
    width: int,
    buckets: int,
    price: float,
    noise: float,
    dislike: Array,
    me: int,
    chance: Chance,
) -> list[list[Motion]]:
    """Return the beam that the kernel grows, bucket by bucket."""
    from walkon.synthesis.goal_directed._beam_kernels import BUCKET_S, COST_DECAY_RATIO, HEADING_WEIGHT_M

    beam: list[list[Motion]] = [[] for _ in range(buckets)]
    x, y, h = (float(v) for v in pose)
    beam[0] = [Motion(None, -1, hub, (x, y, h), 0.0, 0.0, 0.0)]
    way = int(backward)
    for b in range(buckets):
        if b:
            beam[b] = _settled(steps, world, beam[b], width, time, backward, price, me)
        for motion in beam[b]:
            first, last = (int(steps.branch_first[way, motion.hub + k]) for k in (0, 1))
            for edge in steps.branch_edges[way, first:last].tolist():
                seconds = motion.seconds + float(steps.seconds[edge])
                bucket = max(int(seconds / BUCKET_S), b + 1)
                if bucket >= buckets:
                    continue
                tx, ty, th = _after(motion.pose, steps.move[edge], backward=backward)
                gx, gy, heading = _asked(guide, time - seconds if backward else time + seconds)
                off = HEADING_WEIGHT_M * wrapped(th - heading)
                cost = COST_DECAY_RATIO * motion.cost + (gx - tx) * (gx - tx) + (gy - ty) * (gy - ty) + off * off
                cost += float(dislike[edge])
                cost += noise * chance()
                there = int(steps.start[edge] if backward else steps.stop[edge])
                moving = motion.moving + float(steps.seconds[edge]) * int(steps.moving[edge])
                _put(beam[bucket], Motion(motion, edge, there, (tx, ty, th), seconds, moving, cost), hold)
    return beam


def gather(
    job: Any, forward: list[list[Motion]], backward: list[list[Motion]], *, meant: float, tight: float, most: int
) -> list[tuple[float, Motion, Motion]]:
    """Return the cheapest joins of two beams (cost, forward, backward), the cheapest first."""
    from walkon.synthesis.goal_directed._beam_kernels import BUCKET_S, LATE_COST, OFF_GUIDE_COST

    found: list[tuple[float, Motion, Motion]] = []
    start, earliest, latest = (float(v) for v in job.times)
    for a in (motion for bucket in forward for motion in bucket):
        low = int((earliest - start - a.seconds - 2.5) / BUCKET_S)
        high = int((latest - start - a.seconds + 2.5) / BUCKET_S) + 1
        for b in (motion for bucket in backward[max(low, 0) : max(high, 0)] for motion in bucket):
            if a.hub != b.hub:
                continue
            seconds, moving = a.seconds + b.seconds, a.moving + b.moving
            cost = join_cost(job, a.pose, b.pose, seconds=seconds, moving=moving)  # type: ignore[arg-type]
            cost += a.depth + b.depth + OFF_GUIDE_COST * (a.cost + b.cost)
            cost += tight * math.sqrt((b.pose[0] - a.pose[0]) ** 2 + (b.pose[1] - a.pose[1]) ** 2)
            cost += LATE_COST * max(seconds - meant, 0.0)
            found.insert(bisect_right(found, cost, key=lambda row: row[0]), (cost, a, b))
            del found[most:]
    return found
