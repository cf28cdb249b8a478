"""Editing takes in which hands hold on to things: every edit, on every kind of grip; what an edit breaks, it names."""

from functools import cache

import numpy as np
import pytest

from layout_scenes import clips
from walkon.geometry.tracks import Track
from walkon.motion.body import Body
from walkon.stage import Prop
from walkon.take import Take, TakeWriter, load_take, save_take
from walkon.take.editing.editing import cut, delete, duplicate, merge, move, shift, swap_body
from walkon.take.posing.props import palm_poses, prop_poses
from walkon.transforms import planar, rigid
from walkon.transforms import quaternions as quat

KINDS = ("leaner", "carrier", "helper", "guide", "rider")
TIMES = np.linspace(0.6, 2.2, 17)
WAY = [[5.0, 4.8, 1.1], [6.5, 4.85, 1.1], [8.1, 4.8, 1.05]]
FLIGHT = Track(times=[0.0, 1.5, 3.0], places=WAY, headings=[0, 0.2, 0.1])
GONE = "from 0.5 to 2.4 s is gone: what it held is not there any more"


@cache
def things() -> Take:
    """A palm on the stage; two on a tray that one of them has; one on another's shoulder; one on a cart on a track."""
    slow, _ = clips()
    writer = TakeWriter()
    body = writer.add_body(Body.of(slow.skeleton))
    leaner, carrier, helper, guide, rider = (writer.add_character(name, body=body) for name in KINDS)
    places = {
        leaner: (2, 3, 0.5),
        carrier: (0, 0, 0),
        helper: (0.2, 0.7, -0.3),
        guide: (-0.6, 0.1, 0),
        rider: (5, 5, 0),
    }
    for who, place in places.items():
        writer.perform(who, slow, start=0.1, stop=2.9, place=place)
    tray, cart = writer.add_prop(Prop(name="tray")), writer.add_prop(Prop(name="cart"))
    writer.attach(tray, carrier, "RightHand", pose=(0.1, 0.1, 0.1, 1, 0, 0, 0), start=0.0, stop=3.0)
    writer.ride(cart, FLIGHT)
    body = np.concatenate([quat.turn(0.0)])
    on = {"start": 0.5, "stop": 2.4}
    writer.grip(leaner, "left", pose=(2.4, 3.6, 1.2, *quat.turn(0.5)), shape="flat", **on)
    writer.grip(carrier, "left", prop=tray, pose=(0.0, 0.2, 0.0, *body), shape="cylinder", **on)
    writer.grip(helper, "right", prop=tray, pose=(0.1, 0.3, 0.0, *body), **on)
    writer.grip(guide, "left", other=carrier, joint="LeftArm", pose=(0.0, 0.0, 0.1, *body), **on)
    writer.grip(rider, "right", prop=cart, pose=(0.1, 0.0, 0.0, *body), **on)
    return writer.close()


def joints(take: Take, who: str, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    poses = take.sample(times, characters=[take.character(who)])
    assert poses.present.all()
    return poses.positions[:, 0], poses.rotations[:, 0]


def same(one, two, atol=1e-9):
    far = np.abs(one[0] - two[0]).max()
    return far < atol and quat.angle_between(one[1], two[1]).max() < max(atol, 1e-6)


def palm(take: Take, who: str, hand: int, times: np.ndarray) -> np.ndarray:
    row = take.character(who)
    return palm_poses(take, [row], take.sample(times, characters=[row]))[:, 0, hand]


def test_moving_who_leans_on_the_stage_takes_the_place_along():
    by = (1.0, -0.5, 0.7)
    edit = move(things(), "leaner", by, pivot=(0.0, 0.0), audit=False)
    G = np.array([*by])
    places, turns = joints(things(), "leaner", TIMES)
    wanted = planar.apply_3d(G, places.reshape(-1, 3)).reshape(places.shape), quat.multiply(quat.turn(by[2]), turns)
    assert same(joints(edit.take, "leaner", TIMES), wanted, atol=2e-5)


def test_moving_who_carries_tears_the_others_hands_off_and_says_whose():
    edit = move(things(), "carrier", (8.0, 0.0, 0.0), audit=False)
    told = " | ".join(edit.broken)
    assert "the right hand of 'helper' on 'tray' from 0.5 to 2.4 s falls" in told
    assert "the left hand of 'guide' on 'carrier' from 0.5 to 2.4 s falls" in told
    assert "'leaner'" not in told and "'rider'" not in told
    # The tray goes along, and so does the carrier's own second hand.
    found, before = prop_poses(edit.take, TIMES).positions[:, 0], prop_poses(things(), TIMES).positions[:, 0]
    np.testing.assert_allclose(found, before + np.array([8.0, 0.0, 0.0]), atol=2e-5)
    for who in ("leaner", "rider"):
        assert same(joints(edit.take, who, TIMES), joints(things(), who, TIMES), atol=1e-12)


def test_moving_who_grips_a_thing_leaves_the_palm_on_it():
    edit = move(things(), "rider", (0.03, 0.02, 0.05), audit=False)
    before, after = (palm(take, "rider", 1, TIMES) for take in (things(), edit.take))
    missed = [take.sample(TIMES).hands_missed[:, 4, 1].max() for take in (things(), edit.take)]
    assert max(missed) == 0.0
    np.testing.assert_allclose(after[:, :3], before[:, :3], atol=1e-9)
    assert edit.broken == ()


@pytest.mark.parametrize("who", KINDS)
def test_a_shift_of_all_does_the_same_later(who):
    later = shift(things(), KINDS, 1.25, audit=False).take
    if who == "rider":  # the cart is nobody's, and goes its own way
        return
    assert same(joints(later, who, TIMES + 1.25), joints(things(), who, TIMES), atol=1e-9)
    shapes = [take.sample(when).hand_shapes for take, when in ((later, TIMES + 1.25), (things(), TIMES))]
    assert np.array_equal(*shapes)


def test_shifting_who_carries_alone_is_told():
    edit = shift(things(), "carrier", 20.0, audit=False)
    assert [words for words in edit.broken if "'guide' on 'carrier'" in words and "nothing to hold" in words]


@pytest.mark.parametrize("who", KINDS)
def test_a_cut_poses_as_before(who):
    part = cut(things(), 0.9, 2.1, audit=False).take
    inside = TIMES[(TIMES > 0.9) & (TIMES < 2.1)]
    assert same(joints(part, who, inside), joints(things(), who, inside), atol=1e-9)
    none = cut(things(), 2.7, 2.85, audit=False).take  # after the grips and their fades
    assert len(none.grips) == len(none.hand_shapes) == 0


def test_deleting_who_carries_loses_the_grips_on_it_and_says_which():
    edit = delete(things(), "carrier", audit=False)
    assert sorted(edit.broken) == [
        f"the grip of the left hand of 'guide' on 'carrier' {GONE}",
        f"the grip of the right hand of 'helper' on 'tray' {GONE}",
    ]
    assert edit.take.names[edit.changed[0]] == "helper" and len(edit.changed) == 2
    assert [prop.name for prop in edit.take.props] == ["cart"]
    assert (len(edit.take.grips), len(edit.take.hand_shapes)) == (2, 1)
    for who in ("leaner", "rider"):
        assert same(joints(edit.take, who, TIMES), joints(things(), who, TIMES), atol=1e-12)


def test_a_copy_has_a_tray_of_its_own_and_both_hands_on_it():
    edit = duplicate(things(), "carrier", name="copy", by=(0.0, 9.0, 0.0), pivot=(0, 0), seconds=0.5, audit=False)
    both = edit.take
    assert [prop.name for prop in both.props] == ["tray", "cart", "tray_2"]
    places, turns = joints(things(), "carrier", TIMES)
    wanted = places + np.array([0.0, 9.0, 0.0]), turns
    assert same(joints(both, "copy", TIMES + 0.5), wanted, atol=2e-5)
    assert edit.broken == ()
    alone = duplicate(things(), "helper", name="copy", audit=False)
    assert alone.broken == ("the copy 'copy' does not hold 'tray', which was not copied",)


def test_merging_keeps_both():
    both = merge(things(), things(), shift=4.0, audit=False).take
    for who in KINDS:
        assert same(joints(both, who, TIMES), joints(things(), who, TIMES), atol=1e-12)
        assert same(joints(both, f"{who}_2", TIMES + 4.0), joints(things(), who, TIMES), atol=1e-9)


def test_a_longer_body_keeps_its_palms_where_they_are():
    take = things()
    edit = swap_body(take, "rider", take.bodies[0], scale=1.04, audit=False)
    before, after = (palm(one, "rider", 1, TIMES) for one in (take, edit.take))
    np.testing.assert_allclose(after[:, :3], before[:, :3], atol=1e-9)


def test_files_keep_holds_to_the_bit(tmp_path):
    again = load_take(save_take(things(), tmp_path / "holds.take"))
    one, two = again.sample(TIMES), things().sample(TIMES)
    assert np.array_equal(one.positions, two.positions)
    assert np.array_equal(one.hand_weights, two.hand_weights)


def test_the_order_of_edits_does_not_matter():
    """Moving and shifting commute, also for grips on the stage."""
    one = shift(move(things(), "leaner", (1, 2, 0.3), audit=False).take, "leaner", 0.7, audit=False).take
    two = move(shift(things(), "leaner", 0.7, audit=False).take, "leaner", (1, 2, 0.3), audit=False).take
    assert same(joints(one, "leaner", TIMES + 0.7), joints(two, "leaner", TIMES + 0.7), atol=1e-9)
    assert rigid.relative(one.grips.pose[0], two.grips.pose[0])[..., :3] == pytest.approx(0.0, abs=1e-9)


def test_what_was_short_before_is_no_news():
    """An edit that changes nothing breaks nothing, however far hands were off."""
    take = things()
    far = take.grips.pose.copy()
    far[0, :, 0] += 3.0
    from dataclasses import replace

    off = replace(take, grips=take.grips.with_columns(pose=far))
    assert off.sample(TIMES).hands_missed.max() > 1.0
    assert move(off, KINDS, (0.0, 0.0, 0.0), audit=False).broken == ()
    assert cut(off, 0.9, 2.1, audit=False).broken == merge(off, off, shift=5.0, audit=False).broken == ()
    assert shift(off, ["leaner"], 0.3, audit=False).broken == ()


def test_a_tear_of_a_moment_is_seen():
    """The cart darts away for a tenth of the grip; whoever is moved back cannot follow it there."""
    slow, _ = clips()
    writer = TakeWriter()
    body = writer.add_body(Body.of(slow.skeleton))
    ann = writer.add_character("ann", body=body)
    writer.perform(ann, slow, start=0.0, stop=1.0, rate=0.0)
    writer.perform(ann, slow, start=1.0, stop=4.0, rate=0.0)
    shoulder = writer.take.pose(0.5).positions[0, slow.skeleton.role("left_shoulder")]
    near, away = shoulder + np.array([0.3, 0.0, -0.1]), shoulder + np.array([0.5, 0.0, -0.1])
    cart = writer.add_prop(Prop(name="cart"))
    places = np.array([near, near, away, away, near, near])
    writer.ride("cart", Track(times=[0.0, 2.2, 2.3, 2.5, 2.6, 4.0], places=places, headings=np.zeros(6)))
    writer.grip("ann", "left", prop=cart, pose=(0, 0, 0, 1, 0, 0, 0), start=0.2, stop=3.8)
    take = writer.close()
    edit = move(take, "ann", (-0.25, 0.0, 0.0), audit=False)
    assert len(edit.broken) == 1 and "falls" in edit.broken[0] and "at 2." in edit.broken[0]
