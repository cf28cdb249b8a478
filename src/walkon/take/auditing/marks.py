"""Marks: errors of spatio-temporal constraints, whether every character is where, how and when it must be.

A mark is looked at when the take means to meet it, at that very moment and not at a frame near it: the root's ground
place and the hips' heading against what was asked, the moment against its window, and the clip that plays then against
the label that was asked. Then at every frame of its hold, also where nobody is left to be looked at. Nobody stands like
a post: who shifts weight on planted feet moves the hips by centimetres. So during a hold place and heading are measured
as sway, with limits of its own, and the label must hold all along: a moment has a pose where the clip that plays has
its label within a frame, which is what planners guarantee (`walkon.graphs.snap_together.pose_words` gives edges the
words of their hubs). Where it does not, the pose error is the largest
angle of any joint but the root from the nearest frame of the take's clips that has the label; a pose that is hardly
off one of those counts (a hub's, between two clips). None where no clip has it. An error is None, "could not be
measured", as soon as a character is absent where a mark asks for it.
"""

from typing import Any

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.take import tables
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.playing import clip_frames, leading_clips, read_segments
from walkon.take.auditing.reposing import AuditClock, Reposed, repose
from walkon.take.tables import flat_ranges
from walkon.take.take import Take
from walkon.transforms import angles
from walkon.transforms import quaternions as quat

__all__ = [
    "FACING_TOLERANCE_DEG",
    "MAX_SWAY_DEG",
    "MAX_SWAY_M",
    "POSITION_TOLERANCE_M",
    "TIME_TOLERANCE_S",
    "measure_marks",
]

POSITION_TOLERANCE_M, FACING_TOLERANCE_DEG, TIME_TOLERANCE_S, POSE_TOLERANCE_DEG = 1e-3, 0.1, 1e-3, 0.5
"""m, degrees, s and degrees of any joint by which a mark may be missed and still count as met."""
MAX_SWAY_M, MAX_SWAY_DEG = 0.06, 6.0
"""m and degrees by which one may be off a mark while holding it: resting on one leg takes the hips 4 cm aside."""
AFTER_END_S = 1e-6
"""s after the end of a stay that still belong to it: rounding of sums."""


def measure_marks(
    take: Take, clock: AuditClock, characters: IntArray, findings: Findings, *, since: float, until: float
) -> dict[str, Any]:
    """Return the figures of all marks of these characters that are met between two times, which may be infinite."""
    marks = take.marks
    meant = marks.asks & tables.MEANT > 0
    mine = np.isin(marks.character, characters)
    mine &= ~meant | ((marks.met >= since - 1e-9) & (marks.met <= until + 1e-9))
    chosen = np.flatnonzero(mine)
    row, times, met = _moments(take, clock.fps, chosen[meant[chosen]], until)
    who = marks.character[row].astype(np.int64)
    bodies = repose(take, who, times)
    there, ground, asks = bodies.present, bodies.planar, marks.asks[row]

    position = np.hypot(*(ground[:, :2] - marks.position[row]).T)
    position = np.where(there & (asks & tables.POSITION > 0), position, 0.0)
    facing = np.degrees(np.abs(angles.difference(ground[:, 2], marks.facing[row])))
    facing = np.where(there & (asks & tables.FACING > 0), facing, 0.0)
    late = np.maximum(np.maximum(marks.window[:, 0] - marks.met, marks.met - marks.window[:, 1]), 0.0)
    late = np.where(marks.asks & tables.WINDOW > 0, late, 0.0)[row]
    wrong = there & (asks & tables.POSE > 0) & ~_has_label(take, row, bodies, times)
    apart = _pose_errors(take, row, bodies, wrong)
    known, pose = bool(np.isfinite(apart).all()), np.where(np.isfinite(apart), apart, 0.0)

    def largest(errors: Array, bit: int, when: BoolArray | None = None) -> float | None:
        missing = ~there & (asks & bit > 0)
        return None if missing.any() else float(errors[slice(None) if when is None else when].max(initial=0.0))

    figures: dict[str, Any] = {
        "count": len(chosen),
        "max_position_error_m": largest(position, tables.POSITION, met),
        "max_facing_error_deg": largest(facing, tables.FACING, met),
        "max_time_error_s": largest(late, tables.WINDOW),
        "max_pose_error_deg": largest(pose, tables.POSE) if known else None,
        "max_sway_m": largest(position, tables.POSITION, ~met),
        "max_sway_deg": largest(facing, tables.FACING, ~met),
    }
    places = np.where(there[:, None], bodies.positions[:, 0], np.nan)
    for figure, values, scale, unit, least in (
        ("max_position_error_m", np.where(met, position, 0.0), 1e3, "mm", 1e-6),
        ("max_facing_error_deg", np.where(met, facing, 0.0), 1.0, "degrees of facing", 1e-4),
        ("max_time_error_s", late, 1.0, "s", 1e-6),
        ("max_pose_error_deg", pose, 1.0, "degrees of pose", 1e-4),
        ("max_sway_m", np.where(met, 0.0, position), 1e3, "mm during its hold", 1e-6),
        ("max_sway_deg", np.where(met, 0.0, facing), 1.0, "degrees of facing during its hold", 1e-4),
    ):
        findings.offer(
            f"marks.{figure}",
            values,
            who=who,
            times=times,
            places=places,
            least=least,
            words=lambda i, v=values, scale=scale, unit=unit: (  # type: ignore[misc]
                _name(take, int(row[i])),
                f"misses mark {_name(take, int(row[i]))!r} by {v[i] * scale:.3g} {unit}",
            ),
        )
    off = {"position": position, "facing": facing, "time": late, "pose": apart > POSE_TOLERANCE_DEG}
    figures["unmet"] = _list_unmet(take, chosen, row, there, met, off)
    return figures


def _moments(take: Take, fps: float, rows: IntArray, until: float) -> tuple[IntArray, Array, BoolArray]:
    """Return marks and moments: when each is met, then every frame of its hold, and its end; and which are the first.

    Nothing is looked at after `until`; of a hold that outlasts the take, one moment after its end tells enough.
    """
    hold, met = take.marks.hold[rows], take.marks.met[rows]
    hold = np.minimum(hold, np.maximum(take.stop - met, 0.0) + 1.0 / fps)
    counts = 1 + np.ceil(hold * fps - 1e-6).astype(np.int64)
    which, step = np.repeat(np.arange(len(rows)), counts), flat_ranges(np.zeros(len(rows), np.int64), counts)
    times = met[which] + np.minimum(step / fps, hold[which])
    leaves = take.leaves[take.marks.character[rows[which]]]
    times = np.where((times > leaves) & (times < leaves + AFTER_END_S), leaves, times)
    keep = (times <= until + 1e-9) | (step == 0)
    return rows[which][keep], times[keep], (step == 0)[keep]


def _has_label(take: Take, row: IntArray, bodies: Reposed, times: Array) -> BoolArray:
    """Return [M] whether the clip that plays has the mark's label at that moment, or a frame before or after it.

    Labels are stretches of frames: where one ends with its clip, the last moment of the clip has it as well.
    """
    has = np.zeros(len(row), bool)
    wants = np.flatnonzero((take.marks.asks[row] & tables.POSE > 0) & (bodies.presence == 1))
    clip, u = leading_clips(read_segments(take, bodies.segments[wants], times[wants]))
    step = 1.0 / take.clips.rows.fps[clip]
    frames = [clip_frames(take, clip, u + d * step) for d in (-1, 0, 1)]
    labels = np.array([take.mark_poses[k] for k in row[wants]])
    for label in np.unique(labels):
        mine, flags = labels == label, _find_label(take, label)
        has[wants[mine]] = np.logical_or.reduce([flags[frame[mine]] for frame in frames])
    return has


def _find_label(take: Take, label: str) -> BoolArray:
    """Return [F] which frames of all clips have a label."""
    flags = np.zeros(len(take.clips.roots) + 1, np.int64)
    if label in take.clips.label_names:
        runs = take.clips.labels.rows(take.clips.labels.label == take.clips.label_names.index(label))
        first = take.clips.rows.first_frame[runs.clip]
        np.add.at(flags, first + runs.start, 1)
        np.add.at(flags, first + runs.stop, -1)
    return np.cumsum(flags[:-1]) > 0


def _pose_errors(take: Take, row: IntArray, bodies: Reposed, wrong: BoolArray) -> Array:
    """Return [M] degrees from the nearest frame with the label: 0 where it holds, infinite where no clip has it."""
    errors = np.zeros(len(row))
    for m in np.flatnonzero(wrong):  # marks in the wrong pose are few
        frames = _find_label(take, take.mark_poses[row[m]])
        skeleton, nearest = take.bodies[bodies.bodies[m]].skeleton, np.inf
        for clip in np.flatnonzero(np.add.reduceat(frames, take.clips.rows.first_frame)):
            if not take.skeletons[take.clips.rows.skeleton[clip]].same_topology(skeleton):
                continue
            first, count = int(take.clips.rows.first_frame[clip]), int(take.clips.rows.frames[clip])
            there = take.clip(int(clip)).local_rotations[frames[first : first + count], 1:]
            away = quat.angle_between(there, bodies.local[m, 1 : len(skeleton)])
            nearest = min(nearest, float(np.degrees(away.max(axis=1, initial=0.0).min(initial=np.inf))))
        errors[m] = nearest
    return errors


def _name(take: Take, row: int) -> str:
    return take.mark_names[row] or f"number {row}"


def _list_unmet(
    take: Take, chosen: IntArray, row: IntArray, there: BoolArray, met: BoolArray, off: dict[str, Any]
) -> list[dict[str, str]]:
    """List the marks that are not met, with the reason in words."""
    found: dict[int, str] = {
        int(k): "it is not meant to be met" for k in chosen[take.marks.asks[chosen] & tables.MEANT == 0]
    }
    limits = {
        "position": np.where(met, POSITION_TOLERANCE_M, MAX_SWAY_M),
        "facing": np.where(met, FACING_TOLERANCE_DEG, MAX_SWAY_DEG),
        "time": TIME_TOLERANCE_S,
    }
    over = {name: off[name] > limit for name, limit in limits.items()}
    bad = ~there | over["position"] | over["facing"] | over["time"] | off["pose"]
    for k in np.unique(row[bad]):
        mine = row == k
        if not there[mine].all():
            found[int(k)] = (
                "the character is absent at that time" if not there[mine][0] else "the character leaves during its hold"
            )
            continue
        reasons = []
        for name, scale, unit in (("position", 1e3, "mm"), ("facing", 1.0, "degrees"), ("time", 1.0, "s")):
            wrong = mine & over[name]
            if wrong.any():
                reasons.append(f"{name} off by {float(off[name][wrong].max()) * scale:.3g} {unit}")
        if off["pose"][mine].any():
            reasons.append(f"the motion does not have the label {take.mark_poses[k]!r} then")
        found[int(k)] = ", ".join(reasons)
    return [
        {"character": take.names[take.marks.character[k]], "mark": _name(take, k), "reason": found[k]}
        for k in sorted(found)
    ]
