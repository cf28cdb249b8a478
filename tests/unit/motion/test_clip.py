from dataclasses import replace

import numpy as np
import pytest

from walkon._base.errors import InvalidClip, InvalidShape, InvalidValue, UnknownName
from walkon.motion import Clip, Ensemble, Event
from walkon.transforms import quaternions as quat


def make(stick, frames=5, **fields):
    rotations = np.broadcast_to(quat.IDENTITY, (frames, 5, 4))
    values = {"fps": 30.0, "root_positions": np.zeros((frames, 3)), "local_rotations": rotations, "name": "still"}
    return Clip(skeleton=stick, **(values | fields))


def test_a_clip_reports_itself_in_one_line(stick):
    assert repr(make(stick)) == "Clip('still': 5 frames, 5 joints, 30 fps, 0.13 s, 0.0 m travelled)"


def test_arrays_cannot_be_changed(stick):
    clip = make(stick)
    with pytest.raises(ValueError, match="read-only"):
        clip.root_positions[0] = 1.0


def test_wrong_shapes_name_the_field_and_both_shapes(stick):
    with pytest.raises(InvalidShape, match=r"Clip.root_positions must have shape \(5, 3\), got \(4, 3\)"):
        make(stick, root_positions=np.zeros((4, 3)))


def test_numbers_that_are_none_are_refused_with_their_place(stick):
    roots = np.zeros((5, 3))
    roots[3, 1] = np.nan
    with pytest.raises(InvalidValue, match=r"finite, but entry \(3, 1\) is nan"):
        make(stick, root_positions=roots)


def test_rotations_must_be_unit(stick):
    rotations = np.broadcast_to(quat.IDENTITY, (5, 5, 4)).copy()
    rotations[2, 1] *= 1.1
    with pytest.raises(InvalidClip, match=r"frame 2 of 'a' has length 1.1; use .*normalize"):
        make(stick, local_rotations=rotations)


@pytest.mark.parametrize("fps", [0.0, -30.0, float("nan"), float("inf")])
def test_rates_must_be_positive(stick, fps):
    with pytest.raises(InvalidClip, match="fps must be positive"):
        make(stick, fps=fps)


def test_an_empty_clip_is_refused(stick):
    with pytest.raises(InvalidClip, match="no frames"):
        make(stick, frames=0)


def test_an_unknown_label_lists_the_known_ones(stick):
    clip = make(stick, labels={"walk": np.ones(5, bool)})
    assert clip.label("walk").all()
    with pytest.raises(UnknownName, match=r"'wlak'.*Close matches: 'walk'"):
        clip.label("wlak")


def test_events_are_sorted_by_time(stick):
    clip = make(stick, events=(Event(time=0.1, kind="release"), Event(time=0.0, kind="grasp")))
    assert [event.kind for event in clip.events] == ["grasp", "release"]


def test_clips_of_an_ensemble_share_one_clock(stick):
    clip = make(stick)
    assert len(Ensemble(clips=(clip, clip)).clips) == 2
    with pytest.raises(InvalidClip, match="share one clock"):
        Ensemble(clips=(clip, replace(clip, fps=60.0)))


def test_the_planar_pose_of_a_skeleton_without_hips_is_its_root_s(stick):
    turned = np.broadcast_to(quat.IDENTITY, (5, 5, 4)).copy()
    turned[:, 0] = quat.turn(0.5)
    clip = make(stick, local_rotations=turned, root_positions=np.tile([1.0, 2.0, 3.0], (5, 1)))
    assert np.allclose(clip.planar_poses, [1.0, 2.0, 0.5])
