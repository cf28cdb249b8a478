import numpy as np
import pytest

from layout_scenes import clips, rich
from walkon import InvalidValue, UnknownName
from walkon.geometry.tracks import Track
from walkon.motion.body import Body
from walkon.stage import Prop
from walkon.take import TakeWriter
from walkon.take.posing.props import hold_pose, prop_poses, prop_row
from walkon.take.posing.track_poses import track_poses
from walkon.transforms import quaternions as quat

TIMES = np.linspace(-0.5, 4.5, 173)


@pytest.fixture(scope="module")
def take():
    return rich()


def in_hand(take, who, joint, time, pose):
    """The plain rule for one joint."""
    index = take.body(who).skeleton.index(joint)
    held = take.pose(time, characters=[take.character(who)])
    p, q = held.positions[0, index], held.rotations[0, index]
    return p + quat.rotate(q, pose[:3]), quat.multiply(q, pose[3:])


HOLD = np.array([0.1, 0.0, -0.1, 1.0, 0.0, 0.0, 0.0])


def slow_answer(take, prop, t):
    """Prop poses from the words of the docstring, one time and one prop."""
    a = take.attachments
    rows = sorted((i for i in range(len(a)) if a.prop[i] == prop), key=lambda i: a.start[i])
    begun = [i for i in rows if a.start[i] <= t]
    row = begun[-1] if begun else rows[0]
    at = min(max(t, a.start[row]), a.stop[row])
    share = (at - a.start[row]) / (a.stop[row] - a.start[row])
    first, last = a.pose[row]
    pose = np.concatenate([(1 - share) * first[:3] + share * last[:3], quat.slerp(first[3:], last[3:], share)])
    who = int(a.character[row])
    if a.track[row] >= 0:
        place, turn = track_poses(take, a.track[[row]], np.array([a.track_start[row] + at - a.start[row]]))
        return place[0] + quat.rotate(turn[0], pose[:3]), quat.multiply(turn[0], pose[3:])
    if who < 0:
        return pose[:3], pose[3:]
    return in_hand(take, who, take.body(who).skeleton.names[int(a.joint[row])], at, pose)


def test_props_are_where_the_words_say(take):
    found = prop_poses(take, TIMES)
    for k, t in enumerate(TIMES):
        place, turn = slow_answer(take, 0, t)
        assert np.allclose(found.positions[k, 0], place, atol=1e-12)
        assert quat.angle_between(found.rotations[k, 0], turn) < 1e-7
    assert np.allclose(np.linalg.norm(found.rotations[:, 0], axis=-1), 1.0)


def holding(**prop):
    """Ann walks for two seconds; a box of hers that is not attached yet."""
    clip, _ = clips()
    writer = TakeWriter()
    ann = writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton)))
    writer.perform(ann, clip, start=0.0, stop=2.0)
    return writer, ann, writer.add_prop(Prop(name="box", **prop))


def test_a_hold_that_changes_slowly_is_one_row():
    writer, ann, box = holding()
    tilted = np.array([0.2, 0.1, 0.0, *quat.about([1.0, 0.0, 0.0], 0.6)])
    writer.attach(box, ann, "LeftHand", pose=HOLD, pose_stop=tilted, start=0.0, stop=2.0)
    take = writer.close()
    assert len(take.attachments) == 1
    times = np.linspace(0.0, 2.0, 21)
    found = prop_poses(take, times)
    for k, t in enumerate(times):
        place, turn = slow_answer(take, 0, t)
        assert np.allclose(found.positions[k, 0], place, atol=1e-12)
        assert quat.angle_between(found.rotations[k, 0], turn) < 0.005  # mixed evenly, not along the arc
    assert np.allclose(found.positions[-1, 0], in_hand(take, "ann", "LeftHand", 2.0, tilted)[0], atol=1e-12)


def test_a_prop_rides_on_a_track():
    writer, _, box = holding()
    track = Track(times=[0.5, 1.5], places=[[0.0, 0.0, 1.0], [4.0, 0.0, 1.0]], headings=[0.0, np.pi / 2])
    writer.ride(box, track, pose=(0, 0.5, 0, 1, 0, 0, 0))
    found = prop_poses(writer.close(), [0.0, 1.0, 1.5, 9.0])
    half = np.sqrt(0.5) * 0.5
    np.testing.assert_allclose(
        found.positions[:, 0], [[0, 0.5, 1], [2 - half, half, 1], [3.5, 0, 1], [3.5, 0, 1]], atol=1e-3
    )
    assert np.degrees(quat.angle_between(found.rotations[1, 0], quat.turn(np.pi / 4))) < 0.1


def test_what_is_kept_level_turns_about_the_vertical_only():
    writer, ann, box = holding(keep_level=True)
    writer.attach(box, ann, "LeftHand", pose=HOLD, start=0.0, stop=2.0)
    take = writer.close()
    found = prop_poses(take, np.linspace(0, 2, 9))
    up = quat.rotate(found.rotations[:, 0], np.array([0.0, 0.0, 1.0]))
    np.testing.assert_allclose(up, np.tile([0.0, 0.0, 1.0], (9, 1)), atol=1e-12)
    assert np.allclose(found.positions[4, 0], in_hand(take, "ann", "LeftHand", 1.0, HOLD)[0])


@pytest.mark.parametrize(
    "second",
    [
        lambda w, box: w.attach(box, "ann", "RightHand", pose=HOLD, start=1.0, stop=1.5),
        lambda w, box: w.rest(box, HOLD, start=0.0, stop=0.6),
        lambda w, box: w.ride(box, Track(times=[1.9, 2.5], places=np.zeros((2, 3)))),
    ],
)
def test_two_sources_of_one_prop_are_refused_and_the_writer_goes_on(second):
    writer, ann, box = holding()
    writer.attach(box, ann, "LeftHand", pose=HOLD, start=0.5, stop=2.0)
    with pytest.raises(InvalidValue, match=r"one source of its pose at a time, but 'box' has one from"):
        second(writer, box)
    writer.rest(box, HOLD, start=0.0, stop=0.5)
    take = writer.close()
    assert len(take.attachments) == 2 and len(take.tracks) == 0


def test_a_prop_that_was_never_attached_is_nowhere(take):
    found = prop_poses(take, TIMES)
    assert found.present[:, 0].all()
    assert not found.present[:, 1].any()
    assert np.isnan(found.positions[:, 1]).all()


def test_the_later_attachment_counts_where_two_meet(take):
    found = prop_poses(take, [0.8])
    assert np.allclose(found.positions[0, 0], in_hand(take, "bob", "LeftHand", 0.8, HOLD)[0], atol=1e-12)


def test_a_prop_stays_where_it_was_left(take):
    found = prop_poses(take, [1.9, 2.0, 2.199, 3.0, 60.0])
    assert np.array_equal(found.positions[1, 0], found.positions[0, 0])
    assert np.array_equal(found.positions[2, 0], found.positions[0, 0])
    assert np.array_equal(found.positions[4, 0], found.positions[3, 0])


def test_a_prop_goes_with_its_holder():
    writer, ann, bag = holding()
    writer.attach(bag, ann, "LeftHand", pose=HOLD, start=0.0, stop=4.0)
    assert prop_poses(writer.close(), [1.0, 2.5, 3.5, 5.0]).present[:, 0].tolist() == [True, False, False, False]


def test_a_grip_keeps_the_prop_in_its_place(take):
    before = prop_poses(take, [2.0])
    pose = hold_pose(take, "cid", joint="RightHand", time=2.0, prop="box")
    place, turn = in_hand(take, "cid", "RightHand", 2.0, pose)
    assert np.allclose(place, before.positions[0, 0], atol=1e-12)
    assert quat.angle_between(turn, before.rotations[0, 0]) < 1e-7
    world = np.concatenate([before.positions[0, 0], before.rotations[0, 0]])
    assert np.allclose(hold_pose(take, "cid", joint="RightHand", time=2.0, pose=world), pose)
    index = take.body("cid").skeleton.index("RightHand")
    assert np.allclose(hold_pose(take, 2, joint=index, time=2.0, prop=0), pose)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"joint": "Hand", "time": 1.0, "prop": "box"}, UnknownName, "no joint 'Hand'"),
        ({"joint": 99, "time": 1.0, "prop": "box"}, InvalidValue, "joints 0 to 21; got 99"),
        ({"joint": 1, "time": 9.0, "prop": "box"}, InvalidValue, "'ann' is not there at 9 s"),
        ({"joint": 1, "time": 1.0, "prop": "ghost"}, InvalidValue, "'ghost' is nowhere at 1 s"),
        ({"joint": 1, "time": 1.0}, InvalidValue, "either a prop of the take or a pose"),
        ({"joint": 1, "time": 1.0, "pose": [1, 2, 3]}, InvalidValue, r"shape \(7\)"),
    ],
)
def test_grips_that_cannot_be_are_refused(take, options, error, words):
    with pytest.raises(error, match=words):
        hold_pose(take, "ann", **options)


def test_props_have_names_and_rows(take):
    assert prop_row(take, "ghost") == prop_row(take, 1) == prop_row(take, -1) == 1
    with pytest.raises(UnknownName, match="'box', 'ghost'"):
        prop_row(take, "boat")
    with pytest.raises(InvalidValue, match="0 to 1; got 2"):
        prop_row(take, 2)
    with pytest.raises(InvalidValue, match="finite seconds"):
        prop_poses(take, [0.0, np.nan])


def test_takes_without_props_have_none():
    found = prop_poses(TakeWriter().close(), [0.0, 1.0])
    assert found.positions.shape == (2, 0, 3)
    assert found.present.shape == (2, 0)
