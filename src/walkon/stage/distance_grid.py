"""A signed distance field, sampled on a grid: how far every place of the stage is from the nearest wall.

At the grid's nodes, `SPACING_M` apart, the signed distance to the edge of the free area (bounds minus obstacles) is
exact; between them it is interpolated bilinearly. With nodes 5 cm apart that is never more than 3 mm too far where a
body's centre can be (0.1 m or more off), by corners up to 1.3 cm; on ridges halfway between two walls it is up to half
the spacing too near, which is the safe side. Positive is free. Outside the grid of an endless stage everything is free;
outside bounds nothing is. Metres.
"""

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, lock_fields
from walkon._base.threads import in_chunks
from walkon.stage.distance_rule import DistanceGrid
from walkon.stage.walls import WallEdges

__all__ = ["FAR_M", "make_grid", "measure_grid", "read_grid"]

SPACING_M = 0.05
"""m between nodes, made larger for stages of over `MAX_NODES` nodes."""
MAX_NODES = 6_000_000
FAR_M = 1000.0
"""m: the distance where there is nothing at all."""
ROWS_PER_TASK = 64
"""Rows of nodes per task of the thread pool."""


def make_grid(edges: WallEdges, *, corners: Array, margin: float, bounded: bool) -> DistanceGrid:
    """Measure the distances to walls over the box around corners [K, 2] of the stage, grown by a margin (m).

    The edges are those of the free area where the stage is bounded, those of the obstacles where it is endless.
    """
    if not len(corners):
        return lock_fields(DistanceGrid(np.zeros((0, 0)), np.array([0.0, 0.0, SPACING_M, FAR_M])))
    low, high = corners.min(axis=0) - margin, corners.max(axis=0) + margin
    spacing = max(SPACING_M, float(np.sqrt(np.prod(high - low) / MAX_NODES)))
    nx, ny = (np.ceil((high - low) / spacing).astype(int) + 1).tolist()
    nodes = measure_grid(edges, low, step=spacing, shape=(nx, ny), bounded=bounded)
    return lock_fields(DistanceGrid(nodes, np.array([*low, spacing, -FAR_M if bounded else FAR_M])))


def measure_grid(edges: WallEdges, corner: Array, *, step: float, shape: tuple[int, int], bounded: bool) -> Array:
    """Return [nx, ny] m of signed distance to edges from nodes a `step` apart, the first one at a corner [2]."""
    from walkon.stage import _distance_kernels as kernels

    nodes = np.empty(shape)
    segments = np.hstack([edges.start, edges.stop])
    frame = np.array([*corner, step, 0.0])
    in_chunks(
        lambda first, stop: kernels.fill_distances(segments, frame, first, stop, bounded, nodes),
        len(nodes),
        chunk=ROWS_PER_TASK,
    )
    return nodes


def read_grid(grid: DistanceGrid, points: ArrayLike) -> Array:
    """Return signed distances [...] m at ground points [..., 2], as kernels read them."""
    from walkon.stage import _distance_kernels as kernels

    places = np.asarray(points, dtype=np.float64)[..., :2]
    found = np.empty(places.shape[:-1])
    kernels.read_distances(grid, np.ascontiguousarray(places.reshape(-1, 2)), found.reshape(-1))
    return found
