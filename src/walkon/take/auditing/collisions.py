"""Collisions: footprints (discs) of moving characters against each other, obstacles and the stage's bounds.

A pair counts at a frame where their footprints (see `motion.footprint`) overlap and at least one of the two moves
faster than `MOVING_OVER_M_S`. An obstacle counts where the footprint of a moving character overlaps it, or where
a root itself is in it; so does the outside of the stage's bounds. Left out are obstacles that one walks under
or over, the chair of a character that visits its seat, and the bounds at a door. A character visits a seat if it comes
to rest near it before going away again, or plays a clip of sitting; one that only walks past, or through, does not.
"""

from typing import Any

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.geometry import polygons
from walkon.stage.free_space import FreeSpace
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.ground import GroundRows, NearPairs
from walkon.take.auditing.reposing import AuditClock
from walkon.take.take import Take

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
        places=np.column_stack([0.5 * (ground.places[row] + ground.places[near.b[hit]]), np.zeros(len(hit))]),
        least=TOUCH_TOLERANCE_M,
        words=lambda i: (
            take.names[b[hit[i]]],
            f"walks into {take.names[b[hit[i]]]}: footprints overlap by {depth[i] * 100:.1f} cm",
        ),
    )


def measure_on_stage(take: Take, clock: AuditClock, ground: GroundRows, findings: Findings, *, radii: Array) -> None:
    """Measure every character in `ground` against the stage, with the radii [N] m of their footprints."""
    stage, radius = take.stage, radii[ground.who]
    space = FreeSpace.of(stage)
    moving = ground.speeds > MOVING_OVER_M_S

    def look(rows: IntArray, away: Array, left_out: BoolArray, name: str) -> None:
        """Look at rows that are `away` m from something of this name, but for those left out."""
        depth = radius[rows] - away
        hit = (moving[rows] | (away < 0)) & ~left_out & (depth > TOUCH_TOLERANCE_M)
        rows, depth = rows[hit], depth[hit]
        findings.counts["collisions.obstacle_frames"] += len(rows)
        findings.offer(
            "collisions.max_obstacle_penetration_m",
            depth,
            who=ground.who[rows],
            times=clock.at(ground.frame[rows]),
            places=np.column_stack([ground.places[rows], np.zeros(len(rows))]),
            least=TOUCH_TOLERANCE_M,
            words=lambda i: (name, f"is {depth[i] * 100:.1f} cm into {name}"),
        )

    if space.solids and len(ground.who):
        numbers = [k for k, o in enumerate(stage.obstacles) if o.is_solid]
        visits = [_visits(take, ground, seat.place[:2]) for seat in stage.seats]
        rows, which = space.solids_near(ground.places, within=float(radius.max()))
        for k in np.unique(which):
            area, mine = space.solid_polygons[k], np.sort(rows[which == k])
            left_out = np.zeros(len(mine), bool)
            for seat, visit in zip(stage.seats, visits, strict=True):
                if shapely.distance(shapely.points(seat.place[:2]), area) < CHAIR_WITHIN_M:
                    left_out |= visit[mine]
            away = polygons.distances(area, ground.places[mine])
            look(mine, away, left_out, space.solids[k].name or f"obstacle {numbers[k]}")
    if stage.bounds is not None and len(ground.who):
        away = -polygons.distances(polygons.polygon(stage.bounds), ground.places)
        at_door = np.zeros(len(away), bool)
        for door in stage.doors:
            doorway = shapely.linestrings(door.ends)
            at_door |= shapely.distance(shapely.points(ground.places), doorway) <= AT_DOOR_WITHIN_M
        look(np.arange(len(away)), away, at_door, "the edge of the stage")


def _visits(take: Take, ground: GroundRows, place: Array) -> BoolArray:
    """Return [R] which rows are near a seat at this place [2], of characters that rest there or play sitting."""
    visits = np.zeros(len(ground.who), bool)
    rows = np.flatnonzero(np.hypot(*(ground.places - place).T) < AT_SEAT_WITHIN_M)
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
