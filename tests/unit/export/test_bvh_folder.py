"""A folder of BVH files: read back they are the take, on one clock; names are safe; files are old or whole."""

import csv

import numpy as np
import pytest

import take_scenes
from small_take import small_take
from walkon._base.errors import CannotWrite
from walkon.export import export
from walkon.export.bvh import file_names
from walkon.io import read_bvh
from walkon.take.posing.resting import with_rest_poses


@pytest.fixture(scope="module")
def take():
    return small_take()


def index(folder):
    with (folder / "characters.csv").open(encoding="utf-8") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def test_every_character_reads_back_as_it_was(tmp_path):
    crowd = take_scenes.every_feature(np.random.default_rng(3))
    folder = export(crowd, tmp_path / "crowd", format="bvh", fps=30.0)
    rows, times = index(folder), crowd.start + np.arange(0.0, 400.0) / 30.0
    assert "nobody" not in rows
    sizes = set()
    for who in (name for name in crowd.names if name in rows and crowd.body(name).skeleton.has_feet):
        clip = read_bvh(folder / rows[who]["file"], drop_tpose=False).clip
        first, last = int(rows[who]["first_frame"]), int(rows[who]["last_frame"])
        there = np.arange(first, last + 1)
        row = np.array([crowd.character(who)])
        poses = with_rest_poses(crowd, row, crowd.sample(times[there], characters=row))
        seen = poses.present[:, 0]
        names = crowd.body(who).skeleton.names
        mine = [clip.skeleton.index(name) for name in names]
        places, turns = clip.world.positions[there][:, mine], clip.world.rotations[there][:, mine]
        assert np.abs(places - poses.positions[:, 0, : len(names)])[seen].max() < 1e-5
        cosine = np.abs(np.einsum("tji,tji->tj", turns, poses.rotations[:, 0, : len(names)]))[seen]
        assert np.degrees(2 * np.arccos(np.minimum(cosine, 1.0))).max() < 0.01
        assert clip.fps == 30.0
        assert poses.present[[0, -1], 0].all()
        sizes.add(round(float(rows[who]["scale"]), 3))
        np.testing.assert_array_equal(clip.root_positions[:first], clip.root_positions[[first] * first])
    assert len(sizes) > 3


def test_frames_of_all_files_are_the_same_moments(take, tmp_path):
    folder = export(take, tmp_path / "crowd", format="bvh", fps=25.0)
    clips = {name: read_bvh(folder / f"{name}.bvh", drop_tpose=False).clip for name in take.names}
    assert {len(clip) for clip in clips.values()} == {51}
    assert index(folder)["disc"]["last_frame"] == "25"
    np.testing.assert_allclose(clips["disc"].root_positions[25:], clips["disc"].root_positions[[25] * 26], atol=1e-9)


def test_a_part_and_some_of_the_characters(take, tmp_path):
    folder = export(take, tmp_path / "crowd", format="bvh", fps=50.0, start=0.5, stop=1.5, characters=["bob"])
    assert sorted(file.name for file in folder.iterdir()) == ["bob.bvh", "characters.csv"]
    clip = read_bvh(folder / "bob.bvh", drop_tpose=False).clip
    assert len(clip) == 51
    expected = take.pose(0.5, characters=[1]).positions[0, 0]
    np.testing.assert_allclose(clip.root_positions[0], expected, atol=1e-6)


def test_names_are_safe_and_differ():
    names = file_names(["../etc", "a/b", "a:b", "A_b", "con", "NUL.x", "", " . ", "zoë", "人" * 200, "ok-1 (2)"])
    assert names[:7] == ["_etc", "a_b", "a_b_2", "A_b_3", "_con", "_NUL.x", "_"]
    assert names[7] == "__2"
    assert names[8] == "zoë"
    assert len(names[9].encode()) <= 180
    assert names[10] == "ok-1 (2)"
    assert len({name.casefold() for name in names}) == len(names)


def test_odd_names_are_in_the_index(tmp_path):
    take = small_take(("a/b", "A:B", "x" * 300))
    folder = export(take, tmp_path / "crowd", format="bvh", fps=10.0)
    assert set(index(folder)) == set(take.names)
    assert all((folder / row["file"]).is_file() for row in index(folder).values())


def test_other_files_in_the_folder_stay(take, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    export(take, tmp_path, format="bvh", fps=10.0)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_stop_halfway_leaves_every_file_old_or_whole(take, tmp_path):
    export(take, tmp_path, format="bvh", fps=10.0)
    old = {file.name: file.read_bytes() for file in tmp_path.iterdir()}

    def stop(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(take, tmp_path, format="bvh", fps=20.0, progress=stop)
    now = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert now.keys() == old.keys()
    assert now["ann.bvh"] != old["ann.bvh"]
    assert len(read_bvh(tmp_path / "ann.bvh", drop_tpose=False).clip) == 41
    assert [now[name] for name in ("bob.bvh", "disc.bvh")] == [old[name] for name in ("bob.bvh", "disc.bvh")]


def test_progress_goes_to_the_end(take, tmp_path):
    shares = []
    export(take, tmp_path, format="bvh", fps=10.0, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_file_in_the_way_and_a_missing_folder_are_told(take, tmp_path):
    (tmp_path / "file").write_text("old")
    with pytest.raises(CannotWrite, match="this is a file, and BVH needs a folder"):
        export(take, tmp_path / "file", format="bvh")
    assert (tmp_path / "file").read_text() == "old"
    with pytest.raises(CannotWrite, match="folder above does not exist"):
        export(take, tmp_path / "no" / "where", format="bvh")
