"""The audit: sample the take, measure everything, keep the worst.

First pass, characters in batches: each is posed at every frame by the audit's own kinematics; feet, smoothness,
adjustment and progress are measured along its time, its limbs against floor and obstacles. Second pass, frames in
batches: who is near whom from the roots of the first pass, footprints and steps of near pairs, and limbs of those whose
reaches meet, posed again, as are those near props. Marks and hands are looked at at their own moments. Memory is
bounded by the batches, but for some 40 bytes per character and frame.

The source's own figures are the yardstick: every clip that a take uses, played raw and measured by the same functions.
That is a take of its own: one character per clip, in the clip's own skeleton, from its first frame to its last, without
warp, blend, plants or drops; labels are the clip's own.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon.motion.body import Body
from walkon.take.auditing import behaviour, following, limits, marks
from walkon.take.auditing.bodily import adjustment, anatomy, balance, feet, flesh, gait, posture, smoothness, terrain
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.meetings import bodies, collisions, hands, prop_solids, props, solids
from walkon.take.auditing.meetings.ground import (
    GroundRows,
    footprint_radii,
    ground_rows,
    ground_rows_of_others,
    longest_reach,
    near_pairs,
    sort_by_frame,
)
from walkon.take.auditing.report import Audit
from walkon.take.auditing.reposing import AuditClock, PosedRows, Reposed, join, make_track, rows_of, select
from walkon.take.auditing.thresholds import thresholds_of
from walkon.take.checking import played_clips
from walkon.take.tables import NONE, Characters, Segments
from walkon.take.take import Take

__all__ = ["audit", "look_at_clips"]

Kept = TypeVar("Kept", bound=Findings)

MIN_RATE_HZ = 60.0
"""Hz at which a take is looked at at least, unless told otherwise."""
BATCH_ROW_COUNT = 65536
"""Rows of whole characters that are measured at a time (a longer character is a batch of its own)."""
TOPICS = (
    *("marks", "collisions", "bodies", "foot_slide", "floor", "terrain", "posture", "anatomy", "gait", "smoothness"),
    *("adjustment", "variety", "stuck", "following", "props", "hands", "solids", "balance", "legs", "kinematics"),
)
"""The order of the figures; `following` is there only where there are references, `balance` where a load is held."""


def audit(
    take: Take,
    *,
    fps: float | None = None,
    characters: ArrayLike | None = None,
    start: float | None = None,
    stop: float | None = None,
    source: bool = True,
    progress: Callable[[float], None] | None = None,
) -> Audit:
    """Measure everything that can be wrong with a take, from its posed result.

    Looks at `fps` frames per second (the take's own, 60 at least) from `start` to `stop` seconds (all of it). With
    `characters` (rows) only these are measured, and of pairs those with one of them. Marks that are met outside of a
    given `start` or `stop` are left out. `source=False` leaves out the clips' own figures. `progress` is called with
    the share that is done, 0 to 1.
    """
    clock = _make_clock(take, fps, start, stop)
    chosen = np.unique(take.character_rows(characters)).astype(np.int64)
    tell = progress or (lambda share: None)
    findings = Findings(take.names, clock.times)
    mine = take.segments.rows(np.isin(take.segments.character, chosen))
    played = np.unique(played_clips(mine, take.blends)[1]).astype(np.int64)
    clips = played[take.clips.rows.frames[played] > 1]
    who, frame = rows_of(take, clock, chosen)
    # Clips are looked at no less often than usual: a coarse look would miss the moments that excuse those of the take.
    raw_fps = max(clock.fps, MIN_RATE_HZ)
    raw_rows = float(take.clips.durations[clips].sum()) * raw_fps if source else 0.0
    whole = max(3.0 * len(who) + raw_rows, 1.0)

    figures: dict[str, Any] = {"stuck": []}
    grounds = []
    headings = adjustment.clip_headings(take, played)
    obstacles = solids.obstacle_table(take.stage)
    for track, done in _pose_tracks(take, clock, who, frame, findings, clips=played, obstacles=obstacles):
        adjustment.measure_adjustment(take, clock, track, findings, headings=headings)
        following.measure_following(take, clock, track, findings)
        figures["stuck"] += behaviour.find_stuck(take, clock, track, findings)
        smoothness.measure_leaps(track, clock.fps, findings)
        findings.count_over_time("people_present", track.frame)
        grounds.append(ground_rows(take, track, clock.fps))
        tell(2 * len(who) / whole * (done / max(len(who), 1)))
    figures |= _bodily_figures(findings)
    figures |= adjustment.adjustment_figures(findings)
    since, until = -np.inf if start is None else clock.start, np.inf if stop is None else clock.stop
    figures["marks"] = marks.measure_marks(take, clock, chosen, findings, since=since, until=until)
    figures |= _measure_pairs(take, clock, chosen, grounds, findings)
    ground = sort_by_frame(grounds) if grounds and take.props else None
    prop_solids.measure_prop_solids(take, clock, chosen, ground, findings, obstacles=obstacles)
    figures |= solids.solid_figures(findings)
    if (found := following.measure_file(take, clock, chosen, findings, radii=footprint_radii(take))) is not None:
        figures["following"] = found
    figures["props"] = props.measure_props(take, clock, chosen, findings)
    figures["hands"] = hands.measure_hands(take, clock, chosen, findings)
    figures |= balance.measure_balance(take, clock, chosen, findings)
    tell(3 * len(who) / whole)
    own, source_clips = _measure_source(take, clips, raw_fps) if source else (None, {})
    tell(1.0)
    ordered = {"characters": len(chosen), "duration_s": clock.stop - clock.start, "fps": clock.fps}
    ordered |= {topic: figures[topic] for topic in TOPICS if topic in figures}
    made = Audit(
        figures=ordered,
        thresholds=thresholds_of(take, clock.fps),
        source={topic: None if own is None else own.get(topic) for topic in ordered if topic not in ("fps",)},
        worst=findings.worst,
        source_clips=source_clips,
        timelines=findings.timelines,
    )
    return replace(made, inherited=tuple(limits.inherited(made)))


def _make_clock(take: Take, fps: float | None, start: float | None, stop: float | None) -> AuditClock:
    for name, value in (("fps", fps), ("start", start), ("stop", stop)):
        if not (value is None or isinstance(value, int | float | np.number)):
            raise InvalidValue(f"the {name} of an audit is a number, got {value!r}")
    rate = max(MIN_RATE_HZ, take.fps) if fps is None else float(fps)
    if not (np.isfinite(rate) and 0 < rate <= 1e4):
        raise InvalidValue(f"a take is audited at a positive number of frames per second, got {fps}")
    begin, end = take.start if start is None else float(start), take.stop if stop is None else float(stop)
    if not (np.isfinite(begin) and np.isfinite(end) and end >= begin):
        raise InvalidValue(
            f"an audit must stop after it starts, got {begin:g} to {end:g} s; the take runs from {take.start:g} to "
            f"{take.stop:g} s"
        )
    return AuditClock(start=max(begin, take.start), stop=max(min(end, take.stop), begin, take.start), fps=rate)


def _pose_tracks(
    take: Take,
    clock: AuditClock,
    who: IntArray,
    frame: IntArray,
    findings: Findings,
    *,
    clips: IntArray,
    obstacles: solids.ObstacleTable | None = None,
    raw: bool = False,
) -> Iterator[tuple[PosedRows, int]]:
    """Pose these rows in batches of whole characters, bodies and feet measured; also say how many rows are done.

    They play these clips; with `raw` as they are.
    """
    starts = np.append(np.flatnonzero(np.diff(who, prepend=-1)), len(who))
    edges = [0]
    for before, after in pairwise(starts):
        if after - edges[-1] > BATCH_ROW_COUNT and before > edges[-1]:
            edges.append(int(before))
    raised, trunks = feet.raised_heights(take), posture.clip_trunks(take, clips)
    normals, velocities = terrain.sole_normals(take, clips), gait.clip_velocities(take, clips)
    rules = anatomy.make_body_rules(take, clips, excused=not raw)
    for a, b in pairwise([*edges, len(who)]):
        if b > a:
            look = partial(_look, take, clock, findings, normals, rules, obstacles)
            track, parts = make_track(take, clock, who[a:b], frame[a:b], look)
            for part in parts:
                findings.absorb(part.findings)
            bodily, poses = join([part.flesh for part in parts]), join([part.posture for part in parts])
            soles = join([part.soles for part in parts])
            support = feet.measure_feet(take, clock, track, findings, raised=raised, own_supports=raw)
            terrain.measure_terrain(take, clock, track, soles, support, findings)
            gait.measure_gait(take, clock, track, support, findings, velocities=velocities)
            flesh.measure_clearance(take, clock, track, bodily, findings)
            posture.measure_posture(take, clock, track, poses, bodily, findings, trunks=trunks)
            yield track, b


class _Seen(NamedTuple):
    """What is seen of a chunk of rows, and kept of it for later."""

    findings: Findings
    flesh: flesh.FleshRows
    soles: terrain.SoleRows
    posture: posture.PostureRows


def _look(
    take: Take,
    clock: AuditClock,
    findings: Findings,
    normals: Array,
    rules: anatomy.BodyRules,
    obstacles: solids.ObstacleTable | None,
    who: IntArray,
    frame: IntArray,
    posed: Reposed,
    new: int,
) -> _Seen:
    """Look at a chunk of rows, of which those from `new` on come again; the absent are left out."""
    there = np.flatnonzero(posed.present[:new])
    found = findings.fresh()
    seen = take, clock, found, who, frame, posed
    stir = smoothness.measure_joints(*seen, new)
    placed = bodies.place_capsules(take, who[:new], posed)
    bodily = flesh.look_at_flesh(*seen, placed)
    anatomy.look_at_anatomy(*seen, placed, new, rules=rules)
    solids.look_at_limbs(*seen, placed, obstacles)
    soles = terrain.look_at_soles(take, posed, normals, new)
    held = posture.look_at_posture(take, posed, stir, new)
    return _Seen(found, select(bodily, there), select(soles, there), select(held, there))


def _measure_pairs(
    take: Take, clock: AuditClock, chosen: IntArray, grounds: list[GroundRows], findings: Findings
) -> dict[str, Any]:
    """Measure characters against each other and the stage, frame by frame."""
    variety, radii = behaviour.Variety(take, clock), footprint_radii(take)
    findings.count_over_time("overlapping_pairs", np.zeros(0, np.int64))
    if grounds:
        ours = sort_by_frame(grounds)
        collisions.measure_on_stage(take, clock, ours, findings, radii=radii)
        reach = float(ours.reach.max(initial=0.0))
        alone = len(chosen) == len(take)
        widest = 2 * float(radii.max(initial=0.0))
        radius = max(widest, behaviour.IN_STEP_WITHIN_M, reach + (reach if alone else longest_reach(take)))
        rest = np.setdiff1d(np.arange(len(take)), chosen)
        ground = ours if alone else sort_by_frame([ours, ground_rows_of_others(take, clock, ours, rest, radius)])
        for near in near_pairs(ground, radius, np.isin(np.arange(len(take)), chosen)):
            collisions.measure_footprints(take, clock, ground, near, findings, radii=radii)
            bodies.measure_limbs(take, clock, ground, near, findings)
            variety.add(ground, near)
    return collisions.collision_figures(findings) | bodies.body_figures(findings) | variety.figures(findings)


def look_at_clips(take: Take, clips: IntArray, fps: float, kind: type[Kept]) -> Kept:
    """Play clips of a take raw, and return what is found; row i of the findings is clip i of these."""
    raw = _raw_take(take, clips)
    clock = AuditClock(start=0.0, stop=raw.stop, fps=fps)
    found = kind(raw.names, clock.times)
    rows = rows_of(raw, clock, np.arange(len(raw)))
    for track, _ in _pose_tracks(raw, clock, *rows, found, clips=clips, raw=True):
        smoothness.measure_leaps(track, fps, found)
    return found


def _measure_source(take: Take, clips: IntArray, fps: float) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the figures of the raw clips that mean something for a single clip, and which clip is worst in each."""
    found = look_at_clips(take, clips, fps, Findings)
    figures = _bodily_figures(found)
    kept = ("foot_slide", "floor", "terrain", "posture", "anatomy", "gait", "smoothness", "kinematics")
    worst = {case.figure: take.clips.names[clips[case.row]] for case in reversed(found.worst)}
    return {
        "characters": None,
        "duration_s": float(take.clips.durations[clips].sum()),
        **{topic: figures[topic] for topic in kept},
    }, worst


def _bodily_figures(findings: Findings) -> dict[str, Any]:
    """Return what the first pass measured."""
    figures = feet.foot_figures(findings) | posture.posture_figures(findings) | smoothness.smoothness_figures(findings)
    figures |= terrain.terrain_figures(findings) | anatomy.anatomy_figures(findings) | gait.gait_figures(findings)
    figures["floor"] |= flesh.flesh_figures(findings)
    figures["floor"]["max_swing_penetration_m"] = figures["terrain"]["max_swing_depth_m"]
    return figures


def _raw_take(take: Take, clips: IntArray) -> Take:
    """Return a take in which each clip is played as it is by a body of its own skeleton."""
    count = len(clips)
    return Take(
        fps=take.fps,
        names=tuple(f"{take.clips.names[clip]} {clip}" for clip in clips),  # clips may share a name
        characters=Characters.filled(count, body=take.clips.rows.skeleton[clips], scale=1.0, stride=1.0, colour=0.5),
        bodies=tuple(Body.of(skeleton) for skeleton in take.skeletons),
        skeletons=take.skeletons,
        clips=take.clips,
        segments=Segments.filled(
            count,
            character=np.arange(count),
            start=0.0,
            stop=take.clips.durations[clips],
            clip=clips,
            rate_start=1.0,
            rate_stop=1.0,
            warp=NONE,
            blend=NONE,
            track=NONE,
            edge=NONE,
            mark=NONE,
        ),
        stage=type(take.stage)(),
    )
