"""Furniture: drawn in for planners, nearer still to who sits on it, whole for everybody else."""

import numpy as np
import pytest

from walkon.stage import FlatFloor, Obstacle, Seat, Stage
from walkon.stage.free_space import FreeSpace
from walkon.stage.low_solids import LEGS_NARROWER_M, are_low, draw_in, sat_on
from walkon.stage.space_off_seats import OWN_NARROWER_M, off_seats

BOX = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])


def box(x, y, *, half, height, base=0.0, name=""):
    return Obstacle(polygon=2 * half * BOX + (x, y), height=height, base=base, name=name)


def test_what_ends_below_the_elbows_is_furniture_wherever_its_floor_is():
    stage = Stage(floor=FlatFloor(height=3.0))
    things = [box(0, 0, half=0.5, base=3.0 + low, height=3.0 + top) for low, top in ((0, 0.7), (0.4, 0.45), (0, 1.0))]
    assert are_low(stage, things).tolist() == [True, True, False]
    assert sat_on(stage, things).tolist() == [False, True, False]


def test_furniture_is_drawn_in_as_one_and_what_is_thin_stays():
    chair = box(0, 0, half=0.2, height=0.45)
    back = Obstacle(polygon=np.array([[-0.24, -0.2], [-0.2, -0.2], [-0.2, 0.2], [-0.24, 0.2]]), height=0.9)
    rope = Obstacle(polygon=np.array([[3, 0], [5, 0], [5, 0.05], [3, 0.05]]), height=0.9)
    wall = box(9, 0, half=0.5, height=2.5)
    space = FreeSpace.of(Stage(obstacles=(chair, back, rope, wall)))
    drawn = draw_in(space.solid_polygons[:3])
    assert drawn.bounds == pytest.approx((-0.24 + LEGS_NARROWER_M, -0.2 + LEGS_NARROWER_M, 5.0, 0.2 - LEGS_NARROWER_M))
    away = space.distance([[0.0, 0.7], [4.0, 0.55], [9.0, 1.0]])
    assert away == pytest.approx([0.5 + LEGS_NARROWER_M, 0.5, 0.5], abs=4e-3)
    assert space.nearest([[0.0, 0.7]])[0] == pytest.approx([0.5])


@pytest.mark.parametrize("bounded", [False, True])
def test_who_sits_comes_nearer_to_its_own_chair_only(bounded):
    seats = [Seat(place=np.array([x, 0.0, np.pi / 2]), height=0.45, name=f"s{x}") for x in (0.0, 0.6)]
    chairs = [box(seat.place[0], 0.0, half=0.2, height=0.45, base=0.4) for seat in seats]
    table = box(0.0, 1.2, half=0.5, height=0.75)
    bounds = np.array([[-2.0, -2.0], [2.0, -2.0], [2.0, 2.0], [-2.0, 2.0]]) if bounded else None
    space = FreeSpace.of(Stage(bounds=bounds, obstacles=(*chairs, table), seats=tuple(seats)))
    mine = off_seats(space, np.array([[0.0, 0.0]]))
    before = np.array([[0.0, 0.35], [0.6, 0.35], [0.0, 0.6], [-1.5, -1.5], [0.0, -1.9]])
    away, own = space.distance(before), mine.distance(before)
    assert own[0] == pytest.approx(away[0] + OWN_NARROWER_M, abs=5e-3)
    assert own[1:] == pytest.approx(away[1:], abs=1e-9)
    assert (mine.grid.nodes >= space.grid.nodes - 1e-12).all()
    assert off_seats(space, np.array([[1.8, 1.8]])) is space
    assert off_seats(space, np.zeros((0, 2))) is space
