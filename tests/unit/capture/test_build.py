from dataclasses import replace

import numpy as np
import pytest

from walker import spoil, walk
from walkon._base.errors import UnknownName, UnreadableFile
from walkon.capture import assemble, build_library, clean, library_from_folder, prepare
from walkon.capture.build import planted_drift
from walkon.io import write_bvh
from walkon.motion.editing import take_frames

MILLIMETRE = 1e-3


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two performers of different size, one broken file, and a manifest."""
    folder = tmp_path_factory.mktemp("capture")
    small, rng = walk(seconds=3.0), np.random.default_rng(1)
    tall = replace(small, skeleton=small.skeleton.scaled(1.1), root_positions=small.root_positions * 1.1)
    write_bvh(spoil(small, rng), folder / "one.bvh")
    write_bvh(spoil(walk(seconds=2.0, speed=0.9), rng), folder / "two.bvh")
    write_bvh(spoil(tall, rng), folder / "tall.bvh")
    (folder / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n{")
    rows = ["file,fps,labels", "one.bvh,,walk", "two.bvh,,walk slow", "tall.bvh,,walk", "broken.bvh,,", "gone.bvh,,"]
    (folder / "manifest.csv").write_text("\n".join(rows))
    return folder


def test_a_folder_becomes_a_library_on_one_skeleton_with_feet_that_stay_put(folder):
    seen = []
    built = build_library(folder, progress=lambda done, total, name: seen.append((done, total, name)))
    library = built.library
    assert library.names == ("one", "two", "tall")
    assert library.fps == 60.0
    assert [clip.name for clip in library if "slow" in clip.labels] == ["two"]
    assert seen[0] == (0, 5, "one")
    assert seen[-1][0] == 5
    for clip in library:
        assert planted_drift(clip) < MILLIMETRE
        assert np.abs(clip.contact_positions[clip.contacts][:, 2]).max() < MILLIMETRE
        assert 0.5 < clip.contacts.any(axis=1).mean() <= 1.0


def test_what_was_left_out_is_told_with_file_and_line(folder):
    built = build_library(folder)
    broken, gone = built.left_out
    assert broken.name == "broken"
    assert "broken.bvh:3" in broken.reason
    assert "gone.bvh: no such file" in gone.reason
    assert any("broken: left out" in note for note in built.library.notes)


def test_the_skeleton_is_told_and_can_be_chosen(folder):
    built = build_library(folder)
    assert built.library.notes[0].startswith("skeleton of one, two: ")
    tall = build_library(folder, skeleton_of="tall")
    assert tall.library.skeleton.reach == pytest.approx(1.1 * built.library.skeleton.reach, rel=0.01)
    assert next(clip.scale for clip in tall.clips if clip.name == "one") == pytest.approx(1.1, rel=0.01)
    with pytest.raises(UnknownName, match="recording 'tal'"):
        build_library(folder, skeleton_of="tal")


def test_found_floors_are_told(folder):
    one = build_library(folder).clips[0]
    assert any("cm off zero: moved onto it" in text for text in one.found)


def test_mirror_images_are_added_on_request(folder):
    library = library_from_folder(folder, mirrored=True)
    assert library.names[:2] == ("one", "one:mirrored")
    assert planted_drift(library["one:mirrored"]) < MILLIMETRE


def test_a_folder_of_broken_files_is_an_error(tmp_path):
    (tmp_path / "x.bvh").write_text("nonsense")
    with pytest.raises(UnreadableFile, match="no recording could be used"):
        build_library(tmp_path)


def test_building_twice_gives_the_same_bits(folder):
    one, two = build_library(folder).library, build_library(folder).library
    assert np.array_equal(one.local_rotations, two.local_rotations)
    assert np.array_equal(one.root_positions, two.root_positions)


def test_clips_recorded_together_stay_together():
    clip = spoil(walk(seconds=2.0), np.random.default_rng(0))
    other = replace(clip, root_positions=clip.root_positions + np.array([0.0, 1.0, 0.0]), name="b")
    library = assemble([prepare(replace(clip, name="a"), ensemble="pair"), prepare(other, ensemble="pair")]).library
    assert library.ensembles == {"pair": ("a", "b")}
    a, b = library.ensemble("pair").clips
    assert np.allclose((b.root_positions - a.root_positions)[:, 1], 1.0, atol=0.01)


def test_an_ensemble_whose_clock_is_broken_is_dissolved_and_told():
    clip = replace(spoil(walk(seconds=2.0), np.random.default_rng(0)), name="a")
    frozen = take_frames(clip, np.concatenate([np.arange(200), np.full(41, 199)]))
    pair = [prepare(clip, ensemble="pair"), prepare(replace(frozen, name="b"), ensemble="pair")]
    library = assemble(pair).library
    assert library.ensembles == {}
    assert any("pair: a, b are not kept as an ensemble" in note for note in library.notes)


def test_cleaning_one_clip_is_one_call():
    assert planted_drift(clean(spoil(walk(seconds=2.0), np.random.default_rng(0)))) < MILLIMETRE
