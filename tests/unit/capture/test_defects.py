from dataclasses import replace

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from walker import walk
from walkon.capture.defects import fall_rate, impossible_fall, repair, repair_spikes
from walkon.motion.editing import take_frames
from walkon.transforms import quaternions as quat


@pytest.fixture(scope="module")
def clip():
    """A walk in which, as in capture, no joint is ever exactly unrotated."""
    clean = walk(seconds=2.0)
    rng = np.random.default_rng(4)
    noise = np.radians(0.3) * gaussian_filter1d(rng.standard_normal((len(clean), len(clean.skeleton), 3)), 6, axis=0)
    rotations = quat.multiply(clean.local_rotations, quat.exp(noise))
    # Real joints have no corners in time.
    rotations = quat.normalize(gaussian_filter1d(rotations, 2.0, axis=0, mode="nearest"))
    return clean.with_motion(clean.root_positions, rotations)


def kinds(defects):
    return [defect.kind for defect in defects]


def test_a_clean_clip_has_no_defects(clip):
    same, found = repair(clip)
    assert kinds(found) == []
    assert same is clip


def test_spikes_are_bridged_and_nothing_else_is_touched(clip):
    rotations = np.array(clip.local_rotations)
    knee = clip.skeleton.role("left_knee")
    toe = clip.skeleton.role("right_ball")
    rotations[50, knee] = quat.multiply(rotations[50, knee], quat.exp(np.array([0.0, 0.4, 0.0])))
    rotations[120:122, toe] = quat.multiply(rotations[120:122, toe], quat.exp(np.array([0.0, 0.5, 0.0])))
    fixed, repaired = repair_spikes(clip.with_motion(clip.root_positions, rotations))
    spikes, allowed = np.zeros_like(repaired), np.zeros_like(repaired)
    spikes[50, knee] = spikes[120:122, toe] = True
    allowed[49:52, knee] = allowed[119:123, toe] = True  # a frame beside a spike may be smoothed with it
    assert (repaired >= spikes).all()
    assert (repaired <= allowed).all()
    assert np.degrees(quat.angle_between(fixed.local_rotations, clip.local_rotations).max()) < 1.5


def test_a_spike_of_the_root_is_bridged(clip):
    roots = np.array(clip.root_positions)
    roots[80] += [0.0, 0.05, 0.0]
    fixed, _ = repair_spikes(replace(clip, root_positions=roots))
    assert np.linalg.norm(fixed.root_positions - clip.root_positions, axis=1).max() < 0.002


def test_a_frozen_tail_is_cut(clip):
    frozen = take_frames(clip, np.concatenate([np.arange(len(clip)), np.full(60, len(clip) - 1)]))
    fixed, found = repair(frozen)
    assert len(fixed) == len(clip)
    assert "60 frames repeat one pose" in found[0].message


def test_empty_frames_at_the_start_are_cut(clip):
    rotations, roots = np.array(clip.local_rotations), np.array(clip.root_positions)
    rotations[:2], roots[:2] = quat.IDENTITY, 0.0
    fixed, found = repair(replace(clip, local_rotations=rotations, root_positions=roots))
    assert len(fixed) == len(clip) - 2
    assert kinds(found) == ["empty frames"]


def test_empty_frames_inside_make_a_clip_unusable(clip):
    rotations, roots = np.array(clip.local_rotations), np.array(clip.root_positions)
    for frames in (slice(0, 2), slice(100, 130)):
        rotations[frames], roots[frames] = quat.IDENTITY, 0.0
    _, found = repair(replace(clip, local_rotations=rotations, root_positions=roots))
    assert found[0].kind == "empty frames"
    assert found[0].fatal
    assert "30 empty frames (all zero) inside" in found[0].message


def test_a_limp_arm_in_the_first_frames_is_held(clip):
    rotations = np.array(clip.local_rotations)
    elbow = clip.skeleton.role("left_elbow")
    rotations[:2, elbow] = quat.IDENTITY
    fixed, found = repair(replace(clip, local_rotations=rotations))
    assert kinds(found) == ["limp joints"]
    assert np.degrees(quat.angle_between(fixed.local_rotations[0, elbow], clip.local_rotations[2, elbow])) < 0.01


def hops(fps):
    """A body that jumps: 0.4 s in the air under true gravity, feet tucked up with it."""
    standing = take_frames(walk(seconds=0.5), np.zeros(round(3 * fps), int))
    times = np.arange(len(standing)) / fps
    phase = times % 1.0
    rise = np.where(phase < 0.4, 0.5 * 9.81 * phase * (0.4 - phase), 0.0)
    roots = standing.root_positions + np.column_stack([0 * rise, 0 * rise, rise])
    return replace(standing, root_positions=roots, fps=fps)


def test_true_falls_pass_and_heavy_ones_name_the_likely_rate():
    true = hops(60.0)
    assert fall_rate(true) == pytest.approx(9.81, rel=0.15)
    assert impossible_fall(true) is None
    wrong = impossible_fall(replace(true, fps=120.0))
    assert wrong is not None
    assert wrong.fatal
    assert "120 frames/s is wrong, 60 is likely" in wrong.message
    assert "--source-fps" in wrong.message


def test_a_walk_never_flies(clip):
    assert fall_rate(clip) is None or abs(fall_rate(clip)) < 5.0
