from dataclasses import replace

import numpy as np

from walker import walk
from walkon.motion.body import Body, limb_pairs, self_contact
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
