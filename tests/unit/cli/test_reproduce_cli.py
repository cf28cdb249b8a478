"""`walkon reproduce`: rows as they come, a table, JSON, and what is told while one waits."""

import json

import pytest
from typer.testing import CliRunner

from toy_papers import toy_paper
from walkon.cli.main import app

runner = CliRunner()


@pytest.fixture
def without_clips(monkeypatch, tmp_path):
    monkeypatch.setenv("WALKON_MOCAP", str(tmp_path / "none"))


@pytest.mark.usefixtures("without_clips")
def test_an_experiment_prints_rows_and_draws_pictures(tmp_path):
    result = runner.invoke(app, ["reproduce", "kovar2002", "figure8", "--json", "-o", str(tmp_path)])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["paper"] == "kovar2002"
    assert "built-in" in told["motion"]
    assert told["not_run"] == []
    (row,) = told["rows"]
    assert row["experiment"] == "figure8"
    assert [entry["key"] for entry in row["values"]] == [column["key"] for column in told["columns"]]
    ours = {entry["key"]: entry["ours"] for entry in row["values"]}
    paper = {entry["key"]: entry["paper"] for entry in row["values"]}
    assert paper["graph_s"] == 1500.0
    assert paper["mean_duration_s"] is None
    assert ours["worst_error_m"] < 0.35
    assert ours["total_s"] > ours["mean_synthesis_s"] > 0
    assert (tmp_path / "kovar2002-figure8.png").stat().st_size > 50_000


def test_rows_are_printed_as_they_come_and_then_side_by_side(monkeypatch):
    toy_paper(monkeypatch)
    result = runner.invoke(app, ["reproduce", "toy1999"], env={"COLUMNS": "80"})
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("A toy paper, on ")
    rows = lines.index("one a  what onea is")
    assert lines[rows + 1 : rows + 3] == ["    animation 76.1 s (paper 54.9 s)", "    a note on onea"]
    ours = next(k for k, line in enumerate(lines) if line.startswith("animation, s"))
    assert lines[ours - 1].split() == ["one", "a", "one", "b", "two"]
    assert lines[ours].split()[-3:] == ["76.1", "76.1", "76.1"]
    assert lines[ours + 1].split() == ["the", "paper's", "54.9", "-", "54.9"]
    assert not any("drift" in line for line in lines)
    assert lines[-1] == "not run: three; --full runs them, over all seeds"
    assert all(len(line) <= 80 for line in lines)


def test_a_full_run_leaves_nothing_out(monkeypatch):
    toy_paper(monkeypatch)
    result = runner.invoke(app, ["reproduce", "toy1999", "--full"])
    assert "not run" not in result.stdout
    assert "three  what three is" in result.stdout


def test_what_is_run_and_for_how_long_is_told_on_the_error_stream(monkeypatch):
    toy_paper(monkeypatch)
    for arguments in (["toy1999"], ["toy1999", "--json"]):
        result = runner.invoke(app, ["reproduce", *arguments])
        assert result.stderr.splitlines() == [
            "walkon: running one: the first; about 2 s",
            "walkon: running two: the second; about 1 s",
        ]
        assert "running" not in result.stdout


def test_a_terminal_shows_a_bar_beside_what_is_printed(monkeypatch):
    toy_paper(monkeypatch)
    result = runner.invoke(app, ["reproduce", "toy1999", "--json"], env={"FORCE_COLOR": "1", "COLUMNS": "80"})
    assert len(json.loads(result.stdout)["rows"]) == 3
    assert "one: the first" in result.stderr
    assert "of about 3 s" in result.stderr
    assert "walkon: running" not in result.stderr


def test_json_is_one_document_at_the_end(monkeypatch):
    toy_paper(monkeypatch)
    told = json.loads(runner.invoke(app, ["reproduce", "toy1999", "--json", "--seeds", "3"]).stdout)
    assert list(told) == ["paper", "title", "motion", "columns", "rows", "not_run"]
    assert [row["name"] for row in told["rows"]] == ["one a", "one b", "two"]
    assert told["rows"][1]["values"] == [
        {"key": "length_s", "ours": 76.1, "paper": None},
        {"key": "drift_m", "ours": None, "paper": None},
        {"key": "runs", "ours": 3, "paper": None},
    ]


def test_rows_that_are_there_stay_when_a_run_is_interrupted(monkeypatch):
    toy_paper(monkeypatch, stops_in="two")
    result = runner.invoke(app, ["reproduce", "toy1999"])
    assert result.exit_code == 130
    assert "one b  what oneb is" in result.stdout
    assert "animation, s" in result.stdout
    assert result.stderr.splitlines()[-1].startswith("walkon: interrupted")
    assert "Traceback" not in result.output


def test_an_interrupted_run_prints_no_half_of_a_document(monkeypatch):
    toy_paper(monkeypatch, stops_in="two")
    result = runner.invoke(app, ["reproduce", "toy1999", "--json"])
    assert result.exit_code == 130
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [(["nobody1999"], "there is no paper"), (["kovar2002", "figure99"], "there is no experiment of kovar2002")],
)
def test_unknown_papers_and_experiments_are_told_in_one_sentence(words, said):
    result = runner.invoke(app, ["reproduce", *words])
    assert result.exit_code == 2
    assert said in result.output
    assert "Traceback" not in result.output


def test_a_missing_folder_is_told_before_any_work(tmp_path):
    result = runner.invoke(app, ["reproduce", "kovar2002", "-o", str(tmp_path / "nowhere")])
    assert result.exit_code == 2
    assert "no such folder" in result.output
