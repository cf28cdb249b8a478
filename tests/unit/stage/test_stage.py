"""The stage: polygons are checked and turned, names differ, the floor is asked for."""

import numpy as np
import pytest

from walkon._base.errors import InvalidShape, InvalidValue
from walkon.stage import Door, FlatFloor, Obstacle, Seat, Stage

SQUARE = [(0, 0), (2, 0), (2, 1), (0, 1)]


def test_polygons_are_made_counter_clockwise() -> None:
    clockwise = Obstacle(polygon=SQUARE[::-1])
    x, y = clockwise.polygon.T
    assert 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) == pytest.approx(2.0)
    assert np.array_equal(Obstacle(polygon=SQUARE).polygon, SQUARE)
    assert not clockwise.polygon.flags.writeable


@pytest.mark.parametrize(
    ("polygon", "words"),
    [
        ([(0, 0), (1, 0)], "at least three corners, got 2"),
        ([(0, 0), (1, 1), (2, 2)], "no area"),
        ([(0, 0), (np.inf, 0), (1, 1)], "must be finite"),
    ],
)
def test_polygons_that_are_none_are_refused(polygon: object, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        Obstacle(polygon=polygon, name="pillar")
    with pytest.raises(InvalidValue, match=words):
        Stage(bounds=polygon)


def test_a_polygon_of_points_in_space_is_refused() -> None:
    with pytest.raises(InvalidShape, match="pillar"):
        Obstacle(polygon=np.zeros((4, 3)), name="pillar")


@pytest.mark.parametrize(("base", "height"), [(1.0, 1.0), (0.0, -1.0), (0.0, np.nan)])
def test_an_obstacle_is_higher_than_its_base(base: float, height: float) -> None:
    with pytest.raises(InvalidValue, match="higher than its base"):
        Obstacle(polygon=SQUARE, base=base, height=height)


def test_a_seat_has_a_height() -> None:
    assert Seat(place=(1, 2, 0.5)).height == 0.45
    with pytest.raises(InvalidValue, match="higher than the floor under it, got 0 and 0 m"):
        Stage(seats=[Seat(place=(0, 0, 0), height=0.0)])
    Stage(floor=FlatFloor(-3.0), seats=[Seat(place=(0, 0, 0), height=-2.55)])


def test_names_of_a_kind_differ() -> None:
    Stage(seats=[Seat(place=(0, 0, 0)), Seat(place=(1, 0, 0))])  # nameless ones may be many
    with pytest.raises(InvalidValue, match="names of seats must differ, but 'a'"):
        Stage(seats=[Seat(place=(0, 0, 0), name="a"), Seat(place=(1, 0, 0), name="a")])
    Stage(seats=[Seat(place=(0, 0, 0), name="a")], doors=[Door(ends=[(0, 0), (1, 0)], name="a")])


def test_the_empty_stage_is_an_endless_flat_floor() -> None:
    heights, normals = Stage().floor(np.zeros((3, 2, 2)))
    assert heights.shape == (3, 2)
    assert not heights.any()
    assert np.array_equal(normals, np.broadcast_to([0.0, 0.0, 1.0], (3, 2, 3)))
    assert repr(Stage()) == "Stage(endless floor, 0 obstacles, 0 seats, 0 doors)"
    assert "4-sided" in repr(Stage(bounds=SQUARE))
