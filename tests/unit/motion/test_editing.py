from dataclasses import replace

import numpy as np
import pytest

from walker import walk
from walkon._base.errors import InvalidValue
from walkon.motion import Event
from walkon.motion.editing import cut, join, place, resample
from walkon.transforms import planar
from walkon.transforms import quaternions as quat


@pytest.fixture(scope="module")
def clip():
    made = walk(seconds=3.0)
    labels = {"walk": np.ones(len(made), bool), "late": made.times > 2.0}
    return replace(made, labels=labels, events=(Event(time=2.5, kind="grasp", joints=("LeftHand",)),))


def test_cutting_and_joining_again_gives_the_clip_back(clip):
    again = join(cut(clip, 0.0, 1.2), cut(clip, 1.2))
    assert np.allclose(again.root_positions, clip.root_positions, atol=1e-12)
    assert quat.angle_between(again.local_rotations, clip.local_rotations).max() < 1e-7
    assert np.array_equal(again.contacts, clip.contacts)
    assert np.array_equal(again.labels["late"], clip.labels["late"])
    assert again.events[0].time == pytest.approx(2.5)


def test_a_cut_keeps_place_labels_and_the_events_inside(clip):
    part = cut(clip, 2.0, 2.75)
    assert part.duration == pytest.approx(0.75)
    assert np.array_equal(part.root_positions[0], clip.root_positions[240])
    assert part.events[0].time == pytest.approx(0.5)
    assert not cut(clip, 0.0, 1.0).events


def test_cutting_outside_the_clip_says_where_it_ends(clip):
    with pytest.raises(InvalidValue, match=r"9 s is outside .* from 0 to 3 s"):
        cut(clip, 0.0, 9.0)
    with pytest.raises(InvalidValue, match="before start"):
        cut(clip, 2.0, 1.0)


def test_resampling_to_a_divisor_is_taking_every_nth_frame(clip):
    third = resample(clip, 40.0)
    assert len(third) == 121
    assert np.allclose(third.root_positions, clip.root_positions[::3], atol=1e-12)
    assert quat.angle_between(third.local_rotations, clip.local_rotations[::3]).max() < 1e-7


def test_resampling_keeps_true_rates_and_time(clip):
    odd = resample(clip, 119.88)
    assert odd.fps == 119.88
    assert odd.duration == pytest.approx(clip.duration, abs=1 / 119.88)
    middle = odd.root_positions[100]
    assert middle[0] == pytest.approx(np.interp(100 / 119.88, clip.times, clip.root_positions[:, 0]), abs=1e-9)


def test_resampling_up_and_down_again_stays_close(clip):
    back = resample(resample(clip, 300.0), 120.0)
    assert np.degrees(quat.angle_between(back.local_rotations, clip.local_rotations[: len(back)]).max()) < 0.5


def test_a_placed_clip_has_the_pose_it_was_given(clip):
    pose = np.array([4.0, -3.0, 2.0])
    placed = place(clip, pose, time=1.0)
    assert np.allclose(placed.planar_poses[120], pose, atol=1e-9)
    steps = planar.relative(placed.planar_poses[:-1], placed.planar_poses[1:])
    assert np.allclose(steps, planar.relative(clip.planar_poses[:-1], clip.planar_poses[1:]), atol=1e-9)


def test_a_blended_join_has_no_jump(clip):
    early, late = cut(clip, 0.0, 1.0), cut(clip, 1.8)
    hard, soft = join(early, late), join(early, late, blend=0.4)
    seam = len(early) - 1
    jump = quat.angle_between(hard.local_rotations[seam], hard.local_rotations[seam + 1]).max()
    smooth = quat.angle_between(soft.local_rotations[seam], soft.local_rotations[seam + 1]).max()
    assert jump > 0.3
    assert smooth < 0.12


def test_clips_of_other_rates_or_bodies_are_not_joined(clip):
    with pytest.raises(InvalidValue, match="resample"):
        join(clip, resample(clip, 60.0))
    with pytest.raises(InvalidValue, match="retarget"):
        join(clip, replace(clip, skeleton=clip.skeleton.scaled(1.1)))
