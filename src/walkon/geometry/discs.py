"""Discs on the floor: signed gaps, overlaps, and the moment at which two moving discs first touch.

    gap(a, b) = |c_a − c_b| − r_a − r_b                                                     (1)
    touch:  |p + v t| = r,   p = c_b − c_a,  v = v_b − v_a,  r = r_a + r_b,  smallest t ≥ 0   (2)

Centres are [..., 2] metres, radii [...] metres, velocities [..., 2] m/s; everything broadcasts over leading axes.
"""

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon.geometry.neighbours import pairs_within

__all__ = ["first_contact", "gap_matrix", "gaps", "overlaps", "set_gaps"]

STANDING = 1e-12
"""m/s: slower than this, two discs stand still to each other."""


def _array(values: ArrayLike) -> Array:
    return np.asarray(values, dtype=np.float64)


def gaps(
    centres: ArrayLike, others: ArrayLike, *, radii: ArrayLike = 0.0, other_radii: ArrayLike | None = None
) -> Array:
    """Return the signed gaps of discs, one by one, eq. (1); `other_radii` are `radii` unless given."""
    apart = _array(others) - _array(centres)
    reach = _array(radii) + _array(radii if other_radii is None else other_radii)
    return np.asarray(np.hypot(apart[..., 0], apart[..., 1]) - reach)


def gap_matrix(centres: ArrayLike, radii: ArrayLike) -> Array:
    """Return [N, N] signed gaps of every disc from every other; infinite on the diagonal."""
    centres, radii = _array(centres), np.broadcast_to(_array(radii), np.shape(centres)[:1])
    matrix = gaps(centres[:, None], centres[None], radii=radii[:, None], other_radii=radii[None])
    np.fill_diagonal(matrix, np.inf)
    return matrix


def set_gaps(centres: ArrayLike, others: ArrayLike, *, radii: ArrayLike, other_radii: ArrayLike | None = None) -> Array:
    """Return the smallest gap between sets of discs: [..., A, 2] and [..., B, 2] with radii [..., A], [..., B] → [...].

    A footprint is such a set of one to three discs. Sets of fewer discs are filled up with radius −inf.
    """
    a, b = _array(centres), _array(others)
    ra = _array(radii)
    rb = ra if other_radii is None else _array(other_radii)
    between = gaps(a[..., :, None, :], b[..., None, :, :], radii=ra[..., :, None], other_radii=rb[..., None, :])
    return np.asarray(between.min(axis=(-2, -1)))


def overlaps(centres: ArrayLike, radii: ArrayLike, *, margin: float = 0.0) -> tuple[IntArray, Array]:
    """Find all pairs of N discs with a gap under `margin`: pairs [P, 2], i < j, sorted, and their gaps [P].

    Time grows with N and the number of near pairs, not with N²; the widest disc sets the size of the search.
    """
    centres = _array(centres)
    radii = np.broadcast_to(_array(radii), centres.shape[:1])
    if len(centres) and not (np.isfinite(radii).all() and radii.min() >= 0):
        raise InvalidValue(f"radii must be finite and not negative, got {radii.min():g} to {radii.max():g} m")
    reach = 2 * float(radii.max(initial=0.0)) + margin
    if reach <= 0:
        return np.zeros((0, 2), np.int64), np.zeros(0)
    pairs = pairs_within(centres, reach)
    found = gaps(centres[pairs[:, 0]], centres[pairs[:, 1]], radii=radii[pairs[:, 0]], other_radii=radii[pairs[:, 1]])
    near = found < margin
    return pairs[near], found[near]


def first_contact(offsets: ArrayLike, velocities: ArrayLike, *, reach: ArrayLike) -> Array:
    """Return the seconds until two moving discs touch, eq. (2): 0 where they overlap already, inf where they never do.

    `offsets` [..., 2] is the place of one disc seen from the other, `velocities` [..., 2] its velocity seen from the
    other, and `reach` [...] the sum of the radii.
    """
    p, v, r = _array(offsets), _array(velocities), _array(reach)
    # |p + v t|² = r² is a t² + 2 b t + c = 0. With b < 0 (they approach) the first root is c / (−b + √d), which loses
    # no digits where a is small, unlike (−b − √d) / a.
    a, b, c = (v * v).sum(-1), (p * v).sum(-1), (p * p).sum(-1) - r * r
    d = b * b - a * c
    meets = (b < 0) & (d >= 0) & (a > STANDING * STANDING)
    times = np.where(meets, c / np.where(meets, np.sqrt(np.maximum(d, 0.0)) - b, 1.0), np.inf)
    return np.asarray(np.where(c < 0, 0.0, times))
