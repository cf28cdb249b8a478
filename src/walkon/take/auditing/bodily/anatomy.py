"""Anatomy: joints beyond their limits, and limbs through the own body; no label is asked.

*Limits.* By how much the worst joint of a body is beyond its swing ellipse, twist or hinge range
(`motion.anatomy.limits`), from the audit's own local rotations, degrees; frames in which that is over
`BEYOND_LIMIT_OVER_DEG` are counted. Joints of which no limit is known have none. Toes are told apart: they are bent by
the floor under a planted ball, and are not judged. Limits of ankles are those of who walks on level ground: where the
floor under an ankle is inclined, and soles lie on it, they are wider by the angle of its slope.

*Self-collision.* How much deeper two capsules of a body are in each other than they may be, metres: the allowance of a
pair is what the clips of its library do, on this side or the other, and 5 mm more, up to a ceiling
(`motion.self_overlaps`), times the size of the character. A body whose library did not measure it is allowed what the
clips of the take do. Source clips are measured without their own excuse, so that what they bring along stands in their
column; and so are bodies, `EXCUSED_EVERY_S` apart, so that what they inherit is known (`max_excused_penetration_m`).
"""

from typing import Any, NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidSkeleton
from walkon._base.threads import in_chunks
from walkon.motion.anatomy.limit_rule import LimitTables
from walkon.motion.anatomy.limits import make_limit_tables, worst_excess
from walkon.motion.anatomy.self_overlaps import (
    Overlaps,
    make_meetings,
    measure_overlaps,
    overlap_allowances,
    room_for_limbs,
)
from walkon.motion.anatomy.self_rule import MeetingTables
from walkon.motion.body import Body
from walkon.motion.kinematics import forward
from walkon.motion.mirroring import mirror_partners
from walkon.motion.skeleton import Skeleton
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.meetings.bodies import Flesh
from walkon.take.auditing.reposing import AuditClock, Reposed, select
from walkon.take.take import Take

__all__ = ["BEYOND_LIMIT_OVER_DEG", "BodyRules", "anatomy_figures", "look_at_anatomy", "make_body_rules"]

BEYOND_LIMIT_OVER_DEG = 5.0
"""degrees beyond its limit from which on a frame of a joint counts: capture is no better."""
SELF_OVER_M = 1e-4
"""m deeper than allowed from which on a frame counts: stored rotations are as coarse as that."""
EXCUSED_EVERY_S = 0.05
"""s between two looks at limbs in the own body that the clips excuse."""
EXCUSED = "max_excused_penetration_m"
ANKLE_ROLES = ("left_ankle", "right_ankle")
TOE_ROLES = ("left_ball", "right_ball")
CHUNK_ROW_COUNT = 256
"""Bodies per task of the thread pool."""


class BodyRules(NamedTuple):
    """What the bodies of a take can do."""

    limits: LimitTables
    """Of all joints but toes and ankles."""
    ankle_limits: LimitTables
    toe_limits: LimitTables
    meetings: MeetingTables
    allowed: Array
    """[P] metres that pairs of capsules may overlap, at size 1."""
    unexcused: Array
    """[P] metres that they might if no clip had it."""


def make_body_rules(take: Take, clips: IntArray, *, excused: bool = True) -> BodyRules:
    """Return the limits and allowances of a take's bodies, who play these clips.

    Unless `excused`, no overlap is allowed because a clip has it.
    """
    tables = make_meetings(take.bodies)
    played = np.unique(take.characters.body)
    allowed, unexcused = np.zeros(len(tables.pairs)), np.zeros(len(tables.pairs))
    for b, body in enumerate(take.bodies):
        known: Overlaps | None = body.skeleton.self_overlaps if excused else {}
        if known is None:
            known = _overlaps_of_clips(take, body, clips) if b in played else {}
        known = _of_either_side(body.skeleton, known)
        meetings = tables.meetings[tables.first[b] : tables.first[b + 1]]
        if len(meetings):
            part = slice(int(meetings[0, 2]), int(meetings[-1, 3]))
            allowed[part] = overlap_allowances(body, known, tables.pairs[part])
            unexcused[part] = overlap_allowances(body, {}, tables.pairs[part])
    ankles, toes = (_limit_tables(take, roles) for roles in (ANKLE_ROLES, TOE_ROLES))
    others = _limit_tables(take, (*ANKLE_ROLES, *TOE_ROLES), without=True)
    return BodyRules(others, ankles, toes, tables, allowed, unexcused)


def _limit_tables(take: Take, roles: tuple[str, ...], *, without: bool = False) -> LimitTables:
    """Return the limits of the bodies' joints of these roles, or of all but those."""
    named = [{body.skeleton.roles.get(role) for role in roles} for body in take.bodies]
    return make_limit_tables(
        [
            {joint: limit for joint, limit in body.skeleton.limits.items() if (joint in mine) != without}
            for body, mine in zip(take.bodies, named, strict=True)
        ]
    )


def _of_either_side(skeleton: Skeleton, known: Overlaps) -> Overlaps:
    """Return how deep limbs are in each other, those of either side as deep as their mirror image if it has one."""
    try:
        other = mirror_partners(skeleton).tolist()
    except InvalidSkeleton:
        return known
    found = dict(known)
    for (a, b), depth in known.items():
        pair = min(other[a], other[b]), max(other[a], other[b])
        found[pair] = max(depth, found.get(pair, 0.0))
    return found


def _overlaps_of_clips(take: Take, body: Body, clips: IntArray) -> Overlaps:
    """Return how deep a body's limbs are in each other in these clips, those that it can play."""
    mine = [take.clip(int(clip)) for clip in clips if body.skeleton.same_topology(_skeleton(take, int(clip)))]
    poses = (forward(body.skeleton, clip.root_positions, clip.local_rotations) for clip in mine)
    return measure_overlaps(body, poses)


def _skeleton(take: Take, clip: int) -> Any:
    return take.skeletons[int(take.clips.rows.skeleton[clip])]


def look_at_anatomy(
    take: Take,
    clock: AuditClock,
    findings: Findings,
    who: IntArray,
    frame: IntArray,
    bodies: Reposed,
    flesh: Flesh,
    new: int,
    *,
    rules: BodyRules,
) -> None:
    """Measure limits and limbs of the first `new` rows of a chunk, whose flesh is placed."""
    body = np.where(bodies.presence[:new] == 1, bodies.bodies[:new], -1).astype(np.int64)
    whole = np.flatnonzero(body >= 0)
    if not len(whole):
        return
    times = clock.at(frame[:new])
    names = [one.skeleton.names for one in take.bodies]
    judged = _worst_of(
        _beyond(rules.limits, body, bodies, whole), _ankles_beyond(take, rules.ankle_limits, body, bodies, whole)
    )
    findings.counts["anatomy.limit_frames"] += int(np.count_nonzero(judged[0] > BEYOND_LIMIT_OVER_DEG))
    for figure, (degrees, joint) in (
        ("max_beyond_limit_deg", judged),
        ("max_toes_beyond_limit_deg", _beyond(rules.toe_limits, body, bodies, whole)),
    ):
        findings.offer(
            f"anatomy.{figure}",
            degrees,
            who=who[whole],
            times=times[whole],
            places=bodies.positions[whole, np.maximum(joint, 0)],
            least=1.0,
            words=lambda i, joint=joint, degrees=degrees: (  # type: ignore[misc]
                name := names[body[whole[i]]][joint[i]],
                f"turns {name} {degrees[i]:.1f} degrees beyond what it can",
            ),
        )
    _measure_excused(take, clock, findings, who[:new], frame[:new], body, flesh, rules)
    depth, pair = _self_excess(take, who[:new], body, flesh, rules, rules.allowed)
    deep = np.flatnonzero(depth > SELF_OVER_M)
    findings.counts["anatomy.self_frames"] += len(deep)
    limbs = rules.meetings.pairs[pair[deep]]
    ends = [flesh.starts[deep[:, None], limbs], flesh.ends[deep[:, None], limbs]]

    def part(i: int, side: int) -> str:
        return take.bodies[body[deep[i]]].capsule_parts[limbs[i, side]].replace("_", " ")

    findings.offer(
        "anatomy.max_self_penetration_m",
        depth[deep],
        who=who[deep],
        times=times[deep],
        places=0.25 * (ends[0] + ends[1]).sum(axis=1),
        least=SELF_OVER_M,
        words=lambda i: (
            part(i, 1),
            f"has the {part(i, 0)} {depth[deep[i]] * 100:.1f} cm deeper in the own {part(i, 1)} than it may",
        ),
    )


def _beyond(limits: LimitTables, body: IntArray, bodies: Reposed, whole: IntArray) -> tuple[Array, IntArray]:
    """Return degrees [R] by which the worst joint of these rows is beyond its limit, and which it is [R]."""
    beyond, joint = worst_excess(limits, body[whole], bodies.local[whole])
    return np.degrees(beyond), joint


def _ankles_beyond(
    take: Take, limits: LimitTables, body: IntArray, bodies: Reposed, whole: IntArray
) -> tuple[Array, IntArray]:
    """Return the same for ankles, less the slope of the floor under them."""
    degrees, joint = _beyond(limits, body, bodies, whole)
    far = np.flatnonzero(degrees > 0.0)
    if take.stage.floor.level is None and len(far):
        ankle = bodies.positions[whole[far], joint[far]]
        up = take.stage.floor(ankle[:, :2], near=ankle[:, 2]).normals[:, 2]
        slope = np.degrees(np.arccos(np.clip(np.nan_to_num(up, nan=1.0), -1.0, 1.0)))
        degrees[far] = np.maximum(degrees[far] - slope, 0.0)
    return degrees, joint


def _worst_of(one: tuple[Array, IntArray], other: tuple[Array, IntArray]) -> tuple[Array, IntArray]:
    """Return the larger of two values [R] row by row, and whose it is."""
    more = other[0] > one[0]
    return np.where(more, other[0], one[0]), np.where(more, other[1], one[1])


def _measure_excused(
    take: Take,
    clock: AuditClock,
    findings: Findings,
    who: IntArray,
    frame: IntArray,
    body: IntArray,
    flesh: Flesh,
    rules: BodyRules,
) -> None:
    few = np.flatnonzero(frame % max(round(EXCUSED_EVERY_S * clock.fps), 1) == 0)
    depth, _ = _self_excess(take, who[few], body[few], select(flesh, few), rules, rules.unexcused)
    findings.raise_largest(f"anatomy.{EXCUSED}", depth)


def _self_excess(
    take: Take, who: IntArray, body: IntArray, flesh: Flesh, rules: BodyRules, allowed: Array
) -> tuple[Array, IntArray]:
    """Return m [R] by which the worst pair of capsules is deeper in each other than it may, and which [R]."""
    from walkon.motion.anatomy import _self_kernels

    scale = take.characters.scale[who].astype(np.float64)
    depth, pair = np.zeros(len(who)), np.full(len(who), -1, np.int64)

    def work(a: int, b: int) -> None:
        _self_kernels.self_excess(
            rules.meetings,
            body[a:b],
            scale[a:b],
            allowed,
            flesh.starts[a:b],
            flesh.ends[a:b],
            flesh.radii[a:b],
            flesh.boxes[a:b],
            room_for_limbs(rules.meetings),
            depth[a:b],
            pair[a:b],
        )

    in_chunks(work, len(who), chunk=CHUNK_ROW_COUNT)
    return depth, pair


def anatomy_figures(findings: Findings) -> dict[str, dict[str, Any]]:
    """Return what was measured: anatomy."""
    counts = {name: findings.counts[f"anatomy.{name}"] for name in ("limit_frames", "self_frames")}
    names = ("max_beyond_limit_deg", "max_toes_beyond_limit_deg", "max_self_penetration_m", EXCUSED)
    return {"anatomy": counts | findings.largest_of("anatomy", *names)}
