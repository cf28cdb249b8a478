"""Corrections: known exactly at some frames, filled smoothly in between, gone where nothing needs them.

Locking feet means adding a correction (a shift, a small rotation vector) to a motion. At planted frames it is given;
elsewhere it should join them without a jump in value or speed, and fade to nothing in long gaps so that a swing stays
as captured.
"""

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from walkon._base.arrays import Array, BoolArray
from walkon.motion.runs import find_runs

__all__ = ["fill_between", "smooth_cover"]


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
    gaps = find_runs(~given)
    for start, stop in zip(gaps.starts, gaps.stops, strict=True):
        before, after = start - 1, stop
        left = _end(values, given, before, -1) if before >= 0 else None
        right = _end(values, given, after, 1) if after < T else None
        frames = np.arange(start, stop, dtype=float)
        if left is not None and right is not None and after - before < 2 * fade:
            values[start:stop] = _cubic((frames - before) / (after - before), left, right, after - before)
            continue
        zero = (np.zeros(values.shape[1]), np.zeros(values.shape[1]))
        filled = np.zeros((stop - start, values.shape[1]))
        if left is not None:
            filled += _cubic(np.minimum((frames - before) / fade, 1.0), left, zero, fade)
        if right is not None:
            filled += _cubic(np.maximum(1.0 - (after - frames) / fade, 0.0), zero, right, fade)
        values[start:stop] = filled
    return values


def _end(values: Array, given: BoolArray, frame: int, step: int) -> tuple[Array, Array]:
    """Return value and slope per frame at the given frame beside a gap; `step` points into the given run."""
    inner = frame + step
    if 0 <= inner < len(values) and given[inner]:
        return values[frame], (values[inner] - values[frame]) * step
    return values[frame], np.zeros(values.shape[1])


def _cubic(u: Array, left: tuple[Array, Array], right: tuple[Array, Array], length: float) -> Array:
    """Return the Hermite cubic at u [F] in [0, 1] between two (value, slope per frame) ends `length` frames apart."""
    u = u[:, None]
    rest = 1.0 - u
    most = 3.0 * max(float(np.linalg.norm(right[0] - left[0])), 1e-12) / length
    begin, end = (slope * min(1.0, most / max(float(np.linalg.norm(slope)), 1e-12)) for slope in (left[1], right[1]))
    return (
        left[0] * (1 + 2 * u) * rest**2
        + begin * length * u * rest**2
        + right[0] * (1 + 2 * rest) * u**2
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
