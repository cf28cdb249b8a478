"""C1 displacement maps: motion is bent so that chosen frames take a given pose at a given velocity, and fades back.

A map belongs to one match frame and has two Hermite pieces, one to each side, that end with zero value and slope at
the next match frame, at the clip's end, or after `MAX_MAP_S`, whichever comes first. With u from 0 at the match
frame to 1 at the end of a piece of L seconds, and the Hermite basis h₀₀ = (1 + 2u)(1 − u)², h₁₀ = u (1 − u)²,

    root:        p'(t) = p(t) + h₀₀(u) d + h₁₀(u) L s             (before the match frame: − h₁₀(u) L s)
    each joint:  q'(t) = q(t) · exp(h₀₀(u) δ) · exp(h₁₀(u) L σ)

At u = 0 that is the wanted value, and the wanted velocity: h₀₀' = 0 there, so the second factor alone carries the
angular velocity, ω' = Ad(exp(−δ)) ω + σ exactly. This is the cumulative form of a quaternion curve (Kim, Kim, Shin
1995); with the two exponents added it would only hold to first order in δ.

Velocities are differences over two frames, smoothed over five (`VELOCITY_WEIGHTS`): continuity matters at a scale
greater than a single frame. Metres, seconds, rotation vectors in each joint's own frame.

Reference: Gleicher, Shin, Kovar, Jepsen 2003, "Snap-Together Motion", section 4.2.1. Difference: the paper's pieces
always reach the next match frame. Over several seconds a slope of 1 rad/s would overshoot by its 4/27 per second, so
pieces are at most `MAX_MAP_S` long.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.transforms import quaternions as quat

__all__ = [
    "HUB_PASSAGE_S",
    "MAX_MAP_S",
    "Frames",
    "Maps",
    "accelerations",
    "apply_maps",
    "maps_to",
    "pass_through",
    "velocities",
]

MAX_MAP_S = 0.6
"""s: the longest piece of a displacement map, about a step."""
HUB_PASSAGE_S = 0.09
"""s on either side of a match frame within which motion passes over into the hub's own."""
VELOCITY_WEIGHTS = np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16.0
"""Weights of the differences that a velocity is the mean of."""


class Frames(NamedTuple):
    """Poses: roots [..., 3] m, local rotations [..., J, 4]; or how fast they change, rotation vectors [..., J, 3]."""

    roots: Array
    rotations: Array


Maps = tuple[Frames, Frames]
"""M displacement maps: what is added at a match frame, (d, δ) in m and rad, and at what speed, (s, σ)."""


def velocities(motion: Frames, at: IntArray, first: IntArray, last: IntArray, *, fps: float) -> Frames:
    """Return smoothed velocities at frames `at` [M] of a motion [F]; each within its clip's frames first … last [M].

    At the end of a clip, differences that would run over it are those of the nearest frames inside.
    """
    roots, spins = 0.0, 0.0
    for k, weight in zip(range(-2, 3), VELOCITY_WEIGHTS, strict=True):
        middle = np.clip(at + k, first + 1, np.maximum(last - 1, first + 1))
        a, b = np.maximum(middle - 1, first), np.minimum(middle + 1, last)
        seconds = (np.maximum(b - a, 1) / fps)[:, None]
        roots = roots + weight * (motion.roots[b] - motion.roots[a]) / seconds
        turned = quat.log(quat.multiply(quat.conjugate(motion.rotations[a]), motion.rotations[b]))
        spins = spins + weight * turned / seconds[..., None]
    return Frames(np.asarray(roots), np.asarray(spins))


def accelerations(motion: Frames, at: IntArray, first: IntArray, last: IntArray, *, fps: float) -> Frames:
    """Return how fast the smoothed velocities at frames `at` [M] change, from three frames before to three after."""
    low, high = np.maximum(at - 3, first), np.minimum(at + 3, last)
    before = velocities(motion, low, first, last, fps=fps)
    after = velocities(motion, high, first, last, fps=fps)
    seconds = (np.maximum(high - low, 1) / fps)[:, None]
    return Frames((after.roots - before.roots) / seconds, (after.rotations - before.rotations) / seconds[..., None])


def pass_through(
    motion: Frames, pose: Frames, speed: Frames, change: Frames, *, at: IntArray, seconds: Array, used: IntArray
) -> Frames:
    """Let frames `used` [n] of a motion near match frames follow these smoothly, `HUB_PASSAGE_S` on either side.

    Captured motion jitters from frame to frame, and a displacement map keeps that. The nearer to its match frame `at`
    [n] (a row of pose, speed and acceleration), `seconds` [n] later (or earlier, negative), the more a frame is
    p + v t + a t² / 2, with a weight that has zero slope at either end: whatever is cut together there goes on alike.
    """
    u = np.minimum(np.abs(seconds) / HUB_PASSAGE_S, 1.0)
    weight = (1 + 2 * u) * (1 - u) ** 2
    t = seconds[:, None]
    roots = pose.roots[at] + speed.roots[at] * t + 0.5 * change.roots[at] * t**2
    turn = speed.rotations[at] * t[..., None] + 0.5 * change.rotations[at] * t[..., None] ** 2
    rotations = quat.multiply(pose.rotations[at], quat.exp(turn))
    made = Frames(np.array(motion.roots), np.array(motion.rotations))
    made.roots[used] += weight[:, None] * (roots - motion.roots[used])
    made.rotations[used] = quat.slerp(motion.rotations[used], rotations, weight[:, None])
    return made


def maps_to(now: Frames, speed: Frames, target: Frames, target_speed: Frames) -> Maps:
    """Return the maps that take poses [M] with these velocities to the target poses and velocities."""
    turns = quat.log(quat.multiply(quat.conjugate(now.rotations), target.rotations))
    carried = quat.rotate(quat.conjugate(quat.exp(turns)), speed.rotations)
    rates = Frames(target_speed.roots - speed.roots, target_speed.rotations - carried)
    return Frames(target.roots - now.roots, turns), rates


def apply_maps(
    motion: Frames, maps: Maps, *, before: IntArray, after: IntArray, since: Array, until: Array, gap: Array
) -> Frames:
    """Bend a motion of F frames by maps; every frame lies between two match frames, or beyond the last one of a clip.

    `before` and `after` [F] are the maps of the match frames on either side, −1 for none; a match frame itself is the
    one `before`. `since` and `until` [F] are the seconds to them, and `gap` [F] those between the two (or to the end of
    the clip), over which each of both maps fades.
    """
    (shifts, turns), (slopes, spins) = maps
    roots, rotations = np.array(motion.roots), np.array(motion.rotations)
    for which, seconds, direction in ((before, since, 1.0), (after, until, -1.0)):
        length = np.minimum(gap, MAX_MAP_S)
        used = np.flatnonzero((which >= 0) & (seconds < length))
        row, L = which[used], length[used]
        u = seconds[used] / L
        value, slope = (1 + 2 * u) * (1 - u) ** 2, direction * L * u * (1 - u) ** 2
        roots[used] += value[:, None] * shifts[row] + slope[:, None] * slopes[row]
        bent = quat.multiply(quat.exp(value[:, None, None] * turns[row]), quat.exp(slope[:, None, None] * spins[row]))
        rotations[used] = quat.multiply(rotations[used], bent)
    return Frames(roots, quat.normalize(rotations))
