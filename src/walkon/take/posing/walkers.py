"""Walkers: people who are only on a track, posed for pictures by a procedural walk cycle along it.

Their strides are made up from the way alone (`walk_phases`, `walk_cycle`): no joint of theirs was captured, planned or
audited, and `Take.pose` does not know them. Metres.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from walkon._base.arrays import Array, BoolArray
from walkon.motion.gait.walk_cycle import make_walk_cycle, walk_joints
from walkon.take.clips import stands
from walkon.take.posing.posing import PLANAR, Poses
from walkon.take.posing.resting import with_rest_poses
from walkon.take.posing.walk_phases import walk_phases
from walkon.transforms import quaternions as quat

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = ["find_walkers", "with_walking_poses"]


def find_walkers(take: "Take", poses: Poses) -> BoolArray:
    """Say of poses [N] of a whole take who walks: has legs, and is only on a track."""
    legged = np.array([stands(body.skeleton) for body in take.bodies], bool)
    return np.asarray((poses.presence == PLANAR) & legged[take.characters.body])


def with_walking_poses(take: "Take", poses: Poses, time: float) -> Poses:
    """Return poses [N] of a whole take at a time (s) in which whoever is only on a track walks, or rests without legs.

    The strides are made up: they go with the way, and nothing else is known.
    """
    walks = find_walkers(take, poses)
    posed = with_rest_poses(take, np.arange(len(take)), poses)
    if not walks.any():
        return posed
    positions, rotations = posed.positions.copy(), posed.rotations.copy()
    for body in np.unique(take.characters.body[walks]).tolist():
        rows = np.flatnonzero(walks & (take.characters.body == body))
        phase, stride = walk_phases(take, poses.segments[rows], np.full(len(rows), time))
        places, turns = walk_joints(make_walk_cycle(take.bodies[body]), phase, stride)
        J = places.shape[1]
        scale: Array = take.characters.scale[rows].astype(np.float64)[:, None, None]
        root, heading = positions[rows, :1], rotations[rows, :1]
        positions[rows, :J] = root + quat.rotate(heading, scale * places)
        rotations[rows, :J] = quat.multiply(heading, turns)
    return replace(posed, positions=positions, rotations=rotations)
