"""Files of takes that were written once: they are read as they were meant, or refused with a sentence that helps."""

from pathlib import Path

import numpy as np
import pytest
from make_small_take import small_take

from walkon._base.errors import NewerFile, UnreadableFile
from walkon.take import load_take
from walkon.take.reasons import reason_words
from walkon.take.tables import MEANT, TABLES

FILES = sorted(Path(__file__).parent.glob("*.take"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_take_of_any_format_is_read_or_refused_with_a_way_out(path: Path) -> None:
    try:
        take = load_take(path)
    except (NewerFile, UnreadableFile) as error:
        assert "make it again" in str(error) or "write it again" in str(error)
    else:
        assert take.names == ("ann", "bob", "bird")


def test_a_take_of_the_present_format_is_read_to_the_last_column() -> None:
    take, made = load_take(Path(__file__).parent / "small.take"), small_take()
    for field in TABLES:
        for name, values in getattr(made, field).columns.items():
            # Places of feet are computed, and another machine may round them otherwise.
            assert np.allclose(getattr(take, field).columns[name], values, atol=1e-5), (field, name)
    assert take.mark_names == ("here", "never")
    assert (take.marks.asks & MEANT > 0).tolist() == [True, False]
    assert (take.fps, take.provenance["seed"], take.complete) == (24.0, 7, True)
    assert take.notes == ("told to",)
    assert [reason_words(take, k) for k in range(3)] == ["told to", "waits 0.3 s for here", "picks up box"]
    assert [obstacle.name for obstacle in take.stage.obstacles] == ["pillar"]
    times = np.linspace(-1.0, 1.2, 23)
    assert np.allclose(take.sample(times).positions, made.sample(times).positions, atol=1e-5, equal_nan=True)
    assert take.clips.events[0][0].kind == "grasp"
    assert "stand" in take.why("ann", -0.5).labels


def test_the_stored_takes_stay_small() -> None:
    assert FILES
    assert all(path.stat().st_size < 40_000 for path in FILES)
