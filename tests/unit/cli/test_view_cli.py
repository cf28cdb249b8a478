"""`walkon view` and pages from `walkon export`: served until Ctrl-C, one sentence for whatever is wrong."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from typer.testing import CliRunner

from interrupting import INTERRUPTIBLE
from small_take import small_take
from walkon.cli.main import app
from walkon.take.storing.file import save_take
from walkon.viewer import page_file

runner = CliRunner()
NEEDS_PAGE = pytest.mark.skipif(
    not (page_file.STATIC / "viewer.html").is_file(), reason="the page has not been built: run make page"
)


@pytest.fixture(scope="module")
def take(tmp_path_factory):
    return save_take(small_take(), tmp_path_factory.mktemp("takes") / "small.take")


@pytest.fixture
def page(tmp_path, monkeypatch):
    folder = tmp_path / "static"
    folder.mkdir()
    (folder / "viewer.html").write_text("<html><head><title>x</title></head><body></body></html>")
    monkeypatch.setattr(page_file, "STATIC", folder)


@NEEDS_PAGE
def test_a_take_is_served_until_an_interrupt_and_the_exit_code_is_0(take):
    command = [sys.executable, "-m", "walkon", "view", str(take), "--no-browser"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, **INTERRUPTIBLE
    ) as process:
        line = process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/", line)[0]
        assert line.startswith("small.take is at ")
        with urllib.request.urlopen(address) as answer:
            assert b"<title>small.take</title>" in answer.read()
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=20)
    assert (process.returncode, rest, errors) == (0, "stopped\n", "")


def test_bad_input_is_told_in_a_sentence_before_anything_is_served(page, take, tmp_path):
    damaged = tmp_path / "damaged.take"
    damaged.write_bytes(take.read_bytes()[:-64])
    newer = tmp_path / "missing.take"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for words, sentence in (
            ((damaged,), "truncated"),
            ((newer,), "no such file"),
            ((take, "--port", port), f"port {port} is taken"),
            ((take, "--host", "nowhere.invalid"), "cannot listen on"),
        ):
            done = runner.invoke(app, ["view", *map(str, words), "--no-browser"])
            assert done.exit_code == 2, done.output
            assert sentence in done.stderr
            assert "Traceback" not in done.output
            assert "is at http" not in done.stdout


def test_a_page_that_was_not_built_says_so(take, tmp_path, monkeypatch):
    monkeypatch.setattr(page_file, "STATIC", tmp_path)
    for words in (["view", str(take), "--no-browser"], ["export", str(take), "-o", str(tmp_path / "x.html")]):
        done = runner.invoke(app, words)
        assert done.exit_code == 2
        assert "make page" in done.stderr


def test_export_writes_a_page(page, take, tmp_path):
    done = runner.invoke(app, ["export", str(take), "-o", str(tmp_path / "x.html"), "--audit"])
    assert done.exit_code == 0, done.output
    text = (tmp_path / "x.html").read_text()
    assert 'id="take-data"' in text
    assert 'id="audit-data"' in text


def test_options_that_a_page_does_not_have_are_refused(page, take, tmp_path):
    for words in (("--at", "1s"), ("--sheet",), ("--follow", "ann")):
        done = runner.invoke(app, ["export", str(take), "-o", str(tmp_path / "x.html"), *words])
        assert done.exit_code == 2
        assert "are for pictures and videos" in done.stderr
    done = runner.invoke(app, ["export", str(take), "-o", str(tmp_path / "x.png"), "--audit"])
    assert done.exit_code == 2
    assert "--audit is not for pictures and videos" in done.stderr
