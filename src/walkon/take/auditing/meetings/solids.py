"""Limbs against obstacles: how deep any part of a body is in what stands or moves on a stage, and for how long.

Every capsule of every whole body against every obstacle: those that stand still (furniture is among them), those that
move, and leaves of doors, where they are at each frame. The depth is that of `walkon.geometry.solid_pairs`: the deepest
ball of a limb,

    depth = max over s of  r(s) − f(c(s)),      f the signed distance from the obstacle,                        (1)

which is how far a limb is in something thick; through something thin it is half of that thing and the limb's radius.

Contact is no fault. What is no deeper than `CONTACT_DEPTH_M` touches, wherever and whoever it is: a palm on a wall, a
back against its rest. What lies on a top has weight on it, and sinks in as far as flesh yields: a limb of radius r
whose lowest point is no more than

    max(CONTACT_DEPTH_M, YIELD_RATIO · r)                                                                       (2)

below a top rests there and is left out: soles on a step, thighs and pelvis on a seat. A pair of a character and an
obstacle counts at a frame where a limb that does not rest on it is deeper than `CONTACT_DEPTH_M`.

Broad phase: boxes around bodies of several frames against those of obstacles, then boxes of bodies, then of capsules;
what is left is measured exactly. World frame, metres.
"""

from typing import Any, NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.geometry.capsules import Capsules
from walkon.geometry.solid_pairs import HERE, Prism, Things, prism_things, solid_pair_gaps
from walkon.stage.moving import frames_at
from walkon.stage.stage import Obstacle, Stage
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.meetings.bodies import Flesh
from walkon.take.auditing.reposing import AuditClock, Reposed
from walkon.take.take import Take
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

__all__ = [
    "CONTACT_DEPTH_M",
    "YIELD_RATIO",
    "ObstacleTable",
    "PlacedObstacles",
    "find_meetings",
    "look_at_limbs",
    "may_sink",
    "obstacle_table",
    "place_obstacles",
    "solid_figures",
]

CONTACT_DEPTH_M = 0.03
"""m up to which a limb or a prop in something solid only touches it: skin and clothes, and soles as in a good floor."""
YIELD_RATIO = 0.6
"""How far a limb may sink into a top that bears it, over its radius: flesh and cushion, 5.5 cm of a thigh."""


class ObstacleTable(NamedTuple):
    """All obstacles of a stage, those that stand still first, as the audit looks at them; made once."""

    names: tuple[str, ...]
    things: Things
    still: Array
    """[S, 6] low and high corner of the box around each that stands still."""
    tops: Array
    """[S + M] m, z of their tops, each in its own frame."""
    movers: tuple[Obstacle, ...]
    """M obstacles that move, leaves of doors among them."""


class PlacedObstacles(NamedTuple):
    """What moves, at F frames."""

    boxes: Array
    """[F, M, 6] low and high corners."""
    frames: Array
    """[1 + F · M, 7] poses: that of what stands still, then those of what moves, frame by frame."""


def obstacle_table(stage: Stage) -> ObstacleTable | None:
    """Return the obstacles of a stage; None where there is none."""
    every = (*stage.still, *stage.moving)
    if not every:
        return None
    numbers = {id(one): k for k, one in enumerate(stage.obstacles)}
    names = [one.name or (f"obstacle {numbers[id(one)]}" if id(one) in numbers else "a door") for one in every]
    low = np.array([[*one.polygon.min(axis=0), one.base] for one in stage.still]).reshape(-1, 3)
    high = np.array([[*one.polygon.max(axis=0), one.height] for one in stage.still]).reshape(-1, 3)
    tops = np.array([one.height for one in every])
    things = prism_things([Prism(one.polygon, one.base, one.height) for one in every])
    return ObstacleTable(tuple(names), things, np.column_stack([low, high]), tops, stage.moving)


def place_obstacles(table: ObstacleTable, times: Array) -> PlacedObstacles:
    """Return where what moves is at times [F] s."""
    F, M = len(times), len(table.movers)
    boxes, frames = np.empty((F, M, 6)), np.tile(HERE, (1 + F * M, 1))
    poses = frames[1:].reshape(F, M, 7)
    for m, one in enumerate(table.movers):
        at = frames_at(one.track, times)
        corners = planar.apply(at[:, None, :3], one.polygon)
        boxes[:, m, :2], boxes[:, m, 3:5] = corners.min(axis=1), corners.max(axis=1)
        boxes[:, m, 2], boxes[:, m, 5] = one.base + at[:, 3], one.height + at[:, 3]
        poses[:, m, :2], poses[:, m, 2], poses[:, m, 3:] = at[:, :2], at[:, 3], quat.turn(at[:, 2])
    return PlacedObstacles(boxes, frames)


def look_at_limbs(
    take: Take,
    clock: AuditClock,
    findings: Findings,
    who: IntArray,
    frame: IntArray,
    bodies: Reposed,
    flesh: Flesh,
    table: ObstacleTable | None,
) -> None:
    """Measure the flesh of R rows of a chunk against the obstacles of the stage."""
    whole = bodies.presence[: len(flesh.starts)] == 1
    if table is None or not whole.any():
        return
    frames, at = np.zeros(0, np.int64), np.zeros(len(whole), np.int64)
    if table.movers:
        frames, at = np.unique(frame[: len(whole)], return_inverse=True)
    placed = place_obstacles(table, clock.at(frames))
    counts = np.where(whole, flesh.counts, 0)
    boxes = flesh.boxes if whole.all() else np.where(whole[:, None, None], flesh.boxes, np.nan)
    met = find_meetings(boxes, counts, table.still, placed.boxes, at)
    row, capsule, thing = met.T
    K, S, M = flesh.starts.shape[1], len(table.still), len(table.movers)
    pose = np.where(thing < S, 0, 1 + at[row] * M + thing - S)
    solid = Capsules(flesh.starts.reshape(-1, 3), flesh.ends.reshape(-1, 3), flesh.radii.reshape(-1, 2))
    pairs = np.column_stack([row * K + capsule, thing, pose])
    depth = -solid_pair_gaps(solid, table.things, placed.frames, pairs, within=0.0)
    sunk = table.tops[thing] + placed.frames[pose, 2] - flesh.boxes[row, capsule, 2]
    depth[sunk <= may_sink(flesh.radii[row, capsule])] = 0.0
    # Of each body in each obstacle the deepest limb.
    order = np.lexsort((-depth, thing, row))
    order = order[np.flatnonzero(np.diff(row[order] * (S + M) + thing[order], prepend=-1))]
    order = order[depth[order] > 0.0]
    depth, row, capsule, thing = depth[order], row[order], capsule[order], thing[order]
    findings.counts["solids.limb_frames"] += int((depth > CONTACT_DEPTH_M).sum())
    findings.offer(
        "solids.max_limb_penetration_m",
        depth,
        who=who[row],
        times=clock.at(frame[row]),
        places=0.5 * (flesh.starts[row, capsule] + flesh.ends[row, capsule]),
        least=1e-3,
        words=lambda i: (
            table.names[thing[i]],
            f"has the {take.bodies[bodies.bodies[row[i]]].capsule_parts[capsule[i]].replace('_', ' ')} "
            f"{depth[i] * 100:.1f} cm in {table.names[thing[i]]}",
        ),
    )


def find_meetings(boxes: Array, counts: IntArray, still: Array, moving: Array, frame: IntArray) -> IntArray:
    """Return (row, capsule, thing) [P, 3] whose boxes meet: things that stand still, then those that move.

    Bodies have counts [R] capsules with boxes [R, K + 1, 6], the last one around all; things have boxes [S, 6], or
    [F, M, 6] at the frame [R] of each row. NaN meets nothing.
    """
    from walkon.take.auditing.meetings import _meeting_kernels

    columns = (np.ascontiguousarray(column) for column in (boxes, counts, still, moving, frame))
    return np.asarray(_meeting_kernels.find_meetings(*columns))


def may_sink(radii: Array) -> Array:
    """Return [M] m by which capsules of radii [M, 2] may sink into a top that bears them, eq. (2)."""
    return np.maximum(CONTACT_DEPTH_M, YIELD_RATIO * radii.max(axis=1))


def solid_figures(findings: Findings) -> dict[str, dict[str, Any]]:
    """Return what was measured: solids."""
    counts = {name: findings.counts[f"solids.{name}"] for name in ("limb_frames", "prop_frames")}
    deepest = findings.largest_of("solids", "max_limb_penetration_m", "max_prop_penetration_m")
    order = ("limb_frames", "max_limb_penetration_m", "prop_frames", "max_prop_penetration_m")
    return {"solids": {name: (counts | deepest)[name] for name in order}}
