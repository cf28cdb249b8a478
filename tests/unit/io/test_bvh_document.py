import re

import numpy as np
import pytest
from bvh_texts import SMALL

from walkon._base.errors import UnreadableFile
from walkon.io import parse_bvh
from walkon.io.bvh_hierarchy import MAX_JOINTS

VALUES = np.array([np.arange(1.0, 10.0), -np.arange(1.0, 10.0)])


def parse(text: str):
    return parse_bvh(text.encode(), path="take.bvh")


def refused(text: str | bytes, *, line: int | None) -> str:
    content = text.encode() if isinstance(text, str) else text
    with pytest.raises(UnreadableFile) as caught:
        parse_bvh(content, path="take.bvh")
    assert caught.value.line == line
    where = "take.bvh:" if line is None else f"take.bvh:{line}: "
    assert str(caught.value).startswith(where)
    return str(caught.value)


def test_a_small_file_is_read_as_it_is_written():
    document = parse(SMALL)
    assert document.names == ("Hips", "Chest", "Chest_end")
    assert document.parents.tolist() == [-1, 0, 1]
    assert document.offsets.tolist() == [[0, 0, 0], [0, 10, 0], [0, 5, 0]]
    assert document.end_sites.tolist() == [False, False, True]
    assert document.channels[1] == ("Zrotation", "Yrotation", "Xrotation")
    assert document.channels[2] == ()
    assert document.columns == (0, 6, 9)
    assert np.array_equal(document.values, VALUES)
    assert (document.frame_time, document.declared_frames, document.warnings) == (0.01, 2, ())
    assert not document.values.flags.writeable


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace("\n", "\r"),
        lambda t: t.replace("\n", "\r\n", 9),
        lambda t: t.replace("  ", "\t"),
        lambda t: t.replace("\n", " \t \n"),
        lambda t: t.replace("\n", "\n\n"),
        lambda t: "\ufeff" + t,
        lambda t: t + "\n \t \r\n\n",
        lambda t: t.rstrip("\n"),
        lambda t: t.lower().replace("hips", "Hips").replace("chest", "Chest"),
        lambda t: t.replace("End Site", "end  SITE").replace("MOTION", "Motion"),
        lambda t: t.replace("Frame Time: 0.01", "Frame   Time :\t.01"),
        lambda t: t.replace("Frame Time: 0.01", "FrameTime:1e-2"),
        lambda t: t.replace("Frames: 2\nFrame Time: 0.01", "Frame Time: 0.01\nFrames:2"),
        lambda t: t.replace("\n{", " {").replace("\n  {", "{"),
        lambda t: t.replace("1 2 3 4", "1.0 +2e0 .3E+01 0004.", 1),
        lambda t: t.replace("CHANNELS", "  channels").replace("Zrotation", "ZROTATION"),
    ],
)
def test_odd_but_harmless_ways_to_write_a_file_change_nothing(change):
    document, plain = parse(change(SMALL)), parse(SMALL)
    assert document.names == plain.names
    assert document.channels == plain.channels
    assert np.array_equal(document.offsets, plain.offsets)
    assert np.array_equal(document.values, VALUES)
    assert (document.frame_time, document.declared_frames, document.warnings) == (0.01, 2, ())


def test_a_hierarchy_on_one_line_is_read():
    head, motion = SMALL.split("MOTION")
    document = parse(re.sub(r"\s+", " ", head) + "\nMOTION" + motion)
    assert document.names == ("Hips", "Chest", "Chest_end")


def test_names_may_have_spaces_and_any_alphabet():
    document = parse(SMALL.replace("JOINT Chest", "JOINT Bip01  L Thigh "))
    assert document.names[1:] == ("Bip01 L Thigh", "Bip01 L Thigh_end")
    assert parse_bvh(SMALL.replace("Chest", "Brüst").encode("latin-1")).names[1] == "Brüst"


def test_end_sites_have_names_that_differ_from_all_others():
    assert parse(SMALL.replace("End Site", "End Site Crown")).names[2] == "Crown"
    assert parse(SMALL.replace("End Site", "End Site Chest")).names[2] == "Chest_end"
    twice = SMALL.replace("    End Site", "    End Site\n{ OFFSET 1 1 1 }\n    End Site")
    assert parse(twice).names == ("Hips", "Chest", "Chest_end", "Chest_end2")
    later = SMALL.replace("  }\n}\nMOTION", "  }\n  JOINT Chest_end { OFFSET 0 0 0 }\n}\nMOTION")
    assert parse(later).names == ("Hips", "Chest", "Chest_end2", "Chest_end")


def test_channels_may_be_any_and_none():
    text = SMALL.replace("CHANNELS 3 Zrotation Yrotation Xrotation", "CHANNELS 2 Yrotation Xposition")
    document = parse(re.sub(r" 9$", "", text.replace("-8 -9", "-8"), flags=re.MULTILINE))
    assert document.channels[1] == ("Yrotation", "Xposition")
    assert document.values.shape == (2, 8)
    none = (
        SMALL.replace("    CHANNELS 3 Zrotation Yrotation Xrotation\n", "").replace("7 8 9", "").replace("-7 -8 -9", "")
    )
    assert parse(none.replace("-", "")).channels[1] == ()


def test_several_roots_are_several_people_who_may_share_names():
    head, motion = SMALL.split("MOTION\n")
    body = head.removeprefix("HIERARCHY\n")
    rows = [f"{line} {line}" for line in motion.splitlines()[2:]]
    document = parse("HIERARCHY\n" + body + body + "MOTION\nFrames: 2\nFrame Time: 0.01\n" + "\n".join(rows))
    assert document.roots == (0, 3)
    assert document.names == ("Hips", "Chest", "Chest_end") * 2
    assert document.parents.tolist() == [-1, 0, 1, -1, 3, 4]
    assert np.array_equal(document.values, np.hstack([VALUES, VALUES]))


@pytest.mark.parametrize("declared", ["1", "7", "0", "-3", "100000000000"])
def test_a_wrong_frame_count_is_reported_and_what_is_there_is_used(declared):
    document = parse(SMALL.replace("Frames: 2", f"Frames: {declared}"))
    assert np.array_equal(document.values, VALUES)
    assert document.declared_frames == int(declared)
    assert f"announces {declared} frames, but there are 2" in document.warnings[0]


def test_a_missing_frame_count_is_reported():
    document = parse(SMALL.replace("Frames: 2\n", ""))
    assert document.declared_frames is None
    assert "found 2" in document.warnings[0]


@pytest.mark.parametrize("cut", [" -9\n", "8 -9\n", " -7 -8 -9\n", " -2 -3 -4 -5 -6 -7 -8 -9\n"])
def test_a_cut_off_last_line_is_left_out_and_reported(cut):
    document = parse(SMALL.removesuffix(cut))
    assert np.array_equal(document.values, VALUES[:1])
    assert "line 20 is cut off" in document.warnings[0]
    assert "announces 2 frames, but there are 1" in document.warnings[1]


def test_a_file_that_ends_in_the_middle_of_a_number_is_cut_off():
    document = parse(SMALL.removesuffix("9\n") + "9e-")
    assert len(document.values) == 1
    assert "line 20 is cut off after 8 of 9 numbers" in document.warnings[0]


def test_a_file_without_motion_is_a_skeleton_and_says_so():
    document = parse(SMALL.split("MOTION")[0])
    assert document.values.shape == (0, 9)
    assert "no MOTION" in document.warnings[0]
    assert parse(SMALL.split("1 2 3")[0].replace("Frames: 2", "Frames: 0")).values.shape == (0, 9)


def test_empty_files_are_refused():
    for content in (b"", b" \n\t\r\n", b"\xef\xbb\xbf", b"\n" * 5000):
        assert "empty" in refused(content, line=None)


def test_files_of_other_kinds_are_refused():
    assert "binary" in refused(b"glTF\x02\x00\x00\x00", line=1)
    assert "binary" in refused(SMALL.encode() + b"\x00", line=21)
    assert "UTF-16" in refused(SMALL.encode("utf-16"), line=None)
    assert "'<html>'" in refused("\n<html>\n", line=2)
    assert "HIERARCHY" in refused("ROOT Hips {}", line=1)


@pytest.mark.parametrize("keep", range(2, 13))
def test_a_file_that_ends_in_the_hierarchy_is_refused(keep):
    text = "\n".join(SMALL.split("\n")[:keep])
    with pytest.raises(UnreadableFile, match=r"cut off|brace"):
        parse(text)


def test_unbalanced_braces_are_refused_where_they_show():
    assert "MOTION inside joint 'Hips'" in refused(SMALL.replace("}\nMOTION", "MOTION"), line=15)
    assert "too many" in refused(SMALL.replace("}\nMOTION", "}\n}\nMOTION"), line=16)
    assert "opening brace" in refused(SMALL.replace("ROOT Hips\n{", "ROOT Hips\n"), line=4)


def test_what_is_unknown_is_named_with_what_is_known():
    message = refused(SMALL.replace("OFFSET 0 10 0", "OFSET 0 10 0"), line=8)
    assert "'OFSET'" in message
    assert "OFFSET, CHANNELS" in message
    message = refused(SMALL.replace("3 Zrotation", "3 Wrotation"), line=9)
    assert "'Wrotation'" in message
    assert "Xposition, Yposition, Zposition, Xrotation, Yrotation, Zrotation" in message
    assert "'Start'" in refused(SMALL.replace("End Site", "End Start"), line=10)


def test_channel_lists_that_do_not_fit_their_count_are_refused():
    assert "more channels" in refused(SMALL.replace("CHANNELS 3", "CHANNELS 2"), line=9)
    assert "'End' is not a channel" in refused(SMALL.replace("CHANNELS 3", "CHANNELS 4"), line=10)
    assert "9 channels" in refused(SMALL.replace("CHANNELS 3", "CHANNELS 9"), line=9)
    assert "Zrotation twice" in refused(SMALL.replace("3 Zrotation Yrotation", "3 Zrotation Zrotation"), line=9)
    assert "two CHANNELS" in refused(SMALL.replace("    End Site", "    CHANNELS 0\n    End Site"), line=10)


def test_joints_need_a_name_of_their_own_and_one_offset():
    assert "'Hips' occurs twice" in refused(SMALL.replace("Chest", "Hips"), line=6)
    assert "201 characters" in refused(SMALL.replace("Chest", "x" * 201), line=6)
    assert "without a name" in refused(SMALL.replace("JOINT Chest", "JOINT"), line=6)
    assert "joint 'Chest' has no OFFSET" in refused(SMALL.replace("OFFSET 0 10 0", ""), line=14)
    assert "end site of 'Chest' has no OFFSET" in refused(SMALL.replace("OFFSET 0 5 0", ""), line=13)
    assert "two OFFSET" in refused(SMALL.replace("OFFSET 0 10 0", "OFFSET 0 10 0 OFFSET 1 1 1"), line=8)
    assert "no ROOT" in refused("HIERARCHY\nMOTION\nFrames: 0\nFrame Time: 1\n", line=2)
    assert "joints of its own" in refused(SMALL.replace("OFFSET 0 5 0", "OFFSET 0 5 0 JOINT x"), line=12)


@pytest.mark.parametrize("word", ["nan", "inf", "-Infinity", "1e10", "ten", "1_0", "1,5", "٣", "1e999", "9" * 600])
def test_offsets_must_be_finite_numbers_of_a_sane_size(word):
    assert repr(word[:20])[:-1] in refused(SMALL.replace("OFFSET 0 10 0", f"OFFSET 0 {word} 0"), line=8)


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("nan", "not a finite number"),
        ("-NaN(ind)", "not a finite number"),
        ("-1.#IND", "not a finite number"),
        ("inf", "not a finite number"),
        ("abc", "'abc' is not a number"),
        ("1,5", "with a point"),
        ("1_000", "not a number"),
        ("--1", "not a number"),
        ("1e", "not a number"),
        (".", "not a number"),
        ("5}", "not a number"),
        ("1e10", "larger than"),
        ("-2000000000", "larger than"),
        ("1e999", "larger than"),
        ("0." + "1" * 600, "digits"),
    ],
)
def test_numbers_of_frames_must_be_finite_numbers_of_a_sane_size(word, says):
    message = refused(SMALL.replace(" -4 ", f" {word} "), line=20)
    assert says in message
    assert len(message) < 200


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_lines_are_counted_with_any_line_ends(ends):
    refused(SMALL.replace(" -4 ", " x ").replace("\n", ends), line=20)


def test_frames_that_do_not_fit_the_channels_are_refused():
    assert "8 numbers, but the hierarchy has 9" in refused(SMALL.replace("1 2 3 4 5", "1 2 3 4", 1), line=19)
    assert "10 numbers, but the hierarchy has 9" in refused(SMALL.replace("1 2 3 4 5", "1 2 3 4 5 5", 1), line=19)
    # The last line may be cut off, but not if it is the only one: then the hierarchy is wrong.
    assert "3 numbers" in refused(SMALL.split("1 2 3")[0] + "1 2 3\n", line=19)
    still = re.sub(r"CHANNELS.*", "CHANNELS 0", SMALL)
    assert "has 0 channels" in refused(still, line=19)


@pytest.mark.parametrize("word", ["0", "-0.01", "0.000001", "1000", "nan", "fast"])
def test_the_frame_time_must_make_sense(word):
    assert "frame time" in refused(SMALL.replace("Frame Time: 0.01", f"Frame Time: {word}"), line=18)


def test_a_missing_frame_time_is_refused():
    assert "Frame Time" in refused(SMALL.replace("Frame Time: 0.01\n", ""), line=17)
    assert "missing" in refused(SMALL.split("0.01")[0], line=18)
    assert "number of frames" in refused(SMALL.replace("Frames: 2", "Frames: many"), line=17)


def chain(count: int) -> str:
    deep = "".join(f"{'JOINT' if i else 'ROOT'} j{i}\n{{\nOFFSET 0 1 0\nCHANNELS 0\n" for i in range(count))
    return "HIERARCHY\n" + deep + "}\n" * count


def test_the_largest_hierarchy_is_read_without_recursion_and_a_larger_one_is_refused():
    assert len(parse(chain(MAX_JOINTS)).names) == MAX_JOINTS
    message = refused(chain(10_000), line=1 + 4 * MAX_JOINTS + 1)
    assert "more than 1000 joints" in message


def test_a_wall_of_empty_lines_claims_no_memory():
    head, motion = SMALL.split("MOTION")
    wide = head + "MOTION" + motion.replace("0.01\n", "0.01\n" + "\n" * 2_000_000)
    assert np.array_equal(parse(wide).values, VALUES)


def test_a_document_says_what_it_holds():
    assert repr(parse(SMALL)) == "BvhDocument(3 joints, 2 frames of 9 channels, 0.01 s each, 0 warnings)"
