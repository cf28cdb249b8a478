"""Following (tracking error): how far characters are from the reference trajectories that they were asked to follow.

Measured against the raw reference, as it stands in the take, wherever a character has one. With p the root on the
floor, its sway and all, and r the reference,

    distance(t) = |p(t) − r(t)|                                           m: mean, p95, max                     (1)
    speed       = mean of | |p(t + S) − p(t)| − |r(t + S) − r(t)| | / S    m/s, over S = `SPEED_OVER_S`          (2)
    lateness(t) = δ that makes |p(t) − r(t − δ)| + `SHIFT_COST_M_S` |δ| least, |δ| ≤ `MAX_SHIFT_S`               (3)

over a second the sway of a stride is gone. The lateness is the time by which one reaches a place of the reference later
than the reference did (or earlier, where it is negative); the small cost chooses the nearest time where the reference
stands, or crosses its own way. The figure is that of the character whose 95th percentile of |δ| is the largest. Shifts
beyond `MAX_SHIFT_S` count as that.

A reference is refused while its character is absent, or on no body (a disc). The file's own overlap is the deepest of
any two footprints in the references themselves, whoever plays them: what no crowd could follow without touching.

World frame, metres, seconds.
"""

from typing import Any, NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.meetings.ground import GroundRows, near_pairs, sort_by_frame
from walkon.take.auditing.reposing import AuditClock, PosedRows
from walkon.take.posing.reference_poses import reference_poses
from walkon.take.tables import flat_ranges
from walkon.take.take import Take

__all__ = ["MAX_SHIFT_S", "SHIFT_COST_M_S", "SPEED_OVER_S", "following_figures", "measure_file", "measure_following"]

SPEED_OVER_S = 1.0
"""s over which speeds are compared: about a stride."""
MAX_SHIFT_S = 5.0
"""s of lateness that are looked for at most, before and after."""
SHIFT_STEP_S = 0.05
"""s between two shifts that are tried."""
SHIFT_COST_M_S = 0.05
"""m that a second of shift must bring at least."""
LATENESS_EVERY_S = 0.5
"""s between two moments at which lateness is measured."""
FILE_EVERY_S = 0.1
"""s between two looks at the references themselves."""


class _Asked(NamedTuple):
    """Rows in which a character has a reference."""

    row: IntArray
    """[A] rows of the track."""
    place: Array
    """[A, 3] metres, the reference."""


def measure_following(take: Take, clock: AuditClock, track: PosedRows, findings: Findings) -> None:
    """Measure these rows of whole characters against their references."""
    mine = np.flatnonzero(track.whole & np.isin(track.who, take.references.character))
    if not len(mine):
        return
    place = reference_poses(take, track.who[mine], track.times[mine])[:, :3]
    there = np.isfinite(place[:, 0])
    asked = _Asked(mine[there], place[there])
    findings.counts["following.rows"] += len(asked.row)
    away = np.hypot(*(track.root[asked.row, :2] - asked.place[:, :2]).T)
    findings.spreads["following"].add(away)
    _offer(track, asked.row, findings, "max_m", away, "is {:.2f} m from where its reference is", 0.01)
    _measure_speed(clock, track, asked, findings)
    _measure_lateness(take, clock, track, asked, findings)


def _offer(
    track: PosedRows, row: IntArray, findings: Findings, figure: str, values: Array, text: str, least: float
) -> None:
    findings.offer(
        f"following.{figure}",
        values,
        who=track.who[row],
        times=track.times[row],
        places=track.root[row],
        least=least,
        words=lambda i: ("reference", text.format(values[i])),
    )


def _measure_speed(clock: AuditClock, track: PosedRows, asked: _Asked, findings: Findings) -> None:
    n = max(round(SPEED_OVER_S * clock.fps), 1)
    who, frame = track.who[asked.row], track.frame[asked.row]
    k = np.flatnonzero((who[n:] == who[:-n]) & (frame[n:] - frame[:-n] == n))
    root = track.root[asked.row, :2]
    mine, its = (np.hypot(*(p[k + n, :2] - p[k, :2]).T) for p in (root, asked.place))
    findings.spreads["following.speed"].add(np.abs(mine - its) * clock.fps / n)


def _measure_lateness(take: Take, clock: AuditClock, track: PosedRows, asked: _Asked, findings: Findings) -> None:
    every = max(round(LATENESS_EVERY_S * clock.fps), 1)
    row = asked.row[track.frame[asked.row] % every == 0]
    if not len(row):
        return
    shifts = SHIFT_STEP_S * np.arange(-round(MAX_SHIFT_S / SHIFT_STEP_S), round(MAX_SHIFT_S / SHIFT_STEP_S) + 1)
    order = np.argsort(np.abs(shifts), kind="stable")  # of equal ones the smallest shift counts
    shifts = shifts[order]
    who, when = np.repeat(track.who[row], len(shifts)), (track.times[row][:, None] - shifts).ravel()
    there = reference_poses(take, who, when)[:, :2].reshape(len(row), -1, 2)
    away = np.linalg.norm(there - track.root[row, None, :2], axis=-1) + SHIFT_COST_M_S * np.abs(shifts)
    late = shifts[np.where(np.isfinite(away), away, np.inf).argmin(axis=1)]
    starts = np.flatnonzero(np.diff(track.who[row], prepend=-1))
    parts = np.split(np.abs(late), starts[1:])
    worst = np.array([np.percentile(part, 95, method="inverted_cdf") for part in parts])
    first = row[starts]
    _offer(track, first, findings, "lateness_s", worst, "is up to {:.2f} s before or behind its reference", 0.05)


def measure_file(
    take: Take, clock: AuditClock, chosen: IntArray, findings: Findings, *, radii: Array
) -> dict[str, Any] | None:
    """Return the figures of following, with those of the references themselves; None where nobody has any."""
    r = take.references
    if not np.isin(r.character, chosen).any():
        return None
    low = np.maximum(np.ceil((r.start - clock.start) * clock.fps - 1e-6), 0).astype(np.int64)
    high = np.minimum(np.floor((r.stop - clock.start) * clock.fps + 1e-6), clock.count - 1).astype(np.int64)
    counts = np.maximum(high - low + 1, 0)
    who, frame = np.repeat(r.character, counts), flat_ranges(low, counts)
    # Stretches that follow each other share a frame.
    who, frame = np.unique(np.column_stack([who, frame]), axis=0).T
    asked = int(np.isin(who, chosen).sum())
    every = max(round(FILE_EVERY_S * clock.fps), 1)
    who, frame = who[frame % every == 0], frame[frame % every == 0]
    _measure_overlap(take, clock, who, frame, chosen, findings, radii)
    return following_figures(findings, asked)


def _measure_overlap(
    take: Take, clock: AuditClock, who: IntArray, frame: IntArray, chosen: IntArray, findings: Findings, radii: Array
) -> None:
    place = reference_poses(take, who, clock.at(frame))[:, :3]
    there = np.isfinite(place[:, 0])
    who, frame, place = who[there], frame[there], place[there]
    zero = np.zeros(len(who))
    seen = GroundRows(who, frame, place[:, :2], place[:, 2], zero, zero, zero, np.zeros(len(who), np.int64), zero > 0)
    ground = sort_by_frame([seen])
    for near in near_pairs(ground, 2 * float(radii.max(initial=0.0)), np.isin(np.arange(len(take)), chosen)):
        a, b = ground.who[near.a], ground.who[near.b]
        depth = radii[a] + radii[b] - near.distance
        findings.offer(
            "following.file_overlap_m",
            depth,
            who=a,
            times=clock.at(ground.frame[near.a]),
            places=np.column_stack([ground.places[near.a], ground.heights[near.a]]),
            least=1e-3,
            words=lambda i, b=b, depth=depth: (  # type: ignore[misc]
                take.names[b[i]],
                f"has a reference that overlaps that of {take.names[b[i]]} by {depth[i] * 100:.1f} cm",
            ),
        )


def following_figures(findings: Findings, asked: int) -> dict[str, Any]:
    """Return what was measured; `asked` is the number of rows in which somebody has a reference."""
    away, followed = findings.spreads["following"], findings.counts["following.rows"]
    return {
        "mean_m": away.mean,
        "p95_m": away.percentile(95),
        "max_m": away.largest,
        "speed_m_s": findings.spreads["following.speed"].mean,
        "lateness_s": findings.largest["following.lateness_s"],
        "refused_share": 1.0 - followed / asked if asked else 0.0,
        "file_overlap_m": findings.largest["following.file_overlap_m"],
    }
