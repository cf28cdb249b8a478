"""Files are whole or not there: failures leave what existed, and nothing else."""

import os
import stat
from pathlib import Path

import pytest

from walkon._base import files
from walkon._base.errors import CannotWrite, UnreadableFile
from walkon._base.files import read_whole, reading, write_atomically


def fail(error: BaseException):
    def write(file) -> None:
        file.write(b"half of")
        raise error

    return write


def test_a_file_is_written_whole_with_the_usual_rights(tmp_path: Path) -> None:
    target = tmp_path / "a.take"
    assert write_atomically(target, lambda file: file.write(b"new")) == target
    assert target.read_bytes() == b"new"
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~umask
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("error", [ValueError("bad"), KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_a_failure_leaves_the_old_file_and_no_temporary_ones(tmp_path: Path, error: BaseException) -> None:
    target = tmp_path / "a.take"
    target.write_bytes(b"old")
    with pytest.raises(CannotWrite if isinstance(error, OSError) else type(error)) as caught:
        write_atomically(target, fail(error))
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]
    if isinstance(error, OSError):
        assert "No space left on device" in str(caught.value)
        assert "untouched" in str(caught.value)


def test_nothing_appears_where_the_first_write_fails(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="bad"):
        write_atomically(tmp_path / "a.take", fail(ValueError("bad")))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_or_a_missing_folder_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="this is a folder; give a file name"):
        write_atomically(tmp_path, lambda file: None)
    with pytest.raises(CannotWrite, match="the folder does not exist"):
        write_atomically(tmp_path / "none" / "a.take", lambda file: None)


def test_a_file_name_without_a_folder_is_in_the_current_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_atomically("a.take", lambda file: file.write(b"here"))
    assert (tmp_path / "a.take").read_bytes() == b"here"


def test_reading_what_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no such file"):
        read_whole(tmp_path / "none.bvh", limit=10)
    with pytest.raises(UnreadableFile, match="this is a folder, not a file"):
        read_whole(tmp_path, limit=10)
    with pytest.raises(UnreadableFile, match="Input/output error"), reading(_with(tmp_path, b"x")):
        raise OSError(5, "Input/output error")


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    path = _with(tmp_path, b"12345")
    assert read_whole(path, limit=5) == b"12345"
    with pytest.raises(UnreadableFile, match="5 bytes, more than the limit of 4"):
        read_whole(path, limit=4)


@pytest.mark.parametrize("more", [b"6", b"6" * 100], ids=["a little", "beyond the limit"])
def test_a_file_that_grows_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: bytes
) -> None:
    path = _with(tmp_path, b"12345")
    look, looks = os.fstat, []

    def fstat(handle: int) -> os.stat_result:
        found = look(handle)
        if not looks:  # another process appends between the first look and the reading
            with path.open("ab") as file:
                file.write(more)
        looks.append(found)
        return found

    monkeypatch.setattr(files.os, "fstat", fstat)
    with pytest.raises(UnreadableFile, match=r"changed while it was read|more than the limit"):
        read_whole(path, limit=50)


def _with(folder: Path, content: bytes) -> Path:
    path = folder / "some.bvh"
    path.write_bytes(content)
    return path
