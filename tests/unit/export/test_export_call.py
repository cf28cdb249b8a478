"""`walkon.export`: one call for all formats; whatever goes wrong is one sentence, and the old file is still there."""

import csv
import inspect
import os
import sys

import numpy as np
import pytest

import walkon
from small_take import small_take
from walkon._base.errors import CannotWrite, InvalidValue, MissingExtra, UnknownName
from walkon.export import FORMATS, export, format_of
from walkon.io import load_trajectories, read_bvh

FILES = [one for one in FORMATS if one.suffix]
TRAJECTORIES = [one for one in FORMATS if one.writer.startswith("walkon.export.trajectories:")]
EXTRAS = {"usd": ("pxr", "usd"), "parquet": ("pyarrow", "parquet")}


def named(one):
    return one.name


def target(one, folder):
    return folder / f"crowd{one.suffix}"


def needs(one):
    if one.name in EXTRAS:
        pytest.importorskip(EXTRAS[one.name][0], reason=f"the extra {EXTRAS[one.name][1]!r} is not installed")


def everything(path):
    """All names and contents at a path, whether file or folder."""
    if path.is_dir():
        return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}
    return {path.name: path.read_bytes()}


@pytest.fixture(scope="module")
def take():
    return small_take()


@pytest.mark.parametrize("one", FORMATS, ids=named)
def test_every_format_is_written_where_it_was_asked_for(take, tmp_path, one):
    needs(one)
    path = target(one, tmp_path)
    shares = []
    assert walkon.export(take, str(path), format=one.name, fps=10.0, progress=shares.append) == path
    assert path.is_dir() == (not one.suffix)
    assert {file.name for file in tmp_path.iterdir()} == {path.name}
    assert shares == sorted(shares) and shares[-1] == 1.0


@pytest.mark.parametrize("one", FILES, ids=named)
def test_the_end_of_the_name_decides_in_any_case(one):
    assert format_of(f"some.where/crowd{one.suffix}") == one
    assert format_of(f"CROWD{one.suffix.upper()}") == one
    assert format_of("crowd", one.name) == one


def test_a_folder_that_is_there_is_bvh(tmp_path):
    assert format_of(tmp_path).name == "bvh"


@pytest.mark.parametrize("name", ["crowd.fbx", "crowd", "crowd.glb.bak", ".glb", "crowd."])
def test_unknown_ends_name_all_that_are_known(take, tmp_path, name):
    with pytest.raises(InvalidValue) as told:
        export(take, tmp_path / name)
    assert all(f"{one.suffix}: " in str(told.value) for one in FILES)
    assert repr(name) in str(told.value) and "--format bvh" in str(told.value)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_names_all_that_are_known(take, tmp_path):
    with pytest.raises(InvalidValue, match=r"unknown format 'fbx'; the formats are bvh, gltf, usd, csv"):
        export(take, tmp_path / "crowd.fbx", format="fbx")


@pytest.mark.parametrize("one", FORMATS, ids=named)
def test_a_folder_that_is_missing_is_told(take, tmp_path, one):
    with pytest.raises(CannotWrite, match=r"no.where.*does not exist.*choose another place"):
        export(take, tmp_path / "no" / "where" / f"crowd{one.suffix}", format=one.name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("one", FILES, ids=named)
def test_a_folder_in_the_way_is_told_and_stays(take, tmp_path, one):
    needs(one)
    path = target(one, tmp_path)
    path.mkdir()
    (path / "mine.txt").write_text("mine")
    with pytest.raises(CannotWrite, match="this is a folder"):
        export(take, path, fps=10.0)
    assert everything(tmp_path) == {f"{path.name}/mine.txt": b"mine"}


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="here everything may be written")
@pytest.mark.parametrize("one", FORMATS, ids=named)
def test_a_folder_that_may_not_be_written_is_told(take, tmp_path, one):
    needs(one)
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(CannotWrite, match="choose another place"):
            export(take, target(one, tmp_path), format=one.name, fps=10.0)
    finally:
        tmp_path.chmod(0o755)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a place where nobody may write")  # noqa: PTH112
@pytest.mark.parametrize("one", FORMATS, ids=named)
def test_a_place_where_nobody_may_write_is_told(take, one):
    needs(one)
    with pytest.raises(CannotWrite, match=r"/proc/self/crowd.*choose another place"):
        export(take, f"/proc/self/crowd{one.suffix}", format=one.name, fps=10.0)


@pytest.mark.parametrize("one", FORMATS, ids=named)
def test_options_of_other_formats_are_refused_before_anything_is_done(take, tmp_path, one):
    others = {option for other in FORMATS for option in other.options} - set(one.options)
    for option in [*sorted(others), "colour"]:
        with pytest.raises(InvalidValue, match=rf"^{one.name} takes (no|the) options.*, got '{option}'; leave it out"):
            export(take, target(one, tmp_path), format=one.name, **{option: True})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("one", FORMATS, ids=named)
def test_the_options_of_a_format_are_those_of_its_writer(one):
    needs(one)
    write = inspect.signature(one.load_writer()).parameters
    assert {name for name in write if name not in {"excerpt", "path", "progress"}} == set(one.options)


@pytest.mark.parametrize(
    ("part", "error", "told"),
    [
        ({"fps": 0.0}, InvalidValue, "fps must be over 0"),
        ({"fps": float("nan")}, InvalidValue, "fps must be over 0"),
        ({"fps": 1e6}, InvalidValue, "up to 1000, got 1e\\+06"),
        ({"start": 1.5, "stop": 0.5}, InvalidValue, "start before its stop, got 1.5 s to 0.5 s"),
        ({"start": 90.0, "stop": 99.0}, InvalidValue, "nobody is there from 90 to 99 s: this take runs from 0 to 2 s"),
        ({"characters": ["eve"]}, UnknownName, "there is no character 'eve'"),
        ({"characters": ["ann", 0]}, InvalidValue, "named twice"),
        ({"characters": [7]}, InvalidValue, "numbered 0 to 2, got 7"),
        ({"characters": []}, InvalidValue, "no character is chosen"),
    ],
)
def test_parts_that_cannot_be_are_refused(take, tmp_path, part, error, told):
    for one in (FORMATS[0], FORMATS[1]):
        with pytest.raises(error, match=told):
            export(take, target(one, tmp_path), format=one.name, **part)
    assert list(tmp_path.iterdir()) == []


def test_a_take_with_nobody_is_refused(tmp_path):
    with pytest.raises(InvalidValue, match="no characters; there is nothing to hand over"):
        export(walkon.TakeWriter().close(), tmp_path / "crowd.glb")


@pytest.mark.parametrize("one", TRAJECTORIES, ids=named)
def test_a_part_at_a_rate_with_some_people_is_just_that_in_trajectories(take, tmp_path, one):
    needs(one)
    path = export(take, target(one, tmp_path), fps=20.0, start=0.5, stop=1.5, characters=["bob", "disc"])
    people = load_trajectories(path, rate=20.0)
    times = 0.5 + np.arange(21) / 20.0
    for row, count in ((1, 21), (2, 11)):  # the third leaves at 1 s
        mine = people.frames[people.ids == row]
        np.testing.assert_array_equal(mine, np.arange(count))
        expected = take.sample(times[:count], characters=[row]).planar[:, 0, :2]
        np.testing.assert_allclose(people.positions[people.ids == row], expected, atol=1e-3)
    assert set(people.ids.tolist()) == {1, 2}


def test_a_part_at_a_rate_with_some_people_is_just_that_in_bodies(take, tmp_path):
    pytest.importorskip("pxr", reason="the extra 'usd' is not installed")
    from pygltflib import GLTF2

    part = {"fps": 20.0, "start": 0.5, "stop": 1.5, "characters": ["disc", 1]}
    folder = export(take, tmp_path / "folder", format="bvh", **part)
    with (folder / "characters.csv").open(encoding="utf-8") as file:
        rows = {row["name"]: (row["first_frame"], row["last_frame"]) for row in csv.DictReader(file)}
    assert rows == {"bob": ("0", "20"), "disc": ("0", "10")}
    assert len(read_bvh(folder / "bob.bvh", drop_tpose=False).clip) == 21

    glb = GLTF2().load(str(export(take, tmp_path / "crowd.glb", **part)))
    assert [skin.name for skin in glb.skins] == ["bob", "disc"]
    assert (glb.asset.extras["frames"], glb.asset.extras["fps"], glb.asset.extras["start_s"]) == (21, 20.0, 0.5)

    from pxr import Usd

    stage = Usd.Stage.Open(str(export(take, tmp_path / "crowd.usdc", **part)))
    assert [str(prim.GetName()) for prim in stage.GetPrimAtPath("/World/Characters").GetChildren()] == ["bob", "disc"]
    assert (stage.GetEndTimeCode(), stage.GetTimeCodesPerSecond()) == (20.0, 20.0)


@pytest.mark.parametrize("name", EXTRAS)
def test_an_extra_that_is_not_installed_is_named_and_the_old_file_stays(take, tmp_path, monkeypatch, name):
    module, extra = EXTRAS[name]
    path = target(next(one for one in FORMATS if one.name == name), tmp_path)
    path.write_bytes(b"old")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"pip install 'walkon\[{extra}\]'"):
        export(take, path, fps=10.0)
    assert everything(tmp_path) == {path.name: b"old"}


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")], ids=["Ctrl-C", "full"])
@pytest.mark.parametrize("one", FILES, ids=named)
def test_what_stops_half_way_leaves_the_old_file_and_nothing_else(take, tmp_path, monkeypatch, one, error):
    needs(one)
    path = export(take, target(one, tmp_path), fps=10.0)
    old = everything(tmp_path)
    calls = []

    def stop(share):
        calls.append(share)
        raise error

    if one.name == "html":  # the page is made at once: what fails is the writing
        monkeypatch.setattr("walkon.viewer.page_file.write_page", lambda *_, **__: stop(0.0))
    with pytest.raises(KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else OSError):
        export(take, path, fps=20.0, progress=stop)
    assert calls
    assert everything(tmp_path) == old


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")], ids=["Ctrl-C", "full"])
def test_a_folder_of_bvh_keeps_whole_files_when_it_is_stopped_half_way(take, tmp_path, error):
    folder = export(take, tmp_path / "folder", format="bvh", fps=10.0)
    old = everything(folder)

    def stop(share):
        if share > 0.5:
            raise error

    with pytest.raises(type(error)):
        export(take, folder, format="bvh", fps=20.0, progress=stop)
    now = everything(folder)
    assert now.keys() == old.keys()
    assert [name for name in old if now[name] == old[name]] == ["characters.csv", "disc.bvh"]
    assert {len(read_bvh(folder / f"{name}.bvh", drop_tpose=False).clip) for name in ("ann", "bob")} == {41}


def test_a_file_per_character_in_usd_keeps_the_old_ones_when_it_is_stopped_half_way(take, tmp_path):
    pytest.importorskip("pxr", reason="the extra 'usd' is not installed")
    path = export(take, tmp_path / "crowd.usdc", fps=10.0, per_character=True)
    old = everything(tmp_path)
    assert {"crowd.usdc", "crowd_characters/models.usdc", "crowd_characters/ann.usdc"} <= old.keys()

    def stop(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(take, path, fps=20.0, per_character=True, progress=stop)
    assert everything(tmp_path) == old
