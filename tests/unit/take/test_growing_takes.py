"""Takes that grow: the same to the last bit as written at once, however they are flushed, on any floor."""

import numpy as np
import pytest

from floors import hills, two_layers
from growing_takes import random_segments, write_in_steps
from walkon._base.errors import InvalidValue
from walkon.stage import FlatFloor, RampFloor, Stage, TerrainFloor
from walkon.take import load_take
from walkon.take.storing import growing_feet
from walkon.take.tables import TABLES

FLOORS = {
    "level": FlatFloor(),
    "3 m up": FlatFloor(3.0),
    "ramp": RampFloor([0.0, 0.0, 0.0], [60.0, 20.0, 4.0]),
    "hills": TerrainFloor(hills(seed=8, half=100.0, step=1.0)),
    "two layers": TerrainFloor(4.0 * two_layers(height=1.0)),
}


@pytest.fixture(autouse=True)
def plant_few_at_a_time(monkeypatch) -> None:
    """Crowds here are small: nobody waits for others to be planted with."""
    monkeypatch.setattr(growing_feet, "TOGETHER_COUNT", 1)


def differing(a, b) -> list[str]:
    return [
        f"{field}.{name}"
        for field in TABLES
        for name, values in getattr(a, field).columns.items()
        if not np.array_equal(values, getattr(b, field).columns[name])
    ]


@pytest.mark.parametrize(
    ("floor", "seed", "step"),
    [("level", 11, 0.37), ("3 m up", 12, 2.9), ("ramp", 13, 1.7), ("hills", 14, 1.1), ("two layers", 15, 3.3)],
)
def test_a_take_grown_step_by_step_is_the_same_as_one_written_at_once(floor, seed, step, tmp_path) -> None:
    parts, stage = random_segments(seed, count=3, seconds=14.0), Stage(floor=FLOORS[floor])
    whole = write_in_steps(parts, stage, step=None)
    final = []
    grown = write_in_steps(
        parts, stage, step=step, path=tmp_path / "a.take", watch=lambda w: final.append(w._feet._so_far.until.max())
    )
    assert np.isfinite(final[-1])  # something was planted on the way
    assert differing(whole, grown) == []
    assert differing(whole, load_take(tmp_path / "a.take")) == []


def test_a_plant_is_final_when_its_stance_ends() -> None:
    ends = []

    def look(writer) -> None:
        take = writer.take
        over = take.stances.stop < take.leaves[take.stances.character] - 0.5
        ends.append(take.stances.rows(over))

    whole = write_in_steps(random_segments(5, count=2, seconds=6.0), Stage(), step=0.6, watch=look)
    known = {(w, t): k for k, (w, t) in enumerate(zip(whole.stances.whose, whole.stances.start, strict=True))}
    assert sum(map(len, ends)) > 50
    for some in ends:
        row = [known[key] for key in zip(some.whose, some.start, strict=True)]
        for name, values in some.columns.items():
            assert np.array_equal(values, whole.stances.columns[name][row]), name


def test_the_file_of_a_writer_at_work_is_planted_by_who_reads_it(tmp_path) -> None:
    seen = []

    def look(writer) -> None:
        read = load_take(tmp_path / "a.take")
        assert not read.complete
        seen.append(differing(writer.take, read))

    write_in_steps(random_segments(6, count=2), Stage(), step=5.0, path=tmp_path / "a.take", watch=look)
    assert seen[:-1]
    assert not any(seen)


def test_what_comes_too_late_for_planted_feet_is_refused_and_nothing_is_lost() -> None:
    def look(writer) -> None:
        if np.isneginf(writer._feet._so_far.until[0]):
            return
        for name, late in (
            ("segment", lambda: writer.perform("walker 0", 0, start=-2.0, stop=-1.0)),
            ("height", lambda: writer.lift("walker 0", [1.0, 2.0], [0.0, 1.0])),
            ("override", lambda: writer.override("walker 0", root=np.zeros((9, 3)), start=1.0, rate=10.0)),
        ):
            with pytest.raises(InvalidValue, match=f"'walker 0' have been planted up to .* {name} .* too late"):
                late()
        refused.append(len(writer.take.segments))

    refused: list[int] = []
    parts = random_segments(11, count=1)
    grown = write_in_steps(parts, Stage(), step=1.0, watch=look)
    assert len(refused) > 2
    assert differing(grown, write_in_steps(parts, Stage(), step=None)) == []
