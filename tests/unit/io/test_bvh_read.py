import csv

import numpy as np
import pytest
from bvh_texts import AXES, SMALL, person, person_text

from twins.bvh import channel_rotations_numpy
from walkon._base.errors import InvalidClip, InvalidValue, ScaleError, UnreadableFile
from walkon.io import parse_bvh, read_bvh
from walkon.io.bvh_document import FILE_AXES, axis_map, channel_rotations
from walkon.transforms import quaternions as quat

MICROMETRE = 1e-6
TENTH_OF_A_MILLIMETRE = 1e-4

CHECKED = {  # of 69_01, from the notes that come with the clips: metres, in the file's axes
    0: ((0.8650, 1.0251, -0.5515), (0.8714, 1.5451, -0.5678), (1.5537, 1.2513, -0.5825), (0.8015, 0.0283, -0.3325)),
    1: ((0.8650, 1.0251, -0.5515), (0.8692, 1.5429, -0.5468), (0.9676, 0.8414, -0.3397), (0.7618, 0.0499, -0.5137)),
    469: ((-0.9659, 1.0148, 1.0525), (-0.9780, 1.5329, 1.0753), (-0.8213, 0.8230, 1.2057), (-1.0041, 0.0397, 1.0823)),
}


@pytest.fixture
def saved(tmp_path):
    def save(text, name="walk.bvh"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return save


@pytest.mark.parametrize("axes", AXES)
def test_a_body_in_any_axes_stands_along_z_and_faces_x(saved, axes):
    reading = read_bvh(saved(person_text(axes=axes)))
    skeleton = reading.clip.skeleton
    for name, _, offset in person():
        assert np.allclose(skeleton.offsets[skeleton.index(name)], offset, atol=MICROMETRE)
    assert reading.report.up == axes[0]
    assert "rest pose" in reading.report.up_reason
    assert np.allclose(reading.clip.root_positions, [[0, 0, 0.93]], atol=MICROMETRE)
    assert reading.report.warnings == ()


@pytest.mark.parametrize("axes", AXES)
def test_motion_is_the_same_whatever_the_axes_of_the_file(saved, rng, axes):
    # A turn by 40 degrees about the body's forward axis, written with the channel that this axis has in the file.
    forward = AXES[axes][:, 0]
    letter = int(np.argmax(np.abs(forward)))
    frames = np.zeros((1, 3 + 3 * len(person())))
    frames[0, 3 + 2 - letter] = 40.0 * forward[letter]
    frames[0, :3] = AXES[axes] @ [30.0, 20.0, 93.0]
    clip = read_bvh(saved(person_text(axes=axes, frames=frames))).clip
    expected = quat.about(np.array([1.0, 0.0, 0.0]), np.radians(40.0))
    assert quat.angle_between(clip.local_rotations[0, 0], expected) < 1e-7
    assert np.allclose(clip.root_positions[0], [0.3, 0.2, 0.93], atol=MICROMETRE)


@pytest.mark.parametrize(
    ("unit", "word"), [(1.0, "metres"), (0.01, "centimetres"), (0.001, "millimetres"), (0.0254, "inches")]
)
def test_the_unit_is_the_one_in_which_the_body_is_a_person(saved, unit, word):
    reading = read_bvh(saved(person_text(unit=unit)))
    assert reading.report.scale == unit
    assert f"a person in {word}" in reading.report.scale_reason
    assert reading.clip.skeleton.reach == pytest.approx(1.71, abs=MICROMETRE)


def test_a_body_that_is_a_person_in_no_unit_is_refused_with_the_way_out(saved):
    path = saved(person_text(unit=0.1))
    with pytest.raises(ScaleError, match=r"skeleton is 17\.1 units tall.*pass scale=.*for 1\.7 m 0\.0994") as caught:
        read_bvh(path)
    assert str(path) in str(caught.value)
    reading = read_bvh(path, scale=0.1)
    assert (reading.report.scale, reading.report.scale_reason) == (0.1, "given")


def test_what_is_no_person_is_taken_in_metres_and_reported(saved):
    reading = read_bvh(saved(SMALL))
    assert reading.report.scale == 1.0
    assert "not a person" in reading.report.scale_reason
    assert reading.clip.skeleton.roles == {}
    assert np.allclose(reading.clip.root_positions[0], [3, 1, 2])


def test_a_rest_pose_that_does_not_stand_leaves_the_question_to_the_motion(saved):
    # All bones along one axis, as in LAFAN1: only the motion shows a standing body.
    text = person_text(frames=np.zeros((5, 3 + 3 * len(person()))))
    head, motion = text.split("MOTION")
    flat = "\n".join(
        "OFFSET " + f"{np.linalg.norm([float(w) for w in line.split()[1:]])} 0 0" if "OFFSET" in line else line
        for line in head.splitlines()
    )
    names = [name for name, _, _ in person()]
    frames = np.zeros((5, 3 + 3 * len(names)))
    frames[:, 1] = 93.0
    for name, turn in (("LeftUpLeg", -90.0), ("RightUpLeg", -90.0), ("Spine", 90.0)):
        frames[:, 3 + 3 * names.index(name)] = turn
    rows = "\n".join(" ".join(f"{v:g}" for v in row) for row in frames)
    reading = read_bvh(saved(flat + "\nMOTION" + motion.split("0.01")[0] + "0.01\n" + rows))
    assert reading.report.up == "y"
    assert "in the motion" in reading.report.up_reason
    assert reading.report.scale == 0.01


def test_what_is_given_overrides_what_would_be_found(saved):
    path = saved(person_text())
    reading = read_bvh(path, scale=0.02, up="z", fps=59.94, name="anna")
    assert reading.report.up == "z"
    assert (reading.report.scale, reading.report.fps, reading.report.header_fps) == (0.02, 59.94, 100.0)
    assert reading.clip.name == "anna"
    assert reading.clip.fps == 59.94
    assert read_bvh(path).clip.name == "walk"


@pytest.mark.parametrize(
    "wrong", [{"scale": 0.0}, {"scale": float("nan")}, {"fps": -1.0}, {"up": "x"}, {"drop_tpose": True}]
)
def test_impossible_wishes_are_refused(saved, wrong):
    with pytest.raises(InvalidValue, match=next(iter(wrong))):
        read_bvh(saved(person_text()), **wrong)


def test_a_missing_file_and_one_without_frames_are_refused(saved, tmp_path):
    with pytest.raises(UnreadableFile, match="no such file"):
        read_bvh(tmp_path / "nothing.bvh")
    with pytest.raises(UnreadableFile, match="no frames"):
        read_bvh(saved(SMALL.split("MOTION")[0]))


def walking(rng, count=40):
    """Frames of an uneven walk: arms down, small turns that change slowly."""
    names = [name for name, _, _ in person()]
    frames = np.zeros((count, 3 + 3 * len(names)))
    frames[:, 1] = 93.0
    swing = np.sin(np.linspace(0, 4, count))[:, None] * rng.normal(size=(1, 3 * len(names))) * 8.0
    frames[:, 3:] = swing
    for name, sign in (("LeftArm", -1.0), ("RightArm", 1.0)):
        frames[:, 3 + 3 * names.index(name)] = 80.0 * sign
    return frames


def test_an_added_t_pose_is_dropped_and_reported_unless_it_is_kept(saved, rng):
    frames = walking(rng)
    frames[0, 3:] = 0.0
    path = saved(person_text(frames=frames))
    reading = read_bvh(path)
    assert reading.report.tpose_dropped
    assert (len(reading.clip), reading.report.frames) == (39, 39)
    kept = read_bvh(path, drop_tpose=False)
    assert not kept.report.tpose_dropped
    assert len(kept.clip) == 40
    assert quat.angle(kept.clip.local_rotations[0]).max() == 0


def test_a_prop_beside_a_person_keeps_no_t_pose_in(saved, rng):
    frames = walking(rng)
    frames[0, 3:] = 0.0
    head, motion = person_text(frames=frames).split("MOTION\n")
    start, *rows = motion.split("0.01\n")
    rows = "\n".join(f"{row} 1 2 3" for row in rows[0].splitlines())
    prop = "ROOT Box\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n}\n"
    reading = read_bvh(saved(f"{head}{prop}MOTION\n{start}0.01\n{rows}\n"))
    assert reading.report.tpose_dropped
    assert [len(clip) for clip in reading.clips] == [39, 39]
    assert np.allclose(reading.clips[1].root_positions, [0.03, 0.01, 0.02])


def test_an_a_pose_with_other_zeros_is_dropped_too(saved, rng):
    frames = walking(rng)
    names = [name for name, _, _ in person()]
    frames[0, 3:] = 0.0
    for name, turn in (("LeftArm", -40.0), ("RightArm", 40.0)):
        frames[0, 3 + 3 * names.index(name)] = turn
    frames[0, 4] = 120.0
    assert read_bvh(saved(person_text(frames=frames))).report.tpose_dropped


def test_a_first_frame_that_belongs_to_the_motion_is_kept(saved, rng):
    assert not read_bvh(saved(person_text(frames=walking(rng)))).report.tpose_dropped
    # A performer who stands in a T and leaves it slowly.
    out = walking(rng, 200)
    out[:, 3:] *= np.linspace(0, 1, 200)[:, None]
    assert not read_bvh(saved(person_text(frames=out))).report.tpose_dropped
    # A jump out of a pose that is neither T nor zero.
    jump = walking(rng)
    jump[0, 3:] = rng.normal(size=jump.shape[1] - 3) * 40
    assert not read_bvh(saved(person_text(frames=jump))).report.tpose_dropped


def test_rotations_are_products_in_channel_order_and_continuous(saved, rng):
    text = SMALL.replace("3 Zrotation Yrotation Xrotation", "3 Yrotation Xrotation Zrotation", 1)
    turns = np.cumsum(rng.normal(size=(200, 9)) * 20, axis=0)
    rows = "\n".join(" ".join(f"{v:.6f}" for v in row) for row in turns)
    document = parse_bvh((text.split("1 2 3")[0] + rows).encode())
    joints = range(3)
    for axes in (FILE_AXES, axis_map("y"), axis_map("y").turn(1), axis_map("z").turn(2)):
        ours = channel_rotations(document, joints, axes=axes)
        assert np.allclose(ours, channel_rotations_numpy(document, joints, axes=axes), atol=1e-14)
        assert (np.sum(ours[1:] * ours[:-1], axis=-1) >= 0).all()
    by_hand = quat.from_euler(np.radians(document.values[0, 3:6]), "zyx")
    assert np.allclose(channel_rotations(document, joints, axes=FILE_AXES)[0, 0], by_hand, atol=1e-14)


def test_axis_maps_turn_vectors_and_rotations_alike(rng):
    q, v = quat.normalize(rng.normal(size=(20, 4))), rng.normal(size=(20, 3))
    for up in ("y", "z"):
        for quarters in range(4):
            axes = axis_map(up).turn(quarters)
            assert np.allclose(axes.vectors(quat.rotate(q, v)), quat.rotate(axes.quaternions(q), axes.vectors(v)))
            turned = quat.rotate(quat.turn(quarters * np.pi / 2), axis_map(up).vectors(v))
            assert np.allclose(axes.vectors(v), turned)


def test_positions_of_joints_replace_their_offsets_axis_by_axis(saved):
    text = SMALL.replace("CHANNELS 3 Zrotation Yrotation Xrotation", "CHANNELS 3 Yposition Zrotation Xrotation")
    clip = read_bvh(saved(text), up="y", scale=1.0).clip
    assert clip.local_translations is not None
    assert clip.local_translations[:, 1].tolist() == [[0, 0, 7], [0, 0, -7]]
    assert np.array_equal(clip.local_translations[:, 2], np.tile(clip.skeleton.offsets[2], (2, 1)))
    still = text.replace(" 7 8 9", " 10 8 9").replace("-7 -8 -9", "10.0000004 -8 -9")
    assert read_bvh(saved(still), up="y").clip.local_translations is None


def test_a_root_without_positions_stays_at_its_offset_and_channels_replace_it(saved):
    fixed = SMALL.replace("OFFSET 0 0 0", "OFFSET 1 2 3")
    assert np.allclose(read_bvh(saved(fixed), up="y").clip.root_positions, [[3, 1, 2], [-3, -1, -2]])
    text = fixed.split("1 2 3 4")[0].replace("6 Xposition Yposition Zposition", "3")
    assert np.allclose(read_bvh(saved(text + "4 5 6 7 8 9\n"), up="y").clip.root_positions, [[3, 1, 2]])


def test_one_or_two_rotation_channels_are_enough(saved):
    text = SMALL.replace("CHANNELS 3 Zrotation Yrotation Xrotation", "CHANNELS 1 Yrotation")
    text = text.replace("7 8 9\n-1", "30\n-1").replace("-7 -8 -9", "-30")
    clip = read_bvh(saved(text), up="y").clip
    assert np.allclose(clip.local_rotations[:, 1], quat.turn(np.radians([30.0, -30.0])))


def test_several_people_are_an_ensemble(saved):
    head, motion = SMALL.split("MOTION\n")
    body = head.removeprefix("HIERARCHY\n")
    rows = "\n".join(f"{line} {line}" for line in motion.splitlines()[2:])
    text = "HIERARCHY\n" + body + body.replace("Hips", "Pelvis") + "MOTION\nFrames: 2\nFrame Time: 0.01\n" + rows
    reading = read_bvh(saved(text, "pair.bvh"))
    assert [clip.name for clip in reading.clips] == ["pair_1", "pair_2"]
    assert reading.clips[1].skeleton.names == ("Pelvis", "Chest", "Chest_end")
    assert reading.ensemble.clips == reading.clips
    with pytest.raises(InvalidClip, match="holds 2 people"):
        _ = reading.clip


def test_the_report_is_one_line(saved):
    summary = read_bvh(saved(person_text())).report.summary()
    assert summary.endswith("walk.bvh: 1 frames at 100 fps, 0.01 m per unit, y up")


@pytest.mark.mocap
def test_all_real_clips_are_understood(mocap):
    with (mocap / "manifest.csv").open() as file:
        manifest = list(csv.DictReader(file))
    paths = sorted((mocap / "cmu").glob("*.bvh"))
    assert len(paths) == len(manifest) == 90
    for path in paths:
        reading = read_bvh(path)
        report, skeleton = reading.report, reading.clip.skeleton
        assert report.scale == 0.0254 / 0.45
        assert (report.up, report.fps, report.tpose_dropped, report.warnings) == ("y", 120.0, True, ())
        assert len(skeleton) == 38
        assert skeleton.end_sites.sum() == 7
        assert skeleton.has_feet
        left = skeleton.rest_positions[skeleton.role("left_hip")] - skeleton.rest_positions[skeleton.role("right_hip")]
        assert left[1] > 0.05
        assert 1.2 < skeleton.reach < 1.7


@pytest.mark.mocap
def test_real_places_are_those_that_come_with_the_clips(mocap):
    clip = read_bvh(mocap / "cmu" / "69_01.bvh", drop_tpose=False).clip
    joints = [clip.skeleton.index(name) for name in ("Hips", "Head_end", "LeftHand", "RightToeBase_end")]
    for frame, places in CHECKED.items():
        x, y, z = clip.world.positions[frame, joints].T
        assert np.abs(np.stack([y, z, x], axis=1) - places).max() < TENTH_OF_A_MILLIMETRE
