"""Runs, unbroken stretches of True along time, as starts and stops; and corrections that fill what lies between them.

Locking feet means adding a correction (a shift, a small rotation vector) to a motion. In runs of planted frames it is
given; elsewhere it should join them without a jump in value or speed, and fade to nothing in long gaps so that a swing
stays as captured.
"""

import math

import numpy as np
from scipy.ndimage import binary_propagation, gaussian_filter1d, maximum_filter1d

from walkon._base.arrays import Array, BoolArray, IntArray

__all__ = ["close_gaps", "drop_short", "fill_between", "find_runs", "smooth_cover", "with_hysteresis"]


def find_runs(flags: BoolArray) -> tuple[IntArray, IntArray]:
    """Return starts and stops [R] of the runs of True in flags [T]: run r covers frames starts[r] to stops[r] − 1."""
    edges = np.diff(np.concatenate([[0], np.asarray(flags, dtype=np.int8), [0]]))
    return np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)


def close_gaps(flags: BoolArray, longest: float) -> BoolArray:
    """Fill gaps of at most `longest` frames between two runs."""
    closed = np.array(flags, dtype=bool)
    for start, stop in zip(*find_runs(~closed), strict=True):
        if start > 0 and stop < len(closed) and stop - start <= longest:
            closed[start:stop] = True
    return closed


def drop_short(flags: BoolArray, shortest: float) -> BoolArray:
    """Clear runs of fewer than `shortest` frames; runs cut off by the ends of the clip may go on outside and stay."""
    return ~close_gaps(~np.asarray(flags, dtype=bool), math.ceil(shortest) - 1)


def with_hysteresis(strict: BoolArray, loose: BoolArray) -> BoolArray:
    """Return the runs of `loose` in which `strict` is True at least once."""
    return np.asarray(binary_propagation(strict & loose, mask=loose))


def fill_between(values: Array, given: BoolArray, *, fade: float) -> Array:
    """Return values [T, D] kept where `given` [T] and filled elsewhere by cubic pieces with matching value and slope.

    A gap shorter than twice `fade` frames is one piece; a longer one fades to zero, stays there, and comes back.
    Slopes at the ends of a gap come from the given frames beside it, limited so that no piece overshoots: a cubic is
    monotone while its end slopes are at most three times the mean slope (Fritsch and Carlson 1980).
    """
    values = np.where(given[:, None], values, 0.0)
    if not given.any():
        return values
    T = len(values)
    fade = max(2.0, fade)
    starts, after = find_runs(~given)
    before = starts - 1
    has_left, has_right = before >= 0, after < T
    left, right = _ends(values, given, np.maximum(before, 0), -1), _ends(values, given, np.minimum(after, T - 1), 1)
    zero = (np.zeros_like(left[0]), np.zeros_like(left[0]))
    joined = has_left & has_right & (after - before < 2 * fade)
    length = np.where(joined, after - before, fade).astype(float)

    frames = np.flatnonzero(~given)
    gap = np.repeat(np.arange(len(before)), after - starts)
    since, until = (frames - before[gap]) / length[gap], (after[gap] - frames) / length[gap]
    for chosen, u, begin, end in (
        (joined, since, left, right),
        (has_left & ~joined, np.minimum(since, 1.0), left, zero),
        (has_right & ~joined, np.maximum(1.0 - until, 0.0), zero, right),
    ):
        mine = chosen[gap]
        values[frames[mine]] += _cubic(u[mine], gap[mine], begin, end, length)
    return values


def _ends(values: Array, given: BoolArray, frames: IntArray, step: int) -> tuple[Array, Array]:
    """Return values and slopes per frame [G, D] at given frames [G] beside gaps; `step` points into the given runs."""
    inner = np.clip(frames + step, 0, len(values) - 1)
    slopes = (values[inner] - values[frames]) * step
    return values[frames], np.where((given[inner] & (inner != frames))[:, None], slopes, 0.0)


def _cubic(u: Array, gap: IntArray, left: tuple[Array, Array], right: tuple[Array, Array], length: Array) -> Array:
    """Return Hermite cubics [F, D] at u [F] in [0, 1], each that of a `gap` [F].

    A gap has a value and a slope per frame at either end [G, D], `length` [G] frames apart.
    """
    most = 3.0 * np.maximum(np.linalg.norm(right[0] - left[0], axis=1), 1e-12) / length
    begin, end = (
        (slope * np.minimum(1.0, most / np.maximum(np.linalg.norm(slope, axis=1), 1e-12))[:, None])[gap]
        for slope in (left[1], right[1])
    )
    u, length = u[:, None], length[gap, None]
    rest = 1.0 - u
    return np.asarray(
        left[0][gap] * (1 + 2 * u) * rest**2
        + begin * length * u * rest**2
        + right[0][gap] * (1 + 2 * rest) * u**2
        - end * length * rest * u**2
    )


def smooth_cover(needed: Array, *, width: float) -> Array:
    """Return a smooth curve [T] that is at least `needed` [T] ≥ 0 everywhere and zero farther than `width` frames away.

    The need is widened by half a width and then averaged over the same width, so that no frame falls short.
    """
    half = max(1, round(width / 2))
    wide = maximum_filter1d(needed, 2 * half + 1, mode="nearest")
    # A filter no wider than the widening averages only values that are at least the need; a short bell inside it
    # gives smooth starts and stops.
    return gaussian_filter1d(wide, half / 3.0, mode="nearest", truncate=3.0)
