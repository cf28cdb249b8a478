"""Thresholds: the numbers with which an audit of a take was measured, as they are told with its figures."""

from typing import Any

from walkon.motion.anatomy import self_overlaps
from walkon.stage.stage import HEADROOM_M, STEP_OVER_M
from walkon.take.auditing import behaviour, following, marks, playing
from walkon.take.auditing.bodily import (
    adjustment,
    anatomy,
    backward,
    balance,
    feet,
    flesh,
    gait,
    posture,
    smoothness,
    steps,
    terrain,
)
from walkon.take.auditing.meetings import bodies, collisions, props, solids, supports
from walkon.take.auditing.meetings.ground import footprint_radii
from walkon.take.auditing.reposing import parts_per_frame, stride
from walkon.take.take import Take

__all__ = ["thresholds_of"]


def thresholds_of(take: Take, fps: float) -> dict[str, Any]:
    """Return topic → name → number of an audit at this rate."""
    finer = fps * parts_per_frame(fps)
    return {
        "marks": {
            "met_within_m": marks.POSITION_TOLERANCE_M,
            "met_within_deg": marks.FACING_TOLERANCE_DEG,
            "met_within_s": marks.TIME_TOLERANCE_S,
            "held_within_m": marks.MAX_SWAY_M,
            "held_within_deg": marks.MAX_SWAY_DEG,
        },
        "collisions": {
            "moving_over_m_s": collisions.MOVING_OVER_M_S,
            "obstacle_base_under_m": HEADROOM_M,
            "obstacle_height_over_m": STEP_OVER_M,
            "at_seat_within_m": collisions.AT_SEAT_WITHIN_M,
            "at_door_within_m": collisions.AT_DOOR_WITHIN_M,
            "overlap_over_m": collisions.TOUCH_TOLERANCE_M,
            "largest_footprint_m": float(footprint_radii(take).max(initial=0.0)),
        },
        "bodies": {"overlap_over_m": bodies.TOUCH_TOLERANCE_M},
        "solids": {"deeper_than_contact_m": solids.CONTACT_DEPTH_M, "sunk_over_radius_ratio": solids.YIELD_RATIO},
        "foot_slide": {
            "unlabelled_within_m": feet.ON_SUPPORT_WITHIN_M,
            "unlabelled_under_m_s": feet.PLANTED_UNDER_M_S,
            "unlabelled_for_s": feet.MIN_PLANTED_S,
            "contacts_are_one_within_s": playing.MAX_BRIDGED_GAP_S,
            "unless_they_rise_m": playing.MIN_STEP_RISE_M,
            "skating_root_over_m_s": feet.TRAVELLING_OVER_M_S,
            "skating_feet_over_root_speed_ratio": feet.GRIP_SPEED_RATIO,
            "skating_for_over_s": feet.MAX_SKATING_S,
            "raised_support_within_m": supports.SUPPORT_WITHIN_M,
        },
        "floor": {
            "hovers_over_m": flesh.HOVER_OVER_M,
            "hovers_for_over_s": flesh.FLIGHT_S,
            "seated_below_ratio": flesh.SEATED_BELOW_RATIO,
            "seated_behind_feet_ratio": flesh.SEATED_BEHIND_RATIO,
            "seated_for_s": flesh.MIN_SEATED_S,
            "sitting_under_m_s": flesh.SITTING_UNDER_M_S,
            "on_seat_within_m": flesh.ON_SEAT_WITHIN_M,
        },
        "terrain": {
            "flat_within_m": terrain.FLAT_WITHIN_M,
            "flat_under_m_s": terrain.FLAT_UNDER_M_S,
            "floor_within_m": terrain.FLOOR_WITHIN_M,
        },
        "posture": {"frozen_under_deg_s": posture.FROZEN_UNDER_DEG_S, "at_rest_within_m": posture.FLAT_WITHIN_M},
        "anatomy": {
            "limit_frames_over_deg": anatomy.BEYOND_LIMIT_OVER_DEG,
            "self_deeper_than_clips_m": self_overlaps.OVERLAP_MARGIN_M,
            "clips_excuse_up_to_m": self_overlaps.MAX_OVERLAP_M,
            "excused_looked_at_every_s": anatomy.EXCUSED_EVERY_S,
        },
        "gait": {
            "travel_over_s": gait.TRAVEL_OVER_S,
            "travelling_over_m_s": gait.TRAVELLING_OVER_M_S,
            "facing_for_s": gait.FACING_FOR_S,
            "backward_over_m_s": backward.BACKWARD_OVER_M_S,
            "backward_within_deg": backward.BACKWARD_WITHIN_DEG,
            "film_step_over": backward.FILM_STEP_OVER,
            "film_of_steps": backward.MIN_FILM_STEP_COUNT,
            "slow_for_steps": steps.STEP_COUNT,
            "steady_speed_ratio": steps.STEADY_RATIO,
            "order_over_s": steps.ORDER_S,
            "order_of_stances": steps.MIN_STANCE_COUNT,
        },
        "smoothness": {
            "measured_at_hz": finer,
            "jerk_and_acceleration_at_hz": finer / stride(finer),
            "jump_over_absence_up_to_s": smoothness.MAX_BLINK_S,
            "jump_speed_explained_up_to_m_s": smoothness.MAX_SPEED_M_S,
        },
        "adjustment": {"held_under_rate": adjustment.HELD_UNDER_SPEED_RATIO},
        "variety": {
            "within_m": behaviour.IN_STEP_WITHIN_M,
            "phase_within_s": behaviour.IN_STEP_PHASE_S,
            "for_over_s": behaviour.MIN_IN_STEP_S,
        },
        "stuck": {
            "mark_over_m": behaviour.ON_THE_WAY_BEYOND_M,
            "moved_under_m": behaviour.MIN_PROGRESS_M,
            "for_s": behaviour.STUCK_AFTER_S,
        },
        "following": {
            "speed_over_s": following.SPEED_OVER_S,
            "lateness_up_to_s": following.MAX_SHIFT_S,
            "shift_costs_m_s": following.SHIFT_COST_M_S,
        },
        "props": {"jump_within_s": 2 * props.HANDOVER_OFFSET_S},
        "balance": {"stands_under_m_s": balance.STANDING_UNDER_M_S, "bears_within_m": balance.BEARING_WITHIN_M},
    }
