"""The room that limbs take up on the floor, as discs for planning: arms and legs of people who pass must not touch.

A footprint is the disc of the trunk; arms swing beside it, legs before and behind it. Whoever walks has three discs:
one that covers everything above the knees, arms included, and one for each leg from the knee down. If the discs of two
people are apart, so are their limbs. Around standing (starting, stopping, turning on the spot, close to others and to
seats) the first disc is only as wide as the body is to its sides. Somebody who sits, sits down, rises or lifts keeps
its footprint: neighbours in a row are closer than any disc around their arms. Metres, in the body's planar frame.
"""

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.snap_together.footprints import LEGS, NO_DISC, cover
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.motion.body import Body, world_capsules
from walkon.motion.kinematics import forward
from walkon.transforms import planar

__all__ = ["limb_discs"]

BLOCK = 4096
"""Frames that are posed at once."""


def limb_discs(graph: SnapGraph, frames: IntArray, *, close: BoolArray) -> Array:
    """Return discs [n, 3, 3] = (x, y, radius) of a graph's frames [n]; `close` ones are only as wide as the body."""
    body = Body.of(graph.source.skeleton)
    parts = np.tile(body.capsule_parts, 2)
    radii = np.concatenate([body.capsule_radii[:, 0], body.capsule_radii[:, 1]])
    legs = [np.isin(parts, names) for names in LEGS]
    present = [leg for leg in legs if leg.any()]
    upper = ~(legs[0] | legs[1])
    discs = np.full((len(frames), 3, 3), NO_DISC)
    for first in range(0, len(frames), BLOCK):
        mine = slice(first, first + BLOCK)
        at = frames[mine]
        world = forward(graph.source.skeleton, graph.clips.root_positions[at], graph.clips.local_rotations[at])
        spheres = np.concatenate(world_capsules(body, *world), axis=1)[..., :2]
        spheres = planar.apply(planar.inverse(graph.planar[at])[:, None], spheres)
        wide = (np.abs(spheres[:, upper, 1]) + radii[upper]).max(axis=1)
        above = cover(spheres[:, upper], radii[upper])
        slim = np.column_stack([np.zeros(len(at)), np.zeros(len(at)), wide])
        discs[mine, 0] = np.where(close[mine, None], slim, above)
        for k, leg in enumerate(present):
            discs[mine, k + 1] = cover(spheres[:, leg], radii[leg])
    return discs
