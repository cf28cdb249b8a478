"""Planar helpers that are compiled into the planner's kernels: composing poses, angles, chance."""

# mypy: ignore-errors

import math

from walkon._base.jit import kernel


@kernel(borrowed=True)
def chance(state):
    """Return a number in [0, 1) and advance the state [1] (xorshift64*)."""
    x = state[0]
    x ^= (x >> 12) & 0x000FFFFFFFFFFFFF
    x ^= x << 25
    x ^= (x >> 27) & 0x0000001FFFFFFFFF
    state[0] = x
    y = x * 2685821657736338717
    return ((y >> 11) & 0x001FFFFFFFFFFFFF) / 9007199254740992.0


@kernel(borrowed=True)
def wrap(angle):
    """Return an angle in [−π, π)."""
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


@kernel(borrowed=True)
def after(pose, move, out):
    """Fill out [3] with pose ∘ move."""
    c, s = math.cos(pose[2]), math.sin(pose[2])
    out[0] = pose[0] + c * move[0] - s * move[1]
    out[1] = pose[1] + s * move[0] + c * move[1]
    out[2] = pose[2] + move[2]


@kernel(borrowed=True)
def before(pose, move, out):
    """Fill out [3] with pose ∘ move⁻¹."""
    h = pose[2] - move[2]
    c, s = math.cos(h), math.sin(h)
    out[0] = pose[0] - c * move[0] + s * move[1]
    out[1] = pose[1] - s * move[0] - c * move[1]
    out[2] = h
