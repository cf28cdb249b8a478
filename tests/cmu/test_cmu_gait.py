"""Gait of real walks: CMU's subjects lie within the norms, and the performer moves about as they do.

What `python -m benchmarks.gait` prints, held by a test.
"""

import pytest
from benchmarks.liveliness import FOOT_BINS, POSE_BINS, foot_speeds, histogram, jerk, overlap, pose_changes

from walkon.capture.recordings import Entry, import_recording, prepare
from walkon.motion.gait.norms import judge
from walkon.motion.gait.report import gait_report
from walkon.studio import walk

pytestmark = pytest.mark.mocap
WALKS = ("16_15", "16_16", "16_21", "16_31", "16_47", "69_01", "69_06", "138_13")


@pytest.fixture(scope="module")
def clips(mocap):
    found = {}
    for name in WALKS:
        (recording,) = import_recording(Entry(path=mocap / "cmu" / f"{name}.bvh", fps=120.0))
        found[name] = recording.clip
    return found


@pytest.fixture(scope="module")
def reports(clips):
    return {name: gait_report(clip) for name, clip in clips.items()}


@pytest.mark.parametrize("name", [name for name in WALKS if name.startswith(("16_", "69_"))])
def test_subjects_16_and_69_lie_within_every_norm(reports, name):
    out = [
        f"{row.name} {row.measured:.3g} ({row.low:.3g} to {row.high:.3g})"
        for row in judge(reports[name])
        if not row.within
    ]
    assert out == []


def test_speed_cadence_and_step_are_those_measured_by_hand(reports):
    for name, speed, cadence, step in (
        ("16_16", 1.01, 100, 0.61),
        ("16_47", 1.31, 108, 0.73),
        ("16_21", 1.72, 125, 0.83),
        ("138_13", 1.02, 99, 0.62),
        ("69_01", 0.95, 101, 0.57),
    ):
        assert reports[name].speed_m_s == pytest.approx(speed, rel=0.02)
        assert reports[name].cadence_per_min == pytest.approx(cadence, rel=0.05)
        assert reports[name].step_length_m == pytest.approx(step, rel=0.03)


def test_stance_falls_with_speed_by_the_named_detector(reports):
    slow, middle, fast = (reports[name].stance_share for name in ("69_06", "16_16", "16_21"))
    assert slow > middle > fast
    assert fast == pytest.approx(0.584, abs=0.02)


def test_laps_are_mostly_turns(reports):
    assert reports["69_06"].turning > 10 * reports["69_06"].strides


def test_knees_of_the_captured_are_never_smoother_than_their_hips(clips):
    for clip in clips.values():
        found = jerk(clip)
        assert found["knee"].high > found["hips"].high
        assert found["ball"].high > found["knee"].median


@pytest.mark.parametrize("name", WALKS)
def test_pose_change_and_foot_speed_of_the_performer_overlap_those_of_capture(clips, reports, name):
    performed = prepare(walk(speed=reports[name].speed_m_s, duration=20.0, seed=1)).clip
    pose = [histogram(pose_changes(clip), POSE_BINS) for clip in (performed, clips[name])]
    foot = [histogram(foot_speeds(clip), FOOT_BINS) for clip in (performed, clips[name])]
    assert overlap(*pose) >= 0.70
    assert overlap(*foot) >= 0.75
