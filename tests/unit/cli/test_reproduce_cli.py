import json

import pytest
from typer.testing import CliRunner

from walkon.cli.main import app
from walkon.cli.reproduce import _print
from walkon.reproduce import Reproduction, Row

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
    (row,) = told["rows"]
    assert row["experiment"] == "figure8"
    assert row["agents"] == 1
    assert row["paper_graph_s"] == 1500.0
    assert row["paper_duration_s"] is None
    assert row["worst_error_m"] < 0.35
    assert row["total_s"] > row["mean_synthesis_s"] > 0
    assert (tmp_path / "kovar2002-figure8.png").stat().st_size > 50_000


def test_the_table_has_a_dash_where_there_is_no_number(capsys):
    rows = (
        Row(experiment="figure7", what="walking", mean_duration_s=76.1, paper_duration_s=54.9),
        Row(experiment="figure7", what="fighting", agents=0, paper_duration_s=87.7, notes=("no such clip",)),
    )
    _print(Reproduction(paper="p", title="A paper", motion="some clips", rows=rows), [])
    lines = capsys.readouterr().out.splitlines()
    ours = next(line for line in lines if "animation" in line).split()
    paper = lines[lines.index(next(line for line in lines if "animation" in line)) + 1].split()
    assert ours[-2:] == ["76.1", "-"]
    assert paper[-2:] == ["54.9", "87.7"]
    assert "7a  walking" in "\n".join(lines)
    assert "7b: no such clip" in "\n".join(lines)


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
