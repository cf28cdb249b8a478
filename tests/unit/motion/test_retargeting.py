from dataclasses import replace

import numpy as np
import pytest

from walker import walk
from walkon._base.errors import InvalidValue
from walkon.capture.build import planted_drift
from walkon.motion.limbs.legs import leg_length
from walkon.motion.retargeting import retarget

MILLIMETRE = 1e-3


def other_body(skeleton, rng):
    """The same joints with legs 8 % longer, every bone a little different, and other soles."""
    lengths = 1.08 + 0.04 * rng.uniform(-1, 1, (len(skeleton), 1))
    offsets = skeleton.offsets * lengths + 0.004 * rng.standard_normal(skeleton.offsets.shape)
    return replace(skeleton, offsets=offsets, contact_offsets=skeleton.contact_offsets * 1.2)


def test_feet_meet_the_floor_and_do_not_slide_on_another_body(rng):
    clip = walk(seconds=4.0)
    body = other_body(clip.skeleton, rng)
    result = retarget(clip, body)
    planted = result.clip.contact_positions[result.clip.contacts]
    assert np.abs(planted[:, 2]).max() < MILLIMETRE
    assert planted_drift(result.clip) < MILLIMETRE
    assert result.clip.skeleton is body


def test_steps_grow_with_the_legs(rng):
    clip = walk(seconds=4.0)
    body = other_body(clip.skeleton, rng)
    result = retarget(clip, body).clip
    ratio = leg_length(body) / leg_length(clip.skeleton)
    assert result.distance / clip.distance == pytest.approx(ratio, rel=0.01)


def test_limbs_point_where_they_pointed(rng):
    clip = walk(seconds=2.0)
    body = other_body(clip.skeleton, rng)
    result = retarget(clip, body).clip

    def direction(motion, a, b):
        bone = motion.world.positions[:, b] - motion.world.positions[:, a]
        return bone / np.linalg.norm(bone, axis=1, keepdims=True)

    arm, hand = clip.skeleton.role("left_elbow"), clip.skeleton.role("left_wrist")
    assert np.allclose(direction(result, arm, hand), direction(clip, arm, hand), atol=1e-9)


def test_retargeting_to_itself_changes_almost_nothing():
    clip = walk(seconds=2.0)
    result = retarget(clip, clip.skeleton).clip
    assert np.abs(result.world.positions - clip.world.positions).max() < 5 * MILLIMETRE


def test_another_topology_is_refused(stick):
    with pytest.raises(InvalidValue, match="same joints on the same parents"):
        retarget(walk(seconds=1.0), stick)
