"""Papers are run in one way: quickly or in full, row by row."""

import pytest

from toy_papers import COLUMNS, toy_paper
from walkon._base.errors import InvalidValue, UnknownName
from walkon.reproduce import PAPERS, Experiment, Paper, load_paper, reproduce, select_experiments
from walkon.reproduce.experiment import QUICK_BUDGET_S


def keys(experiments):
    return [one.key for one in experiments]


def test_rows_come_as_soon_as_they_are_there(monkeypatch):
    did = toy_paper(monkeypatch)
    rows = select_experiments("toy1999").run()
    assert did == []
    assert next(rows).name == "one a"
    assert did == ["onea"]
    assert [row.name for row in rows] == ["one b", "two"]


def test_progress_is_told_before_within_and_after_each_experiment(monkeypatch):
    toy_paper(monkeypatch)
    told = []
    reproduce("toy1999", progress=lambda experiment, share: told.append((experiment.key, share)))
    assert told == [("one", 0.0), ("one", 0.5), ("one", 1.0), ("one", 1.0), ("two", 0.0), ("two", 1.0), ("two", 1.0)]


def test_a_plain_call_leaves_long_experiments_out_and_names_them(monkeypatch):
    toy_paper(monkeypatch)
    made = reproduce("toy1999")
    assert [row.name for row in made.rows] == ["one a", "one b", "two"]
    assert [row.ours("runs") for row in made.rows] == [1, 1, 1]
    assert made.not_run == ("three",)
    assert made.to_json()["not_run"] == ["three"]


def test_a_full_call_runs_everything_over_all_seeds(monkeypatch):
    toy_paper(monkeypatch)
    made = reproduce("toy1999", full=True)
    assert [(row.name, row.ours("runs")) for row in made.rows] == [("one a", 5), ("one b", 5), ("two", 1), ("three", 3)]
    assert made.not_run == ()


@pytest.mark.parametrize(("options", "seeds"), [({}, 1), ({"full": True}, 3), ({"seeds": 2}, 2)])
def test_an_experiment_that_is_named_is_run_however_long_it_takes(monkeypatch, options, seeds):
    toy_paper(monkeypatch)
    made = reproduce("toy1999", "three", **options)
    assert [(row.name, row.ours("runs")) for row in made.rows] == [("three", seeds)]
    assert made.not_run == ()
    (experiment,) = select_experiments("toy1999", "three", **options).experiments
    assert select_experiments("toy1999", "three", **options).cost_s(experiment) == 900.0 * seeds


def test_seeds_are_chosen_for_all_experiments(monkeypatch):
    toy_paper(monkeypatch)
    assert {row.ours("runs") for row in reproduce("toy1999", seeds=4).rows} == {4}


def test_what_an_interrupted_run_gave_is_there(monkeypatch):
    toy_paper(monkeypatch, stops_in="two")
    rows = []
    with pytest.raises(KeyboardInterrupt):
        for row in select_experiments("toy1999").run():
            rows.append(row)
    assert [row.name for row in rows] == ["one a", "one b", "two"]


def test_unknown_names_are_told_with_those_that_there_are(monkeypatch):
    toy_paper(monkeypatch)
    with pytest.raises(UnknownName, match=r"no paper 'kovar2003'.*'kovar2002'"):
        select_experiments("kovar2003")
    with pytest.raises(UnknownName, match=r"no experiment of toy1999 'four'.*'three'"):
        select_experiments("toy1999", "four")
    with pytest.raises(InvalidValue, match="toy1999 have no search"):
        select_experiments("toy1999", search="paper")


@pytest.mark.parametrize("key", PAPERS)
def test_a_plain_call_of_every_paper_answers_within_two_minutes(key):
    paper = load_paper(key)
    assert paper.key == key
    assert 0.0 < paper.quick_s <= QUICK_BUDGET_S == 120.0
    assert all(one.cost_s > 0 and one.title for one in paper.experiments)


def test_experiments_are_declared_once_and_within_the_time_of_a_plain_call():
    def made(*costs, key="{}"):
        some = [Experiment(key=key.format(k), title="t", run=lambda _: iter(()), cost_s=c) for k, c in enumerate(costs)]
        return Paper(key="p", title="t", columns=COLUMNS, experiments=tuple(some))

    assert made(60.0, 60.0).quick_s == 120.0
    with pytest.raises(InvalidValue, match="takes 130 s; at most 120 s"):
        made(60.0, 70.0)
    with pytest.raises(InvalidValue, match="a key of their own"):
        made(1.0, 1.0, key="same")
