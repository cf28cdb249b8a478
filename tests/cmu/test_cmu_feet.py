"""Foot lock and contacts on real walks: what `python -m benchmarks.feet` prints, held by a test."""

import csv

import numpy as np
import pytest
from benchmarks.stance_shares import frames_in_the_air, stance_shares

from walkon.capture.build import planted_drift
from walkon.capture.recordings import Entry, import_recording
from walkon.motion.contacts.detection import stance
from walkon.motion.contacts.foot_lock import lock_feet
from walkon.motion.retargeting import retarget
from walkon.transforms import quaternions as quat

pytestmark = pytest.mark.mocap
MILLIMETRE = 1e-3


@pytest.fixture(scope="module")
def clips(mocap):
    """Clips of walks, turns and side steps, repaired, grounded, with contacts."""
    with (mocap / "manifest.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["category"] in ("walk", "turn", "sidestep")]
    found = {}
    for row in rows:
        entry = Entry(path=mocap / row["file"], fps=float(row["fps"]), labels=(row["category"],))
        (recording,) = import_recording(entry)
        assert recording.clip is not None
        found[entry.name] = recording.clip
    return found


def acceleration(clip):
    """[T - 2, J] rad/s²."""
    steps = quat.log(quat.multiply(quat.conjugate(clip.local_rotations[:-1]), clip.local_rotations[1:]))
    return np.linalg.norm(np.diff(steps, axis=0), axis=-1) * clip.fps**2


def test_locked_feet_stay_put_and_bodies_hardly_change(clips):
    changes, before, after = [], [], []
    for name, clip in clips.items():
        result = lock_feet(clip)
        assert planted_drift(result.clip) < 2 * MILLIMETRE, name
        sunk = clip.contact_heights - result.clip.contact_positions[..., 2]
        assert sunk[clip.contacts].max() < 2 * MILLIMETRE, name
        assert result.root_shift.max() <= 0.03 + 1e-12
        changes.append(np.degrees(quat.angle_between(result.clip.local_rotations, clip.local_rotations)))
        before.append(acceleration(clip).ravel())
        after.append(acceleration(result.clip).ravel())
        assert np.percentile(after[-1], 99.9) < 1.4 * np.percentile(before[-1], 99.9), name
    medians = np.median(np.concatenate(changes), axis=0)
    assert medians.max() < 3.0
    ratio = np.percentile(np.concatenate(after), 99.9) / np.percentile(np.concatenate(before), 99.9)
    assert ratio < 1.2


def test_stance_shares_of_steady_walks(clips):
    # 138_33 is kept as an example of a defect: in its last 0.2 s before it freezes the body floats off the floor.
    walks = [clip for name, clip in clips.items() if "walk" in clip.labels and name != "138_33"]
    shares = [foot.share for clip in walks for foot in stance_shares(clip)]
    in_the_air = np.sum([frames_in_the_air(clip) for clip in walks], axis=0)
    assert len(shares) >= 20
    assert min(shares) >= 0.50
    assert max(shares) <= 0.80
    assert 0.55 <= np.median(shares) <= 0.65
    assert in_the_air[0] / in_the_air[1] < 0.005


def test_feet_meet_the_floor_on_another_subject_s_skeleton(clips):
    target = clips["69_01"].skeleton
    for name in ("16_16", "104_35", "143_40", "137_29"):
        result = retarget(clips[name], target)
        planted = result.clip.contact_positions[result.clip.contacts]
        assert np.abs(planted[:, 2]).max() < 2 * MILLIMETRE, name
        assert planted_drift(result.clip) < 2 * MILLIMETRE, name


def test_stairs_have_levels_and_seated_feet_stay_down(mocap):
    (stairs,) = import_recording(Entry(path=mocap / "cmu" / "13_35.bvh"))
    levels = np.unique(np.round(stairs.clip.contact_heights[stairs.clip.contacts], 1))
    assert levels.tolist() == [0.0, 0.2, 0.4, 0.6]
    (seated,) = import_recording(Entry(path=mocap / "cmu" / "143_18.bvh", fps=60.0))
    assert stance(seated.clip).mean() > 0.95


def test_known_defects_are_found(mocap):
    def kinds(name):
        (recording,) = import_recording(Entry(path=mocap / "cmu" / f"{name}.bvh"))
        return {defect.kind for defect in recording.defects}

    assert "empty frames" in kinds("07_12")
    assert "limp joints" in kinds("16_15")
    assert "frozen tail" in kinds("138_33")
    assert "spikes" in kinds("16_16")
    assert "frame rate" in kinds("143_03")  # recorded at 60, the header says 120
