"""The numbers of the posing rule (see `posing`), in one place: kernels, the readable rule and planting read these."""

__all__ = [
    "ABUTTING_WITHIN_S",
    "DROP_STEP_S",
    "GRIP_FADE_SHARE",
    "MAX_HOLD_DEPTH",
    "MAX_TOE_BEND_RAD",
    "MIN_KNEE_BEND_RAD",
    "SEAM_TOLERANCE_S",
    "SHAPE_FADE_SHARE",
]

ABUTTING_WITHIN_S = 1e-3
"""s; stances of one foot that are no farther apart follow each other without a swing."""
DROP_STEP_S = 0.1
"""s between the control points of `Drops`."""
MAX_TOE_BEND_RAD = 0.35
"""rad by which toes turn at most to keep heel and ball as far apart as their plants; a foot that needs more was never
in that stance."""
MIN_KNEE_BEND_RAD = 0.2
"""rad of knee bend below which legs are not stretched further than their clip has them: near a straight knee the
millimetres of a plant are degrees, and the knee would snap."""
SEAM_TOLERANCE_S = 1e-6
"""s; segments that are no farther apart follow each other without a break, and may overlap by no more."""
MAX_HOLD_DEPTH = 64
"""Holds on holds on holds: what goes deeper goes round in a circle, which no writer takes in, and holds nothing."""
GRIP_FADE_SHARE, SHAPE_FADE_SHARE = 1.0, 0.5
"""Of the time between two rows that a fade lasts at most: a hand goes from grip to grip, and relaxes between shapes."""
