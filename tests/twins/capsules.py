"""Gaps of tapered capsules by halving: what `geometry._kernels.capsule_gaps` is held equal to. Metres."""

import numpy as np

from walkon._base.arrays import Array
from walkon.geometry._kernels import SLOPE_SOFTENING_M
from walkon.geometry.capsules import Capsules, _check

__all__ = ["gaps_numpy"]

HALVINGS = 60
"""Steps of the plain twin: 2⁻⁶⁰ of a segment is below rounding."""


def gaps_numpy(a: Capsules, b: Capsules) -> Array:
    """Do what `gaps` does by halving the interval of s: the twin that proves the kernel right."""
    a, b = _check(a), _check(b)
    shape = np.broadcast_shapes(a.starts.shape[:-1], b.starts.shape[:-1])
    axis, taper = a.ends - a.starts, a.radii[..., 1] - a.radii[..., 0]
    low, high = np.zeros(shape), np.ones(shape)

    def at(s: Array) -> tuple[Array, Array]:
        """Return the gap for the best t, and its slope in s (the best t does not move it: envelope theorem)."""
        place = a.starts + s[..., None] * axis
        t = _best_on_axis(b, place)
        apart = place - (b.starts + t[..., None] * (b.ends - b.starts))
        distance = np.linalg.norm(apart, axis=-1)
        gap = distance - a.radii[..., 0] - s * taper - b.radii[..., 0] - t * (b.radii[..., 1] - b.radii[..., 0])
        return gap, (apart * axis).sum(-1) / np.hypot(distance, SLOPE_SOFTENING_M) - taper

    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        rising = at(middle)[1] > 0
        low, high = np.where(rising, low, middle), np.where(rising, middle, high)
    ends = (at(np.zeros(shape))[0], at(np.ones(shape))[0], at(0.5 * (low + high))[0])
    return np.asarray(np.minimum(np.minimum(ends[0], ends[1]), ends[2]))


def _best_on_axis(capsules: Capsules, points: Array) -> Array:
    """Return t in [0, 1] where |p − c(t)| − r(t) is smallest.

    With L the length, x the place of p along the axis and h its distance from it, the slope of
    √(h² + (x − τ)²) − ρ τ, ρ = (r₁ − r₀)/L, is zero at τ = x + h ρ/√(1 − ρ²). Where |ρ| ≥ 1 one ball holds the other.
    """
    axis = capsules.ends - capsules.starts
    length = np.linalg.norm(axis, axis=-1)
    there = length > 0
    safe = np.where(there, length, 1.0)
    to = points - capsules.starts
    x = (to * axis).sum(-1) / safe
    h = np.sqrt(np.maximum((to * to).sum(-1) - x * x, 0.0) + SLOPE_SOFTENING_M * SLOPE_SOFTENING_M)
    rho = (capsules.radii[..., 1] - capsules.radii[..., 0]) / safe
    inside = np.abs(rho) < 1.0
    tau = x + h * rho / np.sqrt(np.where(inside, 1.0 - rho * rho, 1.0))
    t = np.clip(tau / safe, 0.0, 1.0)
    bigger = np.where(capsules.radii[..., 1] > capsules.radii[..., 0], 1.0, 0.0)
    return np.asarray(np.where(there & inside, t, bigger))
