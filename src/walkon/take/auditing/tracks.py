"""Tracks: what the audit keeps of every row, light enough to hold whole characters at once.

Bodies are posed in chunks; joints are looked at once (smoothness, kinematics) and forgotten, and what later measures
need (root, heading, foot points, labels) is kept.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.take.auditing.reposing import Clock, Reposed, Rows, foot_points, join, planar, repose, select
from walkon.take.posing.posing import ABSENT
from walkon.take.take import Take

__all__ = ["HALO", "PosedRows", "joined", "make_track", "overhangs", "stride"]

CHUNK = 4096
"""Bodies that are posed at a time: about 20 MB."""
HALO = 3
"""Rows after a chunk that its derivatives look at, times `stride`."""
STEADY = 60.0
"""Hz at which figures are measured that depend on the rate."""


class PosedRows(NamedTuple):
    """R rows of whole characters, sorted by character and frame; absent ones are left out."""

    who: IntArray
    frame: IntArray
    times: Array
    """[R] seconds."""
    whole: BoolArray
    """[R] a body, not only a disc."""
    segment: IntArray
    """[R] row of `Take.segments`."""
    root: Array
    """[R, 3] metres."""
    heading: Array
    """[R] radians."""
    reach: Array
    """[R] metres along the floor from the root to the farthest point of the body, or more."""
    footed: BoolArray
    """[R] a whole body with feet."""
    points: Array
    """[R, 4, 3] metres, heels and balls in the order of `FOOT_CONTACTS`."""
    contacts: BoolArray
    """[R, 4] which of them the take says are planted."""
    missed: Array
    """[R, 2] metres by which posing says the left and right leg fall short."""


Look = Callable[[IntArray, IntArray, Reposed, int], None]
"""Called with who [K], frame [K], their bodies, and how many of the rows are new (the rest come again)."""


def stride(fps: float) -> int:
    """Return the number of frames that are about 1/60 s: derivatives that depend on the rate are taken over these."""
    return max(round(fps / STEADY), 1)


def joined(track: PosedRows) -> BoolArray:
    """Return [R] whether a row and the next are the same whole body at neighbouring frames; False for the last."""
    flags = np.zeros(len(track.who), bool)
    same = (track.who[1:] == track.who[:-1]) & (track.frame[1:] == track.frame[:-1] + 1)
    flags[:-1] = same & track.whole[1:] & track.whole[:-1]
    return flags


def overhangs(take: Take) -> Array:
    """Return [B] m by which a body's flesh reaches beyond its joints at most, before scaling."""
    over = []
    for body in take.bodies:
        ends = np.stack([body.capsule_starts, body.capsule_ends], axis=1)
        size = np.linalg.norm(ends, axis=-1) + body.capsule_radii
        over.append(float(size.max(initial=0.0)))
    return np.array(over)


def make_track(take: Take, clock: Clock, rows: Rows, look: Look) -> PosedRows:
    """Pose these rows, at least one, chunk by chunk, let `look` see every chunk, and keep what is light."""
    R, over = len(rows.who), overhangs(take)
    halo = HALO * stride(clock.fps)
    parts = []
    for first in range(0, R, CHUNK):
        new = min(CHUNK, R - first)
        piece = slice(first, min(first + new + halo, R))
        who, frame = rows.who[piece], rows.frame[piece]
        times = clock.at(frame)
        bodies = repose(take, who, times)
        look(who, frame, bodies, new)
        kept = np.flatnonzero(bodies.poses.presence[:new] != ABSENT)
        parts.append(_light(take, who, frame, times, bodies, over, kept))
    return join(parts)


def _light(
    take: Take, who: IntArray, frame: IntArray, times: Array, bodies: Reposed, over: Array, kept: IntArray
) -> PosedRows:
    points, footed = foot_points(take, who, bodies)
    whole = bodies.poses.presence == 1
    ground = planar(take, bodies)
    scale = take.characters.scale[who].astype(np.float64)
    track = PosedRows(
        who=who,
        frame=frame,
        times=times,
        whole=whole,
        segment=bodies.poses.segments,
        root=bodies.positions[:, 0],
        heading=ground[:, 2],
        reach=bodies.reach + scale * over[bodies.poses.bodies],
        footed=footed & whole,
        points=points,
        contacts=bodies.poses.contacts,
        missed=bodies.poses.missed,
    )
    return track if len(kept) == len(who) else select(track, kept)
