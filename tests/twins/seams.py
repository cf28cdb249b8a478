"""One transition blended frame by frame: what `graphs._seam_kernels` is held equal to. World frame, m/s."""

import numpy as np

from walkon._base.arrays import Array
from walkon.graphs.transitions import ComparedMotion
from walkon.motion.kinematics import forward
from walkon.transforms import planar
from walkon.transforms import quaternions as quat
from walkon.transforms.easing import smoothstep

__all__ = ["blend_numpy"]


def blend_numpy(motion: ComparedMotion, pair: tuple[int, int], *, pose: Array) -> tuple[Array, Array]:
    """Return change and excess [k, J] of one transition, blended frame by frame: the twin that proves the kernel."""
    k, skeleton = motion.frames.length, motion.library.skeleton
    first, second = (pair[side] - motion.frames.leads[side] for side in (0, 1))
    a, b = np.clip(np.arange(-1, k + 1) + np.array([[first], [second]]), 0, len(motion.roots) - 1)
    w = smoothstep(np.arange(-1, k + 1) / (k - 1))
    moved = motion.rotations[b].copy()
    moved[:, 0] = quat.multiply(quat.turn(pose[2]), moved[:, 0])
    roots = (1 - w[:, None]) * motion.roots[a] + w[:, None] * planar.apply_3d(pose, motion.roots[b])
    rotations = quat.slerp(motion.rotations[a], moved, np.broadcast_to(w[:, None], moved.shape[:2]))
    x = forward(skeleton, roots, rotations).positions
    change = np.linalg.norm(x[2:] - 2 * x[1:-1] + x[:-2], axis=-1) * motion.frames.rate
    if np.isnan(motion.own[first, 0]):
        change[0] = np.nan
    if np.isnan(motion.own[second + k - 1, 0]):
        change[-1] = np.nan
    source = np.fmax(motion.own[first : first + k], motion.own[second : second + k])
    return change, change - source
