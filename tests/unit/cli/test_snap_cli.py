import json

import pytest

from command_line import run
from walkon.capture import builtin_library
from walkon.graphs.file import load_graph
from walkon.graphs.snap_together import SnapGraph
from walkon.io import save_library
from walkon.motion.library import Library

WALKS = ("walk_1.10", "walk_1.35", "arc_left_1.20_50")
APART = ("walk_1.10", "walk_1.35", "carry_arc_left", "carry_arc_right")
"""Nobody puts the box down or picks it up, so the two kinds never meet."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hubs")
    library = builtin_library()
    save_library(Library.of([library[name] for name in WALKS]), folder / "walks.library")
    save_library(Library.of([library[name] for name in APART]), folder / "apart.library")
    return folder


@pytest.fixture(scope="module")
def built(folder):
    done = run("graph", "build", folder / "walks.library", "--kind", "snap", "-o", folder / "walks.graph")
    assert done.returncode == 0, done.stderr
    return done


def test_building_tells_hubs_and_what_is_asked_of_them(folder, built):
    graph = load_graph(folder / "walks.graph")
    assert isinstance(graph, SnapGraph)
    for word in ("displacement", "(asked: 40, ", "hubs that reach each other", "wrote", *graph.hub_names):
        assert word in built.stdout
    assert built.stderr == ""


def test_inspecting_prints_every_table(folder, built):
    done = run("graph", "inspect", folder / "walks.graph")
    assert done.returncode == 0, done.stderr
    for word in (
        "SnapGraph(",
        "most bent match frames",
        "edges by pairs of hubs",
        "largest velocity jump",
        "every edge into a hub against every edge out",
        "mm across a cut",
    ):
        assert word in done.stdout


def test_inspecting_prints_json_and_draws(folder, built):
    done = run("graph", "inspect", folder / "walks.graph", "--json", "--pictures", folder / "pictures")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["kind"] == "snap"
    assert told["joins"]["position_m"] < 1e-6
    assert told["joins"]["rotation_rad"] < 1e-6
    assert told["feet"]["across_m"] < 1e-3
    assert len(told["pictures"]) == 5
    for name in ("hubs", "worst", "displacement", "fans", "schema"):
        assert (folder / "pictures" / f"{name}.png").stat().st_size > 3000


def test_options_are_obeyed(folder):
    source, out = folder / "walks.library", folder / "other.graph"
    wishes = ("--threshold-cm", "5", "--bands", "1", "--spacing", "0.4", "--mirror", "--json")
    done = run("graph", "build", source, "--kind", "snap", "-o", out, *wishes)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["graph"]
    assert told["settings"]["threshold"] == pytest.approx(0.05)
    assert told["settings"]["spacing"] == pytest.approx(0.4)
    assert told["clips"] == 2 * len(WALKS)
    assert len(told["main_pairs"]) == 1


def test_suggested_hubs_that_nothing_joins_are_left_out_and_named(folder):
    done = run("graph", "build", folder / "apart.library", "--kind", "snap", "-o", folder / "joined.graph")
    assert done.returncode == 0, done.stderr
    graph = load_graph(folder / "joined.graph")
    assert graph.core.all()
    assert not any(name.startswith("carry") for name in graph.hub_names)
    text = " ".join(done.stdout.split())
    assert "left out: carry" in text
    assert "no way leads from the main part (walk_left_" in text
    assert "2 of 4 clips" in text and "carry_arc_left (" in text


def test_a_hub_that_was_asked_for_and_is_cut_off_does_not_replace_a_good_graph(folder, built):
    good = (folder / "walks.graph").read_bytes()
    wish = ("graph", "build", folder / "apart.library", "--kind", "snap")
    done = run(*wish, "-o", folder / "walks.graph", "--hub-threshold", "carry=4")
    assert done.returncode == 2
    for word in ("is not written", "carry is on its own", "--hub-threshold", "--without", "--allow-cut-off"):
        assert word in done.stderr
    assert (folder / "walks.graph").read_bytes() == good
    done = run(*wish, "-o", folder / "apart.graph", "--allow-cut-off", "--hub-threshold", "carry=4")
    assert done.returncode == 0, done.stderr
    assert "(cut off)" in done.stdout
    graph = load_graph(folder / "apart.graph")
    assert not graph.core.all()
    assert graph.hubs.threshold[graph.hub("carry")] == pytest.approx(0.04)
    # What the sentence advises is a command that works.
    done = run(*wish, "-o", folder / "fewer.graph", "--without", "carry", "--json")
    assert done.returncode == 0, done.stderr
    assert "carry" not in [hub["name"] for hub in json.loads(done.stdout)["graph"]["hub_list"]]
    assert not any("left out" in note for note in json.loads(done.stdout)["graph"]["notes"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--kind", "snap", "--connect", "0.9"), "--connect belongs to --kind motion"),
        (("--kind", "snap", "--label", "walk"), "--label belongs to --kind motion"),
        (("--kind", "motion", "--bands", "2"), "--bands belongs to --kind snap"),
        (("--allow-cut-off",), "--allow-cut-off belongs to --kind snap"),
        (("--without", "stand"), "--without belongs to --kind snap"),
        (("--hub-threshold", "stand=3"), "--hub-threshold belongs to --kind snap"),
        (("--kind", "snap", "--without", "nowhere"), "'nowhere'"),
        (("--kind", "snap", "--hub-threshold", "nowhere=3"), "'nowhere'"),
        (("--kind", "snap", "--hub-threshold", "stand"), "takes HUB=CENTIMETRES"),
        (("--kind", "snap", "--hub-threshold", "stand=-1"), "takes HUB=CENTIMETRES"),
        (("--kind", "snap", "--threshold-cm", "0.01"), "within 0.01 cm of each other, so there is no hub"),
        (("--kind", "snap", "--spacing", "30"), "the spacing of 30 s is no shorter than the longest clip"),
        (("--kind", "snap", "--threshold-cm", "-3"), "threshold must be positive"),
        (("--kind", "snap", "--spacing", "nan"), "spacing"),
        (("--kind", "hubs"), "hubs"),
    ],
)
def test_bad_wishes_end_with_two_and_a_sentence(folder, arguments, words):
    done = run("graph", "build", folder / "walks.library", "-o", folder / "bad.graph", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "bad.graph").exists()
