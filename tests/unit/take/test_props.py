import numpy as np
import pytest

from layout_scenes import clips, rich
from walkon import InvalidValue, UnknownName
from walkon.motion.body import Body
from walkon.stage import Prop
from walkon.take import TakeWriter
from walkon.take.posing.props import grip, prop_poses, prop_row
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
    rows = [i for i in range(len(take.attachments)) if take.attachments.prop[i] == prop]
    start, stop = take.attachments.start, take.attachments.stop
    now = [i for i in rows if start[i] <= t < stop[i]]
    at = t
    if not now:
        over = [i for i in rows if stop[i] <= t]
        at = max(stop[i] for i in over) if over else min(start[i] for i in rows)
        now = [i for i in over if stop[i] == at] if over else [i for i in rows if start[i] == at]
    found = []
    for i in now:
        pose, who = take.attachments.pose[i], int(take.attachments.character[i])
        if who < 0:
            found.append((pose[:3], pose[3:]))
        else:
            joint = take.body(who).skeleton.names[int(take.attachments.joint[i])]
            found.append(in_hand(take, who, joint, at, pose))
    return np.mean([p for p, _ in found], axis=0), quat.mean([q for _, q in found])


def test_props_are_where_the_words_say(take):
    found = prop_poses(take, TIMES)
    for k, t in enumerate(TIMES):
        place, turn = slow_answer(take, 0, t)
        assert np.allclose(found.positions[k, 0], place, atol=1e-12)
        assert quat.angle_between(found.rotations[k, 0], turn) < 0.02  # two hands: a sum and an eigenvector differ
    one_hand = (TIMES < 0.8) | (TIMES > 2.2)
    turns = np.stack([slow_answer(take, 0, t)[1] for t in TIMES[one_hand]])
    assert quat.angle_between(found.rotations[one_hand, 0], turns).max() < 1e-7
    assert np.allclose(np.linalg.norm(found.rotations[:, 0], axis=-1), 1.0)


def test_a_prop_that_was_never_attached_is_nowhere(take):
    found = prop_poses(take, TIMES)
    assert found.present[:, 0].all()
    assert not found.present[:, 1].any()
    assert np.isnan(found.positions[:, 1]).all()


def test_poses_that_are_there_are_used(take):
    found, again = prop_poses(take, TIMES), prop_poses(take, TIMES, poses=take.sample(TIMES))
    assert np.array_equal(found.positions, again.positions, equal_nan=True)
    assert np.array_equal(found.rotations, again.rotations, equal_nan=True)
    with pytest.raises(InvalidValue, match="all 3 characters at the 173 times"):
        prop_poses(take, TIMES, poses=take.sample(TIMES, characters=[0]))


def test_the_later_attachment_counts_where_two_meet(take):
    found = prop_poses(take, [0.8])
    left, right = (in_hand(take, "bob", f"{side}Hand", 0.8, HOLD)[0] for side in ("Left", "Right"))
    assert np.allclose(found.positions[0, 0], 0.5 * (left + right), atol=1e-12)


def test_a_prop_stays_where_it_was_left(take):
    found = prop_poses(take, [1.9, 2.0, 2.199, 3.0, 60.0])
    assert np.array_equal(found.positions[1, 0], found.positions[0, 0])
    assert np.array_equal(found.positions[2, 0], found.positions[0, 0])
    assert np.array_equal(found.positions[4, 0], found.positions[3, 0])


def test_a_prop_goes_with_its_holder():
    clip, _ = clips()
    writer = TakeWriter()
    body = writer.add_body(Body.of(clip.skeleton))
    ann, bob = writer.add_character("ann", body=body), writer.add_character("bob", body=body)
    writer.perform(ann, clip, start=0.0, stop=2.0)
    writer.perform(bob, clip, start=0.0, stop=3.0, place=(0.0, 1.0, 0.0))
    bag, table = writer.add_prop(Prop(name="bag")), writer.add_prop(Prop(name="table"))
    writer.attach(bag, ann, "LeftHand", pose=HOLD, start=0.0, stop=4.0)
    writer.attach(table, ann, "LeftHand", pose=HOLD, start=0.0, stop=4.0)
    writer.attach(table, bob, "RightHand", pose=HOLD, start=0.0, stop=4.0)
    take = writer.close()
    found = prop_poses(take, [1.0, 2.5, 3.5, 5.0])
    assert found.present[:, 0].tolist() == [True, False, False, False]
    assert found.present[:, 1].tolist() == [True, True, False, False]
    assert np.allclose(found.positions[1, 1], in_hand(take, "bob", "RightHand", 2.5, HOLD)[0])


def test_rotations_of_two_hands_average_whatever_their_signs():
    clip, _ = clips()
    writer = TakeWriter()
    ann = writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton)))
    writer.perform(ann, clip, start=0.0)
    box = writer.add_prop(Prop(name="box"))
    tilt = quat.about([1.0, 0.0, 0.0], 0.4)
    writer.attach(box, ann, "Hips", pose=[0, 0, 0, *tilt], start=0.0, stop=1.0)
    writer.attach(box, ann, "Hips", pose=[0, 0, 0, *-quat.conjugate(tilt)], start=0.0, stop=1.0)
    take = writer.close()
    found = prop_poses(take, [0.5])
    assert quat.angle_between(found.rotations[0, 0], take.pose(0.5).rotations[0, 0]) < 1e-7


def test_a_grip_keeps_the_prop_in_its_place(take):
    before = prop_poses(take, [2.0])
    pose = grip(take, "cid", joint="RightHand", time=2.0, prop="box")
    place, turn = in_hand(take, "cid", "RightHand", 2.0, pose)
    assert np.allclose(place, before.positions[0, 0], atol=1e-12)
    assert quat.angle_between(turn, before.rotations[0, 0]) < 1e-7
    world = np.concatenate([before.positions[0, 0], before.rotations[0, 0]])
    assert np.allclose(grip(take, "cid", joint="RightHand", time=2.0, pose=world), pose)
    index = take.body("cid").skeleton.index("RightHand")
    assert np.allclose(grip(take, 2, joint=index, time=2.0, prop=0), pose)


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
        grip(take, "ann", **options)


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
