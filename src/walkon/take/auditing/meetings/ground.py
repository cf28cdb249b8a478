"""The crowd seen from above: where characters are at every frame, and near pairs by a neighbour grid.

Near pairs of all frames of a batch are found in one search: each frame's crowd is laid out beside the next one's, too
far away to meet it, and one neighbour grid covers them all. Whose roots differ in height by more than
`MAX_MEETING_RISE_M` are no pair: they are on different floors.

Who has feet is on a floor: under the root, of several the one nearest to the lowest heel or ball (of who is not posed:
to the root less its height at rest); where there is none, at that height. Who has no feet may fly, and is where it is.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.geometry.neighbours import NeighbourGrid, pairs_within
from walkon.motion.footprint import MAX_MEETING_RISE_M, footprint_radius
from walkon.take.auditing.reposing import AuditClock, PosedRows, join, overhangs, rows_of, select
from walkon.take.clips import stands
from walkon.take.posing.posing import pose_pairs
from walkon.take.take import Take

__all__ = [
    "GroundRows",
    "NearPairs",
    "footprint_radii",
    "ground_rows",
    "ground_rows_of_others",
    "longest_reach",
    "near_pairs",
    "sort_by_frame",
]

BATCH_ROW_COUNT = 16384
"""Rows whose pairs are looked for at a time."""
POSED_AT_ONCE_COUNT = 8192
"""Bodies that are posed at a time."""
COARSE_STEP_S = 0.25
"""s between two coarse looks at characters that are only the other side of a pair."""
MAX_SPEED_M_S = 10.0
"""m/s; no character moves faster between two coarse looks."""


class GroundRows(NamedTuple):
    """R rows, sorted by frame and character; small types, because all rows of a take are kept."""

    who: IntArray
    frame: IntArray
    places: Array
    """[R, 2] metres, the root."""
    heights: Array
    """[R] metres, the root."""
    floors: Array
    """[R] metres, height that one is on."""
    speeds: Array
    """[R] m/s along the floor."""
    reach: Array
    """[R] metres from the root within which the body is, along the floor."""
    segment: IntArray
    whole: BoolArray
    """[R] a body, not only a disc."""

    def on_floor(self, rows: IntArray) -> Array:
        """Return [K, 3] m where these rows are, on their floor."""
        return np.column_stack([self.places[rows], self.floors[rows]])


class NearPairs(NamedTuple):
    """P pairs of rows of one frame each, a before b."""

    a: IntArray
    b: IntArray
    distance: Array
    """[P] metres between the roots."""


def ground_rows(take: Take, track: PosedRows, fps: float) -> GroundRows:
    """Return a track seen from above; rows are still sorted as in the track."""
    ground, heights = track.root[:, :2], track.root[:, 2]
    speeds = _speeds(track.who, track.frame, ground, fps)
    lowest = np.where(track.footed, track.points[..., 2].min(axis=1), np.nan)
    floors = _floors(take, track.who, ground, heights, lowest)
    return _shrink(
        GroundRows(track.who, track.frame, ground, heights, floors, speeds, track.reach, track.segment, track.whole)
    )


def ground_rows_of_others(
    take: Take, clock: AuditClock, ours: GroundRows, others: IntArray, radius: float
) -> GroundRows:
    """Return where other characters are while they are within `radius` m of one of ours, seen from above.

    A coarse look, every `COARSE_STEP_S`, finds which of them come near at all; one that moves faster than
    `MAX_SPEED_M_S` between two looks may be missed. How far others reach is taken at its most.
    """
    who, frame = rows_of(take, clock, others)
    wanted = np.isin(frame, ours.frame)
    who, frame = who[wanted], frame[wanted]
    step = max(round(COARSE_STEP_S * clock.fps), 1)
    ends = np.diff(who, prepend=-1) != 0
    coarse = ends | np.append(ends[1:], True) | (frame % step == 0)
    looks = np.flatnonzero(coarse)
    seen = _pose_others(take, clock, who[looks], frame[looks])
    near = np.isnan(seen.places[:, 0]) | _comes_near(ours, seen, step, radius + MAX_SPEED_M_S * step / clock.fps)
    # A row is kept where the look before it or the one after it (of the same character) was near, or saw nobody.
    before, after = np.cumsum(coarse) - 1, np.cumsum(coarse) - coarse
    kept = near[before] | near[np.minimum(after, len(looks) - 1)]
    ground = _pose_others(take, clock, who[kept], frame[kept])
    ground = select(ground, ~np.isnan(ground.places[:, 0]))
    return _shrink(ground._replace(speeds=_speeds(ground.who, ground.frame, ground.places, clock.fps)))


def _comes_near(ours: GroundRows, seen: GroundRows, step: int, radius: float) -> BoolArray:
    """Return [R] which of the seen are within the radius of one of ours, at any frame within a step of theirs."""
    there = np.flatnonzero(~np.isnan(seen.places[:, 0]))
    near = np.zeros(len(seen.who), bool)
    if not len(there) or not len(ours.who):
        return near
    low = np.minimum(ours.places.min(axis=0), seen.places[there].min(axis=0))
    high = np.maximum(ours.places.max(axis=0), seen.places[there].max(axis=0))
    lane = float(high[0] - low[0]) + 2 * radius
    laid = ours.places - low
    laid[:, 0] += lane * (ours.frame // step)
    grid = NeighbourGrid.of(laid, radius)
    for shift in (-1, 0, 1):
        at = seen.places[there] - low
        at[:, 0] += lane * (seen.frame[there] // step + shift)
        near[there] |= np.diff(grid.near(at)[0]) > 0
    return near


def _pose_others(take: Take, clock: AuditClock, who: IntArray, frame: IntArray) -> GroundRows:
    """Pose characters only to see where they are; the absent are NaN."""
    places, heights = np.full((len(who), 2), np.nan), np.full(len(who), np.nan)
    segment, whole = np.zeros(len(who), np.int64), np.zeros(len(who), bool)
    for first in range(0, len(who), POSED_AT_ONCE_COUNT):
        piece = slice(first, first + POSED_AT_ONCE_COUNT)
        poses = pose_pairs(take, who[piece], clock.at(frame[piece]))
        places[piece], heights[piece] = poses.positions[:, 0, :2], poses.positions[:, 0, 2]
        segment[piece], whole[piece] = poses.segments, poses.presence == 1
    reach = take.characters.scale[who] * _reaches(take)[take.characters.body[who]]
    floors, there = np.full(len(who), np.nan), np.flatnonzero(np.isfinite(heights))
    floors[there] = _floors(take, who[there], places[there], heights[there], np.full(len(there), np.nan))
    return GroundRows(who, frame, places, heights, floors, np.zeros(len(who)), reach, segment, whole)


def sort_by_frame(parts: list[GroundRows]) -> GroundRows:
    """Join parts and sort them by frame, then character."""
    ground = join(parts)
    return select(ground, np.lexsort((ground.who, ground.frame)))


def near_pairs(ground: GroundRows, radius: float, chosen: BoolArray) -> Iterator[NearPairs]:
    """Find, batch by batch of frames, all pairs within `radius` m in which one at least is of the `chosen` [N]."""
    starts = np.flatnonzero(np.diff(ground.frame, prepend=-1))
    edges = [0]
    for start in starts:  # one step per frame: cheap, and frames are never cut
        if start - edges[-1] >= BATCH_ROW_COUNT:
            edges.append(int(start))
    edges.append(len(ground.who))
    for low, high in pairwise(edges):
        places = ground.places[low:high]
        if not len(places):
            continue
        width = float(np.ptp(places[:, 0])) + 2 * radius
        lane = np.searchsorted(starts, np.arange(low, high), side="right")
        spread = places - places.min(axis=0)
        spread[:, 0] += width * (lane - lane[0])
        pairs = pairs_within(spread, radius)
        a, b = low + pairs[:, 0], low + pairs[:, 1]
        keep = chosen[ground.who[a]] | chosen[ground.who[b]]
        keep &= np.abs(ground.heights[a] - ground.heights[b]) <= MAX_MEETING_RISE_M
        a, b = a[keep], b[keep]
        yield NearPairs(a, b, np.hypot(*(ground.places[b] - ground.places[a]).T))


def _shrink(ground: GroundRows) -> GroundRows:
    """Return the rows in small types; reaches are rounded up."""
    return GroundRows(
        who=ground.who.astype(np.int32),
        frame=ground.frame.astype(np.int32),
        places=np.array(ground.places),
        heights=ground.heights.astype(np.float32),
        floors=np.array(ground.floors),
        speeds=ground.speeds.astype(np.float32),
        reach=(ground.reach + 1e-4).astype(np.float32),
        segment=ground.segment.astype(np.int32),
        whole=ground.whole,
    )


def footprint_radii(take: Take) -> Array:
    """Return [N] m, the radius of every character's footprint."""
    radii = np.array([footprint_radius(body) for body in take.bodies])
    return np.asarray(radii[take.characters.body] * take.characters.scale.astype(np.float64))


def longest_reach(take: Take) -> float:
    """Return the metres from any root within which all of that character's body is, whatever its pose."""
    return float((_reaches(take)[take.characters.body] * take.characters.scale).max(initial=0.0))


def _floors(take: Take, who: IntArray, places: Array, heights: Array, lowest: Array) -> Array:
    """Return [R] m, the height that roots at places [R, 2], heights [R], are on; feet are at `lowest`, NaN unknown."""
    rests = [body.skeleton.rest_positions[:, 2] for body in take.bodies]
    rest = np.array([z[0] - z.min() for z in rests])[take.characters.body[who]] * take.characters.scale[who]
    legged = np.array([stands(body.skeleton) for body in take.bodies], bool)[take.characters.body[who]]
    low = np.where(np.isfinite(lowest), lowest, heights - rest)
    return np.where(legged, take.stage.floor_under(places, near=low), low)


def _reaches(take: Take) -> Array:
    """Return [B] m from a body's root to the end of its longest chain of bones, flesh included, before scaling."""
    reaches = overhangs(take)
    for b, body in enumerate(take.bodies):
        along = np.linalg.norm(body.skeleton.offsets, axis=1)
        along[0] = 0.0
        for joint in range(1, len(along)):
            along[joint] += along[body.skeleton.parents[joint]]
        reaches[b] += along.max()
    return reaches


def _speeds(who: IntArray, frame: IntArray, places: Array, fps: float) -> Array:
    """Return [R] m/s: the mean of the steps before and after each row, one of them at the ends of a stay."""
    linked = np.zeros(len(who) + 1, bool)
    linked[1:-1] = (who[1:] == who[:-1]) & (frame[1:] == frame[:-1] + 1)
    step = np.zeros(len(who) + 1)
    step[1:-1] = np.linalg.norm(np.diff(places, axis=0), axis=1)
    step[~linked] = 0.0
    known = linked[1:].astype(np.float64) + linked[:-1]
    return (step[1:] + step[:-1]) / np.maximum(known, 1.0) * fps
