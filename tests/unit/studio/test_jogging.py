import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.motion.anatomy.limits import limit_excess
from walkon.motion.body import self_contact
from walkon.motion.contacts.runs import find_runs
from walkon.studio import performer_skeleton
from walkon.studio.jogging import jog
from walkon.transforms import quaternions as quat

JOGS = {
    "slow": {"speed": 2.0},
    "fast": {"speed": 3.4},
    "tired": {"speed": 2.3, "style": "tired"},
    "brisk child": {"speed": 2.2, "style": "brisk", "skeleton": performer_skeleton(height=1.3)},
    "120 fps": {"speed": 2.6, "fps": 120.0},
}


@pytest.fixture(scope="module", params=JOGS, ids=str)
def clip(request):
    return jog(duration=4.0, seed=6, **JOGS[request.param])


def test_planted_points_do_not_move_and_nothing_goes_below_the_floor(clip):
    for column in range(4):
        for start, stop in zip(*find_runs(clip.contacts[:, column]), strict=True):
            run = clip.contact_positions[start:stop, column]
            assert np.abs(run - run[0]).max() < 1e-6
            assert np.abs(run[:, 2]).max() < 1e-6
    tips = [clip.skeleton.index(f"{side}ToeEnd") for side in ("Left", "Right")]
    assert clip.world.positions[:, tips, 2].min() > -1e-6
    assert clip.contact_positions[..., 2].min() > -1e-6


def test_there_is_a_flight_between_steps_and_never_both_feet_down(clip):
    tips = clip.world.positions[:, [clip.skeleton.index(f"{side}ToeEnd") for side in ("Left", "Right")], 2]
    lowest = np.minimum(tips.min(axis=1), clip.contact_positions[..., 2].min(axis=1))
    assert 0.15 < (lowest > 1e-4).mean() < 0.55
    left, right = clip.contacts[:, :2].any(axis=1), clip.contacts[:, 2:].any(axis=1)
    assert not (left & right).any()


def test_joints_stay_smooth_within_limits_and_apart(clip):
    turned = quat.angle_between(clip.local_rotations[1:], clip.local_rotations[:-1]) * clip.fps
    assert np.degrees(turned.max()) < 900
    assert np.degrees(limit_excess(clip.skeleton.limits, clip.local_rotations).max()) < 1.0
    assert self_contact(clip).depth.max() < 0.010
    knees = clip.local_rotations[:, [clip.skeleton.role(f"{side}_knee") for side in ("left", "right")]]
    bends = np.degrees(quat.angle_between(knees, quat.IDENTITY))
    assert bends.min() > 12
    assert 80 < bends.max() < 110


def test_hips_bounce_as_much_as_recorded_ones_and_keep_their_speed():
    clip = jog(speed=2.66, duration=4.0)
    heights = clip.root_positions[:, 2]
    # CMU 16_36: 85 mm.
    assert 0.06 < np.ptp(heights) < 0.095
    speed = (clip.root_positions[-1, 0] - clip.root_positions[0, 0]) / clip.duration
    assert speed == pytest.approx(2.66, abs=0.02)
    assert np.abs(clip.root_positions[:, 1]).max() < 0.05


def test_hips_nearly_fall_in_flight(clip):
    falls = np.gradient(np.gradient(clip.root_positions[:, 2], 1 / clip.fps), 1 / clip.fps)
    middle = falls[len(falls) // 8 : -len(falls) // 8]
    assert -17 < middle.min() < -7


def test_it_is_labelled_and_the_same_for_a_seed():
    first, again, other = (jog(duration=1.0, seed=seed) for seed in (1, 1, 2))
    assert first.label("jog").all()
    assert np.array_equal(first.local_rotations, again.local_rotations)
    assert not np.allclose(first.local_rotations, other.local_rotations)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"speed": 1.0}, "speed must be 2.00 to 3.40 m/s for this body, got 1.0"),
        ({"speed": float("inf")}, "speed must be"),
        ({"duration": 0.0}, "duration must be more than a frame"),
        ({"fps": 5.0}, "fps must be 10 to 1000"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_range(options, told):
    with pytest.raises(InvalidValue, match=told):
        jog(**options)
