"""Results in long form: columns declared once, rows checked against them, nothing invented."""

import json
from math import nan

import msgspec
import numpy as np
import pytest

from walkon._base.errors import InvalidValue, UnknownName
from walkon.reproduce import PAPERS, Reproduction, ResultColumn, ResultColumns, ResultRow, load_paper
from walkon.reproduce.results import filled_columns

UNITS = {"": "", "s": "_s", "m": "_m", "m/s": "_m_s", "deg": "_deg", "deg/s": "_deg_s", "1/m": "_1_m", "1/s": "_per_s"}
COLUMNS = ResultColumns(
    ResultColumn("length_s", "animation", unit="s", decimals=1, paper=True, headline=True),
    ResultColumn("drift_m", "drift", unit="m", small=True, decimals=2),
    ResultColumn("hubs", "hubs", decimals=0, paper=True),
)


def a_row(**told):
    return ResultRow(**{"columns": COLUMNS, "experiment": "figure7", "what": "walking", **told})


@pytest.mark.parametrize("key", PAPERS)
def test_every_paper_declares_its_columns_once_with_a_label_and_a_unit(key):
    paper = load_paper(key)
    assert len(set(paper.columns.keys)) == len(paper.columns)
    headings = [column.heading for column in paper.columns]
    assert len(set(headings)) == len(headings)
    for column in paper.columns:
        assert column.label.strip() == column.label != ""
        if column.unit != "share":
            assert column.key.endswith(UNITS[column.unit])
    assert any(column.paper for column in paper.columns)
    assert 2 <= len(paper.columns.headlines) <= 8


def test_a_column_that_is_declared_twice_is_refused():
    with pytest.raises(InvalidValue, match="hubs more often"):
        ResultColumns(ResultColumn("hubs", "hubs"), ResultColumn("hubs", "nodes"))


def test_a_unit_without_a_smaller_one_is_not_shown_smaller():
    with pytest.raises(InvalidValue, match="unit 'deg'"):
        ResultColumn("turn_deg", "turn", unit="deg", small=True)


@pytest.mark.parametrize("which", ["values", "printed"])
def test_an_unknown_key_is_refused_with_the_columns_that_there_are(which):
    with pytest.raises(UnknownName, match=r"no column 'hub'.*'hubs'.*Known: 'length_s', 'drift_m', 'hubs'"):
        a_row(**{which: {"hub": 2}})
    with pytest.raises(UnknownName, match="no column 'hub'"):
        a_row().ours("hub")


def test_a_number_of_the_paper_s_needs_a_column_that_the_paper_prints():
    with pytest.raises(InvalidValue, match="drift_m is declared as one for which the paper prints no number"):
        a_row(printed={"drift_m": 0.1})


def test_a_row_has_the_numbers_that_there_are_and_none_else():
    row = a_row(values={"hubs": np.int64(3), "length_s": np.float32(1.5), "drift_m": None}, printed={"hubs": 2})
    assert dict(row.values) == {"length_s": 1.5, "hubs": 3}
    assert [type(value) for value in row.values.values()] == [float, int]
    assert (row.ours("drift_m"), row.theirs("hubs"), row.theirs("length_s")) == (None, 2, None)
    with pytest.raises(TypeError):
        row.values["hubs"] = 4


@pytest.mark.parametrize(
    ("experiment", "part", "name"),
    [
        ("figure7", "a", "7a"),
        ("figure8", "", "8"),
        ("walking", "b", "walking b"),
        ("6a", "", "6a"),
        ("captured", "6a", "captured 6a"),
        ("fig11", "1.25 m", "fig11 1.25 m"),
    ],
)
def test_rows_have_short_names(experiment, part, name):
    assert a_row(experiment=experiment, part=part).name == name


@pytest.mark.parametrize(
    ("column", "value", "written"),
    [
        (ResultColumn("x_s", "x", unit="s"), 0.012345, "0.0123"),
        (ResultColumn("x_s", "x", unit="s"), 1500.4, "1500"),
        (ResultColumn("x_s", "x", unit="s", decimals=1), 54.86, "54.9"),
        (ResultColumn("x_m", "x", unit="m", small=True, decimals=2), 0.00123, "1.23"),
        (ResultColumn("x", "x", unit="share", small=True, decimals=1), 0.995, "99.5"),
        (ResultColumn("x", "x", decimals=0), 7, "7"),
        (ResultColumn("x", "x", decimals=0), None, "-"),
        (ResultColumn("x", "x", decimals=1), nan, "nan"),
    ],
)
def test_numbers_are_written_as_declared(column, value, written):
    assert column.write(value) == written


def test_headings_have_the_unit_that_is_written():
    assert [column.heading for column in COLUMNS] == ["animation, s", "drift, mm", "hubs"]


def test_columns_without_any_number_are_not_told():
    rows = [a_row(values={"length_s": 1.0}), a_row(printed={"hubs": 2})]
    assert [column.key for column in filled_columns(COLUMNS, rows)] == ["length_s", "hubs"]


def test_json_has_every_declared_column_and_null_where_there_is_no_number():
    row = a_row(part="b", values={"length_s": 2.0, "drift_m": nan}, printed={"hubs": 2}, notes=("a note",))
    made = Reproduction(
        paper="p2003", title="A paper", motion="some clips", columns=COLUMNS, rows=(row,), not_run=("joined",)
    )
    assert json.loads(msgspec.json.encode(made.to_json())) == {
        "paper": "p2003",
        "title": "A paper",
        "motion": "some clips",
        "columns": [
            {"key": "length_s", "label": "animation", "unit": "s", "meaning": "", "paper": True},
            {"key": "drift_m", "label": "drift", "unit": "m", "meaning": "", "paper": False},
            {"key": "hubs", "label": "hubs", "unit": "", "meaning": "", "paper": True},
        ],
        "rows": [
            {
                "experiment": "figure7",
                "name": "7b",
                "what": "walking",
                "values": [
                    {"key": "length_s", "ours": 2.0, "paper": None},
                    {"key": "drift_m", "ours": None, "paper": None},
                    {"key": "hubs", "ours": None, "paper": 2},
                ],
                "notes": ["a note"],
            }
        ],
        "not_run": ["joined"],
    }
