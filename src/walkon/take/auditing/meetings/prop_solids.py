"""Props against obstacles and bodies: boxes through walls, through legs and trunks.

*Obstacles.* What is held or rides on a track is measured against every obstacle, where both are at each frame. The
depth is that of its deepest point (`walkon.geometry.solid_lines`): exact where something with edges is pushed into
something large. What rests on the stage is furniture, and left alone.

*Bodies.* Every prop that is there, held or not, against every limb of every whole body, as deep as the deepest ball of
the limb (`solids`, eq. 1). The arm that holds a prop is left out: the flesh of the joint that carries or grips it, and
that of the joint above. How deep a hand is in what it holds is told in `props`. The other limbs of a holder count.

Contact is no fault, by the rules of `solids`: up to `CONTACT_DEPTH_M` one touches, and what could be lifted off a top
by that (of limbs: by as much as flesh yields) rests on it. A pair of a prop and an obstacle, or of a prop and a
character, counts at a frame where it is deeper.

Broad phase: boxes around props against those of obstacles and of bodies' reaches; who is near is posed again. World
frame, metres.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.geometry.capsules import Capsules
from walkon.geometry.solid_lines import mesh_lines, parts_lines
from walkon.geometry.solid_pairs import HERE, Things, solid_pair_gaps, solid_things
from walkon.geometry.solids import SolidParts
from walkon.stage import Prop
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.meetings.bodies import place_capsules
from walkon.take.auditing.meetings.ground import GroundRows
from walkon.take.auditing.meetings.props import HandsOnProps, capsules_of, hands_on_props
from walkon.take.auditing.meetings.solids import (
    CONTACT_DEPTH_M,
    ObstacleTable,
    find_meetings,
    may_sink,
    place_obstacles,
)
from walkon.take.auditing.reposing import AuditClock, repose
from walkon.take.posing.props import prop_poses
from walkon.take.tables import flat_ranges
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["measure_prop_solids"]

BATCH_CELL_COUNT = 1 << 15
"""Props times frames that are looked at at a time."""
POSED_AT_ONCE_COUNT = 4096
"""Bodies that are posed at a time."""
FIGURE = "solids.max_prop_penetration_m"


class _PlacedProps(NamedTuple):
    """P props at F frames."""

    frames: Array
    """[F · P, 7] poses; that of nothing where a prop is absent."""
    boxes: Array
    """[F, P, 6] low and high corner of the box around each; NaN where it is absent."""


def measure_prop_solids(
    take: Take,
    clock: AuditClock,
    characters: IntArray,
    ground: GroundRows | None,
    findings: Findings,
    *,
    obstacles: ObstacleTable | None,
) -> None:
    """Measure all props against obstacles and against these characters, whose rows by frame are `ground`."""
    P = len(take.props)
    if not P:
        return
    holds, shapes = hands_on_props(take), _shapes(take.props)
    mine = np.ones(P, bool)
    if len(characters) < len(take):
        mine = np.isin(np.arange(P), holds.prop[np.isin(holds.character, characters)])
    batch = max(BATCH_CELL_COUNT // P, 1)
    for first in range(0, clock.count, batch):
        frames = np.arange(first, min(first + batch, clock.count))
        times = clock.at(frames)
        placed = _place_props(take, times)
        if obstacles is not None:
            _measure_in_obstacles(take, times, placed, _handled(take, holds, times) & mine, findings, obstacles)
        if ground is not None:
            near = slice(*np.searchsorted(ground.frame, [first, frames[-1] + 1]))
            rows = np.arange(near.start, near.stop)[ground.whole[near]]
            for piece in np.array_split(rows, max(-(-len(rows) // POSED_AT_ONCE_COUNT), 1)):
                at = ground.frame[piece].astype(np.int64) - first
                _measure_in_bodies(take, times, placed, ground, piece, at, holds, shapes, findings)


def _place_props(take: Take, times: Array) -> _PlacedProps:
    things = prop_poses(take, times)
    bounds = np.array([prop.bounds for prop in take.props])
    turned = quat.to_matrix(things.rotations)
    middle = things.positions + np.einsum("fpij,pj->fpi", turned, bounds.mean(axis=1))
    half = np.einsum("fpij,pj->fpi", np.abs(turned), 0.5 * (bounds[:, 1] - bounds[:, 0]))
    poses = np.concatenate([things.positions, things.rotations], axis=-1)
    poses[~things.present] = HERE
    boxes = np.concatenate([middle - half, middle + half], axis=-1)
    boxes[~things.present] = np.nan
    return _PlacedProps(poses.reshape(-1, 7), boxes)


def _handled(take: Take, holds: HandsOnProps, times: Array) -> BoolArray:
    """Return [F, P] where props are held or on a track."""
    a = take.attachments
    rides = a.rows(a.track >= 0)
    prop = np.concatenate([holds.prop, rides.prop])
    count = np.zeros((len(times) + 1, len(take.props)), np.int64)
    for side, moments in ((1, (holds.start, rides.start)), (-1, (holds.stop, rides.stop))):
        np.add.at(count, (np.searchsorted(times, np.concatenate(moments)), prop), side)
    return np.asarray(np.cumsum(count, axis=0)[:-1] > 0)


def _measure_in_obstacles(
    take: Take,
    times: Array,
    placed: _PlacedProps,
    handled: BoolArray,
    findings: Findings,
    table: ObstacleTable,
) -> None:
    """Measure props where they are handled [F, P] against obstacles."""
    frame, prop = np.nonzero(handled)
    if not len(frame):
        return
    movers = place_obstacles(table, times if table.movers else np.zeros(0))
    boxes = np.repeat(placed.boxes[frame, prop][:, None], 2, axis=1)
    ones = np.ones(len(frame), np.int64)
    met = find_meetings(boxes, ones, table.still, movers.boxes, frame)
    if not len(met):
        return
    cell, thing = met[:, 0], met[:, 2]
    frame, prop, S, M = frame[cell], prop[cell], len(table.still), len(table.movers)
    pose = np.where(thing < S, 0, 1 + frame * M + thing - S)
    depth = np.zeros(len(cell))
    for p in np.unique(prop):
        rows = np.flatnonzero(prop == p)
        lines = _prop_lines(take.props[p])
        at = placed.frames[frame[rows] * len(take.props) + p][:, None]
        starts, ends = (at[..., :3] + quat.rotate(at[..., 3:], side) for side in (lines.starts, lines.ends))
        L = len(lines.starts)
        world = Capsules(starts.reshape(-1, 3), ends.reshape(-1, 3), np.tile(lines.radii, (len(rows), 1)))
        pairs = np.column_stack([np.arange(len(rows) * L), np.repeat(thing[rows], L), np.repeat(pose[rows], L)])
        gaps = solid_pair_gaps(world, table.things, movers.frames, pairs, within=0.0)
        depth[rows] = np.maximum(-gaps.reshape(-1, L).min(axis=1), 0.0)
    sunk = table.tops[thing] + movers.frames[pose, 2] - placed.boxes[frame, prop, 2]
    depth[sunk <= CONTACT_DEPTH_M] = 0.0
    findings.counts["solids.prop_frames"] += int((depth > CONTACT_DEPTH_M).sum())
    holder = _holders(hands_on_props(take), prop, times[frame])
    findings.offer(
        FIGURE,
        depth,
        who=holder,
        times=times[frame],
        places=placed.boxes[frame, prop].reshape(-1, 2, 3).mean(axis=1),
        least=1e-3,
        words=lambda i: (
            table.names[thing[i]],
            f"{'holds ' if holder[i] >= 0 else ''}{take.props[prop[i]].name!r} "
            f"{'' if holder[i] >= 0 else 'is '}{depth[i] * 100:.1f} cm in {table.names[thing[i]]}",
        ),
    )


def _measure_in_bodies(
    take: Take,
    times: Array,
    placed: _PlacedProps,
    ground: GroundRows,
    rows: IntArray,
    at: IntArray,
    holds: HandsOnProps,
    shapes: Things,
    findings: Findings,
) -> None:
    """Measure all props against the limbs of rows of `ground` that are at frames [R] of the batch."""
    nothing, P = np.zeros((0, 6)), len(take.props)
    reach = ground.reach[rows, None].astype(np.float64)
    low, high = ground.places[rows] - reach, ground.places[rows] + reach
    endless = np.full((len(rows), 1), np.inf)
    around = np.repeat(np.column_stack([low, -endless, high, endless])[:, None], 2, axis=1)
    met = find_meetings(around, np.ones(len(rows), np.int64), nothing, placed.boxes, at)
    near = np.unique(met[:, 0])
    if not len(near):
        return
    rows, at = rows[near], at[near]
    who = ground.who[rows].astype(np.int64)
    bodies = repose(take, who, times[at])
    flesh = place_capsules(take, who, bodies)
    met = find_meetings(flesh.boxes, flesh.counts, nothing, placed.boxes, at)
    row, capsule, prop = met.T
    free = ~_are_holding(take, holds, who[row], prop, capsule, bodies.bodies[row], times[at[row]])
    row, capsule, prop = row[free], capsule[free], prop[free]
    if not len(row):
        return
    K = flesh.starts.shape[1]
    solid = Capsules(flesh.starts.reshape(-1, 3), flesh.ends.reshape(-1, 3), flesh.radii.reshape(-1, 2))
    pose = at[row] * P + prop
    pairs = np.column_stack([row * K + capsule, prop, pose])
    depth = -solid_pair_gaps(solid, shapes, placed.frames, pairs, within=0.0)
    for p in (p for p in np.unique(prop) if take.props[p].shape == "mesh"):
        mine = np.flatnonzero(prop == p)
        depth[mine] = -_mesh_gaps(take.props[p], placed.frames[pose[mine]], solid, pairs[mine, 0])
    sunk = placed.boxes[at[row], prop, 5] - flesh.boxes[row, capsule, 2]
    depth[sunk <= may_sink(flesh.radii[row, capsule])] = 0.0
    # Of each body in each prop the deepest limb.
    order = np.lexsort((-depth, prop, row))
    order = order[np.flatnonzero(np.diff(row[order] * P + prop[order], prepend=-1))]
    order = order[depth[order] > 0.0]
    depth, row, capsule, prop = depth[order], row[order], capsule[order], prop[order]
    findings.counts["solids.prop_frames"] += int((depth > CONTACT_DEPTH_M).sum())
    findings.offer(
        FIGURE,
        depth,
        who=who[row],
        times=times[at[row]],
        places=0.5 * (flesh.starts[row, capsule] + flesh.ends[row, capsule]),
        least=1e-3,
        words=lambda i: (
            take.props[prop[i]].name,
            f"has {take.props[prop[i]].name!r} {depth[i] * 100:.1f} cm in the "
            f"{take.bodies[bodies.bodies[row[i]]].capsule_parts[capsule[i]].replace('_', ' ')}",
        ),
    )


def _mesh_gaps(prop: Prop, frames: Array, solid: Capsules, rows: IntArray) -> Array:
    """Return the gaps [M] of a mesh at poses [M, 7] from some of the capsules."""
    back = quat.conjugate(frames[:, 3:])
    ends = [quat.rotate(back, side[rows] - frames[:, :3]) for side in (solid.starts, solid.ends)]
    return prop.capsule_gaps(Capsules(ends[0], ends[1], solid.radii[rows]))


def _shapes(props: tuple[Prop, ...]) -> Things:
    """Return props as kernels read them; a mesh is a thing without parts."""
    nothing = SolidParts((), np.zeros((0, 3)), np.zeros((0, 7)))
    return solid_things([nothing if prop.shape == "mesh" else prop.solid_parts for prop in props])


def _prop_lines(prop: Prop) -> Capsules:
    return mesh_lines(prop.mesh) if prop.shape == "mesh" else parts_lines(prop.solid_parts)


def _holders(holds: HandsOnProps, prop: IntArray, times: Array) -> IntArray:
    """Return [M] who holds a prop at a time, the first of several; −1 where nobody does."""
    found = np.full(len(prop), -1, np.int64)
    at, hold = _joined(holds.prop, prop)
    holding = (holds.start[hold] <= times[at]) & (times[at] < holds.stop[hold])
    at, hold = at[holding][::-1], hold[holding][::-1]
    found[at] = holds.character[hold]
    return found


def _are_holding(
    take: Take, holds: HandsOnProps, who: IntArray, prop: IntArray, capsule: IntArray, body: IntArray, times: Array
) -> BoolArray:
    """Return [M] whether a capsule of a character belongs to an arm that holds that prop at that time."""
    found = np.zeros(len(who), bool)
    P = len(take.props)
    at, hold = _joined(holds.character * P + holds.prop, who * P + prop)
    holding = (holds.start[hold] <= times[at]) & (times[at] <= holds.stop[hold])
    at, hold = at[holding], hold[holding]
    kinds, kind = np.unique(np.column_stack([body[at], holds.joint[hold]]), axis=0, return_inverse=True)
    arms = np.zeros((len(kinds), int(capsule.max(initial=0)) + 1), bool)
    for k, (b, joint) in enumerate(kinds):
        one = take.bodies[b]
        own = capsules_of(one.skeleton, one.capsule_joints, int(joint))
        above = int(one.skeleton.parents[joint]) if joint >= 0 else -1
        own = np.concatenate([own, np.flatnonzero(one.capsule_joints == above)])
        arms[k, own[own < arms.shape[1]]] = True
    np.logical_or.at(found, at, arms[kind.ravel(), capsule[at]])
    return found


def _joined(keys: IntArray, asked: IntArray) -> tuple[IntArray, IntArray]:
    """Return which of the asked [M], and which row of the keys [H], are equal, pair by pair."""
    order = np.argsort(keys, kind="stable")
    first, last = (np.searchsorted(keys[order], asked, side=side) for side in ("left", "right"))
    counts = last - first
    return np.repeat(np.arange(len(asked)), counts), order[flat_ranges(first, counts)]
