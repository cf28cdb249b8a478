"""Collisions: footprints (discs) of moving characters against each other, obstacles and the stage's bounds.

A pair counts at a frame where their footprints (see `motion.footprint`) overlap and at least one of the two moves
faster than `MOVING_OVER_M_S`. An obstacle counts where the footprint of a moving character overlaps it, or where
a root itself is in it; so does the outside of the stage's bounds. Left out are obstacles that one walks under
or over, from the floor that this body is on (see `ground`): a crate on a bridge is in nobody's way on the road; the
chair of a character that visits its seat, and the bounds at a door. A character visits a seat if it comes
to rest near it before going away again, or plays a clip of sitting; one that only walks past, or through, does not.

Obstacles on tracks and leaves of doors are where they are at each frame, and count also where the footprint of somebody
who stands overlaps a part of them that moves faster than `MOVING_OVER_M_S`. Both are seen in the frame of the track, in
which the polygon stands still. Furniture meets legs only, and counts as in `stage.low_solids`; limbs in it are measured
in `solids`.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.geometry import polygons
from walkon.motion.footprint import MAX_MEETING_RISE_M
from walkon.stage.free_space import FreeSpace
from walkon.stage.low_solids import LEGS_NARROWER_M, LOW_SOLID_M
from walkon.stage.moving import frames_at
from walkon.stage.stage import Obstacle, Seat
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.meetings.ground import GroundRows, NearPairs
from walkon.take.auditing.reposing import AuditClock
from walkon.take.take import Take
from walkon.transforms import planar

__all__ = [
    "AT_DOOR_WITHIN_M",
    "AT_SEAT_WITHIN_M",
    "MOVING_OVER_M_S",
    "SITTING",
    "collision_figures",
    "measure_footprints",
    "measure_on_stage",
]

MOVING_OVER_M_S = 0.2
"""m/s from which a character is on the way."""
AT_SEAT_WITHIN_M = 0.6
"""m from a seat within which the obstacles of that seat do not count."""
AT_DOOR_WITHIN_M = 1.0
"""m from a door within which the stage's bounds do not count."""
SITTING = ("sit", "seated", "sit_down", "rise", "sitting", "rising")
"""Labels of clips whose players mean to be on a seat."""
CHAIR_WITHIN_M = 0.3
"""m from a seat's place within which an obstacle is part of the seat."""
SPEED_STEP_S = 0.01
"""s before and after a frame between which it is seen how fast something moves."""
TOUCH_TOLERANCE_M = 1e-6
"""m of overlap below which shapes only touch."""


def measure_footprints(
    take: Take, clock: AuditClock, ground: GroundRows, near: NearPairs, findings: Findings, *, radii: Array
) -> None:
    """Measure near pairs of one batch, with the radii [N] m of every character's footprint."""
    a, b = ground.who[near.a], ground.who[near.b]
    gap = near.distance - radii[a] - radii[b]
    findings.add_over_time("smallest_gap_m", ground.frame[near.a], gap, np.minimum)
    moving = np.maximum(ground.speeds[near.a], ground.speeds[near.b]) > MOVING_OVER_M_S
    hit = np.flatnonzero((gap < -TOUCH_TOLERANCE_M) & moving)
    findings.counts["collisions.pair_frames"] += len(hit)
    depth, row = -gap[hit], near.a[hit]
    findings.offer(
        "collisions.max_penetration_m",
        depth,
        who=a[hit],
        times=clock.at(ground.frame[row]),
        places=0.5 * (ground.on_floor(row) + ground.on_floor(near.b[hit])),
        least=TOUCH_TOLERANCE_M,
        words=lambda i: (
            take.names[b[hit[i]]],
            f"walks into {take.names[b[hit[i]]]}: footprints overlap by {depth[i] * 100:.1f} cm",
        ),
    )


def measure_on_stage(take: Take, clock: AuditClock, ground: GroundRows, findings: Findings, *, radii: Array) -> None:
    """Measure every character in `ground` against the stage, with the radii [N] m of their footprints."""
    stage, radius = take.stage, radii[ground.who]
    moving = ground.speeds > MOVING_OVER_M_S

    def look(rows: IntArray, away: Array, left_out: BoolArray, name: str, swept: BoolArray | bool = False) -> None:
        """Look at rows that are `away` m from something of this name that may move there, but for those left out."""
        depth = radius[rows] - away
        hit = (moving[rows] | swept | (away < 0)) & ~left_out & (depth > TOUCH_TOLERANCE_M)
        rows, depth = rows[hit], depth[hit]
        findings.counts["collisions.obstacle_frames"] += len(rows)
        findings.offer(
            "collisions.max_obstacle_penetration_m",
            depth,
            who=ground.who[rows],
            times=clock.at(ground.frame[rows]),
            places=ground.on_floor(rows),
            least=TOUCH_TOLERANCE_M,
            words=lambda i: (name, f"is {depth[i] * 100:.1f} cm into {name}"),
        )

    if len(ground.who):
        visits = [_visits(take, ground, seat) for seat in stage.seats]
        for met in (*_met_standing(take, ground, float(radius.max())), *_met_moving(take, clock, ground, radius)):
            left_out = np.zeros(len(met.rows), bool)
            for seat, visit in zip(stage.seats, visits, strict=True):
                left_out |= met.belongs_to(seat, visit)
            away = met.away_from(ground.places[met.rows])
            look(met.rows, np.where(away > 0, away + met.spare, away), left_out, met.name, swept=met.swept)
    if stage.bounds is not None and len(ground.who):
        away = -polygons.distances(polygons.polygon(stage.bounds), ground.places)
        at_door = np.zeros(len(away), bool)
        for door in stage.doors:
            doorway = shapely.linestrings(door.ends)
            near = shapely.distance(shapely.points(ground.places), doorway) <= AT_DOOR_WITHIN_M
            at_door |= near & (np.abs(ground.floors - door.z) <= MAX_MEETING_RISE_M)
        look(np.arange(len(away)), away, at_door, "the edge of the stage")


class _Met(NamedTuple):
    """A solid, and the rows of those who are near it."""

    name: str
    obstacle: Obstacle
    rows: IntArray
    times: Array
    """[rows] s."""
    swept: BoolArray
    """[rows] whether it moves there faster than `MOVING_OVER_M_S`."""
    spare: Array
    """[rows] m by which a footprint reaches less far where this is."""

    def away_from(self, places: Array) -> Array:
        """Return [rows] m from places [rows, 2] to it, negative inside."""
        seen = self.obstacle.seen(places, self.times)[0]
        return polygons.distances(polygons.polygon(self.obstacle.polygon), seen)

    def belongs_to(self, seat: Seat, visit: BoolArray) -> BoolArray:
        """Return [rows] where it is part of a seat for those who visit that."""
        left_out = visit[self.rows]
        which = np.flatnonzero(left_out)
        if len(which):
            moments, which_moment = np.unique(self.times[which], return_inverse=True)
            seen = self.obstacle.seen(seat.place[:2], moments)[0]
            away = shapely.distance(shapely.points(seen), polygons.polygon(self.obstacle.polygon))
            left_out[which] = away[which_moment] < CHAIR_WITHIN_M
        return left_out


def _met_standing(take: Take, ground: GroundRows, reach: float) -> Iterator[_Met]:
    """Yield the solids that stand still, each with the rows within `reach` m that are on its storey."""
    space = FreeSpace.of(take.stage)
    if not space.solids:
        return
    solids = {id(one) for one in space.solids}
    numbers = [k for k, one in enumerate(take.stage.obstacles) if id(one) in solids]
    rows, which = space.solids_near(ground.places, within=reach)
    for k in np.unique(which):
        mine = np.sort(rows[which == k])
        one = space.solids[k]
        mine = mine[take.stage.blocks_at(ground.floors[mine], one.base, one.height)]
        name = one.name or f"obstacle {numbers[k]}"
        spare = np.full(len(mine), LEGS_NARROWER_M if space.low[k] else 0.0)
        yield _Met(name, one, mine, np.zeros(len(mine)), np.zeros(len(mine), bool), spare)


def _met_moving(take: Take, clock: AuditClock, ground: GroundRows, radius: Array) -> Iterator[_Met]:
    """Yield what moves, each with the rows whose footprints of these radii [R] m may meet it while it is solid."""
    frames, frame = np.unique(ground.frame, return_inverse=True)
    moments = clock.at(frames)
    for k, one in enumerate(take.stage.moving):
        middle = 0.5 * (one.polygon.min(axis=0) + one.polygon.max(axis=0))
        reach = float(np.linalg.norm(one.polygon - middle, axis=1).max())
        poses = frames_at(one.track, moments)
        middles = planar.apply(poses[:, :3], middle)
        bases, tops = one.base + poses[:, 3], one.height + poses[:, 3]
        solid = take.stage.is_in_the_way(middles, bases, tops)
        low = tops - take.stage.floor_under(middles, near=bases) <= LOW_SOLID_M
        aside = ground.places - middles[frame]
        rows = np.flatnonzero((np.hypot(aside[:, 0], aside[:, 1]) <= reach + radius) & solid[frame])
        rise = poses[frame[rows], 3]
        rows = rows[take.stage.blocks_at(ground.floors[rows], one.base + rise, one.height + rise)]
        times, places = clock.at(ground.frame[rows]), ground.places[rows]
        passed = one.seen(places, times + SPEED_STEP_S)[0] - one.seen(places, times - SPEED_STEP_S)[0]
        swept = np.hypot(passed[:, 0], passed[:, 1]) > 2 * SPEED_STEP_S * MOVING_OVER_M_S
        if len(rows):
            spare = np.where(low[frame[rows]], LEGS_NARROWER_M, 0.0)
            yield _Met(one.name or f"moving obstacle {k}", one, rows, times, swept, spare)


def _visits(take: Take, ground: GroundRows, seat: Seat) -> BoolArray:
    """Return [R] which rows are near a seat on their storey, of characters that rest there or play sitting."""
    visits = np.zeros(len(ground.who), bool)
    near = np.hypot(*(ground.places - seat.place[:2]).T) < AT_SEAT_WITHIN_M
    rows = np.flatnonzero(near & (np.abs(ground.floors - seat.height) <= MAX_MEETING_RISE_M))
    if not len(rows):
        return visits
    rows = rows[np.lexsort((ground.frame[rows], ground.who[rows]))]
    starts = np.flatnonzero(np.append(True, (np.diff(ground.who[rows]) != 0) | (np.diff(ground.frame[rows]) != 1)))
    rests = np.logical_or.reduceat(ground.speeds[rows] < MOVING_OVER_M_S, starts)
    labels = [k for k, name in enumerate(take.clips.label_names) if name in SITTING]
    sitting = take.clips.labels.clip[np.isin(take.clips.labels.label, labels)]
    sits = np.isin(take.segments.clip[ground.segment[rows]], sitting)
    visits[rows] = np.repeat(rests, np.diff(np.append(starts, len(rows)))) | sits
    return visits


def collision_figures(findings: Findings) -> dict[str, dict[str, Any]]:
    """Return what was measured: collisions."""
    return {
        "collisions": {
            "pair_frames": findings.counts["collisions.pair_frames"],
            "max_penetration_m": findings.largest["collisions.max_penetration_m"],
            "obstacle_frames": findings.counts["collisions.obstacle_frames"],
            "max_obstacle_penetration_m": findings.largest["collisions.max_obstacle_penetration_m"],
        }
    }
