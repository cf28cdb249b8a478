"""Jerk and histograms: known motions have the known figures."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.liveliness import FOOT_BINS, POSE_BINS, foot_speeds, histogram, jerk, overlap, pose_changes

from walker import walk
from walkon._base.errors import InvalidValue
from walkon.motion.editing import resample

CADENCE = 108.0


@pytest.fixture(scope="module")
def clip():
    return walk(speed=1.1, seconds=8.0, cadence=CADENCE)


def test_jerk_of_a_cosine_is_its_amplitude_times_frequency_cubed(clip):
    # The walker's hips rise and fall as 12 mm × cos ωt with two periods per stride, and move steadily forward.
    peak = 0.012 * (4 * np.pi * CADENCE / 120.0) ** 3
    found = jerk(clip)["hips"]
    assert found.median == pytest.approx(peak / np.sqrt(2), rel=0.05)
    assert found.high == pytest.approx(peak, rel=0.05)


def test_jerk_does_not_depend_on_the_frame_rate_but_on_what_shakes(clip, rng):
    slow, fast = jerk(resample(clip, 60.0))["hips"], jerk(clip)["hips"]
    assert slow.median == pytest.approx(fast.median, rel=0.1)
    shaken = clip.root_positions + np.column_stack(
        [0 * clip.times, 0.002 * np.sin(2 * np.pi * 6.0 * clip.times), 0 * clip.times]
    )
    assert jerk(replace(clip, root_positions=shaken))["hips"].median > 3 * fast.median
    above = clip.root_positions + np.column_stack(
        [0 * clip.times, 0.002 * np.sin(2 * np.pi * 40.0 * clip.times), 0 * clip.times]
    )
    assert jerk(replace(clip, root_positions=above))["hips"].median == pytest.approx(fast.median, rel=0.1)


def test_parts_that_a_skeleton_lacks_are_left_out(clip):
    roles = {role: joint for role, joint in clip.skeleton.roles.items() if "wrist" not in role}
    without = replace(clip, skeleton=replace(clip.skeleton, roles=roles))
    assert set(jerk(clip)) - set(jerk(without)) == {"wrist"}


def test_planted_feet_fill_the_first_bin_of_foot_speed(clip):
    share = histogram(foot_speeds(clip), FOOT_BINS)
    assert share.sum() == pytest.approx(1.0)
    assert 0.3 < share[0] < 0.65
    assert foot_speeds(clip).max() < 6.0


def test_pose_change_does_not_see_where_the_body_goes(clip):
    drift = np.column_stack([0.1 * clip.times, 0 * clip.times, 0 * clip.times])
    drifting = replace(clip, root_positions=clip.root_positions + drift)
    assert pose_changes(drifting) == pytest.approx(pose_changes(clip), abs=1e-6)
    assert foot_speeds(drifting).mean() > foot_speeds(clip).mean() + 0.05


def test_overlap_is_one_for_equal_and_zero_for_disjoint_histograms():
    a = histogram(np.array([0.05, 0.15, 0.15]), POSE_BINS)
    b = histogram(np.array([1.05, 1.15, 99.0]), POSE_BINS)
    assert overlap(a, a) == pytest.approx(1.0)
    assert overlap(a, b) == 0.0
    assert b[-1] == pytest.approx(1 / 3)  # what lies beyond the last edge is not lost
    assert overlap(a, 0.5 * (a + b)) == pytest.approx(0.5)
    with pytest.raises(InvalidValue, match="same bins"):
        overlap(a, a[:-1])


def test_a_clip_without_a_stride_is_refused(clip):
    still = replace(
        clip,
        root_positions=np.tile(clip.root_positions[:1], (len(clip), 1)),
        local_rotations=np.tile(clip.local_rotations[:1], (len(clip), 1, 1)),
    )
    with pytest.raises(InvalidValue, match="no whole, straight, steady stride"):
        jerk(still)
