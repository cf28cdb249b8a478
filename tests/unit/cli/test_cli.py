"""`walkon` itself, and `walkon library`: help, tables, JSON, mistakes; what only a process of its own proves."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from command_line import run, run_process
from interrupting import INTERRUPTIBLE
from walker import spoil, walk
from walkon.io import write_bvh


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("capture")
    write_bvh(spoil(walk(seconds=2.0), np.random.default_rng(1)), folder / "one.bvh")
    (folder / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n{")
    return folder


@pytest.fixture(scope="module")
def library(folder):
    file = folder / "people.library"
    done = run("library", "build", folder, "-o", file)
    assert done.returncode == 0, done.stderr
    assert "wrote" in done.stdout
    assert "left out broken" in done.stdout
    return file


def test_a_process_started_cold_lists_the_verbs_as_this_one_does():
    done = run_process("--help")
    assert done.returncode == 0
    assert "library" in done.stdout
    assert "demo" in done.stdout
    name, module = len(["Usage:", "walkon"]), len(["Usage:", "python", "-m", "walkon"])
    assert run("--help").stdout.split()[name:] == done.stdout.split()[module:]


def test_a_process_tells_a_mistake_as_this_one_does(tmp_path):
    words = ("library", "info", "nowhere.library")
    done = run_process(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == run(*words, cwd=tmp_path).stderr == "walkon: nowhere.library: no such file or directory\n"


def test_help_does_not_wait_for_heavy_packages():
    code = (
        "import sys; from walkon.cli import main; print(sorted({'numpy', 'scipy', 'numba', 'PIL'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_building_prints_json_that_a_program_can_read(folder, tmp_path):
    done = run("library", "build", folder, "-o", tmp_path / "x.library", "--json")
    told = json.loads(done.stdout)
    assert told["library"]["clips"] == 1
    kept = {clip["name"]: clip["kept"] for clip in told["clips"]}
    assert kept == {"broken": False, "one": True}
    assert next(c for c in told["clips"] if c["kept"])["drift_after_m"] < 0.001


def test_info_tells_what_is_inside(library):
    done = run("library", "info", library)
    assert "one" in done.stdout
    told = json.loads(run("library", "info", library, "--json").stdout)
    assert told["clips"][0]["name"] == "one"
    assert told["clips"][0]["mean_speed_m_s"] == pytest.approx(1.15, abs=0.1)


def test_brackets_in_names_and_labels_are_printed_as_they_are(tmp_path):
    capture = tmp_path / "capture"
    capture.mkdir()
    write_bvh(spoil(walk(seconds=1.5), np.random.default_rng(1)), capture / "walk[red].bvh")
    (capture / "manifest.csv").write_text("file,labels\nwalk[red].bvh,[/b]\n")
    done = run("library", "build", capture, "-o", tmp_path / "x.library")
    assert done.returncode == 0, done.stderr
    assert "walk[red]" in done.stdout
    assert "[/b]" in run("library", "info", tmp_path / "x.library").stdout


def test_info_draws_a_contact_sheet(library, tmp_path):
    sheet = tmp_path / "one.png"
    done = run("library", "info", library, "--clip", "one", "--sheet", sheet)
    assert done.returncode == 0, done.stderr
    assert sheet.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("library", "build", "nowhere", "-o", "x.library"), "no such folder"),
        (("library", "info", "nowhere.library"), "nowhere.library: no such file"),
        (("library", "info", "{library}", "--clip", "tow"), "there is no clip 'tow'"),
        (("library", "info", "{library}", "--sheet", "x.png"), "say which with --clip"),
        (("library", "build", "{folder}", "-o", "no/where/x.library"), "the folder does not exist"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_2(arguments, told, library, folder, tmp_path):
    words = [str(word).format(library=library, folder=folder) for word in arguments]
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.startswith("walkon: ")
    assert len(done.stderr.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\x01\x02" * 100,
        b"HIERARCHY\nROOT a\n{\n OFFSET 0 0 0\n CHANNELS 3 Xrotation Yrotation Zrotation\n}\nMOTION\nFrames: 1\n"
        b"Frame Time: 0.01\nnan 0 0\n",
        b"HIERARCHY\n" + b"ROOT a\n{\nOFFSET 0 0 0\n" * 20000,
    ],
    ids=["empty", "binary", "nan", "endless"],
)
def test_a_folder_of_bad_files_is_an_error_and_nothing_is_written(content, tmp_path):
    capture = tmp_path / "capture"
    capture.mkdir()
    (capture / "x.bvh").write_bytes(content)
    done = run("library", "build", capture, "-o", tmp_path / "x.library")
    assert done.returncode == 2
    assert "x.bvh" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "x.library").exists()


@pytest.mark.slow
def test_the_demo_fills_a_theatre(tmp_path):
    done = run("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    made = ["walkon-demo.html", "walkon-demo.png", "walkon-demo.take"]
    assert sorted(path.name for path in tmp_path.iterdir()) == made
    assert "40 of 40 take their seats on time" in done.stdout
    assert "footprints overlap in 0 frames" in done.stdout


@pytest.mark.slow
def test_kernels_work_where_nothing_can_be_written(tmp_path):
    done = run_process(
        "warm-up", HOME="/nonexistent", XDG_CACHE_HOME="/nonexistent", TMPDIR=str(tmp_path), WALKON_CACHE="/proc/no"
    )
    assert done.returncode == 0, done.stderr
    assert "every run will compile again" in done.stdout


def test_an_interrupt_leaves_no_file_behind(tmp_path):
    capture = tmp_path / "capture"
    capture.mkdir()
    one = write_bvh(walk(seconds=20.0), capture / "0.bvh").read_bytes()
    for number in range(1, 40):
        (capture / f"{number}.bvh").write_bytes(one)
    command = [sys.executable, "-m", "walkon", "library", "build", str(capture), "-o", str(tmp_path / "x.library")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **INTERRUPTIBLE)
    time.sleep(3.0)  # long enough to have begun, far too short to be done with forty files
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT), told  # which a shell tells as 130, too
    assert "interrupted" in told
    assert "Traceback" not in told
    assert [path.name for path in tmp_path.iterdir()] == ["capture"]
