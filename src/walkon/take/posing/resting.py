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
    tracked = poses.presence == PLANAR
    if not tracked.any():
        return poses
    rigs = make_rigs(take.bodies, take.skeletons, plays=np.ones(len(take.bodies), bool))
    J, had = rigs.parents.shape[1], poses.positions.shape[-2]
    more = [(0, 0)] * (poses.positions.ndim - 2) + [(0, J - had), (0, 0)]
    positions, rotations = (np.pad(values, more, mode="edge") for values in (poses.positions, poses.rotations))
    bodies = np.broadcast_to(take.characters.body[characters], tracked.shape)
    scales = np.broadcast_to(take.characters.scale[characters].astype(np.float64), tracked.shape)
    for body in np.unique(bodies[tracked]).tolist():
        mine, rest = tracked & (bodies == body), take.bodies[body].skeleton.rest_positions
        places = scales[mine][:, None, None] * np.pad(rest - rest[0], ((0, J - len(rest)), (0, 0)))
        root, turn = positions[mine, :1], rotations[mine, :1]
        positions[mine], rotations[mine] = root + quat.rotate(turn, places), turn
    return replace(poses, positions=positions, rotations=rotations, rigs=rigs.group)
