"""`walkon graph design`: what it refuses before it serves, and that it serves."""

import os
import re
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner
from websockets.sync.client import connect

from interrupting import INTERRUPTIBLE
from snap_libraries import performer
from walkon.cli.main import app
from walkon.io import save_library


@pytest.fixture
def library(tmp_path):
    return save_library(performer(), tmp_path / "small.library")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.graph"], "does not exist"),
        (["walk.bvh", "--library", "builtin"], "no name for a graph"),
        (["no/such/folder/x.graph", "--library", "builtin"], "the folder does not exist"),
        (["there.graph", "--library", "builtin"], "carries its library"),
        (["there.graph"], "there.graph"),
        (["new.graph", "--library", "none.library"], "none.library"),
    ],
)
def test_what_cannot_be_designed_is_said_in_a_sentence(arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.graph").write_bytes(b"no graph at all")
    result = CliRunner().invoke(app, ["graph", "design", *arguments, "--no-browser"])
    assert result.exit_code == 2 and words in result.stderr and "Traceback" not in result.stderr
    assert result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["there.graph"]


def test_it_prints_an_address_serves_and_ends_with_an_interrupt(library, tmp_path):
    file = tmp_path / "new.graph"
    command = [sys.executable, "-m", "walkon", "graph", "design", str(file), "--library", str(library), "--no-browser"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ), **INTERRUPTIBLE
    )
    try:
        line = process.stdout.readline()
        found = re.fullmatch(r"new\.graph is at (http://127\.0\.0\.1:\d+)/\?token=(\S+) \(Ctrl-C ends it\)\n", line)
        assert found, line + process.stderr.read() if process.poll() else line
        address, token = found.groups()
        with connect(f"{address.replace('http', 'ws')}/socket?token={token}", origin=address, max_size=None) as page:
            page.send('{"id": 1, "do": "hello"}')
            assert '"ok":true' in page.recv(timeout=30)
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=30)
    finally:
        process.kill()
        process.communicate()
    assert (process.returncode, rest, errors) == (0, "stopped; changes since the last save are gone\n", "")
    assert not file.exists()
