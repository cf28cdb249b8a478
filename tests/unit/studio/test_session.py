"""A session is many performances with names, labels and exact contacts; the same seed gives the same."""

import numpy as np
import pytest

from walkon import studio
from walkon.capture.build import planted_drift
from walkon.motion.limits import limit_excess


@pytest.fixture(scope="module")
def clips():
    return studio.session(7)


def test_it_lasts_minutes_and_every_recording_has_a_name_and_labels(clips):
    assert sum(clip.duration for clip in clips) > 300
    assert len({clip.name for clip in clips}) == len(clips)
    assert all(clip.labels for clip in clips)


def test_single_performances_have_exact_contacts(clips):
    for clip in clips:
        if "+" in clip.name or clip.name.startswith(("sit_", "rise_", "fetch_")):
            continue  # joined ones are blended, and their feet are locked by the import
        assert planted_drift(clip) < 5e-4, clip.name


def test_no_joint_is_far_beyond_its_limits(clips):
    for clip in clips:
        excess = np.degrees(limit_excess(clip.skeleton.limits, clip.local_rotations)).max(axis=0)
        assert excess.max() < 8.0, (clip.name, clip.skeleton.names[int(excess.argmax())])


def test_the_same_seed_gives_the_same_recordings_and_another_other_ones(clips):
    again = studio.session(7)
    assert all(np.array_equal(a.local_rotations, b.local_rotations) for a, b in zip(clips, again, strict=True))
    other = studio.session(8)
    assert not np.array_equal(other[0].local_rotations, clips[0].local_rotations)
