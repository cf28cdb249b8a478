"""The audit: sample the take, measure everything, keep the worst.

First pass, characters in batches: each is posed at every frame by the audit's own kinematics; feet, smoothness,
adjustment and progress are measured along its time. Second pass, frames in batches: who is near whom from the roots of
the first pass, footprints and steps of near pairs, and limbs of those whose reaches meet, posed again. Marks and props
are looked at at their own moments. Memory is bounded by the batches, but for some 40 bytes per character and frame.

The source's own figures are the yardstick: every clip that a take uses, played raw and measured by the same functions.
That is a take of its own: one character per clip, in the clip's own skeleton, from its first frame to its last, without
warp, blend, plants or drops; labels are the clip's own.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import IntArray
from walkon._base.errors import InvalidValue
from walkon.motion.body import Body
from walkon.stage.stage import HEADROOM, STEP_OVER
from walkon.take.auditing import (
    adjustment,
    behaviour,
    bodies,
    collisions,
    feet,
    marks,
    playing,
    props,
    smoothness,
    supports,
)
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.ground import (
    GroundRows,
    by_frame,
    footprint_radii,
    longest_reach,
    near_pairs,
    on_ground,
    others_on_ground,
)
from walkon.take.auditing.report import Audit
from walkon.take.auditing.reposing import AuditClock, AuditRows, make_track, rows_of, select, stride
from walkon.take.tables import NONE, Characters, Segments
from walkon.take.take import Take

__all__ = ["audit"]

FPS = 60.0
"""Hz at which a take is looked at at least, unless told otherwise."""
BATCH = 65536
"""Rows of whole characters that are measured at a time (a longer character is a batch of its own)."""
TOPICS = (
    *("marks", "collisions", "bodies", "foot_slide", "floor", "smoothness", "adjustment", "variety", "stuck", "props"),
    *("legs", "kinematics"),
)
"""The order of the figures."""

Progress = Callable[[float], None]


def audit(
    take: Take,
    *,
    fps: float | None = None,
    characters: ArrayLike | None = None,
    start: float | None = None,
    stop: float | None = None,
    source: bool = True,
    progress: Progress | None = None,
) -> Audit:
    """Measure everything that can be wrong with a take, from its posed result.

    Looks at `fps` frames per second (the take's own, 60 at least) from `start` to `stop` seconds (all of it). With
    `characters` (rows) only these are measured, and of pairs those with one of them. Marks that are met outside of a
    given `start` or `stop` are left out. `source=False` leaves out the clips' own figures. `progress` is called with
    the share that is done, 0 to 1.
    """
    clock = _clock(take, fps, start, stop)
    chosen = _chosen(take, characters)
    tell = progress or (lambda share: None)
    findings = Findings(take.names, clock.times)
    clips = _used_clips(take, chosen) if source else np.zeros(0, np.int64)
    rows = rows_of(take, clock, chosen)
    raw_rows = float(take.clips.durations[clips].sum()) * clock.fps
    whole = max(3.0 * len(rows.who) + raw_rows, 1.0)

    figures, grounds = _along_time(take, clock, rows, findings, lambda share: tell(2 * len(rows.who) / whole * share))
    since, until = -np.inf if start is None else clock.start, np.inf if stop is None else clock.stop
    figures["marks"] = marks.measure_marks(take, clock, chosen, findings, since=since, until=until)
    figures |= _across(take, clock, chosen, grounds, findings)
    figures["props"] = props.measure_props(take, clock, chosen, findings)
    tell(3 * len(rows.who) / whole)
    own = _source(take, clips, clock.fps) if source else None
    tell(1.0)
    ordered = {"characters": len(chosen), "duration_s": clock.stop - clock.start, "fps": clock.fps}
    ordered |= {topic: figures[topic] for topic in TOPICS}
    return Audit(
        figures=ordered,
        thresholds=_thresholds(take, clock.fps),
        source={topic: None if own is None else own.get(topic) for topic in ordered if topic not in ("fps",)},
        worst=findings.worst,
        timelines=findings.timelines,
    )


def _clock(take: Take, fps: float | None, start: float | None, stop: float | None) -> AuditClock:
    for name, value in (("fps", fps), ("start", start), ("stop", stop)):
        if not (value is None or isinstance(value, int | float | np.number)):
            raise InvalidValue(f"the {name} of an audit is a number, got {value!r}")
    rate = max(FPS, take.fps) if fps is None else float(fps)
    if not (np.isfinite(rate) and 0 < rate <= 1e4):
        raise InvalidValue(f"a take is audited at a positive number of frames per second, got {fps}")
    begin, end = take.start if start is None else float(start), take.stop if stop is None else float(stop)
    if not (np.isfinite(begin) and np.isfinite(end) and end >= begin):
        raise InvalidValue(
            f"an audit must stop after it starts, got {begin:g} to {end:g} s; the take runs from {take.start:g} to "
            f"{take.stop:g} s"
        )
    return AuditClock(start=max(begin, take.start), stop=max(min(end, take.stop), begin, take.start), fps=rate)


def _chosen(take: Take, characters: ArrayLike | None) -> IntArray:
    if characters is None:
        return np.arange(len(take))
    given = np.atleast_1d(np.asarray(characters))
    if given.size == 0:
        return np.zeros(0, np.int64)
    if given.ndim != 1 or given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= len(take):
        raise InvalidValue(f"characters must be rows 0 to {len(take) - 1} of the take, got {characters!r}")
    return np.unique(given).astype(np.int64)


def _along_time(
    take: Take, clock: AuditClock, rows: AuditRows, findings: Findings, tell: Progress
) -> tuple[dict[str, Any], list[GroundRows]]:
    """Measure each character along its time; also return everyone seen from above."""
    smooth = smoothness.Smoothness(take, clock.times, clock.fps, findings)
    measures: tuple[feet.FootMeasure, adjustment.Adjustment, behaviour.Stuck] = (
        feet.FootMeasure(take, clock.fps, findings),
        adjustment.Adjustment(take, clock.fps, findings),
        behaviour.Stuck(take, clock.fps, findings),
    )
    grounds = []
    for batch in _batches(rows):
        track = make_track(take, clock, select(rows, batch), smooth.add)
        for measure in measures:
            measure.add(track)
        smoothness.look_for_leaps(track, clock.fps, findings)
        findings.count_over_time("people_present", track.frame)
        grounds.append(on_ground(track, clock.fps))
        tell(batch.stop / max(len(rows.who), 1))
    figures: dict[str, Any] = {}
    for done in (*measures, smooth):
        figures |= done.figures()
    return figures, grounds


def _batches(rows: AuditRows) -> list[slice]:
    """Cut rows into batches of whole characters."""
    starts = np.append(np.flatnonzero(np.diff(rows.who, prepend=-1)), len(rows.who))
    edges = [0]
    for before, after in pairwise(starts):
        if after - edges[-1] > BATCH and before > edges[-1]:
            edges.append(int(before))
    edges.append(len(rows.who))
    return [slice(a, b) for a, b in pairwise(edges) if b > a]


def _across(
    take: Take, clock: AuditClock, chosen: IntArray, grounds: list[GroundRows], findings: Findings
) -> dict[str, Any]:
    """Measure characters against each other and the stage, frame by frame."""
    times = clock.times
    walk, limbs = collisions.Collisions(take, times, findings), bodies.Bodies(take, times, findings)
    steps = behaviour.Variety(take, times, clock.fps, findings)
    if grounds:
        ours = by_frame(grounds)
        walk.add_obstacles(ours)
        reach = float(ours.reach.max(initial=0.0))
        alone = len(chosen) == len(take)
        radius = max(walk.widest, behaviour.NEAR, reach + (reach if alone else longest_reach(take)))
        rest = np.setdiff1d(np.arange(len(take)), chosen)
        ground = ours if alone else by_frame([ours, others_on_ground(take, clock, ours, rest, radius)])
        flags = np.isin(np.arange(len(take)), chosen)
        for near in near_pairs(ground, radius, flags):
            for measure in (walk, limbs, steps):
                measure.add(ground, near)
    return {**walk.figures(), **limbs.figures(), **steps.figures()}


def _source(take: Take, clips: IntArray, fps: float) -> dict[str, Any]:
    """Return the figures of the raw clips that mean something for a single clip."""
    raw = _raw_take(take, clips)
    clock = AuditClock(start=0.0, stop=raw.stop, fps=fps)
    rows = rows_of(raw, clock, np.arange(len(raw)))
    found = Findings(raw.names, clock.times)
    smooth, soles = (
        smoothness.Smoothness(raw, clock.times, fps, found),
        feet.FootMeasure(raw, fps, found, own_supports=True),
    )
    for batch in _batches(rows):
        track = make_track(raw, clock, select(rows, batch), smooth.add)
        soles.add(track)
        smoothness.look_for_leaps(track, fps, found)
    kept = ("foot_slide", "floor", "smoothness", "kinematics")
    figures = {**soles.figures(), **smooth.figures()}
    return {
        "characters": None,
        "duration_s": float(raw.clips.durations[clips].sum()),
        **{topic: figures[topic] for topic in kept},
    }


def _thresholds(take: Take, fps: float) -> dict[str, Any]:
    return {
        "marks": {
            "met_within_m": marks.POSITION,
            "met_within_deg": marks.FACING,
            "met_within_s": marks.TIME,
            "held_within_m": marks.SWAY,
            "held_within_deg": marks.SWAY_FACING,
        },
        "collisions": {
            "moving_over_m_s": collisions.MOVING,
            "obstacle_base_under_m": HEADROOM,
            "obstacle_height_over_m": STEP_OVER,
            "at_seat_within_m": collisions.AT_SEAT,
            "at_door_within_m": collisions.AT_DOOR,
            "overlap_over_m": collisions.TOUCH,
            "largest_footprint_m": float(footprint_radii(take).max(initial=0.0)),
        },
        "bodies": {"overlap_over_m": bodies.TOUCH},
        "foot_slide": {
            "unlabelled_within_m": feet.NEAR,
            "unlabelled_under_m_s": feet.SLOW,
            "unlabelled_for_s": feet.SHORTEST,
            "contacts_are_one_within_s": playing.BRIDGED,
            "unless_they_rise_m": playing.RISE,
            "skating_root_over_m_s": feet.TRAVELS,
            "skating_feet_over_root_speed_ratio": feet.GRIPS,
            "skating_for_over_s": feet.GLIDES,
            "raised_support_within_m": supports.WITHIN,
        },
        "smoothness": {
            "measured_at_hz": fps,
            "jerk_and_acceleration_at_hz": fps / stride(fps),
            "jump_over_absence_up_to_s": smoothness.BLINK,
            "jump_speed_explained_up_to_m_s": smoothness.FASTEST,
        },
        "adjustment": {"held_under_rate": adjustment.HELD},
        "variety": {"within_m": behaviour.NEAR, "phase_within_s": behaviour.PHASE, "for_over_s": behaviour.LASTING},
        "stuck": {"mark_over_m": behaviour.FAR, "moved_under_m": behaviour.PROGRESS, "for_s": behaviour.PATIENCE},
        "props": {"jump_within_s": 2 * props.EDGE},
    }


def _used_clips(take: Take, characters: IntArray) -> IntArray:
    """Return the clips that these characters play or fade from."""
    s = take.segments
    mine = np.isin(s.character, characters)
    played, blends = s.clip[mine], s.blend[mine]
    faded = take.blends.clip[blends[blends >= 0]]
    clips = np.unique(np.concatenate([played[played >= 0], faded])).astype(np.int64)
    return clips[take.clips.rows.frames[clips] > 1]


def _raw_take(take: Take, clips: IntArray) -> Take:
    """Return a take in which each clip is played as it is by a body of its own skeleton."""
    bodies = tuple(Body.of(skeleton) for skeleton in take.skeletons)
    rows = take.clips.rows
    count = len(clips)
    return Take(
        fps=take.fps,
        names=tuple(f"{take.clips.names[clip]} {clip}" for clip in clips),  # clips may share a name
        characters=Characters.filled(count, body=rows.skeleton[clips], scale=1.0, stride=1.0, colour=0.5),
        bodies=bodies,
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
            reason=NONE,
        ),
        stage=type(take.stage)(),
    )
