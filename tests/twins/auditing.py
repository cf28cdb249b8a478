"""The audit in plain NumPy, character by character: what `take.auditing._kernels` is held equal to. World frame, m."""

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.motion.body import world_capsules
from walkon.motion.kinematics import forward
from walkon.take.auditing.bodily.smoothness import JointSteps
from walkon.take.auditing.meetings.bodies import Flesh, _tables
from walkon.take.auditing.reposing import Reposed
from walkon.take.posing.posing import pose_pairs
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["hits_numpy", "joint_steps_numpy", "place_capsules_numpy", "repose_numpy"]


def repose_numpy(take: Take, who: IntArray, times: Array) -> Reposed:
    """Do what `repose` does, character by character, by forward kinematics: the twin that proves the kernel right."""
    poses = pose_pairs(take, who, times)
    local, positions = poses.local_rotations, np.array(poses.positions)
    difference, reach = np.zeros(len(who)), np.zeros(len(who))
    for k in np.flatnonzero(poses.present):
        skeleton = take.body(int(who[k])).skeleton
        J = len(skeleton)
        local[k, J:] = quat.IDENTITY
        own = forward(skeleton, poses.positions[k : k + 1, 0], local[k : k + 1, :J]).positions[0]
        positions[k] = positions[k, 0]
        positions[k, :J] = own
        difference[k] = np.linalg.norm(own - poses.positions[k, :J], axis=1).max()
        reach[k] = np.linalg.norm(own[:, :2] - own[0, :2], axis=1).max()
    anew = {"positions": positions, "local": local, "difference": difference, "reach": reach}
    return Reposed(**(vars(poses) | anew))


def joint_steps_numpy(local: Array, linked: BoolArray, moving: BoolArray) -> JointSteps:
    """Do what `joint_steps` does in NumPy: the twin that proves the kernel right."""
    R = len(local)
    step = np.zeros((R, local.shape[1], 3))
    step[:-1] = quat.log(quat.multiply(quat.conjugate(local[:-1]), local[1:]))
    speed = np.where(linked[:, None] & moving, np.linalg.norm(step, axis=-1), -1.0)
    pop, jerk = np.full(speed.shape, -1.0), np.full(speed.shape, -1.0)
    if R >= 3:
        middle = quat.slerp(local[:-2], local[2:], 0.5)
        both = linked[:-2] & linked[1:-1]
        pop[1:-1] = np.where(both[:, None] & moving, quat.angle_between(local[1:-1], middle), -1.0)
    if R >= 4:
        size = np.linalg.norm(step, axis=-1)
        snap = size[1:-2] - np.maximum(size[:-3], size[2:-1])
        rest = linked[:-3] & linked[1:-2] & linked[2:-1]
        change = np.linalg.norm(step[:-3] - 2 * step[1:-2] + step[2:-1], axis=-1)
        jerk[:-3] = np.where(rest[:, None] & moving, change, -1.0)
        pop[1:-2] = np.where(rest[:, None] & moving, np.maximum(pop[1:-2], snap), pop[1:-2])
    rows = np.arange(R)
    joints = [np.where((v := values).max(axis=1) >= 0, v.argmax(axis=1), -1) for values in (speed, pop)]
    fastest, most = speed[rows, joints[0]], pop[rows, joints[1]]
    return np.where(joints[0] < 0, -1.0, fastest), joints[0], np.where(joints[1] < 0, -1.0, most), joints[1], jerk


def place_capsules_numpy(take: Take, who: IntArray, bodies: Reposed) -> Flesh:
    """Do what `place_capsules` does, character by character: the twin that proves the kernel right."""
    counts, joints, *_ = _tables(take)
    R, K = len(who), joints.shape[1]
    room = np.zeros((R, K, 3)), np.zeros((R, K, 3)), np.zeros((R, K, 2)), np.zeros((R, K + 1, 6))
    flesh = Flesh(*room, counts[bodies.bodies])
    for r in range(R):
        body = take.body(int(who[r]))
        n = len(body.capsule_parts)
        flesh.starts[r, :n], flesh.ends[r, :n] = world_capsules(body, bodies.positions[r], bodies.rotations[r])
        flesh.radii[r, :n] = body.capsule_radii
        ends, radii = np.stack([flesh.starts[r, :n], flesh.ends[r, :n]]), body.capsule_radii.T[..., None]
        flesh.boxes[r, :n] = np.concatenate([(ends - radii).min(axis=0), (ends + radii).max(axis=0)], axis=1)
        flesh.boxes[r, K, :3] = flesh.boxes[r, :n, :3].min(axis=0)
        flesh.boxes[r, K, 3:] = flesh.boxes[r, :n, 3:].max(axis=0)
    return flesh


def hits_numpy(flesh: Flesh, pairs: IntArray) -> tuple[IntArray, IntArray]:
    """Do what `hits` does by comparing every capsule with every other: the twin that proves the kernel right."""
    K = flesh.starts.shape[1]
    there = np.arange(K) < flesh.counts[:, None]
    low, high = flesh.boxes[:, :K, :3], flesh.boxes[:, :K, 3:]
    r, q = pairs[:, 0], pairs[:, 1]
    meet = (low[r][:, :, None] <= high[q][:, None]) & (low[q][:, None] <= high[r][:, :, None])
    pair, a, b = np.nonzero(meet.all(axis=-1) & there[r][:, :, None] & there[q][:, None])
    return pair, np.column_stack([r[pair] * K + a, q[pair] * K + b])
