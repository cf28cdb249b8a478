"""`walkon library info --gait`: tables for people, JSON for programs."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from walker import walk
from walkon.cli.library import app
from walkon.io import save_library
from walkon.motion.editing import resample
from walkon.motion.library import Library


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    walks = [
        replace(resample(walk(speed=speed, seconds=6.0, cadence=108.0), 60.0), name=name)
        for name, speed in (("a", 1.1), ("b", 1.9))
    ]
    short = resample(walk(speed=1.1, seconds=0.8), 60.0)
    path = tmp_path_factory.mktemp("gait") / "walks.library"
    save_library(Library.of([*walks, replace(short, name="short")]), path)
    return path


def run(*arguments):
    done = CliRunner(env={"COLUMNS": "220"}).invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_every_walk_has_a_row_and_outliers_are_told_with_their_norm(file):
    told = run("info", file, "--gait")
    assert "steps /min" in told
    assert "b: step length 1.06 m, norm" in told  # 1.9 m/s at 108 steps/min is a giant's stride
    assert "contact heel strike + Zeni toe-off" in told
    assert "without a whole, straight, steady stride: short" in told


def test_one_clip_is_told_in_full_with_norm_mark_and_source(file):
    told = run("info", file, "--gait", "--clip", "a")
    for words in ("cadence", "plain contact", "ok", "out", "Orendurff 2004", "Winter 1991"):
        assert words in told
    assert "no clip has" in run("info", file, "--gait", "--clip", "short")


def test_json_has_the_reports_and_the_norms(file):
    told = json.loads(run("info", file, "--gait", "--json"))["gait"]
    assert [walk["report"]["clip"] for walk in told["walks"]] == ["a", "b"]
    assert told["no_steady_stride"] == ["short"]
    rows = {row["value"]: row for row in told["walks"][0]["norms"]}
    assert rows["cadence_per_min"]["within"] is True
    assert rows["cadence_per_min"]["low"] < 108 < rows["cadence_per_min"]["high"]
    assert "gait" not in json.loads(run("info", file, "--json"))
