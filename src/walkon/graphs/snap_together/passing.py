"""Which foot a frame stands on, and passing poses: one foot down while the other swings past it.

Walking hubs are best placed there. The legs are close together and the stance knee is nearly straight, so poses of
different steps differ least, and so do their velocities (double support needs half as much correction again).

    separation s = (swing ankle − stance ankle) · heading,    passing where |s| ≤ NEAR in single support

Frames are library frames, metres.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array, BoolArray
from walkon.graphs.snap_together.snap_graph import BOTH, LEFT, NEITHER, RIGHT
from walkon.motion.kinematics import forward
from walkon.motion.library import Library
from walkon.motion.planar_pose import planar_poses
from walkon.motion.skeleton import SIDES

__all__ = ["NEAR", "Posture", "postures"]

NEAR = 0.06
"""m between the ankles, along the way, within which the swinging foot is passing."""
SMOOTHED = 0.5
"""s over which the root's speed is taken: about a step, so that it does not depend on the phase."""


class Posture(NamedTuple):
    """What each of the F frames of a library looks like, as far as hubs are concerned."""

    stance: NDArray[np.int8]
    """[F] LEFT, RIGHT, BOTH or NEITHER, by contacts; NEITHER throughout where the skeleton has no feet."""
    passing: BoolArray
    """[F] one foot down, the other beside it."""
    speed: Array
    """[F] m/s of the root along the floor, over about a step."""
    height: Array
    """[F] height of the root over that of the rest pose: 1 standing, about 0.6 seated."""
    turning: Array
    """[F] rad/s of the heading, over about a step, positive to the left."""


def postures(library: Library) -> Posture:
    """Describe every frame of a library."""
    skeleton = library.skeleton
    world = forward(skeleton, library.root_positions, library.local_rotations)
    poses = planar_poses(skeleton, world)
    F = len(poses)
    down = np.zeros((F, 2), bool)
    for side, name in enumerate(SIDES):
        columns = [c for c, contact in enumerate(skeleton.contact_names) if contact.startswith(f"{name}_")]
        down[:, side] = library.contacts[:, columns].any(axis=1)
    stance = np.select([down[:, 0] & down[:, 1], down[:, 0], down[:, 1]], [BOTH, LEFT, RIGHT], default=NEITHER).astype(
        np.int8
    )
    passing = np.zeros(F, bool)
    if skeleton.has_roles(("left_ankle", "right_ankle")):
        ankles = world.positions[:, [skeleton.role(f"{side}_ankle") for side in SIDES], :2]
        ahead = np.stack([np.cos(poses[:, 2]), np.sin(poses[:, 2])], axis=1)
        apart = np.abs(((ankles[:, 0] - ankles[:, 1]) * ahead).sum(axis=1))
        passing = (apart <= NEAR) & ((stance == LEFT) | (stance == RIGHT))
    speed, turning = np.zeros(F), np.zeros(F)
    half = max(round(0.5 * SMOOTHED * library.fps), 1)
    for start, stop in zip(library.starts.tolist(), library.stops.tolist(), strict=True):
        frames = np.arange(start, stop)
        low, high = np.maximum(frames - half, start), np.minimum(frames + half, stop - 1)
        seconds = np.maximum(high - low, 1) / library.fps
        speed[start:stop] = np.linalg.norm(poses[high, :2] - poses[low, :2], axis=1) / seconds
        heading = np.unwrap(poses[start:stop, 2])
        turning[start:stop] = (heading[high - start] - heading[low - start]) / seconds
    rest = skeleton.rest_positions
    height = library.root_positions[:, 2] / max(float(rest[0, 2] - rest[:, 2].min()), 1e-9)
    return Posture(stance, passing, speed, height, turning)
