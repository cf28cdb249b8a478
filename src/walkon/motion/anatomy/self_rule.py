"""Which capsules of a body are compared with each other, for kernels; see `walkon.motion.anatomy.self_overlaps`."""

from typing import Annotated, NamedTuple

from walkon._base.table import Column

__all__ = ["MeetingTables"]


class MeetingTables(NamedTuple):
    """Pairs of capsules that can meet, of B bodies, by pairs of limbs; a limb is all capsules of one joint."""

    order: Annotated[Column, "int64", 2]
    """[B, K] capsules, limb after limb."""
    limbs: Annotated[Column, "int64", 2]
    """[B, L + 1] where each limb begins in `order`; limbs that a body lacks have the last capsule of all."""
    first: Annotated[Column, "int64", 1]
    """[B + 1] rows of `meetings` of each body."""
    meetings: Annotated[Column, "int64", 2]
    """[M, 4] two limbs, and their first and last + 1 row of `pairs`."""
    pairs: Annotated[Column, "int64", 2]
    """[P, 2] capsules."""
