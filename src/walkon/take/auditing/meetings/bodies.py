"""Bodies: interpenetration of different characters, measured between the tapered capsules of their limbs.

Every character's capsules against every other's. Broad phase: only bodies whose reaches meet on the floor are posed,
and of those only pairs of capsules whose axis-aligned boxes meet are measured, exactly, by `walkon.geometry.capsules`.
A pair counts at a frame where the smallest of its gaps is negative. Discs without a body do not take part.
"""

from typing import Any, NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.threads import in_chunks
from walkon.geometry.capsules import Capsules, pair_gaps
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.meetings.ground import GroundRows, NearPairs
from walkon.take.auditing.reposing import AuditClock, Reposed, repose
from walkon.take.take import Take

__all__ = ["Flesh", "body_figures", "find_hits", "measure_limbs", "place_capsules"]

TOUCH_TOLERANCE_M = 1e-6
"""m of overlap below which capsules only touch."""
CHUNK_COUNT = 256
"""Bodies or pairs per task of the thread pool."""
POSED_AT_ONCE_COUNT = 8192
"""Bodies that are posed at a time."""


class Flesh(NamedTuple):
    """Capsules of R bodies in the world; K is the largest number of capsules of a body."""

    starts: Array
    """[R, K, 3] metres."""
    ends: Array
    radii: Array
    """[R, K, 2] metres."""
    boxes: Array
    """[R, K + 1, 6] low and high corner of the box around each, the last one around all."""
    counts: IntArray
    """[R] how many capsules each has."""


def measure_limbs(take: Take, clock: AuditClock, ground: GroundRows, near: NearPairs, findings: Findings) -> None:
    """Measure near pairs of one batch."""
    meet = near.distance < ground.reach[near.a] + ground.reach[near.b]
    meet &= ground.whole[near.a] & ground.whole[near.b]
    # As many pairs at a time as need no more than a batch of bodies.
    for first in range(0, int(meet.sum()), POSED_AT_ONCE_COUNT // 2):
        part = np.flatnonzero(meet)[first : first + POSED_AT_ONCE_COUNT // 2]
        _measure(take, clock, ground, near.a[part], near.b[part], findings)


def _measure(take: Take, clock: AuditClock, ground: GroundRows, a: IntArray, b: IntArray, findings: Findings) -> None:
    rows, where = np.unique(np.concatenate([a, b]), return_inverse=True)
    pairs = where.reshape(2, -1).T
    bodies = repose(take, ground.who[rows], clock.at(ground.frame[rows]))
    flesh = place_capsules(take, ground.who[rows], bodies)
    pair, capsules = find_hits(flesh, pairs)
    if not len(pair):
        return
    solid = Capsules(flesh.starts.reshape(-1, 3), flesh.ends.reshape(-1, 3), flesh.radii.reshape(-1, 2))
    gaps = pair_gaps(solid, capsules)
    # Of each pair of bodies the deepest.
    order = np.lexsort((gaps, pair))
    order = order[np.flatnonzero(np.diff(pair[order], prepend=-1))]
    order = order[gaps[order] < -TOUCH_TOLERANCE_M]
    depth, limbs = -gaps[order], capsules[order]
    row, other = rows[pairs[pair[order], 0]], rows[pairs[pair[order], 1]]
    findings.counts["bodies.pair_frames"] += len(order)
    findings.count_over_time("overlapping_pairs", ground.frame[row])

    def part(i: int, side: int) -> str:
        body = take.bodies[bodies.bodies[limbs[i, side] // flesh.starts.shape[1]]]
        return body.capsule_parts[limbs[i, side] % flesh.starts.shape[1]].replace("_", " ")

    findings.offer(
        "bodies.max_penetration_m",
        depth,
        who=ground.who[row],
        times=clock.at(ground.frame[row]),
        places=0.25 * (solid.starts[limbs] + solid.ends[limbs]).sum(axis=1),
        least=TOUCH_TOLERANCE_M,
        words=lambda i: (
            take.names[ground.who[other[i]]],
            f"has the {part(i, 0)} {depth[i] * 100:.1f} cm inside the {part(i, 1)} of "
            f"{take.names[ground.who[other[i]]]}",
        ),
    )


def body_figures(findings: Findings) -> dict[str, dict[str, Any]]:
    """Return what was measured: bodies."""
    deepest = findings.largest["bodies.max_penetration_m"]
    return {"bodies": {"pair_frames": findings.counts["bodies.pair_frames"], "max_penetration_m": deepest}}


def place_capsules(take: Take, who: IntArray, bodies: Reposed) -> Flesh:
    """Place the capsules of R characters, the first of those that were posed."""
    from walkon.take.auditing import _kernels

    counts, joints, capsule_starts, capsule_ends, capsule_radii = _tables(take)
    R, K = len(who), joints.shape[1]
    starts, ends, radii = np.zeros((R, K, 3)), np.zeros((R, K, 3)), np.zeros((R, K, 2))
    boxes = np.zeros((R, K + 1, 6))
    body, scale = bodies.bodies[:R].astype(np.int64), take.characters.scale[who].astype(np.float64)

    def work(a: int, b: int) -> None:
        _kernels.place_capsules(
            body[a:b],
            scale[a:b],
            bodies.positions[a:b],
            bodies.rotations[a:b],
            counts,
            joints,
            capsule_starts,
            capsule_ends,
            capsule_radii,
            starts[a:b],
            ends[a:b],
            radii[a:b],
            boxes[a:b],
        )

    in_chunks(work, R, chunk=CHUNK_COUNT)
    return Flesh(starts, ends, radii, boxes, counts[body])


def find_hits(flesh: Flesh, pairs: IntArray) -> tuple[IntArray, IntArray]:
    """Return, for pairs of bodies [P, 2], which pairs of capsules have boxes that meet.

    The pair [H] and the two capsules [H, 2] as rows of all capsules end to end, [R · K].
    """
    from walkon.take.auditing import _kernels

    pairs = np.ascontiguousarray(pairs, np.int64)
    found = np.zeros(len(pairs), np.int64)

    def count(a: int, b: int) -> None:
        _kernels.count_hits(pairs[a:b], flesh.counts, flesh.boxes, found[a:b])

    in_chunks(count, len(pairs), chunk=CHUNK_COUNT)
    first = np.concatenate([[0], np.cumsum(found)])
    capsules = np.zeros((int(first[-1]), 2), np.int64)

    def fill(a: int, b: int) -> None:
        low = first[a]
        _kernels.fill_hits(pairs[a:b], flesh.counts, flesh.boxes, first[a : b + 1] - low, capsules[low : first[b]])

    in_chunks(fill, len(pairs), chunk=CHUNK_COUNT)
    return np.repeat(np.arange(len(pairs)), found), capsules


def _tables(take: Take) -> tuple[IntArray, IntArray, Array, Array, Array]:
    """Return the capsules of all bodies as arrays [B, K, …], filled up with nothing."""
    counts = np.array([len(body.capsule_parts) for body in take.bodies], np.int64)
    B, K = len(counts), int(counts.max(initial=1))
    joints = np.zeros((B, K), np.int64)
    starts, ends, radii = np.zeros((B, K, 3)), np.zeros((B, K, 3)), np.zeros((B, K, 2))
    for b, body in enumerate(take.bodies):
        n = counts[b]
        joints[b, :n], starts[b, :n], ends[b, :n] = body.capsule_joints, body.capsule_starts, body.capsule_ends
        radii[b, :n] = body.capsule_radii
    return counts, joints, starts, ends, radii
