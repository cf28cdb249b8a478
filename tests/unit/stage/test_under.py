"""Obstacles stand on all of the floor under them, and block wherever they are in the way."""

import numpy as np
import pytest

from floors import sheet, stairs, two_layers
from walkon.stage import FlatFloor, Obstacle, RampFloor, Stage, TerrainFloor
from walkon.stage.storeys import stage_of
from walkon.stage.under import heights_under

LINE = np.arange(-15.0, 15.1, 0.5)
VALLEY = TerrainFloor(sheet(LINE, LINE, 1.2 * np.cos(2 * np.pi * np.repeat(LINE[:, None], len(LINE), axis=1) / 24)))
"""A ridge along x = 0 between two valleys, 2.4 m deep."""
WALL = np.array([[-12.0, -0.1], [12.0, -0.1], [12.0, 0.1], [-12.0, 0.1]])


def test_a_wall_over_a_ridge_has_its_lowest_and_its_highest_floor():
    under = heights_under(VALLEY, WALL)
    assert (under.min(), under.max()) == (pytest.approx(-1.2, abs=0.01), pytest.approx(1.2, abs=0.01))


def test_what_is_inside_counts_too():
    under = heights_under(VALLEY, np.array([[-12.0, -9.0], [12.0, -9.0], [12.0, 9.0], [-12.0, 9.0]]))
    corners_only = heights_under(VALLEY, np.array([[-12.0, 0.0], [-11.9, 0.0], [-11.9, 0.1]]))
    assert under.max() == pytest.approx(1.2, abs=0.01) and corners_only.max() < -1.19


def test_a_deck_and_the_road_under_it_are_not_mixed():
    floor = TerrainFloor(two_layers())
    over_the_edge = np.array([[-2.0, 2.5], [2.0, 2.5], [2.0, 4.0], [-2.0, 4.0]])
    assert heights_under(floor, over_the_edge, near=4.0) == pytest.approx(4.0)
    assert heights_under(floor, over_the_edge, near=0.0) == pytest.approx(0.0)


def test_on_stairs_it_is_every_step_and_on_a_level_floor_one_height():
    under = heights_under(TerrainFloor(stairs()), np.array([[-1.0, 0.0], [4.0, 0.0], [4.0, 0.1], [-1.0, 0.1]]))
    assert (under.min(), under.max()) == (pytest.approx(0.0), pytest.approx(1.7))
    assert heights_under(FlatFloor(3.0), WALL).tolist() == [3.0]
    assert not len(heights_under(VALLEY, WALL + 100.0))


def test_a_beam_is_solid_where_the_floor_comes_up_to_it():
    over_the_ridge = Obstacle(polygon=WALL, base=1.8, height=2.0)
    high = Obstacle(polygon=WALL, base=3.31, height=3.5)
    over_one_valley = Obstacle(polygon=WALL[[0, 0, 3, 3]] + [[0, 0], [4, 0], [4, 0], [0, 0]], base=1.8, height=2.0)
    assert Stage(floor=VALLEY).are_solid([over_the_ridge, high, over_one_valley]).tolist() == [True, False, False]
    # At its middle it is 60 cm in the floor, and at one end a metre high.
    ramp = RampFloor([-12, 0, 0], [12, 0, 4])
    assert Stage(floor=ramp).are_solid([Obstacle(polygon=WALL, base=0.0, height=1.4)]).tolist() == [True]


def test_on_decks_an_obstacle_blocks_those_on_its_floor_wherever_it_is_high():
    floor = TerrainFloor(two_layers())
    half_under = Obstacle(polygon=np.array([[-1.0, -2], [1, -2], [1, 6], [-1, 6]]), base=0.0, height=1.0, name="bus")
    on_deck = Obstacle(
        polygon=np.array([[-1.0, 2.5], [1, 2.5], [1, 3.2], [-1, 3.2]]), base=4.0, height=5.0, name="rail"
    )
    stage = Stage(floor=floor, obstacles=(half_under, on_deck))
    seen = [stage_of(stage, np.array([stand])) for stand in ([5.0, 0.0, 4.0], [5.0, -8.0, 0.0])]
    assert [[one.name for one in each.still] for each in seen] == [["rail"], ["bus"]]
