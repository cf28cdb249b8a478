"""Capsules in space: signed gaps between tapered capsules; segments and points are capsules without radius.

A tapered capsule is the union of balls along a segment, centre c(s) = start + s (end − start) and radius
r(s) = r₀ + s (r₁ − r₀), s in [0, 1]. The signed gap of two of them is

    gap = min over s, t in [0, 1] of  |a(s) − b(t)| − r_a(s) − r_b(t)                            (1)

which is convex in (s, t): a distance of affine functions less affine radii. For fixed s the best t is known in closed
form (a ball against a cone), so what is left is a convex function of s alone; its slope is followed to its zero.
Positive gaps are exact distances; a negative one is the deepest overlap of any two balls, at most the true depth.

Reference: Ericson, "Real-Time Collision Detection", section 5.1.9, for segments without radii.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidShape
from walkon._base.threads import in_chunks

__all__ = ["Capsules", "gaps", "pair_gaps"]

PAIRS_PER_TASK = 16384
"""Pairs per task of the thread pool."""


class Capsules(NamedTuple):
    """Tapered capsules; the arrays broadcast over leading axes."""

    starts: Array
    """[..., 3] metres."""
    ends: Array
    """[..., 3] metres."""
    radii: Array
    """[..., 2] metres, at the start and at the end."""


def gaps(a: Capsules, b: Capsules) -> Array:
    """Return the signed gaps [...] of capsules, one by one, eq. (1); for every pair give [N, 1, …] and [1, M, …]."""
    a, b = _check(a), _check(b)
    shape = np.broadcast_shapes(a.starts.shape[:-1], b.starts.shape[:-1])
    whole = [[np.broadcast_to(part, (*shape, part.shape[-1])) for part in pair] for pair in zip(a, b, strict=True)]
    flat = Capsules(*(np.concatenate([part.reshape(-1, part.shape[-1]) for part in pair]) for pair in whole))
    return pair_gaps(flat, np.arange(len(flat.starts)).reshape(2, -1).T).reshape(shape)


def pair_gaps(capsules: Capsules, pairs: IntArray) -> Array:
    """Return the signed gaps [P] of those pairs [P, 2] of one set of M capsules."""
    from walkon.geometry import _kernels

    starts, ends, radii = (np.ascontiguousarray(part) for part in _check(capsules))
    if starts.ndim != 2:
        raise InvalidShape(f"pair_gaps needs capsules [M, 3], got {starts.shape}; flatten the leading axes")
    pairs = np.ascontiguousarray(pairs, dtype=np.int64).reshape(-1, 2)
    if len(pairs) and not (pairs.min() >= 0 and pairs.max() < len(starts)):
        raise InvalidShape(f"pairs must be 0 to {len(starts) - 1}, got {pairs.min()} to {pairs.max()}")
    found = np.empty(len(pairs))
    in_chunks(
        lambda start, stop: _kernels.capsule_gaps(starts, ends, radii, pairs[start:stop], found[start:stop]),
        len(pairs),
        chunk=PAIRS_PER_TASK,
    )
    return found


def _check(capsules: Capsules) -> Capsules:
    starts, ends, radii = (np.asarray(part, dtype=np.float64) for part in capsules)
    if starts.shape[-1:] != (3,) or ends.shape[-1:] != (3,) or radii.shape[-1:] != (2,):
        got = f"{starts.shape}, {ends.shape} and {radii.shape}"
        raise InvalidShape(f"capsules are starts [..., 3], ends [..., 3] and radii [..., 2], got {got}")
    shape = np.broadcast_shapes(starts.shape[:-1], ends.shape[:-1], radii.shape[:-1])
    return Capsules(
        np.broadcast_to(starts, (*shape, 3)), np.broadcast_to(ends, (*shape, 3)), np.broadcast_to(radii, (*shape, 2))
    )
