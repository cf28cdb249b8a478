"""Takes whose hands are shaped: excerpts that lay shapes and weights over the poses of a take."""

from dataclasses import dataclass, replace

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.export.excerpt import Excerpt
from walkon.take.posing.posing import Poses
from walkon.take.take import Take


def shape_hands(take: Take, poses: Poses, time: Array | float, characters: IntArray) -> Poses:
    """Give those of the characters [n] whose row is even shapes that change with time; the others stay relaxed."""
    where = np.asarray(time)[..., None, None] + np.zeros((len(characters), 2))
    even = (characters % 2 == 0)[:, None]
    shapes = np.where(even, (np.floor(2 * where) + np.arange(2) + 1) % 6, 0).astype(np.uint8)
    weights = np.where(even, 0.5 - 0.5 * np.cos(4 * np.pi * where), 0.0)
    return replace(poses, hands=shapes, hand_weights=weights)


@dataclass(frozen=True, eq=False, kw_only=True)
class ShapedExcerpt(Excerpt):
    """An excerpt in which every other character shapes its hands."""

    def _pose(self, characters: IntArray, times: Array) -> Poses:
        return shape_hands(self.take, super()._pose(characters, times), times, characters)
