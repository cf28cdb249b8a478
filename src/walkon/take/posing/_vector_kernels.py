"""Compiled helpers of posing: vectors and rotations as tuples, quantized rotations, rows by time.

They are compiled into the kernels that call them. The same in NumPy: `transforms.quaternions` and `rotations48`.
"""

# mypy: ignore-errors

import math

from walkon._base.jit import kernel

STEP = 2.0 * math.sqrt(0.5) / 32767
SPAN = math.sqrt(0.5)


@kernel()
def vector(rows, i):
    """Read three numbers as float64, whatever they are stored as."""
    return (1.0 * rows[i, 0], 1.0 * rows[i, 1], 1.0 * rows[i, 2])


@kernel()
def rotation(rows, i):
    return (rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3])


@kernel()
def put(rows, i, q):
    rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3] = q


@kernel()
def plus(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel()
def minus(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel()
def scaled(k, a):
    return (k * a[0], k * a[1], k * a[2])


@kernel()
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel()
def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel()
def mixed(a, b, w):
    u = 1.0 - w
    return (u * a[0] + w * b[0], u * a[1] + w * b[1], u * a[2] + w * b[2])


@kernel()
def times(a, b):
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel()
def back(q):
    return (q[0], -q[1], -q[2], -q[3])


@kernel()
def turned(q, v):
    u = (q[1], q[2], q[3])
    t = scaled(2.0, cross(u, v))
    return plus(plus(v, scaled(q[0], t)), cross(u, t))


@kernel()
def unit(q):
    k = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (k * q[0], k * q[1], k * q[2], k * q[3])


@kernel()
def nlerp(a, b, w):
    """Return the normalised mix of two near rotations."""
    v = -w if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0 else w
    u = 1.0 - w
    return unit((u * a[0] + v * b[0], u * a[1] + v * b[1], u * a[2] + v * b[2], u * a[3] + v * b[3]))


@kernel()
def slerp(a, b, w):
    """Return the rotation at w of the way from a to b."""
    dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    sign = -1.0 if dot < 0.0 else 1.0
    # Mixing linearly is as good where the angle is so small that its sine loses digits.
    u, v = 1.0 - w, sign * w
    if sign * dot < 1.0 - 1e-9:
        angle = math.acos(sign * dot)
        u, v = math.sin((1.0 - w) * angle), sign * math.sin(w * angle)
    return unit((u * a[0] + v * b[0], u * a[1] + v * b[1], u * a[2] + v * b[2], u * a[3] + v * b[3]))


@kernel()
def about(axis, angle):
    k = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), k * axis[0], k * axis[1], k * axis[2])


@kernel()
def exp(v):
    angle = math.sqrt(dot(v, v))
    k = 0.5 if angle < 1e-8 else math.sin(0.5 * angle) / angle
    return (math.cos(0.5 * angle), k * v[0], k * v[1], k * v[2])


@kernel()
def between(a, b):
    """Return the smallest rotation that turns the direction of a to that of b."""
    sizes = math.sqrt(dot(a, a) * dot(b, b))
    w = sizes + dot(a, b)
    if sizes < 1e-12 or w < 1e-9 * sizes:
        return (1.0, 0.0, 0.0, 0.0)
    c = cross(a, b)
    return unit((w, c[0], c[1], c[2]))


@kernel()
def ease(p):
    p = min(max(p, 0.0), 1.0)
    return p * p * (3.0 - 2.0 * p)


@kernel()
def unpacked(words, row):
    """Read a rotation in 48 bits."""
    a, b, c = int(words[row, 0]), int(words[row, 1]), int(words[row, 2])
    largest = (a >> 15) | ((b >> 15) << 1)
    x, y, z = (a & 32767) * STEP - SPAN, (b & 32767) * STEP - SPAN, (c & 32767) * STEP - SPAN
    rest = math.sqrt(max(1.0 - x * x - y * y - z * z, 0.0))
    if largest == 0:
        return (rest, x, y, z)
    if largest == 1:
        return (x, rest, y, z)
    if largest == 2:
        return (x, y, rest, z)
    return (x, y, z, rest)


@kernel()
def last_not_after(times, first, stop, t):
    """Return the last row in [first, stop) whose time is at most t, first − 1 if there is none."""
    low, high = first, stop
    while low < high:
        middle = (low + high) // 2
        if times[middle] <= t:
            low = middle + 1
        else:
            high = middle
    return low - 1
