"""Upright prisms of any floor plan, built from boxes, which is all that the renderer knows besides round cones.

* a rectangle is one box, exactly;
* a regular polygon of 2n sides is the union of the n boxes across its opposite sides, exactly (each triangle from the
  middle to a side lies in the box across that side): this is how a cylinder is drawn;
* any other plan is filled with strips along its longest side and closed by thin boxes along its edges, which cover the
  steps of the strips: outlines are exact but for a few millimetres at sharp corners.

Ground plane (x, y), metres; plans are [K, 2], counter-clockwise.
"""

import itertools

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array
from walkon.transforms import quaternions as quat

__all__ = ["cylinder_boxes", "prism_boxes"]

MAX_STRIPS = 24
"""At most so many strips across a plan."""
MIN_STRIP_M = 0.02
"""Metres: no strip is thinner."""
CIRCLE_CORNER_COUNT = 16
"""Corners of the polygon that stands for a circle."""


def prism_boxes(plan: Array, *, base: float, top: float) -> tuple[Array, Array, Array]:
    """Return centres [M, 3], sizes [M, 3] and rotations [M, 4] of boxes that fill the prism over a plan [K, 2]."""
    rectangle = _as_rectangle(plan)
    pieces = [rectangle] if rectangle is not None else _strips(plan)
    middles, extents, headings = (np.array(part) for part in zip(*pieces, strict=True))
    centres = np.insert(middles, 2, 0.5 * (base + top), axis=1)
    return centres, np.insert(extents, 2, top - base, axis=1), quat.turn(headings)


def cylinder_boxes(diameter: float, height: float) -> tuple[Array, Array, Array]:
    """Return centres, sizes and rotations of boxes that make a cylinder about z, centred on the origin."""
    boxes = CIRCLE_CORNER_COUNT // 2
    half = np.pi / CIRCLE_CORNER_COUNT
    # The polygon has the circle's area, so that neither its corners nor its sides are far off.
    radius = 0.5 * diameter * np.sqrt(2.0 * np.pi / (CIRCLE_CORNER_COUNT * np.sin(2.0 * half)))
    size = (2.0 * radius * np.cos(half), 2.0 * radius * np.sin(half), height)
    return np.zeros((boxes, 3)), np.tile(size, (boxes, 1)), quat.turn(np.arange(boxes) * np.pi / boxes)


def _as_rectangle(plan: Array) -> tuple[Array, Array, float] | None:
    """Return middle, extent and heading of a plan that is a rectangle."""
    if len(plan) != 4:
        return None
    sides = np.roll(plan, -1, axis=0) - plan
    lengths = np.linalg.norm(sides, axis=1)
    square = abs(sides[0] @ sides[1]) < 1e-6 * lengths[0] * lengths[1]
    if not (square and np.allclose(sides[0], -sides[2], atol=1e-6)):
        return None
    return plan.mean(axis=0), lengths[:2], float(np.arctan2(sides[0, 1], sides[0, 0]))


def _strips(plan: Array) -> list[tuple[Array, Array, float]]:
    """Return middles, extents and headings of rectangles that fill a plan."""
    edges = np.roll(plan, -1, axis=0) - plan
    longest = edges[np.linalg.norm(edges, axis=1).argmax()]
    heading = float(np.arctan2(longest[1], longest[0]))
    along, across = _axes(heading)
    flat = np.column_stack([plan @ along, plan @ across])
    shape = shapely.make_valid(shapely.Polygon(flat))
    # Corners are borders of strips, so that plans with square corners are filled exactly.
    levels = np.unique(np.round(flat[:, 1], 6))
    width = max(np.ptp(flat[:, 1]) / MAX_STRIPS, MIN_STRIP_M)
    borders = np.unique(
        np.concatenate([np.linspace(a, b, 1 + _parts(flat, a, b, width)) for a, b in itertools.pairwise(levels)])
    )
    pieces = []
    for a, b in itertools.pairwise(borders):
        for first, stop in _inside(shape, a, b):
            middle = 0.5 * (first + stop) * along + 0.5 * (a + b) * across
            pieces.append((middle, np.array([stop - first, b - a]), heading))
    return pieces + _rims(plan, width, heading)


def _parts(flat: Array, a: float, b: float, width: float) -> int:
    """Return into how many strips to cut the stretch from a to b: one where all its edges are upright."""
    (x, y), (after_x, after_y) = flat.T, np.roll(flat, -1, axis=0).T
    crossing = (np.minimum(y, after_y) < b - 1e-9) & (np.maximum(y, after_y) > a + 1e-9)
    upright = np.abs(x - after_x) < 1e-6
    return 1 if bool(upright[crossing].all()) else max(int(np.ceil((b - a) / width)), 1)


def _inside(shape: "shapely.Geometry", low: float, high: float) -> list[tuple[float, float]]:
    """Return the stretches of x that are inside a shape for all y from low to high."""
    eps = 2e-6  # more than the rounding of the borders
    below, above = (_across(shape, y) for y in (low + eps, high - eps))
    overlaps = ((max(a, c), min(b, d)) for a, b in below for c, d in above)
    return [(a, b) for a, b in overlaps if b - a > 1e-6]


def _across(shape: "shapely.Geometry", y: float) -> list[tuple[float, float]]:
    """Return the stretches of x that are inside a shape at one y."""
    x0, _, x1, _ = shape.bounds
    cut = shapely.intersection(shape, shapely.LineString([(x0 - 1.0, y), (x1 + 1.0, y)]))
    lines = [part.bounds for part in shapely.get_parts(cut) if part.geom_type == "LineString"]
    return sorted((float(first), float(stop)) for first, _, stop, _ in lines)


def _rims(plan: Array, width: float, strips: float) -> list[tuple[Array, Array, float]]:
    """Return thin rectangles along edges that are slanted to the strips, and narrow ones for sharp corners."""
    before, after = np.roll(plan, 1, axis=0), np.roll(plan, -1, axis=0)
    pieces = []
    for i, (start, stop) in enumerate(zip(plan, after, strict=True)):
        edge = stop - start
        length = float(np.linalg.norm(edge))
        if length < 1e-9:
            continue
        heading = float(np.arctan2(edge[1], edge[0]))
        if abs(np.sin(2.0 * (heading - strips))) < 1e-5:
            continue  # the strips end or lie along this edge exactly
        along, inward = _axes(heading)
        corners = (_corner(before[i], start, stop), _corner(start, stop, after[(i + 1) % len(plan)]))
        sharp = [1.0 / np.tan(angle) if angle < 0.5 * np.pi else 0.0 for angle in corners]
        # Into a sharp corner reach ever narrower ones, which end where they would come out at the other side.
        for deep in (width, 0.5 * width, 0.25 * width, 0.125 * width) if any(sharp) else (width,):
            free = length - deep * sum(sharp)
            if free > 1e-6:
                middle = start + (deep * sharp[0] + 0.5 * free) * along + 0.5 * deep * inward
                pieces.append((middle, np.array([free, deep]), heading))
    return pieces


def _corner(before: Array, corner: Array, after: Array) -> float:
    """Return the inner angle of a counter-clockwise plan at a corner, at least a hundredth."""
    a, b = before - corner, after - corner
    return max(float(np.arctan2(b[0] * a[1] - b[1] * a[0], a @ b)) % (2.0 * np.pi), 0.01)


def _axes(heading: float) -> Array:
    """Return unit vectors [2, 2] along a heading and to its left."""
    c, s = np.cos(heading), np.sin(heading)
    return np.array([[c, s], [-s, c]])
