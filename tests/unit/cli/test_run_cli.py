"""`walkon run`: takes, exit codes, JSON, and scenes that cannot be performed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command_line import run
from interrupting import INTERRUPTIBLE
from walkon.io.scenes.finding import line_of
from walkon.take.storing.file import load_take

SCENES = Path(__file__).resolve().parents[3] / "examples" / "scenes"
BAD = """\
walkon: 1
stage:
  bounds: {box: [-5, -5, 5, 5]}
  obstacles:
    - {name: table, box: [1, 1, 3, 3], height: 0.7m}
  seats:
    - {name: stool, position: [-3, 3], facing: 0deg}
characters:
  - name: ada
    position: [-4, -4]
    marks:
      - {name: wall, position: [2, 2], pose: stand}
      - {name: far, position: [4, -4], at: 1s}
  - name: ben
    position: [0, 0]
    marks:
      - {name: out, position: [9, 0]}
      - {name: fly, pose: flying}
  - group: sitter
    count: 2
    arranged: {line: [[-2, -2], [-2, 2]]}
    marks:
      - {name: sit, seat: stool, at: 30s, hold: end}
"""


@pytest.fixture(scope="module")
def performed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    done = run("run", SCENES / "first_walk.yaml", "-o", folder / "walk.take", "--json", "--workers", 1, "--profile")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), folder / "walk.take", done.stderr


def test_a_scene_becomes_a_take_that_carries_its_scene(performed):
    told, file, _ = performed
    take = load_take(file)
    assert take.complete
    assert len(take) == told["characters"] == 3
    assert take.provenance["scene"] == (SCENES / "first_walk.yaml").read_text()
    assert take.provenance["seeds"] == told["seeds"] == {"population": 0, "behaviour": 0}


def test_json_has_these_keys(performed):
    told, file, _ = performed
    assert told["output"] == str(file)
    assert told["marks"] == {"count": 3, "unmet": [], "disagreements": []}
    times = {"mean_s", "median_s", "worst_s", "total_s", "roadmap_s", "writing_s"}
    assert set(told["planning"]) == times | {"replanned", "tried"}
    assert set(told["adjustment"]) == {"max_m_s", "max_deg_s", "max_time_ratio"}
    assert told["audit"]["marks"]["count"] == 3
    assert told["audit"]["collisions"]["pair_frames"] == 0


def test_a_profile_says_where_the_time_went_beside_the_json(performed):
    said = performed[2]
    lines = said[said.index("where the time went") :].splitlines()
    told = {line[:52].strip(): float(line[52:].split()[0]) for line in lines[1:]}
    assert {"performing", "planning", "writing the take", "measuring", "other", "in all"} <= set(told)
    assert told["planning"] <= told["performing"] <= told["in all"]


def test_another_seed_is_another_take_and_the_same_seed_the_same(performed, tmp_path):
    _, file, _ = performed
    for name, seed in (("same", 0), ("other", 4)):
        words = ("-o", tmp_path / f"{name}.take", "--seed", seed, "--no-audit", "--workers", 2)
        done = run("run", SCENES / "first_walk.yaml", *words)
        assert done.returncode == 0, done.stderr
        assert "3 of 3 marks met" in done.stdout
    first, same, other = (load_take(path) for path in (file, tmp_path / "same.take", tmp_path / "other.take"))
    assert same.segments.place.tolist() == first.segments.place.tolist()
    assert other.segments.place.tolist() != first.segments.place.tolist()


@pytest.mark.parametrize("more", [["--check"], ["-o", "x.take"]], ids=["check", "run"])
def test_all_that_is_wrong_is_told_with_its_line_and_nothing_is_written(tmp_path, more):
    scene = tmp_path / "bad.yaml"
    scene.write_text(BAD)
    words = [tmp_path / word if word == "x.take" else word for word in more]
    done = run("run", scene, *words)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    for line, words_of in ((12, "ada.wall"), (13, "ada.far"), (17, "ben.out"), (18, "ben.fly"), (23, "sitter_0")):
        assert any(text.strip().startswith(f"{scene}:{line}: {words_of}") for text in done.stderr.splitlines()), line
    assert [path.name for path in tmp_path.iterdir()] == ["bad.yaml"]


def test_problems_as_json(tmp_path):
    scene = tmp_path / "bad.yaml"
    scene.write_text(BAD)
    done = run("run", scene, "--check", "--json")
    assert done.returncode == 2
    problems = json.loads(done.stdout)["problems"]
    assert {(row["character"], row["mark"], row["line"]) for row in problems} >= {
        ("ada", "wall", 12),
        ("ben", "out", 17),
    }
    assert all(row["problem"] for row in problems)


def test_a_sound_scene_passes_the_check():
    done = run("run", SCENES / "meeting.yaml", "--check")
    assert done.returncode == 0, done.stderr
    assert "nothing is wrong" in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["missing.yaml", "-o", "x.take"], "missing.yaml"),
        ([], "which scene"),
        ([SCENES / "first_walk.yaml"], "where to"),
        ([SCENES / "first_walk.yaml", "-o", "nowhere/x.take"], "the folder does not exist"),
        ([SCENES / "first_walk.yaml", "-o", "first_walk.yaml"], "call the take NAME.take"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(words, told):
    done = run("run", *words)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_mark_that_cannot_be_met_is_named_and_the_rest_performs(tmp_path):
    scene = tmp_path / "scene.yaml"
    scene.write_text(
        "walkon: 1\n"
        "stage: {obstacles: [{name: cell, wall: [[4, -2], [8, -2], [8, 2], [4, 2], [4, -2]], height: 2m}]}\n"
        "characters:\n"
        "  - {name: ada, position: [0, 0], marks: [{name: in, position: [6, 0], before: 30s}]}\n"
        "  - {name: ben, position: [0, 3], marks: [{name: go, position: [-3, 3], pose: stand, before: 30s}]}\n"
    )
    done = run("run", scene, "-o", tmp_path / "x.take")
    assert done.returncode == 1, done.stderr
    assert "1 of 2 marks met" in done.stdout
    assert "not met: ada.in: walled off" in done.stdout
    take = load_take(tmp_path / "x.take")
    assert take.provenance["unmet"][0][:2] == ["ada", "in"]


def test_an_interrupt_leaves_nothing_half_written(tmp_path):
    # Python ignores an interrupt that falls into the clearing up of an import; then the run ends, and is tried again.
    for seconds in (3.0, 2.0, 4.0, 1.5):
        with subprocess.Popen(
            [sys.executable, "-m", "walkon", "run", str(SCENES / "spell_walkon.yaml"), "-o", "x.take"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            **INTERRUPTIBLE,
        ) as process:
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=120)
        if process.returncode != 0:
            break
        (tmp_path / "x.take").unlink()
    assert process.returncode in (130, -signal.SIGINT, 1), told
    assert list(tmp_path.iterdir()) == []


def test_the_schema_is_printed():
    told = json.loads(run("run", "--schema").stdout)
    assert told == json.loads((SCENES.parents[1] / "docs" / "scene.schema.json").read_text())


def test_lines_of_characters_and_marks():
    assert line_of(BAD, "ada") == 9
    assert line_of(BAD, "sitter_02") == 19
    assert line_of(BAD, "sitter_02", "sit") == 23
    assert line_of(BAD, "nobody") is None
    assert line_of("characters: [{name: a, marks: [{pose: sit}]}]", "a", "mark_1") == 1


def test_that_people_do_not_look_at_what_moves_is_said():
    done = run("run", SCENES / "station.yaml", "--check")
    assert done.returncode == 0, done.stderr
    assert (
        "note: people are planned as if what moves were not there: they do not look at obstacle 'tram'" in done.stdout
    )
    told = json.loads(run("run", SCENES / "station.yaml", "--check", "--json").stdout)
    assert told["problems"] == [] and "'tram'" in told["notes"][0]
    assert json.loads(run("run", SCENES / "meeting.yaml", "--check", "--json").stdout)["notes"] == []
