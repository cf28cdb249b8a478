"""Rest poses for those who are only on a track: programs that take a take over want all joints. Metres."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from walkon._base.arrays import IntArray
from walkon.take.posing.posing import PLANAR, Poses
from walkon.take.posing.rigs import make_rigs
from walkon.transforms import quaternions as quat

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = ["with_rest_poses"]


def with_rest_poses(take: "Take", characters: IntArray, poses: Poses) -> Poses:
    """Return poses [..., N] of these characters in which whoever is only on a track stands there in the rest pose.

    All bodies have all of their joints then, also those that nobody plays a clip with.
    """
    if not (poses.presence == PLANAR).any():
        return poses
    rigs = make_rigs(take.bodies, take.skeletons, plays=np.ones(len(take.bodies), bool))
    J, had = rigs.parents.shape[1], poses.positions.shape[-2]
    more = [(0, 0)] * (poses.positions.ndim - 2) + [(0, J - had), (0, 0)]
    positions, rotations = (np.pad(values, more, mode="edge") for values in (poses.positions, poses.rotations))
    for n, who in enumerate(characters.tolist()):
        tracked = poses.presence[..., n] == PLANAR
        skeleton = take.body(who).skeleton
        offsets = np.zeros((J, 3))
        offsets[: len(skeleton)] = skeleton.rest_positions - skeleton.rest_positions[0]
        mine, turns = positions[..., n, :, :], rotations[..., n, :, :]
        root, turn = mine[tracked, :1], turns[tracked, :1]
        mine[tracked], turns[tracked] = root + quat.rotate(turn, offsets), turn
    return replace(poses, positions=positions, rotations=rotations, rigs=rigs.group)
