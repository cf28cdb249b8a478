"""An audit in words: what each figure is called, its unit, how its value is written, and what is worth telling first.

Shared by the table on the command line and by the HTML report. A figure that is not listed here is called by its own
name; its unit follows from the name's end in any case ("max_drift_m" is in metres).
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from walkon.take.auditing import Audit
from walkon.take.auditing.limits import good_limits

__all__ = [
    "TOPICS",
    "UNKNOWN",
    "Row",
    "figure_words",
    "format_exactly",
    "format_value",
    "plain_words",
    "rows_of",
    "thresholds_of",
    "unit_of",
    "verdict",
]

TOPICS = {
    "marks": "Marks",
    "collisions": "Footprints on the way",
    "bodies": "Bodies",
    "foot_slide": "Feet",
    "floor": "Floor",
    "terrain": "Feet on the floor's shape",
    "posture": "Posture",
    "anatomy": "Anatomy",
    "gait": "Gait",
    "legs": "Legs",
    "smoothness": "Smoothness",
    "adjustment": "Adjustment of the clips",
    "variety": "Variety",
    "stuck": "Stuck",
    "following": "Following references",
    "props": "Props",
    "hands": "Hands",
    "solids": "Limbs and props in things",
    "balance": "Balance",
    "kinematics": "Kinematics",
}
"""What the groups of figures are called."""

WORDS = {
    "marks.count": "marks",
    "marks.max_position_error_m": "farthest from a mark",
    "marks.max_facing_error_deg": "facing farthest off",
    "marks.max_time_error_s": "time farthest off",
    "marks.max_pose_error_deg": "pose farthest off",
    "marks.max_sway_m": "farthest sway while a mark is held",
    "marks.max_sway_deg": "largest turn while a mark is held",
    "marks.unmet": "marks not met",
    "collisions.pair_frames": "frames in which two overlap",
    "collisions.max_penetration_m": "deepest overlap",
    "collisions.obstacle_frames": "frames in an obstacle",
    "collisions.max_obstacle_penetration_m": "deepest in an obstacle",
    "bodies.pair_frames": "frames in which two touch",
    "bodies.max_penetration_m": "deepest overlap of limbs",
    "foot_slide.mean_m_s": "slide of planted points, mean",
    "foot_slide.p95_m_s": "slide, 95th percentile",
    "foot_slide.max_m_s": "slide, fastest",
    "foot_slide.max_drift_m": "farthest drift in one plant",
    "foot_slide.planted_share": "time with a foot planted",
    "foot_slide.unlabelled_mean_m_s": "slide without labels, mean",
    "foot_slide.unlabelled_p95_m_s": "without labels, 95th percentile",
    "foot_slide.unlabelled_max_m_s": "without labels, fastest",
    "foot_slide.unlabelled_planted_share": "planted, without labels",
    "foot_slide.max_skating_s": "longest skating",
    "floor.max_penetration_m": "deepest planted point",
    "floor.max_float_m": "highest planted point",
    "floor.max_swing_penetration_m": "deepest point of a swinging foot",
    "floor.max_flesh_penetration_m": "deepest part of a body",
    "floor.max_hover_m": "highest hover of a body",
    "floor.max_hover_s": "longest in the air",
    "floor.max_seat_gap_m": "sits on air by",
    "floor.max_seat_off_deg": "sits turned from its seat by",
    "terrain.max_sole_off_deg": "sole farthest off the floor's slope",
    "terrain.max_swing_depth_m": "deepest swing through the floor",
    "terrain.max_height_error_m": "planted point farthest off the floor",
    "terrain.no_floor_frames": "frames without a floor under the feet",
    "posture.max_tilt_deg": "trunk leans at most",
    "posture.max_tilt_off_deg": "trunk leans other than its clip",
    "posture.max_head_turn_deg": "head turned from the chest",
    "posture.max_head_speed_deg_s": "fastest turn of a head",
    "posture.max_frozen_s": "longest frozen in mid stride",
    "anatomy.limit_frames": "frames with a joint beyond its limit",
    "anatomy.max_beyond_limit_deg": "joint farthest beyond its limit",
    "anatomy.max_toes_beyond_limit_deg": "toes farthest beyond their limit",
    "anatomy.self_frames": "frames with limbs through the own body",
    "anatomy.max_self_penetration_m": "limb deeper in the own body than allowed",
    "anatomy.max_excused_penetration_m": "limb in the own body, excused or not",
    "posture.max_still_s": "longest stock-still",
    "gait.max_facing_off_deg": "faces other than its clip on the way",
    "gait.max_backward_s": "longest walk like a film run backwards",
    "gait.max_slow_ratio": "slowest steps for their length",
    "gait.max_slowed_ratio": "slowest steps beside those of the clips",
    "gait.reversed_share": "steps with the toes first",
    "following.mean_m": "from the reference, mean",
    "following.p95_m": "from the reference, 95th percentile",
    "following.max_m": "farthest from the reference",
    "following.speed_m_s": "speed off the reference's, mean",
    "following.lateness_s": "before or behind the reference",
    "following.refused_share": "reference without a body",
    "following.file_overlap_m": "deepest overlap in the references",
    "legs.max_missed_m": "farthest that a leg falls short",
    "legs.max_off_plant_m": "farthest off its plant",
    "smoothness.max_joint_speed_deg_s": "fastest joint",
    "smoothness.p99_joint_jerk_deg_s3": "jerk of joints, 99th percentile",
    "smoothness.max_root_acceleration_m_s2": "hardest push of a root",
    "smoothness.max_pop_deg": "largest pop of one frame",
    "smoothness.max_root_jump_m": "farthest leap of a root",
    "adjustment.max_m_s": "shifted by, at most",
    "adjustment.max_deg_s": "turned by, at most",
    "adjustment.max_time_ratio": "sped up or slowed by, at most",
    "adjustment.held_past_end_s": "frozen after the end of a clip",
    "variety.identical_neighbours": "neighbours in step",
    "stuck": "characters stuck",
    "props.count": "props",
    "props.held_frames": "frames of hands that hold one",
    "props.absent_holder_frames": "frames of holders who are absent",
    "props.max_gap_m": "farthest from the hand",
    "props.max_penetration_m": "deepest in the hand",
    "props.max_jump_m": "jump where the hold changes",
    "props.max_jump_deg": "turn where the hold changes",
    "props.max_unsupported_m": "hangs in the air by",
    "hands.count": "grips",
    "hands.held_frames": "frames of palms that grip",
    "hands.idle_frames": "frames of grips on what is not there",
    "hands.max_gap_m": "palm farthest off its grip",
    "hands.max_gap_deg": "palm turned farthest off its grip",
    "solids.limb_frames": "frames of limbs in an obstacle",
    "solids.max_limb_penetration_m": "limb deepest in an obstacle",
    "solids.prop_frames": "frames of props in obstacles, bodies",
    "solids.max_prop_penetration_m": "prop deepest in obstacle or body",
    "balance.load_frames": "frames of who holds a load",
    "balance.max_off_support_m": "standing with a load, off the feet by",
    "balance.max_off_support_walking_m": "walking with a load, off the feet by",
    "kinematics.max_difference_m": "posed and audited joints differ",
}

UNITS = (
    ("_deg_s3", "deg/s³"),
    ("_deg_s2", "deg/s²"),
    ("_m_s2", "m/s²"),
    ("_deg_s", "deg/s"),
    ("_m_s", "m/s"),
    ("_deg", "deg"),
    ("_hz", "Hz"),
    ("_m", "m"),
    ("_s", "s"),
    ("_share", "%"),
    ("_ratio", "×"),
)
"""Ends of names, the longest first."""

DIGITS = {"m": 4, "m/s": 4, "s": 4, "deg": 2, "×": 3, "%": 1, "m/s²": 1, "Hz": 0}
"""Decimals of a value; units that are not here have none."""

FAULTS = {
    "marks.unmet": "{} not met",
    "marks.max_position_error_m": "a mark is missed by {}",
    "marks.max_facing_error_deg": "facing at a mark is off by {}",
    "marks.max_time_error_s": "a mark is met {} out of its time",
    "marks.max_pose_error_deg": "the pose at a mark is off by {}",
    "marks.max_sway_m": "someone who holds a mark moves {} from it",
    "marks.max_sway_deg": "someone who holds a mark turns {} away",
    "bodies.pair_frames": "bodies touch in {}",
    "collisions.pair_frames": "footprints overlap in {}",
    "collisions.obstacle_frames": "someone stands in an obstacle in {}",
    "stuck": "{} stuck",
    "variety.identical_neighbours": "{} in step",
    "foot_slide.max_m_s": "a planted foot slides at {}",
    "foot_slide.max_drift_m": "a planted foot drifts by {}",
    "foot_slide.unlabelled_mean_m_s": "feet at rest slide at {} on average",
    "foot_slide.max_skating_s": "someone skates for {}",
    "floor.max_penetration_m": "a planted foot is {} in the floor",
    "floor.max_float_m": "a planted foot is {} in the air",
    "floor.max_flesh_penetration_m": "someone is {} in the floor",
    "floor.max_hover_m": "someone hovers {} in the air",
    "floor.max_hover_s": "someone is in the air for {}",
    "floor.max_seat_gap_m": "someone sits on air, {} above what is under",
    "floor.max_seat_off_deg": "someone sits {} away from where the seat faces",
    "terrain.max_sole_off_deg": "a sole is {} off the floor that it lies on",
    "terrain.max_swing_depth_m": "a foot swings {} deep through the floor",
    "terrain.max_height_error_m": "a planted foot is {} off the height of the floor",
    "terrain.no_floor_frames": "someone has no floor under the feet in {}",
    "posture.max_tilt_deg": "someone leans {} from upright",
    "posture.max_tilt_off_deg": "someone leans {} other than the clip",
    "posture.max_head_turn_deg": "a head is turned {} from the chest",
    "posture.max_head_speed_deg_s": "a head turns at {}",
    "posture.max_frozen_s": "someone is frozen for {} in mid stride",
    "anatomy.max_beyond_limit_deg": "a joint is turned {} beyond its limit",
    "anatomy.self_frames": "limbs go through the own body in {}",
    "posture.max_still_s": "someone is stock-still for {}",
    "gait.max_facing_off_deg": "someone faces {} off the way",
    "gait.max_backward_s": "someone walks like a film run backwards for {}",
    "gait.max_slow_ratio": "someone walks in slow motion, {} as slow",
    "gait.max_slowed_ratio": "someone walks in slow motion, {} as slow as the clips",
    "gait.reversed_share": "someone walks like a film run backwards in {} of its steps",
    "following.mean_m": "people are {} from their references on average",
    "following.max_m": "someone is {} from its reference",
    "following.speed_m_s": "speeds are {} off those of the references",
    "following.lateness_s": "someone is {} before or behind its reference",
    "following.refused_share": "{} of the references have no body",
    "legs.max_missed_m": "a leg is {} too short for its plant",
    "legs.max_off_plant_m": "a foot is {} off its plant",
    "smoothness.max_joint_speed_deg_s": "a joint turns at {}",
    "smoothness.max_pop_deg": "a joint pops by {}",
    "smoothness.max_root_acceleration_m_s2": "a root is pushed at {}",
    "smoothness.max_root_jump_m": "someone leaps by {}",
    "adjustment.held_past_end_s": "someone stands frozen for {} after the end of a clip",
    "props.max_gap_m": "a prop is {} off the hand",
    "props.max_penetration_m": "a prop is {} in the hand",
    "props.max_jump_m": "a prop jumps by {}",
    "props.max_jump_deg": "a prop turns by {} in no time",
    "props.max_unsupported_m": "a prop hangs {} in the air",
    "props.absent_holder_frames": "who holds a prop is absent in {}",
    "hands.max_gap_m": "a palm is {} off its grip",
    "hands.max_gap_deg": "a palm is turned {} off its grip",
    "hands.idle_frames": "what a hand grips is absent in {}",
    "solids.limb_frames": "limbs are in an obstacle in {}",
    "solids.max_limb_penetration_m": "a limb is {} in an obstacle",
    "solids.prop_frames": "props are in obstacles or bodies in {}",
    "solids.max_prop_penetration_m": "a prop is {} in an obstacle or a body",
    "balance.max_off_support_m": "someone who stands with a load has it {} off the feet",
    "kinematics.max_difference_m": "posed joints are {} from where they belong",
}
ALSO = {
    "marks.unmet": ("marks.max_",),
    "foot_slide.max_m_s": ("foot_slide.max_drift_m", "foot_slide.unlabelled_mean_m_s"),
    "floor.max_penetration_m": ("terrain.max_height_error_m",),
    "floor.max_float_m": ("terrain.max_height_error_m",),
    "floor.max_hover_m": ("floor.max_hover_s",),
    "posture.max_frozen_s": ("posture.max_still_s",),
    "gait.max_slow_ratio": ("gait.max_slowed_ratio",),
    "following.max_m": ("following.mean_m",),
    "posture.max_tilt_deg": ("posture.max_tilt_off_deg",),
    "posture.max_head_turn_deg": ("posture.max_head_speed_deg_s",),
    "solids.max_limb_penetration_m": ("solids.limb_frames",),
    "solids.max_prop_penetration_m": ("solids.prop_frames",),
    "legs.max_missed_m": ("legs.max_off_plant_m",),
    "smoothness.max_pop_deg": ("smoothness.max_joint_speed_deg_s",),
    "smoothness.max_root_jump_m": ("smoothness.max_root_acceleration_m_s2",),
}
"""Figure → beginnings of others that tell the same fault again, and are left out of a verdict that tells it."""
COUNTED = {
    "marks.unmet": ("mark", "marks"),
    "bodies.pair_frames": ("frame of a pair", "frames of pairs"),
    "collisions.pair_frames": ("frame of a pair", "frames of pairs"),
    "collisions.obstacle_frames": ("frame", "frames"),
    "stuck": ("character", "characters"),
    "variety.identical_neighbours": ("pair of neighbours", "pairs of neighbours"),
    "terrain.no_floor_frames": ("frame", "frames"),
    "anatomy.self_frames": ("frame of a body", "frames of bodies"),
    "props.absent_holder_frames": ("frame", "frames"),
    "hands.idle_frames": ("frame", "frames"),
    "solids.limb_frames": ("frame", "frames"),
    "solids.prop_frames": ("frame", "frames"),
}
UNKNOWN = "could not be measured"
"""Said of figures that are None although there was something to measure."""


class Row(NamedTuple):
    """One figure, ready to be shown."""

    topic: str
    key: str
    """Dotted name."""
    words: str
    value: Any
    source: Any
    """The source clips' own, or None."""


def rows_of(audit: Audit) -> Iterator[Row]:
    """Give the figures of an audit one by one, in its order; lists are given by their length."""
    for topic, figures in audit.figures.items():
        if isinstance(figures, Mapping):
            beside = audit.source.get(topic)
            for name, value in figures.items():
                key = f"{topic}.{name}"
                own = beside.get(name) if isinstance(beside, Mapping) else None
                if not isinstance(value, Mapping):
                    number = len(value) if isinstance(value, list | tuple) else value
                    yield Row(topic, key, figure_words(key), number, own)
        elif isinstance(figures, list | tuple):
            yield Row(topic, topic, figure_words(topic), len(figures), None)


def thresholds_of(audit: Audit) -> Iterator[tuple[str, str]]:
    """Give for each topic the thresholds that define its figures, in words: "met within 0.001 m, …"."""
    for topic, values in audit.thresholds.items():
        listed = []
        for name, value in values.items():
            words, unit = plain_words(name), unit_of(name)
            listed.append(f"{words} {value:.3g} {unit}".rstrip() if isinstance(value, float) else f"{words} {value}")
        yield TOPICS.get(topic, topic), ", ".join(listed)


def figure_words(key: str) -> str:
    """Return what a figure is called."""
    return WORDS.get(key) or key.rsplit(".", 1)[-1].replace("_", " ")


def unit_of(key: str) -> str:
    """Return the unit of a figure, from the end of its name; "" for counts."""
    return next((unit for end, unit in UNITS if key.endswith(end)), "")


def plain_words(name: str) -> str:
    """Return a name as words, without its unit."""
    end = next((end for end, _ in UNITS if name.endswith(end)), "")
    return name.removesuffix(end).replace("_", " ")


def format_value(key: str, value: Any) -> str:
    """Return a value as it is written in tables: "0.0042 m/s", "97.1 %", a dash where there is none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    name = unit_of(key)
    if not name:
        return f"{value:,d}" if isinstance(value, int) else f"{value:,.4g}"
    value = 100.0 * value if name == "%" else value
    digits = DIGITS.get(name, 0)
    least = 10.0**-digits
    if value == 0.0:
        return f"0 {name}"
    return f"< {least:.{digits}f} {name}" if 0.0 < value < 0.5 * least else f"{value:,.{digits}f} {name}"


def format_exactly(key: str, value: float) -> str:
    """Return a limit, or a value beside its limit, in as many digits as it takes to tell them apart."""
    name = unit_of(key)
    number = 100.0 * value if name == "%" else value
    return f"{number:,.0f}" if not name else f"{number:.4g} {name}"


def verdict(audit: Audit, limits: Mapping[str, float] | None = None) -> tuple[bool, str]:
    """Return whether all is well, and a sentence: about the limits if there are some, else about what is notable."""
    if limits:
        broken = audit.broken(limits)
        if not broken:
            return True, "The limit is kept." if len(limits) == 1 else f"All {len(limits)} limits are kept."
        many = "The limit is broken" if len(limits) == 1 else f"{len(broken)} of {len(limits)} limits are broken"
        parts = [
            f"{figure_words(key)} {UNKNOWN}"
            if math.isnan(value)
            else f"{figure_words(key)} {format_exactly(key, value)}, limit {format_exactly(key, limit)}"
            for key, value, limit in broken
        ]
        return False, f"{many}: {'; '.join(parts)}."
    broken = audit.broken(good_limits(audit))
    if not broken:
        return True, "No faults found."
    again = tuple(start for key, _, _ in broken for start in ALSO.get(key, ()))
    parts = [FAULTS[key].format(_amount(key, value)) for key, value, _ in broken if not key.startswith(again)]
    text = "; ".join(parts)
    return False, text[:1].upper() + text[1:] + "."


def _amount(key: str, value: float) -> str:
    if key not in COUNTED:
        return format_value(key, value)
    one, many = COUNTED[key]
    return f"{value:,.0f} {one if value == 1 else many}"
