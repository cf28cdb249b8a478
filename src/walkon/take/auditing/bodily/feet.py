"""Feet: foot skating, floor penetration and plants out of reach; by the contact labels of the take, and without them.

*Labelled.* Where the take says that a heel or ball is planted at two neighbouring frames of one contact,

    slide = |Δp_xy| fps  (m/s),      drift = |p_xy − p_xy at the first frame of this contact|  (m).

Contacts in pieces are one, see `playing`.

*Unlabelled.* No label is asked: a point counts between two frames where it is within `ON_SUPPORT_WITHIN_M` of its
support at both and moves (in space) slower than `PLANTED_UNDER_M_S`, for at least `MIN_PLANTED_S` without a break. A
foot that glides slowly counts as planted here whatever the labels say; so does, for a while, a foot that rolls on or
off, which is why raw capture is the yardstick and not zero.

*Skating.* A character travels faster than `TRAVELLING_OVER_M_S` with a foot on the ground, but none of the points near
their support is slower than `GRIP_SPEED_RATIO` times the root (or `PLANTED_UNDER_M_S`), for over `MAX_SKATING_S`: that
body does not walk, whatever it says. Between the feet of a jog there is nothing on the ground, and no foot lands and
lifts without a moment of rest.

The support is the stage's floor, or the height that the clip's own contact has where it is raised (a stair) and the
stage has something of that height there, see `supports`.
"""

from typing import Any

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.motion.contacts.runs import find_runs
from walkon.motion.skeleton import FOOT_CONTACTS, SIDES
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.meetings.supports import have_tops
from walkon.take.auditing.playing import clip_frames, held_points, leading_clips, read_segments, stances_of
from walkon.take.auditing.reposing import AuditClock, PosedRows, link_rows
from walkon.take.clips import foot_runs
from walkon.take.posing.height_curve import heights_at
from walkon.take.tables import flat_ranges
from walkon.take.take import Take

__all__ = [
    "GRIP_SPEED_RATIO",
    "MAX_SKATING_S",
    "MIN_PLANTED_S",
    "ON_SUPPORT_WITHIN_M",
    "PLANTED_UNDER_M_S",
    "TRAVELLING_OVER_M_S",
    "foot_figures",
    "measure_feet",
    "raised_heights",
]

ON_SUPPORT_WITHIN_M = 0.05
"""m from its support within which a point may be planted, where no label is asked."""
PLANTED_UNDER_M_S = 0.2
"""m/s below which it may be."""
MIN_PLANTED_S = 0.1
"""s for which it must be."""
TRAVELLING_OVER_M_S = 0.5
"""m/s of the root over which a character must step or skate."""
GRIP_SPEED_RATIO = 0.3
"""Share of the root's speed under which a point on the ground does not skate."""
MAX_SKATING_S = 0.2
"""s for which nothing may grip."""
POINTS = tuple(name.replace("_", " ") for name in FOOT_CONTACTS)


def measure_feet(
    take: Take,
    clock: AuditClock,
    track: PosedRows,
    findings: Findings,
    *,
    raised: Array | None,
    own_supports: bool = False,
) -> Array:
    """Measure the feet of these rows of whole characters; `raised` are the `raised_heights` of the take.

    With `own_supports` the heights that clips give their contacts are believed, as of clips that are played raw.
    Returns [R, 4] m, the height on which each point rests or would rest.
    """
    if not track.footed.any():
        return np.full((len(track.who), 4), np.nan)
    down = track.contacts & track.footed[:, None]
    next_to = link_rows(track.who, track.frame, track.footed)
    stance = stances_of(take, track)
    held = held_points(take, track, down, next_to=next_to, stance=stance, fps=clock.fps)
    support = _supports(take, track, down, held, raised, own_supports)
    step = np.zeros((*down.shape, 3))
    step[:-1] = (track.points[1:] - track.points[:-1]) * clock.fps
    near = np.asarray(np.abs(track.points[..., 2] - support) <= ON_SUPPORT_WITHIN_M)
    _measure_labelled(track, findings, held, step)
    _measure_unlabelled(clock, track, findings, next_to, near, step)
    _measure_skating(clock, track, findings, next_to, near, step)
    _measure_floor(track, findings, down, support)
    _measure_legs(take, track, findings, down, stance)
    findings.counts["feet.bodies"] += int(track.footed.sum())
    findings.counts["feet.planted_bodies"] += int(down.any(axis=1).sum())
    return support


def foot_figures(findings: Findings) -> dict[str, dict[str, Any]]:
    """Return what was measured: foot_slide, floor, legs."""
    counts, slide, unlabelled = findings.counts, findings.spreads["slide"], findings.spreads["unlabelled"]
    bodies = max(counts["feet.bodies"], 1)
    return {
        "foot_slide": {
            "mean_m_s": slide.mean,
            "p95_m_s": slide.percentile(95),
            "max_m_s": slide.largest,
            "max_drift_m": findings.largest["foot_slide.max_drift_m"],
            "planted_share": counts["feet.planted_bodies"] / bodies,
            "unlabelled_mean_m_s": unlabelled.mean,
            "unlabelled_p95_m_s": unlabelled.percentile(95),
            "unlabelled_max_m_s": unlabelled.largest,
            "unlabelled_planted_share": counts["feet.unlabelled_bodies"] / bodies,
            "max_skating_s": findings.largest["foot_slide.max_skating_s"],
        },
        "floor": findings.largest_of("floor", "max_penetration_m", "max_float_m"),
        "legs": findings.largest_of("legs", "max_missed_m", "max_off_plant_m"),
    }


def _supports(
    take: Take, track: PosedRows, down: BoolArray, held: BoolArray, raised: Array | None, own_supports: bool
) -> Array:
    """Return [R, 4] m, the height on which each point rests or would rest."""
    ground = np.where(np.isfinite(track.points[..., :2]), track.points[..., :2], 0.0)
    near = np.where(np.isfinite(track.points[..., 2]), track.points[..., 2], 0.0).min(axis=1, keepdims=True)
    support = np.array(take.stage.floor(ground, near=np.broadcast_to(near, ground.shape[:-1]))[0])
    if raised is None:
        return support
    clip, u = leading_clips(read_segments(take, track.segment, track.times))
    plays = clip >= 0
    lift = np.zeros(down.shape)
    lift[plays] = raised[clip_frames(take, clip[plays], u[plays])]
    body = take.characters.body[track.who]
    ratio = take.score.rigs.heights[body, take.clips.rows.skeleton[np.maximum(clip, 0)]]
    size = take.characters.scale[track.who] * ratio
    heights = heights_at(take.heights, track.who, track.times)[:, None] + size[:, None] * lift
    for point in range(4):
        # A contact has one support: where its clip's frames disagree at its ends, the highest or deepest counts.
        run = np.cumsum(np.append(True, ~held[:-1, point])) - 1
        starts = np.flatnonzero(np.diff(run, prepend=-1))
        size_of = np.maximum.reduceat(np.abs(lift[:, point]), starts)[run]
        best = np.maximum.reduceat(np.where(np.abs(lift[:, point]) >= size_of, heights[:, point], -np.inf), starts)
        believed = down[:, point] & (size_of > 0)
        if not own_supports:
            k = np.flatnonzero(believed)
            believed[k] = have_tops(take, track.points[k, point, :2], best[run[k]], track.times[k])
        support[:, point] = np.where(believed, best[run], support[:, point])
    return support


def _measure_labelled(track: PosedRows, findings: Findings, held: BoolArray, step: Array) -> None:
    row, point = np.nonzero(held)
    speed = np.hypot(step[row, point, 0], step[row, point, 1])
    findings.spreads["slide"].add(speed)
    findings.add_over_time("worst_slide_m_s", track.frame[row], speed, np.maximum)
    findings.offer(
        "foot_slide.max_m_s",
        speed,
        who=track.who[row],
        times=track.times[row],
        places=track.points[row, point],
        least=1e-4,
        words=lambda i: (POINTS[point[i]], f"slides the planted {POINTS[point[i]]} at {speed[i] * 100:.2f} cm/s"),
    )
    index = np.arange(len(held))
    for p in range(4):
        home = np.maximum.accumulate(np.where(np.append(True, ~held[:-1, p]), index, 0))
        away = np.linalg.norm(track.points[:, p, :2] - track.points[home, p, :2], axis=1)
        away = np.where(home < index, away, 0.0)
        findings.offer(
            "foot_slide.max_drift_m",
            away,
            who=track.who,
            times=track.times,
            places=track.points[:, p],
            least=1e-4,
            words=lambda i, p=p, away=away: (  # type: ignore[misc]
                POINTS[p],
                f"has the planted {POINTS[p]} {away[i] * 1e3:.1f} mm from where it came down",
            ),
        )


def _measure_unlabelled(
    clock: AuditClock, track: PosedRows, findings: Findings, next_to: BoolArray, near: BoolArray, step: Array
) -> None:
    still = np.zeros(near.shape, bool)
    still[:-1] = near[:-1] & near[1:] & next_to[:-1, None]
    still[np.linalg.norm(step, axis=-1) >= PLANTED_UNDER_M_S] = False
    enough = int(np.ceil(MIN_PLANTED_S * clock.fps - 1e-6))
    for p in range(4):
        starts, stops = find_runs(still[:, p])
        still[flat_ranges(starts, np.where(stops - starts < enough, stops - starts, 0)), p] = False
    speed = np.hypot(step[..., 0], step[..., 1])
    findings.spreads["unlabelled"].add(speed, still)
    rests: BoolArray = np.asarray(still.any(axis=1))
    rests[1:] |= rests[:-1] & next_to[:-1]
    findings.counts["feet.unlabelled_bodies"] += int((rests & track.footed).sum())
    row, point = np.nonzero(still)
    pace = speed[row, point]
    findings.offer(
        "foot_slide.unlabelled_max_m_s",
        pace,
        who=track.who[row],
        times=track.times[row],
        places=track.points[row, point],
        least=1e-3,
        words=lambda i: (
            POINTS[point[i]],
            f"slides the {POINTS[point[i]]} along its support at {pace[i] * 100:.2f} cm/s, whatever its label",
        ),
    )


def _measure_skating(
    clock: AuditClock, track: PosedRows, findings: Findings, next_to: BoolArray, near: BoolArray, step: Array
) -> None:
    travel = np.zeros(len(near))
    travel[:-1] = np.hypot(*np.diff(track.root[:, :2], axis=0).T) * clock.fps
    pace = np.linalg.norm(step, axis=-1)
    grips = near & (pace < np.maximum(GRIP_SPEED_RATIO * travel, PLANTED_UNDER_M_S)[:, None])
    starts, stops = find_runs(next_to & (travel > TRAVELLING_OVER_M_S) & near.any(axis=1) & ~grips.any(axis=1))
    seconds = (stops - starts) / clock.fps
    seconds[seconds <= MAX_SKATING_S] = 0.0
    findings.offer(
        "foot_slide.max_skating_s",
        seconds,
        who=track.who[starts],
        times=track.times[starts],
        places=track.points[starts].mean(axis=1),
        least=MAX_SKATING_S,
        words=lambda i: (
            "feet",
            f"skates for {seconds[i]:.2f} s: travels at {travel[starts[i]]:.2f} m/s with no foot at rest",
        ),
    )


def _measure_floor(track: PosedRows, findings: Findings, down: BoolArray, support: Array) -> None:
    above = track.points[..., 2] - support
    row, point = np.nonzero(down)
    for figure, sign, what in (("max_penetration_m", -1.0, "below"), ("max_float_m", 1.0, "above")):
        off = sign * above[row, point]
        findings.offer(
            f"floor.{figure}",
            off,
            who=track.who[row],
            times=track.times[row],
            places=track.points[row, point],
            least=1e-4,
            words=lambda i, off=off, what=what: (  # type: ignore[misc]
                POINTS[point[i]],
                f"has the planted {POINTS[point[i]]} {off[i] * 1e3:.1f} mm {what} its support",
            ),
        )


def _measure_legs(take: Take, track: PosedRows, findings: Findings, down: BoolArray, stance: IntArray) -> None:
    steps = take.score.stances
    short = np.where(track.footed[:, None], track.missed, 0.0)
    worst = short.max(axis=1)
    findings.offer(
        "legs.max_missed_m",
        worst,
        who=track.who,
        times=track.times,
        places=track.root,
        least=1e-4,
        words=lambda i: (
            f"{SIDES[int(short[i].argmax())]} leg",
            f"has the {SIDES[int(short[i].argmax())]} leg {worst[i] * 1e3:.1f} mm too short for its plant",
        ),
    )
    for point in range(4):
        place = steps.ball_place if point % 2 else steps.heel_place
        k = stance[:, point // 2]
        on = down[:, point] & (k >= 0)
        findings.raise_largest("legs.max_off_plant_m", np.linalg.norm(track.points[on, point] - place[k[on]], axis=1))


def raised_heights(take: Take) -> Array | None:
    """Return [F, 4] m, support heights of the clips' frames where they are raised and 0 elsewhere; None without any."""
    runs = foot_runs(take.clips, take.skeletons)
    raised = runs.rows(np.abs(runs.height) > 1e-6)
    if not len(raised):
        return None
    heights = np.zeros((len(take.clips.roots), 4))
    length = raised.stop - raised.start
    frame = flat_ranges(take.clips.rows.first_frame[raised.clip] + raised.start, length)
    heights[frame, np.repeat(raised.point, length)] = np.repeat(raised.height, length)
    return heights
