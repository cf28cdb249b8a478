"""Writing takes in memory: rows refer to rows, and what is flushed early joins on to what comes later."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import take_scenes as scenes
from walkon._base.errors import InvalidValue, UnknownName
from walkon.motion.body import Body
from walkon.motion.clip import Clip
from walkon.motion.skeleton import Skeleton
from walkon.script import Mark
from walkon.stage import Prop, Stage
from walkon.take import TakeWriter
from walkon.take.tables import MEANT, Drops, Segments, Warps
from walkon.transforms import quaternions as quat


def started(**options: object) -> tuple[TakeWriter, int]:
    writer = TakeWriter(**options)
    return writer, writer.add_character("ann", body=writer.add_body(Body.of(scenes.walking().skeleton)))


def test_a_take_tells_who_and_when() -> None:
    writer, ann = started(fps=30.0, provenance={"seed": 7})
    bob = writer.add_character("bob", scale=1.1, colour=(0.1, 0.2, 0.3))
    stop = writer.perform(ann, scenes.walking(), start=1.0)
    assert stop == pytest.approx(7.0)
    writer.perform(bob, scenes.walking(), start=2.0, stop=4.0, rate=0.5, reason="to the door")
    take = writer.close()
    assert take.names == ("ann", "bob")
    assert (take.start, take.stop, take.fps, take.complete) == (1.0, 7.0, 30.0, True)
    assert take.enters.tolist() == [1.0, 2.0]
    assert take.leaves.tolist() == [7.0, 4.0]
    assert take.provenance["seed"] == 7
    assert "walkon" in take.provenance
    assert take.characters.stride.tolist() == take.characters.scale.tolist() == pytest.approx([1.0, 1.1])
    assert take.body("bob").colour == pytest.approx((0.1, 0.2, 0.3))
    assert take.body(1).height == pytest.approx(1.1 * take.body(0).height, rel=1e-6)
    assert (take.why("bob", 3.0).reason, take.why("ann", 3.0).reason) == ("to the door", "")
    assert len(take.stances)
    assert repr(take).startswith("Take(2 characters, 1.00 to 7.00 s, 30 fps, 2 segments of 1 clips")


def test_a_clip_is_stored_once_however_often_it_is_played() -> None:
    writer, ann = started()
    for start in (0.0, 10.0):
        writer.perform(ann, scenes.walking(), start=start)
    assert writer.add_clip(scenes.walking()) == 0
    assert len(writer.close().clips) == 1


def test_clips_of_a_library_are_the_same_each_time_they_are_asked_for() -> None:
    """A library makes its clips anew, of the same arrays."""
    import walkon

    library = walkon.builtin_library()
    writer = TakeWriter()
    writer.add_body(Body.of(library.skeleton))
    assert library["idle_neutral"] is not library["idle_neutral"]
    assert writer.add_clip(library["idle_neutral"]) == writer.add_clip(library["idle_neutral"]) == 0
    assert writer.add_clip(library["wave"]) == 1


def test_bodies_are_found_again() -> None:
    writer = TakeWriter()
    body = Body.of(scenes.walking().skeleton)
    assert writer.add_body(body) == writer.add_body(body) == 0
    assert writer.add_body(Body.of(scenes.robot_arm())) == 1


def test_many_go_in_at_once() -> None:
    writer, _ = started()
    rows = writer.add_characters([f"c{i}" for i in range(5)], scale=np.linspace(0.9, 1.1, 5))
    clip = writer.add_clip(scenes.walking())
    segments = Segments.filled(
        5,
        character=rows,
        start=np.arange(5.0),
        stop=np.arange(5.0) + 2,
        clip=clip,
        rate_start=1,
        rate_stop=1,
        warp=[0, -1, 1, -1, 0],
        blend=-1,
        track=-1,
        edge=-1,
        mark=-1,
    )
    for _ in range(2):
        writer.add_segments(
            segments.with_columns(start=segments.start + 10 * _, stop=segments.stop + 10 * _),
            warps=Warps.filled(2, offsets=np.arange(12).reshape(2, 2, 3) / 100),
        )
    take = writer.close()
    assert len(take.segments) == 10
    later = take.segments.rows(take.segments.start >= 10)
    assert later.warp.tolist() == [2, -1, 3, -1, 2]  # references moved along with the tables
    assert np.allclose(take.warps.offsets[2], take.warps.offsets[0])


def test_marks_and_things_are_kept() -> None:
    writer, ann = started(stage=Stage())
    door = writer.add_mark(ann, Mark(name="door", position=(1, 2), facing=0.5), met=3.0)
    sit = writer.add_mark(ann, Mark(pose="sit", window=(4, 5), hold=1.0))
    box = writer.add_prop(Prop(name="box"))
    writer.rest(box, (0, 0, 0, 1, 0, 0, 0), start=0.0, stop=1.0)
    writer.attach(box, ann, "LeftHand", pose=(0, 0, 0.1, 1, 0, 0, 0), start=1.0, stop=2.0)
    writer.perform(ann, scenes.walking(), start=0.0, mark=sit)
    take = writer.close()
    assert take.marks.asks.tolist() == [1 | 2 | MEANT, 4 | 8]
    assert take.marks.met[0] == 3.0
    assert (take.marks.asks & MEANT > 0).tolist() == [True, False]
    assert take.mark_names == ("door", "")
    assert take.mark_poses == ("", "sit")
    assert take.segments.mark.tolist() == [sit]
    assert door == 0
    assert take.attachments.joint.tolist() == [-1, scenes.walking().skeleton.index("LeftHand")]
    assert take.props[0].name == "box"


def test_overrides_replace_only_their_joints_while_they_last() -> None:
    clip = scenes.walking()
    writer, ann = started()
    writer.perform(ann, clip, start=0.0)
    fixed = np.tile(quat.about(np.array([1.0, 0.0, 0.0]), 1.2), (31, 1))
    stop = writer.override(ann, {"RightHand": fixed, "LeftArm": fixed}, start=1.0, rate=30.0, fade_in=0.2, fade_out=0.2)
    assert stop == pytest.approx(2.0)
    take = writer.close()
    arm, hand, other = (clip.skeleton.index(name) for name in ("LeftArm", "RightHand", "RightArm"))
    turns = take.sample([0.9, 1.0, 1.1, 1.5, 2.0, 2.1]).local_rotations[:, 0]
    frames = (np.array([0.9, 1.0, 1.1, 1.5, 2.0, 2.1]) * clip.fps).round().astype(int)
    own = clip.local_rotations[frames]
    off = quat.angle_between(turns, own)
    assert off[:, other].max() < 1e-3
    assert off[[0, 1, 4, 5]].max() < 0.02  # not yet, not any more (the feet are planted)
    for joint in (arm, hand):
        assert quat.angle_between(turns[3, joint], fixed[0]) < 1e-3
    whole = quat.angle_between(own[2, arm], fixed[0])
    assert off[2, arm] == pytest.approx(0.5 * whole, abs=0.02)  # half-way through the fade


def test_a_take_that_was_flushed_in_parts_is_planted_like_one() -> None:
    moves = [(0.02, 0.01, 0.02)] * 6
    whole = scenes.one_walker(moves=moves)
    writer, ann = started()
    for k in range(6):
        row = whole.segments.rows([k])
        warp = whole.warps.rows([row.warp[0]])
        writer.perform(
            ann,
            scenes.walking(),
            start=float(row.start[0]),
            stop=float(row.stop[0]),
            clip_start=float(row.clip_start[0]),
            place=row.place[0],
            warp=warp,
        )
        writer.flush()
    parts = writer.close()
    t = np.arange(0.0, whole.stop, 1 / 120)
    poses = parts.sample(t)
    points = scenes.contact_points(parts, poses)[:, 0]
    held = poses.contacts[1:, 0] & poses.contacts[:-1, 0]
    assert np.linalg.norm(np.diff(points, axis=0), axis=-1)[held].max() < 1e-6
    assert poses.missed.max() < 1e-3
    assert np.abs(poses.positions - whole.sample(t).positions).max() < 0.05
    # Parts that overlap in time each bring drops; the deeper counts, they do not add up.
    without = replace(parts, drops=Drops()).sample(t)
    down = (without.positions - poses.positions)[:, 0, 0, 2]
    assert down.max() <= parts.drops.drop.max(initial=0.0) + 1e-9


def test_a_block_that_fails_leaves_the_writer_closed() -> None:
    writer, ann = started()

    def fail() -> None:
        with writer:
            writer.perform(ann, scenes.walking(), start=0.0)
            raise RuntimeError("the plan failed")

    with pytest.raises(RuntimeError, match="the plan failed"):
        fail()
    with pytest.raises(InvalidValue, match="make another TakeWriter"):
        writer.add_character("bob")


def test_nothing_goes_into_a_finished_take() -> None:
    writer, ann = started()
    writer.perform(ann, scenes.walking(), start=0.0)
    take = writer.close()
    assert writer.close() is take or len(writer.close()) == len(take)
    for add in (
        lambda: writer.perform(ann, scenes.walking(), start=10.0),
        lambda: writer.add_character("bob"),
        lambda: writer.glide(ann, np.zeros((2, 3)), start=9.0, rate=1.0),
    ):
        with pytest.raises(InvalidValue, match="make another TakeWriter"):
            add()


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (lambda w: w.add_character("x", body=3), "the body of a character must be 0 to 0, but one is 3"),
        (lambda w: w.perform(0, 5, start=0.0), "no clip 5"),
        (lambda w: w.perform(0, scenes.walking(), start=0.0, rate=0.0), "give stop"),
        (
            lambda w: w.perform(0, scenes.walking(), start=0.0, clip_start=9.0),
            "clip_start must be a time of the clip 'analytic walk', 0 to 6 s, got 9 s",
        ),
        (lambda w: w.perform(0, scenes.walking(), start=0.0, place=(1, 2)), "place must be"),
        (lambda w: w.glide(0, np.zeros((1, 3)), start=0.0, rate=1.0), "at least two samples"),
        (lambda w: w.override(0, {}, start=0.0, rate=1.0), "at least one joint"),
        (lambda w: w.perform(0, scenes.walking(), start=1.0, stop=9.0), "hold it with rate 0 or end it earlier"),
        (lambda w: w.perform(0, scenes.walking(), start=0.0, clip_start=-1.0), "clip_start must be a time of the clip"),
        (lambda w: w.perform(0, one_frame(), start=0.0), "has one frame; hold it with rate 0 and give stop"),
        (lambda w: w.perform(0, "walk", start=0.0), "a clip is given as such or by its row, got 'walk'"),
        (lambda w: w.perform(0, scenes.walking(), start="now"), "start must be a number, got 'now'"),
        (lambda w: w.perform(0, scenes.walking(), start=0.0, rate=(1, 1, 1)), "rate must be one number"),
        (lambda w: w.perform(0, scenes.walking(), start=0.0, rate=20.0), "the rate of a segment must be from 0 to 16"),
        (lambda w: w.perform(7, scenes.walking(), start=0.0), "there are 1, 0 to 0"),
        (lambda w: w.perform(0, scenes.walking(), start=0.0, mark=5), "there are none yet; add one first"),
        (lambda w: w.perform(0, scenes.waving(), start=0.0), "joints of the body that plays it.*of 'ann'"),
        (lambda w: w.add_character("ann"), "two characters are called 'ann'"),
        (lambda w: w.add_characters(["bob", "bob"]), "two characters are called 'bob'"),
        (lambda w: w.add_character("bob", scale="big"), "the column scale of Characters must be numbers"),
        (lambda w: w.add_character("bob", scale=99.0), "the scale of a character"),
        (lambda w: w.add_character("bob", colour=(1, 1)), "the column colour of Characters must be numbers"),
        (lambda w: w.add_mark(3, Mark(position=(0, 0))), "there are 1, 0 to 0"),
        (lambda w: w.rest(0, (0, 0, 0, 1, 0, 0, 0), start=0.0, stop=1.0), "there is no prop 0; there are none yet"),
        (
            lambda w: w.rest(w.add_prop(Prop(name="a")), (0, 0, 0), start=0.0, stop=1.0),
            "the pose of an attachment must have shape",
        ),
        (lambda w: w.glide(0, np.zeros((2, 3)), start=0.0, rate=0.0), "rate must be above 0"),
        (lambda w: w.override(0, {"Neck": np.ones((3, 4))}, start=0.0, rate=0.0), "rate must be above 0"),
        (lambda w: w.override(0, {"Neck": np.zeros((3, 4))}, start=0.0, rate=9.0), "'Neck' must be quaternions"),
        (lambda w: w.override(4, {"Neck": np.ones((1, 4))}, start=0.0, rate=1.0), "no character 4"),
    ],
)
def test_mistakes_are_named_at_once_and_leave_no_trace(mistake: object, words: str) -> None:
    writer, ann = started()
    with pytest.raises(InvalidValue, match=words):
        mistake(writer)
    writer.perform(ann, scenes.walking(), start=0.0)
    assert len(writer.close().segments) == 1


def one_frame() -> Clip:
    clip = scenes.walking()
    parts = {name: getattr(clip, name)[:1] for name in ("root_positions", "local_rotations", "contacts")}
    return replace(clip, contact_heights=clip.contact_heights[:1], labels={}, **parts)


def test_any_kind_of_number_will_do() -> None:
    writer, ann = started()
    row = writer.add_clip(scenes.walking())
    stop = writer.perform(ann, np.int64(row), start=np.float32(0), stop=np.int16(2), rate=np.float32(1))
    writer.perform(ann, row, start=stop, rate=np.array([1.0, 0.5]))
    take = writer.close()
    assert take.segments.rate_stop.tolist() == [1.0, 0.5]
    assert take.pose(0, characters=[]).positions.shape == (0, 22, 3)
    with pytest.raises(InvalidValue, match="times must be a list of finite seconds"):
        take.pose("x")


def test_segments_may_come_out_of_order_but_not_overlap() -> None:
    writer, ann = started()
    walk = scenes.walking()
    writer.perform(ann, walk, start=4.0, stop=6.0)
    writer.flush()
    writer.perform(ann, walk, start=0.0, stop=2.0)
    writer.perform(ann, walk, start=2.0, stop=4.0)
    with pytest.raises(InvalidValue, match=r"'ann' has one from 2 to 4 s and one from 3 to 3\.5 s"):
        writer.perform(ann, walk, start=3.0, stop=3.5)
    with pytest.raises(InvalidValue, match="'ann' has one from 4 to 6 s and one from 5 to 7 s"):
        writer.perform(ann, walk, start=5.0, stop=7.0)
    assert writer.close().segments.start.tolist() == [0.0, 2.0, 4.0]


def test_a_character_is_on_its_way_to_a_mark_of_its_own() -> None:
    writer, ann = started()
    bob = writer.add_character("bob")
    mark = writer.add_mark(bob, Mark(name="door", position=(1, 2)))
    with pytest.raises(InvalidValue, match="a segment of 'ann' names mark 0, which belongs to 'bob'"):
        writer.perform(ann, scenes.walking(), start=0.0, mark=mark)


def test_bodies_may_have_many_joints_and_any_of_them_be_overridden() -> None:
    count = 200
    names = [str(j) for j in range(count)]
    long = Skeleton(names=names, parents=np.arange(count) - 1, offsets=np.full((count, 3), 0.1))
    clip = Clip(
        skeleton=long,
        fps=30.0,
        root_positions=np.zeros((31, 3)),
        local_rotations=np.tile(quat.IDENTITY, (31, count, 1)),
    )
    writer = TakeWriter()
    who = writer.add_character("long", body=writer.add_body(Body.of(long)))
    writer.perform(who, clip, start=0.0)
    bent = quat.about([1.0, 0.0, 0.0], 0.5)
    writer.override(who, {"150": np.tile(bent, (31, 1))}, start=0.0, rate=30.0, fade_in=0.0, fade_out=0.0)
    turned = writer.close().pose(0.5).local_rotations[0]
    assert np.flatnonzero(np.abs(turned[:, 0]) < 0.999).tolist() == [150]
    np.testing.assert_allclose(turned[150], bent, atol=1e-4)


def test_a_time_before_zero_is_a_time_to_meet_a_mark() -> None:
    writer, ann = started()
    mark = writer.add_mark(ann, Mark(name="early", position=(1, 2)), met=-1.0)
    writer.perform(ann, scenes.walking(), start=-2.0, stop=2.0, mark=mark)
    assert writer.close().why("ann", -1.5).mark.met == -1.0


def test_a_close_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    writer, ann = started(path=tmp_path / "a.take", provenance={"what": object()})
    writer.perform(ann, scenes.walking(), start=0.0)
    with pytest.raises(InvalidValue, match="JSON cannot hold"):
        writer.close()
    assert list(tmp_path.iterdir()) == []
    with (
        pytest.raises(InvalidValue, match="JSON cannot hold"),
        TakeWriter(tmp_path / "b.take", provenance={"a": object()}),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_joint_is_answered_with_close_ones() -> None:
    writer, ann = started()
    with pytest.raises(UnknownName, match="LeftHand"):
        writer.override(ann, {"LeftHnad": np.ones((1, 4))}, start=0.0, rate=1.0)


def test_characters_are_named_or_numbered() -> None:
    writer, _ = started()
    writer.add_mark("ann", Mark(name="there", position=(1.0, 0.0)))
    with pytest.raises(UnknownName, match=r"'anne'.*Close matches: 'ann'"):
        writer.add_mark("anne", Mark(name="there", position=(1.0, 0.0)))
