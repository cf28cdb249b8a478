"""Edge tracks: root trajectory and swept footprint of every edge, sampled for planning. No body is posed.

Every `BIN_S` seconds of an edge there is its planar pose in the start hub's frame, and up to three discs in the body's
own planar frame (`walkon.motion.footprint`): on the way, those around all limbs; around standing, slimmer ones; a
body that sits down, sits, rises, picks up or puts down keeps the footprint that audits know. One that carries has one
disc for both legs and one for what is carried. They depend on the graph alone, and are stored in its file.

The disc of a carried prop: over all frames in which hands hold something, the prop's middle stays within centimetres of
one place c of the body's planar frame, so

    centre = middle of the box around all c,        radius = largest |c − centre| + half the prop's diagonal

covers it whichever way it is turned about the vertical. The disc is for keeping off other people. Against tables it
must not be used: what is carried is above them, and has to be, to be put down. Metres, seconds.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array, BoolArray, IntArray, lock
from walkon._base.errors import InvalidValue, UnknownName
from walkon.graphs.snap_together.lifts import Lifts
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.motion.footprint import limb_discs
from walkon.motion.kinematics import forward
from walkon.planning.occupancy_rule import BIN_S, BODY_MARGIN_M
from walkon.transforms import planar, rigid

__all__ = ["EdgeTracks", "carried_disc", "tracks_of"]

CARRIED_SIZE_M = (0.3, 0.4)
"""m: the box that a carrier has room for, seen from above."""
TURNING_RAD = float(np.deg2rad(20.0))
"""rad that an edge turns by at least when it steps, however little it goes."""
RESTING_M_S = 0.12
"""m/s: an edge whose root travels slower on the mean is idle; bodies are not displaced while idle."""
SLOW_MARGIN_CUT_M = 0.5 * BODY_MARGIN_M
"""m less that a slow body needs: the margin is for what happens between two bins."""
LEGROOM_M = 0.4
"""m about the root that both legs of a body that carries stay within, nearly always."""


@dataclass(frozen=True, eq=False, kw_only=True)
class EdgeTracks:
    """U edges that planning uses, with S samples in all."""

    edges: IntArray
    """[U] rows of the graph's edges, sorted by start and stop: between hubs that all reach each other, no gestures."""
    sample_first: NDArray[np.int32]
    """[U + 1]."""
    places: NDArray[np.float32]
    """[S, 3] planar pose every BIN seconds of the edge, in its start hub's frame; the last one is its end."""
    discs: NDArray[np.float32]
    """[S, 3, 3] (x, y, r) in the body's frame; radius below 0 for none."""
    moving: NDArray[np.uint8]
    """[U] 1 where the body may be displaced."""
    excused: NDArray[np.uint8]
    """[U] 1 where the body sits down, sits, rises, or lifts: seat and table are not in the way then."""

    def __post_init__(self) -> None:
        lock(self, "edges", (None,), np.int64)
        U = len(self.edges)
        lock(self, "sample_first", (U + 1,), np.int32)
        S = int(self.sample_first[-1])
        lock(self, "places", (S, 3), np.float32)
        lock(self, "discs", (S, 3, 3), np.float32)
        lock(self, "moving", (U,), np.uint8)
        lock(self, "excused", (U,), np.uint8)
        if self.sample_first[0] != 0 or (np.diff(self.sample_first) < 1).any():
            raise InvalidValue("samples of edges must follow each other, at least one of each edge")


def tracks_of(graph: SnapGraph, lifts: Lifts) -> EdgeTracks:
    """Sample the edges of a graph; `lifts` are its own."""
    rows = np.flatnonzero(graph.core[graph.edges.start] & graph.core[graph.edges.stop] & ~_gestures(graph))
    rows = rows[np.lexsort((rows, graph.edges.stop[rows], graph.edges.start[rows]))]
    table, states = graph.edges.rows(rows), graph.states
    first, frames = _sample_frames(graph, rows)
    low = np.floor(frames + 1e-9).astype(np.int64)
    sizes = np.diff(first)
    last = np.repeat(graph.clips.stops[rows] - 1, sizes)
    high, part = np.minimum(low + 1, last), (frames - low)[:, None]
    change = graph.planar[high] - graph.planar[low]
    change[:, 2] = np.mod(change[:, 2] + np.pi, 2 * np.pi) - np.pi
    places = graph.planar[low] + part * change
    # Headings are continuous along an edge, so that they can be mixed.
    for a, b in pairwise(first):
        places[a:b, 2] = np.unwrap(places[a:b, 2])
    start, stop = states.rows(table.start), states.rows(table.stop)
    excused = start.seated | stop.seated | (start.carrying != stop.carrying)
    close = np.repeat(~(start.walking & stop.walking), sizes)
    motion = graph.clips.root_positions[low], graph.clips.local_rotations[low], graph.planar[low]
    discs = limb_discs(graph.source.skeleton, *motion, close=close).astype(np.float32)
    sitting = np.repeat(excused, sizes)
    discs[sitting] = graph.footprints[low][sitting]
    discs[close, :, 2] -= SLOW_MARGIN_CUT_M
    if len(lifts.of_kind("pick_up")) and (start.carrying & stop.carrying).any():
        loaded = np.repeat(start.carrying & stop.carrying, sizes)
        # One disc for both legs, to have one for what is carried.
        discs[loaded, 2] = carried_disc(graph, lifts)
        discs[loaded, 1] = (0.0, 0.0, LEGROOM_M)
    # A turn on the spot moves the hips hardly more than an idle edge does, but its feet step: it may be displaced too.
    moving = (table.path / table.duration > RESTING_M_S) | (np.abs(table.turn) > TURNING_RAD)
    return EdgeTracks(
        edges=rows,
        sample_first=np.array(first, np.int32),
        places=places.astype(np.float32),
        discs=discs,
        moving=moving.astype(np.uint8),
        excused=excused.astype(np.uint8),
    )


def _sample_frames(graph: SnapGraph, rows: IntArray) -> tuple[list[int], Array]:
    """Return where the samples of each edge begin, and the frames (of all clips, with fractions) that they lie at."""
    at, first = [np.zeros(0)], [0]
    for row, seconds in zip(rows.tolist(), graph.edges.duration[rows].tolist(), strict=True):
        begin, end = int(graph.clips.starts[row]), int(graph.clips.stops[row]) - 1
        count = int(np.floor(seconds / BIN_S + 1e-9)) + 1
        at.append(np.append(begin + np.arange(count) * BIN_S * graph.clips.fps, end))
        first.append(first[-1] + count + 1)
    return first, np.concatenate(at)


def _gestures(graph: SnapGraph) -> BoolArray:
    """Return [edges of the graph] which ones wave or talk: addressed to another body, never idling."""
    try:
        return graph.edges_with("gesture")
    except UnknownName:
        return np.zeros(len(graph.edges), bool)


def carried_disc(graph: SnapGraph, lifts: Lifts, *, size: tuple[float, float] = CARRIED_SIZE_M) -> Array:
    """Return (x, y, radius) of the disc that a carried prop of a size (m, seen from above) needs before the body.

    Measured over all frames of edges that are "carry" throughout, the prop held as the first lift has it.
    """
    rows = lifts.of_kind("pick_up")
    edges = np.flatnonzero(graph.edges_with("carry"))
    if not len(rows) or not len(edges):
        raise InvalidValue(
            f"nobody can carry anything: the graph has {len(rows)} edges that pick up and {len(edges)} that are "
            "'carry' throughout; build it with such clips"
        )
    frames = np.concatenate([np.arange(graph.clips.starts[e], graph.clips.stops[e]) for e in edges])
    world = forward(graph.source.skeleton, graph.clips.root_positions[frames], graph.clips.local_rotations[frames])
    joints = list(lifts.holders(int(rows[0])))
    poses = np.concatenate([world.positions[:, joints], world.rotations[:, joints]], axis=2)
    middles = rigid.compose(poses, lifts.hold[rows[0], : len(joints)])[..., :2].mean(axis=1)
    seen = planar.apply(planar.inverse(graph.planar[frames]), middles)
    centre = 0.5 * (seen.min(axis=0) + seen.max(axis=0))
    return np.append(centre, np.linalg.norm(seen - centre, axis=1).max() + 0.5 * np.hypot(*size))
