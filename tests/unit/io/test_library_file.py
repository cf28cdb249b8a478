import contextlib
import io
import os
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from walker import walk
from walkon._base.errors import CannotWrite, NewerFile, UnreadableFile
from walkon.io.library_file import load_library, save_library
from walkon.motion import Event
from walkon.motion.anatomy.limits import HingeLimit
from walkon.motion.library import Library
from walkon.transforms import quaternions as quat


@pytest.fixture(scope="module")
def library():
    clip = walk(seconds=1.0)
    knee = HingeLimit(axis=(0.0, 1.0, 0.0), low=0.0, high=np.radians(150.0))
    clip = replace(clip, skeleton=replace(clip.skeleton, limits={7: knee}))
    labels = {"walk": np.ones(len(clip), bool)}
    events = (Event(time=0.5, kind="grasp", joints=("LeftHand",), object_pose=(0.1, 0.2, 0.3, 1, 0, 0, 0)),)
    clips = [replace(clip, labels=labels, events=events, name="a"), replace(clip, name="b")]
    return Library.of(clips, ensembles={"pair": ("a", "b")}, notes=["a: nothing was wrong"])


@pytest.fixture
def file(library, tmp_path):
    return save_library(library, tmp_path / "x.library")


def test_a_library_comes_back_as_it_was(library, file):
    back = load_library(file)
    assert back.names == library.names
    assert back.notes == library.notes
    assert back.ensembles == dict(library.ensembles)
    assert back.events == library.events
    assert dict(back.skeleton.roles) == dict(library.skeleton.roles)
    assert np.array_equal(back.skeleton.offsets, library.skeleton.offsets)
    assert dict(back.skeleton.limits) == dict(library.skeleton.limits)
    assert np.array_equal(back.contacts, library.contacts)
    assert np.array_equal(back.labels, library.labels)
    assert np.abs(back.root_positions - library.root_positions).max() < 1e-6
    assert np.degrees(quat.angle_between(back.local_rotations, library.local_rotations).max()) < 1e-4


def test_the_same_library_gives_the_same_bytes(library, tmp_path):
    one, two = (save_library(library, tmp_path / name).read_bytes() for name in ("1.library", "2.library"))
    assert one == two


@pytest.mark.parametrize("keep", [0, 10, 1000, -200])
def test_a_truncated_file_is_refused(file, keep):
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(UnreadableFile, match=r"x\.library"):
        load_library(file)


def test_flipped_bytes_never_surface_as_anything_else(file, rng):
    whole = file.read_bytes()
    ends = [*range(0, 600, 7), *range(len(whole) - 900, len(whole), 5)]
    for place in [*ends, *rng.integers(0, len(whole), 60)]:
        content = bytearray(whole)
        content[place] ^= 0xFF
        file.write_bytes(content)
        # A flip in a name or a date of the archive may go unnoticed, and harms nothing.
        with contextlib.suppress(UnreadableFile, NewerFile):
            load_library(file)


def test_flipped_motion_is_noticed(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)
    with pytest.raises(UnreadableFile):
        load_library(file)


@pytest.mark.parametrize("change", [(b'"ensembles":{', b'"ensembles":[ {'), (b'"skeleton":{', b'"skeleton":[{')])
def test_a_header_of_another_form_is_refused(file, change):
    header = io.BytesIO()
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(header, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "header.npy":
                text = np.load(io.BytesIO(data)).tobytes().replace(*change)
                stored = io.BytesIO()
                np.save(stored, np.frombuffer(text, np.uint8))
                data = stored.getvalue()
            new.writestr(name, data)
    file.write_bytes(header.getvalue())
    with pytest.raises(UnreadableFile):
        load_library(file)


def test_another_kind_of_archive_is_refused(tmp_path):
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(UnreadableFile, match="not a Walkon library"):
        load_library(tmp_path / "other.npz")


def test_nothing_in_a_file_is_ever_unpickled(tmp_path):
    file = tmp_path / "evil.library"
    np.savez(tmp_path / "evil.npz", header=np.array([{"a": 1}], dtype=object))
    (tmp_path / "evil.npz").rename(file)
    with pytest.raises(UnreadableFile):
        load_library(file)


def test_a_newer_version_is_refused_with_the_way_out(file):
    content = io.BytesIO()
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(content, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "header.npy":
                header = np.load(io.BytesIO(data)).tobytes().replace(b'"version":1', b'"version":9')
                changed = io.BytesIO()
                np.save(changed, np.frombuffer(header, np.uint8))
                data = changed.getvalue()
            new.writestr(name, data)
    file.write_bytes(content.getvalue())
    with pytest.raises(NewerFile, match=r"format 9.*update walkon"):
        load_library(file)


def test_a_missing_folder_is_a_clear_error(library, tmp_path):
    with pytest.raises(CannotWrite, match="the folder does not exist"):
        save_library(library, tmp_path / "nowhere" / "x.library")


def test_a_full_disk_leaves_the_old_file(library, file, monkeypatch):
    before = file.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CannotWrite, match="No space left"):
        save_library(library, file)
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == [file.name]
