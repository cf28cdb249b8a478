"""Which capsules of a body are compared with each other, as arrays; see `walkon.motion.self_overlaps`."""

from typing import NamedTuple

from walkon._base.arrays import IntArray

__all__ = ["MeetingTables"]


class MeetingTables(NamedTuple):
    """Pairs of capsules that can meet, of B bodies, by pairs of limbs; a limb is all capsules of one joint."""

    counts: IntArray
    """[B] how many capsules each body has."""
    limbs: IntArray
    """[B, K] number of the limb that each capsule belongs to."""
    first: IntArray
    """[B + 1] rows of `meetings` of each body."""
    meetings: IntArray
    """[M, 4] two limbs, and their first and last + 1 row of `pairs`."""
    pairs: IntArray
    """[P, 2] capsules."""
