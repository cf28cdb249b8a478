"""Posture: bodies that lean or stand on their heads, heads that turn too far or spin, and bodies frozen in mid stride.

*Tilt.* The trunk points from the hips to the neck; its tilt is the angle to the vertical. What a clip does of itself
(who picks something up leans far) is no fault, so the trunk is also compared with the clip's own at that moment, both
seen in the frame of the hips' heading, fades included:

    tilt off = angle(R_z(−ψ) trunk, R_z(−ψ_clip) trunk_clip)         degrees                                    (1)

*Head.* Its rotation relative to the chest, as an angle from rest and as a speed; who spins the head passes 180 degrees.

*Frozen.* A pose that is held is fine for who rests: sits, or has both feet flat on the ground. Anybody else, of whose
joints none turns faster than `FROZEN_UNDER_DEG_S`, is a statue: on one leg, in mid stride, in mid air.

*Still.* Nobody alive is still: who stands or sits sways and breathes. Seconds for which no joint of a body turns faster
than that, however it rests; a statue in a crowd.

Needs the roles hips, neck, chest and head; skeletons without them are left out. World frame.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.take.auditing.bodily.flesh import HOVER_OVER_M, FleshRows, split_runs
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.playing import read_segments
from walkon.take.auditing.reposing import AuditClock, PosedRows, Reposed, link_rows
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = [
    "FLAT_WITHIN_M",
    "FROZEN_UNDER_DEG_S",
    "PostureRows",
    "clip_trunks",
    "look_at_posture",
    "measure_posture",
    "posture_figures",
]

FROZEN_UNDER_DEG_S = 0.5
"""degrees/s of its fastest joint under which a body is held."""
FLAT_WITHIN_M = 0.02
"""m above the floor within which heels and balls of who rests are."""


SEATED_WITHIN_M = 0.05
"""m above a seat within which who sits is at rest."""


class PostureRows(NamedTuple):
    """What is kept of the posture of R rows; NaN of discs and of skeletons without the roles."""

    trunk: Array
    """[R, 3] unit vector from the hips to the neck."""
    head: Array
    """[R, 4] rotation of the head relative to the chest."""
    stir: Array
    """[R] degrees/s of the fastest joint to the next row; −1 where that is not known."""


def look_at_posture(take: Take, bodies: Reposed, stir: Array, new: int) -> PostureRows:
    """Keep what posture asks of the first `new` rows of a chunk; `stir` is how fast their joints turn."""
    kept = PostureRows(np.full((new, 3), np.nan), np.full((new, 4), np.nan), stir[:new])
    for b in np.unique(bodies.bodies[:new]):
        roles = take.bodies[b].skeleton.roles
        mine = np.flatnonzero((bodies.bodies[:new] == b) & (bodies.presence[:new] == 1))
        if not len(mine):
            continue
        if "hips" in roles and "neck" in roles:
            along = bodies.positions[mine, roles["neck"]] - bodies.positions[mine, roles["hips"]]
            kept.trunk[mine] = along / np.linalg.norm(along, axis=1, keepdims=True)
        if "chest" in roles and "head" in roles:
            chest, head = bodies.rotations[mine, roles["chest"]], bodies.rotations[mine, roles["head"]]
            kept.head[mine] = quat.multiply(quat.conjugate(chest), head)
    return kept


def clip_trunks(take: Take, clips: IntArray) -> Array:
    """Return [F, 3] trunks of the frames of these clips, in the frame of their hips' heading; NaN elsewhere."""
    trunks = np.full((len(take.clips.roots), 3), np.nan)
    for clip in clips:
        one = take.clip(int(clip))
        roles = one.skeleton.roles
        if not ("hips" in roles and "neck" in roles):
            continue
        along = np.zeros((len(one.local_rotations), 3))
        for joint in one.skeleton.line_up(roles["neck"])[:-1]:  # from the neck down to the child of the root
            parent = int(one.skeleton.parents[joint])
            along = quat.rotate(one.local_rotations[:, parent], one.skeleton.offsets[joint] + along)
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        first = int(take.clips.rows.first_frame[clip])
        trunks[first : first + len(along)] = _turn(along, -one.planar_poses[:, 2])
    return trunks


def _turn(vectors: Array, angle: Array) -> Array:
    """Return vectors [R, 3] turned about the vertical by angles [R]."""
    c, s = np.cos(angle), np.sin(angle)
    x, y = vectors[:, 0], vectors[:, 1]
    return np.column_stack([c * x - s * y, s * x + c * y, vectors[:, 2]])


def measure_posture(
    take: Take,
    clock: AuditClock,
    track: PosedRows,
    rows: PostureRows,
    flesh: FleshRows,
    findings: Findings,
    *,
    trunks: Array,
) -> None:
    """Measure these rows of whole characters; `trunks` are the `clip_trunks` of what they play and fade from."""
    has = np.flatnonzero(np.isfinite(rows.trunk[:, 0]))
    tilt = np.degrees(np.arccos(np.clip(rows.trunk[has, 2], -1.0, 1.0)))
    own = _own_trunks(take, track, trunks, has)
    here = _turn(rows.trunk[has], -track.heading[has])
    off = np.degrees(np.arccos(np.clip((here * own).sum(axis=1), -1.0, 1.0)))
    for figure, values, words in (
        ("max_tilt_deg", tilt, "leans {:.1f} degrees from upright"),
        ("max_tilt_off_deg", np.where(np.isfinite(off), off, 0.0), "leans {:.1f} degrees other than its clip does"),
    ):
        findings.offer(
            f"posture.{figure}",
            values,
            who=track.who[has],
            times=track.times[has],
            places=track.root[has],
            least=1.0,
            words=lambda i, values=values, words=words: ("", words.format(values[i])),  # type: ignore[misc]
        )
    linked = link_rows(track.who, track.frame, track.whole)
    _measure_head(clock, track, rows, findings)
    held = track.footed & (rows.stir >= 0) & (rows.stir < FROZEN_UNDER_DEG_S)
    _offer_runs(clock, track, findings, "max_still_s", held, linked, "stands or sits stock-still for {:.2f} s")
    held &= ~(flesh.seat_gap < SEATED_WITHIN_M)
    k = np.flatnonzero(held)
    held[k] = ~_stands_flat(take, track.points[k], flesh.clearance[k])
    words = "is frozen for {:.2f} s, though not at rest on both feet"
    _offer_runs(clock, track, findings, "max_frozen_s", held, linked, words)


def _offer_runs(
    clock: AuditClock,
    track: PosedRows,
    findings: Findings,
    figure: str,
    flags: BoolArray,
    linked: BoolArray,
    words: str,
) -> None:
    """Offer the seconds of stretches of flagged rows."""
    starts, stops = split_runs(flags, linked)
    seconds = (stops - starts) / clock.fps
    findings.offer(
        f"posture.{figure}",
        seconds,
        who=track.who[starts],
        times=track.times[starts],
        places=track.root[starts],
        least=0.05,
        words=lambda i: ("", words.format(seconds[i])),
    )


def _stands_flat(take: Take, points: Array, clearance: Array) -> BoolArray:
    """Return [R] whether heels and balls [R, 4, 3] are all on the ground, or on something else that bears the body."""
    lowest = points[..., 2].min(axis=1)
    under = take.stage.floor(points[..., :2], near=np.repeat(lowest[:, None], 4, axis=1)).heights
    above = points[..., 2] - under
    borne = (clearance < HOVER_OVER_M) & (above.min(axis=1) > HOVER_OVER_M)
    above -= np.where(borne, above.min(axis=1), 0.0)[:, None]
    return np.asarray((above < FLAT_WITHIN_M).all(axis=1))


def _own_trunks(take: Take, track: PosedRows, trunks: Array, has: IntArray) -> Array:
    """Return [H, 3] unit vectors, trunks of the clips that play in these rows, in the frame of their headings."""
    now = read_segments(take, track.segment[has], track.times[has])
    clips = take.clips.rows

    def read(clip: IntArray, u: Array) -> Array:
        x = np.clip(u * clips.fps[clip], 0.0, clips.frames[clip] - 1.0)
        low = x.astype(np.int64)
        part = (x - low)[:, None]
        high = clips.first_frame[clip] + np.minimum(low + 1, clips.frames[clip] - 1)
        return np.asarray((1 - part) * trunks[clips.first_frame[clip] + low] + part * trunks[high])

    own = np.full((len(has), 3), np.nan)
    plays = np.flatnonzero(now.clip >= 0)
    own[plays] = read(now.clip[plays], now.u[plays])
    fades = np.flatnonzero((now.old_clip >= 0) & (now.clip >= 0))
    w = now.weight[fades, None]
    own[fades] = w * own[fades] + (1 - w) * read(now.old_clip[fades], now.old_u[fades])
    return np.asarray(own / np.linalg.norm(own, axis=1, keepdims=True))


def _measure_head(clock: AuditClock, track: PosedRows, rows: PostureRows, findings: Findings) -> None:
    has = np.isfinite(rows.head[:, 0])
    turned = np.zeros(len(has))
    turned[has] = np.degrees(2 * np.arccos(np.clip(np.abs(rows.head[has, 0]), 0.0, 1.0)))
    k = np.flatnonzero(link_rows(track.who, track.frame, has))
    speed = np.degrees(quat.angle_between(rows.head[k], rows.head[k + 1])) * clock.fps
    for figure, at, values, words in (
        ("max_head_turn_deg", np.arange(len(has)), turned, "turns the head {:.0f} degrees from the chest"),
        ("max_head_speed_deg_s", k, speed, "turns the head at {:.0f} degrees/s"),
    ):
        findings.offer(
            f"posture.{figure}",
            values,
            who=track.who[at],
            times=track.times[at],
            places=track.root[at],
            least=1.0,
            words=lambda i, values=values, words=words: ("head", words.format(values[i])),  # type: ignore[misc]
        )


def posture_figures(findings: Findings) -> dict[str, dict[str, float]]:
    """Return what was measured: posture."""
    tilts, heads = ("max_tilt_deg", "max_tilt_off_deg"), ("max_head_turn_deg", "max_head_speed_deg_s")
    return {"posture": findings.largest_of("posture", *tilts, *heads, "max_frozen_s", "max_still_s")}
