"""What a good take keeps to: one table of limits, for verdicts and for tests.

Wide enough for what people do, and none of the faults that the audit knows fits in. What depends on the motion itself
(how fast joints turn, how feet roll without labels) is measured against the source clips where those were measured: a
take may be as lively as its capture, and a little more.
"""

from collections.abc import Mapping
from types import MappingProxyType

from walkon.take.auditing import marks
from walkon.take.auditing.feet import MAX_SKATING_S
from walkon.take.auditing.report import Audit

__all__ = ["GOOD", "LIKE_SOURCE", "SOURCE_MARGIN_RATIO", "good_limits"]

GOOD: Mapping[str, float] = MappingProxyType(
    {
        "marks.unmet": 0,
        "marks.max_position_error_m": marks.POSITION_TOLERANCE_M,
        "marks.max_facing_error_deg": marks.FACING_TOLERANCE_DEG,
        "marks.max_time_error_s": marks.TIME_TOLERANCE_S,
        "marks.max_pose_error_deg": 0.5,
        "marks.max_sway_m": marks.MAX_SWAY_M,
        "marks.max_sway_deg": marks.MAX_SWAY_DEG,
        "bodies.pair_frames": 0,
        "collisions.pair_frames": 0,
        "collisions.obstacle_frames": 0,
        "stuck": 0,
        "variety.identical_neighbours": 0,
        "foot_slide.max_m_s": 0.005,
        "foot_slide.max_drift_m": 0.004,
        "foot_slide.unlabelled_mean_m_s": 0.005,
        "foot_slide.max_skating_s": MAX_SKATING_S,
        "floor.max_penetration_m": 0.004,
        "floor.max_float_m": 0.004,
        "legs.max_missed_m": 0.004,
        "legs.max_off_plant_m": 0.004,
        "smoothness.max_joint_speed_deg_s": 1200,
        "smoothness.max_pop_deg": 8.0,
        "smoothness.max_root_acceleration_m_s2": 25,
        "smoothness.max_root_jump_m": 0.05,
        "adjustment.held_past_end_s": 0.1,
        "props.max_gap_m": 0.02,
        "props.max_penetration_m": 0.04,
        "props.max_jump_m": 0.005,
        "props.max_jump_deg": 2.0,
        "props.max_unsupported_m": 0.02,
        "props.absent_holder_frames": 0,
        "hands.max_gap_m": 0.0005,
        "hands.max_gap_deg": 0.5,
        "hands.idle_frames": 0,
        "kinematics.max_difference_m": 1e-6,
    }
)
"""Dotted name → limit."""

LIKE_SOURCE = (
    "foot_slide.unlabelled_mean_m_s",
    "foot_slide.max_skating_s",
    "smoothness.max_joint_speed_deg_s",
    "smoothness.max_pop_deg",
    "smoothness.max_root_acceleration_m_s2",
    "smoothness.max_root_jump_m",
)
"""Figures that may be as large as the source clips' own, times `SOURCE_MARGIN_RATIO`."""
SOURCE_MARGIN_RATIO = 1.3


def good_limits(audit: Audit) -> dict[str, float]:
    """Return the limits that a good take keeps to, of the figures that this audit has."""
    limits = {}
    for name, limit in GOOD.items():
        topic, _, figure = name.partition(".")
        has = audit.figures.get(topic)
        if has is None or (figure and figure not in has):
            continue
        own = (audit.source.get(topic) or {}).get(figure) if name in LIKE_SOURCE else None
        limits[name] = limit if own is None else max(limit, SOURCE_MARGIN_RATIO * own)
    return limits
