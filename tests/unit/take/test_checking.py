"""What every take must hold: each rule is broken once, and the sentence names it."""

from dataclasses import replace

import numpy as np
import pytest

import take_scenes as scenes
from walkon._base.errors import InvalidValue
from walkon.motion.body import Body
from walkon.stage import Prop
from walkon.take.tables import Attachments, Grips, HandShapes, MarkTable
from walkon.take.take import Take


@pytest.fixture(scope="module")
def rich() -> Take:
    take = scenes.every_feature(np.random.default_rng(1))
    return replace(
        take,
        props=(Prop(name="box"),),
        attachments=Attachments.filled(1, stop=1.0, character=0, joint=3, track=-1, pose=(0, 0, 0, 1, 0, 0, 0)),
        grips=Grips.filled(2, start=[0, 2], stop=[1, 3], prop=[0, -1], other=-1, joint=-1, pose=(0, 0, 0, 1, 0, 0, 0)),
        hand_shapes=HandShapes.filled(2, start=[0, 2], stop=[1, 3], shape=[1, 2]),
        marks=MarkTable.filled(1, asks=1),
        mark_names=("door",),
        mark_poses=("",),
    )


def spoilt(take: Take, table: str, column: str, value: object, row: int = 0) -> dict[str, object]:
    old = getattr(take, table)
    values = np.array(old.columns[column])
    values[row] = value
    return {table: old.with_columns(**{column: values})}


@pytest.mark.parametrize(
    ("table", "column", "value", "words"),
    [
        ("characters", "body", 9, "the body of a character must be 0 to 2, but one is 9"),
        ("characters", "scale", 0.0, "the scale of a character must be from 0.05 to 20"),
        ("characters", "stride", 99.0, "the stride of a character"),
        ("characters", "colour", 2.0, "the colour of a character"),
        ("segments", "character", 77, "the character of a segment"),
        ("segments", "clip", 4, "the clip of a segment must be -1 to 3"),
        ("segments", "warp", 999, "the warp of a segment"),
        ("segments", "blend", -2, "the blend of a segment"),
        ("segments", "track", 99, "the track of a segment"),
        ("segments", "mark", 1, "the mark of a segment"),
        ("segments", "stop", -99.0, "a segment must stop after it starts"),
        ("segments", "start", -2e6, "the start of a segment"),
        ("segments", "place", 2e6, "the place of a segment"),
        ("segments", "rate_start", -1.0, "the rate of a segment must be from 0 to 16"),
        ("segments", "rate_stop", 17.0, "the rate of a segment"),
        ("segments", "clip", -1, "a segment needs a clip or a track"),
        ("segments", "stop", 1e5, "segments of one character must not overlap"),
        ("blends", "clip", -1, "the clip of a blend"),
        ("blends", "duration", 0.0, "the duration of a blend"),
        ("tracks", "tick", 0.0, "the tick of a track"),
        ("tracks", "grain", np.nan, "must be finite"),
        ("tracks", "origin", 2e6, "the origin of a track"),
        ("tracks", "knots", [0, 0], "a track must have knots"),
        ("tracks", "knots", [3, 2], "the knots of a track must be rows that exist"),
        ("tracks", "knots", [-1, 2], "the knots of a track must be rows that exist"),
        ("tracks", "knots", [0, 10**6], "the knots of a track must be rows that exist"),
        ("tracks", "turns", [0, 10**6], "the turns of a track must be rows that exist"),
        ("tracks", "turns", [0, 1], "a rotation for each of its knots, or none"),
        ("track_knots", "step", 9, "the knots of a track must be at rising times"),
        ("stances", "character", -1, "the character of a stance"),
        ("stances", "foot", 2, "the foot of a stance must be 0 to 1"),
        ("stances", "stop", -99.0, "a stance must stop after it starts"),
        ("drops", "character", 99, "the character of a drop"),
        ("drops", "drop", 3.0, "a drop of the root"),
        ("overrides", "character", 99, "the character of an override"),
        ("overrides", "stop", -9.0, "an override must last"),
        ("overrides", "frames", 0, "an override must last"),
        ("overrides", "rate", 0.0, "the rate of an override"),
        ("overrides", "rotations", [10**6, 10**6], "the rotations of an override must be rows that exist"),
        ("overrides", "frames", 10**6, "an override must have a rotation for each joint and frame"),
        ("overrides", "roots", [0, 10**6], "the roots of an override must be rows that exist"),
        ("overrides", "roots", [0, 1], "a root offset for each frame, or none"),
        ("override_joints", "joint", 99, "an override must name joints that its body has"),
        ("override_joints", "joint", -1, "an override must name joints that its body has"),
        ("attachments", "prop", 1, "the prop of an attachment"),
        ("attachments", "character", 99, "the character of an attachment"),
        ("attachments", "joint", 22, "an attachment must name a joint that the body has"),
        ("attachments", "stop", -1.0, "an attachment must last"),
        ("attachments", "pose", 0.0, "unit quaternion"),
        ("grips", "character", 99, "the character of a grip"),
        ("grips", "prop", 1, "the prop of a grip"),
        ("grips", "other", 99, "the other of a grip"),
        ("grips", "hand", 2, "the hand of a grip"),
        ("grips", "stop", -1.0, "a grip must last"),
        ("grips", "pose", 0.0, "unit quaternion"),
        ("grips", "fade_in", 99.0, "the fades of a grip"),
        ("grips", "stop", 2.5, "a hand has one of its grips at a time"),
        ("hand_shapes", "shape", 6, "the shape of a hand must be 0 to 5"),
        ("hand_shapes", "stop", 2.5, "a hand has one of its shapes at a time"),
        ("marks", "character", 99, "the character of a mark"),
        ("reasons", "character", -1, "the character of a reason"),
        ("reasons", "mark", 1, "the mark of a reason must be -1 to 0, but one is 1"),
        ("reasons", "other", 99, "the other of a reason"),
        ("reasons", "prop", -2, "the prop of a reason"),
        ("reasons", "note", 1, "the note of a reason must be -1 to 0, but one is 1"),
        ("reasons", "kind", 77, r"the reason of 'walker 0' from 0 to 0.3 s is of kind 77; kinds are 0 to 9"),
        ("reasons", "stop", -1.0, "the reason of 'walker 0' from 0 to -1 s must stop after it starts"),
        ("reasons", "number", -2.0, "must have a number from 0 to 1e.06, not -2"),
        ("reasons", "number", np.nan, "must be finite"),
        ("reasons", "number", 3.0, "is of a kind without a number, got 3; leave it 0"),
        ("reasons", "note", -1, "is told in a note, but has none; add one first"),
        (
            "reasons",
            "stop",
            9.0,
            r"one reason at a time, but 'walker 0' has one from 0 to 9 s and another from 0.3 s on",
        ),
        ("tracks", "knots", [2**63 - 2, 2**63 - 1], "the knots of a track must be rows that exist"),
        ("overrides", "rotations", [0, 2**63 - 1], "the rotations of an override must be rows that exist"),
    ],
)
def test_a_broken_rule_is_named(rich: Take, table: str, column: str, value: object, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        replace(rich, **spoilt(rich, table, column, value))


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("skeleton", 9, "the skeleton of a clip"),
        ("fps", 0.0, "the frames per second of a clip"),
        ("frames", 0, "the number of frames of a clip"),
        ("frames", 10**6, "the frames of a clip must be in the take"),
        ("first_frame", -1, "the frames of a clip must be in the take"),
        ("first_rotation", 10**7, "the rotations of a clip must be in the take"),
        ("first_frame", 2**63 - 1, "the frames of a clip must be in the take"),
        ("first_rotation", 2**63 - 1, "the rotations of a clip must be in the take"),
    ],
)
def test_a_broken_clip_is_named(rich: Take, column: str, value: object, words: str) -> None:
    values = np.array(rich.clips.rows.columns[column])
    values[0] = value
    clips = replace(rich.clips, rows=rich.clips.rows.with_columns(**{column: values}))
    with pytest.raises(InvalidValue, match=words):
        replace(rich, clips=clips)


@pytest.mark.parametrize(("kind", "column"), [("contacts", "stop"), ("contacts", "point"), ("labels", "label")])
def test_contacts_and_labels_lie_within_their_clips(rich: Take, kind: str, column: str) -> None:
    from walkon.take.tables import LabelRuns

    clips = rich.clips
    if kind == "labels":
        clips = replace(clips, label_names=("walk",), labels=LabelRuns.filled(1, stop=5))
        replace(rich, clips=clips)
    runs = getattr(clips, kind)
    values = np.array(runs.columns[column])
    values[0] = {"stop": 10**6, "point": 100, "label": 3}[column]
    with pytest.raises(InvalidValue, match=r"must lie within its clip|contact points|the label of a label"):
        replace(rich, clips=replace(clips, **{kind: runs.with_columns(**{column: values})}))


def test_a_body_plays_only_clips_of_its_own_joints(rich: Take) -> None:
    other = list(rich.bodies)
    other[0] = Body.of(scenes.robot_arm())
    with pytest.raises(InvalidValue, match="the joints of the body that plays it"):
        replace(rich, bodies=other, overrides=rich.overrides.rows([]), attachments=Attachments())


def test_a_body_with_other_end_sites_is_refused_because_frames_are_stored_without_them(rich: Take) -> None:
    """Otherwise rotations would be read from the wrong rows, and beyond the last."""
    skeleton = rich.bodies[0].skeleton
    other = list(rich.bodies)
    other[0] = Body.of(replace(skeleton, end_sites=np.zeros(len(skeleton), bool)))
    with pytest.raises(InvalidValue, match="the joints of the body that plays it"):
        replace(rich, bodies=other)


@pytest.mark.parametrize("fps", [0.0, -1.0, np.nan, 1e6])
def test_a_take_is_played_at_some_rate(fps: float) -> None:
    with pytest.raises(InvalidValue, match="frames per second"):
        Take(fps=fps)


@pytest.mark.parametrize("field", ["names", "mark_names", "mark_poses"])
def test_names_are_as_many_as_rows(rich: Take, field: str) -> None:
    with pytest.raises(InvalidValue, match=r"rows of characters|marks, but"):
        replace(rich, **{field: (*getattr(rich, field), "one more")})


def test_characters_have_names_of_their_own(rich: Take) -> None:
    with pytest.raises(InvalidValue, match="two characters are called 'walker 0'"):
        replace(rich, names=("walker 0", "walker 0", *rich.names[2:]))


def test_a_segment_names_a_mark_of_its_own_character(rich: Take) -> None:
    with pytest.raises(InvalidValue, match="a segment of 'walker 1' names mark 0, which belongs to 'walker 0'"):
        replace(rich, segments=rich.segments.with_columns(mark=np.where(rich.segments.character == 1, 0, -1)))


def test_an_overlap_is_told_with_name_and_times(rich: Take) -> None:
    words = r"'walker 0' has one from -?[\d.]+ to 100 s and one from"
    with pytest.raises(InvalidValue, match=words):
        replace(rich, **spoilt(rich, "segments", "stop", 100.0))


def test_segments_come_sorted_however_they_were_given(rich: Take) -> None:
    order = np.random.default_rng(0).permutation(len(rich.segments))
    shuffled = replace(rich, segments=rich.segments.rows(order))
    assert np.array_equal(shuffled.segments.start, rich.segments.start)
    assert np.array_equal(shuffled.pose(1.0).positions, rich.pose(1.0).positions, equal_nan=True)
