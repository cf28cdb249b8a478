"""`walkon check`: a table, JSON, a page; exit codes that a build can rely on."""

import inspect
import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from small_take import sliding, small_take
from walkon.cli.check import LIMITS
from walkon.cli.check import check as command
from walkon.cli.main import app
from walkon.take.storing.file import save_take

runner = CliRunner()
TOPICS = (
    "marks",
    "collisions",
    "bodies",
    "foot_slide",
    "floor",
    "smoothness",
    "adjustment",
    "variety",
    "stuck",
    "props",
    "hands",
)


def check(*words):
    return runner.invoke(app, ["check", *map(str, words)], env={"COLUMNS": "140"})


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    return save_take(small_take(("ann", "b[red]ob[/red]", "disc")), tmp_path_factory.mktemp("takes") / "good.take")


@pytest.fixture(scope="module")
def bad(tmp_path_factory):
    """Feet that slide at 5 cm/s."""
    return save_take(sliding(small_take(), 0.05), tmp_path_factory.mktemp("takes") / "bad.take")


def test_a_table_shows_figures_beside_those_of_the_clips(good):
    done = check(good)
    assert done.exit_code == 0, done.output
    (row,) = (line for line in done.stdout.splitlines() if "foot_slide.max_m_s" in line)
    assert row.count("m/s") == 2
    assert "good.take: 3 characters, 2.00 s, at 60 fps" in done.stdout


def test_names_are_printed_as_they_are(good):
    assert "b[red]ob[/red]" in check(good).stdout


def test_json_has_the_keys_of_the_contract_and_nothing_else_is_printed(good):
    done = check(good, "--json")
    told = json.loads(done.stdout)
    assert {"characters", "duration_s", "fps", *TOPICS, "thresholds", "source", "worst", "broken"} <= set(told)
    assert told["characters"] == 3
    assert told["broken"] == []
    assert told["source"]["foot_slide"]["max_m_s"] is not None
    assert done.stderr == ""


def test_a_broken_limit_is_exit_code_1_and_says_which_by_how_much_where_and_when(bad):
    done = check(bad, "--max-slide", "0.01")
    assert done.exit_code == 1
    assert "foot_slide.max_m_s" in done.stderr
    assert "over the limit of 0.01 m/s by 0.0" in done.stderr
    assert " s ann " in done.stderr
    assert done.stderr.rstrip().endswith(") m.")
    assert "The limit is broken" in done.stdout


def test_a_kept_limit_is_exit_code_0(good, bad):
    assert check(bad, "--max-slide", "0.2").exit_code == 0
    assert check(good, "--max-slide", "0.01", "--max", "floor.max_float_m=0.01").exit_code == 0


def test_broken_limits_are_in_the_json_too(bad):
    done = check(bad, "--json", "--max", "foot_slide.max_m_s=0.01", "--max-pop", "1000")
    assert done.exit_code == 1
    (broken,) = json.loads(done.stdout)["broken"]
    assert broken["figure"] == "foot_slide.max_m_s"
    assert broken["value"] == pytest.approx(0.05, rel=0.2)
    assert broken["limit"] == 0.01


def test_options_and_the_table_of_limits_are_the_same():
    options = {name.removeprefix("max_") for name in inspect.signature(command).parameters if name.startswith("max_")}
    assert options == set(LIMITS)


def test_a_figure_that_could_not_be_measured_breaks_its_limit(tmp_path):
    take = small_take()
    late = take.marks.with_columns(met=np.full(len(take.marks), 50.0))
    done = check(save_take(replace(take, marks=late), tmp_path / "late.take"), "--max-position-error", "1")
    assert done.exit_code == 1
    assert "farthest from a mark could not be measured" in done.stderr


def test_every_limit_option_names_a_figure(good):
    wide = [word for name in LIMITS for word in (f"--max-{name.replace('_', '-')}", "1e9")]
    done = check(good, *wide, "--json")
    assert done.exit_code == 0, done.output
    assert all(check(good, f"--max-{name.replace('_', '-')}", "-1").exit_code == 2 for name in LIMITS)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--max", "foot_slide.max=1"), "there is no figure 'foot_slide.max'. Close matches: 'foot_slide.max_m_s'"),
        (("--max", "foot_slide.max_m_s"), "--max takes FIGURE=NUMBER"),
        (("--max", "stuck=many"), "--max takes FIGURE=NUMBER"),
        (("--max-slide", "-1"), "a limit is 0 or more, got -1 for foot_slide.max_m_s"),
        (("--max-slide", "nan"), "a limit is 0 or more"),
        (("--report", "no/where/x.html"), "the folder does not exist"),
        (("--report", "x.take"), "ends in .html"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_2(good, words, told):
    done = check(good, *words)
    assert done.exit_code == 2
    assert told in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_files_that_are_no_takes_are_exit_code_2(tmp_path):
    (tmp_path / "x.take").write_bytes(b"not a take" * 100)
    for file in (tmp_path / "x.take", tmp_path / "none.take"):
        done = check(file)
        assert done.exit_code == 2
        assert str(file) in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_an_unfinished_take_gets_a_note_on_the_error_stream(tmp_path):
    file = save_take(replace(small_take(), complete=False), tmp_path / "growing.take")
    done = check(file, "--json")
    assert done.exit_code == 0
    assert "growing.take is unfinished" in done.stderr
    json.loads(done.stdout)


def test_a_report_is_written_beside_the_table(bad, tmp_path):
    page = tmp_path / "audit.html"
    done = check(bad, "--report", page, "--max-slide", "0.01")
    assert done.exit_code == 1
    assert f"wrote {page}" in done.stdout
    text = page.read_text()
    assert "bad.take" in text
    assert "The limit is broken" in text
    assert "data:image/png;base64," in text
