"""Videos are whole or not there at all."""

import sys

import numpy as np
import pytest

from walkon._base.errors import CannotWrite, InvalidShape, InvalidValue, MissingExtra
from walkon.drawing import save_video


def pictures(count, size=(64, 48)):
    for i in range(count):
        image = np.zeros((size[1], size[0], 3), np.uint8)
        image[:, : 1 + (i * 5) % size[0]] = (200, 40, 40)
        yield image


def test_a_video_has_all_its_frames(tmp_path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path = save_video(tmp_path / "x.mp4", pictures(23), fps=25.0)
    assert path.read_bytes()[4:8] == b"ftyp"
    frames, seconds = ffmpeg.count_frames_and_secs(str(path))
    assert frames == 23
    assert seconds == pytest.approx(23 / 25, abs=0.05)
    reader = ffmpeg.read_frames(str(path))
    assert next(reader)["size"] == (64, 48)
    first = np.frombuffer(next(reader), np.uint8).reshape(48, 64, 3)
    assert abs(first[:, 32:].astype(int)).max() < 30
    reader.close()
    assert [file.name for file in tmp_path.iterdir()] == ["x.mp4"]


def test_the_same_pictures_give_the_same_file(tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    one, two = (save_video(tmp_path / name, pictures(5)).read_bytes() for name in ("a.mp4", "b.mp4"))
    assert one == two


def test_when_drawing_fails_the_old_video_stays(tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    path = tmp_path / "x.mp4"
    path.write_bytes(b"old")

    def broken():
        yield from pictures(3)
        raise RuntimeError("out of paint")

    with pytest.raises(RuntimeError, match="out of paint"):
        save_video(path, broken())
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["x.mp4"]


def test_an_encoder_that_fails_is_told_and_the_old_video_stays(tmp_path, monkeypatch):
    path = tmp_path / "x.mp4"
    path.write_bytes(b"old")
    monkeypatch.setattr("walkon.drawing.files.encoder", lambda: "/bin/false")
    with pytest.raises(CannotWrite, match="the encoder stopped"):
        save_video(path, pictures(300))
    assert path.read_bytes() == b"old"


def test_without_the_extra_it_says_which_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingExtra, match=r"writing .mp4 needs the extra 'video': pip install 'walkon\[video\]'"):
        save_video(tmp_path / "x.mp4", pictures(2))
    assert list(tmp_path.iterdir()) == []


def test_bad_input_is_refused(tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    with pytest.raises(InvalidValue, match=r"NAME.mp4, got 'x.avi'"):
        save_video(tmp_path / "x.avi", pictures(1))
    with pytest.raises(InvalidValue, match="at least one picture"):
        save_video(tmp_path / "x.mp4", [])
    with pytest.raises(InvalidShape, match="even number of pixels wide and high, got 63 x 48"):
        save_video(tmp_path / "x.mp4", pictures(1, (63, 48)))
    with pytest.raises(InvalidShape, match="one size"):
        save_video(tmp_path / "x.mp4", [*pictures(1), *pictures(1, (32, 32))])
    with pytest.raises(InvalidShape, match="uint8"):
        save_video(tmp_path / "x.mp4", [np.zeros((4, 4, 3))])
    with pytest.raises(InvalidValue, match="frames per second, got nan"):
        save_video(tmp_path / "x.mp4", pictures(1), fps=float("nan"))
    with pytest.raises(CannotWrite, match="the folder does not exist"):
        save_video(tmp_path / "no" / "x.mp4", pictures(1))
    assert list(tmp_path.iterdir()) == []
