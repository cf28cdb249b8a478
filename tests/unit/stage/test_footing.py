"""Whether a way can be walked on: holes, edges of decks, cliffs; stairs, slopes and seams of a mesh pass."""

import numpy as np
import pytest

from floors import hills, sheet, slope, stairs, two_layers
from walkon.stage import FlatFloor, RampFloor, TerrainFloor
from walkon.stage.floor import FloorInFrame
from walkon.stage.footing import missing_footing


def with_gap(width: float, *, low: float = 0.0) -> TerrainFloor:
    """A floor of 20 m with a gap across from x = 1 m, and what is behind it `low` m higher."""
    y = np.array([-5.0, 5.0])
    before = sheet(np.array([-10.0, 1.0]), y, np.zeros((2, 2)))
    return TerrainFloor(np.concatenate([before, sheet(np.array([1.0 + width, 10.0]), y, np.full((2, 2), low))]))


ALONG = np.array([[-6.0, 0.0], [-2.0, 0.0], [6.0, 0.0]])


@pytest.mark.parametrize(
    "floor",
    [
        FlatFloor(),
        RampFloor([0, 0, 0], [3, 0, 1]),
        TerrainFloor(hills(seed=3)),
        TerrainFloor(stairs(rise=0.25)),
        TerrainFloor(slope(40.0)),
        with_gap(0.1),
        with_gap(0.0, low=-0.45),
    ],
    ids=["flat", "ramp", "hills", "stairs", "slope", "seam", "kerb"],
)
def test_what_can_be_walked_on_is_whole_both_ways(floor):
    assert missing_footing(floor, ALONG) is None and missing_footing(floor, ALONG[::-1]) is None


@pytest.mark.parametrize("width", [0.3, 2.0])
def test_a_gap_is_where_the_floor_ends_on_either_way(width):
    there, back = missing_footing(with_gap(width), ALONG), missing_footing(with_gap(width), ALONG[::-1])
    assert np.isnan(there.rise) and there.point == pytest.approx([1.0, 0.0], abs=0.051)
    assert np.isnan(back.rise) and back.point == pytest.approx([1.0 + width, 0.0], abs=0.051)
    assert there.sentence(1.0, 0.0) == "there is no floor at (1.00, 0.00) on the way"


def test_a_cliff_drops_one_way_and_rises_the_other():
    floor = with_gap(0.0, low=-3.0)
    drop, rise = missing_footing(floor, ALONG), missing_footing(floor, ALONG[::-1])
    assert (drop.rise, rise.rise) == (pytest.approx(-3.0), pytest.approx(3.0))
    assert drop.point[0] == pytest.approx(1.0, abs=0.051) and "drops by 3 m at (1.00, 0.00)" in drop.sentence(1.0, 0.0)
    assert "rises by 3 m" in rise.sentence(1.0, 0.0)


def test_a_way_stays_on_the_storey_on_which_it_begins():
    floor, across = TerrainFloor(two_layers()), np.array([[0.0, -8.0], [0.0, 8.0]])
    assert missing_footing(floor, across, near=0.0) is None
    off = missing_footing(floor, np.array([[0.0, 0.0], [0.0, 8.0]]), near=4.0)
    assert off.rise == pytest.approx(-4.0) and off.point == pytest.approx([0.0, 3.0], abs=0.051)
    assert missing_footing(floor, np.array([[-9.0, 2.0], [9.0, -2.0]]), near=4.0) is None


def test_a_way_that_begins_or_is_nowhere_has_no_footing():
    away = np.array([[30.0, 0.0], [31.0, 0.0]])
    assert np.isnan(missing_footing(TerrainFloor(slope(3.0, half=5.0)), away).rise)
    still = np.array([[1.2, 0.0], [1.2, 0.0]])
    assert missing_footing(with_gap(1.0), still) is not None and missing_footing(with_gap(1.0), still - 1.0) is None


def test_the_place_is_that_of_the_frame_in_which_the_way_is():
    pose = np.array([2.0, -1.0, 0.6])
    seen = FloorInFrame(with_gap(1.0), pose)
    c, s = np.cos(pose[2]), np.sin(pose[2])
    way = (ALONG - pose[:2]) @ np.array([[c, -s], [s, c]])
    found = missing_footing(seen, way)
    assert found.point @ np.array([[c, s], [-s, c]]) + pose[:2] == pytest.approx([1.0, 0.0], abs=0.051)
