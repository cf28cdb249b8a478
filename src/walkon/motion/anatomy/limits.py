"""Joint limits by swing and twist: a hinge's range, or a ball joint's swing ellipse and twist range.

A rotation q of a ball joint is seen from its centre, c⁻¹ q, and split into a twist about the bone and a swing that
tilts it. The swing's rotation vector, in the plane across the bone, must lie in an ellipse whose four half-axes may
differ (a hip bends 120 degrees forward and 20 back):

    (s₁ / a±)² + (s₂ / b±)² ≤ 1          low ≤ twist ≤ high

A hinge turns about one axis only; what it turns about others counts as excess in full. Radians.

`limit_excess` says it of every joint; of many poses at once, `worst_excess` finds the worst joint, compiled.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from walkon._base.arrays import Array, IntArray, lock_fields
from walkon._base.errors import InvalidValue
from walkon._base.threads import in_chunks
from walkon.motion.anatomy.limit_rule import BALL, HINGE, LimitTables
from walkon.transforms import quaternions as quat

__all__ = ["BallLimit", "HingeLimit", "JointLimit", "limit_excess", "make_limit_tables", "worst_excess"]

CHUNK_ROW_COUNT = 512
"""Poses per task of the thread pool."""


@dataclass(frozen=True, kw_only=True)
class HingeLimit:
    """A joint that turns about one axis."""

    axis: tuple[float, float, float]
    """Unit, in the joint's frame at rest; a positive angle turns about it counter-clockwise."""
    low: float
    high: float
    slack: float = math.radians(5.0)
    """rad that it may turn about other axes: real hinges are not perfect, and capture less so."""

    def __post_init__(self) -> None:
        _check_axis(self.axis)
        if not -np.pi <= self.low <= self.high <= np.pi:
            raise InvalidValue(f"a hinge needs -pi <= low <= high <= pi, got {self.low:g} and {self.high:g}")

    def excess(self, rotations: Array) -> Array:
        """Return rad [...] by which rotations [..., 4] are beyond the range."""
        axis = np.asarray(self.axis)
        swing, twist = quat.swing_twist(rotations, axis)
        angle = np.sum(quat.log(twist) * axis, axis=-1)
        beyond = np.maximum(np.maximum(angle - self.high, self.low - angle), 0.0)
        return np.maximum(beyond, np.maximum(quat.angle(swing) - self.slack, 0.0))


@dataclass(frozen=True, kw_only=True)
class BallLimit:
    """A joint that swings and twists."""

    axis: tuple[float, float, float]
    """Unit, along the bone in the joint's frame at rest: what the twist is about."""
    first: tuple[float, float, float]
    """Unit, across the bone: swings about it have the half-axes `first_range`; those about axis × first the other."""
    first_range: tuple[float, float]
    """rad ≥ 0, how far it swings clockwise and counter-clockwise about `first`."""
    second_range: tuple[float, float]
    """rad ≥ 0, the same about axis × first."""
    twist: tuple[float, float]
    """rad, low and high."""
    centre: tuple[float, float, float, float] = field(default=(1.0, 0.0, 0.0, 0.0))
    """Rotation about which the ranges are counted; an arm hangs in the middle of its range, not stretched sideways."""

    def __post_init__(self) -> None:
        _check_axis(self.axis)
        _check_axis(self.first)
        if abs(np.dot(self.axis, self.first)) > 1e-6:
            raise InvalidValue(f"first must be across the axis, got {self.first} with {self.axis}")
        if min(*self.first_range, *self.second_range) <= 0 or self.twist[0] > self.twist[1]:
            raise InvalidValue("swing ranges must be positive, and the twist's low not above its high")

    def excess(self, rotations: Array) -> Array:
        """Return rad [...] by which rotations [..., 4] are beyond swing ellipse or twist, whichever is more."""
        axis, first = np.asarray(self.axis), np.asarray(self.first)
        seen = quat.multiply(quat.conjugate(np.asarray(self.centre)), rotations)
        swing, twist = quat.swing_twist(seen, axis)
        vector = quat.log(swing)
        a, b = vector @ first, vector @ np.cross(axis, first)
        across = np.hypot(
            a / np.where(a < 0, self.first_range[0], self.first_range[1]),
            b / np.where(b < 0, self.second_range[0], self.second_range[1]),
        )
        tilted = np.hypot(a, b)
        beyond = np.where(across > 1.0, tilted * (1.0 - 1.0 / np.maximum(across, 1.0)), 0.0)
        angle = np.sum(quat.log(twist) * axis, axis=-1)
        turned = np.maximum(np.maximum(angle - self.twist[1], self.twist[0] - angle), 0.0)
        return np.maximum(beyond, turned)


JointLimit = HingeLimit | BallLimit


def limit_excess(limits: Mapping[int, JointLimit], local_rotations: Array) -> Array:
    """Return rad [T, J] by which joints are beyond their limits; zero for joints that have none."""
    excess = np.zeros(local_rotations.shape[:-1])
    for joint, limit in limits.items():
        excess[..., joint] = limit.excess(local_rotations[..., joint, :])
    return excess


def make_limit_tables(limits: Sequence[Mapping[int, JointLimit]]) -> LimitTables:
    """Return the limits of several bodies as arrays."""
    rows = [
        (b, joint, limit, isinstance(limit, HingeLimit)) for b, one in enumerate(limits) for joint, limit in one.items()
    ]
    L = len(rows)
    twist = np.reshape([(o.low, o.high) if isinstance(o, HingeLimit) else o.twist for _, _, o, _ in rows], (L, 2))
    # What a hinge swings has no direction: its slack stands for all four half-axes.
    ranges = np.reshape(
        [(o.slack,) * 4 if isinstance(o, HingeLimit) else (*o.first_range, *o.second_range) for _, _, o, _ in rows],
        (L, 4),
    )
    axis = np.reshape([o.axis for _, _, o, _ in rows], (L, 3))
    first = np.reshape([o.axis if isinstance(o, HingeLimit) else o.first for _, _, o, _ in rows], (L, 3))
    centre = [(1.0, 0.0, 0.0, 0.0) if isinstance(o, HingeLimit) else o.centre for _, _, o, _ in rows]
    middle, half = twist.mean(axis=1), np.minimum(0.5 * (twist[:, 1] - twist[:, 0]), np.pi)
    owners = np.array([b for b, _, _, _ in rows], np.int64)
    return lock_fields(
        LimitTables(
            starts=np.searchsorted(owners, np.arange(len(limits) + 1)).astype(np.int64),
            joint=np.array([joint for _, joint, _, _ in rows], np.int64),
            kind=np.array([HINGE if hinge else BALL for _, _, _, hinge in rows], np.int64),
            centre=np.reshape(centre, (L, 4)).astype(np.float64),
            axis=axis.astype(np.float64),
            twist=twist.astype(np.float64),
            twist_middle=np.column_stack([np.cos(0.5 * middle), np.sin(0.5 * middle)]),
            twist_cosine=np.cos(0.5 * half) ** 2,
            swing_cosine=np.cos(0.5 * np.minimum(ranges.min(axis=1, initial=np.pi), np.pi)) ** 2,
            first=first.astype(np.float64),
            second=np.cross(axis, first).astype(np.float64),
            first_range=np.ascontiguousarray(ranges[:, :2], np.float64),
            second_range=np.ascontiguousarray(ranges[:, 2:], np.float64),
        )
    )


def worst_excess(tables: LimitTables, body: IntArray, local_rotations: Array) -> tuple[Array, IntArray]:
    """Return rad [R] by which the worst joint of bodies [R], turned by [R, J, 4], is beyond its limit, and which [R].

    0 and −1 where none is; the same as the largest of `limit_excess`.
    """
    from walkon.motion.anatomy import _limit_kernels

    body, local = np.ascontiguousarray(body, np.int64), np.ascontiguousarray(local_rotations, np.float64)
    excess, joint = np.zeros(len(body)), np.full(len(body), -1, np.int64)

    def work(a: int, b: int) -> None:
        _limit_kernels.worst_excess(tables, body[a:b], local[a:b], excess[a:b], joint[a:b])

    in_chunks(work, len(body), chunk=CHUNK_ROW_COUNT)
    return excess, joint


def _check_axis(axis: tuple[float, float, float]) -> None:
    if abs(float(np.linalg.norm(axis)) - 1.0) > 1e-6:
        raise InvalidValue(f"an axis must have length 1, got {axis}")
