"""Signed gaps between many capsules and many solids at once: boxes, balls, cylinders, upright prisms, unions of them.

A *thing* is one or more simple solids, each with a pose in the thing's frame; where the thing is, a rigid pose says
(x, y, z, qw, qx, qy, qz). For a capsule with axis c(s) and radius r(s), s in [0, 1], and f the signed distance, less
than 0 inside,

    gap = min over parts, and over s, of  f(c(s)) − r(s)                                           (1)

An upright prism over a polygon with signed distance a(x, y), from z = base to z = top, has b = max(base − z, z − top),
and

    f = max(a, b)  inside,        f = hypot(max(a, 0), max(b, 0))  outside                         (2)

which is the exact distance from its surface on either side, whether the polygon is convex or not. Positive gaps are
exact distances; a negative one is the deepest overlap of any ball of the capsule, at most the way that it takes to pull
it out: through something thin it is half the thickness and the radius.

* Of convex solids g(s) = f(c(s)) − r(s) is convex: tangents close in on its minimum, to a nanometre.
* Of prisms over other polygons intervals are halved until none can hold less (see `solid_gaps`): the gap is never less
  than the true one, and at most `GAP_TOLERANCE_M` more.

Metres.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidShape, InvalidValue
from walkon._base.threads import in_chunks
from walkon.geometry.capsules import Capsules
from walkon.geometry.polygons import signed_area
from walkon.geometry.solid_gaps import GAP_TOLERANCE_M
from walkon.geometry.solid_pairs_rule import ANY_PRISM, CONVEX_PRISM
from walkon.geometry.solids import SIMPLE_SHAPES, SolidParts

__all__ = [
    "HERE",
    "Prism",
    "Things",
    "join_things",
    "parts_gaps",
    "prism_distances",
    "prism_gaps",
    "prism_things",
    "solid_pair_gaps",
    "solid_things",
]

HERE = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
"""The pose [7] that moves nothing."""
PAIRS_PER_TASK = 2048
"""Pairs per task of the thread pool."""
CONVEX_TOLERANCE_M2 = 1e-12
"""m² that the corners of a convex polygon may turn the wrong way."""


class Prism(NamedTuple):
    """An upright prism."""

    polygon: Array
    """[K, 2] metres, either way around."""
    base: float
    """Metres: z of its underside."""
    top: float
    """Metres: z of its top."""


class Things(NamedTuple):
    """H things, of S simple solids in all, with C corners, as kernels read them."""

    firsts: IntArray
    """[H + 1] the first solid of each thing, and S."""
    shapes: IntArray
    """[S] see `solid_pairs_rule`."""
    half: Array
    """[S, 3] metres: half extents; of a prism only the last counts."""
    poses: Array
    """[S, 7] of the solids in their things' frames."""
    rings: IntArray
    """[S + 1] the first corner of each solid, and C."""
    corners: Array
    """[C, 2] metres, counter-clockwise."""


def solid_things(things: Sequence[SolidParts]) -> Things:
    """Return unions of boxes, balls and cylinders."""
    counts = [len(parts.shapes) for parts in things]
    S = sum(counts)
    return Things(
        firsts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        shapes=np.array([SIMPLE_SHAPES.index(shape) for parts in things for shape in parts.shapes], np.int64),
        half=0.5 * np.concatenate([np.zeros((0, 3)), *(parts.sizes for parts in things)]),
        poses=np.concatenate([np.zeros((0, 7)), *(parts.poses for parts in things)]),
        rings=np.zeros(S + 1, np.int64),
        corners=np.zeros((0, 2)),
    )


def prism_things(prisms: Sequence[Prism]) -> Things:
    """Return things that are one upright prism each, in the frame that their polygon is in."""
    rings = [_ring(prism) for prism in prisms]
    S = len(prisms)
    poses, half = np.tile(HERE, (S, 1)), np.zeros((S, 3))
    heights = np.array([prism[1:] for prism in prisms], np.float64).reshape(-1, 2)
    poses[:, 2], half[:, 2] = heights.mean(axis=1), 0.5 * (heights[:, 1] - heights[:, 0])
    return Things(
        firsts=np.arange(S + 1),
        shapes=np.array([CONVEX_PRISM if _is_convex(ring) else ANY_PRISM for ring in rings], np.int64),
        half=half,
        poses=poses,
        rings=np.concatenate([[0], np.cumsum([len(ring) for ring in rings])]).astype(np.int64),
        corners=np.concatenate([np.zeros((0, 2)), *rings]),
    )


def join_things(parts: Sequence[Things]) -> Things:
    """Return all things of several tables, one table after the other."""
    solids = np.cumsum([0, *(len(one.shapes) for one in parts)])
    corners = np.cumsum([0, *(len(one.corners) for one in parts)])
    return Things(
        firsts=np.concatenate([*(a + one.firsts[:-1] for a, one in zip(solids, parts, strict=False)), solids[-1:]]),
        shapes=np.concatenate([one.shapes for one in parts]),
        half=np.concatenate([one.half for one in parts]),
        poses=np.concatenate([one.poses for one in parts]),
        rings=np.concatenate([*(a + one.rings[:-1] for a, one in zip(corners, parts, strict=False)), corners[-1:]]),
        corners=np.concatenate([one.corners for one in parts]),
    )


def solid_pair_gaps(
    capsules: Capsules, things: Things, frames: Array, pairs: IntArray, *, within: float = np.inf
) -> Array:
    """Return the gaps [P] m, eq. (1), of (capsule, thing, frame) [P, 3] of M capsules, H things and F poses [F, 7].

    Gaps of more than `within` m need not be exact: some number over `within` is given.
    """
    from walkon.geometry import _solid_kernels

    starts, ends, radii = (np.ascontiguousarray(part, dtype=np.float64) for part in capsules)
    if starts.ndim != 2 or starts.shape != ends.shape or radii.shape != (len(starts), 2):
        got = f"{starts.shape}, {ends.shape} and {radii.shape}"
        raise InvalidShape(f"solid_pair_gaps needs capsules [M, 3], [M, 3] and [M, 2], got {got}")
    poses = np.ascontiguousarray(frames, dtype=np.float64).reshape(-1, 7)
    pairs = np.ascontiguousarray(pairs, dtype=np.int64).reshape(-1, 3)
    counts = np.array([len(starts), len(things.firsts) - 1, len(poses)])
    if len(pairs) and not (pairs.min() >= 0 and (pairs.max(axis=0) < counts).all()):
        raise InvalidShape(f"pairs are rows of {counts.tolist()} capsules, things and frames, got {pairs.max(axis=0)}")
    table = tuple(np.ascontiguousarray(column) for column in things)
    found = np.empty(len(pairs))
    in_chunks(
        lambda a, b: _solid_kernels.solid_gaps(
            starts, ends, radii, *table, poses, pairs[a:b], float(within), GAP_TOLERANCE_M, found[a:b]
        ),
        len(pairs),
        chunk=PAIRS_PER_TASK,
    )
    return found


def prism_distances(prism: Prism, points: Array) -> Array:
    """Return signed distances [...] m of points [..., 3] from an upright prism, eq. (2)."""
    from walkon.geometry import _solid_kernels

    places = np.asarray(points, dtype=np.float64)
    flat = np.array(places.reshape(-1, 3))
    flat[:, 2] -= 0.5 * (prism.base + prism.top)
    half, found = np.array([0.0, 0.0, 0.5 * (prism.top - prism.base)]), np.empty(len(flat))
    _solid_kernels.solid_distances(flat, ANY_PRISM, half, _ring(prism), found)
    return found.reshape(places.shape[:-1])


def prism_gaps(prism: Prism, capsules: Capsules) -> Array:
    """Return the gaps [...] m, eq. (1), of an upright prism from capsules [..., 3], [..., 2]."""
    return _gaps_of_one(prism_things([prism]), capsules)


def parts_gaps(parts: SolidParts, capsules: Capsules) -> Array:
    """Return the gaps [...] m, eq. (1), of a union of solids from capsules [..., 3], [..., 2] in the thing's frame."""
    return _gaps_of_one(solid_things([parts]), capsules)


def _gaps_of_one(things: Things, capsules: Capsules) -> Array:
    """Return the gaps [...] m of one thing from capsules [..., 3], [..., 2] in its frame."""
    flat = Capsules(*(part.reshape(-1, part.shape[-1]) for part in capsules))
    pairs = np.zeros((len(flat.starts), 3), np.int64)
    pairs[:, 0] = np.arange(len(pairs))
    return solid_pair_gaps(flat, things, HERE[None], pairs).reshape(capsules.starts.shape[:-1])


def _ring(prism: Prism) -> Array:
    """Return the corners of a prism, counter-clockwise, each once."""
    ring = np.asarray(prism.polygon, dtype=np.float64)
    if ring.ndim != 2 or ring.shape[1] != 2:
        raise InvalidShape(f"the polygon of a prism is corners [K, 2], got {ring.shape}")
    ring = ring[(ring != np.roll(ring, 1, axis=0)).any(axis=1)]
    area = signed_area(ring) if len(ring) > 2 else 0.0
    if area == 0.0 or not prism.top > prism.base:
        raise InvalidValue(
            f"a prism needs an area and a height, got {abs(area):g} m² from {prism.base:g} to {prism.top:g} m"
        )
    return np.ascontiguousarray(ring if area > 0 else ring[::-1])


def _is_convex(ring: Array) -> bool:
    """Say whether the corners [K, 2] of a polygon, counter-clockwise, all turn left, once around."""
    side = np.roll(ring, -1, axis=0) - ring
    after = np.roll(side, -1, axis=0)
    turns = np.arctan2(side[:, 0] * after[:, 1] - side[:, 1] * after[:, 0], (side * after).sum(axis=1))
    left = side[:, 0] * after[:, 1] - side[:, 1] * after[:, 0] >= -CONVEX_TOLERANCE_M2
    return bool(left.all() and turns.sum() < 2 * np.pi + 1e-6)
