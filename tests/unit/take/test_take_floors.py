import numpy as np
import pytest

import walkon
from floors import hills
from walkon._base.errors import InvalidValue
from walkon.stage import FlatFloor, RampFloor, Stage, TerrainFloor
from walkon.take import TakeWriter
from walkon.take.editing.editing import merge

FLOORS = [FlatFloor(-2.5), RampFloor([1.0, 2.0, 3.0], [4.0, 2.0, 3.5]), TerrainFloor(hills(seed=3))]
PLACES = np.random.default_rng(5).uniform(-10.0, 10.0, (200, 2))


@pytest.mark.parametrize("floor", FLOORS, ids=["flat", "ramp", "terrain"])
@pytest.mark.parametrize("grown", [False, True], ids=["saved", "grown"])
def test_a_take_keeps_its_floor_exactly(floor, grown, tmp_path) -> None:
    path = tmp_path / "x.take"
    with TakeWriter(path if grown else None, stage=Stage(floor=floor)) as writer:
        writer.flush()
    if not grown:
        walkon.save_take(writer.take, path)
    read = walkon.load_take(path).stage.floor
    assert type(read) is type(floor)
    for before, after in zip(floor(PLACES), read(PLACES), strict=True):
        assert np.array_equal(before, after, equal_nan=True)


def test_takes_on_different_terrains_are_not_merged() -> None:
    one, two = (TakeWriter(stage=Stage(floor=TerrainFloor(hills(seed=k)))).close() for k in (1, 2))
    assert merge(one, one).take.stage.floor is one.stage.floor
    with pytest.raises(InvalidValue, match="different stages"):
        merge(one, two)
