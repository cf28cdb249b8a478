"""Shadows of boxes and triangles on the floor: their outlines, seen from the light and from above, with soft edges.

A box has a convex outline. Triangles cast one shadow together, of which no edge inside is seen: the union of those that
face the light, with holes where there are any. Channel 0 is the key light, in the plane (u, v) across it; channel 1 the
sky, from above in (x, y). Metres.
"""

from typing import NamedTuple

import numpy as np
import shapely  # type: ignore[import-untyped]
from numpy.typing import NDArray

from walkon._base.arrays import Array, IntArray
from walkon.drawing.solids import Boxes
from walkon.drawing.triangles import Triangles

__all__ = ["ShadowOutline", "box_outlines", "darken_under", "outline_places", "silhouettes"]

SKY_BLUR_M = 0.25
"""m over which the edge of what takes the sky away is blurred."""
SILHOUETTE_GRID_M = 1e-4
"""m to which silhouettes of meshes are rounded, so that triangles that nearly meet do."""
SILHOUETTE_DEVIATION_M = 1e-3
"""m by which silhouettes of meshes are simplified at most."""


class ShadowOutline(NamedTuple):
    """What is dark on the floor because of one thing."""

    rings: list[Array]
    """Closed lines [K, 3] = (u, v, blur) around it and around its holes."""
    channel: int
    """0: key light, 1: sky."""
    strength: float
    """Share of that light which is taken away, 0 to 1."""


def box_outlines(boxes: Boxes, light: Array, across: Array, softness: float) -> list[ShadowOutline]:
    """Return the outlines of each box from the light [3] and from above; `across` are two axes [2, 3] across it."""
    from scipy.spatial import ConvexHull

    found = []
    for box in boxes.corners():
        heights = np.maximum(box[:, 2], 0.0)
        for channel, seen, blur, strength in (
            (0, box @ across.T, softness * heights / light[2], 1.0),
            (1, box[:, :2], np.full(8, SKY_BLUR_M), _sky_strength(heights)),
        ):
            hull = ConvexHull(seen).vertices
            found.append(ShadowOutline([np.column_stack([seen, blur])[hull]], channel, strength))
    return found


def silhouettes(triangles: Triangles, light: Array, across: Array, softness: float) -> list[ShadowOutline]:
    """Return the outlines of triangles from the light and from above, a connected one each; as `box_outlines`."""
    from scipy.spatial import cKDTree

    found: list[ShadowOutline] = []
    if not len(triangles):
        return found
    points = triangles.corners.reshape(-1, 3)
    heights = np.maximum(points[:, 2], 0.0)
    for channel, axes in ((0, across), (1, np.eye(3)[:2])):
        seen = points @ axes.T
        corners = seen.reshape(-1, 3, 2)
        (ux, uy), (vx, vy) = (corners[:, 1] - corners[:, 0]).T, (corners[:, 2] - corners[:, 0]).T
        facing = ux * vy - uy * vx > 0.0  # a closed surface is covered by what faces the light
        flat = shapely.polygons(corners[facing])
        whole = shapely.union_all(shapely.set_precision(flat, SILHOUETTE_GRID_M), grid_size=SILHOUETTE_GRID_M)
        nearest = cKDTree(seen)
        for part in shapely.get_parts(shapely.simplify(whole, SILHOUETTE_DEVIATION_M)):
            lines = [np.array(ring.coords)[:-1] for ring in (part.exterior, *part.interiors)]
            over = [heights[nearest.query(line)[1]] for line in lines]
            blurs = [softness * z / light[2] if channel == 0 else np.full(len(z), SKY_BLUR_M) for z in over]
            rings = [np.column_stack([line, blur]) for line, blur in zip(lines, blurs, strict=True)]
            found.append(ShadowOutline(rings, channel, 1.0 if channel == 0 else _sky_strength(over[0])))
    return found


def outline_places(outlines: list[ShadowOutline], axes: Array, light: Array) -> tuple[Array, Array]:
    """Return the middle [P, 2] and half size [P, 2] on the floor of blurred outlines; `axes` are [4, 2] of both."""
    low, high = np.zeros((len(outlines), 2)), np.zeros((len(outlines), 2))
    back = [np.linalg.inv(axes[2 * channel : 2 * channel + 2]).T for channel in range(2)]
    for k, outline in enumerate(outlines):
        ring = outline.rings[0]
        places = ring[:, :2] @ back[outline.channel]
        blur = (ring[:, 2:] + 0.05) * (1.0 / light[2] if outline.channel == 0 else 1.0)
        low[k], high[k] = (places - blur).min(axis=0), (places + blur).max(axis=0)
    return 0.5 * (low + high), 0.5 * (high - low)


def darken_under(part: NDArray[np.float32], outline: ShadowOutline, cells: IntArray, axes: Array, frame: Array) -> None:
    """Darken the cells (x0, x1, y0, y1) of a floor map by an outline with u and v along the two `axes` [2, 2].

    `frame` has x and y of the map's first corner and the size of its cells.
    """
    x0, x1, y0, y1 = cells
    x = frame[0] + (np.arange(x0, x1) + 0.5) * frame[2]
    y = frame[1] + (np.arange(y0, y1)[:, None] + 0.5) * frame[2]
    u, v = axes[0, 0] * x + axes[0, 1] * y, axes[1, 0] * x + axes[1, 1] * y
    nearest, blur, inside = np.full(u.shape, np.inf), np.ones(u.shape), np.zeros(u.shape, bool)
    for ring in outline.rings:
        for (au, av, ab), (bu, bv, bb) in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            eu, ev = bu - au, bv - av
            if eu * eu + ev * ev < 1e-12:
                continue
            share = np.clip(((u - au) * eu + (v - av) * ev) / (eu * eu + ev * ev), 0.0, 1.0)
            away = np.hypot(u - au - share * eu, v - av - share * ev)
            # A line from the cell to one side passes the outline an odd number of times where the cell is inside.
            if ev != 0.0:
                inside ^= ((v >= av) != (v >= bv)) & (u - au < (v - av) * eu / ev)
            # The blur is that of the nearest edge, so that a shadow is sharp where it starts.
            blur = np.where(away < nearest, ab + share * (bb - ab), blur)
            nearest = np.minimum(nearest, away)
    step = np.clip(0.5 + np.where(inside, 0.5, -0.5) * nearest / (blur + 0.004 + 0.6 * frame[2]), 0.0, 1.0)
    found = part[y0:y1, x0:x1]
    found += (1.0 - found) * (outline.strength * step * step * (3.0 - 2.0 * step)).astype(np.float32)


def _sky_strength(heights: Array) -> float:
    """Return how much of the sky something of these heights takes from the floor under it."""
    return 0.45 * float(np.exp(-heights.min() / 0.3))
