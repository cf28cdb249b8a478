"""Feet on terrain: soles against the floor's normal, swings against the floor, plants against its exact height.

*Soles.* The up of a sole is a unit vector in the frame of the ankle. It follows from the clips: in their own worlds the
floor is level, so with R the ankle's rotation at the frames at which heel and ball are both down at one height,

    n = mean of R⁻¹ z, normalized                                                                               (1)

and the ankle's at rest where no clip has such a frame. A foot lies flat where the take says that heel and ball are both
planted, and wherever both are within `FLAT_WITHIN_M` of their support and slower than `FLAT_UNDER_M_S`, whatever it
says. With N the floor's normal in the middle of the two, the sole is off by

    angle(R n, N)         degrees                                                                               (2)

A foot on something else than the floor (a step of a clip, see `supports`) has z for N. Who stands on the rim of a step
or where two faces meet has two normals, and the nearer counts: a foot is no wider than its heel or its ball.

*Swings.* How deep heel or ball of a foot is in the floor at a moment at which it is not planted: its depth h under the
floor along the normal, h N_z.

*Heights.* How far planted points are above or below the floor (or what else they stand on), along the vertical.

*No floor.* Frames of bodies with a foot of which all planted points have no support within `FLOOR_WITHIN_M` under or
over them: they are beyond the rim of the floor, or over a hole in it. Of a body without any planted point, and on no
track, frames in which neither a foot nor the root has one (within that of where it can stand, squat or lie).

World frame, metres.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.motion.footprint import MAX_MEETING_RISE_M
from walkon.motion.skeleton import FOOT_CONTACTS, SIDES
from walkon.take.auditing.bodily.flesh import split_runs
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.reposing import AuditClock, PosedRows, Reposed, link_rows
from walkon.take.clips import foot_columns, stands
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = [
    "FLAT_UNDER_M_S",
    "FLAT_WITHIN_M",
    "FLOOR_WITHIN_M",
    "SoleRows",
    "look_at_soles",
    "measure_terrain",
    "sole_normals",
    "terrain_figures",
]

FLAT_WITHIN_M = 0.006
"""m from the floor within which heel and ball of a foot that lies flat are, where no label is asked."""
FLAT_UNDER_M_S = 0.05
"""m/s under which they move."""
FLOOR_WITHIN_M = 0.5 * MAX_MEETING_RISE_M
"""m under or over a foot within which a floor is its own: who is farther apart is on different ones."""
LEVEL_WITHIN_M = 1e-3
"""m by which heel and ball differ at most where a clip's foot lies level."""
POINTS = tuple(name.replace("_", " ") for name in FOOT_CONTACTS)
UP = np.array([0.0, 0.0, 1.0])


class SoleRows(NamedTuple):
    """What is kept of the soles of R rows."""

    up: Array
    """[R, 2, 3] unit vectors out of the left and the right foot; NaN of those without feet."""


def sole_normals(take: Take, clips: IntArray) -> Array:
    """Return [B, 2, 3] the up of each body's soles in the frame of their ankles, eq. (1), from these clips."""
    found = np.zeros((len(take.bodies), 2, 3))
    for clip in clips:
        one = take.clip(int(clip))
        skeleton = one.skeleton
        if not stands(skeleton):
            continue
        alike = [b for b, body in enumerate(take.bodies) if body.skeleton.same_topology(skeleton)]
        heel_ball = foot_columns(skeleton).reshape(2, 2)
        level = np.ptp(one.contact_heights[:, heel_ball], axis=-1) < LEVEL_WITHIN_M
        flat = one.contacts[:, heel_ball].all(axis=-1) & level
        for foot in range(2):
            k = np.flatnonzero(flat[:, foot])
            ankle = one.world.rotations[k, skeleton.contact_joints[heel_ball[foot, 0]]]
            found[alike, foot] += quat.rotate(quat.conjugate(ankle), UP).sum(axis=0)
    size = np.linalg.norm(found, axis=-1, keepdims=True)
    return np.where(size > 0, found / np.maximum(size, 1e-12), UP)


def look_at_soles(take: Take, bodies: Reposed, normals: Array, new: int) -> SoleRows:
    """Keep the soles of the first `new` rows of a chunk; `normals` are the `sole_normals` of the bodies."""
    kept = SoleRows(np.full((new, 2, 3), np.nan))
    for b in np.unique(bodies.bodies[:new]):
        skeleton = take.bodies[b].skeleton
        mine = np.flatnonzero((bodies.bodies[:new] == b) & (bodies.presence[:new] == 1))
        if len(mine) and stands(skeleton):
            ankles = skeleton.contact_joints[foot_columns(skeleton)[::2]]
            kept.up[mine] = quat.rotate(bodies.rotations[mine][:, ankles], normals[b])
    return kept


def measure_terrain(
    take: Take, clock: AuditClock, track: PosedRows, soles: SoleRows, support: Array, findings: Findings
) -> None:
    """Measure the feet of these rows of whole characters; `support` [R, 4] m is what each point rests on."""
    down = track.contacts & track.footed[:, None]
    normals = _floor_normals(take, track, support)
    above = track.points[..., 2] - support
    _measure_swings(track, findings, track.footed[:, None] & ~down, above, normals)
    row, point = np.nonzero(down)
    off = np.abs(above[row, point])
    findings.offer(
        "terrain.max_height_error_m",
        np.where(np.isfinite(off), off, 0.0),
        who=track.who[row],
        times=track.times[row],
        places=track.points[row, point],
        least=1e-4,
        words=lambda i: (
            POINTS[point[i]],
            f"has the planted {POINTS[point[i]]} {off[i] * 1e3:.1f} mm off the height of the floor",
        ),
    )
    _measure_soles(clock, track, soles, findings, down, above, normals)
    _measure_no_floor(take, track, findings, down, above)


def _measure_no_floor(take: Take, track: PosedRows, findings: Findings, down: BoolArray, above: Array) -> None:
    has = np.abs(above) <= FLOOR_WITHIN_M
    pairs = [np.asarray(flags).reshape(-1, 2, 2) for flags in (down, down & has)]
    stands_on, has_some = (np.asarray(flags.any(axis=-1)) for flags in pairs)
    lacks: BoolArray = np.asarray((stands_on & ~has_some).any(axis=1))
    free = track.footed & ~down.any(axis=1) & ~has.any(axis=1) & (take.segments.track[track.segment] < 0)
    row = np.flatnonzero(free)
    rest = np.array([np.ptp(body.skeleton.rest_positions[:, 2]) for body in take.bodies])
    tall = (rest[take.characters.body] * take.characters.scale)[track.who[row]]
    rise = track.root[row, 2] - take.stage.floor(track.root[row, :2], near=track.root[row, 2] - 0.5 * tall).heights
    lacks[row] = ~(np.abs(rise - 0.5 * tall) <= 0.5 * tall + FLOOR_WITHIN_M)
    starts, stops = split_runs(lacks, link_rows(track.who, track.frame, track.footed))
    frames = (stops - starts).astype(np.float64)
    findings.counts["terrain.no_floor_frames"] += int(frames.sum())
    findings.offer(
        "terrain.no_floor_frames",
        frames,
        who=track.who[starts],
        times=track.times[starts],
        places=track.root[starts],
        least=0.0,
        words=lambda i: ("", f"has no floor under the feet for {frames[i]:.0f} frame{'s' if frames[i] > 1 else ''}"),
    )


def _floor_normals(take: Take, track: PosedRows, support: Array) -> Array:
    """Return [R, 4, 3] (or [1, 1, 3] where all is level) the floor's normals under points; up where it has none."""
    if take.stage.floor.level is not None:
        return UP[None, None]
    ground = np.where(np.isfinite(track.points[..., :2]), track.points[..., :2], 0.0)
    found = take.stage.floor(ground, near=np.where(np.isfinite(support), support, 0.0))
    there = np.isfinite(found.heights) & (np.abs(found.heights - support) < LEVEL_WITHIN_M)
    return np.where(there[..., None], found.normals, UP)


def _measure_swings(track: PosedRows, findings: Findings, free: BoolArray, above: Array, normals: Array) -> None:
    row, point = np.nonzero(free & (above < 0))
    depth = -above[row, point] * np.broadcast_to(normals[..., 2], above.shape)[row, point]
    findings.offer(
        "terrain.max_swing_depth_m",
        depth,
        who=track.who[row],
        times=track.times[row],
        places=track.points[row, point],
        least=1e-4,
        words=lambda i: (
            POINTS[point[i]],
            f"swings the {POINTS[point[i]]} {depth[i] * 1e3:.1f} mm deep through the floor",
        ),
    )


def _measure_soles(
    clock: AuditClock,
    track: PosedRows,
    soles: SoleRows,
    findings: Findings,
    down: BoolArray,
    above: Array,
    normals: Array,
) -> None:
    linked = link_rows(track.who, track.frame, track.footed)
    still = np.zeros(down.shape, bool)
    step = np.linalg.norm(np.diff(track.points, axis=0), axis=-1) * clock.fps
    still[:-1] = linked[:-1, None] & (step < FLAT_UNDER_M_S)
    still[1:] &= still[:-1] | ~linked[:-1, None]
    flat = (down | (still & (np.abs(above) < FLAT_WITHIN_M))).reshape(-1, 2, 2).all(axis=-1)
    row, foot = np.nonzero(flat & track.footed[:, None])
    under = np.broadcast_to(normals, (*above.shape, 3)).reshape(-1, 2, 2, 3)[row, foot]
    cosine = np.clip((under * soles.up[row, foot][:, None]).sum(axis=-1), -1.0, 1.0).max(axis=1)
    off = np.degrees(np.arccos(cosine))
    findings.offer(
        "terrain.max_sole_off_deg",
        off,
        who=track.who[row],
        times=track.times[row],
        places=track.points[row, 2 * foot],
        least=0.1,
        words=lambda i: (
            f"{SIDES[foot[i]]} foot",
            f"has the sole of the {SIDES[foot[i]]} foot {off[i]:.1f} degrees off the floor that it lies on",
        ),
    )


def terrain_figures(findings: Findings) -> dict[str, dict[str, float]]:
    """Return what was measured: terrain."""
    names = ("max_sole_off_deg", "max_swing_depth_m", "max_height_error_m")
    frames = {"no_floor_frames": findings.counts["terrain.no_floor_frames"]}
    return {"terrain": findings.largest_of("terrain", *names) | frames}
