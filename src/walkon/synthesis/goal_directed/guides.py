"""Guides: where a body shall be when, for seeds to keep to. Knots [K, 4] = (x, y, s, heading from there on).

A direct guide walks the path at one speed. Getting going, coming to rest and turning on the spot take time in which
hardly any ground is covered, `idle_seconds`; what is left over is strolled away, and what cannot be strolled is waited
at the start or at the goal. Metres, seconds, radians.
"""

import numpy as np

from walkon._base.arrays import Array
from walkon.geometry.path import arc_lengths

__all__ = ["direct_guide", "idle_seconds", "timed_guide"]

STARTING_S, TURNING_S_PER_RAD = 0.95, 0.8
"""s lost in starting or stopping, and s more per radian turned there."""


def idle_seconds(heading: float, along: float, *, can_idle: bool) -> float:
    """Return seconds lost between rest (if it can idle there) at a heading and walking along another one."""
    turn = abs((heading - along + np.pi) % (2 * np.pi) - np.pi)
    return (STARTING_S if can_idle else 0.0) + TURNING_S_PER_RAD * float(turn)


def direct_guide(
    path: Array, *, departs: float, arrives: float, lead: float, tail: float, wait_first: float, facing: float
) -> Array:
    """Return a guide along a path [P, 2]: rest, go evenly, rest.

    `lead` and `tail` are the seconds at either end in which the body stays; `wait_first` is added to the lead.
    """
    arcs = arc_lengths(path)
    begin, end = departs + lead + wait_first, arrives - tail
    end = max(end, begin + 1e-3)
    times = begin + (end - begin) * (arcs / arcs[-1] if arcs[-1] > 0 else np.linspace(0.0, 1.0, len(arcs)))
    knots = np.column_stack([path, times])
    return timed_guide(
        np.concatenate([[[*path[0], departs]], knots, [[*path[-1], max(arrives, end + 1e-3)]]]), facing=facing
    )


def timed_guide(knots: Array, *, facing: float) -> Array:
    """Return knots [K, 3] = (x, y, s) with headings: of the piece walked next, and `facing` after the last one."""
    change = np.diff(knots[:, :2], axis=0)
    far = np.linalg.norm(change, axis=1)
    headings = np.full(len(knots), facing)
    walked = np.flatnonzero(far > 0.02)
    if len(walked):
        direction = np.arctan2(change[walked, 1], change[walked, 0])
        nxt = np.searchsorted(walked, np.arange(len(knots)))
        known = nxt < len(walked)
        headings[known] = direction[nxt[known]]
    guide = np.column_stack([knots, headings])
    guide.flags.writeable = False
    return guide
