"""Collisions: footprints of people on their way, with each other, with obstacles and with the stage's edge.

A pair counts at a frame where their footprints (see `motion.footprint`) overlap and at least one of the two moves
faster than `MOVING`. An obstacle counts where the footprint of someone who moves overlaps it, or where somebody's
root itself is in it; so does the outside of the stage's bounds. Left out are obstacles that one walks under or over,
the chair of whoever visits its seat, and the bounds at a door. Somebody visits a seat who comes to rest near it
before going away again, or plays a clip of sitting; who only walks past, or through, does not.
"""

from typing import Any

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.geometry import polygons
from walkon.stage.free_space import FreeSpace
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.ground import GroundRows, NearPairs, footprint_radii
from walkon.take.take import Take

__all__ = ["AT_DOOR", "AT_SEAT", "MOVING", "SITTING", "Collisions"]

MOVING = 0.2
"""m/s from which someone is on the way."""
AT_SEAT = 0.6
"""m from a seat within which the obstacles of that seat do not count."""
AT_DOOR = 1.0
"""m from a door within which the stage's bounds do not count."""
SITTING = ("sit", "seated", "sit_down", "rise", "sitting", "rising")
"""Labels of clips whose players mean to be on a seat."""
CHAIR = 0.3
"""m from a seat's place within which an obstacle is part of the seat."""
TOUCH = 1e-6
"""m of overlap below which shapes only touch."""


class Collisions:
    """Measures footprints, batch after batch of frames."""

    def __init__(self, take: Take, times: Array, findings: Findings) -> None:
        self.take, self.times, self.findings = take, times, findings
        self.radii = footprint_radii(take)
        self._sitting = _clips_of_sitting(take)
        self.pair_frames = self.obstacle_frames = 0

    @property
    def widest(self) -> float:
        """Metres within which two footprints can meet at all."""
        return 2 * float(self.radii.max(initial=0.0))

    def add(self, ground: GroundRows, near: NearPairs) -> None:
        """Measure pairs of one batch."""
        a, b = ground.who[near.a], ground.who[near.b]
        gap = near.distance - self.radii[a] - self.radii[b]
        self.findings.over_time("smallest_gap_m", ground.frame[near.a], gap, np.minimum)
        moving = np.maximum(ground.speeds[near.a], ground.speeds[near.b]) > MOVING
        hit = np.flatnonzero((gap < -TOUCH) & moving)
        self.pair_frames += len(hit)
        depth = -gap[hit]
        row = near.a[hit]
        self.findings.offer(
            "collisions.max_penetration_m",
            depth,
            who=a[hit],
            times=self.times[ground.frame[row]],
            places=np.column_stack([0.5 * (ground.places[row] + ground.places[near.b[hit]]), np.zeros(len(hit))]),
            least=TOUCH,
            words=lambda i: (
                self.take.names[b[hit[i]]],
                f"walks into {self.take.names[b[hit[i]]]}: footprints overlap by {depth[i] * 100:.1f} cm",
            ),
        )

    def add_obstacles(self, ground: GroundRows) -> None:
        """Measure everyone in `ground` against the stage."""
        stage = self.take.stage
        space = FreeSpace.of(stage)
        radius = self.radii[ground.who]
        moving = ground.speeds > MOVING
        if space.solids and len(ground.who):
            areas = space.solid_polygons
            numbers = [k for k, o in enumerate(stage.obstacles) if o.is_solid]
            visits = [self._visits(ground, seat.place[:2]) for seat in stage.seats]

            def visits_of(area: Any) -> BoolArray:
                found = np.zeros(len(ground.who), bool)
                for seat, visit in zip(stage.seats, visits, strict=True):
                    if shapely.distance(shapely.points(seat.place[:2]), area) < CHAIR:
                        found |= visit
                return found

            rows, which = space.solids_near(ground.places, within=float(radius.max()))
            for k in np.unique(which):
                mine = np.sort(rows[which == k])
                away = polygons.distances(areas[k], ground.places[mine])
                counts = (moving[mine] | (away < 0)) & ~visits_of(areas[k])[mine]
                name = space.solids[k].name or f"obstacle {numbers[k]}"
                self._stage_hit(ground, mine, radius[mine] - away, counts, name)
        if stage.bounds is not None and len(ground.who):
            area = polygons.polygon(stage.bounds)
            away = -polygons.distances(area, ground.places)
            counts = moving | (away < 0)
            for door in stage.doors:
                counts &= shapely.distance(shapely.points(ground.places), shapely.linestrings(door.ends)) > AT_DOOR
            self._stage_hit(ground, np.arange(len(away)), radius - away, counts, "the edge of the stage")

    def _visits(self, ground: GroundRows, place: Array) -> BoolArray:
        """Return [R] who is near a seat at this place [2], and comes to rest there or plays a clip of sitting."""
        visits = np.zeros(len(ground.who), bool)
        rows = np.flatnonzero(np.hypot(*(ground.places - place).T) < AT_SEAT)
        if not len(rows):
            return visits
        rows = rows[np.lexsort((ground.frame[rows], ground.who[rows]))]
        who, frame = ground.who[rows], ground.frame[rows]
        starts = np.flatnonzero(np.append(True, (np.diff(who) != 0) | (np.diff(frame) != 1)))
        rests = np.logical_or.reduceat(ground.speeds[rows] < MOVING, starts)
        lengths = np.diff(np.append(starts, len(rows)))
        clip = self.take.segments.clip[ground.segment[rows]]
        visits[rows] = np.repeat(rests, lengths) | ((clip >= 0) & self._sitting[clip])
        return visits

    def _stage_hit(self, ground: GroundRows, rows: IntArray, depth: Array, counts: BoolArray, name: str) -> None:
        hit = counts & (depth > TOUCH)
        rows, depth = rows[hit], depth[hit]
        self.obstacle_frames += len(rows)
        self.findings.offer(
            "collisions.max_obstacle_penetration_m",
            depth,
            who=ground.who[rows],
            times=self.times[ground.frame[rows]],
            places=np.column_stack([ground.places[rows], np.zeros(len(rows))]),
            least=TOUCH,
            words=lambda i: (name, f"is {depth[i] * 100:.1f} cm into {name}"),
        )

    def figures(self) -> dict[str, dict[str, Any]]:
        """Return what was measured: collisions."""
        return {
            "collisions": {
                "pair_frames": self.pair_frames,
                "max_penetration_m": self.findings.largest("collisions.max_penetration_m"),
                "obstacle_frames": self.obstacle_frames,
                "max_obstacle_penetration_m": self.findings.largest("collisions.max_obstacle_penetration_m"),
            }
        }


def _clips_of_sitting(take: Take) -> BoolArray:
    """Return [C] which clips have a label of sitting anywhere; one more for the clip −1."""
    found = np.zeros(len(take.clips) + 1, bool)
    labels = [k for k, name in enumerate(take.clips.label_names) if name in SITTING]
    found[take.clips.labels.clip[np.isin(take.clips.labels.label, labels)]] = True
    return found
