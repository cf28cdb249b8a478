import json

import pytest

from command_line import run
from walkon.capture import builtin_library
from walkon.io import save_library
from walkon.motion.library import Library


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graphs")
    library = builtin_library()
    names = ("walk_1.10", "walk_1.35", "arc_left_1.20_50", "jog")
    save_library(Library.of([library[name] for name in names]), folder / "walks.library")
    return folder


@pytest.fixture(scope="module")
def built(folder):
    done = run("graph", "build", folder / "walks.library", "-o", folder / "walks.graph", "--label", "walk")
    assert done.returncode == 0, done.stderr
    return done


def test_building_tells_what_was_made(folder, built):
    assert (folder / "walks.graph").is_file()
    for word in ("threshold", "longest wait", "worst seam", "nothing is left of jog", "wrote"):
        assert word in built.stdout
    assert built.stderr == ""


def test_inspecting_prints_tables(folder, built):
    done = run("graph", "inspect", folder / "walks.graph", "--seams", "3")
    assert done.returncode == 0, done.stderr
    for word in ("MotionGraph(", "seconds of motion by speed and turn", "← chosen", "worst seams"):
        assert word in done.stdout


def test_inspecting_prints_json_and_draws(folder, built):
    done = run("graph", "inspect", folder / "walks.graph", "--json", "--pictures", folder / "pictures")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["transitions"] > 0
    assert told["share"] > 0.3
    assert {"threshold", "transitions", "largest_share", "worst_seam"} <= told["trade_off"][0].keys()
    assert len(told["pictures"]) == 3
    for name in ("distance", "graph", "reach"):
        assert (folder / "pictures" / f"{name}.png").stat().st_size > 3000


def test_thresholds_are_given_in_centimetres_by_share_and_by_pair(folder):
    source, out = folder / "walks.library", folder / "other.graph"
    done = run("graph", "build", source, "-o", out, "--threshold-cm", "6", "--pair-cm", "walk:walk=4", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["graph"]["threshold_m"] == pytest.approx(0.06)
    done = run("graph", "build", source, "-o", out, "--connect", "0.5", "--json")
    assert json.loads(done.stdout)["graph"]["rule"] == "connect"


def test_mirror_images_are_added(folder):
    done = run("graph", "build", folder / "walks.library", "-o", folder / "both.graph", "--mirror", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["graph"]["clips"] == 8


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--label", "swim"), "there is no label 'swim'"),
        (("--threshold-cm", "500"), "thresholds are metres"),
        (("--threshold-cm", "5", "--connect", "0.9"), "different ways to choose one threshold"),
        (("--pair-cm", "walk=4"), "--pair-cm takes LABEL:LABEL=CENTIMETRES"),
        (("--window", "0.02"), "too short to blend"),
    ],
)
def test_bad_wishes_end_with_two_and_a_sentence(folder, arguments, words):
    done = run("graph", "build", folder / "walks.library", "-o", folder / "bad.graph", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "bad.graph").exists()


def test_bad_files_end_with_two_and_a_sentence(folder, built):
    for arguments, words in (
        (("inspect", folder / "walks.library"), "walks.library"),
        (("inspect", folder / "missing.graph"), "no such file"),
        (("build", folder / "missing.library", "-o", folder / "x.graph"), "missing.library"),
        (("build", folder / "walks.library", "-o", folder / "no" / "x.graph"), "the folder does not exist"),
        (("build", folder / "walks.library", "-o", folder / "walks.library"), "call it NAME.graph"),
    ):
        done = run("graph", *arguments)
        assert done.returncode == 2, arguments
        assert words in done.stderr
        assert "Traceback" not in done.stderr
