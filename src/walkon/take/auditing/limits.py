"""What a good take keeps to: one table of limits, for verdicts and for tests.

Wide enough for what people do, and none of the faults that the audit knows fits in. What depends on the motion itself
(how fast joints turn, how feet roll without labels) is measured against the source clips where those were measured: a
take may be as lively as its capture, and a little more; but only up to a ceiling, since a broken recording is no
excuse. What is beyond a good limit and within its source's is inherited: which figures, and from which clip.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from walkon.take.auditing import marks
from walkon.take.auditing.bodily.anatomy import SELF_OVER_M
from walkon.take.auditing.bodily.feet import MAX_SKATING_S
from walkon.take.auditing.bodily.flesh import FLIGHT_S
from walkon.take.auditing.meetings.solids import CONTACT_DEPTH_M
from walkon.take.auditing.report import Audit

__all__ = ["GOOD", "LIKE_SOURCE", "SOURCE_MARGIN_RATIO", "good_limits", "inherited"]

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
        "solids.limb_frames": 0,
        "solids.max_limb_penetration_m": CONTACT_DEPTH_M,
        "solids.prop_frames": 0,
        "solids.max_prop_penetration_m": CONTACT_DEPTH_M,
        "stuck": 0,
        "variety.identical_neighbours": 0,
        "foot_slide.max_m_s": 0.005,
        "foot_slide.max_drift_m": 0.004,
        "foot_slide.unlabelled_mean_m_s": 0.005,
        "foot_slide.max_skating_s": MAX_SKATING_S,
        "floor.max_penetration_m": 0.004,
        "floor.max_float_m": 0.004,
        "floor.max_flesh_penetration_m": 0.025,
        "floor.max_hover_m": 0.02,
        "floor.max_hover_s": FLIGHT_S,
        "floor.max_seat_gap_m": 0.05,
        "floor.max_seat_off_deg": 60.0,
        "terrain.max_sole_off_deg": 5.0,
        "terrain.max_swing_depth_m": 0.003,
        "terrain.max_height_error_m": 0.004,
        "terrain.no_floor_frames": 0,
        "posture.max_tilt_deg": 75.0,
        "posture.max_tilt_off_deg": 10.0,
        "posture.max_head_turn_deg": 90.0,
        "posture.max_head_speed_deg_s": 500.0,
        "posture.max_frozen_s": 0.5,
        "anatomy.max_beyond_limit_deg": 10.0,
        "anatomy.self_frames": 0,
        "posture.max_still_s": 4.0,
        "gait.max_facing_off_deg": 45.0,
        "gait.max_backward_s": 2.5,
        "gait.max_slow_ratio": 2.0,
        "gait.max_slowed_ratio": 1.25,
        "gait.reversed_share": 0.5,
        "following.mean_m": 0.25,
        "following.max_m": 1.0,
        "following.speed_m_s": 0.25,
        "following.lateness_s": 1.0,
        "following.refused_share": 0.05,
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
        "balance.max_off_support_m": 0.03,
        "kinematics.max_difference_m": 1e-6,
    }
)
"""Dotted name → limit."""

LIKE_SOURCE: Mapping[str, float] = MappingProxyType(
    {
        "foot_slide.unlabelled_mean_m_s": 0.05,
        "foot_slide.max_skating_s": 0.6,
        "floor.max_flesh_penetration_m": 0.06,
        "floor.max_hover_m": 0.06,
        "floor.max_hover_s": 0.8,
        "terrain.max_sole_off_deg": 20.0,
        "terrain.max_swing_depth_m": 0.03,
        "posture.max_tilt_deg": 120.0,
        "posture.max_head_turn_deg": 120.0,
        "posture.max_head_speed_deg_s": 900.0,
        "anatomy.max_beyond_limit_deg": 15.0,
        "gait.max_slow_ratio": 2.5,
        "smoothness.max_joint_speed_deg_s": 3000.0,
        "smoothness.max_pop_deg": 20.0,
        "smoothness.max_root_acceleration_m_s2": 100.0,
        "smoothness.max_root_jump_m": 0.2,
    }
)
"""Figures that may be as large as the source clips' own, times `SOURCE_MARGIN_RATIO` → the ceiling of that excuse."""
SOURCE_MARGIN_RATIO = 1.3
OWN_LIMBS = ("anatomy.max_excused_penetration_m", "anatomy.max_self_penetration_m")
"""How deep limbs are in the own body without the clips' excuse, and with it."""


def good_limits(audit: Audit) -> dict[str, float]:
    """Return the limits that a good take keeps to, of the figures that this audit has."""
    limits = {}
    for name, limit in GOOD.items():
        topic, _, figure = name.partition(".")
        has = audit.figures.get(topic)
        if has is None or (figure and figure not in has):
            continue
        own = (audit.source.get(topic) or {}).get(figure) if name in LIKE_SOURCE else None
        limits[name] = limit if own is None else max(limit, min(SOURCE_MARGIN_RATIO * own, LIKE_SOURCE[name]))
    return limits


def inherited(audit: Audit) -> list[dict[str, Any]]:
    """List what is beyond a good limit only because its source is: figure, value, the source's own, the worst clip.

    Limbs in the own body are beyond any limit but for the allowances of the clips (`bodily.anatomy`).
    """
    limits = good_limits(audit)
    beyond = {name: name for name in LIKE_SOURCE if name in limits and GOOD[name] < audit[name] <= limits[name]}
    if audit.source.get("anatomy") and audit[OWN_LIMBS[0]] > max(audit[OWN_LIMBS[1]], SELF_OVER_M):
        beyond[OWN_LIMBS[0]] = OWN_LIMBS[1]
    return [
        {
            "figure": name,
            "value": audit[name],
            "source": audit.source[own.partition(".")[0]][own.partition(".")[2]],
            "clip": audit.source_clips.get(own, ""),
        }
        for name, own in beyond.items()
    ]
