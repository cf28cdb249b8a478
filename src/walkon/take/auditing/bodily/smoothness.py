"""Smoothness: angular speed and jerk of joints, pops of single frames, acceleration and leaps of the root.

With q_k the local rotation of a joint at frame k and ω_k = log(q_k⁻¹ q_{k+1}) the turn to the next frame,

    speed  = |ω_k| fps                                   degrees/s
    jerk   = |ω_k − 2 ω_{k+1} + ω_{k+2}| fps³            degrees/s³
    pop    = the larger of  angle(q_k, middle of q_{k−1} and q_{k+1})
             and            |ω_k| − max(|ω_{k−1}|, |ω_{k+1}|)            degrees
    root acceleration = |p_{k−1} − 2 p_k + p_{k+1}| fps²  m/s²

A joint that is off by p degrees in a single frame has a pop of p, and so has one that snaps by p and stays; in steady
motion it is the small acceleration of the joint times dt²/2. All of this depends on dt, so it is not left to how often
the take is looked at: where that is less often than every 1/60 s, joints and roots are posed between the frames too (so
many times that it is as often), and where it is more often, jerk and acceleration are taken between frames that are
about 1/60 s apart (every `stride`-th). Nothing of this is measured across an entrance, an exit or a change between a
body and a disc.

*Leaps* are roots that are suddenly elsewhere, whatever hides it: a seam, such a change, a blink. For two looks at one
character that follow each other, dt apart (neighbouring frames, or the two sides of an absence of at most
`MAX_BLINK_S`), with the root at p on the floor and v its speed just before and just after,

    leap = |Δp| − min(max(v_before, v_after), MAX_SPEED_M_S) dt           metres

A walk goes on as fast as before and has next to none; what moves faster than people run leaps all the while. Longer
absences are exits and entrances, which may be anywhere.
"""

from typing import Any

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.threads import in_chunks
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.reposing import (
    HALO_ROW_COUNT,
    AuditClock,
    PosedRows,
    Reposed,
    link_rows,
    parts_per_frame,
    repose,
    stride,
)
from walkon.take.take import Take

__all__ = ["MAX_BLINK_S", "MAX_SPEED_M_S", "joint_steps", "measure_joints", "measure_leaps", "smoothness_figures"]

CHUNK_ROW_COUNT = 512
"""Rows per task of the thread pool."""

JointSteps = tuple[Array, IntArray, Array, IntArray, Array]
MAX_BLINK_S = 0.5
"""s of absence that do not explain another place."""
MAX_SPEED_M_S = 12.0
"""m/s; people are not faster."""


def joint_steps(local: Array, linked: BoolArray, moving: BoolArray) -> JointSteps:
    """Return what joints do: fastest [R] and its joint, pop [R] and its joint, jerk [R, J]; radians per frame (³).

    `local` [R, J, 4] are rotations of rows, `linked` [R] says whether a row and the next are neighbours in time, and
    `moving` [J] which joints turn at all. −1 stands where there is nothing to measure.
    """
    from walkon.take.auditing import _kernels

    R, J = local.shape[:2]
    local = np.ascontiguousarray(local)
    out: JointSteps = (np.empty(R), np.empty(R, np.int64), np.empty(R), np.empty(R, np.int64), np.empty((R, J)))

    def work(a: int, b: int) -> None:
        # A row looks one back and three ahead: compute those again and drop them, so that chunks change nothing.
        low, high = max(a - 1, 0), min(b + HALO_ROW_COUNT, R)
        part = [np.empty((high - low, *column.shape[1:]), column.dtype) for column in out]
        _kernels.joint_steps(local[low:high], linked[low:high], moving, *part)
        for column, values in zip(out, part, strict=True):
            column[a:b] = values[a - low : b - low]

    in_chunks(work, R, chunk=CHUNK_ROW_COUNT)
    return out


def measure_joints(
    take: Take, clock: AuditClock, findings: Findings, who: IntArray, frame: IntArray, bodies: Reposed, new: int
) -> Array:
    """Measure the joints and roots of a chunk of rows; those from `new` on come again in the next one.

    Returns how fast the fastest joint of each row turns until the next, degrees/s; −1 where that is not known.
    """
    findings.raise_largest("kinematics.max_difference_m", bodies.difference[:new])
    finer = parts_per_frame(clock.fps)
    if finer == 1:
        return _measure_joints(take, clock, findings, who, frame, bodies, new, clock.fps)
    between = AuditClock(start=clock.start, stop=clock.stop, fps=finer * clock.fps)
    row, part = np.divmod(np.arange(finer * len(who)), finer)
    moment = finer * frame[row] + part
    row, moment = row[moment < between.count], moment[moment < between.count]
    posed = repose(take, who[row], between.at(moment))
    stir = _measure_joints(take, between, findings, who[row], moment, posed, int(np.searchsorted(row, new)), clock.fps)
    return np.asarray(np.maximum.reduceat(stir, np.searchsorted(row, np.arange(len(who)))))


def _measure_joints(
    take: Take,
    clock: AuditClock,
    findings: Findings,
    who: IntArray,
    frame: IntArray,
    bodies: Reposed,
    new: int,
    told_fps: float,
) -> Array:
    """Measure a chunk of rows at the rate of this clock; timelines have `told_fps` frames a second."""
    stir = np.full(len(who), -1.0)
    whole, n = bodies.presence == 1, stride(clock.fps)
    linked = link_rows(who, frame, whole)
    _measure_roots(clock, findings, who, frame, bodies, linked, new)
    for b in np.unique(bodies.bodies[whole]):
        # Characters lie whole and in one piece, so those of one body keep their neighbours.
        mine = np.flatnonzero(bodies.bodies == b)
        stays = linked[mine] & (np.append(np.diff(mine), 0) == 1)
        moving, names = take.score.rigs.channels[b] >= 0, take.bodies[b].skeleton.names
        fastest, fast, pop, popped, jerk = joint_steps(bodies.local[mine], stays, moving)
        fresh_jerk = jerk[mine < new]
        if n > 1:  # jerk depends on the rate: only every n-th frame counts
            thin = np.flatnonzero(frame[mine] % n == 0)
            so_far = np.concatenate([[0], np.cumsum(stays)])
            near = np.append(so_far[thin[1:]] - so_far[thin[:-1]] == n, False)[: len(thin)]
            fresh_jerk = joint_steps(bodies.local[mine[thin]], near, moving)[4][mine[thin] < new]
        findings.spreads["jerk"].add(np.degrees(fresh_jerk) * (clock.fps / n) ** 3, fresh_jerk >= 0)
        speeds = np.degrees(fastest) * clock.fps
        measured = (fastest >= 0) & (mine < new)
        stir[mine] = np.where(fastest >= 0, speeds, -1.0)
        told = (frame[mine[measured]] * (told_fps / clock.fps) + 1e-6).astype(np.int64)
        findings.add_over_time("fastest_joint_deg_s", told, speeds[measured], np.maximum)
        # Pops look one row back: those of the first row of a chunk were measured as row `new` of the one before.
        for figure, values, joints, kept, text in (
            ("max_joint_speed_deg_s", speeds, fast, measured, "turns {0} at {1:.0f} degrees/s"),
            (
                "max_pop_deg",
                np.degrees(pop),
                popped,
                (pop >= 0) & (mine <= new),
                "pops {0} by {1:.1f} degrees in one frame",
            ),
        ):
            rows, joint, size = mine[kept], joints[kept], values[kept]
            findings.offer(
                f"smoothness.{figure}",
                size,
                who=who[rows],
                times=clock.at(frame[rows]),
                places=bodies.positions[rows, joint],
                words=lambda i, names=names, joint=joint, size=size, text=text: (  # type: ignore[misc]
                    names[joint[i]],
                    text.format(names[joint[i]], size[i]),
                ),
                least=1e-3,
            )
    return stir


def _measure_roots(
    clock: AuditClock,
    findings: Findings,
    who: IntArray,
    frame: IntArray,
    bodies: Reposed,
    linked: BoolArray,
    new: int,
) -> None:
    n, so_far = stride(clock.fps), np.concatenate([[0], np.cumsum(linked)])
    # As with pops: the first n rows of a chunk were measured as rows `new` to `new` + n of the one before.
    middle = np.arange(n, min(new + n, len(who) - n))
    middle = middle[so_far[middle + n] - so_far[middle - n] == 2 * n]
    root = bodies.positions[:, 0]
    bend = root[middle - n] - 2 * root[middle] + root[middle + n]
    size = np.linalg.norm(bend, axis=1) * (clock.fps / n) ** 2
    findings.offer(
        "smoothness.max_root_acceleration_m_s2",
        size,
        who=who[middle],
        times=clock.at(frame[middle]),
        places=root[middle],
        words=lambda i: ("", f"accelerates the root by {size[i]:.1f} m/s²"),
        least=1e-3,
    )


def smoothness_figures(findings: Findings) -> dict[str, dict[str, Any]]:
    """Return what was measured: smoothness, kinematics."""
    return {
        "smoothness": {
            **findings.largest_of("smoothness", "max_joint_speed_deg_s"),
            "p99_joint_jerk_deg_s3": findings.spreads["jerk"].percentile(99),
            **findings.largest_of("smoothness", "max_root_acceleration_m_s2", "max_pop_deg", "max_root_jump_m"),
        },
        "kinematics": findings.largest_of("kinematics", "max_difference_m"),
    }


def measure_leaps(track: PosedRows, fps: float, findings: Findings) -> None:
    """Measure these rows of whole characters."""
    if len(track.who) < 2:
        return
    frames = np.diff(track.frame)
    follows = (np.diff(track.who) == 0) & (frames <= max(MAX_BLINK_S * fps + 1e-6, 1.0))
    moved = np.linalg.norm(np.diff(track.root[:, :2], axis=0), axis=1)
    seconds = np.maximum(frames, 1) / fps
    # Speeds are taken between neighbours only: a step over a blink explains nothing.
    speed = np.where(follows & (frames == 1), moved / seconds, 0.0)
    around = np.maximum(np.append(0.0, speed[:-1]), np.append(speed[1:], 0.0))
    leap = np.where(follows, moved - np.minimum(around, MAX_SPEED_M_S) * seconds, 0.0)

    def words(i: int) -> tuple[str, str]:
        away = f" over {seconds[i] * 1e3:.0f} ms of absence" if frames[i] > 1 else " within one frame"
        return "", f"leaps {leap[i]:.2f} m{away}"

    findings.offer(
        "smoothness.max_root_jump_m",
        leap,
        who=track.who[1:],
        times=track.times[1:],
        places=track.root[1:],
        least=0.01,
        words=words,
    )
