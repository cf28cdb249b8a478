"""Distance images, as figure 10 shows them: how far every moment of one clip is from every moment of another.

Levels are grey, 8 bits: level = 255 · min(D / metres_max, 1), dark where moments are alike. All images of a library
have one scale, so that they can be compared. Where an image would be larger than `LARGEST` pixels a side, a pixel is
the least distance in its block: minima are what one looks for.

For the whole library that would be hundreds of millions of pairs; there each row is one frame of its block.
"""

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array, IntArray
from walkon.graphs.frame_distance import distance_matrix
from walkon.graphs.snap_together.matching.match_sets import distance_rows
from walkon.viewer.designer.material import Material

__all__ = ["LARGEST", "image_of_all", "image_of_clips", "image_scale"]

LARGEST = 1024
"""Pixels a side."""
SAMPLES = 48
"""Frames from which the scale of images is taken."""
Distances = Array | NDArray[np.float32]
Levels = NDArray[np.uint8]
"""[height, width] grey."""


def image_scale(material: Material) -> float:
    """Return metres above which all distances of the library look alike: the upper quartile of a sample of them."""
    usable = np.flatnonzero(material.usable)
    if not len(usable):
        return 1.0
    seeds = usable[np.linspace(0, len(usable) - 1, min(SAMPLES, len(usable))).astype(np.int64)]
    found = np.concatenate([block[np.isfinite(block)] for _, block in distance_rows(material.frames, seeds)])
    return max(float(np.percentile(found, 75)), 1e-3)


def image_of_clips(material: Material, clips: tuple[int, int], metres_max: float) -> Levels:
    """Return the image of two clips (or of one with itself): rows are time in the first, columns in the second."""
    for clip in clips:
        material.check_clip(clip)
    distances: Distances = distance_matrix(material.frames, clips)
    for axis, count in enumerate(distances.shape):
        distances = _least(distances, _blocks(count), axis)
    return _levels(distances, metres_max)


def image_of_all(material: Material, metres_max: float, *, largest: int = LARGEST) -> Levels:
    """Return the image of all compared frames of the library, clip after clip."""
    frames = material.frames
    blocks = _blocks(len(frames), largest)
    # The middle of each block, or the frame with a window that is nearest to it.
    usable = np.flatnonzero(material.usable)
    stops = np.append(blocks[1:], len(frames))
    middles = (blocks + stops) // 2
    image = np.full((len(blocks), len(blocks)), np.inf, np.float32)
    if len(usable):
        after = np.clip(np.searchsorted(usable, middles), 0, len(usable) - 1)
        before = np.maximum(after - 1, 0)
        near = np.where(np.abs(usable[after] - middles) <= np.abs(usable[before] - middles), after, before)
        seeds = usable[near]
        inside = np.flatnonzero((seeds >= blocks) & (seeds < stops))
        first = 0
        for rows, block in distance_rows(frames, seeds[inside]):
            image[inside[first : first + len(rows)]] = _least(block, blocks, 1)
            first += len(rows)
    return _levels(np.minimum(image, image.T), metres_max)


def _blocks(count: int, largest: int = LARGEST) -> IntArray:
    """Return where each of at most `largest` equal blocks begins."""
    pixels = min(count, largest)
    return np.asarray(np.arange(pixels) * count // max(pixels, 1), dtype=np.int64)


def _least(values: Distances, blocks: IntArray, axis: int) -> Distances:
    return np.minimum.reduceat(values, blocks, axis=axis) if values.shape[axis] > len(blocks) else values


def _levels(distances: Distances, metres_max: float) -> Levels:
    return np.rint(np.minimum(distances / metres_max, 1.0) * 255.0).astype(np.uint8)
