"""The numbers of vertical look-ups in grids of triangles (see `triangle_grid`), for kernels and the rest."""

__all__ = ["EDGE_TOLERANCE_M", "MIN_PLAN_RATIO"]

EDGE_TOLERANCE_M = 1e-6
"""m beyond its sides at which a place still counts as on a triangle: no crack opens between two that share a side."""
MIN_PLAN_RATIO = 1e-9
"""Twice the area seen from above over the square of the longer side, up to which a triangle is upright and carries
nobody."""
