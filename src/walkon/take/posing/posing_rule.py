"""The numbers of the posing rule (see `posing`), in one place: kernels, the readable rule and planting read these."""

__all__ = ["ABUTS", "DROP_STEP", "MOST_BEND", "SEAM"]

ABUTS = 1e-3
"""s; stances of one foot that are no farther apart follow each other without a swing."""
DROP_STEP = 0.1
"""s between the control points of `Drops`."""
MOST_BEND = 0.35
"""rad by which toes turn at most to keep heel and ball as far apart as their plants; a foot that needs more was never
in that stance."""
SEAM = 1e-6
"""s; segments that are no farther apart follow each other without a break, and may overlap by no more."""
