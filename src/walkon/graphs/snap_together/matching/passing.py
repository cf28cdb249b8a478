"""Gait phase: which foot a frame stands on, and passing poses (mid-stance, the other foot swings past).

Walking hubs are best placed there. The legs are close together and the stance knee is nearly straight, so poses of
different steps differ least, and so do their velocities (double support needs half as much correction again).

    separation s = (swing ankle − stance ankle) · heading,    passing where |s| ≤ PASSING_WITHIN_M in single support

Frames are library frames, metres.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d

from walkon._base.arrays import Array, BoolArray
from walkon.graphs.point_clouds import frames_around
from walkon.graphs.snap_together.snap_graph import BOTH, LEFT, NEITHER, RIGHT
from walkon.motion.kinematics import forward, planar_poses
from walkon.motion.library import Library
from walkon.motion.skeleton import SIDES, Skeleton

__all__ = ["PASSING_WITHIN_M", "Posture", "feet_down", "postures", "stances_of"]

PASSING_WITHIN_M = 0.06
"""m between the ankles, along the way, within which the swinging foot is passing."""
SPEED_SPAN_S = 0.5
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
    ahead: Array
    """[F] m/s of the root the way the hips face, over about a step; negative backwards."""
    aside: Array
    """[F] m/s of the root to the left of where the hips face."""


def feet_down(skeleton: Skeleton, contacts: BoolArray) -> BoolArray:
    """Return [..., 2] whether the left and the right foot bear, heel or ball, of contacts [..., C]."""
    down = np.zeros((*contacts.shape[:-1], 2), bool)
    for side, name in enumerate(SIDES):
        for part in ("heel", "ball"):
            if f"{name}_{part}" in skeleton.contact_names:
                down[..., side] |= contacts[..., skeleton.contact(f"{name}_{part}")]
    return down


def stances_of(skeleton: Skeleton, contacts: BoolArray) -> NDArray[np.int8]:
    """Return [...] LEFT, RIGHT, BOTH or NEITHER for contacts [..., C]."""
    left, right = np.moveaxis(feet_down(skeleton, contacts), -1, 0)
    return np.select([left & right, left, right], [BOTH, LEFT, RIGHT], default=NEITHER).astype(np.int8)


def postures(library: Library) -> Posture:
    """Describe every frame of a library."""
    skeleton = library.skeleton
    world = forward(skeleton, library.root_positions, library.local_rotations)
    poses = planar_poses(skeleton, world)
    stance = stances_of(skeleton, library.contacts)
    passing = np.zeros(len(poses), bool)
    looks = np.stack([np.cos(poses[:, 2]), np.sin(poses[:, 2])], axis=1)
    if skeleton.has_roles(("left_ankle", "right_ankle")):
        ankles = world.positions[:, [skeleton.role(f"{side}_ankle") for side in SIDES], :2]
        apart = np.abs(((ankles[:, 0] - ankles[:, 1]) * looks).sum(axis=1))
        passing = (apart <= PASSING_WITHIN_M) & ((stance == LEFT) | (stance == RIGHT))
    half = max(round(0.5 * SPEED_SPAN_S * library.fps), 1)
    low, high = frames_around(library.starts, library.stops, half)
    velocity = (poses[high, :2] - poses[low, :2]) / (np.maximum(high - low, 1)[:, None] / library.fps)
    facing = np.zeros((len(poses), 2))
    for start, stop in zip(library.starts.tolist(), library.stops.tolist(), strict=True):
        facing[start:stop] = uniform_filter1d(
            looks[start:stop], min(2 * half + 1, stop - start), axis=0, mode="nearest"
        )
    facing /= np.maximum(np.linalg.norm(facing, axis=1, keepdims=True), 1e-9)
    ahead = (velocity * facing).sum(axis=1)
    aside = facing[:, 0] * velocity[:, 1] - facing[:, 1] * velocity[:, 0]
    rest = skeleton.rest_positions
    height = library.root_positions[:, 2] / max(float(rest[0, 2] - rest[:, 2].min()), 1e-9)
    return Posture(stance, passing, np.linalg.norm(velocity, axis=1), height, ahead, aside)
