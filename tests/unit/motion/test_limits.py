import pickle
from dataclasses import replace

import numpy as np
import pytest

from walkon._base.errors import InvalidSkeleton, InvalidValue
from walkon.motion.anatomy.limits import BallLimit, HingeLimit, limit_excess, make_limit_tables, worst_excess
from walkon.studio import performer_skeleton
from walkon.transforms import quaternions as quat

KNEE = HingeLimit(axis=(0.0, 1.0, 0.0), low=0.0, high=2.6)
HIP = BallLimit(
    axis=(0.0, 0.0, -1.0), first=(0.0, 1.0, 0.0), first_range=(2.0, 0.4), second_range=(0.5, 0.7), twist=(-0.8, 0.8)
)


def turned(axis, angle):
    return quat.about(np.asarray(axis, float), np.asarray(angle))


def test_a_hinge_counts_what_is_beyond_its_range():
    assert KNEE.excess(turned((0, 1, 0), 1.0)) == 0.0
    assert KNEE.excess(turned((0, 1, 0), 2.7)) == pytest.approx(0.1)
    assert KNEE.excess(turned((0, 1, 0), -0.2)) == pytest.approx(0.2)
    assert KNEE.excess(turned((1, 0, 0), 0.5)) == pytest.approx(0.5 - np.radians(5.0))


def test_a_ball_joint_has_four_half_axes_and_a_twist():
    assert HIP.excess(turned((0, 1, 0), -1.9)) == 0.0
    assert HIP.excess(turned((0, 1, 0), 0.5)) == pytest.approx(0.1)
    assert HIP.excess(turned((0, 0, -1), 0.9)) == pytest.approx(0.1)
    assert HIP.excess(turned((1, 0, 0), 2.0)) > 1.0


def test_ranges_are_counted_from_the_centre():
    hang = tuple(turned((1, 0, 0), 1.0).tolist())
    arm = replace(HIP, centre=hang)
    assert arm.excess(np.array(hang)) == pytest.approx(0.0, abs=1e-9)
    assert arm.excess(quat.IDENTITY) > 0.0


def test_only_limited_joints_count(rng):
    rotations = quat.normalize(rng.standard_normal((10, 3, 4)))
    excess = limit_excess({1: KNEE}, rotations)
    assert excess.shape == (10, 3)
    assert excess[:, [0, 2]].max() == 0.0
    assert np.allclose(excess[:, 1], KNEE.excess(rotations[:, 1]))


def test_limits_belong_to_the_skeleton(stick):
    limited = replace(stick, limits={2: KNEE})
    assert pickle.loads(pickle.dumps(limited)).limits[2] == KNEE
    with pytest.raises(InvalidSkeleton, match="joint 9"):
        replace(stick, limits={9: KNEE})


def test_mistakes_in_limits_are_told():
    with pytest.raises(InvalidValue, match="low <= high"):
        HingeLimit(axis=(0, 1, 0), low=1.0, high=0.5)
    with pytest.raises(InvalidValue, match="length 1"):
        HingeLimit(axis=(0, 2, 0), low=0.0, high=0.5)
    with pytest.raises(InvalidValue, match="across the axis"):
        replace(HIP, first=(0.0, 0.0, 1.0))


@pytest.mark.parametrize("spread", [0.1, 0.5, 2.0])
def test_the_compiled_rule_finds_the_worst_joint(spread: float) -> None:
    skeleton = performer_skeleton()
    rng = np.random.default_rng(int(100 * spread))
    turns = quat.normalize(np.array([1.0, 0.0, 0.0, 0.0]) + spread * rng.normal(size=(500, len(skeleton), 4)))
    turns *= rng.choice([-1.0, 1.0], size=(500, len(skeleton), 1))
    plain = limit_excess(skeleton.limits, turns)
    tables = make_limit_tables([{}, skeleton.limits])
    excess, joint = worst_excess(tables, np.ones(500, np.int64), turns)
    assert excess == pytest.approx(plain.max(axis=1), abs=1e-9)
    assert np.array_equal(joint, np.where(excess > 0, plain.argmax(axis=1), -1))
    assert worst_excess(tables, np.zeros(500, np.int64), turns)[0].max() == 0.0, "a body without limits"
    for one, limit in skeleton.limits.items():
        alone, _ = worst_excess(make_limit_tables([{one: limit}]), np.zeros(500, np.int64), turns)
        assert alone == pytest.approx(plain[:, one], abs=1e-9)
