from dataclasses import replace

import numpy as np
import pytest

from walker import walk
from walkon.geometry.capsules import Capsules, gaps
from walkon.motion.anatomy.self_overlaps import measure_overlaps
from walkon.motion.body import Body, limb_pairs, self_contact, world_capsules
from walkon.motion.kinematics import forward
from walkon.studio import performer_skeleton
from walkon.transforms import quaternions as quat


def test_limbs_that_hang_together_are_not_compared():
    body = Body.of(walk(seconds=0.5).skeleton)
    parts = {frozenset((body.capsule_parts[a], body.capsule_parts[b])) for a, b in limb_pairs(body)}
    assert frozenset(("left_thigh", "left_shank")) not in parts
    assert frozenset(("left_shank", "right_shank")) in parts
    assert frozenset(("left_hand", "head")) in parts


def test_crossed_legs_cut_into_each_other_and_straight_ones_do_not():
    clip = walk(seconds=0.5)
    rotations = np.tile(quat.IDENTITY, (len(clip), len(clip.skeleton), 1))
    standing = replace(clip, local_rotations=rotations)
    assert self_contact(standing).depth.max() == 0.0
    crossed = rotations.copy()
    crossed[10, clip.skeleton.role("left_hip")] = quat.exp(np.array([-0.25, 0.0, 0.0]))
    found = self_contact(replace(clip, local_rotations=crossed))
    assert found.frame == 10
    assert found.depth[10] > 0.02
    assert {part.split("_")[0] for part in found.worst} == {"left", "right"}
    assert np.count_nonzero(found.depth) == 1


def test_the_deepest_overlaps_are_those_of_every_pair() -> None:
    body, rng = Body.of(performer_skeleton()), np.random.default_rng(31)
    turns = quat.normalize(np.array([2.0, 0.0, 0.0, 0.0]) + rng.normal(size=(40, len(body.skeleton), 4)))
    pose = forward(body.skeleton, np.zeros((40, 3)), turns)
    found = measure_overlaps(body, [pose])
    pairs = limb_pairs(body)
    starts, ends = world_capsules(body, pose.positions, pose.rotations)
    radii = np.broadcast_to(body.capsule_radii, (*starts.shape[:-1], 2))
    a, b = (Capsules(starts[:, pairs[:, k]], ends[:, pairs[:, k]], radii[:, pairs[:, k]]) for k in (0, 1))
    depth = -gaps(a, b).min(axis=0)
    plain: dict[tuple[int, ...], float] = {}
    for joints, deep in zip(np.sort(body.capsule_joints[pairs], axis=1).tolist(), depth, strict=True):
        plain[tuple(joints)] = max(plain.get(tuple(joints), 0.0), float(deep))
    assert found == pytest.approx({joints: deep for joints, deep in plain.items() if deep > 0.0}, abs=1e-9)
    assert len(found) > 20
    small = measure_overlaps(body.scaled(0.5), [forward(body.scaled(0.5).skeleton, np.zeros((40, 3)), turns)])
    assert small == pytest.approx({joints: 0.5 * deep for joints, deep in found.items()}, abs=1e-9)
