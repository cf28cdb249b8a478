"""Compiled fitting of tracks: which samples become knots of a cubic Hermite (see `track_rows`)."""

# mypy: ignore-errors

import math

from walkon._base.jit import kernel, reads, writes


@kernel(borrowed=True)
def _spans(place, heading, speed, i, j, seconds, origin, grain, speed_grain, limits, steps, quick):
    """Say whether the piece from sample i to j, quantized, is within the limits of all samples from i to j."""
    h = (j - i) * seconds
    turn = (int(steps[j, 3]) - int(steps[i, 3]) + 32768) % 65536 - 32768
    for k in range(i, j + 1):
        u = (k - i) / (j - i)
        v = 1.0 - u
        off, slow = 0.0, 0.0
        for a in range(3):
            p0, p1 = origin[a] + grain * steps[i, a], origin[a] + grain * steps[j, a]
            v0, v1 = speed_grain * quick[i, a], speed_grain * quick[j, a]
            at = (1.0 + 2.0 * u) * v * v * p0 + u * u * (3.0 - 2.0 * u) * p1 + h * u * v * (v * v0 - u * v1)
            rise = 6.0 * u * v * (p1 - p0) / h + v * (1.0 - 3.0 * u) * v0 + u * (3.0 * u - 2.0) * v1
            wrong = at - place[k, a]
            if a < 2:
                off += wrong * wrong
            elif abs(wrong) > limits[1]:
                return False
            slow += (rise - speed[k, a]) * (rise - speed[k, a])
        if off > limits[0] * limits[0] or slow > limits[3] * limits[3]:
            return False
        askew = heading[k] - (steps[i, 3] + u * turn) * (math.pi / 32768.0)
        askew -= 2.0 * math.pi * math.floor((askew + math.pi) / (2.0 * math.pi))
        if abs(askew) > limits[2]:
            return False
    return True


@kernel(
    reads(3),
    reads(2),
    reads(3),
    "float64",
    reads(2),
    reads(1, "float32"),
    reads(1, "float32"),
    reads(1),
    writes(3, "int16"),
    writes(3, "int8"),
    writes(2, "uint16"),
    writes(1, "int64"),
    borrowed=True,
)
def fit(place, heading, speed, seconds, origin, grain, speed_grain, limits, steps, quick, kept, counts):
    """Fill quantized samples (steps [n, T, 4] of place and heading, quick [n, T, 3]), the samples that are kept, and
    how many of each track are.
    """
    T = place.shape[1]
    for n in range(len(place)):
        size, pace = 1.0 * grain[n], 1.0 * speed_grain[n]
        for k in range(T):
            for a in range(3):
                steps[n, k, a] = int(math.floor((place[n, k, a] - origin[n, a]) / size + 0.5))
                quick[n, k, a] = int(math.floor(speed[n, k, a] / pace + 0.5))
            turned = int(math.floor(heading[n, k] * (32768.0 / math.pi) + 0.5))
            steps[n, k, 3] = (turned + 32768) % 65536 - 32768
        kept[n, 0] = 0
        count, i = 1, 0
        p, h, v, o, q, w = place[n], heading[n], speed[n], origin[n], steps[n], quick[n]
        while i < T - 1:
            good, step = i + 1, 2
            while i + step < T and _spans(p, h, v, i, i + step, seconds, o, size, pace, limits, q, w):
                good = i + step
                step *= 2
            bad = min(i + step, T)
            while bad - good > 1:
                middle = (good + bad) // 2
                if _spans(p, h, v, i, middle, seconds, o, size, pace, limits, q, w):
                    good = middle
                else:
                    bad = middle
            kept[n, count] = good
            count += 1
            i = good
        counts[n] = count
