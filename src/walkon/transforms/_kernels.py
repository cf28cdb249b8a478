"""Compiled vectors, rotations, planar poses and easing, for one at a time: the same as the modules beside, on tuples.

Vectors are tuples of 3, rotations unit quaternions as tuples of 4, w first. They are compiled into the kernels that
call them.
"""

# mypy: ignore-errors

import math

from walkon._base.jit import kernel


@kernel(borrowed=True)
def vector(rows, i):
    """Read three numbers as float64, whatever they are stored as."""
    return (1.0 * rows[i, 0], 1.0 * rows[i, 1], 1.0 * rows[i, 2])


@kernel(borrowed=True)
def rotation(rows, i):
    return (rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3])


@kernel(borrowed=True)
def put(rows, i, q):
    rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3] = q


@kernel(borrowed=True)
def plus(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel(borrowed=True)
def minus(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel(borrowed=True)
def scale(k, a):
    return (k * a[0], k * a[1], k * a[2])


@kernel(borrowed=True)
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(borrowed=True)
def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel(borrowed=True)
def mix(a, b, w):
    u = 1.0 - w
    return (u * a[0] + w * b[0], u * a[1] + w * b[1], u * a[2] + w * b[2])


@kernel(borrowed=True)
def multiply(a, b):
    """Return the rotation b followed by the rotation a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel(borrowed=True)
def conjugate(q):
    return (q[0], -q[1], -q[2], -q[3])


@kernel(borrowed=True)
def rotate(q, v):
    """Return v + w t + u × t, with q = (w, u) and t = 2 u × v."""
    u = (q[1], q[2], q[3])
    t = scale(2.0, cross(u, v))
    return plus(plus(v, scale(q[0], t)), cross(u, t))


@kernel(borrowed=True)
def transform(p, q, v):
    """Return p + v + w t + u × t, v turned by q and moved to p, summed from left to right."""
    tx, ty, tz = 2.0 * (q[2] * v[2] - q[3] * v[1]), 2.0 * (q[3] * v[0] - q[1] * v[2]), 2.0 * (q[1] * v[1] - q[2] * v[0])
    return (
        p[0] + v[0] + q[0] * tx + q[2] * tz - q[3] * ty,
        p[1] + v[1] + q[0] * ty + q[3] * tx - q[1] * tz,
        p[2] + v[2] + q[0] * tz + q[1] * ty - q[2] * tx,
    )


@kernel(borrowed=True)
def normalize(q):
    k = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (k * q[0], k * q[1], k * q[2], k * q[3])


@kernel(borrowed=True)
def nlerp(a, b, w):
    """Return the normalised mix of two near rotations."""
    v = -w if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0 else w
    u = 1.0 - w
    return normalize((u * a[0] + v * b[0], u * a[1] + v * b[1], u * a[2] + v * b[2], u * a[3] + v * b[3]))


@kernel(borrowed=True)
def slerp(a, b, w):
    """Return the rotation at w of the way from a to b."""
    dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    sign = -1.0 if dot < 0.0 else 1.0
    # Mixing linearly is as good where the angle is so small that its sine loses digits.
    u, v = 1.0 - w, sign * w
    if sign * dot < 1.0 - 1e-9:
        angle = math.acos(sign * dot)
        u, v = math.sin((1.0 - w) * angle), sign * math.sin(w * angle)
    return normalize((u * a[0] + v * b[0], u * a[1] + v * b[1], u * a[2] + v * b[2], u * a[3] + v * b[3]))


@kernel(borrowed=True)
def about(axis, angle):
    k = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), k * axis[0], k * axis[1], k * axis[2])


@kernel(borrowed=True)
def exp(v):
    angle = math.sqrt(dot(v, v))
    k = 0.5 if angle < 1e-8 else math.sin(0.5 * angle) / angle
    return (math.cos(0.5 * angle), k * v[0], k * v[1], k * v[2])


@kernel(borrowed=True)
def between(a, b):
    """Return the smallest rotation that turns the direction of a to that of b; a half turn where they are opposite."""
    sizes = math.sqrt(dot(a, a) * dot(b, b))
    w = sizes + dot(a, b)
    if sizes < 1e-12:
        return (1.0, 0.0, 0.0, 0.0)
    if w < 1e-9 * sizes:
        # Any axis across a will do; take the one most across its smallest part.
        x, y, z = abs(a[0]), abs(a[1]), abs(a[2])
        smallest = (1.0, 0.0, 0.0) if x <= y and x <= z else (0.0, 1.0, 0.0) if y <= z else (0.0, 0.0, 1.0)
        c = cross(a, smallest)
        return normalize((0.0, c[0], c[1], c[2]))
    c = cross(a, b)
    return normalize((w, c[0], c[1], c[2]))


@kernel(borrowed=True)
def smoothstep(u):
    u = min(max(u, 0.0), 1.0)
    return u * u * (3.0 - 2.0 * u)


@kernel(borrowed=True)
def wrap(angle):
    """Return an angle in [−π, π)."""
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


@kernel(borrowed=True)
def compose_planar(pose, move, out):
    """Fill out [3] with pose ∘ move; headings are not wrapped."""
    c, s = math.cos(pose[2]), math.sin(pose[2])
    out[0] = pose[0] + c * move[0] - s * move[1]
    out[1] = pose[1] + s * move[0] + c * move[1]
    out[2] = pose[2] + move[2]


@kernel(borrowed=True)
def undo_planar(pose, move, out):
    """Fill out [3] with pose ∘ move⁻¹; headings are not wrapped."""
    h = pose[2] - move[2]
    c, s = math.cos(h), math.sin(h)
    out[0] = pose[0] - c * move[0] + s * move[1]
    out[1] = pose[1] - s * move[0] - c * move[1]
    out[2] = h
