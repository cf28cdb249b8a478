from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layout_scenes import clips, rich, same
from walkon import Body, InvalidValue, UnknownName
from walkon.motion import Skeleton
from walkon.script import Mark
from walkon.stage import Obstacle, Stage
from walkon.take import TakeWriter
from walkon.take.editing.editing import cut, delete, duplicate, merge, move, shift, swap_body
from walkon.take.posing.props import prop_poses
from walkon.take.storing.file import load_take, save_take
from walkon.take.tables import MEANT
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

TIMES = np.linspace(-0.3, 5.2, 211)  # not on frames, nor on any seam
FLOAT32 = 2e-5
"""m: what a knee may be off after a move, since plants are stored in float32: a micrometre, and 20 times that in a leg
that is almost straight."""


@pytest.fixture(scope="module")
def take():
    return rich()


def differences(a, b):
    """Largest differences of places [m] and of turns [rad] of two batches of poses.

    A dead straight knee turns rounding into its square root, so legs that fall short are left out.
    """
    assert np.array_equal(a[2], b[2])
    here = (a[2] > 0) & (a[3] < 1e-9) & (b[3] < 1e-9)
    assert here.sum() > 0.8 * (a[2] > 0).sum()
    places = np.abs(a[0][here] - b[0][here]).max(initial=0.0)
    return places, quat.angle_between(a[1][here], b[1][here]).max(initial=0.0)


def posed(take, times, who):
    poses = take.sample(times, characters=[take.character(name) for name in who])
    return poses.positions, poses.rotations, poses.presence, poses.missed.max(axis=-1)


def props_agree(a, b, times, *, shift=0.0):
    one, two = prop_poses(a, times), prop_poses(b, np.asarray(times) + shift)
    assert np.array_equal(one.present, two.present)
    assert np.allclose(one.positions, two.positions, atol=1e-9, equal_nan=True)
    here = one.present
    assert quat.angle_between(one.rotations[here], two.rotations[here]).max() < 1e-7


# Cutting


@settings(max_examples=40, deadline=None)
@given(st.floats(-0.5, 4.0), st.floats(0.05, 4.0))
def test_a_cut_poses_as_before_bit_for_bit(start, length):
    take = rich()
    stop = start + length
    if start > 4.5 or stop < 0.01:
        return
    part = cut(take, start, stop, audit=False).take
    times = np.linspace(start, stop, 67)[:-1]
    there = [take.character(name) for name in part.names]
    same(take, part, times, rows=(there, None), exact=True)
    gone = [k for k in range(len(take)) if k not in there]
    assert not take.sample(times, characters=np.array(gone, int)).present.any()
    outside = part.sample([start - 1e-6, stop + 1e-6])
    assert not outside.present.any()
    props_agree(take, part, times)


def test_a_cut_can_start_the_clock_anew(take):
    part = cut(take, 1.3, 3.7, to_zero=True, audit=False).take
    times = np.linspace(1.3, 3.7, 97)[:-1]
    before, after = posed(take, times, take.names), posed(part, times - 1.3, take.names)
    places, turns = differences(before, after)
    assert places < 1e-9
    assert turns < 1e-7
    assert part.start == pytest.approx(0.0, abs=1e-12)
    assert part.stop == pytest.approx(2.4)
    assert part.marks.met[0] == pytest.approx(1.7)
    assert part.marks.window[0] == pytest.approx([1.2, 2.2])
    props_agree(take, part, times, shift=-1.3)


def test_cuts_of_cuts_are_cuts(take):
    once = cut(take, 1.0, 3.0, audit=False).take
    twice = cut(once, 1.5, 4.0, audit=False).take
    assert (twice.start, twice.stop) == (1.5, 3.0)
    same(take, twice, np.linspace(1.5, 2.99, 50), exact=True)
    with pytest.raises(InvalidValue, match=r"nobody is there from 3.2 to 3.4 s; the take runs from 1.5 to 3 s"):
        cut(twice, 3.2, 3.4)


def test_a_cut_keeps_only_who_and_what_is_there(take):
    part = cut(take, 0.0, 0.9, audit=False).take
    assert part.names == ("ann", "bob")
    assert part.clips.names == ("slow", "fast")
    assert part.mark_names == ("far",)  # the seat is met later
    assert (part.segments.mark == [-1, 0]).all()
    assert len(part.segments) == 2
    assert len(part.overrides) == 0
    late = cut(take, 4.0, 4.5, audit=False).take
    assert late.names == ("ann", "cid")
    assert late.sample([4.25], characters=[0]).presence[0, 0] == 2
    assert len(late.track_knots) == 9
    assert len(late.stances) < len(take.stances) / 2


def test_a_box_that_was_put_down_before_the_cut_lies_there(take):
    part = cut(take, 1.95, 2.15, audit=False).take
    found, before = prop_poses(part, [2.0]), prop_poses(take, [2.0])
    assert np.allclose(found.positions[0, 0], before.positions[0, 0], rtol=0, atol=1e-12)
    assert part.attachments.character.tolist() == [-1]


def test_a_hold_ends_with_the_cut():
    clip, _ = clips()
    writer = TakeWriter()
    ann = writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton)))
    writer.perform(ann, clip, start=0.0)
    writer.add_mark(ann, Mark(name="stay", position=(1, 0), hold=2.0), met=1.0)
    part = cut(writer.close(), 0.5, 1.75, audit=False).take
    assert part.marks.hold.tolist() == [0.75]


@pytest.mark.parametrize("window", [(1.0, 1.0), (2.0, 1.0), (np.nan, 1.0), (0.0, np.inf)])
def test_impossible_cuts_are_refused(take, window):
    with pytest.raises(InvalidValue, match="must end after it begins"):
        cut(take, *window)


# Shifting and moving


@settings(max_examples=25, deadline=None)
@given(st.floats(-0.2, 50.0))
def test_shifting_shifts_poses(seconds):
    take = rich()
    later = shift(take, ["ann", "bob"], seconds, audit=False).take
    places, turns = differences(posed(take, TIMES, ["ann", "bob"]), posed(later, TIMES + seconds, ["ann", "bob"]))
    assert places < 1e-9
    assert turns < 1e-6
    same(take, later, TIMES, rows=([2], [2]), exact=True)


def test_a_shift_takes_the_meeting_of_marks_along_and_their_times_only_if_asked(take):
    later = shift(take, "ann", 0.5, audit=False).take
    assert later.marks.met.tolist() == [3.5, 0.0]
    assert (later.marks.asks & MEANT > 0).tolist() == [True, False]
    assert later.marks.window[0].tolist() == [2.5, 3.5]
    later = shift(take, "ann", 0.5, marks=True, audit=False).take
    assert later.marks.window[0].tolist() == [3.0, 4.0]
    early = shift(take, "ann", -4.0, marks=True, audit=False).take
    assert early.marks.met[0] == -1.0
    assert early.why("ann", -2.0).mark.met == -1.0
    kept = cut(early, -2.0, 0.5, audit=False).take
    assert kept.marks.met[0] == -1.0


def test_a_shift_takes_what_is_held_along(take):
    later = shift(take, "ann", 0.1, audit=False).take
    held = prop_poses(take, [2.5]).positions[0, 0]
    assert np.allclose(prop_poses(later, [2.6]).positions[0, 0], held, atol=1e-9)
    early = shift(take, "bob", -0.3, audit=False).take  # he takes it from where it still rests
    held = prop_poses(take, [1.0]).positions[0, 0]
    assert np.allclose(prop_poses(early, [0.7]).positions[0, 0], held, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.floats(-3.1, 3.1), st.booleans())
def test_moving_moves_poses(x, y, heading, about_entrance):
    take = rich()
    pivot = None if about_entrance else (1.0, -2.0)
    there = move(take, "ann", (x, y, heading), pivot=pivot, audit=False).take
    around = take.pose(take.enters[0]).positions[0, 0, :2] if about_entrance else np.array([1.0, -2.0])
    positions, rotations, *rest = posed(take, TIMES, ["ann"])
    ground = planar.apply((0, 0, heading), positions[..., :2] - around) + around + (x, y)
    wanted = np.concatenate([ground, positions[..., 2:]], axis=-1)
    places, turns = differences(
        (wanted, quat.multiply(quat.turn(heading), rotations), *rest), posed(there, TIMES, ["ann"])
    )
    assert places < FLOAT32
    assert turns < 1e-4
    same(take, there, TIMES, rows=([1, 2], [1, 2]), exact=True)


def test_a_plain_walk_moves_to_rounding(take):
    bare = replace(take, stances=type(take.stances)(), drops=type(take.drops)())
    there = move(bare, "cid", (1.0, 2.0, 0.7), audit=False).take
    pivot = bare.pose(bare.enters[2]).positions[2, 0, :2]
    before, after = posed(bare, TIMES, ["cid"]), posed(there, TIMES, ["cid"])
    ground = planar.apply((0, 0, 0.7), before[0][..., :2] - pivot) + pivot + (1.0, 2.0)
    assert np.nanmax(np.abs(ground - after[0][..., :2])) < 1e-9


def test_planted_feet_stand_still_after_a_move(take):
    there = move(take, "bob", (0.3, 0.2, 1.0), audit=False).take
    skeleton, times = there.body("bob").skeleton, np.linspace(0.2, 3.0, 1400)
    poses = there.sample(times, characters=[1])
    joint, offset = skeleton.contact_joints[1], skeleton.contact_offsets[1]
    ball = poses.positions[:, 0, joint] + quat.rotate(poses.rotations[:, 0, joint], offset)
    down = poses.contacts[:-1, 0, 1] & poses.contacts[1:, 0, 1]
    assert down.sum() > 300
    assert np.linalg.norm(np.diff(ball, axis=0)[down], axis=1).max() < 1e-6


def test_marks_stay_unless_they_are_asked_along(take):
    assert move(take, "ann", (1, 0, 0), audit=False).take.marks.position[0].tolist() == [3.0, 0.1]
    along = move(take, "ann", (1, 0, 0.5), pivot=(0, 0), marks=True, audit=False).take
    assert np.allclose(along.marks.position[0], planar.apply((1, 0, 0.5), (3.0, 0.1)))
    assert along.marks.facing[0] == pytest.approx(0.5)
    assert along.marks.position[1].tolist() == [9.0, 1.0]


def test_a_carried_box_moves_with_its_holder_and_no_longer(take):
    there = move(take, "ann", (0.0, 0.7, 0.0), audit=False).take
    before, after = prop_poses(take, [1.0, 2.5]).positions[:, 0], prop_poses(there, [1.0, 2.5]).positions[:, 0]
    assert np.array_equal(before[0], after[0])
    assert np.allclose(after[1] - before[1], (0.0, 0.7, 0.0), atol=1e-6)


def test_an_overridden_root_turns_with_its_character():
    clip, _ = clips()
    writer = TakeWriter()
    ann = writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton)))
    writer.perform(ann, clip, start=0.0)
    writer.override(ann, {"Hips": quat.turn(np.linspace(0, 1, 31)), "Head": quat.turn(np.zeros(31))}, start=1, rate=30)
    take = writer.close()
    there = move(take, "ann", (0, 0, 0.8), pivot=(0, 0), audit=False).take
    one, two = take.pose(1.5), there.pose(1.5)
    assert quat.angle_between(two.rotations[0, 0], quat.multiply(quat.turn(0.8), one.rotations[0, 0])) < 3e-4
    assert quat.angle_between(one.local_rotations[0, 4], two.local_rotations[0, 4]) < 1e-6


def test_characters_that_share_a_warp_move_alone():
    clip, _ = clips()
    from walkon.take.tables import NONE, Segments, Warps

    writer = TakeWriter()
    body = writer.add_body(Body.of(clip.skeleton))
    writer.add_characters(["ann", "bob"], body=body)
    row = writer.add_clip(clip)
    shared = dict.fromkeys(("blend", "track", "edge", "mark"), NONE) | {"rate_start": 1, "rate_stop": 1}
    segments = Segments.filled(2, character=[0, 1], stop=2.0, clip=row, place=[[0, 0, 0], [0, 1, 0]], **shared)
    writer.add_segments(segments, warps=Warps.filled(1, offsets=[[[0, 0, 0], [0.1, 0, 0]]]))
    take = writer.close()
    there = move(take, "ann", (0, 0, np.pi / 2), audit=False).take
    same(take, there, TIMES, rows=([1], [1]), exact=True)
    assert len(there.warps) == 2


# Deleting and duplicating


def test_deleting_leaves_the_others_as_they_are(take):
    edit = delete(take, "bob", audit=False)
    assert edit.take.names == ("ann", "cid")
    assert edit.changed.tolist() == [0]  # she holds the box that he held
    same(take, edit.take, TIMES, rows=([0, 2], None), exact=True)
    assert edit.take.mark_names == ("seat",)
    assert (len(edit.take.reasons), edit.take.notes) == (0, ())
    assert edit.take.segments.mark.tolist().count(0) == 1
    assert len(edit.take.props) == 2
    nobody = delete(take, [0, 1, 2], audit=False).take
    assert len(nobody) == len(nobody.clips) == len(nobody.bodies) == 0
    assert nobody.sample([0.0]).positions.shape[1] == 0


def test_a_bag_goes_with_its_only_holder(take):
    rests = replace(take, attachments=take.attachments.rows(take.attachments.character == 0))
    gone = delete(rests, "ann", audit=False).take
    assert [prop.name for prop in gone.props] == ["ghost"]


def test_a_copy_does_the_same_elsewhere_and_later(take):
    edit = duplicate(take, "ann", name="eve", by=(0, 5, 0), seconds=0.25, audit=False)
    both = edit.take
    assert both.names == ("ann", "bob", "cid", "eve")
    assert edit.changed.tolist() == [3]
    same(take, both, TIMES, rows=(None, [0, 1, 2]), exact=True)
    before, after = posed(take, TIMES, ["ann"]), posed(both, TIMES + 0.25, ["eve"])
    places, turns = differences((before[0] + (0, 5, 0), *before[1:]), after)
    assert places < FLOAT32
    assert turns < 1e-4
    assert both.clips.names == ("slow", "fast")
    assert len(both.bodies) == 1
    assert both.mark_names == ("seat", "far", "seat")
    assert both.marks.position[2].tolist() == [3.0, 5.1]
    assert both.marks.window[2].tolist() == [2.75, 3.75]
    assert both.segments.mark[both.segments.character == 3].tolist() == [2, -1, -1]
    assert [prop.name for prop in both.props] == ["box", "ghost", "box_2"]
    box = prop_poses(both, [2.75]).positions[0]
    assert np.allclose(box[2], prop_poses(take, [2.5]).positions[0, 0] + (0, 5, 0), atol=1e-5)


def test_copies_without_names_are_numbered(take):
    twice = duplicate(duplicate(take, ["bob", "ann"], audit=False).take, "ann", audit=False).take
    assert twice.names == ("ann", "bob", "cid", "ann_2", "bob_2", "ann_3")
    for names in ("bob", ["eve", "eve"], ["eve"]):
        with pytest.raises(InvalidValue, match="new names"):
            duplicate(take, ["ann", "bob"] if isinstance(names, list) else "ann", name=names)


# Merging


def test_a_merged_take_plays_both(take):
    other = rich.__wrapped__()  # made anew: nothing in it is the same object
    edit = merge(take, other, shift=1.25, audit=False)
    both = edit.take
    assert both.names == ("ann", "bob", "cid", "ann_2", "bob_2", "cid_2")
    assert edit.changed.tolist() == [3, 4, 5]
    same(take, both, TIMES, rows=(None, [0, 1, 2]), exact=True)
    places, turns = differences(posed(take, TIMES, take.names), posed(both, TIMES + 1.25, both.names[3:]))
    assert places < 1e-9
    assert turns < 1e-6
    assert both.clips.names == ("slow", "fast")
    assert both.clips.nbytes == take.clips.nbytes
    assert len(both.bodies) == len(both.skeletons) == 1
    found, alone = prop_poses(both, TIMES + 1.25), prop_poses(other, TIMES)
    assert np.allclose(found.positions[:, 2:], alone.positions, atol=1e-9, equal_nan=True)
    assert both.provenance["merged"] == [dict(other.provenance)]
    assert (both.reasons.character.tolist(), both.notes) == ([1, 4], ("he is late",))
    assert both.why("bob_2", 2.0).reason == "he is late"


def test_halves_of_a_take_merge_to_the_whole(take):
    whole = merge(delete(take, ["bob"], audit=False).take, delete(take, [0, 2], audit=False).take, audit=False).take
    same(take, whole, TIMES, rows=([0, 2, 1], None), exact=True)


def test_different_clips_of_one_name_stay_apart(take):
    clip, _ = clips()
    other = replace(
        clip, root_positions=clip.root_positions * (1.0, 1.0, 1.01), labels={"run": np.ones(len(clip), bool)}
    )
    writer = TakeWriter()
    dan = writer.add_character("dan", body=writer.add_body(Body.of(clip.skeleton)))
    writer.perform(dan, other, start=0.0)
    alone = writer.close()
    both = merge(take, alone, audit=False).take
    assert both.clips.names == ("slow", "fast", "slow")
    same(alone, both, TIMES, rows=([0], [3]), exact=True)
    assert set(both.clip(2).labels) == {"run"}
    assert set(both.clip(0).labels) == {"walk", "late"}
    assert np.array_equal(both.clip(2).contacts, other.contacts)


def test_stages_must_agree_or_be_empty(take):
    def on(height):
        wall = Obstacle(polygon=[[5, 5], [6, 5], [6, 6]], height=height, name="wall")
        return replace(take, stage=Stage(obstacles=(wall,)))

    assert merge(on(2.0), take, audit=False).take.stage.obstacles[0].height == 2.0
    assert merge(take, on(2.0), audit=False).take.stage.obstacles[0].height == 2.0
    assert len(merge(on(2.0), on(2.0), audit=False).take.stage.obstacles) == 1
    with pytest.raises(InvalidValue, match="different stages cannot be merged"):
        merge(on(2.0), on(3.0), audit=False)


# Bodies


def test_another_body_walks_the_same_path(take):
    skeleton = take.bodies[0].skeleton
    tall = Body.of(replace(skeleton, offsets=skeleton.offsets * 1.1, contact_offsets=skeleton.contact_offsets * 1.1))
    edit = swap_body(take, "bob", tall, scale=0.98, audit=False)
    new = edit.take
    same(take, new, TIMES, rows=([0, 2], [0, 2]), exact=True)
    before, after = posed(take, TIMES, ["bob"]), posed(new, TIMES, ["bob"])
    assert np.array_equal(before[2], after[2])
    assert np.nanmax(np.abs(before[0][..., 0, :2] - after[0][..., 0, :2])) < 1e-9
    assert new.body("bob").height == pytest.approx(1.1 * 0.98 * take.bodies[0].height)
    assert len(new.bodies) == 2
    times = np.linspace(0.2, 3.0, 1400)
    poses = new.sample(times, characters=[1])
    sized = new.body("bob").skeleton
    joint, offset = sized.contact_joints[3], sized.contact_offsets[3]
    ball = poses.positions[:, 0, joint] + quat.rotate(poses.rotations[:, 0, joint], offset)
    down = poses.contacts[:-1, 0, 3] & poses.contacts[1:, 0, 3]
    assert down.sum() > 300
    assert np.linalg.norm(np.diff(ball, axis=0)[down], axis=1).max() < 1e-6
    assert np.abs(ball[:-1][down, 2]).max() < 2e-3


def test_a_body_that_comes_back_leaves_no_trace(take):
    small = swap_body(take, [0, 1, 2], Body.of(take.bodies[0].skeleton).scaled(0.9), audit=False).take
    assert len(small.bodies) == 1
    again = swap_body(small, "cid", take.bodies[0], scale=0.95, audit=False).take
    places, turns = differences(posed(take, TIMES, ["cid"]), posed(again, TIMES, ["cid"]))
    assert places < FLOAT32
    assert turns < 1e-4


def test_feet_of_a_cut_character_can_be_planted_anew(take):
    part = shift(cut(take, 1.0, 2.5, audit=False).take, [0, 1, 2], 0.033, audit=False).take
    new = swap_body(part, "bob", 0, scale=1.0, audit=False).take
    poses = new.sample(np.linspace(1.04, 2.53, 90), characters=[1])
    assert poses.present.all()
    assert np.isfinite(new.stances.heel_place).all()
    assert poses.contacts[:, 0].any(axis=1).mean() > 0.9


def test_bodies_that_cannot_be_are_refused(take):
    pole = Body.of(Skeleton(names=("root", "top"), parents=[-1, 0], offsets=[[0, 0, 0], [0, 0, 1]]))
    with pytest.raises(InvalidValue, match=r"'ann' plays clips of 22 joints.*this one has 2"):
        swap_body(take, "ann", pole)
    with pytest.raises(InvalidValue, match="1 bodies, 0 to 0; got 3"):
        swap_body(take, "ann", 3)


# Who is meant, and the audit


@pytest.mark.parametrize("who", [[], ["ann", 0]])
def test_characters_are_named_once(take, who):
    with pytest.raises(InvalidValue, match="each once"):
        delete(take, who)


def test_unknown_characters_and_bad_numbers_are_refused(take):
    with pytest.raises(UnknownName, match="no character 'anna'"):
        move(take, "anna", (0, 0, 0))
    with pytest.raises(InvalidValue, match="got 7"):
        shift(take, 7, 1.0)
    with pytest.raises(InvalidValue, match="finite number of seconds"):
        shift(take, "ann", np.nan)
    with pytest.raises(InvalidValue, match="shape"):
        move(take, "ann", (0, 0))


def test_an_edit_audits_what_it_changed(take):
    auditing = pytest.importorskip("walkon.take.auditing")
    edit = move(take, "ann", (0.5, 0.0, 0.0))
    again = auditing.audit(edit.take, characters=[0])
    assert edit.audit.to_json() == again.to_json()
    assert edit.audit.figures["marks"]["unmet"]  # her mark stayed where it was
    assert delete(take, "cid").audit is None


def test_edited_takes_are_saved_and_read_as_they_are(take, tmp_path):
    part = shift(cut(take, 0.7, 3.1, audit=False).take, "bob", 0.0331, audit=False).take
    edited = merge(part, take, shift=4.0, audit=False).take
    again = load_take(save_take(edited, tmp_path / "edited.take"))
    same(edited, again, np.linspace(0.5, 9.0, 200), exact=True)
    assert again.names == edited.names
    assert again.provenance == edited.provenance
    assert np.array_equal(again.characters.enter, edited.characters.enter)
