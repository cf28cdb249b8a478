"""`walkon export`: pictures, sheets and videos; a clear sentence for anything else."""

import sys

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from small_take import small_take
from walkon._base.errors import InvalidValue
from walkon.cli.main import app
from walkon.cli.reading import parse_seconds, parse_size
from walkon.take import TakeWriter
from walkon.take.storing.file import save_take

runner = CliRunner()


def export(*words):
    return runner.invoke(app, ["export", *map(str, words)])


@pytest.fixture(scope="module")
def take(tmp_path_factory):
    return save_take(small_take(), tmp_path_factory.mktemp("takes") / "small.take")


def pixels(path):
    return np.array(Image.open(path))


def test_a_picture_shows_the_middle_unless_told_when(take, tmp_path):
    for name, words in {"middle": (), "one": ("--at", "1s"), "later": ("--at", "1500ms")}.items():
        done = export(take, "-o", tmp_path / f"{name}.png", "--size", "160x90", *words)
        assert done.exit_code == 0, done.output
        assert f"wrote {tmp_path / name}.png" in done.stdout.replace("\n", "")
    middle, one, later = (pixels(tmp_path / f"{name}.png") for name in ("middle", "one", "later"))
    assert middle.shape == (90, 160, 3)
    np.testing.assert_array_equal(middle, one)
    assert (middle != later).any()


def test_views_and_followed_characters_differ(take, tmp_path):
    seen = []
    for i, words in enumerate([(), ("--view", "top"), ("--follow", "bob"), ("--view", "side", "--follow", "ann")]):
        assert export(take, "-o", tmp_path / f"{i}.png", "--size", "96x64", *words).exit_code == 0
        seen.append(pixels(tmp_path / f"{i}.png").tobytes())
    assert len(set(seen)) == 4


def test_a_sheet_has_a_cell_per_moment(take, tmp_path):
    done = export(take, "-o", tmp_path / "x.png", "--sheet", "--count", "6", "--size", "100x60", "--start", "0.5")
    assert done.exit_code == 0, done.output
    assert pixels(tmp_path / "x.png").shape == (2 * 60 + 3, 3 * 100 + 6, 3)


def test_a_video_has_its_frames(take, tmp_path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    words = ("--fps", "10", "--start", "0.5s", "--stop", "1.5", "--size", "96x64")
    done = export(take, "-o", tmp_path / "x.mp4", *words)
    assert done.exit_code == 0, done.output
    assert ffmpeg.count_frames_and_secs(str(tmp_path / "x.mp4"))[0] == 10


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("-o", "{tmp}/x.fbx"), "cannot write 'x.fbx': the end of its name must be one of .png: a picture"),
        (("-o", "{tmp}/x"), "must be one of .png"),
        (("-o", "{tmp}/no/x.png"), "the folder does not exist"),
        (("-o", "{tmp}/x.png", "--at", "soon"), "--at is a time such as 3s, 2.5 or 1:30, got 'soon'"),
        (("-o", "{tmp}/x.png", "--at", "99"), "runs from 0 to 2 s; got 99 s"),
        (("-o", "{tmp}/x.png", "--size", "big"), "--size is WIDTHxHEIGHT"),
        (("-o", "{tmp}/x.png", "--view", "back"), "there is no view 'back'"),
        (("-o", "{tmp}/x.png", "--follow", "eve"), "there is no character 'eve'"),
        (("-o", "{tmp}/x.png", "--start", "1"), "a picture takes --at"),
        (("-o", "{tmp}/x.png", "--sheet", "--at", "1"), "leave out --at"),
        (("-o", "{tmp}/x.mp4", "--at", "1"), "a video takes --start and --stop"),
        (("-o", "{tmp}/x.mp4", "--start", "1.5", "--stop", "1"), "stop must not be before start"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_2(take, tmp_path, words, told):
    done = export(take, *(word.format(tmp=tmp_path) for word in words))
    assert done.exit_code == 2
    assert told in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_video_without_the_extra_says_what_to_install(take, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    done = export(take, "-o", tmp_path / "x.mp4")
    assert done.exit_code == 2
    assert "pip install 'walkon[video]'" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_empty_take_cannot_be_drawn(tmp_path):
    file = save_take(TakeWriter().close(), tmp_path / "empty.take")
    done = export(file, "-o", tmp_path / "x.png")
    assert done.exit_code == 2
    assert "has no characters" in done.stderr


@pytest.mark.parametrize(
    ("text", "seconds"), [("3", 3.0), ("3s", 3.0), (" 2.5 s", 2.5), ("250ms", 0.25), ("1:30", 90.0), ("2:05.5", 125.5)]
)
def test_times_are_read_as_people_write_them(text, seconds):
    assert parse_seconds(text, "--at") == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "s", "1:", ":3", "1:2:3", "3m", "nan", "inf", "1e9999"])
def test_words_that_are_no_time_are_refused(text):
    with pytest.raises(InvalidValue, match="--at is a time"):
        parse_seconds(text, "--at")


def test_sizes_are_read():
    assert parse_size("1280x720", "--size") == (1280, 720)
    for text in ("0x5", "12", "x", "-1x5", "1280x720x3"):
        with pytest.raises(InvalidValue, match="WIDTHxHEIGHT"):
            parse_size(text, "--size")
