"""Rotations as unit quaternions, [..., 4], w first; `multiply(a, b)` applies b first, then a.

All functions broadcast over leading axes and return new float64 arrays. `q` and `−q` are the same rotation; functions
that compare or blend rotations take the shorter way, and `continuous` chooses the signs along time.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue

__all__ = [
    "IDENTITY",
    "about",
    "angle",
    "angle_between",
    "between",
    "conjugate",
    "continuous",
    "cross",
    "exp",
    "from_euler",
    "from_matrix",
    "log",
    "mean",
    "multiply",
    "normalize",
    "rotate",
    "slerp",
    "swing_twist",
    "to_euler",
    "to_matrix",
    "turn",
]

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.flags.writeable = False

Axes = Literal["xyz", "xzy", "yxz", "yzx", "zxy", "zyx"]


def _array(q: ArrayLike) -> Array:
    return np.asarray(q, dtype=np.float64)


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the Hamilton product a b: the rotation `b` followed by the rotation `a`."""
    a, b = _array(a), _array(b)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def conjugate(q: ArrayLike) -> Array:
    """Return the inverse rotation of unit quaternions: (w, −x, −y, −z)."""
    return np.asarray(_array(q) * np.array([1.0, -1.0, -1.0, -1.0]))


def normalize(q: ArrayLike) -> Array:
    """Scale to unit length; a zero quaternion becomes the identity."""
    q = _array(q)
    norm = np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(norm > 1e-12, q / np.where(norm > 1e-12, norm, 1.0), IDENTITY)


def cross(a: Array, b: Array) -> Array:
    """Return a × b of vectors [..., 3]: to the bit what `np.cross` gives, in a third of its time for a few vectors."""
    found = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
        found[..., k] = a[..., i] * b[..., j] - a[..., j] * b[..., i]
    return found


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """Rotate vectors [..., 3]: v + 2 w (u × v) + 2 u × (u × v), with q = (w, u)."""
    q, v = _array(q), _array(v)
    u, w = q[..., 1:], q[..., :1]
    t = 2.0 * cross(u, v)
    return v + w * t + cross(u, t)


def about(axis: ArrayLike, radians: ArrayLike) -> Array:
    """Return the rotation by `radians` about unit axes [..., 3]."""
    axis, half = _array(axis), 0.5 * _array(radians)[..., None]
    axis = np.broadcast_arrays(axis, half)[0]
    return np.concatenate([np.broadcast_to(np.cos(half), (*axis.shape[:-1], 1)), np.sin(half) * axis], axis=-1)


def turn(heading: ArrayLike) -> Array:
    """Return the rotation by `heading` about the vertical, +z."""
    half = 0.5 * _array(heading)
    zero = np.zeros_like(half)
    return np.stack([np.cos(half), zero, zero, np.sin(half)], axis=-1)


def exp(rotation_vector: ArrayLike) -> Array:
    """Return the rotation about the direction of a vector [..., 3] by its length in radians."""
    v = _array(rotation_vector)
    theta = np.linalg.norm(v, axis=-1, keepdims=True)
    # sinc(θ/2π) = sin(θ/2)/(θ/2) is smooth through zero.
    return np.concatenate([np.cos(0.5 * theta), 0.5 * np.sinc(theta / (2 * np.pi)) * v], axis=-1)


def log(q: ArrayLike) -> Array:
    """Return the rotation vector [..., 3], of length in [0, π], of unit quaternions; the inverse of `exp`."""
    q = _array(q)
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    theta = 2.0 * np.arctan2(sine, q[..., :1])
    small = sine < 1e-8
    return np.where(small, 2.0, theta / np.where(small, 1.0, sine)) * q[..., 1:]


def angle(q: ArrayLike) -> Array:
    """Return the angle of rotation, in [0, π]."""
    q = _array(q)
    return np.asarray(2.0 * np.arctan2(np.linalg.norm(q[..., 1:], axis=-1), np.abs(q[..., 0])))


def angle_between(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the angle in [0, π] of the rotation that takes `a` to `b`."""
    return angle(multiply(conjugate(a), b))


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Array:
    """Interpolate on the sphere by the shorter way, a (a⁻¹ b)ᵗ: `a` at t = 0 and `b` at t = 1, at constant speed."""
    a, t = _array(a), _array(t)
    return multiply(a, exp(t[..., None] * log(multiply(conjugate(a), b))))


def between(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the smallest rotation that takes direction `a` [..., 3] to `b`; for opposite directions, any half turn."""
    start, stop = np.broadcast_arrays(_array(a), _array(b))
    start = start / np.linalg.norm(start, axis=-1, keepdims=True)
    stop = stop / np.linalg.norm(stop, axis=-1, keepdims=True)
    # q ~ (1 + a · b, a × b), with 1 + a · b = |a + b|²/2, which keeps its digits where the two are nearly opposite.
    both = np.linalg.norm(start + stop, axis=-1, keepdims=True)
    q = np.concatenate([0.5 * both * both, cross(start, stop)], axis=-1)
    # Opposite directions: any axis at right angles to a will do; take the one most across its smallest part.
    smallest = np.eye(3)[np.argmin(np.abs(start), axis=-1)]
    across = cross(start, smallest)
    half_turn = np.concatenate([np.zeros_like(both), across], axis=-1)
    return normalize(np.where(both < 1e-8, half_turn, q))


def swing_twist(q: ArrayLike, axis: ArrayLike) -> tuple[Array, Array]:
    """Split q = swing · twist, with the twist about the unit `axis` [..., 3] and the swing about a line across it."""
    q, axis = _array(q), _array(axis)
    along = np.sum(q[..., 1:] * axis, axis=-1, keepdims=True) * axis
    twist = normalize(np.concatenate([q[..., :1], along], axis=-1))
    return multiply(q, conjugate(twist)), twist


def continuous(q: ArrayLike, *, axis: int = 0) -> Array:
    """Choose signs along time so that neighbouring frames share a hemisphere; the first frame keeps its sign."""
    q = np.moveaxis(_array(q), axis, 0)
    flips = np.ones(q.shape[:-1])
    if len(q) > 1:
        flips[1:] = np.cumprod(np.where(np.sum(q[1:] * q[:-1], axis=-1) < 0, -1.0, 1.0), axis=0)
    return np.moveaxis(q * flips[..., None], 0, axis)


def mean(q: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Average rotations [N, 4] (or [N, ..., 4]) over the first axis, whatever their signs.

    The mean maximises Σ w (q̄ · q)²: it is the eigenvector of Σ w q qᵀ with the largest eigenvalue (Markley 2007).
    """
    q = _array(q)
    w = np.ones(len(q)) if weights is None else _array(weights)
    outer = np.einsum("n,n...i,n...j->...ij", w, q, q)
    vectors = np.linalg.eigh(outer)[1][..., :, -1]
    return np.where(np.sum(vectors * q[0], axis=-1, keepdims=True) < 0, -vectors, vectors)


def to_matrix(q: ArrayLike) -> Array:
    """Return rotation matrices [..., 3, 3]; columns are the images of x, y and z."""
    q = _array(q)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(m: ArrayLike) -> Array:
    """Return unit quaternions of rotation matrices [..., 3, 3], w ≥ 0 (the numerically largest part is divided by)."""
    m = _array(m)
    trace = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    diagonal = np.stack([trace, m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]], axis=-1)
    yz, zx, xy = (m[..., j, i] - m[..., i, j] for i, j in ((1, 2), (2, 0), (0, 1)))
    syz, szx, sxy = (m[..., j, i] + m[..., i, j] for i, j in ((1, 2), (2, 0), (0, 1)))
    one = 1.0 - trace
    candidates = np.stack(
        [
            np.stack([1.0 + trace, yz, zx, xy], axis=-1),
            np.stack([yz, one + 2 * m[..., 0, 0], sxy, szx], axis=-1),
            np.stack([zx, sxy, one + 2 * m[..., 1, 1], syz], axis=-1),
            np.stack([xy, szx, syz, one + 2 * m[..., 2, 2]], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(diagonal, axis=-1)[..., None, None]
    q = normalize(np.take_along_axis(candidates, best, axis=-2)[..., 0, :])
    return np.where(q[..., :1] < 0, -q, q)


def from_euler(radians: ArrayLike, order: str) -> Array:
    """Compose turns about local axes, [..., K] angles for K letters: order "zyx" is Rz Ry Rx (x is applied first)."""
    radians = _array(radians)
    if radians.shape[-1:] != (len(order),) or not set(order) <= set("xyz"):
        raise InvalidValue(f"order must be letters of 'xyz', one per angle; got {order!r} for shape {radians.shape}")
    q = np.broadcast_to(IDENTITY, (*radians.shape[:-1], 4))
    for k, letter in enumerate(order):
        q = multiply(q, about(np.eye(3)["xyz".index(letter)], radians[..., k]))
    return np.array(q)


def to_euler(q: ArrayLike, order: str) -> Array:
    """Return angles [..., 3] with from_euler(angles, order) = q, for any order of three different letters.

    The middle angle is in [−π/2, π/2]. At its ends the first and third turn are about one line; the third is then 0.

    The first angle is undone before the other two are read: any error in it (near the ends it is ill-defined) is made
    good by the third, so that the angles compose to q to rounding everywhere.
    """
    if sorted(order) != ["x", "y", "z"]:
        raise InvalidValue(f"order must be three different letters of 'xyz', got {order!r}")
    i, j, k = ("xyz".index(letter) for letter in order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    q = _array(q)
    m = to_matrix(q)
    locked = np.hypot(m[..., j, k], m[..., k, k]) < 1e-12
    first = np.where(
        locked,
        np.arctan2(sign * m[..., k, j], m[..., j, j]),
        np.arctan2(-sign * m[..., j, k], m[..., k, k]),
    )
    rest = to_matrix(multiply(about(np.eye(3)[i], -first), q))
    middle = np.arctan2(sign * rest[..., i, k], rest[..., k, k])
    third = np.arctan2(sign * rest[..., j, i], rest[..., j, j])
    return np.stack([first, middle, third], axis=-1)
