"""Where shortest paths bend: the corners of free space, seen from outside; and where passages are narrow.

Paths should not scrape along walls, so most corners are those of the rim at a comfortable distance (`ring`), simplified
as far as lines between them stay comfortable. Where a passage is too narrow for that rim, the corners of free space
itself, at the least distance, are taken too: its rim runs through every passage that there is, so no door is missed by
chance. Where the comfortable rim is only just pinched off, it leaves two cusps, one on either side, in the middle of
the passage: these `narrows` are samples like the random ones, and do what a bridge test would. Metres.
"""

from typing import Any, NamedTuple

import numpy as np
import shapely  # type: ignore[import-untyped]
from scipy.spatial import cKDTree

from walkon._base.arrays import Array, BoolArray
from walkon.stage.free_parts import FreeParts, shrink
from walkon.stage.walls import ENDLESS_M, are_clear, edges_of, index_walls

__all__ = ["NO_CORNERS", "Corners", "corners_of"]

QUARTER_CHORD_COUNT = 8
"""Chords per quarter turn of comfortable rims before they are simplified."""
RIM_STEP_M = 0.1
"""m between places of rims that are asked whether there is room."""
CUSP_RAD = np.radians(60.0)
"""Where a rim turns left by more, free space ends in a corner or a cusp."""


class Corners(NamedTuple):
    """Nodes that follow from the shape of free space."""

    places: Array
    """[K, 2] corners."""
    before: Array
    """[K, 2] the places before and after each corner on its rim."""
    after: Array
    tight: BoolArray
    """[K] whether a corner is at the least distance from walls, rather than a comfortable one."""
    narrows: Array
    """[M, 2] cusps of the comfortable rim."""


NO_CORNERS = Corners(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0, np.bool_), np.zeros((0, 2)))


def corners_of(space: FreeParts, *, comfort: float, ring: float) -> Corners:
    """Find the corners of a free space; lines between those of one comfortable rim keep `comfort`."""
    if not len(space.parts):
        return NO_CORNERS
    rim = shrink(space.area, ring, rounding=QUARTER_CHORD_COUNT)
    # As few corners as leave their rim comfortable: a right angle gets three, a round column about ten.
    few = shapely.orient_polygons(shapely.simplify(rim, 0.9 * (ring - comfort), preserve_topology=True))
    easy, least, whole = (edges_of(area) for area in (few, space.parts, rim))
    bends = np.flatnonzero(easy.reflex & _within(space, easy.start))
    near = np.flatnonzero(least.reflex & _cramped(least.start, space, rim, ring))
    return Corners(
        places=np.concatenate([easy.start[bends], least.start[near]]),
        before=np.concatenate([easy.start[easy.previous[bends]], least.start[least.previous[near]]]),
        after=np.concatenate([easy.stop[bends], least.stop[near]]),
        tight=np.repeat([False, True], [len(bends), len(near)]),
        narrows=whole.start[(whole.turn > CUSP_RAD) & _within(space, whole.start)],
    )


def _within(space: FreeParts, places: Array) -> BoolArray:
    """Return which places are in free space, and not at the end of the world."""
    if not len(places):
        return np.zeros(0, np.bool_)
    return space.holds(places, space.part_of(places)) & (np.abs(places) < ENDLESS_M - 10.0).all(axis=1)


def _cramped(corners: Array, space: FreeParts, rim: Any, ring: float) -> BoolArray:
    """Return which corners of free space are near a stretch of its rim that has no comfortable rim right outside."""
    if not len(corners) or rim.is_empty:
        return np.ones(len(corners), np.bool_)
    rims = shapely.get_rings(space.parts)
    rims = shapely.segmentize(rims[shapely.length(rims) < ENDLESS_M], RIM_STEP_M)
    places = shapely.get_coordinates(rims)
    apart = ring - space.need
    alone = places[are_clear(index_walls(edges_of(rim), reach=apart), places, ends=places, radius=apart)]
    if not len(alone):
        return np.zeros(len(corners), np.bool_)
    return np.asarray(cKDTree(alone).query(corners)[0] < 2 * ring + RIM_STEP_M)
