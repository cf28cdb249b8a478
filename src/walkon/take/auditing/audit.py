"""The audit: sample the take, measure everything, keep the worst.

First pass, characters in batches: each is posed at every frame by the audit's own kinematics; feet, smoothness,
adjustment and progress are measured along its time. Second pass, frames in batches: who is near whom from the roots of
the first pass, footprints and steps of near pairs, and limbs of those whose reaches meet, posed again. Marks and props
are looked at at their own moments. Memory is bounded by the batches, but for some 40 bytes per character and frame.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import IntArray
from walkon._base.errors import InvalidValue
from walkon.stage.stage import HEADROOM, STEP_OVER
from walkon.take.auditing import (
    adjustment,
    bodies,
    collisions,
    contacts,
    feet,
    leaps,
    marks,
    props,
    stuck,
    supports,
    variety,
)
from walkon.take.auditing.adjustment import Adjustment
from walkon.take.auditing.bodies import Bodies
from walkon.take.auditing.collisions import Collisions
from walkon.take.auditing.feet import Feet
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.ground import (
    Ground,
    by_frame,
    footprint_radii,
    longest_reach,
    near_pairs,
    on_ground,
    others_on_ground,
)
from walkon.take.auditing.leaps import look_for_leaps
from walkon.take.auditing.marks import measure_marks
from walkon.take.auditing.props import measure_props
from walkon.take.auditing.report import Audit
from walkon.take.auditing.reposing import Clock, Rows, rows_of, select
from walkon.take.auditing.smoothness import Smoothness
from walkon.take.auditing.source import raw_take, used_clips
from walkon.take.auditing.stuck import Stuck
from walkon.take.auditing.tracks import make_track, stride
from walkon.take.auditing.variety import Variety
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
    clips = used_clips(take, chosen) if source else np.zeros(0, np.int64)
    rows = rows_of(take, clock, chosen)
    raw_rows = float(take.clips.durations[clips].sum()) * clock.fps
    whole = max(3.0 * len(rows.who) + raw_rows, 1.0)

    figures, grounds = _along_time(take, clock, rows, findings, lambda share: tell(2 * len(rows.who) / whole * share))
    since, until = -np.inf if start is None else clock.start, np.inf if stop is None else clock.stop
    figures["marks"] = measure_marks(take, clock, chosen, findings, since=since, until=until)
    figures |= _across(take, clock, chosen, grounds, findings)
    figures["props"] = measure_props(take, clock, chosen, findings)
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


def _clock(take: Take, fps: float | None, start: float | None, stop: float | None) -> Clock:
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
    return Clock(start=max(begin, take.start), stop=max(min(end, take.stop), begin, take.start), fps=rate)


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
    take: Take, clock: Clock, rows: Rows, findings: Findings, tell: Progress
) -> tuple[dict[str, Any], list[Ground]]:
    """Measure each character along its time; also return everyone seen from above."""
    smooth = Smoothness(take, clock.times, clock.fps, findings)
    measures: tuple[Feet, Adjustment, Stuck] = (
        Feet(take, clock.fps, findings),
        Adjustment(take, clock.fps, findings),
        Stuck(take, clock.fps, findings),
    )
    grounds = []
    for batch in _batches(rows):
        track = make_track(take, clock, select(rows, batch), smooth.add)
        for measure in measures:
            measure.add(track)
        look_for_leaps(track, clock.fps, findings)
        findings.count_over_time("people_present", track.frame)
        grounds.append(on_ground(track, clock.fps))
        tell(batch.stop / max(len(rows.who), 1))
    figures: dict[str, Any] = {}
    for done in (*measures, smooth):
        figures |= done.figures()
    return figures, grounds


def _batches(rows: Rows) -> list[slice]:
    """Cut rows into batches of whole characters."""
    starts = np.append(np.flatnonzero(np.diff(rows.who, prepend=-1)), len(rows.who))
    edges = [0]
    for before, after in pairwise(starts):
        if after - edges[-1] > BATCH and before > edges[-1]:
            edges.append(int(before))
    edges.append(len(rows.who))
    return [slice(a, b) for a, b in pairwise(edges) if b > a]


def _across(take: Take, clock: Clock, chosen: IntArray, grounds: list[Ground], findings: Findings) -> dict[str, Any]:
    """Measure characters against each other and the stage, frame by frame."""
    times = clock.times
    walk, limbs = Collisions(take, times, findings), Bodies(take, times, findings)
    steps = Variety(take, times, clock.fps, findings)
    if grounds:
        ours = by_frame(grounds)
        walk.add_obstacles(ours)
        reach = float(ours.reach.max(initial=0.0))
        alone = len(chosen) == len(take)
        radius = max(walk.widest, variety.NEAR, reach + (reach if alone else longest_reach(take)))
        rest = np.setdiff1d(np.arange(len(take)), chosen)
        ground = ours if alone else by_frame([ours, others_on_ground(take, clock, ours, rest, radius)])
        flags = np.isin(np.arange(len(take)), chosen)
        for near in near_pairs(ground, radius, flags):
            for measure in (walk, limbs, steps):
                measure.add(ground, near)
    return {**walk.figures(), **limbs.figures(), **steps.figures()}


def _source(take: Take, clips: IntArray, fps: float) -> dict[str, Any]:
    """Return the figures of the raw clips that mean something for a single clip."""
    raw = raw_take(take, clips)
    clock = Clock(start=0.0, stop=raw.stop, fps=fps)
    rows = rows_of(raw, clock, np.arange(len(raw)))
    found = Findings(raw.names, clock.times)
    smooth, soles = Smoothness(raw, clock.times, fps, found), Feet(raw, fps, found, own_supports=True)
    for batch in _batches(rows):
        track = make_track(raw, clock, select(rows, batch), smooth.add)
        soles.add(track)
        look_for_leaps(track, fps, found)
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
            "contacts_are_one_within_s": contacts.BRIDGED,
            "unless_they_rise_m": contacts.RISE,
            "skating_root_over_m_s": feet.TRAVELS,
            "skating_feet_over_root_speed_ratio": feet.GRIPS,
            "skating_for_over_s": feet.GLIDES,
            "raised_support_within_m": supports.WITHIN,
        },
        "smoothness": {
            "measured_at_hz": fps,
            "jerk_and_acceleration_at_hz": fps / stride(fps),
            "jump_over_absence_up_to_s": leaps.BLINK,
            "jump_speed_explained_up_to_m_s": leaps.FASTEST,
        },
        "adjustment": {"held_under_rate": adjustment.HELD},
        "variety": {"within_m": variety.NEAR, "phase_within_s": variety.PHASE, "for_over_s": variety.LASTING},
        "stuck": {"mark_over_m": stuck.FAR, "moved_under_m": stuck.PROGRESS, "for_s": stuck.PATIENCE},
        "props": {"jump_within_s": 2 * props.EDGE},
    }
