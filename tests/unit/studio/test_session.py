"""A session is many performances with names, labels and exact contacts; the same seed gives the same."""

import importlib

import numpy as np
import pytest

from walkon import studio
from walkon._base.errors import InvalidValue
from walkon.capture.build import planted_drift
from walkon.motion.anatomy.limits import limit_excess

module = importlib.import_module("walkon.studio.session")  # `studio.session` is the function


@pytest.fixture(scope="module")
def clips():
    return studio.session(7)


def test_it_lasts_minutes_and_every_recording_has_a_name_and_labels(clips):
    assert sum(clip.duration for clip in clips) > 300
    assert len({clip.name for clip in clips}) == len(clips)
    assert all(clip.labels for clip in clips)


def test_contacts_are_exact(clips):
    for clip in clips:
        assert planted_drift(clip) < 5e-4, clip.name


def test_labels_tell_when_things_happen(clips):
    named = {clip.name: clip for clip in clips}
    fetch = named["fetch_table"]
    grasp = next(event.time for event in fetch.events if event.kind == "grasp")
    release = next(event.time for event in fetch.events if event.kind == "release")
    carried = fetch.times[fetch.label("carry")]
    assert carried.min() == pytest.approx(grasp, abs=0.1)
    assert carried.max() == pytest.approx(release, abs=0.1)
    assert not named["sit_turning_left"].label("sit")[0]
    assert not named["walk_1.10"].label("start")[-1]
    assert "pickup" not in named["put_down_table"].labels
    assert named["start_turning_left_90"].label("start")[0]
    assert not named["stop_turning_left_90_outer"].label("stop")[0]


def test_a_bad_seed_is_told():
    with pytest.raises(InvalidValue, match="whole number from 0, got -1"):
        studio.session(-1)


def test_no_joint_is_far_beyond_its_limits(clips):
    for clip in clips:
        excess = np.degrees(limit_excess(clip.skeleton.limits, clip.local_rotations)).max(axis=0)
        assert excess.max() < 5.0, (clip.name, clip.skeleton.names[int(excess.argmax())])


def steps_of(seed):
    """The recordings of one part of a session, made alone."""
    return module._record([module._steps], seed, {"style": studio.NEUTRAL})


def test_a_part_recorded_alone_is_that_of_the_session_and_of_another_seed_another(clips):
    named = {clip.name: clip for clip in clips}
    mine, others = steps_of(7), steps_of(8)
    assert len(mine) > 10
    assert all(np.array_equal(clip.local_rotations, named[clip.name].local_rotations) for clip in mine)
    assert not any(np.array_equal(clip.local_rotations, named[clip.name].local_rotations) for clip in others)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_recordings(clips):
    again = studio.session(7)
    assert all(np.array_equal(a.local_rotations, b.local_rotations) for a, b in zip(clips, again, strict=True))
