"""Props: signed distance between hands and what they hold, and discontinuities when a prop changes hands.

While a joint carries a prop or a palm grips it, the gap is measured between the prop's surface and the flesh of that
joint (the capsules fixed to it and to what hangs on it; a joint without flesh borrows its parent's), as
`Prop.capsule_gaps` does: exact for boxes, balls, cylinders and compounds; of a mesh, which may be hollow-sided, to half
a millimetre. Positive gaps are air between hand and prop, negative ones fingers inside it.

A jump is how far the prop's origin moves within a microsecond before and after an attachment begins or ends. What no
character holds must lie on something, see `supports`.
"""

from typing import Any, NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.geometry.capsules import Capsules
from walkon.motion.skeleton import Skeleton
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.meetings.supports import measure_resting
from walkon.take.auditing.reposing import AuditClock, repose, select
from walkon.take.posing.props import prop_poses
from walkon.take.tables import flat_ranges
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["HandsOnProps", "capsules_of", "hands_on_props", "measure_props"]

BATCH_CELL_COUNT = 1 << 18
"""Props times frames that are posed at a time."""
HANDOVER_OFFSET_S = 1e-6
"""s before and after the moment at which a prop changes hands."""


def measure_props(take: Take, clock: AuditClock, characters: IntArray, findings: Findings) -> dict[str, Any]:
    """Return the figures of all props that these characters hold at some time of the clock."""
    holds = hands_on_props(take)
    mine = np.flatnonzero(np.isin(holds.character, characters))
    a = take.attachments
    touched = np.unique(a.prop if len(characters) == len(take) else holds.prop[mine])
    first = np.maximum(np.ceil((holds.start[mine] - clock.start) * clock.fps - 1e-6), 0).astype(np.int64)
    last = np.ceil((holds.stop[mine] - clock.start) * clock.fps - 1e-6).astype(np.int64)
    counts = np.maximum(np.minimum(last, clock.count) - first, 0)
    held, frame = np.repeat(mine, counts), flat_ranges(first, counts)
    absent = np.zeros(len(holds.prop), np.int64)
    batch = max(BATCH_CELL_COUNT // max(len(take.props), 1), 1)
    for begin in range(0, clock.count, batch):
        now = (frame >= begin) & (frame < begin + batch)
        if now.any():
            rows = held[now]
            gone = _measure_gaps(take, clock, select(holds, rows), frame[now], findings)
            absent += np.bincount(rows[gone], minlength=len(absent))
    absent[~holds.carries] = 0
    _report_absent(take, holds, absent, clock, findings)
    _measure_jumps(take, clock, touched, findings)
    measure_resting(take, clock, touched, findings)
    figures = {"count": len(take.props), "held_frames": len(held), "absent_holder_frames": int(absent.sum())}
    names = ("max_gap_m", "max_penetration_m", "max_jump_m", "max_jump_deg", "max_unsupported_m")
    return figures | findings.largest_of("props", *names)


class HandsOnProps(NamedTuple):
    """H stretches in which a joint of a character is at a prop: it carries it, or its palm grips it."""

    prop: IntArray
    character: IntArray
    joint: IntArray
    start: Array
    stop: Array
    carries: BoolArray


def hands_on_props(take: Take) -> HandsOnProps:
    """Return who holds which prop with which joint, and when."""
    a, g = take.attachments, take.grips
    a, g = a.rows(a.character >= 0), g.rows(g.prop >= 0)
    wrist = take.holds.arms.joints[take.characters.body[g.character], g.hand, 2]
    return HandsOnProps(
        prop=np.concatenate([a.prop, g.prop]).astype(np.int64),
        character=np.concatenate([a.character, g.character]).astype(np.int64),
        joint=np.concatenate([a.joint, wrist]).astype(np.int64),
        start=np.concatenate([a.start, g.start]),
        stop=np.concatenate([a.stop, g.stop]),
        carries=np.arange(len(a) + len(g)) < len(a),
    )


def _measure_gaps(take: Take, clock: AuditClock, holds: HandsOnProps, frame: IntArray, findings: Findings) -> BoolArray:
    """Measure gaps where holds [M] are at frames [M]; returns [M] where nobody is there."""
    frames, where = np.unique(frame, return_inverse=True)
    things, prop = prop_poses(take, clock.at(frames)), holds.prop
    places, turns = things.positions[where, prop], things.rotations[where, prop]
    who, joint, times = holds.character, holds.joint, clock.at(frame)
    holders = repose(take, who, times)
    there = holders.present & things.present[where, prop]
    gap = np.zeros(len(who))
    kinds, kind = np.unique(np.column_stack([holders.bodies, joint, prop]), axis=0, return_inverse=True)
    for k, (b, j, p) in enumerate(kinds):
        # Of somebody on a track alone no joints are posed, so there is no flesh to measure.
        rows = np.flatnonzero((kind.ravel() == k) & there & (holders.presence == 1))
        body = take.bodies[b]
        fleshy = capsules_of(body.skeleton, body.capsule_joints, int(j))
        if not len(fleshy) or not len(rows):
            continue
        joints = body.capsule_joints[fleshy]
        size = take.characters.scale[who[rows]].astype(np.float64)[:, None, None]
        at, turned = holders.positions[rows][:, joints], holders.rotations[rows][:, joints]
        back = quat.conjugate(turns[rows])[:, None]
        ends = [
            quat.rotate(back, at + quat.rotate(turned, size * offsets[fleshy]) - places[rows][:, None])
            for offsets in (body.capsule_starts, body.capsule_ends)
        ]
        flesh = Capsules(ends[0], ends[1], size * body.capsule_radii[fleshy])
        gap[rows] = take.props[p].capsule_gaps(flesh).min(axis=1)
    for figure, sign, words in (("max_gap_m", 1.0, "off the"), ("max_penetration_m", -1.0, "inside the")):
        size = np.where(there, sign * gap, 0.0)
        findings.offer(
            f"props.{figure}",
            size,
            who=who,
            times=times,
            places=np.where(there[:, None], places, np.nan),
            least=1e-4,
            words=lambda i, size=size, words=words: (  # type: ignore[misc]
                take.props[prop[i]].name,
                f"holds {take.props[prop[i]].name!r} with "
                f"{take.bodies[holders.bodies[i]].skeleton.names[joint[i]]} {size[i] * 100:.1f} cm {words} prop",
            ),
        )
    return ~there


def _report_absent(take: Take, holds: HandsOnProps, frames: IntArray, clock: AuditClock, findings: Findings) -> None:
    """Report characters that carry something, for so many frames [H], without being there."""
    rows = np.flatnonzero(frames)
    who = holds.character[rows]
    findings.offer(
        "props.absent_holder_frames",
        frames[rows].astype(np.float64),
        who=who,
        # From its end, unless the holder comes later than the hold begins.
        times=np.clip(np.maximum(np.nan_to_num(take.leaves[who]), holds.start[rows]), clock.start, clock.stop),
        places=np.full((len(rows), 3), np.nan),
        least=0.0,
        words=lambda i: (
            take.props[holds.prop[rows[i]]].name,
            f"holds {take.props[holds.prop[rows[i]]].name!r} for {frames[rows[i]]} frames without being there",
        ),
    )


def capsules_of(skeleton: Skeleton, capsule_joints: IntArray, joint: int) -> IntArray:
    """Return the capsules of a joint and of what hangs on it; the nearest above that has any where it has none."""
    while joint >= 0:
        below = {joint}
        for j in range(joint + 1, len(skeleton)):
            if int(skeleton.parents[j]) in below:
                below.add(j)
        found = np.flatnonzero(np.isin(capsule_joints, list(below)))
        if len(found):
            return found
        joint = int(skeleton.parents[joint])
    return np.zeros(0, np.int64)


def _measure_jumps(take: Take, clock: AuditClock, props: IntArray, findings: Findings) -> None:
    """Measure how far props move when their attachments change."""
    a = take.attachments
    rows = np.flatnonzero(np.isin(a.prop, props))
    # Of all that begins or ends for a prop at one moment, one row; a holder's, if there is one, tells who it was.
    found = np.column_stack([np.tile(a.prop[rows], 2), np.concatenate([a.start[rows], a.stop[rows]])])
    holder = np.tile(a.character[rows], 2).astype(np.int64)
    order = np.lexsort((-holder, found[:, 1], found[:, 0]))
    found, holder = found[order], holder[order]
    fresh = (np.diff(found, axis=0, prepend=-np.inf) != 0).any(axis=1)
    fresh &= (found[:, 1] >= clock.start) & (found[:, 1] <= clock.stop)
    prop, moment, who = found[fresh, 0].astype(np.int64), found[fresh, 1], holder[fresh]
    batch = max(BATCH_CELL_COUNT // max(len(take.props), 1) // 2, 1)
    for first in range(0, len(moment), batch):
        t, p = moment[first : first + batch], prop[first : first + batch]
        sides = prop_poses(take, np.concatenate([t - HANDOVER_OFFSET_S, t + HANDOVER_OFFSET_S]))
        k = np.arange(len(t))
        before, after = ([column[at, p] for column in sides] for at in (k, k + len(t)))
        there = before[2] & after[2]
        size = np.where(there, np.linalg.norm(after[0] - before[0], axis=1), 0.0)
        turn = np.where(there, np.degrees(quat.angle_between(before[1], after[1])), 0.0)
        holds = who[first : first + batch] >= 0
        for figure, values, scale, unit, verb, least in (
            ("max_jump_m", size, 100.0, "cm", "jump", 1e-4),
            ("max_jump_deg", turn, 1.0, "degrees", "turn", 1e-2),
        ):
            findings.offer(
                f"props.{figure}",
                values,
                who=who[first : first + batch],
                times=t,
                places=np.where(there[:, None], after[0], np.nan),
                least=least,
                words=lambda i, v=values * scale, p=p, holds=holds, verb=verb, unit=unit: (  # type: ignore[misc]
                    take.props[p[i]].name,
                    f"{'lets ' if holds[i] else ''}{take.props[p[i]].name!r} {verb}{'' if holds[i] else 's'} by "
                    f"{v[i]:.2f} {unit} as its hold changes",
                ),
            )
