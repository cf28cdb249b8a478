"""Arrangements: grids, circles, rows, regions, and who goes where."""

import numpy as np
import pytest
import shapely
from scipy.spatial.distance import pdist

from walkon._base.errors import InvalidValue, UnknownName
from walkon.script.arranging import assign, in_circle, in_grid, in_region, in_row


def rng(seed=1):
    return np.random.default_rng(seed)


def test_a_grid_goes_row_by_row_around_its_middle() -> None:
    places = in_grid(3, 2, spacing=(1.0, 2.0), centre=(10, 0))
    assert places.tolist() == [[9, -1], [10, -1], [11, -1], [9, 1], [10, 1], [11, 1]]


def test_a_circle_is_even_and_begins_where_told() -> None:
    places = in_circle(4, radius=2.0, centre=(1, 1), first=np.pi / 2)
    assert places == pytest.approx(np.array([[1, 3], [-1, 1], [1, -1], [3, 1]]))


def test_a_row_runs_along_its_direction() -> None:
    assert in_row(3, start=(1, 1), spacing=0.5, along=np.pi / 2) == pytest.approx(np.array([[1, 1], [1, 1.5], [1, 2]]))


@pytest.mark.parametrize("seed", range(4))
def test_people_in_a_region_are_inside_and_apart(seed: int) -> None:
    area = shapely.difference(shapely.box(0, 0, 10, 10), shapely.box(3, 3, 7, 7))
    places = in_region(area, count=60, apart=0.8, generator=rng(seed), taken=[(1, 1)])
    assert len(places) == 60
    assert pdist(places).min() > 0.8
    assert np.linalg.norm(places - (1, 1), axis=1).min() > 0.8
    assert shapely.intersects_xy(area, *places.T).all()
    quarters = np.histogram2d(*places.T, bins=2, range=[[0, 10], [0, 10]])[0]
    assert quarters.min() >= 5


def test_a_region_is_the_same_for_the_same_seed() -> None:
    draw = [in_region(shapely.box(0, 0, 9, 9), count=20, apart=1.0, generator=rng(s)) for s in (5, 5, 6)]
    assert np.array_equal(draw[0], draw[1])
    assert not np.array_equal(draw[0], draw[2])


def test_a_region_that_is_full_says_how_many_fit() -> None:
    with pytest.raises(InvalidValue, match=r"only \d+ of 50 people find a place 1 m apart in 9 m²"):
        in_region(shapely.box(0, 0, 3, 3), count=50, apart=1.0, generator=rng())
    with pytest.raises(InvalidValue, match="no free floor"):
        in_region(shapely.Polygon(), count=1, apart=1.0, generator=rng())


def test_nearest_makes_all_ways_together_shortest() -> None:
    people, goals = in_row(6, start=(0, 0), spacing=1, along=0.0), in_row(6, start=(5, 3), spacing=1, along=np.pi)
    chosen = assign(people, to=goals, how="nearest", generator=rng())
    assert chosen.tolist() == [5, 4, 3, 2, 1, 0]


def test_order_and_lot() -> None:
    people, goals = np.zeros((3, 2)), np.arange(10).reshape(5, 2)
    assert assign(people, to=goals, generator=rng()).tolist() == [0, 1, 2]
    lots = assign(people, to=goals, how="shuffled", generator=rng(2))
    assert len(set(lots.tolist())) == 3
    assert lots.tolist() == assign(people, to=goals, how="shuffled", generator=rng(2)).tolist()


def test_bad_arrangements_are_refused() -> None:
    with pytest.raises(InvalidValue, match="3 people cannot have 2 places"):
        assign(np.zeros((3, 2)), to=np.zeros((2, 2)), generator=rng())
    with pytest.raises(UnknownName, match="there is no assignment 'closest'"):
        assign(np.zeros((1, 2)), to=np.zeros((2, 2)), how="closest", generator=rng())
    with pytest.raises(InvalidValue, match="nearest is for up to 2000 places, got 2001"):
        assign(np.zeros((1, 2)), to=np.zeros((2001, 2)), how="nearest", generator=rng())
    with pytest.raises(InvalidValue, match="the spacing of a grid must be over 0 m"):
        in_grid(2, 2, spacing=0.0)
    with pytest.raises(InvalidValue, match="one or more columns and rows"):
        in_grid(0, 2, spacing=1.0)
    with pytest.raises(InvalidValue, match="the radius of a circle must be over 0 m"):
        in_circle(3, radius=-1.0)
