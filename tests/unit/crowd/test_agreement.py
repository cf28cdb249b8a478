"""Run and audit judge the same marks: they agree on scenes, and say it where they do not."""

from dataclasses import replace
from pathlib import Path

import pytest

import walkon
from command_line import run
from walkon.crowd import Performance, perform_with_report, performing
from walkon.crowd.agreement import Disagreement, find_disagreements
from walkon.script import Scene
from walkon.take.tables import MarkTable

MEETING = Path(__file__).resolve().parents[3] / "examples" / "scenes" / "meeting.yaml"
ONE = """\
walkon: 1
ends: 14s
characters:
  - name: ada
    position: [0, 0]
    marks:
      - {name: look, position: [2, 1], pose: stand}
      - {name: on, position: [4, 0], pose: stand}
"""


def differ(scene: Scene, made: Performance) -> list[Disagreement]:
    marks = [(one.name, mark.name) for one in scene.characters for mark in one.marks]
    return find_disagreements(made.unmet, made.take.audit(source=False), marks=marks)


@pytest.mark.parametrize("seed", [951730, 771205, 12])
def test_they_agree_on_who_met_which_mark(seed: int) -> None:
    scene = walkon.load_scene(MEETING)
    made = perform_with_report(scene, seed=seed)
    assert not made.unmet
    assert differ(scene, made) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 124))
def test_they_agree_whatever_the_seed(seed: int) -> None:
    scene = walkon.load_scene(MEETING)
    assert differ(scene, perform_with_report(scene, seed=seed)) == []


def spoil(made: Performance) -> Performance:
    """Ask for the first mark 40 cm from where it was met; the run does not know."""
    marks = made.take.marks
    position = marks.position.copy()
    position[0] += 0.4
    moved: MarkTable = marks.with_columns(position=position)
    return replace(made, take=replace(made.take, marks=moved))


def test_a_disagreement_says_who_which_mark_and_what_each_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "one.yaml"
    file.write_text(ONE)
    assert run("run", file, "-o", tmp_path / "a.take").returncode == 0
    honest = performing.perform_with_report
    monkeypatch.setattr(walkon.crowd, "perform_with_report", lambda *a, **k: spoil(honest(*a, **k)))
    told = run("run", file, "-o", tmp_path / "b.take")
    assert told.returncode == 1
    assert (
        "run and audit disagree on mark 'look' of ada: by the run it is met, by the audit not met (position off by"
        in told.stdout
    )
    assert told.stdout.count("run and audit disagree") == 1
    assert (tmp_path / "b.take").exists()
    assert run("run", file, "-o", tmp_path / "c.take", "--no-audit").returncode == 0


def test_what_both_call_unmet_is_no_disagreement() -> None:
    scene = walkon.load_scene(MEETING)
    made = perform_with_report(scene, seed=12)
    measured = spoil(made).take.audit(source=False)
    who, mark = (measured.figures["marks"]["unmet"][0][key] for key in ("character", "mark"))
    key = [(who, mark)]
    assert find_disagreements([(who, mark, "too far")], measured, marks=key) == []
    assert [row.planned for row in find_disagreements([(who, "other", "x")], measured, marks=key)] == [""]
    (row,) = find_disagreements([("zoe", "door", "walled off")], measured, marks=[("zoe", "door")])
    assert "by the run it is not met (walled off), by the audit met" in str(row)
