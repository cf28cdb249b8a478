"""The audit's own forward kinematics: from a take's roots and rotations to joints and foot points, measured anew.

From posing only the root's place and the joints' world rotations R are taken. Places and local rotations r follow from
the bodies' own offsets o, with s the character's size and p the parent:

    r_j = R_p⁻¹ R_j,     p_j = p_p + R_p (s o_j),     contact point = p_j + R_j (s · offset)

the same as `walkon.motion.kinematics.forward` gives from r. How far this is from the positions that posing
gives is a figure of its own, `kinematics.max_difference_m`.

A *row* is one character at one frame of the audit's clock; rows are sorted by character, then frame. Bodies are posed
in chunks; joints are looked at once (smoothness, kinematics) and forgotten, and what later measures need (root,
heading, foot points, labels) is kept of every row, light enough to hold whole characters at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.threads import in_chunks
from walkon.take.clips import foot_columns, stands
from walkon.take.posing.posing import PLANAR, Poses, pose_pairs
from walkon.take.tables import flat_ranges
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = [
    "HALO_ROW_COUNT",
    "AuditClock",
    "PosedRows",
    "Reposed",
    "foot_points",
    "join",
    "link_rows",
    "make_track",
    "overhangs",
    "parts_per_frame",
    "repose",
    "rows_of",
    "select",
    "stride",
]

Group = TypeVar("Group", bound=tuple[Any, ...])

CHUNK_BODY_COUNT = 256
"""Bodies per task of the thread pool."""
POSED_AT_ONCE_COUNT = 4096
"""Bodies that are posed at a time: about 20 MB."""
HALO_ROW_COUNT = 3
"""Rows after a chunk that its derivatives look at, times `stride`."""
DERIVATIVE_RATE_HZ = 60.0
"""Hz at which figures are measured that depend on the rate."""


@dataclass(frozen=True, kw_only=True)
class AuditClock:
    """When the audit looks: frame k is at start + k / fps seconds, for k = 0 … count − 1."""

    start: float
    stop: float
    fps: float

    @property
    def count(self) -> int:
        """Number of frames."""
        return int(np.floor((self.stop - self.start) * self.fps + 1e-6)) + 1

    @property
    def times(self) -> Array:
        """[T] seconds."""
        return self.at(np.arange(self.count))

    def at(self, frames: IntArray) -> Array:
        """Return the seconds of frames; never after `stop`, whatever rounding does."""
        return np.minimum(self.start + frames / self.fps, self.stop)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Reposed(Poses):
    """R bodies in the world, whose `positions` are by the audit's own kinematics; the rest is what posing says."""

    local: Array
    """[R, J, 4] joint → parent."""
    difference: Array
    """[R] metres between these positions and those of posing, the worst joint."""
    reach: Array
    """[R] metres along the floor from the root to the farthest joint."""


def select(group: Group, rows: Any) -> Group:
    """Return a tuple of columns with these rows only: a slice, indices or flags."""
    return type(group)(*(column[rows] for column in group))


def join(parts: Sequence[Group]) -> Group:
    """Return the columns of all parts, one part after the other."""
    return type(parts[0])(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def rows_of(take: Take, clock: AuditClock, characters: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rows of these characters, from where each enters to where it leaves, gaps included.

    Characters [R] and frames of the clock [R], sorted by character and frame.
    """
    enters, leaves = take.enters[characters], take.leaves[characters]
    there = np.isfinite(enters)
    characters, enters, leaves = characters[there], enters[there], leaves[there]
    first = np.maximum(np.ceil((enters - clock.start) * clock.fps - 1e-6), 0).astype(np.int64)
    last = np.minimum(np.floor((leaves - clock.start) * clock.fps + 1e-6), clock.count - 1).astype(np.int64)
    counts = np.maximum(last - first + 1, 0)
    return np.repeat(characters, counts), flat_ranges(first, counts)


def repose(take: Take, who: IntArray, times: Array) -> Reposed:
    """Pose characters who [R] at times [R] s and place their joints anew."""
    from walkon.take.auditing import _kernels

    poses = pose_pairs(take, who, times)
    rigs = take.score.rigs
    body = poses.bodies.astype(np.int32)
    scale = take.characters.scale[who].astype(np.float64)
    positions, local = np.empty_like(poses.positions), np.empty_like(poses.rotations)
    difference, reach = np.empty(len(who)), np.empty(len(who))

    def work(a: int, b: int) -> None:
        _kernels.repose(
            rigs.joints,
            rigs.parents,
            rigs.offsets,
            body[a:b],
            scale[a:b],
            poses.positions[a:b],
            poses.rotations[a:b],
            positions[a:b],
            local[a:b],
            difference[a:b],
            reach[a:b],
        )

    in_chunks(work, len(who), chunk=CHUNK_BODY_COUNT)
    track_only = poses.presence == PLANAR  # no joints are posed, so there are none to place anew
    positions[track_only], difference[track_only], reach[track_only] = poses.positions[track_only], 0.0, 0.0
    anew = {"positions": positions, "local": local, "difference": difference, "reach": reach}
    return Reposed(**(vars(poses) | anew))


def foot_points(take: Take, who: IntArray, reposed: Reposed) -> Array:
    """Return the places [R, 4, 3] of heels and balls (order of `FOOT_CONTACTS`); NaN of those without feet."""
    points = np.full((len(who), 4, 3), np.nan)
    for b in np.unique(reposed.bodies):
        skeleton = take.bodies[b].skeleton
        mine = np.flatnonzero((reposed.bodies == b) & (reposed.presence == 1))
        if not (len(mine) and stands(skeleton)):
            continue
        feet = foot_columns(skeleton)
        joints = skeleton.contact_joints[feet]
        scale = take.characters.scale[who[mine]].astype(np.float64)[:, None, None]
        turned = quat.rotate(reposed.rotations[mine][:, joints], scale * skeleton.contact_offsets[feet])
        points[mine] = reposed.positions[mine][:, joints] + turned
    return points


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


Seen = TypeVar("Seen")
Look = Callable[[IntArray, IntArray, Reposed, int], Seen]
"""Called with who [K], frame [K], their bodies, and how many of the rows are new (the rest come again)."""


def stride(fps: float) -> int:
    """Return the number of frames that are about 1/60 s: derivatives that depend on the rate are taken over these."""
    return max(round(fps / DERIVATIVE_RATE_HZ), 1)


def parts_per_frame(fps: float) -> int:
    """Return into how many parts a frame is cut so that they are no longer than 1/60 s."""
    return max(int(np.ceil(DERIVATIVE_RATE_HZ / fps - 1e-6)), 1)


def link_rows(who: IntArray, frame: IntArray, whole: BoolArray) -> BoolArray:
    """Return [R] whether a row and the next are the same whole body at neighbouring frames; False for the last."""
    flags = np.zeros(len(who), bool)
    flags[:-1] = (who[1:] == who[:-1]) & (frame[1:] == frame[:-1] + 1) & whole[1:] & whole[:-1]
    return flags


def overhangs(take: Take) -> Array:
    """Return [B] m by which a body's flesh reaches beyond its joints at most, before scaling."""
    ends = [np.stack([body.capsule_starts, body.capsule_ends], axis=1) for body in take.bodies]
    sizes = [np.linalg.norm(e, axis=-1) + body.capsule_radii for e, body in zip(ends, take.bodies, strict=True)]
    return np.array([size.max(initial=0.0) for size in sizes])


def make_track(
    take: Take, clock: AuditClock, whose: IntArray, frames: IntArray, look: Look[Seen]
) -> tuple[PosedRows, list[Seen]]:
    """Pose these rows, at least one, chunk by chunk, and keep what is light, and what `look` returns of each chunk.

    Chunks are looked at by several threads at once.
    """
    over = take.characters.scale.astype(np.float64) * overhangs(take)[take.characters.body]
    firsts = range(0, len(whose), POSED_AT_ONCE_COUNT)
    found: dict[int, tuple[PosedRows, Seen]] = {}

    def work(a: int, b: int) -> None:
        for k in range(a, b):
            found[k] = look_at(firsts[k])

    def look_at(first: int) -> tuple[PosedRows, Seen]:
        piece = slice(first, first + POSED_AT_ONCE_COUNT + HALO_ROW_COUNT * stride(clock.fps))
        who, frame = whose[piece], frames[piece]
        times = clock.at(frame)
        bodies = repose(take, who, times)
        seen = look(who, frame, bodies, min(POSED_AT_ONCE_COUNT, len(who)))
        points, whole = foot_points(take, who, bodies), bodies.presence == 1
        track = PosedRows(
            who=who,
            frame=frame,
            times=times,
            whole=whole,
            segment=bodies.segments,
            root=bodies.positions[:, 0],
            heading=bodies.planar[:, 2],
            reach=bodies.reach + over[who],
            footed=whole & np.isfinite(points[:, 0, 0]),
            points=points,
            contacts=bodies.contacts,
            missed=bodies.missed,
        )
        return select(track, np.flatnonzero(bodies.present[:POSED_AT_ONCE_COUNT])), seen

    in_chunks(work, len(firsts), chunk=1)
    parts = [found[k] for k in range(len(firsts))]
    return join([track for track, _ in parts]), [seen for _, seen in parts]
