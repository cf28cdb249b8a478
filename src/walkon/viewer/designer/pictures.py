"""What the page looks at: distance images, stretches of clips and edges in motion, and all edges to drive on.

*Images*, as figure 10 shows them: how far every moment of one clip is from every moment of another. Levels are grey, 8
bits: level = 255 · min(D / metres_max, 1), dark where moments are alike. All images of a library have one scale, so
that they can be compared. Where an image would be larger than `MAX_IMAGE_PIXELS` a side, a pixel is the least
distance in its block: minima are what one looks for. For the whole library that would be hundreds of millions of pairs;
there each row is one frame of its block.

*Motion*: a stretch of a clip, an edge, or two edges joined, as a take with one character, posed on the page by the
viewer's own rule. What it drives a character with is plain arrays (`edge_arrays`): concatenation needs no more.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon.graphs.frame_distance import distance_matrix
from walkon.graphs.snap_together.matching.match_sets import distance_rows
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.motion.body import Body
from walkon.motion.clip import Clip
from walkon.take.storing.rotations48 import pack
from walkon.take.storing.writer import TakeWriter
from walkon.take.take import Take
from walkon.transforms import planar
from walkon.viewer.designer.material import Material
from walkon.viewer.designer.quick_look import QuickLook

__all__ = ["MAX_IMAGE_PIXELS", "clip_take", "edge_arrays", "edge_take", "image_of_all", "image_of_clips", "image_scale"]

MAX_IMAGE_PIXELS = 1024
"""Pixels a side."""
SCALE_SAMPLE_FRAMES = 48
"""Frames from which the scale of images is taken."""
Distances = Array | NDArray[np.float32]
Levels = NDArray[np.uint8]
"""[height, width] grey."""
MIN_STRETCH_S = 0.1
"""s that a stretch must last."""


def image_scale(material: Material) -> float:
    """Return metres above which all distances of the library look alike: the upper quartile of a sample of them."""
    usable = np.flatnonzero(material.usable)
    if not len(usable):
        return 1.0
    seeds = usable[np.linspace(0, len(usable) - 1, min(SCALE_SAMPLE_FRAMES, len(usable))).astype(np.int64)]
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


def image_of_all(material: Material, metres_max: float, *, largest: int = MAX_IMAGE_PIXELS) -> Levels:
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


def _blocks(count: int, largest: int = MAX_IMAGE_PIXELS) -> IntArray:
    """Return where each of at most `largest` equal blocks begins."""
    pixels = min(count, largest)
    return np.asarray(np.arange(pixels) * count // max(pixels, 1), dtype=np.int64)


def _least(values: Distances, blocks: IntArray, axis: int) -> Distances:
    return np.minimum.reduceat(values, blocks, axis=axis) if values.shape[axis] > len(blocks) else values


def _levels(distances: Distances, metres_max: float) -> Levels:
    return np.rint(np.minimum(distances / metres_max, 1.0) * 255.0).astype(np.uint8)


def clip_take(material: Material, clip: int, *, begin: float = 0.0, end: float | None = None) -> Take:
    """Return a stretch of a clip; it begins at the origin, facing +x."""
    material.check_clip(clip)
    whole = material.library[clip]
    end = whole.duration if end is None else min(end, whole.duration)
    if not 0 <= begin <= end - MIN_STRETCH_S:
        raise InvalidValue(
            f"a stretch of {whole.name!r} lasts {MIN_STRETCH_S:g} s or more within 0 to {whole.duration:.2f} s, got "
            f"{begin:g} to {end:g} s"
        )
    return _take([(whole, begin, end - begin, planar.inverse(whole.planar_poses[whole.frame_at(begin)]))])


def edge_take(material: Material, look: QuickLook, edges: list[int], *, graph: SnapGraph | None) -> Take:
    """Return an edge, or two that follow each other; without a graph, the source's motion as it is."""
    E = len(look.first)
    for edge in edges:
        if not 0 <= edge < E:
            raise InvalidValue(f"edges are numbered 0 to {E - 1}, got {edge}" if E else "there are no edges yet")
    for one, other in pairwise(edges):
        if look.hub[look.last[one]] != look.hub[look.first[other]]:
            raise InvalidValue(f"edge {other} does not begin in the hub where edge {one} ends; choose one that does")
    parts: list[tuple[Clip, float, float, Array]] = []
    pose = np.zeros(3)
    for edge in edges:
        seconds = float(look.duration[edge])
        if graph is not None:
            parts.append((graph.clip(edge), 0.0, seconds, pose))
        else:
            row, library = int(look.first[edge]), material.library
            number, frame = int(look.clip[row]), int(look.frame[row])
            place = planar.compose(pose, planar.inverse(material.planar[int(library.starts[number]) + frame]))
            parts.append((library[number], frame / library.fps, seconds, place))
        pose = planar.compose(pose, look.displacement[edge])
    return _take(parts)


def _take(parts: Sequence[tuple[Clip, float, float, Array]]) -> Take:
    """Return what one character does who plays clips, from a time on, for some seconds, each in its place."""
    first, time = parts[0][0], 0.0
    writer = TakeWriter(fps=first.fps)
    who = writer.add_character("performer", body=writer.add_body(Body.of(first.skeleton)))
    for clip, begin, seconds, place in parts:
        writer.perform(who, clip, start=time, stop=time + seconds, clip_start=begin, place=place)
        time += seconds
    return writer.take


def edge_arrays(graph: SnapGraph) -> dict[str, NDArray[Any]]:
    """Return everything that driving a character needs, by name (see docs/designer.md)."""
    clips, edges = graph.clips, graph.edges
    return {
        "start": edges.start.astype("<i4"),
        "stop": edges.stop.astype("<i4"),
        "first": np.append(clips.starts, clips.stops[-1:]).astype("<i4"),
        "duration": edges.duration.astype("<f4"),
        "displacement": edges.planar_displacement.astype("<f4"),
        "core": graph.core.astype(np.uint8),
        "roots": clips.root_positions.astype("<f4"),
        "planar": graph.planar.astype("<f4"),
        "rotations": pack(clips.local_rotations).astype("<u2"),
    }
