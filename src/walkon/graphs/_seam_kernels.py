"""Compiled blends of transitions and how their joints' velocities change. Twin: tests/twins/seams.py."""

# mypy: ignore-errors

import math

import numpy as np

from walkon._base.jit import kernel, reads, writes
from walkon.transforms import _kernels as vec


@kernel()
def _slerp(a, b, w):
    """Return the rotation at w of the way from a to b, by slerp."""
    dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    sign = -1.0 if dot < 0.0 else 1.0
    dot = min(sign * dot, 1.0)
    if dot > 0.9995:
        u, v = 1.0 - w, sign * w
    else:
        angle = math.acos(dot)
        u, v = math.sin((1.0 - w) * angle) / math.sin(angle), sign * math.sin(w * angle) / math.sin(angle)
    return vec.normalize((u * a[0] + v * b[0], u * a[1] + v * b[1], u * a[2] + v * b[2], u * a[3] + v * b[3]))


@kernel()
def _pose(parents, offsets, roots, rotations, a, b, pose, w, world, places):
    """Place all joints for frame a of one clip faded to w into frame b of the other, which is moved by `pose`."""
    c, s = math.cos(pose[2]), math.sin(pose[2])
    x = c * roots[b, 0] - s * roots[b, 1] + pose[0]
    y = s * roots[b, 0] + c * roots[b, 1] + pose[1]
    places[0, 0] = (1.0 - w) * roots[a, 0] + w * x
    places[0, 1] = (1.0 - w) * roots[a, 1] + w * y
    places[0, 2] = (1.0 - w) * roots[a, 2] + w * roots[b, 2]
    turn = (math.cos(0.5 * pose[2]), 0.0, 0.0, math.sin(0.5 * pose[2]))
    for j in range(parents.shape[0]):
        p, q = vec.rotation(rotations[a], j), vec.rotation(rotations[b], j)
        if j == 0:
            q = vec.multiply(turn, q)
        r = p if w <= 0.0 else (q if w >= 1.0 else _slerp(p, q, w))
        if j > 0:
            i = parents[j]
            up = vec.rotation(world, i)
            r = vec.multiply(up, r)
            places[j, 0], places[j, 1], places[j, 2] = vec.transform(vec.vector(places, i), up, vec.vector(offsets, j))
        vec.put(world, j, r)


@kernel(
    reads(1, "int64"),
    reads(2),
    reads(2),
    reads(3),
    reads(2, "float32"),
    reads(1, "int64"),
    reads(1, "int64"),
    reads(2),
    "float64",
    writes(3, "float32"),
    writes(3, "float32"),
)
def measure(parents, offsets, roots, rotations, own, first_a, first_b, poses, rate, change, excess):
    """Fill change and excess [M, k, J] of blends of frames first_a … + k − 1 into first_b … + k − 1, moved by poses.

    `own` [F, J] is the velocity change of the sources, NaN at the ends of clips: there is no frame beyond.
    """
    M, k, J = change.shape
    places, world = np.empty((k + 2, J, 3)), np.empty((J, 4))
    for m in range(M):
        a, b = first_a[m], first_b[m]
        before = not math.isnan(own[a, 0])
        after = not math.isnan(own[b + k - 1, 0])
        for f in range(-1, k + 1):
            if f < 0:
                if before:
                    _pose(parents, offsets, roots, rotations, a - 1, a, poses[m], 0.0, world, places[0])
            elif f == k:
                if after:
                    # Only the second clip counts here; any frame stands for the first.
                    _pose(parents, offsets, roots, rotations, a, b + k, poses[m], 1.0, world, places[k + 1])
            else:
                u = f / (k - 1.0)
                w = u * u * (3.0 - 2.0 * u)
                _pose(parents, offsets, roots, rotations, a + f, b + f, poses[m], w, world, places[f + 1])
        for f in range(k):
            known = (f > 0 or before) and (f < k - 1 or after)
            for j in range(J):
                if not known:
                    change[m, f, j] = np.nan
                    excess[m, f, j] = np.nan
                    continue
                total = 0.0
                for i in range(3):
                    step = places[f + 2, j, i] - 2.0 * places[f + 1, j, i] + places[f, j, i]
                    total += step * step
                value = math.sqrt(total) * rate
                one, other = own[a + f, j], own[b + f, j]
                # Where one source has no frame beyond, the other one decides.
                larger = other if math.isnan(one) else (one if math.isnan(other) else max(one, other))
                change[m, f, j] = value
                excess[m, f, j] = value - larger
