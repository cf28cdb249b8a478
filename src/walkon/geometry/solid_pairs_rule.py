"""The codes of shapes of solids (see `solid_pairs`), for kernels and the rest."""

__all__ = ["ANY_PRISM", "BOX", "CONVEX_PRISM", "CYLINDER", "GAP_STEP_TOLERANCE_M", "SPHERE"]

BOX, SPHERE, CYLINDER, CONVEX_PRISM, ANY_PRISM = range(5)
"""What a solid is; prisms have corners besides."""
GAP_STEP_TOLERANCE_M = 1e-9
"""m by which the gap from a convex solid may be found too large."""
